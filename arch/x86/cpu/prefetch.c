/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/cpu/prefetch.h"

#include <stddef.h>

#include "arch/x86/cpu/msr_regs.h"

#define CORE MSR_MISC_FEATURE_CONTROL_ALL
#define ATOM (MSR_MISC_FEATURE_CONTROL_L2_HW_PREFETCHER | MSR_MISC_FEATURE_CONTROL_DCU_HW_PREFETCHER)
#define AMP  MSR_MISC_FEATURE_CONTROL_AMP_PREFETCHER
#define GNR  (MSR_MISC_FEATURE_CONTROL_LLC_PAGE_PREFETCHER | MSR_MISC_FEATURE_CONTROL_AOP_PREFETCHER)

static const struct prefetch_control intel = { MSR_MISC_FEATURE_CONTROL, { CORE, ATOM } };
static const struct prefetch_control sapphire = { MSR_MISC_FEATURE_CONTROL, { CORE | AMP, CORE } };
static const struct prefetch_control granite = { MSR_MISC_FEATURE_CONTROL, { CORE | AMP | GNR, CORE | AMP, CORE } };
static const struct prefetch_control amd = { AMD_PREFETCH_CONTROL, { AMD_PREFETCH_CONTROL_ALL } };

static const struct {
    uint32_t model;
    const struct prefetch_control *control;
} models[] = { { 0x8F, &sapphire }, { 0xCF, &sapphire }, { 0xAD, &granite }, { 0xAE, &granite } };

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
