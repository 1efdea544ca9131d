/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/rdtsc.h: RDTSC of a guest whose time is the plugin's.
 *
 * It leaves the guest. That costs QEMU some 60 us, since on the way out and in it forgets all translated addresses, and a
 * run has half a million of them. So a function of the guest that is LFENCE, RDTSC, SHL RDX, 32, OR RAX, RDX, RET is
 * replaced, at its first exit, by a jump to code of the shim's that loads the time from the channel, where the plugin puts
 * it before the load. Where an interrupt may be due the plugin says so there, and that code has an RDTSC that does leave.
 */
#pragma once
#include <efi.h>

#include "tests/silicon/shim/vcpu.h"

/* Before the guest runs. channel: as the guest addresses it. Without memory every RDTSC leaves. */
void rdtsc_prepare(EFI_BOOT_SERVICES *bs, const volatile struct channel *channel);
/* The guest left by RDTSC or RDTSCP. */
void rdtsc_emulate(struct vcpu *v);
