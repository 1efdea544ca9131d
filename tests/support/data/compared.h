/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/compared.h: constants of the tree held to those of another source, and the differences that have a
 * reason. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct excused {
    const char *where; /* fnmatch() pattern of what was compared: "icx imc boxes" */
    const char *reason;
};

#define COMPARED_MOST_EXCUSED 64u
struct compared {
    const struct excused *excused;
    uint32_t n_excused;
    bool met[COMPARED_MOST_EXCUSED];
    uint32_t n, n_apart; /* compared, and of them excused */
};

/* Fails unless both are alike or the difference is excused. NULL: the source does not have it. */
void compared_text(struct compared *c, const char *where, const char *ours, const char *theirs);
/* An excuse that was not needed fails; so do fewer than at_least comparisons. */
void compared_end(const struct compared *c, uint32_t at_least);
/* Whether the difference would be excused; meets the excuse. */
bool compared_excused(struct compared *c, const char *where);
