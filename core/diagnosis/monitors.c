/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/diagnosis/monitors.h"

#include "core/base/text.h"

const char *monitor_state_text(enum monitor_state s)
{
    static const char *const texts[] = { [MONITOR_FAIL] = "FAIL",    [MONITOR_ERROR] = "ERROR",
                                         [MONITOR_WARN] = "WARN",    [MONITOR_UNCALIBRATED] = "UNCALIBRATED",
                                         [MONITOR_GOOD] = "GOOD",    [MONITOR_NOT_JUDGED] = "NOT JUDGED",
                                         [MONITOR_ABSENT] = "ABSENT" };

    return texts[s];
}

/* --- which there are --------------------------------------------------------------------------------------------- */

#define DECIDING 3u

/* Whose PASS says how small a defect was excluded, the first of them that ran, and in which unit. None: `good` says what
 * a PASS is. */
struct deciding {
    const char *checks[DECIDING];
    const char *unit, *good;
};
#define GOOD_TO(unit_, ...) BRACED(.checks = { __VA_ARGS__ }, .unit = unit_)
#define EXACT               BRACED(.good = "good: exact" /* registers, tables and records follow a rule or do not */)

/* A check belongs to the last whose patterns match its id. */
static const struct monitor_row {
    const char *name, *also; /* also: how causes name it, where that is not its name */
    const char *checks;
    uint32_t needs; /* enum check_needs: without them it is not there */
    bool of_units;  /* findings count against the units of their places */
    struct deciding decides;
} rows[] = {
    { "CMT", NULL, "cmt.*", NEED_OCCUPANCY, false, GOOD_TO("%", "cmt.linearity") },
    { "MBM total", NULL, "mbm.*", NEED_TOTAL, false, GOOD_TO("%", "mbm.total") },
    { "MBM local", NULL, "mbm.local mbm.local-not-above-total mbm.remote mbm.matrix mbm.every-rmid-remote", NEED_LOCAL,
      false, GOOD_TO("%", "mbm.local") },
    { "L3 CAT", "CAT", "cat.*", NEED_RDT_A, false, GOOD_TO("ways", "cat.shares", "cat.every-class", "cat.misses") },
    { "CDP", NULL, "cdp.*", NEED_CDP, false, GOOD_TO("ways", "cdp.data") },
    { "L2 CAT", NULL, "l2.*", NEED_L2_CAT, false, GOOD_TO("bytes", "l2.misses") },
    { "MBA", NULL, "mba.* traffic.throttled", NEED_MBA, false, GOOD_TO("%", "mba.rate") },
    { "AMD counters", "QOS_EVT_CFG", "amd.*", NEED_AMD_QOS, false,
      GOOD_TO("%", "amd.events-types", "amd.assign-all", "amd.assign-count") },
    { "RDT registers", NULL, "qm.* pqr.* cba.* energy.*", NEED_RDT_BIT, false, EXACT },
    { "tables and handoff", NULL, "enum.* acpi.* reset.* cross.*", 0, false, EXACT },
    { "uncore PMON", NULL, "pmon.* ubox.*", 0, true, EXACT },
    { "monitors compared", NULL, "traffic.*", 0, true, GOOD_TO("%", "traffic.closure", "traffic.mbm") },
    { "MP services", NULL, "mp.*", 0, false, EXACT },
    { "logged errors", NULL, "errors.*", 0, false, { .good = "none logged" } },
};
#define N_ROWS (sizeof rows / sizeof rows[0])

static uint32_t row_of(const char *id)
{
    uint32_t i = N_ROWS - 1;

    while (i > 0 && !text_matches_any(rows[i].checks, id))
        i--;
    return i;
}

const char *monitor_of_check(const struct check_row *row)
{
    return rows[row_of(row->id)].name;
}

/* Of an uncore unit: loads of known size, counted by it. */
static struct deciding deciding_of_unit(const struct pmon_unit *unit)
{
    static const struct deciding registers = { .good = "good: registers only" /* no load of known size was counted */ };
    static const struct {
        enum pmon_kind kind;
        struct deciding decides;
    } kinds[] = {
        { PMON_IMC, GOOD_TO("%", "traffic.channels", "traffic.closure") },
        { PMON_UMC, GOOD_TO("%", "traffic.channels", "traffic.closure") },
        { PMON_CHA, GOOD_TO("%", "traffic.slices", "traffic.lines") },
        { PMON_HA, GOOD_TO("%", "traffic.remote") },
        { PMON_M2M, GOOD_TO("%", "traffic.remote") },
        { PMON_LINK, GOOD_TO("%", "traffic.remote", "traffic.closure") },
        { PMON_DF, GOOD_TO("%", "traffic.fabric") },
        { PMON_L3, GOOD_TO("%", "traffic.closure") },
        { PMON_UNCORE, GOOD_TO("%", "traffic.lines") },
        { PMON_FREE, GOOD_TO("%", "traffic.free-running") },
    };

    return FIND(i, sizeof kinds / sizeof kinds[0], kinds[i].kind == unit->kind, kinds[i].decides, registers);
}

static const struct monitor *unit_named(const struct monitors *m, const char *name)
{
    for (uint32_t i = N_ROWS; i < m->n; i++)
        if (text_equal(m->list[i].name, name))
            return &m->list[i];
    return NULL;
}

/* A unit for each name: those of several controllers may share one. */
static void add_units(struct monitors *out, const struct pmon *pmon)
{
    for (uint32_t i = 0; i < pmon->n_boxes && out->n < MONITORS_MOST; i++)
        if (!unit_named(out, pmon->boxes[i].unit->name))
            out->list[out->n++] = (struct monitor){ .name = pmon->boxes[i].unit->name, .unit = pmon->boxes[i].unit };
}

/* --- which bad check counts against which ------------------------------------------------------------------------- */

/* The monitor of the cause that explains it; N_ROWS: there is none, or it names none of the table. */
static uint32_t row_by_cause(const struct diagnosis *d, const struct symptom *s)
{
    uint32_t i = INDEX_OF(k, d->n, diagnosed_explains(&d->list[k], s));

    if (i == d->n || !symptom_is_bad(s) || !d->list[i].cause || d->list[i].sure == SURE_POSSIBLE)
        return N_ROWS;
    return FIND(k, N_ROWS,
                text_equal(d->list[i].cause->monitor, rows[k].name) ||
                    (rows[k].also && text_equal(d->list[i].cause->monitor, rows[k].also)),
                k, N_ROWS);
}

/* Of the findings that name no unit of the list, or all where none is as bad as the check. */
static enum verdict beside_units(const struct monitors *m, const struct symptom *s)
{
    enum verdict worst = VERDICT_PASS, beside = VERDICT_PASS;

    for (uint32_t i = 0; i < s->n_units; i++) {
        worst = verdict_worst(worst, s->units[i].worst);
        if (!unit_named(m, s->units[i].name))
            beside = verdict_worst(beside, s->units[i].worst);
    }
    return worst == s->verdict ? beside : s->verdict;
}

static enum verdict of_unit(const struct symptom *s, const struct monitor *of)
{
    return FIND(i, s->n_units, text_equal(s->units[i].name, of->name), s->units[i].worst, VERDICT_PASS);
}

/* What a check counts against: a row, or where `units` the units that its findings name. */
struct against {
    uint32_t row; /* N_ROWS: none */
    bool units;
};

static struct against against(const struct diagnosis *d, const struct symptom *s)
{
    uint32_t cause = row_by_cause(d, s), own = row_of(s->row->id);

    if (!symptom_is_bad(s) && s->verdict != VERDICT_ERROR)
        return (struct against){ N_ROWS, false };
    return cause < N_ROWS ? (struct against){ cause, false } : (struct against){ own, rows[own].of_units };
}

static enum verdict verdict_on(const struct monitors *m, struct against a, const struct symptom *s, uint32_t i)
{
    if (i >= N_ROWS)
        return a.units ? of_unit(s, &m->list[i]) : VERDICT_PASS;
    if (i != a.row)
        return VERDICT_PASS;
    return a.units ? beside_units(m, s) : s->verdict;
}

enum verdict monitor_verdict_of(const struct monitors *m, const struct diagnosis *d, const struct symptom *s,
                                const struct monitor *of)
{
    return verdict_on(m, against(d, s), s, (uint32_t)(of - m->list));
}

/* --- the verdict on one ------------------------------------------------------------------------------------------- */

/* It is the one that speaks for a cause most. */
static bool shows_cause(const struct diagnosis *d, const struct symptom *s)
{
    return ANY_OF(i, d->n, d->list[i].row == s->row);
}

struct tally {
    struct deciding decides;
    double excludes;             /* by the first that decides and says it */
    const struct symptom *first; /* of the worst, one that shows a cause before others */
    const char *other;           /* of those that decide, one that shows the defect of another monitor */
    enum verdict worst;
    uint32_t n_bad, n_passed, n; /* n: checks of its own */
    uint32_t decided;            /* by which of decides.checks; DECIDING: by none yet */
    bool by_experience;          /* the bad ones are of rows by experience */
    bool unreached;              /* the run was stopped before one */
};

static void add_own(struct tally *t, const struct symptom *s)
{
    uint32_t i;

    t->n++;
    t->n_passed += s->verdict == VERDICT_PASS;
    t->unreached |= s->unreached;
    i = INDEX_OF(k, t->decided, t->decides.checks[k] && text_equal(t->decides.checks[k], s->row->id));
    if (i == t->decided)
        return;
    if (symptom_is_bad(s))
        t->other = s->row->id;
    if (s->verdict == VERDICT_PASS && symptom_excludes(s, t->decides.unit) > 0) {
        t->excludes = symptom_excludes(s, t->decides.unit);
        t->decided = i;
    }
}

static void add_bad(struct tally *t, const struct diagnosis *d, const struct symptom *s, enum verdict v)
{
    if (v == VERDICT_PASS)
        return;
    t->n_bad++;
    t->by_experience &= s->row->by_experience;
    if (verdict_worst(t->worst, v) != t->worst || (v == t->worst && shows_cause(d, s) && !shows_cause(d, t->first)))
        t->first = s;
    t->worst = verdict_worst(t->worst, v);
}

static void tally(const struct monitors *m, const struct symptoms *s, const struct diagnosis *d, struct tally *tallies)
{
    for (const struct symptom *at = s->first; at; at = at->next) {
        struct against a = against(d, at);
        uint32_t own = row_of(at->row->id);
        bool of_units = rows[own].of_units && !at->row->no_monitor;

        for (uint32_t i = 0; i < m->n; i++) {
            if (i < N_ROWS ? i == own : of_units)
                add_own(&tallies[i], at);
            add_bad(&tallies[i], d, at, verdict_on(m, a, at, i));
        }
    }
}

__attribute__((format(printf, 3, 4))) static void say(struct monitor *m, enum monitor_state state, const char *format,
                                                      ...)
{
    m->state = state;
    TEXT_OF_ARGS(m->says, format);
}

static void say_bad(struct monitor *m, const struct tally *t, const struct diagnosis *d, bool calibrated)
{
    const char *amount = FIND(i, d->n, diagnosed_explains(&d->list[i], t->first), d->list[i].amount, ""),
               *comma = amount[0] ? ", " : "";
    bool unknown = t->worst == VERDICT_WARN && t->by_experience && !calibrated;
    char more[24] = "";

    if (t->n_bad > 1)
        text_format(more, sizeof more, " and %u more", t->n_bad - 1);
    if (unknown)
        say(m, MONITOR_UNCALIBRATED, "limits unknown here (uncalibrated): WARN of %s%s", t->first->row->id, more);
    else if (t->worst == VERDICT_ERROR)
        say(m, MONITOR_ERROR, "not judged: ERROR of %s%s", t->first->row->id, more);
    else
        say(m, t->worst == VERDICT_FAIL ? MONITOR_FAIL : MONITOR_WARN, "%s: %s%s%s%s", verdict_text(t->worst), amount,
            comma, t->first->row->id, more);
}

/* Nothing counts against it, and it is there. */
static void say_sound(struct monitor *m, const struct tally *t)
{
    bool bytes = t->excludes >= 1024 && text_equal(t->decides.unit, "bytes");
    double tenths = bytes ? 10 * (double)(uint64_t)(t->excludes / 1024 + 1) : 10 * t->excludes;
    char number[32];

    m->excludes = t->excludes;
    m->unit_of_excludes = t->decides.unit;
    text_decimal(number, sizeof number, (double)(uint64_t)(tenths + 0.9999) / 10);
    if (t->excludes > 0)
        say(m, MONITOR_GOOD, "good to %s %s", number, bytes ? "KiB" : t->decides.unit);
    else if (t->other)
        say(m, MONITOR_NOT_JUDGED, "not judged: %s shows the defect of another monitor", t->other);
    else if (t->n_passed == 0 && t->unreached)
        say(m, MONITOR_NOT_JUDGED, "not reached: stopped");
    else if (t->n_passed == 0)
        say(m, MONITOR_NOT_JUDGED, "not judged: none of its checks %s", t->n > 0 ? "passed" : "was selected");
    else if (t->decides.good)
        say(m, MONITOR_GOOD, "%s", t->decides.good);
    else
        say(m, MONITOR_GOOD, "good in part: no figure of %s", t->decides.checks[0]);
}

static void say_unit(struct monitor *m, const struct tally *t, const struct pmon *pmon)
{
    const struct pmon_box *kept = NULL; /* from software */
    bool usable = false;

    EACH(const struct pmon_box, box, pmon->boxes, pmon->n_boxes) {
        if (!text_equal(box->unit->name, m->name))
            continue;
        usable |= box->status == ST_OK && box->why == PMON_USABLE;
        if (box->why != PMON_USABLE && !(pmon_box_missing(box) && box->why != PMON_HIDDEN))
            kept = box;
    }
    if (usable)
        say_sound(m, t);
    else if (!kept)
        say(m, MONITOR_ABSENT, "not there");
    else
        say(m, MONITOR_NOT_JUDGED, "not judged: %s",
            kept->why == PMON_HIDDEN   ? "hidden by firmware"
            : kept->why == PMON_IN_USE ? "in use"
                                       : "its registers do not answer as documented");
}

static void order(struct monitors *m)
{
    uint32_t n = 0;

    for (int state = MONITOR_FAIL; state <= MONITOR_ABSENT; state++)
        for (uint32_t i = 0; i < m->n; i++)
            if (m->list[i].state == (enum monitor_state)state)
                m->shown[n++] = (uint8_t)i;
}

void monitors_judge(const struct symptoms *s, const struct diagnosis *d, uint32_t missing, const struct pmon *pmon,
                    bool calibrated, struct monitors *out)
{
    struct tally tallies[MONITORS_MOST];

    *out = (struct monitors){ .n = N_ROWS };
    for (uint32_t i = 0; i < N_ROWS; i++)
        out->list[i].name = rows[i].name;
    if (pmon)
        add_units(out, pmon);
    for (uint32_t i = 0; i < out->n; i++)
        tallies[i] = (struct tally){ .decides = i < N_ROWS ? rows[i].decides : deciding_of_unit(out->list[i].unit),
                                     .by_experience = true,
                                     .decided = DECIDING };
    tally(out, s, d, tallies);
    for (uint32_t i = 0; i < out->n; i++) {
        if (tallies[i].worst != VERDICT_PASS)
            say_bad(&out->list[i], &tallies[i], d, calibrated);
        else if (i >= N_ROWS)
            say_unit(&out->list[i], &tallies[i], pmon);
        else if ((rows[i].needs & missing) && tallies[i].n_passed == 0)
            say(&out->list[i], MONITOR_ABSENT, "not there");
        else
            say_sound(&out->list[i], &tallies[i]);
    }
    order(out);
}

size_t monitors_line(const struct monitors *m, uint32_t place, char *out, size_t size)
{
    const struct monitor *one = &m->list[m->shown[place]];
    size_t n;

    if (ANY_OF(k, place, text_equal(m->list[m->shown[k]].says, one->says)))
        return 0;
    n = text_format(out, size, "%s", one->name);
    for (uint32_t k = place + 1; k < m->n; k++)
        if (text_equal(m->list[m->shown[k]].says, one->says))
            n = text_append(out, size, n, ", %s", m->list[m->shown[k]].name);
    return text_append(out, size, n, ": %s", one->says);
}
