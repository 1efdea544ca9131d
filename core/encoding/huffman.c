/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/encoding/huffman.h"

#include <string.h>

#include "core/base/search.h"

#define LIMIT_MAX 15u
#define NODES     (2 * HUFFMAN_SYMBOLS)

struct tree {
    uint32_t weight[NODES]; /* 0: no node, or one that has a parent */
    uint16_t parent[NODES];
    uint32_t n;
};

/* The node of the least weight that has no parent, which it will have now: n is none. */
static uint32_t take_lightest(struct tree *t, uint32_t *weight)
{
    uint32_t least = t->n;

    for (uint32_t i = 0; i < t->n; i++)
        if (t->weight[i] && (least == t->n || t->weight[i] < t->weight[least]))
            least = i;
    if (least < t->n) {
        *weight = t->weight[least];
        t->weight[least] = 0;
        t->parent[least] = (uint16_t)t->n;
    }
    return least;
}

/* Huffman's tree: its leaves are the symbols, its root the last node. */
static void build_tree(struct tree *t, const uint32_t *frequencies, uint32_t n)
{
    uint32_t one = 0, other = 0;

    memset(t, 0, sizeof *t);
    memcpy(t->weight, frequencies, n * sizeof *frequencies);
    t->n = n;
    for (;;) {
        uint32_t first = take_lightest(t, &one);

        if (take_lightest(t, &other) == t->n) {
            t->parent[first] = (uint16_t)first;
            return;
        }
        t->weight[t->n++] = one + other;
    }
}

/* The longest code. */
static uint32_t deepest_leaf(const struct tree *t, const uint32_t *frequencies, uint32_t n, uint8_t *length)
{
    uint32_t longest = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t deep = 0;

        for (uint32_t node = i; frequencies[i] && t->parent[node] != node; node = t->parent[node])
            deep++;
        length[i] = (uint8_t)deep;
        longest = deep > longest ? deep : longest;
    }
    return longest;
}

static uint16_t turned(uint32_t code, uint32_t bits)
{
    uint32_t out = 0;

    for (uint32_t i = 0; i < bits; i++)
        out |= (code >> i & 1) << (bits - 1 - i);
    return (uint16_t)out;
}

/* RFC 1951, 3.2.2: shorter codes first, and those of one length by their symbols. */
static void number_codes(struct huffman *h, uint32_t n)
{
    uint32_t count[LIMIT_MAX + 1] = { 0 }, next[LIMIT_MAX + 2] = { 0 };

    for (uint32_t i = 0; i < n; i++)
        count[h->length[i]]++;
    count[0] = 0;
    for (uint32_t bits = 1; bits <= LIMIT_MAX; bits++)
        next[bits + 1] = (next[bits] + count[bits]) << 1;
    for (uint32_t i = 0; i < n; i++)
        if (h->length[i])
            h->code[i] = turned(next[h->length[i]]++, h->length[i]);
}

void huffman_build(struct huffman *h, const uint32_t *frequencies, uint32_t n, uint32_t limit)
{
    uint32_t f[HUFFMAN_SYMBOLS], used;
    struct tree t;

    memcpy(f, frequencies, n * sizeof *f);
    used = HOW_MANY(i, n, f[i] > 0);
    for (uint32_t i = 0; i < n && used < 2; i++)
        if (f[i] == 0) {
            f[i] = 1;
            used++;
        }
    memset(h, 0, sizeof *h);
    for (;;) { /* frequencies that differ less make a flatter tree: with all alike it is as flat as can be */
        build_tree(&t, f, n);
        if (deepest_leaf(&t, f, n, h->length) <= limit)
            break;
        for (uint32_t i = 0; i < n; i++)
            f[i] = (f[i] + 1) / 2;
    }
    number_codes(h, n);
}
