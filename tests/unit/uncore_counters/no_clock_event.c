/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Units that have no event for their clock: of clients and Nehalem, whose events a load makes count, and of Diamond Rapids,
 * whose channels have a fixed counter. Knights Landing has no event of a queue. */
#include <criterion/criterion.h>

#include "tests/silicon/profiles/profile.h"
#include "tests/support/run/model_run.h"

static const struct {
    const char *fault, *check, *profile;
} found[] = {
    { "pmon-read-stale", "pmon.gate", "cfl" },
    { "pmon-read-stale", "pmon.gate", "adl" },
    { "pmon-edge-both", "pmon.compare-load", "cfl" },
    { "pmon-edge-both", "pmon.compare-load", "adl" },
    { "pmon-edge-both", "pmon.compare-load", "nhm" },
    { "pmon-edge-both", "pmon.compare-load", "knl" },
    { "pmon-read-stale", "pmon.enable", "dmr" },
    { "pmon-fixed-ignores-freeze", "pmon.freeze", "dmr" },
    { "pmon-freeze-dead", "pmon.freeze", "dmr" },
    { "pmon-frozen-write-lost", "pmon.freeze", "dmr" },
    { "pmon-reset-dead", "pmon.reset", "dmr" },
    { "pmon-box-reset-dead", "pmon.reset", "dmr" },
    { "pmon-reset-clears-controls", "pmon.reset", "dmr" },
    { "discovery-hidden", "pmon.discovery", "dmr" },
    { "discovery-global", "pmon.discovery", "dmr" },
    { "discovery-all-ones", "pmon.discovery", "dmr" },
};

static enum verdict verdict_with(const char *fault, const char *profile, const char *check)
{
    uint32_t packages = profile_packages(profile_by_name(profile), 2);
    struct model_run *r =
        model_run_on((struct model_config){ .profile = profile, .packages = packages, .faults = { fault } }, check, 0);
    enum verdict verdict = model_run_check(r, check)->verdict;

    model_run_free(r);
    return verdict;
}

Test(no_clock_event, a_defect_is_found_and_a_sound_part_passes)
{
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
        enum verdict bad = verdict_with(found[i].fault, found[i].profile, found[i].check);

        cr_expect(bad == VERDICT_FAIL || bad == VERDICT_WARN, "%s on %s, %s: %s", found[i].fault, found[i].profile,
                  found[i].check, verdict_text(bad));
        cr_expect_eq(verdict_with(NULL, found[i].profile, found[i].check), VERDICT_PASS, "%s on %s", found[i].check,
                     found[i].profile);
    }
}
