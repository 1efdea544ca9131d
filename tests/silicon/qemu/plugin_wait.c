/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/qemu/plugin_wait.h"

#include <string.h>

#define LONGEST_ROUND 400u  /* us: of a wait by PAUSE                                     */
#define LISTEN_ROUND  5u    /* us: the least from the fourth PAUSE on                     */
#define LONGEST_TIMER 200u  /* us: of one by the ACPI timer                               */
#define PAUSE_GAP     5000u /* ticks                                                      */
#define LISTEN_ROUNDS 4u
#define CLOCK_SHARE   2u   /* of a wait that watches the clock, a round's largest part   */
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

static void unpark(struct wait *w)
{
    w->parked = false;
    w->n = 0;
    await_lines();
}

void wait_work(uint32_t cpu)
{
    struct wait *w = &waits[cpu];

    if (w->parked)
        unpark(w);
    w->listens = w->watches = false;
    w->pause = w->timer = (struct turns_wait){ 0 };
}

/* An access of a processor that may be in such a loop. One with too many lines is in none. */
void wait_note(struct wait *w, uint64_t line)
{
    if (w->parked) /* another round begins */
        unpark(w);
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

/* A wait for a store ends when that comes (wait_end()), whatever its round takes; one for a time ends with the round in which
 * that is reached, so its rounds are a part of it. */
static uint64_t pause_ticks(struct wait *w, uint64_t now)
{
    uint64_t least = w->listens ? plugin_ticks(LISTEN_ROUND) : CLOCK_PAUSE, most = plugin_ticks(LONGEST_ROUND);

    if (!w->watches)
        return turns_round(&w->pause, now, least, most, PAUSE_GAP, 1);
    w->watches = false;
    return turns_round(&w->pause, now, CLOCK_PAUSE, most, PAUSE_GAP, CLOCK_SHARE);
}

uint64_t wait_pause(uint32_t cpu)
{
    struct wait *w = &waits[cpu];
    uint64_t now = turns_now(cpu), step = pause_ticks(w, now);

    w->since = now + CLOCK_PAUSE;
    w->parked = w->listens && w->n > 0;
    if (!w->listens)
        w->n = 0;
    w->listens = w->pause.rounds >= LISTEN_ROUNDS;
    if (w->parked)
        await_lines();
    return step;
}

void wait_rdtsc(uint32_t cpu)
{
    waits[cpu].watches = true;
}

uint64_t wait_timer(uint32_t cpu)
{
    return turns_round(&waits[cpu].timer, turns_now(cpu), CLOCK_DEVICE, plugin_ticks(LONGEST_TIMER), PAUSE_GAP, 1);
}
