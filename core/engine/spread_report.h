/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/spread_report.h: the step "spread.rounds", which closes a run of several rounds. */
#pragma once
#include "core/check/spread.h"
#include "core/machine/machine.h"
#include "core/report/report.h"

/* Each figure and each check's verdicts in the stream; in the text the verdicts that were not
 * the same in every round, and the figures that spread most. WARN: some verdict changed. Returns its verdict. */
enum verdict spread_report(const struct spread *s, struct report *r, struct platform *p, struct machine *m);
