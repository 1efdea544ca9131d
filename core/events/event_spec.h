/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/events/event_spec.h: an uncore event as it is written, on the command line and in files of events.
 *
 *     CODE:UMASK[:EXTENSION][:FIELD[=VALUE]]...        0x36:0x01:0xc817fe:thresh=1:edge:counters=0x1
 *
 * "match=?": the event counts by match registers, for which the file has no value.
 *
 * Code, umask and the fields are those of a counter's control (arch/x86/pmon/pmon_unit.h, struct pmon_control), whatever
 * their places in it; which of them a unit has is not known here.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

enum event_filter { FILTER_FREE, FILTER_SET, FILTER_ASKED };

/* A field by the name that perf's formats have for it: filter_*, match_*, mask_*, occ_*. */
struct event_named_field {
    const char *name; /* constant text */
    uint64_t value;
};
#define EVENT_NAMED_FIELDS 6u

struct event_spec {
    uint32_t code; /* with ev_sel_ext as bit 8                                          */
    uint32_t umask;
    uint32_t extension; /* of the umask: bits 63:32 of the control                           */
    uint32_t thresh;
    uint32_t ch_mask, fc_mask; /* of IIO: channels (ports), flow classes                     */
    uint32_t counters;         /* bit n: counter n can count it; 0: all can                  */
    uint32_t filter[2];        /* with how FILTER_SET                                        */
    enum event_filter how[2];  /* ASKED: it counts by this filter, and the value has to be given */
    struct event_named_field named[EVENT_NAMED_FIELDS];
    uint32_t n_named;
    bool match_asked; /* it counts by match registers, and no field says what they are to match */
    bool edge, invert, tid_en;
    bool fixed; /* the fixed counter counts it, and no other                  */
};

struct event_fault {
    char field[16]; /* "umask", "thresh"; "" where the text as a whole is no event */
    char text[112]; /* what is wrong with it                                       */
};

/* The longest text of an event, with its end. */
#define EVENT_SPEC_TEXT 192u

/* text: the whole of it. On ST_OK *spec is written; ST_RANGE: fault says which field is wrong and how. */
MUST_CHECK enum status event_spec_parse(const char *text, struct event_spec *spec, struct event_fault *fault);
/* Fields after an event's name ("thresh=1:edge"), which add to or replace those of *spec. Errors: as above. */
MUST_CHECK enum status event_spec_modify(const char *fields, struct event_spec *spec, struct event_fault *fault);
