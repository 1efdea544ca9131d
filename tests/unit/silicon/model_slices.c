/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A part with another number of L3 slices: what its enumeration says, worked out by hand from the recorded one. */
#include <string.h>

#include "tests/support/run/silicon.h"

/* Broadwell, 8 slices of 2.5 MB, 64 RMIDs, 8000H bytes a count: with 2 slices 5 MB, 16 RMIDs, 2000H. */
Test(slices, fewer_slices_are_a_smaller_part_of_the_family)
{
    struct model *m = silicon_of("bdx", 1, 2, 1, .slices = 2);
    struct model_truth t;
    uint32_t regs[4] = { 0 };

    model_cpuid(m, 0, 4, 3, regs);
    cr_expect_eq(regs[2], 2 * 2048 - 1);
    model_cpuid(m, 0, 0xF, 0, regs);
    cr_expect_eq(regs[1], 15);
    model_cpuid(m, 0, 0xF, 1, regs);
    cr_expect_eq(regs[1], 0x2000);
    cr_expect_eq(regs[2], 15);
    model_truth(m, 0, 0, &t);
    cr_expect_eq(t.l3_lines * 64, 5u << 20);
}

Test(slices, the_recorded_number_is_the_default)
{
    struct model *a = silicon_of("bdx", 1, 2, 1, .slices = 0), *b = silicon_of("bdx", 1, 2, 1, .slices = 8);
    uint32_t x[4], y[4];

    for (uint32_t leaf = 0; leaf < 0x15; leaf++)
        for (uint32_t subleaf = 0; subleaf < 4; subleaf++) {
            memset(x, 0, sizeof x);
            memset(y, 0, sizeof y);
            model_cpuid(a, 0, leaf, subleaf, x);
            model_cpuid(b, 0, leaf, subleaf, y);
            cr_expect_arr_eq(x, y, sizeof x);
        }
}

/* AMD's RMIDs do not follow the size of the L3. */
Test(slices, amd_keeps_its_rmids)
{
    struct model *m = silicon_of("zen3", 1, 2, 1, .slices = 4);
    uint32_t regs[4] = { 0 }, whole[4] = { 0 };
    struct model *recorded = silicon_of("zen3", 1, 2, 1, .slices = 0);

    model_cpuid(m, 0, 0xF, 1, regs);
    model_cpuid(recorded, 0, 0xF, 1, whole);
    cr_expect_arr_eq(regs, whole, sizeof regs);
}

Test(slices, too_many_are_refused)
{
    struct model_config config = { .profile = "bdx", .slices = 97 };
    char error[256] = "";

    cr_expect_null(model_new(&config, error, sizeof error));
    cr_expect(strstr(error, "97"), "%s", error);
}
