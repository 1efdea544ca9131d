/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/boot/main.c: from firmware's call to the verdict.
 *
 * Options, volume, report folder or that of a run that was interrupted; then metal_run() starts the processors and calls
 * run_with_aps(), which enumerates, runs the checks, puts every register back and certifies it; then exit_run() ends as asked.
 * Reports go to a folder of their own.
 */
#include <efi.h>
#include <string.h>

#include "arch/x86/tables/smbios.h"
#include "commit.h"
#include "core/engine/boot_step.h"
#include "core/engine/deadline.h"
#include "core/engine/outcome.h"
#include "core/engine/startup.h"
#include "core/platform/ledger.h"
#include "core/engine/certificate.h"
#include "core/report/report.h"
#include "core/report/report_resume.h"
#include "core/base/text.h"
#include "core/tools/tools.h"
#include "efi/net/net.h"
#include "efi/boot/relaunch.h"
#include "efi/boot/args.h"
#include "efi/files/bands.h"
#include "efi/console/console.h"
#include "core/store/files.h"
#include "efi/boot/exit.h"
#include "core/options/load_options.h"
#include "efi/firmware/heap.h"
#include "efi/boot/identity.h"
#include "efi/files/inputs.h"
#include "efi/boot/metal.h"
#include "efi/boot/query.h"
#include "core/store/reports.h"
#include "efi/boot/record_boot.h"
#include "efi/boot/resume.h"
#include "efi/boot/rights.h"
#include "efi/files/send.h"
#include "efi/console/ui.h"
#include "efi/tpm/attest.h"
#include "efi/firmware/shell.h"
#include "efi/firmware/watchdog.h"
#include "efi/files/volumes.h"

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

#define CHANGES_TOLD 100u /* lines of a comparison */

struct app {
    EFI_SYSTEM_TABLE *st;
    EFI_HANDLE image;
    struct options options;
    char command_line[RELAUNCH_LINE];
    char build_id[41];
    struct volume volume, out; /* where the image came from, and where reports go */
    struct reports reports;
    struct upload upload; /* -out */
    struct resume resume;
    struct baseline old, now; /* -baseline: the earlier report, and this one */
    bool old_read;            /* it was tried to read the earlier one, */
    enum status old_status;   /* with this outcome */
    char old_why[96];         /* "", or what the network has to say of it */
    struct bands_choice bands;
    enum status bands_status; /* of bands_load() */
    struct platform platform;
    struct platform_ops ops; /* metal's, with processors watched on their way    */
    const struct platform_ops *metal_ops;
    struct machine machine;
    struct ledger ledger;
    struct tools tools;
    struct report report;
    enum run_result result;
    struct engine engine;
    struct run_conditions conditions;
    bool reporting;     /* the stream is begun and not ended        */
    bool restored;      /* the machine is as it was found, and the certificate is written */
    bool unsafe;        /* a processor did not come back            */
    char not_begun[96]; /* why there are no checks                 */
};

static struct app app;

/* --- the run */

/* What comes next that is no check: to the journal, with the last check. */
static void phase_begins(struct app *a, enum journal_phase phase)
{
    resume_at(&a->resume, &a->platform, phase, NULL, 0, deadline_of_phase(&a->options, phase, a->platform.n_cpus));
}

static void check_starting(void *context, const struct check_row *row, uint32_t index, uint32_t total)
{
    struct app *a = context;

    send_between(&a->upload);
    resume_at(&a->resume, &a->platform, JOURNAL_CHECKING, row->id, a->engine.round,
              deadline_of_check(&a->options, row, a->platform.n_cpus));
    ui_starting(&a->engine, row, index, total);
}

static void check_finished(void *context, const struct check *c)
{
    struct app *a = context;

    resume_progress(&a->resume);
    ui_finished(&a->engine, c);
}

static const char *check_left_out(void *context, const struct check_row *row)
{
    static char why[96];
    struct app *a = context;
    uint32_t hangs = stream_tail_hangs(&a->resume.tail, row->id) +
                     (a->resume.hung_now && text_equal(a->resume.found.check, row->id));

    if (hangs < RESUME_HANGS)
        return NULL;
    text_format(why, sizeof why, "left out: the machine hung in this check %u times", hangs);
    return why;
}

static bool wants_stop(void *)
{
    return ui_wants_stop();
}

static void between_samples(void *)
{
    ui_between();
}

static enum status watched_run(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    ui_watch(tasks, n_tasks);
    return app.metal_ops->run(machine, tasks, n_tasks, budget_ms);
}

static void watch_processors(struct app *a)
{
    a->metal_ops = a->platform.ops;
    a->ops = *a->platform.ops;
    a->ops.run = watched_run;
    a->platform.ops = &a->ops;
}

/* metal's news, on the boot processor: shown, and in the stream before anything else happens. */
static void exception_taken(void *context, const char *text)
{
    struct app *a = context;

    console_say("assay: exception: %s", text);
    if (a->reporting)
        report_error(&a->report, "processor-exception", "%s", text);
}

static void processor_lost(void *context, const char *text)
{
    struct app *a = context;

    console_say("assay: %s", text);
    if (a->reporting)
        report_error(&a->report, "processor-lost", "%s", text);
}

static bool takes_part(void *context, uint32_t cpu)
{
    struct app *a = context;

    return options_has_cpu(&a->options, cpu);
}

static void take_old(void *context, const char *bytes, size_t length)
{
    baseline_add(context, bytes, length);
}

static void say_change(void *context, const char *mark, const char *text)
{
    struct app *a = context;
    char line[SCREEN_TEXT];

    report_log(&a->report, "INFO", "baseline: %s", text);
    text_format(line, sizeof line, "baseline: %s", text); /* no finding of this run */
    ui_found(mark, line);
}

static bool expected(void *context, const char *id)
{
    struct app *a = context;

    return outcome_expects_step(&a->engine, a->conditions.broken, id);
}

static void read_baseline(struct app *a)
{
    const char *name = a->options.baseline;
    struct volume on;
    enum status s = volume_of(a->st, &a->volume, &name, &on);

    if (s == ST_OK)
        s = baseline_open(&a->old);
    if (s == ST_OK)
        s = file_stream(&on, name, &a->old, take_old);
    if (s == ST_OK) {
        baseline_end(&a->old);
        s = a->old.reader.started ? ST_OK : ST_CORRUPT;
    } else if (on.place) {
        text_format(a->old_why, sizeof a->old_why, "%s", net_why());
    }
    a->old_status = s;
    a->old_read = true;
}

/* What is on a server is read before the network is silent: iPXE's interface does not come back from that. */
static void read_remote_baseline(struct app *a)
{
    if (!a->options.baseline[0] || (!a->volume.place && url_scheme(a->options.baseline) == URL_NONE))
        return;
    console_progress("%s", "reading the baseline");
    read_baseline(a);
    console_progress("%s", "");
}

/* What changed since an earlier report. It judges nothing: only a baseline that cannot be read is Assay's failure. */
static void compare_with_baseline(struct app *a)
{
    struct baseline_output out = { .say = say_change, .expected = expected, .context = a };
    const char *path = a->options.baseline;
    enum status s;
    uint32_t n;

    console_progress("%s", "comparing with baseline");
    if (!a->old_read)
        read_baseline(a);
    /* Without a reader this run's own figures were not kept. */
    s = status_first(a->old_status, a->reports.reader ? ST_OK : ST_NO_MEMORY);
    if (s != ST_OK) {
        report_error(&a->report, "baseline-unreadable", "baseline %s: %s%s%s", path,
                     s == ST_CORRUPT ? "is not an Assay report" : status_text(s), a->old_why[0] ? ": " : "",
                     a->old_why);
        ui_found("ERROR", "the baseline cannot be read, or is not a report");
        a->conditions.broken = true;
        return;
    }
    n = baseline_compare(&a->old, &a->now, CHANGES_TOLD, &out);
    report_log(&a->report, "INFO", "baseline %s: %u changes; not compared: %u figures, %u faulty lines", path, n,
               a->old.lost, a->old.bad_lines);
    if (n == 0)
        ui_found("", "nothing changed since the baseline");
}

/* Registers back, processors back, certificate. */
static void restore_machine(struct app *a)
{
    const struct restored_item *items = NULL;
    uint32_t n_items = 0;

    /* A run that a person stopped is resumed if the machine hangs now. */
    send_between(&a->upload);
    phase_begins(a, a->engine.run.stopped ? JOURNAL_BETWEEN : JOURNAL_RESTORING);
    console_progress("%s", "restoring registers");
    a->conditions.broken |= outcome_report_restore(&a->report, ledger_restore(&a->platform));
    record_boot(a->st, &a->engine, &a->reports, a->conditions.broken, "assay " ASSAY_VERSION ", commit " ASSAY_COMMIT);
    metal_stop(&items, &n_items);
    a->conditions.broken |= outcome_report_processors(&a->report, &metal_info()->events, a->engine.machine_checks);
    outcome_count_certificate(&a->engine.run.counts, certificate_report(&a->report, &a->ledger, items, n_items));
    a->restored = true;
}

/* The last lines. Also the way out when the checks were interrupted. */
static void finish(struct app *a)
{
    char digest[65];
    enum status s;

    if (!a->restored)
        restore_machine(a);
    phase_begins(a, a->engine.run.stopped ? JOURNAL_BETWEEN : JOURNAL_ENDING);
    if (a->options.baseline[0])
        compare_with_baseline(a);
    ui_causes(&a->report, &a->engine, &a->machine);
    reports_settle(&a->reports, &a->volume, a->options.folder);
    if (a->reports.returns)
        report_log(&a->report, "WARNING",
                   "the medium with the report failed, and took it again or was replaced: %u times",
                   a->reports.returns);
    send_report(&a->upload, &a->report);
    a->conditions.report_failed |= reports_failed(&a->reports) || a->report.refused > 0;
    s = report_end(&a->report, &a->engine.run, outcome_of(engine_verdict(&a->engine), &a->conditions));
    a->conditions.report_failed |= reports_failed(&a->reports) || s != ST_OK; /* its last lines */
    a->result = outcome_of(engine_verdict(&a->engine), &a->conditions);
    a->reporting = false;
    sha256_text(&a->reports.sha, digest);
    if (!attest_end(a->st, &a->reports, a->options.pcr, digest) && run_result_is_whole(a->result))
        a->result = RUN_ERROR; /* what was asked for is not there */
    if (!send_end(&a->upload, !a->reports.medium_failed) && run_result_is_whole(a->result))
        a->result = RUN_ERROR; /* what was asked for is not on the server */
    if (!reports_close(&a->reports) && run_result_is_whole(a->result))
        a->result = RUN_ERROR; /* a part of the report is not there */
    bands_choice_free(&a->bands);
    baseline_free(&a->old);
    baseline_free(&a->now);
    ui_end(&a->engine, a->result, digest);
}

static enum status prepare_run(struct app *a)
{
    enum status s = ledger_init(&a->platform, &a->ledger);

    a->platform.load_limit = a->options.load_limit;
    TRY(s);
    console_progress("%s", "enumerating");
    TRY(machine_enumerate(&a->platform, &a->machine));
    metal_drop_windows(&a->machine.acpi);
    identity_secure_boot(a->st, &a->machine);
    a->bands_status = bands_load(a->st, &a->volume, &a->machine, a->options.bands, &a->bands);
    TRY(tools_init(&a->tools, &a->platform, &a->machine, a->options.mem_bytes));
    a->tools.between = between_samples;
    ui_machine(&a->machine, &a->platform);
    watch_processors(a);
    return ST_OK;
}

/* The stream begins, or is taken up, before the first processor is started. */
static enum status begin_report(struct app *a)
{
    if (a->options.baseline[0] && baseline_open(&a->now) == ST_OK)
        a->reports.reader = &a->now;
    if (send_is_on(&a->upload))
        a->reports.upload = &a->upload;
    if (ui_kind() == UI_JSONL)
        reports_begin_wire(&a->reports, a->options.ui == UI_JSONL_GZ);
    TRY(report_init(&a->report, &a->platform, reports_jsonl(&a->reports), reports_text(&a->reports)));
    if (a->resume.plan.answer != RESUME_NEW) {
        const struct upload_mark sent = resume_mark(&a->resume);

        reports_replay(&a->reports);
        send_go_on(&a->upload, &sent);
        a->report.sequence = a->resume.tail.sequence;
    }
    if (a->report.sequence == 0)
        report_open(&a->report);
    if (!a->reports.medium_failed)
        reports_first_words(&a->reports, "Boot %u of this run, Assay %s: processors are started next.",
                            a->resume.plan.boot, ASSAY_VERSION);
    return ST_OK;
}

/* -list boxes, -count, -top. */
static void run_query(struct app *a)
{
    const struct query query = {
        .options = &a->options, .report = &a->report, .tools = &a->tools, .volume = &a->volume, .machine = &a->machine
    };
    struct options_error error = { "" };
    enum status s;

    phase_begins(a, JOURNAL_COUNTING);
    s = query_answer(&query, &error);
    if (s == ST_OK) {
        a->conditions.shown = true;
        return;
    }
    report_error(&a->report, "count-failed", "%s", s == ST_RANGE ? error.text : status_text(s));
    a->conditions.broken = true;
}

static void run_ended_early(struct app *a, enum status s)
{
    report_error(&a->report, "run-ended-early", "the run ended early: %s", status_text(s));
    a->conditions.broken = true;
}

static void run_checks(struct app *a)
{
    enum status s;

    ui_checks(&a->engine);
    s = engine_run(&a->engine);
    if (s != ST_OK)
        run_ended_early(a, s);
}

static void name_bands(struct app *a, struct run_identity *id)
{
    const struct bands *b = bands_taken(&a->bands);

    if (!b)
        return;
    id->bands = a->bands.path;
    id->bands_sha256 = a->bands.sha256;
    id->bands_machines = (uint32_t)b->machines;
    id->bands_figures = b->n_figures;
}

/* Why files of bands are not used. Only one that was asked for by its name is Assay's failure. */
static void report_bands(struct app *a)
{
    const struct bands_choice *c = &a->bands;
    char checks[512];

    for (uint32_t i = 0; i < c->n_said; i++) {
        report_log(&a->report, "WARNING", "bands: %s", c->said[i]);
        ui_found("WARN", c->said[i]);
    }
    if (check_bands_outdated(bands_taken(c), checks, sizeof checks) > 0)
        report_log(&a->report, "WARNING",
                   "bands: the method of these checks is another than that of the bands, and they are uncalibrated: %s",
                   checks);
    if (c->other[0] && c->n_fitting == 0)
        report_log(&a->report, "INFO", "bands: of %u files none is for this machine; %s", c->n_offered, c->other);
    if (a->bands_status != ST_OK) {
        report_error(&a->report, "bands-unusable", "bands %s cannot be used on this machine", a->options.bands);
        a->conditions.broken = true;
    }
}

static void make_engine(struct app *a)
{
    const struct resume *r = &a->resume;

    a->engine = (struct engine){ .platform = &a->platform,
                                 .machine = &a->machine,
                                 .report = &a->report,
                                 .tools = &a->tools,
                                 .options = &a->options,
                                 .run = { .warn_exit = a->options.fail_on },
                                 .bands = bands_taken(&a->bands),
                                 .mp_selftest_apart = true,
                                 .hooks = { .context = a,
                                            .starting = check_starting,
                                            .finished = check_finished,
                                            .stop = wants_stop,
                                            .left_out = check_left_out } };
    if (r->plan.answer == RESUME_NEW)
        return;
    a->engine.run.counts = r->tail.counts;
    a->engine.symptoms = r->symptoms;
    a->engine.from = (struct engine_from){ .round = r->found.round,
                                           .after = r->found.check[0] ? r->found.check : NULL,
                                           .started = r->tail.ended_steps,
                                           .seconds = r->found.seconds };
}

/* What was under way when the boot before this one ended gets its ERROR, and this boot its step. */
static void tell_interruption(struct app *a)
{
    struct resume *r = &a->resume;
    const struct journal_record *found = &r->found;
    char text[512], what[JOURNAL_CHECK + 16];

    if (r->plan.answer == RESUME_NEW) {
        if (r->plan.why)
            report_log(&a->report, "WARNING", "an interrupted run was found but cannot be resumed: %s", r->plan.why);
        return;
    }
    a->conditions.broken |= r->tail.run_errors > 0;
    boot_hang_text(found, text, sizeof text);
    resume_what(found, what, sizeof what);
    r->hung_now = resume_check_is_open(r);
    if (r->tail.step_open || r->hung_now) {
        engine_put_broken(&a->engine, r->tail.step_open ? r->tail.check : found->check,
                          r->tail.step_open ? r->tail.round : found->round, boot_symptom(found), text);
    } else if (found->phase != JOURNAL_CHECKING && found->phase != JOURNAL_BETWEEN) {
        report_error(&a->report, boot_symptom(found), "%s: %s", what, text);
        a->conditions.broken = true;
    } else if (found->medium != ST_OK) {
        report_log(&a->report, "WARNING", "%s: %s", what, text);
    } else {
        report_error(&a->report, boot_symptom(found), "between two checks%s%s: %s", found->check[0] ? ", after " : "",
                     found->check, text);
        a->conditions.broken = true;
    }
    boot_step(&a->engine, found, r->plan.boot);
    resume_told(r);
}

static struct run_identity identity_of(const struct app *a)
{
    return (struct run_identity){ .version = ASSAY_VERSION,
                                  .commit = ASSAY_COMMIT,
                                  .build_id = a->build_id,
                                  .command_line = a->command_line,
                                  .built_for = "UEFI x86-64" };
}

static void begin_stream(struct app *a, const struct run_identity *id)
{
    const struct resume *r = &a->resume;

    a->reporting = true;
    if (r->plan.answer != RESUME_NEW && r->tail.started)
        report_resume(&a->report, &a->machine, &a->options, &r->tail, r->found.utc_ms);
    else
        report_start(&a->report, &a->machine, &a->options, id);
}

/* Called by metal once the processors are there. */
static void run_with_aps(void *context)
{
    struct app *a = context;
    struct run_identity id = identity_of(a);
    const struct metal_info *info = metal_info();
    enum status s;

    phase_begins(a, JOURNAL_ENUMERATING);
    s = prepare_run(a);
    if (s != ST_OK) {
        text_format(a->not_begun, sizeof a->not_begun, "cannot enumerate this machine: %s%s", status_text(s),
                    ledger_restore(&a->platform) == ST_OK ? "" : "; registers are not as they were");
        return;
    }
    make_engine(a);
    name_bands(a, &id);
    id.checks = query_is_asked(&a->options) ? 0 : engine_checks(&a->engine);
    begin_stream(a, &id);
    tell_interruption(a);
    watchdog_report(&a->report, a->resume.armed);
    if (net_bytes() > 0)
        report_log(&a->report, "INFO", "network: %lu bytes were read before the checks", net_bytes());
    report_bands(a);
    rights_report(a->st, a->image, &a->report);
    a->conditions.broken |= !attest_begin(a->st, &a->report, a->options.pcr);
    if (info->why[0])
        report_log(&a->report, "INFO", "MP method %s: %s", info->method, info->why);
    if (info->dispatch_tsc != 0)
        report_log(&a->report, "INFO",
                   "AP round-trip latency of an empty task in TSC ticks: %lu awake, %lu from HLT, %lu by StartupThisAP",
                   info->dispatch_tsc, info->wake_tsc, info->this_ap_tsc);
    if (a->resume.plan.answer != RESUME_NEW && a->resume.found.phase >= JOURNAL_RESTORING)
        report_log(&a->report, "INFO", "all checks had finished");
    else if (query_is_asked(&a->options))
        run_query(a);
    else
        run_checks(a);
    restore_machine(a);
}

static bool wants_mp_selftest(void *context)
{
    struct app *a = context;
    const struct check_row *last = check_find(a->resume.found.check);
    bool over = a->resume.plan.answer != RESUME_NEW &&
                (a->resume.found.phase == JOURNAL_MP_SELFTEST || (last && (last->needs & NEED_MP_SELFTEST)));

    if (!a->reporting || a->conditions.broken || a->engine.run.stopped || over ||
        !startup_wants_mp_selftest(&a->options))
        return false;
    phase_begins(a, JOURNAL_MP_SELFTEST);
    return true;
}

/* Called by metal once every other processor is back with firmware. */
static void end_run(void *context)
{
    struct app *a = context;
    enum status s;

    if (!a->reporting)
        return;
    s = query_is_asked(&a->options) ? ST_OK : engine_run_mp_selftest(&a->engine);
    if (s != ST_OK)
        run_ended_early(a, s);
    finish(a);
}

/* --- before and after the run */

static void show_help(void *, const char *line)
{
    console_write_always(line);
}

/* Everything that ends before the machine is touched. true: *result is the answer. */
static bool answered_at_once(struct app *a, enum run_result *result)
{
    struct options_error error;

    *result = RUN_PASS;
    console_page_breaks(a->options.page_breaks);
    if (a->options.help) {
        options_help(&(struct options_output){ .write = show_help });
        return true;
    }
    if (a->options.version) {
        console_say("assay %s, commit %s, build %s", ASSAY_VERSION, ASSAY_COMMIT, a->build_id);
        return true;
    }
    if (a->options.list == LIST_CHECKS || a->options.list == LIST_JSON) {
        (a->options.list == LIST_JSON ? ui_list_json : ui_list_checks)();
        return true;
    }
    if (engine_check_patterns(&a->options, &error) != ST_OK ||
        inputs_are_there(a->st, &a->volume, &a->options, &error) != ST_OK) {
        args_leave_word(&a->volume, error.text);
        *result = RUN_ERROR;
        return true;
    }
    return false;
}

/* Options from the command line, then from the file on the stick. false: a message was shown, and is on the stick. */
static bool read_options(struct app *a, const struct smbios_info *smbios)
{
    struct options_error error = { "" };
    bool read;
    enum status s = args_command_line(a->st, a->image, a->command_line, sizeof(a->command_line));

    options_default(&a->options);
    if (s == ST_CORRUPT) { /* a boot entry may carry anything: no person typed that */
        console_say("assay: load options are not text (%s): ignored", a->command_line);
        a->command_line[0] = '\0';
    } else if (!shell_started_image(a->st, a->image) && (s != ST_OK || load_options_are_foreign(a->command_line))) {
        console_say("assay: load options of another program are ignored: \"%.200s\"", a->command_line);
        a->command_line[0] = '\0';
    } else if (s != ST_OK) {
        console_say("assay: load options are too long or not ASCII, after: \"%.200s\"", a->command_line);
        return false;
    }
    read = options_parse_line(&a->options, a->command_line, &error) == ST_OK &&
           args_config(a->st, &a->options, &a->volume, smbios, &error) == ST_OK;
    args_leave_word(&a->volume, read ? NULL : error.text);
    return read;
}

/* The report of a run that does not get further gets its end, without a look at the machine. */
static void end_broken_run(struct app *a, const struct smbios_info *smbios, const char *symptom, const char *text)
{
    struct run_identity id = identity_of(a);

    memset(&a->machine, 0, sizeof a->machine);
    a->machine.smbios = *smbios;
    a->restored = true; /* no check has run in this boot */
    make_engine(a);
    begin_stream(a, &id);
    tell_interruption(a);
    watchdog_report(&a->report, a->resume.armed);
    report_error(&a->report, symptom, "the run ends here: %s", text);
    a->conditions.broken = true;
    finish(a);
}

/* The work ended in an exception, and the other processors are there. */
static void called_off(void *context)
{
    struct app *a = context;

    a->conditions.broken = true;
    if (a->reporting && !a->restored) {
        engine_broken_off(&a->engine);
        restore_machine(a);
    } else if (!a->restored && ledger_restore(&a->platform) != ST_OK) {
        text_format(a->not_begun, sizeof a->not_begun,
                    "an exception on the boot processor; registers are not as they were");
    }
}

static void start_processors(struct app *a, const struct smbios_info *smbios)
{
    struct metal_config config = { .mp = a->options.mp,
                                   .takes_part = takes_part,
                                   .work = run_with_aps,
                                   .wants_mp_selftest = wants_mp_selftest,
                                   .last = end_run,
                                   .exception = exception_taken,
                                   .called_off = called_off,
                                   .lost = processor_lost,
                                   .context = a };
    enum status s;

    console_progress("%s", "starting processors");
    s = metal_run(&a->platform, &config);
    a->unsafe = s == ST_LOST;
    if (s != ST_OK)
        console_say("assay: %s", s == ST_FAULT  ? "an exception on the boot processor aborted the run"
                                 : s == ST_LOST ? "a processor did not return: reset the machine"
                                                : status_text(s));
    if (a->reporting) { /* interrupted: what there is gets its end */
        a->conditions.broken = true;
        engine_broken_off(&a->engine);
        finish(a);
    } else if (!a->restored && (a->not_begun[0] || s != ST_OK)) {
        end_broken_run(a, smbios, "not-begun", a->not_begun[0] ? a->not_begun : status_text(s));
    }
}

/* The report that is resumed, or a new one. Its journal is there first: whatever the medium has of a report when the
 * power goes, the next boot knows of it. */
static enum status open_report(struct app *a, const struct smbios_info *smbios, enum status *journal)
{
    const char *folder = a->options.folder;
    enum status s = volume_of(a->st, &a->volume, &folder, &a->out), chosen = ST_OK;
    struct calendar now;
    int16_t zone;
    bool new_report;

    a->resume.ops = &resume_machine;
    a->reports.console = &resume_console;
    resume_find(&a->resume, &a->reports, &a->out, folder, smbios, &a->options, a->build_id);
    new_report = a->resume.plan.answer == RESUME_NEW;
    if (new_report)
        chosen = reports_choose(&a->reports, metal_calendar(a->st, &now, &zone) ? &now : NULL, &a->out, folder, smbios);
    s = status_first(s, chosen);
    watchdog_init(a->st, &a->platform, metal_acpi(), resume_last_words, &a->resume);
    *journal = s == ST_OK ? resume_begin(&a->resume, &a->reports, &a->out) : s;
    return s == ST_OK && new_report ? reports_create(&a->reports) : s;
}

static void start_run(struct app *a, const struct smbios_info *smbios)
{
    enum status journal, s = open_report(a, smbios, &journal);
    const char *run = reports_run(&a->reports);

    send_begin(&a->upload, a->st, &a->platform, &a->options, run);
    a->reports.no_medium = s != ST_OK && send_is_on(&a->upload) && !options_given(&a->options, "o");
    ui_begin(&a->options, ASSAY_VERSION, a->reports.no_medium ? a->options.out : a->reports.folder);
    if (ui_kind() != UI_SCREEN)
        console_say("Assay %s (commit %s, build %.12s)", ASSAY_VERSION, ASSAY_COMMIT, a->build_id);
    if (a->reports.no_medium) {
        a->reports.medium_failed = true;
        console_say("report: %s%s/, and in memory until it is there", a->upload.out, run);
    } else if (s != ST_OK) {
        if (a->out.root)
            console_say("assay: no report can be written to volume \"%s\", folder %s: %s", a->out.label,
                        a->reports.folder, status_text(s));
        console_say("assay: results are shown on the console only, and the run ends with ERROR");
        a->reports.medium_failed = true;
    } else if (ui_kind() != UI_SCREEN) {
        console_say("report: %s on volume \"%s\"", a->reports.folder, a->out.label);
    }
    if (send_is_on(&a->upload) && !a->reports.no_medium)
        console_say("report: also %s%s/", a->upload.out, run);
    read_remote_baseline(a);
    net_quiet();
    a->result = RUN_ERROR;
    if (s == ST_OK && journal != ST_OK)
        console_say("assay: %s: %s: no journal: a hang cannot be reported by the next boot", a->resume.journal.path,
                    status_text(journal));
    phase_begins(a, JOURNAL_STARTING);
    s = begin_report(a);
    if (s != ST_OK) {
        text_format(a->not_begun, sizeof a->not_begun, "the report cannot begin: %s", status_text(s));
        args_leave_word(&a->volume, a->not_begun);
    } else if (a->resume.plan.answer == RESUME_END) {
        end_broken_run(a, smbios, "run-ended", a->resume.plan.why);
    } else {
        start_processors(a, smbios);
    }
    watchdog_end();
    resume_end(&a->resume);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    static struct smbios_info smbios; /* 27 KiB */
    struct app *a = &app;
    EFI_STATUS answer;
    uint32_t status;
    enum status s;

    a->st = system;
    a->image = image;
    console_init(system);
    ui_init(system);
    identity_build_id(a->build_id);
    s = metal_open(&a->platform, image, system);
    if (s != ST_OK) {
        text_format(a->not_begun, sizeof a->not_begun, "cannot start: %s", status_text(s));
        if (volume_open(system, image, &a->volume) != ST_OK)
            console_say("assay: started from no file system");
        args_leave_word(&a->volume, a->not_begun);
        net_end();
        volumes_close();
        heap_end();
        return run_result_code(RUN_ERROR, WARN_IS_OWN);
    }
    smbios_read(&a->platform, &smbios);
    if (volume_open(system, image, &a->volume) != ST_OK)
        console_say(
            "assay: started from no file system%s; a report is written only where -o names a volume or -out a server",
            a->volume.place ? "" : " and no network: no assay.cfg is read");
    if (!read_options(a, &smbios)) {
        a->result = RUN_ERROR;
    } else if (!answered_at_once(a, &a->result)) {
        start_run(a, &smbios);
        if (a->options.quiet)
            console_say("RESULT: %s exit=%u", run_result_text(a->result),
                        run_result_code(a->result, a->options.fail_on));
    }
    status = run_result_code(a->result, a->options.fail_on);
    if (a->unsafe) {
        metal_close(false);
        exit_by_reset(system, a->options.exit, status);
    }
    console_progress("%s", "returning memory to firmware");
    metal_close(a->options.exit == EXIT_RETURN || a->options.exit == EXIT_MENU);
    console_progress("%s", "");
    net_end();
    answer = exit_run(system, image, a->options.exit, status, a->command_line);
    volumes_close();
    heap_end();
    return answer;
}
