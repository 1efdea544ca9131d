/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The loops of arch/x86/cpu/kernels.c, run on the host: they are what the payload runs. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/x86/cpu/kernels.h"

#define LINE  64u
#define WORDS 8u
#define PAGE  4096u

/* Pages with nothing mapped before and after: an access outside of the working set ends the test. */
static uint64_t *area(size_t bytes)
{
    uint8_t *all = mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    cr_assert(all != MAP_FAILED);
    cr_assert_eq(mprotect(all + PAGE, bytes, PROT_READ | PROT_WRITE), 0);
    return (uint64_t *)(void *)(all + PAGE);
}

/* Word w of line l holds l * 1000 + w. */
static void fill(uint64_t *at, size_t bytes)
{
    for (size_t i = 0; i < bytes / 8; i++)
        at[i] = i / WORDS * 1000 + i % WORDS;
}

static struct work work(enum work_kind kind, const uint64_t *base, uint64_t bytes, uint32_t passes)
{
    return (struct work){ .kind = kind, .base = (uintptr_t)base, .bytes = bytes, .passes = passes };
}

/* Sum of the first words that fill() writes. */
static uint64_t sum_of_first_words(uint64_t lines)
{
    return lines * (lines - 1) / 2 * 1000;
}

static void expect_counts(const struct work *w, uint64_t moved, uint64_t touched, uint64_t accesses)
{
    cr_expect_eq(w->moved_bytes, moved);
    cr_expect_eq(w->touched_lines, touched);
    cr_expect_eq(w->accesses, accesses);
    cr_expect(w->tsc_end > w->tsc_begin);
}

Test(kernels, read_loads_one_word_of_every_line_in_every_pass)
{
    uint64_t *at = area(8 * PAGE), lines = 8 * PAGE / LINE;
    struct work w = work(WORK_READ, at, 8 * PAGE, 3);

    fill(at, 8 * PAGE);
    cr_assert_eq(kernel_run(&w), ST_OK);
    cr_expect_eq(w.proof, 3 * sum_of_first_words(lines));
    expect_counts(&w, 3 * 8 * PAGE, lines, 3 * lines);
}

Test(kernels, write_stores_to_one_word_of_every_line_and_no_other)
{
    uint64_t *at = area(2 * PAGE), lines = 2 * PAGE / LINE;
    struct work w = work(WORK_WRITE, at, 2 * PAGE, 2);

    memset(at, 0xEE, 2 * PAGE);
    cr_assert_eq(kernel_run(&w), ST_OK);
    expect_counts(&w, 2 * 2 * PAGE, lines, 2 * lines);
    for (uint64_t i = 0; i < lines; i++) {
        cr_assert_neq(at[i * WORDS], 0xEEEEEEEEEEEEEEEE, "line %lu was not written", i);
        for (unsigned k = 1; k < WORDS; k++)
            cr_assert_eq(at[i * WORDS + k], 0xEEEEEEEEEEEEEEEE, "line %lu, word %u", i, k);
    }
}

Test(kernels, rmw_loads_and_stores_every_line_once_a_pass)
{
    uint64_t *at = area(PAGE), lines = PAGE / LINE;
    struct work w = work(WORK_RMW, at, PAGE, 2);

    fill(at, PAGE);
    cr_assert_eq(kernel_run(&w), ST_OK);
    /* The second pass finds each word one higher. */
    cr_expect_eq(w.proof, 2 * sum_of_first_words(lines) + lines);
    expect_counts(&w, 2 * PAGE, lines, 4 * lines);
    for (uint64_t i = 0; i < lines; i++)
        cr_assert_eq(at[i * WORDS], i * 1000 + 2);
}

Test(kernels, nt_write_fills_every_line_whole)
{
    uint64_t *at = area(PAGE), lines = PAGE / LINE;
    struct work w = work(WORK_NT_WRITE, at, PAGE, 1);

    memset(at, 0xEE, PAGE);
    cr_assert_eq(kernel_run(&w), ST_OK);
    expect_counts(&w, PAGE, lines, 4 * lines);
    for (uint64_t i = 0; i < PAGE / 8; i++)
        cr_assert_neq(at[i], 0xEEEEEEEEEEEEEEEE);
}

Test(kernels, copy_moves_one_word_a_line_and_counts_both_areas)
{
    uint64_t *from = area(PAGE), *to = area(PAGE), lines = PAGE / LINE;
    struct work w = work(WORK_COPY, from, PAGE, 2);

    w.dst = (uintptr_t)to;
    fill(from, PAGE);
    cr_assert_eq(kernel_run(&w), ST_OK);
    cr_expect_eq(w.proof, 2 * sum_of_first_words(lines));
    expect_counts(&w, 2 * 2 * PAGE, 2 * lines, 4 * lines);
    for (uint64_t i = 0; i < lines; i++)
        cr_assert_eq(to[i * WORDS], i * 1000);
}

Test(kernels, flush_leaves_memory_as_it_is)
{
    uint64_t *at = area(PAGE), lines = PAGE / LINE;
    struct work w = work(WORK_FLUSH, at, PAGE, 1);

    fill(at, PAGE);
    cr_assert_eq(kernel_run(&w), ST_OK);
    cr_expect_eq(w.proof, sum_of_first_words(lines));
    expect_counts(&w, PAGE, lines, 2 * lines);
    for (uint64_t i = 0; i < PAGE / 8; i++)
        cr_assert_eq(at[i], i / WORDS * 1000 + i % WORDS);
}

Test(kernels, the_chase_visits_every_line_once_whatever_the_size_and_seed)
{
    static const uint64_t counts[] = { 1, 2, 3, 7, 64, 1000, 4096 };

    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            uint64_t lines = counts[c], bytes = lines * LINE;
            uint64_t *at = area((bytes + PAGE - 1) / PAGE * PAGE), next = 0;
            uint8_t seen[4096] = { 0 };
            struct work prepare = work(WORK_CHASE_PREPARE, at, bytes, 1), chase = work(WORK_CHASE, at, bytes, 3);

            prepare.seed = seed;
            cr_assert_eq(kernel_run(&prepare), ST_OK);
            cr_expect_eq(prepare.moved_bytes, bytes);
            cr_expect_eq(prepare.touched_lines, lines);
            for (uint64_t i = 0; i < lines; i++) {
                next = at[next * WORDS];
                cr_assert_lt(next, lines);
                cr_assert_eq(seen[next], 0, "line %lu of %lu twice", next, lines);
                seen[next] = 1;
            }
            cr_assert_eq(kernel_run(&chase), ST_OK);
            cr_expect_eq(chase.proof, 3 * (lines * (lines - 1) / 2));
            expect_counts(&chase, 3 * bytes, lines, 3 * lines);
            cr_assert_eq(munmap(at, bytes), 0);
        }
    }
}

Test(kernels, another_seed_is_another_order)
{
    uint64_t *a = area(PAGE), *b = area(PAGE), *c = area(PAGE);
    struct work wa = work(WORK_CHASE_PREPARE, a, PAGE, 1), wb = work(WORK_CHASE_PREPARE, b, PAGE, 1),
                wc = work(WORK_CHASE_PREPARE, c, PAGE, 1);

    wa.seed = wc.seed = 1;
    wb.seed = 2;
    cr_assert_eq(kernel_run(&wa), ST_OK);
    cr_assert_eq(kernel_run(&wb), ST_OK);
    cr_assert_eq(kernel_run(&wc), ST_OK);
    cr_expect(memcmp(a, b, PAGE) != 0);
    cr_expect(memcmp(a, c, PAGE) == 0, "the same seed must give the same order");
}

/* A cycle through some of the lines only would report lines that it never touched. */
Test(kernels, a_chase_in_memory_that_holds_no_whole_cycle_is_corrupt)
{
    uint64_t *at = area(PAGE);
    struct work prepare = work(WORK_CHASE_PREPARE, at, PAGE, 1), chase = work(WORK_CHASE, at, PAGE, 1);

    cr_assert_eq(kernel_run(&prepare), ST_OK);
    at[at[0] * WORDS] = 0; /* back to the start after two lines */
    cr_expect_eq(kernel_run(&chase), ST_CORRUPT);
    cr_expect_eq(chase.accesses, 2);
    cr_expect_eq(chase.moved_bytes, 2 * LINE);
    at[0] = PAGE / LINE; /* a line after the end */
    cr_expect_eq(kernel_run(&chase), ST_CORRUPT);
    cr_expect_eq(chase.accesses, 1);
}

/* Memory that may be executed as well, and counters that code in it reaches by RIP. */
static uint64_t *code_area(size_t bytes)
{
    uint64_t *at = area(bytes);

    cr_assert_eq(mprotect(at, bytes, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
    return at;
}

/* INC of the counter, and a jump to the end of the line, or the return that was at its start. */
static void plant_count(uint8_t *line, const uint64_t *counter)
{
    int64_t distance = (int64_t)(uintptr_t)counter - (int64_t)(uintptr_t)(line + 7);
    bool returns = line[0] == 0xC3;
    uint8_t code[] = { 0x48, 0xFF, 0x05, 0, 0, 0, 0, returns ? 0xC3 : 0xEB, LINE - 9 };
    int32_t relative = (int32_t)distance;

    cr_assert_eq(relative, distance);
    memcpy(code + 3, &relative, sizeof relative);
    memcpy(line, code, sizeof code);
}

Test(kernels, code_goes_through_every_line_once_a_pass)
{
    uint64_t lines = PAGE / LINE, *at = code_area(2 * PAGE), *counter = at + PAGE / 8;

    for (uint64_t i = 0; i < lines; i++) {
        struct work prepare = work(WORK_CODE_PREPARE, at, PAGE, 1), code = work(WORK_CODE, at, PAGE, 3);

        cr_assert_eq(kernel_run(&prepare), ST_OK);
        expect_counts(&prepare, PAGE, lines, (lines - 1) * WORDS + 1);
        plant_count((uint8_t *)at + i * LINE, counter);
        *counter = 0;
        cr_assert_eq(kernel_run(&code), ST_OK);
        cr_expect_eq(*counter, 3, "line %lu", i);
        expect_counts(&code, 3 * PAGE, lines, 0);
    }
}

Test(kernels, code_is_nops_to_the_end_of_each_line_and_returns_from_the_last)
{
    uint64_t lines = PAGE / LINE, *at = area(PAGE);
    struct work w = work(WORK_CODE_PREPARE, at, PAGE, 1);

    memset(at, 0xEE, PAGE);
    cr_assert_eq(kernel_run(&w), ST_OK);
    for (uint64_t i = 0; i < (lines - 1) * WORDS; i++)
        cr_assert_eq(at[i], 0x0000000000841F0F, "word %lu", i); /* NOP of eight bytes */
    cr_expect_eq(at[(lines - 1) * WORDS] & 0xFF, 0xC3);
    for (uint64_t i = (lines - 1) * WORDS + 1; i < PAGE / 8; i++)
        cr_assert_eq(at[i], 0xEEEEEEEEEEEEEEEE, "word %lu", i);
}

Test(kernels, one_line_of_code_returns_at_once)
{
    uint64_t *at = code_area(PAGE);
    struct work prepare = work(WORK_CODE_PREPARE, at, LINE, 1), code = work(WORK_CODE, at, LINE, 2);

    cr_assert_eq(kernel_run(&prepare), ST_OK);
    cr_assert_eq(kernel_run(&code), ST_OK);
    expect_counts(&code, 2 * LINE, 1, 0);
}

Test(kernels, work_that_makes_no_sense_touches_nothing)
{
    uint64_t *at = area(PAGE);
    struct work bad[] = {
        work(WORK_KINDS, at, PAGE, 1),
        work(WORK_WRITE, at, PAGE, 0),
        work(WORK_WRITE, at, 0, 1),
        work(WORK_WRITE, at, PAGE - 1, 1),
        work(WORK_WRITE, at + 1, LINE, 1),
        { .kind = WORK_WRITE, .base = UINT64_MAX - LINE + 1, .bytes = 2 * LINE, .passes = 1 },
        { .kind = WORK_COPY, .base = (uintptr_t)at, .dst = (uintptr_t)at + LINE, .bytes = 2 * LINE, .passes = 1 },
        { .kind = WORK_COPY, .base = (uintptr_t)at + LINE, .dst = (uintptr_t)at, .bytes = 2 * LINE, .passes = 1 },
        { .kind = WORK_COPY, .base = (uintptr_t)at, .dst = (uintptr_t)at + PAGE / 2 + 8, .bytes = LINE, .passes = 1 },
    };

    fill(at, PAGE);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bad[i].moved_bytes = 0xDEAD;
        cr_expect_eq(kernel_run(&bad[i]), ST_RANGE, "case %zu", i);
        cr_expect_eq(bad[i].moved_bytes, 0xDEAD, "case %zu: nothing was done, so nothing is reported", i);
    }
    for (uint64_t i = 0; i < PAGE / 8; i++)
        cr_assert_eq(at[i], i / WORDS * 1000 + i % WORDS);
}

Test(kernels, copy_between_neighbours_is_no_overlap)
{
    uint64_t *at = area(PAGE);
    struct work w = work(WORK_COPY, at, PAGE / 2, 1);

    w.dst = (uintptr_t)at + PAGE / 2;
    cr_expect_eq(kernel_run(&w), ST_OK);
    w.base = w.dst;
    w.dst = (uintptr_t)at;
    cr_expect_eq(kernel_run(&w), ST_OK);
}
