/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Occupancy counts lines whatever brought them in. cmt.fill has reads where the L3 is inclusive and stores elsewhere;
 * here are the others, and what prefetchers bring. cmt.code has code. */
#include "core/experiment/fill.h"

#define SDM_RMID "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association (tags requests to the L3)"

static enum status kind_occupies(struct check *c, uint32_t domain, const struct test_buffer *b, enum fill_by by,
                                 uint32_t flags, const char *stimulus)
{
    struct fill f = {
        .check = c, .domain = domain, .cpu = b->cpu, .rmid = b->rmids[0], .clos = TRAFFIC_KEEP, .by = by
    };
    struct reading r = reading_occupancy(domain, b->rmids[0]);
    struct traffic_load load;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1, .flags = flags };
    enum status st;

    f.base = b->base;
    f.bytes = b->bytes;
    st = fill_plan(&f);
    load = fill_load(&f);
    expect_occupancy(c, &r, (double)b->bytes, 1);
    return st == ST_OK ? experiment_check(&e, stimulus) : st;
}

static enum status cmt_kinds(struct check *c, uint32_t domain)
{
    struct test_buffer b;

    if (!c->machine->domains[domain].l3_inclusive)
        return check_absent(c,
                            "L3 domain %u: it is not inclusive: which clean lines it keeps is not documented, and "
                            "cmt.fill fills by stores",
                            domain);
    TRY(test_buffer_any(c, domain, 1, load_small_fill_bytes(c, domain), &b));
    TRY(kind_occupies(c, domain, &b, FILL_BY_STORES, 0, "a buffer was written"));
    if (c->machine->prefetch)
        TRY(kind_occupies(c, domain, &b, FILL_BY_READS, EXPERIMENT_PREFETCH, "a buffer was read with prefetchers on"));
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "cmt.kinds",
      .title = "Occupancy counts lines that stores and prefetchers bring in",
      .spec = SDM_RMID,
      .covers = "CM-22",
      .means = "lines that stores or prefetchers bring in are not counted as lines that are read",
      .next = "`cmt.fill` for reads; `cmt.code` for code; which of the two fills is off",
      .run_domain = cmt_kinds },
};
CHECK_FAMILY(cmt_kinds, rows, .needs = NEED_OCCUPANCY, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_OCCUPANCY,
             .by_experience = true, .excludes = true, .order = 420);
