/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/search.h"
#include "tests/matrix/diagnosis/diagnosis_runs.h"
#include "tests/matrix/matrix.h"

/* "first | mbm-total-scaled | package 0", or blanks where there was no such run or nothing was found. */
static void write_named(FILE *out, const struct diagnosis_run *r)
{
    struct diagnosis_named found = { .cause = "" }, first = { .cause = "" };
    uint32_t place = r ? diagnosis_place(r, r->faults[0], &found) : 0;

    if (!r || !diagnosis_named_next(r->machine.answer, &first))
        fputs(" | | |", out);
    else
        fprintf(out, " %s | %s | %s |", place == 1 ? "first" : place == 2 ? "of three" : "no", first.cause, first.part);
}

static bool is_same_machine(const struct diagnosis_run *a, const struct diagnosis_run *b)
{
    return a->n_faults == 1 && b->n_faults == 1 && a->faults[0] == b->faults[0] && a->profile == b->profile;
}

static bool found_something(const struct diagnosis_run *r)
{
    struct diagnosis_named first = { .cause = "" };

    return diagnosis_named_next(r->machine.answer, &first) != NULL;
}

/* Runs of one machine are beside each other, that of -quick first. A machine has no row of which neither was made, or
 * found anything. */
static void write_runs(FILE *out, const struct diagnosis_run *runs, uint32_t n)
{
    fputs("\n## Faults of the catalogue\n\n| fault | profile | `-quick` | first cause | part | whole | first cause | "
          "part "
          "|\n| --- | --- | --- | --- | --- | --- | --- | --- |\n",
          out);
    for (uint32_t i = 0; i < n; i++) {
        const struct diagnosis_run *r = &runs[i];
        bool both = i + 1 < n && is_same_machine(r, r + 1);

        if (r->n_faults != 1)
            continue;
        if (!found_something(r) && !(both && found_something(r + 1))) {
            i += both;
            continue;
        }
        fprintf(out, "| %s | %s |", r->faults[0]->name, r->profile);
        write_named(out, r->whole ? NULL : r);
        write_named(out, r->whole ? r : both ? r + 1 : NULL);
        fputs("\n", out);
        i += both;
    }
}

static double percent(uint32_t got, uint32_t of)
{
    return of ? 100.0 * got / of : 0;
}

static uint32_t runs_of(const struct diagnosis_run *runs, uint32_t n, bool whole)
{
    return HOW_MANY(i, n, runs[i].whole == whole && runs[i].n_faults == 1);
}

/* planned: runs of one fault, of which some may not have ended. */
static void write_score(FILE *out, const char *of, const struct diagnosis_score *s, uint32_t planned)
{
    if (s->runs + s->pairs == 0)
        return;
    fprintf(out, "| %s, %u of %u machines | %u of %u (%.1f %%) | %u (%.1f %%) | %u of %u (%.1f %%) | ", of, s->runs,
            planned, s->first, s->runs, percent(s->first, s->runs), s->three, percent(s->three, s->runs),
            s->parts_named, s->parts, percent(s->parts_named, s->parts));
    if (s->pairs)
        fprintf(out, "%u of %u (%.1f %%) |\n", s->pairs_named, s->pairs, percent(s->pairs_named, s->pairs));
    else
        fputs("not measured |\n", out);
}

void diagnosis_doc_write(const char *path, const struct diagnosis_run *runs, uint32_t n,
                         const struct diagnosis_score *quick, const struct diagnosis_score *whole)
{
    FILE *out = matrix_open(path);

    fputs("# What a diagnosis says, and how often it is right\n\n"
          "Written by `make diagnosis`, on the host model. A run with FAIL or WARN ends with causes: those of "
          "[checks.md](checks.md)\n"
          "that its findings speak for, or the rule of a check where none does.\n\n"
          "Each fault of the catalogue on two parts; the right part is asked of the faults that have one; pairs are "
          "machines with\n"
          "two faults, drawn, of which both have to be named. Whole runs have all checks but `mbm.wrap`, which takes "
          "hours on the\n"
          "model, and on parts of a thousand RMIDs and more but those that read under each RMID, unless the fault is "
          "theirs.\n\n"
          "| runs | named first | among the first three | right part | both of a pair |\n"
          "| --- | --- | --- | --- | --- |\n",
          out);
    write_score(out, "`-quick`", quick, runs_of(runs, n, false));
    write_score(out, "whole", whole, runs_of(runs, n, true));
    write_runs(out, runs, n);
    matrix_close(out, path);
}
