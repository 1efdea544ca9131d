/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/files/events.h: files of events on the stick, \assay\events\*.events, which scripts/perfmon-events makes. */
#pragma once
#include "core/events/event_file.h"
#include "core/machine/machine.h"
#include "core/options/options.h"
#include "core/store/files.h"

#define EVENTS_FOLDER "\\assay\\events"
#define EVENTS_FILES  8u /* for one processor, at most */

struct event_files {
    struct event_file list[EVENTS_FILES];
    uint32_t n;
};

/* Those that are for this processor. ST_RANGE: one is not as it should be; error names file, line and field. *files is
 * written in any case. */
MUST_CHECK enum status events_load(const struct volume *v, const struct machine *m, struct event_files *files,
                                   struct options_error *error);
void events_free(struct event_files *files);
