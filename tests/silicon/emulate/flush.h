/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/emulate/flush.h: CLFLUSH on a processor that has none.
 *
 * TCG's CLFLUSH touches no memory, and plugins of QEMU 7.2 see no registers, so nobody would know which line it names. On a
 * processor without it the instruction raises #UD, which leaves the guest, and here it is done.
 */
#pragma once
#include "tests/silicon/shim/vcpu.h"

/* The line is flushed on the silicon, or the guest takes the #PF that a load would. False, with nothing done: there is
 * another instruction at the guest's RIP. */
bool flush_trap(struct vcpu *v);
