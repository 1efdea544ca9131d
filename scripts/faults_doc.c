/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* scripts/faults_doc.c: prints build/docs/faults.md: every fault of the virtual silicon, from tests/silicon/faults, and
 * every quirk, from tests/silicon/quirks/realism_rows.h. build/host/matrix map says which check finds a defect. */
#include <stdio.h>

#include "tests/silicon/faults/fault.h"
#include "tests/silicon/quirks/realism.h"
#include "tests/silicon/profiles/profile.h"

static const char head[] =
    "# Faults and quirks of the virtual silicon\n\n"
    "%u faults, made by `make docs` from the rows in `tests/silicon/faults/`. `make run FAULT=NAME` or `run-silicon "
    "--fault NAME`\nboots a machine with one; a machine that cannot have it is refused with the reason.\n\n"
    "*Rows* are rows of [conformance.tsv](conformance.tsv), of which at least one check has to find the fault. *On*: "
    "the "
    "first and\nthe last profile that can have it. *Host*: the host model alone has it, and why. *Numbers*: "
    "what may follow\nthe name, as `NAME:NUMBER` or `NAME:PLACE:NUMBER`, with the default in brackets.\n\n"
    "| fault | stands for | rows | on | numbers |\n| --- | --- | --- | --- | --- |\n";

static const char *fits(const struct model_fault *fault, bool last)
{
    const char *found = "";

    for (uint32_t p = 0; p < profile_count(); p++)
        if (!profiles[p]->like && fault_is_tried(fault, profiles[p])) {
            found = profiles[p]->name;
            if (!last)
                break;
        }
    return found;
}

static void put_fault(const struct model_fault *fault)
{
    const char *first = fits(fault, false), *last = fits(fault, true);
    char numbers[256] = "";

    if (fault->range.most)
        model_fault_numbers(fault, numbers, sizeof numbers);
    printf("| %s%s%s | %s | %s | ", fault->name, fault->also ? ", also " : "", fault->also ? fault->also : "",
           fault->stands_for, fault->rows);
    printf("%s%s%s%s%s | %s |\n", first, first == last ? "" : ", ", first == last ? "" : last,
           fault->host_only ? "; host: " : "", fault->host_only ? fault->host_only : "", numbers);
}

static const char quirks_head[] =
    "\n## Quirks\n\n"
    "What real parts do and no document promises: `make run REALISM=NAME=VALUE,...`, `run-silicon --realism "
    "NAME=VALUE,...`. `typical`\nsets each to its typical value for the class of the profile, `none`, the default, to "
    "the "
    "first value; later items win. A class\nthat a row does not name cannot have the quirk.\n\n"
    "| quirk | unit | values | meaning | plausible range | source |\n| --- | --- | --- | --- | --- | --- |\n";

static void put_quirks(void)
{
    char row[1024];

    fputs(quirks_head, stdout);
    for (uint32_t i = 0; i < REALISM_QUIRKS; i++) {
        realism_markdown(i, row, sizeof row);
        puts(row);
    }
}

int main(void)
{
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    printf(head, n);
    for (uint32_t i = 0; i < n; i++)
        put_fault(&faults[i]);
    put_quirks();
    return 0;
}
