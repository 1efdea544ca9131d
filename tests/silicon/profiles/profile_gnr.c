/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_gnr.c: Granite Rapids, masks with holes, RDT of I/O, RDT registers in memory by ACPI's
 * ERDT; Diamond Rapids; the E-core parts Grand Ridge, Sierra Forest and Clearwater Forest, whose uncore is as its.
 *
 * Topology fields are computed. Microcode revision: that of Granite Rapids' dump.
 */
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/uncore/uncore.h"

#define GRANITE_RAPIDS                                                                                                 \
    PROFILE_SERVER_TPMI, PROFILE_RDT, .times = &times_gnr, .microcode = 0x010001D0, .mba_config = true,                \
                                      .rmid_snc_config = true

/* Xeon 658X: 144 MB L3, 288 RMIDs, upscaling factor 12000H.
 *
 * That its firmware has ERDT, MRRM and IRDT is an assumption: the tables are public (RDT Architecture Specification
 * 356688 chapters 5 and 6), recordings of them are not. That it has three compute dies is one too; CPUID tells none. */
RECORDING(intel_a06d1_granite_rapids);
static const struct profile_leaf gnr_leaves[] = {
    /* no dump has sub-leaf 2: as many bits as the L2 has ways, CDP and holes, as many classes as the L3 */
    { 0x10, 2, { 0xF, 0, 0xC, 0xE } },
    /* no dump has sub-leaf 3: as for Sapphire Rapids, with a delay for each thread (MBA 3.0: 356688 appendix A) */
    { 0x10, 3, { 0x59, 0, 0x5, 0xE } },
};
static const struct cpuid_table gnr_cpuid = CPUID_TABLE(&intel_a06d1_granite_rapids, gnr_leaves);

PROFILE(gnr, 80) = {
    GRANITE_RAPIDS,
    .name = "gnr",
    .title = "Granite Rapids: masks with holes, RDT of I/O and in memory (ERDT)",
    .packages = 2,
    .cores = 2,
    .threads = 2,
    .tsc_hz = UINT64_C(3000000000),
    .cpuid = &gnr_cpuid,
    .max_clusters = 3,
    .package_channels = 12,
    .l3_slices = 72,
    .l3_ways = 16,
    .l3_sets = 2048,
    .erdt = true,
    .uncore = &uncore_gnr,
    .uclk_hz = UINT64_C(2400000000),
    .prefetch_more = 0xF0,
    PROFILE_LLC_OF_P_CORES,
    .may_have_cba = true,
    .may_have_priority = true,
};

/* Diamond Rapids: family 13H, model 1 (Linux intel-family.h, INTEL_DIAMONDRAPIDS_X), monitors of uncore_dmr.c. Nothing else
 * of it is published: RDT's leaves, caches and clocks are Granite Rapids', the number of channels is press reports'. */
static const struct profile_leaf dmr_leaves[] = {
    { 0x1, 0, { 0x00400F10, 0x00800800, 0x7FFEFBFF, 0xBFEBFBFF } },
};
static const struct cpuid_table dmr_cpuid = CPUID_TABLE(&gnr_cpuid, dmr_leaves);

PROFILE(dmr, 90) = {
    GRANITE_RAPIDS,
    .name = "dmr",
    .title = "Diamond Rapids: units by memory, tables by PCI and by MSR, frozen at power-on",
    .like = &profile_gnr,
    .unrecorded = true,
    .packages = 2,
    .cores = 2,
    .threads = 1,
    .tsc_hz = UINT64_C(3000000000),
    .cpuid = &dmr_cpuid,
    .brand = "Genuine Intel(R) 0000",
    .package_channels = 16,
    .l3_slices = 72,
    .l3_ways = 16,
    .l3_sets = 2048,
    .uncore = &uncore_dmr,
    .uclk_hz = UINT64_C(2400000000),
    .prefetch_more = 0xF0,
    PROFILE_LLC_OF_P_CORES,
};

/* --- parts of E-cores, of none of which a public dump was found
 *
 * What is the core's is from a dump of Alder Lake-N (Gracemont, the E-core before theirs). Four cores of a module share
 * 4 MiB of L2 on the parts; here each core has 2 MiB of its own, as on Alder Lake-N's. */
#define E_CORES .like = &profile_gnr, .cores = 4, .threads = 1, .unrecorded = true, .l3_sets = 4096

/* Grand Ridge: one die without links. No RDT: no public source was found that says what this part enumerates.
 *
 * Documented: family 6 model B6H and that it has Sierra Forest's cores (Linux intel-family.h, INTEL_ATOM_CRESTMONT),
 * the units that its event file names, three I/O stacks and the U-box' registers (intel/pcm, GRR_*). By a slide of
 * Intel's that the press showed in 2020 (TechPowerUp, "Intel Readies Atom Grand Ridge 24-core Processor"): 24 cores in
 * six clusters, 2.6 GHz, two channels of DDR5. Chosen, since the number of CHAs is in discovery tables alone: six, one
 * a cluster, as Snow Ridge's, with slices of 3 MB and 12 ways and 2.2 GHz of the mesh as Sierra Forest's.
 *
 * Signature, cores and frequency are this part's, the brand string is as of samples. Counters (0AH, 23H) and address
 * widths are Granite Rapids', and L2 CAT (10H) and core types (1AH) are taken out. Machines of two packages are made
 * for tests alone. */
RECORDING(intel_b06e0_alder_lake_n_1);
static const struct profile_leaf grr_leaves[] = {
    { 0x0, 0, { 0x23, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x1, 0, { 0x000B0660, 0x00800800, 0x7FFAFBBF, 0xBFEBFBFF } },
    { 0x4, 3, { 0xFC1FC163, 0x02C0003F, 0x00005FFF, 0x4 } },
    { 0x6, 0, { 0x0065CEF7, 0x2, 0x1, 0 } },
    { 0x7, 0, { 0x2, 0x239C27EB, 0x98C007AC, 0xFC184410 } },
    { 0xA, 0, { 0x08300805, 0, 0xF, 0x8604 } },
    { 0x10, 0, { 0 } },
    { 0x15, 0, { 0x2, 0xD0, 0x017D7840, 0 } },
    { 0x16, 0, { 0xA28, 0xA28, 0x64, 0 } },
    { 0x1A, 0, { 0 } },
    { 0x23, 0, { 0xB, 0, 0, 0 } },
    { 0x23, 1, { 0xFF, 0xF, 0, 0 } },
    { 0x23, 3, { 0xDFF, 0, 0, 0 } },
    { 0x80000006, 0, { 0, 0, 0x08007040, 0 } },
    { 0x80000008, 0, { 0x3934, 0x200, 0, 0 } },
};
static const struct cpuid_table grr_cpuid = CPUID_TABLE(&intel_b06e0_alder_lake_n_1, grr_leaves);

PROFILE(grr, 84) = {
    PROFILE_SERVER_TPMI,
    E_CORES,
    .name = "grr",
    .title = "Grand Ridge: E-cores, one die with two memory channels, no links and no RDT",
    .packages = 1,
    .tsc_hz = UINT64_C(2600000000),
    .times = &times_grr,
    .microcode = 0x010001D0,
    .cpuid = &grr_cpuid,
    .brand = "Genuine Intel(R) 0000",
    .package_channels = 2,
    .l3_slices = 6,
    .l3_ways = 12,
    .uncore = &uncore_grr,
    .uclk_hz = UINT64_C(2200000000),
};

/* Sierra Forest. RDT's leaves are as Granite Rapids', whose uncore it shares: 8 RMIDs a slice, and 256 bytes a count
 * for each RMID, as on all recorded parts from Ice Lake-SP on (icx-d 80 of 10 slices, emr 480 of 60, spr 352 of 44, gnr
 * 288 of 36 of 4 MB); signature, name, frequency, 144 cores and 108 MB of L3 of 12 ways of the Xeon 6780E by its
 * product page; 36 slices of 3 MB are an assumption. One compute die: eight channels. */
static const struct profile_leaf srf_leaves[] = {
    { 0x1, 0, { 0x000A06F3, 0x00800800, 0x7FFAFBBF, 0xBFEBFBFF } },
    { 0x4, 3, { 0xFC1FC163, 0x02C0003F, 0x00023FFF, 0x4 } },
    { 0x7, 0, { 0x2, 0x239CB7EB, 0x98C007AC, 0xFC184410 } },
    { 0xF, 0, { 0, 0x11F, 0, 0x2 } },
    { 0xF, 1, { 0x8, 0x12000, 0x11F, 0x7 } },
    { 0x10, 0, { 0, 0xE, 0, 0 } },
    { 0x10, 1, { 0xB, 0xC00, 0xC, 0xE } },
    { 0x10, 2, { 0xF, 0, 0xC, 0xE } },
    { 0x10, 3, { 0x59, 0, 0x5, 0xE } },
    { 0x15, 0, { 0x2, 0xB0, 0x017D7840, 0 } },
    { 0x16, 0, { 0x898, 0xBB8, 0x64, 0 } },
};
static const struct cpuid_table srf_cpuid = CPUID_TABLE(&grr_cpuid, srf_leaves);

PROFILE(srf, 82) = {
    GRANITE_RAPIDS,
    E_CORES,
    .name = "srf",
    .title = "Sierra Forest (Xeon 6780E): E-cores, monitors by one compute die",
    .packages = 2,
    .tsc_hz = UINT64_C(2200000000),
    .cpuid = &srf_cpuid,
    .brand = "Intel(R) Xeon(R) 6780E",
    .max_clusters = 2,
    .package_channels = 8,
    .l3_slices = 36,
    .l3_ways = 12,
    PROFILE_LLC_OF_E_CORES,
    .uncore = &uncore_srf,
    .uclk_hz = UINT64_C(2200000000),
};

/* Clearwater Forest: as Sierra Forest, with the model number of Linux' intel-family.h, 288 cores, 576 MB of L3 and 12
 * channels as Intel announced (Hot Chips 2024). 72 slices of 16 ways and 4 MB, half of the announced cache, frequency
 * and name are assumptions. */
static const struct profile_leaf cwf_leaves[] = {
    { 0x1, 0, { 0x000D06D0, 0x00800800, 0x7FFAFBBF, 0xBFEBFBFF } },
    { 0x4, 3, { 0xFC1FC163, 0x03C0003F, 0x00047FFF, 0x4 } },
    { 0xF, 0, { 0, 0x23F, 0, 0x2 } },
    { 0xF, 1, { 0x8, 0x24000, 0x23F, 0x7 } },
    { 0x10, 1, { 0xF, 0xC000, 0xC, 0xE } },
    { 0x15, 0, { 0x2, 0xA0, 0x017D7840, 0 } },
    { 0x16, 0, { 0x7D0, 0xAF0, 0x64, 0 } },
};
static const struct cpuid_table cwf_cpuid = CPUID_TABLE(&srf_cpuid, cwf_leaves);

PROFILE(cwf, 84) = {
    GRANITE_RAPIDS,         E_CORES,
    .name = "cwf",          .title = "Clearwater Forest: as srf, with three compute dies",
    .packages = 2,          .tsc_hz = UINT64_C(2000000000),
    .cpuid = &cwf_cpuid,    .brand = "Intel(R) Xeon(R) 6990E+",
    .max_clusters = 2,      .package_channels = 12,
    .l3_slices = 72,        .l3_ways = 16,
    PROFILE_LLC_OF_E_CORES, .telemetry = true,
    .uncore = &uncore_cwf,  .uclk_hz = UINT64_C(2200000000),
};
