/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/rdt/rdt_regs.h: registers of resource monitoring and allocation.
 *
 * Source: SDM vol. 3B 17.16 "Intel Resource Director Technology (Intel RDT) Monitoring Features" and 17.17 "...
 * Allocation Features"; RDT Architecture Specification 356688; APM vol. 2 chapter 19 "PQoS". Editions renumber
 * sections, so the title stands beside the number.
 */
#pragma once
#include "core/base/bits.h"

/* Association, one per logical processor. 17.16.6 "Monitoring Resource RMID Association", 17.17.5. Reset: 0.
 * How many bits of either field exist is enumerated (arch/x86/rdt/pqr.h): bits beyond them raise #GP. */
#define IA32_PQR_ASSOC      0xC8Fu
#define IA32_PQR_ASSOC_RMID BITS(31, 0)
#define IA32_PQR_ASSOC_CLOS BITS(63, 32)

/* Selection and data, one pair per L3. 17.16.7 "Monitoring Resource Selection and Reporting Infrastructure". */
#define IA32_QM_EVTSEL       0xC8Du
#define IA32_QM_EVTSEL_EVTID BITS(7, 0)
#define IA32_QM_EVTSEL_RMID  BITS(63, 32) /* how many of these exist is enumerated: see rdt_info.rmid_width */

#define IA32_QM_EVTSEL_ExtEvtID BIT(31) /* AMD, 0 unless assignable counters are on: APM vol. 2 19.3 */
#define EVTID_L3CacheABMC       1u      /* EvtID beside it: an assigned counter, its number in the RMID field */

#define IA32_QM_CTR      0xC8Eu      /* read only */
#define IA32_QM_CTR_DATA BITS(61, 0) /* counts */
/* Where 0FH.1:EAX[8] says that there is an overflow flag: a read clears it (356688 7.1.1.4). Its place is not in the
 * text that is public; 61 is the only bit between the data that parts have and Unavailable. */
#define IA32_QM_CTR_OVERFLOW    BIT(61)
#define IA32_QM_CTR_UNAVAILABLE BIT(62)
#define IA32_QM_CTR_ERROR       BIT(63)

/* Allocation, 17.17 "Allocation Features". */
#define IA32_L3_QOS_CFG            0xC81u
#define IA32_L3_QOS_CFG_CDP_ENABLE BIT(0)
#define IA32_L2_QOS_CFG            0xC82u
#define IA32_L2_QOS_CFG_CDP_ENABLE BIT(0)

#define IA32_L3_IO_QOS_CFG 0xC83u /* there if 0FH.1:EAX[10:9] or 10H.1:ECX[1] is not 0 */

#define MBA_CFG           0xC84u /* model specific: ICX, SPR, EMR (bit 0), GNR, SRF (bit 2) */
#define MBA_CFG_MIN_DELAY BIT(0) /* of two threads: 0 the larger delay acts, 1 the smaller */
#define MBA_CFG_MBA4      BIT(2)

#define IA32_L3_MASK(n)             (0xC90u + (uint32_t)(n)) /* n: CLOS; the run ends at D0FH */
#define IA32_L3_MASK_LAST           0xD0Fu
#define IA32_L2_MASK(n)             (0xD10u + (uint32_t)(n)) /* to D4FH */
#define IA32_L2_MASK_LAST           0xD4Fu
#define IA32_L2_QoS_Ext_BW_Thrtl(n) (0xD50u + (uint32_t)(n)) /* MBA delay of CLOS n, 0 = none */
#define IA32_QoS_Core_BW_Thrtl(n)   (0xE00u + (uint32_t)(n)) /* CBA, n = 0, 1: one byte per CLOS */

/* Stands inside the address run of the L3 masks, where mask 16 would be: parts with more than 15 classes do not have
 * it. ICX, SPR, EMR, GNR, SRF. */
#define MSR_RMID_SNC_CONFIG       0xCA0u
#define MSR_RMID_SNC_CONFIG_SPLIT BIT(0) /* 1: RMIDs are divided between the sub-NUMA clusters (power-on) */

#define IA32_CORE_CAPABILITIES          0xCFu /* there if 07H.0:EDX[30] */
#define IA32_CORE_CAPABILITIES_STLB_QOS BIT(0)
#define IA32_CORE_CAPABILITIES_MBA4     BIT(10)

#define CPUID_10_5_EAX_LEVELS BITS(7, 0) /* cache bandwidth allocation: levels less 1 */

/* Layouts are not public; there if 10H.0:EBX[6], and if IA32_CORE_CAPABILITIES[0]. */
#define IA32_RESOURCE_PRIORITY        0xC88u
#define IA32_RESOURCE_PRIORITY_PKG    0xC89u
#define STLB_QOS_FILL                 0x1A8Eu
#define STLB_QOS_INFO                 0x1A8Fu
#define CPUID_7_EDX_CORE_CAPABILITIES BIT(30) /* leaf 7 sub-leaf 0: IA32_CORE_CAPABILITIES is there */

/* AMD, APM vol. 2 19.3, 19.4. */
#define L3QOS_BW_CONTROL(n)     (0xC0000200u + (uint32_t)(n)) /* n: COS; unit 1/8 GB/s in the low BW_LEN bits */
#define L3QOS_BW_CONTROL_U(len) BIT(len)                      /* len: BW_LEN. No limit; reset value 1 */
#define L3QOS_SMBW_CONTROL(n)   (0xC0000280u + (uint32_t)(n)) /* the same of slow memory: 19.4.6.1 */
/* GLBE and GLSBE: ceilings that the L3s of a control domain share, a register each L3's. AMD 69193 "Zen6 PQOS
 * Extensions"; names, width and U as Linux has them (series "Global (Slow) Memory Bandwidth Allocation", 2026). */
#define MSR_IA32_GMBA_BW(n)      (0xC0000600u + (uint32_t)(n))
#define MSR_IA32_GSMBA_BW(n)     (0xC0000680u + (uint32_t)(n))
#define PQR_PLZA_ASSOC           0xC00003FCu /* each processor's; not in the APM: Linux MSR_IA32_PQR_PLZA_ASSOC */
#define PQR_PLZA_ASSOC_PLZA_EN   BIT(63)     /* CPL 0 runs with its RMID and COS instead of those of PQR_ASSOC */
#define L3_QOS_ABMC_CFG          0xC00003FDu
#define L3_QOS_ABMC_CFG_CFG_EN   BIT(63)
#define L3_QOS_ABMC_CFG_CTR_EN   BIT(62)
#define L3_QOS_ABMC_CFG_CTR_ID   BITS(52, 48)
#define L3_QOS_ABMC_CFG_IS_COS   BIT(47)
#define L3_QOS_ABMC_CFG_BW_SRC   BITS(43, 32) /* RMID or COS */
#define L3_QOS_ABMC_CFG_BW_TYPE  BITS(31, 0)  /* as QOS_EVT_CFG */
#define L3_QOS_ABMC_DSC          0xC00003FEu
#define L3_QOS_ABMC_DSC_CFG_ERR  BIT(63) /* the counter that L3_QOS_ABMC_CFG selected last has no such configuration */
#define L3_QOS_EXT_CFG           0xC00003FFu
#define L3_QOS_EXT_CFG_ABMC_EN   BIT(0)
#define L3_QOS_EXT_CFG_SDCIAE_EN BIT(1)                        /* I/O fills the ways of the highest COS: 19.4.7 */
#define QOS_EVT_CFG(n)           (0xC0000400u + (uint32_t)(n)) /* n: event id 2, 3, less 2 */
#define QOS_EVT_CFG_LCL_FILL     BIT(0)                        /* figure 19-4 */
#define QOS_EVT_CFG_RMT_FILL     BIT(1)
#define QOS_EVT_CFG_LCL_NT_WR    BIT(2)
#define QOS_EVT_CFG_RMT_NT_WR    BIT(3)
#define QOS_EVT_CFG_VICTIM_BW    BIT(6) /* dirty victims, to all types of memory */
#define QOS_EVT_CFG_BW_TYPES     BITS(6, 0)
#define QOS_EVT_CFG_TOTAL_RESET  0x7Fu
#define QOS_EVT_CFG_LOCAL_RESET  0x15u

/* L3 Range Reservation, each L3's: APM vol. 2 7.6.6, table A-12. */
#define L3RangeReserveBaseAddr   0xC0011095u
#define L3RangeReserveMaxAddr    0xC0011096u
#define L3RangeReserveMaxAddr_En BIT(0)
#define L3RangeReserveWayMask    0xC001109Au /* bit n: way n holds lines of the range alone, whatever L3_MASK_n says */

/* --- CPUID fields ------------------------------------------------------------------------------------------------- */

/* Leaf 07H, sub-leaf 0. */
#define CPUID_7_EBX_PQM    BIT(12) /* monitoring: leaf 0FH */
#define CPUID_7_EBX_PQE    BIT(15) /* allocation: leaf 10H */
#define CPUID_7_EDX_HYBRID BIT(15)

/* Leaf 0FH, "Intel RDT Monitoring Enumeration". Sub-leaf 0. */
#define CPUID_F_0_EBX_MAX_RMID BITS(31, 0)
#define CPUID_F_0_EDX_L3       BIT(1)
#define CPUID_F_0_EDX_RESERVED (BITS(31, 2) | BIT(0))
/* Sub-leaf 1. */
#define CPUID_F_1_EAX_WIDTH       BITS(7, 0) /* counter width less 24 */
#define CPUID_F_1_EAX_OVERFLOW    BIT(8)
#define CPUID_F_1_EAX_NON_CPU_CMT BIT(9)
#define CPUID_F_1_EAX_NON_CPU_MBM BIT(10)
#define CPUID_F_1_EAX_RESERVED    BITS(31, 11)
#define CPUID_F_1_EDX_OCCUPANCY   BIT(0)
#define CPUID_F_1_EDX_TOTAL       BIT(1)
#define CPUID_F_1_EDX_LOCAL       BIT(2)
#define CPUID_F_1_EDX_RESERVED    BITS(31, 3)

/* Leaf 10H, "Intel RDT Allocation Enumeration". Sub-leaf 0. */
#define CPUID_10_0_EBX_L3_CAT            BIT(1)
#define CPUID_10_0_EBX_L2_CAT            BIT(2)
#define CPUID_10_0_EBX_MBA               BIT(3)
#define CPUID_10_0_EBX_CBA               BIT(5)
#define CPUID_10_0_EBX_RESOURCE_PRIORITY BIT(6)
#define CPUID_10_0_EBX_RESERVED          (BITS(31, 7) | BIT(4) | BIT(0))
/* Sub-leaves 1 (L3 CAT) and 2 (L2 CAT). */
#define CPUID_10_CAT_EAX_CBM_LEN       BITS(4, 0) /* less 1 */
#define CPUID_10_CAT_ECX_NON_CPU       BIT(1)     /* sub-leaf 1 only */
#define CPUID_10_CAT_ECX_CDP           BIT(2)
#define CPUID_10_CAT_ECX_NONCONTIGUOUS BIT(3)
#define CPUID_10_1_ECX_RESERVED        (BITS(31, 4) | BIT(0))
#define CPUID_10_2_ECX_RESERVED        (BITS(31, 4) | BITS(1, 0))
#define CPUID_10_EDX_MAX_CLOS          BITS(15, 0)
/* Sub-leaf 3 (MBA). */
#define CPUID_10_3_EAX_MAX_DELAY  BITS(11, 0) /* less 1 */
#define CPUID_10_3_ECX_PER_THREAD BIT(0)
#define CPUID_10_3_ECX_LINEAR     BIT(2)
#define CPUID_10_3_ECX_RESERVED   (BITS(31, 3) | BIT(1))
/* Sub-leaf 5 (CBA), RDT Architecture Specification 3.2.5. */
#define CPUID_10_5_EAX_LEVELS BITS(7, 0) /* less 1 */
/* AMD Fn8000_0020, "PQoS Extended Features". Sub-leaf 0; bits 9:7 are not in the APM, but in Linux' series of 2026. */
#define CPUID_8000_0020_0_EBX_L3BE     BIT(1) /* bandwidth enforcement */
#define CPUID_8000_0020_0_EBX_L3SMBE   BIT(2) /* the same for slow memory */
#define CPUID_8000_0020_0_EBX_BMEC     BIT(3) /* bandwidth event configuration */
#define CPUID_8000_0020_0_EBX_L3RR     BIT(4) /* range reservation */
#define CPUID_8000_0020_0_EBX_ABMC     BIT(5) /* assignable counters */
#define CPUID_8000_0020_0_EBX_SDCIAE   BIT(6) /* allocation enforcement of data that I/O injects */
#define CPUID_8000_0020_0_EBX_GLBE     BIT(7) /* bandwidth enforcement over several L3s */
#define CPUID_8000_0020_0_EBX_GLSBE    BIT(8)
#define CPUID_8000_0020_0_EBX_PLZA     BIT(9) /* PQR_PLZA_ASSOC */
#define CPUID_8000_0020_0_EBX_RESERVED (BITS(31, 10) | BIT(0))
/* Sub-leaf 3. */
#define CPUID_8000_0020_3_EBX_EVT_NUM BITS(7, 0)
/* Sub-leaf 5. */
#define CPUID_8000_0020_5_EAX_WIDTH    BITS(7, 0) /* counter width less 24 */
#define CPUID_8000_0020_5_EAX_OVERFLOW BIT(8)
#define CPUID_8000_0020_5_EBX_MAX_ABMC BITS(15, 0) /* highest counter */
#define CPUID_8000_0020_5_ECX_COS      BIT(0)      /* a counter can follow a COS */
#define CPUID_8000_0008_EBX_BE         BIT(6)      /* bandwidth enforcement, any of it */
