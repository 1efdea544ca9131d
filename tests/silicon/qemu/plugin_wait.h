/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/qemu/plugin_wait.h: processors that wait in a loop, by PAUSE or by reading a clock. For plugin.c alone.
 *
 * Each round of such a loop takes the longer the longer it has waited (turns_round()), so that waits cost the host little.
 * But a store that ends a wait must not be seen late: from its fourth PAUSE on, a processor's lines of the last round are
 * kept, and a store of another processor to one of them ends the round then.
 */
#pragma once

#define LONGEST_ROUND 400u  /* us: of a wait by PAUSE or RDTSC                            */
#define LISTEN_ROUND  5u    /* us: the least from the fourth PAUSE on                     */
#define LONGEST_TIMER 20u   /* us: of one by the ACPI timer                               */
#define PAUSE_GAP     5000u /* ticks                                                      */
#define RDTSC_GAP     200u
#define RDTSC_ROUNDS  1000u /* as many may be measurements of something short             */
#define LISTEN_ROUNDS 4u
#define WAIT_LINES    32u
#define STORE_SEEN    200u /* ticks until a store is seen by who loads its line          */

static struct wait { /* of a processor, written by its own thread */
    _Alignas(64) bool listens, parked;
    uint32_t n;
    uint64_t since; /* the round under way began */
    uint64_t lines[WAIT_LINES];
    struct turns_wait pause, tsc, timer;
} waits[CHANNEL_SLOTS];
/* Bits of the lines that parked processors wait for. Whoever has the turn writes it. */
static _Atomic uint64_t awaited;

static uint64_t line_bit(uint64_t line)
{
    return BIT(0) << (line * UINT64_C(0x9E3779B97F4A7C15) >> 58);
}

static void await_lines(void)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < model_cpus(model); i++)
        for (uint32_t k = 0; waits[i].parked && k < waits[i].n; k++)
            bits |= line_bit(waits[i].lines[k]);
    atomic_store_explicit(&awaited, bits, memory_order_relaxed);
}

/* An access of a processor that may be in such a loop. One with too many lines is in none. */
static __attribute__((noinline)) void wait_note(struct wait *w, uint64_t line)
{
    if (w->parked) { /* another round begins */
        w->parked = false;
        w->n = 0;
        await_lines();
    }
    for (uint32_t i = 0; i < w->n; i++)
        if (w->lines[i] == line)
            return;
    if (w->n == WAIT_LINES)
        w->listens = false;
    else
        w->lines[w->n++] = line;
}

static __attribute__((noinline)) void wait_end(uint32_t by, uint64_t line)
{
    for (uint32_t i = 0; i < model_cpus(model); i++)
        for (uint32_t k = 0; i != by && waits[i].parked && k < waits[i].n; k++)
            if (waits[i].lines[k] == line)
                turns_recall(by, i, waits[i].since, STORE_SEEN);
}

/* Every access. */
static inline void wait_access(uint32_t cpu, uint64_t address, enum model_kind kind)
{
    uint64_t line = address >> MODEL_LINE_SHIFT;

    if (__builtin_expect(waits[cpu].listens, 0))
        wait_note(&waits[cpu], line);
    if (__builtin_expect(atomic_load_explicit(&awaited, memory_order_relaxed) != 0, 0) && kind != MODEL_LOAD &&
        atomic_load_explicit(&awaited, memory_order_relaxed) & line_bit(line))
        wait_end(cpu, line);
}

/* These return what a round takes. */
static uint64_t wait_pause(uint32_t cpu)
{
    struct wait *w = &waits[cpu];
    uint64_t now = turns_now(cpu), least = w->listens ? ticks_of_us(LISTEN_ROUND) : CLOCK_PAUSE,
             step = turns_round(&w->pause, now, least, ticks_of_us(LONGEST_ROUND), PAUSE_GAP);

    w->since = now + CLOCK_PAUSE;
    w->parked = w->listens && w->n > 0;
    if (!w->listens)
        w->n = 0;
    w->listens = w->pause.rounds >= LISTEN_ROUNDS;
    if (w->parked)
        await_lines();
    return step;
}

static uint64_t wait_rdtsc(uint32_t cpu)
{
    struct turns_wait *w = &waits[cpu].tsc;
    uint64_t most = w->rounds < RDTSC_ROUNDS ? CLOCK_RDTSC : ticks_of_us(LONGEST_ROUND);

    return turns_round(w, turns_now(cpu), CLOCK_RDTSC, most, RDTSC_GAP);
}

static uint64_t wait_timer(uint32_t cpu)
{
    return turns_round(&waits[cpu].timer, turns_now(cpu), CLOCK_DEVICE, ticks_of_us(LONGEST_TIMER), PAUSE_GAP);
}
