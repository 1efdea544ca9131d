/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/experiment/experiment_internal.h: what the files of experiment.h share. */
#pragma once
#include "core/experiment/experiment.h"

static inline bool is_bandwidth(const struct reading *r)
{
    return r->event != QM_EVENT_L3_OCCUPANCY;
}
/* Within the tighter band as well, where there is one. */
bool reading_looks_right(const struct reading *r, double bytes);
/* What the counts of a reading say at present, in bytes: occupancy, or bandwidth since `before`. */
double reading_now(const struct experiment *e, const struct reading *r);
/* The same at the end of a run: a decrease is kept in the reading. */
double reading_bytes(const struct experiment *e, struct reading *r);
/* MB-07 of each reading: a finding where its counter decreased in some run. */
void experiment_judge_steps(struct experiment *e);

/* One run. Errors: ST_DISTURBED: SMIs fell into every try; ST_UNAVAILABLE: a count restarted in every try; and those of
 * the platform. e->bad_* say where. */
MUST_CHECK enum status experiment_run_once(struct experiment *e);
/* Whether the loads are streams that can be made longer. */
bool experiment_can_lengthen(const struct experiment *e);
/* The loads once more, longer: the readings get the median of these runs, over as many bytes as before. Errors: as
 * above, and ST_NO_MEMORY. */
MUST_CHECK enum status experiment_lengthen(struct experiment *e);
/* Every reading; before: those of bandwidth alone. Errors: as qm_read_wait(), and e->bad_* say where; but an RMID that
 * is Unavailable because its part does not count it is marked `restarted`, and the others follow. */
MUST_CHECK enum status experiment_read(struct experiment *e, bool before);
/* After the flush: waits until what was read earlier has been counted, where counters are known to lag or
 * e->doubtful. */
void experiment_quiet(const struct experiment *e);
/* After the load: readings outside of their bands are read again, later and later. Errors: as above. */
MUST_CHECK enum status experiment_settle(struct experiment *e);
/* A run after experiment_quiet() was inside of its bands, and one without it was not: counters lag. */
void experiment_quiet_helps(struct experiment *e);
/* Some RMID's count restarted during the run, which then says nothing: `bad_reading` is the first. */
MUST_CHECK bool experiment_restarted(struct experiment *e);
