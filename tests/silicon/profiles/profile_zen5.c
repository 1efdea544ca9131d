/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_zen5.c: Zen 5 server, AMD PQoS with configurable events and assignable counters.
 *
 * CPUID: InstLatx64 dump AuthenticAMD0B10F10_K20_TurinD_03 (EPYC 9965, 32 MB L3 for each core complex, 4096 RMIDs,
 * counts of 64 bytes, 44 bits), as recorded up to leaf 80000026H but for what the rows say. Topology fields are
 * computed. Patch level: that of the dump.
 *
 * Two cores share an L3, so that a small machine has more than one L3 a package (the EPYC 9175F has one core to each).
 * The slice function is not published, so that of the E5 family serves. Monitors outside of the cores: those of Zen 4,
 * since public sources list the same events for both. Every processor has an IA32_QM_EVTSEL of its own: APM vol.
 * 2 19.3.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x00000010, 0x68747541, 0x444D4163, 0x69746E65 } },
    { 0x00000001, 0, { 0x00B10F10, 0x00C00800, 0x7EFA320B, 0x178BFBFF } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x00000021 } },
    { 0x00000006, 0, { 0x00000004, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x00000007, 0, { 0x00000001, 0xF1BF97AB, 0x19415FCE, 0x10000110 } },
    { 0x00000007, 1, { 0x00000030, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x0000000B, 0, { 0x00000000, 0x00000001, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000008, 0x000000C0, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x000002E7, 0x00000980, 0x00000988, 0x00000000 } },
    { 0x0000000D, 1, { 0x0000000F, 0x00000990, 0x00001800, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x0000000D, 5, { 0x00000040, 0x00000340, 0x00000000, 0x00000000 } },
    { 0x0000000D, 6, { 0x00000200, 0x00000380, 0x00000000, 0x00000000 } },
    { 0x0000000D, 7, { 0x00000400, 0x00000580, 0x00000000, 0x00000000 } },
    { 0x0000000D, 9, { 0x00000008, 0x00000980, 0x00000000, 0x00000000 } },
    { 0x0000000D, 11, { 0x00000010, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 12, { 0x00000018, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000F, 0, { 0x00000000, 0x00000FFF, 0x00000000, 0x00000002 } },
    { 0x0000000F, 1, { 0x00000014, 0x00000040, 0x00000FFF, 0x00000007 } },
    { 0x00000010, 0, { 0x00000000, 0x00000002, 0x00000000, 0x00000000 } },
    { 0x00000010, 1, { 0x0000000F, 0x00000000, 0x00000004, 0x0000000F } },
    { 0x80000000, 0, { 0x80000026, 0x68747541, 0x444D4163, 0x69746E65 } },
    { 0x80000001, 0, { 0x00B10F10, 0x40000000, 0x75C237FF, 0x2FD3FBFF } },
    { 0x80000002, 0, { 0x20444D41, 0x43595045, 0x36393920, 0x39312035 } },
    { 0x80000003, 0, { 0x6F432D32, 0x50206572, 0x65636F72, 0x726F7373 } },
    { 0x80000004, 0, { 0x20202020, 0x20202020, 0x20202020, 0x00202020 } },
    { 0x80000005, 0, { 0xFF60FF40, 0xFF60FF40, 0x300C0140, 0x20080140 } },
    { 0x80000006, 0, { 0x40802040, 0x60804040, 0x04008140, 0x0C009140 } },
    { 0x80000007, 0, { 0x00000000, 0x0000003B, 0x00000000, 0x00006799 } },
    { 0x80000008, 0, { 0x00003934, 0x79BEF25F, 0x000080BF, 0x00010007 } },
    { 0x8000000A, 0, { 0x00000001, 0x00008000, 0x00000040, 0xFFBFBDFF } },
    { 0x80000019, 0, { 0xF060F040, 0x40200000, 0x00000000, 0x00000000 } },
    { 0x8000001A, 0, { 0x0000000A, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x8000001B, 0, { 0x00081BFF, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x8000001D, 0, { 0x00000121, 0x02C0003F, 0x0000003F, 0x00000000 } },
    { 0x8000001D, 1, { 0x00000122, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x8000001D, 2, { 0x00000143, 0x03C0003F, 0x000003FF, 0x00000002 } },
    { 0x8000001D, 3, { 0x0003C163, 0x03C0003F, 0x00007FFF, 0x00000001 } },
    { 0x8000001F, 0, { 0xCFFFFFFB, 0x000041B3, 0x000003EE, 0x00000001 } },
    /* less range reservation, of which no register is documented */
    { 0x80000020, 0, { 0x00000000, 0x0000006E, 0x00000000, 0x00000000 } },
    { 0x80000020, 1, { 0x0000000C, 0x00000000, 0x00000000, 0x0000000F } },
    { 0x80000020, 2, { 0x0000000C, 0x00000000, 0x00000000, 0x0000000F } },
    { 0x80000020, 3, { 0x00000000, 0x00000002, 0x0000007F, 0x00000000 } },
    /* counters follow RMIDs; that they can follow classes as well (ECX[0]) is left out */
    { 0x80000020, 5, { 0x00000014, 0x0000001F, 0x00000000, 0x00000000 } },
    { 0x80000021, 0, { 0xD93FFFCF, 0x00080382, 0x00000000, 0x00000000 } },
    { 0x80000022, 0, { 0x00000007, 0x00304106, 0x00000FFF, 0x00000000 } },
    { 0x80000023, 0, { 0x00000001, 0x0000003F, 0x00000000, 0x00000000 } },
    { 0x80000025, 0, { 0x00000AA4, 0x00000410, 0x00000000, 0x00000000 } },
};

PROFILE(zen5, 120) = {
    .name = "zen5",
    .title = "Zen 5 (EPYC 9965): AMD PQoS with assignable counters, two cores an L3",
    .packages = 2,
    .cores = 4,
    .threads = 2,
    .tsc_hz = UINT64_C(2250000000),
    .times = &times_zen5,
    .microcode = 0x0B101021,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .max_clusters = 4,
    .package_channels = 12,
    .cores_per_l3 = 2,
    .l3_slices = 8,
    .l3_ways = 16,
    .l3_sets = 4096,
    .l3_hash = PROFILE_E5_HASH,
    .amd = true,
    .rdt = true,
    .qm_illegal_rmid_faults = true,
    .qm_rmid_bits = 12,
    .qm_private = true,
    .mbm_counts_nt_stores = true,
    .uncore = &uncore_zen4,
};
