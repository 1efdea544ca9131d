/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/diagnosis/repeat.h: the command that shows a defect under Linux, with tools that its vendor knows.
 *
 * CPU, RMID and REGISTER in a command stand for those that the finding and its evidence name. A command counts; the load is
 * that of the check, or any of known size.
 */
#pragma once
#include "core/diagnosis/monitors.h"

/* The clock of a unit, and its first two events: "perf stat -a --no-merge -e uncore_cha/event=0x0,umask=0x1/ ... sleep 1".
 * fields: put to each event, as ",thresh=1", or "". Returns the length needed.
 * Source: Linux uncore_snbep.c and uncore_discovery.c, names and formats of struct intel_uncore_type; amd/uncore.c. */
size_t repeat_unit(const struct pmon_unit *unit, const char *fields, char *out, size_t size);
/* The command of the monitor that the cause, or the check whose rule is broken, names; of an uncore box that of its unit, which
 * is of m. unit: the name in the first place at fault, or "". "none: ..." says why no tool shows it. Returns the length needed. */
size_t repeat_diagnosed(const struct diagnosed *d, const struct monitors *m, const char *unit, char *out, size_t size);
