/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ACPI tables and SMBIOS structures of servers that exist, held to what was counted in their decoded text
 * (tests/fixtures/machines/README.md). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/tables/acpi.h"
#include "arch/x86/tables/smbios.h"
#include "tests/support/data/recordings.h"

#define ACPI_MACHINES   10u
#define SMBIOS_MACHINES 70u

static void expect(const struct tsv *x, uint32_t row, const char *column, uint64_t value)
{
    const char *text = tsv_get(x, row, column);

    cr_assert_not_null(text);
    cr_expect_eq(value, strtoull(text, NULL, 0), "%s: %s %llu, recorded %s", tsv_get(x, row, "machine"), column,
                 (unsigned long long)value, text);
}

/* "0xe0000000:0-255" */
static void expect_windows(const struct tsv *x, uint32_t row, const struct acpi_info *info)
{
    char text[256] = "";

    for (uint32_t i = 0; i < info->n_mcfg; i++) {
        size_t n = strlen(text);

        snprintf(text + n, sizeof text - n, "%s0x%llx:%u-%u", i ? " " : "", (unsigned long long)info->mcfg[i].base,
                 info->mcfg[i].first_bus, info->mcfg[i].last_bus);
    }
    cr_expect_str_eq(text, tsv_get(x, row, "windows"), "%s", tsv_get(x, row, "machine"));
}

static void check_acpi(struct replay *r, const struct tsv *x, uint32_t row)
{
    static struct acpi_info info;
    uint32_t enabled = 0, nodes = 0;
    uint64_t bytes = 0;

    cr_assert_eq(acpi_read(replay_platform(r), &info), ST_OK);
    cr_assert_eq(info.status, ST_OK);
    cr_expect_eq(info.n_bad, 0, "%s: %s %s", tsv_get(x, row, "machine"), info.tables[1].signature, info.tables[1].what);
    for (uint32_t i = 0; i < info.n_cpus; i++)
        enabled += info.cpus[i].flags & 1;
    for (uint32_t i = 0; i < info.n_affinity_cpus; i++) {
        bool again = false;

        for (uint32_t j = 0; j < i && !again; j++)
            again = info.affinity_cpus[j].proximity == info.affinity_cpus[i].proximity;
        nodes += !again;
    }
    for (uint32_t i = 0; i < info.n_affinity_memory; i++)
        bytes += info.affinity_memory[i].bytes;
    expect(x, row, "listed", info.n_cpus);
    expect(x, row, "enabled", enabled);
    expect(x, row, "affinities", info.n_affinity_cpus);
    expect(x, row, "nodes", nodes);
    expect(x, row, "memory_bytes", bytes);
    expect(x, row, "ranges", info.n_affinity_memory);
    expect(x, row, "pm_timer", info.pm_timer_port);
    expect_windows(x, row, &info);
    acpi_free(&info);
}

Test(firmware_machines, processors_nodes_memory_and_windows_are_those_of_the_tables)
{
    recordings_of_machines(RECORDINGS_ACPI, ACPI_MACHINES, check_acpi);
}

static void check_smbios(struct replay *r, const struct tsv *x, uint32_t row)
{
    static struct smbios_info info;
    uint32_t most_cores = 0;

    smbios_read(replay_platform(r), &info);
    cr_assert_eq(info.status, ST_OK, "%s", tsv_get(x, row, "machine"));
    for (uint32_t i = 0; i < info.n_sockets && i < SMBIOS_SOCKETS; i++)
        if (info.sockets[i].cores > most_cores)
            most_cores = info.sockets[i].cores;
    expect(x, row, "sockets", info.n_sockets);
    expect(x, row, "populated", info.n_sockets_populated);
    expect(x, row, "slots", info.n_dimm_slots);
    expect(x, row, "dimms", info.n_dimms);
    expect(x, row, "dimm_bytes", info.dimm_bytes);
    expect(x, row, "ddr_dimms", info.n_ddr_dimms);
    expect(x, row, "most_cores", most_cores);
}

/* Empty slots in five ways, locators that repeat, sizes in two units, arrays apart, sockets without a processor. */
Test(firmware_machines, sockets_slots_and_modules_are_those_that_dmidecode_prints)
{
    recordings_of_machines(RECORDINGS_SMBIOS, SMBIOS_MACHINES, check_smbios);
}
