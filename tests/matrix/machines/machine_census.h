/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/machines/machine_census.h: what faultless machines came to: verdicts by check, by profile and by quirk, and
 * whether they keep the bound: no FAIL, no ERROR, every run ended, and WARN at most once in a hundred verdicts. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/check/row.h"
#include "tests/matrix/machines/machine_draw.h"
#include "tests/silicon/quirks/realism.h"

#define CENSUS_CHECKS   300u
#define CENSUS_PROFILES 32u
#define WARN_ONE_IN     100u

struct census_check {
    char id[64];
    uint32_t verdicts[VERDICT_ERROR + 1]; /* machines that say so */
};
struct census_share {
    uint32_t machines, bad; /* bad: FAIL or ERROR somewhere, or ended otherwise */
};
struct census {
    struct census_check checks[CENSUS_CHECKS];
    uint32_t n_checks;
    struct {
        const char *name;
        struct census_share share;
    } profiles[CENSUS_PROFILES];
    uint32_t n_profiles;
    struct census_share all, quirk[REALISM_QUIRKS][2]; /* [quirk][is it on] */
    uint32_t verdicts[VERDICT_ERROR + 1], ended_badly;
    uint32_t
        left; /* WARN of reset.* on machines with registers that were left so (quirks left-*): right, not counted */
};

/* answer: of machine_run.h, with every verdict. Returns whether the machine is bad. */
bool census_add(struct census *c, const struct drawn_machine *d, const char *answer, bool ended_well);
bool census_no_false_verdict(const struct census *c); /* no FAIL, no ERROR, and every run ended */
bool census_few_warnings(const struct census *c);
uint32_t census_pairs(const struct census *c); /* of machine and check */
void census_print(const struct census *c, FILE *out);
