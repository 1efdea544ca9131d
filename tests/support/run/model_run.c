/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/run/model_run.h"
#include "tests/support/run/profile_bands.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/platform/ledger.h"

struct model_run *model_run_on(struct model_config config, const char *tests, uint64_t node_bytes)
{
    struct model_run *r = calloc(1, sizeof *r);
    struct ledger ledger;

    if (!config.cores)
        config.cores = 2, config.threads = 1, config.seed = 5;
    if (!config.packages)
        config.packages = 1;
    cr_assert(r);
    r->mp = model_platform_new(&config, node_bytes);
    r->machine = calloc(1, sizeof *r->machine);
    r->run = calloc(1, sizeof *r->run);
    cr_assert(r->mp && r->machine && r->run);
    cr_assert_eq(ledger_init(&r->mp->platform, &ledger), ST_OK);
    cr_assert_eq(machine_enumerate(&r->mp->platform, r->machine), ST_OK);
    ledger_free(&ledger);
    r->run->mp = r->mp;
    r->run->tests[0] = tests;
    r->run->no_figures = !profile_bands_know(config.realism);
    interposer_install(&r->interposer, &r->mp->platform);
    return r;
}

struct model_run *model_run_new(const char *profile, uint32_t packages, const char *tests)
{
    return model_run_on(ON(profile, packages), tests, 0);
}

const struct whole_result *model_run_check(struct model_run *r, const char *id)
{
    const struct whole_result *result;
    size_t length;

    r->run->stream = open_memstream(&r->stream, &length);
    cr_assert(r->run->stream);
    whole_run_on(&r->mp->platform, r->machine, r->run);
    fclose(r->run->stream);
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

bool model_run_streams(const struct model_run *r, const char *words)
{
    return strstr(r->stream, words) != NULL;
}

void model_run_free(struct model_run *r)
{
    interposer_remove(&r->interposer);
    machine_free(r->machine);
    free(r->machine);
    whole_run_free(r->run);
    free(r->run);
    free(r->stream);
    free(r);
}

/* --- expectations ------------------------------------------------------------------------------------------------- */

/* The code of its first finding that is bad. */
static enum finding_code code_of(const struct model_run *r, const char *id)
{
    for (const struct symptom *s = r->run->symptoms.first; s; s = s->next)
        if (strcmp(s->row->id, id) == 0 && s->n_findings > 0)
            return s->findings[0].code;
    return FOUND_OTHER;
}

static void expect_words(const struct expected *e, const char *words, const char *text)
{
    cr_expect(!words || strstr(text, words), "%s on %s: \"%s\" is not in\n%s", e->id, e->on.profile, words, text);
}

static void expect_unsaid(const struct expected *e, const char *words, const struct model_run *r)
{
    cr_expect(!words || (!strstr(r->run->text, words) && !model_run_streams(r, words)), "%s on %s: \"%s\" is in\n%s",
              e->id, e->on.profile, words, r->run->text);
}

void expect_clean(const struct whole_run *w, const char *name)
{
    for (uint32_t i = 0; i < w->n; i++) {
        const struct whole_result *r = &w->checks[i];

        cr_expect(r->verdict == VERDICT_PASS || r->verdict == VERDICT_SKIP, "%s: %s is %s: %s", name, r->row->id,
                  verdict_text(r->verdict), r->reason);
        cr_expect_null(whole_result_unsaid(r), "%s: %s: %s", name, r->row->id, whole_result_unsaid(r));
    }
    cr_expect_eq(w->result, RUN_PASS);
    cr_expect_eq(w->restored, ST_OK, "%s: a register does not read as it was found", name);
}

static void expect_others(const struct expected *e, const struct model_run *r)
{
    for (size_t i = 0; i < sizeof e->also / sizeof e->also[0] && e->also[i].id; i++)
        cr_expect_eq(model_run_verdict(r, e->also[i].id), e->also[i].verdict, "%s on %s: %s", e->also[i].id,
                     e->on.profile, whole_run_find(r->run, e->also[i].id)->reason);
    for (uint32_t i = 0; i < r->run->n && e->none_bad; i++) {
        const struct whole_result *result = &r->run->checks[i];

        cr_expect(result->verdict == VERDICT_PASS || result->verdict == VERDICT_SKIP || result->verdict == VERDICT_WARN,
                  "%s on %s is %s: %s", result->row->id, e->on.profile, verdict_text(result->verdict), result->reason);
    }
    if (e->clean)
        expect_clean(r->run, e->on.profile);
    cr_expect(!e->restored || r->run->restored == ST_OK, "%s on %s: registers are not as found", e->id, e->on.profile);
}

static void expect_said(const struct expected *e, const struct model_run *r, const struct whole_result *result)
{
    cr_expect_eq(result->verdict, e->verdict, "%s on %s with %s is %s: %s", e->id, e->on.profile,
                 e->on.faults[0] ? e->on.faults[0] : "no fault", verdict_text(result->verdict), result->reason);
    expect_words(e, e->finding, result->reason);
    expect_words(e, e->report, r->run->text);
    expect_words(e, e->stream, r->stream);
    expect_words(e, e->excludes, result->excludes);
    expect_unsaid(e, e->unsaid, r);
    expect_unsaid(e, e->nor_said, r);
    cr_expect(!e->code || e->code == code_of(r, e->id), "%s on %s: %s, and not %s", e->id, e->on.profile,
              finding_word(code_of(r, e->id)), finding_word(e->code));
    cr_expect(!e->bytes_below || r->run->work_bytes < e->bytes_below, "%s on %s: %lu bytes", e->id, e->on.profile,
              r->run->work_bytes);
    cr_expect(!e->seconds_below || result->seconds < e->seconds_below, "%s on %s: %f s", e->id, e->on.profile,
              result->seconds);
}

void expect_on(const struct expected *e)
{
    struct model_run *r = model_run_on(e->on, e->id, e->node_bytes);

    if (e->tests[0])
        memcpy(r->run->tests, e->tests, sizeof e->tests);
    r->interposer.defect = e->defect;
    r->interposer.before = e->before;
    r->interposer.after = e->after;
    r->interposer.context = e->context;
    r->run->no_figures |= e->own_bounds;
    r->run->uncalibrated = e->uncalibrated;
    if (e->pci_read)
        r->interposer.ops.pci_read = e->pci_read;
    if (e->mmio_read)
        r->interposer.ops.mmio_read = e->mmio_read;
    if (e->change)
        e->change(r);
    expect_said(e, r, model_run_check(r, e->id));
    expect_others(e, r);
    model_run_free(r);
}
