/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The bound that faultless machines are held to: no FAIL, no ERROR, each run ended, one WARN in a hundred. */
#include "tests/matrix/machines/machine_census.h"
#include "tests/matrix/machines/machine_run.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct drawn_machine drawn(uint32_t number)
{
    struct drawn_machine d;

    machine_draw(&d, 1, number);
    d.config.realism = NULL;
    return d;
}

/* One machine that gave this answer. */
static struct census census_of(const char *answer)
{
    struct census c = { 0 };
    struct drawn_machine d = drawn(1);

    census_add(&c, &d, answer, true);
    return c;
}

/* n times "x.N PASS", then n_warn times "w.N WARN". */
static const char *many(uint32_t n_pass, uint32_t n_warn)
{
    static char out[16384];
    size_t used = 0;

    out[0] = 0;
    for (uint32_t i = 0; i < n_pass + n_warn; i++)
        used += (size_t)snprintf(out + used, sizeof out - used, "x.%u %s \n", i, i < n_pass ? "PASS" : "WARN");
    return out;
}

Test(machine_census, holds_what_passes_and_skips)
{
    struct census c = census_of("a.b PASS \nc.d SKIP it has none\n");

    cr_expect(census_no_false_verdict(&c));
    cr_expect(census_few_warnings(&c));
    cr_expect_eq(census_pairs(&c), 2);
    cr_expect_eq(c.all.bad, 0);
}

Test(machine_census, is_broken_by_one_fail)
{
    struct census c = census_of("a.b PASS \nc.d FAIL 1 byte, expected 2\ne.f PASS \n");

    cr_expect_not(census_no_false_verdict(&c));
    cr_expect_eq(c.all.bad, 1);
    cr_expect_eq(c.checks[1].verdicts[VERDICT_FAIL], 1);
    cr_expect_eq(c.checks[2].verdicts[VERDICT_PASS], 1);
}

Test(machine_census, is_broken_by_one_error)
{
    struct census c = census_of("a.b ERROR no memory\n");

    cr_expect_not(census_no_false_verdict(&c));
}

Test(machine_census, is_broken_by_a_run_that_did_not_end)
{
    struct census c = { 0 };
    struct drawn_machine d = drawn(1);

    cr_expect(census_add(&c, &d, "a.b PASS \n", false));
    cr_expect_not(census_no_false_verdict(&c));
}

Test(machine_census, allows_one_warning_in_a_hundred)
{
    struct census c = census_of(many(99, 1));

    cr_expect(census_few_warnings(&c));
    c = census_of(many(98, 1));
    cr_expect_not(census_few_warnings(&c));
    cr_expect(census_no_false_verdict(&c));
}

Test(machine_census, counts_bad_machines_where_a_quirk_is_on_and_off)
{
    struct census c = { 0 };
    struct drawn_machine d = drawn(1);
    const struct census_share *off = &c.quirk[REALISM_MBM_LAG][false], *on = &c.quirk[REALISM_MBM_LAG][true];

    census_add(&c, &d, "a.b PASS \n", true);
    d.config.realism = "mbm-lag=100";
    census_add(&c, &d, "a.b FAIL late\n", true);
    census_add(&c, &d, "a.b PASS \n", true);
    cr_expect(off->machines == 1 && off->bad == 0 && on->machines == 2 && on->bad == 1);
    cr_expect(c.n_profiles == 1 && c.profiles[0].share.machines == 3 && c.profiles[0].share.bad == 1);
}

/* --- the runs that it is fed by */

static uint32_t n_ended;

static void count(struct machine_run *)
{
    n_ended++;
}

static void one_check(const struct machine_run *r, struct whole_run *w)
{
    w->tests[0] = r->context;
}

/* A whole run without an end. */
static void no_end(const struct machine_run *r, struct whole_run *w)
{
    (void)r, (void)w;
    for (volatile bool forever = true; forever;)
        ;
}

static void crash(const struct machine_run *r, struct whole_run *w)
{
    (void)r, (void)w;
    abort();
}

static struct machine_run run_of(const char *check, void (*select)(const struct machine_run *, struct whole_run *))
{
    return (struct machine_run){ .config = { .profile = "bdx", .packages = 1, .slices = 4, .seed = 1 },
                                 .context = check,
                                 .select = select,
                                 .every_verdict = true };
}

Test(machine_run, answers_with_every_verdict_of_each_run)
{
    struct machine_run both[] = { run_of("enum.rmid-range", one_check), run_of("amd.ceiling", one_check) };
    struct finding f;

    machine_runs(both, 2, sizeof both[0], 2, 60, count);
    cr_expect_eq(n_ended, 2);
    cr_expect(machine_run_ended_well(&both[0]) && machine_run_ended_well(&both[1]));
    cr_assert(machine_run_next(both[0].answer, &f));
    cr_expect_str_eq(f.id, "enum.rmid-range");
    cr_expect_str_eq(f.verdict, "PASS");
    cr_expect_str_empty(f.reason);
    cr_assert(machine_run_next(both[1].answer, &f));
    cr_expect_str_eq(f.verdict, "SKIP");
    cr_expect(f.reason[0]);
    free(both[0].answer);
    free(both[1].answer);
}

static void expect_end(void (*select)(const struct machine_run *, struct whole_run *), uint32_t seconds,
                       const char *why)
{
    struct machine_run a = run_of(NULL, select);
    char said[128];

    machine_runs(&a, 1, sizeof a, 1, seconds, count);
    cr_expect_not(machine_run_ended_well(&a));
    cr_expect(strstr(machine_run_why(&a, said, sizeof said), why), "%s", said);
    cr_expect_str_empty(a.answer);
    free(a.answer);
}

Test(machine_run, ends_by_processor_time_what_has_no_end)
{
    expect_end(no_end, 1, "of processor time");
}

Test(machine_run, says_that_a_run_crashed)
{
    expect_end(crash, 60, "signal 6");
}
