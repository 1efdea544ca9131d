/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/model_state.h: what the model's files share. See model.h for what the model is.
 *
 *   model.c        configuration, life, truth, summary
 *   model_cache.c  private caches, shared L3, coherence; counts traffic and occupancy: see model_cache.h
 *   model_cpuid.c  CPUID
 *   model_msr.c    which register belongs to whom; identity registers
 *   model_rdt.c    what the leaves enumerate; PQR_ASSOC; the doors of RDT
 *   model_qm.c     QM_EVTSEL, QM_CTR: what is counted, and as what
 *   model_alloc.c  way masks, code and data prioritization, throttles
 *   model_clock.c  what things cost a processor in its own time: model_clock.h
 *   model_throttle.c  throttles in the host's time
 *   model_erdt.c   RDT registers in memory
 *   model_left.c   what software that ran before left in registers
 *   model_levels.c cache bandwidth allocation, resource priority, STLB QoS
 *   model_amd.c    AMD: what bandwidth events count, counters that software assigns
 *   model_residency.c residency of packages and cores in power states
 *   model_errors.c machine-check banks, and what faults have them log
 *   model_core_pmu.c  performance counters of the cores, APERF and MPERF, temperatures
 *   model_uncore.c performance monitors outside of the cores: uncore.h
 *   flaw.c         a defect that is composed: flaw.h
 *   model_bus.c    PCI functions, memory-mapped registers
 */
#pragma once
#include <pthread.h>
#include <stdatomic.h>

#include "core/base/bits.h"
#include "tests/silicon/model/pool.h"
#include "tests/silicon/faults/fault.h"
#include "tests/silicon/model/flaw.h"
#include "tests/silicon/model/model.h"
#include "tests/silicon/rdt/model_counts.h"
#include "tests/silicon/quirks/realism.h"
#include "tests/silicon/uncore/uncore.h"
#include "tests/silicon/profiles/profile.h"

#define MODEL_MAX_PACKAGES 8u
#define MODEL_MAX_CORES    256u
#define MODEL_MAX_RANGES   64u
#define MODEL_MAX_CLOS     32u
#define ERDT_CLASSES       16u
#define MODEL_MAX_WAYS     24u
#define MODEL_STLB_MASKS   16u
#define MODEL_MAX_NODES    64u /* of memory: a node need not have processors */
#define MODEL_MAX_SLICES   96u

#define MODEL_LINE_SHIFT    6u
#define MODEL_PHYSICAL_BITS 42u /* what an L1's word has room for; TCG's processors have 40 */

enum cache_level { LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_MEMORY };

struct cache_shape {
    uint32_t ways, sets, set_bits; /* L3: sets of a slice */
};

struct core {
    uint32_t *l1;                             /* [sets][L1_STRIDE], see model_cache.h */
    uint32_t *l2;                             /* [sets][l2_stride]                    */
    uint8_t *l1_turn, *l2_turn;               /* [sets] the way to replace next */
    _Atomic uint64_t losses;                  /* lines that have left the L2    */
    uint8_t *l2_reused;                       /* [sets][l2_stride] under l2-victim-reuse, else NULL */
    _Atomic uint64_t prefetch_control;        /* MSR 1A4H; AMD: C0000108H  */
    _Atomic uint64_t llc_control;             /* MSR profile.llc_control   */
    _Atomic uint32_t l2_mask[MODEL_MAX_CLOS]; /* IA32_L2_MASK_n: ways that a class may fill; 0: no restriction */
    _Atomic uint32_t l2_qos_cfg;              /* IA32_L2_QOS_CFG: bit 0, CDP                                   */
};

struct erdt { /* RDT registers in memory, under the domain's lock: model_erdt.c */
    uint64_t control;
    uint64_t throttle[3][ERDT_CLASSES]; /* optimum, minimum, maximum: of 4 regions, fields of 9 bits */
};

struct qm_state { /* the keyhole: one pair of registers a domain, under its `lock` */
    uint64_t evtsel;
    uint64_t previous; /* EVTSEL before the last selection     */
    bool fresh;        /* not read since the last selection    */
    bool sticky_error;
    uint64_t reads;
    uint64_t event; /* FAULT_EVTSEL_EVENT_LATE: that acts */
};

#define CORE_PMU_COUNTERS 8u
#define CORE_PMU_FIXED    4u
struct core_pmu { /* of one processor, under no lock: a processor is driven by one thread at a time */
    uint64_t evtsel[CORE_PMU_COUNTERS], pmc[CORE_PMU_COUNTERS];
    uint64_t fixed_ctrl, fixed[CORE_PMU_FIXED];
    uint64_t global_ctrl, global_status;
    uint64_t aperf, mperf; /* what was written, less the clock at that time */
    uint64_t tsc, smis;    /* up to date until here */
    struct cpu_counts seen;
};

/* Kinds of prefetchers: the bits of MSR 1A4H that stop them (SDM vol. 4). */
#define PREFETCH_L2_STREAM   BIT(0)
#define PREFETCH_L2_ADJACENT BIT(1)
#define PREFETCH_L1_NEXT     BIT(2)
#define PREFETCH_L1_IP       BIT(3)
#define PREFETCH_L2_AMP      BIT(5)
#define PREFETCH_LLC         BIT(8) /* stopped elsewhere: profile.llc_control */
struct
    prefetch_watch { /* of a processor: the lines that missed the L2, and the L1, last, and how far from those before */
    uint64_t last_miss, last_load;
    int64_t miss_distance, load_distance;
};

struct mba_quirk { /* of a processor, under no lock: the delay that acts, the one that will, since when it is wanted */
    uint32_t acting, wanted;
    uint64_t since;
};

struct cpu_throttle { /* of a processor, under no lock: model_throttle.c */
    uint64_t references, misses, since;
    int64_t owed; /* ns */
};

#define WARM_DISTANCE 4u /* lines: warm(), model_l3.c */
struct place {           /* where a line goes in every L3 */
    uint64_t line;
    uint32_t tag;          /* line number >> log2(sets of a slice)        */
    uint32_t slice, index; /* index: of the set, slices one after the other */
};

#define CODE_LINES 512u /* 32 KiB */
struct code_line {
    uint64_t number, losses; /* of the line, plus 1; core.losses when the L2 was last found to have it */
};
struct cpu {
    _Alignas(64) uint32_t *l1; /* its core's, and how to find a set: what every access reads and writes */
    uint32_t l1_mask, l1_shift;
    struct cpu_counts counts;
    struct core *core;
    struct domain *domain;
    uint32_t package, node, core_index /* in the domain */, thread;
    uint32_t apic_id;
    uint64_t accounted; /* of its accesses, in model.activity                                            */
    uint32_t pmi;       /* of uncore monitors, sent to it and not yet taken: under the package's lock    */
    uint64_t ipis;      /* that it was sent, as its package's U-box counts them: under the same lock     */
    uint64_t debugctl;  /* IA32_DEBUGCTL, see uncore_part.pmi_debugctl. Own thread only                  */
    struct code_line code[CODE_LINES]; /* its instruction cache, direct-mapped. Own thread only */
    uint64_t nt_line;            /* line that the write-combining buffer holds, UINT64_MAX: none. Own thread only */
    bool user;                   /* model_ring(). Own thread only                                                  */
    bool prefetching;            /* a prefetcher asks, under faults of those. Own thread only                      */
    struct prefetch_watch watch; /* own thread only */
    uint32_t prefetched; /* lines of memory that prefetchers brought and the clock has not charged. Own thread only */
    uint32_t *tlb, fetch_owed,
        fetch_at;              /* page-walk: pages by their numbers plus 1; code-fetch: thousandths of a line */
    _Atomic uint64_t quiet_at; /* references beyond its L2 when idle-lines looked last                            */
    /* Written by this processor's WRMSR; under faults by others' as well. */
    _Atomic uint64_t pqr;            /* IA32_PQR_ASSOC as written                                            */
    _Atomic uint32_t rmid, clos;     /* what it means                                                */
    _Atomic uint32_t ways[2], delay; /* of data and code: FAULT_MASK_AT_ASSOCIATION, FAULT_MBA_AT_ASSOCIATION */
    _Atomic uint32_t tag;            /* what lines are tagged with: rmid, but for faults             */
    _Atomic uint32_t stale_tag;      /* FAULT_RMID_STALE_AFTER_SWITCH                                */
    _Atomic uint64_t stale_lines;    /* lines that still get stale_tag                               */
    uint64_t late_lines;             /* FAULT_MBM_STARTS_LATE: that are still not counted. Own thread only */
    _Atomic uint64_t sign_id;        /* IA32_BIOS_SIGN_ID                                            */
    _Atomic uint32_t smi_count;
    uint64_t smi_due, lost_ticks; /* when smi-period has the next one; what SMIs took and nobody was charged for yet */
    /* Places of lines that it will probably ask for, by line number. Own thread only. */
    struct place warmed[WARM_DISTANCE];
    struct place leaving[2 * WARM_DISTANCE]; /* and of those that its L2 will probably give up for them */
    struct mba_quirk mba;
    uint64_t smi_by_time; /* of faults under which SMIs come with time: how many have come. Own thread only */
    struct qm_state qm;   /* of parts that have the keyhole per processor. Under the domain's lock */
    uint64_t abmc_cfg;    /* AMD: this processor's copy, under the same lock */
    uint64_t cba[MODEL_MAX_CLOS / 8], priority; /* model_levels.c, under the same lock */
    struct core_pmu pmu;
    struct cpu_throttle throttle;
    struct flaw_cpu flaw;
};

/* Reads of slow memory are of their own kind where events tell them from others (AMD). */
enum transfer { TRANSFER_READ, TRANSFER_SLOW_READ, TRANSFER_NT_STORE, TRANSFER_WRITE_BACK, TRANSFERS };

struct traffic {                          /* of one RMID in one slice of an L3, written under the slice's lock */
    _Atomic uint64_t lines;               /* there now */
    _Atomic uint64_t moved[TRANSFERS][2]; /* past the L3 since start; [1]: their home is the processor's node */
};

/* Kinds of transfers that a bandwidth event counts: the bits of AMD's QOS_EVT_CFG_n. APM vol. 2 19.3. */
#define COUNTS_LOCAL_READS  BIT(0)
#define COUNTS_REMOTE_READS BIT(1)
#define COUNTS_LOCAL_NT     BIT(2)
#define COUNTS_REMOTE_NT    BIT(3)
#define COUNTS_LOCAL_SLOW   BIT(4)
#define COUNTS_REMOTE_SLOW  BIT(5)
#define COUNTS_WRITE_BACKS  BIT(6)
#define COUNTS_READS        (COUNTS_LOCAL_READS | COUNTS_REMOTE_READS)

/* 80000020H.0:EBX: enforcement for slow memory, configurable events, assignable counters, SDCI enforcement. */
#define AMD_SMBE            BIT(2)
#define AMD_BMEC            BIT(3)
#define AMD_RANGE           BIT(4) /* L3 range reservation */
#define AMD_ABMC            BIT(5)
#define AMD_SDCIAE          BIT(6)
#define AMD_GLOBAL          BITS(8, 7) /* limits that L3s share, of memory and of slow memory */
#define EXT_CFG_ABMC        BIT(0)     /* L3_QOS_EXT_CFG: bandwidth counters are assignable */
#define EXT_CFG_SDCIAE      BIT(1)     /* the ways that devices fill are those of a class */
#define MODEL_ABMC_COUNTERS 32u
struct abmc_counter {         /* AMD: a bandwidth counter that software assigns */
    uint64_t cfg, held, from; /* L3_QOS_ABMC_CFG as written; lines counted; lines of its source when it began */
    bool error;
};

struct l3_range { /* AMD L3 range reservation: L3RangeReserveBaseAddr, -MaxAddr, -WayMask */
    uint64_t base, limit;
    _Atomic uint32_t ways; /* that lines of the range alone fill; 0: it is not enabled, or has none */
    uint32_t way_mask;
};

/* Faults that strike a share of what passes, each with a count of its own of what has passed. */
enum struck { STRUCK_MBM, STRUCK_MBM_LOCAL, STRUCK_EVICTION, STRUCK_TAG, STRUCKS };

#define CONCURRENT_RMIDS 32u
/* Of an L3 under faults that come with many processors, or RMIDs, at a time. */
struct concurrent_watch {
    _Atomic uint64_t transfers, now, before; /* so far; processors, a bit each, of this stretch and the last */
    _Atomic uint32_t rmid[CONCURRENT_RMIDS]; /* those with a place to be counted in, plus 1; 0: free         */
};

struct mbm_trail { /* of a bandwidth event of an RMID under mbm-lag: at its last read */
    uint64_t tsc, counts, shown;
};

struct slice_quirk { /* of a slice, under its lock: model_policy.c */
    _Alignas(64) uint64_t random;
    uint32_t excess;   /* hundredths of a line that mbm-overcount still owes */
    uint32_t selector; /* set dueling: from 0, SRRIP, to 1023, BRRIP */
};

/* What shares an L3: a package, or one of several core complexes of it (AMD). RDT has its scope here. */
struct domain {
    uint8_t *l3_block;         /* [sets of all slices][l3_block_bytes]: row_of() in model_cache.h             */
    uint16_t *true_rmid;       /* [sets of all slices][l3_entries]; only where a fault makes tags lie         */
    struct traffic *truth;     /* [slices][rmids + 1]: traffic_of()                                               */
    struct traffic *seen;      /* the same as the counters are fed; == truth without such a fault             */
    struct slice_quirk *quirk; /* [slices], only where m->quirks                                          */
    _Atomic uint64_t *visit;   /* pages as they came from memory last: model_policy.c            */
    _Atomic uint64_t fills;    /* lines from memory, under mbm-overcount                                  */
    uint8_t *l3_age;           /* [sets of all slices][ways], the same                                    */
    struct core *cores;        /* [cores_per_domain] */
    _Atomic uint32_t l3_mask[MODEL_MAX_CLOS];
    _Atomic uint32_t l3_qos_cfg, cdp_core /* FAULT_CDP_ONE_CORE: that switched it */;
    struct slice_counts *slice; /* [slices] */
    /* [slices][processors] of the L3: tor of slice_counts by processor, counted while model.threads_watched; NULL where
     * no monitor of the part asks. */
    _Atomic uint64_t (*thread_tor)[TOR_OPCODES][TOR_PLACES];
    uint32_t package;
    pthread_mutex_t lock; /* registers of L3 scope */
    struct qm_state qm;
    uint64_t (*mbm_last)[2];                      /* [rmids] as read last                                            */
    uint8_t *first_read;                          /* [rmids] bit e: event e was read since tracking began (AMD)      */
    _Atomic uint32_t mba_delay[MODEL_MAX_CLOS];   /* IA32_L2_QoS_Ext_BW_Thrtl_n, as written                        */
    _Atomic uint32_t mba_acts[MODEL_MAX_CLOS];    /* the same, rounded to what the part has                         */
    _Atomic uint32_t mba_classes;                 /* whose is not 0: a bit each                                     */
    _Atomic uint64_t class_queue[MODEL_MAX_CLOS]; /* of a class with a ceiling: model_clock.c                      */
    _Atomic uint64_t slow_queue[MODEL_MAX_CLOS];  /* the same of slow memory                                          */
    uint64_t class_ns[MODEL_MAX_CLOS]; /* host's time to which a class has used its limit: model_throttle.c */
    _Atomic uint32_t mba_cfg;          /* MBA_CFG                                                         */
    uint32_t io_qos_cfg;               /* IA32_L3_IO_QOS_CFG                                              */
    struct erdt erdt;
    _Atomic uint32_t bw_control[MODEL_MAX_CLOS]; /* AMD L3QOS_BW_CONTROL_n                                        */
    uint64_t (*mbm_start)[2];                    /* [rmids][total, local] counts at power-on                      */
    struct mbm_trail (*mbm_trail)[2];            /* [rmids] mbm-lag                                               */
    uint64_t *tracked_at, track_clock; /* [rmids] amd-tracked-rmids: when it came to a processor, 0: it is not */
    uint64_t (*mbm_zero)[2];           /* [rmids] counts that do not show any more                      */
    uint32_t event_types[2];           /* what total and local bandwidth count: AMD's QOS_EVT_CFG_n     */
    uint64_t ext_cfg;                  /* AMD L3_QOS_EXT_CFG                                            */
    struct abmc_counter abmc[MODEL_ABMC_COUNTERS];
    struct l3_range range;
    /* What processors of a class moved, where counters can follow one; [1]: as for traffic.moved. Whose class a victim
     * is of is stated nowhere: it is of none. */
    _Atomic uint64_t class_moved[MODEL_MAX_CLOS][TRANSFERS][2];
    uint32_t global_control[2][MODEL_MAX_CLOS];    /* AMD 69193: of memory, of slow memory                        */
    _Atomic uint32_t slow_control[MODEL_MAX_CLOS]; /* AMD L3QOS_SLOW_BW_CONTROL_n                                 */
    struct concurrent_watch concurrent;
    _Atomic uint64_t flaw_last; /* what was read before, of a defect that shows that: flaw.c */
    _Atomic uint64_t struck[STRUCKS];
    struct
    { /* FAULT_MBM_IN_TURN_LOST: whose each slice's last transfer was, how many are still beside another RMID's */
        _Atomic uint32_t rmid, left;
    } turn[MODEL_MAX_SLICES];
};

struct idle {              /* FAULT_L3_SHRINKS_IDLE */
    uint64_t tsc, lookups; /* when registers were used last                      */
    uint64_t ticks;        /* with next to no lookups, since a way was given up */
    uint32_t way;          /* to be given up next                               */
};

/* MSR 396H of Nehalem, for requests that reach the package's memory: as written, and what passed; [1]: of its own
 * processors. Counted while model.match_armed. */
struct address_match {
    _Atomic uint64_t value, passed[2];
};

/* Requests that reach the package's memory, by their kind: [1]: of its own processors; of one line, whoever asked for it.
 * Counted while model.home_watched. */
struct home_watch {
    _Atomic uint64_t line, requests[2][TOR_OPCODES], of_line[TOR_OPCODES];
};

struct package {
    pthread_mutex_t lock; /* registers of package scope */
    struct uncore uncore;
    struct address_match match;
    struct home_watch home;
    uint64_t ppin_ctl, uncore_ratio_limit;
    struct idle idle;                 /* of the whole machine, in the first package */
    _Atomic uint32_t rmid_snc_config; /* MSR CA0H */
    _Atomic uint64_t priority;        /* IA32_RESOURCE_PRIORITY_PKG */
    _Atomic uint64_t stlb_fill, stlb_mask[MODEL_STLB_MASKS];
};

struct memory_range {
    uint64_t base, bytes;
    uint32_t node;
    bool alone; /* a node of its own, without processors */
};

struct clock_queues {                                                 /* model_clock.c */
    _Atomic uint64_t node[MODEL_MAX_NODES], link[MODEL_MAX_PACKAGES]; /* until when they are taken */
    uint64_t node_line, link_line;                                    /* what a line takes of one  */
    uint64_t local_ticks, remote_ticks;                               /* memory's latency          */
};

struct slice_lock {
    _Alignas(64) _Atomic bool taken;
};

struct model {
    struct pool pool; /* this, and all that it points to but profiles */
    const struct profile *profile;
    struct twin *twin;   /* what profile points into where the machine is a recorded one */
    struct profile *cut; /* what profile points to where the number of slices is not the recorded one */
    uint32_t packages, cores, threads, cpus;
    uint32_t clusters;               /* nodes of a package (SNC, NPS): node = package * clusters + cluster */
    uint32_t domains;                /* L3s in all, package-major                                          */
    uint32_t cores_per_domain;       /* cores of a package are dealt to its domains and clusters in order  */
    uint32_t thread_bits, core_bits; /* of an APIC id */
    uint64_t seed, tsc_hz;
    bool qemu; /* the machine is a guest's in QEMU */
    struct fault_set faults;
    struct flaw flaw;
    struct flaw_state flaws;
    struct realism realism;
    bool quirks;                 /* one of the caches' quirks is on: quirk and l3_age are there */
    bool drops;                  /* victims of the L2s are dropped, or tagged again             */
    bool replaces;               /* the L3 replaces by another policy than LRU                 */
    bool agents;                 /* dma, patrol-scrub, idle-lines or tick-lines                */
    _Atomic uint64_t agents_tsc; /* until when they have acted */
    bool walks;                  /* page-walk or code-fetch                                    */
    bool watched;                /* misses are looked at: set dueling, mbm-overcount            */
    bool uclk_moves;             /* uncore-clock                                               */
    bool ubox_filters;           /* ubox-filter                                                */
    bool set_hash;               /* l3-set-hash                                                */
    bool tags_lie;               /* a fault acts where traffic is counted: truth and seen are two */
    bool masks_lie;              /* a fault acts where masks are obeyed                         */
    bool alone;                  /* processors are driven one at a time, so that caches need no locks */
    /* from the enumeration */
    uint32_t rmids /* of an L3 */, rmids_any /* of PQR_ASSOC */, rmid_bits /* of those */, scale, mbm_width, events;
    uint32_t mbm_threshold, mbm_factor;  /* RMIDs above lack this factor, in millionths (BDF102, SKX99)   */
    bool overflow_bit;                   /* of QM_CTR                                                     */
    uint32_t clos_max;                   /* highest class of any resource                                 */
    uint32_t l3_clos, l2_clos, mba_clos; /* how many classes each has; 0: the part lacks it         */
    uint32_t l3_way_mask, l2_way_mask;
    uint32_t l3_group;                       /* mask bits that move together                                   */
    bool l3_cdp, l2_cdp, l3_holes, l2_holes; /* may masks have holes                                         */
    uint32_t io_qos_bits;                    /* of IA32_L3_IO_QOS_CFG; 0: it is not there                    */
    uint32_t mba_max;                        /* greatest delay                                                */
    bool mba_linear;
    bool mba_own;                       /* each thread has its own delay, MBA_CFG has no say          */
    bool core_capabilities;             /* MSR CFH exists                                                */
    uint32_t bw_bits, bw_clos;          /* AMD bandwidth enforcement: bits of a ceiling, classes         */
    uint32_t slow_bits, slow_clos;      /* the same for slow memory                                     */
    uint32_t amd_features;              /* 80000020H.0:EBX                                              */
    uint32_t event_bits, abmc_counters; /* kinds of transfers to choose from; counters to assign        */
    bool abmc_by_class;                 /* and they can follow a class                                  */
    uint32_t event_types[2];            /* what total and local bandwidth count at reset                */
    _Atomic uint64_t *activity;         /* [packages][rmids]: telemetry; NULL: the part has none             */
    bool rmids_split;                   /* SNC: RMIDs are divided over the nodes of a package            */
    /* caches: model_shape.c */
    struct cache_shape l1, l2, l3;
    uint32_t l2_stride; /* words of a set */
    uint32_t l3_slices, l3_entries /* of a set: ways and directory */, l3_block_bytes;
    uint32_t l3_turn_at, l3_hint_at; /* where struct l3_row's parts stand in a block */
    uint32_t l3_last;                /* entry that the last 16 of a set begin with; 0 where it has no more */
    bool slice_by_hash;              /* else slices take turns */
    uint32_t slice_start, slice_parts /* that clusters cut an L3 into */;
    uint8_t slice_table[5][256]; /* the hash, of each byte of a line's number */
    uint64_t slice_magic;        /* 2^64 / number that take turns: remainder_of() */
    uint32_t channels, channel_mask /* UINT32_MAX: no power of 2 */;
    uint32_t
        channel_shares; /* of an interleave, each channel one; else those from the last channel on are the first ones' */
    uint64_t channel_magic;
    uint32_t prefetch; /* PREFETCH_*: the prefetchers that act */
    struct cpu *cpu;
    struct domain *domain;
    struct package *package;
    struct node_counts *node; /* [slices][MODEL_MAX_NODES]: memory_cas(), memory_lines() */
    struct near_memory *near; /* [nodes]: what caches their memory (model_near.c); NULL: nothing does */
    struct slice_lock slice_lock[MODEL_MAX_SLICES];
    struct clock_queues queues;
    struct memory_range memory[MODEL_MAX_RANGES];
    uint32_t n_memory;
    bool memory_alone; /* one of them is */
    bool interleaved;  /* over the packages, all of it */
    struct {
        _Atomic uint64_t tsc;
        _Atomic uint32_t domain;
    } race; /* FAULT_QM_READ_RACE: the read before */
    /* A register asked for it once: see address_match, thread_tor, home_watch. */
    _Atomic bool match_armed, threads_watched, home_watched;
    _Atomic uint64_t msr_reads, msr_writes, msr_faults;
};

/* Is this node one of the package's? */
static inline bool node_is_of(const struct model *m, uint32_t node, uint32_t package)
{
    return node - package * m->clusters < m->clusters;
}

/* Ticks that the processor's TSC lags the first package's (FAULT_TSC_OFFSET). */
uint64_t model_tsc_behind(const struct model *m, uint32_t cpu);

/* As model_access(), and says where the (last) line was found. */
enum cache_level model_access_level(struct model *m, uint32_t cpu, uint64_t physical, uint32_t bytes,
                                    enum model_kind kind);
/* An SMI on every processor: counts in MSR 34H. */
void model_smi(struct model *m);

/* Register families; each answers MODEL_NOT_MINE for a register that it does not have. */
enum model_answer rdt_read(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t *value);
enum model_answer rdt_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t value);
/* Parts of it, under the domain's lock. */
enum model_answer rdt_qm_read(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t *value);
enum model_answer rdt_qm_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t value);
/* The threshold and factor of errata BDF102 and SKX99 for the model's number of RMIDs. */
void rdt_qm_errata(struct model *m);
/* Has the machine an overflow flag in QM_CTR, which a fault breaks? */
bool rdt_qm_flag_broken(const struct model *m);
enum model_answer rdt_alloc_read(struct model *m, struct cpu *c, uint32_t msr, uint64_t *value);
enum model_answer rdt_alloc_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t value);
void rdt_alloc_reset(struct model *m);
/* What the machines of some faults have beyond the recorded part: their words of leaf 10H, their registers. */
void rdt_levels_leaf(const struct model *m, uint32_t subleaf, uint32_t regs[4]);
void rdt_levels_reset(struct model *m);
uint64_t rdt_levels_capabilities(const struct model *m); /* IA32_CORE_CAPABILITIES */
enum model_answer rdt_levels_read(const struct model *m, const struct cpu *c, uint32_t msr, uint64_t *value);
enum model_answer rdt_levels_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t value);
enum model_answer rdt_amd_read(const struct model *m, struct cpu *c, uint32_t msr, uint64_t *value);
enum model_answer rdt_amd_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t value);
void rdt_amd_reset(struct model *m);
/* RDT registers in memory: `at` counts from the window's start (model_bus.c), for processors of no L3 in particular. */
void rdt_erdt_reset(struct model *m);
uint64_t rdt_erdt_bytes(const struct model *m);
uint64_t rdt_erdt_base(const struct model *m); /* after the boxes in the window */
uint64_t rdt_erdt_read(struct model *m, uint64_t at, uint32_t bytes);
void rdt_erdt_write(struct model *m, uint64_t at, uint32_t bytes, uint64_t value);
/* What QM_CTR and MMIO show of an RMID: counts of the L3's occupancy; lines moved that are local, or not. */
uint64_t rdt_occupancy(struct model *m, struct domain *p, uint32_t rmid);
/* What the counter of this number has counted: lines. c's L3. */
uint64_t rdt_abmc_lines(const struct model *m, const struct cpu *c, uint32_t counter);
/* The counter that follows this RMID and counts what bandwidth event `which` (0 total, 1 local) does; abmc_counters: none.
 */
uint32_t rdt_abmc_counter_of(const struct model *m, const struct domain *p, uint32_t rmid, uint32_t which);
/* Bandwidth of an L3's RMIDs is counted from 0 again. */
void rdt_bandwidth_clear(struct model *m, struct domain *p);
/* Bandwidth of an RMID is counted from 0 again, and Unavailable when it is read first. */
void rdt_bandwidth_restart(struct model *m, struct domain *p, uint32_t rmid);
/* Quirks of real counters: model_quirks.c, under the domain's lock. What a reader is shown of so many counts; whether
 * the bandwidth of an RMID is counted; an RMID has come to a processor. */
uint64_t quirk_trail(const struct model *m, struct mbm_trail *t, uint64_t counts, uint64_t tsc);
bool quirk_is_tracked(struct model *m, struct domain *p, uint32_t rmid);
void quirk_track(struct model *m, struct domain *p, uint32_t rmid);
/* A bandwidth event of an L3 counts these types from now on, from 0, and is Unavailable once: RMID by RMID. keep (a
 * fault): it continues from the count before. which: 0 total, 1 local. */
void rdt_events_choose(struct model *m, struct domain *p, uint32_t which, uint32_t types, bool keep);
void core_pmu_reset(struct model *m);
enum model_answer errors_read(const struct model *m, const struct cpu *c, uint32_t msr, uint64_t *value);
enum model_answer residency_read(const struct model *m, const struct cpu *c, uint32_t msr, uint64_t tsc,
                                 uint64_t *value);
enum model_answer residency_write(const struct model *m, uint32_t msr);
enum model_answer core_pmu_read(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t *value);
enum model_answer core_pmu_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t value);
/* What leaves 0FH and 10H say, without regard to faults, into the model's fields. */
void rdt_learn(struct model *m);
/* State at power-on. */
void rdt_reset(struct model *m);
/* Quirks left-*: what software that ran before left. */
void rdt_left(struct model *m);
/* A processor's PQR_ASSOC holds this legal value. A class of an L3 has this delay. Counters of an L3 are assignable;
 * assign: and follow an RMID each. */
bool rdt_stricken(const struct model *m, enum fault_id id, const struct cpu *c); /* is this processor the fault's? */
void rdt_associate(struct model *m, struct cpu *c, uint64_t value);
/* The processor's RMID is about to change: what it did until now is this one's (model_telemetry.c). */
void telemetry_account(struct model *m, struct cpu *c);
void rdt_delay_put(const struct model *m, struct domain *p, uint32_t clos, uint32_t delay);
void rdt_amd_assignable(struct model *m, struct domain *p, bool assign);
/* Range reservation of an L3: the registers' values. */
void rdt_range_set(struct model *m, struct domain *p, uint64_t base, uint64_t limit, uint32_t ways);
/* A processor comes back from an SMI: what faults pqr-smi-* do to its PQR_ASSOC. */
void rdt_smi(struct model *m, struct cpu *c);
/* The tag after what a narrow tag memory does to it (FAULT_RMID_ALIASING). */
uint32_t rdt_alias(const struct model *m, uint32_t rmid);
/* The mask of a class in the L3, for data or code; and the ways that it may fill: the same but for faults (m->masks_lie). */
#define QOS_CFG_CDP BIT(0) /* of l3_qos_cfg */
static inline uint32_t rdt_class_mask(const struct domain *p, uint32_t clos, bool code)
{
    uint32_t n = atomic_load_explicit(&p->l3_qos_cfg, memory_order_relaxed) & QOS_CFG_CDP ? 2 * clos + code : clos;

    return atomic_load_explicit(&p->l3_mask[n % MODEL_MAX_CLOS], memory_order_relaxed);
}
uint32_t rdt_fill_mask(const struct model *m, const struct domain *p, uint32_t clos, bool code);
/* The same once range reservation has kept its ways for the lines of its range. 0: a line gets none. */
uint32_t rdt_range_mask(const struct domain *p, uint64_t line, uint32_t mask);
/* SNC: the counter that a line of this home node is counted by in domain p when it is tagged rmid; m->rmids: none. The
 * slices of a node have counters for a share of the physical RMIDs only. */
uint32_t rdt_slot(const struct model *m, const struct domain *p, uint32_t rmid, uint32_t home);
/* Whether an address without a register of the part raises #GP: the blocks of RDT and of uncore monitors. */
bool msr_block_is_ours(const struct model *m, uint32_t msr);
/* IA32_BIOS_SIGN_ID once CPUID(1) has loaded the revision: 63:32; on AMD the patch level in 31:0. */
uint64_t microcode_of(const struct model *m, const struct cpu *c);

/* The node that a line is home to. */
uint32_t cache_home(const struct model *m, uint64_t line);
/* Whether it lies in memory of a node without processors. */
bool cache_alone(const struct model *m, uint64_t line);
/* The channel of its home node that a line lies on, 0 .. m->channels - 1. */
uint32_t cache_channel(const struct model *m, uint64_t line);
/* Every L3 line of the package with this tag gets another one (FAULT_RMID_RETAG). */
void cache_retag(struct model *m, struct domain *p, uint32_t from, uint32_t to);
/* Whatever an L3 has in a way leaves it and its cores. */
void cache_drop_way(struct model *m, struct domain *p, uint32_t way);

/* Quirks with time: model_time_quirks.c. SMIs that came to a processor until tsc, own thread; how long an access takes
 * that would take `ticks` without a throttle; the uncore's least ratio, that of a package now, in 100 MHz; ticks of the
 * TSC in which a package's uncore would have run as far at its greatest ratio; the same two of a core (core-clock). */
void quirk_smis(struct model *m, struct cpu *c, uint64_t tsc);
uint64_t quirk_throttled(const struct model *m, struct cpu *c, uint64_t now, uint64_t ticks);
uint32_t quirk_uclk_least(const struct model *m);
uint32_t quirk_uclk_now(const struct model *m, uint32_t package, uint64_t tsc);
uint64_t quirk_uclk_tsc(const struct model *m, uint32_t package, uint64_t tsc);
uint32_t quirk_core_now(const struct model *m, const struct cpu *c, uint64_t tsc);
uint64_t quirk_core_tsc(const struct model *m, const struct cpu *c, uint64_t tsc);
/* Bits that exist of the register that stops prefetchers: MSR 1A4H, AMD C0000108H. 0: the part has none. */
uint64_t prefetch_control_bits(const struct model *m);
/* What others than loads did until tsc (m->agents): DMA, patrol scrub, idle processors; so many SMIs of a processor; where. */
void cache_agents(struct model *m, uint64_t tsc);
/* Lines that the device of each package has written by DMA until tsc. */
uint64_t cache_device_lines(const struct model *m, uint64_t tsc);
void cache_smm(struct model *m, struct cpu *c, uint64_t smis);
void cache_agents_memory(struct model *m);
/* Time has passed until tsc: FAULT_L3_SHRINKS_IDLE. */
void cache_idle(struct model *m, uint64_t tsc);

/* What an L3 did for one RMID, by `book`: domain->truth or ->seen. part: a cluster of the package, which has its own
 * part of the slices (m->slice_parts of them): what is home to the cluster of that number; or ALL_PARTS. */
struct traffic_sum {
    uint64_t lines, moved[TRANSFERS][2];
};
#define ALL_PARTS UINT32_MAX
struct traffic_sum traffic_of(const struct model *m, const struct traffic *book, uint32_t rmid, uint32_t part);
/* The transfers among them of the kinds in types (COUNTS_*). */
uint64_t transfers_of(const struct traffic_sum *sum, uint32_t types);
static inline struct traffic *traffic_at(struct traffic *book, const struct model *m, uint32_t slice, uint32_t rmid)
{
    return &book[(size_t)slice * (m->rmids + 1) + rmid];
}
/* Dirty lines that this L3's side wrote to memory, lines that its processors stored past the caches. */
uint64_t cache_write_backs(const struct model *m, const struct domain *p);
uint64_t cache_nt_lines(const struct model *m, const struct domain *p);

/* CAS commands at one channel of a node; lines that a package read from, or wrote to, a node. */
uint64_t memory_cas(const struct model *m, uint32_t node, uint32_t channel, bool write);
/* Near memory of all nodes, where realism hbm-cache has some. */
void near_create(struct model *m);
/* With near memory, of whose channels there are as many as hbm_channels: lines read from or written to them, and to the
 * modules below them. What was asked of a node is memory_cas(). */
uint64_t near_lines(const struct model *m, uint32_t node, uint32_t channel, bool write);
uint64_t far_lines(const struct model *m, uint32_t node, uint32_t channel, bool write);
uint64_t memory_lines(const struct model *m, uint32_t node, uint32_t package, bool write);

/* Life, in this order: sizes (false: the profile's cannot be modelled), hash, each domain, each processor. */
bool cache_shapes(struct model *m);
void cache_seed(struct model *m);
void cache_quirks(struct model *m);
void cache_make(struct model *m, struct domain *p);
void cache_quirks_make(struct model *m, struct domain *p);
void cache_place(const struct model *m, struct cpu *c);
void cache_forget_places(struct cpu *c); /* homes have changed, which places follow */
void walk_make(struct model *m, struct cpu *c);
