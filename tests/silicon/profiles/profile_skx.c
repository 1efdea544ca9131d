/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_skx.c: Skylake-SP, with MBA, a non-inclusive L3 and erratum SKX99, and Cascade Lake,
 * its successor in the same socket with the same RDT and monitors.
 *
 * SKX99: bandwidth of RMIDs above a threshold is counted wrong; Linux (resctrl/monitor.c, mbm_cf_table) corrects model
 * 55H whatever its stepping, and multiplies by 0.969744 above RMID 127 on a part of 24 slices, by 1.230921 above RMID
 * 191 on a part of 26. Mask bits of the contention map (600H) move together: a maintainer's answer in intel-cmt-cat
 * issue 135.
 *
 * Topology fields are computed. Microcode revision: that of the dump.
 */
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/uncore/uncore.h"

#define SKYLAKE                                                                                                        \
    PROFILE_SERVER_RDT, .threads = 2, .times = &times_skx, .max_clusters = 2, .package_channels = 6, .l3_ways = 11,    \
                        .l3_sets = 2048, .l3_hash = PROFILE_E5_HASH, .mbm_errata = true, .mask_group_moves = true,     \
                        .uclk_hz = UINT64_C(2400000000)

/* Two Platinum 8160: 24 slices, 33 MB L3, 192 RMIDs, upscaling factor 18000H. */
RECORDING(intel_50654_skylake_xeon_1);
static const struct profile_leaf leaves[] = {
    /* no dump has sub-leaf 3: maximum delay 90 and linear, as in the worked example of the Xen documentation; 8 classes
     */
    { 0x10, 3, { 0x59, 0, 0x4, 0x7 } },
};
static const struct cpuid_table skx_cpuid = CPUID_TABLE(&intel_50654_skylake_xeon_1, leaves);

PROFILE(skx, 50) = {
    SKYLAKE,
    .name = "skx",
    .title = "Skylake-SP (Platinum 8160): CMT, MBM, CAT, CDP, MBA",
    .packages = 2,
    .cores = 2,
    .tsc_hz = UINT64_C(2100000000),
    .microcode = 0x02006A08,
    .cpuid = &skx_cpuid,
    .l3_slices = 24,
    .uncore = &uncore_skx,
};

/* Gold 6212U: 26 slices, 35.75 MB L3, 208 RMIDs, upscaling factor 1A000H. That part works alone in a machine; others of
 * its stepping by two, four and eight. */
RECORDING(intel_50657_cascade_lake_sp_3);
static const struct cpuid_table clx_cpuid = CPUID_TABLE(&intel_50657_cascade_lake_sp_3, leaves);
#define CASCADE_LAKE SKYLAKE, .microcode = 0x0500001C, .l3_slices = 26, .uncore = &uncore_clx

PROFILE(clx, 51) = {
    CASCADE_LAKE,
    .name = "clx",
    .title = "Cascade Lake-SP (Gold 6212U): as skx, with 26 slices",
    .like = &profile_skx,
    .packages = 2,
    .cores = 2,
    .tsc_hz = UINT64_C(2400000000),
    .cpuid = &clx_cpuid,
};

/* Cascade Lake-AP, two dies of Cascade Lake-SP in a package. No public dump of it was found: the Gold 6212U's with the
 * name and frequency of the Platinum 9242 by its product page, and with leaf 1FH, whose die level this part brought
 * (Linux commit 7745f03eb395). Slices and RMIDs of a die: the Gold 6212U's.
 *
 * Each die is a NUMA node with an L3, six channels, MSRs and PCI functions of its own (Linux uncore_snbep.c:
 * snbep_pci2phy_map_init() with uncore_max_dies()), and a package to the model: --packages counts dies. */
static const struct profile_leaf ap_leaves[] = {
    { 0x0, 0, { 0x1F, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x15, 0, { 0x2, 0xB8, 0, 0 } },
    { 0x16, 0, { 0x8FC, 0xED8, 0x64, 0 } },
};
static const struct cpuid_table ap_cpuid = CPUID_TABLE(&clx_cpuid, ap_leaves);

PROFILE(clx_ap, 52) = {
    CASCADE_LAKE,
    .name = "clx-ap",
    .title = "Cascade Lake-AP (Platinum 9242): as clx, with two dies a package",
    .like = &profile_clx,
    .packages = 4,
    .dies = 2,
    .cores = 2,
    .tsc_hz = UINT64_C(2300000000),
    .cpuid = &ap_cpuid,
    .brand = "Intel(R) Xeon(R) Platinum 9242 CPU @ 2.30GHz",
};
