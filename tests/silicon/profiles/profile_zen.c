/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_zen.c: servers of Zen to Zen 5: several L3 in a package, each a domain of its own.
 *
 * Topology fields are computed. Patch level: that of the dump. Two cores share an L3, as on the EPYC 73F3, so that a
 * small machine has more than one L3 a package (the EPYC 9175F has one core to each). The slice function is not
 * published, so that of the E5 family serves.
 */
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/uncore/uncore.h"

#define ZEN                                                                                                            \
    .amd = true, .packages = 2, .cores = 4, .threads = 2, .max_clusters = 4, .cores_per_l3 = 2, .l3_ways = 16,         \
    .l3_hash = PROFILE_E5_HASH
/* #GP where an RMID is above the maximum; 8 mask registers a class. */
#define ZEN_PQOS ZEN, .l3_sets = 4096, .rdt = true, .qm_illegal_rmid_faults = true, .qm_rmid_bits = 12
/* Their 0FH.1:EAX is 0; APM vol. 2 table 19-7 gives the width: 62 bits of V1.0, 44 of V2.0. */
#define ZEN_2 ZEN_PQOS, .times = &times_zen3, .package_channels = 8
/* Every processor has an IA32_QM_EVTSEL of its own: APM vol. 2 19.3. */
#define ZEN_4                                                                                                          \
    ZEN_PQOS, .times = &times_zen5, .package_channels = 12, .l3_slices = 8, .qm_private = true,                        \
              .mbm_counts_nt_stores = true, .uncore = &uncore_zen4

/* Zen: no RDT; each die is a node with two channels and a data fabric of its own. EPYC 7401P, 8 MB L3 for each core
 * complex. One die a package; --clusters 4 is a package of the 7401P. */
RECORDING(amd_800f12_zen_2);
static const struct profile_leaf zen1_leaves[] = {
    /* the dump is a guest's: the bits of the counters (ECX 22, 23, 24, 28) are as AMD's PPR 54945 (family 17H models
     * 00H to 0FH) has them */
    { 0x80000001, 0, { 0x00800F12, 0x40000000, 0x11C023F3, 0x2FD3FBFF } },
};
static const struct cpuid_table zen1_cpuid = CPUID_TABLE(&amd_800f12_zen_2, zen1_leaves);

PROFILE(zen1, 102) = {
    ZEN,
    .name = "zen1",
    .title = "Zen (EPYC 7401P): no RDT, a data fabric a node",
    .nodes_are_dies = true,
    .tsc_hz = UINT64_C(2000000000),
    .times = &times_zen3,
    .microcode = 0x08001207,
    .cpuid = &zen1_cpuid,
    .channels = 2,
    .l3_slices = 4,
    .l3_sets = 2048,
    .uncore = &uncore_zen1,
};

static const struct profile_leaf bandwidth_leaves[] = {
    /* not in the dumps, as later parts of family 19H show it: length of the bandwidth field, highest class */
    { 0x80000020, 1, { 0xB, 0, 0, 0xF } },
};

/* Zen 3, AMD PQoS version 2: EPYC 7763, 32 MB L3 for each core complex, 256 RMIDs, counts of 64 bytes. Bandwidth counts
 * reads and non-temporal writes: APM vol. 2 table 19-8. */
RECORDING(amd_a00f11_milan_1);
static const struct cpuid_table zen3_cpuid = CPUID_TABLE(&amd_a00f11_milan_1, bandwidth_leaves);

PROFILE(zen3, 110) = {
    ZEN_2,
    .name = "zen3",
    .title = "Zen 3 (EPYC 7763): AMD PQoS version 2, two cores an L3",
    .tsc_hz = UINT64_C(2450000000),
    .microcode = 0x0A00111D,
    .cpuid = &zen3_cpuid,
    .l3_slices = 8,
    .mbm_bits = 44,
    .mbm_counts_nt_stores = true,
    .uncore = &uncore_zen3,
};

/* Zen 2: Threadripper PRO 3955WX, the die of EPYC 7002; 16 MB L3 for each core complex, 256 RMIDs, counts of 64 bytes.
 * Bandwidth counts reads alone, as PQoS 1.0 does (APM vol. 2 table 19-8). */
RECORDING(amd_830f10_rome_3);
static const struct cpuid_table zen2_cpuid = CPUID_TABLE(&amd_830f10_rome_3, bandwidth_leaves);

PROFILE(zen2, 106) = {
    ZEN_2,
    .name = "zen2",
    .title = "Zen 2 (Threadripper PRO 3955WX, Rome): AMD PQoS, two cores an L3",
    .like = &profile_zen3,
    .tsc_hz = UINT64_C(3900000000),
    .microcode = 0x08301039,
    .cpuid = &zen2_cpuid,
    .l3_slices = 4,
    .mbm_bits = 62,
    .uncore = &uncore_zen2,
};

/* Zen 5, configurable events and assignable counters: EPYC 9965, 32 MB L3 for each core complex, 4096 RMIDs, counts of
 * 64 bytes, 44 bits. Monitors outside of the cores: those of Zen 4, since public sources list the same events for both.
 */
RECORDING(amd_b10f10_turin_d);
static const struct profile_leaf zen5_leaves[] = {
    /* up to leaf 80000026H */
    { 0x80000000, 0, { 0x80000026, 0x68747541, 0x444D4163, 0x69746E65 } },
};
static const struct cpuid_table zen5_cpuid = CPUID_TABLE(&amd_b10f10_turin_d, zen5_leaves);

PROFILE(zen5, 120) = {
    ZEN_4,
    .name = "zen5",
    .title = "Zen 5 (EPYC 9965): AMD PQoS with assignable counters, two cores an L3",
    .tsc_hz = UINT64_C(2250000000),
    .microcode = 0x0B101021,
    .cpuid = &zen5_cpuid,
};

/* Zen 4, configurable events, UMC counters by CPUID 80000022H: EPYC 9654, 32 MB L3 for each core complex, 256 RMIDs,
 * counts of 64 bytes. 16 data fabric counters, 4 on each of 12 channels. */
RECORDING(amd_a10f11_genoa_1);

PROFILE(zen4, 115) = {
    ZEN_4,
    .name = "zen4",
    .title = "Zen 4 (EPYC 9654): AMD PQoS with configurable events, two cores an L3",
    .like = &profile_zen5,
    .tsc_hz = UINT64_C(2400000000),
    .microcode = 0x0A101121,
    .cpuid = &amd_a10f11_genoa_1,
};
