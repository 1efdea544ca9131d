/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Cache occupancy. Witness: the size of a buffer, and whether it was flushed. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/experiment/fill.h"
#include "core/checks/cmt/occupancies.h"

#define SDM_CMT "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"
#define RDT_TAG "RDT Architecture Specification 356688 7.1.1.5 L3 occupancy: lines keep the RMID that brought them in"
#define APM_CMT "APM vol. 2 19.3.2 L3 Cache Occupancy Monitoring"

/* Of an RMID that should have no occupancy: a single bit of the count, and more than the L3 holds. */
static bool is_stuck_bit(const struct check *c, uint32_t domain, const struct qm_sample *s)
{
    return (s->counts & (s->counts - 1)) == 0 &&
           qm_bytes(&c->tools->qm[domain], s->counts) > c->machine->domains[domain].l3_bytes;
}

/* No RMID other than `but` and those in the background holds more than the tolerance; each that does is a finding. */
static void occupancies_judge(struct check *c, uint32_t domain, const struct occupancies *o, uint32_t but,
                              enum finding_code code, const char *defect)
{
    struct reading band = reading_occupancy(domain, 0);
    const struct qm_domain *d = &c->tools->qm[domain];
    double most = 0;
    uint32_t most_rmid = 0, compared = 0;

    expect_no_occupancy(c, &band);
    if (but < o->n && !domain_rmid_in_background(c, but))
        expect_none_of(&band, (double)qm_bytes(d, o->pairs[but].sample.counts));
    for (uint32_t i = 0; i < o->n; i++) {
        double bytes = (double)qm_bytes(d, o->pairs[i].sample.counts);

        if (i == but || o->pairs[i].status != ST_OK || domain_rmid_in_background(c, i))
            continue;
        compared++;
        if (bytes > most || compared == 1) {
            most = bytes;
            most_rmid = i;
        }
        if (bytes > band.hi) {
            evidence_qm_pair(c, d, &o->pairs[i]);
            finding(c, reading_may_be(&band, bytes) ? FINDING_EXPECTED : FINDING_FORBIDDEN, 0,
                    is_stuck_bit(c, domain, &o->pairs[i].sample) ? FOUND_BITS_STUCK : code, place_rmid(domain, i),
                    "occupancy %lu bytes: %s", (uint64_t)bytes, defect);
        }
    }
    check_measure(c, "largest occupancy of an unused RMID", place_rmid(domain, most_rmid), most, "bytes", -NO_BOUND,
                  band.hi);
    evidence_swept(c, "occupancy of RMIDs that no processor has", compared);
    excludes(c, "occupancy of another RMID", band.hi, "bytes");
}

#define ALIKE_LEAST 8u

/* RMIDs of one and the same count. What a band has room for is not the same under a quarter of all: that is a bit which
 * their counters do not lose. One count may be a part's rounding. */
static void judge_alike(struct check *c, uint32_t domain, const struct occupancies *o)
{
    const struct qm_domain *d = &c->tools->qm[domain];
    struct reading band = reading_occupancy(domain, 0);

    expect_no_occupancy(c, &band);
    for (uint32_t i = 0; i < o->n; i++) {
        const struct qm_sample *s = &o->pairs[i].sample;
        uint32_t alike;

        if (o->pairs[i].status != ST_OK || s->counts < 2 || (double)qm_bytes(d, s->counts) > band.hi)
            continue;
        alike = HOW_MANY(k, o->n, o->pairs[k].status == ST_OK && o->pairs[k].sample.counts == s->counts);
        if (alike < ALIKE_LEAST || alike < o->readable / 4)
            continue;
        evidence_msr(c, d->cpu, IA32_QM_CTR, s->raw, s->tsc);
        finding(c, FINDING_UNUSUAL, 0, FOUND_BITS_STUCK, place_domain(domain),
                "%u of %u RMIDs without a processor read %lu counts each after WBINVD", alike, o->readable, s->counts);
        return;
    }
}

static enum status occupancies_clean(struct check *c, uint32_t domain, struct occupancies *o)
{
    uint32_t bad_cpu = c->tools->qm[domain].cpu;

    TRY_MEASURE(c, domain_clean(c, domain, &bad_cpu), bad_cpu, "WBINVD");
    return occupancies_read(c, domain, o);
}

static enum status judge_unused(struct check *c, uint32_t domain, struct occupancies *o)
{
    TRY(occupancies_clean(c, domain, o));
    occupancies_judge(c, domain, o, 0, FOUND_KEPT_AFTER_FLUSH,
                      "no processor has this RMID, and WBINVD has just emptied the caches");
    judge_alike(c, domain, o);
    return ST_OK;
}

/* CM-01, RS-07 */
static enum status cmt_unused(struct check *c, uint32_t domain)
{
    struct occupancies o;

    return judge_unused(c, domain, &o);
}

/* --- CM-02, CM-04: occupancy of a known buffer -------------------------------------------------------------------- */

static enum status cmt_fill(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct fill f;
    struct traffic_load load;
    struct reading r;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    TRY(fill_take(c, domain, 1, load_half_l3(c, domain), &b, &f));
    TRY(fill_plan(&f));
    e.flags = experiment_effort(domain);
    load = fill_load(&f);
    r = reading_occupancy(domain, f.rmid);
    expect_occupancy(c, &r, (double)f.bytes, 0);
    expect_fill_fine(c, &r);
    TRY(fill_check(&e, &f, FILL_BY_SIZE, "a buffer of this size was filled under this RMID"));
    monitor_linux_figures(c, "cmt_test", &e, (double)b.bytes);
    return ST_OK;
}

/* Fill and flush, each with its band: a flush of a buffer that never came in would show nothing. */
static enum status cmt_flush(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct fill f;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    TRY(fill_take(c, domain, 1, 2 * fill_least_bytes(c, domain), &b, &f));
    TRY(fill_known(&f, "occupancy before CLFLUSH", &r));
    load.cpu = b.cpu;
    /* As RMID 0: the kernel loads each line first, and prefetchers that stay on (AMD) bring flushed ones back by
     * that. */
    part = part_flush(0, b.base, b.bytes);
    r = reading_occupancy(domain, b.rmids[0]);
    r.name = "occupancy after CLFLUSH of every line";
    r.code = FOUND_KEPT_AFTER_FLUSH;
    expect_no_occupancy(c, &r);
    expect_none_of(&r, (double)b.bytes);
    e.flags = EXPERIMENT_WARM;
    return experiment_check(&e, "every line of the buffer was flushed");
}

/* --- eviction ----------------------------------------------------------------------------------------------------- */

struct eviction {
    uint64_t evicted_bytes; /* the least that the second fill evicted */
    uint32_t rmids[2];
    struct reading victim, aggressor;
};

/* The first RMID fills, then the second one twice the L3. */
static enum status evict(struct check *c, uint32_t domain, struct eviction *v)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t victim_bytes = 2 * fill_least_bytes(c, domain), aggressor_bytes = 2 * ROUND_DOWN(d->l3_bytes);
    struct test_buffer b;
    struct fill fills[2];
    struct traffic_load load;
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };
    enum status st;

    v->evicted_bytes = victim_bytes + aggressor_bytes - ROUND_DOWN(d->l3_bytes);
    TRY(fill_take(c, domain, 2, victim_bytes + aggressor_bytes, &b, &fills[0]));
    fills[1] = fills[0];
    v->rmids[0] = b.rmids[0];
    v->rmids[1] = b.rmids[1];
    fills[0].bytes = victim_bytes;
    fills[1].rmid = b.rmids[1];
    fills[1].base = b.base + victim_bytes;
    fills[1].bytes = aggressor_bytes;
    fills[1].scratch_bytes = 0;
    TRY(fill_chain(fills, 2, &load));
    r[0] = reading_occupancy(domain, b.rmids[0]);
    r[0].name = "occupancy after eviction";
    r[1] = reading_occupancy(domain, b.rmids[1]);
    r[1].name = "occupancy of the evicting RMID";
    r[1].hi = (1 + OCC_OVER) * (double)d->l3_bytes + d->upscaling_factor; /* CM-08, and one count of rounding */
    st = experiment_check(&e, "another RMID has since filled twice the L3 size");
    v->victim = r[0];
    v->aggressor = r[1];
    return st;
}

/* Which of the two a policy favours is not documented (set dueling protects what is there from streams): what the first
 * one keeps is recorded. What stays counted without being there makes the sum too large: CM-07. */
static void judge_eviction(struct check *c, uint32_t domain, const struct eviction *v)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    struct place place = place_domain(domain);
    double held = v->aggressor.bytes + v->victim.bytes, l3 = (double)d->l3_bytes;

    check_show(c, "occupancy not evicted by twice the L3 size", place, v->victim.bytes, "bytes");
    if (!check_measure(c, "share of the L3 held by both RMIDs", place, 100 * held / l3, "%", 70,
                       100 * (1 + OCC_OVER))) /* CM-09: capacity that cannot be filled */
        finding(c, FINDING_UNUSUAL, 0, held < l3 ? FOUND_LESS_THAN_CACHE : FOUND_MORE_THAN_CACHE, place,
                "twice the L3 size was filled, and occupancy is %lu of %lu bytes", (uint64_t)held, d->l3_bytes);
}

/* CM-07 */
static enum status judge_occupancy_sum(struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    struct occupancies o;

    TRY(occupancies_read(c, domain, &o));
    if (!check_measure(c, "occupancy of all RMIDs together", place_domain(domain), o.sum_bytes, "bytes", 0,
                       (1 + OCC_OVER) * (double)l3_whole_bytes(d) + (double)o.nonzero * d->upscaling_factor))
        finding(c, o.sum_bytes > reading_occupancy_most(c, domain) ? FINDING_FORBIDDEN : FINDING_EXPECTED, 0,
                FOUND_MORE_THAN_CACHE, place_domain(domain),
                "occupancy of all RMIDs together is %lu bytes, the L3 has %lu bytes", (uint64_t)o.sum_bytes,
                l3_whole_bytes(d));
    return ST_OK;
}

/* Of so many bytes, that are to leave no line under an RMID, what may be seen under it. */
static double stray_most(const struct check *c, uint32_t domain, uint64_t bytes)
{
    return OCC_FINE_OTHER * (double)bytes + 2 * (double)c->machine->domains[domain].upscaling_factor;
}

/* Both were empty before, and WBINVD has emptied the L3 again: what either has gained is of lines that were evicted. */
static void judge_evicted(struct check *c, uint32_t domain, const struct eviction *v, const struct occupancies *before,
                          const struct occupancies *after)
{
    const struct qm_domain *d = &c->tools->qm[domain];
    double most = stray_most(c, domain, v->evicted_bytes);
    double kept = occupancies_gained(d, before, after, v->rmids[0]) + occupancies_gained(d, before, after, v->rmids[1]);

    excludes(c, "evicted lines that stay counted", 100 * most / (double)v->evicted_bytes, "%");
    if (!check_measure(c, "occupancy that both RMIDs gained from WBINVD to WBINVD", place_domain(domain), kept, "bytes",
                       0, most))
        finding(c, FINDING_UNUSUAL, 0, FOUND_KEPT_AFTER_EVICTION, place_domain(domain),
                "RMIDs %u and %u have %lu bytes more after WBINVD than before at least %lu bytes were evicted, "
                "expected %lu at most",
                v->rmids[0], v->rmids[1], (uint64_t)kept, v->evicted_bytes, (uint64_t)most);
}

static enum status cmt_eviction(struct check *c, uint32_t domain)
{
    struct occupancies before, after;
    struct eviction v;

    TRY(occupancies_clean(c, domain, &before));
    TRY(evict(c, domain, &v));
    judge_eviction(c, domain, &v);
    TRY(judge_occupancy_sum(c, domain));
    TRY(judge_unused(c, domain, &after)); /* WBINVD does not clear what eviction left: CM-01 */
    judge_evicted(c, domain, &v, &before, &after);
    return ST_OK;
}

/* --- CM-12, CM-13: no aliasing between RMIDs ---------------------------------------------------------------------- */

/* What RMIDs without a processor gained by the fill of another one, all of them together. What they held before it,
 * after WBINVD, is for cmt.unused to judge. */
static void judge_gained(struct check *c, const struct fill *f, const struct occupancies *before,
                         const struct occupancies *after)
{
    const struct qm_domain *d = &c->tools->qm[f->domain];
    double count = c->machine->domains[f->domain].upscaling_factor, most = stray_most(c, f->domain, f->bytes),
           gained = 0;

    for (uint32_t i = 0; i < after->n && i < before->n; i++)
        if (i != f->rmid && !domain_rmid_in_background(c, i))
            gained += occupancies_gained(d, before, after, i);
    excludes(c, "lines of a fill under other RMIDs", 100 * (most + count) / (double)f->bytes, "%");
    if (!check_measure(c, "occupancy that all other RMIDs gained by the fill", place_rmid(f->domain, f->rmid), gained,
                       "bytes", 0, most))
        finding(c, FINDING_UNUSUAL, 0, FOUND_OTHERS_GAINED, place_rmid(f->domain, f->rmid),
                "filled %lu bytes, and RMIDs without a processor gained %lu bytes, expected %lu at most", f->bytes,
                (uint64_t)gained, (uint64_t)most);
}

static enum status fill_and_compare(struct check *c, uint32_t domain, struct fill *f)
{
    struct occupancies before, o;
    struct reading r;
    uint32_t bad_cpu = f->cpu;

    TRY_MEASURE(c, domain_clean(c, domain, &bad_cpu), bad_cpu, "WBINVD");
    TRY(occupancies_read(c, domain, &before));
    TRY(fill_known(f, "occupancy", &r));
    TRY(occupancies_read(c, domain, &o));
    occupancies_judge(c, domain, &o, f->rmid, FOUND_COUNTED_ELSEWHERE, "another RMID was filled, this one was not");
    judge_gained(c, f, &before, &o);
    return ST_OK;
}

/* One RMID fills, and all the others are read, among them each that differs in one bit. RMID 0, which no other check fills
 * under, holds as much at least. */
static enum status cmt_alias(struct check *c, uint32_t domain)
{
    uint32_t rmids[ALIAS_RMIDS], n = domain_alias_rmids(c, domain, rmids);
    struct test_buffer b;
    struct fill f;

    TRY(fill_take(c, domain, 1, fill_least_bytes(c, domain), &b, &f));
    for (uint32_t i = 0; i < n; i++) {
        f.rmid = rmids[i];
        TRY(fill_and_compare(c, domain, &f));
    }
    check_note(c, "L3 domain %u: filled under %u of %u RMIDs, and every other one was read", domain, n,
               c->machine->domains[domain].max_rmid + 1);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "cmt.unused",
      .title = "Unused RMIDs report zero occupancy",
      .spec = SDM_CMT,
      .covers = "CM-01 RS-07",
      .means = "an RMID that no processor has reports occupancy after WBINVD",
      .next = "`cmt.fill` and `cmt.alias`; the RMID in the finding; whether other L3 domains show it too",
      .run_domain = cmt_unused },
    { .id = "cmt.fill",
      .title = "Occupancy matches the bytes filled",
      .spec = SDM_CMT,
      .covers = "CM-02",
      .detects = "a wrong upscaling factor, the wrong event",
      .means = "occupancy is not the size of the buffer that was filled",
      .next =
          "the ratio in the finding: 0.5 or 2 is the upscaling factor (`enum.upscaling`), less is lines that are not "
          "counted (`cmt.every-thread`), more is lines of other RMIDs (`cmt.alias`)",
      .slow = true,
      .run_domain = cmt_fill },
    { .id = "cmt.flush",
      .title = "CLFLUSH of a buffer removes its occupancy",
      .spec = APM_CMT "; SDM vol. 3B 17.16.1",
      .covers = "CM-04",
      .means = "flushed lines still count as occupied",
      .next = "`cmt.eviction`, `cmt.recycled`; whether WBINVD clears it (`cmt.unused`)",
      .run_domain = cmt_flush },
    { .id = "cmt.eviction",
      .title = "Evicted lines leave their RMID; all RMIDs together fit the L3",
      .spec = RDT_TAG,
      .covers = "CM-01 CM-07 CM-08 CM-09",
      .detects = "occupancy not released on eviction; lines counted twice; capacity that cannot be filled",
      .means = "evicted lines still count under their RMID, or all RMIDs together hold more than the L3",
      .next = "the RMIDs with the highest occupancy; `cmt.flush`",
      .slow = true,
      .run_domain = cmt_eviction },
    { .id = "cmt.alias",
      .title = "Occupancy is attributed only to the filling RMID",
      .spec = "SDM vol. 3B 17.16.1 (RMIDs are independent)",
      .covers = "CM-12 CM-13",
      .detects = "aliasing: lines tagged with fewer RMID bits than CPUID enumerates; a broken high RMID",
      .means = "two RMIDs alias: tasks are charged with each other's occupancy",
      .next = "the bit in which the two RMIDs differ; `mbm.alias`; `enum.rmid-range`",
      .run_domain = cmt_alias },
};
CHECK_FAMILY(cmt, rows, .needs = NEED_OCCUPANCY, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_OCCUPANCY,
             .by_experience = true, .excludes = true, .order = 400);
