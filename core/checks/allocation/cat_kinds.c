/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The CBM restricts every kind of L3 fill: loads (also after HLT and MWAIT in the CLOS), stores, code fetches and prefetches,
 * which take different paths through the core and the L3 slice. Witness: occupancy above the CBM's share of the L3 by any
 * kind of fill. */
#include "core/base/text.h"
#include "core/experiment/cat_context.h"
#include "core/load/code.h"

#define SDM_CAT "SDM vol. 3B 17.17.1 Cache Allocation Technology Architecture"

enum fill_kind { KIND_READS, KIND_RESTED, KIND_STORES, KIND_PREFETCHES, KIND_CODE, FILL_KINDS };

static const char *const kind_names[FILL_KINDS] = { "reads", "reads after HLT and MWAIT", "stores",
                                                    "reads with prefetchers on", "code" };

struct kinds {
    struct check *check;
    const struct cat_context *cat;
    uint32_t domain;
    uint64_t base, bytes;
    uint32_t seen; /* kinds that a mask can be seen on */
    bool reads_held;
};

/* Code is run as the others are read: whole, twice where lines come from the L2. */
static enum status kind_load(const struct kinds *k, enum fill_kind kind, struct traffic_load *load)
{
    struct fill f = cat_fill(k->check, k->domain, k->cat, 1, k->base, k->bytes);

    f.by = kind == KIND_STORES ? FILL_BY_STORES : FILL_BY_READS;
    f.rest_ns = kind == KIND_RESTED ? TRAFFIC_REST_NS : 0;
    TRY(fill_chain(&f, 1, load));
    if (kind == KIND_CODE) {
        load->n_parts = 1;
        load->parts[0] = code_part(WORK_CODE, f.rmid, f.base, f.bytes, code_passes(k->check, k->domain));
        load->parts[0].clos = 1;
    }
    return ST_OK;
}

static enum status kind_measure(const struct kinds *k, enum fill_kind kind, uint64_t mask, struct reading *r,
                                const char *defect)
{
    const uint64_t masks[2] = { cat_full_mask(k->cat), mask };
    struct traffic_load load;
    struct experiment e = { .check = k->check, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 1 };

    TRY(kind_load(k, kind, &load));
    e.flags = (defect ? 0 : EXPERIMENT_ONCE) | (kind == KIND_PREFETCHES ? EXPERIMENT_PREFETCH : 0);
    TRY(cat_set_masks(k->check, k->cat, 2, masks));
    TRY(experiment_measure(&e));
    if (defect)
        cat_judge(&e, defect);
    return ST_OK;
}

/* A mask of one step shows an effect on a kind of which more is held without it: which clean lines an L3 keeps that is
 * not inclusive is not documented. */
static enum status kind_held(struct kinds *k, enum fill_kind kind)
{
    struct reading full = cat_occupancy("control: occupancy with a full CBM", k->domain, k->cat->rmids[0]);
    struct reading r = cat_occupancy("occupancy of a CLOS with one step of its CBM", k->domain, k->cat->rmids[0]);
    char defect[96];

    if (kind == KIND_PREFETCHES && !k->check->machine->prefetch)
        return ST_OK; /* they are on in every other run */
    cat_expect_share(k->check, k->cat, &r, k->cat->least, 0);
    r.lo = r.never_lo = r.tight_lo = 0;
    if (kind == KIND_CODE)
        TRY(code_write(k->check, k->cat->cpus[0], k->base, k->bytes));
    TRY(kind_measure(k, kind, cat_full_mask(k->cat), &full, NULL));
    if (full.bytes <= r.hi) {
        check_note(k->check,
                   "L3 domain %u: %s of %lu bytes hold %lu with a full CBM: the effect of a mask cannot be seen",
                   k->domain, kind_names[kind], k->bytes, (uint64_t)full.bytes);
        return ST_OK;
    }
    k->seen++;
    if (k->reads_held && kind != KIND_RESTED)
        r.code = FOUND_FILLS_OUTSIDE_MASK; /* by this kind alone */
    text_format(defect, sizeof defect, "filled by %s, in a CLOS of %u ways", kind_names[kind], k->cat->least);
    TRY(kind_measure(k, kind, cat_window(k->cat, 0, 1), &r, defect));
    k->reads_held |= kind == KIND_READS && reading_inside(&r, r.bytes) && (r.tight_hi <= 0 || r.bytes <= r.tight_hi);
    return ST_OK;
}

static enum status kinds_experiment(struct check *c, uint32_t domain, const struct cat_context *cat)
{
    struct kinds k = { .check = c, .cat = cat, .domain = domain, .bytes = cat_beyond_share(cat, cat->step_bytes) };
    enum status st = memory_scatter_any(c, cat->cpus[0], k.bytes, &k.base), code = ST_OK;

    if (st == ST_OK)
        st = cat_covers(c, domain, cat, k.base, k.bytes, 1);
    for (enum fill_kind kind = 0; kind < KIND_CODE && st == ST_OK; kind++)
        st = kind_held(&k, kind);
    if (st == ST_OK)
        code = kind_held(&k, KIND_CODE);
    if (code != ST_OK && (code != ST_ABSENT || k.seen == 0))
        return code;
    if (code == ST_ABSENT) {
        char why[192];

        check_take_reason(c, why, sizeof why);
        check_note(c, "L3 domain %u: not by code: %s", domain, why);
    }
    if (st == ST_OK && k.seen == 0)
        return check_absent(c, "L3 domain %u: with a full CBM no kind of access fills more than one step", domain);
    return st;
}

static const struct check_row rows[] = {
    { .id = "cat.kinds",
      .title = "Reads, stores, prefetches and code are held to the CBM",
      .spec = SDM_CAT,
      .covers = "CA-17",
      .means = "one kind of access fills ways outside of the CBM of its CLOS",
      .next = "the kind in the finding; `cat.shares` for the kind that the others use; `cdp.code` for code",
      .run_cat = kinds_experiment },
};
CHECK_FAMILY(cat_kinds, rows, .needs = NEED_RDT_A | NEED_OCCUPANCY | NEED_CLASSES, .risk = RISK_WORKLOAD,
             .rests_on = RESTS_ON_MASKS | RESTS_ON_OCCUPANCY, .by_experience = true, .excludes = true, .order = 500,
             .slow = true);
