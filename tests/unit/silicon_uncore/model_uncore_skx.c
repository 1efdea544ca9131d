/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The uncore monitors of Skylake-SP against Linux uncore_snbep.c (skx_*) and figures computed by hand. */
#include "tests/support/machine/uncore_rig.h"

enum { SKX_IMC_CTL = 0xD8, SKX_IMC_CTR = 0xA0, SKX_UPI_CTL = 0x350, SKX_UPI_CTR = 0x318 };

/* Linux reads beyond 256 bytes for programs where the function is PCI Express: PCI 3.0 6.7, PCI Express 7.8. */
Test(skx, functions_with_registers_beyond_256_bytes_are_pci_express)
{
    static const struct {
        uint32_t did, device, function;
        bool express;
    } functions[] = {
        { 0x2066, 8, 0, true }, { 0x2058, 14, 0, true }, { 0x2042, 10, 2, false }, { 0x2014, 8, 0, false }
    };
    struct uncore_rig b = uncore_rig_of("skx", 1, 1, NULL);

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        uint32_t f = find_function(&b, functions[i].did, functions[i].device, functions[i].function, 0);
        uint32_t at = dword(&b, f, 0x34);

        cr_expect_eq(dword(&b, f, 4) >> 20 & 1, functions[i].express, "%x has capabilities", functions[i].did);
        cr_expect_eq(at != 0, functions[i].express, "%x", functions[i].did);
        if (at)
            cr_expect_eq(dword(&b, f, at) & 0xF0FFFF, 0x900010, "an integrated endpoint, and no other capability");
        cr_expect_eq(dword(&b, f, 0x100), 0, "no extended capability");
    }
}

Test(skx, control_bits_that_exist_are_kept)
{
    struct uncore_rig b = uncore_rig_of("skx", 1, 1, NULL);
    uint32_t upi = find_function(&b, 0x2058, 16, 0, 0);

    set_msr(&b, 0, 0xE01, UINT64_MAX); /* CHA */
    cr_expect_eq(msr(&b, 0, 0xE01), BITS(31, 22) | BITS(20, 18) | BITS(15, 0));
    set_msr(&b, 0, 0xE05, UINT64_MAX);
    set_msr(&b, 0, 0xE06, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0xE05), BITS(26, 17) | BITS(12, 0));
    cr_expect_eq(msr(&b, 0, 0xE06), BITS(31, 9) | BITS(5, 3) | BITS(1, 0));
    set_msr(&b, 0, 0xA48, UINT64_MAX); /* IIO */
    cr_expect_eq(msr(&b, 0, 0xA48), BITS(46, 22) | BIT(20) | BIT(18) | BITS(15, 0));
    set_dword(&b, upi, 0x378, BITS(17, 16) | BIT(8));
    cr_expect_eq(dword(&b, upi, 0x378), BITS(17, 16) | BIT(8), "PCM takes another link for disabled");
    set_dword(&b, upi, 0x378, 0);
    set_dword(&b, upi, 0x350, UINT32_MAX);
    set_dword(&b, upi, 0x354, UINT32_MAX);
    cr_expect_eq(qword(&b, upi, 0x350), BITS(55, 45) | BITS(43, 32) | BITS(31, 22) | BIT(20) | BIT(18) | BITS(15, 0));
    set_dword(&b, upi, 0x378, 0x103);
    cr_expect_eq(dword(&b, upi, 0x378), 0x100, "resets read 0");
    cr_expect_eq(qword(&b, upi, 0x350), 0);
}

/* skx_iio_freerunning: 4 bytes a count, 36 bits. A device writes 1,000,000 bytes a second behind the second stack. */
Test(skx, bandwidth_in_is_what_the_device_writes)
{
    struct uncore_rig b =
        uncore_rig_new(&MODEL("skx", 1, 1, 1, .clusters = 1, .slices = 2, .tsc_hz = SECOND, .realism = "dma=1000"));
    uint64_t before = msr(&b, 0, 0xB10);

    b.tsc += SECOND;
    cr_expect_eq(msr(&b, 0, 0xB10) - before, 1000000 / 64 * 64 / 4);
    cr_expect_eq(msr(&b, 0, 0xB11), 0, "another port");
    cr_expect_eq(msr(&b, 0, 0xB14), 0, "nothing goes out");
    cr_expect_eq(msr(&b, 0, 0xB20), 0, "another stack");
    cr_expect_eq(model_wrmsr(b.m, 0, 0xB10, b.tsc, 0), MODEL_GP);
}
