/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What code and data prioritization (CDP) does to code in the L3. Witness: occupancy of code of which each line is
 * run. */
#include "core/base/text.h"
#include "core/checks/allocation/cdp.h"
#include "core/load/code.h"

#define SDM_CDP "SDM vol. 3B 17.17.4.1 Mapping Between L3 CDP Masks and CAT Masks"

#define MASKS     4u
#define DATA_MASK 2u /* of CLOS 1 */
#define CODE_MASK 3u

struct code_fill {
    struct check *check;
    const struct cat_context *cat;
    uint32_t domain;
    uint64_t base, bytes;
    struct cdp_held held;
};

/* restricted: the mask that has one way; 0: none. */
static enum status code_masks(const struct code_fill *f, uint32_t restricted)
{
    uint64_t masks[MASKS];

    for (uint32_t i = 0; i < MASKS; i++)
        masks[i] = i && i == restricted ? cat_window(f->cat, 0, 1) : cat_full_mask(f->cat);
    return cat_set_masks(f->check, f->cat, MASKS, masks);
}

/* Runs the code. defect: NULL: the reading is not judged. */
static enum status code_run(const struct code_fill *f, uint32_t cpu, uint32_t class, struct reading *r,
                            const char *defect)
{
    struct check *c = f->check;
    struct traffic_part part = code_part(WORK_CODE, r->rmid, f->base, f->bytes, code_passes(c, f->domain));
    struct traffic_load load = { .cpu = cpu, .n_parts = 1, .parts = &part };
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 1 };
    enum status st;

    part.clos = class;
    e.flags = defect ? 0 : EXPERIMENT_ONCE;
    st = experiment_measure(&e);
    if (st == ST_OK && defect)
        cat_judge(&e, defect);
    return st;
}

/* The first processor in class 1. */
static enum status code_measure(const struct code_fill *f, uint32_t restricted, struct reading *r, const char *defect)
{
    enum status st = code_masks(f, restricted);

    return st == ST_OK ? code_run(f, f->cat->cpus[0], 1, r, defect) : st;
}

static void expect_one_way(const struct code_fill *f, struct reading *r)
{
    cat_expect_share(f->check, f->cat, r, f->cat->least, 0);
    r->lo = r->never_lo = r->tight_lo = 0; /* which clean lines of code an L3 keeps is not documented */
}

static enum status one_class(const struct cdp_classes *each, uint32_t cpu, uint32_t class)
{
    struct reading r =
        cat_occupancy("occupancy of code of a CLOS whose code mask has one way", each->domain, each->cat->rmids[0]);
    char defect[96];
    struct code_fill *f = each->context;
    double first;

    text_format(defect, sizeof defect, "CDP: mask %u, code of CLOS %u, has one way", 2 * class + 1, class);
    expect_one_way(f, &r);
    r.has_cpu = true;
    r.cpu = cpu;
    TRY(code_run(f, cpu, class, &r, defect));
    first = r.bytes;
    if (cdp_held_again(each, first))
        TRY(code_run(f, cpu, class, &r, defect));
    cdp_held_keep(&f->held, cpu, class, r.bytes < first ? r.bytes : first);
    return ST_OK;
}

static enum status code_fill(const struct cdp_classes *each, uint32_t cpu, uint32_t class, double *bytes)
{
    struct reading r = cat_occupancy("", each->domain, each->cat->rmids[0]);
    enum status st = code_run(each->context, cpu, class, &r, NULL);

    *bytes = r.bytes;
    return st;
}

/* A mask of one way shows an effect only where code holds more without it. */
static enum status code_fills(struct code_fill *f)
{
    struct check *c = f->check;
    const struct cat_context *k = f->cat;
    const struct cdp_classes each = { .check = c,
                                      .cat = k,
                                      .domain = f->domain,
                                      .restricted = 1,
                                      .measure = one_class,
                                      .fill = code_fill,
                                      .context = f };
    struct reading full = cat_occupancy("control: occupancy of code, both masks full", f->domain, k->rmids[0]);
    struct reading code = cat_occupancy("occupancy of code whose code mask has one way", f->domain, k->rmids[0]);
    struct reading data = cat_occupancy("occupancy of code whose data mask has one way", f->domain, k->rmids[0]);

    TRY(code_measure(f, 0, &full, NULL));
    expect_one_way(f, &code);
    if (full.bytes <= code.hi)
        return check_absent(c,
                            "L3 domain %u: with full masks code of %lu bytes holds %lu: the effect of a mask cannot be "
                            "seen",
                            f->domain, f->bytes, (uint64_t)full.bytes);
    excludes_share(c, "a code mask that lets code fill more", (double)k->step_bytes, code.hi);
    TRY(code_measure(f, CODE_MASK, &code, "CDP: mask 3, code of CLOS 1, has one way"));
    expect_occupancy(c, &data, full.bytes, 0);
    TRY(code_measure(f, DATA_MASK, &data, "CDP: only mask 2, data of CLOS 1, has one way"));
    TRY(cdp_every_class(&each));
    cdp_held_judge(&each, &f->held);
    return ST_OK;
}

static enum status code_experiment(struct check *c, uint32_t domain, const struct cat_context *k)
{
    struct code_fill f = { .check = c, .cat = k, .domain = domain, .bytes = cat_beyond_share(k, k->step_bytes) };
    enum status st;

    TRY(cdp_leaves_two(c, k->t.classes));
    TRY(memory_scatter_any(c, k->cpus[0], f.bytes, &f.base));
    TRY(code_write(c, k->cpus[0], f.base, f.bytes));
    st = cdp_enable(c, true);
    if (st == ST_OK)
        st = code_fills(&f);
    return status_first(st, cdp_put_back(c));
}

static const struct check_row rows[] = {
    { .id = "cdp.code",
      .title = "Code of every CLOS is held to its CDP code mask",
      .spec = SDM_CDP,
      .covers = "CD-02",
      .means = "CDP does not hold code to mask 2n + 1, or holds it to mask 2n",
      .next = "`cdp.data`; `cmt.code` for the RMID of code; then which of the two fills is out of its band",
      .run_cat = code_experiment },
};
CHECK_FAMILY(cdp_code, rows, .needs = NEED_RDT_A | NEED_CDP | NEED_OCCUPANCY, .risk = RISK_WORKLOAD,
             .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY, .by_experience = true, .excludes = true, .slow = true,
             .order = 500);
