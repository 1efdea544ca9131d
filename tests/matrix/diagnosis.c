/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/diagnosis.c: whether a diagnosis names the fault that a machine was given. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/matrix/fault_causes.h"
#include "tests/matrix/fault_found.h"
#include "tests/matrix/machine_draw.h"
#include "tests/matrix/machine_run.h"
#include "tests/matrix/take_number.h"
#include "tests/silicon/faults/fault.h"
#include "tests/silicon/profiles/profile.h"

static const char usage[] = "diagnosis [--only TEXT] [--sample N] [--pairs N] [--doc FILE] [--jobs J]\n"
                            "\n"
                            "Each fault of the catalogue on two parts, all checks of -quick: which cause the diagnosis "
                            "names first, whether the\n"
                            "fault's is among the first three, and which part of the machine it names. Exit status 1: "
                            "fewer than 90 % are named\n"
                            "first, fewer than 98 % among the first three, fewer than 90 % of the parts that a fault "
                            "has, or fewer than 70 % of pairs.\n"
                            "\n"
                            "  --only TEXT   faults whose name has TEXT; no exit status 1\n"
                            "  --sample N    every N-th fault alone\n"
                            "  --pairs N     N machines with two faults each, drawn; both are to be named (0: none)\n"
                            "  --doc FILE    the table docs/diagnosis.md\n"
                            "  --jobs J      runs at a time\n";

#define MAX_RUNS    1024u
#define RUN_SECONDS 900u
#define SEED        9u

/* What a run's answer says, a line each: "N CAUSE|PART|..." of the list, then "or CAUSE". */
struct run {
    struct machine_run machine;
    const char *profile;
    const struct model_fault *faults[2];
    uint32_t n_faults;
};

static struct run runs[MAX_RUNS];
static uint32_t n_runs;
static struct {
    const char *only, *doc;
    uint32_t sample, pairs, jobs;
} asked = { .sample = 1, .jobs = 2 };

/* --- what is to be run */

static void add_run(const char *profile, const struct model_fault *a, const struct model_fault *b)
{
    if (n_runs == MAX_RUNS) {
        fprintf(stderr, "diagnosis: more than %u runs\n", MAX_RUNS);
        exit(EXIT_FAILURE);
    }
    runs[n_runs++] = (struct run){ .profile = profile, .faults = { a, b }, .n_faults = b ? 2 : 1 };
}

/* The first and the last part that the fault matrix tries it on. */
static void plan_fault(const struct model_fault *fault)
{
    const char *first = NULL, *last = NULL;

    for (uint32_t p = 0; p < profile_count(); p++)
        if (!profiles[p]->like && fault_is_tried(fault, profiles[p])) {
            first = first ? first : profiles[p]->name;
            last = profiles[p]->name;
        }
    if (first)
        add_run(first, fault, NULL);
    if (last && last != first)
        add_run(last, fault, NULL);
}

static uint32_t topology_of(const struct run *r, uint8_t field)
{
    uint32_t most = 1;

    for (uint32_t i = 0; i < r->n_faults; i++) {
        uint32_t n = field ? r->faults[i]->clusters : r->faults[i]->packages;

        most = n > most ? n : most;
    }
    return most;
}

static void select_checks(const struct machine_run *machine, struct whole_run *w)
{
    const struct run *r = machine->context;
    struct model_fault both = *r->faults[0];
    char rows[256];

    if (r->n_faults == 2) {
        snprintf(rows, sizeof rows, "%s,%s", both.rows, r->faults[1]->rows);
        both.rows = rows;
    }
    fault_select(&both, profile_by_name(r->profile), true, w);
}

static void put_answer(const struct machine_run *machine, const struct whole_run *w, FILE *out);

static void prepare(struct run *r)
{
    uint32_t clusters = topology_of(r, 1);

    r->machine = (struct machine_run){ .context = r, .select = select_checks, .put = put_answer };
    r->machine.config = (struct model_config){ .profile = r->profile,
                                               .packages = topology_of(r, 0),
                                               .cores = 2,
                                               .threads = 2,
                                               .clusters = clusters,
                                               .slices = machine_slices(profile_by_name(r->profile), clusters),
                                               .seed = SEED };
    for (uint32_t i = 0; i < r->n_faults; i++)
        r->machine.config.faults[r->machine.config.n_faults++] = r->faults[i]->name;
}

/* --- in the run's process */

static void put_answer(const struct machine_run *machine, const struct whole_run *w, FILE *out)
{
    const struct diagnosis *d = &w->diagnosis;

    (void)machine;
    for (uint32_t i = 0; i < d->n; i++)
        fprintf(out, "%s|%s|%s|%s\n", diagnosed_id(&d->list[i]), d->list[i].part, d->list[i].amount,
                confidence_text(d->list[i].sure));
    for (uint32_t i = 0; i < ALTERNATIVES && d->n > 0; i++)
        if (d->list[0].or_else[i])
            fprintf(out, "or %s|||\n", d->list[0].or_else[i]->id);
}

/* --- what came out */

struct score {
    uint32_t runs, first, three, parts, parts_named, pairs, pairs_named;
};
static struct score score;

struct named {
    char cause[64], part[DIAGNOSED_PART], amount[32], sure[16];
    bool alternative;
};

static const char *next_named(const char *at, struct named *n)
{
    memset(n, 0, sizeof *n);
    if (!*at)
        return NULL;
    n->alternative = strncmp(at, "or ", 3) == 0;
    at += n->alternative ? 3 : 0;
    if (sscanf(at, "%63[^|\n]|%127[^|\n]|", n->cause, n->part) < 1)
        return NULL;
    at = strchr(at, '\n');
    return at ? at + 1 : NULL;
}

/* 1: first, 2: among the first three, counting what it would be else; 0: not, or behind those. */
static uint32_t place_of(const struct run *r, const struct model_fault *fault, struct named *found)
{
    uint32_t place = 0, n = 0;
    struct named now;

    for (const char *at = r->machine.answer; (at = next_named(at, &now)) != NULL;) {
        bool is = fault_is_cause(fault, now.cause);

        n += !now.alternative;
        if (is && place == 0 && (now.alternative || n <= 3)) {
            place = n == 1 && !now.alternative ? 1 : 2;
            *found = now;
        }
    }
    return place;
}

static void judge_one(struct run *r)
{
    struct named found = { .cause = "" };
    uint32_t place = place_of(r, r->faults[0], &found);
    const char *part = fault_part(r->faults[0]);

    if (!r->machine.answer[0]) /* the checks' affair: the fault matrix says where a fault has to be found */
        return;
    score.runs++;
    score.first += place == 1;
    score.three += place != 0;
    if (place != 0 && part) {
        score.parts++;
        score.parts_named += fault_part_is_named(r->faults[0], &r->machine.config, found.part);
    }
    if (place != 1)
        printf("%s %s on %s: %.*s\n", place ? "third" : "MISSED", r->faults[0]->name, r->profile,
               (int)strcspn(r->machine.answer, "\n"), r->machine.answer);
    else if (part && !fault_part_is_named(r->faults[0], &r->machine.config, found.part))
        printf("part   %s on %s: %s, and not %s\n", r->faults[0]->name, r->profile, found.part, part);
}

static void judge_pair(struct run *r)
{
    bool both = true;
    struct named now;

    for (uint32_t i = 0; i < 2; i++) {
        bool named = false;

        for (const char *at = r->machine.answer; (at = next_named(at, &now)) != NULL;)
            named |= !now.alternative && fault_is_cause(r->faults[i], now.cause);
        both &= named;
    }
    score.pairs++;
    score.pairs_named += both;
    if (!both)
        printf("pair   %s and %s on %s: %.*s\n", r->faults[0]->name, r->faults[1]->name, r->profile,
               (int)strcspn(r->machine.answer, "\n"), r->machine.answer);
}

static void judge(struct machine_run *machine)
{
    struct run *r = (struct run *)machine;

    if (!machine_run_ended_well(machine))
        printf("ERROR  %s on %s did not end\n", r->faults[0]->name, r->profile);
    else if (r->n_faults == 2)
        judge_pair(r);
    else
        judge_one(r);
}

static bool enough(uint32_t got, uint32_t of, uint32_t percent)
{
    return got * 100 >= of * percent;
}

static void say(const char *what, uint32_t got, uint32_t of, uint32_t wanted)
{
    if (of > 0)
        printf("%s %s: %u of %u (%.1f %%, wanted %u %%)\n", enough(got, of, wanted) ? "PASS" : "FAIL", what, got, of,
               100.0 * got / of, wanted);
}

/* --- docs/diagnosis.md */

static void write_causes(FILE *out)
{
    fputs("\n## Causes\n\n| cause | monitor | kind | what the machine does wrong |\n| --- | --- | --- | --- |\n", out);
    for (const struct cause_family *const *f = cause_families; *f; f++)
        for (uint32_t i = 0; i < (*f)->n; i++)
            fprintf(out, "| %s | %s | %s | %s |\n", (*f)->causes[i].id, (*f)->causes[i].monitor,
                    defect_text((*f)->causes[i].defect), (*f)->causes[i].says);
}

static void write_runs(FILE *out)
{
    fputs("\n## Faults of the catalogue\n\n| fault | profile | named | first cause | part |\n| --- | --- | --- | --- | "
          "--- |\n",
          out);
    for (uint32_t i = 0; i < n_runs; i++) {
        struct named found = { .cause = "" }, first = { .cause = "" };
        uint32_t place = runs[i].n_faults == 1 ? place_of(&runs[i], runs[i].faults[0], &found) : 0;

        if (runs[i].n_faults == 1 && next_named(runs[i].machine.answer, &first))
            fprintf(out, "| %s | %s | %s | %s | %s |\n", runs[i].faults[0]->name, runs[i].profile,
                    place == 1   ? "first"
                    : place == 2 ? "of three"
                                 : "no",
                    first.cause, first.part);
    }
}

static bool write_doc(const char *path)
{
    FILE *out = fopen(path, "w");

    if (!out) {
        perror(path);
        return false;
    }
    fprintf(out,
            "# What a diagnosis says, and how often it is right\n\n"
            "Written by `make diagnosis`, on the host model. A run with FAIL or WARN ends with causes: those of the "
            "table below that\n"
            "its findings speak for (`core/diagnosis/causes_*.c` has the clues and their weights), or the rule of a "
            "check where none\n"
            "does. What a cause explains is laid aside before the next is chosen.\n\n"
            "Each fault of the catalogue on two parts, with all checks of `-quick`: the first cause is the fault's in "
            "%u of %u runs\n"
            "(%.1f %%), one of the first three in %u (%.1f %%). Of the faults that have a part, it is named in %u of "
            "%u (%.1f %%).\n",
            score.first, score.runs, 100.0 * score.first / score.runs, score.three, 100.0 * score.three / score.runs,
            score.parts_named, score.parts, score.parts ? 100.0 * score.parts_named / score.parts : 0);
    if (score.pairs)
        fprintf(out, "Of %u machines with two faults, drawn, %u had both named (%.1f %%).\n", score.pairs,
                score.pairs_named, 100.0 * score.pairs_named / score.pairs);
    write_causes(out);
    write_runs(out);
    return fclose(out) == 0;
}

/* --- */

static uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Two faults of different rows that one part has both. */
static void plan_pairs(uint32_t n)
{
    uint64_t state = 1;
    uint32_t n_faults;
    const struct model_fault *faults = model_faults(&n_faults);

    while (n > 0) {
        const struct model_fault *a = &faults[draw(&state) % n_faults], *b = &faults[draw(&state) % n_faults];
        const struct profile *part = profiles[draw(&state) % profile_count()];

        if (a == b || rows_meet(a->rows, b->rows) || part->like || !fault_is_tried(a, part) || !fault_is_tried(b, part))
            continue;
        add_run(part->name, a, b);
        n--;
    }
}

static void plan(void)
{
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    for (uint32_t f = 0; f < n; f += asked.sample)
        if (!asked.only || strstr(faults[f].name, asked.only))
            plan_fault(&faults[f]);
    if (!asked.only)
        plan_pairs(asked.pairs);
}

static void take_option(char option, const char *value)
{
    uint64_t number = 0;

    if (option == 'o')
        asked.only = value;
    else if (option == 'd')
        asked.doc = value;
    else if (!take_number(value, option == 'p' ? 0 : 1, MAX_RUNS, &number)) {
        fprintf(stderr, "diagnosis: \"%s\" is no number from 1 to %u\n", value, MAX_RUNS);
        exit(2);
    }
    if (option == 's')
        asked.sample = (uint32_t)number;
    else if (option == 'p')
        asked.pairs = (uint32_t)number;
    else if (option == 'j')
        asked.jobs = (uint32_t)number;
}

static void take_options(int argc, char **argv)
{
    static const struct option options[] = {
        { "only", required_argument, NULL, 'o' },
        { "sample", required_argument, NULL, 's' },
        { "pairs", required_argument, NULL, 'p' },
        { "doc", required_argument, NULL, 'd' },
        { "jobs", required_argument, NULL, 'j' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    int o;

    while ((o = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (o == 'h' || o == '?') {
            fputs(usage, o == 'h' ? stdout : stderr);
            exit(o == 'h' ? EXIT_SUCCESS : 2);
        }
        take_option((char)o, optarg);
    }
}

int main(int argc, char **argv)
{
    static struct machine_run *all[MAX_RUNS];

    take_options(argc, argv);
    plan();
    for (uint32_t i = 0; i < n_runs; i++) {
        prepare(&runs[i]);
        all[i] = &runs[i].machine;
    }
    machine_runs(all, n_runs, asked.jobs, RUN_SECONDS, judge);
    say("the fault's cause is named first", score.first, score.runs, 90);
    say("it is among the first three", score.three, score.runs, 98);
    say("the part is named", score.parts_named, score.parts, 90);
    say("both of two faults are named", score.pairs_named, score.pairs, 70);
    if (asked.doc && !write_doc(asked.doc))
        return 2;
    return asked.only || (enough(score.first, score.runs, 90) && enough(score.three, score.runs, 98) &&
                          enough(score.parts_named, score.parts, 90) && enough(score.pairs_named, score.pairs, 70))
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
