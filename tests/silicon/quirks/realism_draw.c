/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/quirks/realism_draw.c: quirks drawn from their plausible ranges. See realism.h.
 *
 * A word is any of its range. A number is "none" once in four, typical once in four, and else anywhere in its range:
 * percentages evenly, others evenly below a limit that was halved any number of times before, since their ranges go over several powers of
 * ten.
 */
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/quirks/realism.h"
#include "core/base/bits.h"
#include "tests/silicon/model/scramble.h"

#include <stdio.h>

/* Of a quirk, whatever stands before it in the rows. */
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

static uint64_t draw(const struct realism_quirk *k, const struct realism_range *r, uint64_t random)
{
    uint64_t kind = random & 3;

    random = scramble(random);
    if (k->drawn_one_in)
        return random % k->drawn_one_in ? 0 : 1 + below(scramble(random), k->most);
    if (k->choices)
        return r->low + below(random, r->high - r->low + 1);
    if (kind == 0)
        return 0;
    return kind == 1 ? r->typical : anywhere(r, random);
}

static uint64_t value_of(enum realism_id id, const struct profile *part, uint64_t seed)
{
    const struct realism_quirk *k = &realism_quirks()[id];
    struct realism_range r = realism_range(id, part);
    uint64_t value = draw(k, &r, random_of(seed, k->name));

    if (k->drawn_on && !k->drawn_on(part))
        return 0;
    return value && value < k->drawn_least ? k->drawn_least : value;
}

/* SMIs that take as long as the time between them leave a processor none: each part runs for most of it, so they take a
 * tenth at most. */
static uint64_t smi_length_of(const struct profile *part, uint64_t seed)
{
    uint64_t us = value_of(REALISM_SMI_LENGTH, part, seed);
    uint64_t most = 1000 * value_of(REALISM_SMI_PERIOD, part, seed) / 10;

    return most && us > most ? most : us;
}

size_t realism_draw(const struct profile *part, uint64_t seed, char *out, size_t size)
{
    char word[32];
    size_t used = 0;

    if (size)
        out[0] = 0;
    for (uint32_t i = 0; i < REALISM_QUIRKS; i++) {
        if (realism_range(i, part).high == 0)
            continue;
        realism_text(i, i == REALISM_SMI_LENGTH ? smi_length_of(part, seed) : value_of(i, part, seed), word,
                     sizeof word);
        used += (size_t)snprintf(used < size ? out + used : NULL, used < size ? size - used : 0, "%s%s=%s",
                                 used ? "," : "", realism_quirks()[i].name, word);
    }
    return used;
}
