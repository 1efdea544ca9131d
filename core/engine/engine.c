/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/engine.h"

#include "core/base/heap.h"
#include "core/check/grade.h"
#include "core/engine/spread_report.h"
#include "core/base/text.h"
#include "core/tools/tools.h"
#include "core/cluster/cluster_view.h"
#include "core/domain/working_state.h"
#include "core/machine/register_name.h"
#include "core/engine/each.h"
#include "core/report/report_resume.h"

/* --- selection --------------------------------------------------------------------------------------------------- */

static bool any_matches(const char (*patterns)[OPTIONS_TEXT], uint32_t n, const char *id)
{
    return ANY_OF(i, n, text_matches(patterns[i], id));
}

static bool selects(const struct options *o, const char *id, bool slow)
{
    if (any_matches(o->skips, o->n_skips, id))
        return false;
    return o->n_tests ? any_matches(o->tests, o->n_tests, id) : !(o->quick && slow);
}

bool engine_selects_id(const struct options *o, const char *id)
{
    const struct check_row *row = check_find(id);

    return selects(o, id, row && row->slow);
}

bool engine_selects(const struct options *o, const struct check_row *row)
{
    return selects(o, row->id, row->slow);
}

static bool pattern_known(const char *pattern)
{
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row))
        if (text_matches(pattern, row->id))
            return true;
    return false;
}

/* The id that is most like a pattern. */
static const char *nearest_check(const char *pattern)
{
    const char *nearest = "";
    size_t best = SIZE_MAX;

    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        size_t distance = text_distance(pattern, row->id);

        if (distance < best) {
            best = distance;
            nearest = row->id;
        }
    }
    return nearest;
}

enum status engine_check_patterns(const struct options *o, struct options_error *error)
{
    for (uint32_t i = 0; i < o->n_tests + o->n_skips; i++) {
        bool test = i < o->n_tests;
        const char *pattern = test ? o->tests[i] : o->skips[i - o->n_tests];

        if (pattern_known(pattern))
            continue;
        text_format(error->text, sizeof error->text,
                    "%s \"%s\": no check has such an id: the nearest is %s, -list shows all", test ? "-t" : "-skip",
                    pattern, nearest_check(pattern));
        return ST_RANGE;
    }
    return ST_OK;
}

bool engine_wants(const struct options *o, uint32_t need)
{
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row))
        if ((row->needs & need) && engine_selects(o, row))
            return true;
    return false;
}

/* --- the run ----------------------------------------------------------------------------------------------------- */

/* Before the first check that writes or moves anything. */
static void set_working_state(struct engine *e, struct check *c)
{
    struct working_state state;
    enum status st;

    if (e->state_set || c->row->risk == RISK_NONE || !e->tools || !e->platform->ledger)
        return;
    e->state_set = true;
    st = working_state_set(c, &state);
    if (st != ST_OK)
        report_log(e->report, "WARNING", "classes, masks and throttles are measured through as found: %s",
                   status_text(st));
    else if (state.registers)
        report_log(e->report, "INFO",
                   "measured with the reset values of %u registers of classes, masks and throttles that had others on "
                   "%u processors, first %s, 0x%lx on cpu %u; restored at the end%s",
                   state.registers, state.cpus, register_name(state.first_msr), state.first_found, state.first_cpu,
                   state.refused ? "; some did not take them" : "");
}

/* One run of a check, its findings held back. */
static void try_check(struct engine *e, struct check *c, const char *missing)
{
    if (c->state->held)
        c->state->held->n = 0;
    if (missing) {
        check_skip(c, "%s", missing);
        check_settle(c);
        return;
    }
    if (e->tools)
        tools_reset(e->tools);
    set_working_state(e, c);
    check_run(c);
    check_settle(c);
}

/* Records what disturbed the check, and says whether it is to be run again. A PASS with SMIs in it stays a PASS. */
static bool run_was_disturbed(struct engine *e, struct check *c, uint32_t attempt)
{
    struct disturbance d = disturb_end(&e->disturb);
    bool bad =
        check_verdict(c) == VERDICT_FAIL || check_verdict(c) == VERDICT_WARN || check_verdict(c) == VERDICT_ERROR;
    char reason[160];

    report_disturbance(e->report, &d);
    e->run.hot += d.hot > 0;
    e->run.limited += d.limited > 0;
    if (d.smis == 0)
        return false;
    e->run.with_smis++;
    if (bad && e->held && attempt < DISTURB_TRIES && !c->row->about_smis && !c->state->record.beyond_smis) {
        text_format(reason, sizeof reason,
                    "%lu SMIs during this run of the check (cpu %u), verdict %s: the check is run again", d.smis,
                    d.smi_cpu, verdict_text(check_verdict(c)));
        check_drop(c, reason);
        return true;
    }
    if (bad && !c->row->about_smis && !c->state->record.beyond_smis)
        check_note(c, "disturbed: SMIs during each of %u runs of this check, %lu during the last (cpu %u)", attempt,
                   d.smis, d.smi_cpu);
    return false;
}

static uint32_t machine_checks(const struct engine *e, char text[MACHINE_CHECK_TEXT])
{
    text[0] = '\0';
    return e->platform->ops->machine_checks
               ? e->platform->ops->machine_checks(e->platform->machine, text, MACHINE_CHECK_TEXT)
               : 0;
}

/* What was measured around a machine check is worth nothing. true: the check is to be run again. */
static bool met_machine_check(struct engine *e, struct check *c, const char *what, uint32_t attempt)
{
    char reason[MACHINE_CHECK_TEXT + 80];

    text_format(reason, sizeof reason, "machine check during this run of the check: %s", what);
    if (e->held && attempt < DISTURB_TRIES) {
        check_drop(c, reason);
        return true;
    }
    check_error(c, "machine-check", "%s", reason);
    return false;
}

/* Each error that the machine logged since the check before. */
static void report_logged_errors(struct engine *e, const char *id)
{
    char text[256];
    uint32_t first = 0, n = e->tools ? error_banks_look(&e->tools->errors, &first) : 0;

    for (uint32_t i = first; n > 0 && i < e->tools->errors.n && i < ERRORS_KEPT; i++) {
        logged_error_text(&e->tools->errors.kept[i], text);
        report_error(e->report, "error-logged", "during %s: %s", id, text);
    }
    if (n > 0 && e->tools->errors.n > ERRORS_KEPT)
        report_error(e->report, "error-logged", "during %s: %u errors were logged", id, n);
    e->errors_logged += n;
}

static void run_check(struct engine *e, const struct check_row *row, uint32_t round)
{
    const char *missing = engine_missing(e, row);
    char machine_check[MACHINE_CHECK_TEXT];
    bool again = true;

    if (!missing && e->hooks.left_out)
        missing = e->hooks.left_out(e->hooks.context, row);
    for (uint32_t attempt = 1; again; attempt++) {
        struct check_state state = { .held = e->held,
                                     .spread = e->spread.figures ? &e->spread : NULL,
                                     .symptoms = &e->symptoms,
                                     .bands = check_bands(e->bands, row),
                                     .clusters = &e->clusters,
                                     .clusters_known = e->clusters ? cluster_known(e->clusters)
                                                                   : grade_clusters_by_nodes(e->machine) };
        struct check c = { .row = row,
                           .platform = e->platform,
                           .machine = e->machine,
                           .tools = e->tools,
                           .report = e->report,
                           .state = &state };

        uint32_t n_met;

        spread_begin(&e->spread);
        check_step_start(&c, round);
        if (symptoms_begin(&e->symptoms, row) != ST_OK)
            check_note(&c, "no memory to keep what this check finds for the diagnosis");
        if (!missing)
            disturb_begin(&e->disturb);
        try_check(e, &c, missing);
        again = !missing && run_was_disturbed(e, &c, attempt);
        n_met = machine_checks(e, machine_check) - e->machine_checks; /* with those since the check before */
        if (n_met > 0 && !again)
            again = met_machine_check(e, &c, machine_check, attempt);
        check_write(&c);
        check_free_since(&c, NULL);
        check_step_end(&c);
        if (n_met > 0)
            report_error(e->report, "machine-check", "%u machine checks during %s, the latest: %s", n_met, row->id,
                         machine_check);
        e->machine_checks += n_met;
        report_logged_errors(e, row->id);
        if (e->tools)
            error_banks_settle(&e->tools->errors, !again);
        e->run.repeated += again;
        if (again) {
            spread_drop(&e->spread);
            symptoms_drop(&e->symptoms);
            continue;
        }
        verdict_count(&e->run.counts, state.record.verdict, !row->no_monitor);
        spread_verdict(&e->spread, row, state.record.verdict);
        symptoms_end(&e->symptoms, state.record.verdict);
        if (e->hooks.finished)
            e->hooks.finished(e->hooks.context, &c);
    }
}

/* Whether the row is part of this pass: the main one, or that of the MP services self-test. */
static bool is_due(const struct engine *e, const struct check_row *row, bool mp_selftest)
{
    bool apart = e->mp_selftest_apart && (row->needs & NEED_MP_SELFTEST);

    return apart == mp_selftest && engine_selects(e->options, row);
}

static uint32_t count_due(const struct engine *e, bool mp_selftest)
{
    uint32_t n = 0;

    for (const struct check_row *row = check_next(NULL); row; row = check_next(row))
        n += is_due(e, row, mp_selftest);
    return n;
}

uint64_t engine_checks(const struct engine *e)
{
    return e->options->soak_minutes ? 0 : (uint64_t)count_due(e, false) * e->options->repeat + count_due(e, true);
}

/* The first row of a round: after those that an earlier boot ran. */
static const struct check_row *first_row(const struct engine *e, uint32_t round, bool mp_selftest)
{
    const struct check_row *over = round == e->from.round && e->from.after ? check_find(e->from.after) : NULL;
    bool over_apart = over && e->mp_selftest_apart && (over->needs & NEED_MP_SELFTEST);

    if (!over || (mp_selftest && !over_apart))
        return check_next(NULL);
    return over_apart && !mp_selftest ? NULL : check_next(over);
}

/* One pass through the checks of a part. */
static enum status run_round(struct engine *e, uint32_t round, bool mp_selftest, uint32_t total)
{
    e->round = round;
    for (const struct check_row *row = first_row(e, round, mp_selftest); row; row = check_next(row)) {
        if (!is_due(e, row, mp_selftest))
            continue;
        if (e->hooks.stop && e->hooks.stop(e->hooks.context)) {
            e->run.stopped = true;
            return ST_OK;
        }
        if (e->hooks.starting)
            e->hooks.starting(e->hooks.context, row, e->started, total);
        e->started++;
        run_check(e, row, round);
        if (e->report && e->report->failed != ST_OK)
            return e->report->failed;
    }
    return ST_OK;
}

/* Minutes that a soak has left to start a round in. Without one: by number. A round that was begun is completed. */
static bool another_round(const struct engine *e, uint32_t round, uint64_t begin)
{
    uint64_t hz = e->platform->tsc_hz, spent = e->platform->ops->tsc(e->platform->machine) - begin;

    if (e->options->soak_minutes == 0)
        return round <= e->options->repeat;
    return round == 1 || round == e->from.round ||
           spent / (hz ? hz : 1) + e->from.seconds < (uint64_t)e->options->soak_minutes * 60;
}

/* What the engine needs besides the checks. Without memory for it nothing is run again, and there is no spread. */
static void engine_prepare(struct engine *e)
{
    bool rounds = e->options->repeat > 1 || e->options->soak_minutes > 0;

    e->run.counts.hypervisor = e->machine && e->machine->hypervisor;
    e->held = heap_alloc(sizeof *e->held);
    if (disturb_init(&e->disturb, e->platform, e->machine) != ST_OK)
        report_log(e->report, "WARNING", "no memory to watch for disturbances");
    if (e->tools && e->tools->smi_msr)
        disturb_count_smis(&e->disturb, e->tools->smi_cpu, e->tools->smi_msr);
    if (!disturb_counts_smis(&e->disturb))
        report_log(e->report, "INFO", "SMIs cannot be detected on this machine: samples may include them");
    if (rounds && spread_init(&e->spread) != ST_OK)
        report_log(e->report, "WARNING", "no memory to keep figures over the rounds");
}

/* rounds 0: the report takes no more. */
static void conclude(struct engine *e, uint32_t rounds)
{
    e->spread.rounds = rounds;
    if (rounds > 1 && e->spread.figures &&
        spread_report(&e->spread, e->report, e->platform, e->machine) == VERDICT_WARN)
        verdict_count(&e->run.counts, VERDICT_WARN, false);
    spread_free(&e->spread);
    disturb_free(&e->disturb);
    e->symptoms.n_domains = e->clusters ? e->clusters->machine.n_domains : 0;
    cluster_view_free(e->clusters);
    e->clusters = NULL;
    heap_free(e->held);
    e->held = NULL;
}

enum status engine_run(struct engine *e)
{
    uint64_t each = count_due(e, false);
    uint64_t begin = e->platform->ops->tsc(e->platform->machine);
    uint32_t first = e->from.round ? e->from.round : 1, round = first;
    enum status st = e->report ? e->report->failed : ST_OK;

    engine_prepare(e);
    e->started = e->from.started;
    for (; st == ST_OK && !e->run.stopped && another_round(e, round, begin); round++) {
        uint64_t total = e->options->soak_minutes ? each * round + count_due(e, true) : engine_checks(e);

        st = run_round(e, round, false, total < UINT32_MAX ? (uint32_t)total : UINT32_MAX);
    }
    if (e->run.stopped && e->options->soak_minutes)
        report_log(e->report, "WARNING", "stopped on request after %u checks, of %lu a round", e->started, each);
    else if (e->run.stopped)
        report_log(e->report, "WARNING", "stopped on request after %u of %lu checks", e->started, engine_checks(e));
    e->symptoms.stopped = e->run.stopped;
    for (const struct check_row *row = check_next(NULL); row && e->run.stopped; row = check_next(row))
        if (engine_selects(e->options, row))
            symptoms_unreached(&e->symptoms, row);
    conclude(e, st == ST_OK ? round - first : 0);
    return st;
}

enum status engine_run_mp_selftest(struct engine *e)
{
    enum status st;

    TRY(e->report ? e->report->failed : ST_OK);
    if (e->run.stopped || count_due(e, true) == 0)
        return ST_OK;
    e->held = heap_alloc(sizeof *e->held);
    st = run_round(e, 1, true, e->started + count_due(e, true));
    heap_free(e->held);
    e->held = NULL;
    return st;
}

void engine_put_broken(struct engine *e, const char *id, uint32_t round, const char *symptom, const char *message)
{
    const struct check_row *row = check_find(id);
    struct report_step step = { .id = id, .title = "", .specification = "", .rows = "", .detects = "" };

    if (row)
        step = check_step_of(row);
    else
        step.risk = step.grade = "none";
    report_broken_step(e->report, &step, round, symptom, message);
    if (row && symptoms_begin(&e->symptoms, row) == ST_OK)
        symptoms_end(&e->symptoms, VERDICT_ERROR);
    verdict_count(&e->run.counts, VERDICT_ERROR, false);
}

void engine_broken_off(struct engine *e)
{
    struct report_step step;

    for (uint32_t i = 0; e->held && i < e->held->n; i++)
        report_log(e->report, "WARNING", "found before the check was aborted: %s: %s",
                   verdict_text(e->held->list[i].found.verdict), e->held->list[i].text);
    if (e->held)
        e->held->n = 0;
    if (!e->report || !e->report->step_open)
        return;
    step = e->report->open;
    report_broken_step(e->report, &step, e->round, "check-aborted", "an exception aborted the check");
    symptoms_end(&e->symptoms, VERDICT_ERROR);
    verdict_count(&e->run.counts, VERDICT_ERROR, false);
}

enum run_result engine_result(const struct verdict_counts *counts)
{
    if (counts->fail > 0)
        return RUN_FAIL;
    if (counts->error > 0)
        return RUN_ERROR;
    if (counts->pass + counts->warn == 0 || verdict_no_monitor(counts))
        return RUN_NOTHING;
    return counts->warn > 0 ? RUN_WARN : RUN_PASS;
}

enum run_result engine_verdict(const struct engine *e)
{
    enum run_result r = engine_result(&e->run.counts);
    bool incomplete = e->report && (e->report->failed != ST_OK || e->report->refused > 0);
    bool lost = e->tools && e->tools->errors.n_lost > 0; /* the platform has named the processor */

    if (r == RUN_FAIL)
        return RUN_FAIL;
    return r == RUN_ERROR || incomplete || lost || e->errors_logged > 0 ? RUN_ERROR : e->run.stopped ? RUN_STOPPED : r;
}
