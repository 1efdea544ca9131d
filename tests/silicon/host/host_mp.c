/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/host/host_mp.c: what firmware's processor services did when they were tried (core/platform/mp_selftest.h).
 *
 * Source: PI specification 1.7 vol. 2 13.4, EFI_MP_SERVICES_PROTOCOL. Times are those of firmware whose processors wait
 * in HLT: a wake passes INIT, 10 ms and a start-up IPI, and firmware looks every 100 ms whether all have ended where it
 * was given an event (EDK2, UefiCpuPkg: PcdCpuInitIpiDelayInMicroSeconds, PcdCpuApStatusCheckIntervalInMicroSeconds).
 * The trial lies in the ten seconds that firmware took before anything else; a processor that is dead in the run took
 * part in it.
 */
#include "tests/silicon/host/host_platform_internal.h"

#include "tests/silicon/model/model_state.h"

enum {
    WAKE_US = 10200, /* from the call to the first processor's first instruction; to reset one costs the same */
    NEXT_US = 5,     /* each following processor                                                              */
    SEEN_US = 50,    /* from the end of the last procedure until a blocking call is back                      */
    CHECK_US = 100000,
    LIMIT_MS = 500, /* FAULT_MP_RESET_AFTER_500MS */
    US = 1000,      /* in a millisecond */
};

struct service {
    const struct model *m;
    struct mp_selftest *t;
};

static uint64_t ticks(const struct service *s, uint64_t us)
{
    return (uint64_t)((unsigned __int128)us * s->m->tsc_hz / 1000000u);
}

/* Is cpu the one that the fault is about? Never the boot processor. */
static bool stricken(const struct model *m, enum fault_id id, uint32_t cpu)
{
    return cpu > 0 && fault_on(&m->faults, id) && cpu == 1 + fault_place(&m->faults, id, m->cpus - 1);
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

static struct mp_processor listed(const struct model *m, uint32_t cpu)
{
    uint32_t apic_id = model_apic_id(m, cpu), above = apic_id >> m->thread_bits, dies = model_dies(m);
    uint32_t core_bits = m->core_bits + bits_for(dies - 1), packages = (m->packages + dies - 1) / dies;
    struct mp_processor p = { .apic_id = apic_id,
                              .boot = cpu == 0,
                              .enabled = true,
                              .healthy = true,
                              .package = above >> core_bits,
                              .core = above & (uint32_t)low_bits(core_bits),
                              .thread = apic_id & (uint32_t)low_bits(m->thread_bits) };

    if (m->twin) { /* its ids have gaps of their own */
        p.package = m->cpu[cpu].package;
        p.core = cpu / m->threads % m->cores;
        p.thread = m->cpu[cpu].thread;
    }
    if (stricken(m, FAULT_MP_DUPLICATE_ID, cpu))
        p.apic_id = model_apic_id(m, cpu - 1);
    if (stricken(m, FAULT_MP_PLACES, cpu))
        p.package = packages > 1 ? (p.package + 1) % packages : 1;
    return p;
}

/* --- the calls ---------------------------------------------------------------------------------------------------- */

/* A processor is started: it begins the procedure, and ends it if it may. */
static void start(struct service *s, struct mp_call *call, uint32_t cpu, bool ends)
{
    if (stricken(s->m, FAULT_MP_NEVER_WAKES, cpu))
        return;
    if (s->t->cpus[cpu].apic_id != model_apic_id(s->m, cpu)) {
        s->t->unlisted_aps++;
        return;
    }
    call->ran++;
    call->ended += ends;
}

/* StartupAllAPs with procedures of procedure_ms, or what firmware leaves of it. */
static struct mp_call *start_all(struct service *s, enum mp_call_kind kind, uint64_t procedure_ms, bool end)
{
    struct mp_call *call = &s->t->calls[kind];
    uint32_t aps = s->m->cpus - 1;

    *call = (struct mp_call){ .made = true, .code = EFI_CODE_SUCCESS, .asked = aps };
    for (uint32_t cpu = 1; cpu <= aps; cpu++)
        start(s, call, cpu, end);
    call->returned = ticks(s, WAKE_US + (uint64_t)NEXT_US * aps + procedure_ms * US + SEEN_US);
    return call;
}

/* When each processor ran its first instruction: a look at every one that the list knows. */
static void call_all(struct service *s)
{
    (void)start_all(s, MP_CALL_ALL, 0, true);
    for (uint32_t cpu = 1; cpu < s->m->cpus; cpu++)
        if (!stricken(s->m, FAULT_MP_NEVER_WAKES, cpu))
            s->t->cpus[cpu].woken = ticks(s, WAKE_US + (uint64_t)NEXT_US * cpu);
    for (uint32_t cpu = 1; cpu < s->m->cpus; cpu++)
        if (stricken(s->m, FAULT_MP_DUPLICATE_ID, cpu)) /* both places show what the one that has the number did */
            s->t->cpus[cpu].woken = s->t->cpus[cpu - 1].woken;
}

static void call_event(struct service *s)
{
    bool early = fault_on(&s->m->faults, FAULT_MP_EVENT_EARLY);
    struct mp_call *call = start_all(s, MP_CALL_EVENT, MP_EVENT_MS, !early);

    call->returned = ticks(s, WAKE_US);
    call->signalled = early ? call->returned + ticks(s, SEEN_US) : ticks(s, CHECK_US);
}

static void call_long(struct service *s)
{
    bool reset = fault_on(&s->m->faults, FAULT_MP_RESET_AFTER_500MS);

    (void)start_all(s, MP_CALL_LONG, reset ? LIMIT_MS : MP_LONG_MS, !reset);
}

/* StartupThisAP, processor 1: one that runs out of its time, and the same one again. */
static void call_this(struct service *s)
{
    bool ignored = fault_on(&s->m->faults, FAULT_MP_TIME_OUT_IGNORED);
    struct mp_call *late = &s->t->calls[MP_CALL_LATE], *again = &s->t->calls[MP_CALL_AGAIN];

    *late = (struct mp_call){ .made = true, .asked = 1, .code = ignored ? EFI_CODE_SUCCESS : EFI_CODE_TIMEOUT };
    late->returned = ticks(s, WAKE_US + (uint64_t)(ignored ? MP_LATE_MS : MP_TIMEOUT_MS) * US + SEEN_US);
    start(s, late, 1, ignored);
    if (!ignored)
        late->returned += ticks(s, WAKE_US); /* its reset */
    *again = (struct mp_call){ .made = true, .asked = 1, .code = EFI_CODE_SUCCESS };
    again->returned = ticks(s, WAKE_US + SEEN_US);
    start(s, again, 1, true);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

void firmware_selftest_build(struct mp_selftest *t, struct pool *pool, const struct model *m)
{
    struct service s = { m, t };

    *t = (struct mp_selftest){ .n = m->cpus, .n_enabled = m->cpus, .tsc_hz = m->tsc_hz };
    t->cpus = pool_zeroed(pool, m->cpus, sizeof t->cpus[0]);
    for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
        t->cpus[cpu] = listed(m, cpu);
    if (m->cpus == 1)
        return;
    call_all(&s);
    call_event(&s);
    call_long(&s);
    call_this(&s);
}
