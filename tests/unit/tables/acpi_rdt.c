/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ERDT, MRRM and IRDT as 356688 lays them out, and as firmware may get them wrong. */
#include "arch/x86/tables/acpi_rdt.h"

#include <criterion/criterion.h>
#include <string.h>

#include "core/base/search.h"
#include "tests/support/data/table_file.h"

/* Offsets in tests/fuzz/seeds/fuzz_erdt/erdt. */
#define RMDD 64u
#define CACD (RMDD + 34u)
#define DACD (CACD + 24u)
#define CMRC (DACD + 16u)
#define MMRC (CMRC + 48u)

static struct erdt decode(const struct table_file *f)
{
    struct erdt t;

    cr_assert_eq(erdt_decode(f->at, f->n, &t), ST_OK);
    return t;
}

Test(erdt, is_decoded_field_by_field)
{
    struct table_file f = table_file("erdt");
    struct erdt t = decode(&f);

    cr_expect_eq(t.defects.n, 0, "%s at 0x%x", t.defects.list[0].rule, t.defects.list[0].offset);
    cr_expect_eq(t.max_clos, 14);
    cr_assert_eq(t.n_domains, 1);
    cr_expect_eq(t.domains[0].id, 7);
    cr_expect_eq(t.domains[0].flags, ERDT_RMDD_CPU_L3 | ERDT_RMDD_IO_L3);
    cr_expect_eq(t.domains[0].io_slices, 4);
    cr_expect_eq(t.domains[0].log2_sets, 11);
    cr_expect_eq(t.domains[0].ways, 12);
    cr_expect_eq(t.domains[0].max_rmid, 63);
    cr_expect_eq(t.domains[0].control_base, 0xFE600000);
    cr_expect_eq(t.domains[0].n_cpus, 4);
    cr_expect_eq(t.apic_ids[3], 6);
    cr_expect_eq(t.domains[0].blocks[ERDT_CMRC].base[0], 0xFE000000);
    cr_expect_eq(t.domains[0].blocks[ERDT_CMRC].stride, 256);
    cr_expect_eq(t.domains[0].blocks[ERDT_CMRC].scale, 65536);
    cr_expect_eq(t.domains[0].blocks[ERDT_MMRC].width, 44);
    cr_expect_eq(t.domains[0].blocks[ERDT_MMRC].n_factors, 1);
    cr_expect_eq(t.domains[0].blocks[ERDT_MARC].base[2], 0xFE202000);
    cr_expect_eq(t.domains[0].blocks[ERDT_MARC].range, 511);
    cr_expect_eq(t.domains[0].blocks[ERDT_IBRD].at_miss, 2048);
    cr_expect_eq(t.domains[0].blocks[ERDT_CARD].shared, 3);
    erdt_free(&t);
}

/* Every length, cut anywhere: what is handed out lies inside. The sanitizers say so. */
Test(erdt, cut_anywhere_is_a_defect_and_nothing_more)
{
    struct table_file f = table_file("erdt");

    for (uint32_t n = 9; n < f.n; n++) {
        uint8_t *exact = malloc(n);
        struct erdt t;

        memcpy(exact, f.at, n);
        cr_assert_eq(erdt_decode(exact, n, &t), ST_OK);
        cr_expect_gt(t.defects.n, 0, "%u bytes", n);
        erdt_free(&t);
        free(exact);
    }
}

struct wrong {
    uint32_t at, bytes;
    uint64_t value;
    bool shape;
    const char *rule;
};

static void expect_defect(const struct wrong *w)
{
    struct table_file f = table_file("erdt");
    struct erdt t;

    memcpy(f.at + w->at, &w->value, w->bytes);
    t = decode(&f);
    cr_expect(ANY_OF(i, t.defects.n < ACPI_DEFECTS ? t.defects.n : ACPI_DEFECTS,
                     strstr(t.defects.list[i].rule, w->rule) && t.defects.list[i].shape == w->shape),
              "0x%x = 0x%lx: no \"%s\"", w->at, (unsigned long)w->value, w->rule);
    erdt_free(&t);
}

Test(erdt, names_the_rule_that_is_broken)
{
    static const struct wrong wrongs[] = {
        { 40, 1, 1, false, "reserved" },
        { RMDD + 10, 1, 1, false, "reserved" },
        { RMDD + 2, 2, 0xFFFF, true, "length" },
        { CACD + 2, 2, 0, true, "length" },
        { CACD, 2, 9, true, "ascend" },
        { CACD + 6, 2, 8, true, "not there" },
        { DACD + 6, 2, 1, true, "not there" },
        { DACD + 9, 1, 7, true, "device" },
        { DACD + 8, 1, 3, false, "neither" },
        { CMRC, 2, ERDT_IBRD, true, "shorter" },
        { MMRC + 45, 1, 1, false, "reserved" },
        { MMRC + 52, 4, 2, true, "factors" },
        { MMRC + 52, 4, 0x40000001, true, "factors" },
    };

    for (uint32_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++)
        expect_defect(&wrongs[i]);
}

Test(erdt, two_domains_of_one_id_are_a_defect)
{
    struct table_file f = table_file("erdt");
    uint32_t domain = f.n - RMDD;
    struct erdt t;

    memcpy(f.at + f.n, f.at + RMDD, domain);
    f.n += domain;
    t = decode(&f);
    cr_expect_eq(t.n_domains, 2);
    cr_expect_eq(t.defects.n, 1);
    erdt_free(&t);
}

Test(erdt, of_another_revision_is_not_decoded)
{
    struct table_file f = table_file("erdt");
    struct erdt t;

    f.at[8] = 2;
    cr_expect_eq(erdt_decode(f.at, f.n, &t), ST_UNSUPPORTED);
    cr_expect_eq(t.revision, 2);
    cr_expect_eq(t.n_domains, 0);
}

/* 356688 chapter 5: CMT at base + (r / clump) x stride + (r mod clump) x 8; MBM at ((r mod 32) / 8) x 16384 +
 * ((r / 32) x 8 + r mod 8) x 8 + g x 2048. */
Test(erdt, registers_are_where_the_rules_say)
{
    struct erdt_block cmrc = { .clump = 32, .stride = 256 }, none = { .clump = 0 };

    cr_expect_eq(erdt_cmt_offset(&cmrc, 0), 0);
    cr_expect_eq(erdt_cmt_offset(&cmrc, 33), 264);
    cr_expect_eq(erdt_cmt_offset(&none, 1), UINT64_MAX);
    cr_expect_eq(erdt_mbm_offset(7, 0), 56);
    cr_expect_eq(erdt_mbm_offset(8, 0), 16384);
    cr_expect_eq(erdt_mbm_offset(41, 3), 16384 + (8 + 1) * 8 + 3 * 2048);
    cr_expect_eq(erdt_io_offset(257, 512, 256), 4096 + 512 + 8);
    cr_expect_eq(erdt_mba_offset(3, 5), 512 + 24);
}

Test(erdt, a_block_must_reach_its_last_register)
{
    struct erdt t = { .max_clos = 14 };
    struct erdt_domain d = { .max_rmid = 40 };

    d.blocks[ERDT_CMRC] = (struct erdt_block){ .clump = 32, .stride = 64 };
    cr_expect_eq(erdt_needed_bytes(&t, &d, ERDT_CMRC, 1), 31 * 8 + 8); /* RMID 31 lies after RMID 40 */
    cr_expect_eq(erdt_needed_bytes(&t, &d, ERDT_MMRC, 1), 3 * 16384 + 7 * 8 + 8);
    cr_expect_eq(erdt_needed_bytes(&t, &d, ERDT_MARC, 5), 512 + 14 * 8 + 8);
    cr_expect_eq(erdt_needed_bytes(&t, &d, ERDT_CARD, 1), 0);
    d.blocks[ERDT_CMRD].clump = 0;
    cr_expect_eq(erdt_needed_bytes(&t, &d, ERDT_CMRD, 1), UINT64_MAX);
}

Test(mrrm, is_decoded_and_its_ranges_are_judged)
{
    struct table_file f = table_file("mrrm");
    struct mrrm t;

    cr_assert_eq(mrrm_decode(f.at, f.n, &t), ST_OK);
    cr_expect_eq(t.defects.n, 0);
    cr_assert_eq(t.n_ranges, 2);
    cr_expect_eq(t.ranges[1].base, UINT64_C(1) << 32);
    cr_expect_eq(t.ranges[1].local_id, 1);
    mrrm_free(&t);

    f.at[36] = 1; /* regions: the second range has number 1 */
    cr_assert_eq(mrrm_decode(f.at, f.n, &t), ST_OK);
    cr_expect_eq(t.defects.n, 1);
    mrrm_free(&t);

    f.at[36] = 2;
    f.at[64 + 40 + 12] = 0; /* it begins at 0, where the first is */
    cr_assert_eq(mrrm_decode(f.at, f.n, &t), ST_OK);
    cr_expect_eq(t.defects.n, 1);
    cr_expect_not_null(strstr(t.defects.list[0].rule, "overlap"));
    mrrm_free(&t);
}

static uint32_t irdt_defects(uint32_t at, uint8_t value)
{
    struct table_file f = table_file("irdt");
    struct irdt t;

    f.at[at] = value;
    cr_assert_eq(irdt_decode(f.at, f.n, &t), ST_OK);
    return t.defects.n;
}

Test(irdt, ids_are_unique_and_resolve_and_lengths_add_up)
{
    struct table_file f = table_file("irdt");
    struct irdt t;
    uint32_t unit = 48, device = unit + 13, link = device + 24;

    cr_assert_eq(irdt_decode(f.at, f.n, &t), ST_OK);
    cr_expect_eq(t.defects.n, 0);
    cr_expect_eq(t.n_units, 1);
    cr_expect_eq(t.n_links, 1);
    cr_expect_eq(t.n_sources, 1);
    cr_expect_eq(t.io_flags, IRDT_MONITORING | IRDT_CONTROL);
    cr_expect_eq(irdt_defects(unit + 4, 12), 1, "shorter than its fields");
    cr_expect_eq(irdt_defects(unit + 5, 1), 1, "longer than the table");
    cr_expect_eq(irdt_defects(device + 8, 6), 1, "a structure that is not there");
    cr_expect_eq(irdt_defects(device + 9, 0), 0, "no valid channel: it names none");
    cr_expect_geq(irdt_defects(link + 2, 39), 1);
    cr_expect_eq(irdt_defects(link + 7, 0), 1, "no channel");
    cr_expect_eq(irdt_defects(link + 14, 1), 1, "reserved");
}
