/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What core/encoding/gzip.c makes is what gzip(1) takes apart, and core/encoding/inflate.c what either makes. */
#include "core/encoding/gzip.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/encoding/huffman.h"
#include "core/encoding/inflate.h"
#include "tests/support/data/whole_file.h"

struct bytes {
    uint8_t *at;
    size_t n, room;
};

static void add(void *context, const uint8_t *bytes, size_t length)
{
    struct bytes *b = context;

    if (b->n + length > b->room) {
        b->room = 2 * (b->n + length);
        b->at = realloc(b->at, b->room);
        cr_assert(b->at);
    }
    if (length)
        memcpy(b->at + b->n, bytes, length);
    b->n += length;
}

static struct bytes compressed(const struct bytes *of, size_t piece, bool flush)
{
    struct bytes out = { 0 };
    struct gzip *z = gzip_begin(&out, add);

    cr_assert(z);
    for (size_t at = 0; at < of->n; at += piece) {
        gzip_add(z, of->at + at, of->n - at < piece ? of->n - at : piece);
        if (flush)
            gzip_flush(z);
    }
    gzip_end(z);
    return out;
}

/* What a command makes of the bytes. */
static struct bytes through(const char *command, const struct bytes *in)
{
    char path[] = "/tmp/assay-gzip-XXXXXX", line[96];
    struct bytes out = { 0 };
    uint8_t part[4096];
    size_t n;
    FILE *f;

    f = fdopen(mkstemp(path), "wb");
    cr_assert(f && fwrite(in->at, 1, in->n, f) == in->n && fclose(f) == 0);
    snprintf(line, sizeof line, "%s <%s", command, path);
    f = popen(line, "r");
    cr_assert(f);
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        add(&out, part, n);
    cr_expect_eq(pclose(f), 0, "%s", command);
    unlink(path);
    return out;
}

/* A file without a name: RFC 1952, 2.3: 10 bytes before the stream, 8 after it. */
static bool inflates(const struct bytes *file, struct bytes *to)
{
    return inflate(file->at + 10, file->n - 18, to->at, to->n);
}

static void expect_inflates(const struct bytes *file, const struct bytes *of)
{
    struct bytes to = { .at = calloc(of->n + 1, 1), .n = of->n };

    cr_expect(inflates(file, &to) && (of->n == 0 || memcmp(to.at, of->at, of->n) == 0), "%zu bytes", of->n);
    free(to.at);
}

static struct bytes stream(void)
{
    struct bytes b = { 0 };

    b.at = (uint8_t *)whole_file(ASSAY_ROOT "/tests/fixtures/stream/golden.jsonl", &b.n);
    cr_assert_not_null(b.at);
    b.room = b.n;
    return b;
}

static uint32_t drawn(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u; /* Numerical Recipes */
    return *state >> 8;
}

/* gzip takes several files in a row for one. */
Test(gzip, bytes_of_every_kind_go_round)
{
    static const size_t sizes[] = {
        0, 1, 2, 3, 4, 257, 258, 259, 263, 4096, 32767, 32768, 65535, 65536, 65537, 300000
    };
    struct bytes all = { 0 }, files = { 0 }, back;
    uint32_t state = 7;

    for (size_t kind = 0; kind < 4; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct bytes b = { 0 }, file;

            for (size_t k = 0; k < sizes[i]; k++) {
                uint32_t r = drawn(&state);
                /* one letter; four letters; any byte; repetitions as far back as a match can be, and farther */
                uint8_t byte = (uint8_t)(kind == 0 ? 'a' : kind == 1 ? 'a' + r % 4 : r);

                if (kind == 3 && k >= 32768u + i && r % 64)
                    byte = b.at[k - (32760u + i)];
                add(&b, &byte, 1);
            }
            file = compressed(&b, b.n / 3 + 1, i % 2);
            expect_inflates(&file, &b);
            add(&all, b.at, b.n);
            add(&files, file.at, file.n);
            free(file.at);
            free(b.at);
        }
    back = through("gzip -dc", &files);
    cr_expect_eq(back.n, all.n);
    for (size_t i = 0; i < back.n && i < all.n; i++)
        cr_assert_eq(back.at[i], all.at[i], "byte %zu of %zu", i, all.n);
    free(back.at);
    free(files.at);
    free(all.at);
}

Test(gzip, a_report_becomes_as_small_as_gzip_makes_it)
{
    struct bytes once = stream(), b = { 0 }, file, back, other;

    for (int i = 0; i < 12; i++) { /* more than a window and a block */
        char line[64];

        snprintf(line, sizeof line, "{\"sequenceNumber\":%d,\"round\":%d}\n", 1000 + i, i);
        add(&b, (const uint8_t *)line, strlen(line));
        add(&b, once.at, once.n);
    }
    file = compressed(&b, 4096, false);
    back = through("gzip -dc", &file);
    cr_expect(back.n == b.n && memcmp(back.at, b.at, b.n) == 0);
    other = through("gzip -n -6 -c", &b);
    cr_expect_leq(10 * file.n, 11 * other.n, "%zu bytes, gzip -6 %zu", file.n, other.n);
    free(other.at);
    free(back.at);
    free(file.at);
    free(once.at);
    free(b.at);
}

/* Blocks of all kinds: what is short has the fixed codes, what repeats nothing is stored. */
Test(inflate, takes_what_gzip_makes)
{
    static const size_t sizes[] = { 1, 30, 1000, 23000 };
    struct bytes b = stream(), file = through("gzip -9nc", &b);
    uint32_t state = 1;

    expect_inflates(&file, &b);
    free(file.at);
    for (size_t i = 0; i < 8; i++) {
        b.n = sizes[i / 2];
        for (size_t k = 0; i % 2 && k < b.n; k++)
            b.at[k] = (uint8_t)drawn(&state);
        file = through("gzip -nc", &b);
        expect_inflates(&file, &b);
        free(file.at);
    }
    free(b.at);
}

/* ASan: nothing outside of the bytes is touched. */
Test(inflate, refuses_what_is_cut_or_too_long_and_survives_what_is_changed)
{
    struct bytes b = stream(), file;
    uint8_t *to = malloc(4000);

    b.n = 4000;
    file = through("gzip -9nc", &b);
    for (size_t n = 0; n < file.n - 18; n++) {
        uint8_t *cut = malloc(n + 1);

        memcpy(cut, file.at + 10, n);
        cr_expect_not(inflate(cut, n, to, b.n), "%zu bytes of %zu", n, file.n - 18);
        free(cut);
    }
    cr_expect_not(inflate(file.at + 10, file.n - 18, to, b.n - 1), "it holds more");
    to = realloc(to, b.n + 1);
    cr_expect_not(inflate(file.at + 10, file.n - 18, to, b.n + 1), "it holds less");
    for (size_t bit = 0; bit < 8 * (file.n - 18); bit++) {
        file.at[10 + bit / 8] ^= (uint8_t)(1 << bit % 8);
        (void)inflate(file.at + 10, file.n - 18, to, b.n);
        file.at[10 + bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(to);
    free(file.at);
    free(b.at);
}

/* Frequencies of Fibonacci make Huffman's tree as deep as it can be. */
Test(huffman, no_code_is_longer_than_the_limit)
{
    uint32_t f[30] = { 1, 1 };
    struct huffman h;

    for (uint32_t i = 2; i < 30; i++)
        f[i] = f[i - 1] + f[i - 2];
    for (uint32_t limit = 5; limit <= 15; limit++) {
        uint32_t sum = 0;

        huffman_build(&h, f, 30, limit);
        for (uint32_t i = 0; i < 30; i++) {
            cr_expect(h.length[i] > 0 && h.length[i] <= limit, "limit %u: symbol %u has %u", limit, i, h.length[i]);
            sum += 1u << (15 - h.length[i]);
        }
        cr_expect_eq(sum, 1u << 15, "limit %u: a whole tree (Kraft)", limit);
    }
}

Test(huffman, one_symbol_alone_has_a_whole_tree)
{
    uint32_t f[4] = { 0, 0, 9, 0 };
    struct huffman h;

    huffman_build(&h, f, 4, 15);
    cr_expect(h.length[2] == 1 && h.length[0] == 1 && h.length[1] == 0 && h.length[3] == 0);
    cr_expect_neq(h.code[0], h.code[2]);
}
