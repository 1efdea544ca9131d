/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/pmon/pmon_discovery.h"

#include <criterion/criterion.h>

#include "arch/x86/pmon_parts/pmon_parts.h"
#include "core/base/bits.h"

/* A table of 4 qwords stride, as intel/pcm and Linux read it. */
#define STRIDE 4u
struct words {
    uint64_t at[64];
    uint32_t n;
};

static enum status read_words(void *context, uint64_t offset, uint64_t *qword)
{
    struct words *w = context;

    if (offset / 8 >= w->n)
        return ST_PAGE_FAULT;
    *qword = w->at[offset / 8];
    return ST_OK;
}

static const struct pmon_discovery *discovery(void)
{
    return pmon_sapphire.discovery;
}

/* Global state: type 0, access MSR, room for `units`, control at 2FF0H. */
static struct words table(uint32_t units)
{
    struct words w = { .n = (units + 1) * STRIDE };

    w.at[0] = (uint64_t)units << 16 | STRIDE << 8;
    w.at[1] = 0x2FF0;
    return w;
}

static void set_unit(struct words *w, uint32_t i, uint64_t q0, uint64_t address, uint32_t type, uint32_t id)
{
    w->at[(i + 1) * STRIDE] = q0;
    w->at[(i + 1) * STRIDE + 1] = address;
    w->at[(i + 1) * STRIDE + 2] = (uint64_t)id << 16 | type;
}

/* 4 counters of 48 bits; by MSR the CHA has its controls at +2 and its counters at +8; by MMIO the iMC at +40H, +8. */
#define CHA_WORD (UINT64_C(8) << 24 | 48 << 16 | 2 << 8 | 4)
#define IMC_WORD (UINT64_C(1) << 62 | UINT64_C(8) << 24 | 48 << 16 | 0x40 << 8 | 4)
#define UPI_WORD (UINT64_C(2) << 62 | UINT64_C(8) << 24 | 48 << 16 | 0x38 << 8 | 4)

static struct pmon_table t;

Test(pmon_discovery, decodes_global_state_and_units)
{
    struct words w = table(3);

    set_unit(&w, 0, CHA_WORD, 0x2000, 0, 0);
    set_unit(&w, 1, IMC_WORD, 0xFB022800, 6, 1);
    cr_assert_eq(pmon_table_parse(discovery(), read_words, &w, &t), ST_OK);
    cr_expect_eq(t.status, ST_OK);
    cr_expect_eq(t.global, 0x2FF0);
    cr_expect_eq(t.stride, 4);
    cr_expect_eq(t.n_empty, 1);
    cr_assert_eq(t.n_entries, 2);
    cr_expect_null(t.entries[0].defect);
    cr_expect_eq(t.entries[0].counters, 4);
    cr_expect_eq(t.entries[0].width, 48);
    cr_expect_eq(t.entries[1].access, 1);
    cr_expect_eq(t.entries[1].id, 1);
    cr_expect_eq(t.entries[1].address, 0xFB022800);
    pmon_table_free(&t);
}

Test(pmon_discovery, a_unit_has_its_registers_where_the_entry_says)
{
    struct words w = table(2);
    struct pmon_made_unit made;
    struct pmon_box box;

    set_unit(&w, 0, CHA_WORD, 0x2010, 0, 1);
    /* segment 1, bus 7EH, device 1, function 1, offset 318H */
    set_unit(&w, 1, UPI_WORD, UINT64_C(1) << 28 | 0x7E << 20 | 1 << 15 | 1 << 12 | 0x318, 8, 0);
    cr_assert_eq(pmon_table_parse(discovery(), read_words, &w, &t), ST_OK);
    cr_assert_eq(t.n_entries, 2);
    pmon_entry_unit(discovery(), &t.entries[0], &made);
    pmon_entry_box(&t.entries[0], &made.unit, &box);
    cr_expect_str_eq(made.unit.name, "CHA");
    cr_expect_eq(pmon_address(&box, pmon_box_ctl(&made.unit)), 0x2010);
    cr_expect_eq(pmon_address(&box, pmon_ctl(&made.unit, 3)), 0x2015);
    cr_expect_eq(pmon_address(&box, pmon_ctr(&made.unit, 3)), 0x201B);
    pmon_entry_unit(discovery(), &t.entries[1], &made);
    pmon_entry_box(&t.entries[1], &made.unit, &box);
    cr_expect_str_eq(made.unit.name, "UPI");
    cr_expect_eq(box.at.segment, 1);
    cr_expect_eq(box.at.bus, 0x7E);
    cr_expect_eq(box.at.device, 1);
    cr_expect_eq(box.at.function, 1);
    cr_expect_eq(pmon_box_ctl(&made.unit).offset, 0x318);
    cr_expect_eq(pmon_ctl(&made.unit, 1).offset, 0x358);
    cr_expect_eq(pmon_ctl(&made.unit, 1).bytes, 8);
    cr_expect_eq(pmon_ctr(&made.unit, 1).offset, 0x328);
    pmon_table_free(&t);
}

/* Linux DMR_IMC_PMON_FIXED_CTR, _CTL; format thresh10 begins at bit 23, and controls by memory are dwords. */
Test(pmon_discovery, diamond_rapids_has_its_memory_channels_fixed_counter_elsewhere)
{
    struct words w = table(1);
    struct pmon_made_unit made;

    set_unit(&w, 0, IMC_WORD, 0xFB022800, 6, 0x8000);
    cr_assert_eq(pmon_table_parse(pmon_diamond.discovery, read_words, &w, &t), ST_OK);
    cr_assert_eq(t.n_entries, 1);
    pmon_entry_unit(pmon_diamond.discovery, &t.entries[0], &made);
    cr_expect_str_eq(made.unit.name, "iMC");
    cr_expect_eq(made.layout.fixed.ctl, 0x10);
    cr_expect_eq(made.layout.fixed.ctr, 0x18);
    cr_expect_eq(made.layout.control->thresh, BITS(31, 23));
    cr_expect_eq(made.layout.control->invert, 0);
    pmon_table_free(&t);
}

static const struct {
    uint64_t q0, address;
    const char *says;
} bad[] = {
    { UINT64_MAX, 0x2000, "all ones" },
    { 0, 0x2000, "no counter" },
    { CHA_WORD, 0, "address 0" },
    { CHA_WORD | UINT64_C(3) << 62, 0x2000, "access type" },
    { CHA_WORD & ~UINT64_C(0xFF), 0x2000, "1 to 8" },
    { CHA_WORD | 0xFF, 0x2000, "1 to 8" },
    { (CHA_WORD & ~(UINT64_C(0xFF) << 16)) | 47 << 16, 0x2000, "width" },
    { (CHA_WORD & ~UINT64_C(0xFF00)) | 8 << 8, 0x2000, "over its counters" },
    { CHA_WORD & ~UINT64_C(0xFF00), 0x2000, "unit control" },
    { CHA_WORD, 0xFB022800, "MSR number" },
    { CHA_WORD, 0xFFF5, "MSR number" },         /* its last counter is MSR 10000H */
    { CHA_WORD, UINT64_MAX - 1, "MSR number" }, /* the sum wraps                  */
    { UPI_WORD, 0x31A, "aligned" },
    { UPI_WORD | 0x68 << 24, 0xF90, "end of configuration space" }, /* its last counter is at 1010H */
};

Test(pmon_discovery, an_entry_that_lies_is_kept_with_the_rule_it_breaks)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct words w = table(1);

        set_unit(&w, 0, bad[i].q0, bad[i].address, bad[i].q0 >> 63 ? 8 : 0, 0);
        cr_assert_eq(pmon_table_parse(discovery(), read_words, &w, &t), ST_OK);
        cr_assert_eq(t.n_entries, 1, "%zu", i);
        cr_expect(t.entries[0].fatal, "%s", bad[i].says);
        cr_expect_eq(t.entries[0].unused, bad[i].q0 == 0 || bad[i].address == 0, "%s", bad[i].says);
        cr_expect_not_null(strstr(t.entries[0].defect, bad[i].says), "%s: %s", bad[i].says, t.entries[0].defect);
        pmon_table_free(&t);
    }
}

Test(pmon_discovery, two_entries_of_one_address_or_one_id_are_not_both_right)
{
    struct words w = table(3);

    set_unit(&w, 0, CHA_WORD, 0x2000, 0, 0);
    set_unit(&w, 1, CHA_WORD, 0x2000, 0, 1);
    set_unit(&w, 2, CHA_WORD, 0x2020, 0, 0);
    cr_assert_eq(pmon_table_parse(discovery(), read_words, &w, &t), ST_OK);
    cr_assert_eq(t.n_entries, 3);
    cr_expect_null(t.entries[0].defect);
    cr_expect_not_null(strstr(t.entries[1].defect, "address is that of another"));
    cr_expect(t.entries[1].fatal);
    cr_expect_not_null(strstr(t.entries[2].defect, "id is that of another"));
    pmon_table_free(&t);
}

Test(pmon_discovery, tables_of_nonsense_are_refused_whole)
{
    struct words empty = { .n = 8 }, ones = { .n = 8 }, narrow = table(1), cut = table(4);

    memset(ones.at, 0xFF, sizeof ones.at);
    narrow.at[0] = 1 << 16 | 2 << 8;
    cr_assert_eq(pmon_table_parse(discovery(), read_words, &empty, &t), ST_OK);
    cr_expect_eq(t.status, ST_CORRUPT);
    cr_assert_eq(pmon_table_parse(discovery(), read_words, &ones, &t), ST_OK);
    cr_expect_eq(t.status, ST_CORRUPT);
    ones.at[0] = 1 << 16 | STRIDE << 8;
    ones.at[1] = 0x2FF0; /* Linux refuses ones in the third word too */
    cr_assert_eq(pmon_table_parse(discovery(), read_words, &ones, &t), ST_OK);
    cr_expect_eq(t.status, ST_CORRUPT);
    cr_assert_eq(pmon_table_parse(discovery(), read_words, &narrow, &t), ST_OK);
    cr_expect_eq(t.status, ST_CORRUPT);
    cr_expect_not_null(strstr(t.defect, "stride"));
    cut.n = 8; /* the memory ends after the first unit */
    cr_assert_eq(pmon_table_parse(discovery(), read_words, &cut, &t), ST_OK);
    cr_expect_eq(t.status, ST_PAGE_FAULT);
    pmon_table_free(&t);
}
