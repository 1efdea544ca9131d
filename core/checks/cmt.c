/* Cache occupancy. Witness: the size of a buffer, and whether it was flushed. */
#include "arch/x86/rdt_regs.h"
#include "core/checks/common.h"
#include "core/checks/families.h"
#include "core/heap.h"
#include "core/stats.h"
#include "core/text.h"

#define SDM_CMT "SDM vol. 3B 17.16.1 Overview of Cache Monitoring Technology and Memory Bandwidth Monitoring"
#define RDT_TAG "RDT Architecture Specification 356688 7.1.1.5 L3 occupancy: lines keep the RMID that brought them in"
#define APM_CMT "APM vol. 2 19.3.2 L3 Cache Occupancy Monitoring"

/* One processor, its free RMIDs and a buffer: what most checks of this file start with. */
struct bench {
    uint32_t cpu;
    uint32_t rmids[4];
    uint64_t base, bytes;
};

static bool bench_set_up(struct check *c, uint32_t domain, uint32_t n_rmids, uint64_t bytes, struct bench *b,
                         char why[WHY_SIZE])
{
    if (domain_rmids(c, domain, b->rmids, n_rmids) < n_rmids)
        return text_format(why, WHY_SIZE, "L3 domain %u: fewer than %u free RMIDs", domain, n_rmids), false;
    if (domain_cpus(c, domain, &b->cpu, 1) == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: no processor takes work", domain), false;
    b->bytes = ROUND_DOWN(bytes);
    return take_any(c, b->cpu, b->bytes, &b->base, why);
}

/* Half the L3, and of large ones as much as tells 15 % from the absolute tolerance. */
#define HALF_MOST (12 * MIB)

static uint64_t half_l3(const struct check *c, uint32_t domain)
{
    uint64_t half = c->machine->domains[domain].l3_bytes / 2;

    return ROUND_DOWN(half < HALF_MOST ? half : HALF_MOST);
}

static struct reading occupancy(uint32_t domain, uint32_t rmid)
{
    return reading_of("occupancy", domain, rmid, QM_EVENT_L3_OCCUPANCY);
}

/* --- every RMID at once ------------------------------------------------------------------------------------------- */

struct occupancies {
    struct qm_pair *pairs; /* [n], index is the RMID; to be freed */
    uint32_t n;
    double sum_bytes;
    uint32_t readable, nonzero;
};

static bool read_every_rmid(struct check *c, uint32_t domain, struct occupancies *o)
{
    struct qm_domain *d = domain_qm(c, domain);
    enum status st = d ? ST_OK : ST_LOST;

    *o = (struct occupancies){ .n = c->machine->domains[domain].max_rmid + 1 };
    o->pairs = heap_alloc(o->n * sizeof(o->pairs[0]));
    if (o->pairs == NULL)
        st = ST_NO_MEMORY;
    for (uint32_t i = 0; i < o->n && st == ST_OK; i++)
        o->pairs[i] = (struct qm_pair){ .rmid = i, .event = QM_EVENT_L3_OCCUPANCY };
    if (st == ST_OK)
        st = qm_read_many(c->platform, d, o->pairs, o->n);
    /* An RMID that does not answer is qm.every-rmid's business, and one that is not tracked owns nothing to count. */
    for (uint32_t i = 0; i < o->n && st == ST_OK; i++) {
        if (o->pairs[i].status != ST_OK)
            continue;
        o->readable++;
        o->sum_bytes += (double)qm_bytes(d, o->pairs[i].sample.counts);
        o->nonzero += o->pairs[i].sample.counts != 0;
    }
    if (st == ST_OK && o->readable == 0)
        st = o->pairs[0].status;
    if (st == ST_OK)
        return true;
    cannot_measure(c, st, c->tools->qm[domain].cpu, "IA32_QM_CTR");
    heap_free(o->pairs);
    o->pairs = NULL;
    return false;
}

/* Nobody but RMID `but` and those in the background owns more than the tolerance. */
static void judge_others(struct check *c, uint32_t domain, const struct occupancies *o, uint32_t but,
                         const char *defect)
{
    struct reading band = occupancy(domain, 0);
    const struct qm_domain *d = &c->tools->qm[domain];
    double most = 0;
    uint32_t most_rmid = 0, compared = 0;
    char where[48];

    expect_no_occupancy(c, &band);
    for (uint32_t i = 0; i < o->n; i++) {
        double bytes = (double)qm_bytes(d, o->pairs[i].sample.counts);

        if (i == but || o->pairs[i].status != ST_OK || rmid_in_background(c, i))
            continue;
        compared++;
        if (bytes > most || compared == 1) {
            most = bytes;
            most_rmid = i;
        }
        if (bytes > band.hi) {
            evidence_wrmsr(c, d->cpu, IA32_QM_EVTSEL, qm_evtsel(i, QM_EVENT_L3_OCCUPANCY), ST_OK, 0);
            evidence_msr(c, d->cpu, IA32_QM_CTR, o->pairs[i].sample.raw, o->pairs[i].sample.tsc);
            fail(c, "L3 domain %u, RMID %u: occupancy %llu bytes: %s", domain, i, (unsigned long long)bytes, defect);
        }
    }
    text_format(where, sizeof where, "L3 domain %u, RMID %u", domain, most_rmid);
    measure(c, "largest occupancy of an RMID without a task", where, most, "bytes", -NO_BOUND, band.hi);
    evidence_swept(c, "occupancy of RMIDs that no processor is tagged with", compared);
}

/* CM-01, RS-07 */
static bool unused(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct occupancies o;
    uint32_t bad_cpu = c->tools->qm[domain].cpu;
    enum status st = domain_clean(c, domain, &bad_cpu);

    (void)why;
    if (st != ST_OK)
        return cannot_measure(c, st, bad_cpu, "WBINVD"), true;
    if (!read_every_rmid(c, domain, &o))
        return true;
    judge_others(c, domain, &o, 0, "nobody is tagged with it, and the caches were just written back and invalidated");
    heap_free(o.pairs);
    return true;
}

static enum verdict check_unused(struct check *c)
{
    return each_domain(c, unused);
}

/* --- CM-02, CM-04: a known buffer comes and goes ------------------------------------------------------------------ */

static bool fill(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct bench b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    e.flags = experiment_effort(domain);
    if (!bench_set_up(c, domain, 1, half_l3(c, domain), &b, why))
        return false;
    load.cpu = b.cpu;
    part = part_fill(c, domain, b.rmids[0], b.base, b.bytes);
    r = occupancy(domain, b.rmids[0]);
    expect_occupancy(c, &r, (double)b.bytes, 1);
    if (experiment_run(&e))
        experiment_judge(&e, "a buffer of this size was filled under this RMID");
    return true;
}

static enum verdict check_fill(struct check *c)
{
    return each_domain(c, fill);
}

/* Fill and flush, each with its band: a flush of a buffer that never came in would show nothing. */
static bool flush(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct bench b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r;
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    if (!bench_set_up(c, domain, 1, 2 * small_fill_bytes(c, domain), &b, why))
        return false;
    load.cpu = b.cpu;
    part = part_fill(c, domain, b.rmids[0], b.base, b.bytes);
    r = occupancy(domain, b.rmids[0]);
    r.name = "occupancy before the flush";
    expect_occupancy(c, &r, (double)b.bytes, 1);
    if (!experiment_run(&e))
        return true;
    experiment_judge(&e, "the buffer was filled under this RMID");
    part = part_flush(b.rmids[0], b.base, b.bytes);
    r = occupancy(domain, b.rmids[0]);
    r.name = "occupancy after CLFLUSH of every line";
    expect_no_occupancy(c, &r);
    e.flags = EXPERIMENT_WARM;
    if (experiment_run(&e))
        experiment_judge(&e, "every line of the buffer was flushed");
    return true;
}

static enum verdict check_flush(struct check *c)
{
    return each_domain(c, flush);
}

/* Lines that are pushed out leave the RMID that owned them, and nobody owns more than there is. */
static bool eviction(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct l3_domain *d = &c->machine->domains[domain];
    struct bench b;
    struct traffic_part parts[2];
    struct traffic_load load = { .n_parts = 2, .parts = parts };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };
    struct occupancies o;
    uint64_t victim = 2 * small_fill_bytes(c, domain), aggressor = 2 * ROUND_DOWN(d->l3_bytes);
    char where[32];

    if (!bench_set_up(c, domain, 2, victim + aggressor, &b, why))
        return false;
    load.cpu = b.cpu;
    parts[0] = part_fill(c, domain, b.rmids[0], b.base, victim);
    parts[1] = part_read(b.rmids[1], b.base + victim, aggressor);
    /* Twice the L3 behind it: a line survives random replacement with a chance of e^-2, less than the tolerance. */
    r[0] = occupancy(domain, b.rmids[0]);
    r[0].name = "occupancy after eviction";
    r[0].lo = 0;
    r[0].hi = victim * OCC_SHARE + OCC_BYTES;
    r[1] = occupancy(domain, b.rmids[1]);
    r[1].name = "occupancy of what evicted it";
    r[1].lo = 0;
    r[1].hi = (double)d->l3_bytes + d->upscaling_factor; /* CM-08, and one count of rounding */
    if (!experiment_run(&e))
        return true;
    experiment_judge(&e, "another RMID has read twice the L3 since");
    domain_name(domain, where);
    /* CM-09, a quality figure: capacity that cannot be filled. */
    if (!measure(c, "share of the L3 that a large stream holds", where, 100 * r[1].bytes / (double)d->l3_bytes, "%", 70,
                 100))
        warn(c, "%s: twice the L3 was read, and %llu of %llu bytes are held", where, (unsigned long long)r[1].bytes,
             (unsigned long long)d->l3_bytes);
    if (!read_every_rmid(c, domain, &o))
        return true;
    if (!measure(c, "occupancy of all RMIDs together", where, o.sum_bytes, "bytes", 0, /* CM-07 */
                 (double)d->l3_bytes + (double)o.nonzero * d->upscaling_factor))
        fail(c, "%s: all RMIDs together hold %llu bytes, the L3 has %llu", where, (unsigned long long)o.sum_bytes,
             (unsigned long long)d->l3_bytes);
    heap_free(o.pairs);
    return unused(c, domain, why); /* what eviction left behind does not go by WBINVD either: CM-01 */
}

static enum verdict check_eviction(struct check *c)
{
    return each_domain(c, eviction);
}

/* --- CM-03: occupancy follows the working set --------------------------------------------------------------------- */

#define WORKING_SETS 6u
#define SET_MOST     (3 * MIB) /* one step: six of them are more than a core's own caches hold */
#define SLOPE_LO     0.85      /* CM-03 */
#define SLOPE_HI     1.15

static void judge_line(struct check *c, uint32_t domain, const double *x, const double *y, uint32_t n)
{
    struct line robust, least;
    char where[32];

    domain_name(domain, where);
    if (stats_robust_line(x, y, n, &robust) != ST_OK || stats_line(x, y, n, &least) != ST_OK) {
        cannot_measure(c, ST_RANGE, c->tools->qm[domain].cpu, "the line through the working sets");
        return;
    }
    measure(c, "correlation", where, least.correlation, "r", -NO_BOUND, NO_BOUND);
    measure(c, "offset at working set 0", where, robust.intercept, "bytes", -NO_BOUND, NO_BOUND);
    if (!measure(c, "slope of occupancy over working set", where, robust.slope, "ratio", SLOPE_LO, SLOPE_HI))
        fail(c, "%s: occupancy grows by %u thousandths of the working set's growth", where,
             (unsigned)(robust.slope < 0 ? 0 : robust.slope * 1000));
}

/* Sizes of the working sets: from one step to six, and six are no more than 6/8 of the L3. Where the L3 is not
 * inclusive, all of them are larger than what the core's own L2 holds twice. 0: no room for that. */
static uint64_t set_step(const struct check *c, uint32_t domain, uint64_t *offset)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t most = d->l3_bytes / 8 * WORKING_SETS, step;

    *offset = d->l3_inclusive ? 0 : ROUND_DOWN(2 * l2_bytes_of(c));
    if (2 * *offset > most)
        return 0;
    step = (most - *offset) / WORKING_SETS;
    return ROUND_DOWN(step < SET_MOST ? step : SET_MOST);
}

static bool linearity(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct bench b;
    double x[WORKING_SETS], y[WORKING_SETS], largest = 0;
    uint64_t offset = 0, step = set_step(c, domain, &offset);
    /* Every size on the first L3; on the others each second one. */
    uint32_t n = 0, stride = domain == 0 ? 1 : 2, wanted = WORKING_SETS / stride;
    uint64_t most = ROUND_DOWN(c->machine->domains[domain].l3_bytes / 8 * WORKING_SETS);

    if (step == 0)
        return text_format(why, WHY_SIZE, "L3 domain %u: an L2 of %llu bytes leaves too little of this L3", domain,
                           (unsigned long long)l2_bytes_of(c)),
               false;
    if (!bench_set_up(c, domain, 1, domain == 0 ? most : offset + step * WORKING_SETS, &b, why))
        return false;
    series_begin(c, "occupancy over working set", "bytes", "working set", "bytes");
    for (; n < wanted; n++) {
        bool last = domain == 0 && n + 1 == wanted; /* as much as the rule asks for, however large the L3 */
        uint64_t bytes = last ? most : offset + step * (uint64_t)(stride * n + stride);
        struct traffic_part part = part_fill(c, domain, b.rmids[0], b.base, bytes);
        struct traffic_load load = { .cpu = b.cpu, .n_parts = 1, .parts = &part };
        struct reading r = occupancy(domain, b.rmids[0]);
        struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

        expect_occupancy(c, &r, (double)part.work.bytes, 1);
        if (!experiment_run(&e))
            break;
        x[n] = (double)part.work.bytes;
        y[n] = r.bytes;
        series_add(c, x[n], y[n]);
        if (r.bytes < largest - (largest * OCC_SHARE > OCC_BYTES ? largest * OCC_SHARE : OCC_BYTES))
            fail(c, "L3 domain %u: a working set of %llu bytes occupies %llu bytes, a smaller one %llu", domain,
                 (unsigned long long)part.work.bytes, (unsigned long long)r.bytes, (unsigned long long)largest);
        largest = r.bytes > largest ? r.bytes : largest;
    }
    series_end(c);
    if (n == wanted)
        judge_line(c, domain, x, y, n);
    return true;
}

static enum verdict check_linearity(struct check *c)
{
    return each_domain(c, linearity);
}

/* --- CM-05: writing PQR_ASSOC moves no line ----------------------------------------------------------------------- */

#define RETAG_SECONDS_DIVISOR 10u /* 100 ms */

static bool retag(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct bench b;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 1 };
    double before;

    if (!bench_set_up(c, domain, 2, 2 * small_fill_bytes(c, domain), &b, why))
        return false;
    load.cpu = b.cpu;
    part = part_fill(c, domain, b.rmids[0], b.base, b.bytes);
    r[0] = occupancy(domain, b.rmids[0]);
    expect_occupancy(c, &r[0], (double)b.bytes, 1);
    if (!experiment_run(&e))
        return true;
    experiment_judge(&e, "the buffer was filled under this RMID");
    before = r[0].bytes;
    part = part_idle(b.rmids[1], c->platform->tsc_hz / RETAG_SECONDS_DIVISOR);
    r[0] = occupancy(domain, b.rmids[0]);
    r[0].name = "occupancy after the processor took another RMID";
    expect_occupancy(c, &r[0], before, 0);
    r[1] = occupancy(domain, b.rmids[1]);
    r[1].name = "occupancy of that other RMID";
    expect_no_occupancy(c, &r[1]);
    e.n_readings = 2;
    e.flags = EXPERIMENT_WARM;
    if (experiment_run(&e))
        experiment_judge(&e, "nothing was read since the tag changed");
    return true;
}

static enum verdict check_retag(struct check *c)
{
    return each_domain(c, retag);
}

/* --- CM-06 and seed cases: threads, applications, context switches ------------------------------------------------ */

static bool halves(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct bench b;
    struct traffic_part parts[2];
    struct traffic_load load = { .n_parts = 2, .parts = parts };
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };
    uint64_t half;

    if (!bench_set_up(c, domain, 2, half_l3(c, domain), &b, why))
        return false;
    load.cpu = b.cpu;
    half = ROUND_DOWN(b.bytes / 2);
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = part_fill(c, domain, b.rmids[i], b.base + i * half, half);
        r[i] = occupancy(domain, b.rmids[i]);
        expect_occupancy(c, &r[i], (double)half, 1);
    }
    if (experiment_run(&e))
        experiment_judge(&e, "one half of the buffer was filled under each of two RMIDs");
    return true;
}

static enum verdict check_halves(struct check *c)
{
    return each_domain(c, halves);
}

#define SWITCHES 12u /* slices of two tasks on one processor, two of the first to one of the second */

/* An OS writes IA32_PQR_ASSOC when it switches tasks. Two tasks take turns on one processor, each slice on memory of
 * its own; bandwidth, where it is counted, must follow as well. */
static bool context_switch(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    bool bandwidth = c->machine->cpus[c->machine->reference].rdt.total;
    struct bench b;
    struct traffic_part parts[SWITCHES];
    struct traffic_load load = { .n_parts = SWITCHES, .parts = parts };
    struct reading r[4];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = bandwidth ? 4 : 2 };
    uint64_t slice, of[2] = { 0, 0 };

    if (!bench_set_up(c, domain, 2, half_l3(c, domain), &b, why))
        return false;
    load.cpu = b.cpu;
    slice = ROUND_DOWN(b.bytes / SWITCHES);
    for (uint32_t i = 0; i < SWITCHES; i++) {
        uint32_t task = i % 3 == 2;

        parts[i] = part_read(b.rmids[task], b.base + i * slice, slice);
        of[task] += slice;
    }
    for (uint32_t i = 0; i < 2; i++) {
        r[i] = occupancy(domain, b.rmids[i]);
        expect_occupancy(c, &r[i], (double)of[i], 1);
        r[2 + i] = reading_of("bytes moved", domain, b.rmids[i], QM_EVENT_L3_TOTAL);
        expect_bandwidth(c, &r[2 + i], (double)of[i]);
    }
    if (experiment_run(&e))
        experiment_judge(&e, "two tasks took turns on one processor, IA32_PQR_ASSOC written at each switch");
    return true;
}

static enum verdict check_context_switch(struct check *c)
{
    return each_domain(c, context_switch);
}

#define SHARERS 4u

/* One RMID for all threads of an application. */
static bool shared(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    bool bandwidth = c->machine->cpus[c->machine->reference].rdt.total;
    uint32_t cpus[SHARERS], n = domain_cpus(c, domain, cpus, SHARERS);
    struct bench b;
    struct traffic_part parts[SHARERS];
    struct traffic_load loads[SHARERS];
    struct reading r[2];
    struct experiment e = { .check = c, .loads = loads, .readings = r, .n_readings = bandwidth ? 2 : 1 };
    uint64_t piece;

    if (n < 2)
        return text_format(why, WHY_SIZE, "L3 domain %u has one processor", domain), false;
    e.n_loads = n = n < SHARERS ? n : SHARERS;
    if (!bench_set_up(c, domain, 1, half_l3(c, domain), &b, why))
        return false;
    piece = ROUND_DOWN(b.bytes / n);
    for (uint32_t i = 0; i < n; i++) {
        parts[i] = part_read(b.rmids[0], b.base + i * piece, piece);
        loads[i] = (struct traffic_load){ .cpu = cpus[i], .n_parts = 1, .parts = &parts[i] };
    }
    r[0] = occupancy(domain, b.rmids[0]);
    expect_occupancy(c, &r[0], (double)(piece * n), n);
    r[1] = reading_of("bytes moved", domain, b.rmids[0], QM_EVENT_L3_TOTAL);
    expect_bandwidth(c, &r[1], (double)(piece * n));
    if (experiment_run(&e))
        experiment_judge(&e, "several processors with one RMID read a part each");
    return true;
}

static enum verdict check_shared(struct check *c)
{
    return each_domain(c, shared);
}

/* --- every thread, and pairs of siblings -------------------------------------------------------------------------- */

#define WAVE 8u /* processors at a time: their fills together stay within half the L3 */

/* n processors at once, each with an RMID and a buffer of its own. */
static bool wave(struct check *c, uint32_t domain, const uint32_t *cpus, const uint32_t *rmids, uint32_t n,
                 uint64_t base, uint64_t bytes, const char *defect)
{
    struct traffic_part parts[WAVE];
    struct traffic_load loads[WAVE];
    struct reading r[WAVE];
    char names[WAVE][32];
    struct experiment e = { .check = c, .loads = loads, .n_loads = n, .readings = r, .n_readings = n };

    for (uint32_t i = 0; i < n; i++) {
        parts[i] = part_fill(c, domain, rmids[i], base + i * bytes, bytes);
        loads[i] = (struct traffic_load){ .cpu = cpus[i], .n_parts = 1, .parts = &parts[i] };
        text_format(names[i], sizeof names[i], "occupancy filled by cpu %u", cpus[i]);
        r[i] = occupancy(domain, rmids[i]);
        r[i].name = names[i];
        expect_occupancy(c, &r[i], (double)bytes, 1);
    }
    if (!experiment_run(&e))
        return false;
    experiment_judge(&e, defect);
    return true;
}

static bool every_thread(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint32_t n_cpus = c->machine->domains[domain].n_cpus, rmids[WAVE], at_once, n;
    uint32_t *cpus = heap_alloc((n_cpus + 1) * sizeof(cpus[0]));
    uint64_t bytes = small_fill_bytes(c, domain), base = 0;
    bool done = false;

    if (cpus == NULL)
        return cannot_measure(c, ST_NO_MEMORY, c->tools->qm[domain].cpu, "the list of processors"), true;
    n = domain_cpus(c, domain, cpus, n_cpus);
    n = n < n_cpus ? n : n_cpus;
    at_once = (uint32_t)(half_l3(c, domain) / bytes);
    at_once = at_once < 1 ? 1 : at_once < WAVE ? at_once : WAVE;
    at_once = domain_rmids_any(c, domain, rmids, at_once);
    if (n == 0 || at_once == 0)
        text_format(why, WHY_SIZE, "L3 domain %u: no processor or no free RMID", domain);
    else
        done = take_any(c, cpus[0], at_once * bytes, &base, why);
    for (uint32_t i = 0; done && i < n; i += at_once) {
        uint32_t k = n - i < at_once ? n - i : at_once;

        if (!wave(c, domain, cpus + i, rmids, k, base, bytes, "its processor filled a buffer under it"))
            continue; /* the others go on; the processor is named */
    }
    heap_free(cpus);
    return done;
}

static enum verdict check_every_thread(struct check *c)
{
    return each_domain(c, every_thread);
}

#define SIBLING_CORES 8u /* per domain, spread over it: every core's registers are looked at by pqr.siblings */

static uint32_t sibling_of(const struct check *c, uint32_t cpu)
{
    const struct cpu_place *a = &c->machine->cpus[cpu].place;

    for (uint32_t i = cpu + 1; i < c->machine->n_cpus; i++) {
        const struct cpu_place *b = &c->machine->cpus[i].place;

        if (a->package == b->package && a->die == b->die && a->core == b->core && cpu_takes_work(c->platform, i))
            return i;
    }
    return UINT32_MAX;
}

static uint32_t sibling_pairs(const struct check *c, uint32_t domain, uint32_t first[], uint32_t max)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->machine->n_cpus; i++)
        if (c->machine->cpus[i].domain == domain && cpu_takes_work(c->platform, i) && sibling_of(c, i) != UINT32_MAX) {
            if (n < max)
                first[n] = i;
            n++;
        }
    return n;
}

static bool siblings(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint32_t n_cpus = c->machine->domains[domain].n_cpus, rmids[2], n, stride;
    uint32_t *first = heap_alloc((n_cpus + 1) * sizeof(first[0]));
    uint64_t bytes = small_fill_bytes(c, domain), base = 0;
    bool done;

    if (first == NULL)
        return cannot_measure(c, ST_NO_MEMORY, c->tools->qm[domain].cpu, "the list of processors"), true;
    n = sibling_pairs(c, domain, first, n_cpus);
    n = n < n_cpus ? n : n_cpus;
    stride = n > SIBLING_CORES ? n / SIBLING_CORES : 1;
    done = n > 0 && domain_rmids_any(c, domain, rmids, 2) == 2;
    if (!done)
        text_format(why, WHY_SIZE, "L3 domain %u: no two threads of one core, or fewer than two free RMIDs", domain);
    else
        done = take_any(c, first[0], 2 * bytes, &base, why);
    for (uint32_t i = 0; done && i < n; i += stride) {
        uint32_t pair[2] = { first[i], sibling_of(c, first[i]) };

        if (pair[1] != UINT32_MAX &&
            !wave(c, domain, pair, rmids, 2, base, bytes, "its thread filled a buffer under it, its sibling another"))
            continue;
    }
    heap_free(first);
    return done;
}

static enum verdict check_siblings(struct check *c)
{
    return each_domain(c, siblings);
}

/* --- CM-12, CM-13: RMIDs are told apart ----------------------------------------------------------------------------
 */

static bool fill_and_look(struct check *c, uint32_t domain, const struct bench *b, uint32_t rmid)
{
    struct traffic_part part = part_fill(c, domain, rmid, b->base, b->bytes);
    struct traffic_load load = { .cpu = b->cpu, .n_parts = 1, .parts = &part };
    struct reading r = occupancy(domain, rmid);
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };
    struct occupancies o;

    expect_occupancy(c, &r, (double)b->bytes, 1);
    if (!experiment_run(&e))
        return false;
    experiment_judge(&e, "a buffer was filled under this RMID");
    if (!read_every_rmid(c, domain, &o))
        return false;
    judge_others(c, domain, &o, rmid, "another RMID was filled, this one was not");
    heap_free(o.pairs);
    return true;
}

/* RMID r fills, and all the others are looked at, among them each r XOR 2^k. 3 has no neighbour of one bit's difference
 * that is 0, where firmware's traffic would hide it. */
static bool alias(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint32_t max = c->machine->domains[domain].max_rmid;
    struct bench b;
    uint32_t tried[3] = { 3, max, 1 }, n = 0;

    if (!bench_set_up(c, domain, 1, small_fill_bytes(c, domain), &b, why))
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

static enum verdict check_alias(struct check *c)
{
    return each_domain(c, alias);
}

const struct check_row cmt_checks[] = {
    { .id = "cmt.unused",
      .title = "An RMID that nobody uses occupies nothing",
      .spec = SDM_CMT,
      .rows = "CM-01 RS-07",
      .catches = "ghost occupancy, tags left behind",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_unused },
    { .id = "cmt.fill",
      .title = "Occupancy is the size of the buffer that was read",
      .spec = SDM_CMT,
      .rows = "CM-02",
      .catches = "a wrong upscaling factor, the wrong event",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_fill },
    { .id = "cmt.linearity",
      .title = "Occupancy follows the working set",
      .spec = SDM_CMT,
      .rows = "CM-03",
      .catches = "occupancy doubled or halved, or one that saturates",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_linearity },
    { .id = "cmt.flush",
      .title = "A flushed buffer occupies nothing",
      .spec = APM_CMT "; SDM vol. 3B 17.16.1",
      .rows = "CM-04",
      .catches = "occupancy that never falls",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_flush },
    { .id = "cmt.eviction",
      .title = "Evicted lines leave their RMID, and all RMIDs together fit the L3",
      .spec = RDT_TAG,
      .rows = "CM-01 CM-07 CM-08 CM-09",
      .catches = "occupancy not released on eviction; lines counted twice; lost capacity",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_eviction },
    { .id = "cmt.retag",
      .title = "A new tag moves no line that is already there",
      .spec = RDT_TAG,
      .rows = "CM-05",
      .catches = "lines that follow a write of IA32_PQR_ASSOC",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_retag },
    { .id = "cmt.halves",
      .title = "A tag acts on the next line that is read",
      .spec = RDT_TAG,
      .rows = "CM-06",
      .catches = "a tag that acts late; lines under the wrong RMID",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_halves },
    { .id = "cmt.context-switch",
      .title = "Two tasks that take turns on one processor are told apart",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association (one active RMID, changed by a write)",
      .rows = "CM-06 MB-13",
      .catches = "traffic charged to the task that ran before",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_context_switch },
    { .id = "cmt.shared",
      .title = "One RMID over several threads adds up",
      .spec = "SDM vol. 3B 17.16.1 (several logical processors may have one RMID)",
      .rows = "CM-02 MB-02",
      .catches = "a thread missing from the sum",
      .needs = NEED_OCCUPANCY | NEED_2_CPUS,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_shared },
    { .id = "cmt.every-thread",
      .title = "Every logical processor fills under its own RMID",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "CM-02 CM-16 AS-08",
      .catches = "an RMID ignored on one thread",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_every_thread },
    { .id = "cmt.siblings",
      .title = "Threads of one core fill under their own RMIDs at the same time",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "CM-16 AS-07",
      .catches = "one tag used for both threads of a core",
      .needs = NEED_OCCUPANCY | NEED_SMT,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_siblings },
    { .id = "cmt.alias",
      .title = "What one RMID fills shows under no other",
      .spec = "SDM vol. 3B 17.16.1 (RMIDs are independent)",
      .rows = "CM-12 CM-13",
      .catches = "tags stored with fewer bits than CPUID says; a broken high RMID",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_alias },
};
