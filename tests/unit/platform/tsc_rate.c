/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/platform/tsc_rate.h"

#include <criterion/criterion.h>

static uint64_t answers[3];
static uint32_t asked;

static uint64_t first(void *)
{
    asked |= 1;
    return answers[0];
}

static uint64_t second(void *)
{
    asked |= 2;
    return answers[1];
}

static uint64_t third(void *)
{
    asked |= 4;
    return answers[2];
}

static const struct tsc_source sources[] = { { "first", first }, { "second", second }, { "third", third } };

static void expect_rate(uint64_t a, uint64_t b, uint64_t c, uint64_t hz, const char *name, uint32_t who)
{
    const char *by = "";

    answers[0] = a;
    answers[1] = b;
    answers[2] = c;
    asked = 0;
    cr_expect_eq(tsc_rate_choose(sources, 3, NULL, &by), hz);
    cr_expect_str_eq(by, name);
    cr_expect_eq(asked, who);
}

Test(tsc_rate_choose, believes_the_first_plausible_source_and_asks_no_further)
{
    expect_rate(2100000000, 1, 1, 2100000000, "first", 1);
    expect_rate(0, 2596125052, 1, 2596125052, "second", 3);
    expect_rate(100000000, 0, 0, 100000000, "first", 1);
    expect_rate(UINT64_C(20000000000), 0, 0, UINT64_C(20000000000), "first", 1);
}

Test(tsc_rate_choose, passes_over_rates_that_no_processor_has)
{
    expect_rate(99999999, UINT64_C(20000000001), 3000000000, 3000000000, "third", 7);
}

Test(tsc_rate_choose, takes_the_last_source_at_its_word_but_never_0)
{
    expect_rate(0, 0, 50000000, 50000000, "third", 7);
    expect_rate(0, 0, 0, 1, "third", 7);
}

/* ACPI's PM timer: 3,579,545 Hz. */
Test(tsc_rate_against, is_the_ratio_without_overflow)
{
    cr_expect_eq(tsc_rate_against(210000000, 357955, 3579545), 2099997066);
    cr_expect_eq(tsc_rate_against(UINT64_C(20000000000), 3579545, 3579545), UINT64_C(20000000000));
    cr_expect_eq(tsc_rate_against(UINT64_C(1) << 62, UINT64_C(1) << 31, 3579545), (UINT64_C(1) << 31) * 3579545);
    cr_expect_eq(tsc_rate_against(1000, 0, 3579545), 0);
}
