/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/uncore_faults.c: every fault of monitors outside of the cores on every profile that can have it. See
 * usage[]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/matrix/fault_found.h"
#include "tests/matrix/machine_draw.h"
#include "tests/matrix/machine_run.h"
#include "tests/matrix/matrix.h"
#include "tests/silicon/faults/fault.h"
#include "tests/silicon/profiles/profile.h"

static const char usage[] =
    "matrix uncore-faults [--only TEXT] [--doc FILE] [--jobs J]\n"
    "\n"
    "Each fault of monitors outside of the cores, on each profile whose silicon has what\n"
    "breaks, under the checks that hold one of its rows. Prints \"PASS fault on profile\" where\n"
    "one of them says FAIL or WARN, and \"FAIL fault on profile: why\" where none does: faults\n"
    "tries a fault on two profiles, this on all of them. The last line has the sums. Exit\n"
    "status 1: a fault was not found somewhere.\n"
    "\n"
    "  --only TEXT   runs whose \"fault on profile\" has TEXT\n"
    "  --doc FILE    writes the page: faults by profiles\n"
    "  --jobs J      runs at a time\n";

#define MAX_RUNS    4096u
#define SEED        9u
#define RUN_SECONDS 240u /* of processor time: a run that takes longer hangs */

struct run {
    struct machine_run machine;
    const struct profile *part;
    const struct model_fault *fault;
    char name[96];
    bool found;
};

static struct run runs[MAX_RUNS];
static uint32_t n_runs, n_found;
static struct {
    const char *only, *doc; /* or NULL */
} asked;
static const struct matrix_option options[] = {
    { .name = "only", .text = &asked.only },
    { .name = "doc", .text = &asked.doc },
    MATRIX_JOBS,
    { 0 },
};

static void select_checks(const struct machine_run *machine, struct whole_run *w)
{
    const struct run *r = machine->context;

    fault_select(r->fault, r->part, false, w);
}

static void add_run(const struct model_fault *fault, const struct profile *part)
{
    struct run *r = &runs[n_runs];

    if (n_runs == MAX_RUNS) {
        fprintf(stderr, "uncore-faults: more than %u runs\n", MAX_RUNS);
        exit(EXIT_FAILURE);
    }
    *r = (struct run){ .fault = fault, .part = part };
    snprintf(r->name, sizeof r->name, "%s on %s", fault->name, part->name);
    if (asked.only && !strstr(r->name, asked.only))
        return;
    r->machine = (struct machine_run){ .context = r, .select = select_checks };
    r->machine.config = machine_small(part, fault->packages, fault->clusters, SEED);
    r->machine.config.faults[0] = fault->name;
    n_runs++;
}

static void plan(void)
{
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    for (uint32_t f = 0; f < n; f++)
        for (uint32_t p = 0; p < profile_count() && fault_is_of_uncore(&faults[f]); p++)
            if (fault_fits(&faults[f], profiles[p]))
                add_run(&faults[f], profiles[p]);
}

static void judge(struct machine_run *machine)
{
    struct run *r = (struct run *)machine;
    bool ended = machine_run_ended_well(machine);

    r->found = ended && fault_is_found(r->fault, machine->answer);
    n_found += r->found;
    if (r->found)
        printf("PASS %s\n", r->name);
    else
        printf("FAIL %s: %s\n", r->name,
               ended ? "no check that holds one of its rows found it" : "the run did not end");
}

static uint32_t faults_run(void)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_runs; i++)
        n += i == 0 || runs[i].fault != runs[i - 1].fault;
    return n;
}

/* --- the table */

static const char doc_head[] =
    "# Faults of uncore monitors, on every profile\n"
    "\n"
    "Written by `make uncore-faults`: %u faults, %u pairs of a fault and a profile whose silicon has what breaks, %u "
    "of "
    "them found by a\n"
    "check that holds one of the fault's rows. + found, **no** not found, empty: the part lacks it. [faults.md]"
    "(faults.md) says what\n"
    "each fault stands for.\n"
    "\n"
    "A UPI port less on gnr, srf and cwf cannot be distinguished from a smaller part: ports are where discovery tables "
    "say, "
    "how "
    "many there are\n"
    "differs from product to product, and no public source says that each has one B2UPI, as each of spr had one "
    "M3UPI.\n"
    "Their files have no event of the U-box but EVENT_MSG, so nothing shows whether it respects ev_sel.\n"
    "\n";

/* The runs of one fault stand together, in the order of profiles. */
static void write_row(FILE *out, uint32_t first)
{
    uint32_t at = first;

    fprintf(out, "| %s |", runs[first].fault->name);
    for (uint32_t p = 0; p < profile_count(); p++) {
        bool here = at < n_runs && runs[at].fault == runs[first].fault && runs[at].part == profiles[p];

        fputs(!here ? " |" : runs[at].found ? " + |" : " **no** |", out);
        at += here;
    }
    fputc('\n', out);
}

static void write_doc(const char *path)
{
    FILE *out = matrix_open(path);

    fprintf(out, doc_head, faults_run(), n_runs, n_found);
    fputs("| fault |", out);
    for (uint32_t p = 0; p < profile_count(); p++)
        fprintf(out, " %s |", profiles[p]->name);
    fputs("\n| --- |", out);
    for (uint32_t p = 0; p < profile_count(); p++)
        fputs(" --- |", out);
    fputc('\n', out);
    for (uint32_t i = 0; i < n_runs; i++)
        if (i == 0 || runs[i].fault != runs[i - 1].fault)
            write_row(out, i);
    matrix_close(out, path);
}

static int run(void)
{
    plan();
    if (n_runs == 0) {
        matrix_refuse("no fault or profile is called", asked.only);
        return 2;
    }
    machine_runs(runs, n_runs, sizeof runs[0], matrix_jobs, RUN_SECONDS, judge);
    printf("%u faults on %u profiles that have them: %u found, %u not\n", faults_run(), n_runs, n_found,
           n_runs - n_found);
    if (asked.doc)
        write_doc(asked.doc);
    return n_found == n_runs ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct matrix_command matrix_uncore_faults = { "uncore-faults", usage, options, run };
