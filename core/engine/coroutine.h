/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/coroutine.h: the same function for several L3s at once.
 *
 * Each coroutine is a call of the function with a stack of its own on the boot processor. It runs until it asks the machine
 * for something that takes time (platform_run(), platform_stall()). When all of them have asked, the requests, which are
 * for the processors of different L3s, go to the machine as one. In this order:
 *   - what only accesses registers, so that coroutines which differ by some reads come to the same load again;
 *   - loads and pauses, when every coroutine has come to one, waits, or ended;
 *   - WBINVD, when nothing else is asked for;
 *   - and where all wait, time passes up to the end of the shortest wait.
 * So the loads of all L3s run at once, and a coroutine whose window is open waits for no more than the others' loads. Which
 * coroutine runs when depends on nothing but what they ask.
 *
 * Processors of several coroutines (the one that counts SMIs) must only be read by them; other requests for one processor go
 * one after the other. A barrier is for all tasks of a run, as ever, so loads of several coroutines begin together.
 */
#pragma once
#include "core/platform/platform.h"

struct coroutines_call {
    uint32_t n;
    void (*body)(void *context, uint32_t which); /* which: 0 .. n-1 */
    void *context;
    bool *again; /* [n], out: a processor of another coroutine was lost in a run of this one, and cut it short */
};

/* Returns when all have ended. ST_NO_MEMORY: nothing was called. */
MUST_CHECK enum status coroutines_run(struct platform *p, const struct coroutines_call *call);
