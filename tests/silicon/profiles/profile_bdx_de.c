/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_bdx_de.c: Broadwell-DE (Xeon D-1500): one package, without SBo and links.
 *
 * CPUID: InstLatx64 dump GenuineIntel0050662_BroadwellDE_CPUID (D-1540: 8 slices, 12 MB L3 of 12 ways, 64 RMIDs, no CDP),
 * as recorded. Topology fields are computed. Microcode revision: that of the dump.
 *
 * BDF102 is an erratum of the E5 v4. Linux (resctrl/monitor.c) corrects models 4FH and 55H alone, so that counts are right
 * here. Machines of two packages are made for tests alone: it has no links. */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x00000014, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x00050662, 0x00100800, 0x7FFEFBFF, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x76036301, 0x00F0B5FF, 0x00000000, 0x00C30000 } },
    { 0x00000004, 0, { 0x1C004121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0x1C004122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 2, { 0x1C004143, 0x01C0003F, 0x000001FF, 0x00000000 } },
    { 0x00000004, 3, { 0x1C03C163, 0x02C0003F, 0x00003FFF, 0x00000006 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00002120 } },
    { 0x00000006, 0, { 0x00000075, 0x00000002, 0x00000009, 0x00000000 } },
    { 0x00000007, 0, { 0x00000000, 0x021CBFBB, 0x00000000, 0x00000000 } },
    { 0x00000009, 0, { 0x00000001, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x0000000A, 0, { 0x07300403, 0x00000000, 0x00000000, 0x00000603 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000004, 0x00000010, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x00000007, 0x00000340, 0x00000340, 0x00000000 } },
    { 0x0000000D, 1, { 0x00000001, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x0000000F, 0, { 0x00000000, 0x0000003F, 0x00000000, 0x00000002 } },
    { 0x0000000F, 1, { 0x00000000, 0x00008000, 0x0000003F, 0x00000007 } },
    { 0x00000010, 0, { 0x00000000, 0x00000002, 0x00000000, 0x00000000 } },
    { 0x00000010, 1, { 0x0000000B, 0x00000C00, 0x00000000, 0x0000000F } },
    { 0x00000014, 0, { 0x00000000, 0x00000001, 0x00000001, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000121, 0x2C100000 } },
    { 0x80000002, 0, { 0x65746E49, 0x2952286C, 0x6F655820, 0x2952286E } },
    { 0x80000003, 0, { 0x55504320, 0x312D4420, 0x20303435, 0x2E322040 } },
    { 0x80000004, 0, { 0x48473030, 0x0000007A, 0x00000000, 0x00000000 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x01006040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x0000302E, 0x00000000, 0x00000000, 0x00000000 } },
};

PROFILE(bdx_de, 43) = {
    .name = "bdx-de",
    .title = "Broadwell-DE (Xeon D-1540): CMT, MBM, CAT; no links",
    .like = "bdx",
    .packages = 1,
    .cores = 4,
    .threads = 2,
    .tsc_hz = UINT64_C(2000000000),
    .times = &times_bdx,
    .microcode = 0x00000007,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .package_channels = 2,
    .l3_slices = 8,
    .l3_ways = 12,
    .l3_sets = 2048,
    .l3_hash = PROFILE_E5_HASH,
    .l3_inclusive = true,
    .rdt = true,
    .qm_rmid_bits = 10,
    .mbm_starts_near_wrap = true,
    .uncore = &uncore_bdx_de,
    .uclk_hz = UINT64_C(2200000000),
    .uncore_ratio = true,
    .residency = RESIDENCY_E5,
    .ppin = true,
    .prefetch_control = true,
    .full_width_counters = true,
};
