/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* enum.every-processor: every sub-leaf that Assay takes a number from is compared, AMD's as well. */
#include <criterion/criterion.h>

#include "tests/support/machine/fake_checks.h"

FAKE_CHECKS_SUITE(enum_processors);

static enum verdict verdict_with(uint32_t n, struct cpuid_regs first, struct cpuid_regs second)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct rdt_info *rdt = &fc.machine.cpus[i].rdt;
        struct rdt_leaf *leaves[] = { &rdt->leaf0f[1],        &rdt->leaf10[3],        &rdt->leaf10_5,
                                      &rdt->leaf8000_0020[0], &rdt->leaf8000_0020[5], &rdt->leaf8000_0020[8] };

        rdt->monitoring = true;
        *leaves[n] = (struct rdt_leaf){ .known = true, .regs = i == 0 ? first : second };
    }
    return fake_checks_verdict(&fc, "enum.every-processor");
}

Test(enum_processors, a_leaf_that_differs_on_one_fails)
{
    for (uint32_t n = 0; n < 6; n++) {
        const struct cpuid_regs one = { 1, 2, 3, 4 }, other = { 1, 2, 3, 5 };

        cr_expect_eq(verdict_with(n, one, other), VERDICT_FAIL, "leaf %u", n);
        cr_expect_eq(verdict_with(n, one, one), VERDICT_PASS, "leaf %u", n);
    }
}

Test(enum_processors, every_leaf_has_its_number)
{
    const struct rdt_info *rdt = &fc.machine.cpus[0].rdt;
    uint32_t leaf = 0, subleaf = 0, n = 0;

    while (rdt_nth_leaf(rdt, n, &leaf, &subleaf))
        n++;
    cr_expect_eq(n, 2 + 4 + QOSX_SUBLEAVES + 1);
    cr_expect_eq(rdt_nth_leaf(rdt, 1, &leaf, &subleaf), &rdt->leaf0f[1]);
    cr_expect(leaf == 0xF && subleaf == 1);
    cr_expect_eq(rdt_nth_leaf(rdt, 5, &leaf, &subleaf), &rdt->leaf10[3]);
    cr_expect(leaf == 0x10 && subleaf == 3);
    cr_expect_eq(rdt_nth_leaf(rdt, 11, &leaf, &subleaf), &rdt->leaf8000_0020[5]);
    cr_expect(leaf == 0x80000020 && subleaf == 5);
    cr_expect_eq(rdt_nth_leaf(rdt, 15, &leaf, &subleaf), &rdt->leaf10_5);
    cr_expect(leaf == 0x10 && subleaf == 5);
}
