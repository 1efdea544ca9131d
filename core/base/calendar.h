/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/calendar.h: dates of the Gregorian calendar and seconds since 1970-01-01T00:00:00. Days have 86,400 s: there
 * are no leap seconds, as in POSIX time. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct calendar {
    uint32_t year, month, day; /* month 1 to 12, day from 1 on */
    uint32_t hour, minute, second;
};

/* false, and *seconds is untouched: before 1970, or no such date or time of day (30 February, 24:00, 23:59:60). */
bool calendar_to_seconds(const struct calendar *c, uint64_t *seconds);
struct calendar calendar_from_seconds(uint64_t seconds);

/* Nanoseconds since 1970 in UTC of what a machine's clock says. minutes_to_utc: UTC = clock + minutes_to_utc; what is
 * beyond a day (EFI_UNSPECIFIED_TIMEZONE is) says nothing, and the clock is taken for UTC.
 * 0: the clock is not set (before 2000), contradicts itself, or is beyond what 64 bits hold (2554). */
uint64_t calendar_clock_ns(const struct calendar *clock, int32_t minutes_to_utc);

/* The last n decimal digits of value, without an end: in as many instructions whatever it is, so that what a run measures
 * does not depend on the date. */
void calendar_digits(char *out, uint32_t n, uint32_t value);
