/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/processors/workers.h: all workers of a machine, as the boot processor drives them: arrival, mailboxes, departure.
 *
 * Every wait has a deadline by the time stamp counter. Runs are core/processors/dispatch.h's.
 */
#pragma once
#include "core/processors/worker.h"

/* Whether the boot processor drives those that have arrived: it may wait in firmware for them to leave. */
enum workers_phase { WORKERS_WAIT, WORKERS_BEGUN, WORKERS_GIVEN_UP };

struct workers {
    struct platform *platform; /* tsc_hz, and the list of processors whose flags say who takes work */
    struct worker *boot;       /* the boot processor's                                               */
    uint32_t n;                /* = platform->n_cpus                                                 */
    struct worker **worker;    /* by platform index, ascending by APIC id                            */
    bool can_wake;             /* an NMI reaches every processor, so workers may sleep               */
    uint32_t phase;            /* enum workers_phase: written by the side that comes first */
    bool stopped;
    uint64_t runs;       /* number of the last run */
    struct run *run;     /* its barriers, for the next run to use again; NULL: none     */
    struct run *retired; /* a lost processor may still look at these                    */
    uint32_t reset;      /* brought back by force, after workers_stop() */
    uint32_t unreturned; /* not even so: they may still run in our memory */
    void (*exception)(void *context, const char *text); /* a worker crashed; may be NULL         */
    void (*lost)(void *context, const char *text);      /* one missed its deadline; may be NULL  */
    void *context;
};

/* TSC of the boot processor, and ticks of so many milliseconds. */
uint64_t workers_now(const struct workers *ws);
uint64_t workers_ticks(const struct workers *ws, uint64_t ms);

/* Before processors are started: can_wake, and with it how long a worker polls before it sleeps. */
void workers_allow_sleep(struct workers *ws, bool can_wake);

/* The worker of an APIC id, NULL: none. Any processor may ask. */
struct worker *workers_find(const struct workers *ws, uint32_t apic_id);

/* On the boot processor, before it waits for arrival. false: those that arrived have given up, and leave. */
bool workers_begin(struct workers *ws);
/* On a worker's processor, once it has arrived: until the boot processor has begun, at most ms. false: all leave, so that
 * firmware, which may wait for that, returns to the boot processor. */
bool workers_await_work(struct workers *ws, const struct worker *w, uint64_t ms);
/* Firmware has returned: they may arrive, once more where they gave up. false: one that arrived has not left. */
bool workers_anew(struct workers *ws);

/* Firmware has not ended its call, so who is absent may still come. */
void workers_note_absent(struct workers *ws);
/* How many have not left or may still come. */
uint32_t workers_outstanding(const struct workers *ws);

/* Wait until all that take part have arrived, at most ms; mark them CPU_STARTED. Returns how many. */
uint32_t workers_wait_for_arrival(struct workers *ws, uint64_t ms);
/* How many of those that take part are in that state. */
uint32_t workers_in_state(const struct workers *ws, enum worker_state state);

/* Put a number into a mailbox, and wake its owner. */
void workers_post(struct workers *ws, struct worker *w, uint64_t number);

/* Send all workers home, wait until they have left and firmware has seen it, and reset by force those that do not.
 * Some seconds at most; afterwards every task is ST_LOST. Does nothing the second time. */
void workers_stop(struct workers *ws);
