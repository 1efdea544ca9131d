/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/uncore_counters/load_events.h: of each box an event that a load makes it count, its clock where
 * there is an event of it. Counters of one box are compared within one window: windows differ in length, and other traffic in them. */
#pragma once
#include "core/uncore/pmon_skew.h"
#include "core/uncore/traffic_window.h"

#define LOAD_EVENTS_BOXES 256u
#define LOAD_EVENTS_NONE  UINT32_MAX
#define LOAD_EVENTS_MANY  (4 * MIB / 64 / 64) /* fewer counts may be background, not the load */

struct load_events {
    struct pmon_session *session;
    bool by_name; /* an event by name even of a unit that has one for its clock */
    struct traffic_window traffic;
    uint32_t busy[LOAD_EVENTS_BOXES]; /* the event that counts the load most; LOAD_EVENTS_NONE: none counts it   */
    uint64_t
        background[LOAD_EVENTS_BOXES]; /* the most of it in as long a time without the load; 0 for a clock        */
};

/* The load, a stream on each package's memory, and for each box its event; a note where none of the first counts it. Boxes
 * above LOAD_EVENTS_BOXES leave the session. Errors: check_absent() or check_unmeasured() has said why. */
MUST_CHECK enum status load_events_choose(struct load_events *l, struct pmon_session *session, bool by_name);
/* Program what the session holds and run the load once. Errors as above. */
MUST_CHECK enum status load_events_run(struct load_events *l);
/* Background of what the counters are on, in idle windows of the length of the last one. Errors as above. */
MUST_CHECK enum status load_events_idle(struct load_events *l);

/* The control of box i's event, with en; 0: it has none. */
uint64_t load_events_ctl(const struct load_events *l, uint32_t i);
/* The event is the box's clock. */
bool load_events_clock(const struct load_events *l, const struct pmon_session_box *b);
/* By how much counters of box i may differ that counted its event in the last window, of which one has `counts`. */
double load_events_slack(const struct load_events *l, uint32_t i, double counts);
/* Whether that is little enough to compare counter k with `other`; if not, a note. */
bool load_events_comparable(const struct load_events *l, uint32_t i, uint32_t k, uint32_t other);
