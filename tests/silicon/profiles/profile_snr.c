/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_snr.c: Snow Ridge (Atom P5900): Tremont cores that share an L2 by four, a mesh with six
 * slices, monitors as Ice Lake-SP's without its global control. No RDT: no public source was found that says what this part
 * enumerates.
 *
 * CPUID: composed, since no public dump of this model was found: InstLatx64 dump GenuineIntel0090661_ElkhartLake, the same cores,
 * with the signature that Linux' intel-family.h has for this part (80665H), the name, 2.2 GHz, 24 cores and 27 MB of L2 of
 * the P5962B by its product page, L2 CAT (leaf 10H, and its bit of leaf 7) taken out. Slices of 2.5 MB and 20 ways, and the microcode revision,
 * are assumptions. Topology fields are computed. Machines of two packages are made for tests alone: it has no links.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x0000001B, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x00080665, 0x00800800, 0x4FF8EBBF, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x00FEFF01, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x00000004, 0, { 0xFC000121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0xFC000122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 2, { 0xFC01C143, 0x0440003F, 0x00000FFF, 0x00000000 } },
    { 0x00000004, 3, { 0xFC1FC163, 0x04C0003F, 0x00002FFF, 0x00000004 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x11122020 } },
    { 0x00000006, 0, { 0x00000077, 0x00000002, 0x00000009, 0x00000000 } },
    { 0x00000007, 0, { 0x00000000, 0x239422C3, 0x18400124, 0xFC000400 } },
    { 0x0000000A, 0, { 0x07300405, 0x00000000, 0x00000007, 0x00008603 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000001, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000007, 0x00000018, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x00000003, 0x00000240, 0x00000240, 0x00000000 } },
    { 0x0000000D, 1, { 0x0000000F, 0x000002C0, 0x00000100, 0x00000000 } },
    { 0x00000014, 0, { 0x00000001, 0x0000007F, 0x80000007, 0x00000000 } },
    { 0x00000015, 0, { 0x00000002, 0x000000B0, 0x017D7840, 0x00000000 } },
    { 0x00000016, 0, { 0x00000898, 0x00000898, 0x00000064, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000101, 0x28100800 } },
    { 0x80000002, 0, { 0x65746E49, 0x7441206C, 0x52286D6F, 0x35502029 } },
    { 0x80000003, 0, { 0x42323639, 0x6F725020, 0x73736563, 0x4020726F } },
    { 0x80000004, 0, { 0x322E3220, 0x7A484730, 0x00000000, 0x00000000 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x06006040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x00003027, 0x00000000, 0x00000000, 0x00000000 } },
};

PROFILE(snr, 62) = {
    .name = "snr",
    .title = "Snow Ridge (Atom P5962B): E-cores, one memory controller, no RDT and no global control of the monitors",
    .like = "icx",
    .packages = 1,
    .cores = 4,
    .threads = 1,
    .tsc_hz = UINT64_C(2200000000),
    .times = &times_icx,
    .microcode = 0x4C000020,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .unrecorded = true,
    .package_channels = 2,
    .l3_slices = 6,
    .l3_ways = 20,
    .l3_sets = 2048,
    .uncore = &uncore_snr,
    .uclk_hz = UINT64_C(2000000000),
    .uncore_ratio = true,
    .residency = RESIDENCY_SERVER,
    .ppin = true,
    .prefetch_control = true,
    .full_width_counters = true,
};
