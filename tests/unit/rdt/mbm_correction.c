/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Linux resctrl monitor.c: mbm_cf_table, for errata BDF102 and SKX99. */
#include "arch/x86/rdt/mbm_correction.h"

#include <criterion/criterion.h>

static const struct cpu_identity bdx = { .vendor = VENDOR_INTEL, .family = 6, .model = 0x4F };
static const struct cpu_identity skx = { .vendor = VENDOR_INTEL, .family = 6, .model = 0x55 };
static const struct cpu_identity icx = { .vendor = VENDOR_INTEL, .family = 6, .model = 0x6A };
static const struct cpu_identity zen = { .vendor = VENDOR_AMD, .family = 6, .model = 0x55 };

Test(mbm_correction, goes_by_the_number_of_rmids)
{
    struct mbm_correction m = mbm_correction_of(&bdx, 80); /* 10 slices */

    cr_expect_str_eq(m.erratum, "BDF102");
    cr_expect_eq(m.threshold, 63);
    cr_expect_eq(m.millionths, 1066553);
    m = mbm_correction_of(&skx, 224); /* 28 slices */
    cr_expect_str_eq(m.erratum, "SKX99");
    cr_expect_eq(m.threshold, 191);
    cr_expect_eq(m.millionths, 1143118);
}

Test(mbm_correction, acts_above_the_threshold_alone)
{
    struct mbm_correction m = mbm_correction_of(&skx, 136); /* 17 slices */

    cr_expect_float_eq(mbm_correction_factor(&m, 0), 1, 1e-12);
    cr_expect_float_eq(mbm_correction_factor(&m, 127), 1, 1e-12);
    cr_expect_float_eq(mbm_correction_factor(&m, 128), 1.254863, 1e-12);
    cr_expect_float_eq(mbm_correction_factor(&m, 135), 1.254863, 1e-12);
}

/* Skylake server with two clusters: the upper one's RMIDs 0 to 23 are the L3's 24 to 47. */
Test(mbm_correction, goes_by_the_rmids_of_the_l3_in_a_cluster)
{
    struct mbm_correction m = mbm_correction_of(&skx, 48); /* 6 slices */

    m.first = 24;
    cr_expect_not(mbm_correction_acts(&m, 7));
    cr_expect(mbm_correction_acts(&m, 8));
    cr_expect_float_eq(mbm_correction_factor(&m, 7), 1, 1e-12);
    cr_expect_float_eq(mbm_correction_factor(&m, 8), 0.969650, 1e-12);
}

Test(mbm_correction, is_none_on_other_parts)
{
    struct mbm_correction m = mbm_correction_of(&icx, 224);

    cr_expect_null(m.erratum);
    cr_expect_float_eq(mbm_correction_factor(&m, 223), 1, 1e-12);
    cr_expect_null(mbm_correction_of(&zen, 224).erratum);
}

/* No row for so many or so few RMIDs: the erratum has a name and no factor. */
Test(mbm_correction, invents_no_row)
{
    struct mbm_correction m = mbm_correction_of(&bdx, 29 * 8);

    cr_expect_str_eq(m.erratum, "BDF102");
    cr_expect_float_eq(mbm_correction_factor(&m, 231), 1, 1e-12);
    m = mbm_correction_of(&bdx, 4);
    cr_expect_float_eq(mbm_correction_factor(&m, 3), 1, 1e-12);
}
