/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/rdt/pqr.h"

#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "tests/support/fake_platform.h"

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

Test(pqr, writing_one_half_keeps_the_other)
{
    struct pqr_layout layout = layout_of(63, 15);
    struct fake f;
    struct pqr pqr;
    uint64_t raw = 0, before = 0;

    fake_init(&f, 2);
    fake_msr(&f, IA32_PQR_ASSOC, UINT64_C(7) << 32 | 9);
    cr_expect_eq(pqr_set_rmid(&f.platform, 1, &layout, 63, &before), ST_OK);
    cr_expect_eq(before, UINT64_C(7) << 32 | 9);
    cr_expect_eq(pqr_read(&f.platform, 1, &pqr, &raw), ST_OK);
    cr_expect_eq(raw, UINT64_C(7) << 32 | 63);
    cr_expect_eq(pqr_set_clos(&f.platform, 1, &layout, 15, NULL), ST_OK);
    cr_expect_eq(pqr_read(&f.platform, 1, &pqr, &raw), ST_OK);
    cr_expect_eq(pqr.rmid, 63);
    cr_expect_eq(pqr.clos, 15);
    cr_expect_eq(f.msrs[0].value[0], UINT64_C(7) << 32 | 9, "the other processor's register is not this one's");
}

Test(pqr, refuses_what_is_not_enumerated_and_writes_nothing)
{
    struct pqr_layout layout = layout_of(47, 3);
    struct fake f;

    fake_init(&f, 1);
    fake_msr(&f, IA32_PQR_ASSOC, 0);
    cr_expect_eq(pqr_set_rmid(&f.platform, 0, &layout, 48, NULL), ST_RANGE);
    cr_expect_eq(pqr_set_clos(&f.platform, 0, &layout, 4, NULL), ST_RANGE);
    cr_expect_eq(f.n_log, 0);
}

Test(pqr, hands_on_a_register_that_is_not_there)
{
    struct pqr_layout layout = layout_of(47, 3);
    struct fake f;
    uint64_t before = 0xDEAD;

    fake_init(&f, 1);
    cr_expect_eq(pqr_set_rmid(&f.platform, 0, &layout, 1, &before), ST_FAULT);
    cr_expect_eq(before, 0xDEAD);
}
