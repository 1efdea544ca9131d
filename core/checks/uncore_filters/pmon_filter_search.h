/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/uncore_filters/pmon_filter_search.h: filters of the caching agents by thread, where the field is too wide
 * to try every value. */
#pragma once
#include "core/uncore/pmon_session.h"

/* The body of pmon.filter-thread for fields of more than 6 bits: the value that a processor's misses pass with is
 * searched for, beginning with its own core. Errors: said. */
MUST_CHECK enum status filter_tid_search(struct pmon_session *session);
