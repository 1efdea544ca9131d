/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors/processors.h: the processors as firmware and the local APIC give them, for core/processors/.
 *
 * Each worker leaves firmware's stack in its first instructions (efi/processors/worker.S), loads vectors of its own and then does
 * what core/processors/worker.h says. Here is what that needs of the machine: the instructions behind struct worker_ops,
 * the list of processors, stacks, and firmware's or our own way to reset a processor.
 */
#pragma once
#include <efi.h>
#include <stdbool.h>

#include "arch/x86/tables/acpi.h"
#include "core/platform/platform.h"
#include "core/processors/dispatch.h"
#include "efi/processors/efi_mp.h"
#include "efi/processors/vectors.h"

#define WORKER_STACK       (20u * 1024u) /* 16 KiB, and under it a guard with a pattern that is looked at when */
#define WORKER_STACK_GUARD (4u * 1024u)  /* the worker has left: under a stack lies its neighbour's            */

#define WORKER_STACK_PATTERN 0xA5u

struct processor {
    struct vectors vectors;
    struct worker worker;
    UINTN number; /* firmware's */
    uint64_t found_cr4, left_cr4;
    uint64_t found_xcr0, left_xcr0; /* has_xcr0: CR4.OSXSAVE was set, so that it can be read */
    bool has_xcr0;
};

struct processors {
    /* The first three members are efi/processors/worker.S's. */
    uint8_t *stacks;
    uint32_t n_stacks;
    uint32_t stacks_taken; /* counted up by each processor that arrives */

    EFI_SYSTEM_TABLE *st;
    EFI_MP_SERVICES_PROTOCOL *mp; /* NULL: firmware has none, or is not asked */
    struct workers workers;       /* its boot processor's worker exists before the others */
    struct processor *others;     /* the memory of all but the boot processor's */
    uint32_t unlisted_aps;        /* arrived, but firmware did not list them */
    EFI_EVENT finished;           /* of a non-blocking StartupAllAPs; NULL: none was made */
    bool signalled;               /* and it was: firmware does not use it any more */
    /* Resets one processor by force: INIT. Set for processors that we started ourselves. */
    void (*force)(struct processors *ps, uint32_t apic_id);
    uint32_t stack_guard_hits; /* stack guards found written to */
};
_Static_assert(offsetof(struct processors, stacks) == 0, "worker.S");
_Static_assert(offsetof(struct processors, n_stacks) == 8, "worker.S");
_Static_assert(offsetof(struct processors, stacks_taken) == 12, "worker.S");

extern const struct worker_ops processors_ops;

static inline struct processor *processor_of(const struct worker *w)
{
    return (struct processor *)((uintptr_t)w - offsetof(struct processor, worker));
}
static inline struct processor *processor_at(const struct processors *ps, uint32_t cpu)
{
    return processor_of(ps->workers.worker[cpu]);
}

/* 32-bit APIC id of the processor that asks, from CPUID leaf 1FH, 0BH or 1. */
uint32_t processors_my_apic_id(void);

/* efi/processors/enumerate.c. Fill the platform's list of processors: as firmware's MP services give it, or, where ps->mp is NULL,
 * the enabled ones of the MADT and the boot processor. Every processor gets a worker that does not take part yet.
 * ST_NO_MEMORY; ST_CORRUPT: firmware's list contradicts itself, and the boot processor stands alone in it. */
MUST_CHECK enum status processors_enumerate(struct processors *ps, const struct acpi_info *acpi);
/* The stacks, for `n` processors that may arrive. */
MUST_CHECK enum status processors_prepare(struct processors *ps, uint32_t n);

/* efi/processors/worker.c, worker.S. What starts on each processor: leaves the given stack, calls worker_main(). argument: struct
 * processors. */
void EFIAPI worker_entry(void *argument);
void worker_main(struct processors *ps);
/* worker_ops.step: the instructions. */
enum status worker_step(struct worker *w, struct step *s);

/* workers_stop(), and a look at the stack guards. */
void processors_stop(struct processors *ps);

/* After processors_stop(), when nothing uses the list any more: give the memory back, unless a processor may still run
 * in it. */
void processors_free(struct processors *ps);
