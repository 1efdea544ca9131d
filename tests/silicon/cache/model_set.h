/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/cache/model_set.h: one set of an L3 and its directory, and where a line has its set. For model_l3.c and
 * model_flush.c; the caller has the slice's lock. */
#pragma once
#include "tests/silicon/cache/model_cache.h"

#include <emmintrin.h>

/* --- places */

/* l3-set-hash: what the set's number is changed by. Lines that lie side by side still have a set each. */
static inline uint32_t set_change(const struct model *m, uint32_t tag)
{
    return __builtin_expect(m->set_hash, 0) ? tag * 2654435761u >> (32 - m->l3.set_bits) : 0;
}

/* Blocks of lines go round the slices, each set starting elsewhere. */
static inline uint32_t slice_in_turn(const struct model *m, uint64_t line, uint32_t low, uint32_t n)
{
    uint32_t number = (uint32_t)(line >> m->l3.set_bits) + (low * 2654435761u >> 20) + m->slice_start;

    return remainder_of(number, n, m->slice_magic);
}

/* The same slice in every L3. With the package cut into clusters that share its L3 (SNC), each has a part of the
 * slices, which hold the lines that are home to it; lines of another package lie in the slices of the cluster that has
 * their home's number, so that they too spread over all of them. */
static inline struct place place_of(const struct model *m, uint64_t line)
{
    uint32_t low = (uint32_t)line & (m->l3.sets - 1), tag = (uint32_t)(line >> m->l3.set_bits), slice, set;

    if (m->slice_by_hash) {
        slice = m->slice_table[0][line & 0xFF] ^ m->slice_table[1][line >> 8 & 0xFF] ^
                m->slice_table[2][line >> 16 & 0xFF] ^ m->slice_table[3][line >> 24 & 0xFF] ^
                m->slice_table[4][line >> 32 & 0xFF];
    } else {
        uint32_t n = m->l3_slices / m->slice_parts;

        slice = slice_in_turn(m, line, low, n);
        if (m->slice_parts > 1)
            slice += cache_home(m, line) % m->slice_parts * n;
    }
    set = low ^ set_change(m, tag);
    return (struct place){ .line = line, .tag = tag, .slice = slice, .index = slice << m->l3.set_bits | set };
}

/* The place of the line in an entry of this set. */
static inline struct place place_in(const struct model *m, struct l3_row row, uint32_t e, uint32_t slice,
                                    uint32_t index)
{
    uint32_t tag = (row.word[e] & ENTRY_TAG) >> (32 - (TAG_BITS - HINT_BITS)) << HINT_BITS | row.hint[e];
    uint32_t low = (index & (m->l3.sets - 1)) ^ set_change(m, tag);

    return (struct place){ .line = (uint64_t)tag << m->l3.set_bits | low, .tag = tag, .slice = slice, .index = index };
}

/* --- words */

static inline uint32_t tag_in_word(uint32_t tag)
{
    return tag >> HINT_BITS << (32 - (TAG_BITS - HINT_BITS));
}

static inline uint32_t with_state(uint32_t word, enum line_state state)
{
    return (word & ~ENTRY_STATE) | (uint32_t)state;
}

static inline uint32_t presence_of(uint32_t core)
{
    return (1u << core % ENTRY_CORES) * (ENTRY_PRESENCE & (0 - ENTRY_PRESENCE));
}

/* --- vectors of the host
 *
 * By a register of 32 bits: GCC 12 takes _mm_set1_epi8() and _mm_set1_epi16() of a narrow value through the stack, stores it and
 * loads 4 bytes there, and the load waits until that store, and each one before it, has left the store buffer. */

static inline __m128i all_bytes(uint32_t value)
{
    return _mm_set1_epi32((int)(value * 0x01010101u));
}

static inline __m128i all_shorts(uint32_t value)
{
    return _mm_set1_epi32((int)((value & 0xFFFF) * 0x00010001u));
}

/* --- entries */

static inline uint32_t hints_equal(const uint16_t *hint, __m128i want)
{
    const __m128i *at = (const __m128i *)(const void *)hint;
    __m128i a = _mm_cmpeq_epi16(_mm_loadu_si128(at), want), b = _mm_cmpeq_epi16(_mm_loadu_si128(at + 1), want);

    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b));
}

/* The line's entry, or l3_entries: 16 hints at a time, and a word only where the hint is right. A set of fewer ends before
 * the 16th, in its block. */
static inline uint32_t find(const struct model *m, struct l3_row row, uint32_t tag)
{
    __m128i want = all_shorts(tag);
    uint32_t high = tag_in_word(tag), last = m->l3_last;

    for (uint32_t v = 0;; v = v + 16 < last ? v + 16 : last) {
        for (uint32_t hits = hints_equal(row.hint + v, want); hits; hits &= hits - 1) {
            uint32_t e = v + (uint32_t)__builtin_ctz(hits);

            if (e < m->l3_entries && (row.word[e] & ENTRY_TAG) == high && entry_state(row.word[e]) != STATE_I)
                return e;
        }
        if (v == last)
            return m->l3_entries;
    }
}

static inline void put_entry(struct l3_row row, uint32_t e, uint32_t word, uint16_t hint)
{
    row.word[e] = word;
    row.hint[e] = hint;
}

/* The state that a request finds. */
static inline enum line_state found_state(const struct model *m, struct l3_row row, uint32_t e)
{
    enum line_state state;

    if (e == m->l3_entries)
        return STATE_I;
    state = entry_state(row.word[e]);
    if (e < m->l3.ways)
        return state;
    return state == STATE_E || state == STATE_M ? STATE_SF_E : STATE_SF_S;
}

/* A directory entry that nobody uses, or l3_entries. */
static inline uint32_t free_directory_entry(const struct model *m, struct l3_row row)
{
    uint32_t n = m->l3_entries - m->l3.ways, turn = *row.turn;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = m->l3.ways + turn;

        if (entry_state(row.word[e]) == STATE_I)
            return e;
        turn = turn + 1 == n ? 0 : turn + 1;
    }
    return m->l3_entries;
}

static inline void move_true_rmid(const struct model *m, struct domain *p, const struct place *at, uint32_t to,
                                  uint32_t from)
{
    uint16_t *rmid;

    if (!m->tags_lie)
        return;
    rmid = p->true_rmid + (size_t)at->index * m->l3_entries;
    rmid[to] = rmid[from];
}

/* --- the order of use */

static inline uint32_t position_of(struct l3_row row, uint32_t way)
{
    __m128i order = _mm_loadu_si128((const __m128i *)(const void *)row.order);
    uint32_t at = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(order, all_bytes(way))), i = 16;

    if (at)
        return (uint32_t)__builtin_ctz(at);
    while (row.order[i] != way)
        i++;
    return i;
}

/* 16 bytes of an order, from `at` on, of which those up to `last` become the byte before them. What lies beyond the order goes
 * back as it was; it is the same set's, since hints follow. */
static inline void move_up(uint8_t *at, uint32_t last)
{
    const __m128i number = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m128i *to = (__m128i *)(void *)at, keep = _mm_cmpgt_epi8(number, all_bytes(last));
    __m128i old = _mm_loadu_si128(to), moved = _mm_loadu_si128((const __m128i *)(const void *)(at - 1));

    _mm_storeu_si128(to, _mm_or_si128(_mm_and_si128(keep, old), _mm_andnot_si128(keep, moved)));
}

/* Bytes 0 .. position move up by one. Byte 0 is written last, so that what stands before the order does not count. */
static inline void move_first(struct l3_row row, uint32_t position)
{
    uint8_t way = row.order[position];

    if (position > 15)
        move_up(row.order + 16, position - 16);
    move_up(row.order, position);
    row.order[0] = way;
}

/* Bytes position + 1 .. ways - 1 move down by one; the same way of doing it. */
static inline void move_last(const struct model *m, struct l3_row row, uint32_t position)
{
    const __m128i number = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint32_t last = m->l3.ways - 1, ends = last < 15 ? last : 15;
    __m128i *at = (__m128i *)(void *)row.order;
    __m128i old = _mm_loadu_si128(at), moved = _mm_srli_si128(old, 1);
    __m128i moves = _mm_and_si128(_mm_cmpgt_epi8(number, all_bytes((position - 1) & 0xFF)),
                                  _mm_cmplt_epi8(number, all_bytes(ends)));
    uint8_t way = row.order[position];

    _mm_storeu_si128(at, _mm_or_si128(_mm_andnot_si128(moves, old), _mm_and_si128(moves, moved)));
    for (uint32_t i = position > 15 ? position : 15; i < last; i++)
        row.order[i] = row.order[i + 1];
    row.order[last] = way;
}
