/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/certificate.h: the last step of a run, "restore.registers". */
#pragma once
#include "core/platform/ledger.h"
#include "core/report/report.h"

/* Every register touched, and whether it is as it was found; also processor state that the platform hands in (vectors,
 * CR4, XCR0). l may be NULL. Returns its verdict: PASS; FAIL: something does not read as it was found; WARN: something
 * could not be read again; SKIP: nothing was touched, or r is NULL. It is not counted among the checks: whoever ends the
 * run adds a FAIL to the counts (verdict_count()), and only that, since a PASS here must not make a run out of nothing
 * checked. */
enum verdict certificate_report(struct report *r, const struct ledger *l, const struct restored_item *items,
                                uint32_t n_items);
