/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/uncore_boxes/pmon_presence.h: which boxes answer, for checks that compare them with what lists them. */
#pragma once
#include "core/check/check.h"
#include "core/tools/tools.h"

/* A box that other packages have and this one lacks, or that answers in part, is a finding; other boxes that cannot be
 * used get a note. */
void presence_judge(struct check *c, const struct pmon_box *box);
