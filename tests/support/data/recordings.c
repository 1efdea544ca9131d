/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/recordings.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#define FIXTURES          ASSAY_ROOT "/tests/fixtures/"
#define FIXTURES_AT_LEAST 121u

static const char *folder_of(enum recordings which)
{
    static const char *const folders[] = { [RECORDINGS_FIXTURES] = FIXTURES "cpuid",
                                           [RECORDINGS_TOPOLOGY] = FIXTURES "machines/cpuid",
                                           [RECORDINGS_ACPI] = FIXTURES "machines/acpi",
                                           [RECORDINGS_SMBIOS] = FIXTURES "machines/smbios",
                                           [RECORDINGS_PCI] = FIXTURES "machines/pci" };
    const char *chosen = getenv("ASSAY_CPUID_DATA");

    return which != RECORDINGS_COLLECTION ? folders[which] : chosen ? chosen : "";
}

static struct replay *open_in(enum recordings which, const char *name, const char *end)
{
    char path[1200];
    struct replay *r;

    snprintf(path, sizeof path, "%s/%s%s", folder_of(which), name, end);
    r = replay_open(path);
    cr_assert_not_null(r, "%s", path);
    return r;
}

struct tsv *recordings_index(enum recordings which)
{
    char path[600];

    snprintf(path, sizeof path, "%s/index.tsv", folder_of(which));
    return tsv_open(path);
}

struct replay *recordings_open(enum recordings which, const struct tsv *x, uint32_t row)
{
    const char *machine = tsv_get(x, row, "machine");

    return machine ? open_in(which, machine, ".machine") : open_in(which, tsv_get(x, row, "file"), "");
}

void recordings_of_machines(enum recordings which, uint32_t at_least, recording_check check)
{
    struct tsv *x = recordings_index(which);

    if (which == RECORDINGS_COLLECTION && tsv_rows(x) == 0)
        cr_skip_test("no collection: ASSAY_CPUID_DATA names no folder with an index.tsv");
    cr_assert_geq(tsv_rows(x), at_least);
    for (uint32_t row = 0; row < tsv_rows(x); row++) {
        struct replay *r = recordings_open(which, x, row);

        check(r, x, row);
        replay_free(r);
    }
    tsv_free(x);
}

void recordings_of_fixtures(recording_check check)
{
    recordings_of_machines(RECORDINGS_FIXTURES, FIXTURES_AT_LEAST, check);
}

void recordings_of_collection(recording_check check)
{
    recordings_of_machines(RECORDINGS_COLLECTION, 1, check);
}

struct replay *fixture_open(const char *name)
{
    return open_in(RECORDINGS_FIXTURES, name, "");
}
