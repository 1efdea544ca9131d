/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What only AMD's platform quality of service has. */
#include "arch/x86/rdt/rdt_regs.h"
#include "arch/x86/rdt/qm.h"
#include "core/base/bits.h"
#include "core/measure/alloc.h"
#include "core/platform/script.h"
#include "core/base/text.h"

#define APM_ABMC  "APM vol. 2 19.3.3.3 Assignable Bandwidth Monitoring Counters"
#define APM_EVENT "APM vol. 2 19.3.3 Bandwidth Monitoring Event Configuration"
#define APM_BW    "APM vol. 2 19.5 L3 Memory Bandwidth Enforcement"

/* --- AM-06: no counter is assigned while that is off -------------------------------------------------------------- */

static uint32_t build_assign(struct sweep *s, uint32_t cpu, struct step *steps)
{
    if (!alloc_writes(s->check, cpu, ALLOC_L3))
        return 0;
    steps[0] = step_rdmsr(L3_QOS_EXT_CFG);
    steps[1] = step_wrmsr(L3_QOS_ABMC_CFG, L3_QOS_ABMC_CFG_CFG_EN); /* counter 0, not yet counting */
    return 2;
}

static void judge_assign(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    (void)n;
    if (steps[0].status != ST_OK || (steps[0].value & L3_QOS_EXT_CFG_ABMC_EN)) {
        note(s->check, "cpu %u: assignable counters are on, as firmware left them", cpu);
        return;
    }
    if (s->compared++ == 0 || steps[1].status != ST_FAULT) {
        evidence_msr(s->check, cpu, L3_QOS_EXT_CFG, steps[0].value, steps[0].tsc);
        evidence_wrmsr(s->check, cpu, L3_QOS_ABMC_CFG, steps[1].value, steps[1].status, steps[1].tsc);
    }
    if (steps[1].status != ST_FAULT)
        fail(s->check, "cpu %u: assignable counters are off, and WRMSR L3_QOS_ABMC_CFG raised no #GP", cpu);
}

static enum verdict check_assign_off(struct check *c)
{
    struct sweep s = {
        .check = c, .max_steps = 2, .build = build_assign, .judge = judge_assign, .what = "L3_QOS_ABMC_CFG"
    };

    if (!alloc_touch(c, L3_QOS_ABMC_CFG))
        return check_verdict(c);
    if (sweep_processors(&s) != ST_OK)
        return cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "L3_QOS_ABMC_CFG");
    return s.compared || check_verdict(c) != VERDICT_PASS
               ? check_verdict(c)
               : skip(c, "assignable counters are on, as firmware left them");
}

/* --- RS-11: one configuration for a domain ------------------------------------------------------------------------ */

struct same {
    struct sweep sweep;
    uint32_t first_cpu; /* of the domain at hand: processors come in order */
    uint64_t first[2];
};

static uint32_t build_same(struct sweep *s, uint32_t cpu, struct step *steps)
{
    (void)s;
    (void)cpu;
    steps[0] = step_rdmsr(QOS_EVT_CFG(0));
    steps[1] = step_rdmsr(QOS_EVT_CFG(1));
    return 2;
}

static void judge_same(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct same *m = s->context;
    bool first = m->first_cpu == UINT32_MAX || !alloc_same(s->check, m->first_cpu, cpu, ALLOC_L3);

    if (first)
        m->first_cpu = cpu;
    for (uint32_t i = 0; i < n; i++) {
        if (steps[i].status != ST_OK) {
            fail(s->check, "cpu %u: RDMSR QOS_EVT_CFG_%u raised %s, and it is enumerated", cpu, i,
                 status_text(steps[i].status));
            continue;
        }
        s->compared++;
        if (first)
            m->first[i] = steps[i].value;
        if (s->compared <= 4 || steps[i].value != m->first[i])
            evidence_msr(s->check, cpu, steps[i].reg, steps[i].value, steps[i].tsc);
        if (steps[i].value != m->first[i])
            fail(s->check, "cpu %u: QOS_EVT_CFG_%u is 0x%llx, on cpu %u of the same L3 it is 0x%llx", cpu, i,
                 (unsigned long long)steps[i].value, m->first_cpu, (unsigned long long)m->first[i]);
    }
}

static enum verdict check_events_same(struct check *c)
{
    struct same m = { .first_cpu = UINT32_MAX };

    if (!(reference_rdt(c)->qosx_ebx & CPUID_8000_0020_0_EBX_BMEC))
        return skip(c, "bandwidth events cannot be configured here (CPUID.80000020H.0:EBX[3] = 0)");
    m.sweep = (struct sweep){
        .check = c, .max_steps = 2, .build = build_same, .judge = judge_same, .what = "QOS_EVT_CFG", .context = &m
    };
    if (sweep_processors(&m.sweep) != ST_OK)
        return cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "QOS_EVT_CFG");
    evidence_swept(c, "event configurations compared within each L3", m.sweep.compared);
    return check_verdict(c);
}

/* --- the limits store what is written ----------------------------------------------------------------------------- */

static uint32_t limits(const struct alloc_walk *w, uint64_t *values)
{
    uint32_t n = 0;

    for (uint32_t bit = 0; bit < w->table->bits; bit++)
        values[n++] = BIT(bit);
    values[n++] = low_bits(w->table->bits - 1);
    return n;
}

static enum verdict check_limits(struct check *c)
{
    struct alloc_table t = alloc_amd_bandwidth(c);
    struct alloc_walk w = { .table = &t,
                            .rule = "a limit, or none, is stored as written",
                            .expect = ALLOC_STORED,
                            .soft = true,
                            .values = limits };

    if (t.classes == 0)
        return skip(c, "no bandwidth enforcement is enumerated (CPUID.80000020H.0:EBX[1] = 0)");
    alloc_walk(c, &w);
    return check_verdict(c);
}

/* --- AM-03: the first count --------------------------------------------------------------------------------------- */

#define FIRST_BYTES    (4 * MIB)
#define PQOS_V2_FAMILY 0x19u

/* Traffic, and then the first read of that RMID in this run: tracking begins now, so the read is Unavailable, or
 * nothing is counted yet. */
static bool first_read(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct qm_domain *d = domain_qm(c, domain);
    uint32_t rmid = d->max_rmid, cpu = 0, bad_cpu = 0;
    uint64_t base = 0;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct traffic_outcome outcome;
    struct qm_sample s = { 0 };
    enum status st;

    while (rmid > 0 && rmid_in_background(c, rmid))
        rmid--;
    if (d->samples > 0 || rmid == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: counts were read before in this run", domain), false;
    if (domain_cpus(c, domain, &cpu, 1) == 0 || !take_any(c, cpu, FIRST_BYTES, &base, why))
        return false;
    load.cpu = cpu;
    part = part_read(rmid, base, FIRST_BYTES);
    st = traffic_run(c->platform, &load, 1, 0, &outcome, &bad_cpu);
    if (st != ST_OK)
        return cannot_measure(c, st, bad_cpu, "the workload"), true;
    st = qm_read(c->platform, d, rmid, QM_EVENT_L3_TOTAL, &s);
    if (st != ST_OK && st != ST_UNAVAILABLE)
        return cannot_measure(c, st, d->cpu, "IA32_QM_CTR"), true;
    evidence_wrmsr(c, d->cpu, IA32_QM_EVTSEL, qm_evtsel_of(d, rmid, QM_EVENT_L3_TOTAL), ST_OK, 0);
    evidence_msr(c, d->cpu, IA32_QM_CTR, s.raw, s.tsc);
    if (st == ST_OK && s.counts != 0)
        warn(c, "L3 domain %u, RMID %u: the first read gives 0x%llx without Unavailable: tracking had not begun",
             domain, rmid, (unsigned long long)s.counts);
    return true;
}

static enum status first_read_ready(struct check *c)
{
    if (c->machine->cpus[c->machine->reference].id.family < PQOS_V2_FAMILY)
        return absent(c, "PQoS V1.0 tracks every RMID at all times");
    return ST_OK;
}
LEGACY_DOMAIN(first_read)

#define MEANS_USUAL "AMD's configurable events or assigned counters do not behave as the manual says"
#define NEXT_USUAL  "the writes and reads in the evidence, in order; the microcode revision; other L3s of the machine"

static const struct check_row rows[] = {
    { .id = "amd.limits",
      .title = "Every class stores every bandwidth limit",
      .spec = APM_BW,
      .rows = "MA-08 RS-10",
      .detects = "a stuck bit of a limit",
      .means = "a bit of a limit is stuck",
      .next = "the value written and the value read; whether all L3s of the machine do it",
      .needs = NEED_AMD_QOS,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 110,
      .run = check_limits },
    { .id = "amd.assign-off",
      .title = "No counter can be assigned while assignable counters are off",
      .spec = APM_ABMC,
      .rows = "AM-06",
      .detects = "a missing gate",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_AMD_ABMC,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 110,
      .run = check_assign_off },
    { .id = "amd.events-same",
      .title = "The processors of an L3 have one configuration of bandwidth events",
      .spec = APM_EVENT,
      .rows = "RS-11",
      .detects = "an event configured on some processors only",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_AMD_QOS,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 110,
      .run = check_events_same },
    { .id = "amd.first-read",
      .title = "The first read of an RMID is unavailable, or 0",
      .spec = APM_EVENT,
      .rows = "AM-03",
      .detects = "a stale first count",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_AMD_QOS | NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_BANDWIDTH,
      .order = 110,
      .ready = first_read_ready,
      .run_domain = first_read_status },
};
CHECK_FAMILY(amd, rows);
