/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/boot/query.h: -list boxes, -count and -top: the machine is looked at, and nothing is judged. */
#pragma once
#include "core/tools/tools.h"
#include "core/options/options.h"
#include "core/report/report.h"

struct query {
    const struct options *options;
    struct report *report;
    struct tools *tools;
    const struct volume *volume;   /* of files of events */
    const struct machine *machine; /* enumerated         */
};

bool query_is_asked(const struct options *o);
/* To the report and the console. ST_RANGE: an event that there is not, or a file of events that is not as it should be; error
 * says which. */
MUST_CHECK enum status query_answer(const struct query *q, struct options_error *error);
