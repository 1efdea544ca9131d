/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A run that was interrupted continues in the stream that it has. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/search.h"
#include "core/engine/boot_step.h"
#include "core/engine/deadline.h"
#include "core/engine/engine.h"
#include "core/report/report_resume.h"
#include "tests/support/run/fake_rows.h"
#include "tests/support/run/report_fixture.h"

static enum status do_pass(struct check *c)
{
    evidence_msr(c, 0, 0xC8F, 1, 2);
    return ST_OK;
}
static enum status do_curve(struct check *c)
{
    evidence_msr(c, 0, 0xC8F, 1, 2);
    series_put_head(c, &(struct series_head){ .name = "curve", .unit = "B", .x_name = "x", .x_unit = "1" });
    series_add(c, 1, 2);
    series_add(c, 2, 4);
    series_end(c);
    finding(c, FINDING_UNUSUAL, 0, FOUND_OTHER, PLACE_NONE, "a little off");
    return ST_OK;
}
static enum status do_fail(struct check *c)
{
    evidence_msr(c, 0, 0xC8F, 1, 0);
    finding(c, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "wrong");
    return ST_OK;
}
static enum status do_skip(struct check *c)
{
    return check_absent(c, "not here");
}

static const struct check_row rows[] = {
    FAKE_ROW("a.pass", do_pass, .risk = RISK_NONE),
    FAKE_ROW("b.curve", do_curve, .risk = RISK_WORKLOAD),
    FAKE_ROW("c.fail", do_fail, .risk = RISK_MSR),
    FAKE_ROW("d.skip", do_skip, .risk = RISK_MSR),
    FAKE_ROW("e.services", do_pass, .needs = NEED_MP_SELFTEST),
};
FAKE_FAMILY(rows);

static char ran[64][16];
static uint32_t n_ran;

static void finished(void *, const struct check *c)
{
    strcpy(ran[n_ran++], c->row->id);
}

static struct stream_tail tail_of(const char *text, size_t length)
{
    struct stream_tail t = { .of_monitor = check_is_of_monitor };

    stream_tail_begin(&t);
    stream_tail_add(&t, text, length);
    stream_tail_end(&t);
    return t;
}

static struct report_fixture whole, fx; /* a run that is not interrupted, and another one */

static void choose(struct report_fixture *f)
{
    fixture_init(f, 4);
    f->options.repeat = 2;
    strcpy(f->options.skips[0], "e.*");
    f->options.n_skips = 1;
}

static void set_up(struct report_fixture *f)
{
    choose(f);
    fixture_start(f);
    f->engine.hooks.finished = finished;
    n_ran = 0;
}

static void run_whole(void)
{
    set_up(&whole);
    cr_assert_eq(engine_run(&whole.engine), ST_OK);
}

static void tear_down(void)
{
    fixture_free(&whole);
    fixture_free(&fx);
}

TestSuite(resumed, .fini = tear_down);
TestSuite(stream_tail, .fini = tear_down);

/* The rest of the run after `length` bytes of a stream, as the next boot does it. */
static void go_on(const char *text, size_t length)
{
    struct stream_tail t = tail_of(text, length);
    struct journal_record found = { .phase = JOURNAL_CHECKING, .boot = 1, .utc_ms = 1795242000000, .armed = 300 };

    fixture_free(&fx);
    choose(&fx);
    cr_assert(t.started && !t.ended && t.faults == 0);
    cr_assert_eq(report_init(&fx.report, &fx.fake.platform, fake_sink(&fx.stream), fake_sink(&fx.text)), ST_OK);
    cr_assert_eq(fx.report.jsonl.write(fx.report.jsonl.context, text, length), ST_OK);
    report_resume(&fx.report, &fx.machine, &fx.options, &t, found.utc_ms);
    fx.engine = (struct engine){ .platform = &fx.fake.platform,
                                 .machine = &fx.machine,
                                 .report = &fx.report,
                                 .options = &fx.options,
                                 .hooks = { .finished = finished } };
    fx.engine.run.counts = t.counts;
    strcpy(found.check, t.check);
    found.round = (t.ended_steps - (!t.step_open && t.ended_steps > 0)) / 4 + 1; /* as the journal has it */
    if (t.step_open) {
        char message[512];

        boot_hang_text(&found, message, sizeof message);
        engine_put_broken(&fx.engine, t.check, found.round, boot_symptom(&found), message);
    }
    boot_step(&fx.engine, &found, 2);
    if (t.check[0])
        fx.engine.from = (struct engine_from){ found.round, found.check, t.ended_steps, 0 };
    n_ran = 0;
    cr_assert_eq(engine_run(&fx.engine), ST_OK);
    fixture_finish(&fx, RUN_FAIL);
}

/* Every check of every round once: an ERROR that hung where it was open, as it was otherwise. */
static void expect_whole(const char *hung, uint32_t line)
{
    static const char *const ids[] = { "a.pass", "b.curve", "c.fail", "d.skip" };
    struct stream_tail t = tail_of(fx.stream.text, fx.stream.length);

    cr_expect_eq(SUM_OF(uint32_t, i, 4, stream_tail_hangs(&t, ids[i])), hung[0] != '\0', "cut after line %u", line);
    cr_expect_eq(t.ended_steps, 8, "cut after line %u: %u checks", line, t.ended_steps);
    cr_expect_eq(t.counts.error, hung[0] != '\0');
}

Test(resumed, continues_after_every_line_of_a_run)
{
    uint32_t line = 0;

    run_whole();
    for (size_t at = 0; at < whole.stream.length; at++) {
        struct stream_tail t;
        char hung[STREAM_TEXT];

        line += whole.stream.text[at] == '\n';
        if (whole.stream.text[at] != '\n' || line < 3)
            continue;
        t = tail_of(whole.stream.text, at + 1);
        strcpy(hung, t.step_open && t.check[1] == '.' ? t.check : "");
        if (strcmp(t.check, "spread.rounds") == 0)
            break;
        go_on(whole.stream.text, at + 1);
        expect_whole(hung, line);
    }
    cr_expect_gt(line, 60);
}

/* A power cut in the middle of a flush leaves sectors of it: zeros, or what another file held, and whole lines behind. */
Test(resumed, ends_the_sound_part_where_a_sector_was_not_written)
{
    static char torn[1 << 20];
    struct stream_tail t = { .of_monitor = check_is_of_monitor };

    run_whole();
    cr_assert_lt(whole.stream.length, sizeof torn);
    for (size_t sector = 512; sector + 1024 < whole.stream.length; sector += 512) {
        size_t line = sector;

        if (whole.stream.text[sector] == '\n') /* a line that is whole ends right there */
            continue;
        memcpy(torn, whole.stream.text, whole.stream.length);
        while (line > 0 && torn[line - 1] != '\n')
            line--;
        memset(torn + sector, sector & 512 ? '\0' : '\n', 512);
        for (size_t cut = 1; cut < 2000; cut += 999) { /* in pieces */
            stream_tail_begin(&t);
            for (size_t at = 0; at < whole.stream.length; at += cut)
                stream_tail_add(&t, torn + at, whole.stream.length - at < cut ? whole.stream.length - at : cut);
            cr_assert_eq(t.bytes, whole.stream.length);
            cr_assert_eq(t.sound, line, "sector at %zu: sound are %llu bytes, not %zu", sector,
                         (unsigned long long)t.sound, line);
        }
    }
}

Test(resumed, accuses_no_check_of_a_full_medium)
{
    struct journal_record found = { .phase = JOURNAL_CHECKING, .boot = 1, .medium = ST_FULL, .check = "b.curve" };
    struct stream_tail t = { .of_monitor = check_is_of_monitor };
    char text[512];

    set_up(&fx);
    boot_hang_text(&found, text, sizeof text);
    cr_expect_not_null(strstr(text, "failed (volume full)"));
    cr_expect_not_null(strstr(text, "boot 1"));
    cr_expect_null(strstr(text, "hung"));
    engine_put_broken(&fx.engine, "b.curve", 1, boot_symptom(&found), text);
    boot_step(&fx.engine, &found, 2);
    expect_stream(&fx, "\"symptom\":\"medium-failed\"", "\"bootsWithoutProgress\":0");
    t = tail_of(fx.stream.text, fx.stream.length);
    cr_expect_eq(stream_tail_hangs(&t, "b.curve"), 0);
    cr_expect_eq(t.counts.error, 1);
}

Test(resumed, says_what_hung_and_which_boot_this_is)
{
    struct stream_tail t;
    const char *cut;

    run_whole();
    cut = strstr(whole.stream.text, "measurementSeriesElement");
    cr_assert_not_null(cut);
    cut = strchr(cut, '\n') + 1;
    go_on(whole.stream.text, (size_t)(cut - whole.stream.text));
    expect_stream(&fx,
                  "\"symptom\":\"machine-hung\",\"message\":\""
                  "interrupted by a hang or power loss in boot 1 (started 2026-11-21T06:20:00Z; a "
                  "watchdog of 300 s was armed)\"",
                  "\"name\":\"assay.boot\",\"content\":{\"boot\":2,", "\"interrupted\":\"check b.curve\"");
    expect_text(&fx, "ERROR  b.curve", "DONE   resume");
    cr_expect_eq(n_ran, 6, "what is after it in this round, and the next round");
    cr_expect_str_eq(ran[0], "c.fail");
    t = tail_of(whole.stream.text, (size_t)(cut - whole.stream.text));
    cr_expect(stream_tail_lacks(&t, "b.curve", 1));
    cut = strstr(fx.stream.text, "assay.boot");
    cut = strchr(strstr(cut, "testStepEnd"), '\n') + 1;
    t = tail_of(fx.stream.text, (size_t)(cut - fx.stream.text)); /* that boot was cut off right after this */
    cr_expect_str_eq(t.check, "resume");
    cr_expect_not(stream_tail_lacks(&t, "b.curve", 1), "the boot after it says again that b.curve hung");
    cr_expect(stream_tail_lacks(&t, "c.fail", 1));
    cr_expect(stream_tail_lacks(&t, "b.curve", 2));
}

static const char *leave_out(void *context, const struct check_row *row)
{
    return strcmp(row->id, context) == 0 ? "left out: it hung" : NULL;
}

Test(resumed, leaves_out_a_check_that_is_named_to_it)
{
    char id[] = "c.fail";

    set_up(&fx);
    fx.options.repeat = 1;
    fx.engine.hooks.left_out = leave_out;
    fx.engine.hooks.context = id;
    cr_assert_eq(engine_run(&fx.engine), ST_OK);
    cr_expect_eq(fx.engine.run.counts.fail, 0);
    cr_expect_eq(fx.engine.run.counts.skip, 2);
    expect_text(&fx, "left out: it hung");
}

Test(resumed, has_nothing_left_behind_a_check_of_mp_services)
{
    set_up(&fx);
    fx.options.n_skips = 0;
    fx.options.repeat = 1;
    fx.engine.mp_selftest_apart = true;
    fx.engine.from = (struct engine_from){ 1, "e.services", 5, 0 };
    cr_assert_eq(engine_run(&fx.engine), ST_OK);
    cr_assert_eq(engine_run_mp_selftest(&fx.engine), ST_OK);
    cr_expect_eq(n_ran, 0);
}

Test(stream_tail, counts_as_the_run_did)
{
    struct stream_tail t = { .of_monitor = check_is_of_monitor };

    set_up(&fx);
    cr_assert_eq(engine_run(&fx.engine), ST_OK);
    t = tail_of(fx.stream.text, fx.stream.length);
    cr_expect_eq(memcmp(&t.counts, &fx.engine.run.counts, sizeof t.counts), 0);
    cr_expect(t.started && !t.ended && t.faults == 0 && !t.step_open);
    cr_expect_eq(t.sequence, fx.report.sequence);
    cr_expect_eq(t.step, fx.report.step);
    report_error(&fx.report, "processor-lost", "cpu 1");
    fixture_finish(&fx, RUN_FAIL);
    t = tail_of(fx.stream.text, fx.stream.length);
    cr_expect(t.ended && t.run_errors == 1);
}

Test(stream_tail, takes_no_stream_that_is_damaged)
{
    struct stream_tail t = { .of_monitor = check_is_of_monitor };
    char *text;

    set_up(&fx);
    cr_assert_eq(engine_run(&fx.engine), ST_OK);
    text = strdup(fx.stream.text);
    memset(strchr(text, '\n') + 20, 0, 30);
    t = tail_of(text, fx.stream.length);
    cr_expect_gt(t.faults, 0);
    t = tail_of(fx.stream.text, fx.stream.length - 5);
    cr_expect_gt(t.faults, 0, "a line without its end");
    free(text);
}

Test(deadline, is_longer_for_loads_and_large_machines_and_never_above_what_was_asked_for)
{
    struct options o;

    memset(&o, 0, sizeof o);
    options_default(&o);
    cr_expect_eq(deadline_of_check(&o, &rows[0], 4), 60);
    cr_expect_eq(deadline_of_check(&o, &rows[2], 4), 300);
    cr_expect_eq(deadline_of_check(&o, &rows[1], 4), 900);
    cr_expect_eq(deadline_of_check(&o, &rows[0], 512), 180);
    cr_expect_eq(deadline_of_check(&o, &rows[1], 512), 1800);
    cr_expect_eq(deadline_of_phase(&o, JOURNAL_STARTING, 4), 300);
    cr_expect_eq(deadline_of_phase(&o, JOURNAL_COUNTING, 4), 0, "a person ends it");
    o.watchdog_seconds = 20;
    cr_expect_eq(deadline_of_phase(&o, JOURNAL_ENDING, 4), 20);
    o.page_breaks = true;
    cr_expect_eq(deadline_of_check(&o, &rows[0], 4), 0, "keys are waited for");
}

/* What a warm reset leaves: some parts keep IA32_PQR_ASSOC and masks. */
Test(resumed, tells_which_registers_survived_the_reset)
{
    struct journal_record found = { .phase = JOURNAL_CHECKING, .boot = 1, .check = "b.curve" };

    set_up(&fx);
    fx.machine.cpus[0].rdt.allocation = true;
    fx.machine.cpus[0].rdt.l3 = (struct rdt_cat){ .present = true, .cbm_len = 20, .clos = 4 };
    fake_msr(&fx.fake, IA32_PQR_ASSOC, 0)->value[2] = UINT64_C(3) << 32 | 7;
    for (uint32_t clos = 0; clos < 4; clos++)
        fake_msr(&fx.fake, IA32_L3_MASK(clos), clos == 1 ? 0xF : 0xFFFFF);
    boot_step(&fx.engine, &found, 2);
    expect_stream(&fx, "IA32_PQR_ASSOC is not 0 on 1 of 4 processors, the first is cpu 2: 0x300000007",
                  "1 of 4 L3 masks of L3 domain 0 are not 0xfffff, the first is CLOS 1: 0xf");
}

Test(resumed, tells_that_a_reset_put_all_of_them_back)
{
    struct journal_record found = { .phase = JOURNAL_CHECKING, .boot = 1, .check = "b.curve" };

    set_up(&fx);
    fx.machine.cpus[0].rdt.l3 = (struct rdt_cat){ .present = true, .cbm_len = 20, .clos = 2 };
    fake_msr(&fx.fake, IA32_PQR_ASSOC, 0);
    for (uint32_t clos = 0; clos < 2; clos++)
        fake_msr(&fx.fake, IA32_L3_MASK(clos), 0xFFFFF);
    boot_step(&fx.engine, &found, 2);
    expect_stream(&fx, "IA32_PQR_ASSOC is 0 on all 4 processors", "all 2 L3 masks of L3 domain 0 are 0xfffff");
}
