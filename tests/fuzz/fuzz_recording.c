/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: a recording of a machine (docs/recording.md), and what is looked up in it. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/silicon/recorded/recording.h"

static void look_up(const struct recording *r)
{
    size_t bytes;
    uint64_t value;

    for (uint32_t i = 0; i < r->n_cpus; i++) {
        for (uint32_t k = 0; k < r->cpus[i].n_leaves; k++)
            MUST(recording_leaf(r, i, r->cpus[i].leaves[k].leaf, r->cpus[i].leaves[k].subleaf));
        for (uint32_t k = 0; k < r->n_msrs; k++)
            (void)recording_msr(r, i, r->msrs[k].number);
    }
    for (uint32_t i = 0; i < r->n_tables; i++) {
        MUST(recording_table(r, r->tables[i].signature));
        free(recording_table_image(&r->tables[i]));
    }
    for (uint32_t i = 0; i < r->n_functions; i++) {
        const struct recorded_function *f = &r->functions[i];

        MUST(recording_function(r, f->segment, f->bus, f->device, f->function));
        (void)recording_bus_is_complete(r, f->segment, f->bus);
        (void)recorded_value(&f->config, 0, 4, &value);
    }
    for (uint32_t i = 0; i < r->n_regions; i++)
        for (uint64_t at = 0; at < r->regions[i].n + 8u; at++)
            (void)recorded_value(&r->regions[i], at, 8, &value);
    free(recording_smbios_image(r, &bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[256] = "";
    struct recording *r = recording_parse((const char *)data, size, error, sizeof error);

    if (!r) {
        MUST(error[0] && memchr(error, '\0', sizeof error));
        return 0;
    }
    MUST(error[0] == '\0');
    look_up(r);
    recording_free(r);
    return 0;
}
