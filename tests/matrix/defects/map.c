/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/defects/map.c: which defect of which monitor a check finds, and from which strength on. See usage[]. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/matrix/faults/detection.h"
#include "tests/matrix/faults/fault_found.h"
#include "tests/matrix/defects/flaw_draw.h"
#include "tests/matrix/machines/machine_draw.h"
#include "tests/matrix/machines/machine_run.h"
#include "tests/matrix/matrix.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/support/data/tsv.h"

static const char usage[] =
    "matrix map [--doc FILE] [--try | --search] [--only TEXT] [--jobs J]\n"
    "\n"
    "Reads tests/fixtures/defects/defects.tsv: for each monitor and kind of defect the faults that act it out, the "
    "check that\n"
    "finds each with its smallest strength, or why it cannot be. FAIL: a cell has neither.\n"
    "\n"
    "  --doc FILE   writes the map as a page\n"
    "  --try        is each found, at the strength that is stated?\n"
    "  --search     prints the rows with the check and the smallest strength, which is searched on one machine\n"
    "  --only TEXT  tries rows that have TEXT\n"
    "  --jobs J     runs at a time\n";

#define TABLE       "tests/fixtures/defects/defects.tsv"
#define MAX_ROWS    512u
#define RUN_SECONDS 240u
#define COMPOSED    '~' /* begins a defect that is composed (flaw_draw.h) and not of the catalogue */

static const char *const monitors[] = { "CMT", "MBM total", "MBM local", "CAT",    "CDP", "MBA",
                                        "L2",  "PQR_ASSOC", "QM",        "uncore", "AMD" };
static const enum flaw_monitor flaw_monitors[] = { FLAW_CMT, FLAW_MBM, FLAW_MBM_LOCAL, FLAW_CAT,    FLAW_CDP, FLAW_MBA,
                                                   FLAW_L2,  FLAW_PQR, FLAW_QM,        FLAW_UNCORE, FLAW_ABMC };
static const char *const kinds[] = { "dead",    "scaled",   "lost",      "late",  "leaks",  "swapped",
                                     "aliased", "sticky",   "stale",     "wraps", "access", "contention",
                                     "idle",    "high-ids", "processor", "nth",   "rule" };
static const char *const scopes[] = { "machine", "package", "L3",   "slice", "box",
                                      "core",    "thread",  "RMID", "CLOS",  "bit" };
#define COUNT(of) ((uint32_t)(sizeof(of) / sizeof(of)[0]))

struct row {
    const char *monitor, *kind, *scope, *defect, *part, *by,
        *least; /* of a reason scope is "-" and defect the reason */
};
struct trial {
    struct machine_run run;
    const struct row *row;
    const struct model_fault *fault; /* NULL: flaw */
    struct flaw flaw;
    char name[96], by[64];
    bool found;
};

static struct row rows[MAX_ROWS];
static struct trial trials[MAX_ROWS];
static uint32_t n_rows, failures;
static struct {
    const char *doc, *only;
    bool attempt, search;
} asked;

#define INDEX(list, text) matrix_index(list, COUNT(list), text)

static bool is_reason(const struct row *r)
{
    return !strcmp(r->scope, "-");
}

static bool is_composed(const struct row *r)
{
    return r->defect[0] == COMPOSED;
}

/* --- the table */

static bool is_sound(const struct row *r)
{
    return r->defect[0] && INDEX(kinds, r->kind) < COUNT(kinds) && INDEX(monitors, r->monitor) < COUNT(monitors) &&
           (is_reason(r) || INDEX(scopes, r->scope) < COUNT(scopes)) &&
           (is_reason(r) || is_composed(r) || model_fault_named(r->defect)) && (!r->by[0] || check_find(r->by));
}

static bool read_table(void)
{
    const struct tsv *t = tsv_open(TABLE);

    for (n_rows = 0; n_rows < tsv_rows(t) && n_rows < MAX_ROWS; n_rows++) {
        struct row *r = &rows[n_rows];

        *r = (struct row){ .monitor = tsv_cell(t, n_rows, "monitor"),
                           .kind = tsv_cell(t, n_rows, "kind"),
                           .scope = tsv_cell(t, n_rows, "scope"),
                           .defect = tsv_cell(t, n_rows, "defect"),
                           .part = tsv_cell(t, n_rows, "profile"),
                           .by = tsv_cell(t, n_rows, "check"),
                           .least = tsv_cell(t, n_rows, "strength") };
        if (!is_sound(r))
            return matrix_refuse(TABLE " has a bad row of", r->defect);
    }
    return n_rows > 0 || matrix_refuse("cannot read", TABLE);
}

/* --- a run */

static bool is_a_fail(const void *context, const struct whole_result *r)
{
    const struct trial *t = context;

    return r->verdict == VERDICT_FAIL && finding_is_bad(r->row->id, verdict_text(r->verdict)) &&
           (!t->fault || rows_meet(r->row->covers, t->fault->rows));
}

static void select_checks(const struct machine_run *r, struct whole_run *w)
{
    const struct trial *t = r->context;
    struct drawn_flaw drawn = { .flaw = t->flaw };

    w->no_figures = true; /* what is found without experience of the part's figures */
    w->enough = is_a_fail;
    w->context = t;
    if (t->fault) {
        fault_select(t->fault, profile_by_name(t->run.config.profile), false, w);
        return;
    }
    w->quick = !flaw_needs_long_checks(&drawn);
    flaw_checks(&drawn, w->tests, OPTIONS_PATTERNS);
    w->skips[0] = MACHINE_RUN_NEVER;
}

/* The first FAIL, or else the first WARN. */
static void ended(struct machine_run *r)
{
    struct trial *t = (struct trial *)r;
    bool fail = false;
    struct finding f;

    for (const char *at = r->answer; machine_run_ended_well(r) && !fail && (at = machine_run_next(at, &f)) != NULL;) {
        const struct check_row *row = check_find(f.id);
        bool bad = row && (t->fault ? fault_is_found_by(t->fault, row, f.verdict) : finding_is_bad(f.id, f.verdict));

        fail = bad && !strcmp(f.verdict, "FAIL");
        if (bad && (fail || !t->found))
            snprintf(t->by, sizeof t->by, "%s", f.id);
        t->found |= bad;
    }
    machine_run_forget(r);
}

static const char *first_part(const struct trial *t)
{
    const struct profile *has[1];

    return t->fault ? (fault_profiles(t->fault, has, 1) ? has[0]->name : "") : flaw_part(t->flaw.monitor);
}

static void prepare(struct trial *t, const struct row *r, int64_t strength)
{
    struct strength_ladder l;

    *t = (struct trial){ .row = r, .fault = model_fault_named(r->defect) };
    if (t->fault)
        detection_name(t->fault, strength, 1, t->name, sizeof t->name);
    else if (!flaw_compose(&t->flaw, flaw_monitors[INDEX(monitors, r->monitor)], r->scope, r->kind, r->defect + 1, &l))
        matrix_refuse("not understood:", r->defect);
    if (!t->fault)
        t->flaw.strength = (int32_t)strength;
    t->run = (struct machine_run){ .context = t, .select = select_checks };
    t->run.config =
        machine_small(profile_by_name(r->part[0] ? r->part : first_part(t)),
                      t->fault ? t->fault->packages : flaw_packages(&t->flaw), t->fault ? t->fault->clusters : 1, 1);
    if (t->fault) {
        t->run.config.faults[0] = t->name;
        t->run.config.realism = t->fault->realism;
    } else {
        t->run.config.flaw = &t->flaw;
    }
}

/* The strengths that a row may have, the weakest first; of one without: the one rung 0. */
static void ladder_of(const struct row *r, struct strength_ladder *l)
{
    const struct model_fault *fault = model_fault_named(r->defect);
    struct flaw flaw;

    *l = (struct strength_ladder){ .n = 1 };
    if (fault && fault->strength != STRENGTH_NONE)
        detection_ladder(fault, l);
    else if (!fault)
        (void)flaw_compose(&flaw, flaw_monitors[INDEX(monitors, r->monitor)], r->scope, r->kind, r->defect + 1, l);
}

static bool is_asked(const struct row *r)
{
    char text[512];

    snprintf(text, sizeof text, "%s %s %s %s", r->monitor, r->kind, r->scope, r->defect);
    return !is_reason(r) && (!asked.only || strstr(text, asked.only));
}

static void try_all(void)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_rows; i++) {
        struct strength_ladder l;

        if (!is_asked(&rows[i]))
            continue;
        ladder_of(&rows[i], &l);
        prepare(&trials[n++], &rows[i], l.n == 1 ? l.rung[0] : strtoll(rows[i].least, NULL, 10));
    }
    machine_runs(trials, n, sizeof trials[0], matrix_jobs, RUN_SECONDS, ended);
    for (uint32_t i = 0; i < n; i++) {
        const struct row *r = trials[i].row;

        printf("%s map: %s, %s, %s: %s on %s is found by %s\n", trials[i].found ? "PASS" : "FAIL", r->monitor, r->kind,
               r->scope, r->defect, trials[i].run.config.profile, trials[i].found ? trials[i].by : "no check");
        failures += !trials[i].found;
    }
}

/* --- the smallest strength */

static uint32_t count(void *context, int64_t strength, uint32_t, uint32_t n)
{
    struct trial *t = context;

    prepare(t, t->row, strength);
    machine_runs(t, n, sizeof *t, 1, RUN_SECONDS, ended);
    return t->found;
}

static void search_all(void)
{
    for (uint32_t i = 0; i < n_rows; i++) {
        const struct row *r = &rows[i];
        struct strength_search s = { .seeds = 1, .batch = 1, .count = count, .context = &trials[0] };
        struct strength_ladder l;
        char least[32] = "always";
        uint32_t at;

        if (!is_asked(r))
            continue;
        trials[0] = (struct trial){ .row = r };
        ladder_of(r, &l);
        at = strength_search(&s, &l);
        if (l.n > 1 && at < l.n)
            snprintf(least, sizeof least, "%" PRId64, l.rung[at]);
        failures += at == l.n;
        printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r->monitor, r->kind, r->scope, r->defect, trials[0].run.config.profile,
               at < l.n ? trials[0].by : "", at < l.n ? least : "never");
    }
}

/* --- the page */

/* Filled cells count as 1, those that cannot be as 2, empty ones as 0, both as 3. */
static uint32_t cell_state(uint32_t monitor, uint32_t kind)
{
    uint32_t state = 0;

    for (uint32_t i = 0; i < n_rows; i++)
        if (!strcmp(rows[i].monitor, monitors[monitor]) && !strcmp(rows[i].kind, kinds[kind]))
            state |= is_reason(&rows[i]) ? 2 : 1;
    return state;
}

static void write_cell(FILE *out, uint32_t monitor, uint32_t kind)
{
    const char *between = "";

    fprintf(out, "| %s | %s | ", monitors[monitor], kinds[kind]);
    for (uint32_t i = 0; i < n_rows; i++) {
        const struct row *r = &rows[i];

        if (strcmp(r->monitor, monitors[monitor]) != 0 || strcmp(r->kind, kinds[kind]) != 0)
            continue;
        if (is_reason(r))
            fprintf(out, "cannot be: %s", r->defect);
        else
            fprintf(out, "%s%s (%s, %s): %s%s%s", between, r->defect, r->scope, r->part, r->by,
                    strcmp(r->least, "always") ? " from " : "", strcmp(r->least, "always") ? r->least : "");
        between = "; ";
    }
    fputs(" |\n", out);
}

static const char head[] =
    "# Map of defects\n"
    "\n"
    "Made by `make docs` from `tests/fixtures/defects/defects.tsv`. For each monitor and kind of defect: the fault of "
    "[faults.md](faults.md) that\n"
    "acts it out, or a composed one (`~`: `tests/silicon/model/flaw.h`), its scope and the profile that it was tried "
    "on, the check that\n"
    "finds it without bands of good machines, and the smallest strength that is found on one machine, in the unit of "
    "the fault.\n"
    "What firmware, CPUID or a table says is a defect of no monitor. %u cells: %u filled, %u cannot be, %u empty.\n"
    "\n"
    "| monitor | kind | found by |\n"
    "| --- | --- | --- |\n";

static void conclude(void)
{
    uint32_t n[4] = { 0 };
    FILE *out;

    for (uint32_t m = 0; m < COUNT(monitors); m++)
        for (uint32_t k = 0; k < COUNT(kinds); k++) {
            uint32_t state = cell_state(m, k);

            n[state]++;
            if (state == 0 || state == 3)
                printf("FAIL map: %s, %s: %s\n", monitors[m], kinds[k],
                       state ? "has a fault, and is said to be impossible" : "has no fault and no reason");
        }
    for (uint32_t i = 0; i < n_rows; i++)
        if (!is_reason(&rows[i]) && (!rows[i].by[0] || !rows[i].least[0])) {
            printf("FAIL map: %s, %s: no check is stated for %s\n", rows[i].monitor, rows[i].kind, rows[i].defect);
            failures++;
        }
    failures += n[0] + n[3];
    printf("%s map: of %u cells %u are filled, %u cannot be, %u are empty\n", failures ? "FAIL" : "PASS",
           COUNT(monitors) * COUNT(kinds), n[1], n[2], n[0]);
    if (!asked.doc)
        return;
    out = matrix_open(asked.doc);
    fprintf(out, head, COUNT(monitors) * COUNT(kinds), n[1], n[2], n[0]);
    for (uint32_t m = 0; m < COUNT(monitors); m++)
        for (uint32_t k = 0; k < COUNT(kinds); k++)
            write_cell(out, m, k);
    matrix_close(out, asked.doc);
}

static const struct matrix_option options[] = {
    { .name = "doc", .text = &asked.doc },
    { .name = "only", .text = &asked.only },
    { .name = "try", .flag = &asked.attempt },
    { .name = "search", .flag = &asked.search },
    MATRIX_JOBS,
    { 0 },
};

static int run(void)
{
    if (!read_table())
        return 2;
    if (asked.search) {
        search_all();
    } else {
        if (asked.attempt)
            try_all();
        conclude();
    }
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

const struct matrix_command matrix_map = { "map", usage, options, run };
