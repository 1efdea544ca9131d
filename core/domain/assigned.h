/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/domain/assigned.h: AMD's assignable bandwidth counters (ABMC) as the way in which MBM is read.
 *
 * Linux uses them by default where the part has them ("mbm_event"): each pair of RMID and event has a counter of its
 * own. While they are on, qm_read() assigns a counter to each pair that it is asked for (arch/x86/rdt/qm.h), so that a
 * check of MBM is the same in both modes.
 *
 * Source: APM vol. 2 19.3.3.3 "Assignable Bandwidth Monitoring (ABMC)".
 */
#pragma once
#include "core/domain/alloc.h"

/* Whether the part enumerates assignable counters, two at least. */
bool assigned_offered(const struct check *c);
/* Enables them on every processor, which clears all bandwidth counters. ST_FAULT: a write was refused, and that is a
 * finding; others: check_unmeasured() has said why. */
MUST_CHECK enum status assigned_begin(struct check *c);
/* As found, after assigned_begin() whatever it returned; no counter is assigned. */
MUST_CHECK enum status assigned_end(struct check *c);
