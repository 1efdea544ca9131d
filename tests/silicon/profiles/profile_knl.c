/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_knl.c: Knights Landing, Xeon Phi 7210. No L3, no RDT; memory of two kinds.
 *
 * CPUID: InstLatx64 dump GenuineIntel0050671_KnightsLanding, as recorded (64 cores, four threads each). Topology fields are
 * computed, and a core of the model has two threads at most. Microcode revision: an assumption.
 *
 * Two cores of a tile share 1 MiB of L2 on the part; here each core has 1 MiB of its own. What misses it is looked up in the
 * tag directory of one of 38 CHAs (Linux: 38 boxes), comes from another core or from memory, and what an L2 gives up goes to
 * memory. Assumptions: the size of the directory, beyond what the L2s of a machine hold; 1.6 GHz of the mesh; that MSR 1A4H has
 * all four bits. The counter of core C6 is at 3FFH here (Linux cstate.c) and left out.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x0000000D, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x00050671, 0x00FF0800, 0x7FF8F39F, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x6C6B6A01, 0x00FF616D, 0x00000000, 0x00000000 } },
    { 0x00000004, 0, { 0xFC00C121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0xFC00C122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 2, { 0xFC01C143, 0x03C0003F, 0x000003FF, 0x00000013 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00000110 } },
    { 0x00000006, 0, { 0x00000077, 0x00000002, 0x00000009, 0x00000000 } },
    { 0x00000007, 0, { 0x00000000, 0x1C0D23AB, 0x00000001, 0x04000000 } },
    { 0x0000000A, 0, { 0x07280203, 0x00000000, 0x00000000, 0x00000503 } },
    { 0x0000000B, 0, { 0x00000002, 0x00000004, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000009, 0x00000100, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x000000E7, 0x00000A80, 0x00000A80, 0x00000000 } },
    { 0x0000000D, 1, { 0x00000001, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x0000000D, 5, { 0x00000040, 0x00000440, 0x00000000, 0x00000000 } },
    { 0x0000000D, 6, { 0x00000200, 0x00000480, 0x00000000, 0x00000000 } },
    { 0x0000000D, 7, { 0x00000400, 0x00000680, 0x00000000, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000121, 0x2C100000 } },
    { 0x80000002, 0, { 0x65746E49, 0x2952286C, 0x6F655820, 0x6850206E } },
    { 0x80000003, 0, { 0x4D542869, 0x50432029, 0x32372055, 0x40203031 } },
    { 0x80000004, 0, { 0x332E3120, 0x7A484730, 0x00000000, 0x00000000 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x04008040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x0000302E, 0x00000000, 0x00000000, 0x00000000 } },
};

PROFILE(knl, 38) = {
    .name = "knl",
    .title = "Knights Landing (Xeon Phi 7210): no L3, no RDT, monitors of MCDRAM and of memory by clock",
    .like = "hsx",
    .packages = 1,
    .one_socket = true,
    .cores = 4,
    .threads = 2,
    .tsc_hz = UINT64_C(1300000000),
    .times = &times_knl,
    .microcode = 0x000001B0,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .package_channels = 6,
    .l3_slices = 38,
    .l3_sets = 2048,
    .uncore = &uncore_knl,
    .uclk_hz = UINT64_C(1600000000),
    .residency = RESIDENCY_PC2 | RESIDENCY_PC3 | RESIDENCY_PC6,
    .ppin = true,
    .prefetch_control = true,
};
