/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/firmware/pci.h: PCI configuration space by ECAM where MCFG names a window, else by ports CF8H/CFCH. Boot processor only.
 * Source: PCI Express base specification 5.0, 7.2.2 "PCI Express Enhanced Configuration Access Mechanism (ECAM)"; PCI
 * local bus specification 3.0, 3.2.2.3.2 "Software Generation of Configuration Transactions". */
#pragma once
#include "arch/x86/tables/acpi.h"

/* The windows; the array must live as long as it is used. */
void pci_set_mcfg(const struct acpi_mcfg *windows, uint32_t n);

/* As platform_ops.pci_read and pci_write. The ports reach segment 0 and offsets below 256. ST_PAGE_FAULT: as
 * mmio_load(), in MCFG's window. */
MUST_CHECK enum status pci_config_read(struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value);
MUST_CHECK enum status pci_config_write(struct pci_address at, uint32_t offset, uint32_t width, uint32_t value);
