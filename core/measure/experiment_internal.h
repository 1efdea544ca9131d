/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/measure/experiment_internal.h: what the files of experiment.h share. */
#pragma once
#include "core/measure/experiment.h"

static inline bool is_bandwidth(const struct reading *r)
{
    return r->event != QM_EVENT_L3_OCCUPANCY;
}
bool reading_inside(const struct reading *r, double bytes);
/* Within the tighter band as well, where there is one. */
bool reading_looks_right(const struct reading *r, double bytes);
/* What the counts of a reading say at present, in bytes: occupancy, or bandwidth since `before`. */
double reading_now(const struct experiment *e, const struct reading *r);

/* Every reading; before: those of bandwidth alone. Errors: as qm_read_wait(), and e->bad_* say where; but an RMID that is
 * Unavailable because its part does not count it is marked `restarted`, and the others follow. */
MUST_CHECK enum status experiment_read(struct experiment *e, bool before);
/* Behind the flush: waits until what was read earlier has been counted, where counters are known to lag or e->doubtful. */
void experiment_quiet(const struct experiment *e);
/* Behind the load: readings outside of their bands are read again, later and later. Errors: as above. */
MUST_CHECK enum status experiment_settle(struct experiment *e);
/* Counters of this machine have been seen to lag by as much. */
void experiment_lags(struct experiment *e, uint32_t ms);
/* Some RMID's count began anew during the run, which then says nothing: `bad_reading` is the first. */
MUST_CHECK bool experiment_restarted(struct experiment *e);
