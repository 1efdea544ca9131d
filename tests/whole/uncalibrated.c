/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A machine without bands of good machines: what arithmetic excludes is a FAIL there too, with sub-NUMA clusters and on AMD
 * as well; what only experience knows is a WARN that says so. And with the bands of its profile (tests/silicon/bands): a
 * fresh machine is inside, a drift that the checks' own bounds let pass is not. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/silicon/profiles/profile.h"
#include "tests/matrix/machine_draw.h"
#include "tests/support/profile_bands.h"
#include "tests/support/whole_run.h"

struct defect {
    const char *profile;
    uint32_t clusters;
    const char *fault, *check; /* one of those that say FAIL */
};

static struct model_config config_of(const char *profile, uint32_t clusters, const char *fault)
{
    struct model_config config =
        MODEL(profile, profile_dies(profile_by_name(profile)), clusters > 2 ? clusters : 2, 2, .clusters = clusters,
              .slices = machine_slices(profile_by_name(profile), clusters), .seed = 21);

    config.faults[0] = fault;
    return config;
}

static struct whole_run *run(const struct model_config *config, const char *check, bool uncalibrated)
{
    struct whole_run *w = calloc(1, sizeof *w);

    cr_assert(w);
    w->tests[0] = check;
    w->uncalibrated = uncalibrated;
    cr_assert(whole_run(config, w));
    return w;
}

static void free_run(struct whole_run *w)
{
    whole_run_free(w);
    free(w);
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
    { "bdx", 1, "mbm-half", "traffic.closure" }, /* less than an erratum takes, against three witnesses */
    { "spr", 1, "mbm-half", "traffic.closure" },
    { "zen5", 1, "mbm-half", "traffic.closure" },
};

Test(uncalibrated, what_arithmetic_excludes_fails)
{
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++) {
        const struct defect *d = &defects[i];
        struct model_config config = config_of(d->profile, d->clusters, d->fault);
        struct whole_run *w = run(&config, d->check, true);

        cr_expect_eq(w->checks[0].verdict, VERDICT_FAIL, "%s on %s, %u nodes a package: %s is %s: %s", d->fault,
                     d->profile, d->clusters, d->check, verdict_text(w->checks[0].verdict), w->checks[0].reason);
        free_run(w);
    }
}

/* --- what experience knows */

Test(uncalibrated, what_only_experience_knows_is_a_warning_and_fails_with_bands)
{
    struct model_config config = config_of("bdx", 1, "mbm-loss:20");
    struct whole_run *w = run(&config, "mbm.total", true);

    cr_expect_eq(w->checks[0].verdict, VERDICT_WARN, "%s", w->checks[0].reason);
    cr_expect(strstr(w->checks[0].reason, "uncalibrated"), "%s", w->checks[0].reason);
    cr_expect(strstr(w->text, "uncalibrated"), "the report's head says so");
    free_run(w);
    w = run(&config, "mbm.total", false);
    cr_expect_eq(w->checks[0].verdict, VERDICT_FAIL, "%s", w->checks[0].reason);
    cr_expect(strstr(w->text, PROFILE_BANDS "/bdx.bands"), "the report names the file");
    free_run(w);
}

/* An erratum's table has parts whose MBM counts seven tenths. */
Test(uncalibrated, a_loss_that_an_erratum_may_take_is_a_warning_where_all_monitors_count)
{
    struct model_config config = config_of("bdx", 1, "mbm-loss:30");
    struct whole_run *w = run(&config, "traffic.closure", true);

    cr_expect_eq(w->checks[0].verdict, VERDICT_WARN, "%s", w->checks[0].reason);
    free_run(w);
}

/* --- the bands of a profile */

/* mbm.gain has no finer band of its own: a loss of 5 % is inside of its bounds. */
Test(uncalibrated, a_drift_inside_of_the_bounds_is_outside_of_the_profiles_bands)
{
    static const char *const names[] = { "bdx", "icx", "zen5" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct model_config config = config_of(names[i], 1, "mbm-loss:5");
        struct whole_run *w = run(&config, "mbm.gain", true);

        cr_expect_eq(w->checks[0].verdict, VERDICT_PASS, "%s: %s", names[i], w->checks[0].reason);
        free_run(w);
        w = run(&config, "mbm.gain", false);
        cr_expect_eq(w->checks[0].verdict, VERDICT_FAIL, "%s: %s", names[i], w->checks[0].reason);
        cr_expect(strstr(w->checks[0].reason, "good machines of this kind give a band"), "%s", w->checks[0].reason);
        free_run(w);
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
                               .tests = { "cmt.*", "mbm.*", "cat.*", "traffic.*" },
                               .skips = { "mbm.wrap" }, /* hours on the model */
                               .described = offer };

        config.realism = "typical";
        cr_assert(whole_run(&config, &w));
        if (strcmp(profiles[p]->name, "client") != 0 && strcmp(profiles[p]->name, "zen1") != 0 &&
            strcmp(profiles[p]->name, "snr") != 0 && strcmp(profiles[p]->name, "grr") != 0 &&
            strcmp(profiles[p]->name, "knl") != 0 && strcmp(profiles[p]->name + 3, "-ex") != 0)
            cr_expect(bands_taken(&offered), "%s: no bands", profiles[p]->name);
        cr_expect_eq(offered.n_refused, 0, "%s", offered.said[0]);
        cr_expect_eq(w.counts.fail + w.counts.error, 0, "%s: %s", profiles[p]->name, w.text);
        bands_choice_free(&offered);
        whole_run_free(&w);
    }
}
