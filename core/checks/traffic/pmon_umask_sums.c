/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What an event's sub-events count against the event, what each counter of a box counts of one event, and what MBM says of
 * writes. Witness: the event itself on another counter of the box, over the same window; for writes the memory channels. */
#include "core/checks/families.h"
#include "core/load/attempts.h"
#include "core/check/errata.h"
#include "core/cluster/cluster_view.h"
#include "core/domain/domains.h"
#include "core/experiment/monitor.h"
#include "core/uncore/traffic_window.h"
#include "core/base/bits.h"
#include "core/base/rollover.h"
#include "core/platform/script.h"
#include "core/base/text.h"

#define GUIDE_IMC                                                                                                      \
    "E5-2600 Uncore Guide 327043-001 2.5 event CAS_COUNT and its sub-events; published event files of later parts"
#define RDT_MBM "SDM vol. 3B 17.16.5.2 Memory Bandwidth Monitoring (whether write-backs count is not said)"

#define STREAM_BYTES (4 * MIB)
#define LINE         64.0
#define MANY         256u
#define TOR_SHARE    0.01 /* an entry may be under way when the counters are let run or stopped */

/* --- V1, V2: sub-events ------------------------------------------------------------------------------------------- */

enum { WHOLE, FIRST, SECOND, PARTS };

/* CAS by umask: regular and underfill, or write major mode and read major mode; SPR and later have the pseudo channels
 * in 7:6 of every umask. Any two sets of bits that make the whole. */
static const struct cut {
    uint32_t whole, first, second;
} cuts[] = {
    { 0x03, 0x01, 0x02 }, { 0x0C, 0x04, 0x08 }, { 0x0F, 0x05, 0x0A },
    { 0x30, 0x10, 0x20 }, { 0xCF, 0xC5, 0xCA }, { 0xF0, 0xD0, 0xE0 },
};
/* Events of which two are known to share out what the third counts, though their umasks have bits in common. */
static const char *const trios[][PARTS] = { { "tor_all", "tor_hit", "tor_miss" },
                                            { "cas_all", "cas_rd", "cas_wr" },
                                            { "cas_all", "cas_pch0", "cas_pch1" } };
#define N_CUTS  (uint32_t)(sizeof cuts / sizeof cuts[0])
#define N_TRIOS (uint32_t)(sizeof trios / sizeof trios[0])

/* An event and two sub-events that make it: what each counts is looked up in the unit's table, but for the umasks. */
struct sum {
    const struct pmon_named *events[PARTS];
    uint32_t umasks[PARTS];
};

static bool is_cut(const struct pmon_unit *u, const struct pmon_named *event, const struct cut *cut)
{
    return u->kind == PMON_IMC && event->bytes > 0 && event->umask == cut->whole;
}

/* Two events that differ in their umask alone, and whose umasks have no bit in common: together they are the event with
 * the bits of both. CAS of memory channels, which move bytes, are among the cuts and trios. */
static bool are_parts(const struct pmon_unit *u, const struct pmon_named *a, const struct pmon_named *b)
{
    bool qualified = u->events.qualified_ev_sel && a->ev_sel == u->events.qualified_ev_sel;

    bool cas = pmon_event_named(u, "cas_all") && (a->bytes > 0 || b->bytes > 0);

    return !cas && !u->layout->control->umask_is_number && !qualified && a->ev_sel == b->ev_sel &&
           a->extra == b->extra && a->filter0 == b->filter0 && a->filter1 == b->filter1 && a->umask && b->umask &&
           !(a->umask & b->umask);
}

static bool sum_of_trio(const struct pmon_unit *u, uint32_t trio, struct sum *s)
{
    bool all = true;

    for (uint32_t k = 0; k < PARTS; k++) {
        s->events[k] = pmon_event_named(u, trios[trio][k]);
        s->umasks[k] = s->events[k] ? s->events[k]->umask : 0;
        all &= s->events[k] != NULL;
    }
    return all;
}

/* The n-th of a unit's sums: first trios, then cuts, then pairs. false: it has no more. */
static bool nth_sum(const struct pmon_unit *u, uint32_t n, struct sum *s)
{
    for (uint32_t i = 0; i < N_TRIOS; i++)
        if (sum_of_trio(u, i, s) && n-- == 0)
            return true;
    for (uint32_t i = 0; i < u->events.n_named; i++) {
        const struct pmon_named *a = &u->events.named[i];

        for (uint32_t k = 0; k < N_CUTS; k++)
            if (is_cut(u, a, &cuts[k]) && n-- == 0) {
                *s = (struct sum){ { a, a, a }, { cuts[k].whole, cuts[k].first, cuts[k].second } };
                return true;
            }
        for (uint32_t k = i + 1; k < u->events.n_named; k++)
            if (are_parts(u, a, &u->events.named[k]) && n-- == 0) {
                *s = (struct sum){ { a, a, &u->events.named[k] },
                                   { a->umask | u->events.named[k].umask, a->umask, u->events.named[k].umask } };
                return true;
            }
    }
    return false;
}

static bool has_parts(const struct pmon_unit *u)
{
    struct sum s;

    return u->layout->counters >= PARTS && nth_sum(u, 0, &s);
}

/* The three events of a sum on three counters from `first` on. false: those counters cannot count them. */
static bool select_sum(struct pmon_session_box *b, uint32_t first, const struct sum *s)
{
    uint64_t ctl[PARTS];

    for (uint32_t k = 0; k < PARTS; k++) {
        const struct pmon_named *named = s->events[k];
        struct pmon_event e = { .ev_sel = named->ev_sel, .umask = s->umasks[k], .extra = named->extra, .enable = true };

        if ((named->counters && !(named->counters >> (first + k) & 1)) || named->filter0 != s->events[WHOLE]->filter0 ||
            named->filter1 != s->events[WHOLE]->filter1 || pmon_encode(b->unit, &e, &ctl[k]) != ST_OK)
            return false;
    }
    for (uint32_t i = 0; i < 2; i++) { /* a box has one filter for all of its counters */
        uint32_t wanted = i ? s->events[WHOLE]->filter1 : s->events[WHOLE]->filter0;

        if (wanted && b->filter[i] && b->filter[i] != wanted)
            return false;
        b->filter[i] |= wanted;
    }
    for (uint32_t k = 0; k < PARTS; k++)
        b->ctl[first + k] = ctl[k];
    return true;
}

/* As many sums as each box has counters for, from the round's first on. false: no box has any left. */
static bool select_round(struct pmon_session *session, uint32_t round)
{
    bool any = false;

    pmon_session_clear(session);
    pmon_session_each(session, b) {
        uint32_t slots = pmon_session_programmable(b) / PARTS;
        struct sum s;

        for (uint32_t k = 0; k < slots && nth_sum(b->unit, round * slots + k, &s); k++) {
            select_sum(b, k * PARTS, &s);
            any = true;
        }
    }
    return any;
}

/* One freeze stops a box's counters, so that a sum is exact; where entries are of what is under way, or nothing stops
 * all counters at once, some may be counted by one of them alone. */
static double slack_of(const struct pmon_session_box *b, double whole)
{
    return b->unit->layout->box == NULL || b->unit->kind == PMON_CHA ? whole * TOR_SHARE + MANY : 0;
}

static void judge_round(struct pmon_session *session, uint32_t round, const char *load)
{
    pmon_session_each(session, b) {
        uint32_t slots = pmon_session_programmable(b) / PARTS;
        struct sum s;

        for (uint32_t k = 0; k < slots && b->status == ST_OK && nth_sum(b->unit, round * slots + k, &s); k++) {
            uint32_t at = k * PARTS;
            double whole = (double)pmon_session_counts(b, at + WHOLE);
            double parts = (double)pmon_session_counts(b, at + FIRST) + (double)pmon_session_counts(b, at + SECOND);
            char what[128];

            if (b->ctl[at] == 0)
                continue;
            text_format(what, sizeof what,
                        "umasks 0x%x and 0x%x of event 0x%x, parent umask 0x%x (%s), while the load %s",
                        s.umasks[FIRST], s.umasks[SECOND], s.events[WHOLE]->ev_sel, s.umasks[WHOLE],
                        s.events[WHOLE]->name, load);
            if (whole > 0)
                excludes(session->check, "a loss in one umask", slack_of(b, whole), "counts");
            pmon_session_expect(session, b, at, what, parts, "counts", whole - slack_of(b, whole),
                                whole + slack_of(b, whole), FOUND_SUM_OFF, "umasks do not sum to the parent event");
        }
    }
}

/* Requests that reach memory, and requests that the L3 answers. */
struct umask_loads {
    struct traffic_window memory, l3; /* l3.n 0: no buffer fits the L3 and not the L2 */
};

static enum status umask_try_load(struct pmon_session *session, struct traffic_window *traffic, uint32_t round,
                                  const char *load)
{
    TRY_MEASURE(session->check, traffic_window_once(session, traffic), traffic->bad_cpu, "the memory stream");
    judge_round(session, round, load);
    return ST_OK;
}

/* Whether the sums of this round are of memory channels alone: what the L3 answers moves none of theirs. */
static bool memory_alone(struct pmon_session *session)
{
    pmon_session_each(session, b)
        for (uint32_t k = 0; k < pmon_session_programmable(b) && b->unit->kind != PMON_IMC; k++)
            if (b->ctl[k] != 0)
                return false;
    return true;
}

/* The traffic for one round of sums. */
static enum status umask_try_round(struct pmon_session *session, struct umask_loads *loads, uint32_t round)
{
    enum status st;

    loads->memory.kind = WORK_READ;
    st = umask_try_load(session, &loads->memory, round, "reads");
    loads->memory.kind = WORK_NT_WRITE;
    if (st == ST_OK)
        st = umask_try_load(session, &loads->memory, round, "writes");
    if (st == ST_OK && loads->l3.n && !memory_alone(session))
        st = umask_try_load(session, &loads->l3, round, "reads what the L3 holds");
    return st;
}

static enum status umask_try_sums(struct pmon_session *session)
{
    struct umask_loads loads = { .memory = { .passes = 1, .cold = true },
                                 .l3 = { .kind = WORK_READ, .passes = 1, .warm = true } };
    uint64_t resident = domain_l3_resident_bytes(session->check, 2);

    TRY(traffic_window_add_each(&loads.memory, session->check, STREAM_BYTES));
    if (resident)
        TRY(traffic_window_add_each(&loads.l3, session->check, resident));
    for (uint32_t round = 0; select_round(session, round); round++)
        TRY(umask_try_round(session, &loads, round));
    return ST_OK;
}

/* --- E5: one event in every counter -------------------------------------------------------------------------------- */

#define ALIKE_BYTES (MIB / 4) /* some lines on each of a hundred channels or slices: counts are compared exactly */

/* A box whose counters one freeze stops, and that has an event which a load moves. */
static bool counts_alike(const struct pmon_unit *u)
{
    return u->layout->box && u->layout->counters >= 2 && !pmon_session_ubox(u) && u->events.n_named > 0;
}

static bool sums_or_counts_alike(const struct pmon_unit *u)
{
    return has_parts(u) || counts_alike(u);
}

/* The n-th named event of each unit in every counter that may count it. false: no unit has so many. */
static bool select_everywhere(struct pmon_session *session, uint32_t n)
{
    bool any = false;

    pmon_session_clear(session);
    pmon_session_each(session, b) {
        if (!counts_alike(b->unit) || n >= b->unit->events.n_named)
            continue;
        any = true;
        for (uint32_t k = 0; k < pmon_session_programmable(b); k++)
            (void)traffic_window_select(b, k, b->unit->events.named[n].name);
    }
    return any;
}

static void judge_everywhere(struct pmon_session *session, uint32_t n, const char *load)
{
    pmon_session_each(session, b) {
        struct pmon_usual usual = pmon_session_usual(b);
        double lo, hi;
        char what[96];

        pmon_session_same(b, (double)pmon_session_counts(b, usual.counter), &lo, &hi);
        for (uint32_t k = 0; k < pmon_session_programmable(b) && b->status == ST_OK; k++) {
            if (b->ctl[k] == 0 || k == usual.counter)
                continue;
            if (lo > 0)
                excludes(session->check, "a loss in one counter", hi - lo, "counts");
            text_format(what, sizeof what, "%s, while the load %s", b->unit->events.named[n].name, load);
            pmon_session_expect_usual(session, b, k, usual, what, lo, hi, FOUND_COUNTERS_DIFFER,
                                      "counts the same event in the same window as the others of the box, and differs");
        }
    }
}

/* Of each package a stream on another one's memory, which moves what links and home agents count: where it is known. */
static void add_remote(struct traffic_window *traffic, struct check *c)
{
    uint32_t n = c->machine->n_packages;
    char why[160];

    for (uint32_t p = 0; p < n && n > 1; p++) {
        uint32_t node = machine_package_node(c->machine, (p + 1) % n);

        if (node != NO_NODE && traffic_window_add(traffic, c, p, node, ALIKE_BYTES) != ST_OK)
            check_take_reason(c, why, sizeof why);
    }
}

static enum status try_everywhere(struct pmon_session *session)
{
    struct traffic_window own = { .passes = 1, .cold = true },
                          remote = { .kind = WORK_READ, .passes = 1, .cold = true };

    TRY(traffic_window_add_each(&own, session->check, ALIKE_BYTES));
    add_remote(&remote, session->check);
    for (uint32_t n = 0; select_everywhere(session, n); n++) {
        own.kind = WORK_READ;
        TRY_MEASURE(session->check, traffic_window_once(session, &own), own.bad_cpu, "the memory stream");
        judge_everywhere(session, n, "reads");
        own.kind = WORK_NT_WRITE;
        TRY_MEASURE(session->check, traffic_window_once(session, &own), own.bad_cpu, "the memory stream");
        judge_everywhere(session, n, "writes");
        if (remote.n == 0)
            continue;
        TRY_MEASURE(session->check, traffic_window_once(session, &remote), remote.bad_cpu, "the remote stream");
        judge_everywhere(session, n, "reads another package's memory");
    }
    return ST_OK;
}

static enum status try_parts(struct pmon_session *session)
{
    TRY(try_everywhere(session));
    tools_reset(session->check->tools);
    return umask_try_sums(session);
}

/* --- X3: writes --------------------------------------------------------------------------------------------------- */

#define EITHER 0.15 /* of one of the two meanings */

struct writer {
    struct check *check;
    uint32_t rmid, domain;
    uint64_t before; /* MBM's counts */
    double moved;    /* by MBM */
    double excess;   /* MBM over CAS of a read of as many bytes, where an erratum has it above 1 */
    enum work_kind kind;
};

static bool has_cas(const struct pmon_unit *u)
{
    return pmon_event_named(u, "cas_rd") && pmon_event_named(u, "cas_wr") && u->kind != PMON_CHA;
}

static enum status read_moved(struct writer *w)
{
    const struct l3_domain *d = &w->check->machine->domains[w->domain];
    uint64_t after = 0;

    TRY(traffic_window_mbm_after(w->check, w->domain, w->rmid, QM_EVENT_L3_TOTAL, &after));
    w->moved = (double)counter_delta(w->before, after, d->counter_width) * d->upscaling_factor;
    return ST_OK;
}

/* Under its RMID: every line written, then written back. */
static enum status run_writes(struct traffic_window *traffic, struct platform *p)
{
    struct writer *w = traffic->context;
    struct traffic_part parts[2] = { part_read(w->rmid, traffic->streams[0].base, traffic->streams[0].bytes),
                                     part_flush(w->rmid, traffic->streams[0].base, traffic->streams[0].bytes) };
    struct traffic_load load = { .cpu = traffic->streams[0].cpu, .parts = parts };
    enum status st = traffic_window_mbm(w->check, w->domain, w->rmid, QM_EVENT_L3_TOTAL, &w->before);

    parts[0].work.kind = w->kind;
    load.n_parts = w->kind == WORK_NT_WRITE ? 1 : 2; /* past the caches nothing is left to write back */
    if (st == ST_OK)
        st = traffic_run(p, &load, 1, NULL, NULL, &traffic->bad_cpu);
    return st == ST_OK ? read_moved(w) : st;
}

static double sum_of(const struct pmon_session *session, const struct traffic_window_counts *counts, uint32_t package,
                     uint32_t counter, const char *name)
{
    double sum = 0;

    for (enum pmon_kind kind = PMON_UBOX; kind <= PMON_OTHER; kind++) {
        double some = traffic_window_sum(session, counts, kind, package, counter, name, traffic_window_net);

        sum += some > 0 ? some : 0;
    }
    return sum;
}

static bool is_near(double value, double wanted)
{
    return value >= wanted * (1 - EITHER) && value <= wanted * (1 + EITHER);
}

/* MBM counts in units of the upscaling factor (CPUID.0FH.1:EBX), and any line may fill the unit
 * that is under way: one unit more or less than the bytes is none. */
static bool is_within_unit(const struct writer *w, double bytes)
{
    double unit = w->check->machine->domains[w->domain].upscaling_factor;

    return w->moved >= bytes - unit && w->moved <= bytes + unit;
}

/* No document says whether MBM counts what is written back: it is one of the two, and the same for every package. */
static bool is_explained(const struct writer *w, double read, double written)
{
    double moved = w->moved / w->excess;

    return is_near(moved, read) || is_near(moved, written) || is_near(moved, read + written) || is_within_unit(w, read);
}

/* Nor does one say how soon it shows what was moved. */
static enum status settle_writes(struct writer *w, double read, double written)
{
    for (uint32_t step = 0; !is_explained(w, read, written) && domain_settle_wait(w->check, step); step++)
        TRY(read_moved(w));
    return ST_OK;
}

static void judge_writes(struct check *c, const struct writer *w, double read, double written, struct place place)
{
    char where[PLACE_TEXT];

    place_text(&place, where, sizeof where);
    check_table_line(c, "%-33s %12lu %12lu %12lu", where, (uint64_t)(read > 0 ? read : 0),
                     (uint64_t)(written > 0 ? written : 0), (uint64_t)w->moved);
    check_show(c, "MBM total over bytes read and written by CAS", place, w->moved / (read + written), "ratio");
    excludes_share(c, "a loss of CAS writes", written, (double)STREAM_BYTES * (1 - EITHER));
    if (!is_near(written, (double)STREAM_BYTES))
        finding(c, FINDING_UNUSUAL, 0, FOUND_MEMORY_DISAGREES, place, "%lu bytes written, memory channels count %lu",
                STREAM_BYTES, (uint64_t)(written > 0 ? written : 0));
    /* A write that allocates reads its line first, which MBM counts; what goes past the caches it may leave out. */
    if ((w->moved > 0 || w->kind != WORK_NT_WRITE) && !is_explained(w, read, written))
        finding(c, FINDING_UNUSUAL, 0, FOUND_MBM_DISAGREES, place,
                "MBM counts %lu bytes: neither CAS reads nor CAS writes nor their sum", (uint64_t)w->moved);
}

/* An RMID of its own for each kind of access, where there are three: what is counted late is not the next one's. */
static enum status take_rmid(struct writer *w, uint32_t package, uint32_t cpu)
{
    struct check *c = w->check;
    uint32_t rmids[3], n, which = w->kind == WORK_NT_WRITE ? 1 : w->kind == WORK_READ ? 2 : 0;

    w->domain = c->machine->cpus[cpu].domain;
    n = w->domain == NO_DOMAIN ? 0 : domain_rmids(c, w->domain, rmids, 3);
    if (n == 0)
        return check_absent(c, "package %u has no free RMID", package);
    w->rmid = rmids[which < n ? which : 0];
    return cluster_rmids_known(c, w->domain);
}

/* The stream, and what CAS and MBM count of it. */
static enum status count_stream(struct pmon_session *session, uint32_t package, struct writer *w, double *read,
                                double *written)
{
    struct check *c = session->check;
    struct traffic_window traffic = { .cold = true, .run = run_writes, .context = w };
    struct traffic_window_counts counts = { NULL };
    enum status st;

    tools_reset(c->tools);
    TRY(traffic_window_add(&traffic, c, package, NO_NODE, STREAM_BYTES));
    TRY(take_rmid(w, package, traffic.streams[0].cpu));
    st = traffic_window_run(session, &traffic, &counts);
    if (st == ST_OK) {
        *read = sum_of(session, &counts, package, 0, "cas_rd");
        *written = sum_of(session, &counts, package, 1, "cas_wr");
        st = settle_writes(w, *read, *written);
    }
    return st == ST_OK ? ST_OK : traffic_window_unmeasured(c, &traffic, st, "the tagged stream");
}

static enum status try_writes(struct pmon_session *session, uint32_t package, enum work_kind kind, double excess,
                              const char *what)
{
    struct writer w = { .check = session->check, .kind = kind, .excess = excess };
    double read = 0, written = 0;

    TRY(count_stream(session, package, &w, &read, &written));
    judge_writes(session->check, &w, read, written, place_with_detail(place_package(package), "%s", what));
    return ST_OK;
}

/* Errata GNR12 and SRF42: short streams are counted too high, up to twice; writes as much as reads. */
static double excess_of(struct pmon_session *session, uint32_t package)
{
    struct check *c = session->check;
    uint32_t domain = c->machine->cpus[c->machine->packages[package].first_cpu].domain;
    struct writer w = { .check = c, .kind = WORK_READ, .excess = 1 };
    double read = 0, written = 0, excess;
    char unsaid[16];

    if (domain == NO_DOMAIN || !errata_excess_explains(c->machine, domain, (double)STREAM_BYTES))
        return 1;
    if (count_stream(session, package, &w, &read, &written) != ST_OK)
        check_take_reason(c, unsaid, sizeof unsaid); /* the writes say it */
    excess = read > 0 ? w.moved / read : 1;
    excess = excess < 1 ? 1 : excess > 2 ? 2 : excess;
    if (excess > 1 + EITHER)
        check_note(c,
                   "package %u: MBM counts %lu %% of a read's bytes, as an erratum of this part has it of short "
                   "streams: writes are held to that",
                   package, (uint64_t)(100 * excess));
    return excess;
}

static enum status umask_try_writes(struct pmon_session *session)
{
    struct check *c = session->check;
    struct check_memory *mark = check_memory_mark(c);
    struct attempts a = { 0 };

    pmon_session_each(session, b) {
        traffic_window_select_whole(b, 0, "cas_rd");
        traffic_window_select_whole(b, 1, "cas_wr");
    }
    check_table_line(c, "%-33s %12s %12s %12s", "bytes", "read by CAS", "written", "MBM total");
    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        double excess = excess_of(session, p);

        attempts_add(&a, c, try_writes(session, p, WORK_WRITE, excess, "writes"));
        attempts_add(&a, c, try_writes(session, p, WORK_NT_WRITE, excess, "non-temporal writes"));
        check_free_since(c, mark);
    }
    return attempts_result(&a, c);
}

static void writes_in_view(struct check *view, void *)
{
    pmon_session_check(view, has_cas, false, umask_try_writes);
}

static enum status check_writes(struct check *c)
{
    TRY(traffic_window_homes_known(c));
    cluster_check(c, writes_in_view, NULL);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "traffic.parts",
      .title = "Umasks sum to the parent event",
      .spec = GUIDE_IMC,
      .covers = "V1 V2 E5",
      .detects =
          "a umask that is decoded wrong or ignored, for reads or for writes; an event that one counter of a box "
          "counts otherwise",
      .wanted = sums_or_counts_alike,
      .run_session = try_parts },
    { .id = "traffic.writes",
      .title = "MBM counts writes as CAS does, or does not count them at all",
      .spec = RDT_MBM,
      .covers = "X3",
      .detects = "writes that are counted in part, or lost by the memory channels",
      .needs = NEED_TOTAL,
      .grade = GRADE_W,
      .by_experience = true,
      .sums = true,
      .run = check_writes },
};
CHECK_FAMILY(pmon_umask_sums, rows, UNCORE_TRAFFIC_FAMILY, .excludes = true, .order = 980, .slow = true);
