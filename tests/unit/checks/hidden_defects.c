/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Defects that machines of few processors, with busy devices or with memory in small pieces hide. */
#include <criterion/criterion.h>

#include "tests/silicon/model/flaw.h"
#include "tests/support/run/model_run.h"

struct setting {
    const char *profile, *realism;
    uint32_t cores, threads, clusters;
    uint32_t packages;
};

static void says(const struct setting *p, const char *id, const char *fault, enum verdict verdict)
{
    expect(verdict, id,
           MODEL(p->profile, p->packages, p->cores, p->threads, .clusters = p->clusters, .slices = 4, .seed = 7,
                 .realism = p->realism, .faults = { fault }),
           .own_bounds = true);
}

/* More RMIDs have lines than an L3 has processors that fill: two, and one in a cluster. */
Test(hidden_defects, rmids_that_lose_their_lines_when_many_have_some)
{
    static const struct setting places[] = { { "bdx", "none", 2, 1, 1, 1 }, { "bdx", "none", 2, 1, 2, 1 } };

    for (uint32_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        says(&places[i], "cmt.crowd", NULL, VERDICT_PASS);
        says(&places[i], "cmt.crowd", "cmt-crowd", VERDICT_WARN);
    }
}

/* What an RMID had before keeps its place, so that the last processor's fill is counted: those of the others are not. */
EXPECT_TEST(hidden_defects, rmids_that_lose_their_lines_where_an_earlier_one_has_its_place, VERDICT_WARN, "cmt.crowd",
            MODEL("zen5", 1, 2, 2, .slices = 2, .seed = 2531222227,
                  .realism = "l2-victim-drop=0,l2-victim-tag=fill,l3-replacement=qlru", .faults = { "cmt-crowd" }),
            .tests = { "cmt.siblings", "cmt.crowd" }, .own_bounds = true, .report = "show none of them");

/* Devices replace more than the tolerance in the ways that they share, whether processors rest or not. */
Test(hidden_defects, an_l3_that_loses_lines_after_a_long_rest)
{
    static const struct setting quiet = { "bdx", "idle-lines=90,tick-lines=64", 2, 1, 1, 1 },
                                busy = { "bdx", "dma=100000", 2, 1, 1, 1 };

    says(&quiet, "cmt.drift", NULL, VERDICT_PASS);
    says(&quiet, "cmt.drift", "l3-shrinks-idle", VERDICT_WARN);
    says(&busy, "cmt.drift", NULL, VERDICT_PASS);
}

/* No piece of memory has the bytes of a stream, or the package of the core has none. */
Test(hidden_defects, a_core_without_throttle)
{
    static const struct setting pieces = { "skx", "memory-extents=3", 2, 1, 1, 1 },
                                other = { "skx", "empty-node=on", 1, 2, 1, 2 },
                                amd = { "zen3", "empty-node=on", 2, 1, 1, 2 };

    says(&pieces, "mba.rate", NULL, VERDICT_PASS);
    says(&pieces, "mba.rate", "mba-misses-core", VERDICT_FAIL);
    says(&other, "mba.rate", NULL, VERDICT_PASS);
    says(&other, "mba.rate", "mba-misses-core:1", VERDICT_FAIL);
    says(&amd, "amd.ceiling", NULL, VERDICT_PASS);
    says(&amd, "amd.ceiling", "mba-misses-core:3", VERDICT_WARN);
    says(&amd, "amd.ceiling", "throttle-off:-40", VERDICT_WARN);
}

/* Two buffers of thousands of lines hide some hundred that still have the RMID before. */
EXPECT_TEST(hidden_defects, a_processor_whose_rmid_applies_late, VERDICT_FAIL, "mbm.every-thread",
            MODEL("spr", 1, 3, 1, .slices = 4,
                  .flaw = FLAW(.monitor = FLAW_PQR, .scope = FLAW_CPU, .place = 2, .kind = FLAW_LATE, .strength = 164)),
            .finding = "cpu 2");

/* The larger delay of a core's threads acts, so that a class that both are in hides it. */
EXPECT_TEST(hidden_defects, a_thread_without_throttle_beside_one_that_has_it, VERDICT_WARN, "mba.siblings",
            MODEL("spr", 1, 4, 2, .slices = 4,
                  .flaw = FLAW(.monitor = FLAW_MBA, .scope = FLAW_CPU, .place = 6, .kind = FLAW_DEAD)),
            .finding = "cpu 6");

/* Both clusters have the delays of their L3: a second write of 0 lets go what the first one left. */
EXPECT_TEST(hidden_defects, a_throttle_of_clusters_that_is_not_lifted, VERDICT_WARN, "mba.rate",
            MODEL("skx", 1, 4, 1, .clusters = 2, .slices = 6, .faults = { "mba-release-lost" }),
            .finding = "the strictest");

Test(hidden_defects, a_throttle_that_slows_by_a_fifth_of_what_it_says_or_leaves_a_third)
{
    static const struct setting uneven = { "skx", "mba-curve=uneven,mba-floor=3000", 1, 1, 1, 1 },
                                linear = { "skx", NULL, 1, 1, 1, 1 };

    says(&uneven, "mba.rate", NULL, VERDICT_PASS);
    says(&uneven, "mba.rate", "throttle-off", VERDICT_WARN);
    says(&linear, "mba.rate", "throttle-off:-60", VERDICT_WARN);
}

/* Masks hold what one thread of each core fills, and not what all fill at once. */
EXPECT_TEST(hidden_defects, masks_that_leak_under_contention, VERDICT_FAIL, "cat.every-thread",
            MODEL("icx", 1, 2, 2, .slices = 4,
                  .flaw = FLAW(.monitor = FLAW_CAT, .kind = FLAW_LEAKS, .strength = 4, .trigger = FLAW_CONTENTION)),
            .code = FOUND_FILLS_OUTSIDE_CONTENDED);

/* A way is within the tolerance of AMD's occupancy, and the other processors of the L3 hold none more. */
EXPECT_TEST(hidden_defects, a_processor_that_fills_a_way_more_than_the_others, VERDICT_WARN, "cat.every-thread",
            MODEL("zen3", 1, 2, 1, .slices = 4,
                  .flaw = FLAW(.monitor = FLAW_CAT, .scope = FLAW_CPU, .place = 1, .kind = FLAW_STICKY, .strength = 3)),
            .finding = "cpu 1");

/* No piece of memory has the bytes of one processor's fill, let alone of eight. */
Test(hidden_defects, a_processor_that_stays_in_class_0)
{
    static const struct setting pieces = { "icx", "memory-extents=4", 2, 2, 1, 1 };

    says(&pieces, "cat.every-thread", NULL, VERDICT_PASS);
    says(&pieces, "cat.every-thread", "clos-ignored", VERDICT_FAIL);
    says(&pieces, "cat.every-class", NULL, VERDICT_PASS);
    says(&pieces, "cat.shares", NULL, VERDICT_PASS);
    says(&pieces, "cat.shares", "mask-inert", VERDICT_FAIL);
    says(&pieces, "cat.neighbour", "clos-broadcast", VERDICT_FAIL);
}

/* An SMI in the first stream: MBM is followed from the stream after it, and its bytes are in no share. */
EXPECT_TEST(hidden_defects, no_bytes_of_a_stream_that_an_smi_disturbed, VERDICT_PASS, "amd.ceiling",
            MODEL("zen5", 1, 6, 2, .slices = 2, .seed = 1233344409,
                  .realism = "l2-victim-drop=2,dma=1199,patrol-scrub=3056,smi-period=100,smi-traffic=16,l1-prefetch=on,"
                             "idle-lines=46,page-walk=4k,smi-length=7081,wbinvd-time=3000,memory-extents=6"),
            .own_bounds = true);
