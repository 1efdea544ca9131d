/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AMD64 Platform Quality of Service (PQoS): ABMC disabled, bandwidth limits, first read of an RMID. */
#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/qm.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/domain/alloc_owners.h"
#include "core/load/loads.h"
#include "core/load/memory.h"
#include "core/platform/script.h"

#define APM_ABMC  "APM vol. 2 19.3.3.3 Assignable Bandwidth Monitoring Counters"
#define APM_EVENT "APM vol. 2 19.3.3 Bandwidth Monitoring Event Configuration"
#define APM_BW    "APM vol. 2 19.4.5 L3 External Bandwidth Enforcement (L3BE), 19.4.6 L3 Slow Memory Bandwidth Enforcement"

/* --- AM-06: ABMC disabled ----------------------------------------------------------------------------------------- */

/* What is tried: the first access that raises no #GP is the finding. */
enum { OFF_STATE, OFF_ASSIGN, OFF_READ, OFF_DESCRIBE, OFF_STEPS };

static uint32_t build_abmc_off(struct sweep *, uint32_t, struct step *steps)
{
    steps[OFF_STATE] = step_rdmsr(L3_QOS_EXT_CFG);
    steps[OFF_ASSIGN] = step_wrmsr(L3_QOS_ABMC_CFG, L3_QOS_ABMC_CFG_CFG_EN); /* counter 0, not counting yet */
    steps[OFF_READ] = step_rdmsr(L3_QOS_ABMC_CFG);
    steps[OFF_DESCRIBE] = step_rdmsr(L3_QOS_ABMC_DSC);
    return OFF_STEPS;
}

static void judge_abmc_off(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    if (steps[OFF_STATE].status != ST_OK || (steps[OFF_STATE].value & L3_QOS_EXT_CFG_ABMC_EN)) {
        check_note(s->check, "cpu %u: ABMC is enabled, as firmware left it", cpu);
        return;
    }
    if (s->compared++ == 0)
        evidence_msr(s->check, cpu, L3_QOS_EXT_CFG, steps[OFF_STATE].value, steps[OFF_STATE].tsc);
    for (uint32_t i = OFF_ASSIGN; i < n; i++) {
        bool write = i == OFF_ASSIGN, refused = steps[i].status == ST_FAULT;

        if (write && (s->compared == 1 || !refused))
            evidence_wrmsr(s->check, cpu, steps[i].reg, steps[i].value, steps[i].status, steps[i].tsc);
        else if (!refused)
            evidence_msr(s->check, cpu, steps[i].reg, steps[i].value, steps[i].tsc);
        if (!refused)
            finding(s->check, FINDING_EXPECTED, 0, FOUND_ILLEGAL_ACCEPTED, place_cpu(cpu),
                    "%s %s raised no #GP while ABMC is disabled", write ? "WRMSR" : "RDMSR",
                    steps[i].reg == L3_QOS_ABMC_CFG ? "L3_QOS_ABMC_CFG" : "L3_QOS_ABMC_DSC");
    }
}

static enum status check_assign_off(struct check *c)
{
    struct sweep s;

    TRY(alloc_record(c, L3_QOS_ABMC_CFG));
    TRY(sweep_run(&s, c, OFF_STEPS, build_abmc_off, judge_abmc_off, "L3_QOS_ABMC_CFG", NULL));
    if (s.compared == 0 && check_verdict(c) == VERDICT_PASS)
        return check_absent(c, "ABMC is enabled, as firmware left it");
    return s.compared ? alloc_switch_walk(c, L3_QOS_EXT_CFG, L3_QOS_EXT_CFG_ABMC_EN) : ST_OK;
}

/* --- bandwidth limits --------------------------------------------------------------------------------------------- */

_Static_assert(BW_LEN_MOST + 2 <= ALLOC_VALUES, "each bit of a limit, U, and all but U");

static uint32_t amd_limit_values(const struct alloc_walk *w, uint64_t *values)
{
    uint32_t n = 0;

    for (uint32_t bit = 0; bit < w->table->bits; bit++)
        values[n++] = BIT(bit);
    values[n++] = low_bits(w->table->bits - 1);
    return n;
}

static enum status amd_limit_walk(struct check *c, const struct alloc_table *t)
{
    struct alloc_walk w = { .table = t,
                            .rule = "a bandwidth limit reads back as written",
                            .expect = ALLOC_STORED,
                            .soft = true,
                            .values = amd_limit_values };

    const uint64_t own[2] = { L3QOS_BW_CONTROL_U(t->bits - 1), low_bits(t->bits - 1) };

    if (t->classes == 0)
        return ST_OK;
    TRY(alloc_walk(c, &w));
    return alloc_owners_walk(c, t, own);
}

/* L3BE, L3SMBE, GLBE and GLSBE, those that the part has. A limit that L3s share has a register in each of them, which
 * software writes one after the other (AMD 69193; Linux series "Global (Slow) Memory Bandwidth Allocation", 2026). */
static enum status check_amd_limits(struct check *c)
{
    const struct alloc_table tables[] = { alloc_amd_bandwidth(c), alloc_amd_slow_bandwidth(c), alloc_amd_global(c),
                                          alloc_amd_global_slow(c) };
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t classes = SUM_OF(uint32_t, i, sizeof tables / sizeof tables[0], tables[i].classes);

    if (classes == 0)
        return check_absent(c, rdt->l3be.present || rdt->l3smbe.present || rdt->glbe.present || rdt->glsbe.present
                                   ? "CPUID Fn8000_0020_x1, _x2, _x7 and _x8 have no field length that a register holds"
                                   : "no bandwidth limit is enumerated (CPUID Fn8000_0020_EBX_x0[8:7] and [2:1] = 0)");
    for (uint32_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        TRY(amd_limit_walk(c, &tables[i]));
    return ST_OK;
}

/* --- AM-03: the first read of an RMID ----------------------------------------------------------------------------- */

#define FIRST_BYTES    (4 * MIB)
#define PQOS_V2_FAMILY 0x19u

struct first_read {
    struct check *check;
    struct qm_domain *qm;
    uint32_t cpu, rmid, bad_cpu;
    struct traffic_part part;
    struct qm_sample sample;
};

/* The highest RMID up to this one that no idle processor has; 0: none. */
static void take_rmid(struct first_read *f, uint32_t highest)
{
    f->rmid = highest;
    while (f->rmid > 0 && domain_rmid_in_background(f->check, f->rmid))
        f->rmid--;
    f->part.rmid = f->rmid;
}

/* Traffic, then the first read of its RMID in this run. */
static enum status read_after_traffic(struct first_read *f)
{
    struct platform *p = f->check->platform;
    struct traffic_load load = { .cpu = f->cpu, .n_parts = 1, .parts = &f->part };

    TRY(traffic_run(p, &load, 1, NULL, NULL, &f->bad_cpu));
    return qm_read(p, f->qm, f->rmid, QM_EVENT_L3_TOTAL, &f->sample);
}

static enum status run_at_keyhole(struct platform *p, struct qm_domain *qm, struct step *steps, uint32_t n)
{
    enum status st;

    TRY(qm_lock_take(p, &qm->keyhole));
    st = script_run(p, qm->cpu, steps, n, work_budget_ms(2 * FIRST_BYTES));
    qm_lock_release(&qm->keyhole);
    qm->samples++;
    return st;
}

/* The same while the processor still has the RMID: a part that counts few of them has begun with another one's when
 * that is back on the processor. */
static enum status read_during_traffic(struct first_read *f)
{
    struct work flush = part_flush(f->rmid, f->part.work.base, FIRST_BYTES).work;
    uint64_t found = 0;
    enum status st = msr_read(f->check->platform, f->qm->cpu, IA32_PQR_ASSOC, &found);
    struct step steps[] = {
        step_work(&flush),        step_wrmsr_must(IA32_PQR_ASSOC, pqr_with_rmid(found, f->rmid)),
        step_work(&f->part.work), step_wrmsr(IA32_QM_EVTSEL, qm_evtsel_of(f->qm, f->rmid, QM_EVENT_L3_TOTAL)),
        step_rdmsr(IA32_QM_CTR),  step_wrmsr(IA32_PQR_ASSOC, found),
    };

    if (st == ST_OK)
        st = run_at_keyhole(f->check->platform, f->qm, steps, sizeof steps / sizeof steps[0]);
    for (uint32_t i = 0; i < sizeof steps / sizeof steps[0] && st == ST_OK; i++)
        st = steps[i].status;
    f->sample = (struct qm_sample){ .raw = steps[4].value,
                                    .tsc = steps[4].tsc,
                                    .tsc_select = steps[3].tsc,
                                    .counts = field_get(IA32_QM_CTR_DATA, steps[4].value) };
    return st == ST_OK ? qm_status(f->sample.raw) : st;
}

/* Tracking begins with the read, so that it is Unavailable or 0. */
static void judge_first_read(struct first_read *f, enum status st)
{
    struct check *c = f->check;
    const struct qm_domain *d = f->qm;

    evidence_qm(c, d, f->rmid, QM_EVENT_L3_TOTAL, &f->sample);
    if (st == ST_OK && f->sample.counts != 0)
        finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_CLEARED, place_rmid(d->index, f->rmid),
                "the first read returns 0x%lx counts without Unavailable, before tracking began", f->sample.counts);
}

static enum status look_at_first(struct first_read *f, enum status (*read)(struct first_read *f), enum status *st)
{
    f->bad_cpu = f->qm->cpu;
    *st = read(f);
    if (*st != ST_OK && *st != ST_UNAVAILABLE)
        return check_unmeasured(f->check, *st, f->bad_cpu, "the first read of an RMID");
    judge_first_read(f, *st);
    return ST_OK;
}

static enum status check_first_read(struct check *c, uint32_t domain)
{
    struct first_read f = { .check = c, .qm = domain_qm(c, domain) };
    uint64_t base = 0;
    enum status st, read = ST_OK;

    take_rmid(&f, f.qm->max_rmid);
    if (f.qm->samples > 0 || f.rmid == 0)
        return check_absent(c, "L3 domain %u: IA32_QM_CTR was read before in this run", domain);
    if (domain_cpus(c, domain, &f.cpu, 1) == 0)
        return check_absent(c, "L3 domain %u: no processor takes work", domain);
    TRY(memory_take_any(c, f.cpu, FIRST_BYTES, &base));
    f.part = part_read(f.rmid, base, FIRST_BYTES);
    st = look_at_first(&f, read_after_traffic, &read);
    if (st != ST_OK || read != ST_UNAVAILABLE)
        return st;
    take_rmid(&f, f.rmid - 1);
    return f.rmid > 0 ? look_at_first(&f, read_during_traffic, &read) : ST_OK;
}

static enum status first_read_ready(struct check *c)
{
    if (c->machine->cpus[c->machine->reference].id.family < PQOS_V2_FAMILY)
        return check_absent(c, "PQoS V1.0 tracks every RMID at all times");
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "amd.limits",
      .title = "Every COS stores every bandwidth limit",
      .spec = APM_BW,
      .covers = "MA-08 MA-10 MA-11 RS-10 XC-02",
      .means = "a bandwidth limit does not read back as written",
      .next = "value written and value read; whether every L3 domain fails",
      .needs = NEED_AMD_QOS,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .run = check_amd_limits },
    { .id = "amd.assign-off",
      .title = "L3_QOS_ABMC_CFG and _DSC raise #GP while ABMC is disabled; any processor enables it",
      .spec = APM_ABMC,
      .covers = "AM-06 XC-02",
      .detects = "registers of assignable counters that are there although ABMC is disabled; an enable that is lost",
      .needs = NEED_AMD_ABMC,
      .rests_on = RESTS_ON_REGISTERS,
      .run = check_assign_off },
    { .id = "amd.first-read",
      .title = "The first read of an RMID is Unavailable or 0",
      .spec = APM_EVENT,
      .covers = "AM-03",
      .detects = "a count from before tracking began",
      .needs = NEED_AMD_QOS | NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_BANDWIDTH,
      .ready = first_read_ready,
      .run_domain = check_first_read },
};
CHECK_FAMILY(amd, rows, AMD_FAMILY("BMEC or ABMC"), .risk = RISK_MSR, .order = 110);
