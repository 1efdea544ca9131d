/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_snbep.c: Sandy Bridge-EP, the E5-2600 of 327043-001. No RDT; a U-box with 44-bit counters.
 *
 * CPUID: InstLatx64 dump GenuineIntel00206D5_SandyBridgeEP (two packages of 8 cores, 20 MB L3), as recorded. Topology
 * fields are computed. Microcode revision: that of the dump.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x0000000D, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x000206D5, 0x00200800, 0x1FBEE3FF, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x76035A01, 0x00F0B2FF, 0x00000000, 0x00CA0000 } },
    { 0x00000004, 0, { 0x3C004121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0x3C004122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 2, { 0x3C004143, 0x01C0003F, 0x000001FF, 0x00000000 } },
    { 0x00000004, 3, { 0x3C07C163, 0x04C0003F, 0x00003FFF, 0x00000006 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00021120 } },
    { 0x00000006, 0, { 0x00000077, 0x00000002, 0x00000009, 0x00000000 } },
    { 0x00000009, 0, { 0x00000001, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x0000000A, 0, { 0x07300403, 0x00000000, 0x00000000, 0x00000603 } },
    { 0x0000000D, 0, { 0x00000007, 0x00000340, 0x00000340, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000001, 0x2C100000 } },
    { 0x80000002, 0, { 0x20202020, 0x20202020, 0x20202020, 0x20202020 } },
    { 0x80000003, 0, { 0x756E6547, 0x20656E69, 0x65746E49, 0x2952286C } },
    { 0x80000004, 0, { 0x55504320, 0x20402020, 0x30362E32, 0x007A4847 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x01006040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x0000302E, 0x00000000, 0x00000000, 0x00000000 } },
};

/* 327043-001 2.2.3 and table 2-2. The fixed counter has 48 bits by the text of 2.2.2 and by Linux, 44 by table 2-5: the
 * text is followed. No global freeze, no overflow report on this generation; the status register is likwid's. UCLK runs
 * with the cores here. */
PROFILE(snbep, 20) = {
    .name = "snbep",
    .title = "Sandy Bridge-EP (E5-2600): U-box, no RDT",
    .packages = 2,
    .cores = 2,
    .threads = 2,
    .tsc_hz = UINT64_C(2600000000),
    .times = &times_snbep,
    .microcode = 0x0000050B,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .l3_slices = 8,
    .l3_ways = 20,
    .l3_sets = 2048,
    .l3_hash = PROFILE_E5_HASH,
    .l3_inclusive = true,
    .uncore = &uncore_snbep,
    .uclk_hz = UINT64_C(2600000000),
    .residency = RESIDENCY_E5,
    .prefetch_control = true,
    .full_width_counters = true,
};
