/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Units that have no event for their clock: of clients and Nehalem, whose events a load makes count, and of Diamond Rapids,
 * whose channels have a fixed counter. Knights Landing has no event of a queue. */
#include <criterion/criterion.h>

#include "tests/silicon/model/flaw.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/uncore/uncore.h"
#include "tests/support/run/model_run.h"

static const struct {
    const char *fault, *check, *profile;
    enum verdict verdict;
} found[] = {
    { "pmon-read-stale", "pmon.gate", "cfl", VERDICT_FAIL },
    { "pmon-read-stale", "pmon.gate", "adl", VERDICT_FAIL },
    { "pmon-edge-both", "pmon.compare-load", "cfl", VERDICT_FAIL },
    { "pmon-edge-both", "pmon.compare-load", "adl", VERDICT_FAIL },
    { "pmon-edge-both", "pmon.compare-load", "nhm", VERDICT_FAIL },
    { "pmon-edge-both", "pmon.compare-load", "knl", VERDICT_FAIL },
    { "pmon-read-stale", "pmon.enable", "dmr", VERDICT_WARN },
    { "pmon-fixed-ignores-freeze", "pmon.freeze", "dmr", VERDICT_WARN },
    { "pmon-freeze-dead", "pmon.freeze", "dmr", VERDICT_WARN },
    { "pmon-frozen-write-lost", "pmon.freeze", "dmr", VERDICT_WARN },
    { "pmon-reset-dead", "pmon.reset", "dmr", VERDICT_WARN },
    { "pmon-box-reset-dead", "pmon.reset", "dmr", VERDICT_WARN },
    { "pmon-reset-clears-controls", "pmon.reset", "dmr", VERDICT_WARN },
    { "discovery-hidden", "pmon.discovery", "dmr", VERDICT_WARN },
    { "discovery-global", "pmon.discovery", "dmr", VERDICT_WARN },
    { "discovery-width", "pmon.discovery", "dmr", VERDICT_WARN },
    { "discovery-all-ones", "pmon.discovery", "dmr", VERDICT_FAIL },
};

Test(no_clock_event, a_defect_is_found_and_a_sound_part_passes)
{
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
        struct model_config config = ON(found[i].profile, profile_packages(profile_by_name(found[i].profile), 2));

        expect(VERDICT_PASS, found[i].check, config);
        config.faults[0] = found[i].fault;
        expect(found[i].verdict, found[i].check, config);
    }
}

/* By 100 us; the clock of a link may stop, so that none is held to it. */
Test(no_clock_event, late_reads_of_any_box_warn_however_many_boxes_a_part_has)
{
    static const struct {
        const char *profile;
        enum uncore_unit unit;
    } late[] = { { "knl", UNIT_R2PCIE }, { "gnr", UNIT_CXL }, { "dmr", UNIT_DMR }, { "ivbep", UNIT_QPI } };

    for (uint32_t i = 0; i < sizeof late / sizeof late[0]; i++) {
        struct flaw f = {
            .monitor = FLAW_UNCORE, .scope = FLAW_BOX, .place = late[i].unit, .kind = FLAW_LATE, .strength = 100
        };

        expect(VERDICT_WARN, "pmon.width", ON(late[i].profile, 2, .flaw = &f), .code = FOUND_READS_DIFFER,
               .finding = "a later one what was written");
    }
}
