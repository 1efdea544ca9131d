/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The limit of slow memory: of a node without processors, whose reads bits 5:4 of QOS_EVT_CFG_0 count. The model has the
 * limit, and takes such reads for fills: bits 5:4 are given to it as bits 1:0. */
#include "core/base/bits.h"
#include "tests/support/model_run.h"

#include <criterion/criterion.h>

enum { QOS_EVT_CFG_0 = 0xC0000400, FILLS = 3, SLOW_READS = 3 << 4 };

static void count_slow_reads(struct interposer *i, uint32_t cpu, struct step *s)
{
    (void)i;
    (void)cpu;
    if (s->op == STEP_WRMSR && s->reg == QOS_EVT_CFG_0 && s->value == SLOW_READS)
        s->value = FILLS;
}

static void ceiling(const char *fault, bool slow, enum verdict verdict, const char *words)
{
    struct model_run *r = model_run_on(ON("zen5", .realism = "memory-node=on", .faults = { fault }), "amd.ceiling", 0);
    struct machine *m = r->machine;

    for (uint32_t i = 0; i < m->n_ranges && slow; i++)
        if (m->nodes[m->ranges[i].node].package == UINT32_MAX)
            model_memory(r->mp->model, m->ranges[i].base, m->ranges[i].bytes, m->n_nodes - 1);
    r->interposer.before = slow ? count_slow_reads : NULL;
    cr_expect_eq(model_run_check(r, "amd.ceiling")->verdict, verdict, "%s: %s", fault ? fault : "", r->run->text);
    cr_expect(model_run_says(r, words), "%s", r->run->text);
    model_run_free(r);
}

/* APM vol. 2 19.4.6: the limit holds for slow memory, and for no other. */
Test(slow_ceiling, caps_slow_memory_alone)
{
    ceiling(NULL, true, VERDICT_PASS, "");
    ceiling("slow-limit-inert", true, VERDICT_WARN, "the limit of CLOS 1 is 1000 MB/s");
    ceiling("slow-limit-of-all", true, VERDICT_WARN, "where slow memory has a limit");
}

/* A node whose processors are fused off has ordinary memory, which the limit is not for. */
Test(slow_ceiling, is_not_of_every_node_without_processors)
{
    ceiling(NULL, false, VERDICT_PASS, "");
}
