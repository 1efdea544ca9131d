/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_clx_ap.c: Cascade Lake-AP: two dies of Cascade Lake-SP in a package.
 *
 * CPUID: composed, since no public dump of this part was found: the Gold 6212U's of profile_clx.c, with the name, frequency
 * and 24 cores a die of the Platinum 9242 by its product page, and with leaf 1FH, whose die level this part brought
 * (Linux commit 7745f03eb395). Slices and RMIDs of a die: the Gold 6212U's. Topology fields are computed. Microcode
 * revision: the Gold 6212U's.
 *
 * Each die is a NUMA node with an L3, six channels, MSRs and PCI functions of its own (Linux uncore_snbep.c:
 * snbep_pci2phy_map_init() with uncore_max_dies()), and a package to the model: --packages counts dies.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x0000001F, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x00050657, 0x00400800, 0x7FFEFBFF, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x76036301, 0x00F0B5FF, 0x00000000, 0x00C30000 } },
    { 0x00000004, 0, { 0x7C004121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0x7C004122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 2, { 0x7C004143, 0x03C0003F, 0x000003FF, 0x00000000 } },
    { 0x00000004, 3, { 0x7C0FC163, 0x0280003F, 0x0000CFFF, 0x00000005 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00002020 } },
    { 0x00000006, 0, { 0x00000077, 0x00000002, 0x00000009, 0x00000000 } },
    { 0x00000007, 0, { 0x00000000, 0xD39FFFFB, 0x00000808, 0xBC000400 } },
    { 0x0000000A, 0, { 0x07300404, 0x00000000, 0x00000000, 0x00000603 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000006, 0x00000030, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x000002FF, 0x00000A80, 0x00000A88, 0x00000000 } },
    { 0x0000000D, 1, { 0x0000000F, 0x00000A80, 0x00000100, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x0000000D, 3, { 0x00000040, 0x000003C0, 0x00000000, 0x00000000 } },
    { 0x0000000D, 4, { 0x00000040, 0x00000400, 0x00000000, 0x00000000 } },
    { 0x0000000D, 5, { 0x00000040, 0x00000440, 0x00000000, 0x00000000 } },
    { 0x0000000D, 6, { 0x00000200, 0x00000480, 0x00000000, 0x00000000 } },
    { 0x0000000D, 7, { 0x00000400, 0x00000680, 0x00000000, 0x00000000 } },
    { 0x0000000D, 8, { 0x00000080, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 9, { 0x00000008, 0x00000A80, 0x00000000, 0x00000000 } },
    { 0x0000000F, 0, { 0x00000000, 0x000000CF, 0x00000000, 0x00000002 } },
    { 0x0000000F, 1, { 0x00000000, 0x0001A000, 0x000000CF, 0x00000007 } },
    { 0x00000010, 0, { 0x00000000, 0x0000000A, 0x00000000, 0x00000000 } },
    { 0x00000010, 1, { 0x0000000A, 0x00000600, 0x00000004, 0x0000000F } },
    /* the dump lacks sub-leaf 3: as for Skylake-SP */
    { 0x00000010, 3, { 0x00000059, 0x00000000, 0x00000004, 0x00000007 } },
    { 0x00000014, 0, { 0x00000001, 0x0000000F, 0x00000007, 0x00000000 } },
    { 0x00000014, 1, { 0x02490002, 0x003F3FFF, 0x00000000, 0x00000000 } },
    { 0x00000015, 0, { 0x00000002, 0x000000B8, 0x00000000, 0x00000000 } },
    { 0x00000016, 0, { 0x000008FC, 0x00000ED8, 0x00000064, 0x00000000 } },
    { 0x0000001F, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000001F, 1, { 0x00000006, 0x00000030, 0x00000201, 0x00000000 } },
    { 0x0000001F, 2, { 0x00000007, 0x00000060, 0x00000502, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000121, 0x2C100000 } },
    { 0x80000002, 0, { 0x65746E49, 0x2952286C, 0x6F655820, 0x2952286E } },
    { 0x80000003, 0, { 0x616C5020, 0x756E6974, 0x3239206D, 0x43203234 } },
    { 0x80000004, 0, { 0x40205550, 0x332E3220, 0x7A484730, 0x00000000 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x01006040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x0000302E, 0x00000000, 0x00000000, 0x00000000 } },
};

PROFILE(clx_ap, 52) = {
    .name = "clx-ap",
    .title = "Cascade Lake-AP (Platinum 9242): as clx, with two dies a package",
    .like = "clx",
    .packages = 4,
    .dies = 2,
    .cores = 2,
    .threads = 2,
    .tsc_hz = UINT64_C(2300000000),
    .times = &times_skx,
    .microcode = 0x0500001C,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .max_clusters = 2,
    .package_channels = 6,
    .l3_slices = 26,
    .l3_ways = 11,
    .l3_sets = 2048,
    .l3_hash = PROFILE_E5_HASH,
    .rdt = true,
    .qm_rmid_bits = 10,
    .mbm_starts_near_wrap = true,
    .mbm_errata = true,
    .mask_group_moves = true,
    .uncore = &uncore_clx,
    .uclk_hz = UINT64_C(2400000000),
    .uncore_ratio = true,
    .residency = RESIDENCY_SERVER,
    .ppin = true,
    .prefetch_control = true,
    .full_width_counters = true,
};
