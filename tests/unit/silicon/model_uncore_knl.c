/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Knights Landing: its uncore monitors against Linux uncore_snbep.c (knl_*), and what its caches do without an L3. */
#include "tests/support/uncore_rig.h"

Test(knl, cha_boxes_lie_twelve_msrs_apart_and_none_is_beyond)
{
    struct uncore_rig b = uncore_rig_of("knl", 1, 1, NULL);
    uint64_t beyond = 0;

    for (uint32_t i = 0; i < 38; i++)
        set_msr(&b, 0, 0xE08 + 0xC * i, i + 1);
    for (uint32_t i = 0; i < 38; i++)
        cr_expect_eq(msr(&b, 0, 0xE08 + 0xC * i), i + 1);
    cr_expect_neq(model_rdmsr(b.m, 0, 0xE08 + 0xC * 38, b.tsc, &beyond), MODEL_DONE, "38 tiles");
    cr_expect_neq(model_rdmsr(b.m, 0, 0x700, b.tsc, &beyond), MODEL_DONE, "no global control");
    set_msr(&b, 0, 0xE01, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0xE01), BITS(31, 22) | BITS(20, 18) | BITS(16, 0));
    set_msr(&b, 0, 0xE06, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0xE06), 0xFFFFFE2B);
    set_msr(&b, 0, 0x711, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0x711), BITS(31, 22) | BITS(20, 18) | BITS(15, 14) | BITS(7, 0));
    model_free(b.m);
}

static uint64_t counter_of(struct uncore_rig *b, uint32_t function, uint32_t at)
{
    return (uint64_t)dword(b, function, at + 4) << 32 | dword(b, function, at);
}

/* Each kind of function at its registers: counter 0 on the clock (event 00H), and the fixed counter by bit 0. */
Test(knl, memory_has_a_box_for_each_clock)
{
    static const struct {
        uint32_t did, device, function, boxes, step, counter, fixed;
        uint64_t hz;
    } kinds[] = { { 0x7843, 8, 2, 3, 0, 0xB00, 0xB3C, 1066666667 },
                  { 0x7841, 10, 0, 2, 1, 0x400, 0x44C, 1600000000 },
                  { 0x7833, 15, 0, 8, 1, 0x400, 0x44C, 1600000000 },
                  { 0x7835, 24, 2, 8, 1, 0xA00, 0xA3C, 1600000000 } };
    struct uncore_rig b = uncore_rig_of("knl", 1, 1, NULL);

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (uint32_t i = 0; i < kinds[k].boxes; i++) {
            uint32_t f = find_function(&b, kinds[k].did, kinds[k].device + kinds[k].step * i,
                                       kinds[k].function + (kinds[k].step ? 0 : i), 0);
            uint64_t before, fixed;

            cr_assert_neq(f, NOWHERE, "%#x %u", kinds[k].did, i);
            set_dword(&b, f, kinds[k].counter + 0x20, EN);
            set_dword(&b, f, kinds[k].fixed + 8, 1);
            before = counter_of(&b, f, kinds[k].counter);
            fixed = counter_of(&b, f, kinds[k].fixed);
            b.tsc += SECOND;
            cr_expect_eq(counter_of(&b, f, kinds[k].counter) - before, kinds[k].hz);
            cr_expect_eq(counter_of(&b, f, kinds[k].fixed) - fixed, kinds[k].hz);
        }
    cr_expect_neq(find_function(&b, 0x7817, 12, 1, 0), NOWHERE, "M2PCIe");
    model_free(b.m);
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
    model_free(b.m);
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
    model_free(b.m);
}
