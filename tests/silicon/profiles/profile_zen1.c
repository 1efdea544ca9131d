/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_zen1.c: Zen server: no RDT; each die is a node with two channels and a data fabric of its own.
 *
 * CPUID: InstLatx64 dump AuthenticAMD0800F12_K17_Zen_CPUID4 (EPYC 7401P, 8 MB L3 for each core complex), as recorded, but
 * for leaf 80000001H:ECX: the dump is a guest's, and the bits of the counters (22, 23, 24, 28) are as AMD's PPR 54945 (family
 * 17H models 00H to 0FH) has them. Topology fields are computed. Patch level: that of the dump.
 *
 * One die a package; --clusters 4 is a package of the 7401P. Two cores share an L3, so that a small machine has more than
 * one a package. The slice function is not published, so that of the E5 family serves.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x0000000D, 0x68747541, 0x444D4163, 0x69746E65 } },
    { 0x00000001, 0, { 0x00800F12, 0x00300800, 0xFED83203, 0x178BFBFF } },
    { 0x00000006, 0, { 0x00000000, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x00000007, 0, { 0x00000000, 0x009C01A9, 0x00000000, 0x00000000 } },
    { 0x0000000D, 0, { 0x00000007, 0x00000340, 0x00000340, 0x00000000 } },
    { 0x0000000D, 1, { 0x0000000B, 0x00000340, 0x00000000, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x80000000, 0, { 0x8000001E, 0x68747541, 0x444D4163, 0x69746E65 } },
    /* not in the dump as it stands here: see above */
    { 0x80000001, 0, { 0x00800F12, 0x40000000, 0x11C023F3, 0x2FD3FBFF } },
    { 0x80000002, 0, { 0x20444D41, 0x43595045, 0x30343720, 0x32205031 } },
    { 0x80000003, 0, { 0x6F432D34, 0x50206572, 0x65636F72, 0x726F7373 } },
    { 0x80000004, 0, { 0x20202020, 0x20202020, 0x20202020, 0x00202020 } },
    { 0x80000005, 0, { 0xFF40FF40, 0xFF40FF40, 0x20080140, 0x40040140 } },
    { 0x80000006, 0, { 0x36006400, 0x56006400, 0x02006140, 0x0200C140 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000789 } },
    { 0x80000008, 0, { 0x00003030, 0x00000000, 0x0000602F, 0x00000000 } },
    { 0x8000001A, 0, { 0x00000003, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x8000001D, 0, { 0x00004121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x8000001D, 1, { 0x00004122, 0x00C0003F, 0x000000FF, 0x00000000 } },
    { 0x8000001D, 2, { 0x00004143, 0x01C0003F, 0x000003FF, 0x00000002 } },
    { 0x8000001D, 3, { 0x00014163, 0x03C0003F, 0x00001FFF, 0x00000001 } },
};

PROFILE(zen1, 102) = {
    .name = "zen1",
    .title = "Zen (EPYC 7401P): no RDT, a data fabric a node",
    .packages = 2,
    .cores = 4,
    .threads = 2,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .tsc_hz = UINT64_C(2000000000),
    .times = &times_zen3,
    .microcode = 0x08001207,
    .max_clusters = 4,
    .channels = 2,
    .cores_per_l3 = 2,
    .l3_slices = 4,
    .l3_ways = 16,
    .l3_sets = 2048,
    .l3_hash = PROFILE_E5_HASH,
    .uncore = &uncore_zen1,
    .amd = true,
};
