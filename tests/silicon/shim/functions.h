/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/functions.h: RDTSC, RDMSR and WRMSR of a guest whose time is the plugin's.
 *
 * They leave the guest. That costs QEMU some 60 us, since on the way out and in it forgets all translated addresses, and a
 * run has a million of them. So a function of the guest that does little else (arch/x86/cpu/insn.S: insn_rdtsc(),
 * insn_rdmsr(), insn_wrmsr()) is replaced, at its first exit, by a jump to code of the shim's that asks the plugin through
 * the channel. Where an interrupt may be due, and of a register that faults or is not the plugin's, the plugin says so, and
 * that code has the instruction, which does leave. A fault comes from the guest's own instruction.
 */
#pragma once
#include <efi.h>

#include "tests/silicon/shim/vcpu.h"

enum function_kind { FUNCTION_RDTSC, FUNCTION_RDMSR, FUNCTION_WRMSR, FUNCTION_KINDS };

/* Before the guest runs. channel: as the guest addresses it. Without memory nothing is replaced. */
void functions_prepare(EFI_BOOT_SERVICES *bs, const volatile struct channel *channel);
/* The guest left by that instruction: replace its function. RIP is then at the instruction of the code that replaced it. */
void functions_left(struct vcpu *v, enum function_kind kind);
/* The instruction faults: RIP is at the guest's own again. */
void functions_faulted(struct vcpu *v);
