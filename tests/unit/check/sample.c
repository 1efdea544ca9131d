/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/check/sample.h"

#include <criterion/criterion.h>

#include "arch/x86/cpu/msr_regs.h"
#include "tests/support/fake_platform.h"

struct bench {
    struct fake f;
    struct machine m;
    struct check_state state;
    struct check c;
    uint32_t cpus[2];
};

static struct bench *set_up(void)
{
    static struct bench b;

    memset(&b, 0, sizeof b);
    fake_init(&b.f, 2);
    fake_msr(&b.f, MSR_SMI_COUNT, 7);
    fake_machine(&b.f, &b.m);
    b.c = (struct check){ .platform = &b.f.platform, .machine = &b.m, .state = &b.state };
    b.cpus[1] = 1;
    return &b;
}

Test(sample, a_quiet_one_is_taken_once)
{
    struct bench *b = set_up();
    struct sample s;
    uint32_t taken = 0;

    sample_begin(&s, &b->c, b->cpus, 2);
    while (sample_open(&s)) {
        taken++;
        sample_close(&s, ST_OK);
    }
    cr_expect_eq(sample_end(&s), ST_OK);
    cr_expect_eq(taken, 1);
    cr_expect_eq(b->state.record.disturbed, 0);
    fake_machine_free(&b->m);
}

Test(sample, one_that_an_smi_fell_into_is_taken_again_and_counted)
{
    struct bench *b = set_up();
    struct sample s;
    uint32_t taken = 0;

    sample_begin(&s, &b->c, b->cpus, 2);
    while (sample_open(&s)) {
        if (++taken <= 2)
            b->f.msrs[0].value[1]++; /* on the second processor alone */
        sample_close(&s, ST_OK);
    }
    cr_expect_eq(sample_end(&s), ST_OK);
    cr_expect_eq(taken, 3);
    cr_expect_eq(b->state.record.disturbed, 2);
    fake_machine_free(&b->m);
}

Test(sample, says_so_when_every_try_was_disturbed)
{
    struct bench *b = set_up();
    struct sample s;
    uint32_t taken = 0;

    sample_begin(&s, &b->c, b->cpus, 1);
    while (sample_open(&s)) {
        taken++;
        b->f.msrs[0].value[0]++;
        sample_close(&s, ST_OK);
    }
    cr_expect_eq(sample_end(&s), ST_DISTURBED);
    cr_expect_eq(taken, SAMPLE_TRIES);
    cr_expect_eq(b->state.record.disturbed, SAMPLE_TRIES);
    fake_machine_free(&b->m);
}

Test(sample, ends_with_the_status_of_the_measurement)
{
    struct bench *b = set_up();
    struct sample s;

    sample_begin(&s, &b->c, b->cpus, 1);
    while (sample_open(&s))
        sample_close(&s, ST_QM_ERROR);
    cr_expect_eq(sample_end(&s), ST_QM_ERROR);
    fake_machine_free(&b->m);
}

/* MSR 34H is Intel's: on another vendor's part the number is not asked, and TSCs are the only witness. */
Test(sample, asks_no_smi_count_of_another_vendor)
{
    struct bench *b = set_up();
    struct sample s;

    b->m.cpus[0].id.vendor = b->m.cpus[1].id.vendor = VENDOR_AMD;
    sample_begin(&s, &b->c, b->cpus, 2);
    while (sample_open(&s))
        sample_close(&s, ST_OK);
    cr_expect_eq(sample_end(&s), ST_OK);
    cr_expect_eq(fake_find(&b->f, 'r', MSR_SMI_COUNT, 0), FAKE_LOG);
    fake_machine_free(&b->m);
}

Test(sample, names_the_processor_that_got_lost)
{
    struct bench *b = set_up();
    struct sample s;
    bool opened = false;

    b->f.hangs[1] = true;
    sample_begin(&s, &b->c, b->cpus, 2);
    while (sample_open(&s)) {
        opened = true;
        sample_close(&s, ST_OK);
    }
    cr_expect_not(opened);
    cr_expect_eq(sample_end(&s), ST_TIMEOUT);
    cr_expect_eq(s.bad_cpu, 1);
    fake_machine_free(&b->m);
}

/* Throttling moves no byte to another count, and under load it may be the rule: two more tries, and then it stands. */
Test(sample, one_in_which_throttling_begins_is_taken_again_twice_at_most)
{
    struct bench *b = set_up();
    struct fake_msr *status = fake_msr(&b->f, IA32_THERM_STATUS, 0);
    struct sample s;
    uint32_t taken = 0;

    sample_begin(&s, &b->c, b->cpus, 2);
    while (sample_open(&s)) {
        status->value[0] = IA32_THERM_STATUS_POWER_LIMIT; /* on and off and on again */
        taken++;
        sample_close(&s, ST_OK);
        status->value[0] = 0;
    }
    cr_expect_eq(sample_end(&s), ST_OK);
    cr_expect_eq(taken, 1 + SAMPLE_THROTTLE_TRIES);
    cr_expect_eq(b->state.record.disturbed, SAMPLE_THROTTLE_TRIES);
    cr_expect_eq(b->state.record.throttled, 1 + SAMPLE_THROTTLE_TRIES);
    fake_machine_free(&b->m);
}

Test(sample, one_that_is_throttled_from_before_to_after_stands_and_is_counted)
{
    struct bench *b = set_up();
    struct sample s;
    uint32_t taken = 0;

    fake_msr(&b->f, IA32_PACKAGE_THERM_STATUS, BIT(0));
    sample_begin(&s, &b->c, b->cpus, 2);
    while (sample_open(&s)) {
        taken++;
        sample_close(&s, ST_OK);
    }
    cr_expect_eq(sample_end(&s), ST_OK);
    cr_expect_eq(taken, 1);
    cr_expect_eq(b->state.record.throttled, 1);
    cr_expect_eq(b->state.record.disturbed, 0);
    fake_machine_free(&b->m);
}

Test(sample, one_at_less_than_half_of_the_clock_of_the_others_is_taken_again)
{
    static const uint64_t clocks[] = { 1000000, 900000, 400000, 950000 };
    struct bench *b = set_up();
    struct fake_msr *mperf = fake_msr(&b->f, IA32_MPERF, 0);
    struct fake_msr *aperf = fake_msr(&b->f, IA32_APERF, 0);
    uint32_t taken = 0;

    for (uint32_t i = 0; i < 3; i++) {
        struct sample s;

        sample_begin(&s, &b->c, b->cpus, 1);
        while (sample_open(&s)) {
            mperf->value[0] += 1000000;
            aperf->value[0] += clocks[taken++];
            sample_close(&s, ST_OK);
        }
        cr_expect_eq(sample_end(&s), ST_OK);
    }
    cr_expect_eq(taken, 4, "the third was slow");
    cr_expect_eq(b->state.record.disturbed, 1);
    cr_expect_float_eq(b->state.record.slowest, 0.4, 1e-6);
    cr_expect_float_eq(b->state.record.fastest, 1.0, 1e-6);
    fake_machine_free(&b->m);
}
