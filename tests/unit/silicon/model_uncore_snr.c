/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The uncore monitors of Snow Ridge against Linux uncore_snbep.c (snr_*) and figures computed by hand. */
#include "tests/support/uncore_rig.h"

Test(snr, boxes_lie_sixteen_msrs_apart_and_nothing_is_beyond)
{
    static const struct {
        uint32_t first, n, counter;
    } kinds[] = { { 0x1C00, 6, 8 }, { 0x1E00, 5, 1 }, { 0x1E50, 5, 1 }, { 0x1EA0, 5, 1 } };
    struct uncore_rig b = uncore_rig_of("snr", 1, 1, NULL);
    uint64_t beyond = 0;

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (uint32_t i = 0; i < kinds[k].n; i++)
            set_msr(&b, 0, kinds[k].first + 0x10 * i + kinds[k].counter, 0x100 * k + i + 1);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (uint32_t i = 0; i < kinds[k].n; i++)
            cr_expect_eq(msr(&b, 0, kinds[k].first + 0x10 * i + kinds[k].counter), 0x100 * k + i + 1);
    cr_expect_neq(model_rdmsr(b.m, 0, 0x1C60, b.tsc, &beyond), MODEL_DONE, "six CHAs");
    cr_expect_neq(model_rdmsr(b.m, 0, 0x700, b.tsc, &beyond), MODEL_DONE, "no global control");
    set_msr(&b, 0, 0x1C01, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0x1C01), BITS(57, 22) | BITS(20, 18) | BITS(15, 0));
    set_msr(&b, 0, 0x1F91, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0x1F91), BITS(31, 22) | BIT(20) | BIT(18) | BITS(15, 0),
                 "eight bits of thresh in the U-box");
    model_free(b.m);
}

Test(snr, clocks_run_in_every_box_that_has_one)
{
    struct uncore_rig b = uncore_rig_of("snr", 1, 1, NULL);

    set_msr(&b, 0, 0x1C01, EN);        /* CHA: 00H */
    set_msr(&b, 0, 0x1E08, EN | 0x01); /* IIO */
    set_msr(&b, 0, 0x1E58, EN | 0x01); /* M2PCIe */
    set_msr(&b, 0, 0x1EA8, EN | 0x01); /* IRP */
    set_msr(&b, 0, 0x1EF1, EN);        /* PCU */
    set_msr(&b, 0, 0x1F93, EN);        /* U-box, fixed */
    b.tsc += SECOND;
    cr_expect_eq(msr(&b, 0, 0x1C08), UINT64_C(2000000000));
    cr_expect_eq(msr(&b, 0, 0x1E01), UINT64_C(500000000));
    cr_expect_eq(msr(&b, 0, 0x1E51), UINT64_C(2000000000));
    cr_expect_eq(msr(&b, 0, 0x1EA1), UINT64_C(500000000));
    cr_expect_eq(msr(&b, 0, 0x1EF8), UINT64_C(1000000000));
    cr_expect_eq(msr(&b, 0, 0x1F94), UINT64_C(2000000000));
    cr_expect_geq(msr(&b, 0, 0x1EAC), UINT64_C(500000000), "free-running clock of stack 0");
    model_free(b.m);
}

/* Counters from +8, controls from +40H, fixed +38H and +54H; free-running 2290H, 2298H of the controller. */
Test(snr, two_channels_and_one_m2m_count_what_moved)
{
    struct uncore_rig b = uncore_rig_of("snr", 1, 1, NULL);
    uint32_t m2m = find_function(&b, 0x344A, 12, 0, 0);
    uint64_t reads = 0, writes = 0, controller = channel_of(&b, 0x3451, 0, 0) - 0x22800, fixed;

    cr_assert_neq(m2m, NOWHERE);
    cr_expect_eq(find_function(&b, 0x344A, 13, 0, 0), NOWHERE);
    for (uint32_t c = 0; c < 2; c++) {
        set_mapped(&b, controller + 0x22800 + 0x4000 * c + 0x40, 4, 0x0F04 | EN);
        set_mapped(&b, controller + 0x22800 + 0x4000 * c + 0x44, 4, 0x3004 | EN);
        set_mapped(&b, controller + 0x22800 + 0x4000 * c + 0x54, 4, EN);
    }
    touch(&b, 0, 0, LINES, MODEL_LOAD);
    touch(&b, 0, 0, LINES / 2, MODEL_NT_STORE);
    b.tsc += SECOND;
    for (uint32_t c = 0; c < 2; c++) {
        uint64_t at = controller + 0x22800 + 0x4000 * c;

        reads += mapped(&b, at + 0x08, 8);
        writes += mapped(&b, at + 0x10, 8);
        fixed = mapped(&b, at + 0x38, 8);
        cr_expect(fixed >= 733333333 && fixed <= 733433333, "HCLK: %llu", (unsigned long long)fixed);
    }
    cr_expect_eq(reads, LINES);
    cr_expect_eq(writes, LINES / 2);
    cr_expect_geq(mapped(&b, controller + 0x2290, 8), LINES);
    cr_expect_geq(mapped(&b, controller + 0x2298, 8), LINES / 2);
    model_free(b.m);
}

/* SNR_PCIE3_PCI_*: 64-bit controls from 508H, counters from 4E8H, in a root port of device 4. */
Test(snr, monitors_of_pcie_lie_in_a_root_port)
{
    struct uncore_rig b = uncore_rig_of("snr", 1, 1, NULL);
    uint32_t port = find_function(&b, 0x334A, 4, 0, 0);

    cr_assert_neq(port, NOWHERE);
    cr_expect_eq(dword(&b, port, 8) >> 8, 0x060400);
    set_dword(&b, port, 0x508, UINT32_MAX);
    set_dword(&b, port, 0x50C, UINT32_MAX);
    cr_expect_eq(dword(&b, port, 0x508), BITS(31, 22) | BIT(20) | BIT(18) | BITS(15, 0));
    cr_expect_eq(dword(&b, port, 0x50C), BITS(14, 0));
    set_dword(&b, port, 0x4E8, 7);
    cr_expect_eq(dword(&b, port, 0x4E8), 7);
    model_free(b.m);
}
