/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_spr.c: Sapphire Rapids: L2 masks besides L3 masks, four clusters, uncore units by discovery.
 *
 * CPUID: InstLatx64 dump GenuineIntel00806F8_SapphireRapids_06 (w9-3475X: 44 slices, 82.5 MB L3, 352 RMIDs in a field
 * of 9 bits, upscaling factor 16000H), as recorded; leaf 10H sub-leaves 2 and 3 are not in it. Topology fields are
 * computed. Microcode revision: that of the dump.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x00000020, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x000806F8, 0x00800800, 0x7FFEFBFF, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x00FEFF01, 0x000000F0, 0x00000000, 0x00000000 } },
    { 0x00000004, 0, { 0xFC004121, 0x02C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0xFC004122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 2, { 0xFC004143, 0x03C0003F, 0x000007FF, 0x00000000 } },
    { 0x00000004, 3, { 0xFC1FC163, 0x0380003F, 0x00015FFF, 0x00000004 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00001020 } },
    { 0x00000006, 0, { 0x0045CEF7, 0x00000002, 0x00000009, 0x00000000 } },
    { 0x00000007, 0, { 0x00000002, 0xF3BFBFFB, 0xBB417FEE, 0xFFDD4430 } },
    { 0x00000007, 1, { 0x00001C30, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x00000007, 2, { 0x00000000, 0x00000000, 0x00000000, 0x00000017 } },
    { 0x0000000A, 0, { 0x08300805, 0x00000000, 0x0000000F, 0x00008604 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000007, 0x00000048, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x000602E7, 0x00002B00, 0x00002B00, 0x00000000 } },
    { 0x0000000D, 1, { 0x0000001F, 0x00002A80, 0x0000DD00, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x0000000D, 5, { 0x00000040, 0x00000440, 0x00000000, 0x00000000 } },
    { 0x0000000D, 6, { 0x00000200, 0x00000480, 0x00000000, 0x00000000 } },
    { 0x0000000D, 7, { 0x00000400, 0x00000680, 0x00000000, 0x00000000 } },
    { 0x0000000D, 8, { 0x00000080, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 9, { 0x00000008, 0x00000A80, 0x00000000, 0x00000000 } },
    { 0x0000000D, 10, { 0x00000008, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 11, { 0x00000010, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 12, { 0x00000018, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 14, { 0x00000030, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 15, { 0x00000328, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 17, { 0x00000040, 0x00000AC0, 0x00000002, 0x00000000 } },
    { 0x0000000D, 18, { 0x00002000, 0x00000B00, 0x00000006, 0x00000000 } },
    { 0x0000000F, 0, { 0x00000000, 0x0000015F, 0x00000000, 0x00000002 } },
    { 0x0000000F, 1, { 0x00000008, 0x00016000, 0x0000015F, 0x00000007 } },
    { 0x00000010, 0, { 0x00000000, 0x0000000E, 0x00000000, 0x00000000 } },
    { 0x00000010, 1, { 0x0000000E, 0x00006000, 0x00000004, 0x0000000E } },
    /* no dump has sub-leaf 2: as many bits as the L2 has ways, CDP, as many classes as the L3 */
    { 0x00000010, 2, { 0x0000000F, 0x00000000, 0x00000004, 0x0000000E } },
    /* no dump has sub-leaf 3: maximum delay 90 and linear, as in the worked example of the Xen documentation */
    { 0x00000010, 3, { 0x00000059, 0x00000000, 0x00000004, 0x0000000E } },
    { 0x00000014, 0, { 0x00000001, 0x0000005F, 0x00000007, 0x00000000 } },
    { 0x00000014, 1, { 0x02490002, 0x003F003F, 0x00000000, 0x00000000 } },
    { 0x00000015, 0, { 0x00000002, 0x000000B0, 0x017D7840, 0x00000000 } },
    { 0x00000016, 0, { 0x00000898, 0x000012C0, 0x00000064, 0x00000000 } },
    { 0x00000018, 0, { 0x00000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x00000018, 1, { 0x00000000, 0x00080001, 0x00000020, 0x00004022 } },
    { 0x00000018, 2, { 0x00000000, 0x00080006, 0x00000004, 0x00004022 } },
    { 0x00000018, 3, { 0x00000000, 0x0010000F, 0x00000001, 0x00004125 } },
    { 0x00000018, 4, { 0x00000000, 0x00040001, 0x00000010, 0x00004024 } },
    { 0x00000018, 5, { 0x00000000, 0x00040006, 0x00000008, 0x00004024 } },
    { 0x00000018, 6, { 0x00000000, 0x00080008, 0x00000001, 0x00004124 } },
    { 0x00000018, 7, { 0x00000000, 0x00080007, 0x00000080, 0x00004043 } },
    { 0x00000018, 8, { 0x00000000, 0x00080009, 0x00000080, 0x00004043 } },
    { 0x0000001B, 0, { 0x00000001, 0x00000001, 0x00000000, 0x00000000 } },
    { 0x0000001C, 0, { 0x4000000B, 0x00000007, 0x00000007, 0x00000000 } },
    { 0x0000001D, 0, { 0x00000001, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x0000001D, 1, { 0x04002000, 0x00080040, 0x00000010, 0x00000000 } },
    { 0x0000001E, 0, { 0x00000000, 0x00004010, 0x00000000, 0x00000000 } },
    { 0x0000001F, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000001F, 1, { 0x00000007, 0x00000048, 0x00000201, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000121, 0x2C100000 } },
    { 0x80000002, 0, { 0x65746E49, 0x2952286C, 0x6F655820, 0x2952286E } },
    { 0x80000003, 0, { 0x2D397720, 0x35373433, 0x00000058, 0x00000000 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x08007040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x0000392E, 0x00000200, 0x00000000, 0x00000000 } },
};

#define SAPPHIRE_RAPIDS                                                                                                \
    .packages = 2, .cores = 2, .threads = 2, .tsc_hz = UINT64_C(2200000000), .times = &times_spr,                      \
    .microcode = 0x2B0000C0, .leaves = leaves, .n_leaves = sizeof leaves / sizeof leaves[0], .max_clusters = 4,        \
    .package_channels = 8, .l3_slices = 44, .l3_ways = 15, .l3_sets = 2048, .l3_hash = PROFILE_E5_HASH, .rdt = true,   \
    .qm_rmid_bits = 10, .mbm_starts_near_wrap = true, .mba_config = true, .rmid_snc_config = true,                     \
    .uclk_hz = UINT64_C(2400000000), .uncore_ratio = true, .residency = RESIDENCY_SERVER, .ppin = true,                \
    .prefetch_control = true, .prefetch_more = 0x20, .full_width_counters = true, .may_have_stlb_qos = true

PROFILE(spr, 70) = {
    .name = "spr",
    .title = "Sapphire Rapids (w9-3475X): CMT, MBM 32 bits, L3 and L2 CAT, CDP, MBA 2.0",
    .uncore = &uncore_spr,
    SAPPHIRE_RAPIDS,
};

/* CPUID as the w9-3475X's: no public dump of a Xeon Max was found, whose signature is the same. */
PROFILE(spr_hbm, 72) = {
    .name = "spr-hbm",
    .title = "Xeon Max: as spr, with monitors of HBM, CXL and MDF",
    .like = "spr",
    .unrecorded = true,
    .uncore = &uncore_spr_hbm,
    .hbm_channels = 16,
    SAPPHIRE_RAPIDS,
};
