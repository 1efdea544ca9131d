/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/machine/fake_platform.h: a machine of arrays, for tests of the code just above the hardware.
 *
 * A few processors with a few MSRs each, some PCI and MMIO registers, a clock that moves with each look. Every access
 * is written down in order, so that a test can ask what happened before what.
 */
#pragma once
#include "core/platform/platform.h"

#define FAKE_CPUS  8u
#define FAKE_ROWS  160u
#define FAKE_MSRS  40u
#define FAKE_CELLS 64u
#define FAKE_LOG   256u

struct fake_msr {
    uint32_t number;
    uint64_t value[FAKE_CPUS];
    bool absent[FAKE_CPUS]; /* reads and writes raise #GP                                    */
    bool write_faults;      /* writes raise #GP                                              */
    bool sticks;            /* writes are accepted and change nothing                        */
    bool shared;            /* a write on one processor is a write on all                    */
    uint64_t reserved;      /* setting one of these bits raises #GP                          */
};

struct fake_cell { /* a PCI or MMIO register */
    bool pci;
    uint64_t address; /* PCI: bus<<20 | device<<15 | function<<12 | offset */
    uint64_t value;
};

struct fake_leaf {
    uint32_t cpu; /* FAKE_CPUS: every processor */
    uint32_t leaf, subleaf;
    struct cpuid_regs regs;
};

struct fake_access {
    char kind; /* 'r' RDMSR, 'w' WRMSR, 'c' CPUID, 'p' PCI write, 'm' MMIO write */
    uint32_t cpu;
    uint64_t reg, value;
};

struct memory; /* tests/support/machine/memory.h */

struct fake {
    struct platform platform;
    struct cpu_slot slots[FAKE_CPUS];
    struct fake_msr msrs[FAKE_MSRS];
    uint32_t n_msrs;
    struct fake_leaf leaves[FAKE_ROWS];
    uint32_t n_leaves; /* 0: each answers with leaf, subleaf, processor and 0 */
    struct fake_cell cells[FAKE_CELLS];
    uint32_t n_cells;
    struct fake_access log[FAKE_LOG];
    uint32_t n_log;
    struct memory *memory; /* physical, for firmware's tables; NULL: none */
    bool hangs[FAKE_CPUS]; /* the next run loses this processor */
    uint32_t widest_run;   /* processors */
    uint64_t tsc, tsc_step, utc_ns;
};

/* n_cpus started processors with APIC ids 0, 2, 4, ...; no MSR; 1 GHz; the clock stands at 2026-11-21T06:19:02Z. */
void fake_init(struct fake *f, uint32_t n_cpus);
/* The last row set wins; a leaf that no row sets reads zeros, as within the maximum. Leaves 1 and 0BH have the APIC id. */
void fake_cpuid(struct fake *f, uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx, uint32_t ecx,
                uint32_t edx);
/* What the processor does with one step. */
enum status fake_step(struct fake *f, uint32_t cpu, struct step *s);
/* Adds an MSR that holds `value` on every processor. */
struct fake_msr *fake_msr(struct fake *f, uint32_t number, uint64_t value);
struct fake_cell *fake_cell(struct fake *f, bool pci, uint64_t address, uint64_t value);
/* Place in the log of the nth access of that kind to that register, from 0; FAKE_LOG where there is none. */
uint32_t fake_find(const struct fake *f, char kind, uint64_t reg, uint32_t nth);

/* A machine of one package over the fake's processors, all of one L3 domain, that enumerates CMT and MBM: what the
 * engine and the report need. Give it back with fake_machine_free(). */
struct machine;
void fake_machine(struct fake *f, struct machine *m);
void fake_machine_free(struct machine *m);

/* A medium in memory. limit: bytes it takes before it is full; 0: no limit. */
struct fake_medium {
    char *text; /* NUL-terminated */
    size_t length, capacity, limit;
    uint32_t writes, flushes, refused;
    enum status fails_with; /* when it is full; ST_OK means ST_FULL */
};
struct sink;
struct sink fake_sink(struct fake_medium *m);
void fake_medium_free(struct fake_medium *m);
