/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: ACPI tables. The first byte chooses how the rest is taken.
 *
 * even: the rest is physical memory from 1000H on, and the root pointer stands at its start.
 * odd:  the rest is a list of tables (length, signature, body), which get headers, checksums and an XSDT that are
 * right, so that the search does not stick in the checksums. */
#include <string.h>

#include "arch/x86/tables/acpi.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/machine/memory.h"

#define BASE       UINT64_C(0x1000)
#define MAX_TABLES 16u

static struct blob rsdp, xsdt, tables[MAX_TABLES];

static void as_memory(struct memory *m, const uint8_t *data, size_t size)
{
    memory_add(m, BASE, data, size);
    m->platform.rsdp = BASE;
}

static void as_tables(struct memory *m, const uint8_t *data, size_t size)
{
    static const char known[][5] = { "APIC", "SRAT", "MCFG", "FACP", "ERDT", "XSDT" };
    uint32_t n = 0;

    acpi_begin(&xsdt, "XSDT", 1);
    while (n < MAX_TABLES && size >= 4) {
        size_t body = data[0] | (size_t)data[1] << 8;
        uint64_t at = UINT64_C(0x100000) + UINT64_C(0x10000) * n;

        acpi_begin(&tables[n], known[data[2] % (sizeof known / sizeof *known)], data[3]);
        data += 4;
        size -= 4;
        body = body < size ? body : size;
        body = body < sizeof tables->at - 36 ? body : sizeof tables->at - 36;
        memcpy(tables[n].at + tables[n].n, data, body);
        tables[n].n += body;
        acpi_finish(&tables[n]);
        memory_add(m, at, tables[n].at, tables[n].n);
        blob_put(&xsdt, at, 8);
        data += body;
        size -= body;
        n++;
    }
    acpi_finish(&xsdt);
    acpi_rsdp(&rsdp, 2, 0, 0x80000);
    memory_add(m, 0x80000, xsdt.at, xsdt.n);
    memory_add(m, BASE, rsdp.at, rsdp.n);
    m->platform.rsdp = BASE;
}

/* Memory where the input says: windows that it touches are dropped, and the others stay. */
static void drop_windows(struct acpi_info *info, const uint8_t *data, size_t size)
{
    uint32_t before = info->n_mcfg;
    uint64_t base = (uint64_t)data[size - 1] << 28, bytes = (uint64_t)data[size / 2] << 20;

    MUST(acpi_drop_windows(info, base, bytes) + info->n_mcfg == before);
    MUST(acpi_drop_windows(info, base, bytes) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct acpi_info info;
    static struct memory m;

    memory_init(&m);
    if (size == 0)
        return 0;
    if (data[0] & 1)
        as_tables(&m, data + 1, size - 1);
    else
        as_memory(&m, data + 1, size - 1);
    MUST(acpi_read(&m.platform, &info) == ST_OK);
    must_be_text(info.oem_id, sizeof info.oem_id);
    must_be_text(info.oem_table_id, sizeof info.oem_table_id);
    MUST(info.n_bad <= info.n_tables);
    MUST(info.madt || info.n_cpus == 0);
    MUST(info.srat || (info.n_affinity_cpus == 0 && info.n_affinity_memory == 0));
    MUST(info.status == ST_OK || (!info.madt && !info.srat && !info.mcfg_present));
    MUST(info.pm_timer_port <= 0xFFFF);
    for (uint32_t i = 0; i < info.n_affinity_memory; i++)
        MUST(info.affinity_memory[i].base + (info.affinity_memory[i].bytes - 1) >= info.affinity_memory[i].base);
    for (uint32_t i = 0; i < info.n_tables && i < ACPI_NOTES; i++)
        MUST(must_be_text(info.tables[i].signature, 5) == 4);
    drop_windows(&info, data, size);
    acpi_free(&info);
    return 0;
}
