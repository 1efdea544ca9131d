/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_nhm.c: Nehalem-EP, Nehalem-EX, Westmere-EX. No RDT.
 *
 * Topology fields are computed. The slice function is not published, so that of the E5 family serves.
 */
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/uncore/uncore.h"

#define NEHALEM                                                                                                        \
    .packages = 2, .cores = 2, .threads = 2, .times = &times_nhm, .l3_sets = 2048, .l3_hash = PROFILE_E5_HASH,         \
    .l3_inclusive = true, .residency = RESIDENCY_NHM, .prefetch_control = true

/* Stepping B0, 8 MB L3: four slices, as four cores. Microcode revision: that of the dump. */
RECORDING(intel_106a2_nehalem_ep_1);

PROFILE(nhm, 10) = {
    NEHALEM,
    .name = "nhm",
    .title = "Nehalem-EP (X5550): uncore by global enable, no RDT",
    .tsc_hz = UINT64_C(2666666667),
    .microcode = 0xFFFF0019,
    .cpuid = &intel_106a2_nehalem_ep_1,
    .l3_slices = 4,
    .l3_ways = 16,
    .channels = 3,
    .uncore = &uncore_nhm,
    .uclk_hz = UINT64_C(2666666667),
};

/* Of the uncore's clock of the EX parts no document that was read tells: 2.4 GHz. */
#define NEHALEM_EX NEHALEM, .l3_ways = 24, .channels = 4, .uclk_hz = UINT64_C(2400000000)

/* 24 MB L3, eight slices of 24 ways. Microcode revision: that of the dump. What its hypervisor shows and hides is as in
 * Nehalem-EP's dump: leaf 1 has no bit 31 of ECX, and has MONITOR and other bits; leaves 5, 6 and 0AH; no leaf 7. */
RECORDING(intel_206e6_beckton_2);
static const struct profile_leaf ex_leaves[] = {
    { 0x1, 0, { 0x000206E6, 0x00200800, 0x00BCE3BD, 0xBFEBFBFF } },
    { 0x5, 0, { 0x40, 0x40, 0x3, 0x21120 } },
    { 0x6, 0, { 0x3, 0x2, 0x1, 0 } },
    { 0x7, 0, { 0 } },
    { 0xA, 0, { 0x07300403, 0, 0, 0x603 } },
};
static const struct cpuid_table ex_cpuid = CPUID_TABLE(&intel_206e6_beckton_2, ex_leaves);

PROFILE(nhm_ex, 12) = {
    NEHALEM_EX,
    .name = "nhm-ex",
    .title = "Nehalem-EX (X7560): uncore of boxes by MSR, no RDT",
    .tsc_hz = UINT64_C(2266666667),
    .microcode = 0x0000000D,
    .cpuid = &ex_cpuid,
    .l3_slices = 8,
    .uncore = &uncore_nhmex,
};

/* As Nehalem-EX with ten slices; its M-boxes have another FVC register. No public dump of a part of model 2FH was
 * found: that of Nehalem-EX with the signature, the L3 of 30 MB and the brand string of the part. */
static const struct profile_leaf wsm_leaves[] = {
    { 0x1, 0, { 0x000206F2, 0x00200800, 0x00BCE3BD, 0xBFEBFBFF } },
    { 0x4, 3, { 0x3C07C163, 0x05C0003F, 0x00004FFF, 0x2 } },
};
static const struct cpuid_table wsm_cpuid = CPUID_TABLE(&ex_cpuid, wsm_leaves);

PROFILE(wsm_ex, 13) = {
    NEHALEM_EX,
    .name = "wsm-ex",
    .title = "Westmere-EX (E7-4870): uncore of boxes by MSR, no RDT",
    .like = &profile_nhm_ex,
    .tsc_hz = UINT64_C(2400000000),
    .microcode = 0x00000037,
    .cpuid = &wsm_cpuid,
    .brand = "Intel(R) Xeon(R) CPU E7-4870  @ 2.40GHz",
    .unrecorded = true,
    .l3_slices = 10,
    .uncore = &uncore_wsmex,
};
