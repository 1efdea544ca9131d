/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/uncore/pmon_skew.h: how far the counts of two counters of one box may differ that count one event.
 *
 * A box control stops all counters of its box with one write: they are equal. Without one (AMD's L3, data fabric and
 * memory channels: Linux arch/x86/events/amd/uncore.c) each counter has an enable of its own and they are started, and
 * stopped, one after another. In between an event that the clock causes continues at its rate; one that traffic causes
 * occurs for what else uses the channel (V3 and V4 of docs/conformance.tsv) and for Assay's own accesses, whose records
 * are memory.
 */
#pragma once
#include "core/uncore/pmon_session.h"

/* Share by which counts of a clock may differ: the longest window that a counter of the box may have had over the
 * shortest, less 1, by the times of the last run and stop. 0 with a box control; NO_BOUND where starting and stopping
 * took all of the time. */
double pmon_skew_of_clock(const struct pmon_session_box *b);
/* Lines of 64 bytes that Assay's own accesses between the first and the last counter of the box may move: the records
 * of each, struct pmon_op and struct step, read and written back, on every package at once. 0 with a box control. */
double pmon_skew_lines(const struct pmon_session *session, const struct pmon_session_box *b);
