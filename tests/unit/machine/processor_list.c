/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/machine/processor_list.h"

#include <criterion/criterion.h>

#define GOOD (CPU_ENABLED | CPU_HEALTHY)

static struct listed_cpu list[8];

static uint32_t listed(struct acpi_cpu *cpus, uint32_t n, uint32_t boot_apic_id)
{
    struct acpi_info acpi = { .n_cpus = n, .cpus = cpus };

    return processor_list_madt(&acpi, boot_apic_id, list);
}

Test(processor_list_madt, has_what_is_enabled_and_not_what_is_only_online_capable)
{
    struct acpi_cpu cpus[] = { { .apic_id = 4, .flags = 1 },
                               { .apic_id = 0, .flags = 1 },
                               { .apic_id = 2, .flags = 2 },
                               { .apic_id = 6, .flags = 0 },
                               { .apic_id = 8, .flags = 3 } };

    cr_assert_eq(listed(cpus, 5, 0), 3);
    cr_expect_eq(list[0].apic_id, 4);
    cr_expect_eq(list[0].flags, GOOD);
    cr_expect_eq(list[1].apic_id, 0);
    cr_expect_eq(list[1].flags, GOOD | CPU_BSP);
    cr_expect_eq(list[2].apic_id, 8);
}

Test(processor_list_madt, has_the_boot_processor_whatever_the_madt_says)
{
    struct acpi_cpu cpus[] = { { .apic_id = 2, .flags = 1 }, { .apic_id = 7, .flags = 0 } };

    cr_assert_eq(listed(cpus, 2, 7), 2);
    cr_expect_eq(list[1].apic_id, 7);
    cr_expect_eq(list[1].flags, GOOD | CPU_BSP);
    cr_assert_eq(listed(NULL, 0, 7), 1);
    cr_expect_eq(list[0].apic_id, 7);
}

/* Local APIC entries, and x2APIC entries of the same processors: Linux ec9aedb2aa1a has an Ivy Bridge-EP whose firmware does so. */
Test(processor_list_madt, has_a_processor_once)
{
    struct acpi_cpu cpus[] = { { .apic_id = 0, .flags = 1 },
                               { .apic_id = 2, .flags = 0 },
                               { .apic_id = 0, .flags = 1 },
                               { .apic_id = 2, .flags = 1 } };

    cr_assert_eq(listed(cpus, 4, 0), 2);
    cr_expect_eq(list[1].apic_id, 2);
    cr_expect_eq(processor_list_sort(list, 2), ST_OK);
}

static enum status sorted(uint32_t n, const uint32_t *ids, uint32_t boots)
{
    for (uint32_t i = 0; i < n; i++)
        list[i] = (struct listed_cpu){ ids[i], GOOD | (boots >> i & 1 ? (uint32_t)CPU_BSP : 0), i };
    return processor_list_sort(list, n);
}

Test(processor_list_sort, ascends_by_apic_id_and_keeps_firmwares_numbers)
{
    static const uint32_t ids[] = { 9, 2, 0xFFFFFFF0, 0, 5 }, want[] = { 0, 2, 5, 9, 0xFFFFFFF0 };
    static const uint64_t numbers[] = { 3, 1, 4, 0, 2 };

    cr_expect_eq(sorted(5, ids, 1 << 3), ST_OK);
    for (uint32_t i = 0; i < 5; i++) {
        cr_expect_eq(list[i].apic_id, want[i]);
        cr_expect_eq(list[i].number, numbers[i]);
    }
    cr_expect(list[0].flags & CPU_BSP);
}

Test(processor_list_sort, refuses_one_id_twice_and_none_or_two_boot_processors)
{
    static const uint32_t ids[] = { 3, 1, 2 }, twice[] = { 3, 1, 3 }, neighbours[] = { 1, 1, 2 };

    cr_expect_eq(sorted(3, ids, 1), ST_OK);
    cr_expect_eq(sorted(3, ids, 0), ST_CORRUPT);
    cr_expect_eq(sorted(3, ids, 3), ST_CORRUPT);
    cr_expect_eq(sorted(3, twice, 1), ST_CORRUPT);
    cr_expect_eq(sorted(3, neighbours, 1), ST_CORRUPT);
    cr_expect_eq(sorted(0, ids, 0), ST_CORRUPT);
}
