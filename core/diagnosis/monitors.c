/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/diagnosis/monitors.h"

#include <stdarg.h>

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

static bool has_cmt(const struct rdt_info *rdt)
{
    return rdt->occupancy;
}

static bool has_total(const struct rdt_info *rdt)
{
    return rdt->total;
}

static bool has_local(const struct rdt_info *rdt)
{
    return rdt->local;
}

static bool has_l3_cat(const struct rdt_info *rdt)
{
    return rdt->l3.present;
}

static bool has_cdp(const struct rdt_info *rdt)
{
    return rdt->l3.cdp;
}

static bool has_l2_cat(const struct rdt_info *rdt)
{
    return rdt->l2.present;
}

static bool has_mba(const struct rdt_info *rdt)
{
    return rdt->mba.present;
}

static bool has_amd_qos(const struct rdt_info *rdt)
{
    return rdt->qosx_known;
}

/* A check belongs to the last whose patterns match its id. */
static const struct monitor_row {
    const char *name, *also; /* also: how causes name it, where that is not its name */
    const char *checks;
    bool of_units;       /* findings count against the units of their places */
    const char *decides; /* the check whose PASS says how small a loss was excluded; NULL: none does */
    bool (*there)(const struct rdt_info *rdt); /* NULL: on every machine */
} rows[] = {
    { "CMT", NULL, "cmt.*", false, "cmt.linearity", has_cmt },
    { "MBM total", NULL, "mbm.*", false, "mbm.total", has_total },
    { "MBM local", NULL, "mbm.local mbm.local-not-above-total mbm.remote mbm.matrix mbm.every-rmid-remote", false,
      "mbm.local", has_local },
    { "L3 CAT", "CAT", "cat.*", false, NULL, has_l3_cat },
    { "CDP", NULL, "cdp.*", false, NULL, has_cdp },
    { "L2 CAT", NULL, "l2.*", false, NULL, has_l2_cat },
    { "MBA", NULL, "mba.* traffic.throttled", false, NULL, has_mba },
    { "AMD counters", "QOS_EVT_CFG", "amd.*", false, "amd.assign-count", has_amd_qos },
    { "RDT registers", NULL, "qm.* pqr.* cba.*", false, NULL, has_cmt },
    { "tables and handoff", NULL, "enum.* acpi.* reset.* cross.*", false, NULL, NULL },
    { "uncore PMON", NULL, "pmon.* ubox.*", true, NULL, NULL },
    { "monitors compared", NULL, "traffic.*", true, NULL, NULL },
    { "MP services", NULL, "mp.*", false, NULL, NULL },
    { "logged errors", NULL, "errors.*", false, NULL, NULL },
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
    uint32_t i = 0;

    while (i < d->n && !diagnosed_explains(&d->list[i], s->row))
        i++;
    if (i == d->n || !symptom_is_bad(s) || !d->list[i].cause || d->list[i].sure == SURE_POSSIBLE)
        return N_ROWS;
    for (uint32_t k = 0; k < N_ROWS; k++)
        if (text_equal(d->list[i].cause->monitor, rows[k].name) ||
            (rows[k].also && text_equal(d->list[i].cause->monitor, rows[k].also)))
            return k;
    return N_ROWS;
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
    for (uint32_t i = 0; i < s->n_units; i++)
        if (text_equal(s->units[i].name, of->name))
            return s->units[i].worst;
    return VERDICT_PASS;
}

enum verdict monitor_verdict_of(const struct monitors *m, const struct diagnosis *d, const struct symptom *s,
                                const struct monitor *of)
{
    uint32_t cause = row_by_cause(d, s), own = row_of(s->row->id);

    if (!symptom_is_bad(s) && s->verdict != VERDICT_ERROR)
        return VERDICT_PASS;
    if (cause < N_ROWS)
        return of == &m->list[cause] ? s->verdict : VERDICT_PASS;
    if (of->unit)
        return rows[own].of_units ? of_unit(s, of) : VERDICT_PASS;
    if (of != &m->list[own])
        return VERDICT_PASS;
    return rows[own].of_units ? beside_units(m, s) : s->verdict;
}

/* --- the verdict on one ------------------------------------------------------------------------------------------- */

/* It is the one that speaks for a cause most. */
static bool shows_cause(const struct diagnosis *d, const struct symptom *s)
{
    for (uint32_t i = 0; i < d->n; i++)
        if (d->list[i].row == s->row)
            return true;
    return false;
}

struct tally {
    enum verdict worst;
    bool by_experience;          /* the bad ones are of rows by experience */
    uint32_t n_bad, n_passed, n; /* n: checks of its own */
    const struct symptom *first; /* of the worst, one that shows a cause before others */
    const struct symptom *decides;
};

static struct tally tally_of(const struct monitors *m, const struct symptoms *s, const struct diagnosis *d, uint32_t i)
{
    const struct monitor_row *row = i < N_ROWS ? &rows[i] : NULL;
    struct tally t = { .by_experience = true };

    for (const struct symptom *at = s->first; at; at = at->next) {
        enum verdict v = monitor_verdict_of(m, d, at, &m->list[i]);
        bool own = row ? row_of(at->row->id) == i : rows[row_of(at->row->id)].of_units && !at->row->no_monitor;

        t.n += own;
        t.n_passed += own && at->verdict == VERDICT_PASS;
        if (row && row->decides && text_equal(row->decides, at->row->id))
            t.decides = at;
        if (v == VERDICT_PASS)
            continue;
        t.n_bad++;
        t.by_experience &= at->row->by_experience;
        if (verdict_worst(t.worst, v) != t.worst || (v == t.worst && shows_cause(d, at) && !shows_cause(d, t.first)))
            t.first = at;
        t.worst = verdict_worst(t.worst, v);
    }
    return t;
}

static const char *amount_of(const struct diagnosis *d, const struct symptom *s)
{
    for (uint32_t i = 0; i < d->n; i++)
        if (diagnosed_explains(&d->list[i], s->row))
            return d->list[i].amount;
    return "";
}

static void say(struct monitor *m, enum monitor_state state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(struct monitor *m, enum monitor_state state, const char *format, ...)
{
    va_list args;

    m->state = state;
    va_start(args, format);
    text_vformat(m->says, sizeof m->says, format, args);
    va_end(args);
}

static void say_bad(struct monitor *m, const struct tally *t, const struct diagnosis *d, bool calibrated)
{
    const char *amount = amount_of(d, t->first), *comma = amount[0] ? ", " : "";
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

static void say_row(struct monitor *m, const struct tally *t, bool there)
{
    char share[32];

    if (t->n_passed > 0 && t->decides && symptom_is_bad(t->decides)) {
        say(m, MONITOR_NOT_JUDGED, "not judged: %s shows the defect of another monitor", t->decides->row->id);
    } else if (t->n_passed > 0 && t->decides && t->decides->excludes > 0) {
        m->excludes = t->decides->excludes;
        text_decimal(share, sizeof share, (double)(uint64_t)(10 * m->excludes + 0.9999) / 10);
        say(m, MONITOR_GOOD, "good to %s %%", share);
    } else if (t->n_passed > 0) {
        say(m, MONITOR_GOOD, "good");
    } else if (!there) {
        say(m, MONITOR_ABSENT, "not there");
    } else {
        say(m, MONITOR_NOT_JUDGED, "not judged: %s",
            t->n > 0 ? "none of its checks came to a verdict of its own" : "none of its checks was selected");
    }
}

static void say_unit(struct monitor *m, const struct tally *t, const struct pmon *pmon)
{
    const struct pmon_box *kept = NULL; /* from software */
    bool usable = false;

    for (uint32_t i = 0; i < pmon->n_boxes; i++) {
        const struct pmon_box *box = &pmon->boxes[i];

        if (!text_equal(box->unit->name, m->name))
            continue;
        usable |= box->status == ST_OK && box->why == PMON_USABLE;
        if (box->why != PMON_USABLE && !(pmon_box_missing(box) && box->why != PMON_HIDDEN))
            kept = box;
    }
    if (usable)
        say(m, t->n_passed > 0 ? MONITOR_GOOD : MONITOR_NOT_JUDGED, "%s",
            t->n_passed > 0 ? "good" : "not judged: none of its checks passed");
    else if (!kept)
        say(m, MONITOR_ABSENT, "not there");
    else
        say(m, MONITOR_NOT_JUDGED, "not judged: %s",
            kept->why == PMON_HIDDEN   ? "hidden by firmware"
            : kept->why == PMON_IN_USE ? "in use"
                                       : "its registers do not answer as documented");
}

void monitors_judge(const struct symptoms *s, const struct diagnosis *d, const struct machine *m,
                    const struct pmon *pmon, bool calibrated, struct monitors *out)
{
    *out = (struct monitors){ .n = N_ROWS };
    for (uint32_t i = 0; i < N_ROWS; i++)
        out->list[i].name = rows[i].name;
    if (pmon)
        add_units(out, pmon);
    for (uint32_t i = 0; i < out->n; i++) {
        struct tally t = tally_of(out, s, d, i);

        if (t.worst != VERDICT_PASS)
            say_bad(&out->list[i], &t, d, calibrated);
        else if (i < N_ROWS)
            say_row(&out->list[i], &t, !rows[i].there || rows[i].there(&m->cpus[m->reference].rdt));
        else
            say_unit(&out->list[i], &t, pmon);
    }
}

size_t monitors_line(const struct monitors *m, uint32_t i, char *out, size_t size)
{
    const char *says = m->list[i].says;
    size_t n;

    for (uint32_t k = 0; k < i; k++)
        if (text_equal(m->list[k].says, says))
            return 0;
    n = text_format(out, size, "%s", m->list[i].name);
    for (uint32_t k = i + 1; k < m->n; k++)
        if (text_equal(m->list[k].says, says))
            n = text_append(out, size, n, ", %s", m->list[k].name);
    return text_append(out, size, n, ": %s", says);
}
