/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/count/count_events.h: which events are counted in which counters of which boxes, and in which turn.
 *
 * Events that fit into the counters of their boxes together are a group; groups take turns.
 */
#pragma once
#include "core/events/event_file.h"
#include "core/uncore/pmon_session.h"
#include "core/options/options.h"

#define COUNT_EVENTS 64u
#define COUNT_UNIT   24u /* of a unit's name, with its end */
#define COUNT_NAME   (EVENT_SPEC_TEXT + COUNT_UNIT)

struct count_event {
    char text[COUNT_NAME]; /* as it was asked for: "imc/cas_rd", "UNC_M_CAS_COUNT.RD:edge:thresh=1" */
    char unit[COUNT_UNIT];
    char name[EVENT_NAME];        /* of the part's tables; "": spec is the event                 */
    char fields[EVENT_SPEC_TEXT]; /* that change what the tables have; "": none                 */
    struct event_spec spec;
    bool shown; /* it was asked for, and is not only part of a metric                           */
    uint32_t group;
    uint32_t boxes; /* that count it */
};

/* An event in a box. */
struct count_place {
    bool there;
    uint32_t counter; /* among the box's, of pmon_session_box.ctl */
    uint64_t ctl;
    struct event_spec spec;
    uint64_t match[PMON_MATCHES]; /* of match registers                              */
    bool matches;                 /* it has fields of them                           */
    double bytes;                 /* per count; 0: it counts no traffic */
    bool clock;                   /* it counts time, with a load or without */
};

struct count_plan {
    struct pmon_session *session;
    const struct event_file *files;
    uint32_t n_files;
    struct count_event *events; /* [COUNT_EVENTS] */
    uint32_t n_events;
    struct count_place *places; /* [COUNT_EVENTS * session->n] */
    uint32_t n_groups;
};

struct count_place *count_place_of(const struct count_plan *plan, uint32_t event, uint32_t box);
/* Names that a unit's events have in the tables, but that of its clock. */
uint32_t count_n_names(const struct pmon_unit *unit);
const char *count_nth_name(const struct pmon_unit *unit, uint32_t i);
#define COUNT_CLOCK "clock" /* every unit with a clock counts it by this name */

/* One event more, unless it is in the plan; *index is its number. ST_RANGE: there is no such unit or event, or no counter
 * can count it; error says which, with the nearest names. ST_FULL: COUNT_EVENTS are there. */
MUST_CHECK enum status count_plan_add(struct count_plan *plan, const char *text, uint32_t *index,
                                      struct options_error *error);
/* Events into groups and counters, once all are there. ST_RANGE: as above. */
MUST_CHECK enum status count_plan_groups(struct count_plan *plan, struct options_error *error);
/* What the session programs next is that group. */
void count_plan_load(const struct count_plan *plan, uint32_t group);
