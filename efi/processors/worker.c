/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors/worker.c: what runs on a processor: the instructions of a step, arrival and departure. */
#include "arch/x86/cpu/kernels.h"
#include "arch/x86/cpu/topology.h"
#include "core/base/bits.h"
#include "efi/processors/pmi.h"
#include "efi/processors/processors.h"

#define CR4_OSXSAVE         BIT(18)
#define CPUID_1_ECX_MONITOR BIT(3)
#define AWAIT_MS            15000u /* longer than efi/processors/ap_startup.c lets the boot processor wait for others */

/* --- steps -------------------------------------------------------------------------------------------------------- */

struct work_call {
    struct work *work;
    enum status status;
};

static void call_kernel(void *argument)
{
    struct work_call *call = argument;

    call->status = kernel_run(call->work);
}

static enum status work_run(struct vectors *v, struct work *work)
{
    struct work_call call = { work, ST_RANGE };
    enum status caught;

    if (!work)
        return ST_RANGE;
    /* Its memory became code after this processor had started: where free memory is no-execute, firmware changed the page
     * tables and flushed the TLB of the boot processor alone (edk2 UefiCpuPkg/CpuDxe/CpuPageTable.c,
     * AssignMemoryPageAttributes()). SDM vol. 3A 4.10.4.1 */
    if (work->kind == WORK_CODE)
        insn_write_cr3(insn_read_cr3());
    caught = catch_work(v, call_kernel, &call);
    return caught != ST_OK ? caught : call.status;
}

/* No message of our vector goes to a processor that has no handler for it. */
static enum status send_ipis(struct worker *w, struct step *s)
{
    const struct processors *ps = w->machine;
    const struct worker *to = workers_find(&ps->workers, s->reg);

    if (!to || !processor_of(to)->vectors.pmi.open) {
        s->ipi = (struct ipi_count){ 0 };
        return ST_ABSENT;
    }
    return pmi_send(&processor_of(w)->vectors, s->reg, s->value, s->subleaf, &s->ipi);
}

static enum status sleep_in_mwait(struct worker *w, uint32_t hint)
{
    struct cpuid_regs one;

    insn_cpuid(1, 0, &one);
    if (w->spin_ticks == 0 || !(one.ecx & CPUID_1_ECX_MONITOR))
        return ST_UNSUPPORTED;
    w->mwait_hint = hint;
    w->mwait_after = w->posted + 1;
    return ST_OK;
}

enum status worker_step(struct worker *w, struct step *s)
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
        insn_spin(s->value);
        return ST_OK;
    case STEP_MWAIT:
        return sleep_in_mwait(w, (uint32_t)s->value);
    case STEP_WORK:
        return work_run(&processor_of(w)->vectors, s->work);
    case STEP_PMI_OPEN:
        return pmi_open(&processor_of(w)->vectors, &s->pmi);
    case STEP_PMI_LISTEN:
        return pmi_listen(&processor_of(w)->vectors, s->value, &s->pmi);
    case STEP_PMI_CLOSE:
        return pmi_close(&processor_of(w)->vectors, &s->pmi);
    case STEP_IPI_SEND:
        return send_ipis(w, s);
    case STEP_BARRIER:
        break; /* core/processors/worker.c's */
    }
    return ST_RANGE;
}

/* --- a worker ----------------------------------------------------------------------------------------------------- */

/* Leaf 0 EAX and leaf 80000000H EAX. */
struct leaf_limits {
    uint32_t basic, extended;
};

static enum status own_leaf(void *context, uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    const struct leaf_limits *max = context;

    if (!cpuid_in_range(leaf, max->basic, max->extended))
        return ST_ABSENT;
    insn_cpuid(leaf, subleaf, regs);
    return ST_OK;
}

uint32_t processors_my_apic_id(void)
{
    struct cpuid_regs basic, extended;

    insn_cpuid(0, 0, &basic);
    insn_cpuid(0x80000000u, 0, &extended);
    return topology_apic_id(&(struct cpuid_source){ own_leaf, &(struct leaf_limits){ basic.eax, extended.eax } });
}

static struct worker *find_me(struct processors *ps)
{
    struct worker *w = workers_find(&ps->workers, processors_my_apic_id());
    UINTN number = 0;

    /* WhoAmI is the only service that a processor may call which is not the boot processor. */
    if (w || !ps->mp || EFI_ERROR(ps->mp->WhoAmI(ps->mp, &number)))
        return w;
    return FIND(i, ps->workers.n, processor_at(ps, i)->number == number && ps->workers.worker[i] != ps->workers.boot,
                ps->workers.worker[i], NULL);
}

static void serve(void *argument)
{
    worker_serve(argument);
}

static void note_state(uint64_t *cr4, uint64_t *xcr0, bool *has_xcr0)
{
    *cr4 = insn_read_cr4();
    *has_xcr0 = (*cr4 & CR4_OSXSAVE) && insn_xgetbv(0, xcr0) == ST_OK;
}

void worker_main(struct processors *ps)
{
    struct worker *w = find_me(ps);
    struct processor *me;
    bool has_xcr0;

    if (!w) {
        __atomic_add_fetch(&ps->unlisted_aps, 1, __ATOMIC_RELAXED);
        return;
    }
    if (!worker_is_expected(w))
        return;
    me = processor_of(w);
    vectors_install(&me->vectors, !w->own_start);
    note_state(&me->found_cr4, &me->found_xcr0, &me->has_xcr0);
    worker_arrive(w);

    /* After an unexpected exception it still leaves in good order. */
    if (workers_await_work(&ps->workers, w, AWAIT_MS) && catch_base(&me->vectors, serve, w) != ST_OK)
        worker_park(w);

    pmi_abandon(&me->vectors);
    note_state(&me->left_cr4, &me->left_xcr0, &has_xcr0);
    vectors_remove(&me->vectors);
    worker_leave(w);
}
