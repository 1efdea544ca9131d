/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Knights Landing: its uncore monitors against Linux uncore_snbep.c (knl_*), and what its caches do without an L3. */
#include "tests/support/machine/uncore_rig.h"

static uint64_t counter_of(struct uncore_rig *b, uint32_t function, uint32_t at)
{
    return (uint64_t)dword(b, function, at + 4) << 32 | dword(b, function, at);
}

/* 1 MiB of L2 holds 16384 lines. What it gives up is nowhere: read again it comes from memory, and what was written goes
 * there. Six channels count both. */
Test(knl, what_the_l2_gives_up_goes_to_memory)
{
    enum { L2 = 16384, ALL = 3 * L2 };
    struct uncore_rig b = uncore_rig_of("knl", 1, 1, NULL);
    uint64_t reads = 0, writes = 0;

    for (uint32_t c = 0; c < 6; c++) {
        uint32_t f = find_function(&b, 0x7843, 8 + c / 3, 2 + c % 3, 0);

        set_dword(&b, f, 0xB20, EN | 0x0103);
        set_dword(&b, f, 0xB24, EN | 0x0203);
    }
    touch(&b, 0, 0, ALL, MODEL_STORE);
    for (uint64_t i = 0; i < L2; i++)
        cr_assert_eq(model_access_level(b.m, 0, i * 64, 8, MODEL_LOAD), LEVEL_MEMORY);
    for (uint32_t c = 0; c < 6; c++) {
        uint32_t f = find_function(&b, 0x7843, 8 + c / 3, 2 + c % 3, 0);

        reads += counter_of(&b, f, 0xB00);
        writes += counter_of(&b, f, 0xB08);
    }
    cr_expect_eq(reads, ALL + L2);
    cr_expect_eq(writes, ALL, "all that was written has left the L2");
}

/* A line that another core has comes from there; written lines are in memory too from then on. */
Test(knl, cores_have_lines_from_each_other)
{
    struct uncore_rig b = uncore_rig_of("knl", 1, 1, NULL);

    cr_expect_eq(model_access_level(b.m, 0, 0, 8, MODEL_STORE), LEVEL_MEMORY);
    cr_expect_eq(model_access_level(b.m, 1, 0, 8, MODEL_LOAD), LEVEL_L3, "another tile's L2");
    cr_expect_eq(cache_write_backs(b.m, &b.m->domain[0]), 1);
    cr_expect_eq(model_access_level(b.m, 0, 0, 8, MODEL_LOAD), LEVEL_L1, "it was not taken away");
    cr_expect_eq(model_access_level(b.m, 1, 8, 8, MODEL_STORE), LEVEL_L3, "the right to store is asked for");
    cr_expect_eq(model_access_level(b.m, 0, 0, 8, MODEL_LOAD), LEVEL_L3, "now it was");
}
