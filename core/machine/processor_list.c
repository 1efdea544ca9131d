/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/machine/processor_list.h"

uint32_t processor_list_madt(const struct acpi_info *acpi, uint32_t boot_apic_id, struct listed_cpu *list)
{
    uint32_t n = 0;
    bool found = false;

    for (uint32_t i = 0; i < acpi->n_cpus; i++) {
        bool boot = acpi->cpus[i].apic_id == boot_apic_id;

        if (!acpi_lists(acpi, i))
            continue;
        list[n++] = (struct listed_cpu){ .apic_id = acpi->cpus[i].apic_id,
                                         .flags = CPU_ENABLED | CPU_HEALTHY | (boot ? (uint32_t)CPU_BSP : 0) };
        found = found || boot;
    }
    if (!found)
        list[n++] = (struct listed_cpu){ .apic_id = boot_apic_id, .flags = CPU_ENABLED | CPU_HEALTHY | CPU_BSP };
    return n;
}

enum status processor_list_sort(struct listed_cpu *list, uint32_t n)
{
    uint32_t boot = 0;
    bool twice = false;

    for (uint32_t i = 0; i < n; i++) { /* firmware sorts by APIC id: almost nothing is left to do */
        struct listed_cpu x = list[i];
        uint32_t k = i;

        for (; k > 0 && list[k - 1].apic_id > x.apic_id; k--)
            list[k] = list[k - 1];
        list[k] = x;
        twice = twice || (k > 0 && list[k - 1].apic_id == x.apic_id);
        boot += (x.flags & CPU_BSP) != 0;
    }
    return twice || boot != 1 ? ST_CORRUPT : ST_OK;
}
