/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/check_replay.h: what a check said of a part of the machine, in its turn. */
#pragma once
#include "core/check/check.h"
#include "core/check/check_log.h"

/* Everything in the log once more, to c, so that its report does not show which parts were measured at once; and what was
 * counted of samples. Figures are held to bands of good machines here. */
void check_replay(struct check *c, const struct check_log *log, const struct check_record *counted);
