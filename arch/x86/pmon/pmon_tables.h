/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/pmon/pmon_tables.h: the parts that pmon_parts.c lists, one file of tables each. */
#pragma once
#include "arch/x86/pmon/pmon.h"

extern const struct pmon_part pmon_nehalem, pmon_nehalem_ex, pmon_jaketown, pmon_ivytown, pmon_haswell, pmon_broadwell,
    pmon_broadwell_de, pmon_skylake, pmon_icelake, pmon_sapphire, pmon_granite, pmon_zen, pmon_zen3, pmon_zen4;
