/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Samples on a machine of two processors with an SMI count: which are taken again, and what of them is counted. */
#include "core/check/sample.h"

#include <criterion/criterion.h>

#include "arch/x86/cpu/core_pmu.h"
#include "arch/x86/cpu/msr_regs.h"
#include "core/tools/tools.h"
#include "tests/support/machine/fake_platform.h"

static struct fake f;
static struct machine m;
static struct check_state state;
static struct check c;
static struct sample s;
static uint32_t taken; /* tries so far */

static void set_up(void)
{
    fake_init(&f, 2);
    fake_msr(&f, MSR_SMI_COUNT, 7);
    fake_machine(&f, &m);
    c = (struct check){ .platform = &f.platform, .machine = &m, .state = &state };
}

static void tear_down(void)
{
    fake_machine_free(&m);
}

TestSuite(sample, .init = set_up, .fini = tear_down);

static void begin(uint32_t n_cpus)
{
    static const uint32_t cpus[2] = { 0, 1 };

    sample_begin(&s, &c, cpus, n_cpus);
}

/* Takes a sample on so many processors. sampled: what continues in each try, and its status; NULL: nothing. */
static enum status take(uint32_t n_cpus, enum status (*sampled)(void))
{
    begin(n_cpus);
    while (sample_wanted(&s)) {
        enum status st = sample_open(&s);

        taken += st == ST_OK;
        sample_close(&s, st == ST_OK && sampled ? sampled() : st);
    }
    return sample_end(&s);
}

static enum status smi_in_two_tries(void)
{
    f.msrs[0].value[1] += taken <= 2; /* on the second processor alone */
    return ST_OK;
}

Test(sample, one_that_an_smi_fell_into_is_taken_again_and_counted)
{
    cr_expect_eq(take(2, smi_in_two_tries), ST_OK);
    cr_expect_eq(taken, 3);
    cr_expect_eq(state.record.disturbed, 2);
}

static enum status smi_in_every_try(void)
{
    f.msrs[0].value[0]++;
    return ST_OK;
}

Test(sample, says_so_when_every_try_was_disturbed)
{
    cr_expect_eq(take(1, smi_in_every_try), ST_DISTURBED);
    cr_expect_eq(taken, SAMPLE_TRIES);
    cr_expect_eq(state.record.disturbed, SAMPLE_TRIES);
}

/* --- SMIs at intervals -------------------------------------------------------------------------------------------- */

#define INTERVAL UINT64_C(100000) /* TSC ticks, which are ns here */

static struct platform_ops ops;
static enum status (*fake_run)(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms);

static enum status run_among_smis(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    f.msrs[0].value[0] = f.msrs[0].value[1] = f.tsc / INTERVAL;
    return fake_run(machine, tasks, n_tasks, budget_ms);
}

/* Samples that take `window` ns, each after so many ns of preparation. */
static enum status take_among_smis(uint64_t preparation, uint64_t window)
{
    ops = *f.platform.ops;
    fake_run = ops.run;
    ops.run = run_among_smis;
    f.platform.ops = &ops;
    f.tsc_step = 1;
    begin(1);
    while (sample_wanted(&s)) {
        f.tsc += preparation;
        cr_assert_eq(sample_open(&s), ST_OK);
        taken++;
        f.tsc += window;
        sample_close(&s, ST_OK);
    }
    return sample_end(&s);
}

/* As a flush of the caches does on a large L3. */
Test(sample, an_smi_during_its_preparation_does_not_disturb_it)
{
    cr_expect_eq(take_among_smis(3 * INTERVAL, INTERVAL / 10), ST_OK);
    cr_expect_eq(taken, 1);
}

/* Preparation and window together take one interval, so that the SMI falls into the window each time unless the window
 * waits for it. */
Test(sample, begins_after_an_smi_when_two_were_disturbed)
{
    cr_expect_eq(take_among_smis(3 * INTERVAL / 10, 7 * INTERVAL / 10), ST_OK);
    cr_expect_eq(taken, 3);
}

Test(sample, says_how_far_apart_smis_are_and_what_it_needs)
{
    cr_expect_eq(take_among_smis(0, 3 * INTERVAL), ST_DISTURBED);
    cr_expect_eq(taken, SAMPLE_TRIES_FUTILE, "two SMIs or more fall into every window");
    cr_expect_float_eq((double)state.smi_period_ns, INTERVAL, INTERVAL / 10);
    cr_expect_float_eq((double)state.smi_window_ns, 3 * INTERVAL, INTERVAL / 10);
}

static enum status qm_error(void)
{
    return ST_QM_ERROR;
}

Test(sample, ends_with_the_status_of_the_measurement)
{
    cr_expect_eq(take(1, qm_error), ST_QM_ERROR);
}

/* MSR 34H is Intel's: on another vendor's part the number is not asked, and TSCs are the only witness. */
Test(sample, asks_no_smi_count_of_another_vendor)
{
    m.cpus[0].id.vendor = m.cpus[1].id.vendor = VENDOR_AMD;
    cr_expect_eq(take(2, NULL), ST_OK);
    cr_expect_eq(fake_find(&f, 'r', MSR_SMI_COUNT, 0), FAKE_LOG);
}

static struct fake_msr *counter;

static enum status smi_in_the_first_try(void)
{
    counter->value[0] += taken == 1;
    return ST_OK;
}

/* There a core counter of one processor counts them, and all receive them. */
Test(sample, one_processor_s_counter_tells_of_an_smi_where_the_others_have_none)
{
    struct tools tools = { .smi_msr = AMD_PERF_CTR(AMD_SMI_COUNTER), .smi_cpu = 0 };

    m.cpus[0].id.vendor = m.cpus[1].id.vendor = VENDOR_AMD;
    counter = fake_msr(&f, AMD_PERF_CTR(AMD_SMI_COUNTER), 3);
    c.tools = &tools;
    cr_expect_eq(take(2, smi_in_the_first_try), ST_OK);
    cr_expect_eq(taken, 2);
    cr_expect_eq(state.record.disturbed, 1);
    cr_expect_eq(fake_find(&f, 'r', MSR_SMI_COUNT, 0), FAKE_LOG);
}

Test(sample, names_the_processor_that_got_lost)
{
    f.hangs[1] = true;
    cr_expect_eq(take(2, NULL), ST_TIMEOUT);
    cr_expect_eq(taken, 0);
    cr_expect_eq(s.bad_cpu, 1);
}

/* Throttling moves no byte to another count, and under load it may be the rule: two more tries, and then it stands. */
Test(sample, one_in_which_throttling_begins_is_taken_again_twice_at_most)
{
    struct fake_msr *status = fake_msr(&f, IA32_THERM_STATUS, 0);

    begin(2);
    while (sample_wanted(&s)) {
        cr_assert_eq(sample_open(&s), ST_OK);
        status->value[0] = IA32_THERM_STATUS_POWER_LIMIT; /* on and off and on again */
        taken++;
        sample_close(&s, ST_OK);
        status->value[0] = 0;
    }
    cr_expect_eq(sample_end(&s), ST_OK);
    cr_expect_eq(taken, 1 + SAMPLE_THROTTLE_TRIES);
    cr_expect_eq(state.record.disturbed, SAMPLE_THROTTLE_TRIES);
    cr_expect_eq(state.record.throttled, 1 + SAMPLE_THROTTLE_TRIES);
}

Test(sample, one_that_is_throttled_from_before_to_after_stands_and_is_counted)
{
    fake_msr(&f, IA32_PACKAGE_THERM_STATUS, BIT(0));
    cr_expect_eq(take(2, NULL), ST_OK);
    cr_expect_eq(taken, 1);
    cr_expect_eq(state.record.throttled, 1);
    cr_expect_eq(state.record.disturbed, 0);
}

static struct fake_msr *mperf, *aperf;

static enum status run_at_a_clock(void)
{
    static const uint64_t clocks[] = { 1000000, 900000, 400000, 950000 };

    cr_assert_leq(taken, 4);
    mperf->value[0] += 1000000;
    aperf->value[0] += clocks[taken - 1];
    return ST_OK;
}

Test(sample, one_at_less_than_half_of_the_clock_of_the_others_is_taken_again)
{
    mperf = fake_msr(&f, IA32_MPERF, 0);
    aperf = fake_msr(&f, IA32_APERF, 0);
    for (uint32_t i = 0; i < 3; i++)
        cr_expect_eq(take(1, run_at_a_clock), ST_OK);
    cr_expect_eq(taken, 4, "the third was slow");
    cr_expect_eq(state.record.disturbed, 1);
    cr_expect_float_eq(state.record.slowest, 0.4, 1e-6);
    cr_expect_float_eq(state.record.fastest, 1.0, 1e-6);
}
