/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors.h: a persistent worker on every processor, and how it is driven and sent home.
 *
 * Each worker leaves firmware's stack in its first instructions (efi/worker.S), loads vectors of its own and polls its
 * mailbox. Giving it work is one store, its answer another, each to a cache line with one writer:
 *
 *     worker.posted   boot processor: number of the run to do, or WORKER_LEAVE
 *     worker.done     worker: number of the run that is finished; beside it, what it is at
 *
 * A worker without work spins for some microseconds and then sleeps in HLT with interrupts off, so that it takes
 * nothing from its sibling thread (nor, on an emulator, from anybody). An NMI wakes it: the one interrupt that needs
 * neither interrupts on nor a vector programmed on its side. worker.asleep is the agreement about it: AWAKE to ASLEEP
 * and back by the worker, ASLEEP to CALLED by the boot processor before it sends the NMI. A worker that finds itself
 * CALLED waits until the NMI is in, so none arrives in the middle of a measurement or after its vectors are gone. Where
 * the local APIC cannot be used it only spins.
 *
 * A worker runs on copies of its steps and works, which belong to it. One that misses its deadline may come back at any
 * time and then writes there and nowhere else; the boot processor never writes or frees them again. For the same reason
 * the barriers of a run that lost a processor are never used again.
 *
 * The boot processor has a worker too, for its vectors and its place in the list; its task runs inline.
 */
#pragma once
#include <efi.h>
#include <stdbool.h>

#include "arch/x86/tables/acpi.h"
#include "core/platform/platform.h"
#include "efi/efi_mp.h"
#include "efi/vectors.h"

#define WORKER_LEAVE       UINT64_MAX
#define WORKER_STACK       (20u * 1024u) /* 16 KiB, and under it a margin with a pattern that is looked at when */
#define WORKER_STACK_GUARD (4u * 1024u)  /* the worker has left: under a stack lies its neighbour's             */

#define WORKER_STACK_PATTERN 0xA5u

enum worker_sleep_state { WORKER_AWAKE, WORKER_ASLEEP, WORKER_CALLED };

enum worker_state {
    WORKER_ABSENT,  /* has not arrived                                          */
    WORKER_ARRIVED, /* its vectors are loaded and it polls its mailbox          */
    WORKER_LEFT,    /* everything put back, on its way out                      */
};

struct barrier {
    _Alignas(64) uint32_t arrived;
    uint32_t expected;
};

struct run {                         /* what the processors of one run share */
    _Alignas(64) uint32_t abandoned; /* the deadline has passed: no more work, no more waiting */
    uint32_t n_barriers, capacity;
    void *memory; /* of the barriers, before alignment */
    struct barrier *barriers;
};

struct worker {
    struct vectors vectors;
    _Alignas(64) uint64_t posted; /* written by the boot processor                       */
    _Alignas(64) uint64_t done;   /* written by the worker, as the rest of this line     */
    uint32_t state;               /* enum worker_state                                   */
    uint32_t at;                  /* step under way: where it is, if it never answers    */
    uint32_t stopped_at;          /* step that `status` is about                         */
    enum status status;           /* of the task that is done                            */
    uint64_t found_cr4, left_cr4;
    uint64_t found_xcr0, left_xcr0; /* has_xcr0: CR4.OSXSAVE was set, so that it can be read */
    bool has_xcr0;
    _Alignas(64) uint32_t asleep; /* enum worker_sleep_state */
    uint32_t calls;               /* NMIs sent to it */
    _Alignas(64) uint32_t cpu;    /* index in struct platform; this line: written before it starts, or between runs */
    uint32_t apic_id;
    UINTN number; /* firmware's */
    bool takes_part;
    bool own_start;      /* started by INIT-SIPI of our own: no TSS, so no stack switches */
    uint64_t spin_ticks; /* before it sleeps; 0: it never does */
    uint64_t claimed;    /* number of the run that has a task for it */
    struct run *run;
    struct step *steps; /* private copies */
    struct work *works;
    uint32_t n_steps, steps_capacity, works_capacity;
};

struct processors {
    /* The first three members are efi/worker.S's. */
    uint8_t *stacks;
    uint32_t n_stacks;
    uint32_t stacks_taken; /* counted up by each processor that arrives */

    EFI_SYSTEM_TABLE *st;
    struct platform *platform;
    EFI_MP_SERVICES_PROTOCOL *mp; /* NULL: firmware has none, or is not asked */
    struct worker *bsp;           /* exists before the others */
    uint32_t n;                   /* = platform->n_cpus */
    struct worker **worker;       /* by platform index */
    struct worker *others;        /* the memory of all but the boot processor's */
    uint32_t strangers;           /* arrived, but firmware did not list them */
    uint64_t runs;                /* number of the last run */
    struct run *run;
    EFI_EVENT finished; /* of a non-blocking StartupAllAPs; NULL: none was made */
    bool signalled;     /* and it was: firmware does not use it any more */
    /* Resets one processor by force: INIT. Set for processors that we started ourselves. */
    void (*force)(struct processors *ps, uint32_t apic_id);
    uint32_t margins_hit; /* stack margins found written to */
    uint32_t reset;       /* brought back by force, after processors_stop() */
    uint32_t unreturned;  /* not even so */
    bool stopped;
    bool can_call; /* the local APIC reaches every processor, so workers may sleep */
    void (*exception)(void *context, const char *text);
    void (*lost)(void *context, const char *text);
    void *context;
};
_Static_assert(offsetof(struct processors, stacks) == 0, "worker.S");
_Static_assert(offsetof(struct processors, n_stacks) == 8, "worker.S");
_Static_assert(offsetof(struct processors, stacks_taken) == 12, "worker.S");

/* 32-bit APIC id of the processor that asks, from CPUID leaf 1FH, 0BH or 1. */
uint32_t processors_my_apic_id(void);

/* efi/enumerate.c. Fill ps->platform's list of processors: as firmware's MP services give it, or, where ps->mp is NULL,
 * the enabled ones of the MADT and the boot processor. Every processor gets a worker that does not take part yet.
 * ST_NO_MEMORY; ST_CORRUPT: firmware's list contradicts itself, and the boot processor stands alone in it. */
MUST_CHECK enum status processors_enumerate(struct processors *ps, const struct acpi_info *acpi);
/* The stacks, for `n` processors that may arrive. */
MUST_CHECK enum status processors_prepare(struct processors *ps, uint32_t n);

/* efi/worker.c, worker.S. What starts on each processor: leaves the given stack, calls worker_main(). argument: struct
 * processors. */
void EFIAPI worker_entry(void *argument);
void worker_main(struct processors *ps);
/* All steps of a task on this processor, whose record is w: w->status and w->stopped_at. deadline: TSC at which its
 * waits at barriers abandon the run; 0: never, somebody else does. */
void worker_task(struct worker *w, struct step *steps, uint32_t n, struct run *run, uint64_t deadline);

/* Wait until all that take part have arrived, at most ms; mark them CPU_STARTED. Returns how many. */
uint32_t processors_wait(struct processors *ps, uint64_t ms);
/* Whether one has. */
bool processors_any_arrived(const struct processors *ps);

/* platform_ops.run: see core/platform/platform.h. */
enum status processors_run(struct processors *ps, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms);

/* Send all workers home, wait until they have left, and reset by force whoever does not. Some seconds at most.
 * ps->unreturned: how many are still in our memory afterwards. Does nothing the second time. */
void processors_stop(struct processors *ps);

/* After processors_stop(), when nobody looks at the list any more: give the memory back, unless somebody may still run
 * in it. */
void processors_free(struct processors *ps);
