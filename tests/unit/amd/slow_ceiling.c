/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A node whose processors are fused off has ordinary memory, which the limit of slow memory is not for (APM vol. 2
 * 19.4.6): bits 5:4 of QOS_EVT_CFG_0, reads of slow memory, are given to the model as bits 1:0, reads of other memory. */
#include "tests/support/run/model_run.h"

#include <criterion/criterion.h>

enum { QOS_EVT_CFG_0 = 0xC0000400, FILLS = 3, SLOW_READS = 3 << 4 };

static void count_no_slow_reads(struct interposer *, uint32_t, struct step *s)
{
    if (s->op == STEP_WRMSR && s->reg == QOS_EVT_CFG_0 && s->value == SLOW_READS)
        s->value = FILLS;
}

EXPECT_TEST(slow_ceiling, is_not_of_every_node_without_processors, VERDICT_PASS, "amd.ceiling",
            ON("zen5", .realism = "memory-node=on", .faults = { "slow-limit-inert" }), .before = count_no_slow_reads);
