/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/cpu/insn.h: the instructions that C has no word for, one function each (insn.S).
 *
 * A function that returns enum status is guarded: the address of its one faulting instruction stands in a table, and
 * the exception vectors (efi/processors/vectors.c) resume it at its own end with a status: ST_FAULT for #GP, #SS and #AC,
 * ST_PAGE_FAULT for #PF, ST_UNSUPPORTED for #UD. Outputs are written on ST_OK only. That holds only on a processor that
 * has those vectors loaded; without them firmware's own handler ends the run.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "core/platform/platform.h"

/* SDM vol. 2: RDMSR, WRMSR. */
MUST_CHECK enum status insn_rdmsr(uint32_t msr, uint64_t *value);
MUST_CHECK enum status insn_wrmsr(uint32_t msr, uint64_t value);
/* Extended control register `index`; ST_UNSUPPORTED while CR4.OSXSAVE is clear. SDM vol. 2: XGETBV. */
MUST_CHECK enum status insn_xgetbv(uint32_t index, uint64_t *value);
/* One access of exactly this width. address must be naturally aligned. */
MUST_CHECK enum status insn_read8(uint64_t address, uint64_t *value);
MUST_CHECK enum status insn_read16(uint64_t address, uint64_t *value);
MUST_CHECK enum status insn_read32(uint64_t address, uint64_t *value);
MUST_CHECK enum status insn_read64(uint64_t address, uint64_t *value);
MUST_CHECK enum status insn_write8(uint64_t address, uint64_t value);
MUST_CHECK enum status insn_write16(uint64_t address, uint64_t value);
MUST_CHECK enum status insn_write32(uint64_t address, uint64_t value);
MUST_CHECK enum status insn_write64(uint64_t address, uint64_t value);
/* Copy bytes upwards. On ST_PAGE_FAULT a part may have been copied. */
MUST_CHECK enum status insn_copy(void *to, uint64_t from, size_t bytes);

void insn_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs);
uint64_t insn_rdtsc(void); /* after an LFENCE: not before what stands before it */
void insn_pause(void);
/* Waits for so many ticks of the TSC. */
static inline void insn_spin(uint64_t ticks)
{
    uint64_t begin;

    if (ticks == 0)
        return;
    begin = insn_rdtsc();
    while (insn_rdtsc() - begin < ticks)
        insn_pause();
}
void insn_wbinvd(void);
void insn_mfence(void);
void insn_halt_forever(void) __attribute__((noreturn)); /* CLI; HLT: only INIT, SMI and NMI get through */

uint64_t insn_read_cr0(void);
uint64_t insn_read_cr2(void);
uint64_t insn_read_cr3(void);
uint64_t insn_read_cr4(void);
uint64_t insn_read_cr8(void); /* task priority: bits 3:0 are bits 7:4 of the local APIC's TPR */
void insn_write_cr8(uint64_t value);
void insn_write_cr0(uint64_t value);
void insn_write_cr3(uint64_t value); /* also drops what the processor remembers of the page tables */
uint16_t insn_read_cs(void);
uint16_t insn_read_ss(void);

struct insn_table_register { /* what SIDT, SGDT, LIDT take: SDM vol. 3A 2.4 "Memory-Management Registers" */
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));
_Static_assert(sizeof(struct insn_table_register) == 10, "10 bytes in 64-bit mode");

void insn_sidt(struct insn_table_register *idtr);
void insn_lidt(const struct insn_table_register *idtr);
void insn_sgdt(struct insn_table_register *gdtr);

/* RFLAGS with interrupts off afterwards; and back. */
uint64_t insn_interrupts_off(void);
void insn_interrupts_restore(uint64_t rflags);
void insn_interrupts_on(void);

uint8_t port_read8(uint16_t port);
uint16_t port_read16(uint16_t port);
uint32_t port_read32(uint16_t port);
void port_write8(uint16_t port, uint8_t value);
void port_write16(uint16_t port, uint16_t value);
void port_write32(uint16_t port, uint32_t value);

/* For the exception vectors: offsets of the guarded instructions, each relative to its own place in the table, and the
 * place where all of them resume, with the status in EAX. */
extern const int32_t insn_guards[], insn_guards_end[];
extern const unsigned char insn_resume[];
