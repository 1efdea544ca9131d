/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/events/event_perf.h: uncore events as `perf list` prints them and `perf stat -e` takes them.
 *
 *     PMU/NAME[,FIELD[=VALUE]]...[/]                            uncore_imc/cas_count_read/
 *     PMU/event=CODE[,umask=UMASK][,FIELD[=VALUE]]...[/]        uncore_cha/event=0x35,umask=0xc817fe01/
 *
 * PMU is a unit with or without the prefix uncore_ or amd_. Commas are part of the event where a slash closes it.
 */
#pragma once
#include <stddef.h>

#include "core/base/status.h"

/* How many characters of a list of events are its first one. */
size_t event_first_length(const char *list);
/* The same event as core/events/event_spec.h has it, after UNIT/: "cha/0x35:0xc817fe01". What is not written as perf does
 * comes out as it is. ST_RANGE: it does not fit into size; out is "". */
MUST_CHECK enum status event_from_perf(const char *text, char *out, size_t size);
/* The kernel's PMU of a unit: "uncore_cha", "amd_l3"; *out ends with NUL. */
void event_perf_pmu(const char *unit, char *out, size_t size);
