#include "core/sample.h"

#include <criterion/criterion.h>

#include "arch/x86/msr_regs.h"
#include "tests/unit/support/fake_platform.h"

struct bench {
    struct fake f;
    struct machine m;
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
    b.c = (struct check){ .platform = &b.f.platform, .machine = &b.m };
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
    cr_expect_eq(b->c.disturbed, 0);
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
    cr_expect_eq(b->c.disturbed, 2);
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
    cr_expect_eq(b->c.disturbed, SAMPLE_TRIES);
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
