/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/pmon_parts/pmon_parts.h: the list of parts. Each has its file of tables, which names its processors. */
#pragma once
#include "arch/x86/pmon/pmon_unit.h"

#define PMON_PARTS(PART)                                                                                               \
    PART(pmon_nehalem)                                                                                                 \
    PART(pmon_nehalem_client)                                                                                          \
    PART(pmon_client_snb)                                                                                              \
    PART(pmon_client_skl)                                                                                              \
    PART(pmon_client_icl)                                                                                              \
    PART(pmon_client_tgl_u)                                                                                            \
    PART(pmon_client_tgl)                                                                                              \
    PART(pmon_client_rkl)                                                                                              \
    PART(pmon_client_adl)                                                                                              \
    PART(pmon_client_mtl)                                                                                              \
    PART(pmon_client_lnl)                                                                                              \
    PART(pmon_client_ptl)                                                                                              \
    PART(pmon_client_nvl)                                                                                              \
    PART(pmon_nehalem_ex)                                                                                              \
    PART(pmon_jaketown)                                                                                                \
    PART(pmon_ivytown)                                                                                                 \
    PART(pmon_haswell)                                                                                                 \
    PART(pmon_broadwell)                                                                                               \
    PART(pmon_broadwell_de)                                                                                            \
    PART(pmon_cooper)                                                                                                  \
    PART(pmon_skylake)                                                                                                 \
    PART(pmon_icelake)                                                                                                 \
    PART(pmon_icelake_d)                                                                                               \
    PART(pmon_snowridge)                                                                                               \
    PART(pmon_knights)                                                                                                 \
    PART(pmon_sapphire)                                                                                                \
    PART(pmon_emerald)                                                                                                 \
    PART(pmon_granite)                                                                                                 \
    PART(pmon_sierra)                                                                                                  \
    PART(pmon_ridge)                                                                                                   \
    PART(pmon_diamond)                                                                                                 \
    PART(pmon_zen)                                                                                                     \
    PART(pmon_zen2)                                                                                                    \
    PART(pmon_zen3)                                                                                                    \
    PART(pmon_zen4)                                                                                                    \
    PART(pmon_zen6)

#define PMON_PART_DECLARED(part) extern const struct pmon_part part;
PMON_PARTS(PMON_PART_DECLARED)
#undef PMON_PART_DECLARED

/* The part's tables, NULL where there are none. */
const struct pmon_part *pmon_part_of(const struct cpu_identity *id);
/* A processor that is in no part's tables, but has discovery tables of its own: unit types by their numbers alone. */
extern const struct pmon_part pmon_listed;
/* Every part, for tests. */
extern const struct pmon_part *const pmon_parts[];
extern const uint32_t pmon_n_parts;
/* Some unit or box type of the part is of that kind. */
bool pmon_part_has(const struct pmon_part *part, enum pmon_kind kind);
/* Where its memory controllers are; NULL: not in the tables. */
const struct pmon_memory_map *pmon_memory_map_of(const struct pmon_part *part);
