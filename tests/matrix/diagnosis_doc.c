/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/diagnosis_runs.h"

static void write_causes(FILE *out)
{
    fputs("\n## Causes\n\n| cause | monitor | kind | what the machine does wrong |\n| --- | --- | --- | --- |\n", out);
    for (const struct cause_family *const *f = cause_families; *f; f++)
        for (uint32_t i = 0; i < (*f)->n; i++)
            fprintf(out, "| %s | %s | %s | %s |\n", (*f)->causes[i].id, (*f)->causes[i].monitor,
                    defect_text((*f)->causes[i].defect), (*f)->causes[i].says);
}

static void write_run(FILE *out, const struct diagnosis_run *r)
{
    struct diagnosis_named found = { .cause = "" }, first = { .cause = "" };
    uint32_t place = r->n_faults == 1 ? diagnosis_place(r, r->faults[0], &found) : 0;

    if (r->n_faults == 1 && diagnosis_named_next(r->machine.answer, &first))
        fprintf(out, "| %s | %s | %s | %s | %s |\n", r->faults[0]->name, r->profile,
                place == 1   ? "first"
                : place == 2 ? "of three"
                             : "no",
                first.cause, first.part);
}

static void write_runs(FILE *out, const char *title, const struct diagnosis_run *runs, uint32_t n, bool whole)
{
    fprintf(
        out,
        "\n## Faults of the catalogue%s\n\n| fault | profile | named | first cause | part |\n| --- | --- | --- | --- "
        "| --- |\n",
        title);
    for (uint32_t i = 0; i < n; i++)
        if (runs[i].whole == whole)
            write_run(out, &runs[i]);
}

static double percent(uint32_t got, uint32_t of)
{
    return of ? 100.0 * got / of : 0;
}

static void write_score(FILE *out, const char *of, const struct diagnosis_score *s)
{
    fprintf(out, "| %s | %u of %u (%.1f %%) | %u (%.1f %%) | %u of %u (%.1f %%) | %u of %u (%.1f %%) |\n", of, s->first,
            s->runs, percent(s->first, s->runs), s->three, percent(s->three, s->runs), s->parts_named, s->parts,
            percent(s->parts_named, s->parts), s->pairs_named, s->pairs, percent(s->pairs_named, s->pairs));
}

bool diagnosis_doc_write(const char *path, const struct diagnosis_run *runs, uint32_t n,
                         const struct diagnosis_score *quick, const struct diagnosis_score *whole)
{
    FILE *out = fopen(path, "w");

    if (!out) {
        perror(path);
        return false;
    }
    fputs("# What a diagnosis says, and how often it is right\n\n"
          "Written by `make diagnosis`, on the host model. A run with FAIL or WARN ends with causes: those of the "
          "table below that\n"
          "its findings speak for (`core/diagnosis/causes_*.c` has the clues and their weights), or the rule of a "
          "check where none\n"
          "does. What a cause explains is laid aside before the next is chosen.\n\n"
          "Each fault of the catalogue on two parts; the right part is asked of the faults that have one; pairs are "
          "machines with\n"
          "two faults, drawn, of which both have to be named. Whole runs have all checks but `mbm.wrap`, which takes "
          "hours on the\n"
          "model, and on parts of a thousand RMIDs and more but those that read under each RMID, unless the fault is "
          "theirs.\n\n"
          "| runs | named first | among the first three | right part | both of a pair |\n"
          "| --- | --- | --- | --- | --- |\n",
          out);
    write_score(out, "`-quick`", quick);
    if (whole->runs + whole->pairs > 0)
        write_score(out, "whole", whole);
    write_causes(out);
    write_runs(out, ", `-quick`", runs, n, false);
    if (whole->runs > 0)
        write_runs(out, ", whole runs", runs, n, true);
    return fclose(out) == 0;
}
