/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/qemu/insn.h"
#include "core/base/search.h"

#include <stdbool.h>

#define REX_R      4u
#define REX_X      2u
#define REX_B      1u
#define NO_SIB     4u /* ModRM.rm: a SIB byte follows                 */
#define NO_INDEX   4u /* SIB.index with REX.X 0                       */
#define RIP_OR_ABS 5u /* ModRM.rm or SIB.base with mod 0: no register */

struct prefixes {
    bool opsize, vex;
    uint8_t rex;
};

static bool is_legacy_prefix(uint8_t byte)
{
    static const uint8_t all[] = { 0x66, 0xF2, 0xF3, 0xF0, 0x2E, 0x36, 0x3E, 0x26, 0x64, 0x65, 0x67 };

    return ANY_OF(i, sizeof all, byte == all[i]);
}

/* MOV r, [r] (8B) with a base or index that it writes. SDM vol. 2, 2.1.5 "Addressing-Mode Encoding of ModR/M and SIB
 * Bytes", 2.2.1.2 "More on REX Prefix Fields". */
static bool is_chase(const uint8_t *at, size_t size, uint8_t rex)
{
    uint8_t mod, reg, base, index = NO_INDEX;

    if (size < 2 || at[0] != 0x8B || at[1] >> 6 == 3)
        return false;
    mod = at[1] >> 6;
    reg = (uint8_t)((at[1] >> 3 & 7) | (rex & REX_R ? 8 : 0));
    base = at[1] & 7;
    if (base == NO_SIB && size > 2) {
        base = at[2] & 7;
        index = (uint8_t)((at[2] >> 3 & 7) | (rex & REX_X ? 8 : 0));
    }
    if (index != NO_INDEX && index == reg)
        return true;
    return !(mod == 0 && base == RIP_OR_ABS) && reg == (base | (rex & REX_B ? 8 : 0));
}

/* SDM vol. 2, opcode map of 0FH: MOVNTPS/PD 2B, MOVNTI C3, MOVNTQ/DQ E7, CLFLUSH AE /7, CLWB 66 AE /6; the VEX forms of
 * 2B and E7 are map 1 too. All have a memory operand only (ModRM.mod is not 3). at: after 0FH or the VEX prefix. */
static enum insn_class class_of_map_1(const uint8_t *at, size_t size, const struct prefixes *p)
{
    uint8_t reg;

    if (size < 2 || at[1] >> 6 == 3)
        return INSN_PLAIN;
    reg = at[1] >> 3 & 7;
    switch (at[0]) {
    case 0x2B:
    case 0xE7:
        return INSN_NT_STORE;
    case 0xC3:
        return p->vex ? INSN_PLAIN : INSN_NT_STORE;
    case 0xAE:
        return !p->vex && (reg == 7 || (reg == 6 && p->opsize)) ? INSN_FLUSH : INSN_PLAIN;
    default:
        return INSN_PLAIN;
    }
}

enum insn_class insn_class(const uint8_t *bytes, size_t size)
{
    struct prefixes p = { 0 };
    size_t i = 0;

    if (size == 2 && bytes[0] == 0xF3 && bytes[1] == 0x90)
        return INSN_PAUSE;
    while (i < size && is_legacy_prefix(bytes[i]))
        p.opsize |= bytes[i++] == 0x66;
    if (i < size && (bytes[i] & 0xF0) == 0x40)
        p.rex = bytes[i++];
    if (i + 2 < size && bytes[i] == 0xC5) {
        p.vex = true;
        i += 2;
    } else if (i + 3 < size && bytes[i] == 0xC4 && (bytes[i + 1] & 0x1F) == 1) {
        p.vex = true;
        i += 3;
    } else if (i < size && bytes[i] == 0x0F) {
        i++;
    } else {
        return is_chase(bytes + i, size - i, p.rex) ? INSN_CHASE : INSN_PLAIN;
    }
    return class_of_map_1(bytes + i, size - i, &p);
}
