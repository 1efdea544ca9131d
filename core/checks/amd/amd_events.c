/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AMD bandwidth monitoring event configuration (BMEC): the same on an L3, and a change of it clears the counts. */
#include "arch/x86/rdt/qm.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/checks/amd/amd_counters.h"
#include "core/checks/families.h"
#include "core/domain/alloc_owners.h"
#include "core/load/loads.h"
#include "core/load/memory.h"
#include "core/platform/script.h"

#define FIRST_TRIES 5u /* the first read of an RMID is Unavailable */
#define APM_EVENT   "APM vol. 2 19.3.3 Bandwidth Monitoring Event Configuration"

/* --- RS-11: event configuration of an L3 -------------------------------------------------------------------------- */

struct event_config_sweep {
    struct sweep sweep;
    uint32_t first_cpu; /* of the present L3 domain: processors come in order */
    uint64_t first[2];
};

static uint32_t build_event_config(struct sweep *, uint32_t, struct step *steps)
{
    steps[0] = step_rdmsr(QOS_EVT_CFG(0));
    steps[1] = step_rdmsr(QOS_EVT_CFG(1));
    return 2;
}

static void judge_event_config(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct event_config_sweep *m = s->context;
    bool first = m->first_cpu == UINT32_MAX || !alloc_same(s->check, m->first_cpu, cpu, ALLOC_L3);

    if (first)
        m->first_cpu = cpu;
    for (uint32_t i = 0; i < n; i++) {
        if (steps[i].status != ST_OK) {
            finding(s->check, FINDING_EXPECTED, 0, FOUND_REGISTER_MISSING, place_cpu(cpu),
                    "RDMSR QOS_EVT_CFG_%u raised %s although BMEC is enumerated", i, status_text(steps[i].status));
            continue;
        }
        s->compared++;
        if (first)
            m->first[i] = steps[i].value;
        if (s->compared <= 4 || steps[i].value != m->first[i])
            evidence_msr(s->check, cpu, steps[i].reg, steps[i].value, steps[i].tsc);
        if (steps[i].value != m->first[i])
            finding(s->check, FINDING_EXPECTED, 0, FOUND_READS_DIFFER, place_cpu(cpu),
                    "QOS_EVT_CFG_%u is 0x%lx, on cpu %u of the same L3 it is 0x%lx", i, steps[i].value, m->first_cpu,
                    m->first[i]);
    }
}

/* One transaction type less: legal whatever the part has. 0: none would be left. */
static uint64_t one_type_less(uint64_t types)
{
    return types & (types - 1);
}

static enum status check_event_config(struct check *c)
{
    struct event_config_sweep m = { .first_cpu = UINT32_MAX };
    const struct alloc_table t = { .name = "QOS_EVT_CFG", .first = QOS_EVT_CFG(0), .classes = 2, .scope = ALLOC_L3 };
    uint64_t types = rdt_event_reset(reference_rdt(c), QOS_EVT_CFG_TOTAL_RESET);
    const uint64_t own[2] = { types, one_type_less(types) };

    if (!(reference_rdt(c)->qosx_ebx & CPUID_8000_0020_0_EBX_BMEC))
        return check_absent(c, "BMEC is not enumerated (CPUID Fn8000_0020_EBX_x0[3] = 0)");
    TRY(sweep_run(&m.sweep, c, 2, build_event_config, judge_event_config, "QOS_EVT_CFG", &m));
    evidence_swept(c, "event configurations compared within each L3", m.sweep.compared);
    return own[1] ? alloc_owners_walk(c, &t, own) : ST_OK;
}

/* --- AM-04: another event configuration --------------------------------------------------------------------------- */

static void judge_cleared(struct check *c, uint32_t domain, uint32_t rmid, uint64_t before)
{
    struct qm_domain *q = domain_qm(c, domain);
    struct qm_sample s = { 0 };
    enum status st = qm_read(c->platform, q, rmid, QM_EVENT_L3_TOTAL, &s);

    evidence_msr(c, q->cpu, IA32_QM_CTR, s.raw, s.tsc);
    if (st == ST_OK && s.counts != 0 && s.counts >= before)
        finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_CLEARED, place_rmid(domain, rmid),
                "the first read after a change of QOS_EVT_CFG_0 returns 0x%lx counts without Unavailable, 0x%lx before",
                s.counts, before);
}

/* An RMID that has read `bytes`; from: its count before, counts: now. */
struct events_stream {
    uint32_t domain, cpu, rmid;
    uint64_t base, bytes, from, counts;
};

static enum status read_total(struct check *c, const struct events_stream *e, uint64_t *counts)
{
    struct qm_sample s = { 0 };
    enum status st =
        qm_read_wait(c->platform, domain_qm(c, e->domain), e->rmid, QM_EVENT_L3_TOTAL, FIRST_TRIES, &s, NULL);

    *counts = st == ST_OK ? s.counts : 0;
    return st;
}

static double counted_of(const struct check *c, const struct events_stream *e)
{
    const struct qm_domain *q = &c->tools->qm[e->domain];

    return (double)qm_bytes(q, qm_delta(e->from, e->counts, q->counter_width)) / (double)e->bytes;
}

/* The count once it has the stream and further reads show no more. */
static enum status read_settled(struct check *c, struct events_stream *e)
{
    enum status st = read_total(c, e, &e->counts);
    bool moves = true;

    for (uint32_t step = 0; st == ST_OK && moves && domain_settle_wait(c, step); step++) {
        uint64_t was = e->counts;

        st = read_total(c, e, &e->counts);
        moves = e->counts != was || counted_of(c, e) < COUNTED_LEAST;
    }
    return st;
}

/* The buffer is read from memory; e->from gets the count before. */
static enum status read_buffer(struct check *c, struct events_stream *e, uint32_t *bad)
{
    struct traffic_part part = part_read(e->rmid, e->base, e->bytes);
    struct traffic_load load = { .cpu = e->cpu, .n_parts = 1, .parts = &part };
    enum status st = domain_clean(c, e->domain, bad);

    if (st == ST_OK)
        st = read_total(c, e, &e->from); /* tracking begins */
    if (st == ST_OK || st == ST_UNAVAILABLE)
        st = traffic_run(c->platform, &load, 1, NULL, NULL, bad);
    return st;
}

/* Traffic counted under an RMID. */
static enum status count_stream(struct check *c, struct events_stream *e)
{
    uint32_t bad = e->cpu;
    enum status st;

    TRY(memory_scatter_local(c, e->cpu, e->bytes, &e->base));
    st = read_buffer(c, e, &bad);
    if (st == ST_OK)
        st = read_settled(c, e);
    if (st != ST_OK)
        return check_absent(c, "L3 domain %u, RMID %u, cpu %u: %s", e->domain, e->rmid, bad, status_text(st));
    if (counted_of(c, e) < COUNTED_LEAST)
        return check_absent(c,
                            "L3 domain %u, RMID %u: less than half of %lu bytes read were counted: too little to see "
                            "whether it is cleared",
                            e->domain, e->rmid, e->bytes);
    return ST_OK;
}

/* The same load once more, with a configuration that has lost the type of its reads: as much as before is a
 * configuration that is stored and ignored. */
static enum status judge_without_reads(struct check *c, struct events_stream *e, uint64_t types)
{
    uint32_t bad = e->cpu;
    enum status st;

    if (types & QOS_EVT_CFG_LCL_FILL || !memory_is_local(c, e->cpu))
        return ST_OK;
    st = read_buffer(c, e, &bad);
    for (uint32_t step = 0; st == ST_OK && step < SETTLE_STEPS && domain_settle_wait(c, step); step++)
        ;
    if (st == ST_OK)
        st = read_total(c, e, &e->counts);
    if (st == ST_OK && counted_of(c, e) >= COUNTED_LEAST)
        finding(c, FINDING_UNUSUAL, 0, FOUND_OVERCOUNTS, place_rmid(e->domain, e->rmid),
                "QOS_EVT_CFG_0 is 0x%lx, without reads of local memory, and a read of %lu bytes counts %lu bytes",
                types, e->bytes, (uint64_t)(counted_of(c, e) * (double)e->bytes));
    return st == ST_UNAVAILABLE ? ST_OK : st;
}

/* QOS_EVT_CFG_0 has what was written, QOS_EVT_CFG_1 what it had. */
static void judge_stored(struct check *c, uint32_t cpu, uint64_t types)
{
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t wanted = i == 0 ? types : alloc_found(c, cpu, QOS_EVT_CFG(i)), value = 0;
        enum status st = msr_read(c->platform, cpu, QOS_EVT_CFG(i), &value);

        if (st == ST_OK && value == wanted)
            continue;
        evidence_msr(c, cpu, QOS_EVT_CFG(i), value, 0);
        finding(c, FINDING_UNUSUAL, 0, i == 0 ? FOUND_NOT_STORED : FOUND_REGISTER_SHARED, place_cpu(cpu),
                "QOS_EVT_CFG_0 was written 0x%lx, and QOS_EVT_CFG_%u then is 0x%lx (%s), not 0x%lx", types, i, value,
                status_text(st), wanted);
    }
}

/* Traffic is counted, the event configuration is changed, and the count is read again. */
static enum status check_events_clear(struct check *c, uint32_t domain)
{
    struct events_stream e = { .domain = domain, .bytes = load_stream_bytes(c, domain) };
    uint64_t types;
    enum status st;

    if (!domain_rmids(c, domain, &e.rmid, 1) || !domain_cpus(c, domain, &e.cpu, 1))
        return check_absent(c, "L3 domain %u: no free RMID or no processor", domain);
    types = one_type_less(alloc_found(c, e.cpu, QOS_EVT_CFG(0)));
    if (types == 0)
        return check_absent(c, "L3 domain %u: QOS_EVT_CFG_0 has fewer than two transaction types", domain);
    TRY(count_stream(c, &e));
    if (amd_write_types(c, domain, 0, types) != ST_OK)
        return alloc_put_back(c, QOS_EVT_CFG(0));
    judge_stored(c, e.cpu, types);
    judge_cleared(c, domain, e.rmid, e.counts);
    st = judge_without_reads(c, &e, types);
    if (st != ST_OK)
        st = check_unmeasured(c, st, e.cpu, "the load after a change of QOS_EVT_CFG_0");
    return status_first(st, alloc_put_back(c, QOS_EVT_CFG(0)));
}

static enum status events_clear_ready(struct check *c)
{
    if (!(reference_rdt(c)->qosx_ebx & CPUID_8000_0020_0_EBX_BMEC))
        return check_absent(c, "BMEC is not enumerated (CPUID Fn8000_0020_EBX_x0[3] = 0)");
    TRY(alloc_record(c, QOS_EVT_CFG(0)));
    return alloc_record(c, QOS_EVT_CFG(1));
}

static const struct check_row rows[] = {
    { .id = "amd.events-same",
      .title = "QOS_EVT_CFG is that of the L3 on each of its processors",
      .covers = "RS-11 XC-02",
      .detects = "an event configured on some processors only, a write that reaches another L3 or event",
      .risk = RISK_MSR,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 110,
      .run = check_event_config },
    { .id = "amd.events-clear",
      .title = "A change of QOS_EVT_CFG clears the count",
      .covers = "AM-04",
      .detects = "a configuration without effect, that of the other event too, a count of two configurations",
      .needs = NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_BANDWIDTH,
      .by_experience = true,
      .order = 115, /* before amd_counters.c: counters reset when ABMC is switched (Linux _resctrl_abmc_enable()) */
      .ready = events_clear_ready,
      .run_domain = check_events_clear },
};
CHECK_FAMILY(amd_events, rows, AMD_FAMILY("BMEC"), .spec = APM_EVENT, .needs = NEED_AMD_QOS);
