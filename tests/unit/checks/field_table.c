/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The tables of docs/uncore.md that name a check for each field of the UBox's and Nehalem's registers: every field is there,
 * and every check that is named exists. */
#include <criterion/criterion.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/check/row.h"

#define GUIDE   "docs/uncore.md"
#define SECTION "## Fields and their checks"

/* 327043-001 tables 2-2 and 2-3; SDM vol. 3B 18.8.2 (old numbering). */
static const char *const fields[] = {
    "| `rsv` | 31:29, 21:20, 19 |",
    "| `thresh` | 28:24 |",
    "| `invert` | 23 |",
    "| `en` | 22 |",
    "| `edge_det` | 18 |",
    "| `rst` | 17 |",
    "| `umask` | 15:8 |",
    "| `ev_sel` | 7:0 |",
    "| `event_count` | 43:0 |",
    "| `rsv` of the counter | 63:44 |",
    "| MSR 391H `EN_PCn`, `EN_FC0` | 7:0, 32 |",
    "| MSR 391H `EN_PMI_COREn` | 51:48 |",
    "| MSR 391H `PMI_FRZ` | 63 |",
    "| MSR 391H reserved | 62:52, 47:33, 31:8 |",
    "| MSR 392H `OVF_PCn`, `OVF_FC0` | 7:0, 32 |",
    "| MSR 392H `OVF_PMI` | 61 |",
    "| MSR 392H `CHG`; reserved | 63; 62, 60:33, 31:8 |",
    "| MSR 393H `CLR_OVF_PCn`, `CLR_OVF_FC0`, `CLR_CHG` | 7:0, 32, 63 |",
    "| MSR 394H | 47:0 |",
    "| MSR 395H `EN`, `PMI`, reserved | 0, 2, 63:3 and 1 |",
    "| MSR 3B0H to 3B7H | 47:0 |",
    "| MSR 3C0H to 3C7H `Event Select`, `Unit Mask` | 7:0, 15:8 |",
    "| `OCC_CTR_RST` | 17 |",
    "| `Edge Detect` | 18 |",
    "| `PMI` | 20 |",
    "| `EN` | 22 |",
    "| `INV` | 23 |",
    "| `Counter Mask` | 31:24 |",
    "| reserved | 63:32, 21, 19, 16 |",
    "| values after reset | |",
};

/* Checks of a line's last cell, each of which must exist. */
static uint32_t checks_named(const char *line)
{
    const char *cell = strrchr(line, '|');
    uint32_t n = 0;

    while (cell > line && cell[-1] != '|')
        cell--;
    for (const char *at = strchr(cell, '`'); at; at = strchr(at, '`')) {
        const char *end = strchr(at + 1, '`');
        char id[48];

        cr_assert(end, "%s", line);
        snprintf(id, sizeof id, "%.*s", (int)(end - at - 1), at + 1);
        cr_expect(check_find(id), "%s is no check: %s", id, line);
        at = end + 1;
        n++;
    }
    return n;
}

Test(field_table, every_field_has_a_check_that_exists)
{
    bool found[sizeof fields / sizeof fields[0]] = { false }, inside = false;
    FILE *f = fopen(GUIDE, "r");
    char line[1024];

    cr_assert(f, GUIDE);
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#')
            inside = strncmp(line, SECTION, strlen(SECTION)) == 0;
        if (!inside || line[0] != '|' || strncmp(line, "| field", 7) == 0 || strncmp(line, "| ---", 5) == 0)
            continue;
        cr_expect_gt(checks_named(line), 0, "no check is named: %s", line);
        for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
            found[i] |= strncmp(line, fields[i], strlen(fields[i])) == 0;
    }
    fclose(f);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        cr_expect(found[i], "not in " GUIDE ": %s", fields[i]);
}
