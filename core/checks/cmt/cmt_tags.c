/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which RMID a line counts under: the one in IA32_PQR_ASSOC when the processor filled it. Witness: which processor read
 * which buffer under which RMID. */
#include "core/experiment/fill.h"
#include "core/experiment/waves.h"

#define RDT_TAG "RDT Architecture Specification 356688 7.1.1.5 L3 occupancy: lines keep the RMID that brought them in"

/* --- CM-05: writing IA32_PQR_ASSOC moves no line ------------------------------------------------------------------ */

#define RETAG_SECONDS_DIVISOR 10u /* 100 ms */

static enum status cmt_retag(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct fill f;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };

    TRY(fill_take(c, domain, 2, 2 * fill_least_bytes(c, domain), &b, &f));
    TRY(fill_known(&f, "occupancy", &r[0]));
    load.cpu = b.cpu;
    part = part_idle(b.rmids[1], c->platform->tsc_hz / RETAG_SECONDS_DIVISOR);
    expect_occupancy(c, &r[0], r[0].bytes, 0);
    r[0].name = "occupancy after the processor switched to another RMID";
    r[0].code = FOUND_CHANGED_AT_REST;
    r[1] = reading_occupancy(domain, b.rmids[1]);
    r[1].name = "occupancy of the RMID switched to";
    r[1].code = FOUND_COUNTED_ELSEWHERE;
    expect_no_occupancy(c, &r[1]);
    expect_none_of(&r[1], r[0].bytes);
    e.flags = EXPERIMENT_WARM | EXPERIMENT_HALVE;
    return experiment_check(&e, "no line was filled after IA32_PQR_ASSOC changed");
}

/* --- CM-06: threads, applications, context switches --------------------------------------------------------------- */

static enum status cmt_halves(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct fill fills[2];
    struct traffic_load load;
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };
    enum status st = fill_take(c, domain, 2, load_half_l3(c, domain), &b, &fills[0]);
    uint64_t third = ROUND_DOWN(b.bytes / 3);

    TRY(st);
    fills[1] = fills[0];
    for (uint32_t i = 0; i < 2; i++) { /* of different sizes: exchanged RMIDs show */
        fills[i].rmid = b.rmids[i];
        fills[i].base = b.base + i * third;
        fills[i].bytes = (i + 1) * third;
        r[i] = reading_occupancy(domain, b.rmids[i]);
        expect_occupancy(c, &r[i], (double)fills[i].bytes, 0);
    }
    TRY(fill_chain(fills, 2, &load));
    return fill_check(&e, &fills[1], FILL_BY_CONTROL,
                      "a third of the buffer was filled under one RMID, then the rest under another");
}

#define SWITCHES 12u /* slices of two tasks on one processor, two of the first to one of the second */

struct tasks {
    struct test_buffer buffer;
    struct fill slices[SWITCHES];
    uint64_t bytes[2]; /* of each task */
};

/* Slices in memory of their own. The L2 is emptied after the last of them alone. */
static void plan_tasks(struct tasks *t, const struct fill *f)
{
    uint64_t slice = ROUND_DOWN(f->bytes / SWITCHES);

    for (uint32_t i = 0; i < SWITCHES; i++) {
        uint32_t task = i % 3 == 2;

        t->slices[i] = *f;
        t->slices[i].rmid = t->buffer.rmids[task];
        t->slices[i].base = f->base + i * slice;
        t->slices[i].bytes = slice;
        t->slices[i].scratch_bytes = i + 1 == SWITCHES ? f->scratch_bytes : 0;
        t->bytes[task] += slice;
    }
}

#define SWITCHED "two tasks alternated on one processor, with a write of IA32_PQR_ASSOC at each switch"

static enum status switch_occupancy(struct check *c, uint32_t domain, const struct tasks *t, const struct fill *control)
{
    double in_l2 = c->machine->domains[domain].l3_inclusive ? 0 : (double)reference_l2_bytes(c);
    struct traffic_load load;
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };
    enum status st = fill_chain(t->slices, SWITCHES, &load);

    for (uint32_t i = 0; i < 2; i++) {
        r[i] = reading_occupancy(domain, t->buffer.rmids[i]);
        expect_occupancy(c, &r[i], (double)t->bytes[i], 1);
        /* That of an L2 may count as the other task's: it is not documented when a line gets its RMID. */
        r[i].hi += in_l2;
        r[i].never_hi += in_l2;
        r[i].tight_hi += r[i].tight_hi > 0 ? in_l2 : 0;
    }
    return st == ST_OK ? fill_check(&e, control, FILL_BY_CONTROL, SWITCHED) : st;
}

static enum status switch_bandwidth(struct check *c, uint32_t domain, const struct tasks *t)
{
    struct traffic_part parts[SWITCHES];
    struct reading r[2];
    struct experiment e;

    for (uint32_t i = 0; i < SWITCHES; i++)
        parts[i] = part_read(t->slices[i].rmid, t->slices[i].base, t->slices[i].bytes);
    for (uint32_t i = 0; i < 2; i++) {
        r[i] = reading_total(domain, t->buffer.rmids[i]);
        expect_bandwidth(c, &r[i], (double)t->bytes[i]);
    }
    TRY(experiment_stream(c, t->buffer.cpu, parts, SWITCHES, r, 2, &e));
    experiment_judge(&e, SWITCHED);
    return ST_OK;
}

/* An OS writes IA32_PQR_ASSOC when it switches tasks. Two tasks alternate on one processor; MBM total, where it is
 * enumerated, must follow as well. */
static enum status cmt_context_switch(struct check *c, uint32_t domain)
{
    struct tasks t = { .bytes = { 0, 0 } };
    struct fill f;

    TRY(fill_take(c, domain, 2, load_half_l3(c, domain), &t.buffer, &f));
    plan_tasks(&t, &f);
    TRY(switch_occupancy(c, domain, &t, &f));
    return reference_rdt(c)->total ? switch_bandwidth(c, domain, &t) : ST_OK;
}

#define SHARERS 4u

struct sharers {
    uint32_t n;
    struct fill fills[SHARERS];
    struct traffic_load loads[SHARERS];
};

static enum status plan_sharers(struct check *c, struct sharers *s, const uint32_t *cpus, const struct fill *whole)
{
    uint64_t piece = ROUND_DOWN(whole->bytes / s->n), scratch = 0;
    enum status st = fill_scratch(c, whole->domain, whole->cpu, s->n, &scratch);

    for (uint32_t i = 0; i < s->n; i++) {
        s->fills[i] = *whole;
        s->fills[i].cpu = cpus[i];
        s->fills[i].base = whole->base + i * piece;
        s->fills[i].bytes = piece;
    }
    return st == ST_OK ? fill_together(s->fills, s->n, scratch, s->loads) : st;
}

#define SHARED "several processors filled a part each under this one RMID"

static enum status share_occupancy(struct check *c, uint32_t domain, struct sharers *s)
{
    struct reading r = reading_occupancy(domain, s->fills[0].rmid);
    struct experiment e = { .check = c, .loads = s->loads, .n_loads = s->n, .readings = &r, .n_readings = 1 };

    expect_occupancy(c, &r, (double)(s->n * s->fills[0].bytes), 0);
    return fill_check(&e, &s->fills[0], FILL_BY_CONTROL, SHARED);
}

static enum status share_bandwidth(struct check *c, uint32_t domain, const struct sharers *s)
{
    struct traffic_part parts[SHARERS];
    struct traffic_load loads[SHARERS];
    struct reading r = reading_total(domain, s->fills[0].rmid);
    struct experiment e = { .check = c, .loads = loads, .n_loads = s->n, .readings = &r, .n_readings = 1 };

    for (uint32_t i = 0; i < s->n; i++) {
        parts[i] = part_read(s->fills[i].rmid, s->fills[i].base, s->fills[i].bytes);
        loads[i] = (struct traffic_load){ .cpu = s->fills[i].cpu, .n_parts = 1, .parts = &parts[i] };
    }
    expect_bandwidth(c, &r, (double)(s->n * s->fills[0].bytes));
    return experiment_check(&e, SHARED);
}

/* One RMID for all threads of an application. */
static enum status cmt_shared(struct check *c, uint32_t domain)
{
    uint32_t cpus[SHARERS], n = domain_cpus(c, domain, cpus, SHARERS), most = n < SHARERS ? n : SHARERS;
    uint64_t bytes = load_half_l3(c, domain);
    struct sharers s = { .n = fill_at_once(c, domain, bytes, cpus, most) };
    struct test_buffer b;
    struct fill whole;

    if (n < 2)
        return check_absent(c, "L3 domain %u has one processor", domain);
    if (s.n < 2) {
        bytes = ROUND_DOWN(bytes / 2);
        s.n = fill_at_once(c, domain, bytes, cpus, most);
    }
    if (s.n < 2)
        return check_absent(c, "L3 domain %u is too small against the L2s of two processors", domain);
    TRY(fill_take(c, domain, 1, bytes, &b, &whole));
    TRY(plan_sharers(c, &s, cpus, &whole));
    TRY(share_occupancy(c, domain, &s));
    return reference_rdt(c)->total ? share_bandwidth(c, domain, &s) : ST_OK;
}

/* --- every thread, and pairs of siblings -------------------------------------------------------------------------- */

static enum status fill_by_every_thread(struct check *c, uint32_t domain, uint64_t rest_ns, const char *stimulus)
{
    struct waves w = { .event = QM_EVENT_L3_OCCUPANCY,
                       .bytes = fill_least_bytes(c, domain),
                       .name = "occupancy",
                       .series = "occupancy / bytes filled",
                       .share = OCC_SHARE,
                       .rest_ns = rest_ns,
                       .stimulus = stimulus };

    w.at_once = waves_fit(c, domain, w.bytes);
    return waves_every_thread(c, domain, &w);
}

static enum status cmt_every_thread(struct check *c, uint32_t domain)
{
    return fill_by_every_thread(c, domain, 0, "the processor filled a buffer under this RMID");
}

/* AS-12: as mbm.rested. */
static enum status cmt_rested(struct check *c, uint32_t domain)
{
    return fill_by_every_thread(
        c, domain, TRAFFIC_REST_NS,
        "the processor was in HLT, and MWAIT if it has it, after it was given this RMID, and then "
        "filled a buffer");
}

static enum status cmt_siblings(struct check *c, uint32_t domain)
{
    const struct waves w = { .event = QM_EVENT_L3_OCCUPANCY,
                             .bytes = fill_least_bytes(c, domain),
                             .name = "occupancy",
                             .stimulus = "both SMT siblings filled a buffer, each under an RMID of its own" };

    return waves_siblings(c, domain, &w);
}

/* --- XC-10: a sibling that keeps changing its RMID ---------------------------------------------------------------- */

#define RMID_CHANGES 10000u

/* One thread of a core changes its RMID ten thousand times while the other one fills: no line of that fill may count
 * under either of the two. */
static enum status cmt_active_sibling(struct check *c, uint32_t domain)
{
    struct traffic_part *changes = check_alloc(c, RMID_CHANGES * sizeof changes[0]);
    struct fill f;
    struct traffic_load loads[2];
    struct reading r[3];
    struct experiment e = { .check = c, .loads = loads, .n_loads = 2, .readings = r, .n_readings = 3 };
    struct test_buffer b;
    uint32_t first, rmids[3];
    enum status st;

    if (domain_sibling_pairs(c, domain, &first, 1) == 0 || domain_rmids_any(c, domain, rmids, 3) < 3)
        return check_absent(c, "L3 domain %u: no core with two threads, or fewer than three free RMIDs", domain);
    st = fill_take(c, domain, 1, 2 * fill_least_bytes(c, domain), &b, &f);
    f.cpu = domain_sibling(c, first);
    f.rmid = rmids[0];
    TRY(st);
    TRY(fill_plan(&f));
    if (changes == NULL)
        return check_unmeasured(c, ST_NO_MEMORY, first, "the list of RMID changes");
    for (uint32_t i = 0; i < RMID_CHANGES; i++)
        changes[i] = part_idle(rmids[1 + i % 2], 0);
    loads[0] = fill_load(&f);
    loads[1] = (struct traffic_load){ .cpu = first, .n_parts = RMID_CHANGES, .parts = changes };
    for (uint32_t i = 0; i < 3; i++)
        r[i] = reading_occupancy(domain, rmids[i]);
    expect_occupancy(c, &r[0], (double)f.bytes, 0);
    for (uint32_t i = 1; i < 3; i++) {
        expect_no_occupancy(c, &r[i]);
        expect_none_of(&r[i], (double)f.bytes);
    }
    return fill_check(&e, &f, FILL_BY_CONTROL, "one thread filled while its SMT sibling changed its RMID 10000 times");
}

static const struct check_row rows[] = {
    { .id = "cmt.retag",
      .title = "Changing the RMID does not move lines already in the L3",
      .spec = RDT_TAG,
      .covers = "CM-05",
      .means = "lines already in the L3 change their RMID when the processor changes its own",
      .next = "`cmt.readers`, where a hit might do it; `cmt.halves`; `cmt.fill`",
      .run_domain = cmt_retag },
    { .id = "cmt.halves",
      .title = "A new RMID applies from the next fill",
      .spec = RDT_TAG,
      .covers = "CM-06",
      .means = "lines filled after a write of IA32_PQR_ASSOC count under the former RMID",
      .next = "which of the two RMIDs has too much; `cmt.retag`; `mbm.switching` for the same in MBM",
      .run_domain = cmt_halves },
    { .id = "cmt.context-switch",
      .title = "Tasks alternating on one processor count under their own RMIDs",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association (one active RMID, changed by a write)",
      .covers = "CM-06 MB-13",
      .means = "after a context switch occupancy or traffic is charged to the wrong task",
      .next = "`cmt.halves`, `mbm.switching`: the same with one switch; whether occupancy or MBM total is off",
      .run_domain = cmt_context_switch },
    { .id = "cmt.shared",
      .title = "Occupancy of an RMID sums over the threads that share it",
      .spec = "SDM vol. 3B 17.16.1 (several logical processors may have one RMID)",
      .covers = "CM-02 MB-02",
      .means = "occupancy or MBM total of a shared RMID misses what one of its threads did",
      .next = "`cmt.every-thread` for which thread; `mbm.every-thread`",
      .needs = NEED_2_CPUS,
      .run_domain = cmt_shared },
    { .id = "cmt.every-thread",
      .title = "Every logical processor fills under its own RMID",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .covers = "CM-02 CM-16 AS-08",
      .means = "lines that one logical processor fills count under another RMID than its own",
      .next = "the processor and RMID in the finding; IA32_PQR_ASSOC of it (`pqr.own-copy`); `mbm.every-thread`",
      .slow = true,
      .run_domain = cmt_every_thread },
    { .id = "cmt.rested",
      .title = "A processor that was in HLT or MWAIT fills under the RMID that it had before",
      .spec =
          "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association; 17.16.8.2 Monitoring Operation With Power Saving "
          "Features",
      .covers = "AS-12",
      .detects = "occupancy that lines of a processor are not counted in after it was idle",
      .means =
          "lines of a processor that was idle are counted under another RMID than IA32_PQR_ASSOC has, or under none",
      .next = "`mbm.rested`, `cmt.every-thread`; the processor and RMID in the finding; C-states of firmware",
      .slow = true,
      .run_domain = cmt_rested },
    { .id = "cmt.siblings",
      .title = "SMT siblings filling at once count under their own RMIDs",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .covers = "CM-16 AS-07",
      .means = "lines of one thread count under the RMID of its SMT sibling",
      .next = "`pqr.siblings`; `mbm.siblings`; `cmt.restless-sibling`",
      .needs = NEED_SMT,
      .slow = true,
      .run_domain = cmt_siblings },
    { .id = "cmt.restless-sibling",
      .title = "RMID changes do not affect the SMT sibling's occupancy",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .covers = "XC-10 AS-07",
      .means = "lines of one thread count under RMIDs that its SMT sibling switches to",
      .next = "`cmt.siblings`, where both RMIDs are constant; `pqr.siblings`",
      .needs = NEED_SMT,
      .slow = true,
      .run_domain = cmt_active_sibling },
};
CHECK_FAMILY(cmt_tags, rows, .needs = NEED_OCCUPANCY, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_OCCUPANCY,
             .by_experience = true, .excludes = true, .order = 420);
