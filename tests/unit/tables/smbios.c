/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SMBIOS tables from firmware that tells the truth, and from firmware that does not. */
#include "arch/x86/tables/smbios.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/machine/memory.h"

#define AT_ENTRY UINT64_C(0xF0000)
#define AT_TABLE UINT64_C(0x123FF0) /* crosses a page soon */

struct firmware {
    struct memory memory;
    struct blob entry, table;
    struct smbios_info info;
};

static void put_bios(struct blob *b, const char *strings)
{
    size_t s = smbios_begin(b, 0);

    BLOB_PUT(b, U16(0x0201), /* vendor 1, version 2 */
             U16(0xE000), U8(3), ZEROS(15));
    smbios_end(b, s, strings);
}

static void put_system(struct blob *b, const char *strings)
{
    size_t s = smbios_begin(b, 1);

    blob_put(b, 0x04030201, 4);
    for (uint8_t i = 0; i < 16; i++)
        blob_put(b, 0x10u + i, 1);
    blob_zero(b, 3);
    smbios_end(b, s, strings);
}

static void put_processor(struct blob *b, uint8_t type, uint8_t status, uint8_t cores, uint16_t cores2,
                          const char *strings)
{
    size_t s = smbios_begin(b, 4), formatted = s + 0x30;

    BLOB_PUT(b, U8(1), U8(type), ZEROS(10), U8(2), ZEROS(7), U8(status));
    blob_zero(b, formatted - b->n);
    b->at[s + 0x23] = cores;
    b->at[s + 0x25] = cores;
    memcpy(b->at + s + 0x2A, &cores2, 2);
    memcpy(b->at + s + 0x2E, &cores2, 2);
    smbios_end(b, s, strings);
}

static void put_dimm(struct blob *b, uint16_t size, uint32_t extended, uint8_t memory_type)
{
    size_t s = smbios_begin(b, 17);

    BLOB_PUT(b, ZEROS(8), U16(size), ZEROS(0x12 - 0x0E), U8(memory_type), ZEROS(0x1C - 0x13), U32(extended));
    smbios_end(b, s, "");
}

/* One that says all of itself. */
static void put_told_dimm(struct blob *b, uint16_t mts)
{
    size_t s = smbios_begin(b, 17), formatted = s + 0x5C;

    blob_zero(b, formatted - b->n);
    b->at[s + 0x0D] = 0x40; /* 16 GiB */
    b->at[s + 0x10] = 1;
    b->at[s + 0x11] = 2;
    b->at[s + 0x12] = 0x22;
    b->at[s + 0x15] = b->at[s + 0x16] = 0xFF; /* rated: 70000 MT/s */
    memcpy(b->at + s + 0x54, &(uint32_t){ 0x80000000u | 70000 }, 4);
    b->at[s + 0x17] = 3;
    b->at[s + 0x18] = 4;
    b->at[s + 0x1A] = 5;
    b->at[s + 0x1B] = 0xF2;
    memcpy(b->at + s + 0x20, &mts, 2);
    smbios_end(b, s, "CPU1_DIMM_A1|NODE 0|Maker|0123|PART-1   ");
}

static void put_rest(struct blob *b)
{
    size_t s = smbios_begin(b, 2);

    blob_put(b, 0x04030201, 4);
    smbios_end(b, s, "Board Maker|Board|B1|BSN");
    s = smbios_begin(b, 11);
    blob_put(b, 2, 1);
    smbios_end(b, s, "Virtual silicon: Assay model|second");
    put_processor(b, 3, 0x41, 18, 18, "CPU1|Xeon one");
    put_processor(b, 3, 0x41, 0xFF, 288, "CPU2|Xeon two");
    put_processor(b, 3, 0x00, 0, 0, "CPU3|");
    put_processor(b, 4, 0x41, 4, 4, "FPU|");
    put_dimm(b, 16384, 0, 0x1A);
    put_dimm(b, 0x7FFF, 65536, 0x22);
    put_dimm(b, 0x8000 | 512, 0, 0x07);
    put_dimm(b, 0, 0, 0x1A);
    put_dimm(b, 0xFFFF, 0, 0x1A);
    smbios_end(b, smbios_begin(b, 127), "");
}

static void map(struct firmware *f)
{
    memory_init(&f->memory);
    f->memory.platform.smbios = AT_ENTRY;
    memory_add(&f->memory, AT_ENTRY, f->entry.at, f->entry.n);
    memory_add(&f->memory, AT_TABLE, f->table.at, f->table.n);
}

/* A 2.x entry point in place of the other one. */
static void use_2x_entry(struct firmware *f, size_t bytes, uint16_t n_structures)
{
    smbios_entry_2x(&f->entry, AT_TABLE, (uint16_t)bytes, n_structures);
    f->memory.pieces[0].n = f->entry.n;
}

static void load(struct firmware *f)
{
    smbios_read(&f->memory.platform, &f->info);
}

static struct firmware whole;

static void sound(void)
{
    struct firmware *f = &whole;

    memset(f, 0, sizeof *f);
    put_bios(&f->table, "Firmware Maker|1.2.3|11/21/2026");
    put_system(&f->table, "Maker  |Server 9000|v1|SN123");
    put_rest(&f->table);
    smbios_entry_3x(&f->entry, SMBIOS_3_2, AT_TABLE, 0x4000); /* a maximum: more than is there */
    map(f);
}

/* Pages are read whole, so the table's memory must reach to the end of one. */
static void pad(struct firmware *f)
{
    size_t end = (size_t)((AT_TABLE + f->table.n + 0xFFF) & ~UINT64_C(0xFFF));

    memset(f->table.at + f->table.n, 0xA5, sizeof f->table.at - f->table.n);
    f->memory.pieces[1].n = end - AT_TABLE < sizeof f->table.at ? end - AT_TABLE : sizeof f->table.at;
}

static void expect_whole(const struct smbios_info *i)
{
    cr_expect_eq(i->status, ST_OK);
    cr_expect_str_eq(i->bios_vendor, "Firmware Maker");
    cr_expect_str_eq(i->bios_version, "1.2.3");
    cr_expect_str_eq(i->bios_release_date, "11/21/2026");
    cr_expect_str_eq(i->system_manufacturer, "Maker", "blanks at the end are dropped");
    cr_expect_str_eq(i->system_product_name, "Server 9000");
    cr_expect_str_eq(i->system_version, "v1");
    cr_expect_str_eq(i->system_serial_number, "SN123");
    cr_expect_str_eq(i->system_uuid, "13121110-1514-1716-1819-1a1b1c1d1e1f");
    cr_expect_str_eq(i->baseboard_manufacturer, "Board Maker");
    cr_expect_str_eq(i->baseboard_product_name, "Board");
    cr_expect_str_eq(i->baseboard_version, "B1");
    cr_expect_str_eq(i->baseboard_serial_number, "BSN");
    cr_expect_eq(i->n_oem_strings, 2);
    cr_expect_str_eq(i->oem_strings[0], "Virtual silicon: Assay model");
    cr_expect_str_eq(i->oem_strings[1], "second");
    cr_expect_eq(i->n_sockets, 3);
    cr_expect_eq(i->n_sockets_populated, 2);
    cr_expect_str_eq(i->sockets[0].designation, "CPU1");
    cr_expect_str_eq(i->sockets[0].version, "Xeon one");
    cr_expect(i->sockets[0].cores == 18 && i->sockets[0].populated);
    cr_expect(i->sockets[1].cores == 288 && i->sockets[1].threads == 288);
    cr_expect(!i->sockets[2].populated);
    cr_expect_eq(i->n_dimms, 3);
    cr_expect_eq(i->n_ddr_dimms, 2, "DDR4 and DDR5; RAM of no kind is no module");
    cr_expect_eq(i->ddr_least, UINT64_C(16384) << 20);
    cr_expect_eq(i->ddr_most, UINT64_C(65536) << 20);
    cr_expect_eq(i->dimm_bytes, (UINT64_C(16384) + 65536) * 1024 * 1024 + UINT64_C(512) * 1024);
}

static struct firmware *const f = &whole;

TestSuite(smbios, .init = sound);

Test(smbios, reads_a_3x_table_under_dmidecodes_names)
{
    pad(f);
    load(f);
    expect_whole(&f->info);
    cr_expect(f->info.major == 3 && f->info.minor == 2);
}

Test(smbios, reads_a_2x_table)
{
    use_2x_entry(f, f->table.n, 14);
    load(f);
    expect_whole(&f->info);
    cr_expect(f->info.major == 2 && f->info.minor == 8);
}

/* DSP0134 7.18. */
Test(smbios, describes_each_module)
{
    const struct smbios_dimm *d = f->info.dimms;

    memset(f, 0, sizeof *f);
    put_dimm(&f->table, 0, 0, 0x1A);
    put_told_dimm(&f->table, 4800);
    put_dimm(&f->table, 16384, 0, 0x07);
    put_told_dimm(&f->table, 0);
    for (uint32_t i = 0; i < SMBIOS_DIMMS; i++) { /* as of version 2.1 */
        size_t s = smbios_begin(&f->table, 17);

        BLOB_PUT(&f->table, ZEROS(8), U16(1), ZEROS(0x15 - 0x0E));
        smbios_end(&f->table, s, "");
    }
    smbios_end(&f->table, smbios_begin(&f->table, 127), "");
    smbios_entry_3x(&f->entry, SMBIOS_3_2, AT_TABLE, 0x8000);
    map(f);
    pad(f);
    load(f);
    cr_expect_eq(f->info.status, ST_OK);
    cr_expect_str_eq(d[0].locator, "CPU1_DIMM_A1");
    cr_expect_str_eq(d[0].bank, "NODE 0");
    cr_expect_str_eq(d[0].manufacturer, "Maker");
    cr_expect_str_eq(d[0].serial_number, "0123");
    cr_expect_str_eq(d[0].part_number, "PART-1");
    cr_expect_str_eq(d[0].type, "DDR5");
    cr_expect(d[0].bytes == UINT64_C(16) << 30 && d[0].mts == 4800 && d[0].ranks == 2);
    cr_expect(d[1].type == NULL && d[1].mts == 0 && d[1].ranks == 0 && d[1].locator[0] == 0);
    cr_expect_eq(f->info.n_dimms, SMBIOS_DIMMS + 3, "more than are described are counted");
    cr_expect_eq(f->info.n_dimm_slots, SMBIOS_DIMMS + 4);
    cr_expect_eq(d[2].mts, 70000, "not configured: as rated");
}

/* DSP0134 5.2.1: the number of structures bounds the table too. */
Test(smbios, a_2x_table_ends_after_its_number_of_structures)
{
    use_2x_entry(f, f->table.n, 1);
    load(f);
    cr_expect_eq(f->info.status, ST_OK);
    cr_expect_str_eq(f->info.bios_version, "1.2.3");
    cr_expect_str_eq(f->info.system_manufacturer, "");
}

/* DSP0134 7.2.1: before 2.6 the UUID was a plain string of bytes. */
Test(smbios, the_uuids_byte_order_depends_on_the_version)
{
    use_2x_entry(f, f->table.n, 13);
    f->entry.at[7] = 5;
    blob_sum(&f->entry, 4, 0, 31);
    load(f);
    cr_expect_str_eq(f->info.system_uuid, "10111213-1415-1617-1819-1a1b1c1d1e1f");
    memset(f->table.at + f->table.n, 0, 1);
    for (size_t i = 0; i + 16 < f->table.n; i++)
        if (f->table.at[i] == 0x10 && f->table.at[i + 1] == 0x11 && f->table.at[i + 2] == 0x12)
            memset(f->table.at + i, 0xFF, 16);
    load(f);
    cr_expect_str_eq(f->info.system_uuid, "Not Present");
}

Test(smbios, without_an_entry_point_nothing_is_known)
{
    f->memory.platform.smbios = 0;
    load(f);
    cr_expect_eq(f->info.status, ST_ABSENT);
    f->memory.platform.smbios = 0xDEAD000;
    load(f);
    cr_expect_eq(f->info.status, ST_PAGE_FAULT);
}

Test(smbios, entry_points_with_bad_checksums_or_lengths_are_not_believed)
{
    f->entry.at[12] ^= 1;
    load(f);
    cr_expect_eq(f->info.status, ST_CORRUPT);
    cr_expect_str_eq(f->info.bios_vendor, "");
    sound();
    f->entry.at[6] = 200;
    blob_sum(&f->entry, 5, 0, 24);
    load(f);
    cr_expect_eq(f->info.status, ST_CORRUPT);
    sound();
    use_2x_entry(f, f->table.n, 13);
    f->entry.at[0x18] ^= 1; /* the second checksum's part, with the first one put right */
    blob_sum(&f->entry, 4, 0, 31);
    load(f);
    cr_expect_eq(f->info.status, ST_CORRUPT);
    memcpy(f->entry.at, "_DMI_", 5);
    load(f);
    cr_expect_eq(f->info.status, ST_CORRUPT);
}

Test(smbios, a_table_that_cannot_be_read_says_so)
{
    f->memory.pieces[1].base += 0x100000;
    load(f);
    cr_expect_eq(f->info.status, ST_PAGE_FAULT);
}

Test(smbios, what_was_read_before_the_damage_stands)
{
    pad(f);
    for (size_t i = 24; i + 4 < f->table.n; i++) {
        if (f->table.at[i] == 0 && f->table.at[i + 1] == 0 && f->table.at[i + 2] == 1) { /* the type 1 structure */
            f->table.at[i + 3] = 3;                                                      /* shorter than its header */
            break;
        }
    }
    load(f);
    cr_expect_eq(f->info.status, ST_CORRUPT);
    cr_expect_str_eq(f->info.bios_version, "1.2.3");
    cr_expect_str_eq(f->info.system_manufacturer, "");
}

Test(smbios, strings_are_made_printable_and_cut)
{
    static struct firmware own;
    static char strings[300];

    memset(strings, 'x', 200);
    strings[200] = '|';
    memcpy(strings + 201,
           "a\tb\xFF"
           "c",
           6);
    put_bios(&own.table, strings);
    smbios_end(&own.table, smbios_begin(&own.table, 127), "");
    smbios_entry_2x(&own.entry, AT_TABLE, (uint16_t)own.table.n, 2);
    map(&own);
    load(&own);
    cr_expect_eq(own.info.status, ST_OK);
    cr_expect_eq(strlen(own.info.bios_vendor), SMBIOS_TEXT - 1);
    cr_expect_str_eq(own.info.bios_vendor + SMBIOS_TEXT - 5, "x...", "it says that it is cut");
    cr_expect_str_eq(own.info.bios_version, "a.b.c");
    cr_expect_str_eq(own.info.bios_release_date, "", "string 3 of two");
}

Test(smbios, a_structure_that_is_too_short_for_a_field_has_none)
{
    static struct firmware own;
    size_t s;

    s = smbios_begin(&own.table, 4);
    BLOB_PUT(&own.table, U8(1), U8(3));
    smbios_end(&own.table, s, "SOCKET");
    s = smbios_begin(&own.table, 1);
    blob_put(&own.table, 1, 1);
    smbios_end(&own.table, s, "Maker");
    s = smbios_begin(&own.table, 11); /* a count of strings without strings */
    blob_put(&own.table, 200, 1);
    smbios_end(&own.table, s, "");
    smbios_end(&own.table, smbios_begin(&own.table, 127), "");
    smbios_entry_2x(&own.entry, AT_TABLE, (uint16_t)own.table.n, 4);
    map(&own);
    load(&own);
    cr_expect_eq(own.info.status, ST_OK);
    cr_expect_str_eq(own.info.sockets[0].designation, "SOCKET");
    cr_expect(own.info.n_sockets == 1 && own.info.n_sockets_populated == 0 && own.info.sockets[0].cores == 0);
    cr_expect_str_eq(own.info.system_manufacturer, "Maker");
    cr_expect_str_eq(own.info.system_uuid, "");
    cr_expect_eq(own.info.n_oem_strings, 200);
    cr_expect_str_eq(own.info.oem_strings[7], "");
}

/* Cut off after every byte: the bytes after are not there, and are not asked for. */
Test(smbios, truncation_at_any_byte_is_survived)
{
    uint32_t whole_reads = 0;

    for (size_t keep = 0; keep < f->table.n; keep++) {
        use_2x_entry(f, keep, 100);
        f->memory.pieces[1].n = keep;
        load(f);
        whole_reads += f->info.status == ST_OK;
    }
    cr_expect_eq(whole_reads, 14, "only a cut between structures goes unnoticed: %u", whole_reads);
}
