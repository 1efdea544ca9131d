/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/cpu/machine_check.h"

#include <stddef.h>

#include "core/base/search.h"

#define MCACOD_F 0x1000u /* compound codes: corrected errors of this kind are filtered */

/* SDM vol. 3B, tables "IA32_MCi_Status [15:0] Simple Error Code Encoding" and "... Compound Error Code Encoding". A code is of
 * the first row whose bits under the mask it has. */
static const struct {
    const char *kind;
    uint16_t mask, code;
    bool of_memory;
} kinds[] = {
    { "no error", 0xFFFF, 0x0000, false },
    { "unclassified", 0xFFFF, 0x0001, false },
    { "microcode ROM parity", 0xFFFF, 0x0002, false },
    { "external", 0xFFFF, 0x0003, false },
    { "functional redundancy check", 0xFFFF, 0x0004, false },
    { "internal parity", 0xFFFF, 0x0005, false },
    { "SMM handler code access", 0xFFFF, 0x0006, false },
    { "internal timer", 0xFFFF, 0x0400, false },
    { "internal unclassified", 0xFC00, 0x0400, false },
    { "bus or interconnect", 0xF800, 0x0800, false },
    { "memory used as a cache", 0xFF80, 0x0280, true },
    { "cache hierarchy", 0xFF00, 0x0100, true },
    { "memory controller", 0xFF80, 0x0080, true },
    { "TLB", 0xFFF0, 0x0010, false },
    { "generic cache hierarchy", 0xFFFC, 0x000C, true },
};

static uint32_t kind_of(uint64_t status)
{
    uint16_t code = (uint16_t)field_get(IA32_MC_STATUS_MCACOD, status);
    return INDEX_OF(i, sizeof kinds / sizeof *kinds,
                    (code & kinds[i].mask) == kinds[i].code || ((code & ~MCACOD_F) & kinds[i].mask) == kinds[i].code);
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
        const char *block;
        uint16_t hardware_id, mca_type;
        bool of_memory;
    } blocks[] = {
        { "LS", 0xB0, 0x00, true },    { "LS", 0xB0, 0x10, true },    { "IF", 0xB0, 0x01, true },
        { "L2", 0xB0, 0x02, true },    { "L3", 0xB0, 0x07, true },    { "UMC", 0x96, 0x00, true },
        { "UMC", 0x96, 0x01, true },   { "MALL", 0x2E, 0x04, true },  { "DE", 0xB0, 0x03, false },
        { "EX", 0xB0, 0x05, false },   { "FP", 0xB0, 0x06, false },   { "CS", 0x2E, 0x00, false },
        { "CS", 0x2E, 0x02, false },   { "PIE", 0x2E, 0x01, false },  { "PB", 0x05, 0x00, false },
        { "SMU", 0x01, 0x00, false },  { "SMU", 0x01, 0x01, false },  { "NBIO", 0x18, 0x00, false },
        { "PCIE", 0x46, 0x00, false }, { "PCIE", 0x46, 0x01, false },
    };

    for (uint32_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (blocks[i].hardware_id == field_get(MCA_IPID_HardwareID, ipid) &&
            blocks[i].mca_type == field_get(MCA_IPID_McaType, ipid)) {
            *of_memory = blocks[i].of_memory;
            return blocks[i].block;
        }
    return NULL;
}
