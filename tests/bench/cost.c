/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/bench/cost.c: what the conformance checks cost as a machine grows, on the model.
 *
 *   conformance-cost [-v] [SHAPE...]  SHAPE is PACKAGESxCORESxTHREADS; without, 4, 64, 255, 1024 and 4096 processors
 *   conformance-cost --options        what selects the same checks on a machine
 *
 * Checks of RDT that need no workload run on each machine (profile bdx, an L3 of 4 slices). A line a machine: MSR
 * operations in all and for each processor, runs of tasks, what that takes by the model's clock (virtual and alike in
 * every run: a register operation, a barrier and a hand-over have fixed prices there), and the host's time, which is
 * for information, as the model works its processors off one after another. -v: a line a check as well.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/support/run/whole_run.h"

static const char *const families[] = { "enum.*", "pqr.*", "qm.*",  "reset.*", "cross.*",
                                        "cat.*",  "cdp.*", "mba.*", "l2.*",    "cba.*" };

static double host_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool in_a_family(const struct check_row *row)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        size_t n = strlen(families[i]) - 1; /* without the star */

        if (!strncmp(families[i], row->id, n))
            return true;
    }
    return false;
}

/* pqr.smi waits for what comes from outside. */
static bool leaves_out(const struct check_row *row)
{
    return row->risk == RISK_WORKLOAD || row->about_smis;
}

/* Whole families, and of them not what moves memory: the options -t and -skip can say the same on a machine. */
static void select_checks(struct whole_run *w)
{
    uint32_t n = 0;

    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        w->tests[i] = families[i];
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row))
        if (n < OPTIONS_PATTERNS && in_a_family(row) && leaves_out(row))
            w->skips[n++] = row->id;
}

static struct platform_counts counts_before;
static uint64_t tsc_before;

static uint64_t clock_of(const struct model_platform *mp)
{
    return mp->platform.ops->tsc(mp->platform.machine);
}

static uint64_t msr_operations(const struct platform_counts *c)
{
    return c->rdmsr + c->wrmsr;
}

/* Enumeration and the memory arenas are not what is measured. */
static void begin(struct model_platform *mp)
{
    tsc_before = clock_of(mp);
    counts_before = mp->platform.counts;
}

static bool run(const char *shape, bool verbose)
{
    struct model_config config = { .profile = "bdx", .slices = 4 };
    struct whole_run w = { .before = begin };
    const struct platform_counts *now;
    double from = host_seconds();
    uint32_t cpus, good = 0;
    uint64_t msrs;

    if (sscanf(shape, "%ux%ux%u", &config.packages, &config.cores, &config.threads) != 3) {
        fprintf(stderr, "%s: PACKAGESxCORESxTHREADS is wanted\n", shape);
        return false;
    }
    select_checks(&w);
    if (!whole_run(&config, &w))
        return false;
    cpus = w.mp->platform.n_cpus;
    now = &w.mp->platform.counts;
    msrs = msr_operations(now) - msr_operations(&counts_before);
    for (uint32_t i = 0; i < w.n; i++) {
        good += w.checks[i].verdict == VERDICT_PASS;
        if (verbose || (w.checks[i].verdict != VERDICT_PASS && w.checks[i].verdict != VERDICT_SKIP))
            printf("  %-5s %-22s %10lu MSR ops %6lu runs  %s\n", verdict_text(w.checks[i].verdict), w.checks[i].row->id,
                   (unsigned long)msr_operations(&w.checks[i].asked), (unsigned long)w.checks[i].asked.runs,
                   w.checks[i].reason);
    }
    printf("%10u %8u %6u/%-3u %12lu %10.1f %8lu %11.3f %9.2f\n", cpus, config.packages, good, w.n, (unsigned long)msrs,
           (double)msrs / cpus, (unsigned long)(now->runs - counts_before.runs),
           (double)(clock_of(w.mp) - tsc_before) / (double)w.mp->platform.tsc_hz, host_seconds() - from);
    fflush(stdout);
    whole_run_free(&w);
    return true;
}

static void print_options(void)
{
    struct whole_run w = { 0 };

    select_checks(&w);
    for (uint32_t i = 0; w.tests[i]; i++)
        printf("-t %s ", w.tests[i]);
    for (uint32_t i = 0; i < OPTIONS_PATTERNS && w.skips[i]; i++)
        printf("-skip %s ", w.skips[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    static const char *const shapes[] = { "2x2x1", "2x16x2", "3x85x1", "4x128x2", "8x256x2" };
    bool verbose = argc > 1 && !strcmp(argv[1], "-v"), all = argc == 1 + verbose, ok = true;

    if (argc == 2 && !strcmp(argv[1], "--options"))
        return print_options(), 0;
    printf("%10s %8s %10s %12s %10s %8s %11s %9s\n", "processors", "packages", "pass/all", "MSR ops", "per cpu", "runs",
           "virtual s", "host s");
    for (int i = 1 + verbose; i < argc; i++)
        ok &= run(argv[i], verbose);
    for (size_t i = 0; all && i < sizeof shapes / sizeof shapes[0]; i++)
        ok &= run(shapes[i], verbose);
    return ok ? 0 : 1;
}
