/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_clx.c: Cascade Lake-SP: Skylake-SP's successor in the same socket, with its RDT and its monitors.
 *
 * CPUID: InstLatx64 dump GenuineIntel0050657_CascadeLakeSP_CPUID3 (Gold 6212U: 26 slices, 35.75 MB L3, 208 RMIDs,
 * upscaling factor 1A000H), as recorded; leaf 10H sub-leaf 3 is not in it. Topology fields are computed. Microcode
 * revision: that of the dump. That part works alone in a machine; others of its stepping by two, four and eight.
 *
 * SKX99 and the contention map (600H): as profile_skx.c says. Linux (resctrl/monitor.c, mbm_cf_table) corrects model 55H
 * whatever its stepping, and multiplies by 1.230921 above RMID 191 on a part of 26 slices. */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x00000016, 0x756E6547, 0x6C65746E, 0x49656E69 } },
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
    { 0x00000015, 0, { 0x00000002, 0x000000C0, 0x00000000, 0x00000000 } },
    { 0x00000016, 0, { 0x00000960, 0x00000F3C, 0x00000064, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000121, 0x2C100000 } },
    { 0x80000002, 0, { 0x65746E49, 0x2952286C, 0x6F655820, 0x2952286E } },
    { 0x80000003, 0, { 0x6C6F4720, 0x32362064, 0x20553231, 0x20555043 } },
    { 0x80000004, 0, { 0x2E322040, 0x48473034, 0x0000007A, 0x00000000 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x01006040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x0000302E, 0x00000000, 0x00000000, 0x00000000 } },
};

PROFILE(clx, 51) = {
    .name = "clx",
    .title = "Cascade Lake-SP (Gold 6212U): as skx, with 26 slices",
    .like = "skx",
    .packages = 2,
    .cores = 2,
    .threads = 2,
    .tsc_hz = UINT64_C(2400000000),
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
