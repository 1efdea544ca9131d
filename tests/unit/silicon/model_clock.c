/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/unit/silicon/model_clock.c: what accesses cost. */
#include <criterion/criterion.h>

#include "tests/silicon/model/model_clock.h"
#include "tests/support/run/silicon.h"

#define LATE UINT64_C(1000000000) /* a time at which no queue has anything to make up for */

static uint64_t cost(struct model *m, uint32_t cpu, uint64_t physical, enum cache_level level, bool dependent)
{
    return model_clock_access(m, cpu, LATE, physical, level, dependent) - LATE;
}

Test(model_clock, each_level_is_slower_than_the_one_before_it)
{
    for (uint32_t i = 0; profiles[i]; i++) {
        struct model *m = silicon_of(profiles[i]->name, 1, 1, 1);
        uint64_t before = 0, stream = 0;

        for (uint32_t level = LEVEL_L1; level <= LEVEL_MEMORY; level++) {
            cr_expect_gt(cost(m, 0, 0, level, true), before, "%s, level %u", profiles[i]->name, level);
            cr_expect_geq(cost(m, 0, 0, level, false), stream, "%s, level %u", profiles[i]->name, level);
            before = cost(m, 0, 0, level, true);
            stream = cost(m, 0, 0, level, false);
            cr_expect_lt(stream, before, "%s, level %u: loads that do not wait overlap", profiles[i]->name, level);
        }
    }
}

/* Broadwell-EP: 75 and 128 ns at 2.1 GHz. */
Test(model_clock, memory_of_another_package_is_further_away)
{
    struct model *m = silicon_of("bdx", 2, 2, 1);

    cr_expect_eq(cost(m, 0, 0, LEVEL_MEMORY, true), 157);
    cr_expect_eq(cost(m, 0, SILICON_NODE, LEVEL_MEMORY, true), 268);
    cr_expect_eq(cost(m, 2, SILICON_NODE, LEVEL_MEMORY, true), 157);
}

/* Processors of one package that read memory of the other, which would have 4 GB/s each: two of them do, twelve share
 * the 31 GB/s that come to a package. */
Test(model_clock, processors_share_what_comes_from_another_package)
{
    struct model *m = silicon_of("bdx", 2, 12, 1);

    for (uint32_t users = 2; users <= 12; users += 10) {
        uint64_t clock[12], begin = LATE * users, lines = 100000, end = 0;

        for (uint32_t i = 0; i < users; i++)
            clock[i] = begin;
        for (uint64_t n = 0; n < lines; n++)
            for (uint32_t i = 0; i < users; i++)
                clock[i] = model_clock_access(m, i, clock[i], SILICON_NODE + (n << 6), LEVEL_MEMORY, false);
        for (uint32_t i = 0; i < users; i++)
            end = clock[i] > end ? clock[i] : end;
        if (users == 2)
            cr_expect_eq(end - begin, lines * 26);
        else
            cr_expect(end - begin > users * lines * 4250 / 1000 && end - begin < users * lines * 4340 / 1000,
                      "%lu thousandths of a tick a line", 1000 * (end - begin) / (users * lines));
    }
}

Test(model_clock, a_delay_acts_beyond_the_l2_alone)
{
    struct model *m = silicon_of("skx", 1, 1, 1);
    uint64_t l2 = cost(m, 0, 0, LEVEL_L2, true), l3 = cost(m, 0, 0, LEVEL_L3, true);

    silicon_keeps(m, 0, 0xD50, 50, 50);
    cr_expect_eq(cost(m, 0, 0, LEVEL_L2, true), l2);
    cr_expect_eq(cost(m, 0, 0, LEVEL_L3, true), 2 * l3);
}

/* A class that may have 1 GB/s gets no more by prefetchers: a line takes 64 ns. */
Test(model_clock, what_prefetchers_bring_counts_against_the_ceiling)
{
    static const char *const prefetchers[] = { "none", "l1-prefetch=on", "l2-prefetch=on",
                                               "l1-prefetch=on,l2-prefetch=on" };

    for (size_t i = 0; i < sizeof prefetchers / sizeof *prefetchers; i++) {
        struct model_config config = MODEL("zen3", 1, 1, 1, .realism = prefetchers[i]);
        struct model *m = silicon_new(&config);
        uint64_t clock = LATE, lines = 6400, least = lines * 64 * (m->tsc_hz / 1000000) / 1000;

        silicon_keeps(m, 0, 0xC0000201, 8, 8);
        silicon_keeps(m, 0, 0xC8F, UINT64_C(1) << 32, UINT64_C(1) << 32);
        for (uint64_t n = 0; n < lines; n++)
            clock = model_clock_access(m, 0, clock, n << 6, model_access_level(m, 0, n << 6, 8, MODEL_LOAD), false);
        cr_expect(clock - LATE + 65536 >= least - 100 && clock - LATE <= least + least / 50, "%s: %lu of %lu ticks",
                  prefetchers[i], clock - LATE, least);
    }
}
