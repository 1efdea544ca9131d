/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/uncore_faults.c: every fault of monitors outside of the cores on every profile that can have it. See
 * usage[]. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/matrix/fault_found.h"
#include "tests/matrix/machine_draw.h"
#include "tests/matrix/machine_run.h"
#include "tests/matrix/take_number.h"
#include "tests/silicon/faults/fault.h"
#include "tests/silicon/profiles/profile.h"

static const char usage[] =
    "uncore-faults [--only TEXT] [--doc FILE] [--jobs J]\n"
    "\n"
    "Each fault of monitors outside of the cores, on each profile whose silicon has what breaks, under the checks "
    "that\n"
    "hold one of its rows. Prints \"PASS fault on profile\" where one of them says FAIL or WARN, and \"FAIL fault on\n"
    "profile: why\" where none does: the fault matrix tries a fault on two profiles, this on all of them. The last "
    "line\n"
    "has the sums. Exit status 1: a fault was not found somewhere.\n"
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
    uint32_t jobs;
} asked;

static void select_checks(const struct machine_run *machine, struct whole_run *w)
{
    const struct run *r = machine->context;

    fault_select(r->fault, r->part, false, w);
}

static void add_run(const struct model_fault *fault, const struct profile *part)
{
    uint32_t dies = profile_dies(part), packages = fault->packages ? fault->packages : 1;
    uint32_t clusters = fault->clusters ? fault->clusters : 1;
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
    r->machine.config = (struct model_config){ .profile = part->name,
                                               .packages = packages * dies,
                                               .cores = 2,
                                               .threads = 2,
                                               .clusters = clusters,
                                               .slices = machine_slices(part, clusters),
                                               .seed = SEED };
    r->machine.config.faults[r->machine.config.n_faults++] = fault->name;
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
    "check that holds one of the fault's rows. + found, **no** not found, empty: the part has not got it. [faults.md]"
    "(faults.md) says what\n"
    "each fault stands for.\n"
    "\n"
    "A UPI port less on gnr, srf and cwf is not to be told from a smaller part: ports are where discovery tables say, "
    "how "
    "many there are\n"
    "differs from product to product, and no public source says that each has one B2UPI, as each of spr had one "
    "M3UPI.\n"
    "Their files have no event of the U-box but EVENT_MSG, so that nothing tells whether it heeds ev_sel.\n"
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
    FILE *out = fopen(path, "w");

    if (!out) {
        perror(path);
        exit(EXIT_FAILURE);
    }
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
    if (fclose(out) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

/* --- the command line */

static bool take_arguments(int argc, char **argv)
{
    static const struct option known[] = {
        { "only", required_argument, NULL, 'o' },
        { "doc", required_argument, NULL, 'd' },
        { "jobs", required_argument, NULL, 'j' },
        { 0 },
    };
    uint64_t number;

    asked.jobs = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'o')
            asked.only = optarg;
        else if (option == 'd')
            asked.doc = optarg;
        else if (option == 'j' && take_number(optarg, 1, 64, &number))
            asked.jobs = (uint32_t)number;
        else
            return false;
    }
    return optind == argc;
}

int main(int argc, char **argv)
{
    static struct machine_run *all[MAX_RUNS];

    if (argc > 1 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    if (!take_arguments(argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    plan();
    if (n_runs == 0) {
        fprintf(stderr, "uncore-faults: no fault or profile is called '%s'\n", asked.only ? asked.only : "");
        return 2;
    }
    for (uint32_t i = 0; i < n_runs; i++)
        all[i] = &runs[i].machine;
    machine_runs(all, n_runs, asked.jobs, RUN_SECONDS, judge);
    printf("%u faults on %u profiles that have them: %u found, %u not\n", faults_run(), n_runs, n_found,
           n_runs - n_found);
    if (asked.doc)
        write_doc(asked.doc);
    return n_found == n_runs ? EXIT_SUCCESS : EXIT_FAILURE;
}
