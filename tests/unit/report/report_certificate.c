/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which registers were put back: the step that certifies each. */
#include <criterion/criterion.h>

#include "core/platform/ledger.h"
#include "core/engine/certificate.h"
#include "tests/support/run/report_fixture.h"

FIXTURE_SUITE(report_certificate);

/* --- the certificate --------------------------------------------------------------------------------------------- */

static struct ledger l;

static void touch(void)
{
    fake_msr(&fx.fake, 0xC8F, 0);
    fake_msr(&fx.fake, 0x704, 7);
    fake_msr(&fx.fake, 0x1234, 1);
    cr_assert_eq(ledger_init(&fx.fake.platform, &l), ST_OK);
    cr_assert_eq(ledger_touch_msr(&fx.fake.platform, 0x704, LEDGER_COUNTER), ST_OK);
    cr_assert_eq(msr_write(&fx.fake.platform, 1, 0xC8F, 9), ST_OK);
    cr_assert_eq(msr_write(&fx.fake.platform, 1, 0x704, 9), ST_OK);
    cr_assert_eq(msr_write(&fx.fake.platform, 1, 0x1234, 9), ST_OK);
}

static void restored(enum status st, enum verdict verdict, enum run_result result)
{
    cr_assert_eq(ledger_restore(&fx.fake.platform), st);
    cr_expect_eq(certificate_report(&fx.report, &l, NULL, 0), verdict);
    fixture_finish(&fx, result);
}

Test(report_certificate, certifies_each_register_that_is_as_it_was_found)
{
    static const struct restored_item items[] = { { "IDTR", 0, 1, 1 }, { "IDTR", 1, 2, 2 }, { "CR4", 0, 3, 3 } };

    touch();
    fixture_start(&fx);
    cr_assert_eq(ledger_restore(&fx.fake.platform), ST_OK);
    cr_expect_eq(certificate_report(&fx.report, &l, items, 3), VERDICT_PASS);
    fixture_finish(&fx, RUN_NOTHING); /* no check ran */
    cr_expect_eq(fx.result.steps, 1);
    expect_text(&fx, "IA32_PQR_ASSOC (0xc8f)                 1 writes  as found on 4\n", "written back, free-running\n",
                "MSR 0x1234", "IDTR", "as found on 2\n");
    expect_stream(&fx, "\"content\":{\"kind\":\"control\",\"asFound\":4,"
                       "\"writes\":{\"IA32_PQR_ASSOC (0xc8f)\":1,\"MSR 0x1234\":1}}");
    ledger_free(&l);
}

/* An object of the stream has at most 512 members. */
Test(report_certificate, lists_many_registers_on_several_lines)
{
    static struct ledger_entry entries[65];
    const struct ledger many = { .entries = entries, .n_entries = 65 };

    for (uint32_t i = 0; i < 65; i++)
        entries[i] = (struct ledger_entry){ .address = 0x2000 + i, .writes = 1, .n_equal = 4 };
    fixture_start(&fx);
    cr_expect_eq(certificate_report(&fx.report, &many, NULL, 0), VERDICT_PASS);
    fixture_finish(&fx, RUN_NOTHING);
    expect_stream(&fx, "\"MSR 0x203f\":1}}", "\"writes\":{\"MSR 0x2040\":1}}");
}

/* The uncore of a server has thousands: a reader of the text looks for what is wrong. */
Test(report_certificate, lists_the_first_registers_and_those_that_are_wrong_and_counts_the_rest)
{
    for (uint32_t i = 0; i < 27; i++)
        fake_msr(&fx.fake, 0x2000 + 2 * i, 0);
    touch();
    fixture_start(&fx);
    for (uint32_t i = 0; i < 27; i++)
        cr_assert_eq(msr_write(&fx.fake.platform, 0, 0x2000 + 2 * i, 1), ST_OK);
    fx.fake.msrs[25].sticks = true;
    restored(ST_CORRUPT, VERDICT_FAIL, RUN_FAIL);
    expect_text(&fx, "MSR 0x2000 ", "MSR 0x2032 " /* the one that differs is listed wherever it stands */,
                "DIFFERS on 1\n");
    cr_expect_not(fixture_text_has(&fx, "MSR 0x2034 "));
    expect_text(&fx, "and 23 more: 23 as found, 0 counters written back, 0 not written back;");
    ledger_free(&l);
}

Test(report_certificate, registers_beside_each_other_of_which_the_same_is_said_are_one_line)
{
    for (uint32_t i = 0; i < 8; i++)
        fake_msr(&fx.fake, 0x2000 + i, 0);
    touch();
    fixture_start(&fx);
    for (uint32_t i = 0; i < 8; i++)
        cr_assert_eq(msr_write(&fx.fake.platform, 0, 0x2000 + i, 1), ST_OK);
    fx.fake.msrs[6].sticks = true;
    restored(ST_CORRUPT, VERDICT_FAIL, RUN_FAIL);
    expect_text(&fx, "MSR 0x2000 to 0x2", "DIFFERS on 1\n");
    ledger_free(&l);
}

Test(report_certificate, fails_when_a_register_is_not_as_it_was_found)
{
    touch();
    fixture_start(&fx);
    fx.fake.msrs[0].sticks = true;
    fx.machine.hypervisor = true; /* no grade limit softens this rule */
    restored(ST_CORRUPT, VERDICT_FAIL, RUN_FAIL);
    expect_stream(&fx, "IA32_PQR_ASSOC (0xc8f): found 0x0, left 0x9 on cpu 1");
    expect_text(&fx, "as found on 3, DIFFERS on 1\n");
    ledger_free(&l);
}

Test(report_certificate, fails_when_processor_state_is_not_as_it_was_found)
{
    static const struct restored_item items[] = { { "CR4", 0, 3, 3 }, { "CR4", 2, 3, 4 } };

    fixture_start(&fx);
    cr_expect_eq(certificate_report(&fx.report, NULL, items, 2), VERDICT_FAIL);
    fixture_finish(&fx, RUN_FAIL);
    expect_stream(&fx, "CR4: found 0x3, left 0x4 on cpu 2");
}

Test(report_certificate, warns_of_a_processor_that_could_not_be_read_again)
{
    touch();
    fixture_start(&fx);
    fx.fake.slots[1].flags |= CPU_LOST;
    restored(ST_OK, VERDICT_WARN, RUN_ERROR);
    expect_stream(&fx, "could not be read again on 1 processors, first cpu 1 (APIC 0x2)");
    ledger_free(&l);
}

Test(report_certificate, has_nothing_to_certify_when_nothing_was_touched)
{
    fixture_start(&fx);
    cr_expect_eq(certificate_report(&fx.report, NULL, NULL, 0), VERDICT_SKIP);
    fixture_finish(&fx, RUN_NOTHING);
}
