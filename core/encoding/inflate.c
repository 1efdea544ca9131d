/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/encoding/inflate.h"

#include <string.h>

#define LITERALS     288u /* and lengths */
#define DISTANCES    32u  /* of which 30 are used */
#define LONGEST_CODE 15u
#define END_OF_BLOCK 256u

struct code {
    uint16_t count[LONGEST_CODE + 1]; /* codes of each length */
    uint16_t symbol[LITERALS];        /* in the order of their codes */
};

struct inflate {
    const uint8_t *from;
    uint8_t *to;
    size_t n, at, bytes, made;
    uint32_t held, n_held; /* bits of the last byte that was taken */
    bool bad;
    struct code literals, distances;
};

/* The lowest bit comes first: RFC 1951, 3.1.1. Of a stream that has ended: 0, and it is bad. */
static uint32_t take_bits(struct inflate *s, uint32_t n)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (s->n_held == 0) {
            s->bad |= s->at >= s->n;
            s->held = s->bad ? 0 : s->from[s->at++];
            s->n_held = 8;
        }
        bits |= (s->held & 1) << i;
        s->held >>= 1;
        s->n_held--;
    }
    return bits;
}

/* Canonical: codes of a length count up from where the shorter ones end, in the order of their symbols (3.2.2). */
static void make_code(struct code *c, const uint8_t *lengths, uint32_t n)
{
    uint16_t next[LONGEST_CODE + 1] = { 0 };

    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < n; i++)
        c->count[lengths[i]]++;
    c->count[0] = 0;
    for (uint32_t length = 1; length < LONGEST_CODE; length++)
        next[length + 1] = (uint16_t)(next[length] + c->count[length]);
    for (uint32_t i = 0; i < n; i++)
        if (lengths[i])
            c->symbol[next[lengths[i]]++] = (uint16_t)i;
}

static uint32_t take_symbol(struct inflate *s, const struct code *c)
{
    uint32_t code = 0, first = 0, before = 0;

    for (uint32_t length = 1; length <= LONGEST_CODE; length++) {
        code |= take_bits(s, 1);
        if (code < first + c->count[length])
            return c->symbol[before + code - first];
        before += c->count[length];
        first = (first + c->count[length]) << 1;
        code <<= 1;
    }
    s->bad = true;
    return END_OF_BLOCK;
}

static void make_fixed_codes(struct inflate *s)
{
    uint8_t lengths[LITERALS];

    for (uint32_t i = 0; i < LITERALS; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_code(&s->literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    make_code(&s->distances, lengths, DISTANCES);
}

/* The lengths of both codes are themselves coded: 3.2.7. */
static void take_codes(struct inflate *s)
{
    static const uint8_t order[19] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    uint8_t lengths[LITERALS + DISTANCES] = { 0 };
    uint32_t n_literals = take_bits(s, 5) + 257, n_distances = take_bits(s, 5) + 1, n = take_bits(s, 4) + 4, at = 0;

    for (uint32_t i = 0; i < n; i++)
        lengths[order[i]] = (uint8_t)take_bits(s, 3);
    make_code(&s->literals, lengths, 19);
    memset(lengths, 0, 19);
    while (at < n_literals + n_distances && !s->bad) {
        uint32_t symbol = take_symbol(s, &s->literals), times = 1, length = symbol;

        if (symbol == 16) {
            s->bad |= at == 0;
            length = s->bad ? 0 : lengths[at - 1];
            times = 3 + take_bits(s, 2);
        } else if (symbol > 16) {
            length = 0;
            times = symbol == 17 ? 3 + take_bits(s, 3) : 11 + take_bits(s, 7);
        }
        if (times > n_literals + n_distances - at) {
            s->bad = true;
            break;
        }
        memset(lengths + at, (int)length, times);
        at += times;
    }
    s->bad |= n_literals > LITERALS;
    if (s->bad)
        return;
    make_code(&s->literals, lengths, n_literals);
    make_code(&s->distances, lengths + n_literals, n_distances);
}

static void repeat(struct inflate *s, size_t length, size_t distance)
{
    s->bad |= distance > s->made || length > s->bytes - s->made;
    if (s->bad)
        return;
    for (; length > 0; length--, s->made++)
        s->to[s->made] = s->to[s->made - distance];
}

/* Bases and extra bits of lengths from 3 and distances from 1 on: 3.2.5. A power of two holds 4 lengths, or 2 distances. */
static void take_match(struct inflate *s, uint32_t symbol)
{
    uint32_t length = symbol - 257, distance, extra;

    s->bad |= length > 28;
    if (length == 28) {
        length = 258;
    } else if (length < 8) {
        length += 3;
    } else {
        extra = length / 4 - 1;
        length = ((4 + length % 4) << extra) + 3 + take_bits(s, extra);
    }
    distance = take_symbol(s, &s->distances);
    s->bad |= distance > 29;
    if (s->bad)
        return;
    if (distance < 4) {
        distance += 1;
    } else {
        extra = distance / 2 - 1;
        distance = ((2 + distance % 2) << extra) + 1 + take_bits(s, extra);
    }
    repeat(s, length, distance);
}

static void take_coded(struct inflate *s)
{
    for (;;) {
        uint32_t symbol = take_symbol(s, &s->literals);

        if (s->bad || symbol == END_OF_BLOCK)
            return;
        if (symbol > END_OF_BLOCK) {
            take_match(s, symbol);
        } else if (s->made == s->bytes) {
            s->bad = true;
        } else {
            s->to[s->made++] = (uint8_t)symbol;
        }
    }
}

static void take_stored(struct inflate *s)
{
    uint32_t length;

    s->n_held = 0;
    length = take_bits(s, 16);
    s->bad |= (length ^ take_bits(s, 16)) != 0xFFFF || length > s->n - s->at || length > s->bytes - s->made;
    if (s->bad)
        return;
    memcpy(s->to + s->made, s->from + s->at, length);
    s->at += length;
    s->made += length;
}

bool inflate(const uint8_t *from, size_t n, uint8_t *to, size_t bytes)
{
    struct inflate s = { .from = from, .n = n, .to = to, .bytes = bytes };
    uint32_t last, type;

    do {
        last = take_bits(&s, 1);
        type = take_bits(&s, 2);
        if (type == 0) {
            take_stored(&s);
            continue;
        }
        if (type == 1)
            make_fixed_codes(&s);
        else if (type == 2)
            take_codes(&s);
        else
            s.bad = true;
        if (!s.bad)
            take_coded(&s);
    } while (!last && !s.bad);
    return !s.bad && s.made == bytes;
}
