/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/fuzz/fuzz_table.h: an ACPI table out of an input, as the only one that firmware has. The input's first byte is its
 * revision, the rest its body after the header; length and checksum are right. */
#pragma once
#include <string.h>

#include "arch/x86/tables/acpi.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/machine/memory.h"

#define FUZZ_TABLE_MOST 4096u /* bytes of an input */

/* The note on it is info->tables[1], after the XSDT's. */
static inline void read_one_table(const char *signature, const uint8_t *data, size_t size, struct acpi_info *info)
{
    static struct blob rsdp, xsdt, table;
    static struct memory m;

    memory_init(&m);
    acpi_begin(&table, signature, data[0]);
    memcpy(table.at + table.n, data + 1, size - 1);
    table.n += size - 1;
    acpi_finish(&table);
    acpi_begin(&xsdt, "XSDT", 1);
    blob_put(&xsdt, 0x10000, 8);
    acpi_finish(&xsdt);
    acpi_rsdp(&rsdp, 2, 0, 0x2000);
    memory_add(&m, 0x1000, rsdp.at, rsdp.n);
    memory_add(&m, 0x2000, xsdt.at, xsdt.n);
    memory_add(&m, 0x10000, table.at, table.n);
    m.platform.rsdp = 0x1000;
    MUST(acpi_read(&m.platform, info) == ST_OK && info->status == ST_OK && info->n_tables == 2);
}
