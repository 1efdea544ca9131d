/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* EFI_MP_SERVICES_PROTOCOL: the processors that it lists, and how it starts and stops them. The calls judged here
 * were made when the rest of the run was over and Assay's use of the processors with it (core/platform/mp_selftest.h). */
#include "core/check/check.h"
#include "core/platform/mp_selftest.h"

#define PI_MP "PI specification 1.7 vol. 2, 13.4 EFI_MP_SERVICES_PROTOCOL"

static const struct mp_selftest *mp_selftest_of(const struct check *c)
{
    return c->platform->ops->mp_selftest(c->platform->machine);
}

static double ms_of(const struct mp_selftest *t, uint64_t ticks)
{
    return t->tsc_hz ? (double)ticks * 1000.0 / (double)t->tsc_hz : 0;
}

/* --- list of processors ------------------------------------------------------------------------------------------- */

static bool madt_has(const struct acpi_info *acpi, uint32_t apic_id)
{
    return ANY_OF(i, acpi->n_cpus, acpi->cpus[i].apic_id == apic_id && (acpi->cpus[i].flags & ACPI_CPU_ENABLED));
}

static void judge_mp_list(struct check *c, const struct mp_selftest *t)
{
    uint32_t boot = 0, enabled = 0, unknown = 0;

    for (uint32_t i = 0; i < t->n; i++) {
        const struct mp_processor *cpu = &t->cpus[i];

        if (cpu->unknown) {
            finding(c, FINDING_EXPECTED, 0, FOUND_MP_CALL_FAILED, place_of("processor %u", i),
                    "GetProcessorInfo returns 0x%lx; GetNumberOfProcessors counts the processor", t->info_code);
            unknown++;
            continue;
        }
        boot += cpu->boot;
        enabled += cpu->enabled;
        if (cpu->boot && t->who_am_i != i)
            finding(c, FINDING_EXPECTED, 0, FOUND_BSP_DISAGREES, place_of("processor %u", i),
                    "processor %u (APIC 0x%x) is listed as the BSP, WhoAmI returns %u", i, cpu->apic_id, t->who_am_i);
        if (cpu->enabled && !cpu->healthy)
            finding(c, FINDING_UNUSUAL, 0, FOUND_UNHEALTHY, place_of("processor %u", i),
                    "processor %u (APIC 0x%x) is enabled but not healthy: it failed its self-test", i, cpu->apic_id);
        for (uint32_t k = 0; k < i; k++)
            if (!t->cpus[k].unknown && t->cpus[k].apic_id == cpu->apic_id) {
                finding(c, FINDING_EXPECTED, 0, FOUND_SAME_APIC_ID, PLACE_NONE,
                        "processors %u and %u have the same APIC id, 0x%x", k, i, cpu->apic_id);
                break;
            }
    }
    if (boot != 1)
        finding(c, FINDING_EXPECTED, 0, FOUND_BSP_DISAGREES, PLACE_NONE, "%u processors are listed as the BSP", boot);
    if (enabled > t->n_enabled || enabled + unknown < t->n_enabled)
        finding(c, FINDING_EXPECTED, 0, FOUND_TABLES_DISAGREE, PLACE_NONE,
                "%u processors are enabled in GetProcessorInfo, %u in GetNumberOfProcessors", enabled, t->n_enabled);
}

/* Witness: MADT, which operating systems use. */
static enum status check_mp_list(struct check *c)
{
    const struct mp_selftest *t = mp_selftest_of(c);
    const struct acpi_info *acpi = &c->machine->acpi;
    uint32_t listed;

    if (t->count_code || !t->cpus) {
        finding(c, FINDING_EXPECTED, 0, FOUND_MP_CALL_FAILED, PLACE_NONE, "GetNumberOfProcessors returns 0x%lx",
                t->count_code);
        return ST_OK;
    }
    check_measure(c, "processors", place_of("MP services"), t->n, "", 1, NO_BOUND);
    judge_mp_list(c, t);
    evidence_swept(c, "processors that MP services list", t->n);
    if (!acpi->madt)
        return ST_OK;
    listed = HOW_MANY(i, acpi->n_cpus, acpi_lists(acpi, i));
    if (!check_measure(c, "enabled processors", place_of("MP services, bounds by MADT"), t->n_enabled, "", listed,
                       listed))
        finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, PLACE_NONE,
                "MP services have %u enabled processors, MADT %u", t->n_enabled, listed);
    for (uint32_t i = 0; i < t->n; i++)
        if (t->cpus[i].enabled && !madt_has(acpi, t->cpus[i].apic_id))
            finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, PLACE_NONE,
                    "processor %u (APIC 0x%x) is enabled in MP services and not in MADT", i, t->cpus[i].apic_id);
    return ST_OK;
}

/* --- location of processors --------------------------------------------------------------------------------------- */

static const struct cpu *cpu_by_apic(const struct check *c, uint32_t apic_id)
{
    return FIND(i, c->platform->n_cpus, c->platform->cpus[i].apic_id == apic_id,
                c->machine->cpus[i].enumerated == ST_OK ? &c->machine->cpus[i] : NULL, NULL);
}

/* Witness: CPUID. Package and core numbers may differ, the grouping may not. Processors of one package or core are
 * adjacent in either numbering, so each is compared with the one before it. */
static enum status check_places(struct check *c)
{
    const struct mp_selftest *t = mp_selftest_of(c);
    const struct mp_processor *before = NULL;
    uint32_t compared = 0;

    EACH(const struct mp_processor, mp, t->cpus, t->n) {
        const struct cpu *b = cpu_by_apic(c, mp->apic_id), *a = before ? cpu_by_apic(c, before->apic_id) : NULL;

        if (!b)
            continue;
        if (a) {
            bool package = mp->package == before->package, core = package && mp->core == before->core;

            if (package != (a->place.package == b->place.package))
                finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, PLACE_NONE,
                        "APIC 0x%x and 0x%x: MP services have them in %s, CPUID in packages %u and %u", before->apic_id,
                        mp->apic_id, package ? "one package" : "two packages", a->place.package, b->place.package);
            else if (core != place_same_core(&a->place, &b->place))
                finding(c, FINDING_UNUSUAL, 0, FOUND_TABLES_DISAGREE, PLACE_NONE,
                        "APIC 0x%x and 0x%x: MP services have them in %s, CPUID in %s", before->apic_id, mp->apic_id,
                        core ? "one core" : "two cores", core ? "two" : "one");
            compared++;
        }
        before = mp;
    }
    if (compared == 0)
        return check_absent(c, "fewer than two processors to compare");
    evidence_swept(c, "adjacent processors compared in MP services and CPUID", compared);
    return ST_OK;
}

/* --- starting processors ------------------------------------------------------------------------------------------ */

/* false: the call failed or was not made, and the finding is recorded. */
static bool mp_call_returned(struct check *c, const struct mp_selftest *t, const struct mp_call *call, const char *what)
{
    if (!call->made)
        check_skip(c, "no other processor to start, or an earlier call did not return");
    else if (call->abandoned)
        finding(c, FINDING_EXPECTED, 0, FOUND_MP_CALL_FAILED, PLACE_NONE, "%s did not return within %u ms", what,
                MP_WAIT_MS);
    else if (call->code)
        finding(c, FINDING_EXPECTED, 0, FOUND_MP_CALL_FAILED, PLACE_NONE, "%s returned 0x%lx after %u ms", what,
                call->code, (unsigned)ms_of(t, call->returned));
    else
        return true;
    return false;
}

/* Each enabled and healthy processor ran the procedure once, and to its end. */
static void judge_mp_runs(struct check *c, const struct mp_call *call, const char *what)
{
    check_measure(c, "processors that ran", place_of("%s", what), call->ran, "", call->asked, call->asked);
    if (call->ran != call->asked)
        finding(c, FINDING_EXPECTED, 0, FOUND_PROCEDURE_RUNS_OFF, PLACE_NONE,
                "%s: %u processors ran the procedure, %u are enabled and healthy", what, call->ran, call->asked);
    if (call->ended < call->ran)
        finding(c, FINDING_EXPECTED, 0, FOUND_PROCEDURE_NOT_AWAITED, PLACE_NONE,
                "%s returned EFI_SUCCESS while %u of %u processors were still in the procedure", what,
                call->ran - call->ended, call->ran);
    if (call->repeated)
        finding(c, FINDING_EXPECTED, 0, FOUND_PROCEDURE_REPEATED, PLACE_NONE,
                "%s: %u processors entered the procedure more than once", what, call->repeated);
}

static enum status check_mp_start(struct check *c)
{
    const struct mp_selftest *t = mp_selftest_of(c);
    const struct mp_call *call = &t->calls[MP_CALL_ALL];
    double *x; /* and the values after it */
    uint32_t n = 0;

    if (!mp_call_returned(c, t, call, "blocking StartupAllAPs"))
        return ST_OK;
    x = check_alloc(c, 2 * (size_t)t->n * sizeof x[0]);
    if (!x)
        return check_unmeasured(c, ST_NO_MEMORY, 0, "the latency of each processor");
    judge_mp_runs(c, call, "blocking StartupAllAPs");
    check_measure(c, "time to return", place_of("blocking StartupAllAPs"), ms_of(t, call->returned), "ms", 0, NO_BOUND);
    for (uint32_t i = 0; i < t->n; i++)
        if (t->cpus[i].woken) {
            x[n] = i;
            x[t->n + n++] = ms_of(t, t->cpus[i].woken) * 1000;
        }
    series_show(c, "wake-up latency", PLACE_NONE, "us", "processor", x, x + t->n, n);
    if (t->unlisted_aps)
        finding(c, FINDING_EXPECTED, 0, FOUND_PROCEDURE_RUNS_OFF, PLACE_NONE,
                "a processor with an unlisted APIC id ran the procedure");
    return ST_OK;
}

/* PI has firmware refuse an event (EFI_UNSUPPORTED) after ReadyToBoot; EDK II does not. */
static enum status check_mp_event(struct check *c)
{
    const struct mp_selftest *t = mp_selftest_of(c);
    const struct mp_call *call = &t->calls[MP_CALL_EVENT];
    double returned = ms_of(t, call->returned), signalled = ms_of(t, call->signalled);

    if (call->made && call->code == EFI_CODE_UNSUPPORTED) {
        evidence_register(c, "efi", "StartupAllAPs, with an event", 0, call->code);
        check_note(c, "EFI_UNSUPPORTED, as PI specifies after ReadyToBoot");
        return ST_OK;
    }
    if (!mp_call_returned(c, t, call, "StartupAllAPs with an event"))
        return ST_OK;
    judge_mp_runs(c, call, "StartupAllAPs with an event");
    check_measure(c, "time to return", place_of("StartupAllAPs with an event"), returned, "ms", 0, NO_BOUND);
    if (!check_measure(c, "time to event", place_of("StartupAllAPs with an event"), signalled, "ms", MP_EVENT_MS,
                       NO_BOUND))
        finding(c, FINDING_EXPECTED, 0, FOUND_PROCEDURE_NOT_AWAITED, PLACE_NONE,
                "the event was signalled after %u ms, procedures take %u ms", (unsigned)signalled, MP_EVENT_MS);
    if (returned > signalled)
        finding(c, FINDING_UNUSUAL, 0, FOUND_PROCEDURE_NOT_AWAITED, PLACE_NONE,
                "the call returned after its event was signalled");
    return ST_OK;
}

static enum status check_mp_long(struct check *c)
{
    const struct mp_selftest *t = mp_selftest_of(c);
    const struct mp_call *call = &t->calls[MP_CALL_LONG];

    if (!mp_call_returned(c, t, call, "StartupAllAPs without a time-out"))
        return ST_OK;
    judge_mp_runs(c, call, "StartupAllAPs without a time-out");
    if (!check_measure(c, "time to return", place_of("StartupAllAPs without a time-out"), ms_of(t, call->returned),
                       "ms", MP_LONG_MS, NO_BOUND))
        finding(c, FINDING_EXPECTED, 0, FOUND_PROCEDURE_NOT_AWAITED, PLACE_NONE,
                "StartupAllAPs returned after %u ms, procedures take %u ms", (unsigned)ms_of(t, call->returned),
                MP_LONG_MS);
    return ST_OK;
}

static enum status check_mp_timeout(struct check *c)
{
    const struct mp_selftest *t = mp_selftest_of(c);
    const struct mp_call *late = &t->calls[MP_CALL_LATE], *again = &t->calls[MP_CALL_AGAIN];
    double returned = ms_of(t, late->returned);

    if (late->made && late->code == EFI_CODE_TIMEOUT && !late->abandoned) {
        if (!check_measure(c, "time to return", place_of("time-out of 100 ms"), returned, "ms", MP_TIMEOUT_MS * 0.9,
                           NO_BOUND))
            finding(c, FINDING_EXPECTED, 0, FOUND_TIME_OUT_OFF, PLACE_NONE,
                    "StartupThisAP with a time-out of %u ms returned EFI_TIMEOUT after %u ms", MP_TIMEOUT_MS,
                    (unsigned)returned);
    } else if (mp_call_returned(c, t, late, "StartupThisAP with a time-out")) {
        check_measure(c, "time to return", place_of("time-out of 100 ms"), returned, "ms", 0, NO_BOUND);
        finding(c, FINDING_EXPECTED, 0, FOUND_TIME_OUT_OFF, PLACE_NONE,
                "StartupThisAP with a time-out of %u ms returned EFI_SUCCESS after %u ms, the procedure takes %u ms",
                MP_TIMEOUT_MS, (unsigned)returned, MP_LATE_MS);
    } else {
        return ST_OK;
    }
    if (again->made && (again->code || again->abandoned || again->ended != 1))
        finding(c, FINDING_EXPECTED, 0, FOUND_NOT_RESTARTED, PLACE_NONE,
                "the processor does not start again after the time-out: 0x%lx", again->code);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "mp.list",
      .title = "MP services list each processor once, in agreement with MADT",
      .spec = PI_MP ".GetProcessorInfo(); ACPI 6.5 5.2.12 MADT",
      .covers = "MP-01",
      .means = "firmware's list of processors is wrong: an operating system starts too few or too many",
      .next = "MADT in the stream; firmware settings (disabled cores, SMT); the processor's self-test",
      .run = check_mp_list },
    { .id = "mp.places",
      .title = "MP services and CPUID agree on packages and cores",
      .spec = PI_MP ".GetProcessorInfo(); SDM vol. 3A 8.9",
      .covers = "MP-02",
      .means = "firmware's package and core numbers contradict CPUID: software that places work by them is wrong",
      .next = "the two APIC ids in the finding; CPUID leaves 1FH and 0BH",
      .grade = GRADE_W,
      .run = check_places },
    { .id = "mp.start",
      .title = "A blocking StartupAllAPs runs the procedure once on every AP",
      .spec = PI_MP ".StartupAllAPs()",
      .covers = "MP-03",
      .detects = "an AP that is not started, started twice, or not waited for",
      .run = check_mp_start },
    { .id = "mp.event",
      .title = "StartupAllAPs signals its event after every procedure has ended",
      .spec = PI_MP ".StartupAllAPs(), WaitEvent",
      .covers = "MP-04",
      .detects = "an event that is never signalled, or too early",
      .run = check_mp_event },
    { .id = "mp.long",
      .title = "StartupAllAPs without a time-out waits 600 ms for its procedure",
      .spec = PI_MP ".StartupAllAPs(), TimeoutInMicroseconds 0: infinite",
      .covers = "MP-05",
      .detects = "firmware with a time-out of its own",
      .means = "firmware ends procedures although TimeoutInMicroseconds is 0 (infinite)",
      .next = "the time in the finding; a firmware update; -mp blocking or -mp sipi for the run",
      .run = check_mp_long },
    { .id = "mp.time-out",
      .title = "StartupThisAP keeps its time-out, and the AP starts again after it",
      .spec = PI_MP ".StartupThisAP(), TimeoutInMicroseconds",
      .covers = "MP-06",
      .detects = "a time-out that is ignored or early, an AP that is lost by it",
      .run = check_mp_timeout },
};
CHECK_FAMILY(
    mp, rows, .no_monitor = true, .needs = NEED_MP_SELFTEST, .rests_on = RESTS_ON_TABLES, .order = 1000,
    .means = "firmware does not start or stop processors as the PI specification has it",
    .next = "EFI_STATUS, counts and times in the finding; a firmware update; -mp blocking or -mp sipi for the run");
