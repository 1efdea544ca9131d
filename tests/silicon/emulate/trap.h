/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/emulate/trap.h: an instruction of the guest that reached what the virtual silicon answers itself.
 *
 * The guest's instruction is read, decoded (decode.h), done with the device in its place (device.h), and stepped over.
 * One of an unknown kind is a panic that shows its bytes. A repeated string instruction is done one element an exit, as
 * if it had been interrupted in between.
 */
#pragma once
#include "tests/silicon/shim/vcpu.h"

/* The nested tables refused an access: EXITINFO1 says which kind, EXITINFO2 the physical address. */
void trap_memory(struct vcpu *v);

/* IN or OUT at a port of the I/O permission map: EXITINFO1 says which, EXITINFO2 the next RIP. */
void trap_port(struct vcpu *v);
