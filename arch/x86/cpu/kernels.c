/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/cpu/kernels.h"

#define LINE       64u
#define WORDS      (LINE / 8u)
#define PAGE_LINES (4096u / LINE)

/* Volatile, so that each access is made once, in order, and none is merged or made wider. */
typedef volatile uint64_t cell;
typedef uint64_t two_words __attribute__((vector_size(16)));

struct tally {
    uint64_t proof;
    uint64_t accesses;
};

static inline uint64_t timestamp(void)
{
    uint32_t low, high;

    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

/* 16 bytes; SSE2 is part of the architecture in 64-bit mode, and UEFI hands over with it enabled (2.3.4 x64 Platforms). */
static inline void store_nontemporal(cell *at, two_words value)
{
    __asm__ volatile("movntdq %1, %0" : "=m"(*(volatile two_words *)at) : "x"(value));
}

/* --- one pass each: `lines` lines from `at` */

static void pass_read(cell *at, uint64_t lines, struct tally *t)
{
    uint64_t proof = 0;

#pragma GCC unroll 4
    for (uint64_t i = 0; i < lines; i++, at += WORDS)
        proof += *at;
    t->proof += proof;
    t->accesses += lines;
}

static void pass_write(cell *at, uint64_t lines, uint64_t value, struct tally *t)
{
    for (uint64_t i = 0; i < lines; i++, at += WORDS)
        *at = value + i;
    t->accesses += lines;
}

static void pass_rmw(cell *at, uint64_t lines, struct tally *t)
{
    uint64_t proof = 0;

    for (uint64_t i = 0; i < lines; i++, at += WORDS) {
        uint64_t v = *at;

        proof += v;
        *at = v + 1;
    }
    t->proof += proof;
    t->accesses += 2 * lines;
}

static void pass_nt_write(cell *at, uint64_t lines, uint64_t value, struct tally *t)
{
    for (uint64_t i = 0; i < lines; i++, at += WORDS) {
        two_words twice = { value + i, value + i };

        for (unsigned w = 0; w < WORDS; w += 2)
            store_nontemporal(at + w, twice);
    }
    __asm__ volatile("sfence" : : : "memory"); /* the write-combining buffers are drained before the time is taken */
    t->accesses += WORDS / 2 * lines;
}

static void pass_copy(cell *from, cell *to, uint64_t lines, struct tally *t)
{
    uint64_t proof = 0;

    for (uint64_t i = 0; i < lines; i++, from += WORDS, to += WORDS) {
        uint64_t v = *from;

        proof += v;
        *to = v;
    }
    t->proof += proof;
    t->accesses += 2 * lines;
}

/* Until the next page of 4 KiB, or the end of the working set. */
static uint64_t lines_in_page(const cell *at, uint64_t lines)
{
    uint64_t n = PAGE_LINES - (uintptr_t)at / LINE % PAGE_LINES;

    return n < lines ? n : lines;
}

/* A page of lines is loaded before any of them goes: what prefetchers bring for a load that misses lies in its page, and
 * some are stopped by no register, so that a line that is gone would come back for the load of the one after it. Each
 * is loaded once more right before its CLFLUSH: an observer of a virtual machine's accesses sees no operand of
 * that, and pairs it with the line that was touched last. That load finds its line in the L1, and changes nothing. */
static void pass_flush(cell *at, uint64_t lines, struct tally *t)
{
    uint64_t proof = 0;

    for (uint64_t left = lines, n; left > 0; left -= n) {
        n = lines_in_page(at, left);
        for (uint64_t i = 0; i < n; i++)
            proof += at[i * WORDS];
        for (uint64_t i = 0; i < n; i++, at += WORDS) {
            (void)*at;
            __asm__ volatile("clflush %0" : "+m"(*at));
        }
    }
    __asm__ volatile("mfence" : : : "memory");
    t->proof += proof;
    t->accesses += 2 * lines;
}

/* xorshift64*, Vigna 2016: order, not secrecy. */
static uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * UINT64_C(0x2545F4914F6CDD1D);
}

/* Below `limit`, by the high half of the product: a bias of limit / 2^64 does no harm to an order. */
static uint64_t random_below(uint64_t *state, uint64_t limit)
{
    return (uint64_t)((unsigned __int128)random_next(state) * limit >> 64);
}

/* Sattolo's shuffle, in place: each line's first word holds the number of the line after it, and all lines are on one
 * cycle. Needs no memory beside the working set, whatever its size. */
static void pass_chase_prepare(cell *at, uint64_t lines, uint64_t seed, struct tally *t)
{
    uint64_t state = seed ^ UINT64_C(0x9E3779B97F4A7C15);

    if (state == 0)
        state = 1;
    for (uint64_t i = 0; i < lines; i++)
        at[i * WORDS] = i;
    for (uint64_t i = lines - 1; i > 0; i--) {
        uint64_t j = random_below(&state, i);
        uint64_t a = at[i * WORDS], b = at[j * WORDS];

        at[i * WORDS] = b;
        at[j * WORDS] = a;
    }
    t->accesses += lines + 4 * (lines - 1);
}

/* Each load's address comes from the load before. A cycle is back at line 0 after `lines` loads and not earlier. */
static enum status pass_chase(cell *at, uint64_t lines, struct tally *t)
{
    uint64_t next = 0, proof = 0;

    for (uint64_t i = 0; i < lines; i++) {
        next = at[next * WORDS];
        proof += next;
        if (next >= lines || (next == 0) != (i == lines - 1)) {
            t->proof += proof;
            t->accesses += i + 1;
            return ST_CORRUPT;
        }
    }
    t->proof += proof;
    t->accesses += lines;
    return ST_OK;
}

/* --- code */

/* SDM vol. 2B "NOP", the multi-byte NOP of eight bytes, and "RET", with INT3 (CC) after it: never reached, and ends what a
 * processor decodes ahead in a straight line. A line is NOPs to its end, so that the next one follows without a branch. */
#define CODE_NOP    UINT64_C(0x0000000000841F0F)
#define CODE_RETURN UINT64_C(0xCCCCCCCCCCCCCCC3)

/* SDM vol. 3A 9.1.3 "Handling Self- and Cross-Modifying Code": between the stores and the code, on the processor that
 * runs it. CPUID, since it is the one serializing instruction that needs no privilege and that every part has. */
static void serialize(void)
{
    uint32_t eax = 0, ecx = 0;

    __asm__ volatile("cpuid" : "+a"(eax), "+c"(ecx) : : "ebx", "edx", "memory");
}

static void pass_code_prepare(cell *at, uint64_t lines, struct tally *t)
{
    for (uint64_t i = 0; i < (lines - 1) * WORDS; i++)
        at[i] = CODE_NOP;
    at[(lines - 1) * WORDS] = CODE_RETURN;
    t->accesses += (lines - 1) * WORDS + 1;
    serialize();
}

/* It changes no register and no flag, so a call as of any function is right. */
static void pass_code(uint64_t base)
{
    ((void (*)(void))(uintptr_t)base)();
}

/* --- the whole */

static enum status range(const struct work *w)
{
    if ((unsigned)w->kind >= WORK_KINDS || w->passes == 0 || w->bytes == 0 || w->bytes % LINE || w->base % LINE ||
        w->base + w->bytes < w->base)
        return ST_RANGE;
    if (w->kind == WORK_COPY &&
        (w->dst % LINE || w->dst + w->bytes < w->dst || (w->dst < w->base + w->bytes && w->base < w->dst + w->bytes)))
        return ST_RANGE;
    return ST_OK;
}

/* noinline: each pass is a loop of its own, so that which accesses it makes can be read in the object file. */
static __attribute__((noinline)) enum status pass(const struct work *w, cell *at, uint64_t lines, uint32_t number,
                                                  struct tally *t)
{
    switch (w->kind) {
    case WORK_READ:
        pass_read(at, lines, t);
        return ST_OK;
    case WORK_WRITE:
        pass_write(at, lines, number, t);
        return ST_OK;
    case WORK_RMW:
        pass_rmw(at, lines, t);
        return ST_OK;
    case WORK_NT_WRITE:
        pass_nt_write(at, lines, number, t);
        return ST_OK;
    case WORK_COPY:
        pass_copy(at, (cell *)(uintptr_t)w->dst, lines, t);
        return ST_OK;
    case WORK_CHASE_PREPARE:
        pass_chase_prepare(at, lines, w->seed, t);
        return ST_OK;
    case WORK_CHASE:
        return pass_chase(at, lines, t);
    case WORK_FLUSH:
        pass_flush(at, lines, t);
        return ST_OK;
    case WORK_CODE_PREPARE:
        pass_code_prepare(at, lines, t);
        return ST_OK;
    case WORK_CODE:
        pass_code(w->base);
        return ST_OK;
    case WORK_KINDS:
        break;
    }
    return ST_RANGE;
}

enum status kernel_run(struct work *w)
{
    struct tally t = { 0, 0 };
    enum status st = range(w);
    uint64_t lines, begin, end, areas;
    uint32_t done = 0;
    cell *at;

    TRY(st);
    at = (cell *)(uintptr_t)w->base;
    lines = w->bytes / LINE;
    areas = w->kind == WORK_COPY ? 2 : 1;
    if (w->kind == WORK_CODE)
        serialize(); /* another processor may have prepared it */
    begin = timestamp();
    while (done < w->passes && st == ST_OK) {
        st = pass(w, at, lines, done, &t);
        done += st == ST_OK;
    }
    end = timestamp();
    /* A chase that broke off has asked for the lines that it loaded. */
    w->moved_bytes = st == ST_OK ? areas * lines * LINE * done : t.accesses * LINE;
    w->touched_lines = st == ST_OK || done > 0 ? areas * lines : t.accesses;
    w->accesses = t.accesses;
    w->proof = t.proof;
    w->tsc_begin = begin;
    w->tsc_end = end;
    return st;
}
