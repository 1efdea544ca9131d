/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A count that decreases by a little is a decrease, and not bytes modulo the counter's width. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/qm.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/base/rollover.h"
#include "tests/silicon/model/flaw.h"
#include "tests/support/run/model_run.h"

#define RMID 7u

static uint64_t selected;
static uint32_t reads; /* of MBM total of the RMID */

/* Each read of one RMID, which no load has, is three counts below the one before. */
static void count_down(struct interposer *, uint32_t, struct step *s)
{
    if (s->op == STEP_WRMSR && s->reg == IA32_QM_EVTSEL)
        selected = s->value;
    if (s->op == STEP_RDMSR && s->reg == IA32_QM_CTR && selected == qm_evtsel(RMID, QM_EVENT_L3_TOTAL))
        s->value = 10000 - 3 * reads++;
}

Test(mbm_decrease, of_an_idle_rmid_is_named)
{
    expect(VERDICT_FAIL, "mbm.idle", ON("spr"), .after = count_down, .finding = "decreased from",
           .code = FOUND_STEPS_BACK);
    expect(VERDICT_FAIL, "mbm.alias", ON("spr"), .after = count_down, .finding = "decreased from",
           .code = FOUND_STEPS_BACK, .unsaid = "bytes under this one");
}

/* Bit 0, which the load's own step does not show. */
EXPECT_TEST(mbm_decrease, by_a_bit_that_reads_1_now_and_then_is_seen_between_loads, VERDICT_FAIL, "mbm.steady",
            ON("bdx", .flaw = FLAW(.monitor = FLAW_MBM, .kind = FLAW_STICKY, .trigger = FLAW_NTH, .nth = 11)),
            .finding = "no processor had this RMID", .code = FOUND_STEPS_BACK);

Test(mbm_decrease, is_less_than_half_of_the_range)
{
    cr_expect_eq(counter_moved(10, 7, 24), -3);
    cr_expect_eq(counter_moved(low_bits(24), 2, 24), 3);
    cr_expect_eq(counter_moved(0, low_bits(24) / 2, 24), (int64_t)(low_bits(24) / 2));
    cr_expect_eq(counter_moved(5, 0, 62), -5);
}
