/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/firmware/watchdog.h: what resets a machine that hangs in a check, so that the next boot can continue after it.
 *
 * Firmware's own timer, which needs its interrupt to come through (UEFI specification 2.10, 7.5 SetWatchdogTimer()). At three
 * quarters of its time the last words are asked for: where the boot processor hangs with interrupts on, they reach the
 * journal.
 *
 * And a hardware one where there is one: ACPI's WDAT, else the chipset's (arch/x86/tables/chipset_watchdog.h). It has a
 * minute at most, and firmware's timer interrupt restarts it as long as the check's own time is not over, so that it
 * strikes a minute or two after interrupts stopped coming through, or when firmware's timer did not do its work.
 */
#pragma once
#include <efi.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/tables/acpi.h"
#include "core/report/report.h"

/* Looks for a hardware watchdog, and writes nothing. last_words: called at TPL_CALLBACK, once an arming at most. */
void watchdog_init(EFI_SYSTEM_TABLE *st, struct platform *p, const struct acpi_info *acpi,
                   void (*last_words)(void *context), void *context);
/* From now on so many seconds until the machine is reset; 0: none. Returns what is armed: 0 where there is no watchdog. */
uint32_t watchdog_arm(uint32_t seconds);
/* A line of the report: whether one is armed, which there are, and whether the hardware one says that it reset the machine before this
 * boot. */
void watchdog_report(struct report *r, bool armed);
/* Nothing is armed any more, and nothing is called. The hardware's "no reboot" is as it was found. */
void watchdog_end(void);
