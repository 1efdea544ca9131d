/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/firmware/pci.h"

#include "arch/x86/cpu/insn.h"
#include "arch/x86/tables/config_space.h"
#include "efi/firmware/mmio.h"

#define CONFIG_ADDRESS 0xCF8u
#define CONFIG_DATA    0xCFCu

static const struct acpi_mcfg *windows;
static uint32_t n_windows;

void pci_set_mcfg(const struct acpi_mcfg *list, uint32_t n)
{
    windows = list;
    n_windows = n;
}

/* Interrupts off: firmware's timer code may use the pair of ports too. */
static uint32_t port_config_read(const struct config_place *place, uint32_t width)
{
    uint16_t data = (uint16_t)(CONFIG_DATA + place->port_byte);
    uint64_t rflags = insn_interrupts_off();
    uint32_t v;

    port_write32(CONFIG_ADDRESS, place->port_address);
    v = width == 1 ? port_read8(data) : width == 2 ? port_read16(data) : port_read32(data);
    insn_interrupts_restore(rflags);
    return v;
}

static void port_config_write(const struct config_place *place, uint32_t width, uint32_t value)
{
    uint16_t data = (uint16_t)(CONFIG_DATA + place->port_byte);
    uint64_t rflags = insn_interrupts_off();

    port_write32(CONFIG_ADDRESS, place->port_address);
    if (width == 1)
        port_write8(data, (uint8_t)value);
    else if (width == 2)
        port_write16(data, (uint16_t)value);
    else
        port_write32(data, value);
    insn_interrupts_restore(rflags);
}

enum status pci_config_read(struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    struct config_place place;
    uint64_t v = 0;

    TRY(config_place(windows, n_windows, at, offset, width, &place));
    if (place.window_address)
        TRY(mmio_load(place.window_address, width, &v));
    else
        v = port_config_read(&place, width);
    *value = (uint32_t)v;
    return ST_OK;
}

enum status pci_config_write(struct pci_address at, uint32_t offset, uint32_t width, uint32_t value)
{
    struct config_place place;

    TRY(config_place(windows, n_windows, at, offset, width, &place));
    if (place.window_address)
        return mmio_store(place.window_address, width, value);
    port_config_write(&place, width, value);
    return ST_OK;
}
