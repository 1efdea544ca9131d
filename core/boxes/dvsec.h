/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/boxes/dvsec.h: extended capabilities of PCI functions that lead to tables in memory.
 *
 * Source: PCI Express Base Specification, Designated Vendor-Specific Extended Capability (DVSEC); Linux
 * include/linux/intel_vsec.h, drivers/platform/x86/intel/vsec.c.
 */
#pragma once
#include "core/machine/machine.h"

#define PCI_EXT_CAP_ID_DVSEC  0x23u
#define DVSEC_HEADER1         0x04u
#define DVSEC_HEADER1_VENDOR  BITS(15, 0)
#define DVSEC_HEADER1_REV     BITS(19, 16)
#define DVSEC_HEADER2         0x08u
#define DVSEC_HEADER2_ID      BITS(15, 0)
#define DVSEC_HEADER2_ENTRIES BITS(23, 16) /* INTEL_DVSEC_ENTRIES */
#define DVSEC_HEADER2_SIZE    BITS(31, 24) /* INTEL_DVSEC_SIZE: of an entry, in dwords */
#define DVSEC_TABLE           0x0Cu
#define DVSEC_TABLE_BIR       BITS(2, 0)
#define DVSEC_TABLE_OFFSET    BITS(31, 3)

#define PCI_EXTENDED 0x100u /* configuration space above it is not reached through ports */

/* The next DVSEC of this id after one at offset `after`, 0: the first. Returns its offset, 0: there is none. */
uint32_t dvsec_find(struct platform *p, struct pci_address at, uint32_t id, uint32_t after);
/* Address of a base address register by its index, 0 .. 5; 0: it says nothing usable. *type: its bits 3:0; may be NULL. */
uint64_t dvsec_bar_address(struct platform *p, struct pci_address at, uint32_t index, uint32_t *type);
#define DVSEC_BAR_64 BIT(2)
/* Before the first access to a function's region at this address: sets memory space enable of its command register where that
 * is 0, as Linux' pci_enable_device() does, and the ledger puts it back. Returns whether it was 0 and is set now. It stays as it
 * is where a base address of the function is not assigned or working memory's; a function that keeps it 0 may decode all
 * the same. */
bool dvsec_decode(struct platform *p, const struct machine *m, struct pci_address at, uint64_t address);
/* Whether memory space enable is set. */
bool dvsec_is_decoded(struct platform *p, struct pci_address at);
