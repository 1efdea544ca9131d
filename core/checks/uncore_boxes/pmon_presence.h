/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/uncore_boxes/pmon_presence.h: which boxes are there, for the checks that compare it with what says so. */
#pragma once
#include "core/check/check.h"
#include "core/tools/tools.h"

/* Says of a box that is missing though its like in other packages is there, or that answers in part: FAIL, WARN or a note. Nothing of
 * a box that can be used. */
void presence_judge(struct check *c, const struct pmon_box *box);
