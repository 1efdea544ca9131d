/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/boxes/dvsec.h"

#include "core/base/bits.h"

#define CAP_ID   BITS(15, 0)
#define CAP_NEXT BITS(31, 20)
#define BARS     6u
#define BAR_IO   BIT(0)
#define BAR_TYPE BITS(3, 0)

#define COMMAND_MEMORY BIT(1) /* of PCI_COMMAND: memory space enable */

uint32_t dvsec_find(struct platform *p, struct pci_address at, uint32_t id, uint32_t after)
{
    uint64_t seen[16] = { 0 }; /* bit per dword: a list may run in a circle */
    uint32_t offset = PCI_EXTENDED;
    bool passed = after == 0;

    while (offset >= PCI_EXTENDED && offset % 4 == 0 && !(seen[offset / 256] & BIT(offset / 4 % 64))) {
        uint32_t header = 0, header2 = 0;

        seen[offset / 256] |= BIT(offset / 4 % 64);
        if (pci_read(p, at, offset, 4, &header) != ST_OK || header == 0 || header == UINT32_MAX)
            return 0;
        if (passed && field_get(CAP_ID, header) == PCI_EXT_CAP_ID_DVSEC && offset + DVSEC_TABLE < 0x1000 &&
            pci_read(p, at, offset + DVSEC_HEADER2, 4, &header2) == ST_OK && field_get(DVSEC_HEADER2_ID, header2) == id)
            return offset;
        passed |= offset == after;
        offset = (uint32_t)field_get(CAP_NEXT, header);
    }
    return 0;
}

uint64_t dvsec_bar_address(struct platform *p, struct pci_address at, uint32_t index, uint32_t *type)
{
    uint32_t where = 0x10 + 4 * index, low = 0, high = 0;

    if (where > 0x24 || pci_read(p, at, where, 4, &low) != ST_OK || low == UINT32_MAX || (low & BAR_IO))
        return 0;
    if ((low & DVSEC_BAR_64) && (where == 0x24 || pci_read(p, at, where + 4, 4, &high) != ST_OK))
        return 0;
    if (type)
        *type = low & BAR_TYPE;
    return (uint64_t)high << 32 | (low & ~(uint32_t)BAR_TYPE);
}

bool dvsec_is_decoded(struct platform *p, struct pci_address at)
{
    uint32_t command = 0;

    return pci_read(p, at, PCI_COMMAND, 2, &command) == ST_OK && (command & COMMAND_MEMORY);
}

/* A base address that firmware did not assign, or that is working memory's, would be decoded as well: Linux
 * pci_enable_resources() refuses. A register of 0 may be that of no region. */
static bool all_assigned(struct platform *p, const struct machine *m, struct pci_address at)
{
    for (uint32_t i = 0; i < BARS; i++) {
        uint32_t type = 0;
        uint64_t base = dvsec_bar_address(p, at, i, &type);

        if (base ? machine_is_memory(m, base) : type != 0)
            return false;
        i += type & DVSEC_BAR_64 ? 1 : 0;
    }
    return true;
}

bool dvsec_decode(struct platform *p, const struct machine *m, struct pci_address at, uint64_t address)
{
    uint32_t command = 0;

    if (address == 0 || machine_is_memory(m, address) || pci_read(p, at, PCI_COMMAND, 2, &command) != ST_OK ||
        (command & COMMAND_MEMORY) || !all_assigned(p, m, at))
        return false;
    return pci_write(p, at, PCI_COMMAND, 2, command | COMMAND_MEMORY) == ST_OK && dvsec_is_decoded(p, at);
}
