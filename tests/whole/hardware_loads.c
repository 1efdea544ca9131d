/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every check with loads as long as on hardware, by the model's clock: what other tests run with a limit of load
 * (struct platform). One part of each kind of L3 and of uncore, by the checks' own bounds: bands of the profiles are of limited
 * loads. Left out: mbm.wrap, hours of the clock; qm.together, 10 s of register accesses, on all but bdx, which has it every second
 * time; mba.*, which moves 69 GB, on all but spr. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include "tests/support/run/turn.h"
#include "tests/support/run/whole_run.h"

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

/* What each part has of the two that take longest. */
static struct part {
    char profile[8];
    bool together, mba;
} parts[] = { { "bdx", true, true }, { "spr", false, true }, { "gnr", false, false }, { "zen5", false, false } };

ParameterizedTestParameters(hardware_loads, pass)
{
    static struct part those[sizeof parts / sizeof parts[0]];
    uint32_t n = 0;

    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (in_turn(i, 4)) {
            those[n] = parts[i];
            those[n++].together &= in_turn(i, 8);
        }
    return cr_make_param_array(struct part, those, n);
}

ParameterizedTest(struct part *p, hardware_loads, pass)
{
    runs_whole(p->profile, p->together ? NULL : "qm.together", p->mba ? NULL : "mba.*");
}
