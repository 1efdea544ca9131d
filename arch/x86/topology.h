/* arch/x86/topology.h: where a processor sits. Source: SDM vol. 3A 8.9 "Programming Considerations for Hardware
 * Multi-Threading Capable Processors" (leaves 1FH, 0BH, 4, 1); APM vol. 3 E.4 (80000026H, 8000001EH, 80000008H). */
#pragma once
#include "arch/x86/cpuid.h"

struct cpu_place {
    uint32_t apic_id;                    /* 32 bits: leaf 1FH or 0BH EDX, else leaf 1 EBX[31:24]           */
    uint32_t thread, core, die, package; /* ids cut out of the APIC id (not indices: there are gaps)   */
    uint32_t l3_id;                      /* apic_id >> l3_shift                                            */
    bool has_l3;
    uint32_t core_shift, die_shift, package_shift, l3_shift;
    uint32_t source_leaf; /* 1FH, 0BH, 80000026H, 8000001EH, 4 or 1                          */
};

MUST_CHECK enum status topology_place(const struct cpuid_source *s, const struct cpu_identity *id,
                                      struct cpu_place *place);
