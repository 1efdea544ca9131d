/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/count/count_internal.h: what the files of -count share: count.c (windows), count_rows.c (what they come to),
 * count_say.c (as text and in the stream). */
#pragma once
#include "core/count/count.h"
#include "core/count/count_events.h"
#include "core/count/metrics.h"
#include "core/uncore/traffic_window.h"

#define COUNT_METRICS 64u
_Static_assert(COUNT_EVENTS <= 64, "sets of events are 64 bits");

/* What an event counted in a box in the present window. */
struct count_cell {
    double net; /* less what an equal time without the load had, where that was measured */
    double raw;
    double seconds; /* while it was counted */
};

/* A line of the result: an event or a metric in a box, or in all of a die or package. */
struct count_row {
    const char *name, *unit;     /* unit of value */
    const struct metric *metric; /* NULL: an event */
    uint32_t event;
    uint64_t events;            /* of the plan, by bit, that the value is made of */
    uint32_t package, die, box; /* die, box: UINT32_MAX: of all */
    struct place place;
    char where[48]; /* place in words */
    uint32_t n;     /* boxes */
    /* Of the present window: */
    double value;                  /* of an event: counts per second, or bytes where it counts them */
    double counts, bytes, seconds; /* of an event; bytes 0: it counts none */
    bool known;                    /* false: nothing that the metric divides by was counted */
};

struct counting {
    struct check *check;
    const struct count_request *request;
    const struct count_output *out;
    struct pmon_session session;
    struct count_plan plan;
    struct count_cell *cells;           /* [COUNT_EVENTS * session.n] */
    double group_seconds[COUNT_EVENTS]; /* of the present window */
    const struct metric *metrics[COUNT_METRICS];
    uint64_t metric_events[COUNT_METRICS];     /* of the plan, by bit */
    struct metric read_metrics[COUNT_METRICS]; /* of files of events: the nth of metrics, where it is one */
    uint32_t n_metrics;
    struct count_row *rows;
    uint32_t n_rows;
    double *history; /* [most_windows * n_rows]: values; below 0: not known */
    double *times;   /* [most_windows]: end of each window in seconds from the start */
    uint32_t n_windows, most_windows;
    struct traffic_window traffic;
    struct traffic_window_counts counts;
};

struct count_cell *count_cell_of(const struct counting *c, uint32_t event, uint32_t box);
/* Part of the time in which the event's group was counted. */
double count_share(const struct counting *c, uint32_t event);

/* Metrics by name, or all that the part has: their events go to the plan. ST_ABSENT: `name` is no metric. ST_RANGE: it
 * is one that this part has no events for, or one of its events cannot be counted; error says so. */
MUST_CHECK enum status count_add_metrics(struct counting *c, const char *name, struct options_error *error);
/* Makes the rows. ST_NO_MEMORY. */
MUST_CHECK enum status count_rows_make(struct counting *c);
/* Their values out of the cells, and into the history. */
void count_rows_take(struct counting *c);

void count_say(const struct counting *c);
/* The table of -top. */
void count_show(const struct counting *c);
/* Series of all rows and windows to the open step. */
void count_put(const struct counting *c);
