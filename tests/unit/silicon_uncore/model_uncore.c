/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* PCI functions of uncore monitors: headers, and what is not there. */
#include "tests/support/run/silicon.h"

static uint32_t fn(uint32_t bus, uint32_t device, uint32_t function)
{
    return bus << 8 | device << 3 | function;
}

static uint32_t pci(struct model *m, uint32_t function, uint32_t offset, uint64_t tsc)
{
    return model_pci_read(m, function, offset, 4, tsc);
}

static void pci_wr(struct model *m, uint32_t function, uint32_t offset, uint64_t tsc, uint64_t value)
{
    model_pci_write(m, function, offset, 4, tsc, (uint32_t)value);
}

/* --- PCI functions */

Test(pci, functions_have_plain_headers_and_absent_ones_read_all_ones)
{
    struct model *m = silicon_of("bdx", 2, 2, 1);
    uint32_t channel = fn(0x7F, 20, 1);

    cr_expect_eq(pci(m, channel, 0, 0), 0x6FB18086);
    cr_expect_eq(model_pci_read(m, channel, 2, 2, 0), 0x6FB1);
    cr_expect_eq(model_pci_read(m, channel, 1, 1, 0), 0x80);
    cr_expect_eq(pci(m, channel, 8, 0) >> 8, 0x088000);
    cr_expect_eq(model_pci_read(m, channel, 0xE, 1, 0), 0x80, "one of several");
    cr_expect_eq(pci(m, channel, 0x34, 0), 0, "no capabilities");
    cr_expect_eq(pci(m, channel, 0x300, 0), 0);
    cr_expect_eq(pci(m, fn(0x7F, 8, 2), 8, 0) >> 8, 0x110100);
    pci_wr(m, channel, 0, 0, 0);
    cr_expect_eq(pci(m, channel, 0, 0), 0x6FB18086);
    cr_expect_eq(pci(m, fn(0x7F, 20, 7), 0, 0), UINT32_MAX);
    cr_expect_eq(model_pci_read(m, fn(0x7F, 23, 0), 0, 2, 0), 0xFFFF, "a fifth channel");
    cr_expect_eq(pci(m, fn(0x10, 20, 1), 0, 0), UINT32_MAX, "nobody's bus");
    /* An enumeration that wants function 0 of a device before it looks at others finds every function. */
    for (uint32_t f = 0; f < 256; f++)
        if (pci(m, 0x7F << 8 | f, 0, 0) != UINT32_MAX)
            cr_expect_neq(pci(m, 0x7F << 8 | (f & 0xF8), 0, 0), UINT32_MAX, "device %u has no function 0", f >> 3);
}
