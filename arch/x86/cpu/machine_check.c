/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/cpu/machine_check.h"

#include <stddef.h>

#include "core/base/bits.h"

#define MCACOD_F 0x1000u /* compound codes: corrected errors of this kind are filtered */

/* SDM vol. 3B, tables "IA32_MCi_Status [15:0] Simple Error Code Encoding" and "... Compound Error Code Encoding". A code is of
 * the first row whose bits under the mask it has. */
static const struct {
    uint16_t mask, code;
    const char *kind;
} kinds[] = {
    { 0xFFFF, 0x0000, "no error" },
    { 0xFFFF, 0x0001, "unclassified" },
    { 0xFFFF, 0x0002, "microcode ROM parity" },
    { 0xFFFF, 0x0003, "external" },
    { 0xFFFF, 0x0004, "functional redundancy check" },
    { 0xFFFF, 0x0005, "internal parity" },
    { 0xFFFF, 0x0006, "SMM handler code access" },
    { 0xFFFF, 0x0400, "internal timer" },
    { 0xFC00, 0x0400, "internal unclassified" },
    { 0xF800, 0x0800, "bus or interconnect" },
    { 0xFF80, 0x0280, "memory used as a cache" },
    { 0xFF00, 0x0100, "cache hierarchy" },
    { 0xFF80, 0x0080, "memory controller" },
    { 0xFFF0, 0x0010, "TLB" },
    { 0xFFFC, 0x000C, "generic cache hierarchy" },
};

const char *machine_check_kind(uint64_t status)
{
    uint16_t code = (uint16_t)field_get(IA32_MC_STATUS_MCACOD, status);

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((code & kinds[i].mask) == kinds[i].code || ((code & ~MCACOD_F) & kinds[i].mask) == kinds[i].code)
            return kinds[i].kind;
    return "unknown";
}
