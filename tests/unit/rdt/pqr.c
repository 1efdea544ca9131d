/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/rdt/pqr.h"

#include <criterion/criterion.h>

#include "core/base/bits.h"

static struct pqr_layout layout_of(uint32_t max_rmid, uint32_t max_clos)
{
    struct rdt_info rdt = { .monitoring = true, .allocation = true, .max_rmid_any = max_rmid, .max_clos = max_clos };
    struct pqr_layout layout;

    pqr_layout_of(&rdt, &layout);
    return layout;
}

/* SDM vol. 3B 17.16.6: the field is as wide as the highest RMID needs. */
Test(pqr_layout_of, takes_the_widths_from_the_enumeration)
{
    struct pqr_layout layout = layout_of(63, 15);

    cr_expect_eq(layout.rmid_mask, BITS(5, 0));
    cr_expect_eq(layout.clos_mask, BITS(35, 32));
    layout = layout_of(64, 3);
    cr_expect_eq(layout.rmid_mask, BITS(6, 0));
    cr_expect_eq(layout.clos_mask, BITS(33, 32));
    layout = layout_of(4095, 0); /* AMD Zen 5: 12 bits, which a mask of 10 would cut */
    cr_expect_eq(layout.rmid_mask, BITS(11, 0));
    cr_expect_eq(layout.clos_mask, 0);
}

Test(pqr_layout_of, gives_a_part_without_the_feature_no_field)
{
    struct rdt_info rdt = { .max_rmid_any = 63, .max_clos = 15 };
    struct pqr_layout layout;

    pqr_layout_of(&rdt, &layout);
    cr_expect_eq(layout.rmid_mask, 0);
    cr_expect_eq(layout.clos_mask, 0);
    cr_expect_eq(layout.max_rmid, 0);
}

Test(pqr, one_half_is_replaced_and_the_other_kept)
{
    struct pqr pqr = pqr_decode(pqr_with_clos(pqr_with_rmid(UINT64_C(7) << 32 | 9, 63), 15));

    cr_expect_eq(pqr_with_rmid(UINT64_C(7) << 32 | 9, 63), UINT64_C(7) << 32 | 63);
    cr_expect_eq(pqr.rmid, 63);
    cr_expect_eq(pqr.clos, 15);
}
