/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What bytes the shim takes for which instruction. */
#include "tests/silicon/emulate/decode.h"

#include <criterion/criterion.h>

Test(decode, wants_all_bytes_of_an_instruction)
{
    static const uint8_t move[] = { 0x48, 0xC7, 0x84, 0x8F, 1, 2, 3, 4, 5, 6, 7, 8 }; /* movq $, disp32(%rdi,%rcx,4) */
    struct insn i;

    for (uint32_t n = 0; n < sizeof move; n++)
        cr_expect(!insn_decode(&i, move, n, 64), "%u bytes were enough", n);
    cr_assert(insn_decode(&i, move, sizeof move, 64));
    cr_expect(i.length == sizeof move && i.bytes == 8 && i.to_memory && i.value == 0x08070605);
}

/* SDM vol. 2A tables 2-1 and 2-2: the same bytes mean other things in other modes. */
Test(decode, knows_the_modes)
{
    static const uint8_t disp16[] = { 0xA3, 0x34, 0x12 }, relative[] = { 0x8B, 0x05, 1, 0, 0, 0 };
    static const uint8_t bp_16[] = { 0x8B, 0x46, 0xFC }, direct_16[] = { 0x8B, 0x06, 0x34, 0x12 };
    static const uint8_t inc_then_move[] = { 0x48, 0x8B, 0x07 };
    struct insn i;

    cr_assert(insn_decode(&i, disp16, sizeof disp16, 16));
    cr_expect(i.bytes == 2 && i.to_memory && i.length == 3);
    cr_assert(insn_decode(&i, relative, sizeof relative, 64));
    cr_expect(i.bytes == 4 && i.length == 6);
    cr_assert(insn_decode(&i, bp_16, sizeof bp_16, 16));
    cr_expect(i.bytes == 2 && i.length == 3);
    cr_assert(insn_decode(&i, direct_16, sizeof direct_16, 16));
    cr_expect(i.bytes == 2 && i.length == 4);
    cr_assert(insn_decode(&i, inc_then_move, sizeof inc_then_move, 64));
    cr_expect_eq(i.bytes, 8);
    cr_expect(!insn_decode(&i, inc_then_move, sizeof inc_then_move, 32), "48H is DEC EAX there");
}
