/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/processors/processors.h"

#include "efi/processors/apic.h"

static uint64_t processor_tsc(void *)
{
    return insn_rdtsc();
}

static void processor_pause(void *)
{
    insn_pause();
}

static void processor_sleep(struct worker *w, uint64_t seen)
{
    worker_sleep(&w->posted, seen, w->mwait_after == seen + 1 ? w->mwait_hint : WORKER_HLT);
}

/* Relaxed: the handler that counts runs on the processor that asks. */
static uint32_t processor_nmis(const struct worker *w)
{
    return __atomic_load_n(&processor_of(w)->vectors.nmis, __ATOMIC_RELAXED);
}

static enum status processor_wake(struct worker *w)
{
    return apic_send_nmi(w->apic_id);
}

static void processor_describe_crash(const struct worker *w, char *out, size_t size)
{
    vectors_describe(&processor_of(w)->vectors, out, size);
}

static enum status processors_all_returned(void *machine)
{
    struct processors *ps = machine;

    if (!ps->finished)
        return ST_ABSENT;
    if (ps->st->BootServices->CheckEvent(ps->finished) != EFI_SUCCESS)
        return ST_NOT_RUN;
    ps->signalled = true;
    return ST_OK;
}

/* INIT, one way or the other. EnableDisableAP makes firmware do it, also for a processor under way. OVMF then never
 * counts that processor as finished: the event of its call stays silent, and a blocking call does not return. */
static bool processor_force_back(struct worker *w)
{
    struct processors *ps = w->machine;
    UINTN number = processor_of(w)->number;

    if (w->own_start) {
        ps->force(ps, w->apic_id);
        return true;
    }
    return ps->mp && !EFI_ERROR(ps->mp->EnableDisableAP(ps->mp, number, FALSE, NULL)) &&
           !EFI_ERROR(ps->mp->EnableDisableAP(ps->mp, number, TRUE, NULL));
}

const struct worker_ops processors_ops = { .tsc = processor_tsc,
                                           .pause = processor_pause,
                                           .step = worker_step,
                                           .sleep = processor_sleep,
                                           .nmis = processor_nmis,
                                           .wake = processor_wake,
                                           .describe_crash = processor_describe_crash,
                                           .all_returned = processors_all_returned,
                                           .force_back = processor_force_back };

static void count_stack_guard_hits(struct processors *ps)
{
    for (uint32_t i = 0; i < ps->n_stacks; i++) {
        const uint8_t *guard = ps->stacks + (size_t)i * WORKER_STACK;
        uint32_t k = 0;

        while (k < WORKER_STACK_GUARD && guard[k] == WORKER_STACK_PATTERN)
            k++;
        ps->stack_guard_hits += k < WORKER_STACK_GUARD;
    }
}

void processors_stop(struct processors *ps)
{
    if (ps->workers.stopped)
        return;
    workers_stop(&ps->workers);
    count_stack_guard_hits(ps);
}
