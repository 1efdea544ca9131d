/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: the SRAT. The input is a table: fuzz_table.h. */
#include "tests/fuzz/fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct acpi_info info;

    if (size == 0 || size > FUZZ_TABLE_MOST)
        return 0;
    read_one_table("SRAT", data, size, &info);
    MUST(info.srat || (info.n_affinity_cpus == 0 && info.n_affinity_memory == 0));
    MUST(info.n_affinity_cpus <= size / 8 && info.n_affinity_memory <= size / 8);
    for (uint32_t i = 0; i < info.n_affinity_memory; i++)
        MUST(info.affinity_memory[i].bytes != 0 &&
             info.affinity_memory[i].base + (info.affinity_memory[i].bytes - 1) >= info.affinity_memory[i].base);
    acpi_free(&info);
    return 0;
}
