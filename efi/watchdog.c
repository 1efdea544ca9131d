/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/watchdog.h"

#define WATCHDOG_CODE 0x10001u /* the first code that is not firmware's own is the boot manager's in efi/shell.c */
#define TICKS         UINT64_C(10000000) /* of SetTimer() in a second */

static struct {
    EFI_BOOT_SERVICES *bs;
    EFI_EVENT event; /* NULL: there are no last words */
    void (*last_words)(void *context);
    void *context;
} watchdog;

static EFIAPI VOID notify(EFI_EVENT event, VOID *context)
{
    (void)event;
    (void)context;
    watchdog.last_words(watchdog.context);
}

void watchdog_init(EFI_SYSTEM_TABLE *st, void (*last_words)(void *context), void *context)
{
    watchdog.bs = st->BootServices;
    watchdog.last_words = last_words;
    watchdog.context = context;
    if (EFI_ERROR(watchdog.bs->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK, notify, NULL, &watchdog.event)))
        watchdog.event = NULL;
}

uint32_t watchdog_arm(uint32_t seconds)
{
    EFI_STATUS s;

    if (!watchdog.bs)
        return 0;
    s = watchdog.bs->SetWatchdogTimer(seconds, WATCHDOG_CODE, 0, NULL);
    if (EFI_ERROR(s))
        seconds = 0;
    if (watchdog.event)
        (void)watchdog.bs->SetTimer(watchdog.event, seconds ? TimerRelative : TimerCancel, seconds * TICKS / 4 * 3);
    return seconds;
}

void watchdog_end(void)
{
    if (!watchdog.bs)
        return;
    (void)watchdog_arm(0);
    if (watchdog.event)
        (void)watchdog.bs->CloseEvent(watchdog.event);
    watchdog.event = NULL;
    watchdog.bs = NULL;
}
