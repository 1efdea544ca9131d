/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The same read under every RMID: on a part that counts some RMIDs at a time, and where short loads scatter. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "tests/silicon/model/flaw.h"
#include "tests/support/run/model_run.h"
#include "tests/support/run/turn.h"

#define FIXED     40u /* of 4,096 RMIDs those that a part tracks for ever */
#define CPUS_MOST 64u

static uint32_t selected[CPUS_MOST]; /* the RMID in IA32_QM_EVTSEL */

static void never_track(struct interposer *, uint32_t cpu, struct step *s)
{
    if (s->op == STEP_WRMSR && s->reg == IA32_QM_EVTSEL)
        selected[cpu] = (uint32_t)(s->value >> 32);
    else if (s->op == STEP_RDMSR && s->reg == IA32_QM_CTR && selected[cpu] >= FIXED)
        s->value = BIT(62); /* Unavailable */
}

/* Those that read for 7 s and more, in a minute all of them. */
static void has_turn(uint32_t i)
{
    if (!in_turn(i, 4))
        cr_skip_test("not in this turn of four");
}

/* Runs would be halved down to one RMID for each of the others. */
EXPECT_TEST(rmid_series, rmids_that_are_never_tracked_are_found_before_they_are_measured_alone, VERDICT_PASS,
            "mbm.every-rmid", MODEL("zen5", 1, 2, 1, .slices = 2, .seed = 3), .after = never_track,
            .stream = "4056 RMIDs are not tracked and are left out", .seconds_below = 10);

/* What is left is RMID 0, which every idle processor has: its count shows nothing of a load. */
EXPECT_TEST(rmid_series, no_rmid_but_that_of_idle_processors_is_no_pass, VERDICT_SKIP, "mbm.every-rmid",
            MODEL("zen3", 1, 2, 1, .slices = 2, .seed = 3, .realism = "amd-tracked-rmids=1"),
            .finding = "no RMID is tracked");

/* 256 RMIDs, of which 16 at a time are counted: in runs of 64 they drive each other out. */
Test(rmid_series, rmids_that_are_counted_in_turn_are_all_measured)
{
    /* runs that shrink by one RMID at a time move gigabytes */
    expect(VERDICT_PASS, "mbm.every-rmid",
           MODEL("zen3", 1, 2, 1, .slices = 4, .seed = 3, .realism = "amd-tracked-rmids=16"), .unsaid = "not tracked",
           .bytes_below = UINT64_C(1) << 30);
}

static struct model_config sampling_part(const char *fault)
{
    return MODEL("bdx", 1, 2, 1, .slices = 4, .seed = 2948761362,
                 .realism = "l3-replacement=lru,l3-set-hash=on,mbm-start=anywhere,mbm-sampling=15,memory-extents=23",
                 .faults = { fault });
}

/* Four pieces of memory, of which one set in 20 is counted: each load is off by 10 %, by which piece it reads. Loads that
 * were long enough under each of 4,096 RMIDs would move 34 GB. The series moves 1, and its unequal loads as much. */
static struct model_config uneven_pieces(const char *fault)
{
    return MODEL("zen5", 1, 2, 1, .slices = 2, .seed = 4, .realism = "l3-set-hash=off,mbm-sampling=20,memory-extents=1",
                 .faults = { fault });
}

Test(rmid_series, rmids_are_judged_against_those_that_read_the_same_memory)
{
    has_turn(3);
    expect(VERDICT_PASS, "mbm.every-rmid", uneven_pieces(NULL),
           .stream = "judged against those that read the same memory", .bytes_below = UINT64_C(3) << 30);
}

#define RMID_77_HIGH "mbm-rmid-factor:77:20"

Test(rmid_series, an_rmid_is_found_among_those_that_read_the_same_memory)
{
    has_turn(3);
    expect(VERDICT_FAIL, "mbm.every-rmid", uneven_pieces(RMID_77_HIGH), .finding = "RMID 77");
}

/* 256 RMIDs over 64 pieces: too few read the same memory to be each other's measure. Most loads are off in a single run, and
 * some are by 9 % after several: by where their lines lie, which longer loads show. */
static struct model_config few_of_a_piece(const char *fault)
{
    return MODEL("zen2", 1, 2, 2, .slices = 2, .seed = 1072885840, .realism = "mbm-sampling=10", .faults = { fault });
}

Test(rmid_series, what_too_few_rmids_read_alike_is_measured_by_longer_loads)
{
    has_turn(1);
    expect(VERDICT_PASS, "mbm.every-rmid", few_of_a_piece(NULL));
    expect(VERDICT_FAIL, "mbm.every-rmid", few_of_a_piece(RMID_77_HIGH), .finding = "RMID 77");
}

/* Of the sets of 512 KiB one in 15 is counted: some RMIDs are off by more than 8 %, by nothing but where their lines lie. */
EXPECT_TEST(rmid_series, what_a_sample_of_the_sets_counts_is_measured_by_longer_loads, VERDICT_PASS, "mbm.every-rmid",
            sampling_part(NULL), .bytes_below = UINT64_C(1) << 29);

/* Nor does chance hide RMIDs that count too little. */
Test(rmid_series, high_rmids_that_count_too_little_are_found_among_what_scatters)
{
    has_turn(2);
    expect(VERDICT_FAIL, "mbm.every-rmid", sampling_part("mbm-high-rmids-low"), .bytes_below = UINT64_C(3) << 30);
}

/* One RMID that counts 3 % less than the others with the same load: below T_bw. */
Test(rmid_series, an_rmid_that_differs_from_its_peers_is_a_warn)
{
    expect(VERDICT_PASS, "mbm.every-rmid", MODEL("bdx", 1, 2, 2, .slices = 6, .seed = 5, .realism = "typical"),
           .report = "a loss under one RMID above 3.2 %");
    expect(VERDICT_WARN, "mbm.every-rmid",
           MODEL("bdx", 1, 2, 2, .slices = 6, .seed = 5, .realism = "typical", .faults = { "mbm-rmid-factor:5:-4" }),
           .report = "RMID 5: MBM total / bytes read is 9");
}

/* Of 88 RMIDs neither 3 nor 87 has bit 5. */
Test(rmid_series, a_bit_of_rmids_that_is_lost_is_one_finding)
{
    const struct flaw *mbm = FLAW(.monitor = FLAW_MBM, .kind = FLAW_ALIASED, .strength = 5);
    const struct flaw *cmt = FLAW(.monitor = FLAW_CMT, .kind = FLAW_ALIASED, .strength = 5);

    expect(VERDICT_FAIL, "mbm.every-rmid", MODEL("bdx", 1, 2, 2, .slices = 11, .flaw = mbm),
           .code = FOUND_RMID_BIT_LOST, .finding = "with bit 0x20 set", .unsaid = "RMID 33");
    expect(VERDICT_WARN, "cmt.every-rmid", MODEL("bdx", 1, 2, 2, .slices = 11, .flaw = cmt),
           .code = FOUND_RMID_BIT_LOST, .finding = "with bit 0x20 set", .unsaid = "RMID 33");
    expect(VERDICT_FAIL, "mbm.alias", MODEL("bdx", 1, 2, 2, .slices = 11, .flaw = mbm),
           .report = "RMID 31, while RMID 63");
    expect(VERDICT_FAIL, "cmt.alias", MODEL("bdx", 1, 2, 2, .slices = 11, .flaw = cmt), .report = "RMID 63");
}

/* BDF102 makes MBM of RMIDs above 7 count less, of 80 by most; one processor that loses a bit of them counts none
 * there. */
Test(rmid_series, a_processor_that_loses_a_bit_of_an_erratums_rmids_is_found)
{
    const struct flaw *high =
        FLAW(.monitor = FLAW_MBM, .scope = FLAW_CPU, .place = 3, .kind = FLAW_ALIASED, .strength = 3);

    expect(VERDICT_FAIL, "mbm.every-thread", MODEL("bdx", 1, 2, 2, .slices = 4, .flaw = high),
           .stream = "rmid-differs");
    expect(VERDICT_PASS, "mbm.every-thread", MODEL("bdx", 1, 2, 2, .slices = 10));
}

/* The other RMID has the bytes, without a load of its own. */
EXPECT_TEST(rmid_series, an_rmid_whose_bytes_another_one_has_is_reported_with_it, VERDICT_FAIL, "mbm.every-rmid",
            MODEL("icx", 1, 2, 2, .slices = 4,
                  .flaw = FLAW(.monitor = FLAW_MBM, .scope = FLAW_RMID, .place = 23, .kind = FLAW_ALIASED,
                               .strength = 2)),
            .report = "RMID 23: RMID 19 counted at least half");
EXPECT_TEST(rmid_series, an_rmid_whose_lines_another_one_has_is_reported_with_it, VERDICT_WARN, "cmt.every-rmid",
            MODEL("icx", 1, 2, 2, .slices = 4,
                  .flaw = FLAW(.monitor = FLAW_CMT, .scope = FLAW_RMID, .place = 23, .kind = FLAW_ALIASED,
                               .strength = 2)),
            .report = "RMID 23: RMID 19 has at least half");

/* 64 RMIDs that are not all counted take 190 ms to read twice: fewer RMIDs at a time fit between two SMIs. */
Test(rmid_series, windows_shrink_until_they_fit_between_smis)
{
    has_turn(0);
    expect(VERDICT_PASS, "mbm.every-rmid",
           MODEL("zen5", 1, 2, 1, .slices = 2, .seed = 3, .realism = "smi-period=100,amd-tracked-rmids=32"));
}

/* 4,096 RMIDs; what empties an L2 of 1 MiB before and after each load is most of what moves. */
Test(rmid_series, a_small_l3_takes_several_rmids_a_run)
{
    has_turn(1);
    expect(VERDICT_PASS, "cmt.every-rmid",
           MODEL("zen5", 1, 2, 1, .slices = 2, .seed = 3, .realism = "l3-replacement=random,l2-victim-drop=2"),
           .bytes_below = UINT64_C(4) << 30);
}

/* On parts before Ice Lake a cluster's RMIDs may be the upper half of the L3's: among themselves they are all alike. */
Test(rmid_series, rmids_of_clusters_are_compared_with_each_other)
{
    expect(VERDICT_PASS, "cmt.every-rmid",
           MODEL("bdx", 1, 4, 1, .clusters = 2, .slices = 4, .realism = "snc-rmids=split"));
    expect(
        VERDICT_WARN, "cmt.every-rmid",
        MODEL("bdx", 1, 4, 1, .clusters = 2, .slices = 4, .realism = "snc-rmids=split", .faults = { "rmid-step-low" }),
        .finding = "under those of L3 domain 0");
}
