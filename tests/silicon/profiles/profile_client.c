/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_client.c: clients. The profile `client` has both RDT bits of leaf 7 over leaves 0FH and 10H that are all zero.
 *
 * A guest on a Xeon D-1718T whose hypervisor filters the leaves; the hypervisor's own bit and leaves are not shown.
 * Topology fields are computed. None of the RDT registers exist. Microcode revision: that of the dump. The recorded L3
 * has 10 MB in 20 ways; four slices serve.
 */
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/uncore/uncore.h"

RECORDING(intel_606c1_icx_vm);

PROFILE(client, 200) = {
    .name = "client",
    .title = "RDT bits over empty leaves (Xeon D-1718T as a hypervisor shows it)",
    .packages = 2,
    .cores = 2,
    .threads = 2,
    .tsc_hz = UINT64_C(2600000000),
    .times = &times_client,
    .microcode = 0x01000150,
    .cpuid = &intel_606c1_icx_vm,
    .l3_slices = 4,
    .l3_ways = 20,
    .l3_sets = 2048,
    .l3_hash = PROFILE_E5_HASH,
    .prefetch_control = true,
    .full_width_counters = true,
};

/* Alder Lake-S (Core i5-12400), as recorded, but for its L2 CAT, of which the dump lacks sub-leaf 2: taken out. Number of
 * slices: an assumption. */
RECORDING(intel_90672_alder_lake);
#define NO_RDT(ebx)                                                                                                    \
    BRACED(0x7, 0, { 0x1, (ebx), 0x98C05FEE, 0xFC984510 }), BRACED(0xF, 0, { 0 }), BRACED(0x10, 0, { 0 })
static const struct profile_leaf adl_leaves[] = { NO_RDT(0xF3BF27EB) };
static const struct cpuid_table adl_cpuid = CPUID_TABLE(&intel_90672_alder_lake, adl_leaves);

/* Coffee Lake (Xeon E-2288G). No public dump was found: Alder Lake's with the signature of Linux' intel-family.h (stepping of
 * microcode releases), caches and frequency of its product page. */
static const struct profile_leaf cfl_leaves[] = {
    { 0x0, 0, { 0x16, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x1, 0, { 0x000906ED, 0x00100800, 0x7FFAFBBF, 0xBFEBFBFF } },
    { 0x4, 0, { 0x1C004121, 0x01C0003F, 0x0000003F, 0 } },
    { 0x4, 1, { 0x1C004122, 0x01C0003F, 0x0000003F, 0 } },
    { 0x4, 2, { 0x1C004143, 0x00C0003F, 0x000003FF, 0 } },
    { 0x4, 3, { 0x1C03C163, 0x03C0003F, 0x00003FFF, 0x6 } },
    { 0x7, 0, { 0, 0x029C6FBF, 0x40000000, 0xBC002E00 } },
    { 0x15, 0, { 0x2, 0x134, 0x016E3600, 0 } },
};
static const struct cpuid_table cfl_cpuid = CPUID_TABLE(&adl_cpuid, cfl_leaves);

#define CLIENT                                                                                                         \
    .packages = 1, .one_socket = true, .cores = 4, .threads = 2, .times = &times_client, .l3_slices = 8,               \
    .l3_hash = PROFILE_E5_HASH, .prefetch_control = true, .full_width_counters = true

PROFILE(cfl, 39) = {
    CLIENT,
    .name = "cfl",
    .title = "Coffee Lake (Xeon E-2288G): monitors of a client, no RDT",
    .unrecorded = true,
    .tsc_hz = UINT64_C(3700000000),
    .microcode = 0x000000F8,
    .cpuid = &cfl_cpuid,
    .brand = "Intel(R) Xeon(R) E-2288G CPU @ 3.70GHz",
    .l3_inclusive = true,
    .l3_ways = 16,
    .l3_sets = 2048,
    .channels = 2,
    .uncore = &uncore_cfl,
    .uclk_hz = UINT64_C(3600000000),
};

PROFILE(adl, 202) = {
    CLIENT,
    .name = "adl",
    .title = "Alder Lake (Core i5-12400): monitors of a newer client, no RDT",
    .like = &profile_cfl,
    .tsc_hz = UINT64_C(2500000000),
    .microcode = 0x15,
    .cpuid = &adl_cpuid,
    .l3_ways = 9,
    .l3_sets = 4096,
    .channels = 4,
    .uncore = &uncore_adl,
    .uclk_hz = UINT64_C(3200000000),
};
