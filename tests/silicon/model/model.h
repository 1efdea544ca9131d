/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/model.h: virtual silicon. Caches with an RMID on each line, RDT registers, uncore counters.
 *
 * A C library that knows nothing of the payload and nothing of QEMU. Whoever drives it (the QEMU plugin, or
 * model_platform.c for host tests) says which processor touched which physical address, and asks what CPUID, RDMSR and
 * WRMSR would do there. Written from the documents (SDM vol. 3B 17.16, 327043-001), not from Assay's checks.
 *
 * Threads: one call at a time, or, of a model that is made for it (model_config.parallel), calls for different processors at
 * once. A processor is driven by one thread at a time.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/silicon/profiles/capability.h"

struct model;
struct recording;
struct flaw;

#define MODEL_MAX_FAULTS 8

struct model_config {
    const char *profile; /* tests/silicon/profiles/profiles.c lists them; NULL: bdx                        */
    uint32_t packages;   /* 1 .. 8; 0: the profile's default (2)                                 */
    uint32_t cores;      /* per package; 0: the profile's default                                */
    uint32_t threads;    /* per core, 1 or 2; 0: the profile's default                           */
    uint32_t clusters;   /* nodes a package is cut into (SNC, NPS); 0: 1, which every part can   */
    uint32_t slices;     /* of an L3, at most 64; 0: the recorded part's. L3 size, RMIDs and bytes a count follow */
    /* A machine that exists: its packages, cores, threads, ids and CPUID are the recording's (twin.h), and the three above
     * and slices are to be 0; profile NULL: the nearest one. It outlives the model. NULL: there is none */
    const struct recording *recording;
    uint64_t seed; /* slice hash, victim choice: same seed, same results                   */
    /* names, "NAME" or "NAME:VALUE" where a fault has a parameter, ended by the first NULL */
    const char *faults[MODEL_MAX_FAULTS];
    const struct flaw *flaw; /* a composed defect (flaw.h); NULL: none                                        */
    uint64_t tsc_hz;         /* rate of the time that model_access etc. are given; 0: the profile's  */
    bool parallel;           /* processors are driven at once: the caches have locks                             */
    bool qemu;               /* the machine is a guest's in QEMU: faults that it cannot act out are refused */
    bool counters;           /* which shows it the counters of the cores nevertheless                       */
    const char *realism; /* quirks of real parts, as realism.h has them: "NAME=VALUE,...", "typical"; NULL: none      */
    bool prefetch; /* the L2's prefetchers act, unless MSR 1A4H stops them. Off, bytes moved are exact             */
};

/* One by what tests name first; more by name. */
#define MODEL(profile_, packages_, cores_, threads_, ...)                                                              \
    (struct model_config)                                                                                              \
    {                                                                                                                  \
        .profile = profile_, .packages = packages_, .cores = cores_, .threads = threads_, __VA_ARGS__                  \
    }

/* NULL on bad configuration; error then says in a sentence what the machine cannot have. */
struct model *model_new(const struct model_config *config, char *error, size_t error_size);
void model_free(struct model *m);

/* Processors are numbered package-major, then core, then thread. APIC ids are cut as QEMU cuts them: each field as many
 * bits as its count needs (threads, cores, packages from bit 0 up), so that ids have gaps where counts are no power
 * of 2. */
uint32_t model_cpus(const struct model *m);
uint32_t model_apic_id(const struct model *m, uint32_t cpu);
uint32_t model_package(const struct model *m, uint32_t cpu);
/* Dies that CPUID shows as one package, each of which is a package here; 1 on most parts. */
uint32_t model_dies(const struct model *m);
/* The L3 it fills, which is the scope of RDT: the package, but for parts with several L3 a package (AMD). */
uint32_t model_domain(const struct model *m, uint32_t cpu);
uint32_t model_node(const struct model *m, uint32_t cpu);
const char *model_profile(const struct model *m);

/* Which node a physical range is home to: package * clusters + cluster. Later ranges win; unlisted memory belongs to
 * node 0. */
void model_memory(struct model *m, uint64_t base, uint64_t bytes, uint32_t node);
/* The same for memory on that node's channels that is a node of its own, without processors: AMD's slow memory. */
void model_memory_alone(struct model *m, uint64_t base, uint64_t bytes, uint32_t node);

enum model_kind { MODEL_LOAD, MODEL_STORE, MODEL_NT_STORE, MODEL_FETCH /* of code */ };

/* One access of 1..64 bytes (an access over a line's end is two). physical: below 2^42; beyond, nothing happens. */
void model_access(struct model *m, uint32_t cpu, uint64_t physical, uint32_t bytes, enum model_kind kind);
/* Whether the processor's next accesses are a program's (privilege level 3) or not, as nobody says at first. */
void model_ring(struct model *m, uint32_t cpu, bool user);
void model_clflush(struct model *m, uint32_t cpu, uint64_t physical);
void model_wbinvd(struct model *m, uint32_t cpu);
/* The processor waits in MWAIT until its next instruction: nothing changes but where a fault says so. */
void model_mwait(struct model *m, uint32_t cpu);

enum model_answer {
    MODEL_DONE,     /* value or registers are the silicon's                                      */
    MODEL_GP,       /* the instruction raises #GP(0)                                             */
    MODEL_NOT_MINE, /* no register of the profile's RDT, uncore or identity: let the host answer */
};

/* regs: on entry what the underlying processor answers (x2APIC id, OSXSAVE and the like are taken from it), on exit
 * what this silicon shows. Topology leaves agree with model_apic_id(). */
void model_cpuid(struct model *m, uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);
enum model_answer model_rdmsr(struct model *m, uint32_t cpu, uint32_t msr, uint64_t tsc, uint64_t *value);
/* RDPMC. Leaf 0AH shows the counters only where the underlying processor's answer to it is not all zero, or whoever asks
 * makes it so: with an operating system the plugin does, and RDPMC ends here. */
enum model_answer model_rdpmc(struct model *m, uint32_t cpu, uint32_t index, uint64_t tsc, uint64_t *value);
enum model_answer model_wrmsr(struct model *m, uint32_t cpu, uint32_t msr, uint64_t tsc, uint64_t value);

/* --- PCI configuration space and memory-mapped registers that the silicon answers itself
 *
 * All functions of a bus that model_pci_bus() claims are the model's (absent ones read all ones); other buses are the
 * host's. `bus`: segment << 8 | bus. `function`: bus << 8 | device << 3 | function. `offset`: 0 .. 4095, aligned to `bytes`, which is 1, 2 or 4.
 * Memory-mapped boxes lie in one window, as far as the profile has any, wherever its base registers put them; there
 * `bytes` is 1, 2, 4 or 8, and what no box decodes reads all ones. Both may be called for any processor at any time;
 * `tsc` is the time, as for the MSRs.
 */
bool model_pci_bus(const struct model *m, uint32_t bus);
bool model_pci_has(struct model *m, uint32_t function);
uint32_t model_pci_read(struct model *m, uint32_t function, uint32_t offset, uint32_t bytes, uint64_t tsc);
void model_pci_write(struct model *m, uint32_t function, uint32_t offset, uint32_t bytes, uint64_t tsc, uint32_t value);

/* The window: MODEL_MMIO_BASE and model_mmio_bytes(), 0 where the profile has no such boxes. It is one aligned GiB at
 * most, below the 40 address bits that TCG's processors have and above all RAM. */
#define MODEL_MMIO_BASE UINT64_C(0xE000000000)
uint64_t model_mmio_bytes(const struct model *m);
/* Discovery tables: below 4 GiB, as on real parts, whose base address PCM takes for 32 bits, and above what Q35's firmware
 * gives to devices. 0 bytes: there are none. Another address of what is in the window. */
#define MODEL_TABLES_BASE UINT64_C(0xFD000000)
uint64_t model_tables_bytes(const struct model *m);
/* Whether the address is in the window, or another of something that is. */
bool model_maps(const struct model *m, uint64_t physical);
uint64_t model_mmio_read(struct model *m, uint64_t physical, uint32_t bytes, uint64_t tsc);
void model_mmio_write(struct model *m, uint64_t physical, uint32_t bytes, uint64_t tsc, uint64_t value);

/* Bandwidth allocation, for whoever has the say over a processor's time.
 *
 * model_mba_delay: how many percent of its full bandwidth beyond the L2 a processor has to do without now, 0 .. 99
 * (Intel MBA: of both threads' classes, as MBA_CFG says). model_bandwidth_ceiling: bytes/s that all processors of its
 * class and L3 may move together, 0: no limit (AMD L3QOS_BW_CONTROL). */
uint32_t model_mba_delay(const struct model *m, uint32_t cpu);
uint64_t model_bandwidth_ceiling(const struct model *m, uint32_t cpu);
/* The same for slow memory, if that is what the line lies in. */
uint64_t model_slow_ceiling(const struct model *m, uint32_t cpu, bool slow);

/* The same for whoever runs processors in the host's time. Does any throttle or limit act at all? If so, model_throttle
 * after an access says for how many ns the processor has to stop now (0: continue); model_throttled then tells how
 * long it did, and what the time is. Own thread of the processor only. now_ns: any clock that does not stop. */
bool model_throttles(const struct model *m);
uint64_t model_throttle(struct model *m, uint32_t cpu, uint64_t (*now_ns)(void));
void model_throttled(struct model *m, uint32_t cpu, uint64_t slept_ns, uint64_t now);

/* What the silicon is, by its own truth (for tests of the model, and for the summary at the end of a run). */
struct model_truth {
    uint64_t l3_lines, l3_valid_lines;           /* of one L3                                         */
    uint64_t rmid_lines;                         /* lines with this RMID now, before any fault        */
    uint64_t rmid_total_lines, rmid_local_lines; /* lines moved for it since start, before any fault */
    uint64_t msr_reads, msr_writes;
};
void model_truth(struct model *m, uint32_t domain, uint32_t rmid, struct model_truth *t);

/* The catalogue: one row a fault, in tests/silicon/faults/. What a row does not name is 0. */
#define MODEL_FAULT_NEEDS 3
/* What a number after a fault's name may be. most 0: any; MODEL_MOST_*: the machine's highest. */
struct model_fault_range {
    int64_t least, most;
};
enum { MODEL_MOST_RMID = -1, MODEL_MOST_CLASS = -2, MODEL_MOST_CORE = -3, MODEL_MOST_WAYS = -4 /* but one */ };
enum model_fault_strength { STRENGTH_NONE, STRENGTH_GROWS, STRENGTH_FALLS };

struct model_fault {
    const char *name;       /* "pqr-leaks-to-sibling", of its FAULT_PQR_LEAKS_TO_SIBLING           */
    const char *also;       /* another name of it, where it has one                                */
    const char *stands_for; /* the real defect or erratum, in a sentence                           */
    const char *rows;       /* of docs/conformance.tsv, "AS-07,AS-08": a check that holds one of them must find it */
    const char *found_as;   /* a verdict that will do where its finders cannot say FAIL or WARN; NULL: none          */
    /* A machine without what it needs, or with what must be absent, is refused; so is one that is smaller. */
    enum capability needs[MODEL_FAULT_NEEDS], absent[MODEL_FAULT_NEEDS];
    uint32_t packages, clusters /* of a package */, cores /* in all */, threads /* of a core */, cpus; /* least */
    const char *host_only; /* why QEMU cannot act it out, but the host model alone; NULL: both can                 */
    /* The fault matrix tries it on the first and the last profile that have this as well: what its finders need, or
     * what brings other checks to the first one. */
    enum capability tried_with[MODEL_FAULT_NEEDS];
    const char *realism;   /* quirks that the matrix' machine has, without which the fault touches nothing; or NULL  */
    bool acts_on_traffic;  /* on what is counted of lines: those counters are then kept beside the true ones        */
    const char *parameter; /* what the number after its name means, or its unit; NULL: there is none              */
    uint64_t value; /* of it, where none is given; ALL: the last one, or each. Negative ones in two's complement */
    struct model_fault_range range;
    enum model_fault_strength
        strength; /* the number says how large the defect is: the larger, or the smaller, the worse */
    /* What a number before it means: "NAME:PLACE:NUMBER". With one number alone, that is the place. NULL: there is none. */
    const char *place;
    uint64_t place_value;
    struct model_fault_range place_range;
};
/* "percent, 1 to 99, 25 where none is given", for a list of faults. Empty: it takes no number. Returns the length needed. */
size_t model_fault_numbers(const struct model_fault *fault, char *out, size_t size);
const struct model_fault *model_faults(uint32_t *n);
/* NULL: there is none of this name. */
const struct model_fault *model_fault_named(const char *name);

/* Machine checks (#MC) that were signalled so far: of fault uncorrected-cache. */
uint32_t model_machine_checks(const struct model *m);

/* Text summary for a person: MSR operations, traffic per RMID and package, counters. Returns the length needed. */
size_t model_summary(struct model *m, char *out, size_t size);
