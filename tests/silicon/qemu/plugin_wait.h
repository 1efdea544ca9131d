/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/qemu/plugin_wait.h: processors that wait in a loop, by PAUSE or by reading the ACPI timer.
 *
 * Each round of such a loop takes the longer the longer it has waited (turns_round()), so that waits cost the host little.
 * But a store that ends a wait must not be seen late: from its fourth PAUSE on, a processor's lines of the last round are
 * kept, and a store of another processor to one of them ends the round then.
 *
 * A processor that waits makes nothing but accesses that its L1 answers, and reads of clocks: whatever else it does ends
 * the wait, and the PAUSE after that is the first of another one.
 */
#pragma once
#include "tests/silicon/qemu/plugin_state.h"
#include "tests/silicon/qemu/turns.h"

#define WAIT_LINES 32u
extern struct wait { /* of a processor, written by its own thread */
    _Alignas(64) bool listens, parked;
    bool watches; /* the TSC was read since the last PAUSE */
    uint32_t n;
    uint64_t since; /* the round under way began */
    uint64_t lines[WAIT_LINES];
    struct turns_wait pause, timer;
} waits[CHANNEL_SLOTS];
/* Bits of the lines that parked processors wait for. Whoever has the turn writes it. */
extern _Atomic uint64_t wait_awaited;

void wait_begin(void);
void wait_note(struct wait *w, uint64_t line);
void wait_end(uint32_t by, uint64_t line);

static inline uint64_t wait_bit(uint64_t line)
{
    return BIT(0) << (line * UINT64_C(0x9E3779B97F4A7C15) >> 58);
}

/* Does nobody's wait depend on this access, neither the processor's own nor one that a store may end? */
static inline bool wait_is_none(uint32_t cpu, uint64_t line, bool store)
{
    return !waits[cpu].listens &&
           !(store && atomic_load_explicit(&wait_awaited, memory_order_relaxed) & wait_bit(line));
}

/* Every access. */
static inline void wait_access(uint32_t cpu, uint64_t address, enum model_kind kind)
{
    uint64_t line = address >> MODEL_LINE_SHIFT;

    if (__builtin_expect(waits[cpu].listens, 0))
        wait_note(&waits[cpu], line);
    if (__builtin_expect(atomic_load_explicit(&wait_awaited, memory_order_relaxed) != 0, 0) && kind != MODEL_LOAD &&
        atomic_load_explicit(&wait_awaited, memory_order_relaxed) & wait_bit(line))
        wait_end(cpu, line);
}

/* The processor does what one that waits does not: an access beyond its L1, a flush, a register. */
void wait_work(uint32_t cpu);
void wait_rdtsc(uint32_t cpu);

/* These return what a round takes. */
uint64_t wait_pause(uint32_t cpu);
uint64_t wait_timer(uint32_t cpu);
