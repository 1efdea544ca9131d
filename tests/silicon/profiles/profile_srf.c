/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_srf.c: Sierra Forest.
 *
 * CPUID: composed, since no public dump of this part was found: what is the core's from the InstLatx64 dump
 * GenuineIntel00B06E0_AlderLakeN_02 (Gracemont, the E-core before this part's), RDT's as Granite Rapids' (profile_gnr.c),
 * whose uncore it shares: 8 RMIDs a slice, and 256 bytes a count for each RMID, as on all recorded parts from Ice Lake-SP on
 * (icx-d 80 of 10 slices, emr 480 of 60, spr 352 of 44, gnr 288 of 36 of 4 MB); signature, name, frequency, 144 cores and
 * 108 MB of L3 of 12 ways of the Xeon 6780E by its product page; 36 slices of 3 MB are an assumption. Topology fields are
 * computed. Microcode revision: Granite Rapids'.
 *
 * Four cores of a module share 4 MiB of L2 on the part; here each core has 2 MiB of its own, as on Alder Lake-N's. One
 * compute die: eight channels.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x00000023, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x000A06F3, 0x00800800, 0x7FFAFBBF, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x00FEFF01, 0x000000F0, 0x00000000, 0x00000000 } },
    { 0x00000004, 0, { 0xFC004121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0xFC004122, 0x01C0003F, 0x0000007F, 0x00000000 } },
    { 0x00000004, 2, { 0xFC01C143, 0x03C0003F, 0x000007FF, 0x00000000 } },
    { 0x00000004, 3, { 0xFC1FC163, 0x02C0003F, 0x00023FFF, 0x00000004 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x10102020 } },
    { 0x00000006, 0, { 0x0065CEF7, 0x00000002, 0x00000001, 0x00000000 } },
    { 0x00000007, 0, { 0x00000002, 0x239CB7EB, 0x98C007AC, 0xFC184410 } },
    { 0x00000007, 1, { 0x00000810, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x00000007, 2, { 0x00000000, 0x00000000, 0x00000000, 0x00000037 } },
    { 0x0000000A, 0, { 0x08300805, 0x00000000, 0x0000000F, 0x00008604 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000008, 0x00000090, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x00000207, 0x00000340, 0x00000A88, 0x00000000 } },
    { 0x0000000D, 1, { 0x0000000F, 0x000003D0, 0x00019900, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x0000000D, 8, { 0x00000080, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 9, { 0x00000008, 0x00000A80, 0x00000000, 0x00000000 } },
    { 0x0000000D, 11, { 0x00000010, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 12, { 0x00000018, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 15, { 0x00000328, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 16, { 0x00000008, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000F, 0, { 0x00000000, 0x0000011F, 0x00000000, 0x00000002 } },
    { 0x0000000F, 1, { 0x00000008, 0x00012000, 0x0000011F, 0x00000007 } },
    { 0x00000010, 0, { 0x00000000, 0x0000000E, 0x00000000, 0x00000000 } },
    { 0x00000010, 1, { 0x0000000B, 0x00000C00, 0x0000000C, 0x0000000E } },
    /* as many bits as the L2 has ways, CDP and holes, as many classes as the L3 */
    { 0x00000010, 2, { 0x0000000F, 0x00000000, 0x0000000C, 0x0000000E } },
    { 0x00000010, 3, { 0x00000059, 0x00000000, 0x00000004, 0x0000000E } },
    { 0x00000015, 0, { 0x00000002, 0x000000B0, 0x017D7840, 0x00000000 } },
    { 0x00000016, 0, { 0x00000898, 0x00000BB8, 0x00000064, 0x00000000 } },
    { 0x0000001F, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000001F, 1, { 0x00000008, 0x00000090, 0x00000201, 0x00000000 } },
    { 0x00000023, 0, { 0x0000000B, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x00000023, 1, { 0x000000FF, 0x0000000F, 0x00000000, 0x00000000 } },
    { 0x00000023, 3, { 0x00000DFF, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000121, 0x2C100000 } },
    { 0x80000002, 0, { 0x65746E49, 0x2952286C, 0x6F655820, 0x2952286E } },
    { 0x80000003, 0, { 0x38373620, 0x00004530, 0x00000000, 0x00000000 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x08007040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x00003934, 0x00000200, 0x00000000, 0x00000000 } },
};

PROFILE(srf, 82) = {
    .name = "srf",
    .title = "Sierra Forest (Xeon 6780E): E-cores, monitors by one compute die",
    .like = "gnr",
    .packages = 2,
    .cores = 4,
    .threads = 1,
    .tsc_hz = UINT64_C(2200000000),
    .times = &times_gnr,
    .microcode = 0x010001D0,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .unrecorded = true,
    .max_clusters = 2,
    .package_channels = 8,
    .l3_slices = 36,
    .l3_ways = 12,
    .l3_sets = 4096,
    .rdt = true,
    .qm_rmid_bits = 10,
    .mbm_starts_near_wrap = true,
    .mba_config = true,
    .rmid_snc_config = true,
    .uncore = &uncore_srf,
    .uclk_hz = UINT64_C(2200000000),
    .uncore_ratio = true,
    .residency = RESIDENCY_SERVER,
    .ppin = true,
    .prefetch_control = true,
    .full_width_counters = true,
};
