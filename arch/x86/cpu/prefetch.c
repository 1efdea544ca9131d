/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/cpu/prefetch.h"

#include <stddef.h>

#include "arch/x86/cpu/msr_regs.h"
#include "core/base/braced.h"

#define CORE      MSR_MISC_FEATURE_CONTROL_ALL
#define ATOM      (MSR_MISC_FEATURE_CONTROL_L2_HW_PREFETCHER | MSR_MISC_FEATURE_CONTROL_DCU_HW_PREFETCHER)
#define NP        MSR_MISC_FEATURE_CONTROL_DCU_NP_PREFETCHER
#define AMP       MSR_MISC_FEATURE_CONTROL_AMP_PREFETCHER
#define GNR       (MSR_MISC_FEATURE_CONTROL_LLC_PAGE_PREFETCHER | MSR_MISC_FEATURE_CONTROL_AOP_PREFETCHER)
#define CRESTMONT (ATOM | MSR_MISC_FEATURE_CONTROL_DCU_IP_PREFETCHER | NP | AMP)

#define L3_OF_P_CORES BRACED(MSR_PREFETCHERS, { MSR_PREFETCHERS_LLC | MSR_PREFETCHERS_HOMELESS, MSR_PREFETCHERS_LLC })
#define L3_OF_E_CORES BRACED(MSR_ATOM_PREF_TUNING1, { MSR_ATOM_PREF_TUNING1_LLC_STREAM })

static const struct prefetch_control intel = { 1, { { MSR_MISC_FEATURE_CONTROL, { CORE, ATOM } } } };
static const struct prefetch_control sapphire = {
    2, { { MSR_MISC_FEATURE_CONTROL, { CORE | NP | AMP, CORE | AMP, CORE } }, L3_OF_P_CORES }
};
static const struct prefetch_control granite = {
    2, { { MSR_MISC_FEATURE_CONTROL, { CORE | NP | AMP | GNR, CORE | AMP | GNR, CORE | AMP, CORE } }, L3_OF_P_CORES }
};
static const struct prefetch_control sierra = {
    2, { { MSR_MISC_FEATURE_CONTROL, { CRESTMONT, CORE, ATOM } }, L3_OF_E_CORES }
};
static const struct prefetch_control amd = { 1, { { AMD_PREFETCH_CONTROL, { AMD_PREFETCH_CONTROL_ALL } } } };

static const struct {
    uint32_t model;
    const struct prefetch_control *control;
} models[] = { { 0x8F, &sapphire }, { 0xCF, &sapphire }, { 0xAD, &granite },
               { 0xAE, &granite },  { 0xAF, &sierra },   { 0xDD, &sierra } };

const struct prefetch_control *prefetch_control_of(const struct cpu_identity *id, uint32_t eax_80000021)
{
    if (id->vendor == VENDOR_AMD)
        return eax_80000021 & CPUID_80000021_EAX_PREFETCH_CTL_MSR ? &amd : NULL;
    if (id->vendor != VENDOR_INTEL)
        return NULL;
    for (size_t i = 0; i < sizeof models / sizeof *models && id->family == 6; i++)
        if (models[i].model == id->model)
            return models[i].control;
    return &intel;
}
