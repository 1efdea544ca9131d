/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The machine as a whole: what every processor enumerates, put together, where processors differ or do not answer, what the
 * machine is called and what memory it has. */
#include "core/machine/machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "core/base/search.h"
#include "tests/support/data/recordings.h"
#include "tests/support/machine/fake_platform.h"
#include "tests/support/machine/memory.h"

#define ALL     FAKE_CPUS
#define AT_RSDP UINT64_C(0x1000)
#define AT_XSDT UINT64_C(0x2000)
#define AT_SRAT UINT64_C(0x3000)

static struct machine m;
static struct fake f;
static struct memory memory;
static struct blob rsdp, xsdt, srat, entry, table;

/* Two packages of two cores with two threads, Broadwell-EP. */
static void set_up(void)
{
    static const uint32_t apic_ids[FAKE_CPUS] = { 0, 1, 2, 3, 8, 9, 10, 11 };

    fake_init(&f, FAKE_CPUS);
    memory_init(&memory);
    f.memory = &memory;
    for (uint32_t i = 0; i < FAKE_CPUS; i++)
        f.slots[i].apic_id = apic_ids[i];
    fake_cpuid(&f, ALL, 0, 0, 0x14, 0x756E6547, 0x6C65746E, 0x49656E69);
    fake_cpuid(&f, ALL, 1, 0, 0x000406F1, 0x00080800, 0, 1u << 28);
    fake_cpuid(&f, ALL, 4, 0, 0x121 | 1u << 14, 0x01C0003F, 63, 0);
    fake_cpuid(&f, ALL, 4, 1, 0x143 | 1u << 14, 0x01C0003F, 511, 0);
    fake_cpuid(&f, ALL, 4, 2, 0x163 | 7u << 14, 0x04C0003F, 0x7FFF, 6);
    fake_cpuid(&f, ALL, 7, 0, 0, 1u << 12 | 1u << 15, 0, 0);
    fake_cpuid(&f, ALL, 0xB, 0, 1, 2, 0x100, 0);
    fake_cpuid(&f, ALL, 0xB, 1, 3, 4, 0x201, 0);
    fake_cpuid(&f, ALL, 0xF, 0, 0, 63, 0, 2);
    fake_cpuid(&f, ALL, 0xF, 1, 0, 32768, 63, 7);
    fake_cpuid(&f, ALL, 0x10, 0, 0, 2, 0, 0);
    fake_cpuid(&f, ALL, 0x10, 1, 19, 0xC0000, 4, 15);
    fake_cpuid(&f, ALL, 0x80000000u, 0, 0x80000008u, 0, 0, 0);
    fake_cpuid(&f, ALL, 0x80000007u, 0, 0, 0, 0, 1u << 8);
    fake_msr(&f, IA32_BIOS_SIGN_ID, UINT64_C(0x0B00003E00000000));
    table.n = 0;
    acpi_begin(&srat, "SRAT", 3);
    blob_zero(&srat, 12);
}

static void tear_down(void)
{
    machine_free(&m);
}

TestSuite(machine, .init = set_up, .fini = tear_down);

static void start_again(void)
{
    tear_down();
    set_up();
}

/* An SRAT to which entries were put. */
static void map_tables(void)
{
    acpi_finish(&srat);
    acpi_begin(&xsdt, "XSDT", 1);
    blob_put(&xsdt, AT_SRAT, 8);
    acpi_finish(&xsdt);
    acpi_rsdp(&rsdp, 2, 0, AT_XSDT);
    f.platform.rsdp = AT_RSDP;
    memory_add(&memory, AT_RSDP, rsdp.at, rsdp.n);
    memory_add(&memory, AT_XSDT, xsdt.at, xsdt.n);
    memory_add(&memory, AT_SRAT, srat.at, srat.n);
}

static void enumerate(void)
{
    cr_assert_eq(machine_enumerate(&f.platform, &m), ST_OK);
}

/* --- the machine put together */

Test(machine, packages_domains_and_places_come_from_every_processors_own_cpuid)
{
    enumerate();
    cr_expect_eq(m.n_cpus, 8);
    cr_assert_eq(m.n_packages, 2);
    cr_expect(m.packages[0].id == 0 && m.packages[0].n_cpus == 4 && m.packages[0].first_cpu == 0);
    cr_expect(m.packages[1].id == 1 && m.packages[1].n_cpus == 4 && m.packages[1].first_cpu == 4);
    cr_assert_eq(m.n_domains, 2);
    cr_expect(m.domains[1].package == 1 && m.domains[1].cpu == 4 && m.domains[1].n_cpus == 4);
    cr_expect(m.domains[1].l3_bytes == UINT64_C(64) * 20 * 32768 && m.domains[1].l3_ways == 20);
    cr_expect(m.domains[1].l3_inclusive);
    cr_expect(m.domains[0].max_rmid == 63 && m.domains[0].upscaling_factor == 32768);
    cr_expect_eq(m.domains[0].counter_width, 24);
    cr_expect(m.cpus[7].package == 1 && m.cpus[7].domain == 1 && m.cpus[7].place.core == 1);
    cr_expect_eq(m.cpus[7].microcode, 0x0B00003E);
    cr_expect_eq(m.n_caches, 3);
    cr_expect_str_eq(m.generation, "Broadwell-EP");
    cr_expect(m.tsc_invariant && m.tsc_hz == 1000000000);
    cr_expect_str_eq(m.tsc_source, "a test");
    cr_expect(m.max_leaf == 0x14 && m.max_ext_leaf == 0x80000008u);
    cr_expect_eq(m.n_disagreements, 0);
    cr_expect_str_eq(m.ran_on, "");
}

/* SDM vol. 3B 17.16.8.1: IA32_PQR_ASSOC takes no RMID above 0FH.0:EBX, whatever 0FH.1:ECX says. */
Test(machine, an_l3_has_no_rmid_that_a_processor_cannot_have)
{
    for (uint32_t i = 0; i < 8; i++)
        fake_cpuid(&f, i, 0xF, 1, 0, 32768, i < 4 ? 127 : 47, 7); /* 0FH.0:EBX is 63 */
    enumerate();
    cr_expect_eq(m.domains[0].max_rmid, 63);
    cr_expect_eq(m.domains[1].max_rmid, 47, "fewer are legal");
    cr_expect_eq(m.cpus[0].rdt.max_rmid, 127, "the leaf stays as it was read");
}

Test(machine, asks_all_processors_at_once_and_writes_nothing)
{
    enumerate();
    cr_expect_eq(f.widest_run, 8);
    cr_expect_leq(f.platform.counts.runs, 3);
    cr_expect_eq(f.platform.counts.wrmsr, 0);
}

Test(machine, a_processor_is_named_by_index_apic_id_and_place)
{
    char name[80];

    enumerate();
    cr_expect_eq(machine_cpu_name(&m, 6, name, sizeof name), strlen("cpu 6 (APIC 0xa, package 1 core 1 thread 0)"));
    cr_expect_str_eq(name, "cpu 6 (APIC 0xa, package 1 core 1 thread 0)");
    machine_cpu_name(&m, 99, name, sizeof name);
    cr_expect_str_eq(name, "cpu 99");
}

/* --- differences */

/* EN-05: leaves 0FH and 10H must be the same on every processor of one core type. */
Test(machine, a_processor_that_enumerates_differently_is_named_with_both_values)
{
    fake_cpuid(&f, 5, 0xF, 1, 0, 32768, 31, 7);
    enumerate();
    cr_assert_eq(m.n_disagreements, 1);
    cr_expect(m.disagreements[0].cpu == 5 && m.disagreements[0].leaf == 0xF && m.disagreements[0].subleaf == 1);
    cr_expect(m.disagreements[0].reference.ecx == 63 && m.disagreements[0].got.ecx == 31);
    cr_expect_eq(m.disagreements[0].msr, 0);
}

Test(machine, what_must_differ_is_no_disagreement)
{
    fake_cpuid(&f, 3, 1, 0, 0x000406F1, 0x00080800, 1u << 27, 1u << 28); /* OSXSAVE set on this one alone */
    fake_cpuid(&f, 4, 7, 0, 0, 1u << 12 | 1u << 15 | 1u << 5, 0, 0);     /* a feature that is not RDT     */
    enumerate();
    cr_expect_eq(m.n_disagreements, 0);
}

Test(machine, feature_bits_signature_and_microcode_are_compared)
{
    fake_cpuid(&f, 1, 7, 0, 0, 1u << 12, 0, 0);
    fake_cpuid(&f, 2, 1, 0, 0x000406F0, 0x00080800, 0, 1u << 28);
    f.msrs[0].value[3] = UINT64_C(0x0B00003D00000000);
    enumerate();
    cr_assert_eq(m.n_disagreements, 3);
    cr_expect(m.disagreements[0].cpu == 1 && m.disagreements[0].leaf == 7);
    cr_expect(m.disagreements[1].cpu == 2 && m.disagreements[1].leaf == 1);
    cr_expect(m.disagreements[2].cpu == 3 && m.disagreements[2].msr == IA32_BIOS_SIGN_ID);
    cr_expect(m.disagreements[2].reference.eax == 0x0B00003E && m.disagreements[2].got.eax == 0x0B00003D);
}

Test(machine, a_smaller_maximum_hides_leaves_and_is_a_disagreement)
{
    fake_cpuid(&f, 7, 0, 0, 0xD, 0x756E6547, 0x6C65746E, 0x49656E69);
    enumerate();
    cr_expect_not(m.cpus[7].rdt.leaf0f_known);
    cr_expect(m.cpus[0].rdt.leaf0f_known);
    cr_assert_geq(m.n_disagreements, 1);
    cr_expect(m.disagreements[0].cpu == 7 && m.disagreements[0].leaf == 0);
}

Test(machine, all_disagreements_are_counted_and_the_first_are_kept)
{
    static const uint32_t leaves[][2] = { { 7, 0 },    { 0xF, 0 },  { 0xF, 1 },  { 0x10, 0 }, { 0x10, 1 },
                                          { 0x10, 2 }, { 0x10, 3 }, { 0x10, 5 }, { 0, 0 } };

    for (uint32_t cpu = 1; cpu < FAKE_CPUS; cpu++) {
        for (uint32_t i = 0; i < 9; i++)
            fake_cpuid(&f, cpu, leaves[i][0], leaves[i][1], 99, 99, 99, 99);
        fake_cpuid(&f, cpu, 1, 0, 0x000406F2, 0x00080800, 0, 1u << 28);
    }
    enumerate();
    cr_expect_eq(m.n_disagreements, 70, "seven processors, ten sub-leaves");
    cr_expect_gt(m.n_disagreements, MAX_DISAGREEMENTS);
    cr_expect_eq(m.disagreements[0].cpu, 1);
    cr_expect_eq(m.disagreements[MAX_DISAGREEMENTS - 1].cpu, 7);
}

/* RDT Architecture Specification 2.4.1: features may differ between core types of a hybrid part. */
Test(machine, core_types_of_a_hybrid_part_are_compared_among_themselves)
{
    fake_cpuid(&f, ALL, 0, 0, 0x1A, 0x756E6547, 0x6C65746E, 0x49656E69);
    fake_cpuid(&f, ALL, 7, 0, 0, 1u << 12 | 1u << 15, 0, 1u << 15);
    fake_cpuid(&f, ALL, 0x1A, 0, 0x40000001, 0, 0, 0);
    for (uint32_t cpu = 4; cpu < FAKE_CPUS; cpu++) {
        fake_cpuid(&f, cpu, 0x1A, 0, 0x20000001, 0, 0, 0);
        fake_cpuid(&f, cpu, 0x10, 1, 11, 0, 4, 7);
    }
    fake_cpuid(&f, 6, 0x10, 1, 12, 0, 4, 7);
    enumerate();
    cr_assert_eq(m.n_disagreements, 1);
    cr_expect(m.disagreements[0].cpu == 6 && m.disagreements[0].reference.eax == 11);
}

Test(machine, a_core_type_does_not_excuse_a_part_that_is_no_hybrid)
{
    fake_cpuid(&f, ALL, 0, 0, 0x1A, 0x756E6547, 0x6C65746E, 0x49656E69);
    fake_cpuid(&f, 6, 0x1A, 0, 0x20000001, 0, 0, 0);
    fake_cpuid(&f, 6, 0x10, 1, 12, 0, 4, 7);
    enumerate();
    cr_expect_eq(m.n_disagreements, 1);
}

/* --- processors that cannot be asked */

Test(machine, processors_that_were_not_started_are_listed_and_left_alone)
{
    f.slots[0].flags = CPU_ENABLED | CPU_HEALTHY; /* not even the first one */
    f.slots[5].flags = CPU_ENABLED;
    f.slots[6].flags |= CPU_LOST;
    enumerate();
    cr_expect_eq(m.reference, 1);
    cr_expect_eq(m.cpus[0].enumerated, ST_NOT_RUN);
    cr_expect_eq(m.cpus[5].enumerated, ST_NOT_RUN);
    cr_expect_eq(m.cpus[6].enumerated, ST_LOST);
    cr_expect_eq(m.cpus[6].domain, NO_DOMAIN);
    cr_expect(m.cpus[6].package == 1 && m.cpus[6].place.core == 1, "its place is what its APIC id says");
    cr_expect(m.packages[0].n_cpus == 3 && m.packages[1].n_cpus == 2);
    cr_expect(m.domains[0].cpu == 1 && m.domains[1].n_cpus == 2);
    cr_expect_eq(m.n_disagreements, 0);
}

Test(machine, a_processor_that_is_lost_on_the_way_costs_itself_alone)
{
    f.hangs[0] = f.hangs[4] = true;
    enumerate();
    cr_expect_eq(m.cpus[0].enumerated, ST_TIMEOUT);
    cr_expect_eq(m.cpus[4].enumerated, ST_TIMEOUT);
    cr_expect_eq(m.reference, 1);
    cr_expect_eq(m.domains[1].cpu, 5);
    cr_expect_eq(m.cpus[7].microcode, 0x0B00003E);
}

Test(machine, a_package_without_a_started_processor_is_none)
{
    for (uint32_t cpu = 4; cpu < FAKE_CPUS; cpu++)
        f.slots[cpu].flags = 0;
    enumerate();
    cr_expect(m.n_packages == 1 && m.n_domains == 1);
    cr_expect_eq(m.cpus[4].package, NO_PACKAGE);
}

Test(machine, without_any_processor_that_answers_there_is_no_machine)
{
    for (uint32_t cpu = 0; cpu < FAKE_CPUS; cpu++)
        f.slots[cpu].flags = 0;
    cr_expect_eq(machine_enumerate(&f.platform, &m), ST_ABSENT);
    cr_expect_null(m.cpus);
    f.platform.n_cpus = 0;
    cr_expect_eq(machine_enumerate(&f.platform, &m), ST_ABSENT);
}

Test(machine, one_processor_is_a_machine)
{
    f.platform.n_cpus = 1;
    enumerate();
    cr_expect(m.n_cpus == 1 && m.n_packages == 1 && m.n_domains == 1 && m.n_nodes == 1);
}

/* --- 4,096 processors */

static struct cpu_slot many[4096];

static enum status many_run(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t)
{
    for (uint32_t t = 0; t < n_tasks; t++) {
        uint32_t apic_id = many[tasks[t].cpu].apic_id;

        for (uint32_t s = 0; s < tasks[t].n_steps; s++) {
            struct step *step = &tasks[t].steps[s];

            step->status = fake_step(machine, 0, step);
            if (step->op == STEP_CPUID && step->reg == 0xB)
                step->regs.edx = apic_id;
        }
        tasks[t].status = ST_OK;
    }
    return ST_OK;
}

Test(machine, four_thousand_processors_take_a_handful_of_runs)
{
    struct platform_ops ops = *f.platform.ops;

    ops.run = many_run;
    fake_cpuid(&f, ALL, 0xB, 1, 8, 256, 0x201, 0);
    fake_cpuid(&f, ALL, 4, 2, 0x163 | 255u << 14, 0x04C0003F, 0x7FFF, 6);
    for (uint32_t i = 0; i < 4096; i++)
        many[i] = (struct cpu_slot){ .apic_id = i + i / 128 * 128, .flags = CPU_ENABLED | CPU_HEALTHY | CPU_STARTED };
    f.platform.ops = &ops;
    f.platform.cpus = many;
    f.platform.n_cpus = 4096;
    enumerate();
    cr_expect_eq(m.n_packages, 32);
    cr_expect_eq(m.n_domains, 32);
    cr_expect_eq(m.domains[31].n_cpus, 128);
    cr_expect_eq(m.cpus[4095].place.apic_id, 4095 + 31 * 128);
    cr_expect_eq(m.n_disagreements, 0);
    cr_expect_leq(f.platform.counts.runs, 24);
}

/* --- recordings */

static void check_recorded(struct replay *replay, const struct tsv *x, uint32_t row)
{
    const char *file = tsv_get(x, row, "file"), *packages = tsv_get(x, row, "packages");
    struct platform *p = replay_platform(replay);
    uint32_t with_l3 = 0;

    cr_assert_eq(machine_enumerate(p, &m), ST_OK, "%s", file);
    for (uint32_t i = 0; i < m.n_cpus; i++) {
        cr_expect_eq(m.cpus[i].enumerated, ST_OK, "%s cpu %u", file, i);
        cr_expect_eq(m.cpus[i].place.apic_id, p->cpus[i].apic_id, "%s cpu %u", file, i);
        with_l3 += m.cpus[i].domain != NO_DOMAIN;
    }
    cr_expect_eq(SUM_OF(uint32_t, i, m.n_domains, m.domains[i].n_cpus), with_l3, "%s", file);
    cr_expect_str_neq(m.generation, "unknown", "%s", file);
    if (packages && *packages != '?') {
        cr_expect_eq(m.n_packages, strtoul(packages, NULL, 10), "%s", file);
        cr_expect_eq(m.n_domains, strtoul(tsv_get(x, row, "l3_domains"), NULL, 10), "%s", file);
        cr_expect_eq(m.n_disagreements, 0, "%s: cpu %u leaf %x.%u", file, m.disagreements[0].cpu,
                     m.disagreements[0].leaf, m.disagreements[0].subleaf);
    }
    machine_free(&m);
}

TEST_RECORDINGS(machine, are_enumerated, check_recorded)

/* --- serial numbers */

/* SDM vol. 4, MSR_PPIN_CTL: readable while Enable_PPIN is set; LockOut keeps it as it is until reset. */
Test(machine, the_ppin_is_read_only_where_firmware_enabled_it)
{
    struct fake_msr *ctl = fake_msr(&f, MSR_PPIN_CTL, 2), *ppin = fake_msr(&f, MSR_PPIN, 0x1122334455667788);

    ctl->value[1] = 1;
    ctl->value[2] = 0;
    ctl->value[3] = 3; /* enabled, but the number raises #GP */
    ctl->absent[4] = ppin->absent[3] = ppin->absent[4] = true;
    enumerate();
    cr_expect(m.cpus[0].ppin_status == ST_OK && m.cpus[0].ppin == 0x1122334455667788);
    cr_expect(m.cpus[1].ppin_status == ST_FAULT && m.cpus[1].ppin == 0, "locked out");
    cr_expect(m.cpus[2].ppin_status == ST_UNSUPPORTED && m.cpus[2].ppin == 0, "enabling it would be a write");
    cr_expect(m.cpus[3].ppin_status == ST_FAULT && m.cpus[3].ppin == 0);
    cr_expect_eq(m.cpus[4].ppin_status, ST_ABSENT, "the model has it, this part does not");
    cr_expect_eq(f.platform.counts.wrmsr, 0);
}

Test(machine, parts_without_a_ppin_are_not_asked_for_one)
{
    fake_cpuid(&f, ALL, 1, 0, 0x000506E3, 0x00080800, 0, 1u << 28); /* Skylake client */
    fake_msr(&f, MSR_PPIN_CTL, 2);
    fake_msr(&f, MSR_PPIN, 42);
    enumerate();
    cr_expect(m.cpus[0].ppin_status == ST_ABSENT && m.cpus[0].ppin == 0);
    machine_free(&m);
    fake_cpuid(&f, ALL, 7, 1, 0, 1, 0, 0); /* SDM vol. 2A leaf 7 sub-leaf 1 EBX[0] */
    enumerate();
    cr_expect(m.cpus[0].ppin_status == ST_OK && m.cpus[0].ppin == 42);
}

/* APM vol. 3 E.4.7: 80000008H EBX[23]. The patch level is in the low half. */
Test(machine, amd_has_its_own_ppin_and_patch_level)
{
    fake_cpuid(&f, ALL, 0, 0, 0x10, 0x68747541, 0x444D4163, 0x69746E65);
    fake_cpuid(&f, ALL, 1, 0, 0x00A10F11, 0x00080800, 0, 1u << 28);
    fake_cpuid(&f, ALL, 0x80000008u, 0, 0, 1u << 23, 0, 0);
    f.msrs[0].value[0] = UINT64_C(0x0A101111);
    fake_msr(&f, AMD_PPIN_CTL, 2);
    fake_msr(&f, AMD_PPIN, 7);
    enumerate();
    cr_expect_eq(m.cpus[0].microcode, 0x0A101111);
    cr_expect(m.cpus[0].ppin_status == ST_OK && m.cpus[0].ppin == 7);
}

Test(machine, a_microcode_register_that_faults_gives_no_revision)
{
    f.n_msrs = 0;
    enumerate();
    cr_expect(m.cpus[0].microcode_status == ST_FAULT && m.cpus[0].microcode == 0);
    cr_expect_eq(m.n_disagreements, 0);
}

/* --- nodes and memory */

Test(machine, nodes_are_those_of_the_srat_ascending_by_domain)
{
    for (uint32_t i = 0; i < FAKE_CPUS; i++)
        if (i != 3)
            acpi_srat_x2apic(&srat, f.slots[i].apic_id, i < 4 ? 7 : 2, 1);
    acpi_srat_x2apic(&srat, 0x77, 9, 1); /* a processor that is not there makes no node */
    acpi_srat_memory(&srat, 0, 0x80000000, 7, 1);
    acpi_srat_memory(&srat, 0x100000000, 0x80000000, 7, 1);
    acpi_srat_memory(&srat, 0x200000000, 0x80000000, 2, 1);
    acpi_srat_memory(&srat, 0x300000000, 0x80000000, 5, 1);
    acpi_srat_memory(&srat, 0x400000000, 0x80000000, 2, 1 | 4); /* non-volatile */
    map_tables();
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

static uint64_t free_below_8_gib(void *, uint64_t lo, uint64_t)
{
    return lo < 0x200000000 ? 0x100000 : 0;
}

/* Of the memory map nothing is in the ranges that are for memory to come. */
Test(machine, room_for_memory_that_is_not_fitted_is_no_memory)
{
    struct platform_ops ops = *f.platform.ops;

    for (uint32_t i = 0; i < FAKE_CPUS; i++)
        acpi_srat_x2apic(&srat, f.slots[i].apic_id, i / 4, 1);
    acpi_srat_memory(&srat, 0x80000000, 0x80000000, 0, 1);
    acpi_srat_memory(&srat, 0x100000000, 0x80000000, 0, 1 | 2); /* hot-pluggable, and there */
    acpi_srat_memory(&srat, 0x200000000, 0x80000000, 1, 1 | 2);
    acpi_srat_memory(&srat, 0x300000000, 0x80000000, 9, 1 | 2);
    map_tables();
    ops.largest_free = free_below_8_gib;
    f.platform.ops = &ops;
    enumerate();
    cr_assert_eq(m.n_nodes, 2);
    cr_expect_eq(m.nodes[0].memory_bytes, UINT64_C(0x100000000));
    cr_expect(m.nodes[1].n_cpus == 4 && m.nodes[1].memory_bytes == 0);
    cr_expect_not(machine_package_has_memory(&m, 1));
    cr_expect(machine_is_memory(&m, 0x300000000), "it may be fitted, and all in use");
    cr_expect_eq(m.memory_bytes, UINT64_C(0x100000000));
}

Test(machine, a_node_of_several_packages_is_shared_where_there_are_fewer_nodes_than_packages)
{
    for (uint32_t i = 0; i < FAKE_CPUS; i++)
        acpi_srat_x2apic(&srat, f.slots[i].apic_id, 0, 1);
    acpi_srat_memory(&srat, 0x100000000, 0x80000000, 0, 1);
    acpi_srat_memory(&srat, 0x200000000, 0x80000000, 1, 1); /* of no processor: CXL */
    map_tables();
    enumerate();
    cr_assert_eq(m.n_packages, 2);
    cr_expect(m.nodes[0].shared && !m.nodes[1].shared);
    start_again();
    enumerate();
    cr_expect(m.nodes[0].shared, "no SRAT");
    start_again();
    for (uint32_t i = 0; i < FAKE_CPUS; i++)
        acpi_srat_x2apic(&srat, f.slots[i].apic_id, i / 4 && i != 5, 1);
    acpi_srat_memory(&srat, 0x100000000, 0x80000000, 0, 1);
    map_tables();
    enumerate();
    cr_expect_not(m.nodes[0].shared, "processor 5 is on the wrong node");
}

Test(machine, without_srat_one_node_has_everything)
{
    enumerate();
    cr_expect_not(m.srat_present);
    cr_assert_eq(m.n_nodes, 1);
    cr_expect(m.nodes[0].n_cpus == 8 && m.nodes[0].package == 0 && m.n_ranges == 0);
    cr_expect_eq(m.cpus[7].node, 0);
    cr_expect_eq(m.acpi.status, ST_ABSENT);
    cr_expect_eq(m.smbios.status, ST_ABSENT);
}

Test(machine, an_srat_without_memory_or_without_processors_is_of_no_use)
{
    for (uint32_t i = 0; i < FAKE_CPUS; i++)
        acpi_srat_x2apic(&srat, f.slots[i].apic_id, i / 4, 1);
    map_tables();
    enumerate();
    cr_expect(m.acpi.srat && !m.srat_present && m.n_nodes == 1);
    start_again();
    acpi_srat_memory(&srat, 0, 0x80000000, 0, 1);
    map_tables();
    enumerate();
    cr_expect(m.acpi.srat && !m.srat_present && m.n_nodes == 1);
}

/* --- virtual silicon */

#define AT_ENTRY UINT64_C(0x8000)
#define AT_TABLE UINT64_C(0x9000)

static void oem_string(const char *text)
{
    size_t s = smbios_begin(&table, 11);

    blob_put(&table, 1, 1);
    smbios_end(&table, s, text);
    s = smbios_begin(&table, 17);
    BLOB_PUT(&table, ZEROS(8), U16(1024));
    smbios_end(&table, s, "");
    smbios_end(&table, smbios_begin(&table, 127), "");
    smbios_entry_2x(&entry, AT_TABLE, (uint16_t)table.n, 3);
    f.platform.smbios = AT_ENTRY;
    memory_add(&memory, AT_ENTRY, entry.at, entry.n);
    memory_add(&memory, AT_TABLE, table.at, table.n);
}

Test(machine, virtual_silicon_is_known_by_what_firmware_says)
{
    oem_string("VIRTUAL Silicon: Assay model, profile bdx");
    enumerate();
    cr_expect_str_eq(m.ran_on, "VIRTUAL Silicon: Assay model, profile bdx");
    cr_expect_eq(m.memory_bytes, UINT64_C(1) << 30);
    start_again();
    oem_string("virtual machine, silicon valley");
    enumerate();
    cr_expect_str_eq(m.ran_on, "");
}

Test(machine, the_acpi_oem_id_may_say_it_too)
{
    map_tables();
    memcpy(xsdt.at + 10, "VIRTUASILICON ", 14);
    memcpy(xsdt.at + 10, "Virtua", 6);
    memcpy(xsdt.at + 16, "lSilicon", 8);
    acpi_finish(&xsdt);
    enumerate();
    cr_expect_str_eq(m.ran_on, "ACPI OEM id \"Virtua\" \"lSilicon\"");
}
