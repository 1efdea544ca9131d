/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/load/attempts.h"

void attempts_add(struct attempts *a, struct check *c, enum status st)
{
    char why[sizeof a->why];

    if (st != ST_ABSENT) {
        check_conclude(c, st);
        a->measured++;
        return;
    }
    check_take_reason(c, a->why[0] ? why : a->why, sizeof why);
}

enum status attempts_result(const struct attempts *a, struct check *c)
{
    return a->measured || check_verdict(c) != VERDICT_PASS ? ST_OK : check_absent(c, "%s", a->why);
}
