/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a machine is called and what it has: serial numbers, NUMA nodes and memory, whether it is virtual silicon. */
#include "core/machine/machine.h"

#include <criterion/criterion.h>
#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "tests/support/cpuid_rig.h"

static struct machine m;
static struct rig *r;

static void set_up(void)
{
    r = rig_new();
}

static void tear_down(void)
{
    machine_free(&m);
}

TestSuite(machine_identity, .init = set_up, .fini = tear_down);

static void enumerate(void)
{
    cr_assert_eq(machine_enumerate(&r->memory.platform, &m), ST_OK);
}

/* --- serial numbers */

/* SDM vol. 4, MSR_PPIN_CTL: readable while Enable_PPIN is set; LockOut keeps it as it is until reset. */
Test(machine_identity, the_ppin_is_read_only_where_firmware_enabled_it)
{
    rig_msr(r, 0, MSR_PPIN_CTL, 2);
    rig_msr(r, 0, MSR_PPIN, 0x1122334455667788);
    rig_msr(r, 1, MSR_PPIN_CTL, 1);
    rig_msr(r, 1, MSR_PPIN, 1);
    rig_msr(r, 2, MSR_PPIN_CTL, 0);
    rig_msr(r, 2, MSR_PPIN, 1);
    rig_msr(r, 3, MSR_PPIN_CTL, 3); /* enabled, but the number raises #GP */
    enumerate();
    cr_expect(m.cpus[0].ppin_status == ST_OK && m.cpus[0].ppin == 0x1122334455667788);
    cr_expect(m.cpus[1].ppin_status == ST_FAULT && m.cpus[1].ppin == 0, "locked out");
    cr_expect(m.cpus[2].ppin_status == ST_UNSUPPORTED && m.cpus[2].ppin == 0, "enabling it would be a write");
    cr_expect(m.cpus[3].ppin_status == ST_FAULT && m.cpus[3].ppin == 0);
    cr_expect_eq(m.cpus[4].ppin_status, ST_ABSENT, "the model has it, this part does not");
    cr_expect_eq(r->wrmsrs, 0);
}

Test(machine_identity, parts_without_a_ppin_are_not_asked_for_one)
{
    rig_cpuid(r, RIG_CPUS, 1, 0, 0x000506E3, 0x00080800, 0, 1u << 28); /* Skylake client */
    rig_msr(r, RIG_CPUS, MSR_PPIN_CTL, 2);
    rig_msr(r, RIG_CPUS, MSR_PPIN, 42);
    enumerate();
    cr_expect(m.cpus[0].ppin_status == ST_ABSENT && m.cpus[0].ppin == 0);
    machine_free(&m);
    rig_cpuid(r, RIG_CPUS, 7, 1, 0, 1, 0, 0); /* SDM vol. 2A leaf 7 sub-leaf 1 EBX[0] */
    enumerate();
    cr_expect(m.cpus[0].ppin_status == ST_OK && m.cpus[0].ppin == 42);
}

/* APM vol. 3 E.4.7: 80000008H EBX[23]. The patch level is in the low half. */
Test(machine_identity, amd_has_its_own_ppin_and_patch_level)
{
    rig_cpuid(r, RIG_CPUS, 0, 0, 0x10, 0x68747541, 0x444D4163, 0x69746E65);
    rig_cpuid(r, RIG_CPUS, 1, 0, 0x00A10F11, 0x00080800, 0, 1u << 28);
    rig_cpuid(r, RIG_CPUS, 0x80000008u, 0, 0, 1u << 23, 0, 0);
    rig_msr(r, RIG_CPUS, IA32_BIOS_SIGN_ID, UINT64_C(0x0A101111));
    rig_msr(r, RIG_CPUS, AMD_PPIN_CTL, 2);
    rig_msr(r, RIG_CPUS, AMD_PPIN, 7);
    enumerate();
    cr_expect_eq(m.cpus[0].microcode, 0x0A101111);
    cr_expect(m.cpus[0].ppin_status == ST_OK && m.cpus[0].ppin == 7);
}

Test(machine_identity, a_microcode_register_that_faults_gives_no_revision)
{
    r->n_msrs = 0;
    enumerate();
    cr_expect(m.cpus[0].microcode_status == ST_FAULT && m.cpus[0].microcode == 0);
    cr_expect_eq(m.n_disagreements, 0);
}

/* --- nodes and memory */

Test(machine_identity, nodes_are_those_of_the_srat_ascending_by_domain)
{
    rig_srat(r);
    for (uint32_t i = 0; i < RIG_CPUS; i++)
        if (i != 3)
            acpi_srat_x2apic(&r->srat, r->slots[i].apic_id, i < 4 ? 7 : 2, 1);
    acpi_srat_x2apic(&r->srat, 0x77, 9, 1); /* a processor that is not there makes no node */
    acpi_srat_memory(&r->srat, 0, 0x80000000, 7, 1);
    acpi_srat_memory(&r->srat, 0x100000000, 0x80000000, 7, 1);
    acpi_srat_memory(&r->srat, 0x200000000, 0x80000000, 2, 1);
    acpi_srat_memory(&r->srat, 0x300000000, 0x80000000, 5, 1);
    acpi_srat_memory(&r->srat, 0x400000000, 0x80000000, 2, 1 | 4); /* non-volatile */
    rig_map_tables(r);
    enumerate();
    cr_expect(m.srat_present);
    cr_assert_eq(m.n_nodes, 3);
    cr_expect(m.nodes[0].proximity == 2 && m.nodes[0].n_cpus == 4 && m.nodes[0].package == 1);
    cr_expect(m.nodes[1].proximity == 5 && m.nodes[1].n_cpus == 0 && m.nodes[1].package == NO_PACKAGE);
    cr_expect(m.nodes[2].proximity == 7 && m.nodes[2].n_cpus == 3 && m.nodes[2].package == 0);
    cr_expect_eq(m.nodes[2].memory_bytes, UINT64_C(0x100000000));
    cr_expect(m.cpus[0].node == 2 && m.cpus[7].node == 0 && m.cpus[3].node == NO_NODE);
    cr_assert_eq(m.n_ranges, 4, "persistent memory is no place to work in");
    cr_expect(m.ranges[2].base == 0x200000000 && m.ranges[2].node == 0);
    cr_expect_eq(m.memory_bytes, UINT64_C(0x200000000));
}

Test(machine_identity, without_srat_one_node_has_everything)
{
    enumerate();
    cr_expect_not(m.srat_present);
    cr_assert_eq(m.n_nodes, 1);
    cr_expect(m.nodes[0].n_cpus == 8 && m.nodes[0].package == 0 && m.n_ranges == 0);
    cr_expect_eq(m.cpus[7].node, 0);
    cr_expect_eq(m.acpi.status, ST_ABSENT);
    cr_expect_eq(m.smbios.status, ST_ABSENT);
}

Test(machine_identity, an_srat_without_memory_or_without_processors_is_of_no_use)
{
    rig_srat(r);
    for (uint32_t i = 0; i < RIG_CPUS; i++)
        acpi_srat_x2apic(&r->srat, r->slots[i].apic_id, i / 4, 1);
    rig_map_tables(r);
    enumerate();
    cr_expect(m.acpi.srat && !m.srat_present && m.n_nodes == 1);
    machine_free(&m);
    r = rig_new();
    rig_srat(r);
    acpi_srat_memory(&r->srat, 0, 0x80000000, 0, 1);
    rig_map_tables(r);
    enumerate();
    cr_expect(m.acpi.srat && !m.srat_present && m.n_nodes == 1);
}

/* --- virtual silicon */

#define AT_ENTRY UINT64_C(0x8000)
#define AT_TABLE UINT64_C(0x9000)

static void oem_string(const char *text)
{
    size_t s = smbios_begin(&r->table, 11);

    blob_put(&r->table, 1, 1);
    smbios_end(&r->table, s, text);
    s = smbios_begin(&r->table, 17);
    blob_zero(&r->table, 8);
    blob_put(&r->table, 1024, 2);
    smbios_end(&r->table, s, "");
    smbios_end(&r->table, smbios_begin(&r->table, 127), "");
    smbios_entry_2x(&r->entry, AT_TABLE, (uint16_t)r->table.n, 3);
    r->memory.platform.smbios = AT_ENTRY;
    memory_add(&r->memory, AT_ENTRY, r->entry.at, r->entry.n);
    memory_add(&r->memory, AT_TABLE, r->table.at, r->table.n);
}

Test(machine_identity, virtual_silicon_is_known_by_what_firmware_says)
{
    oem_string("VIRTUAL Silicon: Assay model, profile bdx");
    enumerate();
    cr_expect_str_eq(m.ran_on, "VIRTUAL Silicon: Assay model, profile bdx");
    cr_expect_eq(m.memory_bytes, UINT64_C(1) << 30);
    machine_free(&m);
    r = rig_new();
    oem_string("virtual machine, silicon valley");
    enumerate();
    cr_expect_str_eq(m.ran_on, "");
}

Test(machine_identity, the_acpi_oem_id_may_say_it_too)
{
    rig_srat(r);
    rig_map_tables(r);
    memcpy(r->xsdt.at + 10, "VIRTUASILICON ", 14);
    memcpy(r->xsdt.at + 10, "Virtua", 6);
    memcpy(r->xsdt.at + 16, "lSilicon", 8);
    acpi_finish(&r->xsdt);
    enumerate();
    cr_expect_str_eq(m.ran_on, "ACPI OEM id \"Virtua\" \"lSilicon\"");
}
