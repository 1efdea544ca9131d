/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_hsx.c: Haswell-EP, E5 v3. CMT without MBM; way masks that CPUID does not enumerate.
 *
 * CPUID: InstLatx64 dump GenuineIntel00306F2_HaswellEP2 (two packages, 10 slices, 25 MB L3, 40 RMIDs, upscaling factor
 * A000H), as recorded but for the brand string: way masks exist on a few models only, of which the E5-2628L v3 has the
 * same 10 cores and 25 MB (Linux resctrl/core.c, cache_alloc_hsw_probe(), and intel-cmt-cat list them). Topology fields
 * are computed. Microcode revision: that of the dump.
 *
 * What the probe finds, by the same sources: 20 mask bits, 4 classes, two bits at least in a mask.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x0000000F, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x000306F2, 0x00200800, 0x7FFEFBFF, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x76036301, 0x00F0B5FF, 0x00000000, 0x00C10000 } },
    { 0x00000004, 0, { 0x3C004121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0x3C004122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 2, { 0x3C004143, 0x01C0003F, 0x000001FF, 0x00000000 } },
    { 0x00000004, 3, { 0x3C07C163, 0x04C0003F, 0x00004FFF, 0x00000006 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00002120 } },
    { 0x00000006, 0, { 0x00000075, 0x00000002, 0x00000009, 0x00000000 } },
    { 0x00000007, 0, { 0x00000000, 0x000037AB, 0x00000000, 0x00000000 } },
    { 0x00000009, 0, { 0x00000001, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x0000000A, 0, { 0x07300403, 0x00000000, 0x00000000, 0x00000603 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000005, 0x00000014, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x00000007, 0x00000340, 0x00000340, 0x00000000 } },
    { 0x0000000D, 1, { 0x00000001, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x0000000F, 0, { 0x00000000, 0x00000027, 0x00000000, 0x00000002 } },
    { 0x0000000F, 1, { 0x00000000, 0x0000A000, 0x00000027, 0x00000001 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000021, 0x2C100000 } },
    /* "Intel(R) Xeon(R) CPU E5-2628L v3 @ 2.00GHz" */
    { 0x80000002, 0, { 0x65746E49, 0x2952286C, 0x6F655820, 0x2952286E } },
    { 0x80000003, 0, { 0x55504320, 0x2D354520, 0x38323632, 0x3376204C } },
    { 0x80000004, 0, { 0x32204020, 0x4730302E, 0x00007A48, 0x00000000 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x01006040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x0000302E, 0x00000000, 0x00000000, 0x00000000 } },
};

PROFILE(hsx, 30) = {
    .name = "hsx",
    .title = "Haswell-EP (E5 v3): CMT, way masks by probe, U-box",
    .packages = 2,
    .cores = 2,
    .threads = 2,
    .tsc_hz = UINT64_C(2000000000),
    .times = &times_hsx,
    .microcode = 0x00000027,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .max_clusters = 2, /* cluster on die */
    .package_channels = 4,
    .l3_slices = 10,
    .l3_ways = 20,
    .l3_sets = 2048,
    .l3_hash = PROFILE_E5_HASH,
    .l3_inclusive = true,
    .rdt = true,
    .qm_rmid_bits = 10,
    .cat_by_probe = 20,
    .mask_least_bits = 2,
    .uncore = &uncore_hsx,
    .uclk_hz = UINT64_C(2200000000),
    .uncore_ratio = true,
    .residency = RESIDENCY_E5,
    .ppin = true,
    .prefetch_control = true,
    .full_width_counters = true,
};
