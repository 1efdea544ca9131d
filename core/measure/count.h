/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/measure/count.h: -list boxes and -count: uncore boxes and events by name, for a person. Nothing is judged. */
#pragma once
#include "core/options/options.h"
#include "core/machine/tools.h"

/* Takes one line. */
struct count_output {
    void (*say)(void *context, const char *line);
    void *context;
};

/* Every box, where it is, and why it is not usable if it is not. */
void boxes_list(const struct pmon *pmon, const struct count_output *out);

/* Counts the events of o->count in every box of their units while the load of o->load runs, and says what each box and
 * each package counted. Every register goes back with the ledger. ST_RANGE: the events cannot be read or counted here,
 * *error says why; otherwise as platform_run(). */
MUST_CHECK enum status count_run(struct tools *tools, const struct options *o, const struct count_output *out,
                                 struct options_error *error);
