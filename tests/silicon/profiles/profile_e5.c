/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_e5.c: the E5 family, Sandy Bridge-EP to Broadwell-EP, and Xeon D of Broadwell.
 *
 * Topology fields are computed. Microcode revision: that of the dump, but for Ivy Bridge-EP's, which is of Intel's
 * release of 2019.
 */
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/uncore/uncore.h"

#define SLICES                                                                                                         \
    .l3_sets = 2048, .l3_hash = PROFILE_E5_HASH, .l3_inclusive = true, .residency = RESIDENCY_E5,                      \
    .prefetch_control = true, .full_width_counters = true
#define E5      SLICES, .packages = 2, .cores = 2, .threads = 2, .l3_ways = 20
#define HASWELL .rdt = true, .qm_rmid_bits = 10, .uncore_ratio = true, .ppin = true
/* Neither non-temporal stores nor write-backs count: no document read says that Intel's total includes them, and the
 * definition (L3 misses of the cores that carry the RMID) covers the lines that come in. */
#define BROADWELL HASWELL, .times = &times_bdx, .mbm_starts_near_wrap = true

/* The E5-2600 of 327043-001: two packages of 8 cores, 20 MB L3. 327043-001 2.2.3 and table 2-2. The fixed counter has
 * 48 bits by the text of 2.2.2 and by Linux, 44 by table 2-5: the text is followed. No global freeze, no overflow
 * report on this generation; the status register is likwid's. UCLK runs with the cores here. */
RECORDING(intel_206d5_sandy_bridge_ep);

PROFILE(snbep, 20) = {
    E5,
    .name = "snbep",
    .title = "Sandy Bridge-EP (E5-2600): U-box, no RDT",
    .tsc_hz = UINT64_C(2600000000),
    .times = &times_snbep,
    .microcode = 0x0000050B,
    .cpuid = &intel_206d5_sandy_bridge_ep,
    .l3_slices = 8,
    .uncore = &uncore_snbep,
    .uclk_hz = UINT64_C(2600000000),
};

/* The E5-2600 v2 of 329468-002, freeze on overflow: E5-2697 v2, 12 cores, 30 MB L3. UCLK runs with the cores here, as
 * on Sandy Bridge-EP, whose times are taken. */
RECORDING(intel_306e4_ivy_bridge_ep);

PROFILE(ivbep, 31) = {
    E5,
    .name = "ivbep",
    .title = "Ivy Bridge-EP (E5-2600 v2): uncore of 329468-002, no RDT",
    .tsc_hz = UINT64_C(2700000000),
    .times = &times_snbep,
    .microcode = 0x0000042E,
    .cpuid = &intel_306e4_ivy_bridge_ep,
    .l3_slices = 12,
    .uncore = &uncore_ivbep,
    .uclk_hz = UINT64_C(2700000000),
    .ppin = true,
};

/* CMT without MBM; way masks that CPUID does not enumerate. Two packages, 10 slices, 25 MB L3, 40 RMIDs, upscaling
 * factor A000H; another brand string, since way masks exist on a few models only, of which the E5-2628L v3 has the same
 * 10 cores and 25 MB (Linux resctrl/core.c, cache_alloc_hsw_probe(), and intel-cmt-cat list them). What the probe
 * finds, by the same sources: 20 mask bits, 4 classes, two bits at least in a mask. */
RECORDING(intel_306f2_haswell_ep_1);

PROFILE(hsx, 30) = {
    E5,
    HASWELL,
    .name = "hsx",
    .title = "Haswell-EP (E5 v3): CMT, way masks by probe, U-box",
    .tsc_hz = UINT64_C(2000000000),
    .times = &times_hsx,
    .microcode = 0x00000027,
    .cpuid = &intel_306f2_haswell_ep_1,
    .brand = "Intel(R) Xeon(R) CPU E5-2628L v3 @ 2.00GHz",
    .max_clusters = 2, /* cluster on die */
    .package_channels = 4,
    .l3_slices = 10,
    .cat_by_probe = 20,
    .mask_least_bits = 2,
    .uncore = &uncore_hsx,
    .uclk_hz = UINT64_C(2200000000),
};

/* CMT, MBM, CAT and a U-box: 8 slices, 20 MB L3, 64 RMIDs, upscaling factor 8000H; the brand string of the E5-2620 v4,
 * since the dump's part is its single-socket sibling, and packages may be two or more. UCLK 2.2 GHz: the uncore ratio
 * is 22 and does not move. Cluster on die cuts a package into two nodes, each with half of the L3's slices and two of
 * the four channels. */
RECORDING(intel_406f1_broadwell_e_1);
#define E5_2620_V4                                                                                                     \
    E5, BROADWELL, .tsc_hz = UINT64_C(2100000000), .microcode = 0x0B000038, .cpuid = &intel_406f1_broadwell_e_1,       \
                   .brand = "Intel(R) Xeon(R) CPU E5-2620 v4 @ 2.10GHz", .max_clusters = 2, .package_channels = 4,     \
                   .l3_slices = 8, .mbm_errata = true, .uncore = &uncore_bdx, .uclk_hz = UINT64_C(2200000000)

PROFILE(bdx, 40) = {
    E5_2620_V4,
    .name = "bdx",
    .title = "Broadwell-EP (E5 v4): CMT, MBM, CAT, U-box",
};
/* The same part with the other answer that the documents allow: SDM vol. 3B 17.16.8.1 wants #GP where 17.16.7 has the
 * Error bit. */
PROFILE(bdx_gp, 41) = {
    E5_2620_V4,
    .name = "bdx-gp",
    .title = "as bdx, but an RMID above the maximum in EVTSEL raises #GP",
    .qm_illegal_rmid_faults = true,
};

/* 10 slices: 80 RMIDs in a field of 7 bits, 25 MB L3, upscaling factor A000H; the brand string of the E5-2640 v4, since
 * the dump's part is its single-socket sibling.
 *
 * BDF102: bandwidth of RMIDs above a threshold is counted too low; Linux (resctrl/monitor.c, mbm_cf_table) multiplies
 * by 1.066553 above RMID 63 on a part of 10 slices. */
RECORDING(intel_406f1_broadwell_e_6);

PROFILE(bdx_80, 42) = {
    E5,
    BROADWELL,
    .name = "bdx-80",
    .title = "Broadwell-EP (E5 v4), 10 slices: 80 RMIDs, erratum BDF102",
    .tsc_hz = UINT64_C(2400000000),
    .microcode = 0x0B000019,
    .cpuid = &intel_406f1_broadwell_e_6,
    .brand = "Intel(R) Xeon(R) CPU E5-2640 v4 @ 2.40GHz",
    .l3_slices = 10,
    .mbm_errata = true,
    .uncore = &uncore_bdx,
    .uclk_hz = UINT64_C(2400000000),
};

/* Xeon D-1500: one package, without SBo and links. D-1540: 8 slices, 12 MB L3 of 12 ways, 64 RMIDs, no CDP.
 *
 * BDF102 is an erratum of the E5 v4. Linux (resctrl/monitor.c) corrects models 4FH and 55H alone, so that counts are
 * right here. Machines of two packages are made for tests alone: it has no links. */
RECORDING(intel_50662_broadwell_de);

PROFILE(bdx_de, 43) = {
    SLICES,
    BROADWELL,
    .name = "bdx-de",
    .title = "Broadwell-DE (Xeon D-1540): CMT, MBM, CAT; no links",
    .like = &profile_bdx,
    .packages = 1,
    .cores = 4,
    .threads = 2,
    .tsc_hz = UINT64_C(2000000000),
    .microcode = 0x00000007,
    .cpuid = &intel_50662_broadwell_de,
    .package_channels = 2,
    .l3_slices = 8,
    .l3_ways = 12,
    .uncore = &uncore_bdx_de,
    .uclk_hz = UINT64_C(2200000000),
};
