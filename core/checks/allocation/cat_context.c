/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/allocation/cat_context.h"

#include "core/base/bits.h"

uint64_t cat_window(const struct cat_context *k, uint32_t at, uint32_t steps)
{
    return low_bits(steps * k->least) << (k->first + at * k->least);
}

uint64_t cat_full_mask(const struct cat_context *k)
{
    return low_bits(k->t.bits);
}

uint64_t cat_beyond_share(const struct cat_context *k, uint64_t bytes)
{
    return ROUND_DOWN(bytes + (uint64_t)(2 * OCC_BYTES) + k->l2_bytes);
}

struct traffic_part cat_part_in_class(struct traffic_part part, uint32_t clos)
{
    part.clos = clos;
    return part;
}

struct reading cat_occupancy(const char *name, uint32_t domain, uint32_t rmid)
{
    return reading_of(name, domain, rmid, QM_EVENT_L3_OCCUPANCY);
}

static enum status choose_steps(struct check *c, uint32_t domain, struct cat_context *k)
{
    enum status st = alloc_least_bits(c, &k->t, k->cpus[0], k->first, &k->least);

    if (st != ST_OK)
        return st;
    k->steps /= k->least;
    k->step_bytes = c->machine->domains[domain].l3_bytes / k->t.bits * k->least;
    if (k->least > 1)
        note(c, "L3 domain %u: a CBM of one bit is not accepted: masks are in steps of %u ways", domain, k->least);
    return ST_OK;
}

/* The class that processors were found in keeps the whole L3 (a full mask) but where an experiment restricts it. */
static enum status cat_context_init(struct check *c, uint32_t domain, struct cat_context *k)
{
    *k = (struct cat_context){ .t = alloc_l3_masks(c) };
    k->steps = alloc_exclusive_run(&k->t, &k->first);
    k->l2_bytes = c->machine->domains[domain].l3_inclusive ? 0 : l2_bytes_of(c);
    k->n_cpus = domain_cpus(c, domain, k->cpus, 1) > 0;
    k->cpus[1] = k->n_cpus ? other_core(c, domain, k->cpus[0]) : 0;
    k->n_cpus += k->n_cpus && k->cpus[1] != k->cpus[0];
    if (k->t.classes < 3 || k->steps < 4)
        return absent(c, "L3 domain %u: %u CLOS and %u mask bits that are not shareable; 3 and 4 are needed", domain,
                      k->t.classes, k->steps);
    if (domain_rmids(c, domain, k->rmids, 2) < 2 || k->n_cpus == 0)
        return absent(c, "L3 domain %u: fewer than two free RMIDs, or no processor", domain);
    return choose_steps(c, domain, k);
}

enum status cat_set_masks(struct check *c, const struct cat_context *k, uint32_t n, const uint64_t *masks)
{
    enum status st = ST_OK;

    for (uint32_t class = 0; class < k->t.classes && st == ST_OK; class ++)
        st = alloc_write(c, &k->t, class, class < n ? masks[class] : cat_full_mask(k));
    return st;
}

enum status cat_measure(struct check *c, const struct cat_context *k, struct traffic_part *parts, uint32_t n_parts,
                        struct reading *r, uint32_t n_readings, const char *defect)
{
    struct traffic_load load = { .cpu = k->cpus[0], .n_parts = n_parts, .parts = parts };
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = n_readings };
    enum status st = experiment_measure(&e);

    if (st == ST_OK)
        experiment_judge(&e, defect);
    return st;
}

enum status cat_run(struct check *c, uint32_t domain, cat_experiment run)
{
    struct cat_context k;
    enum status st = cat_context_init(c, domain, &k);

    if (st == ST_OK)
        st = alloc_record_table(c, &k.t);
    if (st != ST_OK)
        return st;
    st = run(c, domain, &k);
    return status_first(st, alloc_put_back_table(c, &k.t));
}
