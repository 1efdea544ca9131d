/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/emulate/guest.h: the guest's memory as the guest addresses it.
 *
 * The guest may be firmware, where an address is the same on both sides, or a system with page tables of its own. Here
 * is the walk through those, which are IA-32e mode's; what is physical to the guest is physical to the host.
 *
 * Source: SDM vol. 3A chapter 4 "Paging".
 */
#pragma once
#include "tests/silicon/emulate/decode.h"
#include "tests/silicon/shim/vcpu.h"

#define RFLAGS_DF (1ull << 10)
#define RFLAGS_RF (1ull << 16)

/* Whether the guest's code is of 64-bit mode. */
bool guest_is_64(const struct vcpu *v);

/* A linear address, as the guest's tables have it now. Sets Accessed and, for a write, Dirty on the way, as a processor
 * does. On false nothing is set, and *error is what #PF would push. */
bool guest_translate(const struct vcpu *v, uint64_t linear, bool write, uint64_t *physical, uint32_t *error);

/* The bytes at the guest's RIP, at most INSN_MAX_LENGTH; less where the page after them is not there. Returns how many.
 */
uint32_t guest_code(const struct vcpu *v, uint8_t code[INSN_MAX_LENGTH]);

/* A two-byte instruction without operands has been emulated: continue after it. opcode: what follows 0FH. There is no
 * next-RIP from this SVM, and prefixes may stand before it. A panic where there is no such instruction. */
void guest_skip(struct vcpu *v, uint8_t opcode);
/* The same, and false where there is another one, with nothing done. */
bool guest_try_skip(struct vcpu *v, uint8_t opcode);

/* An instruction of that length has been emulated: continue after it. */
void guest_advance(struct vcpu *v, uint32_t length);

/* Some bytes at a linear address, that may lie in two pages. */
struct guest_span {
    uint64_t physical[2];
    uint32_t first; /* bytes in the first page */
};

/* Where the guest's operand is. On false it is not there, and the guest takes the #PF: nothing else may be done to it.
 */
bool guest_reach(struct vcpu *v, uint64_t linear, uint32_t bytes, bool write, struct guest_span *s);
