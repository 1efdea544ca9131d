/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/cpu/msr_regs.h: model-specific registers outside RDT and PMON.
 *
 * Source: SDM vol. 4 "Model-Specific Registers" (names as its tables spell them); AMD processor programming references
 * where a name says AMD.
 */
#pragma once
#include "core/base/bits.h"

#define IA32_TIME_STAMP_COUNTER 0x10u

#define IA32_PLATFORM_ID 0x17u

#define IA32_APIC_BASE           0x1Bu
#define IA32_APIC_BASE_EXTD      BIT(10) /* x2APIC mode */
#define IA32_APIC_BASE_EN        BIT(11)
#define IA32_APIC_BASE_APIC_BASE BITS(51, 12)

#define MSR_SMI_COUNT       0x34u /* Intel since Nehalem, per logical processor, read only */
#define MSR_SMI_COUNT_VALUE BITS(31, 0)

/* Debug control, per logical processor: SDM vol. 3B 17.4.1 "IA32_DEBUGCTL MSR". */
#define IA32_DEBUGCTL                   0x1D9u
#define IA32_DEBUGCTL_ENABLE_UNCORE_PMI BIT(13)

/* What software added to the TSC since reset, by writing either register. CPUID.7.0:EBX[1]. */
#define IA32_TSC_ADJUST 0x3Bu

/* How far the processor's clock and the nominal one went while it was not halted. AMD has them too. */
#define IA32_MPERF 0xE7u
#define IA32_APERF 0xE8u

/* Thermal status of a core and, with the same bits, of its package. Status bits are even, their sticky logs odd. */
#define IA32_THERM_STATUS                 0x19Cu
#define IA32_PACKAGE_THERM_STATUS         0x1B1u
#define IA32_THERM_STATUS_HOT             (BIT(0) | BIT(2) | BIT(4)) /* thermal, PROCHOT#, critical temperature */
#define IA32_THERM_STATUS_HOT_LOG         (BIT(1) | BIT(3) | BIT(5))
#define IA32_THERM_STATUS_POWER_LIMIT     BIT(10)
#define IA32_THERM_STATUS_POWER_LIMIT_LOG BIT(11)

/* Protected processor inventory number, Intel server parts. */
#define MSR_PPIN_CTL             0x4Eu
#define MSR_PPIN_CTL_LockOut     BIT(0)
#define MSR_PPIN_CTL_Enable_PPIN BIT(1)
#define MSR_PPIN                 0x4Fu

/* Patch revision. Intel: 63:32 after CPUID(1). AMD: 31:0. */
#define IA32_BIOS_SIGN_ID          0x8Bu
#define IA32_BIOS_SIGN_ID_PATCH_ID BITS(63, 32)
#define AMD_PATCH_LEVEL_PATCH_ID   BITS(31, 0)

#define MSR_PLATFORM_INFO 0xCEu

#define IA32_MISC_ENABLE 0x1A0u

/* Prefetchers, per core; a 1 turns one off. */
#define MSR_MISC_FEATURE_CONTROL                   0x1A4u
#define MSR_MISC_FEATURE_CONTROL_L2_HW_PREFETCHER  BIT(0)
#define MSR_MISC_FEATURE_CONTROL_L2_ADJACENT_LINE  BIT(1)
#define MSR_MISC_FEATURE_CONTROL_DCU_HW_PREFETCHER BIT(2)
#define MSR_MISC_FEATURE_CONTROL_DCU_IP_PREFETCHER BIT(3)
#define MSR_MISC_FEATURE_CONTROL_ALL               BITS(3, 0)
/* Not on every part: arch/x86/cpu/prefetch.h. */
#define MSR_MISC_FEATURE_CONTROL_DCU_NP_PREFETCHER   BIT(4)
#define MSR_MISC_FEATURE_CONTROL_AMP_PREFETCHER      BIT(5)
#define MSR_MISC_FEATURE_CONTROL_LLC_PAGE_PREFETCHER BIT(6)
#define MSR_MISC_FEATURE_CONTROL_AOP_PREFETCHER      BIT(7)

/* In no edition of the SDM: PerfSpect's names, arch/x86/cpu/prefetch.h. Other bits are no prefetcher's. */
#define MSR_PREFETCHERS                  0x6Du
#define MSR_PREFETCHERS_HOMELESS         BIT(14)
#define MSR_PREFETCHERS_LLC              BIT(42)
#define MSR_ATOM_PREF_TUNING1            0x1320u
#define MSR_ATOM_PREF_TUNING1_LLC_STREAM BIT(43)

/* Ratio of the uncore clock to 100 MHz as it is now, of the package: Linux uncore-frequency.c; likwid registers.h;
 * GEOPM MSR::UNCORE_PERF_STATUS. From E5 v3 on. */
#define MSR_UNCORE_RATIO_LIMIT       0x620u
#define MSR_UNCORE_RATIO_LIMIT_MAX   BITS(6, 0)
#define MSR_UNCORE_RATIO_LIMIT_MIN   BITS(14, 8)
#define MSR_UNCORE_PERF_STATUS       0x621u
#define MSR_UNCORE_PERF_STATUS_RATIO BITS(6, 0)

/* Nehalem and Westmere: SDM vol. 3B 18.8.2.3 Uncore Address/Opcode Match MSR (old numbering). */
#define MSR_UNCORE_ADDR_OPCODE_MATCH          0x396u
#define MSR_UNCORE_ADDR_OPCODE_MATCH_Addr     BITS(39, 3)
#define MSR_UNCORE_ADDR_OPCODE_MATCH_Opcode   BITS(47, 40)
#define MSR_UNCORE_ADDR_OPCODE_MATCH_MatchSel BITS(63, 61) /* 000B off, 100B address, 010B opcode, 001B both */

#define IA32_EFER    0xC0000080u
#define IA32_TSC_AUX 0xC0000103u

/* AMD, there if CPUID.80000021H:EAX[13]; a 1 turns one off. */
#define AMD_PREFETCH_CONTROL        0xC0000108u
#define AMD_PREFETCH_CONTROL_UpDown BIT(5)
#define AMD_PREFETCH_CONTROL_ALL                                                                                       \
    (BITS(3, 0) | AMD_PREFETCH_CONTROL_UpDown) /* 3:0: L2Stream, L1Region, L1Stride, L1Stream */

/* AMD, there if CPUID.80000008H:EBX[23]. Same layout as Intel's pair. */
#define AMD_PPIN_CTL 0xC00102F0u
#define AMD_PPIN     0xC00102F1u
