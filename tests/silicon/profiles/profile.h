/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile.h: what differs between parts, as data.
 *
 * A profile is the recorded CPUID enumeration of a real part (a file of tests/fixtures/cpuid) with what differs from
 * it, the shape of its caches, and the registers it has. Everything that the enumeration states is taken from there,
 * not stated twice. Parts of a family stand in one file, and share by a macro of fields what they have in common.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "tests/silicon/profiles/profile_times.h"
#include "core/base/braced.h"

struct profile_leaf {
    uint32_t leaf, subleaf;
    uint32_t regs[4]; /* EAX, EBX, ECX, EDX */
};
/* Leaves that differ from the base's, or that it has not; all zero: it is taken out. */
struct cpuid_table {
    const struct cpuid_table *base; /* NULL: there is none */
    const struct profile_leaf *leaves;
    uint32_t n_leaves;
};
#define CPUID_TABLE(base_, leaves_)                                                                                    \
    BRACED(.base = base_, .leaves = leaves_, .n_leaves = sizeof(leaves_) / sizeof(leaves_)[0])
/* A recording that profiles take: the file of this name in tests/fixtures/cpuid, with '-' for '_'. scripts/recordings
 * makes tables of cpu 0 of those that are named so. */
#define RECORDING(name) extern const struct cpuid_table name

struct uncore_part; /* the PMON units of a part: model_uncore_*.c */

struct profile {
    const char *name, *title;
    const struct profile *like; /* that this one differs from by sizes and tables alone: of both, runs that try each
                                   fault on some profiles take that one; NULL: there is none                       */
    uint32_t packages, cores, threads; /* defaults                                                     */
    bool one_socket;                   /* the part has no links to another: machines have one package */
    uint32_t dies; /* that CPUID shows as one package; each is a package to the rest of the model, with its L3, memory
                      and monitors. 0: 1                                                                  */
    uint64_t tsc_hz;
    const struct profile_times *times; /* how long it takes to get at data */
    uint32_t microcode;
    const struct cpuid_table *cpuid;
    const char *brand;     /* where it is another than the recording's; NULL: it is that                     */
    bool unrecorded;       /* no public dump of a part of its family and model was found: leaves are composed */
    uint32_t max_clusters; /* nodes that a package can be cut into; 0: 1                               */
    /* caches; the sizes of L1 and L2 are the enumeration's */
    uint32_t cores_per_l3;                /* 0: one L3 a package                                                      */
    bool l3_inclusive;                    /* else a line enters the L3 when an L2 gives it up                         */
    uint32_t l3_slices, l3_ways, l3_sets; /* sets of one slice, a power of 2; no ways: there is no L3, and the slices
                                             are those of the directory of what the L2s have                  */
    uint64_t l3_hash[4];                  /* one per bit of the slice number: address bits whose parity it is; used
                                             where the number of slices is a power of 2                       */
    bool amd;                             /* registers and their rules as APM vol. 2 chapter 19 has them    */
    uint32_t channels;                    /* memory channels of a node; 0: 4                           */
    uint32_t package_channels;            /* where not 0: of a package, shared out to its nodes        */
    /* RDT; what the register files hold beyond the enumeration */
    bool rdt;
    bool qm_illegal_rmid_faults; /* IA32_QM_EVTSEL with an RMID above the maximum: #GP instead of Error */
    uint32_t qm_rmid_bits;       /* RMID bits that IA32_QM_EVTSEL has: 41:32 on the first parts         */
    bool qm_private;             /* every processor has an IA32_QM_EVTSEL of its own                    */
    uint32_t mbm_bits;           /* width of the bandwidth counters where 0FH.1:EAX says nothing; 0: it does */
    bool mbm_errata;             /* BDF102, SKX99: RMIDs above a threshold count wrong (mbm_erratum())      */
    uint32_t cat_by_probe;       /* bits of masks that exist without being enumerated, with 4 classes; 0: none       */
    uint32_t mask_least_bits;    /* a mask with fewer is refused; 0: 1                                       */
    bool mask_group_moves;       /* the bits of 10H.1:EBX are set together or not at all                     */
    bool mba_config;             /* MSR C84H exists: which of two threads' delays counts                     */
    bool rmid_snc_config;        /* MSR CA0H exists                                                          */
    bool telemetry;              /* of energy by RMID: model_telemetry.c                                     */
    bool erdt;                   /* RDT registers in memory, which ACPI's ERDT lists: model_erdt.c          */
    bool mbm_counts_nt_stores;   /* a line written by non-temporal stores counts as a transfer          */
    bool mbm_starts_near_wrap;   /* counters start 16 to 2047 counts before they roll over              */
    uint32_t hbm_channels; /* pairs of channels of HBM of a package, for realism hbm-only; 0: none                   */
    const struct uncore_part *uncore; /* NULL: none                                                          */
    uint64_t uclk_hz;                 /* the uncore's clock, which does not move                             */
    uint32_t residency;               /* RESIDENCY_*: counters of power states (model_residency.c)                    */
    bool nodes_are_dies;              /* AMD: each cluster is a die, which 8000001EH names                            */
    bool uncore_ratio; /* MSR 620H, 621H exist (Haswell-EP on)                                          */
    bool ppin;
    bool prefetch_control;
    uint32_t prefetch_more;   /* bits of MSR 1A4H beyond 3:0; 4: L1 next page, 5: AMP                          */
    uint32_t llc_control;     /* MSR that has bits to stop prefetchers of the L3; 0: none is known                    */
    uint64_t llc_stop;        /* those bits; others of the MSR are no prefetcher's, and kept                          */
    bool full_width_counters; /* IA32_A_PMC0 and following (IA32_PERF_CAPABILITIES[13])                       */
    /* What parts of this generation can enumerate and the recorded one does not: faults of it bring it (model_levels.c)
     */
    bool may_have_cba, may_have_priority, may_have_stlb_qos;
};

/* Power states with a residency counter: of packages and of cores. Server parts lost C3 with Skylake-SP. */
#define RESIDENCY_PC2    BIT(0)
#define RESIDENCY_PC3    BIT(1)
#define RESIDENCY_PC6    BIT(2)
#define RESIDENCY_CC3    BIT(3)
#define RESIDENCY_CC6    BIT(4)
#define RESIDENCY_NHM    (RESIDENCY_PC3 | RESIDENCY_PC6 | RESIDENCY_CC3 | RESIDENCY_CC6)
#define RESIDENCY_E5     (RESIDENCY_NHM | RESIDENCY_PC2)
#define RESIDENCY_SERVER (RESIDENCY_PC2 | RESIDENCY_PC6 | RESIDENCY_CC6)

/* What stops the prefetchers of the L3: MSR 6DH, LLC and homeless, of P-cores from Sapphire Rapids on; MSR 1320H, LLC
 * stream, of Sierra and Clearwater Forest. intel/PerfSpect, prefetcher definitions. */
#define PROFILE_LLC_OF_P_CORES .llc_control = 0x6D, .llc_stop = BIT(42) | BIT(14)
#define PROFILE_LLC_OF_E_CORES .llc_control = 0x1320, .llc_stop = BIT(43)

/* What servers have from Skylake-SP on. */
#define PROFILE_SERVER PROFILE_SERVER_TPMI, .uncore_ratio = true
/* Those from Granite Rapids on have the uncore's frequency in TPMI: Linux uncore-frequency.c ends with Emerald Rapids, and
 * uncore-frequency-tpmi.c is "basically substitution of MSR 0x620 and 0x621". */
#define PROFILE_SERVER_TPMI                                                                                            \
    .residency = RESIDENCY_SERVER, .ppin = true, .prefetch_control = true, .full_width_counters = true
#define PROFILE_RDT        .rdt = true, .qm_rmid_bits = 10, .mbm_starts_near_wrap = true
#define PROFILE_SERVER_RDT PROFILE_SERVER, PROFILE_RDT

/* Counts of RMIDs above `threshold` are to be multiplied by `factor` millionths. No erratum: by 1, above none. */
#define MBM_FACTOR_ONE 1000000u
struct mbm_erratum {
    uint32_t threshold, factor;
};
struct mbm_erratum mbm_erratum(const struct profile *p, uint32_t rmids);

/* Maurice, Le Scouarnec, Neumann, Heen, Francillon, "Reverse Engineering Intel Last-Level Cache Complex Addressing
 * Using Performance Counters", RAID 2015: the 8-slice function of the E5 family (core/base/bits.h is needed). */
#define PROFILE_E5_HASH                                                                                                \
    BRACED(BIT(6) | BIT(10) | BIT(12) | BIT(14) | BIT(16) | BIT(17) | BIT(18) | BIT(20) | BIT(22) | BIT(24) |          \
               BIT(25) | BIT(26) | BIT(27) | BIT(28) | BIT(30) | BIT(32) | BIT(33) | BIT(35) | BIT(36),                \
           BIT(7) | BIT(11) | BIT(13) | BIT(15) | BIT(17) | BIT(19) | BIT(20) | BIT(21) | BIT(22) | BIT(23) |          \
               BIT(24) | BIT(26) | BIT(28) | BIT(29) | BIT(31) | BIT(33) | BIT(34) | BIT(35) | BIT(37),                \
           BIT(8) | BIT(12) | BIT(13) | BIT(16) | BIT(19) | BIT(22) | BIT(23) | BIT(26) | BIT(27) | BIT(30) |          \
               BIT(31) | BIT(34) | BIT(35) | BIT(36) | BIT(37))

/* What it answers, less what the model computes (model_cpuid.c). False: it has no such leaf; all zero then. */
bool profile_find(const struct profile *p, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);
/* EAX to EDX of it, by number. */
uint32_t profile_cpuid(const struct profile *p, uint32_t leaf, uint32_t subleaf, uint32_t reg);

/* The same part with another number of slices, 1 or more; the caller gives it to profile_cut_free(). NULL: no memory.
 */
struct profile *profile_cut(const struct profile *p, uint32_t slices);
void profile_cut_free(struct profile *p);

/* Defines a profile; the build gathers these into profiles[] (scripts/gather), ascending by their numbers: Intel
 * servers below 100, AMD's below 200, each the oldest first, then others. */
#define PROFILE(id, number)                                                                                            \
    extern const struct profile profile_##id;                                                                          \
    const struct profile profile_##id

extern const struct profile *const profiles[]; /* the last is NULL */
/* How many there are. */
static inline uint32_t profile_count(void)
{
    uint32_t n = 1; /* there is one at least */

    while (profiles[n])
        n++;
    return n;
}
/* Of so many packages, those that a machine of this part can have. */
static inline uint32_t profile_packages(const struct profile *p, uint32_t wanted)
{
    return p->one_socket ? 1 : wanted;
}

/* Dies that CPUID shows as one package, 1 or more: packages of the model are a multiple of it. */
static inline uint32_t profile_dies(const struct profile *p)
{
    return p->dies > 1 ? p->dies : 1;
}
/* The profile of this name, NULL where there is none. */
const struct profile *profile_by_name(const char *name);
