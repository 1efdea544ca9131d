/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/platform/platform_read.c: reads of platform.h outside the processors, which the ledger uses too. */
#include "core/platform/platform.h"

void platform_count(struct platform *p, uint64_t *counter, enum status st)
{
    (*counter)++;
    p->counts.faults += st == ST_FAULT || st == ST_PAGE_FAULT;
}

enum status pci_read(struct platform *p, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    uint32_t v = 0;
    enum status st = p->ops->pci_read ? p->ops->pci_read(p->machine, at, offset, width, &v) : ST_ABSENT;

    platform_count(p, &p->counts.pci, st);
    if (st == ST_OK)
        *value = v;
    return st;
}

enum status mmio_read(struct platform *p, uint64_t address, uint32_t width, uint64_t *value)
{
    uint64_t v = 0;
    enum status st = p->ops->mmio_read ? p->ops->mmio_read(p->machine, address, width, &v) : ST_ABSENT;

    platform_count(p, &p->counts.mmio, st);
    if (st == ST_OK)
        *value = v;
    return st;
}

enum status phys_read(struct platform *p, uint64_t address, void *buffer, size_t bytes)
{
    if (bytes == 0)
        return ST_OK;
    if (address + (bytes - 1) < address) /* wraps round the end of the address space */
        return ST_PAGE_FAULT;
    return p->ops->phys_read ? p->ops->phys_read(p->machine, address, buffer, bytes) : ST_PAGE_FAULT;
}

uint64_t work_budget_ms(uint64_t bytes)
{
    return 10000 + (bytes >> 22) * 1000 + (bytes & 0x3FFFFF ? 1000 : 0);
}
