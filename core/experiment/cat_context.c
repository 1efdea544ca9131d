/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/experiment/cat_context.h"

#include "core/base/bits.h"
#include "core/tools/tools.h"

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

enum status cat_covers(struct check *c, uint32_t domain, const struct cat_context *k, uint64_t base, uint64_t bytes,
                       uint32_t steps)
{
    uint64_t whole = 0;

    for (uint64_t at = 0, piece = 0; at < bytes; at += piece) {
        piece = bytes - at;
        (void)scatter_find(c->tools->scatter, base + at, &piece);
        whole += piece / k->step_bytes;
    }
    if (whole >= steps)
        return ST_OK;
    return check_absent(c, "L3 domain %u: the pieces of memory are too small to fill %lu bytes of each way evenly",
                        domain, k->step_bytes);
}

static double way_bytes(const struct cat_context *k)
{
    return (double)k->step_bytes / k->least;
}

double cat_most_of(const struct check *c, const struct cat_context *k, uint32_t domain, uint32_t ways)
{
    return (ways + 0.5) * way_bytes(k) + c->machine->domains[domain].upscaling_factor;
}

void cat_expect_share(struct check *c, const struct cat_context *k, struct reading *r, uint32_t ways, uint32_t cores)
{
    double count = c->machine->domains[r->domain].upscaling_factor;
    double most = cat_most_of(c, k, r->domain, ways);

    expect_occupancy(c, r, ways * way_bytes(k), cores);
    most = reference_is_intel(c) && most < r->hi ? most : r->hi;
    r->tight_lo = r->tight_hi > 0 ? r->tight_lo : r->lo;
    r->tight_hi = r->tight_hi > 0 && r->tight_hi < most ? r->tight_hi : most;
    excludes(c, "an excess over a CBM", (r->tight_hi + count) / way_bytes(k) - ways, "ways");
}

struct reading cat_occupancy(const char *name, uint32_t domain, uint32_t rmid)
{
    return reading_of(name, domain, rmid, QM_EVENT_L3_OCCUPANCY);
}

static enum status choose_steps(struct check *c, uint32_t domain, struct cat_context *k)
{
    TRY(alloc_least_bits(c, &k->t, k->cpus[0], k->first, &k->least));
    k->steps /= k->least;
    k->step_bytes = l3_whole_bytes(&c->machine->domains[domain]) / k->t.bits * k->least;
    if (k->least > 1)
        check_note(c, "L3 domain %u: a CBM of one bit is not accepted: masks are in steps of %u ways", domain,
                   k->least);
    return ST_OK;
}

/* The class that processors were found in keeps the whole L3 (a full mask) but where an experiment restricts it. */
static enum status cat_context_init(struct check *c, uint32_t domain, struct cat_context *k)
{
    *k = (struct cat_context){ .t = alloc_l3_masks(c) };
    k->steps = alloc_exclusive_run(&k->t, &k->first);
    k->l2_bytes = c->machine->domains[domain].l3_inclusive ? 0 : reference_l2_bytes(c);
    k->n_cpus = domain_cpus(c, domain, k->cpus, 1) > 0;
    k->cpus[1] = k->n_cpus ? domain_other_core(c, domain, k->cpus[0]) : 0;
    k->n_cpus += k->n_cpus && k->cpus[1] != k->cpus[0];
    if (k->t.classes < 3 || k->steps < 4)
        return check_absent(
            c, "L3 domain %u: %u CLOS and %u mask bits that are neither shareable nor reserved; 3 and 4 are needed",
            domain, k->t.classes, k->steps);
    if (domain_rmids(c, domain, k->rmids, 2) < 2 || k->n_cpus == 0)
        return check_absent(c, "L3 domain %u: fewer than two free RMIDs, or no processor", domain);
    return choose_steps(c, domain, k);
}

enum status cat_set_masks(struct check *c, const struct cat_context *k, uint32_t n, const uint64_t *masks)
{
    for (uint32_t class = 0; class < k->t.classes; class ++)
        TRY(alloc_write(c, &k->t, class, class < n ? masks[class] : cat_full_mask(k)));
    return ST_OK;
}

struct fill cat_fill(struct check *c, uint32_t domain, const struct cat_context *k, uint32_t clos, uint64_t base,
                     uint64_t bytes)
{
    return (struct fill){
        .check = c, .domain = domain, .cpu = k->cpus[0], .rmid = k->rmids[0], .clos = clos, .base = base, .bytes = bytes
    };
}

enum status cat_fill_whole(struct check *c, uint32_t domain, const struct cat_context *k, uint32_t clos, uint64_t base,
                           uint64_t bytes, struct fill *f)
{
    *f = cat_fill(c, domain, k, clos, base, bytes);
    f->scratch_bytes = fill_scratch_bytes(c, domain);
    return fill_scratch(c, domain, f->cpu, 1, &f->scratch);
}

static void excuse_less(struct check *c, struct reading *r, const char *defect)
{
    if (c->machine->domains[r->domain].l3_inclusive || r->bytes < r->never_lo)
        return;
    if (r->bytes < r->lo)
        finding(c, FINDING_UNUSUAL, 0, reading_code(r, r->lo), reading_place(r),
                "%s %lu bytes, expected %lu or more: %s", r->name, (uint64_t)r->bytes, (uint64_t)r->lo, defect);
    r->lo = r->bytes < r->lo ? r->bytes : r->lo;
    r->tight_lo = r->bytes < r->tight_lo ? r->bytes : r->tight_lo;
}

void cat_judge(struct experiment *e, const char *defect)
{
    excuse_less(e->check, e->readings, defect);
    experiment_locate(e);
    experiment_judge(e, defect);
}

enum status cat_measure(struct check *c, const struct fill *fills, uint32_t n, struct reading *r, uint32_t flags,
                        const char *defect)
{
    struct traffic_load load;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 1, .flags = flags };

    TRY(fill_chain(fills, n, &load));
    TRY(experiment_measure(&e));
    cat_judge(&e, defect);
    return ST_OK;
}

enum status cat_control(struct check *c, const struct cat_context *k, const struct fill *f, double most, double *held)
{
    struct reading r = cat_occupancy("control: occupancy of a CLOS with a full CBM", f->domain, f->rmid);
    uint64_t full = cat_full_mask(k);

    TRY(cat_set_masks(c, k, 1, &full));
    TRY(cat_measure(c, f, 1, &r, EXPERIMENT_ONCE, ""));
    if (held)
        *held = r.bytes;
    if (r.bytes > most)
        return ST_OK;
    return check_absent(c,
                        "L3 domain %u: with a full CBM a fill of %lu bytes holds %lu: the effect of a mask cannot be "
                        "seen",
                        f->domain, f->bytes, (uint64_t)r.bytes);
}

enum status cat_run(struct check *c, uint32_t domain)
{
    struct cat_context k;
    enum status st;

    TRY(cat_context_init(c, domain, &k));
    TRY(alloc_record_table(c, &k.t));
    st = c->row->run_cat(c, domain, &k);
    return status_first(st, alloc_put_back_table(c, &k.t));
}
