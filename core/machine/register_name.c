/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/machine/register_name.c: names for the registers that a report shows. */
#include "arch/x86/cpu/core_pmu.h"
#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/pmon/pmon.h"
#include "arch/x86/pmon_parts/pmon_parts.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/machine/register_name.h"

const char *register_name(uint32_t msr)
{
    static const struct {
        uint32_t first, last;
        const char *name;
    } names[] = {
        { IA32_TIME_STAMP_COUNTER, IA32_TIME_STAMP_COUNTER, "IA32_TIME_STAMP_COUNTER" },
        { IA32_PLATFORM_ID, IA32_PLATFORM_ID, "IA32_PLATFORM_ID" },
        { IA32_APIC_BASE, IA32_APIC_BASE, "IA32_APIC_BASE" },
        { MSR_SMI_COUNT, MSR_SMI_COUNT, "MSR_SMI_COUNT" },
        { MSR_PPIN_CTL, MSR_PPIN_CTL, "MSR_PPIN_CTL" },
        { MSR_PPIN, MSR_PPIN, "MSR_PPIN" },
        { IA32_BIOS_SIGN_ID, IA32_BIOS_SIGN_ID, "IA32_BIOS_SIGN_ID" },
        { MSR_PLATFORM_INFO, MSR_PLATFORM_INFO, "MSR_PLATFORM_INFO" },
        { IA32_CORE_CAPABILITIES, IA32_CORE_CAPABILITIES, "IA32_CORE_CAPABILITIES" },
        { IA32_MISC_ENABLE, IA32_MISC_ENABLE, "IA32_MISC_ENABLE" },
        { MSR_MISC_FEATURE_CONTROL, MSR_MISC_FEATURE_CONTROL, "MSR_MISC_FEATURE_CONTROL" },
        { AMD_PERF_CTL(AMD_SMI_COUNTER), AMD_PERF_CTL(AMD_SMI_COUNTER), "PERF_CTL5" },
        { AMD_PERF_CNTR_GLOBAL_CTL, AMD_PERF_CNTR_GLOBAL_CTL, "PerfCntrGlobalCtl" },
        { AMD_PREFETCH_CONTROL, AMD_PREFETCH_CONTROL, "PrefetchControl" },
        { IA32_L3_QOS_CFG, IA32_L3_QOS_CFG, "IA32_L3_QOS_CFG" },
        { IA32_L2_QOS_CFG, IA32_L2_QOS_CFG, "IA32_L2_QOS_CFG" },
        { IA32_L3_IO_QOS_CFG, IA32_L3_IO_QOS_CFG, "IA32_L3_IO_QOS_CFG" },
        { MBA_CFG, MBA_CFG, "MBA_CFG" },
        { IA32_QM_EVTSEL, IA32_QM_EVTSEL, "IA32_QM_EVTSEL" },
        { IA32_QM_CTR, IA32_QM_CTR, "IA32_QM_CTR" },
        { IA32_PQR_ASSOC, IA32_PQR_ASSOC, "IA32_PQR_ASSOC" },
        { MSR_RMID_SNC_CONFIG, MSR_RMID_SNC_CONFIG, "MSR_RMID_SNC_CONFIG" }, /* inside the run below: first */
        { IA32_L3_MASK(0), IA32_L3_MASK_LAST, "IA32_L3_MASK_n" },
        { IA32_L2_MASK(0), IA32_L2_MASK_LAST, "IA32_L2_MASK_n" },
        { IA32_L2_QoS_Ext_BW_Thrtl(0), IA32_L2_QoS_Ext_BW_Thrtl(14), "IA32_L2_QoS_Ext_BW_Thrtl_n" },
        { IA32_QoS_Core_BW_Thrtl(0), IA32_QoS_Core_BW_Thrtl(1), "IA32_QoS_Core_BW_Thrtl_n" },
        { L3QOS_BW_CONTROL(0), L3QOS_BW_CONTROL(0x7F), "L3QOS_BW_CONTROL_n" },
        { L3QOS_SMBW_CONTROL(0), L3QOS_SMBW_CONTROL(0x7F), "L3QOS_SMBW_CONTROL_n" },
        { MSR_IA32_GMBA_BW(0), MSR_IA32_GMBA_BW(0x7F), "MSR_IA32_GMBA_BW_n" },
        { MSR_IA32_GSMBA_BW(0), MSR_IA32_GSMBA_BW(0x7F), "MSR_IA32_GSMBA_BW_n" },
        { PQR_PLZA_ASSOC, PQR_PLZA_ASSOC, "PQR_PLZA_ASSOC" },
        { L3RangeReserveBaseAddr, L3RangeReserveBaseAddr, "L3RangeReserveBaseAddr" },
        { L3RangeReserveMaxAddr, L3RangeReserveMaxAddr, "L3RangeReserveMaxAddr" },
        { L3RangeReserveWayMask, L3RangeReserveWayMask, "L3RangeReserveWayMask" },
        { L3_QOS_ABMC_CFG, L3_QOS_ABMC_CFG, "L3_QOS_ABMC_CFG" },
        { L3_QOS_ABMC_DSC, L3_QOS_ABMC_DSC, "L3_QOS_ABMC_DSC" },
        { L3_QOS_EXT_CFG, L3_QOS_EXT_CFG, "L3_QOS_EXT_CFG" },
        { QOS_EVT_CFG(0), QOS_EVT_CFG(7), "QOS_EVT_CFG_n" },
        { IA32_EFER, IA32_EFER, "IA32_EFER" },
        { IA32_TSC_AUX, IA32_TSC_AUX, "IA32_TSC_AUX" },
        { AMD_PPIN_CTL, AMD_PPIN_CTL, "AMD_PPIN_CTL" },
        { AMD_PPIN, AMD_PPIN, "AMD_PPIN" },
    };

    return FIND(i, sizeof names / sizeof *names, msr >= names[i].first && msr <= names[i].last, names[i].name, NULL);
}

const char *machine_register_name(const struct machine *m, uint32_t msr, char words[MACHINE_REGISTER_NAME])
{
    const struct pmon_part *part = m && m->n_cpus ? pmon_part_of(&m->cpus[m->reference].id) : NULL;

    return pmon_msr_name(part, msr, words, MACHINE_REGISTER_NAME) ? words : register_name(msr);
}
