/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* scripts/faults_doc.c: prints build/docs/faults.md: every fault of the virtual silicon, from tests/silicon/faults, a
 * map of them, and every quirk, from tests/silicon/model/realism_rows.h. Which checks find a fault is measured by build/host/matrix faults. */
#include <stdio.h>

#include "tests/silicon/faults/fault.h"
#include "tests/silicon/model/realism.h"
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

/* --- the map: which monitors have which kinds of defects */

enum monitor { CMT, MBM_TOTAL, MBM_LOCAL, CAT, CDP, MBA, L2, PQR, QM, UNCORE, AMD, MONITORS };
enum scope { MACHINE, PACKAGE, L3, SLICE, BOX, CORE, THREAD, RMID, CLOS, FIELD, SCOPES };
enum kind {
    DEAD,
    SCALED,
    LOST,
    LATE,
    LEAKS,
    SWAPPED,
    ALIASED,
    STICKY,
    STALE,
    WRAPS,
    ACCESS,
    CONTENTION,
    IDLE,
    HIGH_IDS,
    PROCESSOR,
    NTH,
    RULE,
    KINDS
};
static const char *const monitor_names[MONITORS] = { "CMT",          "MBM total", "MBM local",     "CAT",
                                                     "CDP",          "MBA",       "L2 CAT",        "PQR_ASSOC",
                                                     "QM registers", "uncore",    "AMD's counters" };
static const char *const scope_names[SCOPES] = { "machine", "package", "L3",   "slice", "box",
                                                 "core",    "thread",  "RMID", "CLOS",  "bit" };
static const char *const kind_names[KINDS] = { "dead",
                                               "scaled",
                                               "loses a share",
                                               "late",
                                               "leaks",
                                               "swapped",
                                               "aliased",
                                               "sticky",
                                               "stale",
                                               "wraps or stops early",
                                               "one kind of access",
                                               "only under contention",
                                               "only after idle, sleep or SMI",
                                               "only high ids",
                                               "only one processor",
                                               "only the n-th time",
                                               "rule not enforced" };

static const struct {
    enum fault_id fault;
    enum monitor monitor;
    enum scope scope;
    enum kind kind;
} map[] = {
#define MAPPED(fault, monitor, scope, kind) { FAULT_##fault, monitor, scope, kind },
#include "tests/silicon/faults/fault_map.h"
#undef MAPPED
};

static const char map_head[] =
    "\n## Map of defects\n\n"
    "By monitor and kind: the number of faults that act such a defect out, and where (%zu faults, from "
    "`tests/silicon/faults/fault_map.h`; CPUID, tables and what firmware leaves are in no monitor). %u of %u cells are "
    "filled, and %u "
    "of %u by monitor, scope and kind. An empty cell (-) has no fault, so nothing shows that a check would find such a "
    "defect.\n\n";

/* Faults of a cell, with the scopes that they have; false: there is none. */
static bool cell_text(enum monitor monitor, enum kind kind, uint32_t *scopes, char *out, size_t size)
{
    uint32_t n = 0, has = 0;
    size_t used;

    for (size_t i = 0; i < sizeof map / sizeof map[0]; i++)
        if (map[i].monitor == monitor && map[i].kind == kind) {
            n++;
            has |= 1u << map[i].scope;
        }
    *scopes += (uint32_t)__builtin_popcount(has);
    used = (size_t)snprintf(out, size, n ? "%u:" : "-", n);
    for (uint32_t s = 0; s < SCOPES; s++)
        if (has >> s & 1 && used < size)
            used += (size_t)snprintf(out + used, size - used, " %s", scope_names[s]);
    return n > 0;
}

static void put_map(void)
{
    uint32_t filled = 0, scopes = 0;
    char text[128];

    for (uint32_t k = 0; k < KINDS; k++)
        for (uint32_t m = 0; m < MONITORS; m++)
            filled += cell_text(m, k, &scopes, text, sizeof text);
    printf(map_head, sizeof map / sizeof map[0], filled, (unsigned)MONITORS * KINDS, scopes,
           (unsigned)MONITORS * SCOPES * KINDS);
    printf("| |");
    for (uint32_t m = 0; m < MONITORS; m++)
        printf(" %s |", monitor_names[m]);
    printf("\n| ---");
    for (uint32_t m = 0; m < MONITORS; m++)
        printf(" | ---");
    puts(" |");
    for (uint32_t k = 0; k < KINDS; k++) {
        printf("| %s |", kind_names[k]);
        for (uint32_t m = 0; m < MONITORS; m++) {
            (void)cell_text(m, k, &scopes, text, sizeof text);
            printf(" %s |", text);
        }
        puts("");
    }
}

int main(void)
{
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    printf(head, n);
    for (uint32_t i = 0; i < n; i++)
        put_fault(&faults[i]);
    put_map();
    put_quirks();
    return 0;
}
