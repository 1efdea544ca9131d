/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_zen3.c: Zen 3 server, AMD PQoS version 2: several L3 in a package, each a domain of its own.
 *
 * CPUID: InstLatx64 dump AuthenticAMD0A00F11_K19_Milan_02 (EPYC 7763, 32 MB L3 for each core complex, 256 RMIDs, counts
 * of 64 bytes), as recorded; leaf 80000020H sub-leaf 1 is not in it and has what later parts of the same family show.
 * Topology fields are computed. Patch level: that of the dump.
 *
 * Two cores share an L3, as on the EPYC 73F3, so that a small machine has more than one L3 a package. The slice
 * function is not published, so that of the E5 family serves. 44 bits: APM vol. 2 table 19-7, since 0FH.1:EAX is 0.
 * Bandwidth counts reads and non-temporal writes: table 19-8.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x00000010, 0x68747541, 0x444D4163, 0x69746E65 } },
    { 0x00000001, 0, { 0x00A00F11, 0x00400800, 0x7EDA320B, 0x178BFBFF } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00000011 } },
    { 0x00000006, 0, { 0x00000004, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x00000007, 0, { 0x00000000, 0x219C97A9, 0x0040068C, 0x00000010 } },
    { 0x0000000B, 0, { 0x00000000, 0x00000001, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000006, 0x00000040, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x00000207, 0x00000340, 0x00000988, 0x00000000 } },
    { 0x0000000D, 1, { 0x0000000F, 0x00000340, 0x00001800, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x0000000D, 9, { 0x00000008, 0x00000980, 0x00000000, 0x00000000 } },
    { 0x0000000D, 11, { 0x00000010, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 12, { 0x00000018, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000F, 0, { 0x00000000, 0x000000FF, 0x00000000, 0x00000002 } },
    { 0x0000000F, 1, { 0x00000000, 0x00000040, 0x000000FF, 0x00000007 } },
    { 0x00000010, 0, { 0x00000000, 0x00000002, 0x00000000, 0x00000000 } },
    { 0x00000010, 1, { 0x0000000F, 0x00000000, 0x00000004, 0x0000000F } },
    { 0x80000000, 0, { 0x80000023, 0x68747541, 0x444D4163, 0x69746E65 } },
    { 0x80000001, 0, { 0x00A00F11, 0x40000000, 0x75C237FF, 0x2FD3FBFF } },
    { 0x80000002, 0, { 0x20444D41, 0x43595045, 0x36373720, 0x34362033 } },
    { 0x80000003, 0, { 0x726F432D, 0x72502065, 0x7365636F, 0x20726F73 } },
    { 0x80000004, 0, { 0x20202020, 0x20202020, 0x20202020, 0x00202020 } },
    { 0x80000005, 0, { 0xFF40FF40, 0xFF40FF40, 0x20080140, 0x20080140 } },
    { 0x80000006, 0, { 0x48002200, 0x68004200, 0x02006140, 0x08009140 } },
    { 0x80000007, 0, { 0x00000000, 0x0000003B, 0x00000000, 0x00006799 } },
    { 0x80000008, 0, { 0x00003030, 0x91BEF75F, 0x0000603F, 0x00010007 } },
    { 0x8000000A, 0, { 0x00000001, 0x00008000, 0x00000000, 0x119B9CFF } },
    { 0x80000019, 0, { 0xF040F040, 0xF0400000, 0x00000000, 0x00000000 } },
    { 0x8000001A, 0, { 0x00000006, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x8000001B, 0, { 0x000003FF, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x8000001D, 0, { 0x00000121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x8000001D, 1, { 0x00000122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x8000001D, 2, { 0x00000143, 0x01C0003F, 0x000003FF, 0x00000002 } },
    { 0x8000001D, 3, { 0x0001C163, 0x03C0003F, 0x00007FFF, 0x00000001 } },
    { 0x8000001F, 0, { 0x0001FC3F, 0x00004173, 0x000001FD, 0x00000001 } },
    { 0x80000020, 0, { 0x00000000, 0x00000002, 0x00000000, 0x00000000 } },
    /* length of the bandwidth field and highest class: Rome and Milan */
    { 0x80000020, 1, { 0x0000000B, 0x00000000, 0x00000000, 0x0000000F } },
    { 0x80000021, 0, { 0x0000204D, 0x00000000, 0x00000000, 0x00000000 } },
};

PROFILE(zen3, 110) = {
    .name = "zen3",
    .title = "Zen 3 (EPYC 7763): AMD PQoS version 2, two cores an L3",
    .packages = 2,
    .cores = 4,
    .threads = 2,
    .tsc_hz = UINT64_C(2450000000),
    .times = &times_zen3,
    .microcode = 0x0A00111D,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .max_clusters = 4,
    .package_channels = 8,
    .cores_per_l3 = 2,
    .l3_slices = 8,
    .l3_ways = 16,
    .l3_sets = 4096,
    .l3_hash = PROFILE_E5_HASH,
    .amd = true,
    .rdt = true,
    .qm_illegal_rmid_faults = true,
    .qm_rmid_bits = 12,
    .mbm_bits = 44,
    .mbm_counts_nt_stores = true,
    .uncore = &uncore_zen3,
};
