/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/check/sample.h"

#include "arch/x86/cpu/msr_regs.h"
#include "core/base/heap.h"
#include "core/base/ticks.h"
#include "core/tools/tools.h"

/* Of the fastest clock that a sample of this check had, on whatever package. An engineering choice, no figure of a
 * specification: turbo and its loss stay above half, and what falls below by design (a package held lower than the
 * others) costs SAMPLE_THROTTLE_TRIES samples more and changes no verdict. */
#define SLOW_SHARE 0.5

/* All registers on the first of each package, the SMI count on the others. What raised #GP once is not asked again. */
static void watch(struct sample *s, uint32_t cpu)
{
    const struct machine *m = s->check->machine;
    uint32_t registers = disturb_registers(&m->cpus[cpu].id);

    for (uint32_t i = 0; i < s->n; i++) {
        if (s->cpus[i].cpu == cpu)
            return;
        if (m->cpus[s->cpus[i].cpu].package == m->cpus[cpu].package)
            registers &= 1u << DISTURB_SMI;
    }
    if (s->check->tools)
        registers &= ~s->check->tools->unreadable;
    if (s->n < SAMPLE_CPUS)
        s->cpus[s->n++] = (struct disturb_cpu){ .cpu = cpu, .readable = registers };
}

/* All receive an SMI, so that one that counts them in a register of its own will do. */
static void watch_smi_counter(struct sample *s)
{
    const struct tools *t = s->check->tools;
    uint32_t i;

    if (!t || !t->smi_msr || !cpu_takes_work(s->check->platform, t->smi_cpu) || (t->unreadable & 1u << DISTURB_SMI))
        return;
    i = INDEX_OF(k, s->n, s->cpus[k].cpu == t->smi_cpu);
    if (i == s->n)
        s->cpus[s->n++] = (struct disturb_cpu){ .cpu = t->smi_cpu };
    s->cpus[i].readable |= 1u << DISTURB_SMI;
    s->cpus[i].smi_msr = t->smi_msr;
}

void sample_begin(struct sample *s, struct check *c, const uint32_t *cpus, uint32_t n)
{
    if (c->tools && c->tools->between)
        c->tools->between(c->tools->between_context);
    *s = (struct sample){
        .check = c, .budget = SAMPLE_TRIES, .status = ST_OK, .bad_cpu = n ? cpus[0] : c->platform->bsp
    };
    s->cpus = heap_alloc((SAMPLE_CPUS + 1) * sizeof(s->cpus[0]));
    if (s->cpus == NULL) {
        s->status = ST_NO_MEMORY;
        s->done = true;
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        watch(s, cpus[i]);
    watch_smi_counter(s);
}

static enum status sample_read(struct sample *s, bool after)
{
    uint32_t asked[SAMPLE_CPUS + 1] = { 0 }, refused = 0;
    enum status st;

    for (uint32_t i = 0; i < s->n; i++)
        asked[i] = s->cpus[i].readable;
    st = disturb_look(s->check->platform, s->cpus, s->n, after, &s->bad_cpu);
    for (uint32_t i = 0; i < s->n; i++)
        refused |= asked[i] & ~s->cpus[i].readable;
    if (s->check->tools)
        s->check->tools->unreadable |= refused;
    return st;
}

/* Other software took part of its time, or added traffic. */
static bool sample_was_disturbed(const struct sample *s, const struct disturbance *d)
{
    if (ANY_OF(i, s->n, s->cpus[i].tsc_after < s->cpus[i].tsc_before))
        return true;
    return d->smis > 0;
}

/* Notes the clock, and says whether this sample had another one than it should. */
static bool was_throttled(struct sample *s, const struct disturbance *d)
{
    struct check_state *state = s->check->state;
    struct check_record *c = state->clocks ? state->clocks : &state->record;
    bool slow = d->slowest > 0 && d->slowest < SLOW_SHARE * c->fastest;

    if (d->slowest > 0 && (c->slowest == 0 || d->slowest < c->slowest))
        c->slowest = d->slowest;
    if (d->fastest > c->fastest)
        c->fastest = d->fastest;
    state->record.throttled += d->hot > 0 || d->limited > 0 || slow;
    return d->began || slow;
}

/* --- SMIs at intervals -------------------------------------------------------------------------------------------- */

#define FOLLOW_POLLS 64u                 /* looks in the time of one interval                                    */
#define FOLLOW_NS    UINT64_C(500000000) /* no longer: one in half a second falls into few windows by itself */

static const struct disturb_cpu *smi_witness(const struct sample *s)
{
    return FIND(i, s->n, s->cpus[i].readable & 1u << DISTURB_SMI, &s->cpus[i], NULL);
}

uint64_t sample_smi_period(const struct sample *s)
{
    return s->smis ? s->smi_ticks / s->smis : 0;
}

static void count_smis(struct sample *s)
{
    const struct disturb_cpu *w = smi_witness(s);

    if (w == NULL || w->tsc_after <= s->smi_first_tsc)
        return;
    s->smis = field_get(MSR_SMI_COUNT_VALUE, w->after[DISTURB_SMI] - s->smi_first);
    s->smi_ticks = w->tsc_after - s->smi_first_tsc;
}

static void begin_counting(struct sample *s)
{
    const struct disturb_cpu *w = smi_witness(s);

    if (w == NULL || s->tries > 1)
        return;
    s->smi_first = w->before[DISTURB_SMI];
    s->smi_first_tsc = w->tsc_before;
}

/* Returns after the next SMI, or when none came for two intervals. */
static enum status follow_smi(struct sample *s)
{
    struct platform *p = s->check->platform;
    const struct disturb_cpu *w = smi_witness(s);
    uint64_t ns = ticks_to_ns(sample_smi_period(s), p->tsc_hz), first = 0, now;
    uint32_t msr = w && w->smi_msr ? w->smi_msr : MSR_SMI_COUNT;
    enum status st;

    if (w == NULL || ns == 0 || ns > FOLLOW_NS || s->tsc_ticks > sample_smi_period(s))
        return ST_OK;
    st = msr_read(p, w->cpu, msr, &first);
    now = first;
    for (uint32_t i = 0; i < 2 * FOLLOW_POLLS && st == ST_OK && now == first; i++) {
        platform_stall(p, ns / FOLLOW_POLLS);
        st = msr_read(p, w->cpu, msr, &now);
    }
    s->bad_cpu = st == ST_OK ? s->bad_cpu : w->cpu;
    return st;
}

/* More than one falls into each window: trying on costs time alone. */
static bool is_futile(const struct sample *s)
{
    return s->tries >= SAMPLE_TRIES_FUTILE && 2 * sample_smi_period(s) < s->tsc_ticks && s->smis > 0;
}

/* --- a sample ----------------------------------------------------------------------------------------------------- */

bool sample_wanted(struct sample *s)
{
    if (s->done)
        return false;
    if (s->tries < s->budget && !is_futile(s))
        return true;
    s->status = ST_DISTURBED;
    s->check->state->smi_period_ns = ticks_to_ns(sample_smi_period(s), s->check->platform->tsc_hz);
    s->check->state->smi_window_ns = ticks_to_ns(s->tsc_ticks, s->check->platform->tsc_hz);
    s->done = true;
    return false;
}

enum status sample_open(struct sample *s)
{
    enum status st = s->disturbed >= 2 ? follow_smi(s) : ST_OK;

    s->tries++;
    if (st == ST_OK)
        st = sample_read(s, false);
    begin_counting(s);
    return st;
}

void sample_close(struct sample *s, enum status st)
{
    struct disturbance d;

    s->status = st;
    s->done = true;
    if (st != ST_OK)
        return;
    s->status = sample_read(s, true);
    if (s->status != ST_OK || s->n == 0)
        return;
    s->tsc_ticks = s->cpus[0].tsc_after - s->cpus[0].tsc_before;
    d = disturb_between(s->cpus, s->n);
    count_smis(s);
    if (sample_was_disturbed(s, &d)) {
        s->disturbed++;
        s->done = false;
    } else if (was_throttled(s, &d) && s->throttled < SAMPLE_THROTTLE_TRIES && s->tries < s->budget) {
        s->throttled++;
        s->disturbed++;
        s->done = false;
    }
}

enum status sample_end(struct sample *s)
{
    s->check->state->record.samples += s->tries;
    s->check->state->record.disturbed += s->disturbed;
    heap_free(s->cpus);
    s->cpus = NULL;
    return s->status;
}
