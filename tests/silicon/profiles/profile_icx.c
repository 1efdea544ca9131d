/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_icx.c: Ice Lake-SP, 32-bit bandwidth counters, 15 classes, no CDP on this part; Ice
 * Lake-D and Snow Ridge, whose monitors are as Ice Lake-SP's.
 *
 * Topology fields are computed. Machines of two packages of the last two are made for tests alone: they have no links.
 */
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/uncore/uncore.h"

#define ICE_LAKE                                                                                                       \
    PROFILE_SERVER_RDT, .threads = 2, .times = &times_icx, .l3_ways = 12, .l3_sets = 2048, .mba_config = true

/* Platinum 8351N: 36 slices, 54 MB L3, 288 RMIDs in a field of 9 bits, upscaling factor 12000H. Microcode revision:
 * that of the dump. */
RECORDING(intel_606a6_icx_3);
static const struct profile_leaf leaves[] = {
    /* no dump has sub-leaf 3: maximum delay 90 and linear, as in the worked example of the Xen documentation */
    { 0x10, 3, { 0x59, 0, 0x4, 0xE } },
};
static const struct cpuid_table cpuid = CPUID_TABLE(&intel_606a6_icx_3, leaves);

PROFILE(icx, 60) = {
    ICE_LAKE,
    .name = "icx",
    .title = "Ice Lake-SP (Platinum 8351N): CMT, MBM 32 bits, CAT, MBA 2.0",
    .packages = 2,
    .cores = 2,
    .tsc_hz = UINT64_C(2400000000),
    .microcode = 0x0D000280,
    .cpuid = &cpuid,
    .max_clusters = 2,
    .package_channels = 8,
    .l3_slices = 36,
    .l3_hash = PROFILE_E5_HASH,
    .rmid_snc_config = true,
    .uncore = &uncore_icx,
    .uclk_hz = UINT64_C(2400000000),
};

/* Xeon D-1700: Ice Lake-SP's registers, one memory controller with three channels. No public dump of this model shows
 * RDT: the Platinum 8351N's, with signature 606C1H (a dump of a virtual machine on such a part), the name, frequency,
 * 10 slices and 15 MB of the D-1736NT by its product page, and as many RMIDs and bytes a count as 10 slices have on
 * every recorded part: 8 RMIDs a slice, 256 bytes an RMID. Microcode revision: assumed. */
static const struct profile_leaf d_leaves[] = {
    { 0x1, 0, { 0x000606C1, 0x00800800, 0x7FFEFBFF, 0xBFEBFBFF } },
    { 0x4, 3, { 0x3C03C163, 0x02C0003F, 0x00004FFF, 0x4 } },
    { 0xF, 0, { 0, 0x4F, 0, 0x2 } },
    { 0xF, 1, { 0x8, 0x5000, 0x4F, 0x7 } },
    { 0x15, 0, { 0x2, 0xD8, 0, 0 } },
    { 0x16, 0, { 0xA8C, 0xDAC, 0x64, 0 } },
};
static const struct cpuid_table d_cpuid = CPUID_TABLE(&cpuid, d_leaves);

PROFILE(icx_d, 61) = {
    ICE_LAKE,
    .name = "icx-d",
    .title = "Ice Lake-D (Xeon D-1736NT): as icx, with one memory controller of three channels and no links",
    .like = &profile_icx,
    .packages = 1,
    .cores = 4,
    .tsc_hz = UINT64_C(2700000000),
    .microcode = 0x01000211,
    .cpuid = &d_cpuid,
    .brand = "Intel(R) Xeon(R) D-1736NT CPU @ 2.70GHz",
    .unrecorded = true,
    .package_channels = 3,
    .l3_slices = 10,
    .uncore = &uncore_icx_d,
    .uclk_hz = UINT64_C(2200000000),
};

/* Atom P5900: Tremont cores that share an L2 by four, a mesh with six slices, monitors without the global control. No
 * RDT: no public source was found that says what this part enumerates.
 *
 * No public dump of this model was found: Elkhart Lake's, the same cores, with the signature that Linux' intel-family.h
 * has for this part (80665H), the name, 2.2 GHz, 24 cores and 27 MB of L2 of the P5962B by its product page, L2 CAT
 * (leaf 10H, and its bit of leaf 7) and core types (1AH) taken out. Slices of 2.5 MB and 20 ways, and the microcode
 * revision, are assumptions. */
RECORDING(intel_90661_elkhart_lake_1);
static const struct profile_leaf snr_leaves[] = {
    { 0x1, 0, { 0x00080665, 0x00800800, 0x4FF8EBBF, 0xBFEBFBFF } },
    { 0x4, 2, { 0xFC01C143, 0x0440003F, 0x00000FFF, 0 } },
    { 0x4, 3, { 0xFC1FC163, 0x04C0003F, 0x00002FFF, 0x4 } },
    { 0x6, 0, { 0x77, 0x2, 0x9, 0 } },
    { 0x7, 0, { 0, 0x239422C3, 0x18400124, 0xFC000400 } },
    { 0x10, 0, { 0 } },
    { 0x15, 0, { 0x2, 0xB0, 0x017D7840, 0 } },
    { 0x16, 0, { 0x898, 0x898, 0x64, 0 } },
    { 0x1A, 0, { 0 } },
};
static const struct cpuid_table snr_cpuid = CPUID_TABLE(&intel_90661_elkhart_lake_1, snr_leaves);

PROFILE(snr, 62) = {
    PROFILE_SERVER,
    .name = "snr",
    .title = "Snow Ridge (Atom P5962B): E-cores, one memory controller, no RDT and no global control of the monitors",
    .like = &profile_icx,
    .packages = 1,
    .cores = 4,
    .threads = 1,
    .tsc_hz = UINT64_C(2200000000),
    .times = &times_icx,
    .microcode = 0x4C000020,
    .cpuid = &snr_cpuid,
    .brand = "Intel Atom(R) P5962B Processor @ 2.20GHz",
    .unrecorded = true,
    .package_channels = 2,
    .l3_slices = 6,
    .l3_ways = 20,
    .l3_sets = 2048,
    .uncore = &uncore_snr,
    .uclk_hz = UINT64_C(2000000000),
};
