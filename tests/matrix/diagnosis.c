/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/diagnosis.c: whether a diagnosis names the fault that a machine was given. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/matrix/diagnosis_runs.h"
#include "tests/matrix/take_number.h"
#include "tests/silicon/faults/fault.h"
#include "tests/silicon/profiles/profile.h"

static const char usage[] =
    "diagnosis [--only TEXT] [--sample N] [--pairs N] [--runs quick|whole|both] [--keep FOLDER [--kept]] [--doc FILE] "
    "[--jobs "
    "J]\n"
    "\n"
    "Each fault of the catalogue on two parts, all checks of -quick: which cause the diagnosis names first, whether "
    "the\n"
    "fault's is among the first three, and which part of the machine it names. Exit status 1: fewer than 90 % are "
    "named\n"
    "first, fewer than 98 % among the first three, fewer than 90 % of the parts that a fault has, or fewer than 70 % "
    "of\n"
    "pairs.\n"
    "\n"
    "  --only TEXT   faults whose name has TEXT, \"pairs\": the pairs alone; no exit status 1\n"
    "  --sample N    every N-th fault alone\n"
    "  --pairs N     N machines with two faults each, drawn; both are to be named (0: none)\n"
    "  --runs WHICH  quick: checks of -quick (default); whole: all checks; both: each machine twice\n"
    "  --keep FOLDER what the checks of a run came to is kept there, and where it is there already the diagnosis is "
    "made\n"
    "                of it again, and nothing is run: for changes of the causes alone\n"
    "  --kept        what is not kept is left out\n"
    "  --doc FILE    writes the page: scores, and the causes of each run\n"
    "  --jobs J      runs at a time\n";

#define MAX_RUNS    2048u
#define RUN_SECONDS 900u

static struct diagnosis_run runs[MAX_RUNS];
static struct diagnosis_score scores[2]; /* of -quick, of whole runs */
static uint32_t n_runs;
static struct {
    const char *only, *doc, *keep;
    uint32_t sample, pairs, jobs;
    bool quick, whole, kept;
} asked = { .sample = 1, .jobs = 2, .quick = true };

static void add_run(const char *profile, const struct model_fault *a, const struct model_fault *b)
{
    for (uint32_t whole = !asked.quick; whole <= asked.whole; whole++) {
        if (n_runs == MAX_RUNS) {
            fprintf(stderr, "diagnosis: more than %u runs\n", MAX_RUNS);
            exit(EXIT_FAILURE);
        }
        runs[n_runs++] = (struct diagnosis_run){ .profile = profile,
                                                 .faults = { a, b },
                                                 .n_faults = b   ? 2
                                                             : a ? 1
                                                                 : 0,
                                                 .whole = whole != 0 };
    }
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

static void judge(struct machine_run *machine)
{
    const struct diagnosis_run *r = (const struct diagnosis_run *)machine;

    if (!machine_run_ended_well(machine))
        printf("ERROR  %s%s on %s did not end\n", r->whole ? "whole " : "",
               r->n_faults ? r->faults[0]->name : "no fault", r->profile);
    else
        diagnosis_run_judge(r, &scores[r->whole]);
}

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

static void plan_faultless(void)
{
    for (uint32_t p = 0; p < profile_count(); p++)
        if (!asked.only || strstr("no-fault", asked.only))
            add_run(profiles[p]->name, NULL, NULL);
}

static void plan(void)
{
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    for (uint32_t f = 0; f < n; f += asked.sample)
        if (!asked.only || strstr(faults[f].name, asked.only))
            plan_fault(&faults[f]);
    plan_faultless();
    if (!asked.only || strcmp(asked.only, "pairs") == 0)
        plan_pairs(asked.pairs);
}

static void take_runs(const char *which)
{
    asked.whole = strcmp(which, "quick") != 0;
    asked.quick = strcmp(which, "whole") != 0;
    if (asked.whole && strcmp(which, "whole") != 0 && strcmp(which, "both") != 0) {
        fprintf(stderr, "diagnosis: --runs is quick, whole or both\n");
        exit(2);
    }
}

static void take_option(char option, const char *value)
{
    uint64_t number = 0;

    if (option == 'r')
        take_runs(value);
    else if (option == 'K')
        asked.kept = true;
    else if (option == 'k')
        asked.keep = value;
    else if (option == 'o')
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
        { "only", required_argument, NULL, 'o' },  { "sample", required_argument, NULL, 's' },
        { "pairs", required_argument, NULL, 'p' }, { "runs", required_argument, NULL, 'r' },
        { "keep", required_argument, NULL, 'k' },  { "kept", no_argument, NULL, 'K' },
        { "doc", required_argument, NULL, 'd' },   { "jobs", required_argument, NULL, 'j' },
        { "help", no_argument, NULL, 'h' },        { NULL, 0, NULL, 0 },
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

/* Those that are to be run. */
static uint32_t prepare(struct machine_run **all)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_runs; i++) {
        diagnosis_run_prepare(&runs[i], asked.keep);
        if (diagnosis_run_again(&runs[i]))
            diagnosis_run_judge(&runs[i], &scores[runs[i].whole]);
        else if (asked.kept)
            runs[i].machine.answer = calloc(1, 1);
        else
            all[n++] = &runs[i].machine;
    }
    return n;
}

int main(int argc, char **argv)
{
    static struct machine_run *all[MAX_RUNS];
    bool quick, whole;

    take_options(argc, argv);
    plan();
    machine_runs(all, prepare(all), asked.jobs, RUN_SECONDS, judge);
    quick = diagnosis_score_say(&scores[0], "-quick");
    whole = diagnosis_score_say(&scores[1], "whole");
    if (asked.doc && !diagnosis_doc_write(asked.doc, runs, n_runs, &scores[0], &scores[1]))
        return 2;
    return asked.only || (quick && whole) ? EXIT_SUCCESS : EXIT_FAILURE;
}
