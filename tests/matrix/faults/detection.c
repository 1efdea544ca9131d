/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/faults/detection.c: the smallest strength of each fault that its checks find. See usage[]. */
#include "tests/matrix/faults/detection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/search.h"
#include "tests/matrix/faults/fault_found.h"
#include "tests/matrix/machines/machine_draw.h"
#include "tests/matrix/machines/machine_run.h"
#include "tests/matrix/matrix.h"
#include "tests/silicon/faults/fault.h"
#include "tests/silicon/model/scramble.h"
#include "tests/silicon/profiles/profile.h"

static const char usage[] =
    "matrix detection [--only TEXT]... [--profile NAME]... [--seeds N] [--jobs J]\n"
    "       [--doc FILE | --compare FILE]\n"
    "\n"
    "Searches the smallest strength of each fault that the checks of its rows find on 19 of 20\n"
    "machines, on silicon without quirks of real parts and with the typical ones, and writes\n"
    "the table to FILE. A fault without a strength is found always, or not. With --compare: are\n"
    "the strengths that the table in FILE states found?\n"
    "\n"
    "  --only TEXT      faults whose names have TEXT\n"
    "  --profile NAME   bdx, spr, icx and zen5 where none is given\n"
    "  --seeds N        machines (20); of fewer than 20 each must find it\n"
    "  --jobs J         runs at a time\n";

#define MAX_SEEDS    100u
#define MAX_NAMES    32u
#define WARN_SEEDS   5u /* faultless machines that say which checks warn without a fault */
#define MAX_CHECKS   64u
#define RUN_SECONDS  240u /* of processor time: a run that takes longer hangs */
#define LARGEST_RUNG INT64_C(1000000)
#define NEVER        INT64_MAX

static struct {
    const char *only[MAX_NAMES], *profile[MAX_NAMES];
    uint32_t n_only, n_profiles, seeds;
    const char *doc, *compare;
} asked = { .seeds = 20 };

/* What is wanted on silicon without quirks; with typical ones twice that. 0: that it is found at all. */
static const struct {
    const char *fault;
    int64_t strength;
} wanted[] = {
    { "mbm-loss", 2 },        { "mbm-local-loss", 2 },           { "mbm-rmid-factor", -3 },
    { "occupancy-loss", 3 },  { "occupancy-wrong-rmid", 3 },     { "occupancy-kept-on-eviction", 3 },
    { "mask-leak", 1 },       { "rmid-stale-after-switch", 64 }, { "tag-swap", 0 },
    { "mbm-crowd-loses", 3 },
};

/* --- one fault on one profile */

struct target {
    const struct model_fault *fault;
    const struct profile *part;
    const char *realism;
    struct {
        char id[64];
        uint32_t times;
    } finders[MAX_CHECKS]; /* of the strength that was tried last */
    uint32_t n_finders;
    char first[64]; /* a check that found another strength, and is tried before the others; "": none yet */
    int64_t strength;
    char warns[MAX_CHECKS][64]; /* checks that say so without a fault: theirs is no finding */
    uint32_t n_warns;
};

struct trial {
    struct machine_run run;
    struct target *target;
    char fault[96];
    bool faultless, found, first_alone;
};

static bool has_strength(const struct model_fault *f)
{
    return f->strength != STRENGTH_NONE;
}

/* RMIDs are other ones on each machine: an RMID that checks happen to use is no measure. */
static uint64_t drawn_place(const struct model_fault *f, uint32_t seed)
{
    return f->place_range.most == MODEL_MOST_RMID ? 1 + scramble(seed) % 8 : f->place_value;
}

void detection_name(const struct model_fault *f, int64_t strength, uint32_t seed, char *out, size_t size)
{
    uint64_t place = drawn_place(f, seed);

    if (!has_strength(f) && (!f->place || place == UINT64_MAX)) /* all places, which a range need not have */
        snprintf(out, size, "%s", f->name);
    else if (!f->place)
        snprintf(out, size, "%s:%" PRId64, f->name, strength);
    else if (has_strength(f))
        snprintf(out, size, "%s:%" PRIu64 ":%" PRId64, f->name, place, strength);
    else if (f->range.most == MODEL_MOST_RMID && f->value > 1) /* another RMID */
        snprintf(out, size, "%s:%" PRIu64 ":%" PRIu64, f->name, place, 1 + (place + 1 + scramble(~seed) % 6) % 8);
    else
        snprintf(out, size, "%s:%" PRIu64, f->name, place);
}

static void select_checks(const struct machine_run *r, struct whole_run *w)
{
    const struct trial *trial = r->context;
    const struct target *t = trial->target;

    w->no_figures = true; /* what is found without experience of the part's figures */
    if (trial->first_alone)
        w->tests[0] = t->first;
    else
        fault_select(t->fault, t->part, false, w);
}

static void note_finder(struct target *t, const char *id)
{
    uint32_t i = 0;

    while (i < t->n_finders && strcmp(t->finders[i].id, id) != 0)
        i++;
    if (i == MAX_CHECKS)
        return;
    if (i == t->n_finders)
        snprintf(t->finders[t->n_finders++].id, sizeof t->finders[i].id, "%s", id);
    t->finders[i].times++;
}

static bool warns(const struct target *t, const char *id)
{
    return ANY_OF(i, t->n_warns, !strcmp(t->warns[i], id));
}

static void take_finding(struct trial *trial, const char *id)
{
    struct target *t = trial->target;
    const struct check_row *row = check_find(id);

    if (!row || !rows_meet(row->covers, t->fault->rows) || warns(t, id))
        return;
    if (trial->faultless && t->n_warns < MAX_CHECKS) {
        snprintf(t->warns[t->n_warns++], sizeof t->warns[0], "%s", id);
    } else if (!trial->faultless) {
        note_finder(t, id);
        trial->found = true;
    }
}

static void ended(struct machine_run *r)
{
    struct trial *trial = (struct trial *)r;
    bool well = machine_run_ended_well(r);
    struct finding f;

    for (const char *at = r->answer; well && (at = machine_run_next(at, &f)) != NULL;)
        if (verdict_is_bad(f.verdict))
            take_finding(trial, f.id);
    machine_run_forget(r);
}

static void prepare(struct trial *trial, struct target *t, int64_t strength, uint32_t seed)
{
    const struct model_fault *f = t->fault;

    *trial = (struct trial){ .target = t };
    detection_name(f, strength, seed, trial->fault, sizeof trial->fault);
    trial->run = (struct machine_run){ .context = trial, .select = select_checks };
    trial->run.config = machine_small(t->part, f->packages, f->clusters, seed);
    trial->run.config.realism = t->realism;
    trial->run.config.faults[0] = trial->fault;
}

/* The check that found it on the most machines. */
static const char *finder_of(const struct target *t)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < t->n_finders; i++)
        if (t->finders[i].times > t->finders[best].times)
            best = i;
    return t->n_finders ? t->finders[best].id : "";
}

/* The trials that have not found the fault yet; first_alone: by the check that is tried first. */
static void try_rest(struct target *t, struct trial *trials, int64_t strength, uint32_t first, uint32_t n,
                     bool first_alone)
{
    for (uint32_t i = 0; i < n; i++) {
        trials[i].run.left_out = trials[i].found;
        if (trials[i].found)
            continue;
        prepare(&trials[i], t, strength, first + i);
        trials[i].first_alone = first_alone;
    }
    machine_runs(trials, n, sizeof trials[0], matrix_jobs, RUN_SECONDS, ended);
}

static uint32_t count(void *context, int64_t strength, uint32_t first, uint32_t n)
{
    static struct trial trials[MAX_SEEDS];
    struct target *t = context;
    uint32_t found = 0;

    if (first == 1)
        t->n_finders = 0;
    t->strength = strength;
    memset(trials, 0, sizeof trials);
    if (t->first[0])
        try_rest(t, trials, strength, first, n, true);
    try_rest(t, trials, strength, first, n, false);
    for (uint32_t i = 0; i < n; i++)
        found += trials[i].found;
    if (found == n)
        snprintf(t->first, sizeof t->first, "%s", finder_of(t));
    return found;
}

/* What the checks say of the same machines without the fault. */
static void learn_warns(struct target *t)
{
    static struct trial trials[WARN_SEEDS];
    uint32_t n = asked.seeds < WARN_SEEDS ? asked.seeds : WARN_SEEDS;

    for (uint32_t i = 0; i < n; i++) {
        prepare(&trials[i], t, 0, 1 + i);
        trials[i].faultless = true;
        trials[i].run.config.faults[0] = NULL;
    }
    machine_runs(trials, n, sizeof trials[0], matrix_jobs, RUN_SECONDS, ended);
}

/* --- the search */

static struct strength_search search_of(struct target *t)
{
    return (struct strength_search){
        .seeds = asked.seeds, .misses = asked.seeds / 20, .batch = 2 * matrix_jobs, .count = count, .context = t
    };
}

void detection_ladder(const struct model_fault *f, struct strength_ladder *l)
{
    int64_t value = (int64_t)f->value, most = f->range.most < 0 ? 4 : f->range.most;

    if (f->strength == STRENGTH_FALLS)
        strength_ladder(l, most + 1, f->range.least);
    else if (value < 0)
        strength_ladder(l, 0, f->range.least);
    else
        strength_ladder(l, f->range.least - 1 > 0 ? f->range.least - 1 : 0, most < LARGEST_RUNG ? most : LARGEST_RUNG);
}

/* NEVER: not even the strongest. Of a fault without a strength 0 or NEVER. *finder: the check that found it. */
static int64_t weakest(struct target *t, char *finder, size_t size)
{
    struct strength_search s = search_of(t);
    struct strength_ladder l = { .rung = { 0 }, .n = 1 };
    uint32_t at;

    learn_warns(t);
    if (has_strength(t->fault))
        detection_ladder(t->fault, &l);
    at = strength_search(&s, &l);
    if (at < l.n && t->strength != l.rung[at]) /* the last one that was tried is another rung */
        (void)strength_is_found(&s, l.rung[at]);
    snprintf(finder, size, "%s", at < l.n ? finder_of(t) : "");
    return at < l.n ? l.rung[at] : NEVER;
}

static const char *strength_text(const struct model_fault *f, int64_t strength, char *out, size_t size)
{
    if (strength == NEVER)
        return "never";
    if (!has_strength(f))
        return "always";
    snprintf(out, size, "%" PRId64, strength);
    return out;
}

static const char *wanted_text(const struct model_fault *f, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!strcmp(wanted[i].fault, f->name)) {
            if (!wanted[i].strength)
                return "always";
            snprintf(out, size, "%" PRId64 ", %" PRId64, wanted[i].strength, 2 * wanted[i].strength);
            return out;
        }
    return "";
}

static void search(FILE *out, const struct model_fault *f, const struct profile *part)
{
    struct target ideal = { .fault = f, .part = part }, typical = { .fault = f, .part = part, .realism = "typical" };
    char by[2][64], text[3][48];
    int64_t found = weakest(&ideal, by[0], sizeof by[0]), real = weakest(&typical, by[1], sizeof by[1]);
    bool others = strcmp(by[0], by[1]) != 0;

    fprintf(out, "| %s | %s | %s | %s | %s | %s%s%s | %s |\n", f->name, f->parameter ? f->parameter : "", part->name,
            strength_text(f, found, text[0], sizeof text[0]), strength_text(f, real, text[1], sizeof text[1]), by[0],
            others && by[0][0] && by[1][0] ? ", " : "", others ? by[1] : "", wanted_text(f, text[2], sizeof text[2]));
    fflush(out);
}

static const char head[] =
    "# The smallest defect that is found\n"
    "\n"
    "Written by `make detection` (build/host/matrix detection). Each fault of [faults.md](faults.md) "
    "that has a strength, or a place,\n"
    "on machines of the host model: one package, or two where the fault is between packages, of "
    "2 cores with 2 threads.\n"
    "*Ideal*: without quirks of real parts; *typical*: with those of `--realism typical`. A "
    "figure is the smallest strength\n"
    "that the checks of the fault's rows find, as FAIL or WARN, on %u of %u machines, which "
    "differ by their seeds; *never*:\n"
    "not even the largest. A check that warns without the fault finds nothing. RMIDs are other "
    "ones on each machine.\n"
    "*Found by*: a check that finds it, on ideal and, where it is another one, on typical "
    "silicon; the others are tried\n"
    "where it does not. *Wanted*: at most this on ideal, at most that on typical silicon.\n"
    "\n"
    "| fault | unit | profile | ideal | typical | found by | wanted |\n"
    "| --- | --- | --- | --- | --- | --- | --- |\n";

/* --- which */

static bool is_asked(const char *const *names, uint32_t n, const char *name, bool part)
{
    return n == 0 || ANY_OF(i, n, part ? strstr(name, names[i]) != NULL : !strcmp(names[i], name));
}

static void each(void (*act)(FILE *out, const struct model_fault *f, const struct profile *part), FILE *out)
{
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t p = 0; p < asked.n_profiles; p++) {
            const struct profile *part = profile_by_name(asked.profile[p]);

            if (faults[i].range.most && is_asked(asked.only, asked.n_only, faults[i].name, true) &&
                fault_is_tried(&faults[i], part))
                act(out, &faults[i], part);
        }
}

static int sweep(void)
{
    FILE *out = matrix_open(asked.doc);

    fprintf(out, head, asked.seeds - asked.seeds / 20, asked.seeds);
    each(search, out);
    matrix_close(out, asked.doc);
    return EXIT_SUCCESS;
}

/* --- the table against the checks */

struct stated {
    char fault[64], unit[96], profile[16], ideal[24], typical[24];
};

static bool read_row(const char *line, struct stated *s)
{
    return sscanf(line, "| %63[^ |] |%95[^|]| %15[^ |] | %23[^ |] | %23[^ |] |", s->fault, s->unit, s->profile,
                  s->ideal, s->typical) == 5;
}

/* False: it was tried and is not found. */
static bool holds(const struct stated *s, const struct model_fault *f)
{
    struct target t = { .fault = f, .part = profile_by_name(s->profile) };
    struct strength_search search = search_of(&t);
    bool found;

    if (!strcmp(s->ideal, "never"))
        return true;
    learn_warns(&t);
    found = strength_is_found(&search, strtoll(s->ideal, NULL, 10));
    printf("%s detection: %s of %s on %s is found\n", found ? "PASS" : "FAIL", s->ideal, s->fault, s->profile);
    return found;
}

static int compare(void)
{
    FILE *in = fopen(asked.compare, "r");
    char line[1024];
    uint32_t tried = 0, missed = 0;

    if (!in) {
        perror(asked.compare);
        return 2;
    }
    while (fgets(line, sizeof line, in)) {
        struct stated s;
        const struct model_fault *f = read_row(line, &s) ? model_fault_named(s.fault) : NULL;

        if (!f || !is_asked(asked.profile, asked.n_profiles, s.profile, false) ||
            !is_asked(asked.only, asked.n_only, s.fault, true))
            continue;
        tried++;
        missed += !holds(&s, f);
    }
    fclose(in);
    if (tried == 0)
        printf("FAIL detection: %s states nothing of these faults and profiles\n", asked.compare);
    return tried == 0 || missed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* --- the command line */

static bool take_only(const char *text)
{
    asked.only[asked.n_only++] = text;
    return asked.n_only < MAX_NAMES || matrix_refuse("too many names with", text);
}

static bool take_profile(const char *text)
{
    asked.profile[asked.n_profiles++] = text;
    return (asked.n_profiles < MAX_NAMES && profile_by_name(text)) || matrix_refuse("no profile is called", text);
}

static const struct matrix_option options[] = {
    { .name = "only", .take = take_only },
    { .name = "profile", .take = take_profile },
    { .name = "seeds", .count = &asked.seeds, .least = 1, .most = MAX_SEEDS },
    { .name = "doc", .text = &asked.doc },
    { .name = "compare", .text = &asked.compare },
    { .name = "jobs", .count = &matrix_jobs, .least = 1, .most = MAX_SEEDS / 2 },
    { 0 },
};

static int run(void)
{
    static const char *const usual[] = { "bdx", "spr", "icx", "zen5" };

    if (asked.n_profiles == 0)
        for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
            asked.profile[asked.n_profiles++] = usual[i];
    return asked.compare ? compare() : sweep();
}

const struct matrix_command matrix_detection = { "detection", usage, options, run };
