/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_icx_d.c: Ice Lake-D (Xeon D-1700): Ice Lake-SP's registers, one memory controller with three channels, no
 * links.
 *
 * CPUID: composed, since no public dump of this model shows RDT: the Platinum 8351N's of profile_icx.c, with signature
 * 606C1H (a dump of a virtual machine on such a part), the name, frequency, 10 slices and 15 MB of the D-1736NT by its
 * product page, and as many RMIDs and bytes a count as 10 slices have on every recorded part: 8 RMIDs a slice, 256
 * bytes an RMID. Microcode revision: assumed. Machines of two packages are made for tests alone: it has no links.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x0000001B, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x000606C1, 0x00800800, 0x7FFEFBFF, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x00FEFF01, 0x000000F0, 0x00000000, 0x00000000 } },
    { 0x00000004, 0, { 0xFC004121, 0x02C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0xFC004122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 2, { 0xFC004143, 0x04C0003F, 0x000003FF, 0x00000000 } },
    { 0x00000004, 3, { 0x3C03C163, 0x02C0003F, 0x00004FFF, 0x00000004 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00001020 } },
    { 0x00000006, 0, { 0x00000077, 0x00000002, 0x00000009, 0x00000000 } },
    { 0x00000007, 0, { 0x00000000, 0xF3BFBFFF, 0x40417F4E, 0xBC040412 } },
    { 0x0000000A, 0, { 0x08300805, 0x00000000, 0x0000000F, 0x00008604 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000007, 0x00000048, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x000002E7, 0x00000A80, 0x00000A88, 0x00000000 } },
    { 0x0000000D, 1, { 0x0000000F, 0x00000A00, 0x00000100, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x0000000D, 5, { 0x00000040, 0x00000440, 0x00000000, 0x00000000 } },
    { 0x0000000D, 6, { 0x00000200, 0x00000480, 0x00000000, 0x00000000 } },
    { 0x0000000D, 7, { 0x00000400, 0x00000680, 0x00000000, 0x00000000 } },
    { 0x0000000D, 8, { 0x00000080, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 9, { 0x00000008, 0x00000A80, 0x00000000, 0x00000000 } },
    { 0x0000000F, 0, { 0x00000000, 0x0000004F, 0x00000000, 0x00000002 } },
    { 0x0000000F, 1, { 0x00000008, 0x00005000, 0x0000004F, 0x00000007 } },
    { 0x00000010, 0, { 0x00000000, 0x0000000A, 0x00000000, 0x00000000 } },
    { 0x00000010, 1, { 0x0000000B, 0x00000C00, 0x00000000, 0x0000000E } },
    /* no dump has sub-leaf 3: maximum delay 90 and linear, as in the worked example of the Xen documentation */
    { 0x00000010, 3, { 0x00000059, 0x00000000, 0x00000004, 0x0000000E } },
    { 0x00000014, 0, { 0x00000001, 0x0000000F, 0x00000007, 0x00000000 } },
    { 0x00000014, 1, { 0x02490002, 0x003F1FFF, 0x00000000, 0x00000000 } },
    { 0x00000015, 0, { 0x00000002, 0x000000D8, 0x00000000, 0x00000000 } },
    { 0x00000016, 0, { 0x00000A8C, 0x00000DAC, 0x00000064, 0x00000000 } },
    { 0x00000018, 0, { 0x00000007, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x00000018, 1, { 0x00000000, 0x00080007, 0x00000001, 0x00004122 } },
    { 0x00000018, 2, { 0x00000000, 0x0010000F, 0x00000001, 0x00004125 } },
    { 0x00000018, 3, { 0x00000000, 0x00040001, 0x00000010, 0x00004024 } },
    { 0x00000018, 4, { 0x00000000, 0x00040006, 0x00000008, 0x00004024 } },
    { 0x00000018, 5, { 0x00000000, 0x00080008, 0x00000001, 0x00004124 } },
    { 0x00000018, 6, { 0x00000000, 0x00080007, 0x00000080, 0x00004043 } },
    { 0x00000018, 7, { 0x00000000, 0x00080009, 0x00000080, 0x00004043 } },
    { 0x0000001B, 0, { 0x00000001, 0x00000001, 0x00000000, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000121, 0x2C100000 } },
    { 0x80000002, 0, { 0x65746E49, 0x2952286C, 0x6F655820, 0x2952286E } },
    { 0x80000003, 0, { 0x312D4420, 0x4E363337, 0x50432054, 0x20402055 } },
    { 0x80000004, 0, { 0x30372E32, 0x007A4847, 0x00000000, 0x00000000 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x01006040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x0000392E, 0x00000200, 0x00000000, 0x00000000 } },
};

PROFILE(icx_d, 61) = {
    .name = "icx-d",
    .title = "Ice Lake-D (Xeon D-1736NT): as icx, with one memory controller of three channels and no links",
    .like = "icx",
    .packages = 1,
    .cores = 4,
    .threads = 2,
    .tsc_hz = UINT64_C(2700000000),
    .times = &times_icx,
    .microcode = 0x01000211,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .unrecorded = true,
    .package_channels = 3,
    .l3_slices = 10,
    .l3_ways = 12,
    .l3_sets = 2048,
    .rdt = true,
    .qm_rmid_bits = 10,
    .mbm_starts_near_wrap = true,
    .mba_config = true,
    .uncore = &uncore_icx_d,
    .uclk_hz = UINT64_C(2200000000),
    .uncore_ratio = true,
    .residency = RESIDENCY_SERVER,
    .ppin = true,
    .prefetch_control = true,
    .full_width_counters = true,
};
