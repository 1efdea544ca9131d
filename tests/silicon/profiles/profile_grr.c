/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_grr.c: Grand Ridge: E-cores on one die, without links. No RDT: no public source was found that
 * says what this part enumerates.
 *
 * Documented: family 6 model B6H and that it has Sierra Forest's cores (Linux intel-family.h, INTEL_ATOM_CRESTMONT), the units
 * that its event file names, three I/O stacks and the U-box' registers (intel/pcm, GRR_*). By a slide of Intel's that the
 * press showed in 2020 (TechPowerUp, "Intel Readies Atom Grand Ridge 24-core Processor"): 24 cores in six clusters, 2.6 GHz,
 * two channels of DDR5. Chosen, since the number of CHAs is in discovery tables alone: six, one a cluster, as Snow Ridge's, with
 * slices of 3 MB and 12 ways and 2.2 GHz of the mesh as Sierra Forest's.
 *
 * CPUID: composed as profile_srf.c, with the signature, cores and frequency of this part, without RDT (leaves 0FH and 10H, and
 * their bits of leaf 7); brand string as of samples. Microcode revision: an assumption. Topology fields are computed. Four
 * cores share 4 MiB of L2 on the part; here each has 2 MiB of its own. Machines of two packages are made for tests alone.
 */
#include "tests/silicon/profiles/profile.h"
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

static const struct profile_leaf leaves[] = {
    { 0x00000000, 0, { 0x00000023, 0x756E6547, 0x6C65746E, 0x49656E69 } },
    { 0x00000001, 0, { 0x000B0660, 0x00800800, 0x7FFAFBBF, 0xBFEBFBFF } },
    { 0x00000002, 0, { 0x00FEFF01, 0x000000F0, 0x00000000, 0x00000000 } },
    { 0x00000004, 0, { 0xFC004121, 0x01C0003F, 0x0000003F, 0x00000000 } },
    { 0x00000004, 1, { 0xFC004122, 0x01C0003F, 0x0000007F, 0x00000000 } },
    { 0x00000004, 2, { 0xFC01C143, 0x03C0003F, 0x000007FF, 0x00000000 } },
    { 0x00000004, 3, { 0xFC1FC163, 0x02C0003F, 0x00005FFF, 0x00000004 } },
    { 0x00000005, 0, { 0x00000040, 0x00000040, 0x00000003, 0x10102020 } },
    { 0x00000006, 0, { 0x0065CEF7, 0x00000002, 0x00000001, 0x00000000 } },
    { 0x00000007, 0, { 0x00000002, 0x239C27EB, 0x98C007AC, 0xFC184410 } },
    { 0x00000007, 1, { 0x00000810, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x00000007, 2, { 0x00000000, 0x00000000, 0x00000000, 0x00000037 } },
    { 0x0000000A, 0, { 0x08300805, 0x00000000, 0x0000000F, 0x00008604 } },
    { 0x0000000B, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000000B, 1, { 0x00000005, 0x00000018, 0x00000201, 0x00000000 } },
    { 0x0000000D, 0, { 0x00000207, 0x00000340, 0x00000A88, 0x00000000 } },
    { 0x0000000D, 1, { 0x0000000F, 0x000003D0, 0x00019900, 0x00000000 } },
    { 0x0000000D, 2, { 0x00000100, 0x00000240, 0x00000000, 0x00000000 } },
    { 0x0000000D, 8, { 0x00000080, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 9, { 0x00000008, 0x00000A80, 0x00000000, 0x00000000 } },
    { 0x0000000D, 11, { 0x00000010, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 12, { 0x00000018, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 15, { 0x00000328, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x0000000D, 16, { 0x00000008, 0x00000000, 0x00000001, 0x00000000 } },
    { 0x00000015, 0, { 0x00000002, 0x000000D0, 0x017D7840, 0x00000000 } },
    { 0x00000016, 0, { 0x00000A28, 0x00000A28, 0x00000064, 0x00000000 } },
    { 0x0000001F, 0, { 0x00000001, 0x00000002, 0x00000100, 0x00000000 } },
    { 0x0000001F, 1, { 0x00000005, 0x00000018, 0x00000201, 0x00000000 } },
    { 0x00000023, 0, { 0x0000000B, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x00000023, 1, { 0x000000FF, 0x0000000F, 0x00000000, 0x00000000 } },
    { 0x00000023, 3, { 0x00000DFF, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000000, 0, { 0x80000008, 0x00000000, 0x00000000, 0x00000000 } },
    { 0x80000001, 0, { 0x00000000, 0x00000000, 0x00000121, 0x2C100000 } },
    { 0x80000002, 0, { 0x756E6547, 0x20656E69, 0x65746E49, 0x2952286C } },
    { 0x80000003, 0, { 0x30303020, 0x00000030, 0x00000000, 0x00000000 } },
    { 0x80000006, 0, { 0x00000000, 0x00000000, 0x08007040, 0x00000000 } },
    { 0x80000007, 0, { 0x00000000, 0x00000000, 0x00000000, 0x00000100 } },
    { 0x80000008, 0, { 0x00003934, 0x00000200, 0x00000000, 0x00000000 } },
};

PROFILE(grr, 84) = {
    .name = "grr",
    .title = "Grand Ridge: E-cores, one die with two memory channels, no links and no RDT",
    .like = "gnr",
    .packages = 1,
    .cores = 4,
    .threads = 1,
    .tsc_hz = UINT64_C(2600000000),
    .times = &times_grr,
    .microcode = 0x010001D0,
    .leaves = leaves,
    .n_leaves = sizeof leaves / sizeof leaves[0],
    .unrecorded = true,
    .package_channels = 2,
    .l3_slices = 6,
    .l3_ways = 12,
    .l3_sets = 4096,
    .uncore = &uncore_grr,
    .uclk_hz = UINT64_C(2200000000),
    .uncore_ratio = true,
    .residency = RESIDENCY_SERVER,
    .ppin = true,
    .prefetch_control = true,
    .full_width_counters = true,
};
