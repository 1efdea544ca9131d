/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_wsm_ex.c: Westmere-EX, E7-4870. As Nehalem-EX with ten slices; its M-boxes have another FVC register.
 *
 * CPUID: no public dump of a part of model 2FH was found. Composed: that of Nehalem-EX with the signature, the L3 of 30 MB
 * and the brand string of the part.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x0000000B, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x000206F2, 0x00200800, 0x00BCE3BD, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x55035A01, 0x00F0B2EC, 0x00000000, 0x09CA212C } },
    { 0x00000004, 0, { 0x3C004121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0x3C004122, 0x00C0003F, 0x0000007F, 0x00000000 } },
    { 0x00000004, 2, { 0x3C004143, 0x01C0003F, 0x000001FF, 0x00000000 } },
    { 0x00000004, 3, { 0x3C07C163, 0x05C0003F, 0x00004FFF, 0x00000002 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00021120 } },
    { 0x00000006, 0, { 0x00000003, 0x00000002, 0x00000001, 0x00000000 } },
    { 0x0000000A, 0, { 0x07300403, 0x00000000, 0x00000000, 0x00000603 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000005, 0x00000010, 0x00000201, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000001, 0x28100800 } },
    { 0x80000002, 0, { 0x65746E49, 0x2952286C, 0x6F655820, 0x2952286E } },
    { 0x80000003, 0, { 0x55504320, 0x2D374520, 0x30373834, 0x20402020 } },
    { 0x80000004, 0, { 0x30342E32, 0x007A4847, 0x00000000, 0x00000000 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x01006040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x0000302C, 0x00000000, 0x00000000, 0x00000000 } },
};

PROFILE(wsm_ex, 13) = {
    .name = "wsm-ex",
    .title = "Westmere-EX (E7-4870): uncore of boxes by MSR, no RDT",
    .like = "nhm-ex",
    .packages = 2,
    .cores = 2,
    .threads = 2,
    .tsc_hz = UINT64_C(2400000000),
    .times = &times_nhm,
    .microcode = 0x00000037,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .unrecorded = true,
    .l3_slices = 10,
    .l3_ways = 24,
    .l3_sets = 2048,
    .l3_hash = PROFILE_E5_HASH,
    .l3_inclusive = true,
    .channels = 4,
    .uncore = &uncore_wsmex,
    .uclk_hz = UINT64_C(2400000000),
    .residency = RESIDENCY_NHM,
    .prefetch_control = true,
};
