/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Writes of allocation registers: masks are put back whatever the outcome of the experiment, and a refused write is reported
 * once. One L3 with masks of 8 bits for 4 classes. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/experiment/cat_context.h"
#include "tests/support/machine/fake_checks.h"

#define CLASSES 4u
#define FULL    0xFFu

static struct fake_checks fc;
static struct fake_msr *masks[CLASSES];

static void set_up(void)
{
    fake_checks_init(&fc, 2);
    fc.machine.cpus[0].rdt.l3 = (struct rdt_cat){ .known = true, .clos = CLASSES, .cbm_len = 8 };
    for (uint32_t i = 0; i < CLASSES; i++)
        masks[i] = fake_msr(&fc.fake, IA32_L3_MASK(i), FULL - (i == 3)); /* class 3 as firmware left it */
    for (uint32_t i = 0; i < CLASSES; i++)
        masks[i]->shared = true;
}

static void tear_down(void)
{
    fake_checks_free(&fc);
}

TestSuite(alloc, .init = set_up, .fini = tear_down);

static struct check begin(void)
{
    static const struct check_row row = { .id = "cat.shares", .grade = GRADE_F };

    return fake_checks_begin(&fc, &row);
}

static void masks_are_as_found(void)
{
    for (uint32_t i = 0; i < CLASSES; i++)
        cr_expect_eq(masks[i]->value[0], FULL - (i == 3), "mask %u: 0x%llx", i, (unsigned long long)masks[i]->value[0]);
}

Test(alloc, a_refused_write_is_one_finding)
{
    struct check c = begin();
    struct alloc_table t = alloc_l3_masks(&c);
    enum status st;

    masks[1]->write_faults = true;
    cr_assert_eq(alloc_record_table(&c, &t), ST_OK);
    st = alloc_write(&c, &t, 1, 3);
    cr_expect_eq(st, ST_FAULT);
    cr_expect_eq(fc.state.record.n_findings, 1);
    cr_expect_eq(check_conclude(&c, st), VERDICT_FAIL);
    cr_expect_eq(fc.state.record.n_findings, 1, "the top adds none");
}

Test(alloc, a_write_that_no_processor_carried_out_is_an_error)
{
    struct check c = begin();
    struct alloc_table t = alloc_l3_masks(&c);

    cr_assert_eq(alloc_record_table(&c, &t), ST_OK);
    fc.fake.slots[0].flags |= CPU_LOST;
    fc.fake.slots[1].flags |= CPU_LOST;
    cr_expect_eq(check_conclude(&c, alloc_write(&c, &t, 1, 3)), VERDICT_ERROR);
}

Test(alloc, a_table_is_put_back_to_its_last_register)
{
    struct check c = begin();
    struct alloc_table t = alloc_l3_masks(&c);

    cr_assert_eq(alloc_record_table(&c, &t), ST_OK);
    for (uint32_t i = 0; i < CLASSES; i++)
        cr_assert_eq(alloc_write(&c, &t, i, 3), ST_OK);
    masks[1]->write_faults = true;
    cr_expect_eq(alloc_put_back_table(&c, &t), ST_FAULT);
    cr_expect_eq(masks[1]->value[0], 3);
    masks[1]->write_faults = false;
    masks[1]->value[0] = FULL;
    masks_are_as_found();
}

static enum status gives_up(struct check *c, uint32_t domain, const struct cat_context *k)
{
    uint64_t narrow[3] = { 3, 3, 3 };
    enum status st = cat_set_masks(c, k, 3, narrow);

    cr_expect_eq(st, ST_OK);
    cr_expect_eq(masks[2]->value[0], 3);
    cr_expect_eq(masks[3]->value[0], FULL, "the others are full");
    return check_absent(c, "L3 domain %u: no memory", domain);
}

Test(alloc, masks_go_back_where_an_experiment_gives_up)
{
    static const struct check_row row = { .id = "cat.shares", .run_cat = gives_up };
    struct check c = fake_checks_begin(&fc, &row);

    cr_expect_eq(cat_run(&c, 0), ST_ABSENT);
    cr_expect_eq(fc.state.record.n_findings, 0);
    masks_are_as_found();
}
