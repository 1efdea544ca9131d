/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/stream_verdict.h"

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

static bool has_name(const struct stream_names *names, const char *name)
{
    for (uint32_t i = 0; i < names->n; i++)
        if (strcmp(names->name[i], name) == 0)
            return true;
    return false;
}

static void add_name(struct stream_names *names, const char *name)
{
    if (names->n < STREAM_NAMES)
        snprintf(names->name[names->n++], STREAM_ID, "%s", name);
}

static bool is_time(const char *text)
{
    static const char form[] = "0000-00-00T00:00:00.000Z";

    for (size_t i = 0; i < sizeof form; i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    return true;
}

/* Within a boot it does not go back. */
static void judge_time(struct stream_judge *j, const char *time)
{
    if (!time[0])
        return;
    if (!j->back[0] && is_time(j->time) && is_time(time) && strcmp(time, j->time) < 0)
        snprintf(j->back, sizeof j->back, "time goes back: %s after %s", time, j->time);
    snprintf(j->time, sizeof j->time, "%s", time);
}

/* Behind an attempt that does not count, the same check begins. */
static void expect_again(struct stream_judge *j, const char *check)
{
    if (j->again[0] && strcmp(j->again, check) != 0)
        contradict(j, "%s: an attempt that does not count, and no other after it", j->again);
    j->again[0] = '\0';
}

static void count_check(struct stream_judge *j, const char *check, enum stream_verdict v)
{
    if (v != STREAM_VERDICT_PASS || !is_own_step(check))
        j->counts[v]++;
    j->ended += !is_own_step(check);
    if (v != STREAM_VERDICT_PASS && v != STREAM_VERDICT_SKIP && !has_name(&j->found_in, check))
        add_name(&j->found_in, check);
    if (v == STREAM_VERDICT_FAIL && !is_own_step(check) && !has_name(&j->failed, check))
        add_name(&j->failed, check);
}

static void take_diagnosis(struct stream_judge *j)
{
    j->explained = j->explains;
    j->answered = j->against;
    j->monitored = j->monitors;
}

static void judge_step_end(struct stream_judge *j, const struct stream_line *line, const char *check)
{
    enum stream_verdict v = line->verdict;
    const char *is = stream_verdict_names[v];
    bool passed = v == STREAM_VERDICT_PASS;

    if (j->has_account && strcmp(j->account, is) != 0 && !(passed && strcmp(j->account, "DONE") == 0))
        contradict(j, "%s: diagnoses and testStepEnd say %s, assay.cost says %s", check, is, j->account);
    if (passed && !j->diagnosed && !is_own_step(check))
        contradict(j, "%s: PASS without a diagnosis", check);
    if (j->error && v != STREAM_VERDICT_FAIL && v != STREAM_VERDICT_ERROR)
        contradict(j, "%s: %s in spite of an error", check, is);
    if (line->dropped && v != STREAM_VERDICT_SKIP)
        contradict(j, "%s: an attempt that does not count says %s", check, is);
    if (v == STREAM_VERDICT_SKIP && j->found)
        contradict(j, "%s: SKIP in spite of a finding", check);
    if ((passed || v == STREAM_VERDICT_SKIP) && !line->dropped && j->out[0])
        contradict(j, "%s: %s, and %s is outside of its own bounds", check, is, j->out);
    if (line->dropped)
        snprintf(j->again, sizeof j->again, "%s", check);
    else if (strcmp(check, "diagnosis") == 0) /* causes of the findings: no check */
        take_diagnosis(j);
    else
        count_check(j, check, v);
}

static void judge_run_end(struct stream_judge *j, const struct stream_line *line)
{
    static const char *const words[] = { "PASS", "FAIL", "SKIP" };
    const char *result = strcmp(line->status, "COMPLETE") == 0 ? line->result : line->status;

    expect_again(j, "");
    j->complete = strcmp(line->status, "COMPLETE") == 0;
    j->said = strcmp(result, "NOT_APPLICABLE") == 0 ? "DONE" : "ERROR"; /* and COMPLETE: nothing was judged */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        j->said = strcmp(result, words[i]) == 0 ? words[i] : j->said;
}

/* What fields of the line said. */
static void forget_line(struct stream_judge *j)
{
    j->has_verdict = false;
    j->named.n = j->bad.n = 0;
    j->state[0] = '\0';
}

void stream_judge_line(struct stream_judge *j, const struct stream_line *line, const char *check)
{
    if (line->kind == STREAM_STEP_START) {
        expect_again(j, check);
        j->out[0] = '\0';
        j->has_account = false;
        j->diagnosed = j->found = j->error = false;
        j->explains.n = j->against.n = 0;
        j->monitors = false;
        if (strcmp(check, "resume") == 0) /* the clock may have been set before this boot */
            j->back[0] = '\0';
    } else if (line->kind == STREAM_STEP_END) {
        judge_step_end(j, line, check);
    } else if (line->kind == STREAM_RUN_END) {
        judge_run_end(j, line);
    } else if (line->kind == STREAM_EXTENSION && strcmp(line->name, "assay.cost") == 0) {
        memcpy(j->account, j->verdict, sizeof j->account);
        j->has_account = j->has_verdict;
    }
    if (line->kind == STREAM_EXTENSION && strcmp(line->name, "assay.diagnosis") == 0)
        for (uint32_t i = 0; i < j->named.n; i++)
            add_name(&j->explains, j->named.name[i]);
    if (line->kind == STREAM_EXTENSION && strcmp(line->name, "assay.monitor") == 0) {
        j->monitors = true;
        for (uint32_t i = 0; i < j->bad.n && strcmp(j->state, "FAIL") == 0; i++)
            add_name(&j->against, j->bad.name[i]);
    }
    forget_line(j);
    j->late = false;
    if (line->kind == STREAM_MEASUREMENT && !j->out[0] && line->value_kind == JSON_SCALAR_NUMBER &&
        ((line->has_lo && line->value < line->lo) || (line->has_hi && line->value > line->hi)))
        snprintf(j->out, sizeof j->out, "%s", line->name);
    judge_time(j, line->time);
    j->run_errors += line->kind == STREAM_RUN_ERROR;
    j->diagnosed |= line->kind == STREAM_DIAGNOSIS;
    j->found |= line->kind == STREAM_DIAGNOSIS && strcmp(line->result, "PASS") != 0;
    j->error |= line->kind == STREAM_ERROR;
}

void stream_judge_field(struct stream_judge *j, enum stream_kind kind, const char *path, enum json_scalar scalar,
                        const char *text)
{
    if (j->late) /* and it was not read */
        forget_line(j);
    j->late = false;
    if (kind == STREAM_EXTENSION && scalar == JSON_SCALAR_TEXT && strcmp(path, "verdict") == 0)
        j->has_verdict = snprintf(j->verdict, sizeof j->verdict, "%s", text) >= 0;
    if (kind == STREAM_EXTENSION && scalar == JSON_SCALAR_TEXT && strcmp(path, "explains") == 0)
        add_name(&j->named, text);
    if (kind == STREAM_EXTENSION && scalar == JSON_SCALAR_TEXT && strcmp(path, "bad") == 0)
        add_name(&j->bad, text);
    if (kind == STREAM_EXTENSION && scalar == JSON_SCALAR_TEXT && strcmp(path, "state") == 0)
        snprintf(j->state, sizeof j->state, "%s", text);
    if (kind == STREAM_RUN_START && scalar == JSON_SCALAR_NUMBER && strcmp(path, "parameters.checks") == 0)
        j->has_wanted = json_stream_number(text, &j->wanted);
}

void stream_judge_broken(struct stream_judge *j, const char *check)
{
    count_check(j, check, STREAM_VERDICT_ERROR);
}

void stream_judge_fault(struct stream_judge *j, enum stream_fault fault)
{
    j->faults++;
    j->late = fault == STREAM_OUT_OF_ORDER; /* it may be read all the same, and line() comes */
    if (j->late)
        return;
    forget_line(j);
}

/* As the payload concludes. */
static const char *of_checks(const struct stream_judge *j)
{
    if (j->counts[STREAM_VERDICT_FAIL] > 0)
        return "FAIL";
    if (j->counts[STREAM_VERDICT_ERROR] > 0)
        return "ERROR";
    if (j->counts[STREAM_VERDICT_WARN] > 0)
        return "WARN";
    return j->counts[STREAM_VERDICT_PASS] > 0 ? "PASS" : "SKIP";
}

/* Whether testRunEnd may say so. A run that was stopped says SKIP, one that broke otherwise ERROR. */
static bool agree(const char *said, const char *checks)
{
    if (strcmp(said, "PASS") == 0 && strcmp(checks, "WARN") == 0)
        return true; /* the format has no word for it */
    if (strcmp(said, "PASS") == 0 || strcmp(said, "FAIL") == 0 || strcmp(checks, "FAIL") == 0)
        return strcmp(said, checks) == 0;
    return strcmp(said, "DONE") != 0 || strcmp(checks, "ERROR") != 0;
}

static const char *worse(const char *a, const char *b)
{
    static const char *const rank[] = { "FAIL", "ERROR", "SKIP", "WARN", "DONE" };

    for (size_t i = 0; i < sizeof rank / sizeof *rank; i++)
        if (strcmp(a, rank[i]) == 0 || strcmp(b, rank[i]) == 0)
            return rank[i];
    return "PASS";
}

/* Contradictions of a report that has an end. */
static void judge_run(struct stream_judge *j, const char *checks)
{
    if (!agree(j->said, checks))
        contradict(j, "testRunEnd says %s, the checks say %s", j->said, checks);
    if (j->run_errors > 0 && strcmp(j->said, "FAIL") != 0 && strcmp(j->said, "ERROR") != 0)
        contradict(j, "testRunEnd says %s in spite of an error of the run", j->said);
    if (j->has_wanted && j->complete && j->wanted != j->ended)
        contradict(j, "testRunStart says %.0f checks, and %u have ended", j->wanted, j->ended);
}

const char *stream_judge_conclude(struct stream_judge *j, const struct stream_reader *r)
{
    const char *checks = of_checks(j);
    bool whole;

    for (uint32_t i = 0; i < j->explained.n; i++)
        if (!has_name(&j->found_in, j->explained.name[i]))
            contradict(j, "the diagnosis explains %s, which has no finding", j->explained.name[i]);
    for (uint32_t i = 0; i < j->failed.n && j->monitored; i++)
        if (!has_name(&j->answered, j->failed.name[i]))
            contradict(j, "%s is FAIL, and no monitor is FAIL by it", j->failed.name[i]);
    if (j->back[0])
        contradict(j, "%s", j->back);
    if (r->ended)
        judge_run(j, checks);
    whole = r->started && r->ended && !r->torn && j->faults == 0 && j->n_contradictions == 0;
    if (strcmp(checks, "SKIP") == 0)
        checks = "PASS"; /* nothing was checked: testRunEnd decides */
    return worse(worse(r->ended ? j->said : "ERROR", whole ? "PASS" : "ERROR"), checks);
}
