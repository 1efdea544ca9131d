/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/unit/qemu/insn.c: bytes as an assembler makes them, and the lines that they are in. */
#include <criterion/criterion.h>

#include "tests/silicon/qemu/insn.h"
#include "tests/silicon/qemu/plugin_block.h"

#define CLASS(...) insn_class((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

Test(insn, a_load_of_its_own_address_is_a_chase)
{
    cr_expect_eq(CLASS(0x48, 0x8B, 0x00), INSN_CHASE, "mov (%%rax),%%rax");
    cr_expect_eq(CLASS(0x48, 0x8B, 0x40, 0x08), INSN_CHASE, "mov 8(%%rax),%%rax");
    cr_expect_eq(CLASS(0x4D, 0x8B, 0x09), INSN_CHASE, "mov (%%r9),%%r9");
    cr_expect_eq(CLASS(0x48, 0x8B, 0x04, 0x03), INSN_CHASE, "mov (%%rbx,%%rax),%%rax");
    cr_expect_eq(CLASS(0x48, 0x8B, 0x04, 0xC3), INSN_CHASE, "mov (%%rbx,%%rax,8),%%rax");
    cr_expect_eq(CLASS(0x4D, 0x8B, 0x24, 0x24), INSN_CHASE, "mov (%%r12),%%r12");
    cr_expect_eq(CLASS(0x48, 0x8B, 0x10), INSN_PLAIN, "mov (%%rax),%%rdx");
    cr_expect_eq(CLASS(0x4C, 0x8B, 0x00), INSN_PLAIN, "mov (%%rax),%%r8");
    cr_expect_eq(CLASS(0x49, 0x8B, 0x00), INSN_PLAIN, "mov (%%r8),%%rax");
    cr_expect_eq(CLASS(0x48, 0x89, 0x00), INSN_PLAIN, "mov %%rax,(%%rax)");
    cr_expect_eq(CLASS(0x48, 0x8B, 0xC0), INSN_PLAIN, "mov %%rax,%%rax");
    cr_expect_eq(CLASS(0x48, 0x8B, 0x2D, 0, 0, 0, 0), INSN_PLAIN, "mov 0(%%rip),%%rbp");
    cr_expect_eq(CLASS(0x48, 0x8B, 0x24, 0x24), INSN_CHASE, "mov (%%rsp),%%rsp");
}

Test(insn, stores_past_the_caches_flushes_and_pause)
{
    cr_expect_eq(CLASS(0x48, 0x0F, 0xC3, 0x07), INSN_NT_STORE, "movnti %%rax,(%%rdi)");
    cr_expect_eq(CLASS(0x66, 0x0F, 0xE7, 0x07), INSN_NT_STORE, "movntdq %%xmm0,(%%rdi)");
    cr_expect_eq(CLASS(0xC5, 0xFD, 0xE7, 0x07), INSN_NT_STORE, "vmovntdq %%ymm0,(%%rdi)");
    cr_expect_eq(CLASS(0x0F, 0x2B, 0x07), INSN_NT_STORE, "movntps %%xmm0,(%%rdi)");
    cr_expect_eq(CLASS(0x0F, 0xAE, 0x3F), INSN_FLUSH, "clflush (%%rdi)");
    cr_expect_eq(CLASS(0x66, 0x0F, 0xAE, 0x3F), INSN_FLUSH, "clflushopt (%%rdi)");
    cr_expect_eq(CLASS(0x66, 0x0F, 0xAE, 0x37), INSN_FLUSH, "clwb (%%rdi)");
    cr_expect_eq(CLASS(0x0F, 0xAE, 0x37), INSN_PLAIN, "xsaveopt (%%rdi)");
    cr_expect_eq(CLASS(0x0F, 0xAE, 0xF8), INSN_PLAIN, "sfence");
    cr_expect_eq(CLASS(0xF3, 0x90), INSN_PAUSE, "pause");
    cr_expect_eq(CLASS(0x90), INSN_PLAIN, "nop");
}

Test(blocks, are_fetched_by_the_lines_that_they_touch)
{
    static const struct {
        uint64_t begin, end, first, lines;
    } cases[] = { { 0x1000, 0x1001, 0x40, 1 },
                  { 0x1000, 0x1040, 0x40, 1 },
                  { 0x103F, 0x1041, 0x40, 2 },
                  { UINT64_C(0x3FFFFFFFFC0), UINT64_C(0x3FFFFFFFFC5), UINT64_C(0xFFFFFFFFF), 1 } };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t block = block_lines(cases[i].begin, cases[i].end) | field_put(BLOCK_TICKS, 512 * 16);

        cr_expect_eq(field_get(BLOCK_FIRST, block), cases[i].first);
        cr_expect_eq(field_get(BLOCK_LINES, block), cases[i].lines);
        cr_expect_eq(field_get(BLOCK_TICKS, block), 512 * 16);
    }
}
