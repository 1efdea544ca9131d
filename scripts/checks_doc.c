/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* scripts/checks_doc.c: prints docs/checks.md from the tables that the payload runs, the conformance list
 * (checks_rows.h) and the advice (core/page/advice.h). Exits with 1, and says why, where a row has neither check nor
 * reason, or a check has no advice. */
#include <stdio.h>
#include <string.h>

#include "core/engine/engine.h"
#include "core/check/errata.h"
#include "core/base/text.h"
#include "core/page/advice.h"
#include "scripts/checks_rows.h"

static const char head[] =
    "# Checks\n\n"
    "Made by `make docs` from the tables in `core/checks/`. *Rows* are rows of the conformance list, whose letters\n"
    "name the family: EN enumeration, AS IA32_PQR_ASSOC, QM the counter protocol, CM occupancy, MB bandwidth,\n"
    "CA L3 masks, CD code and data apart, L2 L2 masks, MA bandwidth throttles, AM AMD, AC ACPI, RS reset state,\n"
    "XC cross-package, MP firmware's processor services; single letters are uncore semantics. *Worst* is the worst "
    "that\n"
    "the check may say: W stands where the rule is model-specific, derived or unconfirmed, and a deviation is a WARN.\n"
    "Which silicon fault makes which check fail: [faults.md](faults.md).\n\n"
    "- [Checks, in running order](#in-running-order)\n"
    "- [Rows of the conformance list, and their checks](#rows)\n"
    "- [Published defects that are expected](#errata)\n";

static int faults;

static void complain(const char *what, const char *which)
{
    fprintf(stderr, "checks_doc: %s: %s\n", what, which);
    faults++;
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

static const struct advice *advice_for(const char *id)
{
    for (size_t i = 0; i < sizeof advices / sizeof advices[0]; i++)
        if (text_matches(advices[i].pattern, id))
            return &advices[i];
    complain("no advice for check", id);
    return &advices[0];
}

static void put_check(const struct check_row *row)
{
    const struct advice *a = advice_for(row->id);
    char needs[160];

    check_needs_text(row, needs, sizeof needs);
    printf("### %s\n\n%s.\n\n- Specification: %s\n- Rows: %s; worst: %s; needs: %s\n- Catches: %s\n", row->id,
           row->title, row->spec, row->rows, row->grade == GRADE_W ? "W" : "F", needs, row->catches);
    printf("- A %s means: %s\n- Look next at: %s\n\n", row->grade == GRADE_W ? "WARN" : "FAIL", a->means, a->next);
}

static void put_checks(void)
{
    puts("\n## In running order\n");
    for (uint32_t t = 0; t < n_check_tables; t++)
        for (uint32_t i = 0; i < check_tables[t].n; i++)
            put_check(&check_tables[t].rows[i]);
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

/* Whether a blank-separated list holds this row. */
static bool names(const char *rows, const char *id)
{
    size_t n = strlen(id);

    for (const char *at = strstr(rows, id); at; at = strstr(at + 1, id))
        if ((at == rows || at[-1] == ' ') && (at[n] == '\0' || at[n] == ' '))
            return true;
    return false;
}

/* Prints the checks of a row; returns how many. */
static uint32_t put_checks_of(const struct conformance_row *row)
{
    uint32_t n = 0;

    for (uint32_t t = 0; t < n_check_tables; t++)
        for (uint32_t i = 0; i < check_tables[t].n; i++) {
            const struct check_row *c = &check_tables[t].rows[i];

            if (names(c->rows, row->id) || (row->by && names(row->by, c->id)))
                printf("%s%s", n++ ? ", " : "", c->id);
        }
    return n;
}

static void put_words(const char *words) /* a bar would end the cell */
{
    for (; *words; words++)
        printf(*words == '|' ? "\\|" : "%c", *words);
}

static void put_rows(void)
{
    size_t n = sizeof conformance_rows / sizeof conformance_rows[0];
    uint32_t held = 0;

    printf("## Rows\n\nThe conformance list has %zu rows.\n\n| Row | What is done | Check |\n|---|---|---|\n", n);
    for (size_t i = 0; i < n; i++) {
        const struct conformance_row *row = &conformance_rows[i];
        uint32_t checks;

        printf("| %s | ", row->id);
        put_words(row->words);
        printf(" | ");
        checks = put_checks_of(row);
        held += checks > 0;
        if (checks == 0)
            printf("none: %s", row->reason ? row->reason : "?");
        if (checks == 0 && !row->reason)
            complain("neither check nor reason for row", row->id);
        puts(" |");
    }
    printf("\n%u rows are held by a check, %zu by none, each with its reason above.\n\n", held, n - held);
}

/* --- errata ------------------------------------------------------------------------------------------------------- */

static void put_errata(void)
{
    puts("## Errata\n\nA finding of these checks on these parts names the defect. It keeps its verdict.\n\n"
         "| Part | Number | Document | What the part does | Checks |\n|---|---|---|---|---|");
    for (uint32_t i = 0; i < n_errata; i++)
        printf("| %s family %X model %X stepping %u to %u | %s | %s | %s | %s |\n",
               errata[i].vendor == VENDOR_INTEL ? "Intel" : "AMD", errata[i].family, errata[i].model,
               errata[i].first_stepping, errata[i].last_stepping, errata[i].number[0] ? errata[i].number : "-",
               errata[i].document, errata[i].defect, errata[i].checks);
}

int main(void)
{
    fputs(head, stdout);
    put_checks();
    put_rows();
    put_errata();
    return faults ? 1 : 0;
}
