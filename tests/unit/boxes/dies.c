/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Boxes of parts whose packages have several dies, and of parts whose CPUID counts their counters. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "core/base/bits.h"
#include "core/base/search.h"
#include "core/base/text.h"
#include "core/boxes/boxes_find.h"
#include "core/uncore/pmon_session.h"
#include "tests/support/machine/fake_platform.h"

#define DF_FIRST 0xC0010240u
#define BUSES    0x300u

static struct fake f;
static struct machine m;
static struct pmon pmon;

static void tear_down(void)
{
    boxes_free(&pmon);
    fake_machine_free(&m);
}

TestSuite(boxes_dies, .fini = tear_down);

/* Eight processors, the nth of package n / a_package, die n % a_package. CPUID 80000001H: ECX[24] PerfCtrExtNB, ECX[28]
 * PerfCtrExtLLC (APM vol. 3 E.4.2). */
static void many_dies(uint32_t a_package, struct cpu_identity id)
{
    fake_init(&f, FAKE_CPUS);
    fake_machine(&f, &m);
    fake_cpuid(&f, FAKE_CPUS, 0x80000001, 0, 0, 0, 1u << 28 | 1u << 24, 0);
    m.n_packages = (FAKE_CPUS + a_package - 1) / a_package;
    free(m.packages);
    m.packages = calloc(m.n_packages, sizeof *m.packages);
    for (uint32_t i = 0; i < FAKE_CPUS; i++) {
        struct cpu *c = &m.cpus[i];

        c->id = id;
        c->package = i / a_package;
        c->place.package = c->package;
        c->place.die = i % a_package;
        if (m.packages[c->package].n_cpus++ == 0)
            m.packages[c->package] = (struct package){ .id = c->package, .first_cpu = i, .n_cpus = 1 };
    }
}

static const struct pmon_box *nth_box(const char *unit, uint32_t n)
{
    return FIND(i, pmon.n_boxes, text_equal(pmon.boxes[i].unit->name, unit) && n-- == 0, &pmon.boxes[i], NULL);
}

static void data_fabric(uint32_t counters)
{
    for (uint32_t i = 0; i < 2 * counters; i++)
        fake_msr(&f, DF_FIRST + i, 0);
}

Test(boxes_dies, each_die_of_naples_has_a_data_fabric)
{
    char name[48];

    many_dies(4, (struct cpu_identity){ .vendor = VENDOR_AMD, .family = 0x17, .model = 0x01 });
    data_fabric(4);
    cr_assert_eq(boxes_find(&f.platform, &m, &pmon), ST_OK);
    for (uint32_t i = 0; i < FAKE_CPUS; i++) {
        const struct pmon_box *df = nth_box("DF", i);

        cr_assert_not_null(df, "%u", i);
        cr_expect_eq(df->status, ST_OK);
        cr_expect_eq(df->package, i / 4);
        cr_expect_eq(df->die, i % 4);
        cr_expect_eq(df->cpu, i, "die %u is reached by processor %u", i, df->cpu);
    }
    cr_expect_null(nth_box("DF", FAKE_CPUS));
    pmon_box_name(nth_box("DF", 6), name);
    cr_expect_str_eq(name, "package 1 die 2 DF");
}

/* Zen 2 and later have one a package, whatever CPUID calls a die (80000026H: a chiplet with cores). */
Test(boxes_dies, a_package_of_rome_has_one_data_fabric)
{
    many_dies(4, (struct cpu_identity){ .vendor = VENDOR_AMD, .family = 0x17, .model = 0x31 });
    data_fabric(4);
    cr_assert_eq(boxes_find(&f.platform, &m, &pmon), ST_OK);
    cr_expect_eq(nth_box("DF", 1)->package, 1);
    cr_expect_null(nth_box("DF", 2));
}

Test(boxes_dies, a_lost_processor_is_replaced_by_one_of_its_die)
{
    struct pmon_box df;

    many_dies(4, (struct cpu_identity){ .vendor = VENDOR_AMD, .family = 0x17, .model = 0x01 });
    data_fabric(4);
    cr_assert_eq(boxes_find(&f.platform, &m, &pmon), ST_OK);
    df = *nth_box("DF", 1);
    m.cpus[3].place.die = 1;
    f.slots[1].flags |= CPU_LOST;
    cr_expect(box_alive(&f.platform, &m, &df));
    cr_expect_eq(df.cpu, 3);
    f.slots[3].flags |= CPU_LOST;
    cr_expect_not(box_alive(&f.platform, &m, &df), "processors of other dies reach another data fabric");
}

/* --- counters ----------------------------------------------------------------------------------------------------- */

/* Linux amd_uncore_df_ctx_scan(), amd_uncore_umc_ctx_scan(): EAX[0], EBX[15:10], EBX[21:16] over the bits of ECX. */
Test(boxes_dies, counters_are_as_many_as_cpuid_says)
{
    many_dies(FAKE_CPUS, (struct cpu_identity){ .vendor = VENDOR_AMD, .family = 0x19, .model = 0x11 });
    m.max_ext_leaf = 0x80000028;
    fake_cpuid(&f, FAKE_CPUS, 0x80000022, 0, 1, 12 << 16 | 6 << 10, 3, 0);
    data_fabric(6);
    for (uint32_t i = 0; i < 24; i++)
        fake_msr(&f, 0xC0010800 + i, 0);
    cr_assert_eq(boxes_find(&f.platform, &m, &pmon), ST_OK);
    cr_expect_eq(nth_box("DF", 0)->unit->layout->counters, 6);
    cr_expect_eq(nth_box("DF", 0)->status, ST_OK);
    cr_expect_eq(nth_box("UMC", 1)->unit->layout->counters, 6);
    cr_expect_eq(nth_box("UMC", 1)->base, 0xC001080C);
    cr_expect_eq(nth_box("UMC", 1)->status, ST_OK);
    cr_expect_null(nth_box("UMC", 2));
}

Test(boxes_dies, without_version_2_a_data_fabric_has_four_counters)
{
    many_dies(FAKE_CPUS, (struct cpu_identity){ .vendor = VENDOR_AMD, .family = 0x19, .model = 0x11 });
    m.max_ext_leaf = 0x80000028; /* EAX of the fake's leaf is its number: bit 0 is clear */
    data_fabric(4);
    cr_assert_eq(boxes_find(&f.platform, &m, &pmon), ST_OK);
    cr_expect_eq(nth_box("DF", 0)->unit->layout->counters, 4);
    cr_expect_eq(nth_box("DF", 0)->status, ST_OK);
    cr_expect_null(nth_box("UMC", 0));
}

/* Linux amd_uncore_df_ctx_init(): what CPUID says, whatever registers answer. */
Test(boxes_dies, a_leaf_that_counts_no_counters_has_no_data_fabric)
{
    many_dies(FAKE_CPUS, (struct cpu_identity){ .vendor = VENDOR_AMD, .family = 0x19, .model = 0x11 });
    m.max_ext_leaf = 0x80000028;
    fake_cpuid(&f, FAKE_CPUS, 0x80000022, 0, 1, 0, 0, 0);
    data_fabric(4);
    cr_assert_eq(boxes_find(&f.platform, &m, &pmon), ST_OK);
    cr_expect_null(nth_box("DF", 0));
}

/* --- Cascade Lake-AP ---------------------------------------------------------------------------------------------- */

#define UBOX_AT(bus) ((uint64_t)(bus) << 20 | 8 << 15 | 2 << 12)
#define IMC_AT(bus)  ((uint64_t)(bus) << 20 | 10 << 15 | 2 << 12)
#define BUS_OF(die)  (0x10u + 0x10u * (die))

static const struct cpu_identity cascade_lake = { .vendor = VENDOR_INTEL, .family = 6, .model = 0x55, .stepping = 7 };

static void buses_of_dies(void)
{
    struct fake_msr *buses = fake_msr(&f, BUSES, 0);

    for (uint32_t i = 0; i < FAKE_CPUS; i++) {
        fake_cell(&f, true, UBOX_AT(BUS_OF(i)), 0x20148086);
        fake_cell(&f, true, UBOX_AT(BUS_OF(i)) | 0xC0, i & 7);
        fake_cell(&f, true, UBOX_AT(BUS_OF(i)) | 0xD4, 076543210);
        fake_cell(&f, true, IMC_AT(BUS_OF(i)), 0x20428086);
        buses->value[i] = BIT(63) | BUS_OF(i);
    }
}

static void expect_channels_by_die(uint32_t a_package)
{
    for (uint32_t i = 0; i < FAKE_CPUS; i++) {
        const struct pmon_box *imc = NULL;

        for (uint32_t k = 0; k < pmon.n_boxes; k++)
            if (pmon.boxes[k].at.bus == BUS_OF(i) && text_equal(pmon.boxes[k].unit->name, "iMC"))
                imc = &pmon.boxes[k];
        cr_assert_not_null(imc, "die %u", i);
        cr_expect_eq(imc->package, i / a_package, "die %u: package %u", i, imc->package);
        cr_expect_eq(imc->die, i % a_package, "die %u: die %u of its package", i, imc->die);
    }
}

/* Linux snbep_pci2phy_map_init(): where packages have several dies, the position in the group map is a die's. */
Test(boxes_dies, the_group_map_is_of_dies)
{
    many_dies(2, cascade_lake);
    buses_of_dies();
    cr_assert_eq(boxes_find(&f.platform, &m, &pmon), ST_OK);
    expect_channels_by_die(2);
    cr_expect_eq(pmon.n_bus_faults, 0, "%s", pmon.bus_faults[0]);
    cr_expect_not(pmon.packages_guessed);
}

/* Its node ids have three bits: with nine dies the map is not asked, and each die's MSR 300H names its buses. */
Test(boxes_dies, more_than_eight_dies_say_their_buses_themselves)
{
    many_dies(3, cascade_lake);
    buses_of_dies();
    for (uint32_t i = 0; i < f.n_cells; i++) /* every die has node id 0 */
        if ((f.cells[i].address & 0xFFF) == 0xC0)
            f.cells[i].value = 0;
    cr_assert_eq(boxes_find(&f.platform, &m, &pmon), ST_OK);
    expect_channels_by_die(3);
    cr_expect_eq(pmon.n_bus_faults, 0, "%s", pmon.bus_faults[0]);
}

/* Linux 67d27727854d: one data fabric and its channels for each node id, CPUID 8000001EH:ECX[7:0], which is the processor's
 * number here. The words of leaf 80000022H are those of a family 1AH model 50H (openvelinux/kernel pull request 125): 16
 * counters of the fabric, 64 of 16 channels. */
Test(boxes_dies, each_node_of_later_parts_has_a_fabric_and_channels)
{
    const struct pmon_box *df;

    many_dies(2, (struct cpu_identity){ .vendor = VENDOR_AMD, .family = 0x1A, .model = 0x50 });
    m.max_ext_leaf = 0x80000028;
    fake_cpuid(&f, FAKE_CPUS, 0x80000022, 0, 1, 0x00404106, 0xFFFF, 0);
    for (uint32_t i = 0; i < FAKE_CPUS; i++)
        fake_cpuid(&f, i, 0x8000001E, 0, 0, 0, i, 0);
    data_fabric(16);
    cr_assert_eq(boxes_find(&f.platform, &m, &pmon), ST_OK);
    df = nth_box("DF", 3);
    cr_assert_not_null(df);
    cr_expect_eq(df->package, 1);
    cr_expect_eq(df->die, 1);
    cr_expect_eq(df->cpu, 3);
    cr_expect_eq(df->node, 3);
    cr_expect_eq(df->unit->layout->counters, 16);
    cr_assert_not_null(nth_box("UMC", 31), "sixteen channels of each node");
    cr_expect_eq(nth_box("UMC", 31)->unit->layout->counters, 4);
    cr_expect_eq(nth_box("UMC", 31)->number, 31);
    cr_expect_eq(nth_box("UMC", 31)->package, 0);
    cr_expect_eq(nth_box("UMC", 31)->base, 0xC0010800 + 15 * 8);
}

/* --- tables of core building blocks (Diamond Rapids) --------------------------------------------------------------- */

#define CBB_TABLE   0x710u /* Linux CBB_UNCORE_DISCOVERY_MSR */
#define TYPE_BROKEN 0x25u  /* SB2UCIE */
#define TYPE_SBO    38u
#define BY_MEMORY   (UINT64_C(1) << 62)
#define HIOPS       4u                   /* boxes of free-running counters, which no table has; they are listed first */
#define FROZEN      UINT64_C(0x80000001) /* freeze_all, and a bit that is to be left */

static const struct cpu_identity diamond = { .vendor = VENDOR_INTEL, .family = 0x13, .model = 1 };

/* Two units in memory after a global control in memory: one that is broken, and an SBO of this id. */
static void cbb_table(uint64_t at, uint64_t id)
{
    const uint64_t unit = BY_MEMORY | UINT64_C(8) << 24 | 48 << 16 | 0x40 << 8 | 4;
    const uint64_t words[] = {
        BY_MEMORY | 2 << 16 | 3 << 8, at + 0x1000, 0, unit, at + 0x2000, TYPE_BROKEN, unit, at + 0x3000,
        id << 16 | TYPE_SBO
    };

    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
        fake_cell(&f, false, at + 8 * i, words[i]);
    fake_cell(&f, false, at + 0x1000, FROZEN);
    fake_cell(&f, false, at + 0x3000, 0);
}

/* Linux uncore_discovery_msr(), uncore_mmio_global_init(), dmr_uncore_cbb_units_ignore. The second package has no such MSR. */
Test(boxes_dies, an_msr_of_each_block_leads_to_its_table_and_its_boxes_are_thawed)
{
    static const uint64_t tables[] = { 0x90000000, 0x91000000 };
    static struct tools tools;
    struct check c = { .platform = &f.platform, .machine = &m, .tools = &tools };
    struct fake_msr *leads;
    uint64_t value = 0;

    many_dies(4, diamond);
    leads = fake_msr(&f, CBB_TABLE, 0);
    for (uint32_t cpu = 0; cpu < FAKE_CPUS; cpu++) {
        leads->value[cpu] = tables[cpu / 2 % 2];
        leads->absent[cpu] = cpu >= 4;
    }
    cbb_table(tables[0], 3);
    cbb_table(tables[1], 0x8000);
    cr_assert_eq(boxes_find(&f.platform, &m, &tools.pmon), ST_OK);
    cr_assert_eq(tools.pmon.n_tables, 2);
    cr_assert_eq(tools.pmon.n_boxes, HIOPS + 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct pmon_box *box = &tools.pmon.boxes[HIOPS + i];

        cr_expect_str_eq(box->unit->name, "SBO");
        cr_expect_eq(box->base, tables[i] + 0x3000);
        cr_expect_eq(box->number, i ? 0x8000 : 3);
        cr_expect_eq(box->package, 0);
    }
    pmon_session_thaw(&c);
    for (uint32_t i = 0; i < 2; i++) {
        cr_assert_eq(mmio_read(&f.platform, tables[i] + 0x1000, 4, &value), ST_OK);
        cr_expect_eq(value, FROZEN & ~UINT64_C(1));
    }
    boxes_free(&tools.pmon);
}

/* A control in working memory is some program's data. */
Test(boxes_dies, a_global_control_in_memory_is_not_written)
{
    struct mem_range range = { .base = 0x90001000, .bytes = 0x1000 };

    many_dies(8, diamond);
    m.ranges = &range;
    m.n_ranges = 1;
    fake_msr(&f, CBB_TABLE, 0x90000000);
    cbb_table(0x90000000, 0);
    cr_assert_eq(boxes_find(&f.platform, &m, &pmon), ST_OK);
    cr_assert_eq(pmon.n_tables, 1);
    cr_expect_eq(pmon.tables[0].control, 0);
    cr_expect_eq(pmon.n_boxes, HIOPS + 1);
    m.ranges = NULL;
}

/* Linux dmr_iio_freerunning_box_offsets: HIOP 0, 1, 3 and 4, which no register leads to. Another leaves its address open. */
Test(boxes_dies, counters_at_fixed_addresses_are_the_first_packages)
{
    const struct pmon_box *hiop;
    uint64_t value = 0;

    many_dies(2, diamond);
    fake_cell(&f, false, 0x1FFFF6B07000 + 0x4D40, 0);
    fake_cell(&f, false, 0x1FFFF6B07000 + 0x6BB0, 0x1234);
    cr_assert_eq(boxes_find(&f.platform, &m, &pmon), ST_OK);
    hiop = nth_box("IIO-free", 3);
    cr_assert_not_null(hiop);
    cr_expect_eq(hiop->package, 0);
    cr_expect_eq(hiop->status, ST_OK);
    cr_assert_eq(pmon_counter_read(&f.platform, hiop, pmon_free_named(hiop->unit, "clockticks"), &value), ST_OK);
    cr_expect_eq(value, 0x1234);
    cr_expect_eq(nth_box("IIO-free", 2)->why, PMON_ABSENT);
    cr_expect_null(nth_box("IIO-free", 4));
}
