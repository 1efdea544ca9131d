/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/faults/faults.c: every fault of the silicon against every check, on the host model. See usage[]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/search.h"
#include "tests/matrix/faults/fault_found.h"
#include "tests/matrix/faults/fault_lists.h"
#include "tests/matrix/machines/machine_draw.h"
#include "tests/matrix/machines/machine_run.h"
#include "tests/matrix/matrix.h"
#include "tests/silicon/faults/fault.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/support/data/conformance.h"
#include "tests/support/run/turn.h"

static const char usage[] =
    "matrix faults [--only TEXT|CHECK] [--on PROFILE | --uncore] [--realism LIST] [--uncalibrated]\n"
    "       [--turn N [--changed CHECKS]] [--doc FILE] [--streams FOLDER] [--jobs J]\n"
    "\n"
    "Prints lines \"PASS what\" and \"FAIL what: why\":\n"
    "  - a faultless machine of each profile, at seed 1 under all checks and at seed 2, on\n"
    "    packages, cores and threads of its own, under those of -quick: no check says FAIL,\n"
    "    WARN or ERROR, or passes and does not say what it excludes although its row has it say so; of\n"
    "    profiles that are like another one seed 1 alone\n"
    "  - each fault, of the other profiles on the first one that it is tried on, under all checks\n"
    "    but the long ones (those that -quick leaves out) that hold none of its rows, on the last\n"
    "    one under those that hold one of its rows, and a fault of RDT so on one whose L3 is not\n"
    "    inclusive: a check that holds one of its rows says FAIL or WARN, or the verdict that the\n"
    "    fault names. The machine has the packages and clusters that the fault needs, and 2 cores\n"
    "    with 2 threads a package\n"
    "  - each check says FAIL or WARN under some fault\n"
    "  - each check that is to say what it excludes passes on one of the faultless machines\n"
    "  - each row of RDT that says FAIL is proven by a fault on spr or icx, but for those that\n"
    "    are listed with the reason\n"
    "Exit status 1: a line is FAIL.\n"
    "\n"
    "  --only TEXT       runs whose name has TEXT: of faults, profiles; the last three lines are\n"
    "                    left out\n"
    "  --only CHECK      faults of rows that this check holds\n"
    "  --on PROFILE      on this one every fault that is tried on it, under the checks of its\n"
    "                    rows; the last lines are left out\n"
    "  --uncore          faults of monitors outside of the cores on each profile whose silicon has\n"
    "                    what breaks, under the checks of their rows; the last lines are left out\n"
    "  --realism LIST    every machine has these quirks of real parts, as run-silicon takes them\n"
    "  --uncalibrated    without bands of good machines (tests/silicon/bands)\n"
    "  --turn N          checks of other rows run for every sixteenth fault alone, from the N-th on,\n"
    "                    every eighth faultless machine; checks of a fault's own rows for every fourth\n"
    "                    on the first profile, and on others, with --on too, for every eighth: sixteen\n"
    "                    runs with one N after another run all. Of a check that none of these faults\n"
    "                    makes fail, and a row that none proves: \"SKIP\"\n"
    "  --changed CHECKS  ids, with spaces between: with --turn every fault of a row that one of\n"
    "                    them holds runs on the first profile\n"
    "  --doc FILE        writes the page: faults, and the checks that find each, or of --uncore the\n"
    "                    profiles on which each is found\n"
    "  --streams FOLDER  each run leaves FOLDER/PROFILE-FAULT-SEED.jsonl and .txt; FAULT is\n"
    "                    \"faultless\" where there is none\n"
    "  --jobs J          runs at a time\n";

/* A machine of each seed: one where what leaks to a sibling, or to the other package, has somewhere to go, and one that
 * has neither. machines.c draws other ones. */
static const struct topology {
    uint32_t packages, cores, threads;
} of_seed[] = { { 2, 2, 2 }, { 1, 3, 1 } };
#define SEEDS      (sizeof of_seed / sizeof of_seed[0])
#define FAULT_SEED 9u

#define MAX_RUNS    4096u
#define PASS_LINES  120u /* of report.txt */
#define RUN_SECONDS 240u /* a run that takes longer, of processor time, hangs */

struct run {
    struct machine_run machine;
    const char *profile;
    const struct model_fault *fault; /* NULL: faultless */
    uint32_t seed;
    bool every_check;
    char name[96];
};

static struct run runs[MAX_RUNS];
static uint32_t n_runs;
static uint32_t failures;
static struct conformance list;
static struct {
    const char *only, *on, *changed, *doc, *streams, *realism; /* or NULL */
    uint32_t turn;                                             /* 0: everything */
    bool uncalibrated, uncore;
} asked;

/* --- what is to be run */

static bool is_asked_for(const struct run *r)
{
    const struct check_row *row = asked.only ? check_find(asked.only) : NULL;

    return row ? r->fault && rows_meet(row->covers, r->fault->rows) : !asked.only || strstr(r->name, asked.only);
}

static void add_run(const char *profile, const struct model_fault *fault, uint32_t seed, bool every)
{
    struct run *r = &runs[n_runs];

    if (n_runs == MAX_RUNS) {
        fprintf(stderr, "matrix: more than %u runs\n", MAX_RUNS);
        exit(EXIT_FAILURE);
    }
    *r = (struct run){ .profile = profile, .fault = fault, .seed = seed, .every_check = every };
    if (fault)
        snprintf(r->name, sizeof r->name, "%s on %s", fault->name, profile);
    else
        snprintf(r->name, sizeof r->name, "%s without a fault, seed %u", profile, seed);
    if (is_asked_for(r))
        n_runs++;
}

/* The first profile with an L3 that is not inclusive, as that of current parts, of those that the fault is tried on;
 * NULL: it acts on none. */
static const char *not_inclusive(const struct model_fault *fault)
{
    static const char *const names[] = { "spr", "icx", "skx" };

    return FIND(i, sizeof names / sizeof names[0], fault_is_tried(fault, profile_by_name(names[i])), names[i], NULL);
}

/* A check that has changed holds one of its rows. */
static bool is_touched(const struct model_fault *fault)
{
    const struct check_row *row = NULL;

    while (asked.changed && (row = check_next(row)) != NULL)
        if (rows_meet(row->id, asked.changed) && rows_meet(row->covers, fault->rows))
            return true;
    return false;
}

/* All checks on the first profile that it is tried on, with every sixteenth turn, and with every fourth those of its rows; with
 * every eighth turn those of its rows on the last one and, where they are RDT's, on one whose L3 is not inclusive. */
static void plan_fault(const struct model_fault *fault, uint32_t i)
{
    const char *also = rows_of_rdt(fault->rows) ? not_inclusive(fault) : NULL;
    bool every = turn_has(asked.turn, i, 16), others = turn_has(asked.turn, i + 4, 8);
    const struct profile *has[64];
    uint32_t n = fault_profiles(fault, has, 64);

    if (n > 0 && (turn_has(asked.turn, i, 4) || is_touched(fault)))
        add_run(has[0]->name, fault, FAULT_SEED, every);
    if (!others)
        return;
    if (n > 0 && also && strcmp(also, has[0]->name) != 0 && strcmp(also, has[n - 1]->name) != 0)
        add_run(also, fault, FAULT_SEED, false);
    if (n > 1)
        add_run(has[n - 1]->name, fault, FAULT_SEED, false);
}

static void plan_uncore(const struct model_fault *faults, uint32_t n)
{
    for (uint32_t f = 0; f < n; f++)
        for (uint32_t p = 0; p < profile_count() && fault_is_of_uncore(&faults[f]); p++)
            if (fault_fits(&faults[f], profiles[p]))
                add_run(profiles[p]->name, &faults[f], FAULT_SEED, false);
}

static void plan(void)
{
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    if (asked.uncore) {
        plan_uncore(faults, n);
        return;
    }
    for (uint32_t p = 0; p < profile_count(); p++)
        for (uint32_t seed = 1; seed <= (profiles[p]->like ? 1 : SEEDS); seed++)
            if ((!asked.on || strcmp(asked.on, profiles[p]->name) == 0) && turn_has(asked.turn, p + seed, 8))
                add_run(profiles[p]->name, NULL, seed, true);
    for (uint32_t f = 0; f < n; f++)
        if (!asked.on)
            plan_fault(&faults[f], f);
        else if (turn_has(asked.turn, f, 8) && fault_is_tried(&faults[f], profile_by_name(asked.on)))
            add_run(asked.on, &faults[f], FAULT_SEED, false);
}

/* --- one run, in its own process */

static void select_checks(const struct machine_run *machine, struct whole_run *w)
{
    const struct run *r = machine->context;

    w->uncalibrated = asked.uncalibrated;
    if (r->fault || r->seed > 1)
        fault_select(r->fault, profile_by_name(r->profile), r->every_check, w);
    else
        w->skips[0] = MACHINE_RUN_NEVER;
}

static void prepare(struct run *r)
{
    const struct profile *part = profile_by_name(r->profile);
    struct model_config *c = &r->machine.config;

    r->machine = (struct machine_run){
        .context = r, .select = select_checks, .every_verdict = !r->fault, .most_lines = r->fault ? 0 : PASS_LINES
    };
    if (r->fault) {
        *c = machine_small(part, r->fault->packages, r->fault->clusters, r->seed);
        c->faults[0] = r->fault->name;
    } else {
        *c = machine_small(part, 1, 1, r->seed);
        c->packages = profile_packages(part, of_seed[r->seed - 1].packages);
        c->cores = of_seed[r->seed - 1].cores;
        c->threads = of_seed[r->seed - 1].threads;
    }
    c->realism = r->fault && r->fault->realism ? r->fault->realism : asked.realism;
    machine_run_keep(&r->machine, asked.streams, "%s-%s-%u", r->profile, r->fault ? r->fault->name : "faultless",
                     r->seed);
}

/* --- what came out */

static void say(bool good, const char *name, const char *why)
{
    if (good)
        printf("PASS %s\n", name);
    else
        printf("FAIL %s: %s\n", name, why);
    failures += !good;
}

/* Of all runs together. In turn, the run that shows it may be left out. */
static void say_of_all(bool good, const char *name, const char *why)
{
    if (good || !asked.turn)
        say(good, name, why);
    else
        printf("SKIP %s: in this turn %s\n", name, why);
}

/* Of a faultless machine PASS and SKIP alone, but for these warnings. */
static const struct {
    const char *profile, *id;
} noticed[] = {
    { "client", "enum.monitoring-leaf" }, /* bits of leaf 7 over blank leaves: EN-01, EN-02 */
    { "client", "enum.allocation-leaf" },
    { "gnr", "enum.kind" }, /* with few slices: 4 RMIDs a slice, and recorded parts have a multiple of 8 */
};

static bool is_sound(const struct run *r, const struct finding *f)
{
    if (!strcmp(f->verdict, "WARN"))
        return ANY_OF(i, sizeof noticed / sizeof noticed[0],
                      !strcmp(noticed[i].profile, r->profile) && !strcmp(noticed[i].id, f->id));
    return !strcmp(f->verdict, "PASS") || !strcmp(f->verdict, "SKIP");
}

static void judge_faultless(const struct run *r)
{
    struct finding f;
    char why[512] = "";

    for (const char *at = r->machine.answer; (at = machine_run_next(at, &f)) != NULL;)
        if (!is_sound(r, &f) && strlen(why) + sizeof f < sizeof why)
            snprintf(why + strlen(why), sizeof why - strlen(why), "%s says %s (%s) ", f.id, f.verdict, f.reason);
    say(!why[0] && machine_run_ended_well(&r->machine), r->name, why[0] ? why : "the run did not end");
}

static void judge_fault(struct run *r)
{
    bool found = fault_is_found(r->fault, r->machine.answer), ended = machine_run_ended_well(&r->machine);
    const char *missed = fault_is_missed(r->fault->name, r->profile);

    say(ended && found == !missed, r->name,
        !ended  ? "the run did not end"
        : found ? "a check finds it, and it is listed as one that none finds"
                : "no check that holds one of its rows found it");
}

static void judge(struct machine_run *machine)
{
    struct run *r = (struct run *)machine;

    if (r->fault)
        judge_fault(r);
    else
        judge_faultless(r);
}

/* On the model a wrap takes hours: unit tests make this check fail. */
static bool cannot_fail_here(const char *id)
{
    return !strcmp(id, MACHINE_RUN_NEVER);
}

/* A check that no fault makes fail would be one that only ever passes. */
static void judge_checks(void)
{
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        bool can_fail = cannot_fail_here(row->id);
        struct finding f;

        for (uint32_t r = 0; r < n_runs && !can_fail; r++)
            for (const char *at = runs[r].machine.answer; runs[r].fault && (at = machine_run_next(at, &f)) != NULL;)
                can_fail |= verdict_is_bad(f.verdict) && !strcmp(f.id, row->id);
        say_of_all(can_fail, row->id, "no fault makes it fail");
    }
}

/* One that passes nowhere would never be asked what it excludes. Clusters are tests/whole/clusters.c's; these machines have
 * no SMIs, those of tests/unit/protocol/every_processor.c have. */
static void judge_exclusions(void)
{
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        bool passes = !row->excludes || row->about_clusters || row->about_smis || !strcmp(row->id, MACHINE_RUN_NEVER);
        struct finding f;

        for (uint32_t r = 0; r < n_runs && !passes; r++)
            for (const char *at = runs[r].machine.answer; !runs[r].fault && (at = machine_run_next(at, &f)) != NULL;)
                passes |= !strcmp(f.verdict, "PASS") && !strcmp(f.id, row->id);
        if (row->excludes)
            say_of_all(passes, row->id, "it is to say what it excludes, and passes on no faultless machine");
    }
}

static bool is_proven(const char *row)
{
    return ANY_OF(r, n_runs,
                  runs[r].fault && (!strcmp(runs[r].profile, "spr") || !strcmp(runs[r].profile, "icx")) &&
                      fault_proves(runs[r].fault, runs[r].machine.answer, row));
}

static bool must_be_proven(const struct conformance_row *row)
{
    return row->grade == 'F' && rows_of_rdt(row->id);
}

/* Where a check rests on an inclusive L3, a fault on bdx does not show that it finds anything on current parts. */
static void judge_rows(void)
{
    for (uint32_t i = 0; i < list.n; i++) {
        const char *row = list.rows[i].id, *reason = row_is_unproven(row);
        bool proven = is_proven(row);

        if (must_be_proven(&list.rows[i]))
            say_of_all(proven || reason, row, "no fault on spr or icx proves it");
        if (must_be_proven(&list.rows[i]) && proven && reason)
            say(false, row, "a fault on spr or icx proves it, and it is listed as unproven");
    }
}

/* --- the table */

static void write_found(FILE *out, const struct run *r)
{
    struct finding f;

    for (const char *at = r->machine.answer; (at = machine_run_next(at, &f)) != NULL;)
        if (!strcmp(f.verdict, "FAIL"))
            fprintf(out, " %s", f.id);
        else if (!strcmp(f.verdict, "WARN"))
            fprintf(out, " (%s)", f.id);
}

static const char doc_head[] =
    "# Silicon faults, and the checks that find them\n"
    "\n"
    "%u faults. Written by `make fault-matrix`, and by `make test-all`. [faults.md](faults.md) says what each stands "
    "for. "
    "Every "
    "run is on the host model: one package, or two\n"
    "where the fault is between packages, of 2 cores with 2 threads and an L3 of four "
    "slices and %u MiB, or more. *Must*: rows of\n"
    "`docs/conformance.tsv`, of which at least one check has to find the fault. "
    "On the first profile of a fault all checks\n"
    "run, without the long ones (`-quick`) of other rows; on its last profile, and for RDT "
    "on one whose L3 is not inclusive,\n"
    "only the checks of its rows. mbm.every-rmid does not run on parts "
    "with thousands of RMIDs, cmt.every-rmid for faults of its row alone. A check in brackets is a WARN, the worst "
    "verdict of its rule.\n"
    "\n"
    "| fault | must | profile | found by |\n"
    "| --- | --- | --- | --- |\n";

static void write_doc(const char *path)
{
    FILE *out = matrix_open(path);
    uint32_t n;

    (void)model_faults(&n);
    fprintf(out, doc_head, n, MACHINE_L3_BYTES >> 20);
    for (uint32_t i = 0; i < n_runs; i++) {
        if (runs[i].fault || runs[i].seed != 1)
            continue;
        fprintf(out, "| none | | %s |", runs[i].profile);
        write_found(out, &runs[i]);
        fputs(" |\n", out);
    }
    for (uint32_t i = 0; i < n_runs; i++) {
        const struct run *r = &runs[i];

        if (!r->fault)
            continue;
        if (r->every_check)
            fprintf(out, "| %s | %s |", r->fault->name, r->fault->rows);
        else
            fputs("| | |", out);
        fprintf(out, " %s |", r->profile);
        write_found(out, r);
        fputs(" |\n", out);
    }
    fault_lists_write(out);
    matrix_close(out, path);
}

/* The runs of one fault stand together, in the order of profiles. Returns the run after them. */
static uint32_t write_uncore_row(FILE *out, uint32_t at, uint32_t *found)
{
    const struct model_fault *fault = runs[at].fault;

    fprintf(out, "| %s |", fault->name);
    for (uint32_t p = 0; p < profile_count(); p++)
        if (at == n_runs || runs[at].fault != fault || strcmp(runs[at].profile, profiles[p]->name) != 0)
            fputs(" |", out);
        else if (fault_is_found(fault, runs[at++].machine.answer))
            *found += fputs(" + |", out) >= 0;
        else
            fputs(" **no** |", out);
    fputc('\n', out);
    return at;
}

static void write_uncore_doc(const char *path)
{
    FILE *out = matrix_open(path);
    uint32_t n_faults = 0, found = 0;

    fputs(
        "# Faults of uncore monitors, on every profile\n"
        "\n"
        "Written by `make uncore-faults`. Each fault on each profile whose silicon has what breaks: + found by a check "
        "that\n"
        "holds one of the fault's rows, **no** not found, empty: the part lacks it. [faults.md](faults.md) says what "
        "each\n"
        "fault stands for.\n"
        "\n"
        "| fault |",
        out);
    for (uint32_t p = 0; p < profile_count(); p++)
        fprintf(out, " %s |", profiles[p]->name);
    fputs("\n| --- |", out);
    for (uint32_t p = 0; p < profile_count(); p++)
        fputs(" --- |", out);
    fputc('\n', out);
    for (uint32_t i = 0; i < n_runs; n_faults++)
        i = write_uncore_row(out, i, &found);
    fprintf(out, "\n%u faults, %u pairs of a fault and a profile, %u found.\n", n_faults, n_runs, found);
    fault_lists_write_missed(out);
    matrix_close(out, path);
}

/* --- the command line */

static bool take_on(const char *text)
{
    asked.on = text;
    return profile_by_name(text) || matrix_refuse("no profile is called", text);
}

static const struct matrix_option options[] = {
    { .name = "only", .text = &asked.only },
    { .name = "on", .take = take_on },
    { .name = "uncore", .flag = &asked.uncore },
    { .name = "realism", .text = &asked.realism },
    { .name = "uncalibrated", .flag = &asked.uncalibrated },
    { .name = "turn", .count = &asked.turn, .least = 1, .most = UINT32_MAX },
    { .name = "changed", .text = &asked.changed },
    { .name = "doc", .text = &asked.doc },
    { .name = "streams", .text = &asked.streams },
    MATRIX_JOBS,
    { 0 },
};

static bool make_ready(void)
{
    if (!conformance_read(&list))
        return matrix_refuse("cannot read", CONFORMANCE_FILE);
    plan();
    return n_runs > 0 || matrix_refuse("no fault, profile or check is called", asked.only);
}

static int run(void)
{
    if (!make_ready())
        return 2;
    for (uint32_t i = 0; i < n_runs; i++)
        prepare(&runs[i]);
    machine_runs(runs, n_runs, sizeof runs[0], matrix_jobs, RUN_SECONDS, judge);
    if (!asked.only && !asked.on && !asked.uncore) {
        judge_checks();
        judge_exclusions();
        judge_rows();
    }
    if (asked.doc)
        (asked.uncore ? write_uncore_doc : write_doc)(asked.doc);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

const struct matrix_command matrix_faults = { "faults", usage, options, run };
