/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/record/record.h: a recording of this machine, in the form of docs/recording.md.
 *
 * Everything is read, nothing is written. A register that raises #GP, and memory that cannot be read, are recorded as such or
 * left out. Registers whose reading changes something (IA32_QM_CTR clears its overflow flag) are not read.
 *
 * What names a single machine or person (serial numbers, UUID, asset tags, PPIN) is replaced by the first 16 digits of a
 * SHA-256 that is keyed by all of it: the same on the same machine, so that two recordings can be compared, and not to be found
 * by trying serial numbers. SMBIOS types whose texts are the maker's own (OEM strings) are left out.
 */
#pragma once
#include "core/boxes/boxes.h"
#include "core/machine/machine.h"

struct record_range { /* of firmware's memory map; type as UEFI 2.10, 7.2.3 */
    uint64_t base, bytes;
    uint32_t type;
};

struct record_source {
    struct platform *platform;
    const struct machine *machine;
    const struct pmon *pmon;           /* NULL: boxes were not looked for */
    bool full;                         /* serial numbers and the like as they are */
    const char *made_by;               /* "assay 1.0, commit 0123456789ab" */
    const char *firmware;              /* vendor and revision as UEFI has them; NULL: unknown */
    const struct record_range *ranges; /* n_ranges of them; NULL: unknown */
    uint32_t n_ranges;
};

struct record_text {
    char *at; /* heap_free() */
    size_t length;
};

#define RECORD_MOST (2u << 20) /* bytes: what would be longer is cut after a whole line, and says so in a comment */

/* ST_NO_MEMORY: *out is empty. Otherwise ST_OK: what could not be read is not there. */
MUST_CHECK enum status record_machine(const struct record_source *s, struct record_text *out);
