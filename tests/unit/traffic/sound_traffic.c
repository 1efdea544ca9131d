/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Traffic that no core asked for, counts that are late and RMIDs that are not counted: machines that are sound. */
#include <criterion/criterion.h>

#include "tests/support/run/model_run.h"

/* A terabyte a node in one hour. */
Test(sound_traffic, of_patrol_scrub_is_taken_off)
{
    expect(VERDICT_PASS, "traffic.mbm", ON("skx", .realism = "patrol-scrub=305000"));
    expect(VERDICT_PASS, "traffic.throttled", ON("skx", .realism = "patrol-scrub=305000"));
    expect(VERDICT_PASS, "traffic.closure", ON("bdx", 2, .realism = "patrol-scrub=305000"));
}

Test(sound_traffic, of_smis_is_measured_again)
{
    expect(VERDICT_PASS, "traffic.channels", ON("bdx", .realism = "smi-period=20,smi-traffic=1024"));
}

Test(sound_traffic, that_is_counted_late_is_waited_for)
{
    expect(VERDICT_PASS, "traffic.mbm", ON("spr", .realism = "mbm-lag=10000"));
    expect(VERDICT_PASS, "traffic.closure", ON("spr", .realism = "mbm-lag=10000"));
}

/* AMD counts some RMIDs at a time, and those of a check are not among them before it brings them to a processor. */
Test(sound_traffic, of_an_rmid_that_is_not_tracked_is_brought_to_a_processor)
{
    expect(VERDICT_PASS, "amd.ceiling", ON("zen5", .realism = "amd-tracked-rmids=4"));
    expect(VERDICT_PASS, "traffic.mbm", ON("zen5", .realism = "amd-tracked-rmids=4"));
}

Test(sound_traffic, that_a_throttle_changes_late_and_unevenly_passes)
{
    expect(VERDICT_PASS, "mba.rate", ON("spr", .realism = "mba-reaction=10000,mba-curve=uneven,mba-floor=2300"));
    expect(VERDICT_PASS, "mba.rate", ON("skx", .realism = "mba-reaction=1000,mba-curve=steps"));
}

/* All memory is one cluster's as far as the stream knows, and the slices of the others have no look-up. */
Test(sound_traffic, slices_of_clusters_without_an_srat_may_idle)
{
    expect(VERDICT_PASS, "traffic.slices",
           ON("gnr", .packages = 2, .cores = 6, .slices = 6, .clusters = 3, .realism = "node-interleaving=no-srat"));
    expect(VERDICT_FAIL, "traffic.slices",
           ON("gnr", .packages = 2, .cores = 6, .slices = 6, .realism = "node-interleaving=no-srat",
              .faults = { "cbo-dead" }));
}
