/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/processors/mp_selftest.h"

#include <string.h>

#include "core/base/heap.h"

#define MS_100NS     UINT64_C(10000)
#define NO_PROCESSOR UINT32_MAX
#define US_PER_MS    1000u
#define MOST_COUNTED 65536u

/* One processor's record of one call. A processor that firmware has reset never writes again, one that it has not may
 * still: so this memory is never given back. */
struct ap_record {
    uint32_t apic_id;
    uint32_t begun, ended; /* how often */
    uint64_t first;        /* TSC at the first beginning */
};

struct selftest {
    struct processors *ps;
    struct mp_selftest *out;
    uint32_t n_records;
    struct ap_record *records; /* ascending by APIC id */
    uint64_t spin;             /* TSC ticks of a procedure                   */
    uint32_t released;         /* procedures end at once                     */
    uint32_t unlisted_aps;
    bool given_up;
    /* of the call under way */
    EFI_EVENT event;
    UINTN timeout_us, number;
    bool this_one;
    EFI_STATUS answer;
};

static uint64_t selftest_ticks(const struct selftest *t, uint64_t ms)
{
    return t->ps->workers.platform->tsc_hz / 1000 * ms;
}

/* --- what runs on the processors: firmware's stack, firmware's vectors -------------------------------------------- */

static struct ap_record *record_of(const struct selftest *t, uint32_t apic_id)
{
    uint32_t lo = 0, hi = t->n_records;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;

        if (t->records[mid].apic_id == apic_id)
            return &t->records[mid];
        if (t->records[mid].apic_id < apic_id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

static VOID EFIAPI selftest_procedure(VOID *argument)
{
    struct selftest *t = argument;
    uint64_t begin = insn_rdtsc();
    struct ap_record *s = record_of(t, processors_my_apic_id());

    if (!s) {
        __atomic_add_fetch(&t->unlisted_aps, 1, __ATOMIC_RELAXED);
        return;
    }
    if (__atomic_add_fetch(&s->begun, 1, __ATOMIC_RELAXED) == 1)
        s->first = begin;
    while (insn_rdtsc() - begin < t->spin && !__atomic_load_n(&t->released, __ATOMIC_ACQUIRE))
        insn_pause();
    __atomic_add_fetch(&s->ended, 1, __ATOMIC_RELEASE);
}

/* --- calls that come back ----------------------------------------------------------------------------------------- */

static VOID EFIAPI selftest_escape(EFI_EVENT, VOID *context)
{
    struct selftest *t = context;

    t->given_up = true;
    __atomic_store_n(&t->released, 1, __ATOMIC_RELEASE);
    catch_leave(&processor_of(t->ps->workers.boot)->vectors);
}

static void selftest_call(void *context)
{
    struct selftest *t = context;
    EFI_MP_SERVICES_PROTOCOL *mp = t->ps->mp;

    t->answer = t->this_one ? mp->StartupThisAP(mp, selftest_procedure, t->number, NULL, t->timeout_us, t, NULL)
                            : mp->StartupAllAPs(mp, selftest_procedure, FALSE, t->event, t->timeout_us, t, NULL);
}

/* The call, with a timer that leaves it by force. */
static void call_bounded(struct selftest *t)
{
    EFI_BOOT_SERVICES *bs = t->ps->st->BootServices;
    EFI_TPL tpl = bs->RaiseTPL(TPL_HIGH_LEVEL);
    EFI_EVENT escape = NULL;

    bs->RestoreTPL(tpl);
    t->answer = EFI_ABORTED;
    if (EFI_ERROR(bs->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK, selftest_escape, t, &escape)))
        return;
    if (!EFI_ERROR(bs->SetTimer(escape, TimerRelative, MP_WAIT_MS * MS_100NS)) &&
        catch_base(&processor_of(t->ps->workers.boot)->vectors, selftest_call, t) != ST_OK) {
        (void)bs->RaiseTPL(TPL_HIGH_LEVEL);
        bs->RestoreTPL(tpl);
        t->given_up = true;
    }
    (void)bs->CloseEvent(escape);
}

static void count_records(struct selftest *t, struct mp_call *call)
{
    call->ran = call->ended = call->repeated = 0;
    EACH(const struct ap_record, s, t->records, t->n_records) {
        call->ran += __atomic_load_n(&s->begun, __ATOMIC_ACQUIRE) > 0;
        call->ended += __atomic_load_n(&s->ended, __ATOMIC_ACQUIRE) > 0;
        call->repeated += s->begun > 1;
    }
}

/* Until firmware says that all have returned. */
static void wait_for_event(struct selftest *t, struct mp_call *call, uint64_t begin)
{
    EFI_BOOT_SERVICES *bs = t->ps->st->BootServices;

    while (bs->CheckEvent(t->event) != EFI_SUCCESS) {
        if (insn_rdtsc() - begin > selftest_ticks(t, MP_WAIT_MS)) {
            call->abandoned = true; /* firmware may still signal it, so it stays */
            t->given_up = true;
            return;
        }
        insn_pause();
    }
    call->signalled = insn_rdtsc() - begin;
    (void)bs->CloseEvent(t->event);
}

static void make_call(struct selftest *t, enum mp_call_kind kind, uint64_t procedure_ms, uint32_t asked)
{
    struct mp_call *call = &t->out->calls[kind];
    uint64_t begin;

    for (uint32_t i = 0; i < t->n_records; i++)
        t->records[i] = (struct ap_record){ .apic_id = t->records[i].apic_id };
    t->spin = selftest_ticks(t, procedure_ms);
    __atomic_store_n(&t->released, 0, __ATOMIC_RELEASE);
    *call = (struct mp_call){ .made = true, .asked = asked };
    begin = insn_rdtsc();
    call_bounded(t);
    call->returned = insn_rdtsc() - begin;
    call->code = t->answer;
    call->abandoned = t->given_up;
    if (t->event && !EFI_ERROR(t->answer))
        wait_for_event(t, call, begin);
    else if (t->event && !t->given_up) /* else firmware may signal it yet */
        (void)t->ps->st->BootServices->CloseEvent(t->event);
    count_records(t, call);
    if (kind == MP_CALL_ALL)
        for (uint32_t i = 0; i < t->out->n; i++) {
            const struct ap_record *s = record_of(t, t->out->cpus[i].apic_id);

            t->out->cpus[i].woken = s && s->begun ? s->first - begin : 0;
        }
    t->event = NULL;
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

static void sort_records(struct selftest *t)
{
    for (uint32_t i = 1; i < t->n_records; i++)
        for (uint32_t k = i; k > 0 && t->records[k - 1].apic_id > t->records[k].apic_id; k--) {
            struct ap_record s = t->records[k];

            t->records[k] = t->records[k - 1];
            t->records[k - 1] = s;
        }
}

/* Returns how many processors StartupAllAPs is to start; *first gets the number of the first of them. */
static uint32_t list_processors(struct selftest *t, UINTN *first)
{
    EFI_MP_SERVICES_PROTOCOL *mp = t->ps->mp;
    uint32_t asked = 0;

    for (uint32_t i = 0; i < t->out->n; i++) {
        EFI_PROCESSOR_INFORMATION info;
        struct mp_processor *cpu = &t->out->cpus[i];
        EFI_STATUS e;

        memset(&info, 0, sizeof info);
        e = mp->GetProcessorInfo(mp, i, &info);
        if (EFI_ERROR(e)) {
            t->out->info_code = e;
            memset(&info, 0, sizeof info);
        }
        *cpu = (struct mp_processor){ .apic_id = EFI_ERROR(e) ? UINT32_MAX : (uint32_t)info.ProcessorId,
                                      .unknown = EFI_ERROR(e),
                                      .boot = info.StatusFlag & PROCESSOR_AS_BSP_BIT,
                                      .enabled = info.StatusFlag & PROCESSOR_ENABLED_BIT,
                                      .healthy = info.StatusFlag & PROCESSOR_HEALTH_STATUS_BIT,
                                      .package = info.Location.Package,
                                      .core = info.Location.Core,
                                      .thread = info.Location.Thread };
        t->records[t->n_records++].apic_id = cpu->apic_id;
        if (cpu->boot || !cpu->enabled || !cpu->healthy)
            continue;
        if (asked++ == 0)
            *first = i;
    }
    sort_records(t);
    return asked;
}

static void try_calls(struct selftest *t, uint32_t asked, UINTN first)
{
    make_call(t, MP_CALL_ALL, 0, asked);
    if (!t->given_up && !EFI_ERROR(t->ps->st->BootServices->CreateEvent(0, TPL_CALLBACK, NULL, NULL, &t->event)))
        make_call(t, MP_CALL_EVENT, MP_EVENT_MS, asked);
    if (!t->given_up)
        make_call(t, MP_CALL_LONG, MP_LONG_MS, asked);
    t->this_one = true;
    t->number = first;
    t->timeout_us = MP_TIMEOUT_MS * US_PER_MS;
    if (!t->given_up)
        make_call(t, MP_CALL_LATE, MP_LATE_MS, 1);
    t->timeout_us = 0;
    if (!t->given_up)
        make_call(t, MP_CALL_AGAIN, 0, 1);
    t->out->unlisted_aps = t->unlisted_aps;
}

struct mp_selftest *mp_selftest(struct processors *ps)
{
    UINTN all = 0, enabled = 0, me = 0, first = 0;
    struct selftest *t = heap_alloc(sizeof *t);
    uint32_t asked;

    if (!ps->mp || !t)
        return NULL;
    *t = (struct selftest){ .ps = ps, .out = heap_alloc(sizeof *t->out) };
    if (!t->out)
        return NULL;
    t->out->tsc_hz = ps->workers.platform->tsc_hz;
    t->out->count_code = ps->mp->GetNumberOfProcessors(ps->mp, &all, &enabled);
    t->out->who_am_i = EFI_ERROR(ps->mp->WhoAmI(ps->mp, &me)) ? NO_PROCESSOR : (uint32_t)me;
    if (EFI_ERROR(t->out->count_code) || all == 0 || all > MOST_COUNTED)
        return t->out;
    t->out->cpus = heap_alloc(all * sizeof *t->out->cpus);
    t->records = heap_alloc(all * sizeof *t->records);
    if (!t->out->cpus || !t->records)
        return t->out;
    t->out->n = (uint32_t)all;
    t->out->n_enabled = (uint32_t)enabled;
    asked = list_processors(t, &first);
    if (asked > 0)
        try_calls(t, asked, first);
    return t->out;
}

void mp_selftest_free(struct mp_selftest *t)
{
    if (t)
        heap_free(t->cpus);
    heap_free(t);
}
