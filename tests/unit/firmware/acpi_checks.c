/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The checks of ACPI tables, on a machine whose tables agree with it, and on machines where one thing is wrong. */
#include <criterion/criterion.h>

#include "arch/x86/tables/acpi_rdt.h"
#include "tests/support/machine/fake_checks.h"
#include "tests/support/data/table_file.h"

#define RMDD 64u
#define CACD (RMDD + 34u)
#define CMRC (CACD + 24u + 16u)
#define MMRC (CMRC + 48u)
#define MARC (MMRC + 60u)
#define CMRD (MARC + 48u + 4u)

static struct fake_checks fc;
static struct table_file tables[ACPI_RDT_TABLES];
static struct acpi_affinity_memory memory[2];

/* Four processors with APIC ids 0, 2, 4, 6 in one L3, as the tables have it. */
static void set_up(void)
{
    struct machine *m = &fc.machine;

    fake_checks_init(&fc, 4);
    tables[ACPI_ERDT] = table_file("erdt");
    tables[ACPI_MRRM] = table_file("mrrm");
    tables[ACPI_IRDT] = table_file("irdt");
    for (uint32_t i = 0; i < ACPI_RDT_TABLES; i++)
        m->acpi.rdt[i] = (struct acpi_raw){ tables[i].at, tables[i].n };
    memory[0] = (struct acpi_affinity_memory){ .base = 0, .bytes = UINT64_C(1) << 31 };
    memory[1] = (struct acpi_affinity_memory){ .base = UINT64_C(1) << 32, .bytes = UINT64_C(1) << 32 };
    m->acpi.srat = true;
    m->acpi.affinity_memory = memory;
    m->acpi.n_affinity_memory = 2;
    m->domains[0].max_rmid = 63;
    m->domains[0].l3_ways = 12;
    m->domains[0].upscaling_factor = 65536;
    m->cpus[m->reference].rdt.non_cpu_cmt = true;
    m->cpus[m->reference].rdt.l3.known = m->cpus[m->reference].rdt.l3.non_cpu = true;
}

static void tear_down(void)
{
    memset(&fc.machine.acpi, 0, sizeof fc.machine.acpi); /* nothing of it is on the heap */
    fake_checks_free(&fc);
}

TestSuite(acpi_checks, .init = set_up, .fini = tear_down);

static const char *const static_checks[] = { "acpi.erdt", "acpi.erdt-blocks", "acpi.erdt-cpuid", "acpi.mrrm",
                                             "acpi.irdt" };

Test(acpi_checks, pass_where_tables_and_machine_agree)
{
    for (uint32_t i = 0; i < sizeof static_checks / sizeof static_checks[0]; i++) {
        struct check_record c = fake_checks_run(&fc, static_checks[i]);

        cr_expect_eq(c.verdict, VERDICT_PASS, "%s: %s", static_checks[i], c.reason);
    }
}

Test(acpi_checks, skip_where_there_are_no_tables)
{
    memset(fc.machine.acpi.rdt, 0, sizeof fc.machine.acpi.rdt);
    fc.machine.acpi.status = ST_ABSENT;
    for (uint32_t i = 0; i < sizeof static_checks / sizeof static_checks[0]; i++)
        cr_expect_eq(fake_checks_verdict(&fc, static_checks[i]), VERDICT_SKIP, "%s", static_checks[i]);
    cr_expect_eq(fake_checks_verdict(&fc, "acpi.erdt-control"), VERDICT_SKIP);
    cr_expect_eq(fake_checks_verdict(&fc, "acpi.tables"), VERDICT_SKIP);
}

struct wrong {
    const char *id;
    enum acpi_rdt_table table;
    uint32_t at;
    uint8_t value;
    enum verdict verdict;
};

Test(acpi_checks, find_what_is_wrong_in_a_table)
{
    static const struct wrong wrongs[] = {
        { "acpi.erdt", ACPI_ERDT, CACD + 6, 8, VERDICT_FAIL },             /* a domain that is not there */
        { "acpi.erdt", ACPI_ERDT, 40, 1, VERDICT_WARN },                   /* reserved                   */
        { "acpi.erdt-blocks", ACPI_ERDT, CMRC + 24, 8, VERDICT_FAIL },     /* base not aligned           */
        { "acpi.erdt-blocks", ACPI_ERDT, CMRC + 27, 0x7F, VERDICT_FAIL },  /* base in memory             */
        { "acpi.erdt-blocks", ACPI_ERDT, CMRC + 12, 2, VERDICT_FAIL },     /* index function             */
        { "acpi.erdt-blocks", ACPI_ERDT, CMRC + 36, 0, VERDICT_FAIL },     /* no register in a run       */
        { "acpi.erdt-blocks", ACPI_ERDT, CMRC + 39, 0x20, VERDICT_FAIL },  /* stride beyond the block    */
        { "acpi.erdt-blocks", ACPI_ERDT, MMRC + 32, 1, VERDICT_FAIL },     /* block too short            */
        { "acpi.erdt-blocks", ACPI_ERDT, MMRC + 36, 63, VERDICT_FAIL },    /* counter width              */
        { "acpi.erdt-blocks", ACPI_ERDT, MARC + 16 + 1, 1, VERDICT_FAIL }, /* optimal values not aligned */
        { "acpi.erdt-cpuid", ACPI_ERDT, RMDD + 20, 62, VERDICT_WARN },     /* highest RMID               */
        { "acpi.erdt-cpuid", ACPI_ERDT, RMDD + 9, 11, VERDICT_WARN },      /* ways                       */
        { "acpi.erdt-cpuid", ACPI_ERDT, CMRC + 42, 2, VERDICT_WARN },      /* bytes a count              */
        { "acpi.erdt-cpuid", ACPI_ERDT, CACD + 12, 0, VERDICT_WARN },      /* one listed twice           */
        { "acpi.mrrm", ACPI_MRRM, 36, 1, VERDICT_FAIL },                   /* regions                    */
        { "acpi.mrrm", ACPI_MRRM, 64 + 40 + 13, 1, VERDICT_FAIL },         /* where SRAT has nothing     */
        { "acpi.irdt", ACPI_IRDT, 48 + 13 + 8, 9, VERDICT_FAIL },          /* an id that is not there    */
    };

    for (uint32_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        const struct wrong *w = &wrongs[i];
        uint8_t *byte = &tables[w->table].at[w->at], before = *byte;
        struct check_record c;

        *byte = w->value;
        c = fake_checks_run(&fc, w->id);
        cr_expect_eq(c.verdict, w->verdict, "%s, byte 0x%x = 0x%x: %s, %s", w->id, w->at, w->value,
                     verdict_text(c.verdict), c.reason);
        *byte = before;
    }
}

/* A second domain, which is not of I/O, of processors that firmware does not list. */
Test(acpi_checks, domains_of_processors_have_the_same_blocks_of_processors)
{
    struct acpi_raw *raw = &fc.machine.acpi.rdt[ACPI_ERDT];
    uint8_t *second = tables[ACPI_ERDT].at + raw->length;

    memcpy(second, tables[ACPI_ERDT].at + RMDD, CMRD - RMDD);
    memcpy(second + 2, &(uint16_t){ CMRD - RMDD }, 2);
    second[4] = ERDT_RMDD_CPU_L3;
    second[18] = 8;
    for (uint32_t i = 0; i < 4; i++)
        second[CACD - RMDD + 8 + 4 * i] = (uint8_t)(0x40 + i);
    raw->length += CMRD - RMDD;
    cr_expect_eq(fake_checks_verdict(&fc, "acpi.erdt-cpuid"), VERDICT_PASS);
    second[CMRC - RMDD] = ERDT_TYPES;
    cr_expect_eq(fake_checks_verdict(&fc, "acpi.erdt-cpuid"), VERDICT_WARN, "no CMRC");
}

/* A range that SRAT has and MRRM has not. */
Test(acpi_checks, memory_without_a_region_warns)
{
    memory[1].bytes *= 2;
    cr_expect_eq(fake_checks_verdict(&fc, "acpi.mrrm"), VERDICT_WARN);
    memory[1].hot_pluggable = true;
    cr_expect_eq(fake_checks_verdict(&fc, "acpi.mrrm"), VERDICT_PASS);
}

/* Regions are then no business of firmware's. */
Test(acpi_checks, regions_that_the_operating_system_assigns_are_recorded)
{
    memory[1].bytes *= 2;
    tables[ACPI_MRRM].at[36] = 1;
    tables[ACPI_MRRM].at[37] = MRRM_REGION_ASSIGNMENT_OS;
    cr_expect_eq(fake_checks_verdict(&fc, "acpi.mrrm"), VERDICT_PASS);
}

Test(acpi_checks, a_table_that_does_not_add_up_fails_if_it_is_read)
{
    fc.machine.acpi.n_tables = 1;
    fc.machine.acpi.n_bad = 1;
    fc.machine.acpi.tables[0] = (struct acpi_table_note){ "SRAT", 0x1000, ST_CORRUPT, "bad checksum", 80 };
    cr_expect_eq(fake_checks_verdict(&fc, "acpi.tables"), VERDICT_FAIL);
    fc.machine.acpi.tables[0] = (struct acpi_table_note){ "OEM1", 0x1000, ST_CORRUPT, "bad checksum", 80 };
    cr_expect_eq(fake_checks_verdict(&fc, "acpi.tables"), VERDICT_WARN);
    fc.machine.acpi.tables[0] = (struct acpi_table_note){ "SRAT", 0x1000, ST_OK, "", 80 };
    cr_expect_eq(fake_checks_verdict(&fc, "acpi.tables"), VERDICT_PASS);
    fc.machine.acpi.n_tables = 2;
    fc.machine.acpi.tables[1] = (struct acpi_table_note){ "SRAT", 0x1000, ST_CORRUPT, "listed before", 80 };
    cr_expect_eq(fake_checks_verdict(&fc, "acpi.tables"), VERDICT_WARN, "the same one twice");
}

/* RDT_CTRL is 4 after reset: total mode. */
Test(acpi_checks, a_domain_in_region_mode_is_noticed)
{
    struct fake_cell *control = fake_cell(&fc.fake, false, 0xFE600000, RDT_CTRL_TME);
    struct fake_cell *optimal;

    for (uint64_t block = 0xFE200000; block <= 0xFE202000; block += 0x1000)
        for (uint64_t clos = 0; clos < 15; clos++)
            fake_cell(&fc.fake, false, block + 8 * clos, 0x01FF01FF01FF01FF);
    optimal = &fc.fake.cells[1];
    cr_expect_eq(fake_checks_verdict(&fc, "acpi.erdt-control"), VERDICT_PASS);
    optimal->value = 0x10;
    cr_expect_eq(fake_checks_verdict(&fc, "acpi.erdt-control"), VERDICT_PASS, "in total mode these say nothing");
    control->value = 0;
    cr_expect_eq(fake_checks_verdict(&fc, "acpi.erdt-control"), VERDICT_WARN);
}
