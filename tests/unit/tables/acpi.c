/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ACPI tables from firmware that tells the truth, and from firmware that does not. */
#include "arch/x86/tables/acpi.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/memory.h"

#define AT_RSDP UINT64_C(0x1000)
#define AT_RSDT UINT64_C(0x2000)
#define AT_XSDT UINT64_C(0x3000)
#define AT(i)   (UINT64_C(0x10000) + UINT64_C(0x2000) * (i))

/* An RSDP, an XSDT and an RSDT over up to eight tables. */
struct firmware {
    struct memory memory;
    struct blob rsdp, rsdt, xsdt, tables[8];
    uint32_t n;
    struct acpi_info info;
};

static struct blob *add(struct firmware *f, const char *signature, uint8_t revision)
{
    struct blob *b = &f->tables[f->n++];

    acpi_begin(b, signature, revision);
    return b;
}

static void roots(struct firmware *f, uint8_t revision)
{
    acpi_rsdp(&f->rsdp, revision, AT_RSDT, AT_XSDT);
    acpi_begin(&f->rsdt, "RSDT", 1);
    acpi_begin(&f->xsdt, "XSDT", 1);
    for (uint32_t i = 0; i < f->n; i++) {
        blob_put(&f->rsdt, AT(i), 4);
        blob_put(&f->xsdt, AT(i), 8);
    }
    acpi_finish(&f->rsdt);
    acpi_finish(&f->xsdt);
}

static void map(struct firmware *f)
{
    memory_init(&f->memory);
    f->memory.platform.rsdp = AT_RSDP;
    memory_add(&f->memory, AT_RSDP, f->rsdp.at, f->rsdp.n);
    memory_add(&f->memory, AT_RSDT, f->rsdt.at, f->rsdt.n);
    memory_add(&f->memory, AT_XSDT, f->xsdt.at, f->xsdt.n);
    for (uint32_t i = 0; i < f->n; i++)
        memory_add(&f->memory, AT(i), f->tables[i].at, f->tables[i].n);
}

static void read(struct firmware *f)
{
    cr_assert_eq(acpi_read(&f->memory.platform, &f->info), ST_OK);
}

static void madt_apic(struct blob *b, uint8_t apic_id, uint32_t flags)
{
    blob_put(b, 0, 1);
    blob_put(b, 8, 1);
    blob_put(b, apic_id, 1);
    blob_put(b, apic_id, 1);
    blob_put(b, flags, 4);
}

static void madt_x2apic(struct blob *b, uint32_t apic_id, uint32_t flags)
{
    blob_put(b, 9, 1);
    blob_put(b, 16, 1);
    blob_zero(b, 2);
    blob_put(b, apic_id, 4);
    blob_put(b, flags, 4);
    blob_put(b, apic_id, 4);
}

static void srat_cpu(struct blob *b, uint8_t apic_id, uint32_t proximity, uint32_t flags)
{
    blob_put(b, 0, 1);
    blob_put(b, 16, 1);
    blob_put(b, proximity, 1);
    blob_put(b, apic_id, 1);
    blob_put(b, flags, 4);
    blob_zero(b, 1);
    blob_put(b, proximity >> 8, 3);
    blob_zero(b, 4);
}

static void srat_x2apic(struct blob *b, uint32_t apic_id, uint32_t proximity, uint32_t flags)
{
    blob_put(b, 2, 1);
    blob_put(b, 24, 1);
    blob_zero(b, 2);
    blob_put(b, proximity, 4);
    blob_put(b, apic_id, 4);
    blob_put(b, flags, 4);
    blob_zero(b, 8);
}

static void srat_memory(struct blob *b, uint64_t base, uint64_t bytes, uint32_t proximity, uint32_t flags)
{
    blob_put(b, 1, 1);
    blob_put(b, 40, 1);
    blob_put(b, proximity, 4);
    blob_zero(b, 2);
    blob_put(b, base, 8);
    blob_put(b, bytes, 8);
    blob_zero(b, 4);
    blob_put(b, flags, 4);
    blob_zero(b, 8);
}

static void add_madt(struct firmware *f)
{
    struct blob *b = add(f, "APIC", 4);

    blob_put(b, 0xFEE00000, 4);
    blob_put(b, 1, 4);
    madt_apic(b, 2, 1);
    madt_x2apic(b, 0x100, 1);
    blob_put(b, 1, 1); /* an I/O APIC: not ours */
    blob_put(b, 12, 1);
    blob_zero(b, 10);
    madt_apic(b, 4, 2);
    acpi_finish(b);
}

static void add_srat(struct firmware *f, uint8_t revision)
{
    struct blob *b = add(f, "SRAT", revision);

    blob_put(b, 1, 4);
    blob_zero(b, 8);
    srat_cpu(b, 2, 0x01000003, 1);
    srat_cpu(b, 9, 1, 0); /* not enabled */
    srat_x2apic(b, 0x100, 7, 1);
    srat_memory(b, 0, 0x80000000, 3, 1);
    srat_memory(b, 0x100000000, 0x40000000, 7, 1 | 2);
    srat_memory(b, 0x200000000, 0x40000000, 7, 1 | 4);
    srat_memory(b, 0x300000000, 0x40000000, 7, 0); /* not enabled */
    srat_memory(b, 0x400000000, 0, 7, 1);          /* empty       */
    acpi_finish(b);
}

static void add_mcfg(struct firmware *f)
{
    struct blob *b = add(f, "MCFG", 1);

    blob_zero(b, 8);
    blob_put(b, 0x80000000, 8);
    blob_put(b, 0, 2);
    blob_put(b, 0, 1);
    blob_put(b, 0x7E, 1);
    blob_zero(b, 4);
    blob_put(b, 0xC0000000, 8);
    blob_put(b, 1, 2);
    blob_put(b, 0x7F, 1);
    blob_put(b, 0xFF, 1);
    blob_zero(b, 4);
    acpi_finish(b);
}

static struct blob *add_fadt(struct firmware *f, size_t bytes)
{
    struct blob *b = add(f, "FACP", 6);
    uint32_t port = 0x608, flags = 1u << 8;
    uint64_t wide = 0x508;

    blob_zero(b, 276 - b->n);
    memcpy(b->at + 76, &port, 4);
    b->at[91] = 4;
    memcpy(b->at + 112, &flags, 4);
    b->at[208] = 1;
    memcpy(b->at + 212, &wide, 8);
    b->n = bytes;
    acpi_finish(b);
    return b;
}

static struct firmware whole;

static struct firmware *honest(uint8_t revision)
{
    memset(&whole, 0, sizeof whole);
    add_madt(&whole);
    add_srat(&whole, 3);
    add_mcfg(&whole);
    add_fadt(&whole, 276);
    roots(&whole, revision);
    map(&whole);
    return &whole;
}

/* --- the truth */

Test(acpi, decodes_every_table_that_it_knows)
{
    struct firmware *f = honest(2);
    const struct acpi_info *i = &f->info;

    read(f);
    cr_assert_eq(i->status, ST_OK);
    cr_expect_str_eq(i->oem_id, "ASSAY");
    cr_expect_str_eq(i->oem_table_id, "TEST");
    cr_expect_eq(i->n_tables, 5, "the root table and four more");
    cr_expect_eq(i->n_bad, 0);
    cr_expect(i->madt && i->srat && i->mcfg_present);
    cr_assert_eq(i->n_cpus, 3);
    cr_expect(i->cpus[0].apic_id == 2 && i->cpus[0].flags == 1);
    cr_expect(i->cpus[1].apic_id == 0x100 && i->cpus[2].apic_id == 4 && i->cpus[2].flags == 2);
    cr_assert_eq(i->n_affinity_cpus, 2);
    cr_expect(i->affinity_cpus[0].apic_id == 2 && i->affinity_cpus[0].proximity == 0x01000003);
    cr_expect(i->affinity_cpus[1].apic_id == 0x100 && i->affinity_cpus[1].proximity == 7);
    cr_assert_eq(i->n_affinity_memory, 3);
    cr_expect(i->affinity_memory[0].bytes == 0x80000000 && i->affinity_memory[0].proximity == 3);
    cr_expect(i->affinity_memory[1].base == 0x100000000 && i->affinity_memory[1].hot_pluggable);
    cr_expect(!i->affinity_memory[1].non_volatile && i->affinity_memory[2].non_volatile);
    cr_assert_eq(i->n_mcfg, 2);
    cr_expect(i->mcfg[1].base == 0xC0000000 && i->mcfg[1].segment == 1);
    cr_expect(i->mcfg[1].first_bus == 0x7F && i->mcfg[1].last_bus == 0xFF);
    cr_expect(i->pm_timer_port == 0x508 && i->pm_timer_32bit);
    acpi_free(&f->info);
}

/* ACPI 5.2.5.3: before revision 2 there is an RSDT only. */
Test(acpi, a_version_1_root_pointer_leads_to_the_rsdt)
{
    struct firmware *f = honest(0);

    read(f);
    cr_expect_eq(f->info.status, ST_OK);
    cr_expect_str_eq(f->info.tables[0].signature, "RSDT");
    cr_expect_eq(f->info.n_cpus, 3);
    acpi_free(&f->info);
}

/* ACPI 5.2.16.1: the high bytes of a proximity domain are reserved before revision 2. */
Test(acpi, old_srat_revisions_have_domains_of_eight_bits)
{
    static struct firmware f;

    add_srat(&f, 1);
    roots(&f, 2);
    map(&f);
    read(&f);
    cr_assert_eq(f.info.n_affinity_cpus, 2);
    cr_expect_eq(f.info.affinity_cpus[0].proximity, 3);
    acpi_free(&f.info);
}

Test(acpi, a_short_fadt_still_has_its_old_timer_block)
{
    static struct firmware f;

    add_fadt(&f, 116);
    roots(&f, 2);
    map(&f);
    read(&f);
    cr_expect(f.info.pm_timer_port == 0x608 && f.info.pm_timer_32bit);
    acpi_free(&f.info);
    add_fadt(&f, 80)->n = 80; /* too short for the timer's length */
    f.tables[0] = f.tables[1];
    f.n = 1;
    roots(&f, 2);
    map(&f);
    read(&f);
    cr_expect_eq(f.info.pm_timer_port, 0);
    acpi_free(&f.info);
}

Test(acpi, tables_of_rdt_are_noticed)
{
    static struct firmware f;

    acpi_finish(add(&f, "ERDT", 1));
    acpi_finish(add(&f, "MRRM", 1));
    acpi_finish(add(&f, "IRDT", 1));
    roots(&f, 2);
    map(&f);
    read(&f);
    for (uint32_t i = 0; i < ACPI_RDT_TABLES; i++)
        cr_expect_not_null(f.info.rdt[i].bytes);
    acpi_free(&f.info);
}

/* --- lies */

Test(acpi, without_a_root_pointer_there_are_no_tables)
{
    struct firmware *f = honest(2);

    f->memory.platform.rsdp = 0;
    read(f);
    cr_expect_eq(f->info.status, ST_ABSENT);
    f->memory.platform.rsdp = 0xDEAD0000;
    read(f);
    cr_expect_eq(f->info.status, ST_CORRUPT);
    cr_expect_eq(f->info.tables[0].status, ST_PAGE_FAULT);
    acpi_free(&f->info);
}

Test(acpi, a_root_pointer_with_a_bad_checksum_is_not_followed)
{
    struct firmware *f = honest(2);

    f->rsdp.at[10] ^= 1;
    read(f);
    cr_expect_eq(f->info.status, ST_CORRUPT);
    cr_expect_eq(f->info.n_bad, 1);
    cr_expect_eq(f->info.n_cpus, 0);
    acpi_free(&f->info);
}

Test(acpi, a_bad_second_half_of_the_root_pointer_costs_the_xsdt_only)
{
    struct firmware *f = honest(2);

    f->rsdp.at[24] ^= 1;
    read(f);
    cr_expect_eq(f->info.status, ST_OK);
    cr_expect_str_eq(f->info.tables[0].signature, "RSDP");
    cr_expect_eq(f->info.tables[0].status, ST_CORRUPT);
    cr_expect_str_eq(f->info.tables[1].signature, "RSDT");
    cr_expect_eq(f->info.n_cpus, 3);
    acpi_free(&f->info);
}

Test(acpi, a_bad_xsdt_is_noted_and_the_rsdt_used)
{
    struct firmware *f = honest(2);

    f->xsdt.at[20] ^= 1;
    read(f);
    cr_expect_eq(f->info.status, ST_OK);
    cr_expect_str_eq(f->info.tables[0].signature, "XSDT");
    cr_expect_str_eq(f->info.tables[0].what, "bad checksum");
    cr_expect_eq(f->info.n_cpus, 3);
    acpi_free(&f->info);
    f->rsdt.at[20] ^= 1;
    read(f);
    cr_expect_eq(f->info.status, ST_CORRUPT);
    cr_expect_eq(f->info.n_cpus, 0);
    acpi_free(&f->info);
}

Test(acpi, a_table_with_a_bad_checksum_is_noted_and_not_used)
{
    struct firmware *f = honest(2);

    f->tables[0].at[50] ^= 1;
    read(f);
    cr_expect_eq(f->info.status, ST_OK);
    cr_expect(!f->info.madt && f->info.n_cpus == 0 && f->info.srat);
    cr_expect_eq(f->info.n_bad, 1);
    cr_expect_str_eq(f->info.tables[1].signature, "APIC");
    cr_expect_eq(f->info.tables[1].status, ST_CORRUPT);
    acpi_free(&f->info);
}

static void expect_bad(struct firmware *f, uint32_t table, enum status st, const char *what)
{
    read(f);
    cr_expect_eq(f->info.tables[table].status, st, "%s", what);
    cr_expect_str_eq(f->info.tables[table].what, what);
    cr_expect_eq(f->info.n_bad, 1, "%s", what);
    acpi_free(&f->info);
}

static void set_length(struct blob *b, uint32_t length)
{
    memcpy(b->at + 4, &length, sizeof length);
    blob_sum(b, 9, 0, b->n);
}

Test(acpi, lengths_that_lie_are_caught_before_the_table_is_read)
{
    struct firmware *f = honest(2);

    set_length(&f->tables[0], 35);
    expect_bad(f, 1, ST_CORRUPT, "shorter than its header");
    set_length(&f->tables[0], (16u << 20) + 1);
    expect_bad(f, 1, ST_CORRUPT, "longer than 16 MiB");
    set_length(&f->tables[0], (uint32_t)f->tables[0].n + 1);
    expect_bad(f, 1, ST_PAGE_FAULT, "cannot be read whole");
    set_length(&f->tables[0], 0x3000);
    expect_bad(f, 1, ST_PAGE_FAULT, "cannot be read whole");
    set_length(&f->tables[0], 40); /* sums up over the wrong length, and is too short for its fields */
    blob_sum(&f->tables[0], 9, 0, 40);
    expect_bad(f, 1, ST_CORRUPT, "an entry's length lies");
}

Test(acpi, entries_that_lie_cost_their_whole_table)
{
    struct firmware *f = honest(2);

    f->tables[0].at[45] = 0; /* an entry of no length would be stepped over for ever */
    acpi_finish(&f->tables[0]);
    expect_bad(f, 1, ST_CORRUPT, "an entry's length lies");
    f->tables[0].at[45] = 200;
    acpi_finish(&f->tables[0]);
    expect_bad(f, 1, ST_CORRUPT, "an entry's length lies");
    f->tables[0].at[45] = 1;
    acpi_finish(&f->tables[0]);
    expect_bad(f, 1, ST_CORRUPT, "an entry's length lies");
}

/* An entry that fills its place but is too short for its type is left out, the rest stands. */
Test(acpi, an_entry_that_is_too_short_for_its_type_is_left_out)
{
    static struct firmware f;
    struct blob *b = add(&f, "APIC", 4);

    blob_zero(b, 8);
    blob_put(b, 0x0400, 2); /* type 0, length 4 */
    blob_zero(b, 2);
    madt_apic(b, 6, 1);
    acpi_finish(b);
    roots(&f, 2);
    map(&f);
    read(&f);
    cr_assert_eq(f.info.n_cpus, 1);
    cr_expect_eq(f.info.cpus[0].apic_id, 6);
    acpi_free(&f.info);
}

Test(acpi, memory_beyond_the_address_space_costs_the_srat)
{
    static struct firmware f;
    struct blob *b = add(&f, "SRAT", 3);

    blob_zero(b, 12);
    srat_cpu(b, 0, 0, 1);
    srat_memory(b, UINT64_MAX - 0xFFF, 0x2000, 0, 1);
    acpi_finish(b);
    roots(&f, 2);
    map(&f);
    read(&f);
    cr_expect(!f.info.srat && f.info.n_affinity_cpus == 0 && f.info.n_affinity_memory == 0);
    cr_expect_eq(f.info.tables[1].status, ST_CORRUPT);
    acpi_free(&f.info);
}

Test(acpi, mcfg_buses_must_ascend_and_entries_be_whole)
{
    struct firmware *f = honest(2);

    f->tables[2].at[44 + 10] = 0x7F; /* first bus above last bus */
    acpi_finish(&f->tables[2]);
    expect_bad(f, 3, ST_CORRUPT, "last bus below first bus");
    f->tables[2].n -= 1;
    acpi_finish(&f->tables[2]);
    expect_bad(f, 3, ST_CORRUPT, "not a whole number of entries");
}

Test(acpi, root_tables_that_list_themselves_end)
{
    static struct firmware f;

    acpi_finish(add(&f, "XSDT", 1)); /* a second root table among the tables */
    roots(&f, 2);
    blob_put(&f.xsdt, AT_XSDT, 8); /* and the first one once more */
    acpi_finish(&f.xsdt);
    map(&f);
    read(&f);
    cr_expect_eq(f.info.status, ST_OK);
    cr_expect_eq(f.info.n_tables, 3);
    cr_expect_str_eq(f.info.tables[1].what, "a root table is listed as a table");
    cr_expect_str_eq(f.info.tables[2].what, "overlaps a table that is listed before it");
    acpi_free(&f.info);
}

Test(acpi, tables_that_cross_are_not_both_believed)
{
    static struct firmware f;
    static struct blob inner;
    struct blob *b = add(&f, "OEM1", 1);

    acpi_begin(&inner, "ERDT", 1);
    acpi_finish(&inner);
    memcpy(b->at + b->n, inner.at, inner.n); /* a whole good table inside another good one */
    b->n += inner.n;
    acpi_finish(b);
    roots(&f, 2);
    blob_put(&f.xsdt, AT(0) + 36, 8);
    blob_put(&f.xsdt, AT(0), 8); /* and the first one listed twice */
    acpi_finish(&f.xsdt);
    map(&f);
    read(&f);
    cr_expect_eq(f.info.n_tables, 4);
    cr_expect_eq(f.info.n_bad, 2);
    cr_expect_null(f.info.rdt[ACPI_ERDT].bytes);
    acpi_free(&f.info);
}

Test(acpi, of_two_tables_of_a_kind_the_first_counts)
{
    static struct firmware f;

    add_madt(&f);
    add_madt(&f);
    roots(&f, 2);
    map(&f);
    read(&f);
    cr_expect_eq(f.info.n_cpus, 3);
    cr_expect_eq(f.info.n_bad, 0);
    cr_expect_str_eq(f.info.tables[2].what, "second of its kind, left aside");
    acpi_free(&f.info);
}

Test(acpi, entries_of_the_root_table_may_point_anywhere)
{
    static struct firmware f;

    add_madt(&f);
    roots(&f, 2);
    blob_put(&f.xsdt, 0, 8);
    blob_put(&f.xsdt, UINT64_MAX - 3, 8);
    blob_put(&f.xsdt, 0xDEAD000, 8);
    acpi_finish(&f.xsdt);
    map(&f);
    read(&f);
    cr_expect_eq(f.info.status, ST_OK);
    cr_expect_eq(f.info.n_tables, 5);
    cr_expect_eq(f.info.n_bad, 3);
    cr_expect_eq(f.info.n_cpus, 3);
    acpi_free(&f.info);
}

/* Every table cut off after every byte: nothing is read beyond it, and nothing crashes. */
Test(acpi, truncation_at_any_byte_is_survived)
{
    struct firmware *f = honest(2);
    uint32_t uncut = 0, cut = 0;

    for (uint32_t piece = 0; piece < f->memory.n_pieces; piece++) {
        size_t n = f->memory.pieces[piece].n;

        for (size_t keep = 0; keep < n; keep++) {
            f->memory.pieces[piece].n = keep;
            read(f);
            if (piece == 1) /* the RSDT is not needed */
                uncut += f->info.n_bad == 0;
            else
                cut += f->info.n_bad > 0;
            acpi_free(&f->info);
        }
        f->memory.pieces[piece].n = n;
    }
    cr_expect_eq(uncut, f->rsdt.n);
    cr_expect_eq(cut, f->rsdp.n + f->xsdt.n + f->tables[0].n + f->tables[1].n + f->tables[2].n + f->tables[3].n);
}
