/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Firmware's processor services: what they list, and how they start and stop processors. What is judged here was done
 * at the start, before any worker of Assay's ran (core/platform/mp_selftest.h). */
#include "core/measure/legacy.h"
#include "core/platform/mp_selftest.h"
#include "core/base/text.h"

#define PI_MP   "PI specification 1.7 vol. 2, 13.4 EFI_MP_SERVICES_PROTOCOL"
#define ENABLED 1u /* MADT flags bit 0 */

static const struct mp_selftest *mp_selftest_of(const struct check *c)
{
    return c->platform->ops->mp_selftest(c->platform->machine);
}

static double ms_of(const struct mp_selftest *t, uint64_t ticks)
{
    return t->tsc_hz ? (double)ticks * 1000.0 / (double)t->tsc_hz : 0;
}

/* --- who is there ------------------------------------------------------------------------------------------------- */

/* Enabled processors of the MADT, each APIC id once: one may stand there in both shapes. */
static uint32_t madt_enabled(const struct acpi_info *acpi)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < acpi->n_cpus; i++) {
        bool before = false;

        for (uint32_t k = 0; k < i && !before; k++)
            before = acpi->cpus[k].apic_id == acpi->cpus[i].apic_id && (acpi->cpus[k].flags & ENABLED);
        n += (acpi->cpus[i].flags & ENABLED) && !before;
    }
    return n;
}

static bool madt_has(const struct acpi_info *acpi, uint32_t apic_id)
{
    for (uint32_t i = 0; i < acpi->n_cpus; i++)
        if (acpi->cpus[i].apic_id == apic_id && (acpi->cpus[i].flags & ENABLED))
            return true;
    return false;
}

static void judge_list(struct check *c, const struct mp_selftest *t)
{
    uint32_t boot = 0, enabled = 0, unknown = 0;

    for (uint32_t i = 0; i < t->n; i++) {
        const struct mp_processor *cpu = &t->cpus[i];

        if (cpu->unknown) {
            fail(c, "GetProcessorInfo answers 0x%llx for processor %u, which GetNumberOfProcessors counts",
                 (unsigned long long)t->info_code, i);
            unknown++;
            continue;
        }
        boot += cpu->boot;
        enabled += cpu->enabled;
        if (cpu->boot && t->who_am_i != i)
            fail(c, "processor %u (APIC 0x%x) is listed as the boot processor, WhoAmI says %u", i, cpu->apic_id,
                 t->who_am_i);
        if (cpu->enabled && !cpu->healthy)
            warn(c, "processor %u (APIC 0x%x) is enabled and not healthy: it failed its self-test", i, cpu->apic_id);
        for (uint32_t k = 0; k < i; k++)
            if (!t->cpus[k].unknown && t->cpus[k].apic_id == cpu->apic_id) {
                fail(c, "processors %u and %u have one APIC id, 0x%x", k, i, cpu->apic_id);
                break;
            }
    }
    if (boot != 1)
        fail(c, "%u processors are listed as the boot processor", boot);
    if (enabled > t->n_enabled || enabled + unknown < t->n_enabled)
        fail(c, "%u processors are enabled by GetProcessorInfo, %u by GetNumberOfProcessors", enabled, t->n_enabled);
}

/* Witness: MADT, which an operating system goes by. */
static enum verdict check_list(struct check *c)
{
    const struct mp_selftest *t = mp_selftest_of(c);
    const struct acpi_info *acpi = &c->machine->acpi;
    uint32_t listed;

    if (t->count_code || !t->cpus)
        return fail(c, "GetNumberOfProcessors answers 0x%llx", (unsigned long long)t->count_code);
    measure(c, "processors", "MP services", t->n, "", 1, NO_BOUND);
    judge_list(c, t);
    evidence_swept(c, "processors that firmware lists", t->n);
    if (!acpi->madt)
        return check_verdict(c);
    listed = madt_enabled(acpi);
    if (!measure(c, "enabled processors", "MP services, band by MADT", t->n_enabled, "", listed, listed))
        warn(c, "MP services have %u enabled processors, MADT has %u", t->n_enabled, listed);
    for (uint32_t i = 0; i < t->n; i++)
        if (t->cpus[i].enabled && !madt_has(acpi, t->cpus[i].apic_id))
            warn(c, "processor %u (APIC 0x%x) is enabled, and MADT has no such processor enabled", i,
                 t->cpus[i].apic_id);
    return check_verdict(c);
}

/* --- where they are ----------------------------------------------------------------------------------------------- */

static const struct cpu *cpu_by_apic(const struct check *c, uint32_t apic_id)
{
    for (uint32_t i = 0; i < c->platform->n_cpus; i++)
        if (c->platform->cpus[i].apic_id == apic_id)
            return c->machine->cpus[i].enumerated == ST_OK ? &c->machine->cpus[i] : NULL;
    return NULL;
}

static bool one_core(const struct cpu_place *a, const struct cpu_place *b)
{
    return a->package == b->package && a->die == b->die && a->core == b->core;
}

/* Witness: CPUID. Numbers may differ; who sits with whom may not. Processors of one package or core stand together in
 * either order, so each is held against its neighbour. */
static enum verdict check_places(struct check *c)
{
    const struct mp_selftest *t = mp_selftest_of(c);
    const struct mp_processor *before = NULL;
    uint32_t compared = 0;

    for (uint32_t i = 0; i < t->n; i++) {
        const struct mp_processor *mp = &t->cpus[i];
        const struct cpu *b = cpu_by_apic(c, mp->apic_id), *a = before ? cpu_by_apic(c, before->apic_id) : NULL;

        if (!b)
            continue;
        if (a) {
            bool package = mp->package == before->package, core = package && mp->core == before->core;

            if (package != (a->place.package == b->place.package))
                warn(c, "APIC 0x%x and 0x%x: MP services have %s, CPUID packages %u and %u", before->apic_id,
                     mp->apic_id, package ? "one package" : "two packages", a->place.package, b->place.package);
            else if (core != one_core(&a->place, &b->place))
                warn(c, "APIC 0x%x and 0x%x: MP services have %s, CPUID %s", before->apic_id, mp->apic_id,
                     core ? "one core" : "two cores", core ? "two" : "one");
            compared++;
        }
        before = mp;
    }
    if (compared == 0)
        return skip(c, "fewer than two processors to compare");
    evidence_swept(c, "neighbours in MP services and CPUID", compared);
    return check_verdict(c);
}

/* --- starting them ------------------------------------------------------------------------------------------------ */

/* false: there is nothing further to judge of it. */
static bool call_came_back(struct check *c, const struct mp_selftest *t, const struct mp_call *call, const char *what)
{
    if (!call->made)
        skip(c, "there is no other processor to start, or an earlier call did not come back");
    else if (call->abandoned)
        fail(c, "%s did not come back within %u ms", what, MP_WAIT_MS);
    else if (call->code)
        fail(c, "%s answers 0x%llx after %u ms", what, (unsigned long long)call->code,
             (unsigned)ms_of(t, call->returned));
    else
        return true;
    return false;
}

/* Every one of them ran the procedure, once, and to its end. */
static void judge_runs(struct check *c, const struct mp_call *call, const char *what)
{
    measure(c, "processors that ran", what, call->ran, "", call->asked, call->asked);
    if (call->ran != call->asked)
        fail(c, "%s: %u processors ran the procedure, %u are enabled and healthy", what, call->ran, call->asked);
    if (call->ended < call->ran)
        fail(c, "%s: success, and %u of %u processors have not ended the procedure", what, call->ran - call->ended,
             call->ran);
    if (call->repeated)
        fail(c, "%s: %u processors began the procedure more than once", what, call->repeated);
}

static enum verdict check_start(struct check *c)
{
    const struct mp_selftest *t = mp_selftest_of(c);
    const struct mp_call *call = &t->calls[MP_CALL_ALL];

    if (!call_came_back(c, t, call, "blocking StartupAllAPs"))
        return check_verdict(c);
    judge_runs(c, call, "blocking StartupAllAPs");
    measure(c, "call", "blocking StartupAllAPs", ms_of(t, call->returned), "ms", 0, NO_BOUND);
    series_begin(c, "from the call to the procedure", "us", "processor", "");
    for (uint32_t i = 0; i < t->n; i++)
        if (t->cpus[i].woken)
            series_add(c, i, ms_of(t, t->cpus[i].woken) * 1000);
    series_end(c);
    if (t->unlisted_aps)
        fail(c, "a processor ran the procedure whose APIC id is not listed");
    return check_verdict(c);
}

/* The specification has firmware refuse it once the boot manager has signalled ReadyToBoot; EDK II does not. */
static enum verdict check_event(struct check *c)
{
    const struct mp_selftest *t = mp_selftest_of(c);
    const struct mp_call *call = &t->calls[MP_CALL_EVENT];
    double returned = ms_of(t, call->returned), signalled = ms_of(t, call->signalled);

    if (call->made && call->code == EFI_CODE_UNSUPPORTED) {
        evidence_register(c, "efi", "StartupAllAPs, with an event", 0, call->code);
        note(c, "refused, as the specification has it after ReadyToBoot");
        return check_verdict(c);
    }
    if (!call_came_back(c, t, call, "StartupAllAPs with an event"))
        return check_verdict(c);
    judge_runs(c, call, "StartupAllAPs with an event");
    measure(c, "call", "StartupAllAPs with an event", returned, "ms", 0, NO_BOUND);
    if (!measure(c, "event", "StartupAllAPs with an event", signalled, "ms", MP_EVENT_MS, NO_BOUND))
        fail(c, "the event came after %u ms, procedures take %u", (unsigned)signalled, MP_EVENT_MS);
    if (returned > signalled)
        warn(c, "the call came back after its event");
    return check_verdict(c);
}

static enum verdict check_long(struct check *c)
{
    const struct mp_selftest *t = mp_selftest_of(c);
    const struct mp_call *call = &t->calls[MP_CALL_LONG];

    if (!call_came_back(c, t, call, "StartupAllAPs without a time-out"))
        return check_verdict(c);
    judge_runs(c, call, "StartupAllAPs without a time-out");
    if (!measure(c, "call", "StartupAllAPs without a time-out", ms_of(t, call->returned), "ms", MP_LONG_MS, NO_BOUND))
        fail(c, "it came back after %u ms, procedures take %u", (unsigned)ms_of(t, call->returned), MP_LONG_MS);
    return check_verdict(c);
}

static enum verdict check_timeout(struct check *c)
{
    const struct mp_selftest *t = mp_selftest_of(c);
    const struct mp_call *late = &t->calls[MP_CALL_LATE], *again = &t->calls[MP_CALL_AGAIN];
    double returned = ms_of(t, late->returned);

    if (late->made && late->code == EFI_CODE_TIMEOUT && !late->abandoned) {
        if (!measure(c, "call", "time-out of 100 ms", returned, "ms", MP_TIMEOUT_MS * 0.9, NO_BOUND))
            fail(c, "StartupThisAP with a time-out of %u ms gave up after %u ms", MP_TIMEOUT_MS, (unsigned)returned);
    } else if (call_came_back(c, t, late, "StartupThisAP with a time-out")) {
        measure(c, "call", "time-out of 100 ms", returned, "ms", 0, NO_BOUND);
        fail(c, "StartupThisAP with a time-out of %u ms waited %u ms for a procedure of %u ms, and answers success",
             MP_TIMEOUT_MS, (unsigned)returned, MP_LATE_MS);
    } else {
        return check_verdict(c);
    }
    if (again->made && (again->code || again->abandoned || again->ended != 1))
        fail(c, "after the time-out that processor does not start again: 0x%llx", (unsigned long long)again->code);
    return check_verdict(c);
}

#define MEANS_USUAL "firmware does not start or stop processors as the PI specification says"
#define NEXT_USUAL  "code, count and times in the finding; a firmware update; -mp blocking or -mp sipi for the run"

static const struct check_row rows[] = {
    { .id = "mp.list",
      .title = "MP services list each processor once, and the same as MADT",
      .spec = PI_MP ".GetProcessorInfo(); ACPI 6.5 5.2.12 MADT",
      .rows = "MP-01",
      .detects = "a processor that firmware counts twice, forgets or calls unhealthy",
      .means = "firmware's list of processors is wrong: an operating system or tool starts others than there are",
      .next = "MADT in the stream; setup (disabled cores, multi-threading); the processor's self-test",
      .needs = NEED_MP_SELFTEST,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 230,
      .run = check_list },
    { .id = "mp.places",
      .title = "MP services and CPUID put processors into the same packages and cores",
      .spec = PI_MP ".GetProcessorInfo(); SDM vol. 3A 8.9",
      .rows = "MP-02",
      .detects = "a location that is made up",
      .means = "firmware's locations are not CPUID's: tools that place work by them place it wrongly",
      .next = "the two APIC ids in the finding; CPUID leaves 1FH and 0BH",
      .needs = NEED_MP_SELFTEST,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_TABLES,
      .order = 230,
      .run = check_places },
    { .id = "mp.start",
      .title = "A blocking start runs the procedure once on every processor",
      .spec = PI_MP ".StartupAllAPs()",
      .rows = "MP-03",
      .detects = "a processor that is not woken, woken twice, or not waited for",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_MP_SELFTEST,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 230,
      .run = check_start },
    { .id = "mp.event",
      .title = "A start with an event signals it when every procedure has ended",
      .spec = PI_MP ".StartupAllAPs(), WaitEvent",
      .rows = "MP-04",
      .detects = "an event that never comes, or comes too early",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_MP_SELFTEST,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 230,
      .run = check_event },
    { .id = "mp.long",
      .title = "A procedure of 600 ms is not interrupted",
      .spec = PI_MP ".StartupAllAPs(), TimeoutInMicroseconds 0: infinite",
      .rows = "MP-05",
      .detects = "firmware that takes processors back after a time of its own",
      .means = "firmware takes processors back although it was told to wait for ever",
      .next = "how long the call took; a firmware update; -mp blocking or -mp sipi for the run",
      .needs = NEED_MP_SELFTEST,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 230,
      .run = check_long },
    { .id = "mp.time-out",
      .title = "A time-out is kept, and the processor can be started again",
      .spec = PI_MP ".StartupThisAP(), TimeoutInMicroseconds",
      .rows = "MP-06",
      .detects = "a time-out that is ignored or fires early, a processor that is lost by it",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_MP_SELFTEST,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_TABLES,
      .order = 230,
      .run = check_timeout },
};
CHECK_FAMILY(mp, rows);
