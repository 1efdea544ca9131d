/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/recordings.h: a test for every recorded processor of a folder (replay.h). */
#pragma once
#include "tests/support/data/replay.h"

/* What is held against one recording: row is its row of the index. */
typedef void (*recording_check)(struct replay *r, const struct replay_index *x, uint32_t row);

/* Every fixture, of which there are many; the test fails where they are not there. */
void recordings_of_fixtures(recording_check check);
/* Every whole machine of that folder, which are so many at least. */
void recordings_of_machines(enum replay_folder which, uint32_t at_least, recording_check check);
/* Every recording of the collection; the test is skipped where there is none. */
void recordings_of_collection(recording_check check);
/* Tests that hold both against them. */
#define TEST_RECORDINGS(suite, name, check)                                                                            \
    Test(suite, fixtures_##name)                                                                                       \
    {                                                                                                                  \
        recordings_of_fixtures(check);                                                                                 \
    }                                                                                                                  \
    Test(suite, recordings_of_the_collection_##name)                                                                   \
    {                                                                                                                  \
        recordings_of_collection(check);                                                                               \
    }
/* The fixture of that name. To be freed. */
struct replay *fixture_open(const char *name);
