/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A medium that is full, at any byte: whole runs of a few checks through the payload's own files, reports and journal (core/store), on
 * volumes with room for nothing, one cluster, two, and so on up to all that a run writes; and then on volumes that are full at a byte.
 * Each run ends, says what is not there and calls itself an ERROR, every check that had been flushed is on the medium in whole lines,
 * and with room the next boot continues in the same report. FULL=1: each byte, not one in a thousand.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/diagnosis/diagnosis_report.h"
#include "core/tools/tools.h"
#include "core/engine/boot_step.h"
#include "core/engine/engine.h"
#include "core/engine/outcome.h"
#include "core/page/page.h"
#include "core/report/report_resume.h"
#include "tests/support/machine/fake_platform.h"
#include "tests/support/data/ocp_stream.h"
#include "tests/support/run/fake_rows.h"
#include "tests/volume/around.h"
#include "tests/volume/fat_volume.h"

#define PLENTY   (UINT64_C(1) << 30)
#define PATIENCE 3000u /* calls of firmware's that a boot makes at most, in a run that takes some hundred */
#define N_ROWS   5u

static enum status do_pass(struct check *c)
{
    for (uint32_t i = 0; i < 4; i++)
        evidence_msr(c, i, 0xC8F, 1, 2);
    return ST_OK;
}

static enum status do_curve(struct check *c)
{
    evidence_msr(c, 0, 0xC8F, 1, 2);
    series_put_head(c, &(struct series_head){ .name = "curve", .unit = "B", .x_name = "x", .x_unit = "1" });
    for (uint32_t i = 0; i < 8; i++)
        series_add(c, i, 2 * i);
    series_end(c);
    return ST_OK;
}

static const struct check_row rows[N_ROWS] = { FAKE_ROW("a.one", do_pass, .risk = RISK_MSR),
                                               FAKE_ROW("b.two", do_curve, .risk = RISK_MSR),
                                               FAKE_ROW("c.three", do_pass, .risk = RISK_MSR),
                                               FAKE_ROW("d.four", do_curve, .risk = RISK_MSR),
                                               FAKE_ROW("e.five", do_pass, .risk = RISK_MSR) };
FAKE_FAMILY(rows);

struct boot {
    struct volume volume, out;
    struct reports reports;
    struct resume resume;
    struct report report;
    struct fake fake;
    struct machine machine;
    struct options options;
    struct engine engine;
    struct run_conditions conditions;
    struct smbios_info smbios;
    enum status opened, journal;
    enum run_result result;
    uint32_t flushed; /* checks that were over, all of them on the medium as far as firmware says */
};

/* --- a boot, as efi/boot/main.c has it -------------------------------------------------------------------------------- */

static void at(struct boot *b, enum journal_phase phase, const char *check)
{
    resume_at(&b->resume, &b->fake.platform, phase, check, check ? b->engine.round : 0, 300);
}

static void check_starting(void *context, const struct check_row *row, uint32_t index, uint32_t)
{
    struct boot *b = context;

    if (!b->reports.medium_failed)
        b->flushed = index;
    at(b, JOURNAL_CHECKING, row->id);
}

static void check_finished(void *context, const struct check *)
{
    struct boot *b = context;

    resume_progress(&b->resume);
}

static enum status open_report(struct boot *b)
{
    static const struct calendar now = { .year = 2026, .month = 11, .day = 25, .hour = 12 };
    const char *folder = "\\assay\\reports";
    enum status s = ST_OK;
    bool new_report;

    b->resume.ops = &around_machine;
    b->reports.console = &around_reports;
    resume_find(&b->resume, &b->reports, &b->out, folder, &b->smbios, &b->options, "0123456789abcdef");
    new_report = b->resume.plan.answer == RESUME_NEW;
    if (new_report)
        s = reports_choose(&b->reports, &now, &b->out, folder, &b->smbios);
    b->journal = s == ST_OK ? resume_begin(&b->resume, &b->reports, &b->out) : s;
    return s == ST_OK && new_report ? reports_create(&b->reports) : s;
}

static void begin_report(struct boot *b)
{
    cr_assert_eq(report_init(&b->report, &b->fake.platform, reports_jsonl(&b->reports), reports_text(&b->reports)),
                 ST_OK);
    if (b->resume.plan.answer != RESUME_NEW) {
        reports_replay(&b->reports);
        b->report.sequence = b->resume.tail.sequence;
    }
    if (b->report.sequence == 0)
        report_open(&b->report);
    if (!b->reports.medium_failed)
        reports_first_words(&b->reports, "Boot %u of this run.", b->resume.plan.boot);
}

static void tell_interruption(struct boot *b)
{
    struct resume *r = &b->resume;
    char text[512];

    if (r->plan.answer == RESUME_NEW)
        return;
    b->conditions.broken |= r->tail.run_errors > 0;
    boot_hang_text(&r->found, text, sizeof text);
    if (r->tail.step_open || resume_check_is_open(r))
        engine_put_broken(&b->engine, r->tail.step_open ? r->tail.check : r->found.check,
                          r->tail.step_open ? r->tail.round : r->found.round, boot_symptom(&r->found), text);
    else if (r->found.phase != JOURNAL_CHECKING && r->found.phase != JOURNAL_BETWEEN) {
        report_error(&b->report, boot_symptom(&r->found), "%s", text);
        b->conditions.broken = true;
    } else
        report_log(&b->report, "WARNING", "%s", text);
    boot_step(&b->engine, &r->found, r->plan.boot);
    resume_told(r);
}

static void run_checks(struct boot *b)
{
    static const struct run_identity id = {
        .version = "test", .commit = "test", .build_id = "0123456789abcdef", .command_line = "", .built_for = "host"
    };
    const struct resume *r = &b->resume;

    b->engine = (struct engine){ .platform = &b->fake.platform,
                                 .machine = &b->machine,
                                 .report = &b->report,
                                 .options = &b->options,
                                 .hooks = { .context = b, .starting = check_starting, .finished = check_finished } };
    if (r->plan.answer != RESUME_NEW) {
        b->engine.run.counts = r->tail.counts;
        b->engine.symptoms = r->symptoms;
        b->engine.from = (struct engine_from){ r->found.round, r->found.check[0] ? r->found.check : NULL,
                                               r->tail.ended_steps, r->found.seconds };
    }
    if (r->plan.answer != RESUME_NEW && r->tail.started)
        report_resume(&b->report, &b->machine, &b->options, &r->tail, r->found.utc_ms);
    else
        report_start(&b->report, &b->machine, &b->options, &id);
    tell_interruption(b);
    if (r->plan.answer == RESUME_NEW || r->found.phase < JOURNAL_RESTORING)
        cr_assert_eq(engine_run(&b->engine), ST_OK); /* a medium that fails ends no run */
}

static void finish(struct boot *b)
{
    static struct monitors monitors;
    struct diagnosis found;
    enum status s;

    at(b, JOURNAL_RESTORING, NULL);
    at(b, JOURNAL_ENDING, NULL);
    diagnosis_run(&b->engine.symptoms, &b->machine, &found);
    monitors_judge(&b->engine.symptoms, &found, engine_missing_needs(&b->engine),
                   b->engine.tools ? &b->engine.tools->pmon : NULL, b->engine.bands != NULL, &monitors);
    diagnosis_report(&b->report, &b->engine.symptoms, &found, &monitors);
    reports_settle(&b->reports, &b->volume, b->options.folder);
    b->conditions.report_failed |= reports_failed(&b->reports) || b->report.refused > 0;
    s = report_end(&b->report, &b->engine.run, outcome_of(engine_verdict(&b->engine), &b->conditions));
    b->conditions.report_failed |= reports_failed(&b->reports) || s != ST_OK;
    b->result = outcome_of(engine_verdict(&b->engine), &b->conditions);
    if (!reports_close(&b->reports) && b->result == RUN_PASS)
        b->result = RUN_ERROR;
}

static void boot(struct boot *b, const struct fat_volume *v)
{
    memset(b, 0, sizeof *b);
    b->volume = b->out = v->volume;
    around_begin();
    fake_init(&b->fake, 4);
    fake_machine(&b->fake, &b->machine);
    options_default(&b->options);
    strcpy(b->smbios.system_serial_number, "FULL1");
    b->machine.smbios = b->smbios;
    b->opened = open_report(b);
    b->reports.medium_failed = b->opened != ST_OK;
    at(b, JOURNAL_STARTING, NULL);
    begin_report(b);
    at(b, JOURNAL_ENUMERATING, NULL);
    run_checks(b);
    finish(b);
    resume_end(&b->resume);
    symptoms_free(&b->engine.symptoms);
    report_free(&b->report);
    fake_machine_free(&b->machine);
}

/* --- what is on the medium -------------------------------------------------------------------------------------------- */

/* A file beside the nth stream. */
static const struct fat_bytes *held(const struct fat_volume *v, const char *name, uint32_t nth)
{
    static const struct fat_bytes nothing;
    const struct fat_file *f = fat_find(v, "\\report.jsonl", nth);
    char path[sizeof f->path];

    if (!f)
        return &nothing;
    text_format(path, sizeof path, "%s", f->path);
    strcpy(strrchr(path, '\\'), name);
    f = fat_find(v, path, 0);
    return f ? &f->medium : &nothing;
}

static bool ends_with(const struct fat_bytes *b, const char *end, size_t n)
{
    return b->length >= n && memcmp(b->text + b->length - n, end, n) == 0;
}

static bool digest_is_there(const struct fat_volume *v, const char *name, uint32_t nth)
{
    const struct fat_bytes *b = held(v, name, nth), *list = held(v, "\\report.sha256", nth);
    struct sha256 s;
    char line[96];

    if (b->length == 0 || list->length == 0)
        return false;
    sha256_begin(&s);
    sha256_add(&s, b->text, b->length);
    sha256_text(&s, line);
    text_format(line + 64, sizeof line - 64, "  %s\n", name + 1);
    return strstr(list->text, line) != NULL;
}

static bool whole(const struct fat_volume *v, uint32_t nth)
{
    return digest_is_there(v, "\\report.jsonl", nth) && digest_is_there(v, "\\report.txt", nth) &&
           digest_is_there(v, "\\report.figures", nth) && digest_is_there(v, "\\report.html", nth) &&
           ends_with(held(v, "\\report.html", nth), page_tail, (size_t)(page_tail_end - page_tail));
}

/* The steps that finished, each check once. */
static uint32_t checks_in(const struct fat_bytes *stream, const char *where)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < N_ROWS; i++) {
        char start[64];
        const char *found;

        text_format(start, sizeof start, "\"testStepStart\":{\"name\":\"%s\"", rows[i].id);
        found = stream->length > 0 ? strstr(stream->text, start) : NULL;
        n += found && strstr(found, "\"testStepEnd\"");
        cr_expect(!found || !strstr(found + 1, start), "%s: %s is there twice", where, rows[i].id);
    }
    return n;
}

/* What stands there are whole lines of a valid stream, and the console names what does not. Returns whether the stream has its end. */
static bool judge_full(const struct boot *b, const struct fat_volume *v, const char *where)
{
    static const char *const derived[] = { "\\report.figures", "\\report.html", "\\report.sha256" };
    const struct fat_bytes *stream = held(v, "\\report.jsonl", 0);
    struct ocp_result seen = { .ended = false };
    bool all = whole(v, 0);

    cr_expect_not(v->spoilt, "%s: a folder without a cluster", where);
    cr_expect_eq(v->handles, 0, "%s: %u handles are open", where, v->handles);
    cr_expect_lt(v->calls, PATIENCE, "%s: %llu calls", where, (unsigned long long)v->calls);
    if (stream->length > 0) {
        cr_expect(ends_with(stream, "\n", 1), "%s: the last line is not whole", where);
        cr_expect(ocp_check(stream->text, stream->length, true, &seen), "%s: %s", where, seen.fault);
    }
    cr_expect_geq(checks_in(stream, where), b->flushed, "%s: %u checks were flushed", where, b->flushed);
    cr_expect_eq(b->result, all ? RUN_PASS : RUN_ERROR, "%s: the result is %s", where, run_result_text(b->result));
    cr_expect(strstr(around_console, "RESULT: "), "%s: the console has no result", where);
    if (!all)
        cr_expect(b->opened == ST_FULL || strstr(around_console, " on volume \"ASSAY\": volume full: "),
                  "%s: the console does not say why: %s", where, around_console);
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++) {
        const char *name = derived[i];

        cr_expect(!fat_find(v, name, 0) || held(v, name, 0)->length > 0, "%s: %s is empty", where, name);
    }
    return seen.ended;
}

/* With room: in the same report, after all that was there; or in one of its own where nothing is to be resumed. */
static void judge_next(const struct boot *b, const struct fat_volume *v, const struct fat_bytes *before, bool goes_on,
                       const char *where)
{
    uint32_t nth = fat_find(v, "\\report.jsonl", 1) ? 1 : 0;
    const struct fat_bytes *stream = held(v, "\\report.jsonl", nth);
    struct ocp_result seen;

    cr_assert_gt(stream->length, 0, "%s: the next boot wrote no report", where);
    cr_expect(ocp_check(stream->text, stream->length, false, &seen), "%s: the next boot: %s", where, seen.fault);
    cr_expect(seen.ended && checks_in(stream, where) == N_ROWS, "%s: the next boot's report is not whole", where);
    cr_expect(whole(v, nth), "%s: the next boot's files are not whole", where);
    cr_expect_null(strstr(stream->text, "machine-hung"), "%s: it is said that a check hung", where);
    if (goes_on)
        cr_expect(nth == 0 && stream->length > before->length &&
                      memcmp(stream->text, before->text, before->length) == 0,
                  "%s: the next boot does not continue after what was there", where);
    cr_expect(b->result == RUN_PASS || (goes_on && b->result == RUN_ERROR), "%s: the next boot's result is %s", where,
              run_result_text(b->result));
    cr_expect_eq(v->handles, 0, "%s: %u handles are open after the next boot", where, v->handles);
}

/* --- each volume ------------------------------------------------------------------------------------------------------- */

/* Returns whether there was room for all of it. */
static bool one_volume(uint32_t cluster, uint64_t clusters, bool in_part)
{
    static struct fat_volume v;
    static struct boot b;
    struct fat_bytes before = { 0 };
    bool ended, journal, all;
    char where[96];

    text_format(where, sizeof where, "%llu clusters of %u bytes%s", (unsigned long long)clusters, cluster,
                in_part ? ", writes in part" : "");
    fat_begin(&v, cluster, clusters);
    v.in_part = in_part;
    boot(&b, &v);
    fat_cut(&v);
    ended = judge_full(&b, &v, where);
    all = b.result == RUN_PASS;
    journal = b.journal == ST_OK;
    if (!all) {
        const struct fat_bytes *stream = held(&v, "\\report.jsonl", 0);

        if (stream->length > 0)
            before = (struct fat_bytes){ .text = strdup(stream->text), .length = stream->length };
        v.clusters = PLENTY;
        v.calls = 0;
        boot(&b, &v);
        fat_cut(&v);
        judge_next(&b, &v, &before, journal && before.length > 0 && !ended, where);
        free(before.text);
    }
    fat_end(&v);
    return all;
}

/* Volumes of `from` clusters, `step` more, and so on, up to `to` or one that has room for all; returns how many were full. */
static uint32_t each_volume(uint32_t cluster, uint64_t from, uint64_t step, uint64_t to, bool in_part)
{
    uint32_t n = 0;

    for (uint64_t clusters = from; clusters < to && !one_volume(cluster, clusters, in_part); clusters += step)
        n++;
    cr_log_info("clusters of %u bytes: %u volumes were full", cluster, n);
    return n;
}

/* Bytes of a run that has room for all: up to the end of its stream, beside which report.txt is small. */
static uint64_t bytes_of_stream(void)
{
    static struct fat_volume v;
    static struct boot b;
    uint64_t n;

    fat_begin(&v, 1, PLENTY);
    boot(&b, &v);
    cr_assert(b.result == RUN_PASS && whole(&v, 0));
    n = JOURNAL_FILE + held(&v, "\\report.jsonl", 0)->length;
    fat_end(&v);
    return n;
}

static uint64_t bytes(uint64_t step)
{
    const char *asked = getenv("FULL");
    uint64_t n = asked ? strtoull(asked, NULL, 10) : step;

    return n > 0 ? n : 1;
}

Test(full_medium, at_each_cluster)
{
    cr_expect_gt(each_volume(512, 0, 1, PLENTY, false), 150);
    cr_expect_gt(each_volume(4096, 0, 1, PLENTY, false), 20);
}

Test(full_medium, at_a_byte)
{
    cr_expect_gt(each_volume(1, 0, bytes(499), PLENTY, false), 90);
}

Test(full_medium, at_a_byte_where_a_driver_writes_in_part)
{
    uint64_t stream = bytes_of_stream();

    cr_expect_gt(each_volume(1, 0, bytes(491), PLENTY, true), 90);
    /* The last lines, after which nothing is tried again; report.txt takes room too. */
    cr_expect_gt(each_volume(1, stream, 29, stream + 3000, true), 100);
}

/* Of one machine, in one second of its clock: as two machines without serial numbers have it that share a stick. */
Test(full_medium, of_two_runs_has_both_whole)
{
    static struct fat_volume v;
    static struct boot b;
    struct fat_bytes first;

    fat_begin(&v, 4096, PLENTY / 4096);
    boot(&b, &v);
    cr_assert(whole(&v, 0));
    first = (struct fat_bytes){ .length = held(&v, "\\report.jsonl", 0)->length };
    first.text = malloc(first.length);
    memcpy(first.text, held(&v, "\\report.jsonl", 0)->text, first.length);
    boot(&b, &v);
    cr_expect(whole(&v, 0) && whole(&v, 1));
    cr_expect_null(fat_find(&v, "\\report.jsonl", 2));
    cr_expect_eq(held(&v, "\\report.jsonl", 0)->length, first.length);
    cr_expect_arr_eq(held(&v, "\\report.jsonl", 0)->text, first.text, first.length);
    free(first.text);
    fat_end(&v);
}

/* Two runs on a volume whose driver has something odd about it. */
static void expect_two_whole_runs(size_t most, bool unflushable)
{
    static struct fat_volume v;
    static struct boot b;

    fat_begin(&v, 4096, PLENTY / 4096);
    v.most = most;
    v.unflushable = unflushable;
    for (uint32_t nth = 0; nth < 2; nth++) {
        boot(&b, &v);
        cr_expect_eq(b.result, RUN_PASS, "%s: %s", run_result_text(b.result), around_console);
        cr_expect_eq(b.journal, ST_OK);
        cr_expect(whole(&v, nth), "%s", around_console);
    }
    cr_expect_null(strstr(held(&v, "\\report.jsonl", 1)->text, "\"resume\""),
                   "the second boot read the journal in part");
    fat_end(&v);
}

/* UEFI 2.10, 13.5 Read(), Write(): BufferSize is what was moved. */
Test(odd_medium, of_which_a_call_moves_fewer_bytes_than_it_is_asked_for)
{
    expect_two_whole_runs(700, false);
    expect_two_whole_runs(65536, false);
}

Test(odd_medium, that_knows_no_flush)
{
    expect_two_whole_runs(0, true);
}

static enum status same_name(struct store_file *, char *name, size_t size, bool *is_file)
{
    text_format(name, size, "again.txt");
    *is_file = true;
    return ST_OK;
}

static void count_name(void *context, const char *)
{
    ++*(uint32_t *)context;
}

Test(odd_medium, of_which_a_folder_has_no_end)
{
    static struct fat_volume v;
    struct store_ops ops;
    uint32_t n = 0;

    fat_begin(&v, 4096, PLENTY / 4096);
    ops = *v.volume.ops;
    ops.next = same_name;
    v.volume.ops = &ops;
    cr_expect_eq(folder_list(&v.volume, "\\assay", &n, count_name), ST_CORRUPT);
    cr_expect_geq(n, 65536);
    cr_expect_eq(v.handles, 0);
    fat_end(&v);
}
