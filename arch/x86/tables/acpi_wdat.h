/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/tables/acpi_wdat.h: the hardware watchdog that ACPI's WDAT describes: what to read and write for each action.
 * Source: Hardware Watchdog Timers Design Specification (Microsoft, 2006), "Watchdog Action Table"; as Linux has it,
 * include/acpi/actbl3.h and drivers/watchdog/wdat_wdt.c.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"

enum wdat_action {
    WDAT_RESET = 1,             /* begin to count again              */
    WDAT_SET_COUNTDOWN = 6,     /* the time, in periods             */
    WDAT_GET_RUNNING_STATE = 8, /* is it counting?                  */
    WDAT_SET_RUNNING_STATE = 9,
    WDAT_SET_STOPPED_STATE = 11,
    WDAT_SET_REBOOT = 17, /* its end resets the machine             */
    WDAT_GET_STATUS = 32, /* did it reset the machine the last time? */
    WDAT_SET_STATUS = 33, /* forget that                            */
};

struct wdat_entry {
    uint8_t action, instruction;
    bool port;     /* else memory            */
    uint8_t bytes; /* of the register: 1, 2, 4 */
    uint8_t shift; /* of its field */
    uint64_t address;
    uint32_t value, mask;
};

#define WDAT_ENTRIES 64u

struct wdat {
    bool enabled;                    /* by firmware: else it is not to be used */
    uint32_t period_ms, least, most; /* of the time, in periods */
    uint32_t n;
    struct wdat_entry entries[WDAT_ENTRIES];
};

/* length: as acpi_read() handed the table out, header and all. ST_CORRUPT: it contradicts itself, has an entry that is no
 * register in memory or ports, or lacks what a watchdog needs (WDAT_RESET, SET_COUNTDOWN, SET_RUNNING_STATE,
 * SET_STOPPED_STATE); *w is untouched. */
MUST_CHECK enum status wdat_decode(const uint8_t *bytes, uint32_t length, struct wdat *w);

/* How registers are reached. */
struct wdat_access {
    void *context;
    enum status (*read)(void *context, const struct wdat_entry *at, uint32_t *value);
    enum status (*write)(void *context, const struct wdat_entry *at, uint32_t value);
};

/* Every entry of the action, in the table's order. parameter: what WDAT_SET_COUNTDOWN writes; *result: of an action that
 * reads, whether the field has the value; may be NULL. ST_ABSENT: the table has no such entry. The first failure ends it. */
MUST_CHECK enum status wdat_run(const struct wdat *w, const struct wdat_access *access, enum wdat_action action,
                                uint32_t parameter, uint32_t *result);
/* The countdown for so many seconds: within what the watchdog can. */
uint32_t wdat_periods(const struct wdat *w, uint32_t seconds);
