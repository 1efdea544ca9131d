/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/domain/domains.h: processors, RMIDs and caches of an L3 domain, and tolerances of what is measured there. */
#pragma once
#include "core/check/check.h"
#include "core/tools/tools.h"

/* --- tolerances (docs/tolerances.md) ------------------------------------------------------------------------------ */
#define OCC_SHARE         0.15  /* T_occ: Linux selftests/resctrl cmt_test.c                                     */
#define OCC_OVER          0.05  /* of the L3, that a count which is an estimate may lie beyond its size             */
#define OCC_OVER_ESTIMATE 0.5   /* the same where occupancy is approximate by design (APM vol. 2 19.3.2)           */
#define OCC_TWICE         1.75  /* twice the bytes, less what an L2 may hold of them                               */
#define OCC_BYTES         2e6   /* T_occ: or this much, whichever is more                                        */
#define OCC_FINE_LOSS     0.015 /* of what is in the L3 without doubt: docs/tolerances.md, fills                   */
#define OCC_FINE_OTHER    0.01  /* of a fill, under RMIDs that did not fill                                       */
#define DEAD_SHARE        (1 / 16.0) /* less than this of what it should count: nothing, or something else            */
#define BW_SHARE          0.08       /* T_bw: Linux selftests/resctrl mbm_test.c                                      */
#define BW_FINE_LOSS      0.01 /* nothing that is documented takes from a count: docs/tolerances.md, finer bands    */
#define BW_FINE_EXCESS    0.02 /* page walks and code are counted with it                                          */
#define LOCAL_LEAST       0.92 /* MB-05: of what is read from memory of the same node                         */
#define REMOTE_MOST       0.08 /* MB-06: of what is read from memory of another package, as local                */
#define IDLE_BYTES        10e6 /* MB-01, XC-05: what an RMID without a task may move in a second                */
/* Of what was read from memory MBM of an Intel part counts so much at least: the largest factor by which an erratum's table
 * corrects it is 1.454545 (Linux arch/x86/kernel/cpu/resctrl/monitor.c, mbm_cf_table, of BDF102 and SKX99), and T_bw. */
#define MBM_LEAST ((1 - BW_SHARE) / 1.454545)
/* No part may count so little or so much of what it should count: nothing, or it twice. */
static inline bool never_counts(double counted, double expected)
{
    return counted < DEAD_SHARE * expected || counted > (2 - BW_SHARE) * expected;
}
#define MIB           (UINT64_C(1) << 20)
#define ROUND_DOWN(x) ((x) & ~UINT64_C(0xFFF))

/* --- who and where ------------------------------------------------------------------------------------------------ */

/* Processors of an L3 domain that take work: first one thread of each core, then their siblings, the boot processor and
 * its siblings last (it runs Assay between the steps). Returns how many; at most max are stored. */
uint32_t domain_cpus(const struct check *c, uint32_t domain, uint32_t *cpus, uint32_t max);
/* All of them, in memory of the check. NULL: ST_NO_MEMORY, and check_unmeasured() has said why. */
uint32_t *domain_all_cpus(struct check *c, uint32_t domain, uint32_t *n);
/* Of n processors the first of each core: to the beginning of cpus[]. Returns how many they are. */
uint32_t domain_one_a_core(const struct check *c, uint32_t *cpus, uint32_t n);

/* No document says how soon bandwidth that was moved is counted: a count that is not as expected is read again after
 * each of these waits, in ms, before it is judged. */
#define SETTLE_STEPS 3u
extern const uint32_t settle_ms[SETTLE_STEPS];
/* The wait of that step; false: there is none any more. */
bool domain_settle_wait(const struct check *c, uint32_t step);

/* Threads of one core. */
bool domain_same_core(const struct check *c, uint32_t a, uint32_t b);
/* A processor of the domain on another core than `cpu`, itself where there is none: threads of one core share L1
 * and L2. */
uint32_t domain_other_core(const struct check *c, uint32_t domain, uint32_t cpu);

/* Another thread of the same core, above `cpu`, that takes work. UINT32_MAX: there is none. */
uint32_t domain_sibling(const struct check *c, uint32_t cpu);
/* The first thread of each core that has such a sibling. Returns how many; at most max are stored. */
uint32_t domain_sibling_pairs(const struct check *c, uint32_t domain, uint32_t first[], uint32_t max);
#define SIBLING_CORES 8u /* tried per domain, spread over it: pqr.siblings reads the registers of every core */

/* The QM registers of a domain, their reading processor replaced where it takes no more work. NULL: none does. */
struct qm_domain *domain_qm(struct check *c, uint32_t domain);

/* Up to `want` RMIDs that no processor has outside of loads, from 1 upwards. Where an erratum makes high RMIDs count
 * bandwidth wrong (BDF102, SKX99), only those at or below its lowest threshold. Returns how many. */
uint32_t domain_rmids(const struct check *c, uint32_t domain, uint32_t *rmids, uint32_t want);
/* The same for occupancy, which has no such erratum: all RMIDs. */
uint32_t domain_rmids_any(const struct check *c, uint32_t domain, uint32_t *rmids, uint32_t want);
/* RMIDs in which each bit was set, and in which it was clear, so far. */
struct rmid_bits {
    uint32_t set, clear;
};
/* Of pool[n_pool], in ascending order, the RMID that is not among rmids[n] and shows most bits for the first time; of
 * several the highest. It is stored in rmids[n], and its bits in *tried. Returns how many it shows for the first time. */
uint32_t domain_next_rmid(const uint32_t *pool, uint32_t n_pool, struct rmid_bits *tried, uint32_t *rmids, uint32_t n);
#define ALIAS_RMIDS 4u
/* RMIDs of which a load is looked for under all others: among them each bit is set once. 3, which has no neighbour of one bit's
 * difference that is 0, where firmware's traffic would hide it; the highest one; the highest one of which no bit is clear; 1
 * where processors have all of these; and 0. Returns how many. */
uint32_t domain_alias_rmids(const struct check *c, uint32_t domain, uint32_t rmids[ALIAS_RMIDS]);
/* Up to `want` of domain_rmids() or, any, of domain_rmids_any(), among which each bit is set and clear as soon as may be.
 * Returns how many. 0: there is none, or no memory for the list. */
uint32_t domain_rmids_apart(struct check *c, uint32_t domain, bool any, uint32_t *rmids, uint32_t want);
/* Whether some processor has this RMID in IA32_PQR_ASSOC outside of loads: background traffic counts under it. RMID 0
 * always is. */
bool domain_rmid_in_background(const struct check *c, uint32_t rmid);

/* Whether the reference processor enumerates any RDT resource, for checks whose needs are alternatives. */
bool reference_has_rdt(const struct check *c);
bool reference_is_intel(const struct check *c);
/* Whether it has core types: CPUID.7.0:EDX[15]. */
bool reference_is_hybrid(const struct check *c);
/* Bits that a bandwidth count of the L3 may have. */
uint32_t domain_count_bits(const struct check *c, uint32_t domain);
/* Size of one L2 data cache of the reference processor; 0: none is enumerated. */
uint64_t reference_l2_bytes(const struct check *c);
/* A buffer that an L3 holds, 2 to `times` times as large as an L2: within half of the L3, or where that is less than
 * two L2s (clusters of E-cores share 4 MiB and more) within three quarters of it. 0: the caches do not allow one. */
uint64_t domain_l3_resident_bytes(const struct check *c, uint32_t times);
/* Write back and invalidate: one processor where the L3 is inclusive, one thread of each core where it is not. */
MUST_CHECK enum status domain_clean(struct check *c, uint32_t domain, uint32_t *bad_cpu);

/* What the reference processor enumerates. */
static inline const struct rdt_info *reference_rdt(const struct check *c)
{
    return &c->machine->cpus[c->machine->reference].rdt;
}
/* The leaf as evidence, where the processor has it. */
void evidence_leaf(struct check *c, uint32_t cpu, uint32_t leaf, uint32_t subleaf, const struct rdt_leaf *l);
/* The selection of an event by d->cpu, and what was read. */
void evidence_qm(struct check *c, const struct qm_domain *d, uint32_t rmid, enum qm_event event,
                 const struct qm_sample *s);
static inline void evidence_qm_pair(struct check *c, const struct qm_domain *d, const struct qm_pair *pair)
{
    evidence_qm(c, d, pair->rmid, pair->event, &pair->sample);
}
