/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/calendar.h"

/* Both directions count years from 1 March, so that the leap day is a year's last; eras of 400 years have as many days
 * each. */
#define DAYS_OF_ERA        146097u
#define DAYS_BEFORE_1970   719468u /* from 1 March of the year 0 */
#define SECONDS_OF_DAY     86400u
#define EARLIEST_SET_CLOCK 2000u
#define MINUTES_OF_DAY     1440

static bool is_leap_year(uint32_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static uint32_t days_of_month(uint32_t year, uint32_t month)
{
    static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

    return days[month - 1] + (month == 2 && is_leap_year(year));
}

/* Days from 1 March to the first of the month that many months later: 31, 30, 31, 30, 31 again and again. */
static uint64_t days_before_month(uint64_t from_march)
{
    return (153 * from_march + 2) / 5;
}

bool calendar_to_seconds(const struct calendar *c, uint64_t *seconds)
{
    uint64_t year = c->month <= 2 ? c->year - 1u : c->year, days;

    if (c->year < 1970 || c->month < 1 || c->month > 12 || c->day < 1 || c->day > days_of_month(c->year, c->month) ||
        c->hour > 23 || c->minute > 59 || c->second > 59)
        return false;
    days = year * 365 + year / 4 - year / 100 + year / 400 +
           days_before_month(c->month <= 2 ? c->month + 9 : c->month - 3) + c->day - 1 - DAYS_BEFORE_1970;
    *seconds = days * SECONDS_OF_DAY + c->hour * 3600 + c->minute * 60 + c->second;
    return true;
}

struct calendar calendar_from_seconds(uint64_t seconds)
{
    uint64_t shifted = seconds / SECONDS_OF_DAY + DAYS_BEFORE_1970, of_day = seconds % SECONDS_OF_DAY;
    uint64_t era = shifted / DAYS_OF_ERA, of_era = shifted % DAYS_OF_ERA;
    uint64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    uint64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    uint64_t from_march = (5 * of_year + 2) / 153;
    uint32_t month = (uint32_t)(from_march < 10 ? from_march + 3 : from_march - 9);

    return (struct calendar){ .year = (uint32_t)(era * 400 + year + (month <= 2)),
                              .month = month,
                              .day = (uint32_t)(of_year - days_before_month(from_march) + 1),
                              .hour = (uint32_t)(of_day / 3600),
                              .minute = (uint32_t)(of_day / 60 % 60),
                              .second = (uint32_t)(of_day % 60) };
}

uint64_t calendar_clock_ns(const struct calendar *clock, int32_t minutes_to_utc)
{
    uint64_t seconds = 0;

    if (clock->year < EARLIEST_SET_CLOCK || !calendar_to_seconds(clock, &seconds))
        return 0;
    if (minutes_to_utc >= -MINUTES_OF_DAY && minutes_to_utc <= MINUTES_OF_DAY)
        seconds += (uint64_t)((int64_t)minutes_to_utc * 60);
    return seconds > UINT64_MAX / 1000000000u ? 0 : seconds * 1000000000u;
}

void calendar_digits(char *out, uint32_t n, uint32_t value)
{
    while (n-- > 0) {
        out[n] = (char)('0' + value % 10);
        value /= 10;
    }
}
