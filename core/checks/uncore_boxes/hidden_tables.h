/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/uncore_boxes/hidden_tables.h: whether firmware hides functions that lead to discovery tables. It may hide any
 * function of the uncore (intel/pcm has hints where it does), and no document forbids that; one that is shown, of the id
 * that tables have (Linux UNCORE_DISCOVERY_TABLE_DEVICE), has a table of its own. For parts with discovery tables. */
#pragma once
#include "core/tools/tools.h"

/* Has each function of the tables' id that is shown a table? */
bool tables_may_be_hidden(const struct pmon *pmon);
/* Do the tables of a package lack, by firmware's hiding, at least half as many of its slices as a die has? Dies have a table
 * each. */
bool tables_lack_die(const struct pmon *pmon, uint32_t package);
