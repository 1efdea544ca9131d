/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/fuzz/fuzz_events.c: any file of events, formulas of its metrics, and its first line as an event. */
#include <string.h>

#include "core/events/event_file.h"
#include "core/events/event_perf.h"
#include "core/events/formula.h"
#include "tests/fuzz/fuzz.h"

static void fuzz_spec(const uint8_t *data, size_t size)
{
    struct event_spec spec;
    struct event_fault fault;
    char line[EVENT_SPEC_TEXT] = "", perf[EVENT_SPEC_TEXT];

    for (size_t n = 0; n < size && n + 1 < sizeof line && data[n] >= ' ' && data[n] <= '~'; n++)
        line[n] = (char)data[n];
    if (event_from_perf(line, perf, sizeof perf) != ST_OK)
        MUST(perf[0] == '\0');
    must_be_text(perf, sizeof perf);
    MUST(event_first_length(line) <= strlen(line));
    if (event_spec_parse(line, &spec, &fault) != ST_OK) {
        must_be_text(fault.field, sizeof fault.field);
        MUST(must_be_text(fault.text, sizeof fault.text) > 0);
    }
}

static bool one(void *, const char *event, enum formula_of, double *value)
{
    *value = 1;
    return must_be_text(event, FORMULA_WORD) > 0 && event[0] != 'X';
}

static void fuzz_metric(const struct named_metric *m)
{
    const struct formula_values values = { one, NULL };
    double result;
    enum status st = formula_evaluate(m->formula, &values, &result);

    MUST(st == ST_OK || st == ST_ABSENT || st == ST_CORRUPT);
    MUST(must_be_text(m->name, EVENT_NAME) > 0 && must_be_text(m->unit, EVENT_NAME) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct event_file_error error;
    struct event_file file;
    struct nearest_names nearest = { .n = 0 };
    const char *text = (const char *)data;
    char pmu[EVENT_NAME / 2]; /* too short for some */
    enum status st;

    fuzz_spec(data, size);
    st = event_file_fits(text, size, 6, 0x6A, 6, &error);
    MUST(st == ST_OK || st == ST_ABSENT || st == ST_CORRUPT);
    MUST((st == ST_CORRUPT) == (error.text[0] != '\0'));
    st = event_file_parse(&file, text, size, &error);
    MUST(st == ST_OK || st == ST_CORRUPT);
    MUST((st == ST_CORRUPT) == (error.text[0] != '\0'));
    must_be_text(error.text, sizeof error.text);
    must_be_text(error.field, sizeof error.field);
    if (st == ST_OK) {
        for (uint32_t i = 0; i < file.n_events; i++) {
            MUST(must_be_text(file.events[i].unit, EVENT_NAME) > 0 &&
                 must_be_text(file.events[i].name, EVENT_NAME) > 0);
            event_perf_pmu(file.events[i].unit, pmu, sizeof pmu);
            must_be_text(pmu, sizeof pmu);
            MUST(event_file_find(&file, file.events[i].unit, file.events[i].name) != NULL);
        }
        for (uint32_t i = 0; i < file.n_metrics; i++)
            fuzz_metric(&file.metrics[i]);
        event_file_nearest(&file, "", "UNC_M_CAS_COUNT.RD", &nearest);
        MUST(nearest.n <= file.n_events && nearest.n <= NEAREST_NAMES);
        event_file_free(&file);
    }
    return 0;
}
