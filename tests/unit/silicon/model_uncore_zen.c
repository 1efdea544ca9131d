/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The monitors of AMD parts: L3, data fabric, memory controllers. */
#include "tests/support/uncore_rig.h"

/* --- Zen: Linux arch/x86/events/amd/uncore.c */

#define L3_ALL (BIT(46) | BIT(47) | BITS(57, 56)) /* all slices, cores and threads */

Test(zen, l3_hits_and_misses_are_those_of_the_complex)
{
    struct uncore_rig b = uncore_rig_of("zen3", 1, 1, NULL); /* four cores: two complexes */
    uint64_t value = 0;

    for (uint32_t cpu = 0; cpu < 4; cpu += 2) {
        cr_assert_eq(model_wrmsr(b.m, cpu, 0xC0010230, b.tsc, 0xFF04 | EN | L3_ALL), MODEL_DONE);
        cr_assert_eq(model_wrmsr(b.m, cpu, 0xC0010232, b.tsc, 0x0104 | EN | L3_ALL), MODEL_DONE);
        cr_assert_eq(model_wrmsr(b.m, cpu, 0xC001023A, b.tsc, 0xFE04 | EN | L3_ALL), MODEL_DONE);
    }
    touch(&b, 0, 0, LINES, MODEL_LOAD);
    b.tsc += 1000000;
    cr_expect_eq(msr(&b, 0, 0xC0010231), LINES);
    cr_expect_eq(msr(&b, 0, 0xC0010233), LINES);
    cr_expect_eq(msr(&b, 0, 0xC001023B), 0);
    cr_assert_eq(model_rdmsr(b.m, 2, 0xC0010231, b.tsc, &value), MODEL_DONE);
    cr_expect_eq(value, 0, "the other complex did nothing");
    cr_expect(!has_msr(&b, 0, 0xC001023C), "six counters");
    model_free(b.m);
}

Test(zen, l3_slices_add_up_and_no_thread_is_nobody)
{
    struct uncore_rig b = uncore_rig_of("zen3", 1, 1, NULL);
    uint64_t sum = 0;

    for (uint64_t pass = 0; pass < 2; pass++) { /* four slices at a time */
        for (uint64_t i = 0; i < 4; i++)
            set_msr(&b, 0, 0xC0010230 + 2 * (uint32_t)i, 0xFF04 | EN | BITS(57, 56) | (4 * pass + i) << 48);
        set_msr(&b, 0, 0xC0010238, 0xFF04 | EN | BIT(46) | BIT(47));
        touch(&b, 0, 0, LINES, MODEL_LOAD);
        b.tsc += 1000000;
        for (uint32_t i = 0; i < 4; i++)
            sum += msr(&b, 0, 0xC0010231 + 2 * i);
        cr_expect_eq(msr(&b, 0, 0xC0010239), 0, "no thread");
        for (uint32_t i = 0; i < 4; i++)
            set_msr(&b, 0, 0xC0010231 + 2 * i, 0);
    }
    cr_expect(sum > LINES * 8 / 10 && sum < LINES * 12 / 10, "half of each pass, %lu", sum);
    set_msr(&b, 0, 0xC0010230, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0xC0010230), BITS(57, 56) | BITS(50, 46) | BITS(44, 42) | BIT(22) | BITS(15, 0));
    model_free(b.m);
}

Test(zen, fabric_counts_each_channel_of_the_package)
{
    static const uint64_t event[] = { 0x007, 0x047, 0x087, 0x0C7, 0x107, 0x147, 0x187, 0x1C7 };

    for (size_t i = 0; i < 3; i++) {
        struct uncore_rig b = uncore_rig_of("zen3", machines[i], 1, NULL);
        uint32_t last = b.packages - 1;
        uint64_t sum = 0;

        for (uint32_t pass = 0; pass < 2; pass++) {
            for (uint32_t c = 0; c < 4; c++) {
                uint64_t e = event[4 * pass + c];

                set_msr(&b, last, 0xC0010240 + 2 * c, (e & 0xFF) | (e >> 8) << 32 | 0x3800 | EN);
                set_msr(&b, last, 0xC0010241 + 2 * c, 0);
            }
            touch(&b, 0, last, LINES, MODEL_LOAD);
            touch(&b, cpu_on(&b, last), last, LINES, MODEL_NT_STORE);
            b.tsc += 1000000;
            for (uint32_t c = 0; c < 4; c++) {
                uint64_t n = msr(&b, last, 0xC0010241 + 2 * c);

                cr_expect(n > LINES / 4 * 9 / 10 && n < LINES / 4 * 11 / 10, "%lu", n);
                sum += n;
            }
        }
        cr_expect(sum > 2 * LINES * 95 / 100 && sum < 2 * LINES * 105 / 100, "%lu", sum);
        model_free(b.m);
    }
}

/* Zen: a data fabric for each node, with the two channels of that; slices and threads of the L3 have a bit each. */
Test(zen, first_generation_has_a_fabric_a_node)
{
    struct uncore_rig b = uncore_rig_of("zen1", 1, 2, NULL);
    uint64_t sum[2] = { 0 };

    for (uint32_t node = 0; node < 2; node++)
        for (uint32_t c = 0; c < 2; c++)
            cr_assert_eq(model_wrmsr(b.m, 2 * node, 0xC0010240 + 2 * c, b.tsc, (c ? 0x47 : 0x07) | 0x3800 | EN),
                         MODEL_DONE);
    for (uint32_t c = 0; c < 4; c++)
        set_msr(&b, 0, 0xC0010230 + 2 * c, 0xFF04 | EN | BITS(63, 56) | BIT(48) << c);
    set_msr(&b, 0, 0xC0010238, 0xFF04 | EN | BITS(51, 48));
    touch(&b, 0, 1, LINES, MODEL_LOAD);
    b.tsc += 1000000;
    for (uint32_t node = 0; node < 2; node++)
        for (uint32_t c = 0; c < 2; c++) {
            uint64_t value = 0;

            cr_assert_eq(model_rdmsr(b.m, 2 * node, 0xC0010241 + 2 * c, b.tsc, &value), MODEL_DONE);
            cr_expect(node == 0 ? value == 0 : value > LINES * 4 / 10 && value < LINES * 6 / 10, "node %u: %llu", node,
                      (unsigned long long)value);
            sum[node] += value;
        }
    cr_expect(sum[0] == 0 && sum[1] == LINES, "%llu", (unsigned long long)sum[1]);
    sum[0] = 0;
    for (uint32_t c = 0; c < 4; c++)
        sum[0] += msr(&b, 0, 0xC0010231 + 2 * c);
    cr_expect_eq(sum[0], LINES, "slices add up: %llu", (unsigned long long)sum[0]);
    cr_expect_eq(msr(&b, 0, 0xC0010239), 0, "no thread");
    model_free(b.m);
}

Test(zen, memory_controllers_count_by_direction_and_add_up)
{
    struct uncore_rig b = uncore_rig_of("zen4", 1, 1, NULL);
    uint64_t sum[4] = { 0 };

    for (uint32_t u = 0; u < 12; u++)
        for (uint32_t k = 0; k < 3; k++)
            set_msr(&b, 0, 0xC0010800 + 8 * u + 2 * k, 0x0A | k << 8 | BIT(31));
    touch(&b, 0, 0, LINES, MODEL_LOAD);
    touch(&b, 0, 0, LINES / 2, MODEL_NT_STORE);
    b.tsc += 1000000;
    for (uint32_t u = 0; u < 12; u++)
        for (uint32_t k = 0; k < 3; k++)
            sum[k] += msr(&b, 0, 0xC0010801 + 8 * u + 2 * k);
    cr_expect_eq(sum[0], LINES + LINES / 2);
    cr_expect_eq(sum[1], LINES);
    cr_expect_eq(sum[2], LINES / 2);
    cr_expect(!has_msr(&b, 0, 0xC0010800 + 8 * 12));
    model_free(b.m);
}

/* O5: 48 bits and no wrap; bit 48 says so. Bit 22 is no enable there. */
Test(zen, memory_controllers_saturate)
{
    struct uncore_rig b = uncore_rig_of("zen4", 1, 1, NULL);

    set_msr(&b, 0, 0xC0010801, BIT(48) - 1000);
    set_msr(&b, 0, 0xC0010803, BIT(48) - 1000);
    set_msr(&b, 0, 0xC0010800, BIT(31)); /* clock, as fast as the TSC */
    set_msr(&b, 0, 0xC0010802, EN);
    b.tsc += 900;
    cr_expect_eq(msr(&b, 0, 0xC0010801), BIT(48) - 100);
    b.tsc += 900;
    cr_expect_eq(msr(&b, 0, 0xC0010801), BIT(49) - 1);
    b.tsc += 900;
    cr_expect_eq(msr(&b, 0, 0xC0010801), BIT(49) - 1);
    cr_expect_eq(msr(&b, 0, 0xC0010803), BIT(48) - 1000);
    set_msr(&b, 0, 0xC0010801, 0);
    b.tsc += 900;
    cr_expect_eq(msr(&b, 0, 0xC0010801), 900);
    model_free(b.m);
}
