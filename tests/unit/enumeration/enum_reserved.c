/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* enum.reserved: a new bit is a defect on a part that is known, and news on one that is not. enum.asymmetric: a leaf that
 * is announced and there is not judged. */
#include <criterion/criterion.h>

#include "tests/support/whole_run.h"

#define NO_MODEL 0xFEu

static uint32_t model;

static void describe(struct machine *m)
{
    for (uint32_t i = 0; i < m->n_cpus; i++) {
        m->cpus[i].id.model = model ? model : m->cpus[i].id.model;
        m->cpus[i].rdt.leaf0f[1].regs.edx |= 1u << 31;
    }
}

static enum verdict reserved_on(uint32_t as_model)
{
    struct model_config config = MODEL("spr", 1, 2, 1, .seed = 5);
    struct whole_run w = { .tests = { "enum.reserved" }, .described = describe };
    enum verdict v;

    model = as_model;
    cr_assert(whole_run(&config, &w));
    v = w.checks[0].verdict;
    whole_run_free(&w);
    return v;
}

Test(enum_reserved, is_a_warning_on_a_generation_that_is_not_known)
{
    cr_expect_eq(reserved_on(0), VERDICT_FAIL);
    cr_expect_eq(reserved_on(NO_MODEL), VERDICT_WARN);
}

static void give_leaves(struct machine *m)
{
    m->max_leaf = 0x28;
}

Test(enum_asymmetric, says_that_it_compares_nothing_of_a_leaf_that_is_announced)
{
    struct model_config config = MODEL("spr", 1, 2, 1, .faults = { "cpuid-asymmetric" });
    struct whole_run w = { .tests = { "enum.asymmetric" }, .described = give_leaves };

    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.checks[0].verdict, VERDICT_SKIP);
    whole_run_free(&w);
}
