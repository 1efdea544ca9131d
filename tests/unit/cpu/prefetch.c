/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which register and bits turn prefetchers off. */
#include "arch/x86/cpu/prefetch.h"

#include <criterion/criterion.h>

static const struct prefetch_control *of(enum cpu_vendor vendor, uint32_t family, uint32_t model, uint32_t eax)
{
    struct cpu_identity id = { .vendor = vendor, .family = family, .model = model };

    return prefetch_control_of(&id, eax);
}

/* On other parts bit 5 and those above are reserved. */
Test(prefetch, amp_is_turned_off_where_the_part_has_it)
{
    cr_expect_eq(of(VENDOR_INTEL, 6, 0x4F, 0)->reg[0].masks[0], 0xF, "Broadwell");
    cr_expect_eq(of(VENDOR_INTEL, 6, 0x6A, 0)->reg[0].masks[0], 0xF, "Ice Lake");
    cr_expect_eq(of(VENDOR_INTEL, 6, 0x8F, 0)->reg[0].masks[0], 0x3F, "Sapphire Rapids");
    cr_expect_eq(of(VENDOR_INTEL, 6, 0xCF, 0)->reg[0].masks[0], 0x3F, "Emerald Rapids");
    cr_expect_eq(of(VENDOR_INTEL, 6, 0xAD, 0)->reg[0].masks[0], 0xFF, "Granite Rapids");
    cr_expect_eq(of(VENDOR_INTEL, 6, 0xAF, 0)->reg[0].masks[0], 0x3D, "Sierra Forest");
    cr_expect_eq(of(VENDOR_INTEL, 6, 0xAF, 0)->reg[0].masks[2], 0x5, "earlier cores of its kind have two of them");
    cr_expect_eq(of(VENDOR_INTEL, 6, 0x8F, 0)->reg[0].msr, 0x1A4);
}

/* intel/PerfSpect, internal/common/prefetcher.go. */
Test(prefetch, what_reads_into_the_l3_has_a_register_of_its_own)
{
    cr_expect_eq(of(VENDOR_INTEL, 6, 0x6A, 0)->n, 1, "Ice Lake");
    cr_expect_eq(of(VENDOR_INTEL, 6, 0x8F, 0)->reg[1].msr, 0x6D);
    cr_expect_eq(of(VENDOR_INTEL, 6, 0xAD, 0)->reg[1].masks[0], BIT(42) | BIT(14));
    cr_expect_eq(of(VENDOR_INTEL, 6, 0xAF, 0)->reg[1].msr, 0x1320);
    cr_expect_eq(of(VENDOR_INTEL, 6, 0xDD, 0)->reg[1].masks[0], BIT(43), "Clearwater Forest");
}

Test(prefetch, amd_has_a_register_where_cpuid_says_so)
{
    cr_expect_eq(of(VENDOR_AMD, 0x19, 0x11, BIT(13))->reg[0].msr, 0xC0000108);
    cr_expect_eq(of(VENDOR_AMD, 0x19, 0x11, BIT(13))->reg[0].masks[0], 0x2F);
    cr_expect_null(of(VENDOR_AMD, 0x19, 0x01, ~UINT32_C(0x2000)));
    cr_expect_null(of(VENDOR_HYGON, 0x18, 0, BIT(13)));
}
