/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/emulate/flush.h"

#include "tests/silicon/emulate/guest.h"
#include "tests/silicon/emulate/operand.h"

bool flush_trap(struct vcpu *v)
{
    uint8_t code[INSN_MAX_LENGTH];
    uint32_t n = guest_code(v, code);
    struct guest_span at;
    struct insn i;

    if (!guest_is_64(v) || !insn_decode(&i, code, n) || i.op != INSN_CLFLUSH)
        return false;
    if (!guest_reach(v, operand_linear(v, &i), 1, false, &at))
        return true;
    v->slot->address = at.physical[0];
    channel_ring(v->slot, CHANNEL_CLFLUSH);
    guest_advance(v, i.length);
    return true;
}
