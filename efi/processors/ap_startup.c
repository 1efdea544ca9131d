/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/processors/ap_startup.h"

#include "core/base/text.h"
#include "efi/processors/sipi.h"

#define ARRIVE_MS        5000u  /* for processors whose start firmware has confirmed */
#define CALLBACK_TRIES   500u   /* of 10 ms: the callback may run before firmware has woken any processor */
#define CALLBACK_STILL   50u    /* of these without another one: the others do not come */
#define CALLBACK_MOST_MS 10000u /* in all: who has arrived leaves in time */
#define CALLBACK_100NS   100000u
#define RETURN_100NS     UINT64_C(50000000) /* 5 s for firmware's blocking call to notice that all have returned */
#define THIS_AP_LIMIT_US 1000000u

/* Appends to the report's explanation. */
static void explain(struct ap_startup *s, const char *text, uint64_t code, bool has_code)
{
    size_t n = 0;

    while (n < s->why_size && s->why[n] != '\0')
        n++;
    if (n >= s->why_size)
        return;
    if (has_code)
        text_format(s->why + n, s->why_size - n, "%s%s (0x%lx)", n ? "; " : "", text, code);
    else
        text_format(s->why + n, s->why_size - n, "%s%s", n ? "; " : "", text);
}

/* Names the first that is missing: there may be hundreds. */
static void explain_missing(struct ap_startup *s, uint32_t n)
{
    char text[96];

    for (uint32_t i = 0; i < s->ps->workers.n; i++) {
        const struct worker *w = s->ps->workers.worker[i];

        if (!w->takes_part || (s->ps->workers.platform->cpus[i].flags & CPU_STARTED))
            continue;
        text_format(text, sizeof text, "%u of %u processors did not start, first cpu %u (APIC 0x%x)", s->others - n,
                    s->others, i, w->apic_id);
        explain(s, text, 0, false);
        return;
    }
}

/* workers_begin() was true. */
static void wait_and_call(struct ap_startup *s, const char *method)
{
    uint32_t n = workers_wait_for_arrival(&s->ps->workers, ARRIVE_MS);

    *s->method = method;
    if (n < s->others)
        explain_missing(s, n);
    s->work(s->context);
}

static void call_alone(struct ap_startup *s)
{
    /* Their stacks stay. */
    s->ps->workers.unreturned += workers_outstanding(&s->ps->workers);
    for (uint32_t i = 0; i < s->ps->workers.n; i++)
        s->ps->workers.worker[i]->takes_part = false; /* none has work, so none is sent home */
    *s->method = "boot processor alone";
    s->work(s->context);
}

/* --- non-blocking ------------------------------------------------------------------------------------------------- */

/* Whether it started them; then the work has been called. */
static bool start_nonblocking(struct ap_startup *s)
{
    EFI_BOOT_SERVICES *bs = s->ps->st->BootServices;
    EFI_STATUS e = bs->CreateEvent(0, TPL_CALLBACK, NULL, NULL, &s->ps->finished);
    bool called;

    if (EFI_ERROR(e)) {
        s->ps->finished = NULL;
        explain(s, "no event for StartupAllAPs", e, true);
        return false;
    }
    /* Time-out 0: none. On expiry firmware would reset the workers. */
    e = s->ps->mp->StartupAllAPs(s->ps->mp, worker_entry, FALSE, s->ps->finished, 0, s->ps, NULL);
    if (EFI_ERROR(e)) {
        (void)bs->CloseEvent(s->ps->finished);
        s->ps->finished = NULL;
        explain(s, "non-blocking StartupAllAPs refused", e, true);
        return false;
    }
    explain(s, "non-blocking StartupAllAPs accepted", 0, false);
    called = workers_begin(&s->ps->workers);
    if (called)
        wait_and_call(s, "StartupAllAPs");
    else
        explain(s, "it did not return until the processors left", 0, false);
    if (s->ps->signalled)
        (void)bs->CloseEvent(s->ps->finished);
    else if (!called) /* firmware may still signal it, and start who is absent */
        workers_note_absent(&s->ps->workers);
    s->ps->finished = NULL;
    return called;
}

/* --- blocking: the work in a timer callback ----------------------------------------------------------------------- */

struct blocking {
    struct ap_startup *s;
    EFI_EVENT escape;
    EFI_STATUS answer;
    uint64_t begin;
    uint32_t tries, arrived; /* since as many processors have arrived */
    bool entered, left_behind;
};

static VOID EFIAPI blocking_escape(EFI_EVENT, VOID *context)
{
    struct blocking *b = context;

    b->left_behind = true;
    catch_leave(&processor_of(b->s->ps->workers.boot)->vectors);
}

static VOID EFIAPI blocking_timer(EFI_EVENT event, VOID *context)
{
    struct blocking *b = context;
    EFI_BOOT_SERVICES *bs = b->s->ps->st->BootServices;
    struct workers *ws = &b->s->ps->workers;
    struct vectors *v = &processor_of(b->s->ps->workers.boot)->vectors;
    struct catcher outside;
    uint32_t arrived;

    if (b->entered)
        return;
    arrived = workers_in_state(ws, WORKER_ARRIVED);
    b->tries = arrived == b->arrived ? b->tries + 1 : 0;
    b->arrived = arrived;
    /* Firmware that starts them one after another starts no more while this runs. */
    if (workers_in_state(ws, WORKER_ABSENT) > 0 && b->tries < (arrived > 0 ? CALLBACK_STILL : CALLBACK_TRIES) &&
        workers_now(ws) - b->begin < workers_ticks(ws, CALLBACK_MOST_MS)) {
        (void)bs->SetTimer(event, TimerRelative, CALLBACK_100NS);
        return;
    }
    b->entered = workers_begin(ws);
    outside = v->base; /* the work has a catcher of its own */
    if (b->entered)
        wait_and_call(b->s, "StartupAllAPs, blocking");
    v->base = outside;
    /* If the call does not end although all have left or were reset, it is left by force. */
    (void)bs->SetTimer(b->escape, TimerRelative, RETURN_100NS);
}

static void blocking_call(void *context)
{
    struct blocking *b = context;

    b->answer = b->s->ps->mp->StartupAllAPs(b->s->ps->mp, worker_entry, FALSE, NULL, 0, b->s->ps, NULL);
}

static enum status start_blocking(struct ap_startup *s, bool *called)
{
    EFI_BOOT_SERVICES *bs = s->ps->st->BootServices;
    struct blocking b = { .s = s, .begin = workers_now(&s->ps->workers), .answer = EFI_ABORTED };
    EFI_EVENT timer = NULL;
    EFI_STATUS e;
    enum status caught = ST_OK;

    e = bs->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK, blocking_timer, &b, &timer);
    if (!EFI_ERROR(e))
        e = bs->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK, blocking_escape, &b, &b.escape);
    if (!EFI_ERROR(e))
        e = bs->SetTimer(timer, TimerRelative, CALLBACK_100NS);
    if (!EFI_ERROR(e)) {
        caught = catch_base(&processor_of(s->ps->workers.boot)->vectors, blocking_call, &b);
        if (caught != ST_OK) {
            (void)bs->RaiseTPL(TPL_HIGH_LEVEL);
            bs->RestoreTPL(s->tpl);
        }
        e = b.answer;
    }
    if (b.escape)
        (void)bs->CloseEvent(b.escape);
    if (timer)
        (void)bs->CloseEvent(timer);
    *called = b.entered;
    if (!b.entered && b.left_behind)
        workers_note_absent(&s->ps->workers);
    if (!b.entered && EFI_ERROR(e))
        explain(s, "blocking StartupAllAPs refused", e, true);
    else if (!b.entered)
        explain(s, "in the blocking StartupAllAPs firmware runs no timer: the processors left", 0, false);
    return (b.entered || b.left_behind) && caught != ST_OK ? ST_LOST : ST_OK;
}

/* --- INIT-SIPI of our own ----------------------------------------------------------------------------------------- */

static bool start_by_sipi(struct ap_startup *s)
{
    enum status st;

    (void)workers_begin(&s->ps->workers); /* nothing waits for them */
    st = sipi_start(s->ps);
    if (st != ST_OK) {
        explain(s, status_text(st), 0, false);
        explain(s, "INIT-SIPI is not possible", 0, false);
        sipi_end(s->ps);
        return false;
    }
    wait_and_call(s, MP_METHOD_SIPI);
    sipi_end(s->ps);
    return true;
}

/* Whether the work was called. */
static bool start_by(struct ap_startup *s, enum startup_method method, enum status *st)
{
    bool called = false;

    switch (method) {
    case STARTUP_NONBLOCKING:
        return start_nonblocking(s);
    case STARTUP_BLOCKING:
        *st = start_blocking(s, &called);
        return called;
    case STARTUP_SIPI:
        return start_by_sipi(s);
    }
    return false;
}

enum status ap_startup(struct ap_startup *s)
{
    struct startup_plan plan = startup_plan(s->choice, s->others, s->ps->mp != NULL);
    enum status st = ST_OK;
    bool called = false;

    if (plan.n > 0)
        st = processors_prepare(s->ps, s->ps->workers.n);
    TRY(st);
    if (plan.why)
        explain(s, plan.why, 0, false);
    for (uint32_t i = 0; i < plan.n && !called; i++) {
        if (!workers_anew(&s->ps->workers)) {
            explain(s, "processors of it have not left: no other way is tried", 0, false);
            break;
        }
        s->ps->stacks_taken = 0;
        called = start_by(s, plan.tries[i], &st);
    }
    if (!called && plan.otherwise)
        explain(s, plan.otherwise, 0, false);
    if (!called)
        call_alone(s);
    return st;
}

/* --- what firmware takes for the same ----------------------------------------------------------------------------- */

static VOID EFIAPI empty_procedure(VOID *)
{
}

uint64_t ap_startup_cost_of_this_ap(struct processors *ps)
{
    uint64_t best = 0;

    if (!ps->mp)
        return 0;
    for (uint32_t i = 0; i < ps->workers.n; i++) {
        if (!ps->workers.worker[i]->takes_part)
            continue;
        for (int k = 0; k < 3; k++) {
            uint64_t begin = insn_rdtsc(), took;

            if (EFI_ERROR(ps->mp->StartupThisAP(ps->mp, empty_procedure, processor_at(ps, i)->number, NULL,
                                                THIS_AP_LIMIT_US, NULL, NULL)))
                return 0;
            took = insn_rdtsc() - begin;
            if (best == 0 || took < best)
                best = took;
        }
        break;
    }
    return best;
}
