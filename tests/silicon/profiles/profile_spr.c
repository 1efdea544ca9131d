/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_spr.c: Sapphire Rapids, L2 masks besides L3 masks, four clusters, uncore units by
 * discovery; Emerald Rapids with the same registers.
 *
 * Topology fields are computed. Microcode revision: that of the dump.
 */
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    /* no dump has sub-leaf 2: as many bits as the L2 has ways, CDP, as many classes as the L3 */
    { 0x10, 2, { 0xF, 0, 0x4, 0xE } },
    /* no dump has sub-leaf 3: maximum delay 90 and linear, as in the worked example of the Xen documentation */
    { 0x10, 3, { 0x59, 0, 0x4, 0xE } },
};

#define RAPIDS                                                                                                         \
    PROFILE_SERVER_RDT, .packages = 2, .cores = 2, .threads = 2, .times = &times_spr, .package_channels = 8,           \
                        .l3_hash = PROFILE_E5_HASH, .mba_config = true, .rmid_snc_config = true,                       \
                        .uclk_hz = UINT64_C(2400000000), .prefetch_more = 0x30, PROFILE_LLC_OF_P_CORES,                \
                        .may_have_stlb_qos = true

/* w9-3475X: 44 slices, 82.5 MB L3, 352 RMIDs in a field of 9 bits, upscaling factor 16000H. */
RECORDING(intel_806f8_sapphire_rapids_2);
static const struct cpuid_table spr_cpuid = CPUID_TABLE(&intel_806f8_sapphire_rapids_2, leaves);
#define SAPPHIRE_RAPIDS                                                                                                \
    RAPIDS, .tsc_hz = UINT64_C(2200000000), .microcode = 0x2B0000C0, .cpuid = &spr_cpuid, .max_clusters = 4,           \
            .l3_slices = 44, .l3_ways = 15, .l3_sets = 2048

PROFILE(spr, 70) = {
    SAPPHIRE_RAPIDS,
    .name = "spr",
    .title = "Sapphire Rapids (w9-3475X): CMT, MBM 32 bits, L3 and L2 CAT, CDP, MBA 2.0",
    .uncore = &uncore_spr,
};

/* CPUID as the w9-3475X's: no public dump of a Xeon Max was found, whose signature is the same. */
PROFILE(spr_hbm, 72) = {
    SAPPHIRE_RAPIDS,      .name = "spr-hbm",  .title = "Xeon Max: as spr, with monitors of HBM, CXL and MDF",
    .like = &profile_spr, .unrecorded = true, .uncore = &uncore_spr_hbm,
    .hbm_channels = 16,
};

/* Platinum 8570: 60 slices of 5 MB, 300 MB L3 of 20 ways, 480 RMIDs in a field of 9 bits, upscaling factor 1E000H. Two
 * nodes a package at most: it has two dies. */
RECORDING(intel_c06f2_emerald_rapids_3);
static const struct cpuid_table emr_cpuid = CPUID_TABLE(&intel_c06f2_emerald_rapids_3, leaves);

PROFILE(emr, 71) = {
    RAPIDS,
    .name = "emr",
    .title = "Emerald Rapids (Platinum 8570): as spr, with 20 mask bits",
    .like = &profile_spr,
    .tsc_hz = UINT64_C(2100000000),
    .microcode = 0x21000283,
    .cpuid = &emr_cpuid,
    .max_clusters = 2,
    .l3_slices = 60,
    .l3_ways = 20,
    .l3_sets = 4096,
    .uncore = &uncore_emr,
};
