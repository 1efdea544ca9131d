/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which errors of machine-check banks are the run's. Status words by SDM vol. 3B, IA32_MCi_STATUS, and APM vol. 2, 9.3. */
#include "core/tools/error_banks.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/machine/fake_platform.h"

#define CORRECTED UINT64_C(0x9C00000000000090) /* VAL EN MISCV ADDRV, memory controller, read, channel 0 */
#define COUNT(n)  ((uint64_t)(n) << 38)

static struct fake fake;
static struct machine machine;
static struct cpu cpus[FAKE_CPUS];
static struct error_banks banks;
static struct fake_msr *status, *misc, *ipid;
static struct pmon pmon;

static void set_up(enum cpu_vendor vendor)
{
    bool amd = vendor == VENDOR_AMD;

    fake_init(&fake, 2);
    fake_cpuid(&fake, FAKE_CPUS, 1, 0, 0, 0, 0, 1u << 14);
    fake_cpuid(&fake, FAKE_CPUS, 0x80000007, 0, 0, 1u << 3, 0, 0);
    fake_msr(&fake, 0x179, amd ? 1 : 1 | 1 << 10);
    status = fake_msr(&fake, amd ? 0xC0002001 : 0x401, 0);
    fake_msr(&fake, amd ? 0xC0002002 : 0x402, 0x12340);
    misc = fake_msr(&fake, amd ? 0xC0002003 : 0x403, 0);
    ipid = fake_msr(&fake, 0xC0002005, 0);
    for (uint32_t i = 0; i < FAKE_CPUS; i++)
        cpus[i].id.vendor = vendor;
    machine = (struct machine){ .n_cpus = 2, .cpus = cpus, .max_ext_leaf = 0x80000008 };
    pmon = (struct pmon){ .n_boxes = 0 };
}

static uint32_t look(void)
{
    uint32_t first;

    return error_banks_look(&banks, &first);
}

static void set_all(struct fake_msr *m, uint64_t value)
{
    m->value[0] = m->value[1] = value;
}

/* Firmware's log is not the run's; what its count grows by is. */
Test(error_banks, only_what_comes_after_the_first_look_is_the_runs)
{
    set_up(VENDOR_INTEL);
    set_all(status, CORRECTED | COUNT(3));
    cr_assert_eq(error_banks_open(&banks, &fake.platform, &machine, &pmon), ST_OK);
    cr_expect_eq(banks.n_before, 1);
    cr_expect_eq(look(), 0);
    set_all(status, CORRECTED | COUNT(7));
    cr_expect_eq(look(), 1, "a bank that two processors of a package share is one");
    cr_expect_str_eq(banks.kept[0].text, "bank 0, corrected memory controller error, 4 more counted, status "
                                         "0x9c0001c000000090, address 0x12340, shown by 2 processors");
    cr_expect(banks.kept[0].of_memory);
    set_all(status, 0);
    cr_expect_eq(look(), 0, "firmware cleared it");
    set_all(status, UINT64_C(0xB200000000000E0F)); /* VAL UC EN PCC, bus or interconnect */
    cr_expect_eq(look(), 1);
    cr_expect_not_null(strstr(banks.kept[1].text, "uncorrected bus or interconnect"), "%s", banks.kept[1].text);
    cr_expect_not(banks.kept[1].of_memory);
    error_banks_free(&banks);
}

/* MCA_STATUS may stay while MCA_MISC0[ErrCnt] grows; MCA_IPID says whose bank it is. */
Test(error_banks, of_amd_are_of_the_block_that_the_bank_names)
{
    set_up(VENDOR_AMD);
    set_all(ipid, UINT64_C(0x96) << 32);
    cr_assert_eq(error_banks_open(&banks, &fake.platform, &machine, &pmon), ST_OK);
    misc->value[0] = UINT64_C(0xC000000500000000);
    cr_expect_eq(look(), 1);
    cr_expect_not_null(strstr(banks.kept[0].text, "bank 0 of UMC, "), "%s", banks.kept[0].text);
    cr_expect_not_null(strstr(banks.kept[0].text, "5 more counted"), "%s", banks.kept[0].text);
    cr_expect(banks.kept[0].of_memory);
    set_all(ipid, UINT64_C(0x1) << 48 | UINT64_C(0x2E) << 32); /* PIE */
    status->value[1] = UINT64_C(0x8000100000000000);           /* VAL, Deferred */
    cr_expect_eq(look(), 1);
    cr_expect_not_null(strstr(banks.kept[1].text, "bank 0 of PIE, deferred"), "%s", banks.kept[1].text);
    cr_expect_not(banks.kept[1].of_memory);
    error_banks_free(&banks);
}

Test(error_banks, are_not_read_where_cpuid_has_no_mca)
{
    set_up(VENDOR_INTEL);
    fake_cpuid(&fake, FAKE_CPUS, 1, 0, 0, 0, 0, 0);
    set_all(status, CORRECTED);
    cr_assert_eq(error_banks_open(&banks, &fake.platform, &machine, &pmon), ST_OK);
    cr_expect_eq(banks.n_banks, 0);
    cr_expect_eq(look(), 0);
    error_banks_free(&banks);
}

/* One run of tasks for all processors; one that is lost during the look, or was before it, costs no bank of the others. */
Test(error_banks, are_read_without_the_processors_that_are_lost)
{
    uint64_t runs;

    set_up(VENDOR_INTEL);
    fake_init(&fake, FAKE_CPUS);
    fake_cpuid(&fake, FAKE_CPUS, 1, 0, 0, 0, 0, 1u << 14);
    machine.n_cpus = FAKE_CPUS;
    fake_msr(&fake, 0x179, 1 | 1 << 10);
    status = fake_msr(&fake, 0x401, 0);
    fake_msr(&fake, 0x402, 0);
    cr_assert_eq(error_banks_open(&banks, &fake.platform, &machine, &pmon), ST_OK);
    runs = fake.platform.counts.runs;
    fake.hangs[3] = true;
    status->value[3] = status->value[7] = CORRECTED | COUNT(1);
    cr_expect_eq(look(), 1);
    cr_expect_eq(banks.kept[0].cpu, 7);
    status->value[6] = UINT64_C(0xB200000000000E0F);
    runs = fake.platform.counts.runs;
    fake.n_log = 0;
    cr_expect_eq(look(), 1);
    for (uint32_t i = 0; i < fake.n_log; i++)
        cr_expect_neq(fake.log[i].cpu, 3);
    cr_expect_leq(fake.platform.counts.runs - runs, 2, "the look, and the address of what it found");
    error_banks_free(&banks);
}

/* Ranks 2 and 3 of a channel, by memory, and a counter of a register each; by PCI in another function. */
Test(error_banks, of_memory_channels_are_those_by_which_counters_grow)
{
    static const struct pmon_layout by_memory = { .access = PMON_MMIO }, by_pci = { .access = PMON_PCI };
    static const struct pmon_unit ranks = { .name = "iMC",
                                            .layout = &by_memory,
                                            .corrected = { .offset = 0x418, .registers = 4, .ranks = true } };
    static const struct pmon_unit functions = { .name = "iMC",
                                                .layout = &by_pci,
                                                .corrected = {
                                                    .offset = 0x104, .registers = 1, .functions = 2, .ranks = true } };
    static const struct pmon_unit unknown = { .name = "iMC", .layout = &by_pci };
    struct pmon_box boxes[] = { { .unit = &ranks, .base = 0x1000 },
                                { .unit = &functions, .number = 1, .at = { .bus = 1, .device = 16 } },
                                { .unit = &unknown, .number = 2, .at = { .bus = 1, .device = 16, .function = 1 } } };
    struct fake_cell *low, *by_function;
    char text[256];

    set_up(VENDOR_INTEL);
    fake_cpuid(&fake, FAKE_CPUS, 1, 0, 0, 0, 0, 0);
    pmon = (struct pmon){ .boxes = boxes, .n_boxes = 3 };
    for (uint32_t i = 0; i < 4; i++)
        fake_cell(&fake, false, 0x1418 + 4 * i, i == 3 ? 7 : 0);
    low = &fake.cells[fake.n_cells - 3];
    by_function = fake_cell(&fake, true, 1 << 20 | 16 << 15 | 2 << 12 | 0x104, 0);
    cr_assert_eq(error_banks_open(&banks, &fake.platform, &machine, &pmon), ST_OK);
    cr_expect_eq(banks.n_channels, 2);
    cr_expect_eq(banks.n_before, 1, "rank 6 had corrected errors");
    cr_expect_eq(look(), 0);
    low->value = 0x80000000u | 5;
    by_function->value = 1 << 16;
    cr_expect_eq(look(), 3);
    logged_error_text(&banks.kept[0], text);
    cr_expect_str_eq(text, "package 0 iMC: 5 more corrected errors of rank 2 counted, register 0x41c");
    cr_expect_not_null(strstr(banks.kept[1].text, "rank 3 counted, register 0x41c, which has overflowed"));
    cr_expect_str_eq(banks.kept[2].text, "1 more corrected errors of rank 1 counted, register 0x104");
    cr_expect(banks.kept[2].of_memory && banks.kept[2].msr == 0);
    low->value = 0;
    by_function->value = UINT32_MAX;
    cr_expect_eq(look(), 0, "firmware cleared the one, and hid the other");
    error_banks_free(&banks);
}
