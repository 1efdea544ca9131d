/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/run/turn.h: what takes long is shown in part by each run of the tests, and as a whole by TURNS of them, or twice as
 * many. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define TURNS 8u

/* Whether the i-th has this turn. turn: 1 and above; 0: everything has. */
static inline bool turn_has(uint32_t turn, uint32_t i)
{
    return turn == 0 || (i + turn) % TURNS == 0;
}

static inline bool turn_of_sixteen_has(uint32_t turn, uint32_t i)
{
    return turn == 0 || (i + turn) % (2 * TURNS) == 0;
}

/* turn_has() of the turn in the environment's ASSAY_TURN; without it everything has. */
static inline bool in_turn(uint32_t i)
{
    const char *turn = getenv("ASSAY_TURN");

    return turn_has(turn ? (uint32_t)strtoul(turn, NULL, 10) : 0, i);
}

static inline bool in_turn_of_four(uint32_t i)
{
    return in_turn(i) || in_turn(i + TURNS / 2);
}
