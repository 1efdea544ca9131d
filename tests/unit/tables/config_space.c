/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/tables/config_space.h"

#include <criterion/criterion.h>

static const struct acpi_mcfg windows[] = {
    { .base = 0x80000000, .segment = 0, .first_bus = 0x10, .last_bus = 0x3F },
    { .base = 0x4000000000, .segment = 1, .first_bus = 0, .last_bus = 0xFF },
};

static enum status place(struct pci_address at, uint32_t offset, uint32_t width, struct config_place *out)
{
    *out = (struct config_place){ .window_address = 0xDEAD };
    return config_place(windows, 2, at, offset, width, out);
}

Test(config_place, is_in_the_window_that_has_the_bus_counted_from_bus_0)
{
    struct config_place p;

    cr_expect_eq(place((struct pci_address){ 0, 0x10, 0, 0 }, 0, 4, &p), ST_OK);
    cr_expect_eq(p.window_address, 0x81000000);
    cr_expect_eq(place((struct pci_address){ 0, 0x3F, 31, 7 }, 0xFFC, 4, &p), ST_OK);
    cr_expect_eq(p.window_address, 0x80000000 + (0x3Full << 20 | 31 << 15 | 7 << 12 | 0xFFC));
    cr_expect_eq(place((struct pci_address){ 1, 2, 3, 4 }, 0x101, 1, &p), ST_OK);
    cr_expect_eq(p.window_address, 0x4000000000 + (2 << 20 | 3 << 15 | 4 << 12 | 0x101));
}

Test(config_place, is_behind_the_ports_where_no_window_has_the_bus)
{
    struct config_place p;

    cr_expect_eq(place((struct pci_address){ 0, 0x40, 30, 3 }, 0xFE, 2, &p), ST_OK);
    cr_expect_eq(p.window_address, 0);
    cr_expect_eq(p.port_address, 0x80000000u | 0x40 << 16 | 30 << 11 | 3 << 8 | 0xFC);
    cr_expect_eq(p.port_byte, 2);
    cr_expect_eq(config_place(NULL, 0, (struct pci_address){ 0, 0, 0, 0 }, 0, 4, &p), ST_OK);
    cr_expect_eq(p.port_address, 0x80000000u);
}

Test(config_place, is_nowhere_for_other_segments_and_extended_registers_without_a_window)
{
    struct config_place p;

    cr_expect_eq(place((struct pci_address){ 0, 0x40, 0, 0 }, 0x100, 4, &p), ST_ABSENT);
    cr_expect_eq(place((struct pci_address){ 2, 0, 0, 0 }, 0, 4, &p), ST_ABSENT);
    cr_expect_eq(p.window_address, 0xDEAD, "untouched");
}

Test(config_place, refuses_what_no_function_has)
{
    static const struct {
        struct pci_address at;
        uint32_t offset, width;
    } wrong[] = { { { 0, 0x10, 0, 0 }, 0, 8 },  { { 0, 0x10, 0, 0 }, 0, 0 }, { { 0, 0x10, 0, 0 }, 0, 3 },
                  { { 0, 0x10, 0, 0 }, 2, 4 },  { { 0, 0x10, 0, 0 }, 1, 2 }, { { 0, 0x10, 0, 0 }, 0x1000, 1 },
                  { { 0, 0x10, 32, 0 }, 0, 4 }, { { 0, 0x10, 0, 8 }, 0, 4 } };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct config_place p;

        cr_expect_eq(place(wrong[i].at, wrong[i].offset, wrong[i].width, &p), ST_RANGE, "case %zu", i);
        cr_expect_eq(p.window_address, 0xDEAD);
    }
}
