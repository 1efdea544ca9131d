/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/capability.h: what a part can do, derived from its profile: CPUID as recorded, the registers
 * that it has, the tables of its uncore monitors. Faults say by these what they need of a part. capability.c has a row
 * for each.
 */
#pragma once
#include <stdbool.h>

struct profile;

enum capability {
    CAP_NONE, /* ends a list */
    CAP_INTEL,
    CAP_AMD,
    /* RDT */
    CAP_CMT,
    CAP_MBM_TOTAL,
    CAP_MBM_LOCAL,
    CAP_MBM_NEAR_WRAP,
    CAP_MBM_NT_STORES,
    CAP_MBM_ERRATUM,
    CAP_RMIDS_ODD,
    CAP_RMID_ABOVE,
    CAP_EVTSEL_PRIVATE,
    CAP_L3_INCLUSIVE,
    CAP_CAT,
    CAP_CAT_HOLES,
    CAP_CAT_SPARE,
    CAP_CDP,
    CAP_L2_CAT,
    CAP_MBA,
    CAP_MBA_CFG,
    CAP_CEILING,
    CAP_THROTTLE,
    CAP_BMEC,
    CAP_ABMC,
    CAP_IO_RDT,
    CAP_SNC_REGISTER,
    CAP_SNC,
    CAP_ERDT,
    CAP_CBA,
    CAP_PRIORITY,
    CAP_STLB_QOS,
    /* processors */
    CAP_LEAF_7_1,
    CAP_PREFETCH_CONTROL,
    CAP_CORE_PMU,
    /* uncore: capability_of_uncore() */
    CAP_PMON,
    CAP_FIXED_UNITS,
    CAP_DISCOVERY,
    CAP_UBOX,
    CAP_UNCORE_RATIO,
    CAP_BOX_CTL,
    CAP_GLOBAL_FREEZE,
    CAP_COUNTER_ENABLE,
    CAP_COUNTER_RESET,
    CAP_OVERFLOW,
    CAP_OV_EN,
    CAP_PCI_BOXES,
    CAP_CBO,
    CAP_TOR,
    CAP_TOR_HIT_MISS,
    CAP_TID,
    CAP_SBO,
    CAP_BANDS,
    CAP_QUEUES,
    CAP_UMASK_SUMS,
    CAP_CAS_SUMS,
    CAP_HOME_EVENTS,
    CAP_QPI,
    CAP_IMC,
    CAP_IMC_MMIO,
    CAP_IMC_SPARE,
    CAP_IMC_FREE,
    CAP_IMC_FREE_LINES,
    CAP_FREE_CLOCK,
    CAP_NHM_UNCORE,
    CAP_CHA_COUNT,
    CAP_NODE_ID,
    CAP_BUS_NUMBERS,
    CAP_L3_PMC,
    CAP_DF,
    CAP_DF_BOTH_WAYS,
    CAP_UMC,
    CAPABILITIES
};

bool profile_has(const struct profile *p, enum capability c);
static inline bool capability_of_uncore(enum capability c)
{
    return c >= CAP_PMON;
}
/* What it is called, as the object of "has no". */
const char *capability_text(enum capability c);
