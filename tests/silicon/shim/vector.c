/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/shim/vector.h"

#define CR4_OSXSAVE  (1ull << 18)
#define XSTATE_AVX   4u   /* component 2                      */
#define XSTATE_BV    512u /* of the XSAVE area: what is in it */
#define XSTATE_YMM   576u /* 16 bytes a register              */
#define XSTATE_BYTES 832u

struct area {
    uint8_t bytes[XSTATE_BYTES];
} __attribute__((aligned(64)));

struct low {
    uint8_t bytes[VECTOR_LOW_BYTES];
};

#define EACH_XMM(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

void vector_low_get(uint32_t reg, uint8_t low[VECTOR_LOW_BYTES])
{
    struct low *to = (struct low *)low;

#define GET(n)                                                                                                         \
    case n:                                                                                                            \
        __asm__ volatile("movups %%xmm" #n ", %0" : "=m"(*to));                                                        \
        break;
    switch (reg) {
        EACH_XMM(GET)
    }
}

void vector_low_put(uint32_t reg, const uint8_t low[VECTOR_LOW_BYTES])
{
    const struct low *from = (const struct low *)low;

#define PUT(n)                                                                                                         \
    case n:                                                                                                            \
        __asm__ volatile("movups %0, %%xmm" #n : : "m"(*from));                                                        \
        break;
    switch (reg) {
        EACH_XMM(PUT)
    }
}

/* XSAVE and XRSTOR are there while CR4.OSXSAVE is set, which in the host it need not be. */
static uint64_t open_xsave(void)
{
    uint64_t cr4;

    __asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4 | CR4_OSXSAVE));
    return cr4;
}

/* Into zeroes, which is what a component in its first state, not written, stands for. */
static void save(struct area *a)
{
    uint64_t cr4 = open_xsave();

    __asm__ volatile("xsave %0" : "+m"(*a) : "a"(XSTATE_AVX), "d"(0) : "memory");
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4));
}

void vector_high_get(uint32_t reg, uint8_t high[VECTOR_HIGH_BYTES])
{
    struct area a = { { 0 } };

    save(&a);
    __builtin_memcpy(high, a.bytes + XSTATE_YMM + VECTOR_HIGH_BYTES * reg, VECTOR_HIGH_BYTES);
}

void vector_high_put(uint32_t reg, const uint8_t high[VECTOR_HIGH_BYTES])
{
    struct area a = { { 0 } };
    uint64_t cr4;

    save(&a);
    __builtin_memcpy(a.bytes + XSTATE_YMM + VECTOR_HIGH_BYTES * reg, high, VECTOR_HIGH_BYTES);
    a.bytes[XSTATE_BV] |= XSTATE_AVX;
    cr4 = open_xsave();
    __asm__ volatile("xrstor %0" : : "m"(a), "a"(XSTATE_AVX), "d"(0) : "memory");
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4));
}
