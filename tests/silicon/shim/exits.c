/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/exits.c: what happens when the guest leaves for a moment.
 *
 * CPUID, RDMSR, WRMSR, WBINVD and INVD go to the plugin; its word counts. What the model does not own is executed here,
 * on the underlying processor. The SVM instructions and registers do not exist for the guest: it sees no hypervisor by
 * them.
 */
#include "tests/silicon/shim/apic.h"
#include "tests/silicon/shim/functions.h"
#include "tests/silicon/shim/vcpu_internal.h"
#include "tests/silicon/emulate/guest.h"
#include "tests/silicon/emulate/flush.h"
#include "tests/silicon/emulate/trap.h"

#define RFLAGS_IF      (1ull << 9)
#define CR4_OSXSAVE    (1ull << 18)
#define CPUID_1_X2APIC (1u << 21) /* ECX */
#define CR4_PKE        (1ull << 22)
#define VECTOR_DE      0u
#define VECTOR_UD      6u
#define VECTOR_DF      8u
#define VECTOR_TS      10u
#define VECTOR_GP      13u
#define VECTOR_PF      14u

int vcpu_exit(struct vcpu *v); /* called by enter.S */

static void inject(struct vcpu *v, uint32_t vector)
{
    v->vmcb.eventinj = vector | EVENTINJ_EXCEPTION | EVENTINJ_V;
}

static void inject_with_code(struct vcpu *v, uint32_t vector, uint64_t code)
{
    inject(v, vector);
    v->vmcb.eventinj |= EVENTINJ_EV | code << EVENTINJ_CODE_SHIFT;
}

static void emulate_cpuid(struct vcpu *v)
{
    volatile struct channel_slot *s = v->slot;
    uint32_t leaf = (uint32_t)v->vmcb.rax, subleaf = (uint32_t)v->regs[RCX];
    uint32_t regs[4];

    native_cpuid(leaf, subleaf, regs);
    if (leaf == 1)
        regs[3] |= CPUID_1_CLFSH;
    if (leaf == 1 && apic_is_x2apic())
        regs[2] |= CPUID_1_X2APIC;
    if (leaf == 1) /* these two mirror CR4, and the guest's is meant */
        regs[2] = (regs[2] & ~(1u << 27)) | (v->vmcb.cr4 & CR4_OSXSAVE ? 1u << 27 : 0);
    if (leaf == 7 && subleaf == 0)
        regs[2] = (regs[2] & ~(1u << 4)) | (v->vmcb.cr4 & CR4_PKE ? 1u << 4 : 0);
    if (leaf == 0x80000001u)
        regs[2] &= ~(1u << 2 | 1u << 12); /* SVM, SKINIT */
    if (leaf == 0x8000000Au)
        regs[0] = regs[1] = regs[2] = regs[3] = 0;
    s->number = leaf;
    s->subleaf = subleaf;
    for (int i = 0; i < 4; i++)
        s->regs[i] = regs[i];
    s->address = v->vmcb.rip;
    channel_ring(s, CHANNEL_CPUID);
    v->vmcb.rax = s->regs[0];
    v->regs[RBX] = s->regs[1];
    v->regs[RCX] = s->regs[2];
    v->regs[RDX] = s->regs[3];
    guest_skip(v, 0xA2);
}

static bool is_svm_register(uint32_t msr)
{
    return msr == MSR_VM_CR || msr == MSR_VM_HSAVE_PA || msr == MSR_SVM_KEY;
}

/* SDM vol. 3A 11.12.2 "IA32_PAT MSR": eight memory types, each UC, WC, WT, WP, WB or UC-. */
static bool pat_is_valid(uint64_t value)
{
    for (uint32_t i = 0; i < 8; i++) {
        uint8_t type = (uint8_t)(value >> 8 * i);

        if (type > 7 || type == 2 || type == 3)
            return false;
    }
    return true;
}

/* EFER and PAT are part of the VMCB. EFER's SVME bit must be set in a guest: the guest sees and sets the rest. */
static bool read_own_msr(struct vcpu *v, uint32_t msr, uint64_t *value)
{
    if (is_svm_register(msr))
        return false;
    if (apic_has_msr(msr))
        return apic_read_msr(msr, value);
    if (msr == MSR_EFER)
        *value = v->vmcb.efer & ~EFER_SVME;
    else if (msr == MSR_PAT)
        *value = v->vmcb.g_pat;
    else
        return native_rdmsr(msr, value) == 0;
    return true;
}

static bool write_own_msr(struct vcpu *v, uint32_t msr, uint64_t value)
{
    if (is_svm_register(msr))
        return false;
    if (apic_has_msr(msr))
        return apic_write_msr(v, msr, value);
    if (msr == MSR_PAT) {
        if (!pat_is_valid(value))
            return false;
        v->vmcb.g_pat = value;
        return true;
    }
    if (msr != MSR_EFER)
        return native_wrmsr(msr, value) == 0;
    if (value & ~EFER_GUEST)
        return false;
    v->vmcb.efer = (value & ~EFER_LMA) | (v->vmcb.efer & EFER_LMA) | EFER_SVME;
    return true;
}

static void msr_faults(struct vcpu *v)
{
    functions_faulted(v);
    inject_with_code(v, VECTOR_GP, 0);
}

static void emulate_rdmsr(struct vcpu *v)
{
    volatile struct channel_slot *s = v->slot;
    uint32_t msr = (uint32_t)v->regs[RCX], answer;
    uint64_t value = 0;
    bool fine = true;

    functions_left(v, FUNCTION_RDMSR);
    s->number = msr;
    s->value = 0;
    s->address = v->vmcb.rip;
    answer = channel_ring(s, CHANNEL_RDMSR);
    if (answer == CHANNEL_DONE)
        value = s->value;
    else
        fine = answer == CHANNEL_NOT_MINE && read_own_msr(v, msr, &value);
    if (!fine) {
        msr_faults(v);
        return;
    }
    v->vmcb.rax = (uint32_t)value;
    v->regs[RDX] = value >> 32;
    guest_skip(v, 0x32);
}

static void emulate_wrmsr(struct vcpu *v)
{
    volatile struct channel_slot *s = v->slot;
    uint32_t msr = (uint32_t)v->regs[RCX], answer;
    uint64_t value = (uint64_t)(uint32_t)v->regs[RDX] << 32 | (uint32_t)v->vmcb.rax;

    functions_left(v, FUNCTION_WRMSR);
    s->number = msr;
    s->value = value;
    s->address = v->vmcb.rip;
    answer = channel_ring(s, CHANNEL_WRMSR);
    if (answer == CHANNEL_DONE || (answer == CHANNEL_NOT_MINE && write_own_msr(v, msr, value)))
        guest_skip(v, 0x30);
    else
        msr_faults(v);
}

/* RDTSC is 0F 31; RDTSCP, 0F 01 F9, has IA32_TSC_AUX in ECX. */
static void emulate_rdtsc(struct vcpu *v)
{
    uint64_t aux = 0;

    functions_left(v, FUNCTION_RDTSC);
    channel_ring(v->slot, CHANNEL_RDTSC);
    v->pmi = v->pmi || v->slot->number;
    v->vmcb.rax = (uint32_t)v->slot->value;
    v->regs[RDX] = v->slot->value >> 32;
    if (guest_try_skip(v, 0x31))
        return;
    guest_skip(v, 0x01);
    guest_advance(v, 1);
    native_rdmsr(MSR_TSC_AUX, &aux);
    v->regs[RCX] = (uint32_t)aux;
}

/* 0F 33. The underlying processor has seen to CR4.PCE before it left the guest. */
static void emulate_rdpmc(struct vcpu *v)
{
    v->slot->number = (uint32_t)v->regs[RCX];
    if (channel_ring(v->slot, CHANNEL_RDPMC) != CHANNEL_DONE) {
        inject_with_code(v, VECTOR_GP, 0);
        return;
    }
    v->vmcb.rax = (uint32_t)v->slot->value;
    v->regs[RDX] = v->slot->value >> 32;
    guest_skip(v, 0x33);
}

/* INVD drops what WBINVD writes back; the model has no data to lose, and both empty the cache. */
static void emulate_wbinvd(struct vcpu *v, uint8_t opcode)
{
    channel_ring(v->slot, CHANNEL_WBINVD);
    guest_skip(v, opcode);
}

static bool takes_interrupts(const struct vcpu *v)
{
    return !v->vmcb.eventinj && (v->vmcb.rflags & RFLAGS_IF) && !(v->vmcb.interrupt_shadow & 1);
}

/* TCG's local APIC has the LVT performance counter register, but nobody who delivers by it. The guest's end of interrupt
 * finds none in service there, and does nothing. */
static void deliver_pmi(struct vcpu *v)
{
    int32_t vector;

    if (!v->pmi || !takes_interrupts(v))
        return;
    vector = apic_take_pmi(v->vmcb.v_intr & VMCB_V_INTR_MASKING ? (int32_t)(v->vmcb.v_intr & 0xF) : -1);
    if (vector > 0)
        v->vmcb.eventinj = (uint32_t)vector | EVENTINJ_INTERRUPT | EVENTINJ_V;
    v->pmi = vector < 0;
}

#define DISK_TICKS 500u /* a disk that has not answered after as many: firmware's time-outs need the timer */

/* Firmware's timer interrupt, where one is due and the guest takes it: at the first exit then. */
static void tick(struct vcpu *v)
{
    uint64_t now = v->slot->tsc;

    if (v->disk.waits && now - v->disk.since < DISK_TICKS * v->tick.period)
        return;
    if (!v->tick.vector || now < v->tick.next || !takes_interrupts(v))
        return;
    v->vmcb.eventinj = v->tick.vector | EVENTINJ_INTERRUPT | EVENTINJ_V;
    v->tick.next = now + v->tick.period;
}

#define STILL_INTERRUPTS 100u

/* QEMU's timer: its interrupts come in the host's time, so they end here and the guest knows nothing of them. They are the
 * only exits of firmware that waits in a loop without any, as StartupAllAPs may: where its own tick is later than the one
 * after it should be, it gets it now. On the only processor that runs, firmware's loop takes no time: it gets its tick
 * where it has come to nothing else for long. */
static void interrupted(struct vcpu *v)
{
    host_interrupt();
    apic_end_interrupt();
    v->slot->address = v->vmcb.rip;
    channel_ring(v->slot, CHANNEL_LATE);
    if (!v->slot->tsc)
        v->tick.still = 0;
    if (v->slot->tsc && v->slot->value && ++v->tick.still > STILL_INTERRUPTS)
        v->tick.next = v->slot->tsc;
    else if (v->slot->value || v->slot->tsc < v->tick.next + v->tick.period)
        v->slot->tsc = 0;
}

/* Until the next one. With interrupts off it is for good, or for an NMI: that the guest does itself. */
static void halt(struct vcpu *v)
{
    if (!(v->vmcb.rflags & RFLAGS_IF)) {
        v->vmcb.intercept_1 &= ~VMCB_I1_HLT;
        v->vmcb.v_intr &= ~VMCB_V_INTR_MASKING;
        return;
    }
    v->slot->value = v->tick.next;
    channel_ring(v->slot, CHANNEL_HALT);
    guest_advance(v, 1);
}

static void disk_begins(struct vcpu *v)
{
    channel_ring(v->slot, CHANNEL_DEVICE_BEGIN);
    v->disk.waits = true;
    v->disk.since = v->slot->tsc;
}

static void disk_ends(struct vcpu *v)
{
    v->disk.waits = false;
    v->slot->value = v->regs[RDI];
    channel_ring(v->slot, CHANNEL_DEVICE_END);
}

#define VMMCALL_BYTES 3u

/* One of those in enter.S. Returns 1 to leave the guest. */
static int vmmcall(struct vcpu *v)
{
    uint64_t at = v->vmcb.rip;

    if (at == (uint64_t)vcpu_leave_guest) {
        v->guest_gdt = (struct pseudo_descriptor){ (uint16_t)v->vmcb.gdtr.limit, v->vmcb.gdtr.base };
        v->guest_idt = (struct pseudo_descriptor){ (uint16_t)v->vmcb.idtr.limit, v->vmcb.idtr.base };
        return 1;
    }
    if (at == (uint64_t)vcpu_device_begins) {
        disk_begins(v);
        guest_advance(v, VMMCALL_BYTES);
    } else if (at == (uint64_t)vcpu_device_ends) {
        disk_ends(v);
        guest_advance(v, VMMCALL_BYTES);
    } else {
        inject(v, VECTOR_UD);
    }
    return 0;
}

static bool is_contributory(uint32_t vector)
{
    return vector == VECTOR_DE || (vector >= VECTOR_TS && vector <= VECTOR_GP);
}

/* Whether a fault while this event is delivered is a double fault. SDM vol. 3A 6.15, "Interrupt 8", table 6-5. */
static bool is_double(uint64_t event, uint32_t vector)
{
    uint32_t first = (uint32_t)event & 0xFF;

    if (!(event & EVENTINJ_V) || (event & EVENTINJ_TYPE) != EVENTINJ_EXCEPTION)
        return false;
    if (first == VECTOR_DF)
        panic("a triple fault of the guest, the first and the last vector:", first, vector);
    return first == VECTOR_PF || (is_contributory(first) && is_contributory(vector));
}

/* The guest's own fault: of an instruction, which may be of a function that was replaced, or of the delivery of an event, which QEMU
 * cannot make a double fault where faults leave the guest. APM vol. 2 15.12.15 "#PF (Page Fault)": CR2 is not written then. */
static void guest_faulted(struct vcpu *v)
{
    uint32_t vector = v->vmcb.exitcode == VMEXIT_PF ? VECTOR_PF : VECTOR_GP;

    if (!(v->vmcb.exitintinfo & EVENTINJ_V))
        functions_faulted(v);
    if (vector == VECTOR_PF)
        v->vmcb.cr2 = v->vmcb.exitinfo2;
    if (is_double(v->vmcb.exitintinfo, vector))
        inject_with_code(v, VECTOR_DF, 0);
    else
        inject_with_code(v, vector, v->vmcb.exitinfo1);
}

/* Returns 0 to continue in the guest, 1 to leave it. */
static int handle(struct vcpu *v)
{
    v->vmcb.eventinj = v->vmcb.exitintinfo & EVENTINJ_V ? v->vmcb.exitintinfo : 0; /* an event on its way is not lost */
    v->vmcb.tlb_control = 0; /* flushed at the first VMRUN; the tables do not change after that */
    switch (v->vmcb.exitcode) {
    case VMEXIT_CPUID:
        emulate_cpuid(v);
        return 0;
    case VMEXIT_UD:
        if (!flush_trap(v))
            inject(v, VECTOR_UD);
        return 0;
    case VMEXIT_GP:
    case VMEXIT_PF:
        guest_faulted(v);
        return 0;
    case VMEXIT_HLT:
        halt(v);
        return 0;
    case VMEXIT_INTR:
        interrupted(v);
        return 0;
    case VMEXIT_RDTSC:
    case VMEXIT_RDTSCP:
        emulate_rdtsc(v);
        return 0;
    case VMEXIT_RDPMC:
        emulate_rdpmc(v);
        return 0;
    case VMEXIT_MSR:
        if (v->vmcb.exitinfo1 & 1)
            emulate_wrmsr(v);
        else
            emulate_rdmsr(v);
        return 0;
    case VMEXIT_WBINVD:
        emulate_wbinvd(v, 0x09);
        return 0;
    case VMEXIT_INVD:
        emulate_wbinvd(v, 0x08);
        return 0;
    case VMEXIT_VMMCALL:
        return vmmcall(v);
    case VMEXIT_VMRUN:
    case VMEXIT_VMLOAD:
    case VMEXIT_VMSAVE:
    case VMEXIT_STGI:
    case VMEXIT_CLGI:
    case VMEXIT_SKINIT:
    case VMEXIT_INVLPGA:
        inject(v, VECTOR_UD);
        return 0;
    case VMEXIT_NPF:
        trap_memory(v);
        return 0;
    case VMEXIT_IOIO:
        trap_port(v);
        return 0;
    default:
        panic("the guest left for an unknown reason, EXITCODE and RIP:", v->vmcb.exitcode, v->vmcb.rip);
    }
}

/* Called with the guest's state in v. Returns what handle() does. */
int vcpu_exit(struct vcpu *v)
{
    int leave;

    vcpu_own_ticks(v);
    if (v->vmcb.exitcode != VMEXIT_INTR)
        v->tick.still = 0;
    leave = handle(v);
    deliver_pmi(v);
    tick(v);
    v->slot->due = v->tick.vector ? v->tick.next : UINT64_MAX;
    return leave;
}
