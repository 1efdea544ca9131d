/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Occupancy that must not change: on a hit by another RMID, by non-temporal stores, by another package's WBINVD, while
 * idle, by prefetchers. Witness: which processor asked for which lines. */
#include "core/experiment/fill.h"

#define SDM_CMT "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"
#define RDT_TAG "RDT Architecture Specification 356688 7.1.1.5 L3 occupancy: lines keep the RMID that brought them in"

/* --- CM-11: a hit changes no owner -------------------------------------------------------------------------------- */

/* One core fills, another one reads the same lines under another RMID. Where the L3 is not inclusive a line may move to
 * the reader's L2 and come back with the reader's RMID, and the documents do not say: then it is recorded alone. */
static enum status cmt_readers(struct check *c, uint32_t domain)
{
    bool inclusive = c->machine->domains[domain].l3_inclusive;
    struct test_buffer b;
    struct fill f;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };

    TRY(fill_take(c, domain, 2, 2 * fill_least_bytes(c, domain), &b, &f));
    TRY(fill_known(&f, "occupancy", &r[0]));
    load.cpu = domain_other_core(c, domain, b.cpu);
    part = part_read(b.rmids[1], b.base, b.bytes);
    if (inclusive)
        expect_occupancy(c, &r[0], r[0].bytes, 0);
    else
        r[0] = reading_occupancy(domain, b.rmids[0]);
    r[0].name = "occupancy of the filling RMID after hits by another";
    r[0].code = FOUND_CHANGED_AT_REST;
    r[1] = reading_occupancy(domain, b.rmids[1]);
    r[1].name = "occupancy of the reading RMID";
    r[1].code = FOUND_COUNTED_ELSEWHERE;
    if (inclusive)
        expect_no_occupancy(c, &r[1]);
    e.flags = EXPERIMENT_WARM | EXPERIMENT_ONCE;
    return experiment_check(&e, "the other RMID read the same lines, which hit the L3");
}

/* --- CM-14: what is not cached does not count --------------------------------------------------------------------- */

static enum status cmt_past_caches(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct traffic_part part;
    struct reading r;
    struct experiment e;

    TRY(test_buffer_any(c, domain, 1, load_half_l3(c, domain), &b));
    part = part_read(b.rmids[0], b.base, b.bytes);
    part.work.kind = WORK_NT_WRITE;
    r = reading_occupancy(domain, b.rmids[0]);
    expect_no_occupancy(c, &r);
    TRY(experiment_stream(c, b.cpu, &part, 1, &r, 1, &e));
    excludes(c, "occupancy of non-temporal stores", r.hi - r.bytes, "bytes");
    experiment_judge(&e, "non-temporal stores bypassed the caches");
    return ST_OK;
}

/* --- CM-15: the L3s of two packages are independent --------------------------------------------------------------- */

static uint32_t domain_elsewhere(struct check *c, uint32_t domain)
{
    return FIND(i, c->machine->n_domains, c->machine->domains[i].package != c->machine->domains[domain].package, i,
                domain);
}

struct two_fills {
    struct fill fills[2];
    struct traffic_load loads[2];
    struct reading r[2];
};

/* A small fill in each of two domains, both to run at once. */
static enum status fill_two(struct check *c, const uint32_t domains[2], struct two_fills *f)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct test_buffer b;

        TRY(fill_take(c, domains[i], 1, 2 * fill_least_bytes(c, domains[i]), &b, &f->fills[i]));
        TRY(fill_plan(&f->fills[i]));
        f->loads[i] = fill_load(&f->fills[i]);
        f->r[i] = reading_occupancy(domains[i], b.rmids[0]);
        expect_occupancy(c, &f->r[i], (double)b.bytes, 0);
    }
    return ST_OK;
}

/* The same RMID fills the L3s of two packages, and one of them is written back and invalidated. */
static enum status cmt_flushed_alone(struct check *c, uint32_t domain)
{
    const uint32_t domains[2] = { domain, domain_elsewhere(c, domain) };
    uint32_t bad_cpu = 0;
    struct two_fills f;
    struct experiment e = { .check = c, .loads = f.loads, .n_loads = 2, .readings = f.r, .n_readings = 2 };

    if (domain != 0 || domains[1] == domain)
        return check_absent(c, "L3 domain %u: only the first L3 and one of another package are judged", domain);
    TRY(fill_two(c, domains, &f));
    TRY(fill_check(&e, &f.fills[0], FILL_BY_CONTROL, "a buffer was filled under this RMID"));
    TRY_MEASURE(c, domain_clean(c, domain, &bad_cpu), bad_cpu, "WBINVD");
    f.r[0].name = "occupancy after WBINVD";
    f.r[0].code = FOUND_KEPT_AFTER_FLUSH;
    expect_no_occupancy(c, &f.r[0]);
    f.r[1].name = "occupancy after WBINVD on another package";
    f.r[1].code = FOUND_CHANGED_AT_REST;
    expect_occupancy(c, &f.r[1], f.r[1].bytes, 0);
    e.n_loads = 0;
    e.flags = EXPERIMENT_WARM | EXPERIMENT_ONCE;
    return experiment_check(&e, "WBINVD was executed on one package only");
}

/* --- CM-19: idle occupancy ---------------------------------------------------------------------------------------- */

#define IDLE_SECONDS  3u /* after how long a rest an L3 may give up lines is not documented */
#define SECOND_NS     UINT64_C(1000000000)
#define AWAKE_NS      UINT64_C(10000000)
#define AWAKE_LEAST   0.6 /* of a fill, that other agents leave: docs/tolerances.md, fills */
#define IDLE_STIMULUS "no processor read or wrote memory under this RMID in these 3 s"

static void expect_kept(struct check *c, const struct fill *f, double before, struct reading *r)
{
    double in_l2 = c->machine->domains[f->domain].l3_inclusive ? 0 : (double)reference_l2_bytes(c);

    *r = reading_occupancy(f->domain, f->rmid);
    r->name = "occupancy after 3 s idle";
    r->code = FOUND_CHANGED_AT_REST;
    expect_occupancy(c, r, before, 0);
    r->hi += in_l2; /* lines that an L2 gives up while idle */
    r->never_hi += in_l2;
    r->tight_hi += r->tight_hi > 0 ? in_l2 : 0;
}

/* The same fill and as long a time, in which the occupancy is read each 10 ms, so that the reading processor hardly
 * rests: what devices and other agents replace in 3 s they replace here too. *share: what is left, of the fill. */
static enum status awake_control(struct check *c, struct fill *f, double *share)
{
    struct reading r = { 0 };
    struct experiment e = { .check = c, .readings = &r, .n_readings = 1, .flags = EXPERIMENT_WARM | EXPERIMENT_ONCE };
    double before;
    enum status st = fill_known(f, "control: occupancy", &r);

    before = r.bytes;
    for (uint64_t ns = 0; ns < IDLE_SECONDS * SECOND_NS && st == ST_OK; ns += AWAKE_NS) {
        platform_stall(c->platform, AWAKE_NS);
        r = reading_occupancy(f->domain, f->rmid);
        st = experiment_measure(&e);
    }
    *share = before > 0 && r.bytes < before ? r.bytes / before : 1;
    if (st == ST_OK)
        check_show(c, "control: share left after as long a time, not idle", place_domain(f->domain), 100 * *share, "%");
    return st;
}

/* Less than the bounds allow may be what other agents replace: a part of the fill, for devices write to the L3 in few
 * of its ways. Where more is gone with the control too, that is no excuse. */
static enum status bound_by_awake(struct check *c, struct fill *f, double before, struct reading *r)
{
    struct reading scaled;
    double share = 1;

    TRY(awake_control(c, f, &share));
    if (share < AWAKE_LEAST)
        return ST_OK;
    expect_kept(c, f, share * before, &scaled);
    r->lo = scaled.lo;
    r->tight_lo = r->tight_hi > 0 ? scaled.tight_lo : 0;
    r->never_lo = scaled.never_lo;
    return ST_OK;
}

static enum status cmt_drift(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct fill f;
    struct reading r;
    struct experiment e = { .check = c, .readings = &r, .n_readings = 1, .flags = EXPERIMENT_WARM | EXPERIMENT_ONCE };
    double before;

    TRY(fill_take(c, domain, 1, 2 * fill_least_bytes(c, domain), &b, &f));
    TRY(fill_known(&f, "occupancy", &r));
    before = r.bytes;
    platform_stall(c->platform, IDLE_SECONDS * SECOND_NS);
    expect_kept(c, &f, before, &r);
    TRY(experiment_measure(&e));
    if (fill_is_short(&r))
        TRY(bound_by_awake(c, &f, before, &r));
    experiment_judge(&e, IDLE_STIMULUS);
    return ST_OK;
}

/* --- CM-20, MB-16: with prefetchers and without ------------------------------------------------------------------- */

static enum status prefetch_occupancy(struct check *c, struct fill *f, bool prefetch)
{
    struct traffic_load load = fill_load(f);
    struct reading r = reading_occupancy(f->domain, f->rmid);
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    r.name = prefetch ? "occupancy, prefetchers as found" : "occupancy, prefetchers off";
    expect_occupancy(c, &r, (double)f->bytes, 0);
    e.flags = prefetch ? EXPERIMENT_PREFETCH : 0;
    TRY(fill_measure(&e, f, FILL_BY_CONTROL));
    if (!prefetch && e.outcome.prefetch_found == 0)
        return check_absent(c, "L3 domain %u: no prefetchers that can be disabled", f->domain);
    experiment_judge(&e, "the same buffer was filled with prefetchers and without");
    return ST_OK;
}

static enum status prefetch_bandwidth(struct check *c, const struct fill *f, bool prefetch)
{
    struct traffic_part part = part_read(f->rmid, f->base, f->bytes);
    struct traffic_load load = { .cpu = f->cpu, .n_parts = 1, .parts = &part };
    struct reading r = reading_total(f->domain, f->rmid);
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    r.name = prefetch ? "MBM total, prefetchers as found" : "MBM total, prefetchers off";
    expect_bandwidth(c, &r, (double)f->bytes);
    e.flags = prefetch ? EXPERIMENT_PREFETCH : 0;
    return experiment_check(&e, "the same buffer was read with prefetchers and without");
}

static enum status cmt_prefetch(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct fill f;

    TRY(fill_take(c, domain, 1, load_half_l3(c, domain), &b, &f));
    TRY(fill_plan(&f));
    for (uint32_t on = 0; on < 2; on++) {
        TRY(prefetch_occupancy(c, &f, on));
        if (reference_rdt(c)->total)
            TRY(prefetch_bandwidth(c, &f, on));
    }
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "cmt.readers",
      .title = "Cache hits do not change line ownership",
      .spec = RDT_TAG,
      .covers = "CM-11",
      .means = "the RMID of a line changes on a hit: occupancy moves to the reader",
      .next = "`cmt.retag`, `cmt.halves`; whether the L3 is inclusive (CPUID.4:EDX[1]); `cross.sharing`",
      .needs = NEED_2_CPUS,
      .run_domain = cmt_readers },
    { .id = "cmt.past-caches",
      .title = "Non-temporal stores add no occupancy",
      .spec = SDM_CMT,
      .covers = "CM-14",
      .means = "non-temporal stores allocate in the L3, or occupancy counts misses",
      .next = "`cmt.fill`; `mbm.kinds` for the same stores; `cmt.flush`",
      .slow = true,
      .run_domain = cmt_past_caches },
    { .id = "cmt.flushed-alone",
      .title = "WBINVD on one package leaves another package's occupancy",
      .spec = "RDT Architecture Specification 356688 7.1 Monitoring: RMIDs are local to an L3",
      .covers = "CM-15",
      .means = "WBINVD on one package changes the occupancy of another package",
      .next = "which of the two readings is off; `cross.sharing`; `enum.every-processor`",
      .needs = NEED_2_DOMAINS,
      .partner = domain_elsewhere,
      .run_domain = cmt_flushed_alone },
    { .id = "cmt.drift",
      .title = "Idle occupancy does not drift",
      .spec = "SDM vol. 3B 17.16.8.2 Monitoring Operation With Power Saving Features",
      .covers = "CM-19",
      .means = "lines are evicted or brought in while the processors are idle",
      .next = "SMIs and frequency in assay.disturbance; package C-states; devices that write to the L3 (DDIO)",
      .slow = true,
      .run_domain = cmt_drift },
    { .id = "cmt.prefetch",
      .title = "Prefetched lines count under the RMID that prefetched them",
      .spec = SDM_CMT "; Linux selftests/resctrl fill_buf.c",
      .covers = "CM-20 MB-16",
      .means = "prefetches carry no RMID or the wrong one: occupancy or MBM total depends on the prefetchers",
      .next = "which of the readings is off; MSR_MISC_FEATURE_CONTROL (1A4H); `cmt.fill`, `mbm.total`",
      .slow = true,
      .run_domain = cmt_prefetch },
};
CHECK_FAMILY(cmt_sharing, rows, .needs = NEED_OCCUPANCY, .risk = RISK_WORKLOAD, .grade = GRADE_W,
             .rests_on = RESTS_ON_OCCUPANCY, .by_experience = true, .excludes = true, .order = 430);
