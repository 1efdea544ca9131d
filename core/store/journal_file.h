/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/store/journal_file.h: the journal of a run on the medium (core/journal/journal.h), beside the folder of its report.
 *
 * FOLDER\MACHINE.journal says what is under way, after the run too: nothing, or what it was interrupted in. Each phase and
 * each check is in it before it begins: one write of a sector in place, and one flush.
 */
#pragma once
#include "arch/x86/tables/smbios.h"
#include "core/journal/journal.h"
#include "core/options/options.h"
#include "core/store/files.h"

struct journal {
    struct journal_record now;   /* what stands there */
    struct file file;            /* no handle: nothing is written */
    const struct volume *volume; /* that has the file; NULL: none was begun */
    uint32_t slot;               /* the next */
    bool one_slot; /* firmware ends a file after what is written into it: there is no room but at its beginning */
    char path[OPTIONS_TEXT + 128];
    uint64_t writes, ticks; /* TSC ticks that writes and flushes took, in all */
};

/* The last record of this machine's last run in the folder. machine and settings are set to this
 * boot's: digests of the machine's identity, and of the build and its options. ST_ABSENT: there is none. */
MUST_CHECK enum status journal_read(struct journal *j, const struct volume *v, const char *folder,
                                    const struct smbios_info *smbios, struct journal_record *found);
/* The digest that tells runs of other options or builds apart. What only decides how a run is shown or ended is left out. */
void journal_settings(uint8_t digest[16], const struct options *o, const char *build_id);
/* A file for the run that j->now describes: the one that is there, or a new one; with the first record, flushed. */
MUST_CHECK enum status journal_begin(struct journal *j, const struct volume *v);
/* j->now goes to the medium. Nothing without a file; a medium that fails ends the journal, and j->file.failed says why. */
void journal_put(struct journal *j);
/* The medium is back that failed: the file is opened again. */
void journal_again(struct journal *j);
/* The run has its end: so says the file, and nothing is written any more. */
void journal_end(struct journal *j);
