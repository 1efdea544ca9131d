/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What is left of one class's lines after another one filled, against the same with full masks. */
#include "core/checks/allocation/cat_contest.h"

#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

#define MB 1e6

Test(cat_contest, a_control_that_keeps_its_lines_shows_nothing)
{
    cr_expect_not(contest_shows(1));
    cr_expect_not(contest_shows(0.75));
    cr_expect(contest_shows(0.65));
    cr_expect(contest_shows(0));
}

Test(cat_contest, the_least_share_is_t_occ_and_what_may_be_lost)
{
    cr_expect_float_eq(contest_least(10 * MB, 0), 0.85, 1e-9);
    cr_expect_float_eq(contest_least(10 * MB, 2 * MB), 0.65, 1e-9);
    cr_expect_float_eq(contest_least(10 * MB, 20 * MB), 0, 1e-9);
    cr_expect_float_eq(contest_least(0, 0), 0, 1e-9);
}

/* Two megabytes are most of a victim of 2.5: the control tells what its loss means. */
Test(cat_contest, a_loss_like_the_controls_is_no_noise)
{
    double least = contest_least(2.5 * MB, 0);

    cr_expect(contest_lost(2.5 * MB, 0.3, least, 0.2), "as good as no masks");
    cr_expect_not(contest_lost(2.5 * MB, 0.8, least, 0.1), "0.5 of 2.5 MB, where full masks lose 2.25");
    cr_expect(contest_lost(12 * MB, 0.8, contest_least(12 * MB, 0), 0.1), "2.4 MB, more than T_occ forgives");
}

/* Others may fill all ways but four: the fill that cat.moves looks for has to stay in three of them, 3 MiB. */
static void leave_four_ways(struct model_run *r)
{
    struct rdt_cat *l3 = &r->machine->cpus[r->machine->reference].rdt.l3;

    l3->shareable = (uint32_t)low_bits(l3->cbm_len) & ~(uint32_t)low_bits(4);
}

Test(cat_moves, a_fill_fits_the_ways_of_its_class)
{
    expect(VERDICT_PASS, "cat.moves", ON("spr", .slices = 8), .change = leave_four_ways);
    expect(VERDICT_SKIP, "cat.moves", ON("spr", .slices = 4), .change = leave_four_ways);
}
