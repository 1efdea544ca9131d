/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A machine without bands of good machines: what arithmetic excludes is a FAIL there too, with sub-NUMA clusters and on AMD
 * as well; what only experience knows is a WARN that says so. And with the bands of its profile (tests/silicon/bands): a
 * fresh machine is inside, a drift that the checks' own bounds let pass is not. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/silicon/profiles/profile.h"
#include "tests/matrix/machines/machine_draw.h"
#include "tests/support/run/model_run.h"
#include "tests/support/run/profile_bands.h"
#include "tests/support/run/turn.h"

struct defect {
    const char *profile;
    uint32_t clusters;
    const char *fault, *check; /* one of those that say FAIL */
};

static struct model_config config_of(const char *profile, uint32_t clusters, const char *fault)
{
    const struct profile *part = profile_by_name(profile);

    return MODEL(profile, profile_dies(part), clusters > 2 ? clusters : 2, 2, .clusters = clusters,
                 .slices = machine_slices(part, clusters), .seed = 21, .faults = { fault });
}

/* --- what no part may show */

static const struct defect defects[] = {
    { "bdx", 1, "occupancy-scaled-twice", "cmt.linearity" }, /* more than the cache */
    { "bdx", 1, "mbm-double", "mbm.total" },
    { "spr", 1, "rmid-ignored", "cmt.every-thread" },
    { "spr", 1, "tag-swap", "cmt.alias" },
    { "spr", 2, "mbm-double", "mbm.total" },
    { "spr", 2, "mbm-local-dead", "mbm.local" },
    { "spr", 2, "occupancy-scaled-twice", "cmt.linearity" },
    { "spr", 2, "rmid-ignored", "cmt.every-thread" },
    { "spr", 2, "tag-swap", "cmt.alias" },
    { "zen5", 1, "occupancy-scaled-twice", "cmt.linearity" },
    { "zen5", 1, "mbm-double", "mbm.total" },
    { "zen5", 1, "mbm-local-dead", "mbm.local" },
    { "zen5", 1, "rmid-ignored", "mbm.every-thread" },
    { "bdx", 1, "mbm-half", "mbm.total" }, /* less than an erratum takes, of a load of known size */
    { "bdx", 1, "mbm-half", "mbm.gain" },
    { "spr", 2, "mbm-half", "mbm.total" },
    { "bdx", 1, "mbm-half", "traffic.closure" }, /* less than an erratum takes, against three witnesses */
    { "spr", 1, "mbm-half", "traffic.closure" },
    { "zen5", 1, "mbm-half", "traffic.closure" },
};

Test(uncalibrated, what_arithmetic_excludes_fails)
{
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++)
        expect(VERDICT_FAIL, defects[i].check, config_of(defects[i].profile, defects[i].clusters, defects[i].fault),
               .uncalibrated = true);
}

/* --- what experience knows */

Test(uncalibrated, what_only_experience_knows_is_a_warning_and_fails_with_bands)
{
    /* the report's head says so, and names the file */
    expect(VERDICT_WARN, "mbm.total", config_of("bdx", 1, "mbm-loss:20"), .uncalibrated = true,
           .report = "uncalibrated");
    expect(VERDICT_FAIL, "mbm.total", config_of("bdx", 1, "mbm-loss:20"), .report = PROFILE_BANDS "/bdx.bands");
}

/* An erratum's table has parts whose MBM counts seven tenths. */
Test(uncalibrated, a_loss_that_an_erratum_may_take_is_a_warning_where_all_monitors_count)
{
    static const char *const checks[] = { "traffic.closure", "mbm.total", "mbm.gain" };

    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        expect(VERDICT_WARN, checks[i], config_of("bdx", 1, "mbm-loss:30"), .uncalibrated = true);
}

/* --- the bands of a profile */

/* mbm.gain has no finer band of its own: a loss of 5 % is inside of its bounds. */
Test(uncalibrated, a_drift_inside_of_the_bounds_is_outside_of_the_profiles_bands)
{
    static const char *const names[] = { "bdx", "icx", "zen5" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        expect(VERDICT_PASS, "mbm.gain", config_of(names[i], 1, "mbm-loss:5"), .uncalibrated = true);
        expect(VERDICT_FAIL, "mbm.gain", config_of(names[i], 1, "mbm-loss:5"), .code = FOUND_OFF_KIND_BAND);
    }
}

static struct bands_choice offered;

static void offer(struct machine *m)
{
    profile_bands_offer(&offered, m);
}

/* Each profile with figures has its file, and it is the only one. */
Test(uncalibrated, each_profile_has_bands_that_hold_for_a_fresh_machine)
{
    for (uint32_t p = 0; p < profile_count(); p++) {
        struct model_config config = config_of(profiles[p]->name, 1, NULL);
        struct whole_run w = { .quick = true,
                               .tests = { "mbm.*", "cmt.*", "cat.*", "traffic.*" },
                               .skips = { "mbm.wrap" }, /* hours on the model */
                               .described = offer };

        if (profiles[p]->like) /* the checks see what the other has; its file is looked for */
            w.tests[1] = w.tests[2] = w.tests[3] = NULL;
        config.realism = "typical";
        if (!in_turn(p, 16))
            continue;
        cr_assert(whole_run(&config, &w));
        if (strcmp(profiles[p]->name, "client") != 0 && strcmp(profiles[p]->name, "zen1") != 0 &&
            strcmp(profiles[p]->name, "snr") != 0 && strcmp(profiles[p]->name, "grr") != 0 &&
            strcmp(profiles[p]->name, "knl") != 0 && strcmp(profiles[p]->name, "cfl") != 0 &&
            strcmp(profiles[p]->name, "adl") != 0 && strcmp(profiles[p]->name + 3, "-ex") != 0)
            cr_expect(bands_taken(&offered), "%s: no bands", profiles[p]->name);
        cr_expect_eq(offered.n_refused, 0, "%s", offered.said[0]);
        cr_expect_eq(w.counts.fail + w.counts.error, 0, "%s: %s", profiles[p]->name, w.text);
        bands_choice_free(&offered);
        whole_run_free(&w);
    }
}
