/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which errors of machine-check banks are the run's. Status words by SDM vol. 3B, IA32_MCi_STATUS, and APM vol. 2, 9.3. */
#include "core/tools/error_banks.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/fake_platform.h"

#define CORRECTED UINT64_C(0x9C00000000000090) /* VAL EN MISCV ADDRV, memory controller, read, channel 0 */
#define COUNT(n)  ((uint64_t)(n) << 38)

static struct fake fake;
static struct machine machine;
static struct cpu cpus[2];
static struct error_banks banks;
static struct fake_msr *status, *misc, *ipid;

static void set_up(enum cpu_vendor vendor)
{
    static const struct fake_leaf leaves[] = { { 1, { .edx = 1u << 14 } }, { 0x80000007, { .ebx = 1u << 3 } } };
    bool amd = vendor == VENDOR_AMD;

    fake_init(&fake, 2);
    fake.leaves = leaves;
    fake.n_leaves = 2;
    fake_msr(&fake, 0x179, amd ? 1 : 1 | 1 << 10);
    status = fake_msr(&fake, amd ? 0xC0002001 : 0x401, 0);
    fake_msr(&fake, amd ? 0xC0002002 : 0x402, 0x12340);
    misc = fake_msr(&fake, amd ? 0xC0002003 : 0x403, 0);
    ipid = fake_msr(&fake, 0xC0002005, 0);
    cpus[0].id.vendor = cpus[1].id.vendor = vendor;
    machine = (struct machine){ .n_cpus = 2, .cpus = cpus, .max_ext_leaf = 0x80000008 };
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
    cr_assert_eq(error_banks_open(&banks, &fake.platform, &machine), ST_OK);
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
    cr_assert_eq(error_banks_open(&banks, &fake.platform, &machine), ST_OK);
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
    fake.leaves = (const struct fake_leaf[]){ { 1, { 0 } } };
    fake.n_leaves = 1;
    set_all(status, CORRECTED);
    cr_assert_eq(error_banks_open(&banks, &fake.platform, &machine), ST_OK);
    cr_expect_eq(banks.n_banks, 0);
    cr_expect_eq(look(), 0);
    error_banks_free(&banks);
}
