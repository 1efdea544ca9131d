/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/deadline.h: when a watchdog may take it that the machine hangs.
 *
 * A check takes seconds, on the largest servers by the model at most a minute (docs/measured.md), and its waits
 * have deadlines of their own. What is left for a watchdog is a processor that does not come back from an instruction or
 * from firmware, so its time is generous, some ten times what the slowest check of a kind takes: a reset that strikes a
 * check at work costs that check. A check of CPUID or of tables takes milliseconds, and its records on a slow stick seconds.
 */
#pragma once
#include "core/check/check.h"
#include "core/journal/journal.h"
#include "core/options/options.h"

/* Seconds, at most o->watchdog_seconds; 0: none is armed, by -watchdog 0 or because keys are waited for (-b). */
uint32_t deadline_of_check(const struct options *o, const struct check_row *row, uint32_t n_cpus);
/* The same of a phase without a check; JOURNAL_COUNTING has none: it ends when a person says so. */
uint32_t deadline_of_phase(const struct options *o, enum journal_phase phase, uint32_t n_cpus);
