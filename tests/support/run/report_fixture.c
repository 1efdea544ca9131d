/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/run/report_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

const struct check_row fixture_row = { .id = "qm.error-bit",
                                       .title = "A reserved event is answered with Error",
                                       .spec = "SDM vol. 3B 17.16.7",
                                       .covers = "QM-03",
                                       .detects = "Error never set",
                                       .risk = RISK_MSR };

void fixture_init(struct report_fixture *fx, uint32_t n_cpus)
{
    memset(fx, 0, sizeof *fx);
    fake_init(&fx->fake, n_cpus);
    fake_machine(&fx->fake, &fx->machine);
    options_default(&fx->options);
    fx->identity = (struct run_identity){ .version = "0.1.0",
                                          .commit = "abc123",
                                          .build_id = "0123456789abcdef",
                                          .command_line = "-t qm.* -o \"\\x\"",
                                          .built_for = "a test" };
}

void fixture_start(struct report_fixture *fx)
{
    cr_assert_eq(report_init(&fx->report, &fx->fake.platform, fake_sink(&fx->stream), fake_sink(&fx->text)), ST_OK);
    report_start(&fx->report, &fx->machine, &fx->options, &fx->identity);
    fx->engine = (struct engine){
        .platform = &fx->fake.platform, .machine = &fx->machine, .report = &fx->report, .options = &fx->options
    };
}

void fixture_free(struct report_fixture *fx)
{
    symptoms_free(&fx->engine.symptoms);
    report_free(&fx->report);
    fake_machine_free(&fx->machine);
    fake_medium_free(&fx->stream);
    fake_medium_free(&fx->text);
}

void fixture_step(struct report_fixture *fx)
{
    fx->state = (struct check_state){ 0 };
    fx->check = (struct check){ .row = &fixture_row,
                                .platform = &fx->fake.platform,
                                .machine = &fx->machine,
                                .report = &fx->report,
                                .state = &fx->state };
    check_step_start(&fx->check, 1);
}

void fixture_close(struct report_fixture *fx)
{
    check_close(&fx->check);
    check_step_end(&fx->check);
    verdict_count(&fx->engine.run.counts, check_verdict(&fx->check), !fx->check.row->no_monitor);
}

void fixture_finish(struct report_fixture *fx, enum run_result outcome)
{
    cr_expect_eq(report_end(&fx->report, &fx->engine.run, outcome), ST_OK);
    cr_assert(ocp_check(fx->stream.text, fx->stream.length, false, &fx->result), "%s", fx->result.fault);
}

bool fixture_text_has(const struct report_fixture *fx, const char *words)
{
    return strstr(fx->text.text, words) != NULL;
}

bool fixture_stream_has(const struct report_fixture *fx, const char *words)
{
    return strstr(fx->stream.text, words) != NULL;
}

void fixture_expect(const char *text, const char *const *words)
{
    for (; *words; words++)
        cr_expect(strstr(text, *words), "\"%s\" is not in: %s", *words, text);
}

const char *fixture_nth(const struct report_fixture *fx, const char *words, uint32_t nth)
{
    const char *at = fx->stream.text;

    do
        at = strstr(at, words), at = at ? at + strlen(words) : NULL;
    while (at && nth-- > 0);
    return at;
}

void fixture_begin(struct report_fixture *fx)
{
    fixture_start(fx);
    fixture_step(fx);
}

void fixture_end(struct report_fixture *fx)
{
    fixture_close(fx);
    fixture_finish(fx, RUN_PASS);
}
