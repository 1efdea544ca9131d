/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/events/event_file.h: events of a processor by Intel's names, as scripts/perfmon-events wrote them.
 *
 *     assay-events 1
 *     models: 6-6A 6-6C             FAMILY-MODEL in hexadecimal, with "-STEPPINGS" (a digit each) where they differ
 *     source: icelakex_uncore.json V1.30
 *     # a comment
 *     UNIT<TAB>NAME<TAB>EVENT       EVENT as core/events/event_spec.h has it
 *     metric<TAB>NAME<TAB>UNIT<TAB>FORMULA      FORMULA as core/events/formula.h has it, of the events above
 *     end: 3987                     how many of both
 *
 * Units have perfmon's names, in capitals or not. A file is read as a whole or not at all.
 */
#pragma once
#include "core/events/event_spec.h"

#define EVENTS_VERSION 1u
#define EVENTS_MOST    16384u /* of a file; that of Ice Lake-SP has 3,987 */
#define EVENT_NAME     128u   /* characters of a name, with its end */

struct named_event {
    const char *unit, *name; /* of the file's text */
    struct event_spec spec;
};

struct named_metric {
    const char *name, *unit, *formula; /* of the file's text */
};
#define METRIC_FORMULA 512u /* characters of a formula, with its end */

struct event_file {
    char *text; /* cut into its fields */
    const char *source;
    struct named_event *events;
    uint32_t n_events;
    struct named_metric *metrics;
    uint32_t n_metrics;
};

struct event_file_error {
    uint32_t line;  /* from 1 */
    char field[24]; /* of the line; "" where it is none of them */
    char text[160];
};

/* Whether the file's first lines say that it is for this processor. ST_ABSENT: it is for another. ST_CORRUPT: its first
 * lines are not as they should be; error says which. */
MUST_CHECK enum status event_file_fits(const char *text, size_t length, uint32_t family, uint32_t model,
                                       uint32_t stepping, struct event_file_error *error);
/* The content of a file. ST_CORRUPT: error says which line and field is not as it should be; ST_NO_MEMORY. On anything but
 * ST_OK there is nothing to free. */
MUST_CHECK enum status event_file_parse(struct event_file *file, const char *text, size_t length,
                                        struct event_file_error *error);
void event_file_free(struct event_file *file);

/* The event of that name, in capitals or not; unit "": any unit's. NULL: there is none. */
const struct named_event *event_file_find(const struct event_file *file, const char *unit, const char *name);

/* Names most like one that there is not, the nearest first. */
#define NEAREST_NAMES 3u
struct nearest_names {
    const char *names[NEAREST_NAMES];
    uint32_t distances[NEAREST_NAMES];
    uint32_t n;
};
void event_nearest_offer(struct nearest_names *nearest, const char *wanted, const char *name);
void event_file_nearest(const struct event_file *file, const char *unit, const char *name,
                        struct nearest_names *nearest);
