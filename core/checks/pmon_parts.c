/* What an event's sub-events count against the event, and what MBM says of writes. Witness: the event itself on another
 * counter of the box, over the same window; for writes the memory channels. */
#include "core/checks/families.h"
#include "core/checks/pmon_flow.h"
#include "core/bits.h"
#include "core/rollover.h"
#include "core/script.h"
#include "core/text.h"

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

static const struct cut *cut_of(const struct pmon_unit *u, const char *event)
{
    const struct pmon_named *named = pmon_event_named(u, event);

    for (uint32_t i = 0; named && i < sizeof cuts / sizeof cuts[0]; i++)
        if (cuts[i].whole == named->umask)
            return &cuts[i];
    return NULL;
}

static bool has_parts(const struct pmon_unit *u)
{
    if (u->box == NULL || u->counters < PARTS)
        return false;
    return (u->kind == PMON_IMC && cut_of(u, "cas_rd")) ||
           (u->kind == PMON_CHA && pmon_event_named(u, "tor_all") && pmon_event_named(u, "tor_hit") &&
            pmon_event_named(u, "tor_miss"));
}

static void select_cas(struct lab_box *b, const char *event)
{
    const struct cut *cut = cut_of(b->unit, event);
    const struct pmon_named *named = pmon_event_named(b->unit, event);
    uint32_t umasks[PARTS];

    if (cut == NULL)
        return;
    umasks[WHOLE] = cut->whole;
    umasks[FIRST] = cut->first;
    umasks[SECOND] = cut->second;
    for (uint32_t k = 0; k < PARTS; k++) {
        struct pmon_event e = { .ev_sel = named->ev_sel, .umask = umasks[k], .enable = true };

        if (pmon_encode(b->unit, &e, &b->ctl[k]) != ST_OK)
            b->ctl[WHOLE] = b->ctl[k] = 0;
    }
}

static void select_parts(struct lab *lab, const char *cas)
{
    lab_clear(lab);
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];

        if (b->unit->kind == PMON_IMC)
            select_cas(b, cas);
        else if (!flow_select(b, WHOLE, "tor_all") || !flow_select(b, FIRST, "tor_hit") ||
                 !flow_select(b, SECOND, "tor_miss"))
            b->ctl[WHOLE] = 0;
    }
}

static void judge_parts(struct lab *lab, const char *cas)
{
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];
        bool tor = b->unit->kind == PMON_CHA;
        double whole = (double)lab_counts(b, WHOLE), parts = (double)(lab_counts(b, FIRST) + lab_counts(b, SECOND));
        double slack = tor ? whole * TOR_SHARE + MANY : 0;
        char what[64];

        if (b->status != ST_OK || b->ctl[WHOLE] == 0)
            continue;
        text_format(what, sizeof what, "sub-events of %s together", tor ? "TOR inserts" : cas);
        lab_expect(lab, b, WHOLE, what, parts, "counts", whole - slack, whole + slack,
                   "its sub-events do not make what the event counts");
    }
}

static enum verdict check_parts(struct check *c)
{
    static const struct {
        enum work_kind kind;
        const char *cas;
    } streams[] = { { WORK_READ, "cas_rd" }, { WORK_NT_WRITE, "cas_wr" } };
    struct flow flow = { .passes = 1, .cold = true };
    struct lab lab;
    bool good;

    if (!lab_open(&lab, c, has_parts))
        return c->verdict;
    good = flow_add_each(&flow, c, STREAM_BYTES);
    for (uint32_t i = 0; i < sizeof streams / sizeof streams[0] && good; i++) {
        enum status st;

        select_parts(&lab, streams[i].cas);
        flow.kind = streams[i].kind;
        st = flow_once(&lab, &flow);
        good = st == ST_OK;
        if (good)
            judge_parts(&lab, streams[i].cas);
        else
            cannot_measure(c, st, flow.bad_cpu, "the memory stream");
    }
    lab_clear(&lab);
    return lab_close(&lab);
}

/* --- X3: writes --------------------------------------------------------------------------------------------------- */

#define EITHER 0.15 /* of one of the two meanings */

struct writer {
    struct check *check;
    uint32_t rmid, domain;
    double moved; /* by MBM */
    enum work_kind kind;
};

static bool has_cas(const struct pmon_unit *u)
{
    return pmon_event_named(u, "cas_rd") && pmon_event_named(u, "cas_wr") && u->kind != PMON_CHA;
}

/* Under its RMID: every line written, then written back. */
static enum status run_writes(struct flow *flow, struct platform *p)
{
    struct writer *w = flow->context;
    const struct l3_domain *d = &w->check->machine->domains[w->domain];
    struct traffic_part parts[2] = { part_read(w->rmid, flow->streams[0].base, flow->streams[0].bytes),
                                     part_flush(w->rmid, flow->streams[0].base, flow->streams[0].bytes) };
    struct traffic_load load = { .cpu = flow->streams[0].cpu, .parts = parts };
    struct traffic_outcome outcome;
    uint64_t before = 0, after = 0;
    enum status st = flow_mbm(w->check, w->domain, w->rmid, QM_EVENT_L3_TOTAL, &before);

    parts[0].work.kind = w->kind;
    load.n_parts = w->kind == WORK_NT_WRITE ? 1 : 2; /* past the caches nothing is left to write back */
    if (st == ST_OK)
        st = traffic_run(p, &load, 1, 0, &outcome, &flow->bad_cpu);
    if (st == ST_OK)
        st = flow_mbm(w->check, w->domain, w->rmid, QM_EVENT_L3_TOTAL, &after);
    if (st == ST_OK)
        w->moved = (double)counter_delta(before, after, d->counter_width) * d->upscaling_factor;
    return st;
}

static double sum_of(const struct lab *lab, const struct flow_counts *counts, uint32_t package, uint32_t counter)
{
    double sum = 0;

    for (uint32_t i = 0; i < lab->n; i++)
        if (lab->boxes[i].box->package == package && lab->boxes[i].status == ST_OK)
            sum += LINE * flow_got(counts, lab, &lab->boxes[i], counter);
    return sum;
}

static bool is_near(double value, double wanted)
{
    return value >= wanted * (1 - EITHER) && value <= wanted * (1 + EITHER);
}

/* No document says whether MBM counts what is written back: it is one of the two, and the same for every package. */
static void judge_writes(struct lab *lab, const struct flow_counts *counts, const struct writer *w, uint32_t package,
                         const char *what)
{
    struct check *c = lab->check;
    double read = sum_of(lab, counts, package, 0), written = sum_of(lab, counts, package, 1);
    char where[48];

    text_format(where, sizeof where, "package %u, %s", package, what);
    table_line(c, "%-33s %12llu %12llu %12llu", where, (unsigned long long)(read > 0 ? read : 0),
               (unsigned long long)(written > 0 ? written : 0), (unsigned long long)w->moved);
    measure(c, "MBM total over bytes read and written by CAS", where, w->moved / (read + written), "ratio", -NO_BOUND,
            NO_BOUND);
    if (!is_near(written, (double)STREAM_BYTES))
        warn(c, "%s: %llu bytes were written, and the memory channels count %llu", where,
             (unsigned long long)STREAM_BYTES, (unsigned long long)(written > 0 ? written : 0));
    if (w->moved > 0 && !is_near(w->moved, read) && !is_near(w->moved, written) && !is_near(w->moved, read + written))
        warn(c, "%s: MBM counts %llu bytes: neither what was read nor what was written nor both", where,
             (unsigned long long)w->moved);
}

static bool try_writes(struct lab *lab, uint32_t package, enum work_kind kind, const char *what, char why[WHY_SIZE])
{
    struct check *c = lab->check;
    struct writer w = { .check = c, .kind = kind };
    struct flow flow = { .cold = true, .run = run_writes, .context = &w };
    struct flow_counts counts = { NULL };
    enum status st;

    tools_reset(c->tools);
    if (!flow_add(&flow, c, package, NO_NODE, STREAM_BYTES, why))
        return false;
    w.domain = c->machine->cpus[flow.streams[0].cpu].domain;
    if (w.domain == NO_DOMAIN || domain_rmids(c, w.domain, &w.rmid, 1) == 0) {
        text_format(why, WHY_SIZE, "package %u has no free RMID", package);
        return false;
    }
    if (is_clustered(c, w.domain)) {
        text_format(why, WHY_SIZE, "package %u has sub-NUMA clusters, and which RMIDs are whose is not documented",
                    package);
        return false;
    }
    st = flow_run(lab, &flow, &counts);
    if (st == ST_OK)
        judge_writes(lab, &counts, &w, package, what);
    else
        cannot_measure(c, st, flow.bad_cpu, "the tagged writes");
    flow_free(&counts);
    return true;
}

static enum verdict check_writes(struct check *c)
{
    char why[WHY_SIZE] = "";
    uint32_t done = 0;
    struct lab lab;

    if (c->machine->n_packages > 1 && c->machine->n_nodes < c->machine->n_packages)
        return skip(c, "which memory belongs to which package is not known (SRAT)");
    if (!lab_open(&lab, c, has_cas))
        return c->verdict;
    for (uint32_t i = 0; i < lab.n; i++) {
        flow_select(&lab.boxes[i], 0, "cas_rd");
        flow_select(&lab.boxes[i], 1, "cas_wr");
    }
    table_line(c, "%-33s %12s %12s %12s", "bytes", "read by CAS", "written", "MBM total");
    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        done += try_writes(&lab, p, WORK_WRITE, "writes", why);
        done += try_writes(&lab, p, WORK_NT_WRITE, "writes past caches", why);
    }
    if (done == 0 && c->verdict == VERDICT_PASS)
        skip(c, "%s", why);
    lab_clear(&lab);
    return lab_close(&lab);
}

const struct check_row parts_checks[] = {
    { .id = "traffic.parts",
      .title = "Sub-events make what their event counts",
      .spec = GUIDE_IMC,
      .rows = "V1 V2",
      .catches = "a umask that is decoded wrong, or ignored",
      .needs = NEED_PMON,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_parts },
    { .id = "traffic.writes",
      .title = "MBM counts what is written as the memory channels do, or leaves it out",
      .spec = RDT_MBM,
      .rows = "X3",
      .catches = "writes that are counted in part, or lost by the memory channels",
      .needs = NEED_PMON | NEED_TOTAL,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .run = check_writes },
};
