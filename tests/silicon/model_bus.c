/* tests/silicon/model_bus.c: PCI functions and memory-mapped registers of the silicon. See model.h. */
#include "tests/silicon/model_internal.h"

bool model_pci_bus(const struct model *m, uint32_t bus)
{
    (void)m;
    (void)bus;
    return false;
}

uint32_t model_pci_read(struct model *m, uint32_t function, uint32_t offset, uint32_t bytes, uint64_t tsc)
{
    (void)m;
    (void)function;
    (void)offset;
    (void)tsc;
    return (uint32_t)low_bits(8 * bytes);
}

void model_pci_write(struct model *m, uint32_t function, uint32_t offset, uint32_t bytes, uint64_t tsc, uint32_t value)
{
    (void)m;
    (void)function;
    (void)offset;
    (void)bytes;
    (void)tsc;
    (void)value;
}

uint64_t model_mmio_bytes(const struct model *m)
{
    (void)m;
    return 0;
}

uint64_t model_mmio_read(struct model *m, uint64_t physical, uint32_t bytes, uint64_t tsc)
{
    (void)m;
    (void)physical;
    (void)tsc;
    return low_bits(8 * bytes);
}

void model_mmio_write(struct model *m, uint64_t physical, uint32_t bytes, uint64_t tsc, uint64_t value)
{
    (void)m;
    (void)physical;
    (void)bytes;
    (void)tsc;
    (void)value;
}
