/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/faults/fault_lists.h"

#include <string.h>

#include "core/base/text.h"

/* Rows of RDT that say FAIL, and that no fault on spr or icx proves: why not. */
static const struct {
    const char *row, *why;
} unproven[] = {
    { "CM-04", "occupancy-kept-on-flush is found by cmt.eviction alone, under another row" },
    { "MB-03", "traffic.mbm and traffic.closure hold it, under rows of their own" },
    { "MB-04", "no fault has MBM local count more than MBM total" },
    { "CA-10", "the L3 of the matrix' spr, of few slices, is too small against its L2; found on bdx" },
    { "MA-09", "neither part has CBA; its faults are found on gnr, whose L3 is not inclusive either" },
};

const char *row_is_unproven(const char *row)
{
    for (size_t i = 0; i < sizeof unproven / sizeof unproven[0]; i++)
        if (!strcmp(unproven[i].row, row))
            return unproven[i].why;
    return NULL;
}

/* Faults that no check finds on profiles that can have them: why not. */
static const struct {
    const char *faults, *profiles, *why;
} missed[] = {
    { "pci-hidden", "skx", "its last function is an M2PCIe, of which boards hide some: a note" },
    { "pci-hidden", "icx", "its last function is the third link's M3UPI, which boards turn off: a note" },
    { "pmon-enable-shared pmon-read-stale pmon-threshold pmon-invert pmon-edge pmon-clock-drifts", "cfl adl",
      "a client's units have no clock event, with which the comparisons are shown" },
    { "occupancy-dead inserts-dead occupancy-threshold-ignored occupancy-edge-level occupancy-double occupancy-half",
      "cfl adl", "no check looks at the queue of a client's ARB" },
    { "umask-first-only umask-reads-lost umask-writes-lost", "cfl adl", "no check asks a client's ARB for a sum" },
    { "pmon-box-reset-dead pmon-freeze-dead pmon-left-frozen edge-alone-half", "adl",
      "no check looks at a client's memory controllers but for what is free-running" },
};

const char *fault_is_missed(const char *fault, const char *profile)
{
    for (size_t i = 0; i < sizeof missed / sizeof missed[0]; i++)
        if (text_matches_any(missed[i].faults, fault) && text_matches_any(missed[i].profiles, profile))
            return missed[i].why;
    return NULL;
}

void fault_lists_write(FILE *out)
{
    fputs("\n## Rows without a proof on an L3 that is not inclusive\n\n"
          "Rows of CMT, MBM, CAT, CDP and MBA with grade F of which no fault on spr or icx is found by a check that "
          "holds them:\n\n",
          out);
    for (size_t i = 0; i < sizeof unproven / sizeof unproven[0]; i++)
        fprintf(out, "- %s: %s\n", unproven[i].row, unproven[i].why);
}
