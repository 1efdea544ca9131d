/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/boxes/finders.h: the finders of boxes, one for each enum pmon_find. Each adds the boxes of a unit to the search. */
#pragma once
#include "core/boxes/box_search.h"

/* By MSR (find_msr.c): one; all that answer; as many as CAPID4 says. Of each die, where the part is by_die. */
void boxes_find_one(struct box_search *s, const struct pmon_unit *u, struct bus_owner of);
void boxes_find_probed(struct box_search *s, const struct pmon_unit *u, struct bus_owner of);
void boxes_find_sbos(struct box_search *s, const struct pmon_unit *u, struct bus_owner of);
/* AMD's of a package (find_amd.c): an L3 of each core complex; the data fabric and the memory channels of each node. */
void boxes_find_ccx(struct box_search *s, const struct pmon_unit *u, uint32_t package);
void boxes_find_df(struct box_search *s, const struct pmon_unit *u, uint32_t package);
void boxes_find_umcs(struct box_search *s, const struct pmon_unit *u, uint32_t package);
/* By PCI (find_pci.c): functions at the unit's places; by memory, where base address registers of a
 * function say; at fixed addresses. */
void boxes_find_places(struct box_search *s, const struct pmon_unit *u);
void boxes_find_memory(struct box_search *s, const struct pmon_unit *u);
void boxes_find_bar(struct box_search *s, const struct pmon_unit *u);
void boxes_find_fixed(struct box_search *s, const struct pmon_unit *u);
/* Every box of every discovery table (find_discovered.c). */
void boxes_find_discovered(struct box_search *s);
