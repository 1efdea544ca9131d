/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors/sipi.h: processors started without firmware, by INIT and SIPI of our own.
 *
 * For firmware that has no MP services (Hyper-V's among them), or by choice (-mp sipi). The list comes from the MADT.
 * Firmware's processors must be where INIT may find them: in wait-for-SIPI, HLT or a loop. Where firmware parked them
 * in MWAIT, its own MP services, if it has any, have lost them afterwards.
 * Source: SDM vol. 3A 8.4 "Multiple-Processor (MP) Initialization", 10.6 "Issuing Interprocessor Interrupts", 10.12
 * "Extended XAPIC (x2APIC)".
 */
#pragma once
#include "efi/processors/processors.h"

/* Start every processor that takes part, all at once: INIT, 10 ms, SIPI, and a second SIPI for those that have not
 * arrived 10 ms later. They run with the boot processor's page tables, control registers, GDT and firmware's vectors.
 * Does not wait for them to arrive beyond that: workers_wait_for_arrival().
 * ST_NO_MEMORY: no page below 1 MiB. ST_UNSUPPORTED: no local APIC, an id that xAPIC cannot address, or page tables
 * above 4 GiB, which a processor that comes from real mode cannot load. */
MUST_CHECK enum status sipi_start(struct processors *ps);
/* The page below 1 MiB that they start in; 0: there is none. It is read-only code, if firmware makes it so. */
uint64_t sipi_page(void);
/* After processors_stop(): gives the page back. All are in wait-for-SIPI, so no processor runs in it. */
void sipi_end(struct processors *ps);
