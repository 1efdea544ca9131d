/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* enum.reserved: a new bit is a defect on a part that is known, and news on one that is not. enum.asymmetric: a leaf that
 * is announced and there is not judged. */
#include <criterion/criterion.h>

#include "tests/support/run/model_run.h"

#define NO_MODEL 0xFEu

static void set_reserved(struct model_run *r)
{
    for (uint32_t i = 0; i < r->machine->n_cpus; i++)
        r->machine->cpus[i].rdt.leaf0f[1].regs.edx |= 1u << 31;
}

static void be_unknown(struct model_run *r)
{
    set_reserved(r);
    for (uint32_t i = 0; i < r->machine->n_cpus; i++)
        r->machine->cpus[i].id.model = NO_MODEL;
}

Test(enum_reserved, is_a_warning_on_a_generation_that_is_not_known)
{
    expect(VERDICT_FAIL, "enum.reserved", ON("spr"), .change = set_reserved);
    expect(VERDICT_WARN, "enum.reserved", ON("spr"), .change = be_unknown);
}

static void announce_leaves(struct model_run *r)
{
    r->machine->max_leaf = 0x28;
}

EXPECT_TEST(enum_asymmetric, says_that_it_compares_nothing_of_a_leaf_that_is_announced, VERDICT_SKIP, "enum.asymmetric",
            ON("spr", .faults = { "cpuid-asymmetric" }), .change = announce_leaves);
