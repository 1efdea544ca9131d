/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_client.c: both RDT bits of leaf 7 over leaves 0FH and 10H that are all zero.
 *
 * A guest on a Xeon D-1718T whose hypervisor filters the leaves; the hypervisor's own bit and leaves are not shown.
 * Topology fields are computed. None of the RDT registers exist. Microcode revision: that of the dump. The recorded L3
 * has 10 MB in 20 ways; four slices serve.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"

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
