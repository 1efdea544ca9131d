/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_nhm.c: Nehalem-EP, X5550. No RDT; an uncore with a global enable and MSRs of its own.
 *
 * CPUID: InstLatx64 dump GenuineIntel00106A2_Nehalem-EP (stepping B0, 8 MB L3), as recorded. Topology fields are
 * computed. Microcode revision: that of the dump. Four slices, as four cores; the slice function is not published, so
 * that of the E5 family serves.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x0000000B, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x000106A2, 0x00100800, 0x00BCE3BD, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x55035A01, 0x00F0B2E4, 0x00000000, 0x09CA212C } },
    { 0x00000004, 0, { 0x1C004121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0x1C004122, 0x00C0003F, 0x0000007F, 0x00000000 } },
    { 0x00000004, 2, { 0x1C004143, 0x01C0003F, 0x000001FF, 0x00000000 } },
    { 0x00000004, 3, { 0x1C03C163, 0x03C0003F, 0x00001FFF, 0x00000002 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00021120 } },
    { 0x00000006, 0, { 0x00000003, 0x00000002, 0x00000001, 0x00000000 } },
    { 0x0000000A, 0, { 0x07300403, 0x00000000, 0x00000000, 0x00000603 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000004, 0x00000008, 0x00000201, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000001, 0x28100000 } },
    { 0x80000002, 0, { 0x756E6547, 0x20656E69, 0x65746E49, 0x2952286C } },
    { 0x80000003, 0, { 0x55504320, 0x20202020, 0x20202020, 0x40202020 } },
    { 0x80000004, 0, { 0x30303020, 0x20402030, 0x37362E32, 0x007A4847 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x01006040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x00003028, 0x00000000, 0x00000000, 0x00000000 } },
};

PROFILE(nhm, 10) = {
    .name = "nhm",
    .title = "Nehalem-EP (X5550): uncore by global enable, no RDT",
    .packages = 2,
    .cores = 2,
    .threads = 2,
    .tsc_hz = UINT64_C(2666666667),
    .times = &times_nhm,
    .microcode = 0xFFFF0019,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .l3_slices = 4,
    .l3_ways = 16,
    .l3_sets = 2048,
    .l3_hash = PROFILE_E5_HASH,
    .l3_inclusive = true,
    .channels = 3,
    .uncore = &uncore_nhm,
    .uclk_hz = UINT64_C(2666666667),
    .residency = RESIDENCY_NHM,
    .prefetch_control = true,
};
