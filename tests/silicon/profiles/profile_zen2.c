/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_zen2.c: Zen 2 server.
 *
 * CPUID: InstLatx64 dump AuthenticAMD0830F10_K17_Rome_CPUID6 (Threadripper PRO 3955WX, the die of EPYC 7002; 16 MB L3 for
 * each core complex, 256 RMIDs, counts of 64 bytes), as recorded; leaf 80000020H sub-leaf 1 is not in it and is as Zen 3's.
 * Topology fields are computed. Patch level: that of the dump.
 *
 * Two cores share an L3, slices and width of MBM as in profile_zen3.c. Bandwidth counts reads alone, as PQoS 1.0 does (APM vol.
 * 2 table 19-8).
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x00000010, 0x68747541, 0x444D4163, 0x69746E65 } },
    { 0x00000001, 0, { 0x00830F10, 0x00200800, 0x7ED8320B, 0x178BFBFF } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00000011 } },
    { 0x00000006, 0, { 0x00000004, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x00000007, 0, { 0x00000000, 0x219C91A9, 0x00400004, 0x00000000 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000007, 0x00000020, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x00000207, 0x00000340, 0x00000380, 0x00000000 } },
    { 0x0000000D, 1, { 0x0000000F, 0x00000340, 0x00000000, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x0000000D, 9, { 0x00000040, 0x00000340, 0x00000000, 0x00000000 } },
    { 0x0000000F, 0, { 0x00000000, 0x000000FF, 0x00000000, 0x00000002 } },
    { 0x0000000F, 1, { 0x00000000, 0x00000040, 0x000000FF, 0x00000007 } },
    { 0x00000010, 0, { 0x00000000, 0x00000002, 0x00000000, 0x00000000 } },
    { 0x00000010, 1, { 0x0000000F, 0x00000000, 0x00000004, 0x0000000F } },
    { 0x80000000, 0, { 0x80000020, 0x68747541, 0x444D4163, 0x69746E65 } },
    { 0x80000001, 0, { 0x00830F10, 0x40000000, 0x75C237FF, 0x2FD3FBFF } },
    { 0x80000002, 0, { 0x20444D41, 0x657A7952, 0x6854206E, 0x64616572 } },
    { 0x80000003, 0, { 0x70706972, 0x50207265, 0x33204F52, 0x57353539 } },
    { 0x80000004, 0, { 0x36312058, 0x726F432D, 0x20207365, 0x00202020 } },
    { 0x80000005, 0, { 0xFF40FF40, 0xFF40FF40, 0x20080140, 0x20080140 } },
    { 0x80000006, 0, { 0x48006400, 0x68006400, 0x02006140, 0x02009140 } },
    { 0x80000007, 0, { 0x00000000, 0x0000001B, 0x00000000, 0x00006799 } },
    { 0x80000008, 0, { 0x00003030, 0x018CB757, 0x0000701F, 0x00010000 } },
    { 0x8000000A, 0, { 0x00000001, 0x00008000, 0x00000000, 0x0013BCFF } },
    { 0x80000019, 0, { 0xF040F040, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x8000001A, 0, { 0x00000006, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x8000001B, 0, { 0x000003FF, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x8000001D, 0, { 0x00004121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x8000001D, 1, { 0x00004122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x8000001D, 2, { 0x00004143, 0x01C0003F, 0x000003FF, 0x00000002 } },
    { 0x8000001D, 3, { 0x0001C163, 0x03C0003F, 0x00003FFF, 0x00000001 } },
    { 0x8000001F, 0, { 0x0001000F, 0x0000016F, 0x000001FD, 0x00000001 } },
    { 0x80000020, 0, { 0x00000000, 0x00000002, 0x00000000, 0x00000000 } },
    /* not in the dump as it stands here: see above */
    { 0x80000020, 1, { 0x0000000B, 0x00000000, 0x00000000, 0x0000000F } },
};

PROFILE(zen2, 106) = {
    .name = "zen2",
    .title = "Zen 2 (Threadripper PRO 3955WX, Rome): AMD PQoS, two cores an L3",
    .like = "zen3",
    .packages = 2,
    .cores = 4,
    .threads = 2,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .tsc_hz = UINT64_C(3900000000),
    .times = &times_zen3,
    .microcode = 0x08301039,
    .max_clusters = 4,
    .package_channels = 8,
    .cores_per_l3 = 2,
    .l3_slices = 4,
    .l3_ways = 16,
    .l3_sets = 4096,
    .l3_hash = PROFILE_E5_HASH,
    .rdt = true,
    .qm_illegal_rmid_faults = true,
    .qm_rmid_bits = 12,
    .mbm_bits = 44,
    .uncore = &uncore_zen2,
    .amd = true,
};
