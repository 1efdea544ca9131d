/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/rdt/qm.h"

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/base/heap.h"
#include "core/base/rollover.h"
#include "core/platform/script.h"

#define PAIRS_PER_TASK  512u
#define BUDGET_MS       UINT64_C(10000)
#define BUDGET_PAIR_MS  UINT64_C(4) /* two MSR operations, even where each is trapped and emulated */
#define RETRY_NS        UINT64_C(1000000)
#define LOCK_CHECK_EACH 1024u

uint64_t qm_evtsel(uint32_t rmid, uint32_t event)
{
    return field_put(IA32_QM_EVTSEL_RMID, rmid) | field_put(IA32_QM_EVTSEL_EVTID, event);
}

static uint64_t evtsel_of_counter(uint32_t counter)
{
    return IA32_QM_EVTSEL_ExtEvtID | qm_evtsel(counter, EVTID_L3CacheABMC);
}

/* The counter of a pair; counters.used: none is assigned to it. */
static uint32_t counter_of(const struct qm_domain *d, uint32_t rmid, uint32_t event)
{
    return INDEX_OF(k, d->counters.used, d->counters.of[k].rmid == rmid && d->counters.of[k].event == event);
}

uint64_t qm_evtsel_of(const struct qm_domain *d, uint32_t rmid, uint32_t event)
{
    uint32_t k = counter_of(d, rmid, event);

    return k < d->counters.used ? evtsel_of_counter(k) : qm_evtsel(d->first_rmid + rmid, event);
}

enum status qm_status(uint64_t raw)
{
    if (raw & IA32_QM_CTR_ERROR) /* first: this one does not go away by waiting */
        return ST_QM_ERROR;
    if (raw & IA32_QM_CTR_UNAVAILABLE)
        return ST_UNAVAILABLE;
    return ST_OK;
}

uint64_t qm_delta(uint64_t earlier_counts, uint64_t later_counts, uint32_t width)
{
    return counter_delta(earlier_counts, later_counts, width);
}

double qm_moved_bytes(const struct qm_domain *d, uint64_t earlier_counts, uint64_t later_counts)
{
    return (double)counter_moved(earlier_counts, later_counts, d->counter_width) * d->upscaling_factor;
}

uint64_t qm_bytes(const struct qm_domain *d, uint64_t counts)
{
    return counts * d->upscaling_factor;
}

enum status qm_lock_take(struct platform *p, struct qm_lock *lock)
{
    uint64_t start = p->ops->tsc(p->machine);

    while (__atomic_exchange_n(&lock->held, 1u, __ATOMIC_ACQUIRE)) {
        for (uint32_t i = 0; i < LOCK_CHECK_EACH && __atomic_load_n(&lock->held, __ATOMIC_RELAXED); i++)
            ;
        if (p->ops->tsc(p->machine) - start > p->tsc_hz)
            return ST_TIMEOUT;
    }
    return ST_OK;
}

void qm_lock_release(struct qm_lock *lock)
{
    __atomic_store_n(&lock->held, 0u, __ATOMIC_RELEASE);
}

/* Steps of one task under the keyhole's lock: no other selection comes between them. */
static enum status keyhole_run(struct platform *p, struct qm_domain *d, struct step *steps, uint32_t n)
{
    enum status st;

    TRY(qm_lock_take(p, &d->keyhole));
    st = script_run(p, d->cpu, steps, n, BUDGET_MS + BUDGET_PAIR_MS * n);
    qm_lock_release(&d->keyhole);
    d->msr_operations += n;
    return st;
}

/* What the two steps of a pair came to. */
static enum status pair_result(const struct qm_domain *d, const struct step *select, const struct step *read,
                               struct qm_sample *s)
{
    if (select->status != ST_OK)
        return select->status;
    if (read->status != ST_OK)
        return read->status;
    s->raw = read->value;
    s->tsc = read->tsc;
    s->tsc_select = select->untimed ? read->tsc : select->tsc;
    TRY(qm_status(read->value));
    s->counts = field_get(IA32_QM_CTR_DATA, read->value) & ~(d->overflow_flag ? IA32_QM_CTR_OVERFLOW : 0);
    return ST_OK;
}

/* Assignment, selection and read are one task: PC6 resets L3_QOS_ABMC_CFG. EVTSEL is set to its reset value 0 at the
 * end, since the selection is legal no longer once assignable counters are off. */
static enum status read_counter(struct platform *p, struct qm_domain *d, uint32_t rmid, enum qm_event event,
                                struct qm_sample *s)
{
    struct qm_counters *c = &d->counters;
    uint32_t k = counter_of(d, rmid, event), n = 0;
    bool assigns = k == c->used;
    struct step steps[4];

    if (k == c->n)
        return ST_RANGE;
    if (assigns)
        steps[n++] = step_wrmsr_must(
            L3_QOS_ABMC_CFG, L3_QOS_ABMC_CFG_CFG_EN | L3_QOS_ABMC_CFG_CTR_EN | field_put(L3_QOS_ABMC_CFG_CTR_ID, k) |
                                 field_put(L3_QOS_ABMC_CFG_BW_SRC, rmid) |
                                 field_put(L3_QOS_ABMC_CFG_BW_TYPE, c->types[event == QM_EVENT_L3_LOCAL]));
    steps[n++] = step_wrmsr_must(IA32_QM_EVTSEL, evtsel_of_counter(k));
    steps[n++] = step_rdmsr(IA32_QM_CTR);
    steps[n++] = step_untimed(step_wrmsr(IA32_QM_EVTSEL, 0));
    steps[0].untimed = assigns;
    TRY(keyhole_run(p, d, steps, n));
    if (assigns)
        TRY(steps[0].status);
    if (assigns) {
        c->of[k].rmid = rmid;
        c->of[k].event = event;
        c->used++;
    }
    d->samples++;
    return pair_result(d, &steps[n - 3], &steps[n - 2], s);
}

enum status qm_read(struct platform *p, struct qm_domain *d, uint32_t rmid, enum qm_event event, struct qm_sample *s)
{
    struct step steps[] = { step_wrmsr_must(IA32_QM_EVTSEL, qm_evtsel_of(d, rmid, event)), step_rdmsr(IA32_QM_CTR) };

    if (rmid > d->max_rmid)
        return ST_RANGE;
    if (d->counters.n && (event == QM_EVENT_L3_TOTAL || event == QM_EVENT_L3_LOCAL))
        return read_counter(p, d, rmid, event, s);
    TRY(keyhole_run(p, d, steps, 2));
    d->samples++;
    return pair_result(d, &steps[0], &steps[1], s);
}

enum status qm_read_wait(struct platform *p, struct qm_domain *d, uint32_t rmid, enum qm_event event, uint32_t tries,
                         struct qm_sample *s, uint32_t *asked)
{
    enum status st = ST_UNAVAILABLE;
    uint32_t n = 0;

    while (st == ST_UNAVAILABLE && n < tries) {
        if (n > 0)
            platform_stall(p, RETRY_NS);
        st = qm_read(p, d, rmid, event, s);
        n++;
    }
    if (asked)
        *asked = n;
    return st;
}

enum status qm_read_assigned(struct platform *p, struct qm_domain *d, uint32_t counter, struct qm_sample *s)
{
    struct step steps[] = {
        step_wrmsr_must(IA32_QM_EVTSEL, evtsel_of_counter(counter)),
        step_rdmsr(IA32_QM_CTR),
        step_untimed(step_wrmsr(IA32_QM_EVTSEL, 0)),
    };
    enum status st;

    TRY(keyhole_run(p, d, steps, 3));
    d->samples++;
    st = pair_result(d, &steps[0], &steps[1], s);
    return st != ST_FAULT ? status_first(st, steps[2].status) : st;
}

/* At most PAIRS_PER_TASK pairs as one task, in steps[2 * n]. */
static enum status read_chunk(struct platform *p, struct qm_domain *d, struct step *steps, struct qm_pair *pairs,
                              uint32_t n)
{
    enum status st;

    for (uint32_t i = 0; i < n; i++) {
        steps[2 * i] = step_untimed(step_wrmsr(IA32_QM_EVTSEL, qm_evtsel_of(d, pairs[i].rmid, pairs[i].event)));
        steps[2 * i + 1] = step_rdmsr(IA32_QM_CTR);
    }
    st = keyhole_run(p, d, steps, 2 * n);
    for (uint32_t i = 0; i < n; i++)
        pairs[i].status = st != ST_OK ? st : pair_result(d, &steps[2 * i], &steps[2 * i + 1], &pairs[i].sample);
    if (st == ST_OK)
        d->samples += n;
    return st;
}

enum status qm_read_many(struct platform *p, struct qm_domain *d, struct qm_pair *pairs, uint32_t n)
{
    uint32_t at_once = n < PAIRS_PER_TASK ? n : PAIRS_PER_TASK;
    struct step *steps;
    enum status st = ST_OK;

    if (ANY_OF(i, n, pairs[i].rmid > d->max_rmid))
        return ST_RANGE;
    if (n == 0)
        return ST_OK;
    TRY_HEAP(steps, 2 * (size_t)at_once);
    for (uint32_t done = 0; done < n; done += at_once) {
        uint32_t k = n - done < at_once ? n - done : at_once;

        if (st == ST_OK) {
            st = read_chunk(p, d, steps, pairs + done, k);
            continue;
        }
        for (uint32_t i = 0; i < k; i++)
            pairs[done + i].status = st;
    }
    heap_free(steps);
    return st;
}

void qm_probe_build(uint64_t evtsel, struct step steps[QM_PROBE_STEPS])
{
    steps[0] = step_rdmsr(IA32_QM_EVTSEL);
    steps[1] = step_wrmsr(IA32_QM_EVTSEL, evtsel);
    steps[2] = step_rdmsr(IA32_QM_EVTSEL);
    steps[3] = step_rdmsr(IA32_QM_CTR);
    steps[4] = step_wrmsr(IA32_QM_EVTSEL, 0);
}

struct qm_probe qm_probe_of(const struct step steps[QM_PROBE_STEPS])
{
    return (struct qm_probe){
        .before = steps[0].value,
        .selected = steps[1].status,
        .evtsel = steps[2].value,
        .evtsel_read = steps[2].status,
        .ctr = steps[3].value,
        .ctr_read = steps[3].status,
        .tsc = steps[3].tsc,
    };
}

void qm_write_build(uint64_t evtsel, struct step steps[QM_WRITE_STEPS])
{
    steps[0] = step_wrmsr_must(IA32_QM_EVTSEL, evtsel);
    steps[1] = step_rdmsr(IA32_QM_CTR);
    steps[2] = step_wrmsr(IA32_QM_CTR, 0);
    steps[3] = step_rdmsr(IA32_QM_CTR);
    steps[4] = step_wrmsr(IA32_QM_EVTSEL, 0);
}

enum status qm_write_of(const struct step steps[QM_WRITE_STEPS], enum status *outcome, uint64_t *before,
                        uint64_t *after)
{
    for (uint32_t i = 0; i < 4; i++)
        if (i != 2 && steps[i].status != ST_OK)
            return steps[i].status;
    *outcome = steps[2].status;
    *before = steps[1].value;
    *after = steps[3].value;
    return ST_OK;
}
