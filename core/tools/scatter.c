/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/tools/scatter.h"

void scatter_reset(struct scatter *s)
{
    s->n = 0;
    s->bytes = 0;
}

uint64_t scatter_next(const struct scatter *s)
{
    return SCATTER_BASE + s->bytes;
}

bool scatter_add(struct scatter *s, uint64_t base, uint64_t bytes)
{
    if (s->n == SCATTER_MOST)
        return false;
    s->piece[s->n].at = s->bytes;
    s->piece[s->n].base = base;
    s->piece[s->n].bytes = bytes;
    s->n++;
    s->bytes += bytes;
    return true;
}

uint64_t scatter_find(const struct scatter *s, uint64_t address, uint64_t *bytes)
{
    uint64_t at = address - SCATTER_BASE;

    if (!is_scattered(address))
        return address;
    for (uint32_t i = 0; s && i < s->n; i++) {
        uint64_t into = at - s->piece[i].at, left = s->piece[i].bytes - into;

        if (at < s->piece[i].at || into >= s->piece[i].bytes)
            continue;
        *bytes = *bytes < left ? *bytes : left;
        return s->piece[i].base + into;
    }
    *bytes = 0;
    return 0;
}
