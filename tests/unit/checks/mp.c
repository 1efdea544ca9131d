/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The checks of firmware's processor services, held against what was written down of firmware that does right, and of
 * firmware that does one thing wrong. */
#include "core/platform/mp_trial.h"

#include <criterion/criterion.h>

#include <string.h>

#include "tests/support/fake_platform.h"
#include "tests/support/one_check.h"

#define MS UINT64_C(1000000) /* ticks at 1 GHz */

static struct bench {
    struct fake f;
    struct platform_ops ops;
    struct machine m;
    struct mp_processor cpus[4];
    struct mp_trial trial;
    struct acpi_cpu madt[4];
} b;

static const struct mp_trial *hand_out(void *machine)
{
    (void)machine;
    return &b.trial;
}

/* Four processors of one package, two cores of two threads, APIC ids 0, 2, 4, 6. */
static void set_up(void)
{
    memset(&b, 0, sizeof b);
    fake_init(&b.f, 4);
    fake_machine(&b.f, &b.m);
    b.ops = *b.f.platform.ops;
    b.ops.mp_trial = hand_out;
    b.f.platform.ops = &b.ops;
    b.trial = (struct mp_trial){ .n = 4, .n_enabled = 4, .cpus = b.cpus, .tsc_hz = 1000 * MS };
    for (uint32_t i = 0; i < 4; i++) {
        b.cpus[i] = (struct mp_processor){ .apic_id = b.f.slots[i].apic_id,
                                           .boot = i == 0,
                                           .enabled = true,
                                           .healthy = true,
                                           .core = i / 2,
                                           .thread = i % 2,
                                           .woken = i ? 10 * MS : 0 };
        b.madt[i] = (struct acpi_cpu){ b.f.slots[i].apic_id, 1 };
        b.m.cpus[i].place.package = 0;
        b.m.cpus[i].place.core = i / 2;
        b.m.cpus[i].place.thread = i % 2;
    }
    b.m.acpi.madt = true;
    b.m.acpi.cpus = b.madt;
    b.m.acpi.n_cpus = 4;
    for (uint32_t i = 0; i < MP_CALLS; i++)
        b.trial.calls[i] = (struct mp_call){ .made = true, .asked = 3, .ran = 3, .ended = 3, .returned = 10 * MS };
    b.trial.calls[MP_CALL_EVENT].signalled = 100 * MS;
    b.trial.calls[MP_CALL_LONG].returned = 612 * MS;
    b.trial.calls[MP_CALL_LATE] =
        (struct mp_call){ .made = true, .asked = 1, .ran = 1, .code = EFI_CODE_TIMEOUT, .returned = 120 * MS };
    b.trial.calls[MP_CALL_AGAIN] = (struct mp_call){ .made = true, .asked = 1, .ran = 1, .ended = 1 };
}

static void tear_down(void)
{
    memset(&b.m.acpi, 0, sizeof b.m.acpi);
    fake_machine_free(&b.m);
}

TestSuite(mp, .init = set_up, .fini = tear_down);

static void expect(const char *id, enum verdict v)
{
    struct check c = run_one(id, &b.f.platform, &b.m, NULL);

    cr_expect_eq(c.verdict, v, "%s is %s: %s", id, verdict_text(c.verdict), c.reason);
}

Test(mp, firmware_that_does_right_passes)
{
    static const char *const ids[] = { "mp.list", "mp.places", "mp.start", "mp.event", "mp.long", "mp.time-out" };

    for (uint32_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        expect(ids[i], VERDICT_PASS);
}

Test(mp, one_apic_id_twice_fails)
{
    b.cpus[3].apic_id = b.cpus[2].apic_id;
    expect("mp.list", VERDICT_FAIL);
}

Test(mp, a_processor_that_firmware_does_not_answer_for_is_the_only_finding)
{
    struct check c;

    b.cpus[2] = (struct mp_processor){ .apic_id = UINT32_MAX, .unknown = true };
    b.trial.info_code = (UINT64_C(1) << 63) + 7; /* EFI_DEVICE_ERROR */
    c = run_one("mp.list", &b.f.platform, &b.m, NULL);
    cr_expect_eq(c.verdict, VERDICT_FAIL);
    cr_expect_neq(strstr(c.reason, "processor 2,"), NULL, "%s", c.reason);
    cr_expect_eq(c.n_findings, 1);
}

Test(mp, two_boot_processors_fail)
{
    b.cpus[1].boot = true;
    expect("mp.list", VERDICT_FAIL);
}

Test(mp, a_processor_that_failed_its_self_test_is_noticed)
{
    b.cpus[1].healthy = false;
    expect("mp.list", VERDICT_WARN);
}

Test(mp, a_processor_that_madt_does_not_have_is_noticed)
{
    b.madt[3].flags = 0;
    expect("mp.list", VERDICT_WARN);
}

Test(mp, counts_that_differ_fail)
{
    b.trial.n_enabled = 3;
    expect("mp.list", VERDICT_FAIL);
}

Test(mp, a_core_that_firmware_makes_up_is_noticed)
{
    b.cpus[1].core = 1;
    expect("mp.places", VERDICT_WARN);
    b.cpus[1].core = 0;
    b.cpus[2].package = b.cpus[3].package = 1;
    expect("mp.places", VERDICT_WARN);
}

Test(mp, a_processor_that_is_not_woken_fails)
{
    b.trial.calls[MP_CALL_ALL].ran = 2;
    expect("mp.start", VERDICT_FAIL);
}

Test(mp, one_that_is_woken_twice_fails)
{
    b.trial.calls[MP_CALL_ALL].repeated = 1;
    expect("mp.start", VERDICT_FAIL);
}

Test(mp, one_that_nobody_listed_fails)
{
    b.trial.strangers = 1;
    expect("mp.start", VERDICT_FAIL);
}

Test(mp, an_event_before_the_end_fails)
{
    b.trial.calls[MP_CALL_EVENT].signalled = 20 * MS;
    b.trial.calls[MP_CALL_EVENT].ended = 0;
    expect("mp.event", VERDICT_FAIL);
}

Test(mp, a_refused_event_is_what_the_specification_says)
{
    b.trial.calls[MP_CALL_EVENT] = (struct mp_call){ .made = true, .asked = 3, .code = EFI_CODE_UNSUPPORTED };
    expect("mp.event", VERDICT_PASS);
}

Test(mp, an_interrupted_procedure_fails)
{
    b.trial.calls[MP_CALL_LONG].returned = 510 * MS;
    b.trial.calls[MP_CALL_LONG].ended = 0;
    expect("mp.long", VERDICT_FAIL);
    b.trial.calls[MP_CALL_LONG].ended = 3;
    b.trial.calls[MP_CALL_LONG].returned = 700 * MS;
    b.trial.calls[MP_CALL_LONG].repeated = 1;
    expect("mp.long", VERDICT_FAIL);
}

Test(mp, a_time_out_that_is_not_kept_fails)
{
    b.trial.calls[MP_CALL_LATE].code = EFI_CODE_SUCCESS;
    b.trial.calls[MP_CALL_LATE].returned = 2010 * MS;
    expect("mp.time-out", VERDICT_FAIL);
    b.trial.calls[MP_CALL_LATE].code = EFI_CODE_TIMEOUT;
    b.trial.calls[MP_CALL_LATE].returned = 10 * MS;
    expect("mp.time-out", VERDICT_FAIL);
}

Test(mp, a_processor_that_is_lost_by_a_time_out_fails)
{
    b.trial.calls[MP_CALL_AGAIN].ended = 0;
    expect("mp.time-out", VERDICT_FAIL);
}

Test(mp, a_call_that_never_came_back_fails_and_the_rest_is_skipped)
{
    b.trial.calls[MP_CALL_ALL].abandoned = true;
    memset(&b.trial.calls[MP_CALL_EVENT], 0, sizeof(struct mp_call) * (MP_CALLS - 1));
    expect("mp.start", VERDICT_FAIL);
    expect("mp.event", VERDICT_SKIP);
    expect("mp.long", VERDICT_SKIP);
    expect("mp.time-out", VERDICT_SKIP);
}
