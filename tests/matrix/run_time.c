/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/run_time.c: how long a run takes by the machine's own clock, on the host model. See usage[]. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/matrix/take_number.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/support/whole_run.h"

static const char usage[] =
    "run-time [PROFILE] [--packages N] [--cores N] [--threads N] [--slices N] [--clusters N] [--realism QUIRKS]\n"
    "         [--only CHECK] [--quick] [--short]\n"
    "\n"
    "Runs every check on a faultless machine of this size (without PROFILE: spr, 2 packages of 56 cores and as many\n"
    "slices) and prints what each took: seconds of the machine's clock (tests/silicon/model/model_clock.h has its\n"
    "costs), bytes that its loads moved, register accesses, tasks that were handed to processors. The checks that "
    "took\n"
    "longest come first.\n"
    "Loads are as long as on hardware; --short: as on virtual silicon, which says what it is.\n"
    "Exit status 1: a check says FAIL or ERROR.\n";

struct asked {
    struct model_config config;
    const char *only;
    bool quick, short_loads;
};

static bool refuse(const char *what, const char *text)
{
    fprintf(stderr, "run-time: %s '%s'\n", what, text);
    return false;
}

static bool take_count(const char *text, uint32_t *value)
{
    uint64_t number;

    if (!take_number(text, 1, 4096, &number))
        return refuse("1 to 4096 was wanted, not", text);
    *value = (uint32_t)number;
    return true;
}

static bool take_option(struct asked *a, int option, const char *value)
{
    switch (option) {
    case 'p':
        return take_count(value, &a->config.packages);
    case 'c':
        return take_count(value, &a->config.cores);
    case 't':
        return take_count(value, &a->config.threads);
    case 's':
        return take_count(value, &a->config.slices);
    case 'n':
        return take_count(value, &a->config.clusters);
    case 'r':
        a->config.realism = value;
        return true;
    case 'o':
        a->only = value;
        return check_find(value) || strpbrk(value, "*?") || refuse("there is no check", value);
    case 'q':
        a->quick = true;
        return true;
    case 'h':
        a->short_loads = true;
        return true;
    default:
        return false;
    }
}

static bool take_arguments(struct asked *a, int argc, char **argv)
{
    static const struct option known[] = {
        { "packages", required_argument, NULL, 'p' }, { "cores", required_argument, NULL, 'c' },
        { "threads", required_argument, NULL, 't' },  { "slices", required_argument, NULL, 's' },
        { "clusters", required_argument, NULL, 'n' }, { "realism", required_argument, NULL, 'r' },
        { "only", required_argument, NULL, 'o' },     { "quick", no_argument, NULL, 'q' },
        { "short", no_argument, NULL, 'h' },          { 0 },
    };

    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;)
        if (!take_option(a, option, optarg))
            return false;
    if (optind < argc)
        a->config.profile = argv[optind++];
    else
        a->config = (struct model_config){ .profile = "spr", .packages = 2, .cores = 56, .slices = 56 };
    return optind == argc || refuse("not understood:", argv[optind]);
}

static int longer_first(const void *a, const void *b)
{
    const struct whole_result *x = a, *y = b;

    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static void print(struct whole_run *w)
{
    double seconds = 0;
    uint64_t bytes = 0;

    qsort(w->checks, w->n, sizeof w->checks[0], longer_first);
    printf("%-28s %-5s %10s %12s %10s %8s\n", "check", "", "seconds", "MB moved", "registers", "tasks");
    for (uint32_t i = 0; i < w->n; i++) {
        const struct whole_result *r = &w->checks[i];
        const struct platform_counts *c = &r->asked;

        printf("%-28s %-5s %10.3f %12.1f %10llu %8llu\n", r->row->id, verdict_text(r->verdict), r->seconds,
               (double)c->work_bytes / 1e6, (unsigned long long)(c->rdmsr + c->wrmsr + c->pci + c->mmio),
               (unsigned long long)c->runs);
        seconds += r->seconds;
        bytes += c->work_bytes;
    }
    printf("%-28s %-5s %10.3f %12.1f\n", "all", "", seconds, (double)bytes / 1e6);
}

/* What a server has at least, so that all L3s find room for their buffers at once. The host model takes memory for what is
 * touched of it. */
#define NODE_BYTES (UINT64_C(16) << 30)

static void as_hardware(struct machine *m)
{
    m->virtual_silicon[0] = '\0';
}

int main(int argc, char **argv)
{
    struct asked asked = { 0 };
    struct whole_run w = { 0 };
    int status;

    if (argc > 1 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    if (!take_arguments(&asked, argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    w.quick = asked.quick;
    w.node_bytes = NODE_BYTES;
    w.described = asked.short_loads ? NULL : as_hardware;
    w.tests[0] = asked.only;
    w.skips[0] = asked.only ? NULL : "mbm.wrap"; /* hours on the model, where no RMID stands near a wrap */
    if (!whole_run(&asked.config, &w))
        return 2;
    print(&w);
    status = w.counts.fail || w.counts.error;
    whole_run_free(&w);
    return status;
}
