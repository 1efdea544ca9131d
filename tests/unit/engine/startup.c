/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/startup.h"

#include <criterion/criterion.h>

#include "core/base/text.h"

static void expect_plan(struct startup_plan plan, const char *why, uint32_t n, enum startup_method first,
                        enum startup_method second)
{
    cr_assert_eq(plan.n, n);
    cr_expect(n < 1 || plan.tries[0] == first);
    cr_expect(n < 2 || plan.tries[1] == second);
    cr_expect(why ? plan.why && text_equal(plan.why, why) : !plan.why, "%s", plan.why ? plan.why : "no reason");
}

Test(startup_plan, asks_firmware_first_without_and_then_with_blocking)
{
    expect_plan(startup_plan(MP_AUTO, 7, true), NULL, 2, STARTUP_NONBLOCKING, STARTUP_BLOCKING);
    expect_plan(startup_plan(MP_BLOCKING, 7, true), "chosen by -mp blocking", 1, STARTUP_BLOCKING, 0);
}

Test(startup_plan, sends_init_and_sipi_where_it_is_chosen_or_firmware_has_no_services)
{
    expect_plan(startup_plan(MP_AUTO, 7, false), "firmware has no MP services", 1, STARTUP_SIPI, 0);
    expect_plan(startup_plan(MP_SIPI, 7, false), "chosen by -mp sipi", 1, STARTUP_SIPI, 0);
    expect_plan(startup_plan(MP_SIPI, 7, true), "chosen by -mp sipi", 1, STARTUP_SIPI, 0);
}

Test(startup_plan, starts_none_where_there_is_none_to_start_or_no_way_that_was_asked_for)
{
    expect_plan(startup_plan(MP_BSP, 7, true), "chosen by -mp bsp", 0, 0, 0);
    expect_plan(startup_plan(MP_AUTO, 0, true), "no other processor is used", 0, 0, 0);
    expect_plan(startup_plan(MP_SIPI, 0, false), "no other processor is used", 0, 0, 0);
    expect_plan(startup_plan(MP_BLOCKING, 7, false), "firmware has no MP services", 0, 0, 0);
}

Test(startup_plan, names_the_option_that_asks_no_firmware_where_firmware_refuses)
{
    const char *sipi = startup_plan(MP_AUTO, 7, true).otherwise;

    cr_assert_not_null(sipi);
    cr_expect(text_find(sipi, "-mp sipi"));
    cr_expect_not_null(startup_plan(MP_BLOCKING, 7, true).otherwise);
    cr_expect_not_null(startup_plan(MP_BLOCKING, 7, false).otherwise);
    cr_expect_null(startup_plan(MP_AUTO, 7, false).otherwise, "it is what was tried");
    cr_expect_null(startup_plan(MP_SIPI, 7, true).otherwise, "it is what was tried");
    cr_expect_null(startup_plan(MP_BSP, 7, true).otherwise);
    cr_expect_null(startup_plan(MP_AUTO, 0, true).otherwise);
}

Test(startup_takes_part, wants_an_enabled_and_healthy_processor_that_was_chosen)
{
    uint32_t good = CPU_ENABLED | CPU_HEALTHY;

    cr_expect(startup_takes_part(good, MP_AUTO, true));
    cr_expect(startup_takes_part(good, MP_SIPI, true));
    cr_expect(!startup_takes_part(good, MP_AUTO, false));
    cr_expect(!startup_takes_part(good, MP_BSP, true));
    cr_expect(!startup_takes_part(CPU_ENABLED, MP_AUTO, true));
    cr_expect(!startup_takes_part(CPU_HEALTHY, MP_AUTO, true));
}

Test(startup_wants_mp_selftest, where_a_check_looks_at_them_and_firmware_is_asked)
{
    struct options o;

    options_default(&o);
    cr_expect(startup_wants_mp_selftest(&o));
    o.mp = MP_SIPI;
    cr_expect(!startup_wants_mp_selftest(&o));
    o.mp = MP_BSP;
    cr_expect(!startup_wants_mp_selftest(&o));
    o.mp = MP_BLOCKING;
    cr_expect(startup_wants_mp_selftest(&o));
    o.list = LIST_BOXES;
    cr_expect(!startup_wants_mp_selftest(&o));
    o.list = LIST_NOTHING;
    o.n_counts = 1;
    cr_expect(!startup_wants_mp_selftest(&o));
    o.n_counts = 0;
    o.top_seconds = 1;
    cr_expect_not(startup_wants_mp_selftest(&o));
    o.top_seconds = 0;
    o.n_tests = 1;
    text_format(o.tests[0], sizeof o.tests[0], "cmt.*");
    cr_expect(!startup_wants_mp_selftest(&o));
    text_format(o.tests[0], sizeof o.tests[0], "mp.*");
    cr_expect(startup_wants_mp_selftest(&o));
}
