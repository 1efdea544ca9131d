/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How long a run takes does not depend on how many L3s a machine has: seconds of the model's clock, which are the same in
 * every run. */
#include <criterion/criterion.h>

#include "tests/support/run/whole_run.h"
#include "core/base/search.h"

#define L3S   4u
#define MOST  1.3
#define SLACK 0.002 /* seconds: registers of many L3s are read one after the other */

static struct whole_run one, several;

/* Two cores have an L3. */
static void run(struct whole_run *w, uint32_t l3s)
{
    const struct model_config config = MODEL("zen5", 1, 2 * l3s, 1, .slices = 2);

    *w = (struct whole_run){ .quick = true, .skips = { "pmon.*", "traffic.*" } };
    cr_assert(whole_run(&config, w));
    cr_assert_eq(w->counts.fail + w->counts.error, 0);
}

static double seconds(const struct whole_run *w)
{
    return SUM_OF(double, i, w->n, w->checks[i].seconds);
}

static void set_up(void)
{
    run(&one, 1);
    run(&several, L3S);
}

static void tear_down(void)
{
    whole_run_free(&one);
    whole_run_free(&several);
}

Test(l3_count, adds_little_to_a_run_and_to_each_check, .init = set_up, .fini = tear_down)
{
    cr_assert_eq(one.mp->platform.n_cpus * L3S, several.mp->platform.n_cpus);
    cr_expect_leq(seconds(&several), MOST * seconds(&one), "%f s, %f s with one L3", seconds(&several), seconds(&one));
    for (uint32_t i = 0; i < one.n; i++) {
        const struct whole_result *a = &one.checks[i], *b = &several.checks[i];

        cr_assert_eq(a->row, b->row);
        if (!a->row->run && !a->row->run_session && !a->row->partner && a->verdict != VERDICT_SKIP)
            cr_expect_leq(b->seconds, MOST * a->seconds + SLACK, "%s: %f s, %f s with one L3", a->row->id, b->seconds,
                          a->seconds);
    }
}
