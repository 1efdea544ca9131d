/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Code that processors of the virtual silicon fetch: the instruction cache, what takes its lines, what a fetch costs
 * and what is no fetch. */
#include "tests/silicon/cache/model_cache.h"
#include "tests/silicon/model/model_clock.h"
#include "tests/support/run/silicon.h"

static enum cache_level fetch(struct model *m, uint32_t cpu, uint64_t physical)
{
    return model_access_level(m, cpu, physical, 8, MODEL_FETCH);
}

static void fetch_lines(struct model *m, uint64_t base, uint64_t lines)
{
    for (uint64_t i = 0; i < lines; i++)
        fetch(m, 0, base + i * 64);
}

/* --- the instruction cache */

Test(code, of_32_kib_stays_at_the_first_level)
{
    struct model *m = silicon_of("bdx", 1, 1, 1);

    fetch_lines(m, 0, CODE_LINES);
    for (uint64_t i = 0; i < CODE_LINES; i++)
        cr_expect_eq(fetch(m, 0, i * 64), LEVEL_L1);
    fetch(m, 0, UINT64_C(64) * CODE_LINES);
    cr_expect_eq(fetch(m, 0, 0), LEVEL_L2, "the line after them took its place");
    cr_expect_eq(silicon_truth(m, 0, 0).rmid_total_lines, CODE_LINES + 1);
}

Test(code, is_not_what_data_is_at_the_first_level)
{
    struct model *m = silicon_of("bdx", 1, 1, 1);

    fetch(m, 0, 0);
    cr_expect_eq(model_access_level(m, 0, 0, 8, MODEL_LOAD), LEVEL_L2);
    cr_expect_eq(fetch(m, 0, 0), LEVEL_L1);
}

Test(code, goes_where_its_line_leaves_the_core)
{
    struct model *m = silicon_of("bdx", 2, 1, 1);

    fetch(m, 0, 0);
    model_access(m, 1, 0, 8, MODEL_STORE);
    cr_expect_eq(fetch(m, 0, 0), LEVEL_MEMORY, "somebody else wrote new code");
    model_clflush(m, 1, 0);
    cr_expect_eq(fetch(m, 0, 0), LEVEL_MEMORY);
    model_wbinvd(m, 0);
    cr_expect_eq(fetch(m, 0, 0), LEVEL_MEMORY);
    silicon_load(m, 0, SILICON_NODE / 2, 16384); /* 1 MB push it out of the L2 */
    cr_expect_eq(fetch(m, 0, 0), LEVEL_L3);
}

Test(code, is_no_load_or_store_that_retires)
{
    struct model *m = silicon_of("bdx", 1, 1, 1);

    silicon_load(m, 0, 0, 3);
    fetch_lines(m, SILICON_NODE / 2, 100);
    cr_expect_eq(m->cpu[0].counts.accesses, 3);
}

Test(code, costs_nothing_at_the_first_level_and_half_of_the_latency_beyond_it)
{
    struct model *m = silicon_of("bdx", 1, 1, 1);
    uint64_t now = 1000000;

    cr_expect_eq(model_clock_fetch(m, 0, now, 0, LEVEL_L1), now);
    for (int level = LEVEL_L2; level <= LEVEL_MEMORY; level++)
        cr_expect_eq(model_clock_fetch(m, 0, now, 0, (enum cache_level)level) - now,
                     (model_clock_access(m, 0, now, 0, (enum cache_level)level, true) - now) / 2, "level %d", level);
}
