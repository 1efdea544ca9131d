/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Lines that are fetched as code. Witness: code of which each line is run, and the same lines read as data.
 *
 * Code cannot be modified while it runs, and which clean lines an L3 takes that is not inclusive is not documented
 * (core/experiment/fill.h): it is taken from the data.
 */
#include "core/check/errata.h"
#include "core/checks/cmt/occupancies.h"
#include "core/load/code.h"
#include "core/experiment/fill.h"

#define SDM_RMID                                                                                                       \
    "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association (tags requests to the L3); 17.16.5.2 Memory Bandwidth "  \
    "Monitoring"

/* The lines as data or as code, and what was read after them. */
struct lines {
    uint32_t rmid;
    struct reading occupancy, total;
    double elsewhere; /* occupancy of all other RMIDs */
};

/* RMIDs that processors have in turn, so that each bit is set in one and clear in another. */
struct turns {
    uint32_t rmids[2], n;
};

struct code {
    struct check *check;
    uint32_t domain, turn;
    struct test_buffer buffer;
    struct turns occupants, movers; /* for occupancy, and for bandwidth those that no erratum lets count wrong */
    struct lines data, code;
    double least; /* occupancy of the code, by T_occ */
};

/* Twice the absolute tolerance of T_occ, and twice an L2 that keeps some of it; as far as the L3 has room. */
static uint64_t code_bytes(const struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t l2 = d->l3_inclusive ? 0 : reference_l2_bytes(c), most = d->l3_bytes / 4 * (d->l3_inclusive ? 2 : 3);
    uint64_t beyond = 4 * MIB + l2;

    return ROUND_DOWN(l2 + (beyond < most ? beyond : most));
}

static struct turns turns_of(struct code *k, bool any)
{
    struct turns t;

    t.n = domain_rmids_apart(k->check, k->domain, any, t.rmids, 2);
    if (t.n == 0)
        t.rmids[t.n++] = k->buffer.rmids[0];
    return t;
}

static enum status code_take(struct code *k)
{
    struct check *c = k->check;

    TRY(test_buffer_any(c, k->domain, 2, code_bytes(c, k->domain), &k->buffer));
    k->occupants = turns_of(k, true);
    k->movers = turns_of(k, false);
    k->data.rmid = k->buffer.rmids[1];
    return code_write(c, k->buffer.cpu, k->buffer.base, k->buffer.bytes);
}

/* Runs the lines, from caches that hold none of them, and reads r. */
static enum status lines_run(const struct code *k, enum work_kind kind, uint32_t passes, struct reading *r,
                             struct experiment *e)
{
    struct traffic_part part = code_part(kind, r->rmid, k->buffer.base, k->buffer.bytes, passes);
    struct traffic_load load = { .cpu = k->buffer.cpu, .n_parts = 1, .parts = &part };
    enum status st;

    *e = (struct experiment){ .check = k->check, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 1 };
    e->flags = kind == WORK_CODE ? 0 : EXPERIMENT_ONCE;
    st = experiment_measure(e);
    e->loads = NULL;
    return st;
}

static enum status lines_occupy(const struct code *k, enum work_kind kind, struct lines *l)
{
    const struct qm_domain *d = &k->check->tools->qm[k->domain];
    struct experiment e;
    struct occupancies o;
    enum status st = lines_run(k, kind, code_passes(k->check, k->domain), &l->occupancy, &e);

    if (st == ST_OK)
        st = occupancies_read(k->check, k->domain, &o);
    l->elsewhere = 0;
    for (uint32_t i = 0; st == ST_OK && i < o.n; i++)
        if (i != l->rmid && o.pairs[i].status == ST_OK)
            l->elsewhere += (double)qm_bytes(d, o.pairs[i].sample.counts);
    return st;
}

static void show_control(const struct code *k, const char *name, const struct reading *r)
{
    check_show(k->check, name, place_rmid(k->domain, r->rmid), r->bytes, "bytes");
}

/* --- occupancy ---------------------------------------------------------------------------------------------------- */

static enum status data_occupy(struct code *k)
{
    k->data.occupancy = reading_occupancy(k->domain, k->data.rmid);
    expect_occupancy(k->check, &k->data.occupancy, (double)k->buffer.bytes, 1);
    TRY(lines_occupy(k, WORK_READ, &k->data));
    show_control(k, "control: occupancy of the same lines read as data", &k->data.occupancy);
    return ST_OK;
}

/* What the lines are, or what they show as data where that is less. Runs are repeated for less than the finer bound.
 * Where the lines are then is for judge_short() to say. */
static void code_expect_occupancy(struct code *k)
{
    double held = k->data.occupancy.bytes, count = k->check->machine->domains[k->domain].upscaling_factor;
    double off = OCC_SHARE * held > 2 * count ? OCC_SHARE * held : 2 * count;
    struct reading *r = &k->code.occupancy, as_data;

    k->code.rmid = k->occupants.rmids[k->turn % k->occupants.n];
    *r = reading_occupancy(k->domain, k->code.rmid);
    r->name = "occupancy of code";
    as_data = *r;
    expect_occupancy(k->check, r, (double)k->buffer.bytes, 1);
    expect_occupancy(k->check, &as_data, held, 0);
    k->least = as_data.lo < r->lo ? as_data.lo : r->lo;
    r->lo = held - off > k->least ? held - off : k->least;
    r->never_lo = 0;
}

/* Lines that are missing here and count elsewhere are another RMID's, and an inclusive L3 holds every line that a core
 * fetches. Which clean lines of code another L3 takes from an L2 is not documented. */
static enum finding_kind short_kind(const struct code *k, double gained, bool elsewhere)
{
    double bytes = k->code.occupancy.bytes, held = k->data.occupancy.bytes;
    bool inclusive = k->check->machine->domains[k->domain].l3_inclusive;

    if (bytes >= k->least)
        return FINDING_UNUSUAL;
    if (gained >= held / 2 || (inclusive && bytes < DEAD_SHARE * held))
        return FINDING_FORBIDDEN;
    return inclusive || elsewhere ? FINDING_EXPECTED : FINDING_UNUSUAL;
}

static void judge_short(const struct code *k, struct place place)
{
    double gained = k->code.elsewhere - k->data.elsewhere, held = k->data.occupancy.bytes;
    const struct reading *r = &k->code.occupancy;
    bool elsewhere = gained >= (held - r->bytes) / 2;

    if (r->bytes < k->least || elsewhere)
        finding(k->check, short_kind(k, gained, elsewhere), 0,
                elsewhere ? FOUND_COUNTED_ELSEWHERE : FOUND_OCCUPANCY_LOW, place,
                "%lu bytes of code were run, and its occupancy is %lu bytes, expected %lu or more; read as data "
                "the same lines have %lu bytes; other RMIDs have %lu bytes more than with the data",
                k->buffer.bytes, (uint64_t)r->bytes, (uint64_t)(r->bytes < k->least ? k->least : r->lo),
                (uint64_t)k->data.occupancy.bytes, (uint64_t)(gained > 0 ? gained : 0));
}

static void judge_occupancy(const struct code *k)
{
    const struct reading *r = &k->code.occupancy;
    double held = k->data.occupancy.bytes, count = k->check->machine->domains[k->domain].upscaling_factor;
    struct check *c = k->check;
    struct place place = place_with(place_domain_cpu(k->domain, k->buffer.cpu), PLACE_RMID, r->rmid);

    excludes(c, "lines of code under other RMIDs", 100 * (held - r->lo + count) / held, "%");
    check_measure(c, r->name, place, r->bytes, "bytes", k->least, r->hi);
    if (r->bytes < r->lo)
        judge_short(k, place);
    if (r->bytes > r->hi)
        finding(c, r->bytes > r->never_hi ? FINDING_FORBIDDEN : FINDING_EXPECTED, 0, FOUND_OCCUPANCY_HIGH, place,
                "%lu bytes of code were run, and its occupancy is %lu bytes, expected %lu or less", k->buffer.bytes,
                (uint64_t)r->bytes, (uint64_t)r->hi);
}

/* *judged: the data is enough to tell code from none. */
static enum status code_occupancy(struct code *k, bool *judged)
{
    enum status st = data_occupy(k);

    *judged = false;
    TRY(st);
    code_expect_occupancy(k);
    st = lines_occupy(k, WORK_CODE, &k->code);
    *judged = k->least > 0;
    if (st == ST_OK && *judged)
        judge_occupancy(k);
    return st;
}

/* --- bandwidth ---------------------------------------------------------------------------------------------------- */

static enum status data_stream(struct code *k)
{
    struct experiment e;

    k->data.total = reading_total(k->domain, k->data.rmid);
    expect_bandwidth(k->check, &k->data.total, (double)k->buffer.bytes);
    TRY(lines_run(k, WORK_READ, 1, &k->data.total, &e));
    show_control(k, "control: MBM total of the same lines read as data", &k->data.total);
    return ST_OK;
}

/* What the lines are, or what they show as data, whichever is further. An erratum that adds to short streams adds to
 * each by another share, and code that is fetched cannot be streamed for as long as it takes. */
static void code_expect_total(struct code *k)
{
    struct reading *r = &k->code.total, as_data;

    *r = reading_total(k->domain, k->movers.rmids[k->turn % k->movers.n]);
    r->name = "MBM total of code";
    r->has_cpu = true;
    r->cpu = k->buffer.cpu;
    as_data = *r;
    expect_bandwidth(k->check, r, (double)k->buffer.bytes);
    expect_bandwidth(k->check, &as_data, k->data.total.bytes);
    r->lo = as_data.lo < r->lo ? as_data.lo : r->lo;
    if (errata_excess_explains(k->check->machine, k->domain, (double)k->buffer.bytes))
        r->hi = r->never_hi = NO_BOUND;
    if (as_data.hi > r->hi)
        r->hi = as_data.hi;
    if (as_data.never_hi > r->never_hi)
        r->never_hi = as_data.never_hi;
}

/* *judged: MBM total counts these lines as data. */
static enum status code_bandwidth(struct code *k, bool *judged)
{
    struct experiment e;
    enum status st = data_stream(k);

    *judged = st == ST_OK && k->data.total.bytes >= k->data.total.never_lo && k->data.total.bytes > 0;
    if (!*judged)
        return st;
    code_expect_total(k);
    TRY(lines_run(k, WORK_CODE, 1, &k->code.total, &e));
    experiment_judge(&e, "code that no cache held was run once under this RMID");
    return ST_OK;
}

static enum status code_both(struct code *k, bool *occupancy, bool *bandwidth)
{
    TRY(code_occupancy(k, occupancy));
    return reference_rdt(k->check)->total ? code_bandwidth(k, bandwidth) : ST_OK;
}

/* The other processors of the L3 run the same lines. */
static enum status code_of_others(struct code *k)
{
    uint32_t first = k->buffer.cpu, n, *cpus = domain_all_cpus(k->check, k->domain, &n);
    bool occupancy, bandwidth;
    enum status st = cpus ? ST_OK : check_unmeasured(k->check, ST_NO_MEMORY, first, "the processors of an L3");

    for (uint32_t i = 0; i < n && st == ST_OK; i++) {
        k->buffer.cpu = cpus[i];
        k->turn = i;
        if (cpus[i] != first)
            st = code_both(k, &occupancy, &bandwidth);
    }
    return st;
}

/* CM-18 */
static enum status cmt_code(struct check *c, uint32_t domain)
{
    struct code k = { .check = c, .domain = domain };
    bool occupancy = false, bandwidth = false;

    TRY(code_take(&k));
    TRY(code_both(&k, &occupancy, &bandwidth));
    if (occupancy || bandwidth)
        TRY(code_of_others(&k));
    if (!occupancy)
        check_note(c, "L3 domain %u: of %lu bytes read as data the L3 holds %lu, too few to judge code by", domain,
                   k.buffer.bytes, (uint64_t)k.data.occupancy.bytes);
    return occupancy || bandwidth ? ST_OK
                                  : check_absent(c, "L3 domain %u: lines read as data are not counted either", domain);
}

static const struct check_row rows[] = {
    { .id = "cmt.code",
      .title = "Code counts under the RMID of the processor that runs it",
      .spec = SDM_RMID,
      .covers = "CM-18",
      .detects = "code fetches without an RMID: their lines and their bandwidth count under RMID 0, or nowhere",
      .means = "what a processor fetches as code counts under another RMID than its own",
      .next = "`cmt.fill`, `mbm.total` for data; which RMID has the lines; whether occupancy or MBM total is off",
      .run_domain = cmt_code },
};
CHECK_FAMILY(cmt_code, rows, .needs = NEED_OCCUPANCY, .risk = RISK_WORKLOAD,
             .rests_on = RESTS_ON_OCCUPANCY | RESTS_ON_BANDWIDTH, .by_experience = true, .excludes = true, .slow = true,
             .order = 420);
