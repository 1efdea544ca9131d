/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/run/turn.h: what takes long is shown in part by each run of the tests, and as a whole by `of` runs one after another
 * (docs/contributing.md, "What a run of the tests leaves to the next"). */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Whether the i-th has this turn of so many. turn: 1 and above; 0: everything has. */
static inline bool turn_has(uint32_t turn, uint32_t i, uint32_t of)
{
    return turn == 0 || (i + turn) % of == 0;
}

/* The same of the turn in the environment's ASSAY_TURN, 1 to 16; without it everything has. */
static inline bool in_turn(uint32_t i, uint32_t of)
{
    const char *turn = getenv("ASSAY_TURN");

    return turn_has(turn ? (uint32_t)strtoul(turn, NULL, 10) : 0, i, of);
}
