/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/emulate/operand.h: where an instruction's operand is, by the guest's registers as they are now. */
#pragma once
#include "tests/silicon/emulate/decode.h"
#include "tests/silicon/shim/vcpu.h"

/* The base of a segment; SEGMENT_NONE is DS. In 64-bit mode only FS and GS have one. */
uint64_t operand_segment(const struct vcpu *v, enum insn_segment segment);

/* The linear address of the operand that ModRM names. SDM vol. 1 3.7.5 "Specifying an Offset": cut to the address size
 * before the segment's base comes to it, and to 32 bits outside of 64-bit mode. */
uint64_t operand_linear(const struct vcpu *v, const struct insn *i);
