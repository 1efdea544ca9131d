/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AMD assignable bandwidth monitoring counters (ABMC): assignment, limit, and counts over a reassignment. Every
 * processor has the registers, and they act on the L3, so that each change is made on all of its processors. */
#include "arch/x86/rdt/qm.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/domain/alloc.h"
#include "core/checks/amd/amd_counters.h"
#include "core/load/loads.h"
#include "core/load/memory.h"
#include "core/platform/script.h"

#define APM_ABMC         "APM vol. 2 19.3.3.3 Assignable Bandwidth Monitoring Counters"
#define KEPT_MOST        0.25 /* of the count of the RMID before: the next one moves nothing, the count is kept or not */
#define COUNTER_TRIES    5u
#define ASSIGN_BUDGET_MS UINT64_C(1000)

/* The same value on every processor of the L3 that takes work, and of what each was found with the bits `kept`. Errors of
 * msr_write(); *bad_cpu is the last one written. */
static enum status amd_write_l3(struct check *c, uint32_t domain, uint32_t msr, uint64_t value, uint64_t kept,
                                uint32_t *bad_cpu)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < c->machine->n_cpus && st == ST_OK; i++) {
        if (c->machine->cpus[i].domain != domain || !cpu_takes_work(c->platform, i))
            continue;
        st = msr_write(c->platform, i, msr, value | (kept ? alloc_found(c, i, msr) & kept : 0));
        *bad_cpu = i;
    }
    return st;
}

enum status amd_write_types(struct check *c, uint32_t domain, uint32_t event, uint64_t types)
{
    uint32_t bad = 0;
    enum status st = amd_write_l3(c, domain, QOS_EVT_CFG(event), types, 0, &bad);

    evidence_wrmsr(c, bad, QOS_EVT_CFG(event), types, st, 0);
    if (st != ST_OK)
        finding(c, FINDING_UNUSUAL, 0, FOUND_LEGAL_REFUSED, place_cpu(bad),
                "WRMSR QOS_EVT_CFG_%u <- 0x%lx: %s, although BMEC is enumerated", event, types, status_text(st));
    return st;
}

/* --- AM-05, AM-08: assigned counters ------------------------------------------------------------------------------ */

/* Every transaction type that the part has: bits of other types must be zero. */
static uint32_t all_types(const struct check *c)
{
    struct cpuid_regs regs = { 0 };
    enum status st = cpu_cpuid(c->platform, c->machine->reference, 0x80000020, 3, &regs);
    uint32_t types = st == ST_OK ? regs.ecx & QOS_EVT_CFG_TOTAL_RESET : 0;

    return types ? types : QOS_EVT_CFG_TOTAL_RESET;
}

static uint64_t assignment(const struct check *c, uint32_t counter, uint32_t rmid)
{
    return L3_QOS_ABMC_CFG_CFG_EN | L3_QOS_ABMC_CFG_CTR_EN | field_put(L3_QOS_ABMC_CFG_CTR_ID, counter) |
           field_put(L3_QOS_ABMC_CFG_BW_SRC, rmid) | field_put(L3_QOS_ABMC_CFG_BW_TYPE, all_types(c));
}

enum status amd_assign(struct check *c, uint32_t cpu, uint64_t value, uint64_t *echo)
{
    struct step steps[] = { step_wrmsr_must(L3_QOS_ABMC_CFG, value), step_rdmsr(L3_QOS_ABMC_DSC) };

    TRY(script_run(c->platform, cpu, steps, 2, ASSIGN_BUDGET_MS));
    TRY(status_first(steps[0].status, steps[1].status));
    *echo = steps[1].value;
    return ST_OK;
}

/* The same with its evidence. */
static enum status assign(struct check *c, uint32_t cpu, uint64_t value, uint64_t *echo)
{
    enum status st = amd_assign(c, cpu, value, echo);

    evidence_wrmsr(c, cpu, L3_QOS_ABMC_CFG, value, st, 0);
    if (st == ST_OK)
        evidence_msr(c, cpu, L3_QOS_ABMC_DSC, *echo, 0);
    return st;
}

/* "Each logical processor has its own copy" of L3_QOS_ABMC_CFG: what another one of the L3 selects changes nothing here. */
static enum status judge_own_copy(struct check *c, uint32_t domain, uint32_t cpu)
{
    uint32_t cpus[2], other, bad;
    uint64_t echo = 0, own = 0;
    enum status st;

    if (domain_cpus(c, domain, cpus, 2) < 2 || reference_rdt(c)->abmc_counters < 2)
        return ST_OK;
    other = cpus[cpus[0] == cpu];
    st = assign(c, other, field_put(L3_QOS_ABMC_CFG_CTR_ID, 1), &echo); /* CfgEn 0: it is looked at */
    bad = st == ST_OK ? cpu : other;
    if (st == ST_OK)
        st = msr_read(c->platform, cpu, L3_QOS_ABMC_CFG, &own);
    st = status_first(st, msr_write(c->platform, other, L3_QOS_ABMC_CFG, alloc_found(c, other, L3_QOS_ABMC_CFG)));
    if (st != ST_OK)
        return check_unmeasured(c, st, bad, "L3_QOS_ABMC_CFG");
    evidence_msr(c, cpu, L3_QOS_ABMC_CFG, own, 0);
    if (field_get(L3_QOS_ABMC_CFG_CTR_ID, own) != 0)
        finding(c, FINDING_UNUSUAL, 0, FOUND_REGISTER_SHARED, place_cpu(cpu),
                "L3_QOS_ABMC_CFG selects counter %lu after cpu %u has selected it: they share the register",
                field_get(L3_QOS_ABMC_CFG_CTR_ID, own), other);
    return ST_OK;
}

static enum status judge_assignment(struct check *c, uint32_t domain, uint32_t cpu)
{
    const uint64_t fields = L3_QOS_ABMC_CFG_CTR_EN | L3_QOS_ABMC_CFG_CTR_ID | L3_QOS_ABMC_CFG_IS_COS |
                            L3_QOS_ABMC_CFG_BW_SRC | L3_QOS_ABMC_CFG_BW_TYPE;
    uint32_t rmid = 0;
    uint64_t echo = 0, value;
    enum status st;

    if (!domain_rmids(c, domain, &rmid, 1))
        return check_absent(c, "L3 domain %u: no free RMID", domain);
    value = assignment(c, 0, rmid);
    st = assign(c, cpu, value, &echo);
    if (st != ST_OK)
        finding(c, FINDING_UNUSUAL, 0, FOUND_LEGAL_REFUSED, place_cpu(cpu),
                "assignment of counter 0 to RMID %u with ABMC enabled: %s", rmid, status_text(st));
    else if (echo & L3_QOS_ABMC_DSC_CFG_ERR)
        finding(c, FINDING_UNUSUAL, 0, FOUND_LEGAL_REFUSED, place_cpu(cpu),
                "assignment of counter 0 to RMID %u: L3_QOS_ABMC_DSC is 0x%lx, configuration error", rmid, echo);
    else if ((echo ^ value) & fields)
        finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_STORED, place_cpu(cpu),
                "L3_QOS_ABMC_CFG was written 0x%lx, L3_QOS_ABMC_DSC reads 0x%lx", value, echo);
    return st == ST_OK ? judge_own_copy(c, domain, cpu) : ST_OK;
}

/* "The E bit will be set [...] if an invalid counter ID was set in the QM_EVTSEL[RMID] field", which has room for numbers
 * that L3_QOS_ABMC_CFG.CtrID has none for. */
static enum status judge_read_limit(struct check *c, uint32_t domain, uint32_t beyond)
{
    struct qm_domain *q = domain_qm(c, domain);
    struct qm_sample s = { 0 };
    enum status st = qm_read_assigned(c->platform, q, beyond, &s);

    if (st == ST_LOST || st == ST_TIMEOUT)
        return check_unmeasured(c, st, q->cpu, "IA32_QM_CTR");
    if (st != ST_FAULT)
        evidence_msr(c, q->cpu, IA32_QM_CTR, s.raw, s.tsc);
    if (st != ST_FAULT && st != ST_QM_ERROR)
        finding(c, FINDING_UNUSUAL, 0, FOUND_NO_ERROR, place_domain(domain),
                "a read of counter %u is 0x%lx, without Error, and CPUID Fn8000_0020_EBX_x5 has counters 0 to %u",
                beyond, s.raw, beyond - 1);
    return ST_OK;
}

static enum status judge_counter_limit(struct check *c, uint32_t domain, uint32_t cpu)
{
    uint32_t beyond = reference_rdt(c)->abmc_counters;
    uint64_t echo = 0;

    if (beyond <= field_get(L3_QOS_ABMC_CFG_CTR_ID, L3_QOS_ABMC_CFG_CTR_ID) &&
        assign(c, cpu, assignment(c, beyond, 1), &echo) == ST_OK && !(echo & L3_QOS_ABMC_DSC_CFG_ERR))
        finding(c, FINDING_UNUSUAL, 0, FOUND_ILLEGAL_ACCEPTED, place_cpu(cpu),
                "assignment of counter %u raised neither #GP nor an error, CPUID Fn8000_0020_EBX_x5 has counters 0 to "
                "%u",
                beyond, beyond - 1);
    return judge_read_limit(c, domain, beyond);
}

/* --- AM-05: counts of an assigned counter ------------------------------------------------------------------------- */

/* The count of counter 0. Its first read may be Unavailable, which stands for 0 (APM vol. 2 19.3.3). */
static enum status counter_0(struct check *c, uint32_t domain, struct qm_sample *s)
{
    struct qm_domain *q = domain_qm(c, domain);
    enum status st = ST_UNAVAILABLE;

    for (uint32_t i = 0; i < COUNTER_TRIES && st == ST_UNAVAILABLE; i++) {
        st = qm_read_assigned(c->platform, q, 0, s);
        if (st == ST_OK || st == ST_UNAVAILABLE || st == ST_QM_ERROR)
            evidence_msr(c, q->cpu, IA32_QM_CTR, s->raw, s->tsc);
    }
    return st;
}

/* Of an assigned counter (ABMC), before and after its reassignment to another RMID. */
struct assigned_counts {
    uint32_t rmids[2]; /* the one that read, and the idle one of the reassignment                 */
    double read;       /* bytes that the first one read while the counter was its own              */
    double counted;    /* bytes that the counter had then                                        */
    double begins;     /* bytes that it had right after the reassignment                         */
};

/* Counter 0 of an L3, with a WARN where it did not count the bytes read, or else kept the count of the RMID before.
 * Source: APM vol. 2 19.3.3.3; row AM-05. */
static void judge(struct check *c, uint32_t domain, const struct assigned_counts *a)
{
    struct place place = place_with(place_domain(domain), PLACE_COUNTER, 0);

    if (!check_measure(c, "bytes counted over bytes read by its RMID", place, a->counted / a->read, "ratio",
                       COUNTED_LEAST, NO_BOUND)) {
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNDERCOUNTS, place,
                "assigned to RMID %u, which read %lu bytes, it counted %lu bytes", a->rmids[0], (uint64_t)a->read,
                (uint64_t)a->counted);
        return; /* no count that could be kept or cleared */
    }
    excludes_share(c, "a loss", a->counted, COUNTED_LEAST * a->read);
    excludes(c, "a count kept over a reassignment", 100 * (KEPT_MOST - a->begins / a->counted), "%");
    if (!check_measure(c, "first count of an idle RMID over that of the RMID before", place, a->begins / a->counted,
                       "ratio", 0, KEPT_MOST))
        finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_CLEARED, place,
                "reassigned to RMID %u, which is idle, it starts at %lu bytes; the count of RMID %u before was %lu "
                "bytes",
                a->rmids[1], (uint64_t)a->begins, a->rmids[0], (uint64_t)a->counted);
}

/* Counter 0 assigned to an RMID, and its count. */
static enum status assign_and_count(struct check *c, uint32_t domain, uint32_t cpu, uint32_t rmid, uint64_t *counts)
{
    uint64_t echo = 0;
    struct qm_sample s = { 0 };
    enum status st = assign(c, cpu, assignment(c, 0, rmid), &echo);

    if (st == ST_OK)
        st = counter_0(c, domain, &s); /* tracking begins */
    *counts = s.counts;
    return st;
}

/* Counter 0 counts a read of `bytes` from memory. */
static enum status count_read(struct check *c, uint32_t domain, uint32_t rmid, uint64_t base, uint64_t bytes,
                              uint32_t *cpu, uint64_t *counts)
{
    struct traffic_part part = part_read(rmid, base, bytes);
    struct traffic_load load = { .cpu = *cpu, .n_parts = 1, .parts = &part };
    struct qm_sample s = { 0 };
    enum status st = domain_clean(c, domain, cpu);

    if (st == ST_OK)
        st = traffic_run(c->platform, &load, 1, NULL, NULL, cpu);
    if (st == ST_OK)
        st = counter_0(c, domain, &s);
    *counts = s.counts;
    return st;
}

static enum status count_and_move(struct check *c, uint32_t domain, uint32_t cpu, struct assigned_counts *a)
{
    uint64_t bytes = load_stream_bytes(c, domain), base = 0, counted = 0, begins = 0;
    uint32_t unit = c->machine->domains[domain].upscaling_factor, bad = cpu;
    enum status st;

    if (domain_rmids(c, domain, a->rmids, 2) < 2)
        return check_absent(c, "L3 domain %u: fewer than two free RMIDs", domain);
    TRY(memory_scatter_any(c, cpu, bytes, &base));
    st = assign_and_count(c, domain, cpu, a->rmids[0], &counted);
    if (st == ST_OK || st == ST_UNAVAILABLE)
        st = count_read(c, domain, a->rmids[0], base, bytes, &bad, &counted);
    if (st == ST_OK)
        st = assign_and_count(c, domain, cpu, a->rmids[1], &begins);
    if (st != ST_OK && st != ST_UNAVAILABLE)
        return check_absent(c, "L3 domain %u, counter 0, cpu %u: %s", domain, bad, status_text(st));
    a->read = (double)bytes;
    a->counted = (double)counted * unit;
    a->begins = (double)begins * unit;
    return ST_OK;
}

static enum status judge_counting(struct check *c, uint32_t domain, uint32_t cpu)
{
    struct assigned_counts a = { 0 };

    TRY(count_and_move(c, domain, cpu, &a));
    judge(c, domain, &a);
    return ST_OK;
}

/* --- ABMC enabled, a rule, ABMC as found -------------------------------------------------------------------------- */

/* A counter that does not count, and L3_QOS_ABMC_CFG as found. */
static enum status free_counter_0(struct check *c, uint32_t cpu)
{
    enum status st = msr_write(c->platform, cpu, L3_QOS_ABMC_CFG, L3_QOS_ABMC_CFG_CFG_EN);

    st = status_first(st, msr_write(c->platform, cpu, L3_QOS_ABMC_CFG, alloc_found(c, cpu, L3_QOS_ABMC_CFG)));
    if (st != ST_OK)
        finding(c, FINDING_UNUSUAL, 0, FOUND_LEGAL_REFUSED, place_cpu(cpu), "counter 0 could not be freed: %s",
                status_text(st));
    return st;
}

enum status amd_with_abmc(struct check *c, uint32_t domain, amd_counter_rule rule)
{
    uint32_t cpu = 0, bad = 0;
    enum status st, judged = ST_OK;

    if (!domain_cpus(c, domain, &cpu, 1))
        return check_absent(c, "L3 domain %u: no processor takes work", domain);
    if (alloc_found(c, cpu, L3_QOS_EXT_CFG) & L3_QOS_EXT_CFG_ABMC_EN)
        return check_absent(c, "L3 domain %u: ABMC is enabled, as firmware left it", domain);
    st = amd_write_l3(c, domain, L3_QOS_EXT_CFG, L3_QOS_EXT_CFG_ABMC_EN, ~L3_QOS_EXT_CFG_ABMC_EN, &bad);
    if (st == ST_OK) {
        judged = rule(c, domain, cpu);
        judged = status_first(judged, free_counter_0(c, cpu));
    } else {
        finding(c, FINDING_UNUSUAL, 0, FOUND_LEGAL_REFUSED, place_cpu(bad),
                "WRMSR L3_QOS_EXT_CFG with ABMC_En: %s, although ABMC is enumerated", status_text(st));
    }
    return status_first(judged, alloc_put_back(c, L3_QOS_EXT_CFG));
}

enum status amd_abmc_ready(struct check *c)
{
    TRY(alloc_record(c, L3_QOS_ABMC_CFG));
    return alloc_record(c, L3_QOS_EXT_CFG);
}

static enum status check_assign(struct check *c, struct qm_domain *qm)
{
    return amd_with_abmc(c, qm->index, judge_assignment);
}

static enum status check_assign_count(struct check *c, struct qm_domain *qm)
{
    return amd_with_abmc(c, qm->index, judge_counting);
}

static enum status check_assign_limit(struct check *c, struct qm_domain *qm)
{
    return amd_with_abmc(c, qm->index, judge_counter_limit);
}

static enum status limit_ready(struct check *c)
{
    evidence_leaf(c, c->machine->reference, 0x80000020, 5, &reference_rdt(c)->leaf8000_0020[5]);
    if (reference_rdt(c)->abmc_counters == 0)
        return check_absent(c, "CPUID Fn8000_0020_x5 cannot be read");
    return amd_abmc_ready(c);
}

static const struct check_row rows[] = {
    { .id = "amd.assign",
      .title = "L3_QOS_ABMC_DSC returns the assignment of a counter",
      .covers = "AM-05",
      .detects = "an assignment that is lost or changed; an L3_QOS_ABMC_CFG that processors share",
      .rests_on = RESTS_ON_REGISTERS,
      .ready = amd_abmc_ready,
      .run_qm = check_assign },
    { .id = "amd.assign-count",
      .title = "An assigned counter counts its RMID and is cleared by reassignment",
      .covers = "AM-05",
      .means = "an assigned counter includes traffic of another RMID, or counts nothing",
      .next = "`amd.assign`: whether the assignment was accepted; the counts in the evidence, in order",
      .risk = RISK_WORKLOAD,
      .rests_on = RESTS_ON_BANDWIDTH,
      .by_experience = true,
      .excludes = true,
      .ready = amd_abmc_ready,
      .run_qm = check_assign_count },
    { .id = "amd.assign-limit",
      .title = "A counter above the maximum can be neither assigned nor read",
      .covers = "AM-08",
      .detects = "the limit of counters not enforced",
      .rests_on = RESTS_ON_REGISTERS,
      .ready = limit_ready,
      .run_qm = check_assign_limit },
};
CHECK_FAMILY(amd_counters, rows, AMD_FAMILY("BMEC or ABMC"), .spec = APM_ABMC, .needs = NEED_AMD_ABMC, .risk = RISK_MSR,
             .grade = GRADE_W, .order = 120);
