/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/realism_draw.c: knobs drawn from their plausible ranges. See realism.h.
 *
 * A word is any of its range. A number is "none" once in four, typical once in four, and else anywhere in its range:
 * percentages evenly, others evenly below a limit that was halved any number of times before, since their ranges go over several powers of
 * ten.
 */
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/model/realism.h"
#include "core/base/bits.h"
#include "tests/silicon/model/scramble.h"

#include <stdio.h>
#include <string.h>

/* Of a knob, whatever stands before it in the rows. */
static uint64_t random_of(uint64_t seed, const char *name)
{
    uint64_t x = scramble(seed);

    for (; *name; name++)
        x = scramble(x ^ (uint8_t)*name);
    return x;
}

static uint64_t below(uint64_t random, uint64_t n)
{
    return (uint64_t)((unsigned __int128)random * n >> 64);
}

static uint64_t anywhere(const struct realism_range *r, uint64_t random)
{
    uint64_t width = r->high - r->low;

    if (width > 100)
        width >>= below(random, bits_for(width));
    return r->low + below(scramble(random), width + 1);
}

static uint64_t draw(const struct realism_knob *k, const struct realism_range *r, uint64_t random)
{
    uint64_t kind = random & 3;

    random = scramble(random);
    if (k->choices)
        return r->low + below(random, r->high - r->low + 1);
    if (kind == 0)
        return 0;
    return kind == 1 ? r->typical : anywhere(r, random);
}

/* SMIs come eight times a second at most where any were reported (realism_rows.h). */
#define SMI_LEAST_MS 100u

/* SMIs that take as long as the time between them leave a processor none: each part runs for most of it, so they take a
 * tenth at most. */
static uint64_t at_most(uint32_t knob, const struct profile *part, uint64_t seed)
{
    const struct realism_knob *k = &realism_knobs()[REALISM_SMI_PERIOD];
    struct realism_range r = realism_range(REALISM_SMI_PERIOD, part);
    uint64_t period_us = 1000 * draw(k, &r, random_of(seed, k->name));

    if (period_us && period_us < 1000 * SMI_LEAST_MS)
        period_us = 1000 * SMI_LEAST_MS;
    return knob == REALISM_SMI_LENGTH && period_us ? period_us / 10 : UINT64_MAX;
}

size_t realism_draw(const struct profile *part, uint64_t seed, char *out, size_t size)
{
    char word[32];
    size_t used = 0;

    if (size)
        out[0] = 0;
    for (uint32_t i = 0; i < REALISM_KNOBS; i++) {
        const struct realism_knob *k = &realism_knobs()[i];
        struct realism_range r = realism_range(i, part);
        uint64_t most = at_most(i, part, seed), value = draw(k, &r, random_of(seed, k->name));

        if (r.high == 0)
            continue;
        if (i == REALISM_MBM_OVERCOUNT && strcmp(part->name, "gnr") != 0)
            value = 0; /* errata GNR12 and SRF42: other parts have none that is published */
        if (i == REALISM_SMI_PERIOD && value && value < SMI_LEAST_MS)
            value = SMI_LEAST_MS;
        realism_text(i, value < most ? value : most, word, sizeof word);
        used += (size_t)snprintf(used < size ? out + used : NULL, used < size ? size - used : 0, "%s%s=%s",
                                 used ? "," : "", k->name, word);
    }
    return used;
}
