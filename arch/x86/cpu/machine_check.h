/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/cpu/machine_check.h: what a machine-check bank says of an error.
 *
 * Source: SDM vol. 3B, "Machine-Check Architecture", IA32_MCi_STATUS, and "Interpreting the Machine Check Error Codes";
 * APM vol. 2, 9.3.3 "Error-Reporting Bank Registers", has the same compound error codes.
 */
#pragma once
#include <stdint.h>

#include "core/base/bits.h"

#define IA32_MCG_CAP          0x179u
#define IA32_MCG_CAP_Count    BITS(7, 0)
#define IA32_MCG_STATUS       0x17Au
#define IA32_MCG_STATUS_RIPV  BIT(0)
#define IA32_MC_STATUS(bank)  (0x401u + 4u * (bank))
#define IA32_MC_STATUS_VAL    BIT(63)
#define IA32_MC_STATUS_ADDRV  BIT(58)
#define IA32_MC_STATUS_PCC    BIT(57)
#define IA32_MC_STATUS_MCACOD BITS(15, 0)
#define IA32_MC_ADDR(bank)    (0x402u + 4u * (bank))

/* The kind of error that MCACOD names, filtering (bit 12, F) left out: "memory controller", "cache hierarchy", ... Never NULL. */
const char *machine_check_kind(uint64_t status);
