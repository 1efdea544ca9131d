/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/count/metrics.h"

#include <criterion/criterion.h>
#include <string.h>

#include "core/events/event_spec.h"
#include "core/events/formula.h"

/* Each event is UNIT/NAME or UNIT/CODE:UMASK, and what stands after it are fields. */
static bool well_formed(void *, const char *event, enum formula_of, double *value)
{
    const char *slash = strchr(event, '/'), *colon = strchr(event, ':');
    struct event_spec spec = { .code = 0 };
    struct event_fault fault;

    *value = 1;
    cr_expect(slash && slash != event, "%s", event);
    if (slash && slash[1] >= '0' && slash[1] <= '9')
        cr_expect_eq(event_spec_parse(slash + 1, &spec, &fault), ST_OK, "%s: %s", event, fault.text);
    else if (colon)
        cr_expect_eq(event_spec_modify(colon + 1, &spec, &fault), ST_OK, "%s: %s", event, fault.text);
    return true;
}

Test(metrics, every_row_has_a_formula_of_events_a_unit_and_a_source)
{
    const struct formula_values values = { well_formed, NULL };
    double result;

    cr_assert_gt(n_metrics, 0);
    for (uint32_t i = 0; i < n_metrics; i++) {
        const struct metric *m = &metrics[i];

        cr_expect_eq(formula_evaluate(m->formula, &values, &result), ST_OK, "%s: %s", m->name, m->formula);
        cr_expect(m->title[0] && m->source[0]);
        cr_expect(strcmp(m->unit, "bytes/s") == 0 || strcmp(m->unit, "%") == 0 || strcmp(m->unit, "ns") == 0 ||
                  strcmp(m->unit, "GHz") == 0);
        cr_expect_null(strchr(m->name, '/'), "that distinguishes a metric from an event");
        cr_expect_null(strchr(m->name, ','));
    }
}

/* The first row whose events a part has counts: one that asks for less stands after. */
Test(metrics, rows_of_one_name_measure_the_same)
{
    for (uint32_t i = 0; i < n_metrics; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(metrics[i].name, metrics[k].name) == 0)
                cr_expect_str_eq(metrics[i].unit, metrics[k].unit);
}
