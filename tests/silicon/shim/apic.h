/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/apic.h: the guest's accesses to the local APIC, of which a start-up IPI is changed on its way.
 *
 * The target starts in the shim's trampoline, which enters the guest at the page that the sender meant (startup.h).
 * INIT and everything else go through as they are. The silicon is notified of interrupts and NMIs to other processors, which it
 * counts: those that come by a device's message (MSI) or QEMU's I/O APIC it does not hear of.
 */
#pragma once
#include "tests/silicon/shim/vcpu.h"

#define APIC_PAGE 0xFEE00000ull

/* From now on a start-up IPI goes to this page (its number, a SIPI vector). all: by APIC id, CHANNEL_SLOTS of them, NULL
 * where there is no processor; stays the caller's. */
void apic_redirect_startup(struct vcpu *const *all, uint32_t page);

/* Is this address in the APIC's page? And an access to it, of 32 bits as the APIC wants them. SDM vol. 3A 11.4.1. */
bool apic_has(uint64_t physical);
uint64_t apic_read(uint64_t physical, uint32_t bytes);
void apic_write(struct vcpu *v, uint64_t physical, uint32_t bytes, uint64_t value);

/* From now on every local APIC of the guest is in x2APIC mode, as firmware may leave it, and stays there: its registers are MSRs 800H to
 * 83FH, of which the underlying xAPIC's are what they act on, and nothing is in its page any more. SDM vol. 3A 11.12. */
void apic_show_x2apic(void);
bool apic_is_x2apic(void);
/* Is this MSR one of an x2APIC that the guest has? And an access to it; false: it raises #GP(0). */
bool apic_has_msr(uint32_t msr);
bool apic_read_msr(uint32_t msr, uint64_t *value);
bool apic_write_msr(struct vcpu *v, uint32_t msr, uint64_t value);

/* The LVT performance counter register of the calling processor lets one in: its vector, and it is masked from then on. 0: it
 * is masked. -1: not while the task priority, of which `priority` is the guest's where the shim keeps it and -1 else, is as
 * high. SDM vol. 3A 11.5.1, 11.8.3.1. */
int32_t apic_take_pmi(int32_t priority);

/* Of the one that the calling processor has in service. */
void apic_end_interrupt(void);
