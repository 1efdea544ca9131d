/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/pmon/pmon_spr.h: what discovery tables leave out. */
#pragma once
#include "arch/x86/pmon/pmon.h"

extern const struct pmon_control pmon_control_spr, pmon_control_spr_wide, pmon_control_spr_narrow;

/* A pattern of the box type: name, kind, clock and events, no registers. A number that nobody documents gives "box". */
const struct pmon_unit *pmon_spr_type(const struct pmon_part *part, uint32_t type);
