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

EXPECT_TEST(sound_traffic, of_smis_is_measured_again, VERDICT_PASS, "traffic.channels",
            ON("bdx", .realism = "smi-period=20,smi-traffic=1024"));

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

/* So have their channels, while those that count have the whole load. */
Test(sound_traffic, channels_of_clusters_without_an_srat_may_idle)
{
    struct model_config bdx = ON("bdx", .cores = 4, .slices = 4, .realism = "node-interleaving=no-srat");

    bdx.faults[0] = "dimm-not-counted";
    expect(VERDICT_FAIL, "traffic.channels", bdx, .stream = "no memory on it, or dead");
    bdx.faults[0] = NULL;
    bdx.clusters = 2;
    expect(VERDICT_PASS, "traffic.channels", bdx, .stream = "without an SRAT it may be of another cluster");
}

static void be_granite_rapids_d(struct model_run *r)
{
    for (uint32_t i = 0; i < r->machine->n_cpus; i++)
        r->machine->cpus[i].id.model = 0xAE;
}

Test(sound_traffic, slices_of_granite_rapids_d_may_idle_too)
{
    expect(VERDICT_PASS, "traffic.slices",
           ON("gnr", .packages = 2, .cores = 6, .slices = 6, .clusters = 3, .realism = "node-interleaving=no-srat"),
           .change = be_granite_rapids_d);
}

#define NO_SRAT    .realism = "node-interleaving=no-srat"
#define SIX_OF_BDX ON("bdx", .slices = 6, NO_SRAT)

/* Tenths of what counter 0 of each CBo counts that it reads. */
struct shares {
    uint32_t first, step, n; /* MSRs: _PERFCTR0 of CBo 0, and from one CBo to the next */
    uint32_t tenths[8];
};

static void read_shares(struct interposer *i, uint32_t cpu, struct step *s)
{
    const struct shares *shares = i->context;

    (void)cpu;
    for (uint32_t k = 0; k < shares->n; k++)
        if (s->op == STEP_RDMSR && s->reg == shares->first + k * shares->step)
            s->value = s->value * shares->tenths[k] / 10;
}

/* 331051-001 2.3; 327043-001 2.3 */
#define SHARES_BDX(...)                                                                                                \
    .after = read_shares, .context = &(struct shares)                                                                  \
    {                                                                                                                  \
        0xE08, 0x10, 8,                                                                                                \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define SHARES_SNBEP(...)                                                                                              \
    .after = read_shares, .context = &(struct shares)                                                                  \
    {                                                                                                                  \
        0xD16, 0x20, 8,                                                                                                \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

/* No known part has a cluster of one slice. */
Test(sound_traffic, one_slice_that_is_off_without_an_srat_fails)
{
    static const struct model_config on[] = { ON("snbep", .slices = 2, NO_SRAT), ON("snbep", .slices = 4, NO_SRAT),
                                              ON("bdx", .slices = 2, NO_SRAT), SIX_OF_BDX };

    for (size_t i = 0; i < sizeof on / sizeof *on; i++) {
        struct model_config dead = on[i];

        expect(VERDICT_PASS, "traffic.slices", on[i]);
        dead.faults[0] = "cbo-dead";
        expect(VERDICT_FAIL, "traffic.slices", dead, .code = FOUND_SLICE_UNEVEN);
    }
    expect(VERDICT_FAIL, "traffic.slices", SIX_OF_BDX, SHARES_BDX(5, 11, 11, 11, 11, 11));
}

/* Of four slices one that is dead moves their mean so far that the others are a third above it. */
EXPECT_TEST(sound_traffic, one_slice_that_is_off_is_named_alone, VERDICT_FAIL, "traffic.slices",
            ON("bdx", .slices = 4, .faults = { "cbo-dead" }), .code = FOUND_SLICE_UNEVEN, .finding = "CBo 3: look-ups",
            .unsaid = "CBo 1: look-ups");

/* Parts before Haswell-EP have none. */
EXPECT_TEST(sound_traffic, slices_of_parts_without_clusters_may_not_idle, VERDICT_FAIL, "traffic.slices",
            ON("snbep", .slices = 4, NO_SRAT), SHARES_SNBEP(0, 0, 20, 20));

Test(sound_traffic, memory_in_some_clusters_without_an_srat_does_not_fail)
{
    expect(VERDICT_PASS, "traffic.slices", SIX_OF_BDX, SHARES_BDX(0, 0, 15, 15, 15, 15),
           .stream = "no SRAT tells which cluster it is of", .unsaid = "may have no memory to read");
    expect(VERDICT_WARN, "traffic.slices", SIX_OF_BDX, SHARES_BDX(5, 5, 5, 15, 15, 15));
    expect(VERDICT_WARN, "traffic.slices", ON("bdx", .slices = 7, NO_SRAT), SHARES_BDX(0, 0, 0, 18, 18, 18, 18));
}
