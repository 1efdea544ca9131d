/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/machines/machines.c: every check on faultless machines that are drawn, on the host model. See usage[]. */
#include <stdlib.h>
#include <string.h>

#include "core/base/search.h"
#include "tests/matrix/machines/machine_census.h"
#include "tests/matrix/machines/machine_draw.h"
#include "tests/matrix/machines/machine_run.h"
#include "tests/matrix/matrix.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/support/run/turn.h"

static const char usage[] =
    "matrix machines [N] [--seed S] [--only PROFILE|CHECK]... [--clusters C] [--machine K]\n"
    "         [--no-realism | --typical | --quirk NAME[=VALUE]] [--whole-l3] [--quick]\n"
    "         [--uncalibrated] [--streams FOLDER] [--jobs J]\n"
    "\n"
    "Draws N faultless machines (40): a profile, packages, cores, threads, clusters and L3 slices that parts of it\n"
    "are sold with, and quirks of real parts (tests/silicon/README.md); runs every check on each. Prints each\n"
    "machine, each FAIL, ERROR and WARN on it, and tables by check, profile and quirk. Exit status 1: a check says\n"
    "FAIL or ERROR, a run did not end, or more than one verdict in a hundred is WARN.\n"
    "\n"
    "  --seed S          other machines (1)\n"
    "  --only PROFILE    N machines of this profile\n"
    "  --only CHECK      these checks alone; may be a pattern: cmt.*\n"
    "  --clusters C      N machines whose packages have so many NUMA nodes (SNC, NPS)\n"
    "  --machine K       machine K of this seed again, with its stream in FOLDER (build/machines)\n"
    "  --no-realism      the same machines without quirks\n"
    "  --typical         the same machines with typical quirks\n"
    "  --quirk NAME       with this quirk alone, as drawn; NAME=VALUE: at this value wherever the part can have it\n"
    "  --whole-l3        the same machines with the L3 of the recorded part, as in QEMU\n"
    "  --uncalibrated    as a machine that has no bands: what experience expects is a WARN\n"
    "  --quick           without the long checks, as Assay's -quick\n"
    "  --streams FOLDER  each machine leaves its report.jsonl as FOLDER/machine-K.jsonl\n"
    "  --turn T          every eighth machine alone, from the T-th on\n"
    "  --jobs J          runs at a time\n";

#define MAX_MACHINES 10000u
#define DRAWN_MOST   100000u /* a package that cannot be cut so is not looked for without end */
#define MAX_CHECKS   8u
#define RUN_SECONDS  600u /* of processor time: a run that takes longer hangs. The largest parts take a fifth of it. */

struct tried {
    struct machine_run run;
    struct drawn_machine drawn;
};

static struct {
    uint32_t n, machine, clusters, turn;
    uint64_t seed;
    const char *profile, *checks[MAX_CHECKS], *quirk, *streams;
    uint32_t n_checks;
    bool no_realism, typical, whole_l3, quick, uncalibrated;
} asked = { .n = 40, .seed = 1 };

static struct tried *machines;
static struct census census;

/* --- drawing them */

static void select_checks(const struct machine_run *, struct whole_run *w)
{
    w->quick = asked.quick;
    w->no_figures = true; /* a part with other quirks is not one that was calibrated */
    w->uncalibrated = asked.uncalibrated;
    for (uint32_t i = 0; i < asked.n_checks; i++)
        w->tests[i] = asked.checks[i];
    if (asked.n_checks == 0)
        w->skips[0] = MACHINE_RUN_NEVER;
}

static void prepare(struct tried *m, uint32_t number)
{
    machine_draw(&m->drawn, asked.seed, number);
    if (asked.no_realism || asked.quirk)
        machine_keep_quirk(&m->drawn, asked.no_realism ? NULL : asked.quirk);
    if (asked.whole_l3)
        m->drawn.config.slices = 0;
    if (asked.typical)
        snprintf(m->drawn.realism, sizeof m->drawn.realism, "typical");
    m->run =
        (struct machine_run){ .config = m->drawn.config, .context = m, .select = select_checks, .every_verdict = true };
    machine_run_keep(&m->run, asked.streams, "machine-%u", number);
}

static bool is_wanted(uint32_t number)
{
    struct drawn_machine d;

    if (asked.machine)
        return number == asked.machine;
    machine_draw(&d, asked.seed, number);
    return turn_has(asked.turn, number, 8) && (!asked.profile || !strcmp(d.config.profile, asked.profile)) &&
           (!asked.clusters || d.config.clusters == asked.clusters);
}

static bool draw_all(void)
{
    uint32_t n = 0;

    machines = calloc(asked.n, sizeof machines[0]);
    if (!machines)
        return matrix_refuse("no memory for", "so many machines");
    for (uint32_t number = 1; n < asked.n && number <= DRAWN_MOST; number++)
        if (is_wanted(number))
            prepare(&machines[n++], number);
    return n == asked.n || matrix_refuse("no such machine is drawn of", asked.profile ? asked.profile : "these");
}

/* --- what they say */

static void ended(struct machine_run *r)
{
    const struct drawn_machine *d = &((const struct tried *)r->context)->drawn;
    bool well = machine_run_ended_well(r);
    char text[4096];
    struct finding f;

    machine_text(d, text, sizeof text);
    printf("%s; %.1f s\n", text, r->seconds);
    if (!well)
        printf("machine %u: ERROR the run %s\n", d->number, machine_run_why(r, text, sizeof text));
    for (const char *at = r->answer; (at = machine_run_next(at, &f)) != NULL;)
        if (strcmp(f.verdict, "PASS") != 0 && strcmp(f.verdict, "SKIP") != 0)
            printf("machine %u: %-5s %s: %s\n", d->number, f.verdict, f.id, f.reason);
    census_add(&census, d, r->answer, well);
    machine_run_forget(r);
}

static double seconds_of_all(void)
{
    return SUM_OF(double, i, asked.n, machines[i].run.seconds);
}

static int conclude(void)
{
    bool sound = census_no_false_verdict(&census), quiet = census_few_warnings(&census);

    census_print(&census, stdout);
    printf("\n%.0f s of processor time, %u (machine, check) pairs, of which %u are not SKIP\n", seconds_of_all(),
           census_pairs(&census), census_pairs(&census) - census.verdicts[VERDICT_SKIP]);
    printf("%s %u machines of seed %lu: %u FAIL, %u ERROR, %u runs that did not end\n", sound ? "PASS" : "FAIL",
           census.all.machines, asked.seed, census.verdicts[VERDICT_FAIL], census.verdicts[VERDICT_ERROR],
           census.ended_badly);
    printf("%s %u machines of seed %lu: %u WARN in %u pairs, at most one in %u\n", quiet ? "PASS" : "FAIL",
           census.all.machines, asked.seed, census.verdicts[VERDICT_WARN], census_pairs(&census), WARN_ONE_IN);
    return sound && quiet ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* --- the command line */

static bool take_only(const char *text)
{
    if (profile_by_name(text))
        asked.profile = text;
    else if (!check_find(text) && !strpbrk(text, "*?"))
        return matrix_refuse("there is no profile and no check", text);
    else if (asked.n_checks == MAX_CHECKS)
        return matrix_refuse("too many checks with", text);
    else
        asked.checks[asked.n_checks++] = text;
    return true;
}

static bool take_quirk(const char *text)
{
    size_t length = strcspn(text, "=");

    asked.quirk = text;
    for (uint32_t k = 0; k < REALISM_QUIRKS; k++)
        if (strlen(realism_quirks()[k].name) == length && !strncmp(realism_quirks()[k].name, text, length))
            return true;
    return matrix_refuse("there is no quirk", text);
}

static const struct matrix_option options[] = {
    { .name = "", .count = &asked.n, .least = 1, .most = MAX_MACHINES },
    { .name = "seed", .number = &asked.seed, .most = UINT64_MAX },
    { .name = "only", .take = take_only },
    { .name = "turn", .count = &asked.turn, .least = 1, .most = UINT32_MAX },
    { .name = "clusters", .count = &asked.clusters, .least = 1, .most = 8 },
    { .name = "machine", .count = &asked.machine, .least = 1, .most = UINT32_MAX },
    { .name = "no-realism", .flag = &asked.no_realism },
    { .name = "typical", .flag = &asked.typical },
    { .name = "quirk", .take = take_quirk },
    { .name = "whole-l3", .flag = &asked.whole_l3 },
    { .name = "quick", .flag = &asked.quick },
    { .name = "uncalibrated", .flag = &asked.uncalibrated },
    { .name = "streams", .text = &asked.streams },
    MATRIX_JOBS,
    { 0 },
};

static int run(void)
{
    if (asked.machine) {
        asked.n = 1;
        asked.streams = asked.streams ? asked.streams : "build/machines";
    }
    if (!draw_all())
        return 2;
    machine_runs(machines, asked.n, sizeof machines[0], matrix_jobs, RUN_SECONDS, ended);
    return conclude();
}

const struct matrix_command matrix_machines = { "machines", usage, options, run };
