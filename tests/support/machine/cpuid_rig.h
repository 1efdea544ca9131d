/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/machine/cpuid_rig.h: processors that answer CPUID and RDMSR by a list of rows, and memory for firmware's tables:
 * what machine_enumerate() asks. Two packages of two cores with two threads, Broadwell-EP, until a test sets more. */
#pragma once
#include "tests/support/machine/memory.h"

#define RIG_CPUS 8u
#define RIG_ROWS 160u

struct rig_row {
    uint32_t cpu; /* RIG_CPUS: every processor */
    uint32_t leaf, subleaf;
    struct cpuid_regs regs;
};

struct rig_msr_value {
    uint32_t cpu, number;
    uint64_t value;
};

struct rig {
    struct memory memory; /* first: its platform is the rig's */
    struct cpu_slot slots[RIG_CPUS];
    struct rig_row rows[RIG_ROWS];
    uint32_t n_rows;
    struct rig_msr_value msrs[32];
    uint32_t n_msrs;
    bool hangs[RIG_CPUS];
    uint32_t wrmsrs, runs, widest_run;
    struct blob rsdp, xsdt, srat, entry, table;
};

/* memory_read()'s machine is the rig. */
_Static_assert(offsetof(struct rig, memory) == 0, "the rig is its memory");

/* One at a time. */
struct rig *rig_new(void);
/* cpu RIG_CPUS: every processor. The last row set wins; a leaf that no row sets reads zeros, as within the maximum. */
void rig_cpuid(struct rig *r, uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx, uint32_t ecx,
               uint32_t edx);
/* An MSR that is not set raises #GP. */
void rig_msr(struct rig *r, uint32_t cpu, uint32_t number, uint64_t value);
/* What the processor does with one step. */
void rig_step(struct rig *r, uint32_t cpu, struct step *s);
/* Firmware's tables: an SRAT to which entries are put, then RSDP, XSDT and SRAT in memory. */
void rig_srat(struct rig *r);
void rig_map_tables(struct rig *r);
