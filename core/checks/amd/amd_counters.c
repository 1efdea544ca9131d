/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AMD's configurable bandwidth events and assignable counters: what a change of them does to what was counted. Their
 * registers stand on every processor and act on the L3, so each change is made on all of its processors. */
#include "arch/x86/rdt/qm.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/alloc.h"
#include "core/checks/amd/amd_counters.h"
#include "core/base/heap.h"
#include "core/base/text.h"

#define APM_ABMC      "APM vol. 2 19.3.3.3 Assignable Bandwidth Monitoring Counters"
#define COUNTED_LEAST 0.5  /* of what was read: traffic of other kinds may add, none may be missing in such a share */
#define KEPT_MOST     0.25 /* of what the RMID before left: the next one moves nothing, and all is kept or nothing  */
#define COUNTER_TRIES 5u
#define APM_EVENT     "APM vol. 2 19.3.3 Bandwidth Monitoring Event Configuration"

/* The same value on every processor of the L3. */
static enum status write_all(struct check *c, uint32_t domain, uint32_t msr, uint64_t value, uint32_t *bad_cpu)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < c->machine->n_cpus && st == ST_OK; i++) {
        if (c->machine->cpus[i].domain != domain || !cpu_takes_work(c->platform, i))
            continue;
        st = msr_write(c->platform, i, msr, value);
        *bad_cpu = i;
    }
    return st;
}

/* --- AM-04: another set of events --------------------------------------------------------------------------------- */

/* One type of traffic less: legal whatever the part has. 0: there would be none left. */
static uint64_t one_less(uint64_t types)
{
    return types & (types - 1);
}

static void judge_cleared(struct check *c, uint32_t domain, uint32_t rmid, enum status st, const struct qm_sample *s,
                          uint64_t before)
{
    evidence_msr(c, domain_qm(c, domain)->cpu, IA32_QM_CTR, s->raw, s->tsc);
    if (st == ST_OK && s->counts != 0 && s->counts >= before)
        warn(
            c,
            "L3 domain %u, RMID %u: QOS_EVT_CFG_0 was changed, and the next read goes on from 0x%llx to 0x%llx without "
            "Unavailable",
            domain, rmid, (unsigned long long)before, (unsigned long long)s->counts);
}

/* Count something, change what is counted, look. */
static bool change_events(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct qm_domain *q = domain_qm(c, domain);
    uint64_t bytes = stream_bytes(c, domain), base = 0, found, types;
    uint32_t rmid = 0, cpu = 0, bad = 0;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct traffic_outcome outcome;
    struct qm_sample before = { 0 }, after = { 0 };
    enum status st;

    if (!domain_rmids(c, domain, &rmid, 1) || !domain_cpus(c, domain, &cpu, 1))
        return text_format(why, WHY_SIZE, "L3 domain %u: no free RMID or no processor", domain), false;
    if (!take_any(c, cpu, bytes, &base, why))
        return false;
    found = alloc_found(c, cpu, QOS_EVT_CFG(0));
    types = one_less(found);
    if (types == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: firmware left one type of traffic or none", domain), false;
    load.cpu = cpu;
    part = part_read(rmid, base, bytes);
    st = qm_read_wait(c->platform, q, rmid, QM_EVENT_L3_TOTAL, 5, &before, NULL); /* tracking begins */
    if (st == ST_OK || st == ST_UNAVAILABLE)
        st = traffic_run(c->platform, &load, 1, 0, &outcome, &bad);
    if (st == ST_OK)
        st = qm_read_wait(c->platform, q, rmid, QM_EVENT_L3_TOTAL, 5, &before, NULL);
    if (st != ST_OK)
        return text_format(why, WHY_SIZE, "L3 domain %u, RMID %u: %s", domain, rmid, status_text(st)), false;
    st = write_all(c, domain, QOS_EVT_CFG(0), types, &bad);
    evidence_wrmsr(c, bad, QOS_EVT_CFG(0), types, st, 0);
    if (st == ST_OK) {
        st = qm_read(c->platform, q, rmid, QM_EVENT_L3_TOTAL, &after);
        judge_cleared(c, domain, rmid, st, &after, before.counts);
    } else {
        warn(c, "cpu %u: WRMSR QOS_EVT_CFG_0 <- 0x%llx: %s, and the event can be configured", bad,
             (unsigned long long)types, status_text(st));
    }
    (void)alloc_put_back(c, QOS_EVT_CFG(0));
    return true;
}

static enum status change_events_ready(struct check *c)
{
    if (!(reference_rdt(c)->qosx_ebx & CPUID_8000_0020_0_EBX_BMEC))
        return absent(c, "bandwidth events cannot be configured here (CPUID.80000020H.0:EBX[3] = 0)");
    return alloc_record(c, QOS_EVT_CFG(0));
}
LEGACY_DOMAIN(change_events)

/* --- AM-05, AM-08: assigned counters ------------------------------------------------------------------------------ */

/* Every type of traffic that the part has: those of memory that it cannot have must be zero. */
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

/* Write an assignment and read what the counter then says. */
static enum status assign(struct check *c, uint32_t cpu, uint64_t value, uint64_t *echo)
{
    enum status st = msr_write(c->platform, cpu, L3_QOS_ABMC_CFG, value);

    evidence_wrmsr(c, cpu, L3_QOS_ABMC_CFG, value, st, 0);
    if (st == ST_OK)
        st = msr_read(c->platform, cpu, L3_QOS_ABMC_DSC, echo);
    if (st == ST_OK)
        evidence_msr(c, cpu, L3_QOS_ABMC_DSC, *echo, 0);
    return st;
}

/* A rule about counter 0 of one L3 while assignable counters are on. false: it could not be tried. */
typedef bool (*counter_rule)(struct check *c, uint32_t domain, uint32_t cpu, uint32_t beyond);

static bool judge_assignment(struct check *c, uint32_t domain, uint32_t cpu, uint32_t beyond)
{
    const uint64_t fields = L3_QOS_ABMC_CFG_CTR_EN | L3_QOS_ABMC_CFG_CTR_ID | L3_QOS_ABMC_CFG_IS_COS |
                            L3_QOS_ABMC_CFG_BW_SRC | L3_QOS_ABMC_CFG_BW_TYPE;
    uint32_t rmid = 0;
    uint64_t echo = 0, value;
    enum status st;

    (void)beyond;
    if (!domain_rmids(c, domain, &rmid, 1))
        return false;
    value = assignment(c, 0, rmid);
    st = assign(c, cpu, value, &echo);
    if (st != ST_OK)
        warn(c, "cpu %u: counter 0 was assigned to RMID %u with counters on: %s", cpu, rmid, status_text(st));
    else if (echo & L3_QOS_ABMC_DSC_CFG_ERR)
        warn(c, "cpu %u: counter 0 was assigned to RMID %u, and L3_QOS_ABMC_DSC says 0x%llx, an error", cpu, rmid,
             (unsigned long long)echo);
    else if ((echo ^ value) & fields)
        warn(c, "cpu %u: L3_QOS_ABMC_CFG was written with 0x%llx, L3_QOS_ABMC_DSC says 0x%llx", cpu,
             (unsigned long long)value, (unsigned long long)echo);
    return true;
}

static bool judge_beyond(struct check *c, uint32_t domain, uint32_t cpu, uint32_t beyond)
{
    uint64_t echo = 0;
    enum status st = assign(c, cpu, assignment(c, beyond, 1), &echo);

    (void)domain;
    if (st == ST_OK && !(echo & L3_QOS_ABMC_DSC_CFG_ERR))
        warn(c, "cpu %u: counter %u was assigned without #GP or error, and CPUID.80000020H.5:EBX ends at %u", cpu,
             beyond, beyond - 1);
    return true;
}

/* --- AM-05: what it counts, and from where ------------------------------------------------------------------------ */

/* Counter 0 as it is now. Unavailable is what its first read may say, and stands for 0 (APM vol. 2 19.3.3). */
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

void judge_assigned_counts(struct check *c, uint32_t domain, const struct assigned_counts *a)
{
    char where[48];

    text_format(where, sizeof where, "L3 domain %u, counter 0", domain);
    if (!measure(c, "bytes counted over bytes read by its RMID", where, a->counted / a->read, "ratio", COUNTED_LEAST,
                 NO_BOUND)) {
        warn(c, "%s: it is assigned to RMID %u, which read %llu bytes, and says %llu", where, a->rmids[0],
             (unsigned long long)a->read, (unsigned long long)a->counted);
        return; /* nothing to keep, or to lose */
    }
    if (!measure(c, "bytes that an idle RMID begins with, over those of the RMID before", where, a->begins / a->counted,
                 "ratio", 0, KEPT_MOST))
        warn(c,
             "%s: it was assigned to RMID %u, which moves nothing, and begins at %llu bytes; RMID %u before had left "
             "%llu: bandwidth that nobody used",
             where, a->rmids[1], (unsigned long long)a->begins, a->rmids[0], (unsigned long long)a->counted);
}

static bool count_and_move(struct check *c, uint32_t domain, uint32_t cpu, struct assigned_counts *a,
                           char why[WHY_SIZE])
{
    uint64_t bytes = stream_bytes(c, domain), base = 0, echo = 0;
    uint32_t unit = c->machine->domains[domain].upscaling_factor, bad = cpu;
    struct qm_sample s = { 0 };
    struct traffic_part part;
    struct traffic_load load = { .cpu = cpu, .n_parts = 1, .parts = &part };
    struct traffic_outcome outcome;
    enum status st;

    if (domain_rmids(c, domain, a->rmids, 2) < 2)
        return text_format(why, WHY_SIZE, "L3 domain %u: fewer than two free RMIDs", domain), false;
    if (!take_any(c, cpu, bytes, &base, why))
        return false;
    part = part_read(a->rmids[0], base, bytes);
    a->read = (double)bytes;
    st = assign(c, cpu, assignment(c, 0, a->rmids[0]), &echo);
    if (st == ST_OK)
        st = counter_0(c, domain, &s); /* tracking begins */
    if (st == ST_OK || st == ST_UNAVAILABLE)
        st = domain_clean(c, domain, &bad);
    if (st == ST_OK)
        st = traffic_run(c->platform, &load, 1, 0, &outcome, &bad);
    if (st == ST_OK)
        st = counter_0(c, domain, &s);
    a->counted = (double)s.counts * unit;
    if (st == ST_OK)
        st = assign(c, cpu, assignment(c, 0, a->rmids[1]), &echo);
    s.counts = 0;
    if (st == ST_OK)
        st = counter_0(c, domain, &s);
    a->begins = (double)s.counts * unit;
    if (st != ST_OK && st != ST_UNAVAILABLE)
        return text_format(why, WHY_SIZE, "L3 domain %u, counter 0, cpu %u: %s", domain, bad, status_text(st)), false;
    return true;
}

static bool judge_counting(struct check *c, uint32_t domain, uint32_t cpu, uint32_t beyond)
{
    struct assigned_counts a = { 0 };
    char why[WHY_SIZE];

    (void)beyond;
    tools_reset(c->tools);
    if (!count_and_move(c, domain, cpu, &a, why))
        return note(c, "%s", why), false;
    judge_assigned_counts(c, domain, &a);
    return true;
}

/* --- counters on, a rule, counters off ---------------------------------------------------------------------------- */

static bool with_counters(struct check *c, uint32_t domain, counter_rule rule, uint32_t beyond)
{
    uint32_t cpu = 0, bad = 0;
    uint64_t found;
    bool judged = false;
    enum status st;

    if (!domain_cpus(c, domain, &cpu, 1))
        return false;
    found = alloc_found(c, cpu, L3_QOS_EXT_CFG);
    if (found & L3_QOS_EXT_CFG_ABMC_EN)
        return false;
    st = write_all(c, domain, L3_QOS_EXT_CFG, found | L3_QOS_EXT_CFG_ABMC_EN, &bad);
    if (st == ST_OK)
        judged = rule(c, domain, cpu, beyond);
    else
        warn(c, "cpu %u: WRMSR L3_QOS_EXT_CFG with ABMC_En: %s, and assignable counters are enumerated", bad,
             status_text(st));
    if (st == ST_OK) { /* a counter that is off, and a register that reads as before */
        st = msr_write(c->platform, cpu, L3_QOS_ABMC_CFG, L3_QOS_ABMC_CFG_CFG_EN);
        st = status_first(st, msr_write(c->platform, cpu, L3_QOS_ABMC_CFG, alloc_found(c, cpu, L3_QOS_ABMC_CFG)));
        if (st != ST_OK)
            warn(c, "cpu %u: counter 0 could not be freed: %s", cpu, status_text(st));
    }
    (void)alloc_put_back(c, L3_QOS_EXT_CFG);
    return judged || st != ST_OK;
}

static enum verdict each_l3(struct check *c, counter_rule rule, uint32_t beyond)
{
    uint32_t judged = 0;

    if (!alloc_touch(c, L3_QOS_ABMC_CFG) || !alloc_touch(c, L3_QOS_EXT_CFG))
        return check_verdict(c);
    for (uint32_t i = 0; i < c->machine->n_domains; i++)
        judged += with_counters(c, i, rule, beyond);
    return judged || check_verdict(c) != VERDICT_PASS
               ? check_verdict(c)
               : skip(c, "assignable counters are on, as firmware left them, or could not be tried: no free RMID, no "
                         "memory, or no answer");
}

static enum verdict check_assign(struct check *c)
{
    return each_l3(c, judge_assignment, 0);
}

static enum verdict check_assign_count(struct check *c)
{
    return each_l3(c, judge_counting, 0);
}

static enum verdict check_assign_limit(struct check *c)
{
    struct cpuid_regs regs = { 0 };
    enum status st = cpu_cpuid(c->platform, c->machine->reference, 0x80000020, 5, &regs);

    if (st != ST_OK)
        return cannot_measure(c, st, c->machine->reference, "CPUID");
    evidence_cpuid(c, c->machine->reference, 0x80000020, 5, &regs);
    if (regs.ebx >= field_get(L3_QOS_ABMC_CFG_CTR_ID, L3_QOS_ABMC_CFG_CTR_ID))
        return skip(c, "the highest counter, %u, fills its field: one more cannot be written", regs.ebx);
    return each_l3(c, judge_beyond, regs.ebx + 1);
}

#define MEANS_USUAL "AMD's configurable events or assigned counters do not behave as the manual says"
#define NEXT_USUAL  "the writes and reads in the evidence, in order; the microcode revision; other L3s of the machine"

static const struct check_row rows[] = {
    { .id = "amd.events-clear",
      .title = "A change of the events that are counted clears the count",
      .spec = APM_EVENT,
      .rows = "AM-04",
      .detects = "a configuration that changes nothing, counts of two kinds in one number",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_AMD_QOS | NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 120,
      .ready = change_events_ready,
      .run_domain = change_events_status },
    { .id = "amd.assign",
      .title = "An assigned counter says what it was assigned to",
      .spec = APM_ABMC,
      .rows = "AM-05",
      .detects = "an assignment that is lost or changed on its way",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_AMD_ABMC,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 120,
      .run = check_assign },
    { .id = "amd.assign-count",
      .title = "An assigned counter counts its RMID, and begins at zero when it gets another",
      .spec = APM_ABMC,
      .rows = "AM-05",
      .detects =
          "the count of the RMID before, shown as bandwidth of the next; an assigned counter that counts nothing",
      .means = "an assigned counter shows traffic of an RMID that it is not assigned to, or none",
      .next = "`amd.assign`: whether the assignment itself was taken; the counter's values in the evidence, in order",
      .needs = NEED_AMD_ABMC,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 120,
      .run = check_assign_count },
    { .id = "amd.assign-limit",
      .title = "A counter beyond the last cannot be assigned",
      .spec = APM_ABMC,
      .rows = "AM-08",
      .detects = "a limit that is not enforced",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_AMD_ABMC,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 120,
      .run = check_assign_limit },
};
CHECK_FAMILY(amd_counters, rows);
