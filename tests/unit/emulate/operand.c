/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The shim flushes the line that a guest's CLFLUSH names. What ModRM, SIB and displacement name is compared with what the
 * processor makes of the same bytes in LEA. SDM vol. 2A tables 2-1 to 2-3, vol. 2A "CLFLUSH".
 */
#include "tests/silicon/emulate/operand.h"
#include "tests/silicon/emulate/flush.h"
#include "tests/silicon/emulate/guest.h"
#include "tests/silicon/model/scramble.h"
#include "tests/support/machine/native_run.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

static struct dice dice;

#define PAGE     4096u
#define EFER_LMA 0x400u
#define FS_BASE  0x7000000000ull

static struct vcpu v;
static struct channel_slot slot;
static uint32_t rung;
static uint8_t *code;

/* --- what the shim would find around operand.c --- */

int native_rdmsr(uint32_t msr, uint64_t *value);
int native_rdmsr(uint32_t msr, uint64_t *value)
{
    *value = msr == 0xC0000100u ? FS_BASE : 0;
    return 0;
}
uint32_t channel_ring(volatile struct channel_slot *s, enum channel_op op)
{
    cr_assert_eq(s, &slot);
    cr_assert_eq(op, CHANNEL_CLFLUSH);
    rung++;
    return CHANNEL_DONE;
}
void panic(const char *what, uint64_t a, uint64_t b)
{
    cr_assert_fail("%s %#lx %#lx", what, a, b);
    for (;;)
        ;
}

static void make_guest(void)
{
    code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(code != MAP_FAILED);
    memset(&v, 0, sizeof v);
    for (int r = 0; r < 16; r++)
        v.regs[r] = dice_word(&dice);
    v.vmcb.rax = v.regs[RAX];
    v.vmcb.rsp = 0x7FFF00001230;
    v.slot = &slot;
    v.vmcb.efer = EFER_LMA;
    v.vmcb.cs.attrib = VMCB_ATTRIB_L;
    rung = 0;
}

/* --- addresses --- */

/* CLFLUSH and LEA into RAX end at the same byte, so that an address relative to RIP is the same. */
static void compare(bool small_address, uint8_t rex, uint8_t mod_rm, uint8_t sib, uint64_t rest)
{
    uint8_t *at = code + 64, lea[INSN_MAX_LENGTH + 1], flush[INSN_MAX_LENGTH];
    uint32_t n = 0, m = 0;
    struct native_state s = { .flags = 2 };
    struct insn i;

    if (small_address)
        lea[n++] = flush[m++] = 0x67;
    lea[n++] = 0x48 | rex;
    lea[n++] = 0x8D;
    flush[m++] = 0x40 | rex;
    flush[m++] = 0x0F;
    flush[m++] = 0xAE;
    lea[n++] = mod_rm & 0xC7;
    flush[m++] = mod_rm | 0x38;
    lea[n++] = flush[m++] = sib; /* or the displacement begins here */
    memcpy(lea + n, &rest, 5);
    memcpy(flush + m, &rest, 5);
    cr_assert(insn_decode(&i, flush, m + 5) && i.op == INSN_CLFLUSH, "ModRM %#x", mod_rm);
    memcpy(at, lea, i.length - 1);
    at[i.length - 1] = 0xC3;
    v.vmcb.rip = (uint64_t)at - 1;
    memcpy(s.regs, v.regs, sizeof s.regs);
    native_run(&s, at);
    cr_expect_eq(operand_linear(&v, &i), s.regs[RAX], "prefix 67H %d, REX %#x, ModRM %#x, SIB %#x", small_address, rex,
                 mod_rm, sib);
}

Test(operand, an_address_is_that_of_lea, .init = make_guest)
{
    for (uint32_t mod_rm = 0; mod_rm < 0xC0; mod_rm = (mod_rm & 7) == 7 ? mod_rm + 57 : mod_rm + 1)
        for (uint32_t sib = 0; sib < 256; sib++)
            for (uint8_t rex = 0; rex < 4; rex++) {
                bool by_rsp = (mod_rm & 7) == 4 && (sib & 7) == 4 && !(rex & 1); /* which LEA's caller has for itself */

                if (by_rsp)
                    continue;
                compare(false, rex, (uint8_t)mod_rm, (uint8_t)sib, dice_word(&dice));
                compare(true, rex, (uint8_t)mod_rm, (uint8_t)sib, dice_word(&dice));
            }
}

static uint64_t linear_of(const uint8_t *insn, uint32_t n)
{
    struct insn i;

    cr_assert(insn_decode(&i, insn, n) && i.op == INSN_CLFLUSH);
    cr_assert_eq(i.length, n);
    return operand_linear(&v, &i);
}

Test(operand, rsp_and_segments, .init = make_guest)
{
    static const uint8_t rsp[] = { 0x0F, 0xAE, 0x7C, 0x24, 0x40 }, fs[] = { 0x64, 0x0F, 0xAE, 0x3F };

    cr_expect_eq(linear_of(rsp, sizeof rsp), v.vmcb.rsp + 0x40);
    cr_expect_eq(linear_of(fs, sizeof fs), v.regs[RDI] + FS_BASE);
}

/* --- the instruction --- */

Test(operand, a_flush_goes_to_the_silicon_and_the_guest_goes_on, .init = make_guest)
{
    static const uint8_t flush[] = { 0x41, 0x0F, 0xAE, 0x7C, 0xC9, 0x10 }; /* 10H(%r9,%rcx,8) */

    memcpy(code, flush, sizeof flush);
    v.vmcb.rip = (uint64_t)code;
    cr_assert(flush_trap(&v));
    cr_expect_eq(rung, 1);
    cr_expect_eq(slot.address, v.regs[9] + 8 * v.regs[RCX] + 0x10, "without paging linear is physical");
    cr_expect_eq(v.vmcb.rip, (uint64_t)code + sizeof flush);
}

Test(operand, others_are_left_to_the_guest, .init = make_guest)
{
    static const uint8_t others[][4] = {
        { 0x0F, 0x0B, 0x90, 0x90 }, /* UD2                                        */
        { 0x66, 0x0F, 0xAE, 0x3F }, /* CLFLUSHOPT, which CPUID does not enumerate */
        { 0x66, 0x0F, 0xAE, 0x37 }, /* CLWB                                       */
        { 0x0F, 0xAE, 0x37, 0x90 }, /* XSAVEOPT                                   */
        { 0x0F, 0xAE, 0xF8, 0x90 }, /* SFENCE                                     */
        { 0xF3, 0x0F, 0xAE, 0x3F },
    };

    for (uint32_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        memcpy(code, others[i], sizeof others[i]);
        v.vmcb.rip = (uint64_t)code;
        cr_expect(!flush_trap(&v), "%u", i);
        cr_expect_eq(v.vmcb.rip, (uint64_t)code);
        cr_expect_eq(v.vmcb.eventinj, 0);
    }
    cr_expect_eq(rung, 0);
}

/* Four levels that map the code's page and no other. */
Test(operand, a_page_that_is_not_there_is_the_guests_page_fault, .init = make_guest)
{
    static const uint8_t flush[] = { 0x0F, 0xAE, 0x3F }; /* (%rdi) */
    static uint64_t tables[4][512] __attribute__((aligned(PAGE)));

    memcpy(code, flush, sizeof flush);
    v.vmcb.rip = (uint64_t)code;
    for (uint32_t level = 0; level < 4; level++) {
        uint64_t next = level < 3 ? (uint64_t)tables[level + 1] : (uint64_t)code;

        tables[level][(uint64_t)code >> (39 - 9 * level) & 511] = next | 7;
    }
    v.vmcb.cr0 = 1u << 31;
    v.vmcb.cr4 = 1u << 5;
    v.vmcb.cr3 = (uint64_t)tables[0];
    v.regs[RDI] = (uint64_t)code ^ PAGE;
    cr_assert(flush_trap(&v));
    cr_expect_eq(rung, 0);
    cr_expect_eq(v.vmcb.eventinj & 0xFFFFFFFF, 14 | EVENTINJ_EXCEPTION | EVENTINJ_V | EVENTINJ_EV);
    cr_expect_eq(v.vmcb.cr2, v.regs[RDI]);
    cr_expect_eq(v.vmcb.rip, (uint64_t)code, "it comes back");
}
