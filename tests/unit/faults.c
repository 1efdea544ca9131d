/* Every check can fail: each silicon fault of the model must be caught by a check that holds one of the fault's rows of
 * the conformance list. Prints the table fault -> checks.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/whole_run.h"

static uint32_t number_of_faults(void)
{
    uint32_t n = 0;

    (void)model_faults(&n);
    return n;
}

/* The checks that hold one of the fault's rows; all of them where FAULTS_ALL is set. */
static void select_checks(const struct model_fault *fault, struct whole_run *w)
{
    uint32_t n = 0;

    if (getenv("FAULTS_ALL")) {
        w->skips[0] = "mbm.wrap"; /* hours on the model */
        return;
    }
    for (uint32_t t = 0; t < n_check_tables; t++)
        for (uint32_t i = 0; i < check_tables[t].n && n < OPTIONS_PATTERNS; i++) {
            const struct check_row *row = &check_tables[t].rows[i];

            if (rows_meet(row->rows, fault->rows) && strcmp(row->id, "mbm.wrap") != 0)
                w->tests[n++] = row->id;
        }
    cr_assert_gt(n, 0, "%s: no check holds one of %s", fault->name, fault->rows);
}

/* Who found it, as a line of the table; true if one of them holds a row of the fault. */
static bool list_finders(const struct model_fault *fault, const struct whole_run *w, char *line, size_t size)
{
    size_t length = 0;
    bool caught = false;

    line[0] = '\0';
    for (uint32_t i = 0; i < w->n; i++) {
        const struct whole_result *r = &w->checks[i];
        bool its_row = rows_meet(r->row->rows, fault->rows);

        if (r->verdict != VERDICT_FAIL && r->verdict != VERDICT_WARN)
            continue;
        caught |= its_row;
        if (length < size)
            length += (size_t)snprintf(line + length, size - length, " %s%s%s", r->row->id,
                                       r->verdict == VERDICT_WARN ? "(warn)" : "", its_row ? "" : "(other row)");
    }
    return caught;
}

/* Two packages with SMT: what leaks to a sibling, or to the other package, has somewhere to go. */
static void expect_caught(const struct model_fault *fault, const char *profile)
{
    struct model_config config = {
        .profile = profile, .packages = 2, .cores = 2, .threads = 2, .seed = 9, .n_faults = 1, .faults = { fault->name }
    };
    struct whole_run w = { 0 };
    char line[1024];

    select_checks(fault, &w);
    cr_assert(whole_run(&config, &w), "%s", fault->name);
    bool caught = list_finders(fault, &w, line, sizeof line);
    printf("%-5s %-27s %-19s ->%s\n", profile, fault->name, fault->rows, line[0] ? line : " nothing");
    fflush(stdout);
    cr_expect(caught, "%s on %s (%s): no check of %s found it", fault->name, profile, fault->stands_for, fault->rows);
    whole_run_free(&w);
}

ParameterizedTestParameters(faults, each_is_caught_by_a_check_of_its_rows)
{
    static uint32_t numbers[256];
    uint32_t n = number_of_faults();

    for (uint32_t i = 0; i < n && i < 256; i++)
        numbers[i] = i;
    return cr_make_param_array(uint32_t, numbers, n);
}

ParameterizedTest(uint32_t *number, faults, each_is_caught_by_a_check_of_its_rows)
{
    uint32_t n;
    const struct model_fault *fault = &model_faults(&n)[*number];

    if (rows_meet(fault->profiles, "bdx"))
        expect_caught(fault, "bdx");
    if (rows_meet(fault->profiles, "snbep"))
        expect_caught(fault, "snbep");
}
