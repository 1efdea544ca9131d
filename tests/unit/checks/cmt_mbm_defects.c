/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks of occupancy and bandwidth, most of them of concurrent loads: each passes on a sound machine, and finds the
 * defect that it is there for. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "tests/silicon/model/flaw.h"
#include "tests/support/run/model_run.h"

/* --- tags that are exchanged --------------------------------------------------------------------------------------- */

/* What runs under RMID 1 is counted under RMID 2, and the other way round. */
static void exchange_rmids(struct interposer *i, uint32_t cpu, struct step *s)
{
    uint32_t rmid = (uint32_t)(s->value & 0x3FF);

    (void)i, (void)cpu;
    if (s->op == STEP_WRMSR && s->reg == IA32_PQR_ASSOC && (rmid == 1 || rmid == 2))
        s->value ^= 3;
}

Test(cmt_mbm_defects, rmids_that_are_exchanged_while_processors_read_at_once)
{
    expect(VERDICT_FAIL, "mbm.every-thread", MODEL("spr", 1, 2, 2, .slices = 4, .seed = 3), .before = exchange_rmids);
    expect(VERDICT_FAIL, "mbm.siblings", MODEL("spr", 1, 2, 2, .slices = 4, .seed = 3), .before = exchange_rmids);
}

/* Each reading is that of another processor: loads of one size would show nothing. */
EXPECT_TEST(cmt_mbm_defects, rmids_that_are_exchanged_while_processors_fill_at_once, VERDICT_FAIL, "cmt.every-thread",
            MODEL("bdx", 1, 4, 1, .slices = 4, .seed = 3, .flaw = FLAW(.monitor = FLAW_CMT, .kind = FLAW_SWAPPED)));

/* An inclusive L3 is filled by reads, and then by stores. */
Test(cmt_mbm_defects, lines_that_one_processor_stores_and_that_are_not_counted)
{
    static const struct flaw lost = {
        .monitor = FLAW_CMT, .scope = FLAW_CPU, .kind = FLAW_LOST, .access = FLAW_STORES, .strength = 70, .place = 3
    };

    expect(VERDICT_FAIL, "cmt.every-thread", MODEL("hsx", 1, 2, 2, .slices = 4, .seed = 3, .flaw = &lost),
           .finding = "cpu 3");
    expect(VERDICT_PASS, "cmt.every-thread", MODEL("hsx", 1, 2, 2, .slices = 4, .seed = 3));
}

/* Their RMIDs lack the same; where it went is what differs. */
Test(cmt_mbm_defects, bandwidth_that_goes_to_another_rmid_while_all_processors_read)
{
    static const struct flaw leaks = {
        .monitor = FLAW_MBM, .kind = FLAW_LEAKS, .trigger = FLAW_CONTENTION, .strength = 40
    };

    expect(VERDICT_WARN, "mbm.crowd", MODEL("bdx", 1, 4, 1, .slices = 4, .seed = 3, .flaw = &leaks),
           .code = FOUND_COUNTED_ELSEWHERE, .finding = "with 4 processors");
    expect(VERDICT_WARN, "mbm.crowd", MODEL("bdx", 1, 4, 1, .slices = 4, .seed = 3, .faults = { "mbm-crowd-loses" }),
           .code = FOUND_TOTAL_LOW, .finding = "with 4 processors");
}

/* --- a count that continues by itself -------------------------------------------------------------------------------- */

/* 40 MB a second beyond what is read, in counts of the register: no size of a short read shows it. */
static void add_by_time(struct interposer *i, uint32_t, struct step *s)
{
    if (s->op == STEP_RDMSR && s->reg == IA32_QM_CTR && s->status == ST_OK)
        s->value += (uint64_t)(40e6 / 32768 * (double)i->real->tsc(i->real_machine) / 2.1e9 /* of bdx */);
}

EXPECT_TEST(cmt_mbm_defects, bandwidth_that_grows_with_time_alone, VERDICT_FAIL, "mbm.gain",
            MODEL("bdx", 1, 2, 1, .slices = 4, .seed = 3), .after = add_by_time, .report = "second of duration");

/* An SMI disturbs the first try; what that moved is counted only after the next one was planned, and carries then. */
EXPECT_TEST(cmt_mbm_defects, a_narrow_counter_that_carries_before_it_is_looked_at, VERDICT_FAIL, "mbm.carry",
            MODEL("icx", 1, 2, 1, .slices = 6, .seed = 796176497,
                  .realism = "mbm-lag=4159,smi-period=2021,smi-traffic=16,mbm-sampling=8,wbinvd-time=106,page-walk=4k,"
                             "code-fetch=9,empty-node=on,memory-extents=42,idle-lines=1,tick-lines=14,dma=1000,"
                             "patrol-scrub=320,l3-replacement=random,l2-victim-drop=42,l2-victim-tag=evict,"
                             "l2-prefetch=off",
                  .faults = { "mbm-local-narrow" }));

/* Of 24 enumerated bits: no load carries into the first one that is missing. */
Test(cmt_mbm_defects, a_narrow_counter_that_no_load_carries)
{
    struct model_config config =
        MODEL("bdx", 1, 2, 1, .slices = 4, .seed = 2495223959, .realism = "mbm-start=anywhere");

    expect(VERDICT_PASS, "mbm.carry", config, .stream = "the width is proven to bit", .unsaid = "to bit 24 of 24");
    config.faults[0] = "mbm-narrow";
    expect(VERDICT_WARN, "mbm.carry", config, .finding = "look narrower");
}

static void carry_of_clusters(const char *fault, enum verdict verdict)
{
    expect(verdict, "mbm.carry",
           MODEL("bdx-gp", 2, 2, 1, .clusters = 2, .slices = 4, .seed = 968765300,
                 .realism = "mbm-start=anywhere,snc-rmids=split", .faults = { fault }));
}

/* A cluster has 16 of the L3's 32 RMIDs here: too few to be judged without those of the other one. */
Test(cmt_mbm_defects, narrow_counters_of_clusters_that_no_load_carries)
{
    carry_of_clusters(NULL, VERDICT_PASS);
    carry_of_clusters("mbm-local-narrow", VERDICT_WARN);
}

/* --- the first read of an RMID ------------------------------------------------------------------------------------ */

static void first_read_of(const char *realism, const char *fault, enum verdict verdict)
{
    expect(verdict, "amd.first-read",
           MODEL("zen5", 1, 1, 1, .slices = 2, .seed = 5, .realism = realism, .faults = { fault }));
}

/* Where one RMID is tracked at a time, it is another one's turn as soon as the traffic has ended. */
Test(cmt_mbm_defects, a_first_read_is_looked_at_while_a_processor_has_the_rmid)
{
    first_read_of("amd-tracked-rmids=1", NULL, VERDICT_PASS);
    first_read_of("amd-tracked-rmids=1", "qm-first-read-stale", VERDICT_WARN);
    first_read_of("amd-tracked-rmids=32", NULL, VERDICT_PASS);
    first_read_of("amd-tracked-rmids=32", "qm-first-read-stale", VERDICT_WARN);
}

/* --- tags that are late by a few lines ---------------------------------------------------------------------------- */

Test(cmt_mbm_defects, an_rmid_that_applies_a_few_dozen_lines_late)
{
    static const char *const profiles[] = { "bdx", "spr" };

    for (uint32_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        expect(VERDICT_FAIL, "mbm.switching", ON(profiles[i], .faults = { "rmid-stale-after-switch:64" }));
        expect(VERDICT_PASS, "mbm.switching", ON(profiles[i]), .excludes = "a delay of the RMID above ");
    }
}

/* WBINVD writes back what fills have left, under their RMIDs, and Zen 5 counts it. */
EXPECT_TEST(cmt_mbm_defects, lines_of_earlier_fills_that_are_written_back_are_no_defect, VERDICT_PASS, "mbm.alias",
            MODEL("zen5", 1, 4, 1, .slices = 4, .seed = 1), .tests = { "cmt.crowd", "mbm.alias" },
            .also = { { "cmt.crowd", VERDICT_PASS } });
