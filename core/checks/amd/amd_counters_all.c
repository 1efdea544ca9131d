/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* All assignable bandwidth counters (ABMC) of an L3 at once: what each stores, what it counts, and what a read by RMID
 * returns. */
#include "arch/x86/rdt/qm.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/amd/amd_counters.h"
#include "core/checks/families.h"
#include "core/domain/alloc.h"
#include "core/experiment/monitor.h"

#define APM_ABMC       "APM vol. 2 19.3.3.3 Assignable Bandwidth Monitoring (ABMC)"
#define SETTLED_COUNTS 64u /* that code and page walks may add between two reads of one count */
/* The streams are short, so that 32 of them take no minute, and a part that samples is off by more than in a long one:
 * what is looked for of one counter is off by a quarter or more. mbm.total judges a counter by a long stream. Of many
 * counters the mean scatters less: those with a bit of their number against the others, by so many streams. */
#define SHORT_SHARE 0.25
#define GROUP_LOADS 8u
#define GROUP_LEAST 4u

struct counters {
    uint32_t domain, cpu, n;
    uint32_t rmids[QM_COUNTERS_MOST];
    uint64_t base, slice;
    uint64_t types[2]; /* of the present assignment: of counters of even numbers, and of odd ones */
    bool disabled;     /* CtrEn is 0 */
    bool by_cos;       /* counter n counts COS n + 1, and all loads have the first RMID */
    uint64_t before[QM_COUNTERS_MOST], counts[QM_COUNTERS_MOST];
};

/* Counters whose numbers differ in one bit count different sums: shared storage and a stuck bit of CtrID show. */
static uint64_t bytes_of(const struct counters *k, uint32_t counter)
{
    return k->slice * (1 + count_bits(counter) % 2);
}

static uint64_t assignment_of(const struct counters *k, uint32_t counter)
{
    return L3_QOS_ABMC_CFG_CFG_EN | (k->disabled ? 0 : L3_QOS_ABMC_CFG_CTR_EN) |
           field_put(L3_QOS_ABMC_CFG_CTR_ID, counter) | (k->by_cos ? L3_QOS_ABMC_CFG_IS_COS : 0) |
           field_put(L3_QOS_ABMC_CFG_BW_SRC, k->by_cos ? counter + 1 : k->rmids[counter]) |
           field_put(L3_QOS_ABMC_CFG_BW_TYPE, k->types[counter % 2]);
}

/* What L3_QOS_ABMC_DSC returns for a counter: with cfg_en it is assigned first, else it is selected and keeps what it
 * has. */
static enum status judge_description(struct check *c, struct counters *k, uint32_t counter, bool cfg_en)
{
    const uint64_t fields = L3_QOS_ABMC_CFG_CTR_EN | L3_QOS_ABMC_CFG_CTR_ID | L3_QOS_ABMC_CFG_IS_COS |
                            L3_QOS_ABMC_CFG_BW_SRC | L3_QOS_ABMC_CFG_BW_TYPE;
    uint64_t assigned = assignment_of(k, counter), echo = 0;
    uint64_t value = cfg_en ? assigned : field_put(L3_QOS_ABMC_CFG_CTR_ID, counter);
    enum status st = amd_assign(c, k->cpu, value, &echo);
    bool good = st == ST_OK && !(echo & L3_QOS_ABMC_DSC_CFG_ERR) && ((echo ^ assigned) & fields) == 0;

    if (st != ST_OK && st != ST_FAULT)
        return check_unmeasured(c, st, k->cpu, "L3_QOS_ABMC_CFG");
    if (!good || counter == 0) {
        evidence_wrmsr(c, k->cpu, L3_QOS_ABMC_CFG, value, st, 0);
        evidence_msr(c, k->cpu, L3_QOS_ABMC_DSC, echo, 0);
    }
    if (!good)
        finding(c, FINDING_UNUSUAL, 0, st == ST_FAULT ? FOUND_LEGAL_REFUSED : FOUND_NOT_STORED,
                place_with(place_domain(k->domain), PLACE_COUNTER, counter),
                "assigned by 0x%lx, and %s L3_QOS_ABMC_DSC is 0x%lx (%s)", assigned,
                cfg_en ? "then" : "after all counters were assigned", echo, status_text(st));
    return ST_OK;
}

static enum status assign_all(struct check *c, struct counters *k, uint64_t even, uint64_t odd)
{
    k->types[0] = even;
    k->types[1] = odd;
    for (uint32_t i = 0; i < k->n; i++)
        TRY(judge_description(c, k, i, true));
    for (uint32_t i = 0; i < k->n; i++)
        TRY(judge_description(c, k, i, false));
    return ST_OK;
}

#define COUNTER_TRIES 5u

static enum status read_all(struct check *c, struct counters *k, uint64_t *counts)
{
    struct qm_domain *q = domain_qm(c, k->domain);

    for (uint32_t i = 0; i < k->n; i++) {
        enum status st = ST_UNAVAILABLE;
        struct qm_sample s = { 0 };
        bool refused;

        for (uint32_t t = 0; t < COUNTER_TRIES && st == ST_UNAVAILABLE; t++)
            st = qm_read_assigned(c->platform, q, i, &s);
        refused = st == ST_QM_ERROR || st == ST_FAULT;
        if (refused && !k->disabled) /* what a counter that counts nothing reads is not documented */
            finding(c, FINDING_UNUSUAL, 0, FOUND_ERROR_OF_LEGAL, place_with(place_domain(k->domain), PLACE_COUNTER, i),
                    "a read of the assigned counter: %s", status_text(st));
        else if (!refused && st != ST_OK && st != ST_UNAVAILABLE)
            return check_unmeasured(c, st, q->cpu, "IA32_QM_CTR");
        counts[i] = s.counts;
    }
    return ST_OK;
}

/* Each RMID or COS reads its bytes from memory, one after the other on one processor. */
static enum status load_all(struct check *c, struct counters *k)
{
    struct traffic_part parts[QM_COUNTERS_MOST];
    struct traffic_load load = { .cpu = k->cpu, .n_parts = k->n, .parts = parts };
    uint64_t at = k->base;
    uint32_t bad = k->cpu;

    for (uint32_t i = 0; i < k->n; i++) {
        parts[i] = part_read(k->rmids[k->by_cos ? 0 : i], at, bytes_of(k, i));
        if (k->by_cos)
            parts[i].clos = i + 1;
        at += bytes_of(k, i);
    }
    TRY_MEASURE(c, traffic_run(c->platform, &load, 1, c->machine->prefetch, NULL, &bad), bad,
                "the load of assigned counters");
    return ST_OK;
}

static double counted(const struct check *c, const struct counters *k, uint32_t i)
{
    const struct qm_domain *q = &c->tools->qm[k->domain];

    return (double)qm_bytes(q, qm_delta(k->before[i], k->counts[i], q->counter_width));
}

/* reads: whether the assigned types have reads. least, most: over the bytes that the counter's RMID read. */
static void judge_counts(struct check *c, const struct counters *k, bool reads)
{
    const double unit = c->machine->domains[k->domain].upscaling_factor, least = reads ? 1 - SHORT_SHARE : 0;
    const double most = reads ? 1 + SHORT_SHARE : SHORT_SHARE;
    double low = NO_BOUND, high = 0;
    uint32_t low_at = 0, high_at = 0;

    for (uint32_t i = 0; i < k->n; i++) {
        double bytes = (double)bytes_of(k, i), ratio = counted(c, k, i) / bytes;
        struct place place = place_with(place_domain(k->domain), PLACE_COUNTER, i);

        if (ratio < low) {
            low = ratio;
            low_at = i;
        }
        if (ratio > high) {
            high = ratio;
            high_at = i;
        }
        if (ratio + unit / bytes >= least && ratio - unit / bytes <= most)
            continue;
        finding(c, FINDING_UNUSUAL, 0, ratio < least ? FOUND_UNDERCOUNTS : FOUND_OVERCOUNTS, place,
                "%s %u read %lu bytes, and the counter with types 0x%lx%s counted %lu bytes",
                k->by_cos ? "COS" : "RMID", k->by_cos ? i + 1 : k->rmids[i], bytes_of(k, i), k->types[i % 2],
                k->disabled ? " and CtrEn 0" : "", (uint64_t)counted(c, k, i));
    }
    check_show(c, reads ? "smallest count over bytes read" : "smallest count without reads over bytes read",
               place_with(place_domain(k->domain), PLACE_COUNTER, low_at), low, "ratio");
    check_show(c, reads ? "largest count over bytes read" : "largest count without reads over bytes read",
               place_with(place_domain(k->domain), PLACE_COUNTER, high_at), high, "ratio");
    if (reads)
        excludes(c, "a loss of one counter", 100 * (low - least), "%");
    else
        excludes(c, "types ignored by one counter", 100 * (most - high), "%");
}

/* "that counter's value will be returned when reading QM_CTR" by the RMID and the event of the same types. */
static enum status judge_by_rmid(struct check *c, const struct counters *k)
{
    struct qm_domain *q = domain_qm(c, k->domain);

    for (uint32_t i = 0; i < k->n; i++) {
        enum qm_event event = k->types[i % 2] == k->types[0] ? QM_EVENT_L3_TOTAL : QM_EVENT_L3_LOCAL;
        struct qm_sample s = { 0 };
        enum status st = qm_read_wait(c->platform, q, k->rmids[i], event, COUNTER_TRIES, &s, NULL);
        bool same = st == ST_OK && qm_delta(k->counts[i], s.counts, q->counter_width) <= SETTLED_COUNTS;

        if (st == ST_LOST || st == ST_TIMEOUT)
            return check_unmeasured(c, st, q->cpu, "IA32_QM_CTR");
        if (!same)
            finding(c, FINDING_UNUSUAL, 0, FOUND_OTHER_RMID_READ, place_with(place_domain(k->domain), PLACE_COUNTER, i),
                    "the counter has 0x%lx counts, a read by its RMID %u and EvtID %u has 0x%lx (%s)", k->counts[i],
                    k->rmids[i], (uint32_t)event, s.counts, status_text(st));
    }
    evidence_swept(c, "counts of assigned counters read by RMID and event", k->n);
    return ST_OK;
}

static void settle(struct check *c)
{
    for (uint32_t step = 0; domain_settle_wait(c, step); step++)
        ;
}

/* Lines that loads before left dirty are victims of their RMIDs: they leave before the first read. */
static enum status count_all(struct check *c, struct counters *k)
{
    uint32_t bad = k->cpu;

    TRY_MEASURE(c, domain_clean(c, k->domain, &bad), bad, "the load of assigned counters");
    settle(c);
    TRY(read_all(c, k, k->before));
    TRY(load_all(c, k));
    settle(c);
    return read_all(c, k, k->counts);
}

/* What the counters with this bit in their number count over what the others do, of the bytes read; 1 where they are few. */
static double group_over_others(const struct counters *k, const double *ratios, uint32_t bit)
{
    double sum[2] = { 0 };
    uint32_t n[2] = { 0 };

    for (uint32_t i = 0; i < k->n; i++) {
        sum[i >> bit & 1] += ratios[i];
        n[i >> bit & 1]++;
    }
    return n[0] < GROUP_LEAST || n[1] < GROUP_LEAST || sum[0] <= 0 ? 1 : sum[1] / n[1] / (sum[0] / n[0]);
}

/* The first bit whose counters differ by more than T_bw; 0, which tells types apart: none. */
static uint32_t uneven_bit(const struct counters *k, const double *ratios)
{
    for (uint32_t bit = 1; k->n >> bit; bit++) {
        double over = group_over_others(k, ratios, bit);

        if (over < 1 - BW_SHARE || over > 1 + BW_SHARE)
            return bit;
    }
    return 0;
}

static void add_ratios(const struct check *c, const struct counters *k, double *ratios)
{
    for (uint32_t i = 0; i < k->n; i++)
        ratios[i] += counted(c, k, i) / (double)bytes_of(k, i);
}

static enum status judge_groups(struct check *c, struct counters *k)
{
    double ratios[QM_COUNTERS_MOST] = { 0 };
    uint32_t bit;

    add_ratios(c, k, ratios);
    if (uneven_bit(k, ratios) == 0)
        return ST_OK;
    for (uint32_t i = 0; i < GROUP_LOADS; i++) {
        TRY(count_all(c, k));
        add_ratios(c, k, ratios);
    }
    bit = uneven_bit(k, ratios);
    if (bit != 0)
        finding(c, FINDING_UNUSUAL, 0, FOUND_COUNTERS_DIFFER, place_domain(k->domain),
                "counters with bit %u in their number count %lu %% of the others under equal loads", bit,
                (uint64_t)(100 * group_over_others(k, ratios, bit) + 0.5));
    return ST_OK;
}

/* CtrEn 0: no counter counts what it is assigned to. */
static enum status judge_disabled(struct check *c, struct counters *k, uint64_t types)
{
    k->disabled = true;
    TRY(assign_all(c, k, types, types));
    TRY(count_all(c, k));
    judge_counts(c, k, false);
    k->disabled = false;
    return ST_OK;
}

/* IsCOS: BwSrc is a COS, and its RMIDs do not matter. As many counters as there are classes beside 0. */
static enum status judge_by_cos(struct check *c, struct counters *k, uint64_t types)
{
    k->by_cos = true;
    k->n = k->n < reference_rdt(c)->max_clos ? k->n : reference_rdt(c)->max_clos;
    TRY(assign_all(c, k, types, types));
    TRY(count_all(c, k));
    if (k->n > 0)
        judge_counts(c, k, true);
    return ST_OK;
}

static enum status judge_all(struct check *c, uint32_t domain, uint32_t cpu)
{
    const struct rdt_info *rdt = reference_rdt(c);
    struct counters k = { .domain = domain, .cpu = cpu, .slice = load_slice_bytes(c, domain) / 2 };
    uint64_t all = rdt_event_reset(rdt, QOS_EVT_CFG_TOTAL_RESET), sum;
    uint64_t fewer = all & ~(QOS_EVT_CFG_LCL_FILL | QOS_EVT_CFG_VICTIM_BW), local = all;

    k.n = domain_rmids_apart(c, domain, true, k.rmids, rdt->abmc_counters); /* BwSrc holds every bit of an RMID */
    if (k.n < rdt->abmc_counters)
        check_note(c, "L3 domain %u: %u free RMIDs for %u counters", domain, k.n, rdt->abmc_counters);
    sum = SUM_OF(uint64_t, i, k.n, bytes_of(&k, i));
    if (k.n < 2)
        return check_absent(c, "L3 domain %u: fewer than two free RMIDs", domain);
    TRY(memory_scatter_local(c, cpu, sum, &k.base));
    if (!memory_is_local(c, cpu))
        fewer &= ~(uint64_t)QOS_EVT_CFG_RMT_FILL;
    else if (rdt->local)
        local = rdt_event_reset(rdt, QOS_EVT_CFG_LOCAL_RESET);
    TRY(assign_all(c, &k, all, local));
    TRY(count_all(c, &k));
    judge_counts(c, &k, true);
    TRY(judge_by_rmid(c, &k));
    if (c->state->record.n_findings == 0)
        TRY(judge_groups(c, &k));
    TRY(assign_all(c, &k, fewer, fewer));
    TRY(count_all(c, &k));
    judge_counts(c, &k, false);
    TRY(judge_disabled(c, &k, all));
    return rdt->leaf8000_0020[5].regs.ecx & CPUID_8000_0020_5_ECX_COS ? judge_by_cos(c, &k, all) : ST_OK;
}

static enum status check_assign_all(struct check *c, struct qm_domain *qm)
{
    return amd_with_abmc(c, qm->index, judge_all);
}

static const struct check_row rows[] = {
    { .id = "amd.assign-all",
      .title = "Every assignable counter stores its assignment and counts its RMID and types alone",
      .covers = "AM-05",
      .detects = "a dead counter, counters that share storage, a stuck bit of CtrID, types, RMID, COS or CtrEn that "
                 "are ignored",
      .means = "Linux, which reads these counters, reports another group's bandwidth, or none",
      .next = "the counter in the finding: whether its assignment was stored; counters whose number differs in one bit",
      .ready = amd_abmc_ready,
      .run_qm = check_assign_all },
};
CHECK_FAMILY(amd_counters_all, rows, AMD_FAMILY("ABMC"), .spec = APM_ABMC, .needs = NEED_AMD_ABMC | NEED_TOTAL,
             .risk = RISK_WORKLOAD, .grade = GRADE_W, .rests_on = RESTS_ON_BANDWIDTH, .order = 121, .slow = true,
             .by_experience = true, .excludes = true);
