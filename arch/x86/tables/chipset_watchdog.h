/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/tables/chipset_watchdog.h: the hardware watchdog of a chipset that no WDAT describes, in the form of one. */
#pragma once
#include "arch/x86/tables/acpi_wdat.h"
#include "core/platform/platform.h"

/* Looks, and writes nothing. Its name, or NULL: no chipset that is known, or one whose watchdog cannot be reached; *w is
 * untouched.
 *
 * "Intel TCO": ICH9, ICH10, C600 and C610, behind the LPC bridge 0:1F.0. Source: Intel I/O Controller Hub 9 datasheet (316972),
 * 13.1.13 PMBASE, 13.1.35 RCBA, 13.9 "System Management TCO Registers", 10.1.75 GCS; C600 and C610 datasheets (326514,
 * 330783), the same sections' names. Two counts down to 0 reset the machine.
 *
 * "AMD FCH": of family 17h from Zen 2 on and later, whose SMBus 0:14.0 has revision 51H or more and whose power
 * management registers are in memory. Source: Linux drivers/watchdog/sp5100_tco.c, the layout efch_mmio, and sp5100_tco.h
 * (5.18 and later: AMD_ZEN_SMBUS_PCI_REV, EFCH_PM_*, SP5100_WDT_*), against which each address and bit was compared; PPR for
 * family 17h model 18h (55570), WDT and PM registers. Of the timer's two places Linux takes FEB00000H unless another driver
 * has it; FED80B00H shows the same registers, next to those that were read already, so it is taken where it is decoded. */
const char *chipset_watchdog(const struct platform *p, struct wdat *w);
