/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/processors/worker.h: one processor that works for the boot processor: its mailbox, its tasks, its sleep.
 *
 * A worker polls its mailbox. Giving it work is one store, its answer another, each to a cache line with one writer:
 *
 *     worker.posted   boot processor: number of the run to do, or WORKER_LEAVE
 *     worker.done     worker: number of the run that is finished; beside it, what it is at
 *
 * A worker without work polls for spin_ticks and then sleeps (HLT with interrupts off), so that it takes nothing from
 * its sibling thread, and no time from an emulator's host; after a STEP_MWAIT in MWAIT. An NMI wakes it: the one
 * interrupt that needs neither interrupts on nor a vector programmed on its side. worker.sleep_state is the agreement
 * about it: AWAKE to ASLEEP and back by the worker, ASLEEP to CALLED by the boot processor before it sends the NMI. A
 * worker that finds itself CALLED waits until the NMI is in, so none arrives in the middle of a measurement or after its
 * vectors are gone.
 *
 * A worker runs on copies of its steps and works, which belong to it. One that misses its deadline may come back at any
 * time and then writes there and nowhere else; the boot processor never writes or frees them again. For the same reason
 * the barriers of a run that lost a processor are never used again.
 *
 * The boot processor has a worker too, for its place in the list; its task runs inline.
 *
 * What hardware does is behind struct worker_ops: efi/processors/processors.c has the instructions, and
 * tests/support/machine/processor_threads.c threads of the host.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/platform/platform.h"

#define WORKER_LEAVE UINT64_MAX

enum worker_sleep_state { WORKER_AWAKE, WORKER_ASLEEP, WORKER_CALLED };

enum worker_state {
    WORKER_ABSENT,  /* has not arrived                              */
    WORKER_ARRIVED, /* polls its mailbox                            */
    WORKER_LEFT,    /* everything put back, on its way out          */
};

struct worker;

struct worker_ops {
    /* On the processor that asks. */
    uint64_t (*tsc)(void *machine);
    void (*pause)(void *machine);

    /* On the worker's own processor. */
    enum status (*step)(struct worker *w, struct step *s); /* any step but STEP_BARRIER                               */
    void (*sleep)(struct worker *w, uint64_t seen);        /* until posted != seen or an NMI came; may return early   */
    uint32_t (*nmis)(const struct worker *w);              /* NMIs that came in on this processor so far              */

    /* On the boot processor. */
    enum status (*wake)(struct worker *w); /* sends an NMI */
    void (*describe_crash)(const struct worker *w, char *out, size_t size);
    /* Has firmware seen all its procedures return? ST_NOT_RUN: not yet. ST_ABSENT: firmware does not say. */
    enum status (*all_returned)(void *machine);
    /* Reset one processor: INIT, by the code that started it. false: not possible. */
    bool (*force_back)(struct worker *w);
};

/* Who waits polls `open`, a line that is written once: polling `arrived`, each waits for its line again at each arrival. */
struct barrier {
    _Alignas(64) uint32_t arrived;
    uint32_t expected;
    _Alignas(64) uint32_t open;
};

struct run {                         /* what the processors of one run share */
    _Alignas(64) uint32_t abandoned; /* the deadline has passed: no more work, no more waiting */
    size_t capacity;
    struct barrier *barriers;
    void *barrier_memory, *memory; /* before alignment: of the barriers, of this */
    struct run *next;              /* in workers.retired */
};

struct worker {
    _Alignas(64) uint64_t posted;      /* written by the boot processor                       */
    _Alignas(64) uint64_t done;        /* written by the worker, as the rest of this line     */
    uint32_t state;                    /* enum worker_state                                   */
    uint32_t stopped_at;               /* step that `status` is about                         */
    uint32_t crashed;                  /* an exception broke its task off: it is parked       */
    enum status status;                /* of the task that is done                            */
    _Alignas(64) uint32_t at;          /* step under way: where it is, if it never answers. A line
                                        * that the boot processor does not read while it waits: its
                                        * reads would disturb each step                       */
    _Alignas(64) uint32_t sleep_state; /* enum worker_sleep_state: written by both */
    _Alignas(
        64) uint32_t cpu; /* index in struct platform; this line and on: written before it starts, or between runs */
    uint32_t apic_id;
    const struct worker_ops *ops;
    void *machine; /* of the ops */
    bool takes_part;
    bool may_come; /* firmware has not ended the call that starts it */
    bool
        own_start; /* started by INIT-SIPI of our own: goes back to wait-for-SIPI by INIT, with no firmware that waits for it */
    uint32_t nmis_sent;   /* to it, by the boot processor */
    uint64_t spin_ticks;  /* before it sleeps; 0: it never does */
    uint64_t claimed;     /* number of the run that has a task for it */
    uint64_t mwait_after; /* 1 + number of the run after which it sleeps in MWAIT: STEP_MWAIT; its own, 0: none */
    uint32_t mwait_hint;
    struct run *run;
    struct step *steps; /* private copies */
    struct work *works;
    uint32_t n_steps;
    size_t steps_capacity, works_capacity;
};

/* Loops that wait for another processor for seconds at most read the TSC in every eighth round only: where a hypervisor
 * intercepts RDTSC, a read costs as much as hundreds of rounds. */
#define WORKER_CLOCK_ROUNDS 8u

/* enum worker_state, with everything that the worker wrote before it got there. */
enum worker_state worker_state(const struct worker *w);

/* On the worker's own processor, in this order. */

/* false: it does not take part, has been here before, or all were sent home meanwhile. */
bool worker_is_expected(const struct worker *w);
/* Its vectors are loaded: work may come. */
void worker_arrive(struct worker *w);
/* Do what is posted until sent home. */
void worker_serve(struct worker *w);
/* Instead of the rest of worker_serve(), where an exception ended it: no more work, until sent home. */
void worker_park(struct worker *w);
/* The last store to w. */
void worker_leave(struct worker *w);

/* All steps of a task on this processor, whose record is w: w->status and w->stopped_at. deadline: TSC at which its
 * waits at barriers abandon the run; 0: never, the dispatcher that waits for it does. */
void worker_task(struct worker *w, struct step *steps, uint32_t n, struct run *run, uint64_t deadline);
