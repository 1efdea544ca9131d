/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/cpu/prefetch.h: the registers that turn a part's hardware prefetchers off.
 *
 * Intel, MSR 1A4H: bits 3:0 since Nehalem (SDM vol. 4 MSR_MISC_FEATURE_CONTROL; Intel, "Disclosure of Hardware Prefetcher
 * Control on Some Intel Processors"); bit 4, next page of the L1, and bit 5, the AMP prefetcher of the L2, on Sapphire,
 * Emerald and Granite Rapids, and bits 6 and 7, LLC page and array of pointers, on Granite Rapids (intel/PerfSpect,
 * internal/common/prefetcher.go). Elsewhere these bits are reserved. Atom cores have bits 2 and 0 alone (SDM vol. 4,
 * tables of Goldmont and later), those of Sierra and Clearwater Forest bits 3, 4 and 5 too.
 * Prefetchers into the L3: MSR 6DH bits 14 and 42 on Sapphire, Emerald and Granite Rapids, MSR 1320H bit 43 on Sierra and
 * Clearwater Forest (PerfSpect, as above).
 * AMD, C000_0108H PrefetchControl, where CPUID Fn8000_0021 EAX[13] says so (APM vol. 3 appendix E; likwid
 * src/sysFeatures_amd.c has the bits). Earlier parts of AMD have controls of their own for each family, which the APM
 * does not describe: they stay as they are. What no public table has stays on too.
 */
#pragma once
#include "arch/x86/cpu/cpuid.h"
#include "core/base/bits.h"

#define PREFETCH_MASKS     4u
#define PREFETCH_REGISTERS 2u

struct prefetch_register {
    uint32_t msr;
    /* Bits that turn prefetchers off if they are 1; the first that the register takes without #GP holds. 0 ends them.
     * The register's other bits stay as they are. */
    uint64_t masks[PREFETCH_MASKS];
};

struct prefetch_control {
    uint32_t n;
    struct prefetch_register reg[PREFETCH_REGISTERS];
};

#define CPUID_80000021_EAX_PREFETCH_CTL_MSR BIT(13)

/* NULL: none is known. eax_80000021: of that CPUID leaf, 0 where it is absent. */
const struct prefetch_control *prefetch_control_of(const struct cpu_identity *id, uint32_t eax_80000021);
