/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/screen/qr.h"

#include <string.h>

#include "core/base/search.h"

/* ISO/IEC 18004, tables 7 and 9, level L, and annex E: of each version the codewords, how many of them in a block are
 * for error correction, blocks, and the one alignment pattern's centre (0: none). */
static const struct version {
    uint32_t codewords, ecc, blocks, alignment;
} versions[] = {
    { 26, 7, 1, 0 }, { 44, 10, 1, 18 }, { 70, 15, 1, 22 }, { 100, 20, 1, 26 }, { 134, 26, 1, 30 }, { 172, 18, 2, 34 },
};
#define VERSIONS      (sizeof versions / sizeof *versions)
#define CODEWORDS_MAX 172u

/* --- codewords --------------------------------------------------------------------------------------------------- */

static const char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";

/* Its value in alphanumeric mode, or -1. */
static int value_of(char c)
{
    for (int i = 0; alphabet[i]; i++)
        if (alphabet[i] == c)
            return i;
    return -1;
}

void qr_fold(char *text)
{
    for (; *text; text++) {
        if (*text >= 'a' && *text <= 'z')
            *text = (char)(*text - 'a' + 'A');
        if (value_of(*text) < 0)
            *text = '-';
    }
}

struct bits {
    uint8_t bytes[CODEWORDS_MAX];
    uint32_t n;
};

static void add_bits(struct bits *b, uint32_t value, unsigned count)
{
    while (count-- > 0) {
        if (value >> count & 1)
            b->bytes[b->n / 8] |= (uint8_t)(0x80 >> b->n % 8);
        b->n++;
    }
}

/* Multiplication in the field of 256 elements modulo x^8 + x^4 + x^3 + x^2 + 1. */
static uint8_t times(uint8_t a, uint8_t b)
{
    unsigned product = 0;

    for (int bit = 7; bit >= 0; bit--) {
        product = product << 1 ^ (product >> 7) * 0x11D;
        if (b >> bit & 1)
            product ^= a;
    }
    return (uint8_t)product;
}

void qr_ecc(const uint8_t *data, uint32_t n_data, uint8_t *ecc, uint32_t n_ecc)
{
    uint8_t generator[QR_ECC_MAX] = { 0 }, root = 1;

    generator[n_ecc - 1] = 1;
    for (uint32_t i = 0; i < n_ecc; i++) { /* times (x - 2^i); the leading 1 is not kept */
        for (uint32_t k = 0; k < n_ecc; k++)
            generator[k] = times(generator[k], root) ^ (k + 1 < n_ecc ? generator[k + 1] : 0);
        root = times(root, 2);
    }
    memset(ecc, 0, n_ecc);
    for (uint32_t i = 0; i < n_data; i++) {
        uint8_t factor = data[i] ^ ecc[0];

        memmove(ecc, ecc + 1, n_ecc - 1);
        ecc[n_ecc - 1] = 0;
        for (uint32_t k = 0; k < n_ecc; k++)
            ecc[k] ^= times(generator[k], factor);
    }
}

static uint32_t data_codewords(const struct version *v)
{
    return v->codewords - v->ecc * v->blocks;
}

/* Mode, length, pairs of characters in 11 bits, the terminator and padding: 7.4. */
static void encode_text(struct bits *b, const char *text, size_t length, uint32_t capacity)
{
    memset(b, 0, sizeof *b);
    add_bits(b, 2, 4);
    add_bits(b, (uint32_t)length, 9);
    for (size_t i = 0; i < length; i += 2) {
        if (i + 1 < length)
            add_bits(b, (uint32_t)(value_of(text[i]) * 45 + value_of(text[i + 1])), 11);
        else
            add_bits(b, (uint32_t)value_of(text[i]), 6);
    }
    for (unsigned k = 0; k < 4 && b->n < capacity * 8; k++)
        add_bits(b, 0, 1);
    b->n = (b->n + 7) / 8 * 8;
    for (unsigned k = 0; b->n < capacity * 8; k++)
        add_bits(b, k % 2 == 0 ? 0xEC : 0x11, 8);
}

/* Codewords of the blocks in turn, data first: 7.6. Up to version 6 all blocks of level L are of one length. */
static void interleave(const struct version *v, const uint8_t *data, uint8_t *out)
{
    uint32_t per_block = data_codewords(v) / v->blocks, n = 0;
    uint8_t ecc[2][QR_ECC_MAX] = { { 0 } };

    for (uint32_t b = 0; b < v->blocks; b++)
        qr_ecc(data + (size_t)b * per_block, per_block, ecc[b], v->ecc);
    for (uint32_t i = 0; i < per_block; i++)
        for (uint32_t b = 0; b < v->blocks; b++)
            out[n++] = data[b * per_block + i];
    for (uint32_t i = 0; i < v->ecc; i++)
        for (uint32_t b = 0; b < v->blocks; b++)
            out[n++] = ecc[b][i];
}

/* --- modules ----------------------------------------------------------------------------------------------------- */

static void set(struct qr *q, uint32_t row, uint32_t column, bool dark)
{
    q->dark[row][column] = dark;
    q->function[row][column] = 1;
}

/* A square pattern around a centre: rings of modules, the outermost `reach` away. */
static void put_square(struct qr *q, uint32_t row, uint32_t column, int reach, unsigned dark_rings)
{
    for (int r = -reach; r <= reach; r++)
        for (int c = -reach; c <= reach; c++) {
            int at_row = (int)row + r, at_column = (int)column + c;
            int ring = (r < 0 ? -r : r) > (c < 0 ? -c : c) ? (r < 0 ? -r : r) : (c < 0 ? -c : c);

            if (at_row >= 0 && at_column >= 0 && at_row < (int)q->size && at_column < (int)q->size)
                set(q, (uint32_t)at_row, (uint32_t)at_column, dark_rings >> ring & 1);
        }
}

/* The fifteen bits of format information: level L, the mask, and their BCH code: 7.9. */
static uint32_t format_bits(unsigned mask)
{
    uint32_t data = 1u << 3 | mask, rest = data << 10;

    for (int bit = 14; bit >= 10; bit--)
        if (rest >> bit & 1)
            rest ^= 0x537u << (bit - 10);
    return (data << 10 | rest) ^ 0x5412;
}

static void put_format(struct qr *q, unsigned mask)
{
    uint32_t bits = format_bits(mask), last = q->size - 1;

    for (uint32_t i = 0; i < 15; i++) {
        bool dark = bits >> i & 1;

        /* Around the upper left finder, past the timing patterns. */
        if (i < 8)
            set(q, i < 6 ? i : i + 1, 8, dark);
        else
            set(q, 8, i == 8 ? 7 : 14 - i, dark);
        /* Under the upper right finder, and beside the lower left one. */
        if (i < 8)
            set(q, 8, last - i, dark);
        else
            set(q, last - 14 + i, 8, dark);
    }
    set(q, last - 7, 8, true);
}

static void put_functions(struct qr *q, const struct version *v)
{
    uint32_t last = q->size - 1;

    for (uint32_t i = 0; i < q->size; i++) {
        set(q, 6, i, i % 2 == 0);
        set(q, i, 6, i % 2 == 0);
    }
    put_square(q, 3, 3, 4, 0x0B); /* rings 0, 1 and 3 are dark, 4 is the separator */
    put_square(q, 3, last - 3, 4, 0x0B);
    put_square(q, last - 3, 3, 4, 0x0B);
    if (v->alignment)
        put_square(q, v->alignment, v->alignment, 2, 0x05);
    put_format(q, 0); /* takes the place; the bits come with the mask */
}

/* Two columns at a time from the right, up and down in turn, past the timing column: 7.7.3. */
static void put_data(struct qr *q, const uint8_t *codewords, uint32_t n)
{
    uint32_t bit = 0;
    bool up = true;

    for (int right = (int)q->size - 1; right > 0; right -= 2, up = !up) {
        if (right == 6)
            right--;
        for (uint32_t i = 0; i < q->size; i++)
            for (int k = 0; k < 2; k++) {
                uint32_t row = up ? q->size - 1 - i : i, column = (uint32_t)(right - k);

                if (q->function[row][column])
                    continue;
                q->dark[row][column] = bit < n * 8 && (codewords[bit / 8] >> (7 - bit % 8) & 1);
                bit++;
            }
    }
}

/* --- masks ------------------------------------------------------------------------------------------------------- */

/* Table 10. */
static bool mask_bit(unsigned mask, uint32_t i, uint32_t j)
{
    switch (mask) {
    case 0:
        return (i + j) % 2 == 0;
    case 1:
        return i % 2 == 0;
    case 2:
        return j % 3 == 0;
    case 3:
        return (i + j) % 3 == 0;
    case 4:
        return (i / 2 + j / 3) % 2 == 0;
    case 5:
        return i * j % 2 + i * j % 3 == 0;
    case 6:
        return (i * j % 2 + i * j % 3) % 2 == 0;
    default:
        return ((i + j) % 2 + i * j % 3) % 2 == 0;
    }
}

static void apply_mask(struct qr *q, unsigned mask)
{
    for (uint32_t i = 0; i < q->size; i++)
        for (uint32_t j = 0; j < q->size; j++)
            if (!q->function[i][j])
                q->dark[i][j] ^= mask_bit(mask, i, j);
    put_format(q, mask);
}

/* 1:1:3:1:1 with four light modules on one side, anywhere in a line: what a finder looks like. */
static uint32_t finder_penalty(uint32_t last_eleven)
{
    return last_eleven == 0x5D0 || last_eleven == 0x05D ? 40 : 0;
}

/* Runs and finder patterns of one line, a row or a column: table 11, features 1 and 3. */
static uint32_t line_penalty(const struct qr *q, uint32_t line, bool column)
{
    uint32_t points = 0, run = 0, history = 0;

    for (uint32_t k = 0; k < q->size; k++) {
        uint8_t dark = column ? q->dark[k][line] : q->dark[line][k];

        run = k > 0 && dark == (history & 1) ? run + 1 : 1;
        points += run == 5 ? 3 : run > 5;
        history = (history << 1 | dark) & 0x7FF;
        points += k >= 10 ? finder_penalty(history) : 0;
    }
    return points;
}

/* Table 11: how hard this would be to read. */
static uint32_t penalty(const struct qr *q)
{
    uint32_t points = 0, dark = 0, all = q->size * q->size, off;

    for (uint32_t i = 0; i < q->size; i++) {
        points += line_penalty(q, i, false) + line_penalty(q, i, true);
        for (uint32_t j = 0; j < q->size; j++) {
            uint8_t d = q->dark[i][j];

            dark += d;
            if (i > 0 && j > 0 && q->dark[i - 1][j] == d && q->dark[i][j - 1] == d && q->dark[i - 1][j - 1] == d)
                points += 3;
        }
    }
    off = dark * 2 > all ? dark * 2 - all : all - dark * 2;
    return points + (all > 0 ? off * 10 / all * 10 : 0); /* ten for each five percent away from a half */
}

enum status qr_encode(struct qr *q, const char *text)
{
    size_t length = strlen(text), bits_needed = 4 + 9 + length / 2 * 11 + length % 2 * 6;
    uint8_t codewords[CODEWORDS_MAX] = { 0 };
    uint32_t best = 0, least = UINT32_MAX, v;
    struct bits data;

    for (const char *c = text; *c; c++)
        if (value_of(*c) < 0)
            return ST_RANGE;
    v = INDEX_OF(i, VERSIONS, data_codewords(&versions[i]) * 8 >= bits_needed);
    if (v == VERSIONS)
        return ST_RANGE;
    memset(q, 0, sizeof *q);
    q->size = 21 + 4 * v;
    encode_text(&data, text, length, data_codewords(&versions[v]));
    interleave(&versions[v], data.bytes, codewords);
    put_functions(q, &versions[v]);
    put_data(q, codewords, versions[v].codewords);
    for (unsigned mask = 0; mask < 8; mask++) {
        uint32_t points;

        apply_mask(q, mask);
        points = penalty(q);
        if (points < least) {
            least = points;
            best = mask;
        }
        apply_mask(q, mask); /* twice is none */
    }
    apply_mask(q, best);
    return ST_OK;
}
