/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/faults/machine_faults.c: every fault on machines that are drawn, on the host model. See usage[]. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/matrix/faults/fault_found.h"
#include "tests/matrix/faults/fault_lists.h"
#include "tests/matrix/faults/fault_machines.h"
#include "tests/matrix/machines/machine_draw.h"
#include "tests/matrix/machines/machine_run.h"
#include "tests/matrix/matrix.h"
#include "tests/support/run/turn.h"

static const char usage[] =
    "matrix machine-faults [N] [--seed S] [--only TEXT] [--machine K] [--no-realism] [--streams FOLDER] [--jobs J]\n"
    "\n"
    "Tries each fault on N machines (40) that are drawn as by matrix machines, of those that can have the\n"
    "fault and show it (tests/matrix/faults/fault_machines.c): do the checks that hold one of its rows find it, by\n"
    "FAIL, WARN or the verdict that the fault names? Prints each machine on which they do not, with what they said,\n"
    "and each fault's share. Exit status 1: a fault is found on fewer than 95 in a hundred of its machines or, with N\n"
    "below 20, all faults together on so few that 95 in a hundred are unlikely (one sample in 20).\n"
    "\n"
    "  --seed S      other machines (1)\n"
    "  --only TEXT   faults whose names have TEXT\n"
    "  --machine K   machine K alone, of those that show the fault\n"
    "  --no-realism  the same machines without quirks of real parts\n"
    "  --streams FOLDER  each run leaves its report.jsonl as FOLDER/FAULT-K.jsonl\n"
    "  --turn T      every eighth fault, from the T-th on\n"
    "  --jobs J      runs at a time\n";

#define MAX_MACHINES  1000u
#define TRIES         4000u /* machines that are looked at for one that can have a fault */
#define LEAST_PERCENT 95u
#define LEAST_SHARE   20u  /* fewer machines than these give no share of 95 % for a single fault */
#define RUN_SECONDS   600u /* of processor time: a run that takes longer hangs */

struct tried {
    struct machine_run run;
    struct drawn_machine drawn;
    const struct model_fault *fault;
    bool found, skipped; /* skipped: all its checks are */
};

static struct {
    uint32_t n, machine, turn;
    uint64_t seed;
    const char *only, *streams;
    bool no_realism;
} asked = { .n = 40, .seed = 1 };

static struct tried *tried;
static uint32_t n_tried, too_few; /* too_few: faults for which there were not as many machines as asked */

/* --- which machines */

/* One finding is enough: what other checks say is in the matrix. */
static bool finds(const void *fault, const struct whole_result *r)
{
    return fault_is_found_by(fault, r->row, verdict_text(r->verdict));
}

static void select_checks(const struct machine_run *r, struct whole_run *w)
{
    const struct tried *t = r->context;

    w->no_figures = true; /* as in machines.c */
    w->enough = finds;
    w->context = t->fault;
    fault_select_in_clusters(t->fault, t->drawn.profile, t->drawn.config.clusters, w);
}

static void prepare(struct tried *t)
{
    if (asked.no_realism)
        machine_keep_quirk(&t->drawn, NULL);
    t->run =
        (struct machine_run){ .config = t->drawn.config, .context = t, .select = select_checks, .every_verdict = true };
    t->run.config.faults[0] = t->fault->name;
    machine_run_keep(&t->run, asked.streams, "%s-%u", t->fault->name, t->drawn.number);
}

/* The first machines from `number` on that show the fault. */
static void plan_fault(const struct model_fault *fault, uint32_t number)
{
    uint32_t end = n_tried + asked.n;
    bool listed = false; /* as one that is not found on the parts that have it */

    for (uint32_t i = 0; i < TRIES && n_tried < end; i++) {
        struct tried *t = &tried[n_tried];

        machine_draw(&t->drawn, asked.seed, number + i);
        t->fault = fault;
        if (fault_machine_shows(&t->drawn, fault, NULL)) {
            prepare(t);
            n_tried++;
        }
        listed |= fault_is_missed(fault->name, t->drawn.profile->name) != NULL;
    }
    if (n_tried < end && !listed) {
        printf("missed: %s: %u of %u machines show it\n", fault->name, asked.n + n_tried - end, TRIES);
        too_few++;
    }
}

static bool plan(void)
{
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    tried = calloc((size_t)n * asked.n + 1, sizeof tried[0]);
    if (!tried)
        return false;
    for (uint32_t f = 0; f < n; f++)
        if ((!asked.only || strstr(faults[f].name, asked.only)) && turn_has(asked.turn, f, 8))
            plan_fault(&faults[f], asked.machine ? asked.machine : 1 + f * 5); /* not all on the first few machines */
    return true;
}

/* --- what they say */

static void print_missed(const struct tried *t)
{
    char text[4096];
    struct finding f;

    machine_text(&t->drawn, text, sizeof text);
    printf("missed: %s on %s\n", t->fault->name, text);
    if (!machine_run_ended_well(&t->run))
        printf("    the run %s\n", machine_run_why(&t->run, text, sizeof text));
    for (const char *at = t->run.answer; (at = machine_run_next(at, &f)) != NULL;)
        printf("    %s %s%s%s\n", f.id, f.verdict, f.reason[0] ? ": " : "", f.reason);
}

static bool all_skip(const char *answer)
{
    bool all = *answer;
    struct finding f;

    while ((answer = machine_run_next(answer, &f)) != NULL)
        all &= !strcmp(f.verdict, "SKIP");
    return all;
}

static void ended(struct machine_run *r)
{
    struct tried *t = (struct tried *)r;

    t->found = machine_run_ended_well(r) && fault_is_found_in_clusters(t->fault, r->answer);
    t->skipped = !t->found && all_skip(r->answer);
    if (!t->found)
        print_missed(t);
    machine_run_forget(r);
}

static bool is_enough(uint32_t found, uint32_t of)
{
    return found * 100 >= of * LEAST_PERCENT;
}

/* The same of a sample of all faults: where 95 in a hundred are found, 19 of 20 samples have no fewer than this.
 * (Binomial distribution by its normal approximation, one-sided.) */
static bool is_enough_for_a_sample(uint32_t found, uint32_t of)
{
    double share = LEAST_PERCENT / 100.0;

    return found >= of * share - 1.645 * sqrt(of * share * (1 - share));
}

/* The share of one fault, whose machines follow each other. Returns the machine after them. */
static uint32_t print_share(uint32_t first, uint32_t *under)
{
    const struct model_fault *fault = tried[first].fault;
    uint32_t found = 0, skipped = 0, i = first;

    for (; i < n_tried && tried[i].fault == fault; i++) {
        found += tried[i].found;
        skipped += tried[i].skipped;
    }
    *under += !is_enough(found, i - first);
    printf("%-36s %3u of %3u", fault->name, found, i - first);
    if (skipped)
        printf(", %u where all its checks are SKIP", skipped);
    puts(is_enough(found, i - first) ? "" : asked.n < LEAST_SHARE ? "  missed" : "  under 95 %");
    return i;
}

static int conclude(void)
{
    uint32_t found = 0, under = 0;
    double seconds = 0;
    bool good;

    printf("\nMachines on which each fault is found.\n");
    for (uint32_t i = 0; i < n_tried;)
        i = print_share(i, &under);
    for (uint32_t i = 0; i < n_tried; i++) {
        found += tried[i].found;
        seconds += tried[i].run.seconds;
    }
    good = asked.n < LEAST_SHARE ? is_enough_for_a_sample(found, n_tried) : under == 0;
    good &= too_few == 0;
    printf("\n%.0f s of processor time\n", seconds);
    printf("%s %u of %u runs of seed %lu find their fault (%.1f %%)", good ? "PASS" : "FAIL", found, n_tried,
           asked.seed, n_tried ? 100.0 * found / n_tried : 0);
    if (asked.n >= LEAST_SHARE)
        printf("; %u faults are found on fewer than %u %% of their machines", under, LEAST_PERCENT);
    puts("");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static const struct matrix_option options[] = {
    { .name = "", .count = &asked.n, .least = 1, .most = MAX_MACHINES },
    { .name = "seed", .number = &asked.seed, .most = UINT64_MAX },
    { .name = "only", .text = &asked.only },
    { .name = "turn", .count = &asked.turn, .least = 1, .most = UINT32_MAX },
    { .name = "machine", .count = &asked.machine, .least = 1, .most = UINT32_MAX - TRIES },
    { .name = "no-realism", .flag = &asked.no_realism },
    { .name = "streams", .text = &asked.streams },
    MATRIX_JOBS,
    { 0 },
};

static int run(void)
{
    asked.n = asked.machine ? 1 : asked.n;
    if (!plan()) {
        matrix_refuse("no memory for", "so many machines");
        return 2;
    }
    machine_runs(tried, n_tried, sizeof tried[0], matrix_jobs, RUN_SECONDS, ended);
    return conclude();
}

const struct matrix_command matrix_machine_faults = { "machine-faults", usage, options, run };
