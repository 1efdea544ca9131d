/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Throttles in the host's time: a clock that the test moves, and lines that it counts. */
#include "tests/support/run/silicon.h"
#include "tests/silicon/cache/model_cache.h"
#include "tests/silicon/model/model_clock.h"

#include "core/base/bits.h"

enum { PQR = 0xC8F, THROTTLE0 = 0xD50, BW_CONTROL0 = 0xC0000200 };
#define LINE_COSTS 100u /* ns */

static uint64_t clock_now;

static uint64_t now(void)
{
    return clock_now;
}

/* Streams so many lines that no cache has; returns how many ns the processor did not advance. */
static uint64_t stream(struct model *m, uint32_t cpu, uint64_t from, uint64_t lines, uint64_t oversleep)
{
    uint64_t still = 0;

    for (uint64_t i = 0; i < lines; i++) {
        uint64_t wait;

        model_access(m, cpu, from + i * 64, 8, MODEL_LOAD);
        clock_now += LINE_COSTS;
        wait = model_throttle(m, cpu, now);
        if (wait == 0)
            continue;
        clock_now += wait + oversleep;
        still += wait + oversleep;
        model_throttled(m, cpu, wait + oversleep, clock_now);
    }
    return still;
}

/* 100 000 lines take 10 ms; with a delay of 50 as long again, with 90 nine times as long. */
Test(model_throttle, a_delay_takes_its_share_of_the_time)
{
    struct model *m = silicon_of("spr", 1, 1, 1);
    uint64_t still;

    clock_now = 1000000000;
    cr_expect_not(model_throttles(m));
    cr_expect_eq(stream(m, 0, 0, 100000, 0), 0);
    cr_assert_eq(silicon_write(m, 0, THROTTLE0 + 1, 50), MODEL_DONE);
    cr_expect(model_throttles(m));
    cr_expect_eq(stream(m, 0, SILICON_NODE / 4, 100000, 0), 0, "class 0 is not throttled");
    cr_assert_eq(silicon_write(m, 0, PQR, UINT64_C(1) << 32), MODEL_DONE);
    still = stream(m, 0, SILICON_NODE / 2, 100000, 0);
    cr_expect(still > 9800000 && still < 10200000, "%lu", still);
    cr_assert_eq(silicon_write(m, 0, THROTTLE0 + 1, 90), MODEL_DONE);
    still = stream(m, 0, SILICON_NODE * 3 / 4, 100000, 30000);
    cr_expect(still > 88000000 && still < 92000000, "sleeping too long is made up for: %lu", still);
}

/* 8 units are 1 GB/s: 100 000 lines of 64 bytes take 6.4 ms and more, two processors of the class 12.8 ms. */
Test(model_throttle, a_limit_is_shared_by_its_class)
{
    struct model *m = silicon_of("zen3", 1, 2, 1);
    uint64_t began;

    clock_now = 1000000000;
    cr_assert_eq(silicon_write(m, 0, BW_CONTROL0 + 1, 8), MODEL_DONE);
    for (uint32_t cpu = 0; cpu < 2; cpu++)
        cr_assert_eq(silicon_write(m, cpu, PQR, UINT64_C(1) << 32), MODEL_DONE);
    cr_expect(model_throttles(m));
    began = clock_now;
    for (uint64_t i = 0; i < 100; i++)
        for (uint32_t cpu = 0; cpu < 2; cpu++)
            (void)stream(m, cpu, (cpu + 1) * SILICON_NODE / 4 + i * 64000, 1000, 0);
    cr_expect_geq(clock_now - began, 12500000, "%lu", clock_now - began);
    cr_assert_eq(silicon_write(m, 0, BW_CONTROL0 + 1, 2048), MODEL_DONE);
    cr_expect_not(model_throttles(m), "unlimited");
}

/* A processor that did something else for a second owes no second. */
Test(model_throttle, idle_time_is_not_owed)
{
    struct model *m = silicon_of("spr", 1, 1, 1);

    clock_now = 1000000000;
    cr_assert_eq(silicon_write(m, 0, THROTTLE0, 90), MODEL_DONE);
    (void)stream(m, 0, 0, 1000, 0);
    clock_now += 1000000000;
    cr_expect_leq(stream(m, 0, SILICON_NODE / 4, 256, 0), 256 * 2000 * 9);
}

/* --- a composed defect: a throttle that is lost while every processor of the L3 works, or after the uncore's clock changed */

static struct model *with_defect(enum flaw_trigger trigger, const char *realism)
{
    static struct flaw flaw;
    struct model *m;

    flaw = (struct flaw){ .monitor = FLAW_MBA, .kind = FLAW_DEAD, .trigger = trigger };
    m = silicon_of("skx", 1, 2, 1, .realism = realism, .flaw = &flaw);
    cr_assert_eq(model_wrmsr(m, 0, THROTTLE0, 0, 50), MODEL_DONE);
    return m;
}

/* Lines from memory by the first n processors in turns, from this time on; returns when it is over. */
static uint64_t work(struct model *m, uint32_t n, uint64_t tsc)
{
    for (uint32_t i = 0; i < 16384; i++)
        tsc = model_clock_access(m, i % n, tsc, (uint64_t)i << 6, LEVEL_MEMORY, false);
    return tsc;
}

Test(model_throttle, a_defect_acts_under_contention)
{
    struct model *m = with_defect(FLAW_CONTENTION, NULL);
    uint64_t tsc = work(m, 1, 1000);

    cr_expect_eq(model_mba_delay(m, 0), 50);
    tsc = work(m, 2, tsc);
    cr_expect_eq(model_mba_delay(m, 0), 0);
    work(m, 1, tsc);
    cr_expect_eq(model_mba_delay(m, 0), 50);
}

Test(model_throttle, a_defect_acts_after_a_change_of_the_uncores_clock)
{
    struct model *m = with_defect(FLAW_AFTER_CLOCK, "uncore-clock=60,uncore-period=1000");
    uint64_t tsc = 1000;
    bool lost = false;

    (void)model_clock_access(m, 0, tsc, 0, LEVEL_MEMORY, false);
    cr_expect_eq(model_mba_delay(m, 0), 50);
    for (uint32_t ms = 0; ms < 10 && !lost; ms++) {
        tsc += UINT64_C(3000000);
        (void)model_clock_access(m, 0, tsc, 0, LEVEL_MEMORY, false);
        lost = model_mba_delay(m, 0) == 0;
    }
    cr_expect(lost);
}
