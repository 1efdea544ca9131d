/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* pmon.occupancy and pmon.occupancy-reset with a queue whose registers answer otherwise than they should.
 * hswep_uncore_cbox, CBo 0: controls E01H to E04H, counters E08H to E0BH; each CBo 10H further. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

#define CBO_0_CTL0 0xE01u
#define CBO_0_CTR0 0xE08u
#define EDGE_DET   BIT(18)
/* --- falling edges: 327043-001 table 2-2, edge_det with invert ---------------------------------------------------- */

#define INVERT   BIT(23)
#define NHM_CTL0 0x3C0u

/* Where edges are asked for together with invert, levels are counted: the combination is lost, each bit alone acts. */
static void lose_the_edge(struct interposer *, uint32_t, struct step *s)
{
    if (s->op == STEP_WRMSR && s->reg == NHM_CTL0 && (s->value & (INVERT | EDGE_DET)) == (INVERT | EDGE_DET))
        s->value &= ~EDGE_DET;
}

EXPECT_TEST(pmon_queues, falling_edges_that_are_levels_fail, VERDICT_FAIL, "pmon.occupancy", ON("nhm"),
            .before = lose_the_edge, .report = "a queue became occupied");

/* Threshold 2 lets through what threshold 0 does: every entry is two. */
EXPECT_TEST(pmon_queues, an_occupancy_whose_every_entry_counts_as_two_warns, VERDICT_WARN, "pmon.occupancy", ON("bdx"),
            .defect = msr_stuck_at_0(CBO_0_CTL0, UINT64_C(2) << 24), .report = "cycles with an entry have two");

/* --- how long an entry stays -------------------------------------------------------------------------------------- */

/* Loads take so many ticks of a TSC of 1.3 GHz. */
static void set_load_ticks(struct interposer *i, uint32_t, struct step *s)
{
    i->platform->tsc_hz = UINT64_C(1300000000);
    if (s->op == STEP_WORK)
        s->work->tsc_end = s->work->tsc_begin + *(const uint64_t *)i->context;
}

static void expect_load_ticks(uint64_t ticks, enum verdict verdict, const char *report)
{
    expect(verdict, "pmon.occupancy", ON("bdx"), .after = set_load_ticks, .context = &ticks, .report = report);
}

/* Entries of the model stay about 105 ticks of its TSC. Loads of 70 ticks of 1.3 GHz take 54 ns, which memory can. */
Test(pmon_queues, a_residency_above_the_load_latency_warns)
{
    expect_load_ticks(70, VERDICT_WARN, "package 0 CBo: mean residency of an entry is 1");
    expect_load_ticks(125, VERDICT_PASS, NULL);
}

/* snbep_uncore_imc: channel 0 is device 16 function 0, counter 0 at A0H. Later event files leave RPQ_OCCUPANCY out. */
EXPECT_TEST(pmon_queues, a_residency_in_the_channel_above_that_in_its_cbos_fails, VERDICT_FAIL, "pmon.occupancy",
            ON("snbep"),
            .defect = { .access = ACCESS_PCI_READ, .reg = PCI_REGISTER(16, 0, 0xA0), .times = 16, .over = 1 },
            .finding = "iMC 0 counter 0", .code = FOUND_INVERT_MISCOUNTS, .report = "CBo that waits for it");

/* The second package has no memory: scrub alone is in its channels, now more and now less. */
EXPECT_TEST(pmon_queues, queues_that_no_load_enters_pass, VERDICT_PASS, "pmon.occupancy",
            MODEL("spr", 2, 2, 2, .slices = 6, .seed = 1520160459, .realism = "patrol-scrub=81349,empty-node=on"));

/* --- the reset of an occupancy ------------------------------------------------------------------------------------ */

/* The reset of the box leaves what the queue held: here the count continues as if one entry stayed. */
EXPECT_TEST(pmon_queues, a_queue_that_counts_while_it_is_idle_warns, VERDICT_WARN, "pmon.occupancy-reset", ON("bdx"),
            .defect = msr_reads(CBO_0_CTR0, 10000000), .code = FOUND_OCCUPANCY_STALE, .finding = "CBo 0");

/* 200 MB/s of patrol scrub: its reads enter the queues of the channels. */
EXPECT_TEST(pmon_queues, an_idle_queue_that_patrol_scrub_enters_passes, VERDICT_PASS, "pmon.occupancy-reset",
            MODEL("bdx", 1, 2, 1, .seed = 3, .realism = "patrol-scrub=200000"));
