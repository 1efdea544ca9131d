#include "core/sample.h"

#include "arch/x86/msr_regs.h"
#include "core/heap.h"
#include "core/script.h"
#include "core/tools.h"

#define BUDGET_MS UINT64_C(10000)

static void watch(struct sample *s, uint32_t cpu)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->cpus[i].cpu == cpu)
            return;
    if (s->n < SAMPLE_CPUS)
        s->cpus[s->n++] = (struct sample_cpu){ .cpu = cpu };
}

void sample_begin(struct sample *s, struct check *c, const uint32_t *cpus, uint32_t n)
{
    if (c->tools && c->tools->between)
        c->tools->between(c->tools->between_context);
    *s = (struct sample){
        .check = c, .budget = SAMPLE_TRIES, .status = ST_OK, .bad_cpu = n ? cpus[0] : c->platform->bsp
    };
    s->cpus = heap_alloc(SAMPLE_CPUS * sizeof(s->cpus[0]));
    if (s->cpus == NULL) {
        s->status = ST_NO_MEMORY;
        s->done = true;
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        watch(s, cpus[i]);
}

/* SMI count and TSC of every watched processor. The count is Intel's: elsewhere the number means something else. */
static enum status look(struct sample *s, bool before)
{
    struct platform *p = s->check->platform;
    struct task tasks[SAMPLE_CPUS];
    struct step steps[SAMPLE_CPUS];
    enum status st;

    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t cpu = s->cpus[i].cpu;
        bool intel = s->check->machine->cpus[cpu].id.vendor == VENDOR_INTEL;

        steps[i] = intel ? step_rdmsr(MSR_SMI_COUNT) : step_spin(0);
        tasks[i] = (struct task){ .cpu = cpu, .n_steps = 1, .steps = &steps[i] };
    }
    st = platform_run(p, tasks, s->n, BUDGET_MS);
    for (uint32_t i = 0; i < s->n; i++) {
        struct sample_cpu *w = &s->cpus[i];

        if (tasks[i].status != ST_OK) {
            s->bad_cpu = w->cpu;
            return tasks[i].status;
        }
        w->readable = steps[i].op == STEP_RDMSR ? steps[i].status : ST_ABSENT;
        *(before ? &w->smi_before : &w->smi_after) = steps[i].value;
        *(before ? &w->tsc_before : &w->tsc_after) = steps[i].tsc;
    }
    return st;
}

static bool was_disturbed(const struct sample *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct sample_cpu *w = &s->cpus[i];

        if (w->readable == ST_OK &&
            field_get(MSR_SMI_COUNT_VALUE, w->smi_before) != field_get(MSR_SMI_COUNT_VALUE, w->smi_after))
            return true;
        if (w->tsc_after < w->tsc_before)
            return true;
    }
    return false;
}

bool sample_open(struct sample *s)
{
    if (s->done)
        return false;
    if (s->tries == s->budget) {
        s->status = ST_DISTURBED;
        s->done = true;
        return false;
    }
    s->tries++;
    s->status = look(s, true);
    s->done = s->status != ST_OK;
    return !s->done;
}

void sample_close(struct sample *s, enum status st)
{
    s->status = st;
    s->done = true;
    if (st != ST_OK)
        return;
    s->status = look(s, false);
    if (s->status != ST_OK || s->n == 0)
        return;
    s->tsc_ticks = s->cpus[0].tsc_after - s->cpus[0].tsc_before;
    if (was_disturbed(s)) {
        s->disturbed++;
        s->done = false;
    }
}

enum status sample_end(struct sample *s)
{
    s->check->samples += s->tries;
    s->check->disturbed += s->disturbed;
    heap_free(s->cpus);
    s->cpus = NULL;
    return s->status;
}
