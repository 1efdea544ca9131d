/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/startup.h: no processor runs the payload's or firmware's code outside of the guest.
 *
 * All guests share nested page tables that map everything to itself, but for what device.h answers: not there at all,
 * and the local APIC's page, which is read-only. So a write to the APIC leaves the guest, and of these the start-up IPI
 * is changed on its way (apic.h): the target starts in the shim's trampoline, which enters the guest in the state that a
 * SIPI leaves behind. It is all one who starts processors: MP services or the payload itself.
 */
#pragma once
#include <efi.h>

#include "tests/silicon/shim/vcpu.h"

/* Make the tables and the trampoline, after device_open(). vcpus: by APIC id, CHANNEL_SLOTS of them, NULL where there
 * is no processor; stays the caller's. Each one's n_cr3 and iopm are set. FALSE: no memory. */
BOOLEAN startup_prepare(EFI_BOOT_SERVICES *bs, struct vcpu *const *vcpus);
