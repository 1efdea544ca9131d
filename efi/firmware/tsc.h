/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/firmware/tsc.h: how fast the time stamp counter runs, and by whose word. Boot processor only. */
#pragma once
#include <efi.h>

#include "arch/x86/tables/acpi.h"

/* Ticks per second, and *source: "CPUID 15H" (enumerated); else measured for 100 ms against "ACPI PM timer"
 * (3,579,545 Hz, ACPI specification 6.5, 4.8.3.3), where FADT names a port and the timer runs there; else against
 * firmware's "Stall". p must be able to run tasks on its boot processor. Never 0. */
uint64_t tsc_rate(EFI_SYSTEM_TABLE *st, struct platform *p, const struct acpi_info *acpi, const char **source);
