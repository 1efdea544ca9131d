/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/machine/processor_list.h: the list of processors, from what firmware says, before any but the boot processor runs.
 */
#pragma once
#include "arch/x86/tables/acpi.h"

struct listed_cpu {
    uint32_t apic_id;
    uint32_t flags;  /* enum cpu_flags     */
    uint64_t number; /* firmware's, if any */
};

/* The processors that the MADT has enabled, and the boot processor, whether the MADT has it or not: what is only "online
 * capable" may not be there at all. Each once. `list` has room for acpi->n_cpus + 1. Returns how many. */
uint32_t processor_list_madt(const struct acpi_info *acpi, uint32_t boot_apic_id, struct listed_cpu *list);

/* Sort by APIC id. ST_CORRUPT: one id twice, or not exactly one boot processor. */
MUST_CHECK enum status processor_list_sort(struct listed_cpu *list, uint32_t n);
