/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ACPI tables with wrong checksums, lengths, entries and pointers: each is noted, and the others are used. */
#include "arch/x86/tables/acpi.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/machine/acpi_firmware.h"

static struct firmware f;

static void tear_down(void)
{
    acpi_free(&f.info);
}

TestSuite(acpi_bad_tables, .fini = tear_down);

Test(acpi_bad_tables, without_a_root_pointer_there_are_no_tables)
{
    firmware_sound(&f, 2);
    f.memory.platform.rsdp = 0;
    firmware_read(&f);
    cr_expect_eq(f.info.status, ST_ABSENT);
    f.memory.platform.rsdp = 0xDEAD0000;
    firmware_read(&f);
    cr_expect_eq(f.info.status, ST_CORRUPT);
    cr_expect_eq(f.info.tables[0].status, ST_PAGE_FAULT);
}

Test(acpi_bad_tables, a_root_pointer_with_a_bad_checksum_is_not_followed)
{
    firmware_sound(&f, 2);
    f.rsdp.at[10] ^= 1;
    firmware_read(&f);
    cr_expect_eq(f.info.status, ST_CORRUPT);
    cr_expect_eq(f.info.n_bad, 1);
    cr_expect_eq(f.info.n_cpus, 0);
}

Test(acpi_bad_tables, a_bad_second_half_of_the_root_pointer_costs_the_xsdt_only)
{
    firmware_sound(&f, 2);
    f.rsdp.at[24] ^= 1;
    firmware_read(&f);
    cr_expect_eq(f.info.status, ST_OK);
    cr_expect_str_eq(f.info.tables[0].signature, "RSDP");
    cr_expect_eq(f.info.tables[0].status, ST_CORRUPT);
    cr_expect_str_eq(f.info.tables[1].signature, "RSDT");
    cr_expect_eq(f.info.n_cpus, 3);
}

Test(acpi_bad_tables, a_bad_xsdt_is_noted_and_the_rsdt_used)
{
    firmware_sound(&f, 2);
    f.xsdt.at[20] ^= 1;
    firmware_read(&f);
    cr_expect_eq(f.info.status, ST_OK);
    cr_expect_str_eq(f.info.tables[0].signature, "XSDT");
    cr_expect_str_eq(f.info.tables[0].what, "bad checksum");
    cr_expect_eq(f.info.n_cpus, 3);
    acpi_free(&f.info);
    f.rsdt.at[20] ^= 1;
    firmware_read(&f);
    cr_expect_eq(f.info.status, ST_CORRUPT);
    cr_expect_eq(f.info.n_cpus, 0);
}

static void expect_bad(uint32_t table, enum status st, const char *what)
{
    firmware_read(&f);
    cr_expect_eq(f.info.tables[table].status, st, "%s", what);
    cr_expect_str_eq(f.info.tables[table].what, what);
    cr_expect_eq(f.info.n_bad, 1, "%s", what);
    acpi_free(&f.info);
}

static void set_length(struct blob *b, uint32_t length)
{
    memcpy(b->at + 4, &length, sizeof length);
    blob_sum(b, 9, 0, b->n);
}

Test(acpi_bad_tables, lengths_that_lie_are_caught_before_the_table_is_read)
{
    firmware_sound(&f, 2);
    set_length(&f.tables[0], 35);
    expect_bad(1, ST_CORRUPT, "shorter than its header");
    set_length(&f.tables[0], (16u << 20) + 1);
    expect_bad(1, ST_CORRUPT, "longer than 16 MiB");
    set_length(&f.tables[0], (uint32_t)f.tables[0].n + 1);
    expect_bad(1, ST_PAGE_FAULT, "cannot be read whole");
    set_length(&f.tables[0], 0x3000);
    expect_bad(1, ST_PAGE_FAULT, "cannot be read whole");
    set_length(&f.tables[0], 40); /* sums up over the wrong length, and is too short for its fields */
    blob_sum(&f.tables[0], 9, 0, 40);
    expect_bad(1, ST_CORRUPT, "an entry's length is 0 or beyond the table");
}

Test(acpi_bad_tables, entries_that_lie_cost_their_whole_table)
{
    firmware_sound(&f, 2);
    f.tables[0].at[45] = 0; /* an entry of no length would be stepped over for ever */
    acpi_finish(&f.tables[0]);
    expect_bad(1, ST_CORRUPT, "an entry's length is 0 or beyond the table");
    f.tables[0].at[45] = 200;
    acpi_finish(&f.tables[0]);
    expect_bad(1, ST_CORRUPT, "an entry's length is 0 or beyond the table");
    f.tables[0].at[45] = 1;
    acpi_finish(&f.tables[0]);
    expect_bad(1, ST_CORRUPT, "an entry's length is 0 or beyond the table");
}

/* An entry that fills its place but is too short for its type is left out, the rest stands. */
Test(acpi_bad_tables, an_entry_that_is_too_short_for_its_type_is_left_out)
{
    struct blob *b = firmware_add(&f, "APIC", 4);

    BLOB_PUT(b, ZEROS(8), U16(0x0400), /* type 0, length 4 */
             ZEROS(2));
    acpi_madt_apic(b, 6, 1);
    acpi_finish(b);
    firmware_load(&f, 2);
    cr_assert_eq(f.info.n_cpus, 1);
    cr_expect_eq(f.info.cpus[0].apic_id, 6);
}

Test(acpi_bad_tables, memory_beyond_the_address_space_costs_the_srat)
{
    struct blob *b = firmware_add(&f, "SRAT", 3);

    blob_zero(b, 12);
    acpi_srat_apic(b, 0, 0, 1);
    acpi_srat_memory(b, UINT64_MAX - 0xFFF, 0x2000, 0, 1);
    acpi_finish(b);
    firmware_load(&f, 2);
    cr_expect(!f.info.srat && f.info.n_affinity_cpus == 0 && f.info.n_affinity_memory == 0);
    cr_expect_eq(f.info.tables[1].status, ST_CORRUPT);
}

Test(acpi_bad_tables, mcfg_buses_must_ascend_and_entries_be_whole)
{
    firmware_sound(&f, 2);
    f.tables[2].at[44 + 10] = 0x7F; /* first bus above last bus */
    acpi_finish(&f.tables[2]);
    expect_bad(3, ST_CORRUPT, "last bus below first bus");
    f.tables[2].n -= 1;
    acpi_finish(&f.tables[2]);
    expect_bad(3, ST_CORRUPT, "not a whole number of entries");
}

/* An MCFG of two windows, each { base, segment, first bus, last bus }. */
static void expect_windows(const uint64_t (*w)[4], enum status st, const char *what)
{
    struct blob *b = firmware_add(&f, "MCFG", 1);

    blob_zero(b, 8);
    for (int i = 0; i < 2; i++) {
        BLOB_PUT(b, U64(w[i][0]), U16(w[i][1]), U8(w[i][2]), U8(w[i][3]), ZEROS(4));
    }
    acpi_finish(b);
    firmware_load(&f, 2);
    cr_expect_eq(f.info.tables[1].status, st, "%s", what);
    cr_expect_str_eq(f.info.tables[1].what, what);
    cr_expect_eq(f.info.n_mcfg, st == ST_OK ? 2 : 0);
    cr_expect_eq(f.info.mcfg_present, st == ST_OK);
    acpi_free(&f.info);
    memset(&f, 0, sizeof f);
}

/* Windows that cannot be are not believed: what is written through one would go elsewhere. */
Test(acpi_bad_tables, windows_of_an_mcfg_lie_apart_and_in_the_address_space)
{
    static const uint64_t first = 0x80000000, last = UINT64_C(1) << 52;

    expect_windows((const uint64_t[][4]){ { first, 0, 0, 0x7F }, { first, 0, 0x80, 0xFF } }, ST_OK, "");
    expect_windows((const uint64_t[][4]){ { first, 0, 0, 0xFF }, { first + 0x10000000, 1, 0, 0xFF } }, ST_OK, "");
    expect_windows((const uint64_t[][4]){ { first, 0, 0, 0xFF }, { last - 0x10000000, 1, 0, 0xFF } }, ST_OK, "");
    expect_windows((const uint64_t[][4]){ { first, 0, 0, 0xFF }, { first + 0x1000, 1, 0, 0 } }, ST_CORRUPT,
                   "base address is not a multiple of 1 MiB");
    expect_windows((const uint64_t[][4]){ { first, 0, 0, 0xFF }, { last - 0x0FF00000, 1, 0, 0xFF } }, ST_CORRUPT,
                   "a window beyond the 52 bits of an address");
    expect_windows((const uint64_t[][4]){ { first, 0, 0, 0xFF }, { 0xFFFFFFFFFFF00000, 1, 0, 0 } }, ST_CORRUPT,
                   "a window beyond the 52 bits of an address");
    expect_windows((const uint64_t[][4]){ { first, 0, 0, 0x80 }, { first + 0x20000000, 0, 0x80, 0xFF } }, ST_CORRUPT,
                   "two windows have the same bus");
    expect_windows((const uint64_t[][4]){ { first, 0, 0, 0xFF }, { first + 0x0FF00000, 1, 0, 0 } }, ST_CORRUPT,
                   "two windows overlap");
    expect_windows((const uint64_t[][4]){ { first + 0x10000000, 0, 0, 0 }, { first, 1, 0xF0, 0xFF } }, ST_OK, "");
}

Test(acpi_bad_tables, root_tables_that_list_themselves_end)
{
    acpi_finish(firmware_add(&f, "XSDT", 1)); /* a second root table among the tables */
    firmware_roots(&f, 2);
    firmware_list(&f, AT_XSDT); /* and the first one once more */
    firmware_map(&f);
    firmware_read(&f);
    cr_expect_eq(f.info.status, ST_OK);
    cr_expect_eq(f.info.n_tables, 3);
    cr_expect_str_eq(f.info.tables[1].what, "a root table is listed as a table");
    cr_expect_str_eq(f.info.tables[2].what, "listed before, at the same address");
}

Test(acpi_bad_tables, tables_that_cross_are_not_both_believed)
{
    static struct blob inner;
    struct blob *b = firmware_add(&f, "OEM1", 1);

    acpi_begin(&inner, "ERDT", 1);
    acpi_finish(&inner);
    memcpy(b->at + b->n, inner.at, inner.n); /* a whole good table inside another good one */
    b->n += inner.n;
    acpi_finish(b);
    firmware_roots(&f, 2);
    firmware_list(&f, AT(0) + 36);
    firmware_list(&f, AT(0)); /* and the first one listed twice */
    firmware_map(&f);
    firmware_read(&f);
    cr_expect_eq(f.info.n_tables, 4);
    cr_expect_eq(f.info.n_bad, 2);
    cr_expect_str_eq(f.info.tables[2].what, "overlaps a table that is listed before it");
    cr_expect_str_eq(f.info.tables[3].what, "listed before, at the same address");
    cr_expect_null(f.info.rdt[ACPI_ERDT].bytes);
}

Test(acpi_bad_tables, of_two_tables_of_a_kind_the_first_counts)
{
    firmware_add_madt(&f);
    firmware_add_madt(&f);
    firmware_load(&f, 2);
    cr_expect_eq(f.info.n_cpus, 3);
    cr_expect_eq(f.info.n_bad, 0);
    cr_expect_str_eq(f.info.tables[2].what, "second of its kind, left aside");
}

Test(acpi_bad_tables, entries_of_the_root_table_may_point_anywhere)
{
    firmware_add_madt(&f);
    firmware_roots(&f, 2);
    firmware_list(&f, 0);
    firmware_list(&f, UINT64_MAX - 3);
    firmware_list(&f, 0xDEAD000);
    firmware_map(&f);
    firmware_read(&f);
    cr_expect_eq(f.info.status, ST_OK);
    cr_expect_eq(f.info.n_tables, 5);
    cr_expect_eq(f.info.n_bad, 3);
    cr_expect_str_eq(f.info.tables[2].what, "its entry in the RSDT or XSDT is 0");
    cr_expect_eq(f.info.n_cpus, 3);
}

/* Every table cut off after every byte: nothing is read beyond it, and nothing crashes. */
Test(acpi_bad_tables, truncation_at_any_byte_is_survived)
{
    uint32_t uncut = 0, cut = 0;

    firmware_sound(&f, 2);
    for (uint32_t piece = 0; piece < f.memory.n_pieces; piece++) {
        size_t n = f.memory.pieces[piece].n;

        for (size_t keep = 0; keep < n; keep++) {
            f.memory.pieces[piece].n = keep;
            firmware_read(&f);
            if (piece == 1) /* the RSDT is not needed */
                uncut += f.info.n_bad == 0;
            else
                cut += f.info.n_bad > 0;
            acpi_free(&f.info);
        }
        f.memory.pieces[piece].n = n;
    }
    cr_expect_eq(uncut, f.rsdt.n);
    cr_expect_eq(cut, f.rsdp.n + f.xsdt.n + f.tables[0].n + f.tables[1].n + f.tables[2].n + f.tables[3].n);
}

/* What is written to configuration space there would go to memory. */
Test(acpi_bad_tables, a_window_of_configuration_space_in_memory_is_left_out_and_named)
{
    struct acpi_info *i = &f.info;

    firmware_sound(&f, 2);
    firmware_read(&f);
    cr_assert_eq(i->n_mcfg, 2);
    cr_expect_eq(acpi_drop_windows(i, 0xC0000000, 0x7F00000), 0, "below the window's first bus");
    cr_expect_eq(acpi_drop_windows(i, 0xC0000000, 0), 0);
    cr_expect_eq(acpi_drop_windows(i, 0xD0000000, 0x1000), 0, "after its last one");
    cr_expect_eq(i->n_bad, 0);
    cr_expect_eq(acpi_drop_windows(i, 0xCFFFF000, 0x10000000), 1);
    cr_assert_eq(i->n_mcfg, 1);
    cr_expect_eq(i->mcfg[0].segment, 0);
    cr_expect_eq(i->n_bad, 1);
    for (uint32_t t = 0; t < i->n_tables; t++)
        if (strcmp(i->tables[t].signature, "MCFG") == 0)
            cr_expect(i->tables[t].status == ST_CORRUPT && i->tables[t].what[0]);
}
