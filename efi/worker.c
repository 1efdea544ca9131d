/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/worker.c: what runs on a processor: a task's steps, the wait for the next one, arrival and departure. */
#include "arch/x86/cpu/kernels.h"
#include "core/base/bits.h"
#include "efi/processors.h"

#define CR4_OSXSAVE BIT(18)

/* --- a task, on the processor that does it ------------------------------------------------------------------------ */

struct work_call {
    struct work *work;
    enum status status;
};

static void call_kernel(void *argument)
{
    struct work_call *call = argument;

    call->status = kernel_run(call->work);
}

static enum status step_work(struct vectors *v, struct work *work)
{
    struct work_call call = { work, ST_RANGE };
    enum status caught;

    if (!work)
        return ST_RANGE;
    caught = catch_work(v, call_kernel, &call);
    return caught != ST_OK ? caught : call.status;
}

static void step_spin(uint64_t for_ticks)
{
    uint64_t begin = insn_rdtsc();

    while (insn_rdtsc() - begin < for_ticks)
        insn_pause();
}

static bool is_abandoned(const struct run *run)
{
    return __atomic_load_n(&run->abandoned, __ATOMIC_ACQUIRE) != 0;
}

static void barrier_arrive(struct run *run, uint32_t rank)
{
    __atomic_add_fetch(&run->barriers[rank].arrived, 1, __ATOMIC_ACQ_REL);
}

/* deadline 0: whoever has one abandons the run. */
static enum status barrier_wait(struct run *run, uint32_t rank, uint64_t deadline)
{
    struct barrier *b = &run->barriers[rank];

    while (__atomic_load_n(&b->arrived, __ATOMIC_ACQUIRE) < b->expected) {
        if (is_abandoned(run))
            return ST_TIMEOUT;
        if (deadline && (int64_t)(insn_rdtsc() - deadline) > 0)
            __atomic_store_n(&run->abandoned, 1, __ATOMIC_RELEASE);
        insn_pause();
    }
    return ST_OK;
}

static enum status step_do(struct worker *w, struct step *s, struct run *run, uint32_t rank, uint64_t deadline)
{
    switch (s->op) {
    case STEP_CPUID:
        insn_cpuid(s->reg, s->subleaf, &s->regs);
        return ST_OK;
    case STEP_RDMSR:
        return insn_rdmsr(s->reg, &s->value);
    case STEP_WRMSR:
        return insn_wrmsr(s->reg, s->value);
    case STEP_WBINVD:
        insn_wbinvd();
        return ST_OK;
    case STEP_SPIN:
        if (is_abandoned(run))
            return ST_NOT_RUN;
        step_spin(s->value);
        return ST_OK;
    case STEP_WORK:
        if (is_abandoned(run))
            return ST_NOT_RUN;
        return step_work(&w->vectors, s->work);
    case STEP_BARRIER:
        barrier_arrive(run, rank);
        return barrier_wait(run, rank, deadline);
    }
    return ST_RANGE;
}

/* All steps in order. After a failed `must` the rest is not run, but its barriers are still passed, so that the others
 * need not wait for somebody who gave up. Once the run is abandoned only registers are still written: what stands at
 * the end of a task puts things back. */
void worker_task(struct worker *w, struct step *steps, uint32_t n, struct run *run, uint64_t deadline)
{
    uint32_t rank = 0;
    bool broken = false;

    w->status = ST_OK;
    w->stopped_at = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct step *s = &steps[i];

        __atomic_store_n(&w->at, i, __ATOMIC_RELEASE);
        if (broken) {
            s->status = ST_NOT_RUN;
            if (s->op == STEP_BARRIER)
                barrier_arrive(run, rank);
        } else {
            s->status = step_do(w, s, run, rank, deadline);
            s->tsc = insn_rdtsc();
            broken = s->must && s->status != ST_OK;
            if (s->op == STEP_BARRIER && s->status != ST_OK && w->status == ST_OK) {
                w->status = s->status;
                w->stopped_at = i;
            }
        }
        rank += s->op == STEP_BARRIER;
    }
}

/* --- a worker ----------------------------------------------------------------------------------------------------- */

uint32_t processors_my_apic_id(void)
{
    struct cpuid_regs r;
    uint32_t max;

    insn_cpuid(0, 0, &r);
    max = r.eax;
    /* SDM vol. 2A CPUID: EDX of leaf 1FH or 0BH is the x2APIC id wherever the leaf has a level at all. */
    for (uint32_t leaf = 0x1F; leaf >= 0xB; leaf -= 0x14) {
        if (leaf > max)
            continue;
        insn_cpuid(leaf, 0, &r);
        if (r.ebx != 0)
            return r.edx;
    }
    insn_cpuid(1, 0, &r);
    return r.ebx >> 24;
}

static struct worker *find_me(struct processors *ps)
{
    uint32_t id = processors_my_apic_id(), lo = 0, hi = ps->n;
    UINTN number = 0;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;

        if (ps->worker[mid]->apic_id == id)
            return ps->worker[mid];
        if (ps->worker[mid]->apic_id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    /* The only service that a processor may call which is not the boot processor. */
    if (ps->mp && !EFI_ERROR(ps->mp->WhoAmI(ps->mp, &number)))
        for (uint32_t i = 0; i < ps->n; i++)
            if (ps->worker[i]->number == number && ps->worker[i] != ps->bsp)
                return ps->worker[i];
    return NULL;
}

/* What the boot processor posts next. */
static uint64_t wait_for_post(struct worker *w, uint64_t seen)
{
    uint64_t begin = insn_rdtsc(), posted;

    while ((posted = __atomic_load_n(&w->posted, __ATOMIC_ACQUIRE)) == seen) {
        uint32_t nmis = __atomic_load_n(&w->vectors.nmis, __ATOMIC_RELAXED);

        insn_pause();
        if (w->spin_ticks == 0 || insn_rdtsc() - begin < w->spin_ticks)
            continue;
        /* Sequentially consistent on both sides: either we see the post, or the boot processor sees us asleep. */
        __atomic_store_n(&w->asleep, WORKER_ASLEEP, __ATOMIC_SEQ_CST);
        worker_sleep(&w->posted, seen);
        if (__atomic_exchange_n(&w->asleep, WORKER_AWAKE, __ATOMIC_SEQ_CST) != WORKER_CALLED)
            continue;
        while (__atomic_load_n(&w->vectors.nmis, __ATOMIC_RELAXED) == nmis)
            insn_pause();
    }
    return posted;
}

/* Until it is sent home. */
static void worker_loop(void *argument)
{
    struct worker *w = argument;
    uint64_t seen = 0, posted;

    for (;;) {
        posted = wait_for_post(w, seen);
        if (posted == WORKER_LEAVE)
            return;
        seen = posted;
        worker_task(w, w->steps, w->n_steps, w->run, 0);
        __atomic_store_n(&w->done, seen, __ATOMIC_RELEASE);
    }
}

static void note_state(uint64_t *cr4, uint64_t *xcr0, bool *has_xcr0)
{
    *cr4 = insn_read_cr4();
    *has_xcr0 = (*cr4 & CR4_OSXSAVE) && insn_xgetbv(0, xcr0) == ST_OK;
}

void worker_main(struct processors *ps)
{
    struct worker *w = find_me(ps);
    bool has_xcr0;

    if (!w) {
        __atomic_add_fetch(&ps->strangers, 1, __ATOMIC_RELAXED);
        return;
    }
    if (!w->takes_part || __atomic_load_n(&w->posted, __ATOMIC_ACQUIRE) == WORKER_LEAVE || w->state != WORKER_ABSENT)
        return;
    vectors_install(&w->vectors, !w->own_start);
    note_state(&w->found_cr4, &w->found_xcr0, &w->has_xcr0);
    __atomic_store_n(&w->state, WORKER_ARRIVED, __ATOMIC_RELEASE);

    /* After an unexpected exception it is parked here, and still leaves in good order. */
    if (catch_base(&w->vectors, worker_loop, w) != ST_OK)
        (void)wait_for_post(w, __atomic_load_n(&w->posted, __ATOMIC_ACQUIRE));

    note_state(&w->left_cr4, &w->left_xcr0, &has_xcr0);
    vectors_remove(&w->vectors);
    __atomic_store_n(&w->state, WORKER_LEFT, __ATOMIC_RELEASE);
}
