/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What page tables allow: rights are those that every level gives. */
#include "arch/x86/cpu/paging.h"

#include <criterion/criterion.h>

#define P   1u
#define W   2u
#define U   4u
#define PS  0x80u
#define XD  (UINT64_C(1) << 63)
#define WP  (UINT64_C(1) << 16)
#define NXE (UINT64_C(1) << 11)
#define MIB (UINT64_C(1) << 20)

/* Tables at 1000H (PML4), 2000H (its first PDPT), 3000H (PD), 4000H (PT); 5000H is a PML5. */
static uint64_t memory[6][512];

static uint64_t read_entry(void *, uint64_t physical)
{
    cr_assert(physical >= 0x1000 && physical < 0x6000 && physical % 8 == 0, "an entry at %#llx is read",
              (unsigned long long)physical);
    return memory[physical / 4096][physical % 4096 / 8];
}

static struct page_tables t;

static void set_up(void)
{
    t = (struct page_tables){ .cr0 = WP, .cr3 = 0x1018, .efer = NXE, .read = read_entry };
    memory[1][0] = 0x2000 | P | W | U;
    memory[2][0] = 0x3000 | P | W | U;
    memory[2][1] = UINT64_C(0x40000000) | PS | P | W | XD; /* 1 GiB */
    memory[3][0] = 0x4000 | P | W | U;
    memory[3][1] = 0x200000 | PS | P | W; /* 2 MiB */
    memory[3][2] = 0x400000 | PS | P;
    memory[4][0] = 0x0000 | P | W | XD;
    memory[4][1] = 0x1000 | P;
    memory[4][2] = 0x2000 | P | W;
    memory[4][3] = 0;
}

TestSuite(paging, .init = set_up);

static uint32_t at(uint64_t address, uint64_t expected_end)
{
    uint64_t end = 0;
    uint32_t rights = paging_rights(&t, address, &end);

    cr_expect_eq(end, expected_end, "the page of %#llx ends at %#llx", (unsigned long long)address,
                 (unsigned long long)end);
    return rights;
}

Test(paging, pages_of_each_size_end_where_they_do)
{
    cr_expect_eq(at(0x0123, 0x1000), PAGE_READ | PAGE_WRITE);
    cr_expect_eq(at(0x1000, 0x2000), PAGE_READ | PAGE_EXECUTE);
    cr_expect_eq(at(0x2FFF, 0x3000), PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    cr_expect_eq(at(0x3000, 0x4000), 0, "not mapped");
    cr_expect_eq(at(2 * MIB + 5, 4 * MIB), PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    cr_expect_eq(at(1024 * MIB, 2048 * MIB), PAGE_READ | PAGE_WRITE);
    cr_expect_eq(at(2048 * MIB, 3072 * MIB), 0);
}

Test(paging, a_right_that_one_level_withholds_is_withheld)
{
    memory[2][0] |= XD;
    cr_expect_eq(at(0x1000, 0x2000), PAGE_READ);
    memory[1][0] &= ~(uint64_t)W;
    cr_expect_eq(at(0x0000, 0x1000), PAGE_READ);
}

/* SDM vol. 3A 4.6.1: CR0.WP = 0 lets ring 0 write everywhere; without EFER.NXE bit 63 withholds nothing. */
Test(paging, control_registers_decide_too)
{
    t.cr0 = 0;
    cr_expect_eq(at(0x1000, 0x2000), PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    t.cr0 = WP;
    t.efer = 0;
    cr_expect_eq(at(0x0000, 0x1000), PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    t.efer = NXE;
    memory[4][1] |= U;
    t.cr4 = 1u << 20; /* SMEP */
    cr_expect_eq(at(0x1000, 0x2000), PAGE_READ);
    cr_expect_eq(at(0x2000, 0x3000), PAGE_READ | PAGE_WRITE | PAGE_EXECUTE, "a page of ring 0");
}

Test(paging, five_levels)
{
    memory[5][0] = 0x1000 | P | W | U | XD;
    t.cr3 = 0x5000;
    t.cr4 = 1u << 12; /* LA57 */
    cr_expect_eq(at(0x1000, 0x2000), PAGE_READ);
    cr_expect_eq(at(UINT64_C(1) << 48, UINT64_C(1) << 49), 0);
}

Test(paging, a_range_has_the_rights_of_any_page_and_names_the_first_that_has_both)
{
    uint64_t both = 7;

    cr_expect_eq(paging_range_rights(&t, 0x0000, 0x2000, &both), PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    cr_expect_eq(both, 7, "rw- and r-x side by side are no page that is both");
    cr_expect_eq(paging_range_rights(&t, 0x1800, 0x1000, &both), PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    cr_expect_eq(both, 0x2000);
    cr_expect_eq(paging_range_rights(&t, 0x3000, 0x1000, &both), 0);
    cr_expect_eq(paging_range_rights(&t, 0x2000, 0, &both), 0);
    cr_expect_str_eq(paging_rights_text(PAGE_READ | PAGE_EXECUTE), "r-x");
    cr_expect_str_eq(paging_rights_text(0), "---");
}
