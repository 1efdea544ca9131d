/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/machines/twins.c: every check on twins of recorded machines, on the host model. See usage[]. */
#include <stdlib.h>
#include <string.h>

#include "tests/matrix/machines/machine_run.h"
#include "tests/matrix/matrix.h"
#include "tests/silicon/recorded/recording.h"

static const char usage[] =
    "matrix twins FILE... [--only CHECK]... [--profile NAME] [--skips] [--streams FOLDER] [--quick] [--jobs J]\n"
    "\n"
    "Runs every check on a twin of each recorded machine (docs/recording.md): its processors and CPUID, on the model "
    "of\n"
    "its generation, without a defect. Prints each FAIL, ERROR and WARN. Exit status 1: one is FAIL or ERROR, or a "
    "run\n"
    "did not end; 2: a machine cannot be made.\n"
    "\n"
    "  --only CHECK      these checks alone; may be a pattern: cmt.*\n"
    "  --profile NAME    the model of this profile; else the nearest by signature\n"
    "  --skips           print each SKIP and its reason as well\n"
    "  --streams FOLDER  each twin leaves its report.jsonl as FOLDER/NAME.jsonl\n"
    "  --quick           without the long checks, as Assay's -quick\n"
    "  --jobs J          runs at a time\n";

#define MOST        128u
#define RUN_SECONDS 3600u

static struct {
    const char *files[MOST], *checks[8], *profile, *streams;
    uint32_t n, n_checks;
    bool skips, quick;
} asked;

static struct twin_run {
    struct machine_run run;
    struct recording *recording;
} twins[MOST];

static uint32_t bad, warnings;

static void select_checks(const struct machine_run *, struct whole_run *w)
{
    w->quick = asked.quick;
    w->no_figures = true; /* the profile's bands are those of another machine */
    for (uint32_t i = 0; i < asked.n_checks; i++)
        w->tests[i] = asked.checks[i];
    if (asked.n_checks == 0)
        w->skips[0] = MACHINE_RUN_NEVER;
}

static void ended(struct machine_run *r)
{
    const struct recording *recording = r->config.recording;
    bool well = machine_run_ended_well(r);
    uint32_t n[2] = { 0 }; /* PASS, SKIP */
    char text[256];
    struct finding f;

    for (const char *at = r->answer; (at = machine_run_next(at, &f)) != NULL;) {
        bool pass = !strcmp(f.verdict, "PASS"), skip = !strcmp(f.verdict, "SKIP");

        n[0] += pass;
        n[1] += skip;
        warnings += !strcmp(f.verdict, "WARN");
        bad += !strcmp(f.verdict, "FAIL") || !strcmp(f.verdict, "ERROR");
        if (!pass && (!skip || asked.skips))
            printf("%s: %-5s %s: %s\n", recording->name, f.verdict, f.id, f.reason);
    }
    if (!well)
        printf("%s: ERROR the run %s\n", recording->name, machine_run_why(r, text, sizeof text));
    bad += !well;
    printf("%s: %u processors; %u PASS, %u SKIP; %.1f s\n", recording->name, recording->n_cpus, n[0], n[1], r->seconds);
    machine_run_forget(r);
}

/* Whether the model can be that machine; says why not. */
static bool open_twin(struct twin_run *t, const char *path)
{
    char error[512] = "";
    struct model *m;

    t->recording = recording_open(path, error, sizeof error);
    if (!t->recording) {
        fprintf(stderr, "matrix: %s: %s\n", path, error);
        return false;
    }
    t->run = (struct machine_run){ .config = { .profile = asked.profile, .seed = 1, .recording = t->recording },
                                   .select = select_checks,
                                   .every_verdict = true };
    m = model_new(&t->run.config, error, sizeof error);
    if (!m) {
        fprintf(stderr, "matrix: %s: %s\n", path, error);
        return false;
    }
    model_free(m);
    machine_run_keep(&t->run, asked.streams, "%s", t->recording->name);
    return true;
}

static bool take_file(const char *text)
{
    if (asked.n == MOST)
        return matrix_refuse("too many files with", text);
    asked.files[asked.n++] = text;
    return true;
}

static bool take_only(const char *text)
{
    if (!check_find(text) && !strpbrk(text, "*?"))
        return matrix_refuse("there is no check", text);
    if (asked.n_checks == sizeof asked.checks / sizeof asked.checks[0])
        return matrix_refuse("too many checks with", text);
    asked.checks[asked.n_checks++] = text;
    return true;
}

static const struct matrix_option options[] = {
    { .name = "", .take = take_file },
    { .name = "only", .take = take_only },
    { .name = "profile", .text = &asked.profile },
    { .name = "skips", .flag = &asked.skips },
    { .name = "streams", .text = &asked.streams },
    { .name = "quick", .flag = &asked.quick },
    MATRIX_JOBS,
    { 0 },
};

static int run(void)
{
    for (uint32_t i = 0; i < asked.n; i++)
        if (!open_twin(&twins[i], asked.files[i]))
            return 2;
    if (asked.n == 0)
        return matrix_refuse("no recording is named; see", "--help") ? 0 : 2;
    machine_runs(twins, asked.n, sizeof twins[0], matrix_jobs, RUN_SECONDS, ended);
    printf("%s %u twins: %u FAIL or ERROR, %u WARN\n", bad ? "FAIL" : "PASS", asked.n, bad, warnings);
    for (uint32_t i = 0; i < asked.n; i++)
        recording_free(twins[i].recording);
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

const struct matrix_command matrix_twins = { "twins", usage, options, run };
