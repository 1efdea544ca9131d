/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Rows of the conformance list that ask for a record: cost of WRMSR IA32_PQR_ASSOC, the overflow bit of IA32_QM_CTR,
 * and registers without a documented reset value. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/base/stats.h"
#include "core/domain/domains.h"
#include "core/platform/script.h"

#define BUDGET_MS UINT64_C(10000)

/* --- AS-11: cost of WRMSR IA32_PQR_ASSOC -------------------------------------------------------------------------- */

#define COST_WRITES 64u

/* COST_WRITES + 1 writes of the value found, each with its time stamp, and a read. */
static enum status pqr_time_writes(struct check *c, uint32_t cpu, uint64_t found, struct step *steps, struct summary *s)
{
    double ticks[COST_WRITES];

    for (uint32_t i = 0; i <= COST_WRITES; i++)
        steps[i] = step_wrmsr(IA32_PQR_ASSOC, found);
    steps[COST_WRITES + 1] = step_rdmsr(IA32_PQR_ASSOC);
    TRY(script_run(c->platform, cpu, steps, COST_WRITES + 2, BUDGET_MS));
    for (uint32_t i = 0; i < COST_WRITES; i++)
        ticks[i] = (double)(steps[i + 1].tsc - steps[i].tsc);
    return stats_summary(ticks, COST_WRITES, s);
}

/* One processor of each L3 domain. */
static enum status pqr_cost_in(struct check *c, uint32_t domain, uint32_t cpu)
{
    struct step *steps = check_alloc(c, (COST_WRITES + 2) * sizeof *steps), *read;
    struct summary s = { 0 };
    uint64_t found = 0;

    TRY_MEASURE(c, steps ? msr_read(c->platform, cpu, IA32_PQR_ASSOC, &found) : ST_NO_MEMORY, cpu, "IA32_PQR_ASSOC");
    TRY_MEASURE(c, pqr_time_writes(c, cpu, found, steps, &s), cpu, "IA32_PQR_ASSOC");
    read = &steps[COST_WRITES + 1];
    evidence_msr(c, cpu, IA32_PQR_ASSOC, read->value, read->tsc);
    check_measure(c, "WRMSR IA32_PQR_ASSOC, value unchanged, median", place_domain(domain), s.median, "TSC ticks", 0,
                  NO_BOUND);
    check_measure(c, "WRMSR IA32_PQR_ASSOC, value unchanged, minimum", place_domain(domain), s.min, "TSC ticks", 0,
                  NO_BOUND);
    if (read->status != ST_OK || read->value != found)
        finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_STORED, place_cpu(cpu),
                "IA32_PQR_ASSOC was written 0x%lx and reads 0x%lx", found, read->value);
    return ST_OK;
}

static enum status check_cost(struct check *c)
{
    uint32_t asked = 0, cpu;

    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        struct check_memory *mark = check_memory_mark(c);

        if (domain_cpus(c, i, &cpu, 1) == 0)
            continue;
        check_conclude(c, pqr_cost_in(c, i, cpu));
        check_free_since(c, mark);
        asked++;
    }
    return asked ? ST_OK : check_absent(c, "no L3 domain has a processor that takes work");
}

/* --- QM-16: the overflow bit -------------------------------------------------------------------------------------- */

static void overflow_read_twice(struct check *c, struct qm_domain *q, uint32_t rmid, uint32_t *seen)
{
    struct qm_sample first = { 0 }, second = { 0 };

    if (qm_read(c->platform, q, rmid, QM_EVENT_L3_TOTAL, &first) != ST_OK ||
        qm_read(c->platform, q, rmid, QM_EVENT_L3_TOTAL, &second) != ST_OK || !(first.raw & IA32_QM_CTR_OVERFLOW))
        return;
    ++*seen;
    evidence_msr(c, q->cpu, IA32_QM_CTR, first.raw, first.tsc);
    evidence_msr(c, q->cpu, IA32_QM_CTR, second.raw, second.tsc);
    if (second.raw & IA32_QM_CTR_OVERFLOW)
        finding(c, FINDING_UNUSUAL, 0, FOUND_OVERFLOW_STICKS, place_rmid(q->index, rmid),
                "the overflow bit of IA32_QM_CTR is still set at the second read");
}

static enum status check_overflow(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t seen = 0;
    uint64_t compared = 0;

    if (!rdt->overflow_bit)
        return check_absent(c, "IA32_QM_CTR has no overflow bit (CPUID.(EAX=0FH,ECX=1):EAX[8] = 0)");
    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        struct qm_domain *q = domain_qm(c, i);

        for (uint32_t rmid = 0; q && rmid <= q->max_rmid; rmid++, compared++)
            overflow_read_twice(c, q, rmid, &seen);
    }
    evidence_swept(c, "RMIDs whose total bandwidth was read twice", compared);
    check_measure(c, "RMIDs with the overflow bit set", PLACE_NONE, seen, "RMIDs", 0, NO_BOUND);
    return ST_OK;
}

/* --- RS-09: registers that are recorded --------------------------------------------------------------------------- */

struct package_register {
    uint32_t msr;
    const char *name;
};

static void record_each_package(struct check *c, const struct package_register *r, uint32_t *there)
{
    uint64_t first = 0;
    uint32_t n = 0, differ = 0;

    for (uint32_t i = 0; i < c->machine->n_packages; i++) {
        uint32_t cpu = c->machine->packages[i].first_cpu;
        uint64_t value = 0;
        enum status st = msr_read(c->platform, cpu, r->msr, &value);

        if (st != ST_OK) {
            check_note(c, "cpu %u: RDMSR %s (0x%x) raised %s although its feature is enumerated", cpu, r->name, r->msr,
                       status_text(st));
            continue;
        }
        evidence_msr(c, cpu, r->msr, value, 0);
        if (n++ == 0)
            first = value;
        differ += value != first;
    }
    *there += n;
    if (differ)
        finding(c, FINDING_UNUSUAL, 0, FOUND_READS_DIFFER, PLACE_NONE,
                "%s differs between packages: %u of them do not have the 0x%lx of the first", r->name, differ, first);
}

static enum status check_priority(struct check *c)
{
    static const struct package_register priority[] = { { IA32_RESOURCE_PRIORITY, "IA32_RESOURCE_PRIORITY" },
                                                        { IA32_RESOURCE_PRIORITY_PKG, "IA32_RESOURCE_PRIORITY_PKG" } };
    static const struct package_register stlb[] = { { STLB_QOS_FILL, "STLB QoS fill" },
                                                    { STLB_QOS_INFO, "STLB QoS info" } };
    const struct rdt_info *rdt = reference_rdt(c);
    uint64_t capabilities = 0;
    uint32_t there = 0;

    if (!reference_is_intel(c))
        return check_absent(c, "resource priority and STLB QoS exist on Intel parts only");
    for (uint32_t i = 0; rdt->resource_priority && i < 2; i++)
        record_each_package(c, &priority[i], &there);
    if ((rdt->leaf7.regs.edx & CPUID_7_EDX_CORE_CAPABILITIES) &&
        msr_read(c->platform, c->machine->reference, IA32_CORE_CAPABILITIES, &capabilities) == ST_OK) {
        evidence_msr(c, c->machine->reference, IA32_CORE_CAPABILITIES, capabilities, 0);
        for (uint32_t i = 0; (capabilities & IA32_CORE_CAPABILITIES_STLB_QOS) && i < 2; i++)
            record_each_package(c, &stlb[i], &there);
    }
    return there || check_verdict(c) != VERDICT_PASS
               ? ST_OK
               : check_absent(
                     c,
                     "neither resource priority (10H.0:EBX[6]) nor STLB QoS (IA32_CORE_CAPABILITIES[0]) is enumerated");
}

static const struct check_row rows[] = {
    { .id = "reset.priority",
      .no_monitor = true,
      .title = "Resource priority and STLB QoS are the same in every package",
      .spec = "RDT Architecture Specification 356688, appendix B; SDM vol. 2A CPUID leaf 10H, ResID 6",
      .covers = "RS-09",
      .detects = "a setting that firmware made in one package only",
      .means =
          "firmware set resource priority or STLB QoS in some packages only: the same task runs differently on them",
      .next =
          "register and packages in the finding; firmware's settings for each socket; the same run after a cold boot",
      .run = check_priority },
    { .id = "pqr.cost",
      .title = "WRMSR IA32_PQR_ASSOC keeps the value; its cost is recorded",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .covers = "AS-11",
      .detects = "a value that repeated writes change; a cost that grew between steppings or microcode revisions",
      .means = "IA32_PQR_ASSOC does not read back what was written",
      .next = "`pqr.rmid-storage` and `pqr.own-copy`",
      .needs = NEED_RDT_M,
      .run = check_cost },
    { .id = "qm.overflow-flag",
      .title = "Reading IA32_QM_CTR clears its overflow bit",
      .spec = "RDT Architecture Specification 356688 7.1.1.4 IA32_QM_CTR",
      .covers = "QM-16",
      .means = "software counts an overflow of an MBM counter more than once",
      .next = "both raw reads in the evidence; whether every RMID and L3 domain fails; `mbm.wrap`",
      .needs = NEED_TOTAL,
      .run = check_overflow },
};
CHECK_FAMILY(records, rows, .risk = RISK_MSR, .grade = GRADE_W, .rests_on = RESTS_ON_REGISTERS, .order = 240);
