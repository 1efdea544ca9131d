/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What code and data prioritization (CDP) does to data in the L3. Witness: occupancy. */
#include "core/base/text.h"
#include "core/experiment/cat_context.h"
#include "core/checks/allocation/cdp.h"

#define SDM_CDP "SDM vol. 3B 17.17.4.1 Mapping Between L3 CDP Masks and CAT Masks"

#define MASKS 4u

struct data_fill {
    const char *name, *defect;
    uint32_t restricted[2]; /* of masks 0 to 3 those of one way; 0: none  */
    enum finding_code code; /* FOUND_OTHER: as of any reading */
    bool cdp;
    bool one_way; /* what data in class 1 may then fill: one way, or all */
};

/* CD-02: with CDP data in class 1 is held to mask 2, code to mask 3. CD-04: without it class 1 has mask 1 again. */
static const struct data_fill data_fills[] = {
    { .name = "occupancy of data whose data mask has one way",
      .defect = "CDP: mask 2, data of CLOS 1, has one way",
      .restricted = { 2 },
      .cdp = true,
      .one_way = true },
    { .name = "occupancy of data whose code mask has one way",
      .defect = "CDP: only mask 3, code of CLOS 1, has one way",
      .restricted = { 3 },
      .code = FOUND_OTHER_MASK_ACTS,
      .cdp = true },
    { .name = "occupancy after CDP is disabled, CBM full",
      .defect = "CDP is disabled: CLOS 1 has mask 1, full",
      .restricted = { 2, 3 } },
    { .name = "occupancy after CDP is disabled, CBM of one way",
      .defect = "CDP is disabled: CLOS 1 has mask 1, one way",
      .restricted = { 1 },
      .one_way = true },
};

/* unrestricted: bytes that the same fill holds where no mask restricts it. */
static enum status measure_data_fill(struct check *c, uint32_t domain, const struct cat_context *k,
                                     const struct fill *whole, const struct data_fill *f, double unrestricted)
{
    struct fill data = *whole;
    struct reading r = cat_occupancy(f->name, domain, k->rmids[0]);
    uint64_t masks[MASKS];

    for (uint32_t i = 0; i < MASKS; i++)
        masks[i] = i && (i == f->restricted[0] || i == f->restricted[1]) ? cat_window(k, 0, 1) : cat_full_mask(k);
    r.code = f->code;
    expect_occupancy(c, &r, (double)(f->one_way ? k->step_bytes : data.bytes), 0);
    if (f->one_way)
        data.scratch_bytes = 0;
    else
        fill_scale(c, &r, unrestricted / (double)data.bytes);
    TRY(cat_set_masks(c, k, MASKS, masks));
    return cat_measure(c, &data, 1, &r, 0, f->defect);
}

static enum status measure_data_fills(struct check *c, uint32_t domain, const struct cat_context *k,
                                      const struct fill *whole, double unrestricted)
{
    bool on = false;

    for (uint32_t i = 0; i < sizeof data_fills / sizeof data_fills[0]; i++) {
        if (data_fills[i].cdp != on) {
            on = data_fills[i].cdp;
            TRY(cdp_enable(c, on));
        }
        TRY(measure_data_fill(c, domain, k, whole, &data_fills[i], unrestricted));
    }
    return ST_OK;
}

struct data_held {
    const struct fill *whole;
    struct cdp_held by[FILL_BY_STORES + 1];
};

/* One class on one processor, whose data mask has one way: both kinds of access to data. */
static enum status one_class(const struct cdp_classes *each, uint32_t cpu, uint32_t class)
{
    static const char *const by[] = { [FILL_BY_READS] = "read", [FILL_BY_STORES] = "stored" };
    struct data_held *held = each->context;
    struct fill data = cat_fill(each->check, each->domain, each->cat, class, held->whole->base, held->whole->bytes);
    double first;
    enum status st = ST_OK;

    data.cpu = cpu;
    data.rest_ns = TRAFFIC_REST_NS; /* in HLT in its class: CLOS and masks act after it as before */
    for (data.by = FILL_BY_READS; data.by <= FILL_BY_STORES && st == ST_OK; data.by++) {
        struct reading r =
            cat_occupancy("occupancy of data of a CLOS whose data mask has one way", each->domain, each->cat->rmids[0]);
        char defect[96];

        text_format(defect, sizeof defect, "CDP: mask %u, of data of CLOS %u that is %s, has one way", 2 * class, class,
                    by[data.by]);
        cat_expect_share(each->check, each->cat, &r, each->cat->least, 0);
        r.lo = r.never_lo = r.tight_lo = 0;
        r.has_cpu = true;
        r.cpu = cpu;
        st = cat_measure(each->check, &data, 1, &r, 0, defect);
        first = r.bytes;
        if (st == ST_OK && cdp_held_again(each, first))
            st = cat_measure(each->check, &data, 1, &r, 0, defect);
        if (st == ST_OK)
            cdp_held_keep(&held->by[data.by], cpu, class, r.bytes < first ? r.bytes : first);
    }
    return st;
}

static enum status data_fill(const struct cdp_classes *each, uint32_t cpu, uint32_t class, double *bytes)
{
    const struct data_held *held = each->context;
    struct fill data = cat_fill(each->check, each->domain, each->cat, class, held->whole->base, held->whole->bytes);
    struct reading r = cat_occupancy("", each->domain, each->cat->rmids[0]);
    enum status st;

    data.cpu = cpu;
    st = fill_once(&data, 0, &r, NULL);
    *bytes = r.bytes;
    return st;
}

static enum status data_experiment(struct check *c, uint32_t domain, const struct cat_context *k)
{
    struct reading r = cat_occupancy("", domain, k->rmids[0]);
    struct fill whole;
    struct data_held held = { .whole = &whole };
    const struct cdp_classes each = {
        .check = c, .cat = k, .domain = domain, .measure = one_class, .fill = data_fill, .context = &held
    };
    uint64_t base = 0, bytes = cat_beyond_share(k, k->step_bytes);
    double unrestricted = 0;
    enum status st = cdp_leaves_two(c, k->t.classes);

    if (st == ST_OK)
        st = memory_take_any(c, k->cpus[0], bytes, &base);
    if (st == ST_OK)
        st = cat_fill_whole(c, domain, k, 1, base, bytes, &whole);
    expect_occupancy(c, &r, (double)k->step_bytes, 0);
    TRY(st);
    TRY(cat_control(c, k, &whole, r.hi, &unrestricted));
    st = measure_data_fills(c, domain, k, &whole, unrestricted);
    if (st == ST_OK)
        st = cdp_enable(c, true);
    if (st == ST_OK)
        st = cdp_every_class(&each);
    for (enum fill_by by = FILL_BY_READS; by <= FILL_BY_STORES && st == ST_OK; by++)
        cdp_held_judge(&each, &held.by[by]);
    return status_first(st, cdp_put_back(c));
}

static const struct check_row rows[] = {
    { .id = "cdp.data",
      .title = "Data of every CLOS is held to its CDP data mask; disabling CDP restores CAT masks",
      .spec = SDM_CDP,
      .covers = "CD-02 CD-04",
      .detects = "data and code masks exchanged; CDP that stays enabled",
      .means = "CDP does not hold data of a CLOS to mask 2n, or CAT masks do not act again after it is disabled",
      .next = "`cdp.switch`; `enum.cdp-register`; then which of the fills is out of its band",
      .run_cat = data_experiment },
};
CHECK_FAMILY(cdp_effect, rows, .needs = NEED_RDT_A | NEED_CDP | NEED_OCCUPANCY, .risk = RISK_WORKLOAD,
             .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY, .by_experience = true, .excludes = true, .order = 500);
