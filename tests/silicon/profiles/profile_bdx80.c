/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_bdx80.c: Broadwell-EP with 10 slices: 80 RMIDs in a field of 7 bits, and erratum BDF102.
 *
 * CPUID: InstLatx64 dump GenuineIntel00406F1_BroadwellE_CPUID5 (25 MB L3, upscaling factor A000H), as recorded but for
 * the brand string: the dump's part is the single-socket sibling of the E5-2640 v4. Topology fields are computed.
 * Microcode revision: that of the dump.
 *
 * BDF102: bandwidth of RMIDs above a threshold is counted too low; Linux (resctrl/monitor.c, mbm_cf_table) multiplies
 * by 1.066553 above RMID 63 on a part of 10 slices.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x00000014, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x000406F1, 0x00200800, 0x7FFEFBBF, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x76036301, 0x00F0B5FF, 0x00000000, 0x00C30000 } },
    { 0x00000004, 0, { 0x3C004121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0x3C004122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 2, { 0x3C004143, 0x01C0003F, 0x000001FF, 0x00000000 } },
    { 0x00000004, 3, { 0x3C07C163, 0x04C0003F, 0x00004FFF, 0x00000006 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00002120 } },
    { 0x00000006, 0, { 0x00000077, 0x00000002, 0x00000009, 0x00000000 } },
    { 0x00000007, 0, { 0x00000000, 0x021CBFBB, 0x00000000, 0x00000000 } },
    { 0x00000009, 0, { 0x00000001, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x0000000A, 0, { 0x07300403, 0x00000000, 0x00000000, 0x00000603 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000005, 0x00000014, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x00000007, 0x00000340, 0x00000340, 0x00000000 } },
    { 0x0000000D, 1, { 0x00000001, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x0000000F, 0, { 0x00000000, 0x0000004F, 0x00000000, 0x00000002 } },
    { 0x0000000F, 1, { 0x00000000, 0x0000A000, 0x0000004F, 0x00000007 } },
    { 0x00000010, 0, { 0x00000000, 0x00000002, 0x00000000, 0x00000000 } },
    { 0x00000010, 1, { 0x00000013, 0x000C0000, 0x00000004, 0x0000000F } },
    { 0x00000014, 0, { 0x00000000, 0x00000001, 0x00000001, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000121, 0x2C100000 } },
    /* "Intel(R) Xeon(R) CPU E5-2640 v4 @ 2.40GHz" */
    { 0x80000002, 0, { 0x65746E49, 0x2952286C, 0x6F655820, 0x2952286E } },
    { 0x80000003, 0, { 0x55504320, 0x2D354520, 0x30343632, 0x20347620 } },
    { 0x80000004, 0, { 0x2E322040, 0x48473034, 0x0000007A, 0x00000000 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x01006040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x0000302E, 0x00000000, 0x00000000, 0x00000000 } },
};

PROFILE(bdx_80, 42) = {
    .name = "bdx-80",
    .title = "Broadwell-EP (E5 v4), 10 slices: 80 RMIDs, erratum BDF102",
    .packages = 2,
    .cores = 2,
    .threads = 2,
    .tsc_hz = UINT64_C(2400000000),
    .times = &times_bdx,
    .microcode = 0x0B000019,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .l3_slices = 10,
    .l3_ways = 20,
    .l3_sets = 2048,
    .l3_hash = PROFILE_E5_HASH,
    .l3_inclusive = true,
    .rdt = true,
    .qm_rmid_bits = 10,
    .mbm_starts_near_wrap = true,
    .mbm_errata = true,
    .uncore = &uncore_bdx,
    .uclk_hz = UINT64_C(2400000000),
    .uncore_ratio = true,
    .residency = RESIDENCY_E5,
    .ppin = true,
    .prefetch_control = true,
    .full_width_counters = true,
};
