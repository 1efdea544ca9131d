/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/apic.h: interprocessor interrupts through the local APIC, xAPIC or x2APIC as firmware left it. Boot processor
 * only. Source: SDM vol. 3A 10.6 "Issuing Interprocessor Interrupts", 10.12 "Extended XAPIC (x2APIC)". */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"

/* Whether there is one, and it reaches APIC ids up to max_apic_id. ST_UNSUPPORTED. To be called before the others. */
MUST_CHECK enum status apic_find(uint32_t max_apic_id);

/* ST_TIMEOUT: the APIC did not take it. */
MUST_CHECK enum status apic_send_init(uint32_t apic_id);
MUST_CHECK enum status apic_send_startup(uint32_t apic_id, uint64_t page); /* 4 KiB-aligned, below 1 MiB */
MUST_CHECK enum status apic_send_nmi(uint32_t apic_id);
