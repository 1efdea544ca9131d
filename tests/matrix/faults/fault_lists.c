/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/faults/fault_lists.h"

#include <string.h>

#include "core/base/search.h"
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
    return FIND(i, sizeof unproven / sizeof unproven[0], !strcmp(unproven[i].row, row), unproven[i].why, NULL);
}

/* Faults that no check finds on profiles that can have them: why not. */
static const struct {
    const char *faults, *profiles, *why;
} missed[] = {
    { "pci-hidden", "skx clx clx-ap", "its last function is an M2PCIe, of which boards hide some: a note" },
    { "pci-hidden", "icx", "its last function is the third link's M3UPI, which boards turn off: a note" },
    { "pmon-clock-drifts clock-starts-late", "cfl adl",
      "a client's fixed counter alone counts a clock: no other has the same one" },
    { "occupancy-dead inserts-dead occupancy-threshold-ignored occupancy-edge-level occupancy-double occupancy-half "
      "occupancy-last-counter",
      "cfl adl", "no check looks at the queue of a client's ARB" },
    { "umask-first-only umask-reads-lost umask-writes-lost", "cfl adl", "no check asks a client's ARB for a sum" },
    { "pmon-box-reset-dead pmon-box-reset-next pmon-reset-clears-controls pmon-freeze-dead pmon-freeze-one-runs "
      "pmon-frozen-write-lost pmon-left-frozen edge-alone-half",
      "adl", "no check looks at a client's memory controllers but for what is free-running" },
    { "pmon-edge-both pmon-invert-alone", "nhm-ex wsm-ex",
      "the tables have no event that a load makes its boxes with these fields count, and one that does not occur has "
      "no "
      "increments" },
    { "ubox-event-ignored", "gnr srf cwf",
      "event files of these parts have no other event of the U-box than EVENT_MSG" },
    { "qpi-port-missing discovery-upi-missing", "gnr srf cwf",
      "ports are where discovery tables say, how many differs between products, and no public source says that each "
      "has "
      "one B2UPI, as each of spr has one M3UPI" },
    { "pmon-dead-counter pmon-threshold* pmon-invert* pmon-edge* edge-alone-half pmon-freeze-one-runs pmon-carry-lost "
      "pmon-overflow-stuck pmon-status-* status-without-ov-en pmon-freeze-late",
      "dmr", "no public source says what its programmable counters count" },
    { "pmon-left-frozen-globally", "dmr", "a reset leaves its global freeze set: Linux uncore_mmio_global_init()" },
    { "pmon-clock-drifts clock-starts-late", "dmr", "no public source says what a channel's fixed counter counts" },
    { "pmon-global-freeze-misses", "dmr",
      "its fixed counters alone can be driven, and no source says that a global freeze reaches them" },
    { "imc-* dimm-not-counted pmon-lost-at-clock pmon-smi-doubles discovery-channel-type", "dmr",
      "no public source has its events of memory traffic" },
    { "pci-hidden pci-all-ones mmio-all-ones discovery-phantom-channel discovery-access", "dmr",
      "one public source alone has its units, and one that does not answer may be absent: a note" },
    { "corrected-counted corrected-wraps", "dmr", "no public source has a channel's counters of corrected errors" },
};

const char *fault_is_missed(const char *fault, const char *profile)
{
    return FIND(i, sizeof missed / sizeof missed[0],
                text_matches_any(missed[i].faults, fault) && text_matches_any(missed[i].profiles, profile),
                missed[i].why, NULL);
}

void fault_lists_write_missed(FILE *out)
{
    fputs("\n## Not found, and why\n\n", out);
    for (size_t i = 0; i < sizeof missed / sizeof missed[0]; i++)
        fprintf(out, "- %s, on %s: %s\n", missed[i].faults, missed[i].profiles, missed[i].why);
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
