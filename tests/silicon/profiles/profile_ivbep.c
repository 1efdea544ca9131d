/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_ivbep.c: Ivy Bridge-EP, the E5-2600 v2 of 329468-002. No RDT; freeze on overflow.
 *
 * CPUID: InstLatx64 dump GenuineIntel00306E4_IvyBridgeEP (E5-2697 v2: 12 cores, 30 MB L3), as transcribed in
 * tests/fixtures/cpuid; leaves that are not there (2, 5, 6, 9, 0AH, 0DH, 80000006H) are Sandy Bridge-EP's. Topology fields
 * are computed. Microcode revision: of Intel's release of 2019.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x0000000D, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x000306E4, 0x00200800, 0x7FBEE3FF, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x76035A01, 0x00F0B2FF, 0x00000000, 0x00CA0000 } },
    { 0x00000004, 0, { 0x3C004121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0x3C004122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 2, { 0x3C004143, 0x01C0003F, 0x000001FF, 0x00000000 } },
    { 0x00000004, 3, { 0x3C07C163, 0x04C0003F, 0x00005FFF, 0x00000006 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00021120 } },
    { 0x00000006, 0, { 0x00000077, 0x00000002, 0x00000009, 0x00000000 } },
    { 0x00000007, 0, { 0x00000000, 0x00000281, 0x00000000, 0x00000000 } },
    { 0x00000009, 0, { 0x00000001, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x0000000A, 0, { 0x07300403, 0x00000000, 0x00000000, 0x00000603 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000005, 0x00000018, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x00000007, 0x00000340, 0x00000340, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000001, 0x2C100000 } },
    { 0x80000002, 0, { 0x20202020, 0x6E492020, 0x286C6574, 0x58202952 } },
    { 0x80000003, 0, { 0x286E6F65, 0x43202952, 0x45205550, 0x36322D35 } },
    { 0x80000004, 0, { 0x76203739, 0x40202032, 0x30372E32, 0x007A4847 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x01006040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x0000302E, 0x00000000, 0x00000000, 0x00000000 } },
};

/* UCLK runs with the cores here, as on Sandy Bridge-EP, whose times are taken. */
PROFILE(ivbep, 31) = {
    .name = "ivbep",
    .title = "Ivy Bridge-EP (E5-2600 v2): uncore of 329468-002, no RDT",
    .packages = 2,
    .cores = 2,
    .threads = 2,
    .tsc_hz = UINT64_C(2700000000),
    .times = &times_snbep,
    .microcode = 0x0000042E,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .l3_slices = 12,
    .l3_ways = 20,
    .l3_sets = 2048,
    .l3_hash = PROFILE_E5_HASH,
    .l3_inclusive = true,
    .uncore = &uncore_ivbep,
    .uclk_hz = UINT64_C(2700000000),
    .residency = RESIDENCY_E5,
    .ppin = true,
    .prefetch_control = true,
    .full_width_counters = true,
};
