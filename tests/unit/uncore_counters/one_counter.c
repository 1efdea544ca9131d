/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Rules that hold for each counter of a box, broken in one of them alone. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "tests/silicon/model/model.h"
#include "tests/support/run/model_run.h"

#define COUNTERS 4u /* that every box of these parts with the fault's unit has */
#define BOX      "5" /* UNIT_IMC */

static const struct {
    const char *fault, *check, *profile;
} rules[] = {
    { "pmon-threshold", "pmon.threshold", "bdx" },
    { "pmon-threshold", "pmon.threshold", "spr" },
    { "pmon-threshold-narrow", "pmon.threshold", "bdx" },
    { "pmon-threshold-narrow", "pmon.threshold", "gnr" },
    { "pmon-invert", "pmon.invert", "snbep" },
    { "pmon-invert", "pmon.invert", "icx" },
    { "pmon-invert-alone", "pmon.invert", "skx" },
    { "pmon-edge", "pmon.edge", "hsx" },
    { "pmon-edge", "pmon.edge", "emr" },
    { "edge-alone-half", "pmon.edge", "ivbep" },
    { "pmon-frozen-write-lost", "pmon.freeze", "bdx" },
    { "pmon-frozen-write-lost", "pmon.freeze", "spr" },
    { "pmon-frz-en-ignored", "pmon.freeze", "snbep" },
    { "pmon-global-freeze-misses", "pmon.global-freeze", "bdx" },
    { "pmon-global-freeze-misses", "pmon.global-freeze", "srf" },
};

Test(one_counter, a_rule_that_one_counter_alone_breaks_is_found_in_each)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        for (uint32_t k = 0; k < COUNTERS; k++) {
            char fault[64], place[16];
            struct model_run *r;
            enum verdict verdict;

            snprintf(fault, sizeof fault, "%s:" BOX ":%u", rules[i].fault, k);
            snprintf(place, sizeof place, "counter %u", k);
            r = model_run_on((struct model_config){ .profile = rules[i].profile, .faults = { fault } }, rules[i].check,
                             0);
            verdict = model_run_check(r, rules[i].check)->verdict;
            cr_expect(verdict == VERDICT_FAIL || verdict == VERDICT_WARN, "%s on %s: %s", fault, rules[i].profile,
                      verdict_text(verdict));
            cr_expect(model_run_streams(r, place), "%s on %s: %s", fault, rules[i].profile, r->run->text);
            model_run_free(r);
        }
}
