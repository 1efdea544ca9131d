/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/tables/config_space.h: where a register of PCI configuration space is: in a window of the MCFG, or behind the
 * pair of ports CF8H and CFCH.
 * Source: PCI Firmware specification 3.3, 4.1.2 "MCFG Table Description"; PCI Local Bus specification 3.0, 3.2.2.3.2
 * "Software Generation of Configuration Transactions". */
#pragma once
#include "arch/x86/tables/acpi.h"
#include "core/platform/platform.h"

struct config_place {
    uint64_t window_address; /* in memory; 0: behind the ports                             */
    uint32_t port_address;   /* what goes to CF8H, and which of the four bytes at CFCH it is */
    uint32_t port_byte;
};

/* A window where one has the bus, else the ports, which have segment 0 and the first 256 bytes. width 1, 2, 4.
 * ST_RANGE: width or alignment, offset, device or function. ST_ABSENT: neither reaches it. */
MUST_CHECK enum status config_place(const struct acpi_mcfg *windows, uint32_t n_windows, struct pci_address at,
                                    uint32_t offset, uint32_t width, struct config_place *place);
