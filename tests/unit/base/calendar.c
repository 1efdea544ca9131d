/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/calendar.h"

#include <criterion/criterion.h>

#include "core/base/ticks.h"

/* Seconds by GNU date: date -u -d DATE +%s. */
static const struct {
    struct calendar date;
    uint64_t seconds;
} known[] = {
    { { 1970, 1, 1, 0, 0, 0 }, 0 },
    { { 1970, 2, 28, 23, 59, 59 }, 5097599 },
    { { 1972, 2, 29, 12, 0, 0 }, 68212800 },
    { { 1999, 12, 31, 23, 59, 59 }, 946684799 },
    { { 2000, 2, 29, 0, 0, 1 }, 951782401 },
    { { 2000, 3, 1, 0, 0, 0 }, 951868800 },
    { { 2001, 9, 9, 1, 46, 40 }, 1000000000 },
    { { 2024, 2, 29, 23, 59, 59 }, 1709251199 },
    { { 2024, 12, 31, 23, 59, 59 }, 1735689599 },
    { { 2026, 11, 22, 9, 8, 17 }, 1795338497 },
    { { 2038, 1, 19, 3, 14, 8 }, 2147483648 },
    { { 2099, 12, 31, 23, 59, 59 }, 4102444799 },
    { { 2100, 2, 28, 23, 59, 59 }, 4107542399 },
    { { 2100, 3, 1, 0, 0, 0 }, 4107542400 },
    { { 9999, 12, 31, 23, 59, 59 }, 253402300799 },
};

static void expect_date(const struct calendar *got, const struct calendar *want)
{
    cr_expect(got->year == want->year && got->month == want->month && got->day == want->day &&
                  got->hour == want->hour && got->minute == want->minute && got->second == want->second,
              "%04u-%02u-%02uT%02u:%02u:%02u, not %04u-%02u-%02uT%02u:%02u:%02u", got->year, got->month, got->day,
              got->hour, got->minute, got->second, want->year, want->month, want->day, want->hour, want->minute,
              want->second);
}

Test(calendar, knows_the_seconds_of_known_dates_and_the_dates_of_known_seconds)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct calendar date = calendar_from_seconds(known[i].seconds);
        uint64_t seconds = 1;

        cr_expect(calendar_to_seconds(&known[i].date, &seconds));
        cr_expect_eq(seconds, known[i].seconds, "case %zu: %llu", i, (unsigned long long)seconds);
        expect_date(&date, &known[i].date);
    }
}

Test(calendar, refuses_what_is_no_date)
{
    static const struct calendar wrong[] = {
        { 1969, 12, 31, 0, 0, 0 },  { 2023, 2, 29, 0, 0, 0 }, { 2100, 2, 29, 0, 0, 0 }, { 2024, 2, 30, 0, 0, 0 },
        { 2024, 0, 1, 0, 0, 0 },    { 2024, 13, 1, 0, 0, 0 }, { 2024, 1, 0, 0, 0, 0 },  { 2024, 4, 31, 0, 0, 0 },
        { 2024, 12, 32, 0, 0, 0 },  { 2024, 1, 1, 24, 0, 0 }, { 2024, 1, 1, 0, 60, 0 }, { 2024, 1, 1, 0, 0, 60 },
        { 2024, 255, 255, 0, 0, 0 }
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint64_t seconds = 42;

        cr_expect(!calendar_to_seconds(&wrong[i], &seconds), "case %zu", i);
        cr_expect_eq(seconds, 42);
    }
}

/* UEFI specification 2.10, 8.3 GetTime(): local time = UTC - TimeZone. */
Test(calendar_clock_ns, counts_from_the_clock_and_its_time_zone)
{
    const struct calendar noon = { 2026, 11, 22, 12, 0, 0 };
    uint64_t utc = UINT64_C(1795348800000000000);

    cr_expect_eq(calendar_clock_ns(&noon, 0), utc);
    cr_expect_eq(calendar_clock_ns(&noon, -60), utc - UINT64_C(3600000000000), "Berlin: 11:00 UTC");
    cr_expect_eq(calendar_clock_ns(&noon, 480), utc + UINT64_C(28800000000000), "California: 20:00 UTC");
    cr_expect_eq(calendar_clock_ns(&noon, 1440), utc + UINT64_C(86400000000000));
    cr_expect_eq(calendar_clock_ns(&noon, 0x7FF), utc, "EFI_UNSPECIFIED_TIMEZONE");
    cr_expect_eq(calendar_clock_ns(&noon, -1441), utc);
}

Test(calendar_clock_ns, is_0_for_a_clock_that_is_not_set)
{
    static const struct calendar wrong[] = { { 0 },
                                             { 1999, 12, 31, 23, 59, 59 },
                                             { 2026, 2, 30, 0, 0, 0 },
                                             { 2555, 1, 1, 0, 0, 0 },
                                             { 9999, 12, 31, 23, 59, 59 } };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_eq(calendar_clock_ns(&wrong[i], 0), 0, "case %zu", i);
    cr_expect_neq(calendar_clock_ns(&(struct calendar){ 2554, 1, 1, 0, 0, 0 }, 0), 0);
}

Test(ticks, become_nanoseconds_and_back)
{
    cr_expect_eq(ticks_to_ns(5, 2), UINT64_C(2500000000));
    cr_expect_eq(ticks_to_ns(2596125052, 2596125052), NS_PER_SECOND);
    cr_expect_eq(ticks_from_ns(1500000000, 3579545), 5369317);
    /* A year at 5 GHz: ticks times 10^9 would be 10^26. */
    cr_expect_eq(ticks_to_ns(UINT64_C(31536000) * 5000000000u, 5000000000u), UINT64_C(31536000) * NS_PER_SECOND);
    cr_expect_eq(ticks_from_ns(UINT64_C(31536000) * NS_PER_SECOND, 5000000000u), UINT64_C(31536000) * 5000000000u);
}

Test(calendar_digits, are_the_last_ones_with_leading_zeros)
{
    char out[] = "----.";

    calendar_digits(out, 4, 7);
    cr_expect_str_eq(out, "0007.");
    calendar_digits(out, 4, 2026);
    cr_expect_str_eq(out, "2026.");
    calendar_digits(out + 1, 2, 1234);
    cr_expect_str_eq(out, "2346.");
}
