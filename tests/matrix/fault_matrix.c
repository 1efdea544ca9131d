/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/fault_matrix.c: every fault of the silicon against every check, on the host model.
 *
 *   fault-matrix [--doc FILE] [--jobs N] [--only TEXT] [--streams FOLDER] [--times FILE] [--realism LIST]
 *
 * Prints lines "PASS what" and "FAIL what: why" for scripts/run-tests, and writes the table docs/faults.md to FILE:
 *   - a faultless machine of each profile, at seed 1 under all checks and at seeds 2 to 5, each on packages, cores and
 *     threads of its own, under those of -quick: no check says FAIL or ERROR
 *   - each fault, on the first profile that it is tried on under all checks but the long ones (those that -quick leaves out)
 *     that hold none of its rows, on its last one under those that hold one of its rows: a check that holds one of its
 *     rows says FAIL or WARN, or the verdict that the fault names. The machine has the packages and clusters that the
 *     fault needs, and 2 cores with 2 threads a package
 *   - each check says FAIL or WARN under some fault
 * Each run is a process of its own, so that a crash or a hang costs that run alone. --only: runs whose name has TEXT.
 * --streams: each run leaves its report.jsonl as FOLDER/PROFILE-FAULT-SEED.jsonl, FAULT being "faultless" where there
 * is none. --times: the processor time of each run. --realism: every machine has these habits of real parts
 * (tests/silicon/model/realism.h).
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/silicon/faults/fault.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/support/whole_run.h"

/* A machine of each seed. Both packages with SMT first: what leaks to a sibling, or to the other package, has somewhere
 * to go. */
static const struct topology {
    uint32_t packages, cores, threads;
} of_seed[] = { { 2, 2, 2 }, { 1, 2, 2 }, { 1, 3, 1 }, { 2, 1, 2 }, { 1, 4, 1 } };
#define SEEDS      (sizeof of_seed / sizeof of_seed[0])
#define FAULT_SEED 9u
/* An L3 of this many bytes at least, and of four slices: a smaller part of the same family costs less to fill. What is
 * not inclusive needs an L3 that is larger than the L2 of its cores together, and on the last profile four fills in
 * half of it that are each twice an L2; and what a check takes for nothing, 2 MB, must be well below half of it.
 */
#define L3_BYTES     (8u << 20)
#define SLICES_LEAST 4u
/* The two checks that fill under one RMID after the other take several seconds where there are thousands of them, as
 * on zen5. There they run on the faultless machine only; faults that they find are found by them on other profiles. */
#define RMIDS_MANY 1024u
static const char *const every_rmid[] = { "cmt.every-rmid", "mbm.every-rmid" };

#define MAX_RUNS      2048u
#define RUN_SECONDS   240u /* a run that takes longer hangs */
#define ANSWER_BYTES  16384u
#define MAX_PROCESSES 64u

/* On the model a wrap that no RMID stands near takes hours; it fails in unit tests. */
#define NEVER "mbm.wrap"

struct run {
    const char *profile;
    const struct model_fault *fault; /* NULL: faultless */
    uint32_t seed;
    bool every_check;
    char name[96];
    pid_t process;
    int pipe;
    char *answer; /* lines "id verdict reason" */
    size_t length;
    bool ended_well, caught;
    double seconds; /* of processor time */
};

static struct run runs[MAX_RUNS];
static uint32_t n_runs;
static uint32_t failures;
static const char *streams; /* folder, or NULL */
static const char *realism; /* of every machine, or NULL */

/* --- what is to be run */

static void add_run(const char *profile, const struct model_fault *fault, uint32_t seed, bool every, const char *only)
{
    struct run *r = &runs[n_runs];

    if (n_runs == MAX_RUNS) {
        fprintf(stderr, "fault-matrix: more than %u runs\n", MAX_RUNS);
        exit(EXIT_FAILURE);
    }
    *r = (struct run){ .profile = profile, .fault = fault, .seed = seed, .every_check = every, .pipe = -1 };
    if (fault)
        snprintf(r->name, sizeof r->name, "%s on %s", fault->name, profile);
    else
        snprintf(r->name, sizeof r->name, "%s without a fault, seed %u", profile, seed);
    if (!only || strstr(r->name, only))
        n_runs++;
}

/* All checks on the first profile that it is tried on; those of its rows on the last one. */
static void plan_fault(const struct model_fault *fault, const char *only)
{
    const char *has[32];
    uint32_t n = 0;

    for (uint32_t p = 0; p < profile_count() && n < 32; p++)
        if (fault_is_tried(fault, profiles[p]))
            has[n++] = profiles[p]->name;
    if (n > 0)
        add_run(has[0], fault, FAULT_SEED, true, only);
    if (n > 1)
        add_run(has[n - 1], fault, FAULT_SEED, false, only);
}

static void plan(const char *only)
{
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    for (uint32_t p = 0; p < profile_count(); p++)
        for (uint32_t seed = 1; seed <= SEEDS; seed++)
            add_run(profiles[p]->name, NULL, seed, true, only);
    for (uint32_t f = 0; f < n; f++)
        plan_fault(&faults[f], only);
}

/* --- one run, in its own process */

static bool has_many_rmids(const char *name)
{
    for (uint32_t i = 0; i < profile_count(); i++)
        for (uint32_t k = 0; k < profiles[i]->n_leaves && !strcmp(profiles[i]->name, name); k++) {
            const struct profile_leaf *l = &profiles[i]->leaves[k];

            if (l->leaf == 0xF && l->subleaf == 1 && l->regs[2] >= RMIDS_MANY) /* ECX: highest RMID */
                return true;
        }
    return false;
}

static void select_checks(const struct run *r, struct whole_run *w)
{
    uint32_t n = 0, n_skips = 0;

    w->skips[n_skips++] = NEVER;
    for (size_t i = 0; r->fault && has_many_rmids(r->profile) && i < sizeof every_rmid / sizeof every_rmid[0]; i++)
        w->skips[n_skips++] = every_rmid[i];
    if (r->every_check && (r->fault || r->seed > 1))
        for (const struct check_row *row = check_next(NULL); row; row = check_next(row))
            if (row->slow && n_skips < OPTIONS_PATTERNS && !(r->fault && rows_meet(row->rows, r->fault->rows)))
                w->skips[n_skips++] = row->id;
    if (r->every_check)
        return;
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row))
        if (n < OPTIONS_PATTERNS && rows_meet(row->rows, r->fault->rows))
            w->tests[n++] = row->id;
    if (n == 0)
        w->tests[0] = "restore.*"; /* nobody holds its row: that is said when nobody catches it */
}

/* 0: as recorded. */
static uint32_t slices_of(const char *profile)
{
    for (uint32_t i = 0; i < profile_count(); i++) {
        const struct profile *p = profiles[i];
        uint32_t bytes = p->l3_sets * p->l3_ways * 64, slices = (L3_BYTES + bytes - 1) / bytes;

        if (strcmp(p->name, profile) != 0)
            continue;
        if (slices < SLICES_LEAST)
            slices = SLICES_LEAST;
        if ((p->l3_slices & (p->l3_slices - 1)) && !(slices & (slices - 1)))
            slices++; /* no power of 2 stays none, so that RMIDs do not fill their field either */
        return slices < p->l3_slices ? slices : 0;
    }
    return 0;
}

static FILE *open_stream(const struct run *r)
{
    char path[512];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s-%s-%u.jsonl", streams, r->profile, r->fault ? r->fault->name : "faultless",
             r->seed);
    f = fopen(path, "wb");
    if (!f)
        perror(path);
    return f;
}

static int do_run(const struct run *r, int out)
{
    uint32_t clusters = r->fault && r->fault->clusters ? r->fault->clusters : 1;
    struct topology t =
        r->fault ? (struct topology){ r->fault->packages ? r->fault->packages : 1, 2, 2 } : of_seed[r->seed - 1];
    struct model_config config = { .profile = r->profile,
                                   .packages = t.packages,
                                   .cores = t.cores,
                                   .threads = t.threads,
                                   .clusters = clusters,
                                   .slices = (slices_of(r->profile) + clusters - 1) / clusters * clusters,
                                   .seed = r->seed,
                                   .realism = realism,
                                   .n_faults = r->fault ? 1 : 0 };
    struct whole_run *w = calloc(1, sizeof *w);

    if (!w)
        return EXIT_FAILURE;
    if (r->fault)
        config.faults[0] = r->fault->name;
    select_checks(r, w);
    if (streams && !(w->stream = open_stream(r)))
        return EXIT_FAILURE;
    if (!whole_run(&config, w) || (w->stream && fclose(w->stream) != 0))
        return EXIT_FAILURE;
    for (uint32_t i = 0; i < w->n; i++)
        if (w->checks[i].verdict != VERDICT_PASS && w->checks[i].verdict != VERDICT_SKIP)
            dprintf(out, "%s %s %s\n", w->checks[i].row->id, verdict_text(w->checks[i].verdict), w->checks[i].reason);
    if (w->restored != ST_OK && !r->fault)
        dprintf(out, "restore.registers FAIL a register does not read as it was found\n");
    whole_run_free(w);
    free(w);
    return EXIT_SUCCESS;
}

static void start(struct run *r)
{
    int ends[2];

    if (pipe(ends) != 0 || (r->process = fork()) < 0) {
        perror("fault-matrix");
        exit(EXIT_FAILURE);
    }
    if (r->process == 0) {
        close(ends[0]);
        alarm(RUN_SECONDS);
        _exit(do_run(r, ends[1]));
    }
    close(ends[1]);
    r->pipe = ends[0];
    r->answer = calloc(1, ANSWER_BYTES);
}

/* True when the run has ended. */
static bool take(struct run *r)
{
    ssize_t n = read(r->pipe, r->answer + r->length, ANSWER_BYTES - 1 - r->length);
    struct rusage used = { 0 };
    int status = 0;

    if (n > 0) {
        r->length += (size_t)n;
        return false;
    }
    if (n < 0 && errno == EINTR)
        return false;
    close(r->pipe);
    r->pipe = -1;
    wait4(r->process, &status, 0, &used);
    r->seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    r->ended_well = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
    return true;
}

/* --- what came out */

struct found {
    char id[64], verdict[8], reason[256];
};

/* The next line of an answer; NULL at the end. */
static const char *next_found(const char *at, struct found *f)
{
    const char *end = strchr(at, '\n');

    if (!end || sscanf(at, "%63s %7s %255[^\n]", f->id, f->verdict, f->reason) < 2)
        return NULL;
    return end + 1;
}

static bool is_finding(const struct found *f)
{
    return !strcmp(f->verdict, "FAIL") || !strcmp(f->verdict, "WARN");
}

static void say(bool good, const char *name, const char *why)
{
    if (good)
        printf("PASS %s\n", name);
    else
        printf("FAIL %s: %s\n", name, why);
    failures += !good;
}

static void judge_faultless(const struct run *r)
{
    struct found f = { "", "", "" };
    char why[512] = "";

    for (const char *at = r->answer; (at = next_found(at, &f)) != NULL;)
        if (strcmp(f.verdict, "WARN") != 0 && strlen(why) + sizeof f < sizeof why)
            snprintf(why + strlen(why), sizeof why - strlen(why), "%s says %s (%s) ", f.id, f.verdict, f.reason);
    say(!why[0] && r->ended_well, r->name, why[0] ? why : "the run did not end");
}

/* FAIL, WARN, or what the fault says that will do. */
static bool finds(const struct model_fault *fault, const struct found *f)
{
    return is_finding(f) || (fault->found_as && !strcmp(f->verdict, fault->found_as));
}

static void judge_fault(struct run *r)
{
    struct found f = { "", "", "" };

    for (const char *at = r->answer; (at = next_found(at, &f)) != NULL;) {
        const struct check_row *row = check_find(f.id);

        r->caught |= row && finds(r->fault, &f) && rows_meet(row->rows, r->fault->rows);
    }
    say(r->caught && r->ended_well, r->name,
        r->ended_well ? "no check that holds one of its rows found it" : "the run did not end");
}

/* --- all of them */

static void run_all(uint32_t jobs)
{
    uint32_t next = 0, busy = 0;

    while (next < n_runs || busy > 0) {
        struct pollfd polled[MAX_PROCESSES];
        struct run *who[MAX_PROCESSES];
        nfds_t n = 0;

        for (; busy < jobs && next < n_runs; busy++)
            start(&runs[next++]);
        for (uint32_t i = 0; i < next && n < MAX_PROCESSES; i++)
            if (runs[i].pipe >= 0) {
                who[n] = &runs[i];
                polled[n++] = (struct pollfd){ .fd = runs[i].pipe, .events = POLLIN };
            }
        if (poll(polled, n, -1) < 0 && errno != EINTR)
            return;
        for (nfds_t i = 0; i < n; i++)
            if (polled[i].revents && take(who[i])) {
                busy--;
                if (who[i]->fault)
                    judge_fault(who[i]);
                else
                    judge_faultless(who[i]);
            }
    }
}

/* A check that no fault makes fail would be one that only ever passes. */
static void judge_checks(void)
{
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        bool can_fail = !strcmp(row->id, NEVER);
        struct found f = { "", "", "" };

        for (uint32_t r = 0; r < n_runs && !can_fail; r++)
            for (const char *at = runs[r].answer; runs[r].fault && (at = next_found(at, &f)) != NULL;)
                can_fail |= is_finding(&f) && !strcmp(f.id, row->id);
        say(can_fail, row->id, "no fault makes it fail");
    }
}

/* --- the table */

static void write_found(FILE *out, const struct run *r)
{
    struct found f = { "", "", "" };

    for (const char *at = r->answer; (at = next_found(at, &f)) != NULL;)
        if (!strcmp(f.verdict, "FAIL"))
            fprintf(out, " %s", f.id);
        else if (!strcmp(f.verdict, "WARN"))
            fprintf(out, " (%s)", f.id);
}

static const char doc_head[] = "# Silicon faults, and the checks that find them\n"
                               "\n"
                               "%u faults. Written by `make docs`; `make test` repeats the runs and compares. Every "
                               "run is on the host model: one package, or two\n"
                               "where the fault is between packages, of 2 cores with 2 threads and an L3 of four "
                               "slices and %u MiB, or more. *Must*: rows of\n"
                               "[conformance.tsv](conformance.tsv), of which at least one check has to find the fault. "
                               "On the first profile of a fault all checks\n"
                               "run, without the long ones (`-quick`) of other rows; on its last profile only the "
                               "checks of its rows. cmt.every-rmid and mbm.every-rmid\n"
                               "do not run on parts with thousands of RMIDs. A check in brackets is a WARN, the worst "
                               "verdict of its rule. *Acts*: on the host model\n"
                               "and in QEMU (`make run FAULT=...`), or on the host model only.\n"
                               "\n"
                               "| fault | stands for | must | acts | profile | found by |\n"
                               "| --- | --- | --- | --- | --- | --- |\n";

static void write_doc(const char *path)
{
    FILE *out = fopen(path, "w");
    uint32_t n;

    if (!out) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    (void)model_faults(&n);
    fprintf(out, doc_head, n, L3_BYTES >> 20);
    for (uint32_t i = 0; i < n_runs; i++) {
        if (runs[i].fault || runs[i].seed != 1)
            continue;
        fprintf(out, "| none | a faultless machine | | | %s |", runs[i].profile);
        write_found(out, &runs[i]);
        fputs(" |\n", out);
    }
    for (uint32_t i = 0; i < n_runs; i++) {
        const struct run *r = &runs[i];

        if (!r->fault)
            continue;
        if (r->every_check)
            fprintf(out, "| %s | %s | %s | %s |", r->fault->name, r->fault->stands_for, r->fault->rows,
                    r->fault->host_only ? "host model" : "both");
        else
            fputs("| | | | |", out);
        fprintf(out, " %s |", r->profile);
        write_found(out, r);
        fputs(" |\n", out);
    }
    if (fclose(out) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

static void write_times(const char *path)
{
    FILE *out = fopen(path, "w");
    double sum = 0;

    if (!out) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    for (uint32_t i = 0; i < n_runs; i++) {
        sum += runs[i].seconds;
        fprintf(out, "%8.3f s  %s%s\n", runs[i].seconds, runs[i].name,
                !runs[i].fault || runs[i].every_check ? "" : ", checks of its rows");
    }
    fprintf(out, "%8.3f s  all of them\n", sum);
    if (fclose(out) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv)
{
    const char *doc = NULL, *only = NULL, *times = NULL;
    uint32_t jobs = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);

    for (int i = 1; i < argc; i++) {
        if (i + 1 == argc) {
            fprintf(stderr,
                    "fault-matrix: %s: --doc FILE, --jobs N, --only TEXT, --streams FOLDER, --times FILE and --realism "
                    "LIST are "
                    "known\n",
                    argv[i]);
            return 2;
        }
        if (!strcmp(argv[i], "--doc"))
            doc = argv[++i];
        else if (!strcmp(argv[i], "--only"))
            only = argv[++i];
        else if (!strcmp(argv[i], "--streams"))
            streams = argv[++i];
        else if (!strcmp(argv[i], "--times"))
            times = argv[++i];
        else if (!strcmp(argv[i], "--realism"))
            realism = argv[++i];
        else if (!strcmp(argv[i], "--jobs"))
            jobs = (uint32_t)strtoul(argv[++i], NULL, 10);
        else {
            fprintf(stderr, "fault-matrix: %s is unknown\n", argv[i]);
            return 2;
        }
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    plan(only);
    run_all(jobs < 1 ? 1 : jobs > MAX_PROCESSES ? MAX_PROCESSES : jobs);
    if (!only)
        judge_checks();
    if (doc)
        write_doc(doc);
    if (times)
        write_times(times);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
