/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/report/report_resume.h: a report that an earlier boot began, and this one resumes.
 *
 * The stream stays one run: one testRunStart, numbers without a gap, step ids that continue. What is new in it is a step
 * "resume" for each further boot, and in the check that was under way an error with the symptom SYMPTOM_HUNG.
 */
#pragma once
#include "core/report/report.h"
#include "core/stream/stream_tail.h"

/* Instead of report_start(), after report_init() with sinks that append: lines continue after t. m must outlive the
 * report. last_ms: no line may be older than that. Nothing is written. */
void report_resume(struct report *r, const struct machine *m, const struct options *o, const struct stream_tail *t,
                   uint64_t last_ms);

/* The step did not finish in an earlier boot: an error with this symptom and message, and its end, ERROR. Where
 * the stream has its beginning, its lines go after that (then id, title and the rest of *step are for the text alone);
 * else it begins here. Flushed. */
void report_broken_step(struct report *r, const struct report_step *step, uint32_t round, const char *symptom,
                        const char *message);
