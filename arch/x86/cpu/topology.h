/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/cpu/topology.h: where a processor sits. Source: SDM vol. 3A 8.9 "Programming Considerations for Hardware
 * Multi-Threading Capable Processors" (leaves 1FH, 0BH, 4, 1); APM vol. 3 E.4 (80000026H, 8000001EH, 80000008H). */
#pragma once
#include "arch/x86/cpu/cpuid.h"

struct cpu_place {
    uint32_t apic_id; /* 32 bits: EDX of the topology leaf, 8000001EH EAX, else leaf 1 EBX[31:24] */
    /* Ids cut out of the APIC id, not indices: they have gaps where firmware or fuses turned cores off. thread counts
     * within the core, core and die within the package. die is 0 where no level below the package is enumerated. */
    uint32_t thread, core, die, package;
    uint32_t l3_id; /* apic_id >> l3_shift. Unlike L3s of one package may shift differently: compare both          */
    bool has_l3;    /* AMD's processors without TopologyExtensions (before family 15H) do not describe theirs */
    /* 0, or how many consecutive ids of a package share an L3 where no shift separates them: family 15H numbers cores of
     * the second node on from those of the first (BKDG 42301, "ApicId Enumeration Requirements"). l3_id counts them. */
    uint32_t l3_ids;
    uint32_t core_shift, die_shift, package_shift, l3_shift;
    uint32_t source_leaf; /* 1FH, 0BH, 80000026H, 8000001EH, 80000008H, 4 or 1                    */
};

/* Threads of one core. */
static inline bool place_same_core(const struct cpu_place *a, const struct cpu_place *b)
{
    return a->package == b->package && a->die == b->die && a->core == b->core;
}

/* The APIC id alone, of a few CPUID instructions. SDM vol. 2A CPUID: EDX of leaf 1FH or 0BH is the x2APIC id wherever the
 * leaf has a level at all; APM vol. 3 E.4: that of 80000026H too. Leaf 1 has the initial id, which AMD's firmware may have
 * changed: 8000001EH EAX is the one in use (BKDG 42301, CPUID Fn8000_001E_EAX). */
uint32_t topology_apic_id(const struct cpuid_source *s);
/* Where the processor that answers as `s` sits. *place is filled on ST_OK.
 * ST_ABSENT: leaf 1 is missing. */
MUST_CHECK enum status topology_place(const struct cpuid_source *s, const struct cpu_identity *id,
                                      struct cpu_place *place);
/* The ids that another APIC id has on the same machine: the shifts of `like` applied to apic_id. For processors that
 * are listed but cannot be asked. */
struct cpu_place topology_of_apic_id(const struct cpu_place *like, uint32_t apic_id);
