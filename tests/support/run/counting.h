/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/run/counting.h: -count and -list on the silicon model, and what a person gets to see of it. */
#pragma once
#include "core/count/count.h"
#include "core/platform/ledger.h"
#include "tests/silicon/host/host_platform.h"

struct counting {
    struct model_platform *mp;
    struct machine machine;
    struct ledger ledger;
    struct tools tools;
    struct options options;
    struct options_error error;
    struct event_file file; /* n_events 0: none */
    char text[65536];
};

struct counting *counting_on(const struct model_config *config);
/* Two packages of two cores; fault NULL: none. */
struct counting *counting_faulty(const char *profile, const char *fault);
struct counting *counting_new(const char *profile);
/* Frees the last one, of which there is one at a time: all its registers are put back, which is expected to succeed. .fini of
 * a suite. */
void counting_end(void);

/* context: a struct counting. Adds a line to its text. */
void counting_line(void *context, const char *line);
/* tests/fixtures/events/NAME.events are known from now on. */
void counting_events(struct counting *c, const char *name);
/* -count EVENTS counts; it is refused with these words, NULL: any; it said these words. c->text and c->error have all. */
void counting_counts(struct counting *c, const char *events);
void counting_refuses(struct counting *c, const char *events, const char *words);
void counting_says(const struct counting *c, const char *words);
/* What the row of that place says after the event's head: counts. */
double counting_row(const struct counting *c, const char *event, const char *where);
