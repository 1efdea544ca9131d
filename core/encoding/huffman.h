/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/encoding/huffman.h: prefix codes as DEFLATE has them (RFC 1951, 3.2.2: canonical, of limited length). */
#pragma once
#include <stdint.h>

#define HUFFMAN_SYMBOLS 286u /* at most: DEFLATE's literals and lengths */

struct huffman {
    uint8_t length[HUFFMAN_SYMBOLS]; /* bits of the symbol's code; 0: it has none      */
    uint16_t code[HUFFMAN_SYMBOLS];  /* first bit lowest, as DEFLATE's bytes are filled */
};

/* A code for n symbols (HUFFMAN_SYMBOLS at most) of these frequencies, none longer than `limit` bits, which must hold n codes
 * (2^limit >= n). A symbol of frequency 0 has none; where fewer than two have one, the first ones get it, since a code of one
 * symbol is no whole tree. Cannot fail. */
void huffman_build(struct huffman *h, const uint32_t *frequencies, uint32_t n, uint32_t limit);
