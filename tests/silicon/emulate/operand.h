/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/emulate/operand.h: where an instruction's operand is, by the guest's registers as they are now. */
#pragma once
#include "tests/silicon/emulate/decode.h"
#include "tests/silicon/shim/vcpu.h"

/* The base of a segment: in 64-bit mode only FS and GS have one. */
uint64_t operand_segment(enum insn_segment segment);

/* The linear address of the operand that ModRM names. SDM vol. 1 3.7.5 "Specifying an Offset": cut to the address size
 * before the segment's base comes to it. */
uint64_t operand_linear(const struct vcpu *v, const struct insn *i);
