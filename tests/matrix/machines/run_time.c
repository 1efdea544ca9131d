/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/machines/run_time.c: how long a run takes by the machine's own clock, on the host model. See usage[]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/matrix/matrix.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/support/run/whole_run.h"

static const char usage[] = "matrix run-time [PROFILE] [--packages N] [--cores N] [--threads N] [--slices N]\n"
                            "       [--clusters N] [--realism QUIRKS] [--only CHECK] [--quick] [--short]\n"
                            "       [--rounds N] [--counts]\n"
                            "\n"
                            "Runs every check on a faultless machine of this size (without PROFILE: spr, 2 packages\n"
                            "of 56 cores and as many slices) and prints what each took: seconds of the machine's\n"
                            "clock (tests/silicon/model/model_clock.h has its costs), bytes that its loads moved,\n"
                            "register accesses, tasks that were handed to processors. The checks that took longest\n"
                            "come first; then the size of report.jsonl, and what the host took for it all. Loads are\n"
                            "as long as on hardware; --short: with the limit of load that other tests have. --counts:\n"
                            "no seconds, and checks in the order of their table: what tests/drivers/costs compares.\n"
                            "Exit status 1: a check says FAIL or ERROR.\n";

static struct {
    struct model_config config;
    const char *only;
    uint32_t rounds;
    bool quick, short_loads, counts;
} asked;

static bool take_only(const char *text)
{
    asked.only = text;
    return check_find(text) || strpbrk(text, "*?") || matrix_refuse("there is no check", text);
}

#define COUNT(name_, field) BRACED(.name = name_, .count = &asked.config.field, .least = 1, .most = 4096)
static const struct matrix_option options[] = {
    { .name = "", .text = &asked.config.profile },
    COUNT("packages", packages),
    COUNT("cores", cores),
    COUNT("threads", threads),
    COUNT("slices", slices),
    COUNT("clusters", clusters),
    { .name = "realism", .text = &asked.config.realism },
    { .name = "only", .take = take_only },
    { .name = "rounds", .count = &asked.rounds, .least = 1, .most = 1000 },
    { .name = "quick", .flag = &asked.quick },
    { .name = "short", .flag = &asked.short_loads },
    { .name = "counts", .flag = &asked.counts },
    { 0 },
};

static int longer_first(const void *a, const void *b)
{
    const struct whole_result *x = a, *y = b;

    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static unsigned long long registers(const struct platform_counts *c)
{
    return c->rdmsr + c->wrmsr + c->pci + c->mmio;
}

static void print(struct whole_run *w)
{
    struct rusage host;
    double seconds = 0;
    uint64_t bytes = 0;

    qsort(w->checks, w->n, sizeof w->checks[0], longer_first);
    printf("%-28s %-5s %10s %12s %10s %8s\n", "check", "", "seconds", "MB moved", "registers", "tasks");
    for (uint32_t i = 0; i < w->n; i++) {
        const struct whole_result *r = &w->checks[i];

        printf("%-28s %-5s %10.6f %12.1f %10llu %8llu\n", r->row->id, verdict_text(r->verdict), r->seconds,
               (double)r->asked.work_bytes / 1e6, registers(&r->asked), (unsigned long long)r->asked.runs);
        seconds += r->seconds;
        bytes += r->asked.work_bytes;
    }
    printf("%-28s %-5s %10.6f %12.1f\n", "all", "", seconds, (double)bytes / 1e6);
    getrusage(RUSAGE_SELF, &host);
    printf("report.jsonl %.3f MB; of the host %.1f s of processor time, %ld MB of memory\n",
           (double)ftell(w->stream) / 1e6, (double)host.ru_utime.tv_sec + (double)host.ru_utime.tv_usec / 1e6,
           host.ru_maxrss / 1000);
}

static void print_counts(const struct whole_run *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        const struct whole_result *r = &w->checks[i];

        if (r->verdict != VERDICT_SKIP)
            printf("%s\t%llu\t%.1f\t%llu\n", r->row->id, registers(&r->asked), (double)r->asked.work_bytes / 1e6,
                   (unsigned long long)r->asked.runs);
    }
}

/* What a server has at least, so that all L3s find room for their buffers at once. The host model takes memory for what
 * is touched of it. */
#define NODE_BYTES (UINT64_C(16) << 30)

static int run(void)
{
    struct whole_run w = { 0 };
    int status;

    if (!asked.config.profile)
        asked.config = (struct model_config){ .profile = "spr", .packages = 2, .cores = 56, .slices = 56 };
    w.quick = asked.quick;
    w.rounds = asked.rounds;
    w.node_bytes = NODE_BYTES;
    w.unlimited = !asked.short_loads;
    w.tests[0] = asked.only;
    w.skips[0] = asked.only ? NULL : "mbm.wrap"; /* hours on the model, where no RMID stands near a wrap */
    w.stream = tmpfile();
    if (!w.stream || !whole_run(&asked.config, &w))
        return 2;
    if (asked.counts)
        print_counts(&w);
    else
        print(&w);
    status = w.counts.fail || w.counts.error;
    whole_run_free(&w);
    fclose(w.stream);
    return status;
}

const struct matrix_command matrix_run_time = { "run-time", usage, options, run };
