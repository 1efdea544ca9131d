/* tests/silicon/model_platform_internal.h: firmware tables of the model platform (model_tables_platform.c). */
#pragma once
#include "tests/silicon/model.h"

struct firmware_tables {
    uint8_t *bytes; /* what stands in memory from `base` on */
    size_t size;
    uint64_t base, rsdp, smbios; /* physical addresses */
};

/* Node n is memory_base + n * node_bytes. False: no memory. */
bool firmware_tables_build(struct firmware_tables *t, const struct model *m, uint64_t base, uint64_t memory_base,
                           uint64_t node_bytes);
void firmware_tables_free(struct firmware_tables *t);
