/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/tables/config_space.h"

#define CONFIG_ADDRESS_ENABLE 0x80000000u
#define ECAM_SPACE            4096u
#define PORT_SPACE            256u

/* A window's base is that of bus 0, whatever its first bus is. 0: no window has the bus. */
static uint64_t config_in_window(const struct acpi_mcfg *windows, uint32_t n_windows, struct pci_address at,
                                 uint32_t offset)
{
    for (uint32_t i = 0; i < n_windows; i++)
        if (windows[i].segment == at.segment && at.bus >= windows[i].first_bus && at.bus <= windows[i].last_bus)
            return windows[i].base +
                   ((uint64_t)at.bus << 20 | (uint64_t)at.device << 15 | (uint64_t)at.function << 12 | offset);
    return 0;
}

enum status config_place(const struct acpi_mcfg *windows, uint32_t n_windows, struct pci_address at, uint32_t offset,
                         uint32_t width, struct config_place *place)
{
    uint64_t address;

    if ((width != 1 && width != 2 && width != 4) || offset % width || offset >= ECAM_SPACE || at.device > 31 ||
        at.function > 7)
        return ST_RANGE;
    address = config_in_window(windows, n_windows, at, offset);
    if (address == 0 && (at.segment != 0 || offset >= PORT_SPACE))
        return ST_ABSENT;
    *place =
        (struct config_place){ .window_address = address,
                               .port_address = CONFIG_ADDRESS_ENABLE | (uint32_t)at.bus << 16 |
                                               (uint32_t)at.device << 11 | (uint32_t)at.function << 8 | (offset & 0xFC),
                               .port_byte = offset & 3 };
    return ST_OK;
}
