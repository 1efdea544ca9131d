/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/experiment/fill.h"

#define PIECE_SHARE 4u /* of an L2: with two threads of a core a piece of either stays in it */
#define PIECE_LEAST (64 * UINT64_C(1024))
#define REUSES      2u
#define SCRATCH_L2S 2u /* after twice its size an L2 that replaces at random holds e^-2 of what it held, 14 % */
#define SHARE_LEAST 0.125

static bool is_inclusive(const struct check *c, uint32_t domain)
{
    return c->machine->domains[domain].l3_inclusive;
}

uint64_t fill_scratch_bytes(const struct check *c, uint32_t domain)
{
    return is_inclusive(c, domain) ? 0 : ROUND_DOWN(SCRATCH_L2S * reference_l2_bytes(c));
}

enum status fill_scratch(struct check *c, uint32_t domain, uint32_t cpu, uint32_t n, uint64_t *scratch)
{
    uint64_t bytes = n * fill_scratch_bytes(c, domain);

    *scratch = 0;
    return bytes ? memory_scatter_any(c, cpu, bytes, scratch) : ST_OK;
}

uint64_t fill_least_bytes(const struct check *c, uint32_t domain)
{
    uint64_t l3 = c->machine->domains[domain].l3_bytes, spilled = fill_scratch_bytes(c, domain) / SCRATCH_L2S;
    uint64_t quarter = l3 / 4, room = l3 > spilled ? (l3 - spilled) / 10 * 3 : 0; /* three of these and an L2's worth */
    uint64_t most = quarter < room ? quarter : room;

    return ROUND_DOWN(most < 4 * MIB ? most : 4 * MIB); /* twice the absolute tolerance of T_occ */
}

enum status fill_take(struct check *c, uint32_t domain, uint32_t n_rmids, uint64_t bytes, struct test_buffer *b,
                      struct fill *f)
{
    uint64_t scratch = fill_scratch_bytes(c, domain);
    enum status st = test_buffer_any(c, domain, n_rmids, bytes, b);

    *f = (struct fill){ .check = c, .domain = domain, .clos = TRAFFIC_KEEP, .scratch_bytes = scratch };
    TRY(st);
    TRY(fill_scratch(c, domain, b->cpu, 1, &f->scratch));
    f->cpu = b->cpu;
    f->rmid = b->rmids[0];
    f->base = b->base;
    f->bytes = b->bytes;
    return ST_OK;
}

/* --- parts -------------------------------------------------------------------------------------------------------- */

static uint64_t piece_bytes(const struct fill *f)
{
    uint64_t piece = ROUND_DOWN(reference_l2_bytes(f->check) / PIECE_SHARE);

    if (is_inclusive(f->check, f->domain))
        return f->bytes;
    return piece > PIECE_LEAST ? piece : PIECE_LEAST;
}

static uint32_t parts_needed(const struct fill *f)
{
    uint64_t piece = piece_bytes(f);

    return (uint32_t)((f->bytes + piece - 1) / piece) + 2;
}

static uint32_t add_part(const struct fill *f, struct traffic_part *part, struct traffic_part of)
{
    *part = of;
    part->clos = f->clos;
    return 1;
}

static enum work_kind kind_of(const struct fill *f)
{
    if (f->by == FILL_AS_ABOVE)
        return is_inclusive(f->check, f->domain) ? WORK_READ : WORK_WRITE;
    return f->by == FILL_BY_READS ? WORK_READ : WORK_WRITE;
}

static uint32_t write_parts(const struct fill *f, struct traffic_part *parts)
{
    uint64_t piece = piece_bytes(f);
    uint32_t n = 0;

    for (uint64_t at = 0; at < f->bytes; at += piece) {
        struct traffic_part part = part_read(f->rmid, f->base + at, f->bytes - at < piece ? f->bytes - at : piece);

        part.work.kind = kind_of(f);
        part.work.passes = is_inclusive(f->check, f->domain) ? 1 : REUSES;
        n += add_part(f, &parts[n], part);
    }
    if (f->scratch_bytes == 0 || is_inclusive(f->check, f->domain))
        return n;
    n += add_part(f, &parts[n], part_read(f->rmid, f->scratch, f->scratch_bytes));
    /* The kernel loads each line first: what prefetchers bring by that is not counted under the RMID of the fill. */
    n += add_part(f, &parts[n], part_flush(0, f->scratch, f->scratch_bytes));
    return n;
}

enum status fill_chain(const struct fill *fills, uint32_t n, struct traffic_load *load)
{
    struct check *c = fills[0].check;
    uint32_t needed = SUM_OF(uint32_t, i, n, parts_needed(&fills[i]));

    *load = (struct traffic_load){ .cpu = fills[0].cpu,
                                   .parts = check_alloc(c, needed * sizeof load->parts[0]),
                                   .rest_ns = fills[0].rest_ns,
                                   .associated = fills[0].associated };
    if (load->parts == NULL)
        return check_unmeasured(c, ST_NO_MEMORY, load->cpu, "the parts of a fill");
    for (uint32_t i = 0; i < n; i++)
        load->n_parts += write_parts(&fills[i], load->parts + load->n_parts);
    return ST_OK;
}

enum status fill_once(const struct fill *f, uint32_t flags, struct reading *r, uint64_t *ticks)
{
    struct traffic_load load;
    struct experiment e = { .check = f->check, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 1 };
    enum status st = fill_chain(f, 1, &load);

    e.flags = EXPERIMENT_ONCE | flags;
    if (st == ST_OK)
        st = experiment_measure(&e);
    if (ticks)
        *ticks = e.outcome.tsc_ticks;
    return st;
}

uint64_t fill_touches(const struct fill *f)
{
    return is_inclusive(f->check, f->domain) ? f->bytes : REUSES * f->bytes;
}

enum status fill_plan(struct fill *f)
{
    struct traffic_load load;
    enum status st = fill_chain(f, 1, &load);

    f->parts = load.parts;
    f->n_parts = load.n_parts;
    return st;
}

struct traffic_load fill_load(const struct fill *f)
{
    return (struct traffic_load){ .cpu = f->cpu, .n_parts = f->n_parts, .parts = f->parts };
}

/* Room for what several cores fill and spill: a quarter is left, since a hash gives some sets more lines of so many
 * buffers than they have ways before the L3 is full. */
static uint64_t room_of(uint64_t l3, uint32_t cores)
{
    return cores > 1 ? l3 - l3 / 4 : l3;
}

uint32_t fill_at_once(const struct check *c, uint32_t domain, uint64_t bytes, const uint32_t *cpus, uint32_t n)
{
    uint64_t spilled = fill_scratch_bytes(c, domain) / SCRATCH_L2S, l3 = c->machine->domains[domain].l3_bytes;
    uint32_t cores = 0;

    for (uint32_t i = 0; i < n; i++) {
        bool known = ANY_OF(k, i, domain_same_core(c, cpus[k], cpus[i]));

        cores += !known;
        if (spilled && bytes + cores * spilled > room_of(l3, cores))
            return i;
    }
    return n;
}

enum status fill_together(struct fill *fills, uint32_t n, uint64_t scratch, struct traffic_load *loads)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < n && st == ST_OK; i++) {
        uint64_t bytes = fill_scratch_bytes(fills[i].check, fills[i].domain);
        uint32_t threads = 1; /* itself */

        for (uint32_t k = 0; k < n; k++)
            threads += k != i && domain_same_core(fills[i].check, fills[i].cpu, fills[k].cpu);
        fills[i].scratch = scratch + i * bytes;
        fills[i].scratch_bytes = ROUND_DOWN(bytes / threads);
        st = fill_plan(&fills[i]);
        loads[i] = fill_load(&fills[i]);
    }
    return st;
}

/* --- rounds ------------------------------------------------------------------------------------------------------- */

bool fill_grows(double before, double after, double filled, double count)
{
    double least = FILL_GROWTH * filled > count ? FILL_GROWTH * filled : count;

    return after > before + least;
}

bool fill_is_short(const struct reading *r)
{
    return r->filled > 0 && (r->bytes < r->lo || (r->tight_hi > 0 && r->bytes < r->tight_lo));
}

static bool any_short(const struct experiment *e)
{
    return ANY_OF(i, e->n_readings, fill_is_short(&e->readings[i]));
}

static bool any_out(const struct experiment *e)
{
    bool is = any_short(e);

    for (uint32_t i = 0; i < e->n_readings; i++)
        is |= e->readings[i].bytes > e->readings[i].hi;
    return is;
}

static double held(const struct experiment *e)
{
    return SUM_OF(double, i, e->n_readings, e->readings[i].filled > 0 ? e->readings[i].bytes : 0);
}

/* The loads again on warm caches, until their readings are in their bands or reach a plateau. */
static enum status further_rounds(struct experiment *e)
{
    double count = e->check->machine->domains[e->readings[0].domain].upscaling_factor, before = -count, now = held(e);
    uint32_t flags = e->flags;
    enum status st = ST_OK;

    e->flags = EXPERIMENT_ONCE | EXPERIMENT_WARM | (flags & EXPERIMENT_PREFETCH);
    for (uint32_t i = 1; i < FILL_ROUNDS && st == ST_OK && any_short(e); i++) {
        if (i > 1 && !fill_grows(before, now, SUM_OF(double, k, e->n_readings, e->readings[k].filled), count))
            break;
        st = experiment_measure(e);
        before = now;
        now = held(e);
    }
    e->flags = flags;
    return st;
}

/* Once, and on until a plateau. */
static enum status rounds(struct experiment *e)
{
    uint32_t flags = e->flags;
    enum status st;

    e->flags |= flags & EXPERIMENT_REPEAT ? 0 : EXPERIMENT_ONCE;
    st = experiment_measure(e);
    if (st == ST_OK && any_short(e))
        st = further_rounds(e);
    e->flags = flags;
    return st;
}

/* --- the control -------------------------------------------------------------------------------------------------- */

static bool is_read_by(const struct experiment *e, uint32_t rmid)
{
    return ANY_OF(i, e->n_readings, e->readings[i].rmid == rmid);
}

static uint32_t another_rmid(const struct experiment *e, uint32_t domain)
{
    uint32_t most = e->n_readings + 1, n;
    uint32_t *rmids = check_alloc(e->check, most * sizeof rmids[0]);

    n = rmids ? domain_rmids_any(e->check, domain, rmids, most) : 0;
    return FIND(i, n, !is_read_by(e, rmids[i]), rmids[i], 0);
}

/* *share: of its bytes, that the same fill reaches by another processor under another RMID; 1 where there is none. */
static enum status control(const struct experiment *of, const struct fill *f, double *share)
{
    struct check *c = of->check;
    struct fill k = *f;
    struct traffic_load load;
    struct reading r;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    *share = 1;
    k.cpu = domain_other_core(c, f->domain, f->cpu);
    k.rmid = another_rmid(of, f->domain);
    if (k.rmid == 0)
        return ST_OK;
    TRY(fill_chain(&k, 1, &load));
    r = reading_occupancy(f->domain, k.rmid);
    expect_occupancy(c, &r, (double)k.bytes, 0);
    TRY(rounds(&e));
    check_show(c, "control: occupancy of the same fill by another processor", place_domain(f->domain), r.bytes,
               "bytes");
    *share = r.bytes < (double)k.bytes ? r.bytes / (double)k.bytes : 1;
    return ST_OK;
}

void fill_scale(const struct check *c, struct reading *r, double share)
{
    struct reading scaled = *r;

    if (share < SHARE_LEAST)
        return;
    expect_occupancy(c, &scaled, share * r->filled, 0);
    r->lo = scaled.lo < r->lo ? scaled.lo : r->lo;
    r->tight_lo = scaled.tight_lo < r->tight_lo ? scaled.tight_lo : r->tight_lo;
}

static void judge_fill_share(struct experiment *e, const struct reading *r, double share)
{
    if (share < SHARE_LEAST || !fill_is_short(r))
        return;
    finding(e->check, FINDING_UNUSUAL, 0, FOUND_L2_VICTIMS_MISSING, reading_place(r),
            "%lu of %lu bytes are held, and %lu %% of the same fill by another processor under another RMID: "
            "non-inclusive L3, not all L2 victims are kept or counted",
            (uint64_t)r->bytes, (uint64_t)r->filled, (uint64_t)(100 * share + 0.5));
}

/* The loads are run again after the control, since what follows may rest on what they left in the caches. */
static enum status bound_by_control(struct experiment *e, const struct fill *f, enum fill_rule rule)
{
    double share;

    TRY(control(e, f, &share));
    TRY(rounds(e));
    for (uint32_t i = 0; i < e->n_readings; i++) {
        if (rule == FILL_BY_SIZE)
            judge_fill_share(e, &e->readings[i], share);
        if (e->readings[i].filled > 0)
            fill_scale(e->check, &e->readings[i], share);
        e->readings[i].share = share;
    }
    return ST_OK;
}

enum status fill_measure(struct experiment *e, const struct fill *f, enum fill_rule rule)
{
    TRY(is_inclusive(e->check, f->domain) ? experiment_measure(e) : rounds(e));
    if (is_inclusive(e->check, f->domain) || !any_out(e))
        return ST_OK;
    return any_short(e) ? bound_by_control(e, f, rule) : experiment_measure(e);
}

enum status fill_check(struct experiment *e, const struct fill *f, enum fill_rule rule, const char *stimulus)
{
    TRY(fill_measure(e, f, rule));
    experiment_judge(e, stimulus);
    return ST_OK;
}

enum status fill_known(struct fill *f, const char *name, struct reading *r)
{
    struct traffic_load load;
    struct experiment e = { .check = f->check, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 1 };

    TRY(fill_plan(f));
    load = fill_load(f);
    *r = reading_occupancy(f->domain, f->rmid);
    r->name = name;
    expect_occupancy(f->check, r, (double)f->bytes, 0);
    if (domain_rmid_in_background(f->check, f->rmid)) /* which holds other lines too */
        r->hi = r->never_hi = NO_BOUND;
    TRY(fill_check(&e, f, FILL_BY_CONTROL, "a buffer was filled under this RMID"));
    r->bytes = r->runs[e.n_runs - 1];
    return ST_OK;
}
