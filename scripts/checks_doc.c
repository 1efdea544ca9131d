/* scripts/checks_doc.c: prints docs/checks.md from the tables that the payload runs. */
#include <stdio.h>

#include "core/engine.h"

int main(void)
{
    puts("# Checks\n");
    puts("Made by `make docs` from the tables in `core/checks/`. *Rows* are rows of the conformance list, whose "
         "letters\n"
         "name the family: EN enumeration, AS IA32_PQR_ASSOC, QM the counter protocol, CM occupancy, MB bandwidth,\n"
         "CA L3 masks, CD code and data apart, L2 L2 masks, MA bandwidth throttles, AM AMD, AC ACPI, RS reset state,\n"
         "XC cross-package; single letters are uncore semantics. *Worst* is the worst that the check may\n"
         "say: W stands where the rule is model-specific, derived or unconfirmed, and a deviation is a WARN. Which "
         "silicon\n"
         "fault makes which check fail: [faults.md](faults.md).\n");
    for (uint32_t t = 0; t < n_check_tables; t++) {
        for (uint32_t i = 0; i < check_tables[t].n; i++) {
            const struct check_row *row = &check_tables[t].rows[i];
            char needs[160];

            check_needs_text(row, needs, sizeof needs);
            printf("## %s\n\n%s.\n\n- Specification: %s\n- Rows: %s; worst: %s; needs: %s\n- Catches: %s\n\n", row->id,
                   row->title, row->spec, row->rows, row->grade == GRADE_W ? "W" : "F", needs, row->catches);
        }
    }
    return 0;
}
