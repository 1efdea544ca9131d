/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/run/one_check.h: one check on a machine made by hand. */
#pragma once

#include "core/check/check.h"
#include "core/cluster/cluster_view.h"
#include "core/engine/each.h"
#include "tests/support/run/profile_bands.h"

/* Runs the check of this id, whatever it needs, and closes it as the engine does. Without such a check: ERROR. */
static inline struct check_record run_one(const char *id, struct platform *p, struct machine *m, struct tools *tools)
{
    struct cluster_view *clusters = NULL;
    struct check_state state = { .clusters = &clusters, .bands = &bands_without_figures };
    struct check c = { .row = check_find(id), .platform = p, .machine = m, .tools = tools, .state = &state };

    if (!c.row)
        return (struct check_record){ .verdict = VERDICT_ERROR };
    check_run(&c);
    check_close(&c);
    check_free_since(&c, NULL);
    cluster_view_free(clusters);
    return state.record;
}
