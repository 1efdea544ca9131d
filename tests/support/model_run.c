/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/model_run.h"
#include "tests/support/profile_bands.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/platform/ledger.h"

struct model_run *model_run_with(const char *profile, uint32_t packages, const char *tests, const char *realism)
{
    struct model_config config = MODEL(profile, packages, 2, 1, .seed = 5, .realism = realism);
    struct model_run *r = calloc(1, sizeof *r);
    struct ledger ledger;

    cr_assert(r);
    r->mp = model_platform_new(&config, 0);
    r->machine = calloc(1, sizeof *r->machine);
    r->run = calloc(1, sizeof *r->run);
    cr_assert(r->mp && r->machine && r->run);
    cr_assert_eq(ledger_init(&r->mp->platform, &ledger), ST_OK);
    cr_assert_eq(machine_enumerate(&r->mp->platform, r->machine), ST_OK);
    ledger_free(&ledger);
    r->run->mp = r->mp;
    r->run->tests[0] = tests;
    r->run->no_figures = !profile_bands_know(realism);
    interposer_install(&r->interposer, &r->mp->platform);
    return r;
}

struct model_run *model_run_new(const char *profile, uint32_t packages, const char *tests)
{
    return model_run_with(profile, packages, tests, NULL);
}

const struct whole_result *model_run_check(struct model_run *r, const char *id)
{
    const struct whole_result *result;

    whole_run_on(&r->mp->platform, r->machine, r->run);
    result = whole_run_find(r->run, id);
    cr_assert(result, "%s did not run", id);
    return result;
}

enum verdict model_run_verdict(const struct model_run *r, const char *id)
{
    const struct whole_result *result = whole_run_find(r->run, id);

    cr_assert(result, "%s did not run", id);
    return result->verdict;
}

bool model_run_says(const struct model_run *r, const char *words)
{
    return strstr(r->run->text, words) != NULL;
}

void model_run_free(struct model_run *r)
{
    interposer_remove(&r->interposer);
    machine_free(r->machine);
    free(r->machine);
    whole_run_free(r->run);
    free(r->run);
    free(r);
}

/* --- expectations ------------------------------------------------------------------------------------------------- */

void expect_on(const struct expected *e)
{
    struct model_run *r = model_run_new(e->profile, e->packages ? e->packages : 1, e->id);
    const struct whole_result *result;

    r->interposer.defect = e->defect;
    r->interposer.before = e->before;
    r->interposer.after = e->after;
    r->interposer.context = e->context;
    result = model_run_check(r, e->id);
    cr_expect_eq(result->verdict, e->verdict, "%s on %s is %s: %s", e->id, e->profile, verdict_text(result->verdict),
                 result->reason);
    cr_expect(!e->finding || strstr(result->reason, e->finding), "%s on %s: \"%s\" is not in \"%s\"", e->id, e->profile,
              e->finding, result->reason);
    cr_expect(!e->report || model_run_says(r, e->report), "%s on %s: \"%s\" is not in\n%s", e->id, e->profile,
              e->report, r->run->text);
    model_run_free(r);
}

void expect_pass(const char *profile, uint32_t packages, const char *id)
{
    expect_on(&(struct expected){ .profile = profile, .packages = packages, .id = id, .verdict = VERDICT_PASS });
}

void expect_found(const char *profile, const char *id, struct register_defect defect, enum verdict verdict,
                  const char *finding)
{
    expect_on(
        &(struct expected){ .profile = profile, .id = id, .defect = defect, .verdict = verdict, .finding = finding });
}
