/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/firmware/watchdog.h"

#include "arch/x86/cpu/insn.h"
#include "arch/x86/tables/acpi_wdat.h"
#include "arch/x86/tables/chipset_watchdog.h"
#include "core/base/ticks.h"

#define WATCHDOG_CODE    0x10001u /* efi/firmware/shell.c has the boot manager's, the first that is not firmware's own */
#define TICKS            UINT64_C(10000000) /* of SetTimer() in a second */
#define HARDWARE_SECONDS 60u

static struct {
    EFI_BOOT_SERVICES *bs;
    struct platform *platform;
    EFI_EVENT words, ping; /* NULL: there is none */
    void (*last_words)(void *context);
    void *context;
    struct wdat hardware;
    const char *kind;  /* of hardware; NULL: there is none */
    bool struck;       /* it says so of itself: not forgotten yet */
    bool reset_before; /* it said so when it was found            */
    bool running;
    struct {
        const struct wdat_entry *at;
        uint32_t value;
    } found[4]; /* what WDAT_SET_REBOOT writes to */
    uint32_t n_found;
    uint64_t deadline; /* TSC: until then the hardware is restarted */
} watchdog;

/* --- the hardware ------------------------------------------------------------------------------------------------- */

static enum status read_register(void *context, const struct wdat_entry *at, uint32_t *value)
{
    struct platform *p = context;
    uint64_t wide = 0;
    enum status st = ST_OK;

    if (!at->port)
        st = p->ops->mmio_read(p->machine, at->address, at->bytes, &wide);
    else if (at->bytes == 1)
        wide = port_read8((uint16_t)at->address);
    else if (at->bytes == 2)
        wide = port_read16((uint16_t)at->address);
    else
        wide = port_read32((uint16_t)at->address);
    *value = (uint32_t)wide;
    return st;
}

static enum status write_register(void *context, const struct wdat_entry *at, uint32_t value)
{
    struct platform *p = context;

    if (!at->port)
        return p->ops->mmio_write(p->machine, at->address, at->bytes, value);
    if (at->bytes == 1)
        port_write8((uint16_t)at->address, (uint8_t)value);
    else if (at->bytes == 2)
        port_write16((uint16_t)at->address, (uint16_t)value);
    else
        port_write32((uint16_t)at->address, value);
    return ST_OK;
}

static enum status act(enum wdat_action action, uint32_t parameter, uint32_t *result)
{
    const struct wdat_access access = { watchdog.platform, read_register, write_register };

    return wdat_run(&watchdog.hardware, &access, action, parameter, result);
}

static void find_hardware(const struct acpi_info *acpi)
{
    uint32_t struck = 0;

    watchdog.kind = NULL;
    if (acpi->wdat.bytes && wdat_decode(acpi->wdat.bytes, acpi->wdat.length, &watchdog.hardware) == ST_OK &&
        watchdog.hardware.enabled)
        watchdog.kind = "ACPI WDAT";
    else
        watchdog.kind = chipset_watchdog(watchdog.platform, &watchdog.hardware);
    if (watchdog.kind && act(WDAT_GET_STATUS, 0, &struck) == ST_OK)
        watchdog.struck = watchdog.reset_before = struck != 0;
}

/* Before the first start: what it needs to reset the machine at all is noted, to be put back. */
static void keep_reboot(void)
{
    for (uint32_t i = 0; i < watchdog.hardware.n && watchdog.n_found < 4; i++) {
        const struct wdat_entry *e = &watchdog.hardware.entries[i];

        if (e->action == WDAT_SET_REBOOT &&
            read_register(watchdog.platform, e, &watchdog.found[watchdog.n_found].value) == ST_OK)
            watchdog.found[watchdog.n_found++].at = e;
    }
}

/* ST_IO: it says that it does not count, or is disabled. */
static enum status hardware_start(uint32_t seconds)
{
    uint32_t counts = 0;
    enum status st;

    keep_reboot();
    if (watchdog.struck && act(WDAT_SET_STATUS, 0, NULL) == ST_OK)
        watchdog.struck = false;
    st = act(WDAT_SET_REBOOT, 0, NULL);
    if (st == ST_OK || st == ST_ABSENT)
        st = act(WDAT_SET_COUNTDOWN, wdat_periods(&watchdog.hardware, seconds), NULL);
    if (st == ST_OK)
        st = act(WDAT_SET_RUNNING_STATE, 0, NULL);
    if (st == ST_OK)
        st = act(WDAT_RESET, 0, NULL);
    if (st == ST_OK && act(WDAT_GET_RUNNING_STATE, 0, &counts) == ST_OK && !counts)
        st = ST_IO;
    return st;
}

static void hardware_stop(void)
{
    if (!watchdog.running)
        return;
    (void)act(WDAT_SET_STOPPED_STATE, 0, NULL);
    for (uint32_t i = 0; i < watchdog.n_found; i++)
        (void)write_register(watchdog.platform, watchdog.found[i].at, watchdog.found[i].value);
    watchdog.n_found = 0;
    watchdog.running = false;
}

/* --- both --------------------------------------------------------------------------------------------------------- */

static EFIAPI VOID say_last_words(EFI_EVENT, VOID *)
{
    watchdog.last_words(watchdog.context);
}

static EFIAPI VOID begin_anew(EFI_EVENT, VOID *)
{
    if (watchdog.running && insn_rdtsc() < watchdog.deadline)
        (void)act(WDAT_RESET, 0, NULL);
}

static EFI_EVENT make_event(EFI_TPL tpl, EFI_EVENT_NOTIFY notify)
{
    EFI_EVENT event;

    return EFI_ERROR(watchdog.bs->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, tpl, notify, NULL, &event)) ? NULL : event;
}

void watchdog_init(EFI_SYSTEM_TABLE *st, struct platform *p, const struct acpi_info *acpi,
                   void (*last_words)(void *context), void *context)
{
    watchdog.bs = st->BootServices;
    watchdog.platform = p;
    watchdog.last_words = last_words;
    watchdog.context = context;
    watchdog.words = make_event(TPL_CALLBACK, say_last_words);
    watchdog.ping = make_event(TPL_NOTIFY, begin_anew);
    find_hardware(acpi);
    if (!watchdog.ping) /* nothing would restart it */
        watchdog.kind = NULL;
}

static void set_timer(EFI_EVENT event, EFI_TIMER_DELAY how, uint64_t ticks)
{
    if (event)
        (void)watchdog.bs->SetTimer(event, how, ticks);
}

static void arm_hardware(uint32_t seconds)
{
    uint32_t time = seconds < HARDWARE_SECONDS ? seconds : HARDWARE_SECONDS;

    if (seconds == 0) {
        set_timer(watchdog.ping, TimerCancel, 0);
        hardware_stop();
        return;
    }
    watchdog.deadline = insn_rdtsc() + ticks_from_ns(seconds * UINT64_C(1000000000), watchdog.platform->tsc_hz);
    if (watchdog.running) {
        (void)act(WDAT_RESET, 0, NULL);
        return;
    }
    watchdog.running = true; /* before anything can fail: it is stopped then */
    if (hardware_start(time) != ST_OK) {
        hardware_stop();
        watchdog.kind = NULL;
        return;
    }
    set_timer(watchdog.ping, TimerPeriodic, time * TICKS / 4);
}

uint32_t watchdog_arm(uint32_t seconds)
{
    uint32_t armed = seconds;

    if (!watchdog.bs)
        return 0;
    if (EFI_ERROR(watchdog.bs->SetWatchdogTimer(seconds, WATCHDOG_CODE, 0, NULL)))
        armed = 0;
    if (watchdog.kind)
        arm_hardware(seconds);
    set_timer(watchdog.words, seconds ? TimerRelative : TimerCancel, seconds * TICKS / 4 * 3);
    return watchdog.kind ? seconds : armed;
}

void watchdog_report(struct report *r, bool armed)
{
    if (!armed)
        report_log(r, "INFO", "no watchdog is armed: -watchdog 0, -b, or firmware has none");
    else if (!watchdog.kind)
        report_log(r, "INFO", "watchdog: firmware's timer; no hardware watchdog is known (no WDAT)");
    else
        report_log(r, "INFO", "watchdog: firmware's timer, and %s, %u periods of %u ms%s", watchdog.kind,
                   wdat_periods(&watchdog.hardware, HARDWARE_SECONDS), watchdog.hardware.period_ms,
                   watchdog.reset_before ? "; it reset the machine before this boot" : "");
}

void watchdog_end(void)
{
    if (!watchdog.bs)
        return;
    (void)watchdog_arm(0);
    if (watchdog.words)
        (void)watchdog.bs->CloseEvent(watchdog.words);
    if (watchdog.ping)
        (void)watchdog.bs->CloseEvent(watchdog.ping);
    watchdog.words = watchdog.ping = NULL;
    watchdog.bs = NULL;
}
