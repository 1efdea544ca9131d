/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/progress.h: how long the rest of a run will take, judged by what it took so far.
 *
 * Checks differ by how much they disturb the machine (row->risk): reading an identity takes microseconds, moving a
 * memory's worth of traffic takes seconds. So each kind has an average of its own; a kind of which none has run yet
 * counts as the average over all.
 */
#pragma once
#include "core/engine/engine.h"

#define PROGRESS_KINDS 3u /* of enum check_risk */

struct progress {
    uint32_t todo[PROGRESS_KINDS], done[PROGRESS_KINDS];
    uint64_t ms[PROGRESS_KINDS];
    uint64_t began_ms; /* of the check in progress */
};

/* Counts what engine_run() will run: selected rows whose preconditions are there, in every round. */
void progress_begin(struct progress *p, const struct engine *e);
/* A check begins, and ends; now_ms counts from anywhere. Of a check that was skipped nothing is learnt. */
void progress_check_begins(struct progress *p, uint64_t now_ms);
void progress_check_ended(struct progress *p, const struct engine *e, const struct check *c, uint64_t now_ms);
/* Milliseconds that what is left will take. false: nothing has ended yet, so *ms is left alone. */
bool progress_left(const struct progress *p, uint64_t *ms);
