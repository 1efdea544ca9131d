/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* When a fill has reached its plateau, what its control makes of the bounds, and which sizes a wave has. */
#include "core/experiment/waves.h"

#include <criterion/criterion.h>

#define L3 (64 * MIB)
#define L2 (2 * MIB)

static struct l3_domain domain;
static const struct cache_info l2 = { .level = 2, .kind = 'd', .bytes = L2 };
static struct cpu cpu[6] = { { .id.vendor = VENDOR_INTEL } };
static struct machine machine = { .n_domains = 1, .domains = &domain, .cpus = cpu, .n_cpus = 6, .n_caches = 1 };
static struct platform platform;
static struct check check = { .machine = &machine, .platform = &platform };

static void part(bool inclusive)
{
    machine.caches[0] = l2;
    domain = (struct l3_domain){ .l3_bytes = L3, .l3_inclusive = inclusive, .upscaling_factor = 65536 };
}

Test(fill, grows_by_more_than_a_fiftieth_and_a_count)
{
    cr_expect(fill_grows(50e6, 53e6, 100e6, 65536));
    cr_expect_not(fill_grows(50e6, 51.9e6, 100e6, 65536), "two in a hundred are a plateau");
    cr_expect_not(fill_grows(1e6, 1.06e6, 1.1e6, 65536), "one count is rounding");
    cr_expect_not(fill_grows(50e6, 40e6, 100e6, 65536));
}

/* What the control holds lowers what is asked for, and allows no more. */
Test(fill, is_held_against_what_its_control_holds)
{
    struct reading r = { .domain = 0 }, before;

    part(false);
    expect_occupancy(&check, &r, 40e6, 0);
    before = r;
    fill_scale(&check, &r, 0.7);
    cr_expect_float_eq(r.lo, 0.85 * 28e6, 1);
    cr_expect_float_eq(r.hi, before.hi, 1);
    fill_scale(&check, &r, 1);
    cr_expect_float_eq(r.lo, 0.85 * 28e6, 1, "never raised");
}

/* No policy keeps nothing of what was written several times: the control is as broken as what it is the control of. */
Test(fill, is_not_excused_by_a_control_that_holds_nothing)
{
    struct reading r = { .domain = 0 };

    part(false);
    expect_occupancy(&check, &r, 40e6, 0);
    fill_scale(&check, &r, 0.1);
    cr_expect_float_eq(r.lo, 0.85 * 40e6, 1);
}

/* A host that simulates each line would take long over half of a large L3. */
Test(fill, of_half_an_l3_keeps_to_a_limit_of_load)
{
    part(true);
    cr_expect_eq(load_half_l3(&check, 0), L3 / 2);
    platform.load_limit = 12 * MIB;
    cr_expect_eq(load_half_l3(&check, 0), 12 * MIB);
    domain.l3_bytes = 8 * MIB;
    cr_expect_eq(load_half_l3(&check, 0), 4 * MIB);
    platform.load_limit = 0;
}

Test(fill, empties_no_l2_below_an_inclusive_l3)
{
    part(true);
    cr_expect_eq(fill_scratch_bytes(&check, 0), 0);
    part(false);
    cr_expect_eq(fill_scratch_bytes(&check, 0), 2 * L2);
}

/* What empties an L2 drives as much again into the L3, once a core: 42 MiB leave room for three L2s in three quarters of 64.
 * One core has all of the L3. */
Test(fill, leaves_room_for_what_empties_the_l2s)
{
    const uint32_t cpus[6] = { 0, 2, 4, 1, 3, 5 };

    part(false);
    for (uint32_t i = 0; i < 6; i++)
        cpu[i].place.core = i / 2;
    cr_expect_eq(fill_at_once(&check, 0, 42 * MIB, cpus, 6), 6);
    cr_expect_eq(fill_at_once(&check, 0, 44 * MIB, cpus, 6), 2);
    cr_expect_eq(fill_at_once(&check, 0, L3 - L2, cpus, 6), 1);
    cr_expect_eq(fill_at_once(&check, 0, L3, cpus, 6), 0);
    part(true);
    cr_expect_eq(fill_at_once(&check, 0, L3, cpus, 6), 6);
}

/* 4 + 8 + 12 + 16 MiB are 40 of 48; a fifth fill makes them 60. With an L2 for each: 24 + 6 are 30, 40 + 8 are 48. */
Test(fill, of_a_wave_stay_in_three_quarters_of_the_l3)
{
    part(true);
    cr_expect_eq(waves_fit(&check, 0, 4 * MIB), 4);
    cr_expect_eq(waves_fit(&check, 0, 40 * MIB), 1);
    cr_expect_eq(waves_fit(&check, 0, MIB / 2), WAVE_SIZES);
    part(false);
    cr_expect_eq(waves_fit(&check, 0, 4 * MIB), 4);
    cr_expect_eq(waves_fit(&check, 0, 4 * MIB + 4096), 3);
}

/* Whichever two processors exchange their RMIDs, one of the two readings is out of its band at least. */
Test(fill, of_a_wave_differ_by_more_than_their_tolerance)
{
    part(true);
    for (uint32_t i = 1; i <= WAVE_SIZES; i++)
        for (uint32_t k = i + 1; k <= WAVE_SIZES; k++) {
            struct reading a = { .domain = 0 }, b = { .domain = 0 };
            double one = (double)(i * fill_least_bytes(&check, 0)), other = (double)(k * fill_least_bytes(&check, 0));

            expect_occupancy(&check, &a, one, 0);
            expect_occupancy(&check, &b, other, 0);
            cr_expect(other > a.hi || one < b.lo, "%u and %u", i, k);
        }
}
