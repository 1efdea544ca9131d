/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_nhm_ex.c: Nehalem-EX, X7560. No RDT; an uncore of boxes by MSR.
 *
 * CPUID: InstLatx64 dump GenuineIntel00206E6_Beckton_CPUID2 (24 MB L3, eight slices of 24 ways), as recorded, but for what
 * its hypervisor shows and hides: leaf 1 has no bit 31 of ECX, and has MONITOR and the bits of Nehalem-EP's dump; leaves
 * 5, 6 and 0AH are those. Topology fields are computed. Microcode revision: that of the dump. The slice function is not
 * published, so that of the E5 family serves, and of the uncore's clock no document that was read tells: 2.4 GHz.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x0000000B, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    /* not in the dump as it stands here: see above */
    { 0x00000001, 0, { 0x000206E6, 0x00200800, 0x00BCE3BD, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x55035A01, 0x00F0B2EC, 0x00000000, 0x09CA212C } },
    { 0x00000004, 0, { 0x3C004121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0x3C004122, 0x00C0003F, 0x0000007F, 0x00000000 } },
    { 0x00000004, 2, { 0x3C004143, 0x01C0003F, 0x000001FF, 0x00000000 } },
    { 0x00000004, 3, { 0x3C07C163, 0x05C0003F, 0x00003FFF, 0x00000002 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00021120 } },
    { 0x00000006, 0, { 0x00000003, 0x00000002, 0x00000001, 0x00000000 } },
    { 0x0000000A, 0, { 0x07300403, 0x00000000, 0x00000000, 0x00000603 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000005, 0x00000010, 0x00000201, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000001, 0x28100800 } },
    { 0x80000002, 0, { 0x65746E49, 0x2952286C, 0x6F655820, 0x2952286E } },
    { 0x80000003, 0, { 0x55504320, 0x20202020, 0x20202020, 0x58202020 } },
    { 0x80000004, 0, { 0x30363537, 0x20402020, 0x37322E32, 0x007A4847 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x01006040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x0000302C, 0x00000000, 0x00000000, 0x00000000 } },
};

PROFILE(nhm_ex, 12) = {
    .name = "nhm-ex",
    .title = "Nehalem-EX (X7560): uncore of boxes by MSR, no RDT",
    .packages = 2,
    .cores = 2,
    .threads = 2,
    .tsc_hz = UINT64_C(2266666667),
    .times = &times_nhm,
    .microcode = 0x0000000D,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .l3_slices = 8,
    .l3_ways = 24,
    .l3_sets = 2048,
    .l3_hash = PROFILE_E5_HASH,
    .l3_inclusive = true,
    .channels = 4,
    .uncore = &uncore_nhmex,
    .uclk_hz = UINT64_C(2400000000),
    .residency = RESIDENCY_NHM,
    .prefetch_control = true,
};
