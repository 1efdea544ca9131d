/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/uncore_filters/pmon_touches.h: one line of each package's own memory that is read and flushed many times,
 * as a load for address matches. */
#pragma once
#include "core/uncore/traffic_window.h"

#define TOUCHES 512u /* reads of the line in a window */

struct touches {
    struct traffic_window traffic;
    struct traffic_window_counts counts;
    struct work *works; /* [packages] */
    struct step *steps; /* [packages] */
};

/* A stream on each package that has memory; the line is the first of its buffer of 4096 bytes. The memory is the
 * check's. ST_NO_MEMORY, or as traffic_window_add_packages(): check_unmeasured() or check_absent() has said so. t must
 * not move afterwards. */
MUST_CHECK enum status touches_prepare(struct touches *t, struct check *c);
/* The stream of a package; NULL: it has none. */
const struct traffic_window_stream *touches_stream(const struct touches *t, const struct check *c, uint32_t package);
