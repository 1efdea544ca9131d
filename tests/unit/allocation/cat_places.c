/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which classes do not drive out what another one with the same mask brought in. */
#include "core/checks/allocation/cat_places.h"

#include <criterion/criterion.h>

#include "tests/support/run/model_run.h"

Test(cat_places, half_of_the_lines_is_a_shift_by_one_of_two_ways)
{
    cr_expect_not(place_differs(0));
    cr_expect_not(place_differs(0.25));
    cr_expect(place_differs(0.5));
    cr_expect(place_differs(1));
}

Test(cat_places, one_class_that_leaves_the_lines_is_elsewhere)
{
    const double of_four[] = { 0, 0, 0.02, 0.98 }, of_three[] = { 0.9, 0, 0.1 };

    cr_expect_eq(places_of(of_four, 4, 1), PLACES_KNOWN);
    cr_expect_eq(places_of(of_three, 3, 1), PLACES_KNOWN);
}

/* Then the one that brought them in may be elsewhere, or lines stay whatever the masks are. */
Test(cat_places, where_most_classes_leave_the_lines_nothing_is_known)
{
    const double all[] = { 1, 0, 0.9, 1 }, half[] = { 1, 0, 0, 1 };

    cr_expect_eq(places_of(all, 4, 1), PLACES_UNKNOWN);
    cr_expect_eq(places_of(half, 4, 1), PLACES_UNKNOWN);
}

Test(cat_places, the_class_that_brought_the_lines_in_is_not_counted)
{
    const double own_is_high[] = { 0, 1, 1, 0 };

    cr_expect_eq(places_of(own_is_high, 4, 1), PLACES_KNOWN);
}

/* Linux, cache_alloc_hsw_probe(): E5 v3 that have masks do not enumerate them. */
EXPECT_TEST(cat_places, masks_that_are_not_enumerated_are_named, VERDICT_SKIP, "cat.windows",
            MODEL("hsx", 1, 1, 1, .slices = 4, .seed = 3), .report = "and not checked");
