/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/functions.h: RDTSC, RDMSR, WRMSR, IN and accesses to the model's devices of a guest whose time is the
 * plugin's.
 *
 * They leave the guest. That costs QEMU some 60 us, since on the way out and in it forgets all translated addresses, and a
 * run has a million of them. So a function of the guest that does little else (arch/x86/cpu/insn.S: insn_rdtsc(),
 * insn_rdmsr(), insn_wrmsr(), insn_read32() and its likes, port_read32()) is replaced, at its first exit, by a jump to code of
 * the shim's that asks the plugin through the channel. Where an interrupt may be due, and of a register, port or address that
 * faults or is not the plugin's, the plugin says so, and that code has the instruction, which does leave, or is the underlying
 * processor's. A fault comes from the guest's own instruction. An address is taken for a physical one, as UEFI has it (2.10,
 * 2.3.4 "x64 Platforms"); that it is mapped shows the first access to its page, which leaves.
 */
#pragma once
#include "tests/silicon/shim/vcpu.h"

enum function_kind {
    FUNCTION_RDTSC,
    FUNCTION_RDMSR,
    FUNCTION_WRMSR,
    FUNCTION_IN32,
    FUNCTION_READ32,
    FUNCTION_READ64,
    FUNCTION_WRITE32,
    FUNCTION_WRITE64,
    FUNCTION_KINDS
};

/* Before the guest runs. page: below 4 GiB, for code; channel: as the guest addresses it. */
void functions_prepare(uint64_t page, const volatile struct channel *channel);
/* The guest left by that instruction: replace its function. RIP is then at the instruction of the code that replaced it. */
void functions_left(struct vcpu *v, enum function_kind kind);
/* The guest left by an access to memory: where another processor has replaced the function that begins with it since this one came
 * there, RIP is then at the instruction of the code. */
void functions_moved(struct vcpu *v);
/* The instruction faults: RIP is at the guest's own again. */
void functions_faulted(struct vcpu *v);
