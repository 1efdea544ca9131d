/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/qemu/plugin_wait.h"

#include <string.h>

#define LONGEST_ROUND 400u  /* us: of a wait by PAUSE or RDTSC                            */
#define LISTEN_ROUND  5u    /* us: the least from the fourth PAUSE on                     */
#define LONGEST_TIMER 20u   /* us: of one by the ACPI timer                               */
#define PAUSE_GAP     5000u /* ticks                                                      */
#define RDTSC_GAP     200u
#define RDTSC_ROUNDS  1000u /* as many may be measurements of something short             */
#define LISTEN_ROUNDS 4u
#define STORE_SEEN    200u /* ticks until a store is seen by who loads its line          */

struct wait waits[CHANNEL_SLOTS];
_Atomic uint64_t wait_awaited;

void wait_begin(void)
{
    memset(waits, 0, sizeof waits);
}

static void await_lines(void)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < model_cpus(plugin.model); i++)
        for (uint32_t k = 0; waits[i].parked && k < waits[i].n; k++)
            bits |= wait_bit(waits[i].lines[k]);
    atomic_store_explicit(&wait_awaited, bits, memory_order_relaxed);
}

/* An access of a processor that may be in such a loop. One with too many lines is in none. */
void wait_note(struct wait *w, uint64_t line)
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

void wait_end(uint32_t by, uint64_t line)
{
    for (uint32_t i = 0; i < model_cpus(plugin.model); i++)
        for (uint32_t k = 0; i != by && waits[i].parked && k < waits[i].n; k++)
            if (waits[i].lines[k] == line)
                turns_recall(by, i, waits[i].since, STORE_SEEN);
}

uint64_t wait_pause(uint32_t cpu)
{
    struct wait *w = &waits[cpu];
    uint64_t now = turns_now(cpu), least = w->listens ? plugin_ticks(LISTEN_ROUND) : CLOCK_PAUSE,
             step = turns_round(&w->pause, now, least, plugin_ticks(LONGEST_ROUND), PAUSE_GAP);

    w->since = now + CLOCK_PAUSE;
    w->parked = w->listens && w->n > 0;
    if (!w->listens)
        w->n = 0;
    w->listens = w->pause.rounds >= LISTEN_ROUNDS;
    if (w->parked)
        await_lines();
    return step;
}

uint64_t wait_rdtsc(uint32_t cpu)
{
    struct turns_wait *w = &waits[cpu].tsc;
    uint64_t most = w->rounds < RDTSC_ROUNDS ? CLOCK_RDTSC : plugin_ticks(LONGEST_ROUND);

    return turns_round(w, turns_now(cpu), CLOCK_RDTSC, most, RDTSC_GAP);
}

uint64_t wait_timer(uint32_t cpu)
{
    return turns_round(&waits[cpu].timer, turns_now(cpu), CLOCK_DEVICE, plugin_ticks(LONGEST_TIMER), PAUSE_GAP);
}
