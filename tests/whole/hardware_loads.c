/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every check with loads as long as on hardware, by the model's clock: what other tests run with a limit of load
 * (struct platform). One part of each kind of L3 and of uncore, by the checks' own bounds: bands of the profiles are of limited
 * loads. Left out: mbm.wrap, hours of the clock; qm.together, 10 s of register accesses, on all but bdx; mba.*, which moves 69 GB,
 * on all but spr. */
#include <criterion/criterion.h>

#include "tests/support/whole_run.h"

/* without, neither: checks to leave out, or NULL. */
static void runs_whole(const char *profile, const char *without, const char *neither)
{
    struct model_config config = {
        .profile = profile, .packages = 2, .cores = 2, .threads = 1, .slices = 4, .seed = 1
    };
    struct whole_run w = { .unlimited = true,
                           .no_figures = true,
                           .node_bytes = UINT64_C(4) << 30,
                           .skips = { "mbm.wrap", without, neither } };

    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.counts.fail + w.counts.error, 0);
    for (uint32_t i = 0; i < w.n; i++)
        cr_expect(w.checks[i].verdict != VERDICT_FAIL && w.checks[i].verdict != VERDICT_ERROR, "%s on %s: %s",
                  w.checks[i].row->id, profile, w.checks[i].reason);
    whole_run_free(&w);
}

Test(hardware_loads, bdx)
{
    runs_whole("bdx", NULL, NULL);
}

Test(hardware_loads, spr)
{
    runs_whole("spr", "qm.together", NULL);
}

Test(hardware_loads, gnr)
{
    runs_whole("gnr", "qm.together", "mba.*");
}

Test(hardware_loads, zen5)
{
    runs_whole("zen5", "qm.together", "mba.*");
}
