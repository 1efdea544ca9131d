/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The same read under every RMID: on a part that counts some RMIDs at a time, and where short loads scatter. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "tests/support/interposer.h"
#include "tests/support/whole_run.h"

#define FIXED     40u /* of 4,096 RMIDs those that a part tracks for ever */
#define CPUS_MOST 64u

static struct interposer between;
static uint32_t selected[CPUS_MOST]; /* the RMID in IA32_QM_EVTSEL */

static void never_track(struct interposer *i, uint32_t cpu, struct step *s)
{
    (void)i;
    if (s->op == STEP_WRMSR && s->reg == IA32_QM_EVTSEL)
        selected[cpu] = (uint32_t)(s->value >> 32);
    else if (s->op == STEP_RDMSR && s->reg == IA32_QM_CTR && selected[cpu] >= FIXED)
        s->value = BIT(62); /* Unavailable */
}

static void watch(struct model_platform *mp)
{
    interposer_install(&between, &mp->platform);
    between.after = never_track;
}

/* Runs would be halved down to one RMID for each of the others. */
Test(rmid_series, rmids_that_are_never_tracked_are_found_before_they_are_measured_alone)
{
    struct model_config config = MODEL("zen5", 1, 2, 1, .slices = 2, .seed = 3);
    struct whole_run w = { .tests = { "mbm.every-rmid" }, .before = watch };
    char *stream = NULL;
    size_t length;

    w.stream = open_memstream(&stream, &length);
    cr_assert(w.stream);
    cr_assert(whole_run(&config, &w));
    fclose(w.stream);
    cr_expect_eq(w.checks[0].verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    cr_expect_not_null(strstr(stream, "4056 RMIDs are not tracked and are left out"));
    cr_expect_lt(w.checks[0].seconds, 10, "%f s of the machine's clock", w.checks[0].seconds);
    whole_run_free(&w);
    free(stream);
}

/* What is left is RMID 0, which every idle processor has: its count shows nothing of a load. */
Test(rmid_series, no_rmid_but_that_of_idle_processors_is_no_pass)
{
    struct model_config config = MODEL("zen3", 1, 2, 1, .slices = 2, .seed = 3, .realism = "amd-tracked-rmids=1");
    struct whole_run w = { .tests = { "mbm.every-rmid" } };

    cr_assert(whole_run(&config, &w));
    cr_assert_eq(w.n, 1);
    cr_expect_eq(w.checks[0].verdict, VERDICT_SKIP, "%s", w.checks[0].reason);
    cr_expect_not_null(strstr(w.checks[0].reason, "no RMID is tracked"), "%s", w.checks[0].reason);
    whole_run_free(&w);
}

/* 256 RMIDs, of which 16 at a time are counted: in runs of 64 they drive each other out. */
Test(rmid_series, rmids_that_are_counted_in_turn_are_all_measured)
{
    struct model_config config = MODEL("zen3", 1, 2, 1, .slices = 4, .seed = 3, .realism = "amd-tracked-rmids=16");
    struct whole_run w = { .tests = { "mbm.every-rmid" } };

    cr_assert(whole_run(&config, &w));
    cr_assert_eq(w.n, 1);
    cr_expect_eq(w.checks[0].verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    cr_expect_null(strstr(w.text, "not tracked"), "%s", w.text);
    cr_expect_lt(w.work_bytes, UINT64_C(1) << 30, "runs that shrink by one RMID at a time move gigabytes");
    whole_run_free(&w);
}

static struct model_config sampling_part(void)
{
    return MODEL("bdx", 1, 2, 1, .slices = 4, .seed = 2948761362,
                 .realism = "l3-replacement=lru,l3-set-hash=on,mbm-start=anywhere,mbm-sampling=15,memory-extents=23");
}

/* Four pieces of memory, of which one set in 20 is counted: each load is off by 10 %, by which piece it reads. Loads that
 * were long enough under each of 4,096 RMIDs would move 34 GB. The series moves 1, and its unequal loads as much. */
static struct model_config uneven_pieces(void)
{
    return MODEL("zen5", 1, 2, 1, .slices = 2, .seed = 4,
                 .realism = "l3-set-hash=off,mbm-sampling=20,memory-extents=1");
}

Test(rmid_series, rmids_are_judged_against_those_that_read_the_same_memory)
{
    struct model_config config = uneven_pieces();
    struct whole_run w = { .tests = { "mbm.every-rmid" } };
    char *stream = NULL;
    size_t length;

    w.stream = open_memstream(&stream, &length);
    cr_assert(w.stream);
    cr_assert(whole_run(&config, &w));
    fclose(w.stream);
    cr_assert_eq(w.n, 1);
    cr_expect_eq(w.checks[0].verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    cr_expect_not_null(strstr(stream, "judged against those that read the same memory"));
    cr_expect_lt(w.work_bytes, UINT64_C(3) << 30);
    whole_run_free(&w);
    free(stream);
}

/* Of a part with one RMID that counts too much. */
static void expect_rmid_77(struct model_config config)
{
    struct whole_run w = { .tests = { "mbm.every-rmid" } };

    config.faults[0] = "mbm-rmid-factor:77:20";
    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.checks[0].verdict, VERDICT_FAIL);
    cr_expect_not_null(strstr(w.checks[0].reason, "RMID 77"), "%s", w.checks[0].reason);
    whole_run_free(&w);
}

Test(rmid_series, an_rmid_is_found_among_those_that_read_the_same_memory)
{
    expect_rmid_77(uneven_pieces());
}

/* 256 RMIDs over 64 pieces: too few read the same memory to be each other's measure. Most loads are off in a single run, and
 * some are by 9 % after several: by where their lines lie, which longer loads show. */
static struct model_config few_of_a_piece(void)
{
    return MODEL("zen2", 1, 2, 2, .slices = 2, .seed = 1072885840, .realism = "mbm-sampling=10");
}

Test(rmid_series, what_too_few_rmids_read_alike_is_measured_by_longer_loads)
{
    struct model_config config = few_of_a_piece();
    struct whole_run w = { .tests = { "mbm.every-rmid" } };

    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.checks[0].verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    whole_run_free(&w);
    expect_rmid_77(config);
}

/* Of the sets of 512 KiB one in 15 is counted: some RMIDs are off by more than 8 %, by nothing but where their lines lie. */
Test(rmid_series, what_a_sample_of_the_sets_counts_is_measured_by_longer_loads)
{
    struct model_config config = sampling_part();
    struct whole_run w = { .tests = { "mbm.every-rmid" } };

    cr_assert(whole_run(&config, &w));
    cr_assert_eq(w.n, 1);
    cr_expect_eq(w.checks[0].verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    cr_expect_lt(w.work_bytes, UINT64_C(1) << 29, "%llu bytes", (unsigned long long)w.work_bytes);
    whole_run_free(&w);
}

/* Nor does chance hide RMIDs that count too little. */
Test(rmid_series, high_rmids_that_count_too_little_are_found_among_what_scatters)
{
    struct model_config config = sampling_part();
    struct whole_run w = { .tests = { "mbm.every-rmid" } };

    config.faults[0] = "mbm-high-rmids-low";
    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.checks[0].verdict, VERDICT_FAIL, "%s", w.checks[0].reason);
    cr_expect_lt(w.work_bytes, UINT64_C(3) << 30, "%llu bytes", (unsigned long long)w.work_bytes);
    whole_run_free(&w);
}

/* One RMID that counts 3 % less than the others with the same load: below T_bw. */
Test(rmid_series, an_rmid_that_differs_from_its_peers_is_a_warn)
{
    struct model_config config = MODEL("bdx", 1, 2, 2, .slices = 4, .seed = 5, .realism = "typical");
    struct whole_run w = { .tests = { "mbm.every-rmid" } };

    cr_assert(whole_run(&config, &w));
    cr_assert_eq(w.checks[0].verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    cr_expect_not_null(strstr(w.text, "a loss under one RMID above 3.2 %"), "%s", w.text);
    whole_run_free(&w);
    config.faults[0] = "mbm-rmid-factor:5:-4";
    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.checks[0].verdict, VERDICT_WARN, "%s", w.checks[0].reason);
    cr_expect_not_null(strstr(w.text, "RMID 5: MBM total / bytes read is 9"), "%s", w.text);
    whole_run_free(&w);
}

/* 64 RMIDs that are not all counted take 190 ms to read twice: fewer RMIDs at a time fit between two SMIs. */
Test(rmid_series, windows_shrink_until_they_fit_between_smis)
{
    struct model_config config = MODEL("zen5", 1, 2, 1, .slices = 2, .seed = 3);
    struct whole_run w = { .tests = { "mbm.every-rmid" } };

    config.realism = "smi-period=100,amd-tracked-rmids=32";
    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.checks[0].verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    whole_run_free(&w);
}

/* 4,096 RMIDs; what empties an L2 of 1 MiB before and behind each load is most of what moves. */
Test(rmid_series, a_small_l3_takes_several_rmids_a_run)
{
    struct model_config config = MODEL("zen5", 1, 2, 1, .slices = 2, .seed = 3);
    struct whole_run w = { .tests = { "cmt.every-rmid" } };

    config.realism = "l3-replacement=random,l2-victim-drop=2";
    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.checks[0].verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    cr_expect_lt(w.work_bytes, UINT64_C(4) << 30, "%llu bytes", (unsigned long long)w.work_bytes);
    whole_run_free(&w);
}

/* On parts before Ice Lake a cluster's RMIDs may be the upper half of the L3's: among themselves they are all alike. */
Test(rmid_series, rmids_of_clusters_are_compared_with_each_other)
{
    struct model_config config = MODEL("bdx", 1, 4, 1, .clusters = 2, .slices = 4, .realism = "snc-rmids=split");
    struct whole_run w = { .tests = { "cmt.every-rmid" } };

    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.checks[0].verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    whole_run_free(&w);
    config.faults[0] = "rmid-step-low";
    w = (struct whole_run){ .tests = { "cmt.every-rmid" } };
    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.checks[0].verdict, VERDICT_WARN, "%s", w.checks[0].reason);
    cr_expect_not_null(strstr(w.checks[0].reason, "under those of L3 domain 0"), "%s", w.checks[0].reason);
    whole_run_free(&w);
}
