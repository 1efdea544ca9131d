/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/encoding/gzip.h"

#include <stdbool.h>
#include <string.h>

#include "core/encoding/digest.h"
#include "core/base/heap.h"
#include "core/encoding/huffman.h"

/* RFC 1951: how far back and how long a match is. */
#define WINDOW       32768u
#define SHORTEST     3u
#define LONGEST      258u
#define AHEAD        (LONGEST + SHORTEST + 1) /* what is looked at from a position on, and from the one after it */
#define FARTHEST     (WINDOW - AHEAD)         /* what a window still has when it was moved as late as it can be   */
#define LITERALS     286u
#define DISTANCES    30u
#define RUNS         19u
#define END_OF_BLOCK 256u
/* How hard it is tried: candidates of a position, a length that ends the search, one that ends it without a look at the next
 * position. As zlib's level 6, within a third. */
#define CANDIDATES 48u
#define GOOD       128u
#define LAZY       32u
#define HASH_BITS  15u
#define TOKENS     16384u

struct match {
    uint32_t length, distance; /* length 0: none */
};

struct gzip {
    void *context;
    void (*put)(void *context, const uint8_t *bytes, size_t length);
    uint32_t crc, total;
    /* Positions count bytes from 1. buffer[0] is at `base`, the next one to be coded `at`, `end` is after the last one that is
     * there, and `hashed` after the last one that the chains have. */
    uint32_t base, at, end, hashed;
    struct match match; /* of `at`, where it is known already */
    bool known;
    uint32_t head[1u << HASH_BITS], chain[WINDOW]; /* 0: none */
    uint32_t n_tokens, literals[LITERALS], distances[DISTANCES];
    struct {
        uint16_t what, distance; /* distance 0: a literal; else a length */
    } tokens[TOKENS];
    uint64_t bits;
    uint32_t n_bits, n_out;
    uint8_t out[4096];
    uint8_t buffer[2 * WINDOW + 1]; /* the last byte is loaded with the three before it, and means nothing */
};

/* --- bits ---------------------------------------------------------------------------------------------------------- */

static void put_byte(struct gzip *z, uint8_t byte)
{
    z->out[z->n_out++] = byte;
    if (z->n_out == sizeof z->out) {
        z->put(z->context, z->out, z->n_out);
        z->n_out = 0;
    }
}

/* 16 at most. */
static void put_bits(struct gzip *z, uint32_t value, uint32_t n)
{
    z->bits |= (uint64_t)value << z->n_bits;
    for (z->n_bits += n; z->n_bits >= 8; z->n_bits -= 8) {
        put_byte(z, (uint8_t)z->bits);
        z->bits >>= 8;
    }
}

static void put_symbol(struct gzip *z, const struct huffman *h, uint32_t symbol)
{
    put_bits(z, h->code[symbol], h->length[symbol]);
}

/* --- blocks -------------------------------------------------------------------------------------------------------- */

static uint32_t top_bit(uint32_t v)
{
    return 31u - (uint32_t)__builtin_clz(v);
}

struct symbol {
    uint32_t symbol, extra, n_extra;
};

/* RFC 1951, 3.2.5: four lengths' symbols for each power of two, two of the distances'. */
static struct symbol of_length(uint32_t length)
{
    uint32_t v = length - SHORTEST, top;

    if (length == LONGEST)
        return (struct symbol){ 285, 0, 0 };
    if (v < 8)
        return (struct symbol){ 257 + v, 0, 0 };
    top = top_bit(v);
    return (struct symbol){ 257 + 4 * (top - 1) + (v >> (top - 2) & 3), v & ((1u << (top - 2)) - 1), top - 2 };
}

static struct symbol of_distance(uint32_t distance)
{
    uint32_t v = distance - 1, top;

    if (v < 4)
        return (struct symbol){ v, 0, 0 };
    top = top_bit(v);
    return (struct symbol){ 2 * top + (v >> (top - 1) & 1), v & ((1u << (top - 1)) - 1), top - 1 };
}

/* Lengths of both codes as a run: of zeros (17 and 18), of the one before (16), or as they are. */
struct runs {
    uint8_t symbol[LITERALS + DISTANCES], extra[LITERALS + DISTANCES];
    uint32_t n;
};

static uint32_t run_of(const uint8_t *lengths, uint32_t n, uint32_t most)
{
    uint32_t run = 1;

    while (run < n && run < most && lengths[run] == lengths[0])
        run++;
    return run;
}

static void add_run(struct runs *r, uint32_t symbol, uint32_t extra)
{
    r->symbol[r->n] = (uint8_t)symbol;
    r->extra[r->n++] = (uint8_t)extra;
}

static void find_runs(struct runs *r, const uint8_t *lengths, uint32_t n)
{
    r->n = 0;
    for (uint32_t i = 0; i < n;) {
        uint32_t run = run_of(lengths + i, n - i, lengths[i] ? 7 : 138);

        if (lengths[i] == 0 && run >= 3) {
            add_run(r, run < 11 ? 17 : 18, run < 11 ? run - 3 : run - 11);
        } else if (run >= 4) {
            add_run(r, lengths[i], 0);
            add_run(r, 16, run - 4);
        } else {
            run = 1;
            add_run(r, lengths[i], 0);
        }
        i += run;
    }
}

/* RFC 1951, 3.2.7: the two codes, their lengths in a third. */
static void put_codes(struct gzip *z, const struct huffman *literals, const struct huffman *distances)
{
    static const uint8_t order[RUNS] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    static const uint8_t extra[3] = { 2, 3, 7 };
    uint8_t lengths[LITERALS + DISTANCES];
    uint32_t frequencies[RUNS] = { 0 }, n = RUNS;
    struct huffman code;
    struct runs runs;

    memcpy(lengths, literals->length, LITERALS);
    memcpy(lengths + LITERALS, distances->length, DISTANCES);
    find_runs(&runs, lengths, sizeof lengths);
    for (uint32_t i = 0; i < runs.n; i++)
        frequencies[runs.symbol[i]]++;
    huffman_build(&code, frequencies, RUNS, 7);
    while (n > 4 && code.length[order[n - 1]] == 0)
        n--;
    put_bits(z, LITERALS - 257, 5);
    put_bits(z, DISTANCES - 1, 5);
    put_bits(z, n - 4, 4);
    for (uint32_t i = 0; i < n; i++)
        put_bits(z, code.length[order[i]], 3);
    for (uint32_t i = 0; i < runs.n; i++) {
        put_symbol(z, &code, runs.symbol[i]);
        if (runs.symbol[i] >= 16)
            put_bits(z, runs.extra[i], extra[runs.symbol[i] - 16]);
    }
}

static void end_block(struct gzip *z, bool last)
{
    struct huffman literals, distances;

    z->literals[END_OF_BLOCK]++;
    huffman_build(&literals, z->literals, LITERALS, 15);
    huffman_build(&distances, z->distances, DISTANCES, 15);
    put_bits(z, last, 1);
    put_bits(z, 2, 2); /* codes of its own */
    put_codes(z, &literals, &distances);
    for (uint32_t i = 0; i < z->n_tokens; i++) {
        struct symbol s;

        if (z->tokens[i].distance == 0) {
            put_symbol(z, &literals, z->tokens[i].what);
            continue;
        }
        s = of_length(z->tokens[i].what);
        put_symbol(z, &literals, s.symbol);
        put_bits(z, s.extra, s.n_extra);
        s = of_distance(z->tokens[i].distance);
        put_symbol(z, &distances, s.symbol);
        put_bits(z, s.extra, s.n_extra);
    }
    put_symbol(z, &literals, END_OF_BLOCK);
    z->n_tokens = 0;
    memset(z->literals, 0, sizeof z->literals);
    memset(z->distances, 0, sizeof z->distances);
}

static void put_token(struct gzip *z, uint32_t what, uint32_t distance)
{
    z->tokens[z->n_tokens].what = (uint16_t)what;
    z->tokens[z->n_tokens++].distance = (uint16_t)distance;
    z->literals[distance ? of_length(what).symbol : what]++;
    if (distance)
        z->distances[of_distance(distance).symbol]++;
    if (z->n_tokens == TOKENS)
        end_block(z, false);
}

/* A word that is not aligned, without the call that memcpy() is to a freestanding compiler. */
#define LOAD(word, from) __builtin_memcpy(&(word), (from), sizeof(word))

/* --- matches ------------------------------------------------------------------------------------------------------- */

static const uint8_t *byte_at(const struct gzip *z, uint32_t position)
{
    return z->buffer + (position - z->base);
}

static uint32_t *head_of(struct gzip *z, uint32_t position)
{
    uint32_t three;

    LOAD(three, byte_at(z, position));
    return &z->head[(three & 0xFFFFFF) * 2654435761u >> (32 - HASH_BITS)]; /* Knuth's multiplier */
}

/* Up to this position, without it: the last two bytes begin no match. */
static void hash_up_to(struct gzip *z, uint32_t position)
{
    uint32_t at = z->hashed, end = z->end;

    for (; at < position && end - at >= SHORTEST; at++) {
        uint32_t *head = head_of(z, at);

        z->chain[at % WINDOW] = *head;
        *head = at;
    }
    z->hashed = at;
}

static uint32_t alike(const uint8_t *a, const uint8_t *b, uint32_t most)
{
    uint32_t n = 0;
    uint64_t x, y;

    for (; n + 8 <= most; n += 8) {
        LOAD(x, a + n);
        LOAD(y, b + n);
        if (x != y)
            return n + (uint32_t)__builtin_ctzll(x ^ y) / 8;
    }
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

static struct match longest_match(struct gzip *z, uint32_t position)
{
    uint32_t most = z->end - position < LONGEST ? z->end - position : LONGEST, candidate;
    struct match best = { SHORTEST - 1, 0 };

    hash_up_to(z, position);
    if (most < SHORTEST)
        return (struct match){ 0, 0 };
    candidate = *head_of(z, position);
    for (uint32_t i = 0; i < CANDIDATES && candidate && position - candidate <= FARTHEST; i++) {
        const uint8_t *here = byte_at(z, position), *there = byte_at(z, candidate);

        if (here[best.length] == there[best.length]) { /* within the buffer: it ends no sooner than the match can */
            uint32_t n = alike(here, there, most);

            if (n > best.length)
                best = (struct match){ n, position - candidate };
            if (n >= GOOD || n == most)
                break;
        }
        if (z->chain[candidate % WINDOW] >= candidate)
            break; /* its place is taken by a later one */
        candidate = z->chain[candidate % WINDOW];
    }
    return best.distance ? best : (struct match){ 0, 0 };
}

/* A literal, or a match where the next position has no longer one. */
static void code_one(struct gzip *z)
{
    struct match m = z->known ? z->match : longest_match(z, z->at);

    z->known = false;
    if (m.length && m.length < LAZY && z->end - z->at > m.length) {
        z->match = longest_match(z, z->at + 1);
        z->known = true;
        if (z->match.length > m.length)
            m.length = 0;
    }
    if (m.length == 0) {
        put_token(z, *byte_at(z, z->at), 0);
        z->at++;
        return;
    }
    put_token(z, m.length, m.distance);
    z->known = false;
    z->at += m.length;
    hash_up_to(z, z->at);
}

/* --- the file ------------------------------------------------------------------------------------------------------ */

struct gzip *gzip_begin(void *context, void (*put)(void *context, const uint8_t *bytes, size_t length))
{
    /* RFC 1952, 2.3: DEFLATE, no flags, no time, from an unknown system */
    static const uint8_t header[10] = { 0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255 };
    struct gzip *z = heap_alloc(sizeof *z);

    if (!z)
        return NULL;
    z->context = context;
    z->put = put;
    z->base = z->at = z->end = z->hashed = 1;
    for (size_t i = 0; i < sizeof header; i++)
        put_byte(z, header[i]);
    return z;
}

/* The second half of the buffer becomes the first. */
static void move_window(struct gzip *z)
{
    memcpy(z->buffer, z->buffer + WINDOW, WINDOW);
    z->base += WINDOW;
}

void gzip_add(struct gzip *z, const void *bytes, size_t length)
{
    const uint8_t *from = bytes;

    z->crc = crc32_add(z->crc, bytes, length);
    z->total += (uint32_t)length;
    while (length > 0) {
        size_t room = z->base + 2 * WINDOW - z->end, n = room < length ? room : length;

        memcpy(z->buffer + (z->end - z->base), from, n);
        z->end += (uint32_t)n;
        from += n;
        length -= n;
        while (z->end - z->at >= AHEAD)
            code_one(z);
        if (z->end - z->base == 2 * WINDOW)
            move_window(z);
    }
}

static void put_word(struct gzip *z, uint32_t word)
{
    for (uint32_t i = 0; i < 4; i++)
        put_byte(z, (uint8_t)(word >> 8 * i));
}

static void put_out(struct gzip *z)
{
    z->put(z->context, z->out, z->n_out);
    z->n_out = 0;
}

static void code_rest(struct gzip *z, bool last)
{
    while (z->at < z->end)
        code_one(z);
    end_block(z, last);
    if (!last)
        put_bits(z, 0, 3); /* RFC 1951, 3.2.4: a stored block, whose length stands at the next byte */
    if (z->n_bits)
        put_bits(z, 0, 8 - z->n_bits);
}

void gzip_flush(struct gzip *z)
{
    code_rest(z, false);
    put_word(z, 0xFFFF0000u); /* 0 bytes, and the complement */
    put_out(z);
}

void gzip_end(struct gzip *z)
{
    code_rest(z, true);
    put_word(z, z->crc);
    put_word(z, z->total);
    put_out(z);
    heap_free(z);
}
