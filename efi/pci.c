/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/pci.h"

#include "arch/x86/cpu/insn.h"

#define CONFIG_ADDRESS        0xCF8u
#define CONFIG_ADDRESS_ENABLE 0x80000000u
#define CONFIG_DATA           0xCFCu
#define ECAM_SPACE            4096u
#define PORT_SPACE            256u

static const struct acpi_mcfg *windows;
static uint32_t n_windows;

void pci_set_mcfg(const struct acpi_mcfg *list, uint32_t n)
{
    windows = list;
    n_windows = n;
}

/* Address of the register in its window; 0: no window has the bus. A window's base is that of bus 0, whatever its first
 * bus is: PCI Firmware specification 3.3, 4.1.2. */
static uint64_t ecam(struct pci_address at, uint32_t offset)
{
    for (uint32_t i = 0; i < n_windows; i++)
        if (windows[i].segment == at.segment && at.bus >= windows[i].first_bus && at.bus <= windows[i].last_bus)
            return windows[i].base +
                   ((uint64_t)at.bus << 20 | (uint64_t)at.device << 15 | (uint64_t)at.function << 12 | offset);
    return 0;
}

static enum status check(struct pci_address at, uint32_t offset, uint32_t width, uint64_t *address)
{
    if ((width != 1 && width != 2 && width != 4) || offset % width || offset >= ECAM_SPACE || at.device > 31 ||
        at.function > 7)
        return ST_RANGE;
    *address = ecam(at, offset);
    if (*address == 0 && (at.segment != 0 || offset >= PORT_SPACE))
        return ST_ABSENT;
    return ST_OK;
}

static uint32_t port_address(struct pci_address at, uint32_t offset)
{
    return CONFIG_ADDRESS_ENABLE | (uint32_t)at.bus << 16 | (uint32_t)at.device << 11 | (uint32_t)at.function << 8 |
           (offset & 0xFC);
}

/* Interrupts off: firmware's timer code may use the pair of ports too. */
static uint32_t port_config_read(struct pci_address at, uint32_t offset, uint32_t width)
{
    uint16_t data = (uint16_t)(CONFIG_DATA + (offset & 3));
    uint64_t rflags = insn_interrupts_off();
    uint32_t v;

    port_write32(CONFIG_ADDRESS, port_address(at, offset));
    v = width == 1 ? port_read8(data) : width == 2 ? port_read16(data) : port_read32(data);
    insn_interrupts_restore(rflags);
    return v;
}

static void port_config_write(struct pci_address at, uint32_t offset, uint32_t width, uint32_t value)
{
    uint16_t data = (uint16_t)(CONFIG_DATA + (offset & 3));
    uint64_t rflags = insn_interrupts_off();

    port_write32(CONFIG_ADDRESS, port_address(at, offset));
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
    uint64_t address, v = 0;
    enum status st = check(at, offset, width, &address);

    if (st != ST_OK)
        return st;
    if (address == 0)
        v = port_config_read(at, offset, width);
    else
        st = width == 1 ? insn_read8(address, &v) : width == 2 ? insn_read16(address, &v) : insn_read32(address, &v);
    if (st == ST_OK)
        *value = (uint32_t)v;
    return st;
}

enum status pci_config_write(struct pci_address at, uint32_t offset, uint32_t width, uint32_t value)
{
    uint64_t address;
    enum status st = check(at, offset, width, &address);

    if (st != ST_OK)
        return st;
    if (address == 0) {
        port_config_write(at, offset, width, value);
        return ST_OK;
    }
    return width == 1   ? insn_write8(address, value)
           : width == 2 ? insn_write16(address, value)
                        : insn_write32(address, value);
}
