/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_client.c: both RDT bits of leaf 7 over leaves 0FH and 10H that are all zero.
 *
 * CPUID: InstLatx64 dump GenuineIntel00606C1_ICX_01v (a guest on a Xeon D-1718T whose hypervisor filters the leaves),
 * as recorded but for the hypervisor's own bit and leaves, which are gone. Topology fields are computed. None of the
 * RDT registers exist. Microcode revision: that of the dump. The recorded L3 has 10 MB in 20 ways; four slices serve.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x0000001B, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x000606C1, 0x00200800, 0x7FFAF387, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x00FEFF01, 0x000000F0, 0x00000000, 0x00000000 } },
    { 0x00000004, 0, { 0x3C004121, 0x02C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0x3C004122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 2, { 0x3C004143, 0x04C0003F, 0x000003FF, 0x00000000 } },
    { 0x00000004, 3, { 0x3C07C163, 0x04C0003F, 0x00001FFF, 0x00000000 } },
    { 0x00000006, 0, { 0x00000073, 0x00000002, 0x00000009, 0x00000000 } },
    { 0x00000007, 0, { 0x00000000, 0xF3BFBFB9, 0x00415F46, 0xBC000410 } },
    { 0x0000000A, 0, { 0x08300805, 0x00000000, 0x0000000F, 0x00008604 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000005, 0x00000008, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x000000E7, 0x00000A80, 0x00000A80, 0x00000000 } },
    { 0x0000000D, 1, { 0x0000000F, 0x00000980, 0x00000000, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x0000000D, 5, { 0x00000040, 0x00000440, 0x00000000, 0x00000000 } },
    { 0x0000000D, 6, { 0x00000200, 0x00000480, 0x00000000, 0x00000000 } },
    { 0x0000000D, 7, { 0x00000400, 0x00000680, 0x00000000, 0x00000000 } },
    { 0x00000014, 0, { 0x00000001, 0x0000000F, 0x00000007, 0x00000000 } },
    { 0x00000014, 1, { 0x02490002, 0x003F1FFF, 0x00000000, 0x00000000 } },
    { 0x00000015, 0, { 0x00000002, 0x000000D0, 0x017D7840, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000121, 0x2C100800 } },
    { 0x80000002, 0, { 0x65746E49, 0x2952286C, 0x6F655820, 0x2952286E } },
    { 0x80000003, 0, { 0x312D4420, 0x54383137, 0x55504320, 0x32204020 } },
    { 0x80000004, 0, { 0x4730362E, 0x00007A48, 0x00000000, 0x00000000 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x01006040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x0000392E, 0x00000000, 0x00000000, 0x00000000 } },
};

PROFILE(client, 200) = {
    .name = "client",
    .title = "RDT bits with nothing behind them (Xeon D-1718T as a hypervisor shows it)",
    .packages = 2,
    .cores = 2,
    .threads = 2,
    .tsc_hz = UINT64_C(2600000000),
    .times = &times_client,
    .microcode = 0x01000150,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .l3_slices = 4,
    .l3_ways = 20,
    .l3_sets = 2048,
    .l3_hash = PROFILE_E5_HASH,
    .prefetch_control = true,
    .full_width_counters = true,
};
