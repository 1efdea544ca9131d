/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory that runs out: every allocation of a small run is refused in turn, once or with all that follow; of these, an eighth has
 * a turn. A run that cannot begin says so; one that has begun finishes, its stream is valid, nothing passes that was not measured,
 * and registers are put back. NO_MEMORY=all: with all that follow for each, not for one in seven.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/certificate.h"
#include "core/diagnosis/diagnosis_report.h"
#include "core/engine/engine.h"
#include "core/tools/tools.h"
#include "core/platform/ledger.h"
#include "core/report/report.h"
#include "tests/silicon/host/host_platform.h"
#include "tests/support/machine/heap_host.h"
#include "tests/support/data/ocp_stream.h"
#include "tests/support/run/turn.h"

/* Each family takes memory of a kind: requests, tables of boxes, rounds of loads, long lines of evidence. */
static const char *const checks[] = { "enum.*", "qm.keyhole", "pqr.siblings", "cat.masks", "pmon.freeze", "ubox.*" };

static struct {
    char *text;
    size_t length, room;
} stream;

static enum status to_stream(void *, const char *bytes, size_t length)
{
    if (stream.length + length + 1 > stream.room) {
        stream.room = 2 * (stream.length + length + 1);
        stream.text = realloc(stream.text, stream.room);
        cr_assert(stream.text);
    }
    memcpy(stream.text + stream.length, bytes, length);
    stream.length += length;
    stream.text[stream.length] = '\0';
    return ST_OK;
}

static enum status to_nowhere(void *, const char *, size_t)
{
    return ST_OK;
}

static enum status flushed(void *)
{
    return ST_OK;
}

struct outcome {
    bool begun; /* a report was there */
    enum status status;
    enum run_result result;
    struct verdict_counts counts;
    uint32_t refused;
};

/* As efi/boot/main.c resumes each. */
static void run_checks(struct platform *p, struct machine *m, struct tools *t, struct ledger *l, struct report *r,
                       struct outcome *o)
{
    const struct run_identity id = {
        .version = "test", .commit = "test", .build_id = "test", .command_line = "", .built_for = "host"
    };
    static struct options options;
    static struct monitors monitors;
    struct diagnosis found;
    struct engine e = { .platform = p, .machine = m, .report = r, .tools = t, .options = &options };

    options_default(&options);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        strcpy(options.tests[options.n_tests++], checks[i]);
    report_start(r, m, &options, &id);
    o->status = engine_run(&e);
    o->status = status_first(o->status, ledger_restore(p));
    (void)certificate_report(r, l, NULL, 0);
    diagnosis_run(&e.symptoms, m, &found);
    monitors_judge(&e.symptoms, &found, engine_missing_needs(&e), &t->pmon, false, &monitors);
    diagnosis_report(r, &e.symptoms, &found, &monitors);
    o->result = engine_verdict(&e);
    o->status = status_first(o->status, report_end(r, &e.run, o->result));
    o->counts = e.run.counts;
    o->refused = r->refused;
    symptoms_free(&e.symptoms);
}

static struct outcome run_once(struct platform *p)
{
    const struct sink jsonl = { .write = to_stream, .flush = flushed },
                      text = { .write = to_nowhere, .flush = flushed };
    static struct machine m;
    struct outcome o = { .result = RUN_ERROR };
    struct ledger ledger;
    struct tools t;
    struct report r;

    stream.length = 0;
    memset(&m, 0, sizeof m);
    o.status = report_init(&r, p, jsonl, text);
    if (o.status != ST_OK)
        return o;
    report_open(&r);
    o.status = ledger_init(p, &ledger);
    if (o.status == ST_OK)
        o.status = machine_enumerate(p, &m);
    if (o.status == ST_OK)
        o.status = tools_init(&t, p, &m, 0);
    if (o.status == ST_OK) {
        o.begun = true;
        run_checks(p, &m, &t, &ledger, &r, &o);
        tools_free(&t);
    }
    machine_free(&m);
    ledger_free(&ledger);
    report_free(&r);
    return o;
}

static struct outcome run_with(uint32_t grants, uint32_t refusals)
{
    const struct model_config config = MODEL("bdx", 1, 2, 2, .slices = 2);
    struct model_platform *mp = model_platform_new(&config, 0);
    struct outcome o;

    cr_assert(mp);
    heap_host_grants = grants;
    heap_host_refusals = refusals;
    o = run_once(&mp->platform);
    if (heap_host_grants != UINT32_MAX && heap_host_grants > 0)
        o.status = ST_ABSENT; /* it takes no more memory than that */
    heap_host_grants = heap_host_refusals = UINT32_MAX;
    model_platform_free(mp);
    return o;
}

/* Every step-th allocation is refused, if it has this turn; returns the last one that is there. */
static uint32_t refuse_each(uint32_t step, uint32_t refusals)
{
    struct outcome whole = run_with(UINT32_MAX, UINT32_MAX);
    uint32_t last = 0;

    cr_assert(whole.begun && whole.status == ST_OK && whole.result == RUN_PASS, "%s", status_text(whole.status));
    cr_log_info("%u checks PASS, %zu bytes", whole.counts.pass, stream.length);
    for (uint32_t n = 0;; n += step) {
        struct ocp_result seen;
        struct outcome o;

        if (!in_turn(n / step, 8))
            continue;
        o = run_with(n, refusals);
        if (o.status == ST_ABSENT) {
            cr_log_info("%u allocations", last + 1);
            return last;
        }
        last = n;
        if (!o.begun) {
            cr_expect_eq(o.status, ST_NO_MEMORY, "allocation %u: %s", n, status_text(o.status));
            continue;
        }
        cr_expect(o.status == ST_OK || o.status == ST_NO_MEMORY, "allocation %u: %s", n, status_text(o.status));
        cr_expect(ocp_check(stream.text, stream.length, false, &seen), "allocation %u: %s", n, seen.fault);
        cr_expect(strstr(stream.text, "(null)") == NULL, "allocation %u: something has no name", n);
        cr_expect(seen.ended, "allocation %u: the stream has no end", n);
        cr_expect(o.refused == 0 || o.result == RUN_ERROR,
                  "allocation %u: %u lines are not there, and the run is no ERROR", n, o.refused);
        cr_expect_eq(o.counts.fail, 0, "allocation %u: a machine without a fault FAILs", n);
        cr_expect(o.counts.pass + o.counts.warn == whole.counts.pass + whole.counts.warn || o.counts.error > 0 ||
                      o.result == RUN_ERROR || o.counts.skip > whole.counts.skip,
                  "allocation %u: %u PASS of %u, and nothing says why", n, o.counts.pass, whole.counts.pass);
    }
}

Test(no_memory, once)
{
    cr_expect_gt(refuse_each(1, 1), 100);
}

Test(no_memory, from_then_on)
{
    cr_expect_gt(refuse_each(getenv("NO_MEMORY") ? 1 : 7, UINT32_MAX), 100);
}

static void tear_down(void)
{
    free(stream.text);
    stream.text = NULL;
}

TestSuite(no_memory, .fini = tear_down);
