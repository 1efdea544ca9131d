/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Cache occupancy. Witness: the size of a buffer, and whether it was flushed. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/measure/legacy.h"
#include "core/base/heap.h"
#include "core/base/text.h"

#define SDM_CMT "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"
#define RDT_TAG "RDT Architecture Specification 356688 7.1.1.5 L3 occupancy: lines keep the RMID that brought them in"
#define APM_CMT "APM vol. 2 19.3.2 L3 Cache Occupancy Monitoring"

/* CM-01, RS-07 */
static bool unused(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct occupancies o;
    uint32_t bad_cpu = c->tools->qm[domain].cpu;
    enum status st = domain_clean(c, domain, &bad_cpu);

    (void)why;
    if (st != ST_OK)
        return cannot_measure(c, st, bad_cpu, "WBINVD"), true;
    if (!legacy_said(c, occupancies_read(c, domain, &o)))
        return true;
    occupancies_judge(c, domain, &o, 0,
                      "nobody is tagged with it, and the caches were just written back and invalidated");
    return true;
}

LEGACY_DOMAIN(unused)

/* --- CM-02, CM-04: a known buffer comes and goes ------------------------------------------------------------------ */

static bool fill(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct test_buffer b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    e.flags = experiment_effort(domain);
    if (!bench_any(c, domain, 1, half_l3(c, domain), &b, why))
        return false;
    load.cpu = b.cpu;
    part = part_fill(c, domain, b.rmids[0], b.base, b.bytes);
    r = occupancy_of(domain, b.rmids[0]);
    expect_occupancy(c, &r, (double)b.bytes, 1);
    if (experiment_run(&e)) {
        experiment_judge(&e, "a buffer of this size was filled under this RMID");
        linux_figures(c, "cmt_test", &e, (double)b.bytes);
    }
    return true;
}

LEGACY_DOMAIN(fill)

/* Fill and flush, each with its band: a flush of a buffer that never came in would show nothing. */
static bool flush(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct test_buffer b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    if (!bench_any(c, domain, 1, 2 * small_fill_bytes(c, domain), &b, why))
        return false;
    load.cpu = b.cpu;
    part = part_fill(c, domain, b.rmids[0], b.base, b.bytes);
    r = occupancy_of(domain, b.rmids[0]);
    r.name = "occupancy before the flush";
    expect_occupancy(c, &r, (double)b.bytes, 1);
    if (!experiment_run(&e))
        return true;
    experiment_judge(&e, "the buffer was filled under this RMID");
    part = part_flush(b.rmids[0], b.base, b.bytes);
    r = occupancy_of(domain, b.rmids[0]);
    r.name = "occupancy after CLFLUSH of every line";
    expect_no_occupancy(c, &r);
    e.flags = EXPERIMENT_WARM;
    if (experiment_run(&e))
        experiment_judge(&e, "every line of the buffer was flushed");
    return true;
}

LEGACY_DOMAIN(flush)

/* Lines that are pushed out leave the RMID that owned them, and nobody owns more than there is. */
static bool eviction(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct l3_domain *d = &c->machine->domains[domain];
    struct test_buffer b;
    struct traffic_part parts[2];
    struct traffic_load load = { .n_parts = 2, .parts = parts };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };
    struct occupancies o;
    uint64_t victim = 2 * small_fill_bytes(c, domain), aggressor = 2 * ROUND_DOWN(d->l3_bytes);
    char where[32];

    if (!bench_any(c, domain, 2, victim + aggressor, &b, why))
        return false;
    load.cpu = b.cpu;
    parts[0] = part_fill(c, domain, b.rmids[0], b.base, victim);
    parts[1] = part_read(b.rmids[1], b.base + victim, aggressor);
    /* Twice the L3 behind it: a line survives random replacement with a chance of e^-2, less than the tolerance. */
    r[0] = occupancy_of(domain, b.rmids[0]);
    r[0].name = "occupancy after eviction";
    r[0].lo = 0;
    r[0].hi = NO_BOUND;
    r[1] = occupancy_of(domain, b.rmids[1]);
    r[1].name = "occupancy of what evicted it";
    r[1].lo = 0;
    r[1].hi = (1 + OCC_OVER) * (double)d->l3_bytes + d->upscaling_factor; /* CM-08, and one count of rounding */
    if (!experiment_run(&e))
        return true;
    experiment_judge(&e, "another RMID has read twice the L3 since");
    domain_name(domain, where);
    /* A policy that protects what is there from streams may keep more. What stays counted without being there makes the
     * sum too large: CM-07. */
    if (!measure(c, "occupancy that twice the L3 did not evict", where, r[0].bytes, "bytes", 0,
                 (double)victim * OCC_SHARE + OCC_BYTES))
        warn(c, "%s: another RMID has read twice the L3, and %llu of %llu bytes are still there", where,
             (unsigned long long)r[0].bytes, (unsigned long long)victim);
    /* CM-09, a quality figure: capacity that cannot be filled. */
    if (!measure(c, "share of the L3 that a large stream holds", where, 100 * r[1].bytes / (double)d->l3_bytes, "%", 70,
                 100))
        warn(c, "%s: twice the L3 was read, and %llu of %llu bytes are held", where, (unsigned long long)r[1].bytes,
             (unsigned long long)d->l3_bytes);
    if (!legacy_said(c, occupancies_read(c, domain, &o)))
        return true;
    if (!measure(c, "occupancy of all RMIDs together", where, o.sum_bytes, "bytes", 0, /* CM-07 */
                 (1 + OCC_OVER) * (double)d->l3_bytes + (double)o.nonzero * d->upscaling_factor))
        fail(c, "%s: all RMIDs together hold %llu bytes, the L3 has %llu", where, (unsigned long long)o.sum_bytes,
             (unsigned long long)d->l3_bytes);
    return unused(c, domain, why); /* what eviction left behind does not go by WBINVD either: CM-01 */
}

LEGACY_DOMAIN(eviction)

/* --- CM-12, CM-13: RMIDs are told apart --------------------------------------------------------------------------- */

static bool fill_and_look(struct check *c, uint32_t domain, const struct test_buffer *b, uint32_t rmid)
{
    struct traffic_part part = part_fill(c, domain, rmid, b->base, b->bytes);
    struct traffic_load load = { .cpu = b->cpu, .n_parts = 1, .parts = &part };
    struct reading r = occupancy_of(domain, rmid);
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    struct occupancies o;

    expect_occupancy(c, &r, (double)b->bytes, 1);
    if (!experiment_run(&e))
        return false;
    experiment_judge(&e, "a buffer was filled under this RMID");
    if (!legacy_said(c, occupancies_read(c, domain, &o)))
        return false;
    occupancies_judge(c, domain, &o, rmid, "another RMID was filled, this one was not");
    return true;
}

/* RMID r fills, and all the others are looked at, among them each r XOR 2^k. 3 has no neighbour of one bit's difference
 * that is 0, where firmware's traffic would hide it. */
static bool alias(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint32_t max = c->machine->domains[domain].max_rmid;
    struct test_buffer b;
    uint32_t tried[3] = { 3, max, 1 }, n = 0;

    if (!bench_any(c, domain, 1, small_fill_bytes(c, domain), &b, why))
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        if (tried[i] > max || rmid_in_background(c, tried[i]) || (i == 2 && n > 0) || (i == 1 && max == 3))
            continue;
        n++;
        if (!fill_and_look(c, domain, &b, tried[i]))
            break;
    }
    if (n == 0)
        text_format(why, WHY_SIZE, "L3 domain %u: RMIDs 1, 3 and %u are in use", domain, max);
    return n > 0;
}

LEGACY_DOMAIN(alias)

static const struct check_row rows[] = {
    { .id = "cmt.unused",
      .title = "An RMID that nobody uses occupies nothing",
      .spec = SDM_CMT,
      .rows = "CM-01 RS-07",
      .detects = "ghost occupancy, tags left behind",
      .means = "lines are under the wrong RMID, or lost",
      .next = "`cmt.fill` and `cmt.alias` first; the processor and RMID in the finding; whether another L3 does it",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 400,
      .run_domain = unused_status },
    { .id = "cmt.fill",
      .title = "Occupancy is the size of the buffer that was read",
      .spec = SDM_CMT,
      .rows = "CM-02",
      .detects = "a wrong upscaling factor, the wrong event",
      .means = "occupancy is not the size of what was filled",
      .next = "the ratio in the finding: 0.5 or 2 is the factor (`enum.upscaling`), less is lost lines "
              "(`cmt.every-thread`), more is somebody else's (`cmt.alias`)",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 400,
      .slow = true,
      .run_domain = fill_status },
    { .id = "cmt.flush",
      .title = "A flushed buffer occupies nothing",
      .spec = APM_CMT "; SDM vol. 3B 17.16.1",
      .rows = "CM-04",
      .detects = "occupancy that never falls",
      .means = "lines that are gone are still counted",
      .next = "`cmt.eviction`, `cmt.recycled`; whether WBINVD helps",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 400,
      .run_domain = flush_status },
    { .id = "cmt.eviction",
      .title = "Evicted lines leave their RMID, and all RMIDs together fit the L3",
      .spec = RDT_TAG,
      .rows = "CM-01 CM-07 CM-08 CM-09",
      .detects = "occupancy not released on eviction; lines counted twice; lost capacity",
      .means = "evicted lines stay with their RMID, or all RMIDs together hold more than the L3",
      .next = "the RMIDs with the highest counts; `cmt.flush`",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 400,
      .slow = true,
      .run_domain = eviction_status },
    { .id = "cmt.alias",
      .title = "What one RMID fills shows under no other",
      .spec = "SDM vol. 3B 17.16.1 (RMIDs are independent)",
      .rows = "CM-12 CM-13",
      .detects = "tags stored with fewer bits than CPUID says; a broken high RMID",
      .means = "two RMIDs share a tag: tasks are charged for each other",
      .next = "which bit of the RMID differs; `mbm.alias`; `enum.rmid-range`",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_OCCUPANCY,
      .order = 400,
      .run_domain = alias_status },
};
CHECK_FAMILY(cmt, rows);
