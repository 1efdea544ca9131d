/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/recordings.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define FIXTURES_AT_LEAST 121u

static void each(enum replay_folder which, uint32_t at_least, recording_check check)
{
    struct replay_index *x = replay_index_open(replay_folder(which));

    cr_assert_geq(replay_index_rows(x), at_least);
    for (uint32_t row = 0; row < replay_index_rows(x); row++) {
        struct replay *r = replay_index_open_row(x, row);

        cr_assert_not_null(r, "%s", replay_index_get(x, row, "file"));
        check(r, x, row);
        replay_free(r);
    }
    replay_index_free(x);
}

void recordings_of_fixtures(recording_check check)
{
    each(REPLAY_FIXTURES, FIXTURES_AT_LEAST, check);
}

void recordings_of_machines(enum replay_folder which, uint32_t at_least, recording_check check)
{
    each(which, at_least, check);
}

void recordings_of_collection(recording_check check)
{
    if (!replay_folder(REPLAY_COLLECTION)[0])
        cr_skip_test("no collection: ASSAY_CPUID_DATA names no folder with an index.tsv");
    each(REPLAY_COLLECTION, 1, check);
}

struct replay *fixture_open(const char *name)
{
    char path[700];
    struct replay *r;

    snprintf(path, sizeof path, "%s/%s", replay_folder(REPLAY_FIXTURES), name);
    r = replay_open(path);
    cr_assert_not_null(r, "%s", path);
    return r;
}
