/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/one_check.h: one check on a machine made by hand. */
#pragma once
#include <string.h>

#include "core/check/check.h"
#include "core/engine/engine.h"

/* Runs the check of this id, whatever it needs, and closes it as the engine does. Without such a check: ERROR. */
static inline struct check run_one(const char *id, struct platform *p, struct machine *m, struct tools *tools)
{
    struct check c = { .platform = p, .machine = m, .tools = tools, .verdict = VERDICT_PASS };

    for (uint32_t t = 0; t < n_check_tables; t++)
        for (uint32_t i = 0; i < check_tables[t].n; i++)
            if (strcmp(check_tables[t].rows[i].id, id) == 0)
                c.row = &check_tables[t].rows[i];
    if (!c.row) {
        c.verdict = VERDICT_ERROR;
        return c;
    }
    check_close(&c, c.row->run(&c));
    return c;
}
