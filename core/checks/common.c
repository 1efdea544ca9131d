#include "core/checks/common.h"

#include <string.h>

#include "arch/x86/msr_regs.h"
#include "arch/x86/pqr.h"
#include "arch/x86/rdt_regs.h"
#include "core/bits.h"
#include "core/heap.h"
#include "core/ledger.h"
#include "core/rollover.h"
#include "core/script.h"
#include "core/stats.h"
#include "core/text.h"

#define UNAVAILABLE_TRIES 5u /* QM-15 */
#define CLEAN_BUDGET_MS   UINT64_C(30000)
/* The lowest threshold above which BDF102 and SKX99 make bandwidth counts wrong is 7 (Linux resctrl monitor.c). */
#define ERRATUM_SAFE_RMID 7u
#define MODEL_BDX         0x4Fu
#define MODEL_BDX_DE      0x56u
#define MODEL_SKX         0x55u

/* --- who and where ------------------------------------------------------------------------------------------------ */

/* 0: thread of its own core, 1: sibling of one, 2: the boot processor. */
static uint32_t turn_of(const struct check *c, uint32_t cpu)
{
    const struct cpu_place *place = &c->machine->cpus[cpu].place;
    const struct cpu_place *boot = &c->machine->cpus[c->platform->bsp].place;
    bool with_boot = place->package == boot->package && place->die == boot->die && place->core == boot->core;

    if (cpu == c->platform->bsp)
        return 3;
    if (with_boot)
        return 2;
    return place->thread == 0 ? 0 : 1;
}

uint32_t domain_cpus(const struct check *c, uint32_t domain, uint32_t *cpus, uint32_t max)
{
    uint32_t n = 0;

    for (uint32_t turn = 0; turn <= 3; turn++)
        for (uint32_t i = 0; i < c->machine->n_cpus; i++)
            if (c->machine->cpus[i].domain == domain && cpu_takes_work(c->platform, i) && turn_of(c, i) == turn) {
                if (n < max)
                    cpus[n] = i;
                n++;
            }
    return n;
}

uint32_t other_core(const struct check *c, uint32_t domain, uint32_t cpu)
{
    const struct cpu_place *a = &c->machine->cpus[cpu].place;

    for (uint32_t i = 0; i < c->machine->n_cpus; i++) {
        const struct cpu_place *b = &c->machine->cpus[i].place;

        if (c->machine->cpus[i].domain == domain && cpu_takes_work(c->platform, i) &&
            (a->package != b->package || a->die != b->die || a->core != b->core))
            return i;
    }
    return cpu;
}

struct qm_domain *domain_qm(struct check *c, uint32_t domain)
{
    struct qm_domain *d = &c->tools->qm[domain];

    if (!cpu_takes_work(c->platform, d->cpu)) {
        uint32_t cpu = 0;

        if (domain_cpus(c, domain, &cpu, 1) == 0)
            return NULL;
        d->cpu = cpu;
    }
    return d;
}

bool is_intel(const struct check *c)
{
    return c->machine->cpus[c->machine->reference].id.vendor == VENDOR_INTEL;
}

bool has_rdt(const struct check *c)
{
    const struct rdt_info *rdt = &c->machine->cpus[c->machine->reference].rdt;

    return (rdt->monitoring && rdt->l3_monitoring) || (rdt->allocation && (rdt->l3.present || rdt->l2.present));
}

bool rmid_in_background(const struct check *c, uint32_t rmid)
{
    uint64_t found;

    if (rmid == 0)
        return true;
    if (c->platform->ledger == NULL)
        return false;
    for (uint32_t i = 0; i < c->machine->n_cpus; i++)
        if (ledger_found_msr(c->platform->ledger, i, IA32_PQR_ASSOC, &found) == ST_OK && pqr_decode(found).rmid == rmid)
            return true;
    return false;
}

static uint32_t pick_rmids(const struct check *c, uint32_t max_rmid, uint32_t *rmids, uint32_t want)
{
    uint32_t n = 0;

    for (uint32_t rmid = 1; rmid <= max_rmid && n < want; rmid++)
        if (!rmid_in_background(c, rmid))
            rmids[n++] = rmid;
    return n;
}

uint32_t domain_rmids_any(const struct check *c, uint32_t domain, uint32_t *rmids, uint32_t want)
{
    return pick_rmids(c, c->machine->domains[domain].max_rmid, rmids, want);
}

uint32_t domain_rmids(const struct check *c, uint32_t domain, uint32_t *rmids, uint32_t want)
{
    const struct cpu_identity *id = &c->machine->cpus[c->machine->reference].id;
    uint32_t max_rmid = c->machine->domains[domain].max_rmid;
    bool erratum = id->vendor == VENDOR_INTEL && id->family == 6 &&
                   (id->model == MODEL_BDX || id->model == MODEL_BDX_DE || id->model == MODEL_SKX);

    if (erratum && max_rmid > ERRATUM_SAFE_RMID)
        max_rmid = ERRATUM_SAFE_RMID;
    return pick_rmids(c, max_rmid, rmids, want);
}

/* --- a check for each L3 domain ----------------------------------------------------------------------------------- */

/* Sub-NUMA clusters: processors of more than one node share this L3. RMIDs are then split over the clusters by default
 * (RDT Architecture Specification B.1.2), and no document says which range is whose. */
static bool is_clustered(const struct check *c, uint32_t domain)
{
    uint32_t node = NO_NODE;

    for (uint32_t i = 0; i < c->machine->n_cpus; i++) {
        const struct cpu *cpu = &c->machine->cpus[i];

        if (cpu->domain != domain || cpu->node == NO_NODE)
            continue;
        if (node != NO_NODE && node != cpu->node)
            return true;
        node = cpu->node;
    }
    return false;
}

/* A capacity mask that firmware left restricted: the class that processors were found in cannot fill the L3, and
 * occupancy says so rightly. mask gets its value. Data masks stand at 2n while CDP is on (SDM vol. 3B 17.17). */
static bool is_masked(struct check *c, uint32_t domain, uint32_t *clos, uint64_t *mask)
{
    const struct rdt_info *rdt = &c->machine->cpus[c->machine->reference].rdt;
    uint32_t cpu = c->tools->qm[domain].cpu;
    uint64_t pqr = 0, cfg = 0;

    if (!rdt->l3.known || msr_read(c->platform, cpu, IA32_PQR_ASSOC, &pqr) != ST_OK)
        return false;
    if (rdt->l3.cdp && msr_read(c->platform, cpu, IA32_L3_QOS_CFG, &cfg) != ST_OK)
        cfg = 0;
    *clos = pqr_decode(pqr).clos;
    if (msr_read(c->platform, cpu, IA32_L3_MASK(*clos << (cfg & IA32_L3_QOS_CFG_CDP_ENABLE)), mask) != ST_OK)
        return false; /* then there is nothing to tell from */
    return (*mask & low_bits(rdt->l3.cbm_len)) != low_bits(rdt->l3.cbm_len);
}

static bool refused(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t mask = 0;
    uint32_t clos = 0;

    why[0] = '\0';
    if (domain_qm(c, domain) == NULL)
        text_format(why, WHY_SIZE, "L3 domain %u: no processor takes work", domain);
    else if (d->l3_bytes == 0 || d->upscaling_factor == 0)
        text_format(why, WHY_SIZE, "L3 domain %u: L3 of %llu bytes, upscaling factor %u: no expectation can be formed",
                    domain, (unsigned long long)d->l3_bytes, d->upscaling_factor);
    else if (is_clustered(c, domain))
        text_format(why, WHY_SIZE,
                    "L3 domain %u: sub-NUMA clusters share it, and which RMIDs belong to which is not documented",
                    domain);
    else if ((c->row->needs & NEED_OCCUPANCY) && is_masked(c, domain, &clos, &mask))
        text_format(why, WHY_SIZE,
                    "L3 domain %u: firmware left the mask of class %u at 0x%llx: part of the L3 is closed", domain,
                    clos, (unsigned long long)mask);
    return why[0] != '\0';
}

enum verdict each_domain(struct check *c, domain_check one)
{
    char why[WHY_SIZE], first_why[WHY_SIZE] = "no L3 domain";
    uint32_t measured = 0, not_measured = 0;

    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        tools_reset(c->tools);
        why[0] = '\0';
        if (!refused(c, i, why) && one(c, i, why)) {
            measured++;
            continue;
        }
        if (not_measured++ == 0)
            memcpy(first_why, why, WHY_SIZE);
        note(c, "not judged: %s", why);
    }
    if (measured == 0)
        return skip(c, "%s", first_why);
    return c->verdict;
}

static uint32_t node_of(const struct check *c, uint32_t cpu)
{
    uint32_t node = c->machine->cpus[cpu].node;

    return node == NO_NODE && c->machine->n_nodes == 1 ? 0 : node;
}

static bool too_little(uint32_t node, uint64_t bytes, const struct arena *a, char why[WHY_SIZE])
{
    if (a == NULL)
        text_format(why, WHY_SIZE, "the processor's memory node is not known");
    else
        text_format(why, WHY_SIZE, "not enough memory on node %u: %llu bytes wanted, %llu taken of %llu free", node,
                    (unsigned long long)bytes, (unsigned long long)a->bytes, (unsigned long long)a->free_bytes);
    return false;
}

bool take_local(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address, char why[WHY_SIZE])
{
    uint32_t node = node_of(c, cpu);
    struct arena *a = node < c->tools->n_arenas ? &c->tools->arenas[node] : NULL;

    if (a && arena_take(a, bytes, address) == ST_OK)
        return true;
    return too_little(node, bytes, a, why);
}

bool take_any(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address, char why[WHY_SIZE])
{
    if (take_local(c, cpu, bytes, address, why))
        return true;
    for (uint32_t i = 0; i < c->tools->n_arenas; i++)
        if (arena_take(&c->tools->arenas[i], bytes, address) == ST_OK) {
            note(c, "cpu %u uses memory of node %u: %s", cpu, i, why);
            return true;
        }
    return false;
}

uint64_t left_any(struct check *c, uint32_t cpu)
{
    uint32_t node = node_of(c, cpu);
    uint64_t best = node < c->tools->n_arenas ? arena_left(&c->tools->arenas[node]) : 0;

    for (uint32_t i = 0; best == 0 && i < c->tools->n_arenas; i++)
        best = arena_left(&c->tools->arenas[i]);
    return best;
}

void domain_name(uint32_t domain, char out[32])
{
    text_format(out, 32, "L3 domain %u", domain);
}

/* --- traffic ------------------------------------------------------------------------------------------------------ */

struct traffic_part part_read(uint32_t rmid, uint64_t base, uint64_t bytes)
{
    return (struct traffic_part){
        .rmid = rmid,
        .clos = TRAFFIC_KEEP,
        .work = { .kind = WORK_READ, .passes = 1, .base = base, .bytes = bytes },
    };
}

struct traffic_part part_fill(const struct check *c, uint32_t domain, uint32_t rmid, uint64_t base, uint64_t bytes)
{
    struct traffic_part part = part_read(rmid, base, bytes);

    part.work.passes = c->machine->domains[domain].l3_inclusive ? 1 : 2;
    return part;
}

struct traffic_part part_flush(uint32_t rmid, uint64_t base, uint64_t bytes)
{
    struct traffic_part part = part_read(rmid, base, bytes);

    part.work.kind = WORK_FLUSH;
    return part;
}

struct traffic_part part_idle(uint32_t rmid, uint64_t ticks)
{
    return (struct traffic_part){ .rmid = rmid, .clos = TRAFFIC_KEEP, .pause_ticks = ticks };
}

uint64_t stream_bytes(const struct check *c, uint32_t domain)
{
    /* 256 counts: one count more or less at either end is 0.4 %, a twentieth of the band. 8 MiB: what page walks and
     * the loop's own code move is two thousandths of it. Cold memory makes every line a miss, so the stream need not be
     * several times the L3. */
    uint64_t bytes = 256 * (uint64_t)c->machine->domains[domain].upscaling_factor;

    return bytes > 8 * MIB ? bytes : 8 * MIB;
}

uint64_t l2_bytes_of(const struct check *c)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < c->machine->n_caches; i++)
        if (c->machine->caches[i].level == 2 && c->machine->caches[i].kind != 'i')
            bytes = c->machine->caches[i].bytes;
    return bytes;
}

uint64_t small_fill_bytes(const struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    /* Twice the absolute tolerance of T_occ, and what a core's own L2 may keep for itself. */
    uint64_t bytes = 4 * MIB + (d->l3_inclusive ? 0 : 2 * l2_bytes_of(c));

    uint64_t most = d->l3_inclusive ? d->l3_bytes / 4 : d->l3_bytes / 8 * 3;

    return ROUND_DOWN(bytes < most ? bytes : most);
}

enum status domain_clean(struct check *c, uint32_t domain, uint32_t *bad_cpu)
{
    uint32_t n = c->machine->domains[domain].n_cpus;
    uint32_t *cpus = heap_alloc((n + 1) * sizeof(cpus[0]));
    struct task *tasks = heap_alloc((n + 1) * sizeof(tasks[0]));
    struct step *steps = heap_alloc((n + 1) * sizeof(steps[0]));
    enum status st = ST_NO_MEMORY;

    if (cpus && tasks && steps) {
        uint32_t got = domain_cpus(c, domain, cpus, n);

        if (got > n)
            got = n;
        if (c->machine->domains[domain].l3_inclusive && got > 1)
            got = 1; /* what leaves an inclusive L3 leaves every cache above it */
        for (uint32_t i = 0; i < got; i++) {
            steps[i] = step_wbinvd();
            tasks[i] = (struct task){ .cpu = cpus[i], .n_steps = 1, .steps = &steps[i] };
        }
        st = got ? platform_run(c->platform, tasks, got, CLEAN_BUDGET_MS) : ST_LOST;
        for (uint32_t i = 0; i < got; i++) {
            if (tasks[i].status != ST_OK)
                *bad_cpu = cpus[i];
            st = status_first(st, steps[i].status);
        }
    }
    heap_free(cpus);
    heap_free(tasks);
    heap_free(steps);
    return st;
}

/* --- bands -------------------------------------------------------------------------------------------------------- */

struct reading reading_of(const char *name, uint32_t domain, uint32_t rmid, enum qm_event event)
{
    return (struct reading){ .name = name, .domain = domain, .rmid = rmid, .event = event, .hi = NO_BOUND };
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* T_occ's 2 000 000 bytes say little about an L3 of a few megabytes. There an eighth of the L3 is asked for, as a
 * quality figure. */
static double tight_bytes(const struct l3_domain *d)
{
    double eighth = larger((double)d->l3_bytes / 8, 2.0 * d->upscaling_factor);

    return eighth < OCC_BYTES ? eighth : 0;
}

void expect_occupancy(const struct check *c, struct reading *r, double expected, uint32_t cores)
{
    const struct l3_domain *d = &c->machine->domains[r->domain];
    double off = larger(OCC_SHARE * expected, OCC_BYTES);
    double in_l2 = d->l3_inclusive ? 0 : (double)l2_bytes_of(c) * cores;
    double tight = tight_bytes(d);

    r->lo = larger(expected - off - in_l2, 0);
    r->hi = expected + off;
    if (tight > 0) {
        tight = larger(OCC_SHARE * expected, tight);
        r->tight_lo = larger(expected - tight - in_l2, 0);
        r->tight_hi = expected + tight;
    }
}

void expect_no_occupancy(const struct check *c, struct reading *r)
{
    r->lo = 0;
    r->hi = OCC_BYTES;
    r->tight_lo = 0;
    r->tight_hi = tight_bytes(&c->machine->domains[r->domain]);
}

void expect_bandwidth(const struct check *c, struct reading *r, double expected)
{
    double count = c->machine->domains[r->domain].upscaling_factor; /* one more or less at the ends of a sample */

    r->lo = larger((1 - BW_SHARE) * expected - count, 0);
    r->hi = (1 + BW_SHARE) * expected + count;
}

void expect_idle(struct reading *r, double elsewhere)
{
    r->lo = 0;
    r->hi = elsewhere / 2 < IDLE_BYTES ? elsewhere / 2 : IDLE_BYTES;
}

static bool inside(const struct reading *r, double bytes)
{
    return bytes >= r->lo && bytes <= r->hi;
}

/* --- the experiment ----------------------------------------------------------------------------------------------- */

static enum status read_one(struct experiment *e, uint32_t i, bool before)
{
    struct reading *r = &e->readings[i];
    struct qm_domain *d = domain_qm(e->check, r->domain);
    enum status st;

    e->bad_what = "IA32_QM_CTR";
    if (d == NULL)
        return ST_LOST;
    e->bad_cpu = d->cpu;
    e->bad_reading = i;
    st = qm_read_wait(e->check->platform, d, r->rmid, r->event, UNAVAILABLE_TRIES, &r->after, NULL);
    if (before)
        r->before = r->after;
    return st;
}

static enum status read_all(struct experiment *e, bool before)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < e->n_readings && st == ST_OK; i++) {
        if (!before || e->readings[i].event != QM_EVENT_L3_OCCUPANCY)
            st = read_one(e, i, before);
    }
    return st;
}

static enum status clean_all(struct experiment *e)
{
    enum status st = ST_OK;

    e->bad_what = "WBINVD";
    for (uint32_t i = 0; i < e->n_readings && st == ST_OK; i++) {
        bool done = false;

        for (uint32_t k = 0; k < i; k++)
            done |= e->readings[k].domain == e->readings[i].domain;
        if (!done)
            st = domain_clean(e->check, e->readings[i].domain, &e->bad_cpu);
    }
    return st;
}

/* One run, taken again while SMIs fall into it. */
static enum status run_once(struct experiment *e)
{
    uint32_t cpus[SAMPLE_CPUS], n = 0;
    struct sample s;

    for (uint32_t i = 0; i < e->n_loads && n < SAMPLE_CPUS / 2; i++)
        cpus[n++] = e->loads[i].cpu;
    for (uint32_t i = 0; i < e->n_readings && n < SAMPLE_CPUS; i++) {
        const struct qm_domain *d = domain_qm(e->check, e->readings[i].domain);

        if (d)
            cpus[n++] = d->cpu;
    }
    e->bad_what = "MSR_SMI_COUNT";
    sample_begin(&s, e->check, cpus, n);
    if (e->tries)
        s.budget = e->tries;
    while (sample_open(&s)) {
        enum status st = e->flags & EXPERIMENT_WARM ? ST_OK : clean_all(e);

        if (st == ST_OK)
            st = read_all(e, true);
        if (st == ST_OK && e->n_loads) {
            e->bad_what = "the workload";
            st = traffic_run(e->check->platform, e->loads, e->n_loads, is_intel(e->check) ? TRAFFIC_PREFETCH_OFF : 0,
                             &e->outcome, &e->bad_cpu);
        }
        if (st == ST_OK)
            st = read_all(e, false);
        sample_close(&s, st);
    }
    e->disturbed += s.disturbed;
    return sample_end(&s);
}

/* Half the range of a counter is more than any load here moves: a delta beyond it is a step back. */
static uint64_t delta_of(struct reading *r, const struct qm_domain *d)
{
    uint64_t delta = qm_delta(r->before.counts, r->after.counts, d->counter_width);

    if (delta > counter_range(d->counter_width) / 2) {
        r->stepped_back++;
        r->fell_from = r->before.counts;
        r->fell_to = r->after.counts;
    }
    return delta;
}

static bool all_inside(struct experiment *e, uint32_t run)
{
    bool in = true;

    for (uint32_t i = 0; i < e->n_readings; i++) {
        struct reading *r = &e->readings[i];
        const struct qm_domain *d = &e->check->tools->qm[r->domain];
        uint64_t counts = r->event == QM_EVENT_L3_OCCUPANCY ? r->after.counts : delta_of(r, d);

        r->runs[run] = r->bytes = (double)counts * d->upscaling_factor;
        in &= inside(r, r->bytes);
    }
    return in;
}

static void take_medians(struct experiment *e)
{
    for (uint32_t i = 0; i < e->n_readings; i++) {
        double kept[EXPERIMENT_RUNS];

        for (uint32_t k = 1; k < e->n_runs; k++)
            kept[k - 1] = e->readings[i].runs[k];
        stats_sort(kept, e->n_runs - 1);
        e->readings[i].bytes = stats_sorted_median(kept, e->n_runs - 1);
    }
}

static void record(struct experiment *e)
{
    for (uint32_t i = 0; i < e->n_readings; i++) {
        const struct reading *r = &e->readings[i];
        const struct qm_domain *d = &e->check->tools->qm[r->domain];

        evidence_wrmsr(e->check, d->cpu, IA32_QM_EVTSEL, qm_evtsel(r->rmid, r->event), ST_OK, 0);
        if (r->event != QM_EVENT_L3_OCCUPANCY)
            evidence_msr(e->check, d->cpu, IA32_QM_CTR, r->before.raw, r->before.tsc);
        evidence_msr(e->check, d->cpu, IA32_QM_CTR, r->after.raw, r->after.tsc);
    }
}

enum status experiment_try(struct experiment *e)
{
    e->n_runs = 0;
    e->disturbed = 0;
    e->bad_cpu = e->n_loads ? e->loads[0].cpu : e->check->platform->bsp;
    e->outcome = (struct traffic_outcome){ 0 };
    for (uint32_t i = 0; i < e->n_readings; i++)
        e->readings[i].stepped_back = 0;
    while (e->n_runs < EXPERIMENT_RUNS) {
        enum status st = run_once(e);

        if (st != ST_OK)
            return st;
        if ((all_inside(e, e->n_runs++) && !(e->flags & EXPERIMENT_REPEAT)) || (e->flags & EXPERIMENT_ONCE))
            break;
    }
    if (e->n_runs > 1)
        take_medians(e);
    record(e);
    return ST_OK;
}

/* An RMID that is enumerated and at work, with an event that is advertised, and still no data: that is no trouble of
 * ours. (AMD tracks a limited number of RMIDs at a time, and may say Unavailable of any.) */
void experiment_failed(struct experiment *e, enum status st)
{
    const struct reading *r = &e->readings[e->bad_reading];

    if (st == ST_QM_ERROR || (st == ST_UNAVAILABLE && is_intel(e->check))) {
        evidence_wrmsr(e->check, e->bad_cpu, IA32_QM_EVTSEL, qm_evtsel(r->rmid, r->event), ST_OK, 0);
        evidence_msr(e->check, e->bad_cpu, IA32_QM_CTR, r->after.raw, r->after.tsc);
        fail(e->check, "L3 domain %u, RMID %u, event %u: IA32_QM_CTR stays %s", r->domain, r->rmid, r->event,
             st == ST_QM_ERROR ? "at Error" : "Unavailable");
    } else {
        cannot_measure(e->check, st, e->bad_cpu, e->bad_what);
    }
}

bool experiment_run(struct experiment *e)
{
    enum status st = experiment_try(e);

    if (st != ST_OK)
        experiment_failed(e, st);
    return st == ST_OK;
}

/* For messages: a bound may be open. */
static unsigned long long whole(double bytes)
{
    return bytes < 9e18 ? (unsigned long long)bytes : UINT64_MAX;
}

/* The row MB-07 in every measurement: a counter that falls was reset, or is narrower than CPUID says. */
static void judge_step_back(struct check *c, const struct reading *r, const char *where)
{
    if (r->stepped_back)
        fail(
            c,
            "%s: %s: the counter went from 0x%llx to 0x%llx during a load: it was reset, or has fewer bits than the %u "
            "that CPUID says",
            where, r->name, (unsigned long long)r->fell_from, (unsigned long long)r->fell_to,
            c->machine->domains[r->domain].counter_width);
}

void experiment_judge(struct experiment *e, const char *defect)
{
    for (uint32_t i = 0; i < e->n_readings; i++) {
        const struct reading *r = &e->readings[i];
        char where[48];

        text_format(where, sizeof where, "L3 domain %u, RMID %u", r->domain, r->rmid);
        judge_step_back(e->check, r, where);
        if (!measure(e->check, r->name, where, r->bytes, "bytes", r->lo, r->hi))
            fail(e->check, "%s: %s %llu bytes, band %llu to %llu (%s of %u): %s", where, r->name, whole(r->bytes),
                 whole(r->lo), whole(r->hi), e->n_runs > 1 ? "median" : "run", e->n_runs, defect);
        else if (r->tight_hi > 0 && (r->bytes < r->tight_lo || r->bytes > r->tight_hi))
            warn(e->check, "%s: %s %llu bytes is within the tolerance of 2000000 bytes, which is much for this L3: %s",
                 where, r->name, whole(r->bytes), defect);
    }
}
