/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/cpu/machine_check.h: what a machine-check bank says of an error.
 *
 * Source: SDM vol. 3B, "Machine-Check Architecture", IA32_MCi_STATUS, and "Interpreting the Machine Check Error Codes";
 * APM vol. 2, 9.3.3 "Error-Reporting Bank Registers", has the same compound error codes.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/base/bits.h"

#define IA32_MCG_CAP                         0x179u
#define IA32_MCG_CAP_Count                   BITS(7, 0)
#define IA32_MCG_CAP_CMCI_P                  BIT(10)
#define IA32_MCG_STATUS                      0x17Au
#define IA32_MCG_STATUS_RIPV                 BIT(0)
#define IA32_MCG_STATUS_EIPV                 BIT(1) /* the error is of the instruction that was interrupted */
#define IA32_MC_STATUS(bank)                 (0x401u + 4u * (bank))
#define IA32_MC_STATUS_VAL                   BIT(63)
#define IA32_MC_STATUS_UC                    BIT(61)
#define IA32_MC_STATUS_EN                    BIT(60)
#define IA32_MC_STATUS_ADDRV                 BIT(58)
#define IA32_MC_STATUS_PCC                   BIT(57)
#define IA32_MC_STATUS_Corrected_Error_Count BITS(52, 38) /* where MCG_CMCI_P */
#define IA32_MC_STATUS_MCACOD                BITS(15, 0)
#define IA32_MC_ADDR(bank)                   (0x402u + 4u * (bank))
#define IA32_MC_MISC(bank)                   (0x403u + 4u * (bank))

/* AMD. Registers of MCAX, by APM vol. 2, 9.3.2.5: where CPUID Fn8000_0007_EBX[3] (ScalableMca) is 1. */
#define CPUID_80000007_EBX_ScalableMca BIT(3)
#define MCA_STATUS(bank)               (0xC0002001u + 16u * (bank))
#define MCA_STATUS_Deferred            BIT(44)
#define MCA_ADDR(bank)                 (0xC0002002u + 16u * (bank))
#define MCA_MISC0(bank)                (0xC0002003u + 16u * (bank))
#define MCA_MISC0_Valid                BIT(63)
#define MCA_MISC0_CntP                 BIT(62)
#define MCA_MISC0_ErrCnt               BITS(43, 32) /* DRAM and other error thresholds: counts up to FFFH */
#define MCA_IPID(bank)                 (0xC0002005u + 16u * (bank))
#define MCA_IPID_McaType               BITS(63, 48)
#define MCA_IPID_HardwareID            BITS(43, 32)

/* The kind of error that MCACOD names, filtering (bit 12, F) left out: "memory controller", "cache hierarchy", ... Never NULL. */
const char *machine_check_kind(uint64_t status);
/* Whether that kind is an error of the memory or of a cache of the part. */
bool machine_check_is_of_memory(uint64_t status);
/* The block that a bank of AMD's is of, "L3", "UMC" ..., by MCA_IPID (PPR, "MCA Bank to Block Mapping"); of_memory: whether
 * it is a cache or a memory controller. NULL: no such block is known. */
const char *machine_check_block(uint64_t ipid, bool *of_memory);
