/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/machines.c: every check on faultless machines that are drawn, on the host model. See usage[]. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/matrix/machine_census.h"
#include "tests/matrix/machine_draw.h"
#include "tests/matrix/machine_run.h"
#include "tests/matrix/take_number.h"
#include "tests/silicon/profiles/profile.h"

static const char usage[] =
    "machines [N] [--seed S] [--only PROFILE|CHECK]... [--clusters C] [--machine K]\n"
    "         [--no-realism | --typical | --quirk NAME[=VALUE]] [--whole-l3] [--quick]\n"
    "         [--bands | --uncalibrated] [--streams FOLDER] [--jobs J]\n"
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
    "  --bands           with the bands of their profile (tests/silicon/bands); else what experience expects is\n"
    "                    judged by the checks' bounds alone\n"
    "  --uncalibrated    as a machine that has no bands: what experience expects is a WARN\n"
    "  --quick           without the long checks, as Assay's -quick\n"
    "  --streams FOLDER  each machine leaves its report.jsonl as FOLDER/machine-K.jsonl\n"
    "  --jobs J          runs at a time\n";

#define MAX_MACHINES 10000u
#define DRAWN_MOST   100000u /* a package that cannot be cut so is not looked for without end */
#define MAX_CHECKS   8u
#define RUN_SECONDS  600u /* of processor time: a run that takes longer hangs. The largest parts take a fifth of it. */

struct tried {
    struct machine_run run;
    struct drawn_machine drawn;
    char stream[512];
};

static struct {
    uint32_t n, machine, clusters, jobs;
    uint64_t seed;
    const char *profile, *checks[MAX_CHECKS], *quirk, *streams;
    uint32_t n_checks;
    bool no_realism, typical, whole_l3, quick, bands, uncalibrated;
} asked = { .n = 40, .seed = 1 };

static struct tried *machines;
static struct machine_run **runs;
static struct census census;

/* --- drawing them */

static void select_checks(const struct machine_run *r, struct whole_run *w)
{
    (void)r;
    w->quick = asked.quick;
    w->no_figures = !asked.bands; /* a part with other quirks is not one that was calibrated */
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
    if (!asked.streams)
        return;
    snprintf(m->stream, sizeof m->stream, "%s/machine-%u.jsonl", asked.streams, number);
    m->run.stream = m->stream;
}

static bool is_wanted(uint32_t number)
{
    struct drawn_machine d;

    if (asked.machine)
        return number == asked.machine;
    machine_draw(&d, asked.seed, number);
    return (!asked.profile || !strcmp(d.config.profile, asked.profile)) &&
           (!asked.clusters || d.config.clusters == asked.clusters);
}

static bool refuse(const char *what, const char *text)
{
    fprintf(stderr, "machines: %s '%s'\n", what, text);
    return false;
}

static bool draw_all(void)
{
    uint32_t n = 0;

    machines = calloc(asked.n, sizeof machines[0]);
    runs = calloc(asked.n, sizeof runs[0]);
    if (!machines || !runs)
        return refuse("no memory for", "so many machines");
    for (uint32_t number = 1; n < asked.n && number <= DRAWN_MOST; number++)
        if (is_wanted(number)) {
            prepare(&machines[n], number);
            runs[n] = &machines[n].run;
            n++;
        }
    return n == asked.n || refuse("no such machine is drawn of", asked.profile ? asked.profile : "these");
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
    free(r->answer);
    r->answer = NULL;
}

static double seconds_of_all(void)
{
    double sum = 0;

    for (uint32_t i = 0; i < asked.n; i++)
        sum += runs[i]->seconds;
    return sum;
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

static bool take_bounded(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    return take_number(text, least, most, value) || refuse("a number was wanted, within its bounds, not", text);
}

static bool take_only(const char *text)
{
    if (profile_by_name(text))
        asked.profile = text;
    else if (!check_find(text) && !strpbrk(text, "*?"))
        return refuse("there is no profile and no check", text);
    else if (asked.n_checks == MAX_CHECKS)
        return refuse("too many checks with", text);
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
    return refuse("there is no quirk", text);
}

static bool take_option(int option, const char *value)
{
    uint64_t number = 0;
    bool fine = true;

    switch (option) {
    case 's':
        return take_bounded(value, 0, UINT64_MAX, &asked.seed);
    case 'o':
        return take_only(value);
    case 'm':
        fine = take_bounded(value, 1, UINT32_MAX, &number);
        asked.machine = (uint32_t)number;
        return fine;
    case 'c':
        fine = take_bounded(value, 1, 8, &number);
        asked.clusters = (uint32_t)number;
        return fine;
    case 'n':
        asked.no_realism = true;
        return true;
    case 't':
        asked.typical = true;
        return true;
    case 'w':
        asked.whole_l3 = true;
        return true;
    case 'b':
        asked.bands = true;
        return true;
    case 'u':
        asked.uncalibrated = true;
        return true;
    case 'q':
        asked.quick = true;
        return true;
    case 'k':
        return take_quirk(value);
    case 'f':
        asked.streams = value;
        return true;
    case 'j':
        fine = take_bounded(value, 1, 64, &number);
        asked.jobs = (uint32_t)number;
        return fine;
    default:
        return false;
    }
}

static bool take_arguments(int argc, char **argv)
{
    static const struct option known[] = {
        { "seed", required_argument, NULL, 's' },    { "only", required_argument, NULL, 'o' },
        { "machine", required_argument, NULL, 'm' }, { "no-realism", no_argument, NULL, 'n' },
        { "quirk", required_argument, NULL, 'k' },   { "streams", required_argument, NULL, 'f' },
        { "jobs", required_argument, NULL, 'j' },    { "clusters", required_argument, NULL, 'c' },
        { "typical", no_argument, NULL, 't' },       { "quick", no_argument, NULL, 'q' },
        { "whole-l3", no_argument, NULL, 'w' },      { "bands", no_argument, NULL, 'b' },
        { "uncalibrated", no_argument, NULL, 'u' },  { 0 },
    };
    uint64_t n = asked.n;

    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;)
        if (!take_option(option, optarg))
            return false;
    if (optind < argc && !take_bounded(argv[optind++], 1, MAX_MACHINES, &n))
        return false;
    asked.n = asked.machine ? 1 : (uint32_t)n;
    if (asked.machine && !asked.streams)
        asked.streams = "build/machines";
    return optind == argc || refuse("not understood:", argv[optind]);
}

int main(int argc, char **argv)
{
    asked.jobs = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (argc > 1 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    if (!take_arguments(argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    if (asked.streams)
        mkdir(asked.streams, 0777);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!draw_all())
        return 2;
    machine_runs(runs, asked.n, asked.jobs, RUN_SECONDS, ended);
    return conclude();
}
