/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ACPI tables that are as the specification has them. */
#include "arch/x86/tables/acpi.h"

#include <criterion/criterion.h>

#include "tests/support/machine/acpi_firmware.h"

static struct firmware f;

static void tear_down(void)
{
    acpi_free(&f.info);
}

TestSuite(acpi, .fini = tear_down);

Test(acpi, decodes_every_table_that_it_knows)
{
    const struct acpi_info *i = &f.info;

    firmware_sound(&f, 2);
    firmware_read(&f);
    cr_assert_eq(i->status, ST_OK);
    cr_expect_str_eq(i->oem_id, "ASSAY");
    cr_expect_str_eq(i->oem_table_id, "SILICON");
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
}

/* ACPI 5.2.5.3: before revision 2 there is an RSDT only. */
Test(acpi, a_version_1_root_pointer_leads_to_the_rsdt)
{
    firmware_sound(&f, 0);
    firmware_read(&f);
    cr_expect_eq(f.info.status, ST_OK);
    cr_expect_str_eq(f.info.tables[0].signature, "RSDT");
    cr_expect_eq(f.info.n_cpus, 3);
}

/* ACPI 5.2.16.1: the high bytes of a proximity domain are reserved before revision 2. */
Test(acpi, old_srat_revisions_have_domains_of_eight_bits)
{
    firmware_add_srat(&f, 1);
    firmware_load(&f, 2);
    cr_assert_eq(f.info.n_affinity_cpus, 2);
    cr_expect_eq(f.info.affinity_cpus[0].proximity, 3);
}

Test(acpi, a_short_fadt_still_has_its_old_timer_block)
{
    firmware_add_fadt(&f, 116);
    firmware_load(&f, 2);
    cr_expect(f.info.pm_timer_port == 0x608 && f.info.pm_timer_32bit);
    acpi_free(&f.info);
    firmware_add_fadt(&f, 80)->n = 80; /* too short for the timer's length */
    f.tables[0] = f.tables[1];
    f.n = 1;
    firmware_load(&f, 2);
    cr_expect_eq(f.info.pm_timer_port, 0);
}

Test(acpi, tables_of_rdt_are_noticed)
{
    acpi_finish(firmware_add(&f, "ERDT", 1));
    acpi_finish(firmware_add(&f, "MRRM", 1));
    acpi_finish(firmware_add(&f, "IRDT", 1));
    firmware_load(&f, 2);
    for (uint32_t i = 0; i < ACPI_RDT_TABLES; i++)
        cr_expect_not_null(f.info.rdt[i].bytes);
}
