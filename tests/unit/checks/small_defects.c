/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Defects below T_occ: each is a WARN of the check that has a finer bound, and a PASS says from where on it would be. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "arch/x86/rdt/qm.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "tests/support/run/model_run.h"

static void judged_on(uint32_t packages, const char *profile, const char *id, const char *fault, enum verdict verdict,
                      const char *says)
{
    expect(verdict, id,
           MODEL(profile, packages, 2, 2, .slices = 4, .seed = 7, .realism = "typical", .faults = { fault }),
           .own_bounds = true, .report = says);
}

static void judged(const char *profile, const char *id, const char *fault, enum verdict verdict, const char *says)
{
    judged_on(1, profile, id, fault, verdict, says);
}

Test(small_defects, a_mask_that_leaks_into_one_way)
{
    judged("bdx", "cat.shares", NULL, VERDICT_PASS, "an excess over a CBM above 0.");
    judged("bdx", "cat.shares", "mask-leak:1", VERDICT_WARN, "outside of the CBM");
    judged("spr", "cat.shares", NULL, VERDICT_PASS, "an excess over a CBM above 0.");
    judged("spr", "cat.shares", "mask-leak:1", VERDICT_WARN, "outside of the CBM");
}

Test(small_defects, lines_that_are_counted_nowhere)
{
    judged("bdx", "cmt.fill", NULL, VERDICT_PASS, "occupancy above 2.");
    judged("bdx", "cmt.fill", "occupancy-loss:3", VERDICT_WARN, "OUT OF BOUNDS");
    judged("spr", "cmt.linearity", NULL, VERDICT_PASS, "occupancy above 2.");
    judged("spr", "cmt.linearity", "occupancy-loss:3", VERDICT_WARN, "all RMIDs together");
}

Test(small_defects, lines_under_an_rmid_that_did_not_fill)
{
    judged("spr", "cmt.alias", NULL, VERDICT_PASS, "have shown");
    judged("spr", "cmt.alias", "occupancy-wrong-rmid:4", VERDICT_WARN, "RMIDs without a");
}

Test(small_defects, traffic_that_is_lost_where_all_processors_read)
{
    judged("bdx", "mbm.crowd", NULL, VERDICT_PASS, "a loss above ");
    judged("bdx", "mbm.crowd", "mbm-crowd-loses:3", VERDICT_WARN, "with 4 processors");
    judged("spr", "mbm.crowd", "mbm-crowd-loses:3", VERDICT_WARN, "with 4 processors");
    judged("zen5", "mbm.crowd", "mbm-crowd-loses:3", VERDICT_WARN, "with 4 processors");
}

/* mbm.remote reads under one RMID. */
Test(small_defects, one_rmid_that_counts_remote_reads_as_local)
{
    judged_on(2, "bdx", "mbm.every-rmid-remote", NULL, VERDICT_PASS, "have shown");
    judged_on(2, "bdx", "mbm.every-rmid-remote", "mbm-local-counts-remote:9", VERDICT_FAIL, "RMID 9: another");
    judged_on(2, "spr", "mbm.every-rmid-remote", NULL, VERDICT_PASS, "have shown");
    judged_on(2, "spr", "mbm.every-rmid-remote", "mbm-local-counts-remote:9", VERDICT_FAIL, "RMID 9: another");
}

/* Loads of one size under every RMID show nothing of it, and no other check's load runs under RMIDs this high. */
Test(small_defects, two_rmids_that_count_each_others_bytes)
{
    judged("bdx", "mbm.every-rmid", NULL, VERDICT_PASS, "have shown");
    judged("bdx", "mbm.every-rmid", "tag-swap:20:21", VERDICT_FAIL, "RMID 21");
    judged("spr", "mbm.every-rmid", "tag-swap:9:26", VERDICT_FAIL, "count each other's bytes");
}

/* --- what a PASS states is true: the next whole strength above it is found */

/* The limit that the check states on a machine without the fault; with `fault` of the next strength it does not pass. */
static void found_above(const char *profile, const char *id, const char *what, const char *fault)
{
    struct model_config config = MODEL(profile, 1, 2, 2, .slices = 4, .seed = 7);
    struct whole_run without = { .tests = { id }, .no_figures = true }, with = without;
    char strength[48];
    double limit = 0;

    cr_assert(whole_run(&config, &without));
    cr_assert_eq(strncmp(without.checks[0].excludes, what, strlen(what)), 0, "%s: %s", id, without.checks[0].excludes);
    cr_assert_eq(sscanf(without.checks[0].excludes + strlen(what), " above %lf", &limit), 1, "%s", id);
    snprintf(strength, sizeof strength, "%s:%u", fault, (unsigned)limit + 1);
    config.faults[0] = strength;
    cr_assert(whole_run(&config, &with));
    cr_expect_eq(without.checks[0].verdict, VERDICT_PASS, "%s: %s", id, without.checks[0].reason);
    cr_expect_neq(with.checks[0].verdict, VERDICT_PASS, "%s on %s passes with %s: %s", id, profile, strength,
                  without.checks[0].excludes);
    whole_run_free(&without);
    whole_run_free(&with);
}

Test(small_defects, what_a_pass_states_is_found)
{
    found_above("bdx", "mbm.crowd", "a loss", "mbm-loss");
    found_above("spr", "mbm.kinds", "a loss of reads", "mbm-loss");
    found_above("bdx", "traffic.closure", "a loss in one monitor", "mbm-loss");
    found_above("bdx", "cat.misses", "an excess over a CBM", "mask-leak");
    found_above("bdx", "cmt.competition", "occupancy under no RMID", "occupancy-loss");
    found_above("zen5", "cmt.linearity", "a loss of occupancy", "occupancy-loss");
}

/* Code and page walks from another node: total counts them, local does not. */
#define STRAY_LINES 23u

static void reads_that_bring_remote_lines(struct interposer *, uint32_t cpu, struct step *s)
{
    static uint64_t selected[8], stray;

    if (s->op == STEP_WRMSR && s->reg == IA32_QM_EVTSEL)
        selected[cpu] = s->value;
    else if (s->op == STEP_RDMSR && s->reg == IA32_QM_CTR && (selected[cpu] & 0xFF) == QM_EVENT_L3_TOTAL)
        s->value += stray += STRAY_LINES;
}

/* Zen 2 does not count non-temporal stores (APM vol. 2 table 19-8): what is counted beside them is no share of theirs. */
EXPECT_TEST(small_defects, a_stream_that_does_not_count_has_no_local_share, VERDICT_PASS, "mbm.kinds",
            MODEL("zen2", 1, 2, 1, .slices = 2), .after = reads_that_bring_remote_lines);
