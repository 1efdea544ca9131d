/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/uncore_filters/pmon_filters.h: filters of the caching agents by thread, where the field is too wide to try every value. */
#pragma once
#include "core/uncore/traffic_window.h"

/* Two processors of every package, each with a buffer of so many bytes: traffics[0] and, where the package has a second,
 * traffics[1]. ST_ABSENT: no package has memory of its own; check_absent() has said so. Others as traffic_window_add(). */
MUST_CHECK enum status filter_tid_streams(struct check *c, struct traffic_window traffics[2], uint64_t bytes);
/* The body of pmon.filter-thread for fields of more than 6 bits: the value that a processor's misses pass with is searched
 * for, beginning with its own core. Errors: said. */
MUST_CHECK enum status filter_tid_search(struct pmon_session *session);
