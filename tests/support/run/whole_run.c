/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/run/whole_run.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/search.h"
#include "core/base/text.h"
#include "core/platform/ledger.h"
#include "core/engine/certificate.h"
#include "core/report/report.h"
#include "core/tools/tools.h"
#include "tests/support/run/profile_bands.h"

/* --- media -------------------------------------------------------------------------------------------------------- */

static enum status to_file(void *context, const char *bytes, size_t length)
{
    struct whole_run *w = context;

    return !w->stream || fwrite(bytes, 1, length, w->stream) == length ? ST_OK : ST_IO;
}

static enum status keep(void *context, const char *bytes, size_t length)
{
    struct whole_run *w = context;
    size_t had = w->text ? strlen(w->text) : 0;
    char *grown = realloc(w->text, had + length + 1);

    if (grown == NULL)
        return ST_NO_MEMORY;
    memcpy(grown + had, bytes, length);
    grown[had + length] = '\0';
    w->text = grown;
    return ST_OK;
}

static enum status keep_brief(void *context, const char *bytes, size_t length)
{
    struct whole_run *w = context;

    free(w->brief);
    w->brief = strndup(bytes, length);
    return w->brief ? ST_OK : ST_NO_MEMORY;
}

static enum status nothing(void *)
{
    return ST_OK;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static struct platform_counts counts_between(const struct platform_counts *before, const struct platform_counts *after)
{
    struct platform_counts c = *after;

    c.rdmsr -= before->rdmsr;
    c.wrmsr -= before->wrmsr;
    c.cpuid -= before->cpuid;
    c.faults -= before->faults;
    c.pci -= before->pci;
    c.mmio -= before->mmio;
    c.runs -= before->runs;
    c.work_bytes -= before->work_bytes;
    return c;
}

static void finished(void *context, const struct check *c)
{
    struct whole_run *w = context;
    struct whole_result *r = &w->checks[w->n];
    uint64_t now = c->platform->ops->tsc(c->platform->machine);

    if (w->n == WHOLE_RUN_CHECKS)
        return;
    w->n++;
    r->row = c->row;
    r->verdict = check_verdict(c);
    r->disturbed = c->state->record.disturbed;
    memcpy(r->reason, c->state->record.reason, sizeof r->reason);
    if (c->state->record.excludes[0])
        text_format(r->excludes, sizeof r->excludes, "%s above %s", c->state->record.excludes, c->state->record.least);
    r->asked = counts_between(&w->asked, &c->platform->counts);
    w->asked = c->platform->counts;
    r->seconds = (double)(now - w->tsc) / (double)c->platform->tsc_hz;
    w->tsc = now;
    w->stopped = w->enough && w->enough(w->context, r);
}

static bool stopped(void *context)
{
    const struct whole_run *w = context;

    return w->stopped;
}

static void set_patterns(struct options *o, const struct whole_run *w)
{
    options_default(o);
    o->quick = w->quick;
    o->repeat = w->rounds ? w->rounds : 1;
    o->pmi = true; /* no firmware is in the way */
    for (uint32_t i = 0; i < OPTIONS_PATTERNS && w->tests[i]; i++)
        snprintf(o->tests[o->n_tests++], OPTIONS_TEXT, "%s", w->tests[i]);
    for (uint32_t i = 0; i < OPTIONS_PATTERNS && w->skips[i]; i++)
        snprintf(o->skips[o->n_skips++], OPTIONS_TEXT, "%s", w->skips[i]);
}

/* What the report says of the bands of this machine. */
static void name_bands(const struct bands_choice *choice, struct run_identity *id)
{
    const struct bands *b = bands_taken(choice);

    if (!b)
        return;
    id->bands = choice->path;
    id->bands_sha256 = choice->sha256;
    id->bands_machines = (uint32_t)b->machines;
    id->bands_figures = b->n_figures;
}

static void run_checks(struct whole_run *w, struct platform *p, struct machine *m, struct tools *t,
                       const struct bands_choice *choice)
{
    struct run_identity identity = {
        .version = "test", .commit = "test", .build_id = "test", .command_line = "", .built_for = "host"
    };
    struct sink jsonl = { .context = w, .write = to_file, .flush = nothing };
    struct sink text = { .context = w, .write = keep, .flush = nothing, .replace = keep_brief };
    struct options o;
    struct report report;
    struct engine e = { .platform = p,
                        .machine = m,
                        .report = &report,
                        .tools = t,
                        .options = &o,
                        .bands = bands_taken(choice),
                        .hooks = { .context = w, .finished = finished, .stop = stopped } };

    if (!e.bands && !w->uncalibrated)
        e.bands = &bands_without_figures;
    name_bands(choice, &identity);
    set_patterns(&o, w);
    w->status = report_init(&report, p, jsonl, text);
    if (w->status != ST_OK)
        return;
    w->begun = true;
    report_start(&report, m, &o, &identity);
    w->status = engine_run(&e);
    w->counts = e.run.counts;
    w->result = engine_verdict(&e);
    w->restored = ledger_restore(p);
    certificate_report(&report, p->ledger, NULL, 0);
    diagnosis_run(&e.symptoms, m, &w->diagnosis);
    monitors_judge(&e.symptoms, &w->diagnosis, engine_missing_needs(&e), &t->pmon, e.bands != NULL, &w->monitors);
    diagnosis_report(&report, &e.symptoms, &w->diagnosis, &w->monitors);
    w->symptoms = e.symptoms;
    w->status = status_first(w->status, report_end(&report, &e.run, w->result));
    w->refused = report.refused;
    report_free(&report);
}

static void run_with_tools(struct whole_run *w, struct platform *p, struct machine *m)
{
    struct bands_choice choice = { .n_offered = 0 };
    struct tools t;

    if (!w->uncalibrated && !w->no_figures)
        profile_bands_offer(&choice, m);
    w->status = tools_init(&t, p, m, 0);
    if (w->status != ST_OK)
        return bands_choice_free(&choice);
    if (w->before)
        w->before(w->mp);
    w->n = 0;
    w->tsc = p->ops->tsc(p->machine);
    w->asked = p->counts;
    run_checks(w, p, m, &t, &choice);
    bands_choice_free(&choice);
    for (uint32_t i = 0; i < m->n_domains; i++) {
        w->samples += t.qm[i].samples;
        w->sample_operations += t.qm[i].msr_operations;
    }
    w->work_bytes = p->counts.work_bytes;
    w->msr_operations = p->counts.rdmsr + p->counts.wrmsr;
    tools_free(&t);
}

void whole_run_on(struct platform *p, struct machine *m, struct whole_run *w)
{
    struct ledger ledger;

    w->status = ledger_init(p, &ledger);
    if (w->status == ST_OK)
        run_with_tools(w, p, m);
    if (w->status != ST_OK)
        abort();
    ledger_free(&ledger);
}

bool whole_run(const struct model_config *config, struct whole_run *w)
{
    struct ledger ledger;
    struct machine *m = calloc(1, sizeof *m);

    w->no_figures |= !profile_bands_know(config->realism);
    w->mp = model_platform_new(config, w->node_bytes);
    w->status = w->mp && m ? ST_OK : ST_NO_MEMORY;
    if (w->status != ST_OK) {
        free(m);
        return false;
    }
    if (w->unlimited)
        w->mp->platform.load_limit = 0;
    if (w->unlooked)
        w->unlooked(w->mp);
    w->status = ledger_init(&w->mp->platform, &ledger);
    if (w->status == ST_OK)
        w->status = machine_enumerate(&w->mp->platform, m);
    if (w->status == ST_OK && w->described)
        w->described(m);
    if (w->status == ST_OK)
        run_with_tools(w, &w->mp->platform, m);
    machine_free(m);
    free(m);
    ledger_free(&ledger);
    return w->status == ST_OK;
}

void whole_run_free(struct whole_run *w)
{
    symptoms_free(&w->symptoms);
    free(w->text);
    free(w->brief);
    w->text = w->brief = NULL;
    if (w->mp)
        model_platform_free(w->mp);
    w->mp = NULL;
}

/* --- what a PASS excludes ----------------------------------------------------------------------------------------- */

/* Loads whose figures are not what the verdict rests on. */
static const struct {
    const char *id, *reason;
} without_figure[] = {
    { "qm.keyhole", "which RMID and event IA32_QM_CTR shows; the load makes their counts differ" },
    { "qm.together", "the same while other processors select" },
    { "qm.behaviour", "what an RMID counts after its load; times and steps are recorded" },
    { "qm.unavailable", "whether Unavailable goes away once an RMID is counted" },
    { "energy.activity", "whether RMIDs without a processor gain anything beside one that is busy" },
    { "errors.banks", "whether a bank logs an error; any is a finding" },
    { "mbm.bits", "whether each bit changes" },
    { "amd.first-read", "whether the first read of an RMID is Unavailable or 0; any count is a finding" },
    { "amd.events-clear", "whether a count starts again; a count that is kept is kept as a whole" },
};

const char *whole_result_unsaid(const struct whole_result *r)
{
    if (r->row->excludes)
        return r->verdict == VERDICT_PASS && !r->excludes[0] ? "PASS does not say what it excludes" : NULL;
    for (size_t i = 0; i < sizeof without_figure / sizeof without_figure[0]; i++)
        if (strcmp(r->row->id, without_figure[i].id) == 0)
            return NULL;
    return r->asked.work_bytes > 0 ? "a load, and the row neither .excludes nor is listed with the reason" : NULL;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static bool holds(const char *list, const char *word, size_t length)
{
    for (const char *at = list; *at; at += strcspn(at, " ,")) {
        at += strspn(at, " ,");
        if (strcspn(at, " ,") == length && strncmp(at, word, length) == 0)
            return true;
    }
    return false;
}

bool rows_meet(const char *a, const char *b)
{
    for (const char *at = a; *at; at += strcspn(at, " ,")) {
        size_t length;

        at += strspn(at, " ,");
        length = strcspn(at, " ,");
        if (length > 0 && holds(b, at, length))
            return true;
    }
    return false;
}

const struct whole_result *whole_run_find(const struct whole_run *w, const char *id)
{
    return FIND(i, w->n, strcmp(w->checks[i].row->id, id) == 0, &w->checks[i], NULL);
}
