/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/model_run.h: chosen checks on a machine of the silicon model, one of whose registers may answer
 * otherwise than it should. Two cores of one thread in each package.
 *
 * The short way is one expect_*(): it makes the machine, runs the check and holds its verdict and its first finding
 * against what is expected. For more, model_run_new(), changes to the machine or the interposer, model_run_check().
 */
#pragma once
#include "core/machine/machine.h"
#include "tests/support/interposer.h"
#include "tests/support/whole_run.h"

struct model_run {
    struct model_platform *mp;
    struct machine *machine;
    struct whole_run *run;
    struct interposer interposer; /* installed, without a defect */
};

/* tests: pattern of the checks to be run. */
struct model_run *model_run_new(const char *profile, uint32_t packages, const char *tests);
/* The same with quirks of real parts (tests/silicon/README.md, --realism); NULL: none. */
struct model_run *model_run_with(const char *profile, uint32_t packages, const char *tests, const char *realism);
/* Runs them; the result of the check of that id. */
const struct whole_result *model_run_check(struct model_run *r, const char *id);
/* Of a check that ran already. */
enum verdict model_run_verdict(const struct model_run *r, const char *id);
/* Whether the text report has these words: it is wrapped, so few of them. */
bool model_run_says(const struct model_run *r, const char *words);
void model_run_free(struct model_run *r);

/* A check of which these expect something: finding and report are words of its first finding and of the text report,
 * NULL: any. */
struct expected {
    const char *profile, *id;
    uint32_t packages;             /* 0: 1 */
    struct register_defect defect; /* {0}: none */
    /* Of the interposer: what data does not say. May be NULL. */
    void (*before)(struct interposer *i, uint32_t cpu, struct step *s);
    void (*after)(struct interposer *i, uint32_t cpu, struct step *s);
    void *context;
    enum verdict verdict;
    const char *finding, *report;
};

void expect_on(const struct expected *e);
void expect_pass(const char *profile, uint32_t packages, const char *id);
/* With this defect the check ends with this verdict, and its first finding has these words. */
void expect_found(const char *profile, const char *id, struct register_defect defect, enum verdict verdict,
                  const char *finding);
