/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_bdx.c: Broadwell-EP, E5 v4, with CMT, MBM, CAT and a U-box.
 *
 * CPUID: InstLatx64 dump GenuineIntel00406F1_BroadwellE_01 (8 slices, 20 MB L3, 64 RMIDs, upscaling factor 8000H), as
 * recorded but for the brand string: the dump's part is the single-socket sibling of the E5-2620 v4, whose string
 * stands here, since packages may be two or more. Topology fields are computed (model_cpuid.c).
 * Microcode revision: that of the dump.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x00000014, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x000406F1, 0x00100800, 0x7FFEFBBF, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x76036301, 0x00F0B5FF, 0x00000000, 0x00C30000 } },
    { 0x00000004, 0, { 0x1C004121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0x1C004122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 2, { 0x1C004143, 0x01C0003F, 0x000001FF, 0x00000000 } },
    { 0x00000004, 3, { 0x1C03C163, 0x04C0003F, 0x00003FFF, 0x00000006 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00002120 } },
    { 0x00000006, 0, { 0x00000075, 0x00000002, 0x00000009, 0x00000000 } },
    { 0x00000007, 0, { 0x00000000, 0x021CBFBB, 0x00000000, 0x9C000400 } },
    { 0x00000009, 0, { 0x00000001, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x0000000A, 0, { 0x07300403, 0x00000000, 0x00000000, 0x00000603 } },
    { 0x0000000D, 0, { 0x00000007, 0x00000340, 0x00000340, 0x00000000 } },
    { 0x0000000D, 1, { 0x00000001, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x0000000F, 0, { 0x00000000, 0x0000003F, 0x00000000, 0x00000002 } },
    { 0x0000000F, 1, { 0x00000000, 0x00008000, 0x0000003F, 0x00000007 } },
    { 0x00000010, 0, { 0x00000000, 0x00000002, 0x00000000, 0x00000000 } },
    { 0x00000010, 1, { 0x00000013, 0x000C0000, 0x00000004, 0x0000000F } },
    { 0x00000014, 0, { 0x00000000, 0x00000001, 0x00000001, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000121, 0x2C100800 } },
    /* "Intel(R) Xeon(R) CPU E5-2620 v4 @ 2.10GHz" */
    { 0x80000002, 0, { 0x65746E49, 0x2952286C, 0x6F655820, 0x2952286E } },
    { 0x80000003, 0, { 0x55504320, 0x2D354520, 0x30323632, 0x20347620 } },
    { 0x80000004, 0, { 0x2E322040, 0x48473031, 0x0000007A, 0x00000000 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x01006040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x0000302E, 0x00000000, 0x00000000, 0x00000000 } },
};

/* UCLK 2.2 GHz: the uncore ratio is 22 and does not move. Cluster on die cuts a package into two nodes, each with half of
 * the L3's slices and two of the four channels.
 *
 * Neither non-temporal stores nor write-backs count: no document read says that Intel's total includes them, and the
 * definition (L3 misses of the cores that carry the RMID) covers the lines that come in. */
#define BDX(name_, title_, faults_)                                                                                    \
    {                                                                                                                  \
        .name = name_, .title = title_, .packages = 2, .cores = 2, .threads = 2, .tsc_hz = UINT64_C(2100000000),       \
        .times = &times_bdx, .microcode = 0x0B000038, .leaves = leaves, .n_leaves = sizeof leaves / sizeof leaves[0],  \
        .max_clusters = 2, .package_channels = 4, .l3_slices = 8, .l3_ways = 20, .l3_sets = 2048,                      \
        .l3_hash = PROFILE_E5_HASH, .l3_inclusive = true, .rdt = true, .qm_illegal_rmid_faults = faults_,              \
        .qm_rmid_bits = 10, .mbm_counts_nt_stores = false, .mbm_starts_near_wrap = true, .mbm_errata = true,           \
        .uncore = &uncore_bdx, .uclk_hz = UINT64_C(2200000000), .uncore_ratio = true, .ppin = true,                    \
        .residency = RESIDENCY_E5, .prefetch_control = true, .full_width_counters = true                               \
    }

PROFILE(bdx, 40) = BDX("bdx", "Broadwell-EP (E5 v4): CMT, MBM, CAT, U-box", false);
/* The same part with the other answer that the documents allow: SDM vol. 3B 17.16.8.1 wants #GP where 17.16.7 has the
 * Error bit. */
PROFILE(bdx_gp, 41) = BDX("bdx-gp", "as bdx, but an RMID above the maximum in EVTSEL raises #GP", true);
