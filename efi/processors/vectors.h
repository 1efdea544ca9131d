/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors/vectors.h: Assay's own exception vectors, one table a processor.
 *
 * A copy of the gates that firmware gave this processor (interrupts keep working through them) with vectors 0 to 31
 * replaced. The table is the first member of struct vectors, so a handler finds its processor's record with SIDT: no
 * segment base, no CPUID, no lookup that could itself go wrong.
 *
 * What happens on an exception, in this order:
 *   - NMI is counted, and the interrupted code continues; a processor in worker_sleep() wakes up.
 *   - #MC: the first bank that holds something is noted, IA32_MCG_STATUS is cleared; it continues where the processor
 *     says that it can (RIPV, and no PCC), else as below.
 *   - an interrupt of a gate that efi/processors/pmi.c took is counted there, and the interrupted code continues.
 *   - a guarded instruction (arch/x86/cpu/insn.h) resumes with a status.
 *   - #GP, #PF and the like inside catch_work() end that call with a status.
 *   - anything else is unexpected: the frame is saved, `crashed` set, and catch_base() ends with a status: the worker
 *     parks, or the run on the boot processor ends.
 *   - where none of that is armed, or something crashes again: firmware's own handler, as if we were not there.
 * Source: SDM vol. 3A chapter 6 "Interrupt and Exception Handling", vol. 3B chapter 15 "Machine-Check Architecture".
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "arch/x86/cpu/insn.h"
#include "efi/processors/apic.h"

#define VECTORS_OWN 32u

/* As trap_frame.vector has them, whatever gate they came by. */
#define VECTOR_PMI      256u
#define VECTOR_SPURIOUS 257u

struct idt_gate { /* SDM vol. 3A figure 6-8, "64-Bit IDT Gate Descriptors" */
    uint16_t offset_low;
    uint16_t selector;
    uint8_t ist; /* bits 2:0; kept as firmware has it */
    uint8_t type;
    uint16_t offset_middle;
    uint32_t offset_high;
    uint32_t reserved;
};
_Static_assert(sizeof(struct idt_gate) == 16, "a gate has 16 bytes in 64-bit mode");

struct trap_frame { /* as efi/processors/vectors.S pushes it, and the processor before it */
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector, error;
    uint64_t rip, cs, rflags, rsp, ss;
};
_Static_assert(offsetof(struct trap_frame, vector) == 15 * 8, "vectors.S counts on it");
_Static_assert(offsetof(struct trap_frame, rip) == 17 * 8, "vectors.S counts on it");

struct catcher { /* where to resume; efi/processors/vectors.S fills it */
    uint64_t rsp;
    uint64_t rflags;
    uint64_t armed;
};

struct vectors;

struct pmi {                                               /* efi/processors/pmi.c's; all zero: no PMI_OPEN yet */
    void (*interrupt)(struct vectors *v, uint64_t vector); /* VECTOR_PMI or VECTOR_SPURIOUS came in */
    struct apic_registers apic;
    bool open, used, sent; /* sent: an IPI, by an xAPIC: icr_found, icr_left are its destination */
    struct pmi_count count;
    uint32_t lvt_found, lvt_left, svr_found, svr_left, icr_found, icr_left;
    uint32_t spurious_vector;
    struct idt_gate gate, spurious_gate; /* as found */
};

struct vectors {
    struct idt_gate idt[256];
    struct insn_table_register found, own; /* IDTR before, and while we are here                        */
    struct insn_table_register left;       /* IDTR read after it was put back                           */
    struct catcher work, base;
    /* Written by the handlers on this processor, read by the boot processor. */
    uint32_t crashed;        /* an unexpected exception: frame and cr2 hold it                          */
    uint32_t nmis;           /* counted                                                                 */
    uint32_t machine_checks; /* counted                                                                 */
    uint32_t faults;         /* guarded instructions that faulted                                       */
    uint32_t bank;           /* of the latest machine check: its first valid bank                       */
    uint64_t bank_status, bank_address, mcg_status, machine_check_tsc;
    uint64_t fault_vector, fault_error, fault_rip; /* the last guarded fault                           */
    uint64_t cr2;
    struct trap_frame frame;
    struct pmi pmi;
};
_Static_assert(offsetof(struct vectors, idt) == 0, "SIDT finds the record");

/* On this processor: copy firmware's table into v, hook 0 to 31, load it. v must be zeroed, writable and outlive the
 * processor's use of it. keep_ist: keep the gates' stack switches; false where no TSS is loaded (own INIT-SIPI). */
void vectors_install(struct vectors *v, bool keep_ist);
/* On this processor: load what was found, and read it again into v->left. Does nothing if v is not installed. */
void vectors_remove(struct vectors *v);

/* On this processor, whose table v is loaded, interrupts off: its gate `vector` leads to an entry of vectors.S, and is what
 * was there again. */
void vectors_hook(struct vectors *v, uint32_t vector, const unsigned char *entry, struct idt_gate *found);
void vectors_unhook(struct vectors *v, uint32_t vector, const struct idt_gate *found);

/* Sleep until *posted is no longer `seen`, or an NMI came: HLT with interrupts off, or with a hint MWAIT on *posted
 * (CPUID.01H:ECX[3]). May return early. No NMI is missed: one that falls between the look at *posted and the HLT or
 * MWAIT leaves the function too. Source: SDM vol. 2B MONITOR, MWAIT. */
#define WORKER_HLT UINT32_MAX
void worker_sleep(const uint64_t *posted, uint64_t seen, uint32_t mwait_hint);

/* Call function(argument) on this processor, whose record is v. ST_OK: it returned. ST_FAULT, ST_PAGE_FAULT,
 * ST_UNSUPPORTED (#UD): it was interrupted by an exception, callee-saved registers, stack and RFLAGS are as before. */
MUST_CHECK enum status catch_work(struct vectors *v, void (*function)(void *), void *argument);
/* The same for any unexpected exception: v->crashed is then 1 and v->frame holds it. Returns ST_FAULT. */
MUST_CHECK enum status catch_base(struct vectors *v, void (*function)(void *), void *argument);
/* Leave the innermost catch_base() of this record from within it, as if an exception had ended it; without one it
 * returns. For a wait in firmware that never ends. */
void catch_leave(struct vectors *v);

/* "#UD invalid opcode at 0x...: error, cr2, registers", on several lines of at most 80 columns. */
void vectors_describe(const struct vectors *v, char *out, size_t size);
