/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors/apic.h: the local APIC, xAPIC or x2APIC as firmware left it: its registers, and interprocessor interrupts.
 * Source: SDM vol. 3A 10.6 "Issuing Interprocessor Interrupts", 10.12 "Extended XAPIC (x2APIC)". */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"

#define APIC_ICR_HIGH 0x310u /* xAPIC: destination, the upper half of the interrupt command register */

struct apic_registers { /* of one processor */
    bool x2apic;
    uint64_t base; /* where they are in memory; xAPIC only */
};

/* On the processor that asks. ST_UNSUPPORTED: it has none, or IA32_APIC_BASE turns it off. */
MUST_CHECK enum status apic_registers_find(struct apic_registers *a);
/* A register by its offset in memory (10H apart), on the processor that `a` was found on. Errors: as of the access. */
MUST_CHECK enum status apic_register_read(const struct apic_registers *a, uint32_t offset, uint32_t *value);
MUST_CHECK enum status apic_register_write(const struct apic_registers *a, uint32_t offset, uint32_t value);

/* A fixed interrupt of that vector to the one processor of that APIC id, on the processor that `a` was found on.
 * ST_UNSUPPORTED: an xAPIC does not reach it, nothing was sent. ST_TIMEOUT: it is not idle after it. */
MUST_CHECK enum status apic_send_fixed(const struct apic_registers *a, uint32_t apic_id, uint32_t vector);

/* What follows: on the boot processor only. */

/* Whether there is one, and it reaches APIC ids up to max_apic_id. ST_UNSUPPORTED. To be called before the others. */
MUST_CHECK enum status apic_find(uint32_t max_apic_id);

/* ST_TIMEOUT: the APIC did not take it. */
MUST_CHECK enum status apic_send_init(uint32_t apic_id);
MUST_CHECK enum status apic_send_startup(uint32_t apic_id, uint64_t page); /* 4 KiB-aligned, below 1 MiB */
MUST_CHECK enum status apic_send_nmi(uint32_t apic_id);
