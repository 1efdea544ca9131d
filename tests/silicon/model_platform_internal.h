/* tests/silicon/model_platform_internal.h: firmware of the model platform: its tables (model_tables_platform.c), and
 * what its processor services did when they were tried (model_mp_platform.c). */
#pragma once
#include "core/mp_trial.h"
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

/* What firmware without a fault would have shown, but for the faults that m was given. False: no memory. */
bool firmware_trial_build(struct mp_trial *t, const struct model *m);
void firmware_trial_free(struct mp_trial *t);
