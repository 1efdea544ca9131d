/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/uncore_filters/filter_streams.h: streams of two processors of each package, for filters by thread. */
#pragma once
#include "core/uncore/traffic_window.h"

/* Two processors of every package, each with a buffer of so many bytes: traffics[0] and, where the package has a
 * second, traffics[1]. ST_ABSENT: no package has memory of its own; check_absent() has said so. Others as
 * traffic_window_add(). */
MUST_CHECK enum status filter_streams_add(struct check *c, struct traffic_window traffics[2], uint64_t bytes);
