/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* scripts/checks_doc.c [--table]: prints the page of the checks, their rows, errata and causes (build/docs/checks.md), from the
 * rows of the checks and the conformance list (docs/conformance.tsv). --table: the table of docs/checks.md, a line a check.
 * Exits with 1, and says why, if the list cannot be read or one of its rows has no family. */
#include <stdio.h>
#include <string.h>

#include "core/engine/engine.h"
#include "core/check/errata.h"
#include "core/base/text.h"
#include "core/diagnosis/diagnosis.h"
#include "tests/support/data/conformance.h"

static const char head[] =
    "# Checks\n\n"
    "Made by `make docs` from the rows in `core/checks/` and the conformance list, "
    "[conformance.tsv](conformance.tsv).\n"
    "*Rows* are rows of that list. *Worst* is the worst verdict of the check: F is FAIL; W is WARN, because the rule "
    "is\n"
    "model-specific, derived or unconfirmed. *By experience*: without bands of good machines a finding is a WARN, "
    "unless\nno part may show it. *Limit stated*: a PASS reports the smallest defect that the run would have found.\n"
    "[tolerances.md](tolerances.md) defines T_occ, T_bw and repeated runs, [glossary.md](glossary.md) the terms.\n\n"
    "- [Checks, in running order](#in-running-order)\n"
    "- [Rows of the conformance list, and their checks](#rows)\n"
    "- [Published errata](#errata)\n"
    "- [Causes of a diagnosis](#causes)\n";

static const char table_head[] =
    "# Checks\n\n"
    "Every check in running order. `make docs` writes this table, and `build/docs/checks.md` (of a release in place\n"
    "of this page) with specification, rows, meaning of a FAIL and what to look at next. Without what *needs* names\n"
    "a check is SKIP. *limits*: WARN is the worst verdict, because the rule is model-specific, derived or\n"
    "unconfirmed; e, by experience: without bands of good machines a finding is a WARN, unless no part may show it\n"
    "([tolerances.md](tolerances.md)); l, long: `-quick` leaves it out. Empty: a finding is a FAIL, but for [some\n"
    "machines](tolerances.md#grades), and `-quick` has the check.\n\n"
    "| check | rule | needs | limits |\n| --- | --- | --- | --- |\n";

static int faults;

static void complain(const char *what, const char *which)
{
    fprintf(stderr, "checks_doc: %s: %s\n", what, which);
    faults++;
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

static void put_check(const struct check_row *row)
{
    char needs[160];

    check_needs_text(row, needs, sizeof needs);
    printf("### %s\n\n%s.\n\n- Specification: %s\n- Rows: %s; worst: %s%s%s; needs: %s\n", row->id, row->title,
           row->spec, row->covers, row->grade == GRADE_W ? "W" : "F", row->by_experience ? ", by experience" : "",
           row->excludes ? ", limit stated" : "", needs);
    if (row->detects != row->means)
        printf("- Detects: %s\n", row->detects);
    printf("- A %s means: %s\n- Look next at: %s\n\n", row->grade == GRADE_W ? "WARN" : "FAIL", row->means, row->next);
}

/* A line of docs/checks.md. */
static void put_line(const struct check_row *row)
{
    char needs[160];

    check_needs_text(row, needs, sizeof needs);
    printf("| %s | %s | %s |%s%s%s |\n", row->id, row->title, strcmp(needs, "nothing") ? needs : "",
           row->grade == GRADE_W ? " WARN" : "", row->by_experience ? " e" : "", row->slow ? " l" : "");
}

static void put_table(void)
{
    fputs(table_head, stdout);
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row))
        put_line(row);
}

static void put_checks(void)
{
    puts("\n## In running order\n");
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row))
        put_check(row);
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static const struct family {
    const char *prefix, *title;
} families[] = {
    { "EN-", "CPUID enumeration" },
    { "AS-", "IA32_PQR_ASSOC" },
    { "QM-", "IA32_QM_EVTSEL and IA32_QM_CTR" },
    { "CM-", "L3 occupancy (CMT)" },
    { "MB-", "memory bandwidth (MBM)" },
    { "CA-", "L3 CAT" },
    { "CD-", "code and data prioritization (CDP)" },
    { "L2-", "L2 CAT" },
    { "MA-", "bandwidth allocation (MBA, CBA, AMD)" },
    { "RS-", "state at entry" },
    { "XC-", "independence of threads, L3 domains and packages" },
    { "AC-", "ACPI tables" },
    { "AM-", "AMD PQoS" },
    { "MP-", "EFI_MP_SERVICES_PROTOCOL" },
    { "BH-", "behaviour that no document gives" },
    { "ET-", "telemetry by RMID" },
    { "ER-", "machine-check banks" },
    { "A", "PMON: presence and storage" },
    { "E", "PMON: enables" },
    { "F", "PMON: freeze" },
    { "R", "PMON: resets" },
    { "O", "PMON: overflow" },
    { "T", "PMON: threshold and invert" },
    { "G", "PMON: edge detection" },
    { "Q", "PMON: queues" },
    { "K", "PMON: clocks" },
    { "V", "PMON: events against known traffic" },
    { "D", "PMON: discovery tables" },
    { "S", "PMON: scope, state at entry" },
    { "X", "PMON, RDT and core PMU compared" },
};

/* The family of a row: up to its number. */
static const struct family *family_of(const char *id)
{
    size_t n = strcspn(id, "-");

    n = id[n] ? n + 1 : 1;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strlen(families[i].prefix) == n && strncmp(families[i].prefix, id, n) == 0)
            return &families[i];
    complain("no family for row", id);
    return &families[0];
}

/* Prints the checks of a row; returns how many. */
static uint32_t put_checks_of(const struct conformance_row *row)
{
    uint32_t n = 0;

    for (const struct check_row *c = check_next(NULL); c; c = check_next(c))
        if (conformance_names(c->covers, row->id, strlen(row->id)) || conformance_names(row->by, c->id, strlen(c->id)))
            printf("%s%s", n++ ? ", " : "", c->id);
    return n;
}

static void put_cell(const char *words) /* a bar would end the cell */
{
    for (; *words; words++)
        printf(*words == '|' ? "\\|" : "%c", *words);
    printf(" | ");
}

/* Returns how many checks hold it. */
static uint32_t put_row(const struct conformance_row *row)
{
    uint32_t checks;

    printf("| %s | ", row->id);
    put_cell(row->stimulus);
    put_cell(row->expected);
    put_cell(row->source);
    printf("%c | ", row->grade);
    checks = put_checks_of(row);
    if (checks == 0)
        printf("none: %s", row->reason ? row->reason : "?");
    puts(" |");
    return checks;
}

static void put_rows(void)
{
    static struct conformance list;
    const struct family *family = NULL;
    uint32_t held = 0;

    if (!conformance_read(&list)) {
        fprintf(stderr, "checks_doc: %s has no rows\n", CONFORMANCE_FILE);
        faults++;
    }
    printf(
        "## Rows\n\nThe conformance list has %u rows. Grade F: a violation is a FAIL; W: at most a WARN; R: recorded "
        "only.\n",
        list.n);
    for (uint32_t i = 0; i < list.n; i++) {
        if (family_of(list.rows[i].id) != family) {
            family = family_of(list.rows[i].id);
            printf("\n### Rows %.*s: %s\n\n| Row | Stimulus | Expected | Source | Grade | Check |\n"
                   "|---|---|---|---|---|---|\n",
                   (int)strcspn(family->prefix, "-"), family->prefix, family->title);
        }
        held += put_row(&list.rows[i]) > 0;
    }
    printf("\n%u rows have a check, %u have none, each with its reason above.\n\n", held, list.n - held);
    conformance_free(&list);
}

/* --- errata ------------------------------------------------------------------------------------------------------- */

/* Checks whose verdict rests on what a defect affects. */
static void put_affected(uint32_t affects)
{
    uint32_t n = 0;

    for (const struct check_row *c = check_next(NULL); c; c = check_next(c))
        if (c->rests_on & affects)
            printf("%s%s", n++ ? ", " : "", c->id);
}

static void put_errata(void)
{
    puts("## Errata\n\nA finding of these checks on these parts names the erratum and keeps its verdict.\n\n"
         "| Part | Number | Document | What the part does | Checks |\n|---|---|---|---|---|");
    for (uint32_t i = 0; i < n_errata; i++) {
        printf("| %s family %X model %X stepping %u to %u | %s | %s | %s | ",
               errata[i].vendor == VENDOR_INTEL ? "Intel" : "AMD", errata[i].family, errata[i].model,
               errata[i].first_stepping, errata[i].last_stepping, errata[i].number[0] ? errata[i].number : "-",
               errata[i].document, errata[i].defect);
        put_affected(errata[i].affects);
        puts(" |");
    }
}

/* --- causes ------------------------------------------------------------------------------------------------------- */

static void put_causes(void)
{
    puts("\n## Causes\n\nWhat a run with FAIL or WARN names as its cause (`core/diagnosis/causes_*.c` has the clues); "
         "where none fits,\nthe rule of a check.\n\n"
         "| cause | monitor | kind | what the machine does wrong |\n| --- | --- | --- | --- |");
    for (const struct cause_family *const *f = cause_families; *f; f++)
        for (uint32_t i = 0; i < (*f)->n; i++)
            printf("| %s | %s | %s | %s |\n", (*f)->causes[i].id, (*f)->causes[i].monitor,
                   defect_kind_text((*f)->causes[i].defect), (*f)->causes[i].says);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--table")) {
        put_table();
        return 0;
    }
    fputs(head, stdout);
    put_checks();
    put_rows();
    put_errata();
    put_causes();
    return faults ? 1 : 0;
}
