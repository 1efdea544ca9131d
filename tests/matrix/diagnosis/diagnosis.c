/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/diagnosis/diagnosis.c: whether a diagnosis names the fault that a machine was given. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/matrix/diagnosis/diagnosis_runs.h"
#include "tests/matrix/faults/fault_found.h"
#include "tests/matrix/matrix.h"
#include "tests/silicon/faults/fault.h"
#include "tests/silicon/profiles/profile.h"

static const char usage[] =
    "matrix diagnosis [--only TEXT] [--pairs N] [--runs quick|whole|both]\n"
    "       [--keep FOLDER] [--doc FILE] [--jobs J]\n"
    "\n"
    "Each fault of the catalogue on two parts, all checks of -quick: which cause the diagnosis\n"
    "names first, whether the fault's is among the first three, and which part of the machine it\n"
    "names. Exit status 1: fewer than 90 % are named first, fewer than 98 % among the first three,\n"
    "fewer than 90 % of the parts that a fault has, or fewer than 70 % of pairs.\n"
    "\n"
    "  --only TEXT   faults whose name has TEXT, \"pairs\": the pairs alone; no exit status 1\n"
    "  --pairs N     N machines with two faults each, drawn; both are to be named (0: none)\n"
    "  --runs WHICH  quick: checks of -quick (default); whole: all checks; both: each machine twice\n"
    "  --keep FOLDER what the checks of a run came to is kept there, and where it is there already\n"
    "                the diagnosis is made of it again, and nothing is run: for changes of the\n"
    "                causes alone\n"
    "  --doc FILE    the page\n"
    "  --jobs J      runs at a time\n";

#define MAX_RUNS    2048u
#define RUN_SECONDS 900u

static struct diagnosis_run runs[MAX_RUNS];
static struct diagnosis_score scores[2]; /* of -quick, of whole runs */
static uint32_t n_runs;
static struct {
    const char *only, *doc, *keep;
    uint32_t pairs;
    bool quick, whole;
} asked = { .quick = true };

static void add_run(const char *profile, const struct model_fault *a, const struct model_fault *b)
{
    for (uint32_t whole = !asked.quick; whole <= asked.whole; whole++) {
        if (n_runs == MAX_RUNS) {
            fprintf(stderr, "diagnosis: more than %u runs\n", MAX_RUNS);
            exit(EXIT_FAILURE);
        }
        runs[n_runs++] = (struct diagnosis_run){
            .profile = profile, .faults = { a, b }, .n_faults = (a != NULL) + (b != NULL), .whole = whole != 0
        };
    }
}

/* The first and the last part that the fault matrix tries it on. What a check cannot judge has no cause. */
static void plan_fault(const struct model_fault *fault)
{
    const struct profile *has[64];
    uint32_t n = fault->found_as ? 0 : fault_profiles(fault, has, 64);

    if (n > 0)
        add_run(has[0]->name, fault, NULL);
    if (n > 1)
        add_run(has[n - 1]->name, fault, NULL);
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

    for (uint32_t f = 0; f < n; f++)
        if (!asked.only || strstr(faults[f].name, asked.only))
            plan_fault(&faults[f]);
    plan_faultless();
    if (!asked.only || strcmp(asked.only, "pairs") == 0)
        plan_pairs(asked.pairs);
}

static bool take_runs(const char *which)
{
    asked.whole = strcmp(which, "quick") != 0;
    asked.quick = strcmp(which, "whole") != 0;
    return !asked.whole || !asked.quick || !strcmp(which, "both") ||
           matrix_refuse("--runs is quick, whole or both, not", which);
}

static const struct matrix_option options[] = {
    { .name = "only", .text = &asked.only },
    { .name = "pairs", .count = &asked.pairs, .most = MAX_RUNS },
    { .name = "runs", .take = take_runs },
    { .name = "keep", .text = &asked.keep },
    { .name = "doc", .text = &asked.doc },
    MATRIX_JOBS,
    { 0 },
};

/* What is kept is judged and not run. */
static void prepare(struct diagnosis_run *r)
{
    diagnosis_run_prepare(r, asked.keep);
    r->machine.left_out = diagnosis_run_again(r);
    if (r->machine.left_out)
        diagnosis_run_judge(r, &scores[r->whole]);
}

static int run(void)
{
    bool quick, whole;

    plan();
    for (uint32_t i = 0; i < n_runs; i++)
        prepare(&runs[i]);
    machine_runs(runs, n_runs, sizeof runs[0], matrix_jobs, RUN_SECONDS, judge);
    quick = diagnosis_score_say(&scores[0], "-quick");
    whole = diagnosis_score_say(&scores[1], "whole");
    if (asked.doc)
        diagnosis_doc_write(asked.doc, runs, n_runs, &scores[0], &scores[1]);
    return asked.only || (quick && whole) ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct matrix_command matrix_diagnosis = { "diagnosis", usage, options, run };
