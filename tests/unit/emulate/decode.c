/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What bytes the shim takes for which instruction. */
#include "tests/silicon/emulate/decode.h"

#include <criterion/criterion.h>

Test(decode, wants_all_bytes_of_an_instruction)
{
    static const uint8_t move[] = { 0x48, 0xC7, 0x84, 0x8F, 1, 2, 3, 4, 5, 6, 7, 8 }; /* movq $, disp32(%rdi,%rcx,4) */
    struct insn i;

    for (uint32_t n = 0; n < sizeof move; n++)
        cr_expect(!insn_decode(&i, move, n), "%u bytes were enough", n);
    cr_assert(insn_decode(&i, move, sizeof move));
    cr_expect(i.length == sizeof move && i.bytes == 8 && i.to_memory && i.value == 0x08070605);
}
