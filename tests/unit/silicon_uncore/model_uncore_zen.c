/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The monitors of AMD parts: L3, data fabric, memory controllers. */
#include "tests/support/machine/uncore_rig.h"

/* --- Zen: Linux arch/x86/events/amd/uncore.c */

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
}
