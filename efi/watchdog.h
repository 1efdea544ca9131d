/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/watchdog.h: what resets a machine that hangs in a check, so that the next boot can go on behind it.
 *
 * Firmware's own timer, which needs its interrupt to come through (UEFI specification 2.10, 7.5 SetWatchdogTimer()). Before
 * its time is over, at three quarters of it, the last words are asked for: where the boot processor hangs with interrupts on,
 * they reach the journal.
 */
#pragma once
#include <efi.h>
#include <stdint.h>

/* last_words: called at TPL_CALLBACK, once an arming at most. */
void watchdog_init(EFI_SYSTEM_TABLE *st, void (*last_words)(void *context), void *context);
/* From now on so many seconds until the machine is reset; 0: none. Returns what is armed: 0 where firmware has no timer. */
uint32_t watchdog_arm(uint32_t seconds);
/* Nothing is armed any more, and nothing is called. */
void watchdog_end(void);
