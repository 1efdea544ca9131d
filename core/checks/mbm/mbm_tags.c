/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Under whose RMID traffic is counted. Witness: who moved how much. */
#include "arch/x86/rdt/mbm_correction.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/measure/legacy.h"
#include "core/base/heap.h"
#include "core/base/text.h"

#define RDT_TAG "RDT Architecture Specification 356688 7.1.1.5 (the RMID at the time of the access is charged)"

/* --- MB-13, MB-11: the tag of the moment is charged --------------------------------------------------------------- */

static bool switching(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct test_buffer b;
    struct traffic_part parts[2];
    struct traffic_load load = { .n_parts = 2, .parts = parts };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };
    uint64_t half;

    if (!bench_local(c, domain, 2, stream_bytes(c, domain), &b, why))
        return false;
    half = ROUND_DOWN(b.bytes / 2);
    load.cpu = b.cpu;
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = part_read(b.rmids[i], b.base + i * half, half);
        r[i] = total_of(domain, b.rmids[i]);
        expect_bandwidth(c, &r[i], (double)half);
    }
    if (experiment_run(&e))
        experiment_judge(&e, "half the buffer was read under each of two RMIDs");
    return true;
}

LEGACY_DOMAIN(switching)

#define RMIDS_IN_A_WAVE 7u /* those below the erratum's lowest threshold */

static struct waves reads_of(struct check *c, uint32_t domain)
{
    return (struct waves){ .event = QM_EVENT_L3_TOTAL,
                           .at_once = RMIDS_IN_A_WAVE,
                           .bytes = 2 * slice_bytes(c, domain),
                           .name = "total bytes of cpu ",
                           .series = "total bytes counted over bytes read",
                           .share = BW_SHARE,
                           .defect = "its processor read a buffer under it" };
}

static bool every_thread(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct waves w = reads_of(c, domain);

    return legacy_took(c, waves_every_thread(c, domain, &w), why);
}

LEGACY_DOMAIN(every_thread)

/* MB-19: the threads of one core stream at the same time. */
static bool siblings(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct waves w = reads_of(c, domain);

    return legacy_took(c, waves_siblings(c, domain, &w), why);
}

LEGACY_DOMAIN(siblings)

/* --- MB-15: RMIDs are told apart ---------------------------------------------------------------------------------- */

static void judge_other_totals(struct check *c, const struct qm_domain *d, const struct qm_pair *before,
                               const struct qm_pair *after, uint32_t but, uint64_t stream)
{
    double most = 0, limit = (double)stream / 2 < IDLE_BYTES ? (double)stream / 2 : IDLE_BYTES;
    uint32_t most_rmid = 0, compared = 0;
    char where[64];

    for (uint32_t i = 0; i <= d->max_rmid; i++) {
        double bytes;

        if (i == but || rmid_in_background(c, i) || before[i].status != ST_OK || after[i].status != ST_OK)
            continue;
        bytes = (double)qm_bytes(d, qm_delta(before[i].sample.counts, after[i].sample.counts, d->counter_width));
        compared++;
        if (bytes > most) {
            most = bytes;
            most_rmid = i;
        }
    }
    text_format(where, sizeof where, "L3 domain %u, RMID %u beside RMID %u", d->index, most_rmid, but);
    evidence_swept(c, "total bandwidth of the other RMIDs", compared);
    if (measure(c, "most traffic of an RMID without a task", where, most, "bytes", 0, limit))
        return;
    evidence_msr(c, d->cpu, IA32_QM_CTR, before[most_rmid].sample.raw, before[most_rmid].sample.tsc);
    evidence_msr(c, d->cpu, IA32_QM_CTR, after[most_rmid].sample.raw, after[most_rmid].sample.tsc);
    fail(c, "%s: %llu bytes were read under RMID %u, and %llu are counted under RMID %u", where,
         (unsigned long long)stream, but, (unsigned long long)most, most_rmid);
}

static bool stream_and_look(struct check *c, uint32_t domain, uint32_t cpu, uint32_t rmid, uint64_t base,
                            uint64_t bytes)
{
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair *before = legacy_totals(c, d), *after = NULL;
    struct traffic_part part = part_read(rmid, base, bytes);
    struct reading r = reading_of("total bytes of the RMID that streams", domain, rmid, QM_EVENT_L3_TOTAL);
    struct experiment e;

    if (before && stream_run(c, cpu, &part, 1, &r, 1, &e))
        after = legacy_totals(c, d);
    if (after) {
        experiment_judge(&e, "a buffer was read under this RMID");
        judge_other_totals(c, d, before, after, rmid, bytes * e.n_runs);
    }
    return after != NULL;
}

/* As cmt.alias does for occupancy: every r XOR 2^k is among the others. */
static bool alias(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint32_t max = c->machine->domains[domain].max_rmid, tried[2] = { 3, max }, cpu = 0, n = 0;
    uint64_t bytes = stream_bytes(c, domain) / 2, base = 0;

    if (domain_cpus(c, domain, &cpu, 1) == 0 || !take_local(c, cpu, bytes, &base, why))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        if (tried[i] > max || rmid_in_background(c, tried[i]) || (i == 1 && max == tried[0]))
            continue;
        n++;
        if (!stream_and_look(c, domain, cpu, tried[i], base, bytes))
            break;
    }
    if (n == 0)
        text_format(why, WHY_SIZE, "L3 domain %u: RMIDs 3 and %u are in use, or not there", domain, max);
    return n > 0;
}

LEGACY_DOMAIN(alias)

/* --- MB-12: high RMIDs, where an erratum has their counts corrected ----------------------------------------------- */

/* The highest RMID against RMID 1, the same stream under both. Where no erratum is known, no factor is due. */
static bool high_rmid(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint32_t max = c->machine->domains[domain].max_rmid, cpu = 0, low = 0;
    struct mbm_correction known = mbm_correction_of(&c->machine->cpus[c->machine->reference].id, max + 1);
    uint64_t bytes = stream_bytes(c, domain) / 2, base = 0;
    struct traffic_part parts[2];
    struct reading r[2];
    struct experiment e;
    double factor = mbm_correction_factor(&known, max);
    char where[48];

    if (domain_rmids(c, domain, &low, 1) < 1 || domain_cpus(c, domain, &cpu, 1) == 0 || rmid_in_background(c, max) ||
        low == max)
        return text_format(why, WHY_SIZE, "L3 domain %u: no two free RMIDs, or no processor", domain), false;
    if (!take_local(c, cpu, 2 * bytes, &base, why))
        return false;
    parts[0] = part_read(low, base, bytes);
    parts[1] = part_read(max, base + bytes, bytes);
    r[0] = reading_of("total bytes under a low RMID", domain, low, QM_EVENT_L3_TOTAL);
    r[1] = reading_of("total bytes under the highest RMID, not corrected", domain, max, QM_EVENT_L3_TOTAL);
    expect_bandwidth(c, &r[0], (double)bytes);
    if (!stream_run(c, cpu, parts, 2, r, 2, &e))
        return true;
    experiment_judge(&e, "a buffer was read under this RMID");
    text_format(where, sizeof where, "L3 domain %u, RMID %u", domain, max);
    if (factor > 1 || factor < 1)
        note(c, "%s: %s: counts above RMID %u are multiplied with %u millionths", where, known.erratum, known.threshold,
             known.millionths);
    if (!measure(c, "bytes under the highest RMID, corrected, over those read", where,
                 factor * r[1].bytes / (double)bytes, "ratio", 1 - BW_SHARE, 1 + BW_SHARE))
        warn(c, "%s: %llu bytes were read, %llu are counted, %llu after the correction that is known", where,
             (unsigned long long)bytes, (unsigned long long)r[1].bytes, (unsigned long long)(factor * r[1].bytes));
    return true;
}

LEGACY_DOMAIN(high_rmid)

#define MEANS_USUAL "traffic is charged to the wrong RMID, or counted wrongly"
#define NEXT_USUAL  "`mbm.total` and `mbm.alias` first; the processor and RMID in the finding; `traffic.closure`"

static const struct check_row rows[] = {
    { .id = "mbm.switching",
      .title = "Each part of a stream is charged to the RMID of its moment",
      .spec = RDT_TAG,
      .rows = "MB-13",
      .detects = "a tag that acts late; requests under way under the wrong RMID",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 620,
      .run_domain = switching_status },
    { .id = "mbm.every-thread",
      .title = "Every logical processor's traffic is charged to its own RMID",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "MB-02 MB-11 AS-08",
      .detects = "an RMID ignored on one thread",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 620,
      .slow = true,
      .run_domain = every_thread_status },
    { .id = "mbm.siblings",
      .title = "Threads of one core stream under their own RMIDs at the same time",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "MB-19 AS-07",
      .detects = "one tag used for both threads of a core",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL | NEED_SMT,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 620,
      .run_domain = siblings_status },
    { .id = "mbm.alias",
      .title = "What one RMID moves is counted under no other",
      .spec = "SDM vol. 3B 17.16.1 (RMIDs are independent)",
      .rows = "MB-15",
      .detects = "counters selected with fewer bits than CPUID says, a shifted RMID",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 620,
      .run_domain = alias_status },
    { .id = "mbm.high-rmid",
      .title = "The highest RMID counts like a low one, after the correction that its erratum asks for",
      .spec = "Linux resctrl monitor.c, correction factors; errata BDF102, SKX99",
      .rows = "MB-12",
      .detects = "an erratum beyond what is documented",
      .means = "the correction for the published erratum does not fit this part",
      .next = "the erratum and the factor that the note names; `mbm.every-rmid` for where the step is",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 620,
      .run_domain = high_rmid_status },
};
CHECK_FAMILY(mbm_tags, rows);
