/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The checks of firmware's processor services, held against what was written down of firmware that does right, and of
 * firmware that does one thing wrong. */
#include "core/platform/mp_selftest.h"

#include <criterion/criterion.h>

#include <string.h>

#include "tests/support/machine/fake_checks.h"
#include "tests/support/machine/interposer.h"

#define MS UINT64_C(1000000) /* ticks at 1 GHz */

static struct fake_checks fc;
static struct interposer between;
static struct mp_processor cpus[4];
static struct mp_selftest trial;
static struct acpi_cpu madt[4];

static const struct mp_selftest *hand_out(void *)
{
    return &trial;
}

/* Four processors of one package, two cores of two threads, APIC ids 0, 2, 4, 6. */
static void set_up(void)
{
    fake_checks_init(&fc, 4);
    interposer_install(&between, &fc.fake.platform);
    between.ops.mp_selftest = hand_out;
    trial = (struct mp_selftest){ .n = 4, .n_enabled = 4, .cpus = cpus, .tsc_hz = 1000 * MS };
    for (uint32_t i = 0; i < 4; i++) {
        cpus[i] = (struct mp_processor){ .apic_id = fc.fake.slots[i].apic_id,
                                         .boot = i == 0,
                                         .enabled = true,
                                         .healthy = true,
                                         .core = i / 2,
                                         .thread = i % 2,
                                         .woken = i ? 10 * MS : 0 };
        madt[i] = (struct acpi_cpu){ fc.fake.slots[i].apic_id, 1 };
        fc.machine.cpus[i].place.package = 0;
        fc.machine.cpus[i].place.core = i / 2;
        fc.machine.cpus[i].place.thread = i % 2;
    }
    fc.machine.acpi.madt = true;
    fc.machine.acpi.cpus = madt;
    fc.machine.acpi.n_cpus = 4;
    for (uint32_t i = 0; i < MP_CALLS; i++)
        trial.calls[i] = (struct mp_call){ .made = true, .asked = 3, .ran = 3, .ended = 3, .returned = 10 * MS };
    trial.calls[MP_CALL_EVENT].signalled = 100 * MS;
    trial.calls[MP_CALL_LONG].returned = 612 * MS;
    trial.calls[MP_CALL_LATE] =
        (struct mp_call){ .made = true, .asked = 1, .ran = 1, .code = EFI_CODE_TIMEOUT, .returned = 120 * MS };
    trial.calls[MP_CALL_AGAIN] = (struct mp_call){ .made = true, .asked = 1, .ran = 1, .ended = 1 };
}

static void tear_down(void)
{
    memset(&fc.machine.acpi, 0, sizeof fc.machine.acpi);
    fake_checks_free(&fc);
}

TestSuite(mp, .init = set_up, .fini = tear_down);

static void expect(const char *id, enum verdict v)
{
    struct check_record c = fake_checks_run(&fc, id);

    cr_expect_eq(c.verdict, v, "%s is %s: %s", id, verdict_text(c.verdict), c.reason);
}

/* What the check says of firmware that does this one thing otherwise. */
#define EXPECT_OF(name, id, verdict, ...)                                                                              \
    Test(mp, name)                                                                                                     \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
        expect(id, verdict);                                                                                           \
    }

Test(mp, firmware_that_does_right_passes)
{
    static const char *const ids[] = { "mp.list", "mp.places", "mp.start", "mp.event", "mp.long", "mp.time-out" };

    for (uint32_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        expect(ids[i], VERDICT_PASS);
}

Test(mp, a_processor_that_firmware_does_not_answer_for_is_the_only_finding)
{
    struct check_record c;

    cpus[2] = (struct mp_processor){ .apic_id = UINT32_MAX, .unknown = true };
    trial.info_code = (UINT64_C(1) << 63) + 7; /* EFI_DEVICE_ERROR */
    c = fake_checks_run(&fc, "mp.list");
    cr_expect_eq(c.verdict, VERDICT_FAIL);
    cr_expect_neq(strstr(c.reason, "processor 2:"), NULL, "%s", c.reason);
    cr_expect_eq(c.n_findings, 1);
}

EXPECT_OF(two_boot_processors_fail, "mp.list", VERDICT_FAIL, cpus[1].boot = true)
EXPECT_OF(a_processor_that_failed_its_self_test_is_noticed, "mp.list", VERDICT_WARN, cpus[1].healthy = false)
EXPECT_OF(a_processor_that_madt_does_not_have_is_noticed, "mp.list", VERDICT_WARN, madt[3].flags = 0)
EXPECT_OF(counts_that_differ_fail, "mp.list", VERDICT_FAIL, trial.n_enabled = 3)
EXPECT_OF(one_that_is_woken_twice_fails, "mp.start", VERDICT_FAIL, trial.calls[MP_CALL_ALL].repeated = 1)
EXPECT_OF(a_processor_that_firmware_did_not_list_fails, "mp.start", VERDICT_FAIL, trial.unlisted_aps = 1)
EXPECT_OF(a_refused_event_is_what_the_specification_says, "mp.event", VERDICT_PASS,
          trial.calls[MP_CALL_EVENT] = (struct mp_call){ .made = true, .asked = 3, .code = EFI_CODE_UNSUPPORTED })

Test(mp, an_interrupted_procedure_fails)
{
    trial.calls[MP_CALL_LONG].returned = 510 * MS;
    trial.calls[MP_CALL_LONG].ended = 0;
    expect("mp.long", VERDICT_FAIL);
    trial.calls[MP_CALL_LONG].ended = 3;
    trial.calls[MP_CALL_LONG].returned = 700 * MS;
    trial.calls[MP_CALL_LONG].repeated = 1;
    expect("mp.long", VERDICT_FAIL);
}

Test(mp, a_time_out_that_is_not_kept_fails)
{
    trial.calls[MP_CALL_LATE].code = EFI_CODE_SUCCESS;
    trial.calls[MP_CALL_LATE].returned = 2010 * MS;
    expect("mp.time-out", VERDICT_FAIL);
    trial.calls[MP_CALL_LATE].code = EFI_CODE_TIMEOUT;
    trial.calls[MP_CALL_LATE].returned = 10 * MS;
    expect("mp.time-out", VERDICT_FAIL);
}

EXPECT_OF(a_processor_that_is_lost_by_a_time_out_fails, "mp.time-out", VERDICT_FAIL,
          trial.calls[MP_CALL_AGAIN].ended = 0)

Test(mp, a_call_that_never_came_back_fails_and_the_rest_is_skipped)
{
    trial.calls[MP_CALL_ALL].abandoned = true;
    memset(&trial.calls[MP_CALL_EVENT], 0, sizeof(struct mp_call) * (MP_CALLS - 1));
    expect("mp.start", VERDICT_FAIL);
    expect("mp.event", VERDICT_SKIP);
    expect("mp.long", VERDICT_SKIP);
    expect("mp.time-out", VERDICT_SKIP);
}
