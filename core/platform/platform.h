/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/platform/platform.h: the machine as an argument.
 *
 * struct platform is what hardware can do and nothing else. Three things implement it: metal (efi/boot/metal.c), the
 * silicon model (tests/silicon/) and recorded CPUID enumerations (tests/unit/replay.c). Code above cannot tell which
 * one it runs on. What decides something (retries, defaults, "is this a server part?") is policy and stays above.
 *
 * Processors are driven by scripts: a task is a list of steps for one processor, and platform_run() runs the tasks of
 * many processors at once. One RDMSR is a task of one step; a walk over every RMID on every processor is one call.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/search.h"
#include "core/base/status.h"

struct cpuid_regs {
    uint32_t eax, ebx, ecx, edx;
};

/* Traffic of known size. All addresses are physical (Assay runs identity-mapped) and 64-byte aligned.
 *
 * A line is 64 bytes. Per pass, over the `bytes` of the working set:
 *   READ      one load from every line in address order
 *   WRITE     a store to every line (write-allocate: the line is read for ownership, and written back later)
 *   RMW       a load and a store to every line
 *   NT_WRITE  four 16-byte non-temporal stores, that is, each line written whole, without reading it; SFENCE at the end
 *   COPY      a load from every line of base, a store to every line of dst
 *   CHASE     dependent loads in random order, each line once (needs CHASE_PREPARE on the same memory before)
 *   CHASE_PREPARE  writes the order that CHASE follows into the lines: one cycle through all of them, from `seed`
 *   FLUSH     two loads and a CLFLUSH of every line, page by page, so that what prefetchers bring goes too; MFENCE at the end
 *   CODE_PREPARE  writes NOPs into each line, to its end, so that the next line in address order follows; the last returns
 *   CODE      runs what CODE_PREPARE wrote, `passes` times: each line is fetched once a pass, and nothing is loaded or stored
 */
enum work_kind {
    WORK_READ,
    WORK_WRITE,
    WORK_RMW,
    WORK_NT_WRITE,
    WORK_COPY,
    WORK_CHASE_PREPARE,
    WORK_CHASE,
    WORK_FLUSH,
    WORK_CODE_PREPARE,
    WORK_CODE,
    WORK_KINDS
};

struct work {
    enum work_kind kind;
    uint32_t passes; /* 1 or more                                                  */
    uint64_t base;
    uint64_t bytes; /* working set, multiple of 64, at least 64                    */
    uint64_t dst;   /* COPY only: as large as base, not overlapping it             */
    uint64_t seed;  /* CHASE_PREPARE only                                          */
    /* Written by the platform that ran it. */
    uint64_t moved_bytes; /* bytes of cache lines that the loop must have asked for: lines x 64 x passes (COPY: both) */
    uint64_t touched_lines; /* distinct lines: bytes / 64 (COPY: both)                                               */
    uint64_t accesses;      /* loads and stores executed                                                             */
    uint64_t proof;         /* sum of what the loads returned, so that no compiler drops them                        */
    uint64_t tsc_begin, tsc_end;
};

/* Performance monitoring interrupts (PMI) by a handler of our own, on the processor that the steps run on.
 *
 *   PMI_OPEN    the local APIC's LVT performance counter register (offset 340H, x2APIC MSR 834H) gets a vector of ours with
 *               fixed delivery, its mask bit clear, and the vector a handler of ours. An APIC that software disabled is
 *               enabled. Interrupts of the processor stay as they are: where they are off, a PMI waits.
 *   PMI_LISTEN  interrupts are on for `value` TSC ticks, the whole of them, and as they were before after that. No other
 *               interrupt than ours is let in where the task priority can hold it back.
 *   PMI_CLOSE   what waits is taken, LVT, APIC and vector are again what PMI_OPEN found. To be run also where a step
 *               between failed; without a PMI_OPEN before it does nothing and is ST_ABSENT.
 *
 * The handler counts, notes whether the LVT's mask bit is set (delivery sets it: SDM vol. 3B "PMI mask bit", vol. 3A 10.5.1
 * "Local Vector Table"), ends the interrupt and clears the mask bit for the next, until PMI_MOST have come: then it stays
 * set, so that no storm keeps a processor. A PMI that comes while the mask bit is set is dropped, as hardware does.
 * PMI_OPEN is ST_UNSUPPORTED where there is no local APIC with such a register, or where its mask bit is found clear: then
 * it is in use, and nothing was changed. Steps between PMI_OPEN and PMI_CLOSE may belong to several runs, so that PCI and
 * memory-mapped registers can be written between them. */
#define PMI_MOST 16u

/* Interprocessor interrupts (IPI) of the same vector, from the processor that the step runs on to another.
 *
 *   IPI_SEND    `value` times, 1 .. IPI_MOST: a fixed, edge-triggered interrupt in physical destination mode to the one
 *               processor whose APIC id is `reg`, by the interrupt command register of the sender's local APIC (offsets 300H
 *               and 310H; x2APIC: MSR 830H), with interrupts of the sender off while it is written. Then it waits until the
 *               delivery status is idle (an xAPIC alone has one), a bounded number of reads, and `subleaf` TSC ticks more.
 *
 * The receiver has run a PMI_OPEN, in an earlier run or before a barrier of this one; it may be the sender. It takes
 * the interrupts while it listens, and counts them in pmi_count.interrupts: all of them, for the LVT's mask bit, and so
 * PMI_MOST, do not hold them back; they do not set that bit either, and add nothing to pmi_count.masked. An APIC keeps two of a
 * vector at most: those that come faster than the handler ends them merge (SDM vol. 3A 10.8.4), so that interrupts are at
 * most as many as messages.
 * Errors: ST_ABSENT: no processor of that APIC id has run a PMI_OPEN; ST_UNSUPPORTED: the sender has no local APIC, or
 * an xAPIC and the id has more than its eight bits (FFH is all processors); ST_RANGE: `value`: nothing was sent. ST_TIMEOUT:
 * the APIC did not become idle. The interrupt command register's destination (310H) is as it was; its lower half, and the
 * x2APIC's register, hold the last command, since to write them is to send. */
#define IPI_MOST 4096u

struct ipi_count {
    uint32_t sent; /* commands written, the last of which is the one that an ST_TIMEOUT is about */
};

struct pmi_count {       /* out of each of these steps */
    uint32_t interrupts; /* so far since PMI_OPEN                                                            */
    uint32_t masked;     /* of these, so many with the LVT's mask bit set when the handler looked            */
    uint32_t spurious;   /* interrupts with the APIC's spurious vector                                       */
    uint32_t lvt;        /* LVT: PMI_OPEN: as found; PMI_LISTEN: now; PMI_CLOSE: as read again after restoring */
};

enum step_op {
    STEP_CPUID,      /* reg = leaf, subleaf -> regs                                                 */
    STEP_RDMSR,      /* reg -> value                                                                */
    STEP_WRMSR,      /* reg, value                                                                  */
    STEP_WBINVD,     /* write back and invalidate this processor's caches and the shared one       */
    STEP_SPIN,       /* PAUSE for value TSC ticks, touching no memory of its own                    */
    STEP_MWAIT,      /* value = hint: until its next task it waits in MWAIT where it would in HLT.
                      * ST_UNSUPPORTED: it never sleeps, or has no MWAIT (CPUID.01H:ECX[3])          */
    STEP_WORK,       /* *work                                                                       */
    STEP_BARRIER,    /* wait until every task of this run that has a barrier of this rank is there  */
    STEP_PMI_OPEN,   /* -> pmi                                                                   */
    STEP_PMI_LISTEN, /* value -> pmi                                                             */
    STEP_PMI_CLOSE,  /* -> pmi                                                                   */
    STEP_IPI_SEND,   /* reg = APIC id of the receiver, value = how many, subleaf = ticks between -> ipi */
};

struct step {
    enum step_op op;
    enum status status; /* out: of this step                                               */
    bool must;          /* if this step fails, the rest of the task is ST_NOT_RUN          */
    bool untimed;       /* no RDTSC after this step: tsc is not written                     */
    uint32_t reg;
    uint32_t subleaf;
    uint64_t value;
    union {
        struct cpuid_regs regs;
        struct pmi_count pmi;
        struct ipi_count ipi;
    };
    struct work *work;
    uint64_t tsc; /* out: this processor's TSC when the step was done                   */
};

struct task {
    uint32_t cpu; /* our index, 0 .. n_cpus-1; at most one task for a processor in one run    */
    uint32_t n_steps;
    struct step *steps;
    enum status status; /* out: ST_OK: every step was tried. ST_TIMEOUT, ST_LOST: see `at`       */
    uint32_t at;        /* out: index of the step that was under way when the deadline passed    */
};

enum cpu_flags {
    CPU_BSP = 1u << 0,
    CPU_ENABLED = 1u << 1,
    CPU_HEALTHY = 1u << 2,
    CPU_STARTED = 1u << 3, /* takes tasks. Without it: listed, and left alone                    */
    CPU_LOST = 1u << 4,    /* missed a deadline: gets no more work                               */
};

struct cpu_slot {
    uint32_t apic_id; /* 32-bit x2APIC id                                                        */
    uint32_t flags;
    uint32_t first_rmid; /* added to the RMID of a load: of its sub-NUMA cluster (core/domain/cluster.h), else 0 */
};

#define PCI_COMMAND         0x04u /* PCI Local Bus Specification 3.0, 6.2.2 */
#define PCI_VENDOR_ID_INTEL 0x8086u

struct pci_address {
    uint16_t segment;
    uint8_t bus, device, function;
};

static inline bool pci_is_same(struct pci_address a, struct pci_address b)
{
    return a.segment == b.segment && a.bus == b.bus && a.device == b.device && a.function == b.function;
}

struct mp_selftest;

struct platform_ops {
    /* Run the tasks at once and wait for all. budget_ms: how long the slowest may take; a processor that takes longer
     * gets CPU_LOST and its task ST_TIMEOUT, and the rest of the result stands. Returns ST_OK, or the first task status
     * that is not. */
    enum status (*run)(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms);
    /* PCI configuration space. width 1, 2, 4. An absent function answers all ones with ST_OK, as hardware does;
     * ST_ABSENT: no access to that segment or bus; ST_RANGE: offset or width. */
    enum status (*pci_read)(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value);
    enum status (*pci_write)(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t value);
    /* Memory-mapped registers, width 1, 2, 4, 8, naturally aligned. ST_PAGE_FAULT outside the address map. */
    enum status (*mmio_read)(void *machine, uint64_t address, uint32_t width, uint64_t *value);
    enum status (*mmio_write)(void *machine, uint64_t address, uint32_t width, uint64_t value);
    /* Copy firmware tables out of memory. ST_PAGE_FAULT: nothing usable was copied. */
    enum status (*phys_read)(void *machine, uint64_t address, void *buffer, size_t bytes);
    /* Take 4 KiB-aligned write-back memory inside [lo, hi). It stays taken until the run ends. ST_NO_MEMORY. */
    enum status (*alloc)(void *machine, uint64_t lo, uint64_t hi, uint64_t bytes, uint64_t *address);
    /* The largest free piece inside [lo, hi), 0 where there is none. */
    uint64_t (*largest_free)(void *machine, uint64_t lo, uint64_t hi);
    /* Time stamp counter of the boot processor, and nanoseconds since 1970-01-01T00:00:00Z (0: clock not set). */
    uint64_t (*tsc)(void *machine);
    uint64_t (*utc_ns)(void *machine);
    /* Let time pass on the boot processor. */
    void (*stall)(void *machine, uint64_t ns);
    /* What firmware's processor services did when they were tried (core/platform/mp_selftest.h). NULL, the operation
     * or its answer: they were not, or there are none. */
    const struct mp_selftest *(*mp_selftest)(void *machine);
    /* Machine checks (#MC) on all processors so far. text: of the latest, its processor, bank, kind of error and address;
     * untouched if there was none. NULL: they are not known. */
    uint32_t (*machine_checks)(void *machine, char *text, size_t size);
};

struct ledger;
struct scatter;

/* Where requests of several coroutines of Assay meet, so that they go to the machine as one (core/engine/coroutine.h). */
struct platform_gather {
    enum status (*run)(struct platform_gather *g, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms);
    void (*stall)(struct platform_gather *g, uint64_t ns);
};

struct platform_counts { /* what was asked of the hardware so far                                */
    uint64_t rdmsr, wrmsr, cpuid, faults, pci, mmio, runs, work_bytes;
};

#define MP_METHOD_SIPI "INIT-SIPI" /* by INIT and SIPI of our own */

struct platform {
    const struct platform_ops *ops;
    void *machine;         /* the implementation's own state                        */
    uint32_t n_cpus;       /* as firmware reports, 1 .. 4,096                        */
    uint32_t bsp;          /* index of the boot processor                            */
    struct cpu_slot *cpus; /* ascending by APIC id                                   */
    uint64_t tsc_hz;
    /* 0: none, as on hardware. Else a fill has so many bytes at most, a stream no more than what it looks for needs, and what
     * is repeated for a time is done once: for machines that take a microsecond for an access. */
    uint64_t load_limit;
    const char *tsc_source;         /* where tsc_hz comes from: "CPUID 15H", "ACPI PM timer", ... */
    uint64_t rsdp;                  /* address of the ACPI root pointer, 0: none           */
    uint64_t smbios;                /* address of the SMBIOS entry point, 0: none          */
    const char *mp_method;          /* how processors are driven: "StartupAllAPs", MP_METHOD_SIPI, ... */
    struct ledger *ledger;          /* NULL: nothing is recorded (recorded CPUID only)     */
    struct platform_gather *gather; /* NULL: each request goes to the machine by itself */
    const struct scatter *scatter;  /* buffers in several pieces (core/tools/scatter.h); NULL: there are none */
    struct platform_counts counts;
};

/* The only way in: counts, and shows every WRMSR to the ledger before it happens (core/platform/ledger.h). */
MUST_CHECK enum status platform_run(struct platform *p, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms);

/* Let time pass on the boot processor. */
void platform_stall(struct platform *p, uint64_t ns);

/* Single accesses. cpu must be started: else ST_LOST (nothing was done). ST_FAULT, ST_TIMEOUT as in platform_run(). */
MUST_CHECK enum status msr_read(struct platform *p, uint32_t cpu, uint32_t msr, uint64_t *value);
MUST_CHECK enum status msr_write(struct platform *p, uint32_t cpu, uint32_t msr, uint64_t value);
MUST_CHECK enum status cpu_cpuid(struct platform *p, uint32_t cpu, uint32_t leaf, uint32_t subleaf,
                                 struct cpuid_regs *regs);

MUST_CHECK enum status pci_read(struct platform *p, struct pci_address at, uint32_t offset, uint32_t width,
                                uint32_t *value);
MUST_CHECK enum status pci_write(struct platform *p, struct pci_address at, uint32_t offset, uint32_t width,
                                 uint32_t value);
MUST_CHECK enum status mmio_read(struct platform *p, uint64_t address, uint32_t width, uint64_t *value);
MUST_CHECK enum status mmio_write(struct platform *p, uint64_t address, uint32_t width, uint64_t value);
MUST_CHECK enum status phys_read(struct platform *p, uint64_t address, void *buffer, size_t bytes);

static inline bool cpu_takes_work(const struct platform *p, uint32_t cpu)
{
    return cpu < p->n_cpus && (p->cpus[cpu].flags & (CPU_STARTED | CPU_LOST)) == CPU_STARTED;
}

/* One more access of this kind, a member of p->counts. */
void platform_count(struct platform *p, uint64_t *counter, enum status st);

/* A budget that no honest machine misses, not even an emulated one: 10 s, and 1 s for each 4 MiB moved. */
uint64_t work_budget_ms(uint64_t bytes);
