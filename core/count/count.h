/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/count/count.h: -list boxes, -count and -top: uncore boxes, events and metrics by name, for a person. Nothing is
 * judged. */
#pragma once
#include "core/events/event_file.h"
#include "core/tools/tools.h"
#include "core/options/options.h"
#include "core/report/report.h"

struct count_output {
    void (*say)(void *context, const char *line);
    /* -top: the table as it is now, in the place of the last one. NULL: it is not shown. */
    void (*show)(void *context, const char *const *lines, uint32_t n);
    bool (*stop)(void *context); /* -top: whether a person has ended it; NULL: it does not end early */
    void *context;
};

struct count_request {
    const struct options *options;
    const struct event_file *files; /* of this processor */
    uint32_t n_files;
    uint32_t show_rows;    /* of -top's table that fit on the console */
    struct report *report; /* gets a step "count" with a series for each event and metric in each place; NULL: none */
};

#define COUNT_WINDOWS 3600u /* -repeat, and seconds of -top, at most */

/* Every box, where it is, and why it is not usable if it is not. */
void count_list_boxes(const struct pmon *pmon, const struct count_output *out);

/* Counts the events and metrics of -count in every box of their units while the load of -load runs, -repeat times, and
 * says what each box and each package counted; with -top a window a second. Every register goes back with the ledger.
 * ST_RANGE: the events cannot be read or counted here, *error says why; otherwise as platform_run(). */
MUST_CHECK enum status count_run(struct tools *tools, const struct count_request *request,
                                 const struct count_output *out, struct options_error *error);
