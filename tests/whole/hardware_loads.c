/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every check with loads as long as on hardware, by the model's clock: what other tests run with a limit of load
 * (struct platform). One part of each kind of L3 and of uncore, by the checks' own bounds: bands of the profiles are of limited
 * loads. Left out: mbm.wrap, hours of the clock; qm.together, 10 s of register accesses, on all but bdx; mba.*, which moves 69 GB,
 * on all but spr. The checks that take longest have a run of their own, so that no turn has two of them. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <string.h>

#include "tests/support/run/turn.h"
#include "tests/support/run/whole_run.h"

/* A turn of eight: which checks on which part. */
struct turn {
    const char profile[8];
    char tests[2][16], skips[4][16];
};

static struct turn turns[] = {
    { "bdx", { "qm.together" }, { "" } },
    { "zen5", { "amd.ceiling" }, { "" } },
    { "spr", { "mba.*" }, { "mba.rate" } },
    { "bdx", { "" }, { "mbm.wrap", "qm.together" } },
    { "spr", { "" }, { "mbm.wrap", "qm.together", "mba.*" } },
    { "spr", { "mba.rate" }, { "" } },
    { "zen5", { "" }, { "mbm.wrap", "qm.together", "amd.ceiling" } },
    { "gnr", { "" }, { "mbm.wrap", "qm.together", "mba.*" } },
};

enum { TURNS = sizeof turns / sizeof turns[0] };

ParameterizedTestParameters(hardware_loads, pass)
{
    static struct turn those[TURNS];
    uint32_t n = 0;

    for (uint32_t i = 0; i < TURNS; i++)
        if (in_turn(i, TURNS))
            memcpy(&those[n++], &turns[i], sizeof turns[i]);
    return cr_make_param_array(struct turn, those, n);
}

ParameterizedTest(struct turn *t, hardware_loads, pass)
{
    struct model_config config = {
        .profile = t->profile, .packages = 2, .cores = 2, .threads = 1, .slices = 4, .seed = 1
    };
    struct whole_run w = { .unlimited = true, .no_figures = true, .node_bytes = UINT64_C(4) << 30 };

    for (uint32_t i = 0; t->tests[i][0]; i++)
        w.tests[i] = t->tests[i];
    for (uint32_t i = 0; t->skips[i][0]; i++)
        w.skips[i] = t->skips[i];
    cr_assert(whole_run(&config, &w));
    cr_expect(w.counts.pass > 0);
    cr_expect_eq(w.counts.fail + w.counts.error, 0);
    for (uint32_t i = 0; i < w.n; i++)
        cr_expect(w.checks[i].verdict != VERDICT_FAIL && w.checks[i].verdict != VERDICT_ERROR, "%s on %s: %s",
                  w.checks[i].row->id, t->profile, w.checks[i].reason);
    whole_run_free(&w);
}
