/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/stream_verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void contradict(struct stream_judge *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void contradict(struct stream_judge *j, const char *format, ...)
{
    va_list args;

    if (j->n_contradictions < STREAM_CONTRADICTIONS) {
        va_start(args, format);
        vsnprintf(j->contradictions[j->n_contradictions], sizeof j->contradictions[0], format, args);
        va_end(args);
    }
    j->n_contradictions++;
}

static bool is_own_step(const char *check)
{
    return strcmp(check, "restore.registers") == 0 || strcmp(check, "spread.rounds") == 0 ||
           strcmp(check, "count") == 0 || strcmp(check, "resume") == 0;
}

/* Behind an attempt that does not count, the same check begins. */
static void expect_again(struct stream_judge *j, const char *check)
{
    if (j->again[0] && strcmp(j->again, check) != 0)
        contradict(j, "%s: an attempt that does not count, and no other after it", j->again);
    j->again[0] = '\0';
}

static void judge_step_end(struct stream_judge *j, const struct stream_line *line, const char *check)
{
    enum stream_verdict v = line->verdict;
    const char *is = stream_verdict_names[v];
    bool passed = v == STREAM_VERDICT_PASS;

    if (j->account[0] && strcmp(j->account, is) != 0 && !(passed && strcmp(j->account, "DONE") == 0))
        contradict(j, "%s: diagnoses and testStepEnd say %s, assay.cost says %s", check, is, j->account);
    if (passed && !j->diagnosed && !is_own_step(check))
        contradict(j, "%s: PASS without a diagnosis", check);
    if (j->error && v != STREAM_VERDICT_FAIL && v != STREAM_VERDICT_ERROR)
        contradict(j, "%s: %s in spite of an error", check, is);
    if (line->dropped && v != STREAM_VERDICT_SKIP)
        contradict(j, "%s: an attempt that does not count says %s", check, is);
    if (line->dropped)
        snprintf(j->again, sizeof j->again, "%s", check);
    else if (strcmp(check, "diagnosis") != 0 && (!passed || !is_own_step(check))) /* causes of the findings: no check */
        j->counts[v]++;
}

static void judge_run_end(struct stream_judge *j, const struct stream_line *line)
{
    static const char *const words[] = { "PASS", "FAIL", "SKIP" };
    const char *result = strcmp(line->status, "COMPLETE") == 0 ? line->result : line->status;

    expect_again(j, "");
    j->said = strcmp(result, "NOT_APPLICABLE") == 0 ? "DONE" : "ERROR"; /* and COMPLETE: nothing was judged */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        j->said = strcmp(result, words[i]) == 0 ? words[i] : j->said;
}

void stream_judge_line(struct stream_judge *j, const struct stream_line *line, const char *check)
{
    if (line->kind == STREAM_STEP_START) {
        expect_again(j, check);
        j->account[0] = '\0';
        j->diagnosed = j->error = false;
    } else if (line->kind == STREAM_STEP_END) {
        judge_step_end(j, line, check);
    } else if (line->kind == STREAM_RUN_END) {
        judge_run_end(j, line);
    } else if (line->kind == STREAM_EXTENSION && strcmp(line->name, "assay.cost") == 0) {
        memcpy(j->account, j->verdict, sizeof j->account);
    }
    j->diagnosed |= line->kind == STREAM_DIAGNOSIS;
    j->error |= line->kind == STREAM_ERROR;
    j->verdict[0] = '\0';
}

void stream_judge_field(struct stream_judge *j, enum stream_kind kind, const char *path, enum json_scalar scalar,
                        const char *text)
{
    if (kind == STREAM_EXTENSION && scalar == JSON_SCALAR_TEXT && strcmp(path, "verdict") == 0)
        snprintf(j->verdict, sizeof j->verdict, "%s", text);
}

void stream_judge_broken(struct stream_judge *j)
{
    j->counts[STREAM_VERDICT_ERROR]++;
}

void stream_judge_fault(struct stream_judge *j, enum stream_fault fault)
{
    j->faults++;
    if (fault != STREAM_OUT_OF_ORDER) /* else the line may be read all the same, and line() comes */
        j->verdict[0] = '\0';
}

/* As the payload concludes. */
static const char *of_checks(const struct stream_judge *j)
{
    if (j->counts[STREAM_VERDICT_FAIL] > 0)
        return "FAIL";
    if (j->counts[STREAM_VERDICT_ERROR] > 0)
        return "ERROR";
    return j->counts[STREAM_VERDICT_PASS] + j->counts[STREAM_VERDICT_WARN] > 0 ? "PASS" : "SKIP";
}

/* Whether testRunEnd may say so. A run that was stopped says SKIP, one that broke otherwise ERROR. */
static bool agree(const char *said, const char *checks)
{
    if (strcmp(said, "PASS") == 0 || strcmp(said, "FAIL") == 0 || strcmp(checks, "FAIL") == 0)
        return strcmp(said, checks) == 0;
    return strcmp(said, "DONE") != 0 || strcmp(checks, "ERROR") != 0;
}

static const char *worse(const char *a, const char *b)
{
    static const char *const rank[] = { "FAIL", "ERROR", "SKIP", "DONE" };

    for (size_t i = 0; i < sizeof rank / sizeof *rank; i++)
        if (strcmp(a, rank[i]) == 0 || strcmp(b, rank[i]) == 0)
            return rank[i];
    return "PASS";
}

const char *stream_judge_conclude(struct stream_judge *j, const struct stream_reader *r)
{
    const char *checks = of_checks(j);
    bool whole;

    if (r->ended && !agree(j->said, checks))
        contradict(j, "testRunEnd says %s, the checks say %s", j->said, checks);
    whole = r->started && r->ended && !r->torn && j->faults == 0 && j->n_contradictions == 0;
    if (strcmp(checks, "SKIP") == 0)
        checks = "PASS"; /* nothing was checked: testRunEnd decides */
    return worse(worse(r->ended ? j->said : "ERROR", whole ? "PASS" : "ERROR"), checks);
}
