/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Rows that ask for a record: what a write of a tag costs, a flag that a read clears, registers without a reset value.
 * Each is held to what little its source says. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/legacy.h"
#include "core/base/heap.h"
#include "core/platform/script.h"
#include "core/base/stats.h"
#include "core/base/text.h"

#define BUDGET_MS UINT64_C(10000)

/* --- AS-11: what a tag costs -------------------------------------------------------------------------------------- */

#define COST_WRITES 64u

/* One processor of each L3: its own tag, again and again, each write with the time behind it. */
static bool cost_of(struct check *c, uint32_t cpu, uint32_t domain)
{
    static const uint32_t n_steps = COST_WRITES + 2;
    struct step *steps = heap_alloc(n_steps * sizeof *steps);
    double ticks[COST_WRITES];
    struct summary s = { 0 };
    uint64_t found = 0;
    char where[32];
    enum status st = steps ? msr_read(c->platform, cpu, IA32_PQR_ASSOC, &found) : ST_NO_MEMORY;

    for (uint32_t i = 0; i <= COST_WRITES && st == ST_OK; i++)
        steps[i] = step_wrmsr(IA32_PQR_ASSOC, found);
    if (st == ST_OK) {
        steps[COST_WRITES + 1] = step_rdmsr(IA32_PQR_ASSOC);
        st = script_run(c->platform, cpu, steps, n_steps, BUDGET_MS);
    }
    for (uint32_t i = 0; i < COST_WRITES && st == ST_OK; i++)
        ticks[i] = (double)(steps[i + 1].tsc - steps[i].tsc);
    if (st == ST_OK)
        st = stats_summary(ticks, COST_WRITES, &s);
    if (st != ST_OK) {
        heap_free(steps);
        cannot_measure(c, st, cpu, "IA32_PQR_ASSOC");
        return false;
    }
    domain_name(domain, where);
    evidence_msr(c, cpu, IA32_PQR_ASSOC, steps[COST_WRITES + 1].value, steps[COST_WRITES + 1].tsc);
    measure(c, "a write of the same tag, median", where, s.median, "TSC ticks", 0, NO_BOUND);
    measure(c, "a write of the same tag, least", where, s.min, "TSC ticks", 0, NO_BOUND);
    if (steps[COST_WRITES + 1].status != ST_OK || steps[COST_WRITES + 1].value != found)
        warn(c, "cpu %u: IA32_PQR_ASSOC is 0x%llx after it was written with 0x%llx", cpu,
             (unsigned long long)steps[COST_WRITES + 1].value, (unsigned long long)found);
    heap_free(steps);
    return true;
}

static enum verdict check_cost(struct check *c)
{
    uint32_t asked = 0;

    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        uint32_t cpu;

        if (domain_cpus(c, i, &cpu, 1) > 0)
            asked += cost_of(c, cpu, i);
    }
    return asked || check_verdict(c) != VERDICT_PASS ? check_verdict(c)
                                                     : skip(c, "no L3 has a processor that takes work");
}

/* --- QM-16: the overflow flag ------------------------------------------------------------------------------------- */

static void read_twice(struct check *c, struct qm_domain *q, uint32_t rmid, uint32_t *flags)
{
    struct qm_sample first = { 0 }, second = { 0 };

    if (qm_read(c->platform, q, rmid, QM_EVENT_L3_TOTAL, &first) != ST_OK ||
        qm_read(c->platform, q, rmid, QM_EVENT_L3_TOTAL, &second) != ST_OK || !(first.raw & IA32_QM_CTR_OVERFLOW))
        return;
    ++*flags;
    evidence_msr(c, q->cpu, IA32_QM_CTR, first.raw, first.tsc);
    evidence_msr(c, q->cpu, IA32_QM_CTR, second.raw, second.tsc);
    if (second.raw & IA32_QM_CTR_OVERFLOW)
        warn(c, "L3 domain %u, RMID %u: the overflow flag of IA32_QM_CTR is still set at the second read", q->index,
             rmid);
}

static enum verdict check_overflow(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t flags = 0;
    uint64_t compared = 0;

    if (!rdt->overflow_bit)
        return skip(c, "IA32_QM_CTR has no overflow flag here (CPUID.(0FH,1):EAX[8] = 0)");
    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        struct qm_domain *q = domain_qm(c, i);

        for (uint32_t rmid = 0; q && rmid <= q->max_rmid; rmid++, compared++)
            read_twice(c, q, rmid, &flags);
    }
    evidence_swept(c, "RMIDs read twice", compared);
    measure(c, "overflow flags seen", "", flags, "", 0, NO_BOUND);
    return check_verdict(c);
}

/* --- RS-09: registers that are only recorded ---------------------------------------------------------------------- */

struct recorded {
    uint32_t msr;
    const char *name;
    bool package; /* one for a package; else one for a processor */
};

static void record(struct check *c, const struct recorded *r, uint32_t *there)
{
    uint64_t first = 0;
    uint32_t n = 0, differ = 0;

    for (uint32_t i = 0; i < c->machine->n_packages; i++) {
        uint32_t cpu = c->machine->packages[i].first_cpu;
        uint64_t value = 0;
        enum status st = msr_read(c->platform, cpu, r->msr, &value);

        if (st != ST_OK) {
            note(c, "cpu %u: RDMSR %s (0x%x): %s, and its feature is enumerated", cpu, r->name, r->msr,
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
        warn(c, "%s is not the same in every package: %u differ from 0x%llx", r->name, differ,
             (unsigned long long)first);
}

static enum verdict check_recorded(struct check *c)
{
    static const struct recorded priority[] = { { IA32_RESOURCE_PRIORITY, "IA32_RESOURCE_PRIORITY", false },
                                                { IA32_RESOURCE_PRIORITY_PKG, "IA32_RESOURCE_PRIORITY_PKG", true } };
    static const struct recorded stlb[] = { { STLB_QOS_FILL, "STLB QoS fill", false },
                                            { STLB_QOS_INFO, "STLB QoS info", false } };
    const struct rdt_info *rdt = reference_rdt(c);
    uint64_t capabilities = 0;
    uint32_t there = 0;

    if (!is_intel(c))
        return skip(c, "resource priority and STLB QoS are Intel's");
    for (uint32_t i = 0; rdt->resource_priority && i < 2; i++)
        record(c, &priority[i], &there);
    if ((rdt->leaf7.regs.edx & CPUID_7_EDX_CORE_CAPABILITIES) &&
        msr_read(c->platform, c->machine->reference, IA32_CORE_CAPABILITIES, &capabilities) == ST_OK) {
        evidence_msr(c, c->machine->reference, IA32_CORE_CAPABILITIES, capabilities, 0);
        for (uint32_t i = 0; (capabilities & IA32_CORE_CAPABILITIES_STLB_QOS) && i < 2; i++)
            record(c, &stlb[i], &there);
    }
    return there || check_verdict(c) != VERDICT_PASS
               ? check_verdict(c)
               : skip(c, "neither resource priority (10H.0:EBX[6]) nor STLB QoS (IA32_CORE_CAPABILITIES[0]) is there");
}

static const struct check_row rows[] = {
    { .id = "reset.priority",
      .title = "Resource priority and STLB QoS are the same in every package",
      .spec = "RDT Architecture Specification 356688, appendix B; SDM vol. 2A CPUID leaf 10H, ResID 6",
      .rows = "RS-09",
      .detects = "a setting that firmware made in one package only",
      .means = "a register is not what its specification has after reset, or not the same everywhere",
      .next = "the register and processor in the finding; firmware's setup; the same run after a cold boot",
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 240,
      .run = check_recorded },
    { .id = "pqr.cost",
      .title = "What a write of IA32_PQR_ASSOC costs is on record, and the tag stays",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "AS-11",
      .detects = "a cost that grew between two steppings or firmwares",
      .means = "the tag does not read as it was written",
      .next = "`pqr.rmid-storage` and `pqr.own-copy`",
      .needs = NEED_RDT_M,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 240,
      .run = check_cost },
    { .id = "qm.overflow-flag",
      .title = "The overflow flag of a count is gone at the second read",
      .spec = "RDT Architecture Specification 356688 7.1.1.4 IA32_QM_CTR",
      .rows = "QM-16",
      .detects = "a flag that a read does not clear",
      .means = "IA32_QM_EVTSEL and IA32_QM_CTR do not follow their protocol",
      .next = "selection, raw counter and processor in the evidence; whether every L3 does it; `enum.rmid-range`",
      .needs = NEED_TOTAL,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 240,
      .run = check_overflow },
};
CHECK_FAMILY(records, rows);
