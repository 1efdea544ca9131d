/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/defects/drawn.c: defects that nobody listed, on machines that are drawn. See usage[]. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/matrix/faults/fault_found.h"
#include "tests/matrix/defects/flaw_draw.h"
#include "tests/matrix/machines/machine_draw.h"
#include "tests/matrix/machines/machine_run.h"
#include "tests/matrix/matrix.h"

static const char usage[] =
    "matrix drawn [N] [--seed S] [--number K] [--only TEXT] [--no-realism] [--streams FOLDER] [--jobs J]\n"
    "matrix drawn --flaw TEXT [--on PROFILE] [--clusters C] [--streams FOLDER]\n"
    "\n"
    "Composes N defects (44) of monitor, scope, kind, strength, access and trigger\n"
    "(tests/matrix/defects/flaw_draw.h), each at least twice what docs/tolerances.md states as found, on a drawn\n"
    "machine that can have it, and runs the checks of that monitor. Prints for each whether it is found and by which\n"
    "check, and whether the diagnosis names its monitor and kind, and its part. A WARN that the same machine says\n"
    "without the defect finds nothing. Exit status 1: so few are found, named or placed that 90 in a hundred are\n"
    "unlikely (one sample in 20).\n"
    "\n"
    "  --seed S      others (1)\n"
    "  --number K    defect K alone\n"
    "  --only TEXT   those whose line has TEXT\n"
    "  --no-realism  on machines without quirks of real parts\n"
    "  --streams FOLDER  each run leaves its report.jsonl as FOLDER/drawn-K.jsonl\n"
    "  --flaw TEXT   instead this one, as \"MBM local cpu lost 30 stores idle @1\": monitor, scope and kind as drawn "
    "ones\n"
    "                have them, strength, access, trigger, place (@), of each how many (/)\n"
    "  --on PROFILE  on this part, 2 cores of 2 threads a package and no quirks\n"
    "  --jobs J      runs at a time\n";

#define MAX_DRAWN   2000u
#define RUN_SECONDS 300u
#define LEAST_SHARE 0.9

struct tried {
    struct machine_run run;
    struct drawn_flaw drawn;
    bool faultless, found, by_fail, named, placed;
    char by[64], cause[64], part[128];
    char *said; /* of the run with the defect, while the one without it runs */
};

static struct {
    uint32_t n, number;
    uint64_t seed;
    const char *only, *streams, *flaw, *on;
    uint32_t clusters;
    bool no_realism;
} asked = { .n = 44, .seed = 1 };

static struct tried *tried;
static uint32_t n_tried;

/* --- in the run's process */

static void select_checks(const struct machine_run *r, struct whole_run *w)
{
    const struct tried *t = r->context;

    w->no_figures = true; /* as in machines.c */
    w->quick = !flaw_needs_long_checks(&t->drawn);
    flaw_checks(&t->drawn, w->tests, OPTIONS_PATTERNS);
    w->skips[0] = MACHINE_RUN_NEVER;
}

static void put(const struct machine_run *r, const struct whole_run *w, FILE *out)
{
    const struct tried *t = r->context;
    const struct diagnosed *d = w->diagnosis.list;

    for (uint32_t i = 0; i < w->n; i++)
        if (w->checks[i].verdict != VERDICT_PASS && w->checks[i].verdict != VERDICT_SKIP)
            fprintf(out, "%s %s %s\n", w->checks[i].row->id, verdict_text(w->checks[i].verdict), w->checks[i].reason);
    if (w->diagnosis.n > 0)
        fprintf(out, "= %d %d %s|%s\n", flaw_is_named(&t->drawn, d), flaw_is_placed(&t->drawn, d->part),
                diagnosed_id(d), d->part);
}

/* --- what they say */

static void prepare(struct tried *t)
{
    if (asked.no_realism)
        machine_keep_quirk(&t->drawn.machine, NULL);
    t->run =
        (struct machine_run){ .config = t->drawn.machine.config, .context = t, .select = select_checks, .put = put };
    t->run.config.flaw = t->faultless ? NULL : &t->drawn.flaw;
    machine_run_keep(&t->run, asked.streams, "drawn-%u%s", t->drawn.number, t->faultless ? "-without" : "");
}

static bool says(const char *answer, const struct finding *said)
{
    struct finding f;

    while ((answer = machine_run_next(answer, &f)) != NULL && f.id[0] != '=')
        if (!strcmp(f.id, said->id) && !strcmp(f.verdict, said->verdict))
            return true;
    return false;
}

/* The first check that says FAIL, or else the first that says WARN; but: what the machine says without the defect. */
static void take_finder(struct tried *t, const char *answer, const char *but)
{
    struct finding f;

    for (const char *at = answer; (at = machine_run_next(at, &f)) != NULL && f.id[0] != '=';) {
        bool fail = !strcmp(f.verdict, "FAIL");

        if (!finding_is_bad(f.id, f.verdict) || says(but, &f) || (t->found && !fail) || t->by_fail)
            continue;
        t->found = true;
        t->by_fail = fail;
        snprintf(t->by, sizeof t->by, "%s", f.id);
    }
}

static void take_cause(struct tried *t, const char *answer)
{
    const char *at = strstr(answer, "\n= ");
    int named = 0, placed = 0;

    if (at && sscanf(at + 1, "= %d %d %63[^|]|%127[^\n]", &named, &placed, t->cause, t->part) >= 3) {
        t->named = named;
        t->placed = placed;
    }
}

static void print_one(const struct tried *t)
{
    char flaw[160], machine[4096];

    flaw_text(&t->drawn, flaw, sizeof flaw);
    machine_text(&t->drawn.machine, machine, sizeof machine);
    printf("drawn %u: %s: ", t->drawn.number, flaw);
    if (t->found)
        printf("%s by %s; cause %s %s, part \"%s\" %s; %.1f s\n", t->by_fail ? "FAIL" : "WARN", t->by, t->cause,
               t->named ? "right" : "WRONG", t->part,
               !flaw_has_part(&t->drawn) ? "(it has none)"
               : t->placed               ? "right"
                                         : "WRONG",
               t->run.seconds);
    else
        printf("MISSED on %s\n", machine);
}

static void ended(struct machine_run *r)
{
    struct tried *t = (struct tried *)r;

    if (!machine_run_ended_well(r)) {
        char why[128];

        printf("drawn %u: the run %s\n", t->drawn.number, machine_run_why(r, why, sizeof why));
    }
    if (t->faultless) {
        take_finder(t, t->said, r->answer);
        free(t->said);
        t->said = NULL;
    } else {
        take_finder(t, r->answer, "");
        take_cause(t, r->answer);
    }
    if (!t->faultless && t->found && !t->by_fail) {
        t->said = strdup(r->answer);
        t->found = false;
    }
    if (!t->said)
        print_one(t);
    machine_run_forget(r);
}

static void run_all(bool faultless)
{
    for (uint32_t i = 0; i < n_tried; i++) {
        struct tried *t = &tried[i];

        t->run.left_out = faultless && !t->said;
        if (t->run.left_out)
            continue;
        t->faultless = faultless;
        prepare(t);
    }
    machine_runs(tried, n_tried, sizeof tried[0], matrix_jobs, RUN_SECONDS, ended);
}

/* --- the sums */

struct shares {
    uint32_t of, found, named, with_part, placed;
};

/* Where 90 in a hundred are right, 19 of 20 samples have no fewer than this (binomial distribution by its normal
 * approximation, one-sided). */
static bool is_enough(uint32_t right, uint32_t of)
{
    return of == 0 || right >= of * LEAST_SHARE - 1.645 * sqrt(of * LEAST_SHARE * (1 - LEAST_SHARE));
}

static void add(struct shares *s, const struct tried *t)
{
    bool part = t->found && t->named && flaw_has_part(&t->drawn);

    s->of++;
    s->found += t->found;
    s->named += t->found && t->named;
    s->with_part += part;
    s->placed += part && t->placed;
}

static void print_shares(const char *of, const struct shares *s)
{
    printf("%-24s %3u of %3u found, cause right in %u, part right in %u of %u\n", of, s->found, s->of, s->named,
           s->placed, s->with_part);
}

static int conclude(void)
{
    struct shares all = { 0 };
    double seconds = 0;
    bool good;

    puts("");
    for (enum flaw_monitor k = FLAW_CMT; k < FLAW_MONITORS; k++) {
        struct shares s = { 0 };

        for (uint32_t i = 0; i < n_tried; i++)
            if (tried[i].drawn.flaw.monitor == k)
                add(&s, &tried[i]);
        if (s.of)
            print_shares(flaw_monitor_text(k), &s);
    }
    for (uint32_t i = 0; i < n_tried; i++) {
        add(&all, &tried[i]);
        seconds += tried[i].run.seconds;
    }
    print_shares("all", &all);
    good = is_enough(all.found, all.of) && is_enough(all.named, all.found) && is_enough(all.placed, all.with_part);
    printf("%s %u of %u drawn defects of seed %lu are found, the cause right in %u, the part in %u of %u; %.0f s\n",
           good ? "PASS" : "FAIL", all.found, all.of, asked.seed, all.named, all.placed, all.with_part, seconds);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* --- the command line */

static const struct matrix_option options[] = {
    { .name = "", .count = &asked.n, .least = 1, .most = MAX_DRAWN },
    { .name = "seed", .number = &asked.seed, .most = UINT64_MAX },
    { .name = "number", .count = &asked.number, .least = 1, .most = MAX_DRAWN },
    { .name = "only", .text = &asked.only },
    { .name = "no-realism", .flag = &asked.no_realism },
    { .name = "flaw", .text = &asked.flaw },
    { .name = "on", .text = &asked.on },
    { .name = "clusters", .count = &asked.clusters, .least = 1, .most = 6 },
    { .name = "streams", .text = &asked.streams },
    MATRIX_JOBS,
    { 0 },
};

/* --flaw. false: it is not understood. */
static bool compose(struct drawn_flaw *d)
{
    if (!flaw_of_text(&d->flaw, asked.flaw))
        return false;
    d->machine.profile = profile_by_name(asked.on ? asked.on : flaw_part(d->flaw.monitor));
    if (d->machine.profile)
        d->machine.config = machine_small(d->machine.profile, flaw_packages(&d->flaw), asked.clusters, 1);
    return d->machine.profile != NULL;
}

static int run(void)
{
    uint32_t first = asked.number ? asked.number : 1, n = asked.number || asked.flaw ? 1 : asked.n;

    tried = calloc(n, sizeof tried[0]);
    if (!tried) {
        matrix_refuse("no memory for", "so many machines");
        return 2;
    }
    if (asked.flaw && !compose(&tried[n_tried++].drawn)) {
        matrix_refuse("no such defect, or no such part:", asked.flaw);
        return 2;
    }
    for (uint32_t i = 0; i < n && !asked.flaw; i++) {
        char text[160];

        flaw_draw(&tried[n_tried].drawn, asked.seed, first + i);
        flaw_text(&tried[n_tried].drawn, text, sizeof text);
        n_tried += !asked.only || strstr(text, asked.only);
    }
    run_all(false);
    run_all(true);
    return conclude();
}

const struct matrix_command matrix_drawn = { "drawn", usage, options, run };
