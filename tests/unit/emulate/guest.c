/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The shim reads a guest's memory through the guest's own page tables. SDM vol. 3A chapter 4 "Paging". */
#include <criterion/criterion.h>
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/silicon/emulate/guest.h"

#define PAGE     4096u
#define P        1u
#define RW       2u
#define US       4u
#define A        0x20u
#define D        0x40u
#define PS       0x80u
#define CR0_WP   (1ull << 16)
#define CR0_PG   (1ull << 31)
#define CR4_PAE  (1ull << 5)
#define CR4_LA57 (1ull << 12)
#define LONG     0x400u /* EFER.LMA */

static struct vcpu v;
static uint8_t *memory; /* page 0 is left over, then tables and pages */
static jmp_buf panicked;

_Noreturn void panic(const char *, uint64_t, uint64_t)
{
    longjmp(panicked, 1);
}

static void make_memory(void)
{
    memory = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(memory != MAP_FAILED);
    v.vmcb.cr0 = CR0_PG | CR0_WP;
}

static uint64_t page(uint32_t n)
{
    return (uint64_t)memory + n * PAGE;
}

static uint64_t *entry_64(uint32_t table, uint64_t linear, uint32_t shift)
{
    return (uint64_t *)page(table) + (linear >> shift & 511);
}

/* Four levels in pages 1 to 4 that map `linear` to page 5, with these rights everywhere. */
static void map_four_levels(uint64_t linear, uint64_t rights)
{
    v.vmcb.efer = LONG;
    v.vmcb.cr4 = CR4_PAE;
    v.vmcb.cr3 = page(1) | 0x18; /* PWT, PCD: no part of the address */
    v.vmcb.cs.attrib = VMCB_ATTRIB_L;
    *entry_64(1, linear, 39) = page(2) | rights;
    *entry_64(2, linear, 30) = page(3) | rights;
    *entry_64(3, linear, 21) = page(4) | rights;
    *entry_64(4, linear, 12) = page(5) | rights;
}

static uint32_t error;

Test(guest, four_levels_lead_to_a_page, .init = make_memory)
{
    uint64_t linear = 0xFFFF888012345678, physical = 0;

    map_four_levels(linear, P | RW);
    cr_assert(guest_translate(&v, linear, false, &physical, &error));
    cr_expect_eq(physical, page(5) + 0x678);
    cr_expect_eq(*entry_64(4, linear, 12), page(5) | P | RW | A, "read: Accessed and not Dirty");
    cr_expect_eq(*entry_64(1, linear, 39), page(2) | P | RW | A);
    cr_assert(guest_translate(&v, linear, true, &physical, &error));
    cr_expect_eq(*entry_64(4, linear, 12), page(5) | P | RW | A | D, "written: Dirty");
    cr_expect_eq(*entry_64(3, linear, 21), page(4) | P | RW | A, "and only where the page is named");
}

Test(guest, large_pages_end_the_walk, .init = make_memory)
{
    uint64_t linear = 0x0000123456789ABC, physical = 0;

    map_four_levels(linear, P | RW);
    *entry_64(3, linear, 21) = 0x40000000 | 0x1000 /* PAT */ | PS | P;
    cr_assert(guest_translate(&v, linear, false, &physical, &error));
    cr_expect_eq(physical, 0x40000000 + (linear & 0x1FFFFF));
    *entry_64(2, linear, 30) = 0x8040000000 | PS | P;
    cr_assert(guest_translate(&v, linear, false, &physical, &error));
    cr_expect_eq(physical, 0x8040000000 + (linear & 0x3FFFFFFF));
}

Test(guest, five_levels_where_cr4_says_so, .init = make_memory)
{
    uint64_t linear = 0x00FF123456789ABC, physical = 0;

    map_four_levels(linear, P);
    v.vmcb.cr4 |= CR4_LA57;
    v.vmcb.cr3 = page(6);
    *entry_64(6, linear, 48) = page(1) | P;
    cr_assert(guest_translate(&v, linear, false, &physical, &error));
    cr_expect_eq(physical, page(5) + 0xABC);
}

/* SDM vol. 3A 4.7 "Page-Fault Exceptions": P, W/R, U/S. */
Test(guest, what_may_not_be_done_is_a_page_fault, .init = make_memory)
{
    uint64_t linear = 0x400000, physical = 0xDEAD;

    map_four_levels(linear, P | US);
    cr_expect(!guest_translate(&v, linear, true, &physical, &error));
    cr_expect_eq(error, 3, "a supervisor's write to a read-only page");
    v.vmcb.cr0 &= ~CR0_WP;
    cr_expect(guest_translate(&v, linear, true, &physical, &error), "which is fine without CR0.WP");
    v.vmcb.cpl = 3;
    cr_expect(!guest_translate(&v, linear, true, &physical, &error));
    cr_expect_eq(error, 7);
    *entry_64(2, linear, 30) &= ~(uint64_t)US;
    cr_expect(!guest_translate(&v, linear, false, &physical, &error));
    cr_expect_eq(error, 5, "a user's read of a supervisor's page");
    *entry_64(3, linear, 21) = 0;
    physical = 0xDEAD;
    cr_expect(!guest_translate(&v, linear, false, &physical, &error));
    cr_expect_eq(error, 4, "a page that is not there");
    cr_expect_eq(physical, 0xDEAD);
}

Test(guest, without_paging_an_address_is_itself, .init = make_memory)
{
    uint64_t physical = 0;

    v.vmcb.cr0 = 0;
    cr_assert(guest_translate(&v, 0xFEE00300, true, &physical, &error));
    cr_expect_eq(physical, 0xFEE00300);
}

Test(guest, an_operand_over_the_end_of_a_page_is_all_there_or_faults, .init = make_memory)
{
    uint64_t linear = 0x7FFFFE;
    struct guest_span s = { { 0, 0 }, 0 };

    map_four_levels(linear, P | RW);
    cr_expect(guest_reach(&v, linear, 2, true, &s));
    cr_expect_eq(s.first, 2);
    cr_expect(!guest_reach(&v, linear, 4, true, &s));
    cr_expect_eq(v.vmcb.cr2, 0x800000);
    cr_expect_eq(v.vmcb.eventinj, 14 | 3u << 8 | 1u << 11 | 1u << 31 | 2ull << 32, "#PF, a write, not present");
    *entry_64(3, 0x800000, 21) = page(7) | P | RW;
    *entry_64(7, 0x800000, 12) = page(8) | P | RW;
    cr_expect(guest_reach(&v, linear, 4, true, &s));
    cr_expect(s.first == 2 && s.physical[0] == page(5) + 0xFFE && s.physical[1] == page(8));
}

/* --- code --- */

Test(guest, code_ends_where_its_page_does_and_the_next_is_absent, .init = make_memory)
{
    static const uint8_t wrmsr[] = { 0x0F, 0x30, 0x90 };
    uint8_t code[INSN_MAX_LENGTH];

    map_four_levels(0x7FF000, P);
    memcpy(memory + 5 * PAGE + 0xFFD, wrmsr, sizeof wrmsr);
    v.vmcb.rip = 0x7FFFFD;
    cr_assert_eq(guest_code(&v, code), 3);
    cr_expect_arr_eq(code, wrmsr, sizeof wrmsr);
}

Test(guest, skips_prefixes_too, .init = make_memory)
{
    static const uint8_t cpuid_twice[] = { 0x2E, 0x48, 0x0F, 0xA2, 0x0F, 0xA2 };

    map_four_levels(0x400000, P);
    memcpy(memory + 5 * PAGE + 0x10, cpuid_twice, sizeof cpuid_twice);
    v.vmcb.rip = 0x400010;
    guest_skip(&v, 0xA2);
    cr_expect_eq(v.vmcb.rip, 0x400014);
    guest_skip(&v, 0xA2);
    cr_expect_eq(v.vmcb.rip, 0x400016);
}

/* The page of the last exit is remembered: it must not be believed once the guest has moved it. */
Test(guest, skips_what_is_there_now, .init = make_memory)
{
    static const uint8_t rdmsr[] = { 0x48, 0x0F, 0x32 };

    map_four_levels(0x400000, P);
    memcpy(memory + 5 * PAGE, rdmsr + 1, 2);
    v.vmcb.rip = 0x400000;
    guest_skip(&v, 0x32);
    cr_expect_eq(v.vmcb.rip, 0x400002);
    *entry_64(4, 0x400000, 12) = page(9) | P;
    memcpy(memory + 9 * PAGE + 0x20, rdmsr, sizeof rdmsr);
    v.vmcb.rip = 0x400020;
    guest_skip(&v, 0x32);
    cr_expect_eq(v.vmcb.rip, 0x400023);
}

Test(guest, an_instruction_that_is_not_there_is_a_panic, .init = make_memory)
{
    volatile bool went_on = false;

    map_four_levels(0x400000, P);
    v.vmcb.rip = 0x400000;
    if (!setjmp(panicked)) {
        guest_skip(&v, 0x32);
        went_on = true;
    }
    cr_expect(!went_on);
}
