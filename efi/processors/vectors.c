/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/processors/vectors.h"

#include <string.h>

#include "arch/x86/cpu/machine_check.h"
#include "core/base/bits.h"
#include "core/base/text.h"

enum { VECTOR_NMI = 2, VECTOR_UD = 6, VECTOR_SS = 12, VECTOR_GP = 13, VECTOR_PF = 14, VECTOR_AC = 17, VECTOR_MC = 18 };

#define IDT_INTERRUPT_GATE 0x8Eu /* present, DPL 0, type 14: interrupts off on entry */

extern const int32_t vector_entries[VECTORS_OWN];
extern const unsigned char catch_resume[], worker_awake[];
uint64_t catch_call(struct catcher *c, void (*function)(void *), void *argument);
void catch_jump(struct catcher *c, uint64_t status) __attribute__((noreturn));
/* Called by efi/processors/vectors.S. Returns 0: resume as the frame says; else the address of firmware's handler. */
uint64_t vectors_dispatch(struct trap_frame *f, struct vectors *v);

static uint64_t relative(const int32_t *entry)
{
    return (uint64_t)(uintptr_t)entry + (uint64_t)(int64_t)*entry;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static void gate_hook(struct idt_gate *g, uint64_t handler, uint16_t cs)
{
    if (!(g->type & 0x80u)) /* firmware has none here */
        g->ist = 0;
    g->selector = cs;
    g->type = IDT_INTERRUPT_GATE;
    g->offset_low = (uint16_t)handler;
    g->offset_middle = (uint16_t)(handler >> 16);
    g->offset_high = (uint32_t)(handler >> 32);
}

void vectors_install(struct vectors *v, bool keep_ist)
{
    uint16_t cs = insn_read_cs();
    size_t bytes;

    insn_sidt(&v->found);
    bytes = (size_t)v->found.limit + 1;
    if (bytes > sizeof v->idt)
        bytes = sizeof v->idt;
    memcpy(v->idt, (const void *)(uintptr_t)v->found.base, bytes);
    for (uint32_t i = 0; i < 256 && !keep_ist; i++)
        v->idt[i].ist = 0;
    for (uint32_t i = 0; i < VECTORS_OWN; i++)
        gate_hook(&v->idt[i], relative(&vector_entries[i]), cs);
    v->own.base = (uint64_t)(uintptr_t)v->idt;
    v->own.limit = sizeof v->idt - 1;
    insn_lidt(&v->own);
}

void vectors_hook(struct vectors *v, uint32_t vector, const unsigned char *entry, struct idt_gate *found)
{
    *found = v->idt[vector];
    gate_hook(&v->idt[vector], (uint64_t)(uintptr_t)entry, insn_read_cs());
}

void vectors_unhook(struct vectors *v, uint32_t vector, const struct idt_gate *found)
{
    v->idt[vector] = *found;
}

void vectors_remove(struct vectors *v)
{
    struct insn_table_register now;

    if (v->own.base == 0)
        return;
    insn_sidt(&now);
    if (now.base == v->own.base) /* not where something else was loaded over it: that is for the certificate to show */
        insn_lidt(&v->found);
    insn_sidt(&v->left);
    v->own.base = 0;
}

/* --- an exception ------------------------------------------------------------------------------------------------- */

static enum status status_of_vector(uint64_t vector)
{
    switch (vector) {
    case VECTOR_GP:
    case VECTOR_SS:
    case VECTOR_AC:
        return ST_FAULT;
    case VECTOR_PF:
        return ST_PAGE_FAULT;
    case VECTOR_UD:
        return ST_UNSUPPORTED;
    default:
        return ST_OK; /* none that an access may raise */
    }
}

static bool is_guarded(uint64_t rip)
{
    for (const int32_t *g = insn_guards; g < insn_guards_end; g++)
        if (relative(g) == rip)
            return true;
    return false;
}

/* Whether the code that a bank's error interrupted can continue. A load of a line that is lost would meet the same error
 * again, for ever: UC with EIPV (SDM vol. 3B 15.6.3 "UCR Error Classification", SRAR; Linux mce/severity.c: in the kernel
 * that is the end on Intel and AMD). A bank that was not enabled signalled nothing. */
static bool can_continue(uint64_t mcg, uint64_t status)
{
    return !(status & IA32_MC_STATUS_EN) ||
           !(status & IA32_MC_STATUS_PCC || (status & IA32_MC_STATUS_UC && mcg & IA32_MCG_STATUS_EIPV));
}

/* Whether the interrupted code can continue. */
static bool machine_check(struct vectors *v)
{
    uint64_t cap = 0, mcg = 0, status, address;
    bool can = true, found = false;

    v->machine_checks++;
    v->machine_check_tsc = insn_rdtsc();
    if (insn_rdmsr(IA32_MCG_STATUS, &mcg) != ST_OK || insn_rdmsr(IA32_MCG_CAP, &cap) != ST_OK)
        return false;
    for (uint32_t bank = 0; bank < field_get(IA32_MCG_CAP_Count, cap); bank++) {
        if (insn_rdmsr(IA32_MC_STATUS(bank), &status) != ST_OK || !(status & IA32_MC_STATUS_VAL))
            continue;
        can = can && can_continue(mcg, status);
        if (found && (v->bank_status & IA32_MC_STATUS_EN || !(status & IA32_MC_STATUS_EN)))
            continue; /* what signalled goes before what did not */
        found = true;
        address = 0;
        if (!(status & IA32_MC_STATUS_ADDRV) || insn_rdmsr(IA32_MC_ADDR(bank), &address) != ST_OK)
            address = 0;
        v->bank = bank;
        v->bank_address = address;
        v->mcg_status = mcg;
        v->bank_status = status;
    }
    can = can && (mcg & IA32_MCG_STATUS_RIPV);
    /* A second machine check while MCIP is set shuts the processor down. The banks stay for firmware or the system to log. */
    return insn_wrmsr(IA32_MCG_STATUS, 0) == ST_OK && can;
}

static void resume_catcher(struct trap_frame *f, struct catcher *c, enum status st)
{
    f->rip = (uint64_t)(uintptr_t)catch_resume;
    f->rsp = c->rsp;
    f->rflags = c->rflags;
    f->rax = st;
    c->armed = 0;
}

static uint64_t firmware_handler(const struct vectors *v, uint64_t vector)
{
    const struct idt_gate *g = (const struct idt_gate *)(uintptr_t)v->found.base + vector;

    if ((vector + 1) * sizeof *g > (uint64_t)v->found.limit + 1 || !(g->type & 0x80u))
        return 0;
    return (uint64_t)g->offset_high << 32 | (uint64_t)g->offset_middle << 16 | g->offset_low;
}

uint64_t vectors_dispatch(struct trap_frame *f, struct vectors *v)
{
    enum status st = status_of_vector(f->vector);
    uint64_t handler;

    if (f->vector >= VECTOR_PMI) {
        v->pmi.interrupt(v, f->vector);
        return 0;
    }
    if (f->vector == VECTOR_NMI) {
        v->nmis++;
        if (f->rip >= (uint64_t)(uintptr_t)worker_sleep && f->rip < (uint64_t)(uintptr_t)worker_awake)
            f->rip = (uint64_t)(uintptr_t)worker_awake;
        return 0;
    }
    if (f->vector == VECTOR_MC && machine_check(v))
        return 0;
    if (st != ST_OK && is_guarded(f->rip)) {
        v->faults++;
        v->fault_vector = f->vector;
        v->fault_error = f->error;
        v->fault_rip = f->rip;
        f->rip = (uint64_t)(uintptr_t)insn_resume;
        f->rax = st;
        return 0;
    }
    if (st != ST_OK && v->work.armed) {
        resume_catcher(f, &v->work, st);
        return 0;
    }
    if (v->base.armed && !v->crashed) {
        v->frame = *f;
        v->cr2 = insn_read_cr2();
        v->work.armed = 0;
        __atomic_store_n(&v->crashed, 1, __ATOMIC_RELEASE);
        resume_catcher(f, &v->base, ST_FAULT);
        return 0;
    }
    handler = firmware_handler(v, f->vector);
    if (handler == 0)
        insn_halt_forever();
    return handler;
}

enum status catch_work(struct vectors *v, void (*function)(void *), void *argument)
{
    return (enum status)catch_call(&v->work, function, argument);
}

enum status catch_base(struct vectors *v, void (*function)(void *), void *argument)
{
    return (enum status)catch_call(&v->base, function, argument);
}

void catch_leave(struct vectors *v)
{
    if (v->base.armed)
        catch_jump(&v->base, ST_TIMEOUT);
}

/* --- for people --------------------------------------------------------------------------------------------------- */

static const char *const vector_names[VECTORS_OWN] = {
    "#DE divide error",
    "#DB debug",
    "NMI",
    "#BP breakpoint",
    "#OF overflow",
    "#BR bound range",
    "#UD invalid opcode",
    "#NM no FPU",
    "#DF double fault",
    "vector 9",
    "#TS invalid TSS",
    "#NP segment not present",
    "#SS stack fault",
    "#GP general protection",
    "#PF page fault",
    "vector 15",
    "#MF x87 error",
    "#AC alignment",
    "#MC machine check",
    "#XM SIMD error",
    "#VE virtualization",
    "#CP control protection",
    [28] = "#HV hypervisor injection",
    [29] = "#VC VMM communication",
    [30] = "#SX security",
};

void vectors_describe(const struct vectors *v, char *out, size_t size)
{
    const struct trap_frame *f = &v->frame;
    const char *name = f->vector < VECTORS_OWN && vector_names[f->vector] ? vector_names[f->vector] : "vector";

    text_format(out, size,
                "%s (%u) at 0x%lx, error 0x%lx, CR2 0x%lx\n"
                "  RSP %016lx RFLAGS %08lx CS %04lx SS %04lx\n"
                "  RAX %016lx RBX %016lx RCX %016lx\n"
                "  RDX %016lx RSI %016lx RDI %016lx\n"
                "  RBP %016lx R8  %016lx R9  %016lx\n"
                "  R10 %016lx R11 %016lx R12 %016lx",
                name, (unsigned)f->vector, f->rip, f->error, v->cr2, f->rsp, f->rflags, f->cs, f->ss, f->rax, f->rbx,
                f->rcx, f->rdx, f->rsi, f->rdi, f->rbp, f->r8, f->r9, f->r10, f->r11, f->r12);
}
