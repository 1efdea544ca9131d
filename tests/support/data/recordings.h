/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/recordings.h: a test for every recorded processor of a folder (replay.h). */
#pragma once
#include "tests/support/data/replay.h"
#include "tests/support/data/tsv.h"

/* Folders hold such files: tests/fixtures/cpuid, of single processors, and the folders of tests/fixtures/machines, of whole
 * machines; and a collection of the user's own, which the environment variable ASSAY_CPUID_DATA names; what tests it is
 * skipped without the variable. */
enum recordings {
    RECORDINGS_FIXTURES,
    RECORDINGS_TOPOLOGY,
    RECORDINGS_ACPI,
    RECORDINGS_SMBIOS,
    RECORDINGS_PCI,
    RECORDINGS_COLLECTION
};

/* What is held against one recording: row is its row of the folder's index.tsv, what a right decoder finds. */
typedef void (*recording_check)(struct replay *r, const struct tsv *x, uint32_t row);

/* Every fixture, of which there are many; the test fails where they are not there. */
void recordings_of_fixtures(recording_check check);
/* Every whole machine of that folder, which are so many at least. */
void recordings_of_machines(enum recordings which, uint32_t at_least, recording_check check);
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
/* A folder's index.tsv, and the recording of a row: of its column "file", or of whole machines "machine". To be freed. */
struct tsv *recordings_index(enum recordings which);
struct replay *recordings_open(enum recordings which, const struct tsv *x, uint32_t row);
/* The fixture of that name. To be freed. */
struct replay *fixture_open(const char *name);
