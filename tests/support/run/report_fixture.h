/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/run/report_fixture.h: a machine by hand, a report of it on media in memory, and the engine between them.
 *
 * fixture_init(), changes to the machine or the options, fixture_start(); then either steps by hand (fixture_step(),
 * what a check calls, fixture_close()) or engine_run(); fixture_finish() holds the stream against the format.
 */
#pragma once
#include "core/engine/engine.h"
#include "core/report/report.h"
#include "tests/support/machine/fake_platform.h"
#include "tests/support/data/ocp_stream.h"

struct report_fixture {
    struct fake fake;
    struct machine machine;
    struct options options;
    struct run_identity identity; /* may be changed before fixture_start() */
    struct report report;
    struct fake_medium stream, text;
    struct engine engine;
    struct check check;       /* of the step that is open                 */
    struct check_state state; /* and what it came to                      */
    struct ocp_result result; /* of fixture_finish()                      */
};

/* The row of every step by hand: qm.error-bit. */
extern const struct check_row fixture_row;

void fixture_init(struct report_fixture *fx, uint32_t n_cpus);
/* Opens the report. */
void fixture_start(struct report_fixture *fx);
void fixture_free(struct report_fixture *fx);

void fixture_step(struct report_fixture *fx);
void fixture_close(struct report_fixture *fx);
/* Closes the report, which must be a valid stream. */
void fixture_finish(struct report_fixture *fx, enum run_result outcome);
/* A report of one step, which passes. */
void fixture_begin(struct report_fixture *fx);
void fixture_end(struct report_fixture *fx);

bool fixture_text_has(const struct report_fixture *fx, const char *words);
bool fixture_stream_has(const struct report_fixture *fx, const char *words);
/* They have all of these words; else the test fails, and shows what they have. */
#define expect_text(fx, ...)   fixture_expect((fx)->text.text, (const char *const[]){ __VA_ARGS__, NULL })
#define expect_stream(fx, ...) fixture_expect((fx)->stream.text, (const char *const[]){ __VA_ARGS__, NULL })
void fixture_expect(const char *text, const char *const *words);
/* What follows the nth occurrence (from 0) of the words in the stream; NULL: there are fewer. */
const char *fixture_nth(const struct report_fixture *fx, const char *words, uint32_t nth);
#define MEASUREMENT "\"measurement\":"

/* Each test of the suite has a fixture of four processors, fx. Needs criterion.h. */
#define FIXTURE_SUITE(suite)                                                                                           \
    static struct report_fixture fx;                                                                                   \
    static void set_up(void)                                                                                           \
    {                                                                                                                  \
        fixture_init(&fx, 4);                                                                                          \
    }                                                                                                                  \
    static void tear_down(void)                                                                                        \
    {                                                                                                                  \
        fixture_free(&fx);                                                                                             \
    }                                                                                                                  \
    TestSuite(suite, .init = set_up, .fini = tear_down)
