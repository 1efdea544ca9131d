/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/load/attempts.h: loads or packages that a check tries one after another, of which some may not be possible. */
#pragma once
#include "core/check/check.h"

struct attempts {
    uint32_t measured;
    char why[256]; /* the first reason of one that was not possible */
};
/* What came of one: ST_ABSENT is kept as a reason, any other status is concluded and counts as measured. */
void attempts_add(struct attempts *a, struct check *c, enum status st);
/* ST_OK if any was measured or the check has a finding, else ST_ABSENT with the first reason. */
MUST_CHECK enum status attempts_result(const struct attempts *a, struct check *c);
