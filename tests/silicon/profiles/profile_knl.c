/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_knl.c: Knights Landing, Xeon Phi 7210. No L3, no RDT; memory of two kinds.
 *
 * 64 cores, four threads each; a core of the model has two threads at most. Topology fields are computed. Microcode
 * revision: an assumption.
 *
 * Two cores of a tile share 1 MiB of L2 on the part; here each core has 1 MiB of its own. What misses it is looked up
 * in the tag directory of one of 38 CHAs (Linux: 38 boxes), comes from another core or from memory, and what an L2
 * gives up goes to memory. Assumptions: the size of the directory, beyond what the L2s of a machine hold; 1.6 GHz of
 * the mesh; that MSR 1A4H has all four bits. The counter of core C6 is at 3FFH here (Linux cstate.c) and left out.
 */
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/uncore/uncore.h"

RECORDING(intel_50671_knights_landing);
extern const struct profile profile_hsx;

PROFILE(knl, 38) = {
    .name = "knl",
    .title = "Knights Landing (Xeon Phi 7210): no L3, no RDT, monitors of MCDRAM and of memory by clock",
    .like = &profile_hsx,
    .packages = 1,
    .one_socket = true,
    .cores = 4,
    .threads = 2,
    .tsc_hz = UINT64_C(1300000000),
    .times = &times_knl,
    .microcode = 0x000001B0,
    .cpuid = &intel_50671_knights_landing,
    .package_channels = 6,
    .l3_slices = 38,
    .l3_sets = 2048,
    .uncore = &uncore_knl,
    .uclk_hz = UINT64_C(1600000000),
    .residency = RESIDENCY_PC2 | RESIDENCY_PC3 | RESIDENCY_PC6,
    .ppin = true,
    .prefetch_control = true,
};
