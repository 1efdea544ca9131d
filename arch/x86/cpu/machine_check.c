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
    bool of_memory;
} kinds[] = {
    { 0xFFFF, 0x0000, "no error", false },
    { 0xFFFF, 0x0001, "unclassified", false },
    { 0xFFFF, 0x0002, "microcode ROM parity", false },
    { 0xFFFF, 0x0003, "external", false },
    { 0xFFFF, 0x0004, "functional redundancy check", false },
    { 0xFFFF, 0x0005, "internal parity", false },
    { 0xFFFF, 0x0006, "SMM handler code access", false },
    { 0xFFFF, 0x0400, "internal timer", false },
    { 0xFC00, 0x0400, "internal unclassified", false },
    { 0xF800, 0x0800, "bus or interconnect", false },
    { 0xFF80, 0x0280, "memory used as a cache", true },
    { 0xFF00, 0x0100, "cache hierarchy", true },
    { 0xFF80, 0x0080, "memory controller", true },
    { 0xFFF0, 0x0010, "TLB", false },
    { 0xFFFC, 0x000C, "generic cache hierarchy", true },
};

static uint32_t kind_of(uint64_t status)
{
    uint16_t code = (uint16_t)field_get(IA32_MC_STATUS_MCACOD, status);
    uint32_t i = 0;

    while (i < sizeof kinds / sizeof *kinds && (code & kinds[i].mask) != kinds[i].code &&
           ((code & ~MCACOD_F) & kinds[i].mask) != kinds[i].code)
        i++;
    return i;
}

const char *machine_check_kind(uint64_t status)
{
    uint32_t i = kind_of(status);

    return i < sizeof kinds / sizeof *kinds ? kinds[i].kind : "unknown";
}

bool machine_check_is_of_memory(uint64_t status)
{
    uint32_t i = kind_of(status);

    return i < sizeof kinds / sizeof *kinds && kinds[i].of_memory;
}

/* Linux arch/x86/kernel/cpu/mce/amd.c, smca_hwid_mcatypes[], has the same pairs; names as in the PPR. */
const char *machine_check_block(uint64_t ipid, bool *of_memory)
{
    static const struct {
        uint16_t hardware_id, mca_type;
        const char *block;
        bool of_memory;
    } blocks[] = {
        { 0xB0, 0x00, "LS", true },    { 0xB0, 0x10, "LS", true },    { 0xB0, 0x01, "IF", true },
        { 0xB0, 0x02, "L2", true },    { 0xB0, 0x07, "L3", true },    { 0x96, 0x00, "UMC", true },
        { 0x96, 0x01, "UMC", true },   { 0x2E, 0x04, "MALL", true },  { 0xB0, 0x03, "DE", false },
        { 0xB0, 0x05, "EX", false },   { 0xB0, 0x06, "FP", false },   { 0x2E, 0x00, "CS", false },
        { 0x2E, 0x02, "CS", false },   { 0x2E, 0x01, "PIE", false },  { 0x05, 0x00, "PB", false },
        { 0x01, 0x00, "SMU", false },  { 0x01, 0x01, "SMU", false },  { 0x18, 0x00, "NBIO", false },
        { 0x46, 0x00, "PCIE", false }, { 0x46, 0x01, "PCIE", false },
    };

    for (uint32_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (blocks[i].hardware_id == field_get(MCA_IPID_HardwareID, ipid) &&
            blocks[i].mca_type == field_get(MCA_IPID_McaType, ipid)) {
            *of_memory = blocks[i].of_memory;
            return blocks[i].block;
        }
    return NULL;
}
