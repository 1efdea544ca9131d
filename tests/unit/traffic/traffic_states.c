/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* traffic.states where a look-up counts for two states, that of the cache and that of the snoop filter: parts from
 * Skylake-SP on have both in one filter, Broadwell-EP has the cache's alone. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

/* CBo and CHA n: E00H + 10H n, filter 0 at 5, counter 0 at 8 (Linux uncore_snbep.c, hswep_uncore_cbox and skx_uncore_chabox). */
#define FIRST   0xE00u
#define LAST    0xFBFu
#define FILTER0 5u
#define CTR0    8u

struct doubled {
    uint32_t times; /* what one state alone counts, over what the model has it count */
    bool one_state;
};

static bool is_register(const struct step *s, enum step_op op, uint32_t offset)
{
    return s->op == op && s->reg >= FIRST && s->reg <= LAST && (s->reg & 0xF) == offset;
}

static void see_filter(struct interposer *i, uint32_t, struct step *s)
{
    struct doubled *d = i->context;

    if (is_register(s, STEP_WRMSR, FILTER0))
        d->one_state = count_bits((uint32_t)s->value) == 1;
}

static void count_more(struct interposer *i, uint32_t, struct step *s)
{
    struct doubled *d = i->context;

    if (d->one_state && is_register(s, STEP_RDMSR, CTR0))
        s->value *= d->times;
}

static void expect_states(const char *profile, uint32_t times, enum verdict verdict)
{
    struct doubled doubled = { .times = times };

    expect(verdict, "traffic.states", ON(profile), .before = see_filter, .after = count_more, .context = &doubled,
           .finding = verdict == VERDICT_PASS ? NULL : "with each in turn");
}

Test(traffic_states, a_look_up_may_count_for_two_states_where_there_is_a_snoop_filter)
{
    expect_states("skx", 1, VERDICT_PASS);
    expect_states("skx", 2, VERDICT_PASS);
    expect_states("skx", 3, VERDICT_FAIL);
    expect_states("bdx", 2, VERDICT_FAIL);
}

/* Of many slices one moves the sum by less than its bound: it is held against the others. */
Test(traffic_states, one_slice_of_many_that_ignores_its_filter_is_found)
{
    static const char *const profiles[] = { "bdx", "skx", "icx", "icx-d", "spr" };

    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
        expect(VERDICT_FAIL, "traffic.states",
               ON(profiles[i], .slices = 8, .packages = 2, .faults = { "cbo-filter-ignored:5" }),
               .stream = i == 0 ? "CBo 5" : "CHA 5");
}

/* An L2 that four cores share holds what each of them reads; what the slices look up is what others do beside it. */
EXPECT_TEST(
    traffic_states, few_look_ups_beside_a_load_that_an_l2_holds_are_not_judged, VERDICT_SKIP, "traffic.states",
    ON("srf", .packages = 1, .cores = 4, .threads = 2, .slices = 4, .clusters = 1, .seed = 1546272785,
       .realism =
           "l2-victim-drop=4,l2-victim-reuse=on,l2-victim-tag=evict,dma=562,l2-prefetch=on,"
           "l1-prefetch=on,idle-lines=1,page-walk=2m,code-fetch=13,empty-node=on,memory-extents=1,memory-node=on"),
    .stream = "which an L2 may hold");
