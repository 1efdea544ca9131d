/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/boxes/boxes_find.h: finds the uncore boxes of this machine.
 *
 * MSR boxes are looked for on one processor of each package; boxes by PCI on every bus of every segment by vendor and
 * device id, function by function, since firmware hides function 0 or the whole device; boxes by memory where the base
 * address registers say. Of registers only Command.MSE is written (dvsec.h).
 */
#pragma once
#include "core/boxes/boxes.h"

/* Find every box. *pmon is written in any case. ST_NO_MEMORY; otherwise ST_OK, and each box has its status. */
MUST_CHECK enum status boxes_find(struct platform *p, const struct machine *m, struct pmon *pmon);
