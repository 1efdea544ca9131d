/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Monitors read before and after a load, and how long they take to show it. */
#include "core/tools/tools.h"
#include "core/domain/domains.h"
#include "core/experiment/experiment_internal.h"

#define UNAVAILABLE_TRIES 5u /* QM-15 */
#define RESTART_TRIES     2u /* Unavailable once; what stays so is not counted */

#define READ_TOGETHER 32u /* readings of a task: their pairs are on the stack */

#define QUIET_MS 20u

/* AMD counts the bandwidth of a limited number of RMIDs at a time, and returns Unavailable for the others. One that is
 * counted again begins at 0, and its first read is Unavailable: Linux commit 15292f1b4c55 (x86/resctrl). */
static bool may_restart(const struct experiment *e, const struct reading *r)
{
    return is_bandwidth(r) && !reference_is_intel(e->check);
}

/* pair: it was read, and is asked again only where it was Unavailable; or NULL. */
static enum status reading_take(struct experiment *e, uint32_t i, bool before, const struct qm_pair *pair)
{
    struct reading *r = &e->readings[i];
    struct qm_domain *d = domain_qm(e->check, r->domain);
    uint32_t asked = 0;
    enum status st;

    e->bad_what = "IA32_QM_CTR";
    if (d == NULL)
        return ST_LOST;
    e->bad_cpu = d->cpu;
    e->bad_reading = i;
    if (pair && pair->status != ST_UNAVAILABLE) {
        r->after = pair->sample;
        st = pair->status;
    } else {
        st = qm_read_wait(e->check->platform, d, r->rmid, r->event,
                          may_restart(e, r) ? RESTART_TRIES : UNAVAILABLE_TRIES, &r->after, &asked);
        asked += pair != NULL;
    }
    if (may_restart(e, r) && (st == ST_UNAVAILABLE || (!before && st == ST_OK && asked > 1))) {
        r->restarted = true;
        st = ST_OK;
    }
    if (before)
        r->before = r->after;
    return st;
}

/* The readings from `from` on that one task takes, all of one L3, as pairs. Returns how many; *to: the reading after
 * them. */
static uint32_t pairs_from(const struct experiment *e, uint32_t from, bool occupancy,
                           struct qm_pair pairs[READ_TOGETHER], uint32_t *to)
{
    uint32_t n = 0;

    for (*to = from; *to < e->n_readings && n < READ_TOGETHER && e->readings[*to].domain == e->readings[from].domain;
         ++*to)
        if (occupancy || is_bandwidth(&e->readings[*to]))
            pairs[n++] = (struct qm_pair){ e->readings[*to].rmid, e->readings[*to].event, .status = ST_UNAVAILABLE };
    return n;
}

static bool any_unavailable(const struct qm_pair *pairs, uint32_t n)
{
    while (n > 0 && pairs[n - 1].status != ST_UNAVAILABLE)
        n--;
    return n > 0;
}

/* Assignable counters have a task each: the first read of one assigns it. A task that fails is the status of its pairs.
 * Before the load all are read once more where one was Unavailable: AMD's are where they begin to be counted. */
static enum status read_all(struct experiment *e, bool before, bool occupancy)
{
    struct qm_pair pairs[READ_TOGETHER];

    for (uint32_t i = 0, to; i < e->n_readings; i = to) {
        struct qm_domain *d = domain_qm(e->check, e->readings[i].domain);
        uint32_t n = pairs_from(e, i, occupancy, pairs, &to), k = 0;
        bool together = d && !d->counters.n && qm_read_many(e->check->platform, d, pairs, n) != ST_NO_MEMORY;

        if (together && before && any_unavailable(pairs, n))
            together = qm_read_many(e->check->platform, d, pairs, n) != ST_NO_MEMORY;
        for (; i < to; i++)
            if (occupancy || is_bandwidth(&e->readings[i]))
                TRY(reading_take(e, i, before, together ? &pairs[k++] : NULL));
    }
    return ST_OK;
}

enum status experiment_read(struct experiment *e, bool before)
{
    return read_all(e, before, !before);
}

double reading_now(const struct experiment *e, const struct reading *r)
{
    const struct qm_domain *d = &e->check->tools->qm[r->domain];
    return is_bandwidth(r) ? qm_moved_bytes(d, r->before.counts, r->after.counts)
                           : (double)qm_bytes(d, r->after.counts);
}

double reading_bytes(const struct experiment *e, struct reading *r)
{
    double bytes = reading_now(e, r);

    if (bytes < 0) {
        r->stepped_back++;
        r->decreased_from = r->before.counts;
        r->decreased_to = r->after.counts;
    }
    return bytes;
}

/* A decrease to what the load alone may have counted, doubled: its count began at 0 meanwhile, whether or not a read in
 * between said so. */
static bool fell_to_the_load(const struct experiment *e, const struct reading *r)
{
    const struct qm_domain *d = &e->check->tools->qm[r->domain];

    return is_bandwidth(r) && reading_now(e, r) < 0 && qm_bytes(d, r->after.counts) <= 2 * e->outcome.moved_bytes;
}

bool experiment_restarted(struct experiment *e)
{
    for (uint32_t i = 0; i < e->n_readings; i++) {
        struct reading *r = &e->readings[i];

        if (r->restarted || (may_restart(e, r) && fell_to_the_load(e, r))) {
            e->bad_reading = i;
            return true;
        }
    }
    return false;
}

/* --- counters that lag -------------------------------------------------------------------------------------------- */

static bool any_bandwidth(const struct experiment *e)
{
    return ANY_OF(i, e->n_readings, is_bandwidth(&e->readings[i]));
}

static void wait_ms(const struct experiment *e, uint32_t ms)
{
    struct platform *p = e->check->platform;

    if (ms)
        platform_stall(p, ms * UINT64_C(1000000));
}

void experiment_quiet(const struct experiment *e)
{
    uint32_t lag = e->check->tools->bandwidth_lag_ms;

    if (any_bandwidth(e))
        wait_ms(e, e->doubtful && lag < QUIET_MS ? QUIET_MS : lag);
}

/* Counters of this machine lag by as much. */
static void keep_lag(struct experiment *e, uint32_t ms)
{
    if (any_bandwidth(e) && e->check->tools->bandwidth_lag_ms < ms)
        e->check->tools->bandwidth_lag_ms = ms;
}

void experiment_quiet_helps(struct experiment *e)
{
    keep_lag(e, QUIET_MS);
}

/* The first reading from `from` on that is not as expected; n_readings: none. */
static uint32_t next_wrong(const struct experiment *e, uint32_t from)
{
    while (from < e->n_readings && reading_looks_right(&e->readings[from], reading_now(e, &e->readings[from])))
        from++;
    return from;
}

/* Counters of bandwidth all at once, since one is compared with the other. */
static enum status read_again(struct experiment *e, uint32_t step, bool *moved)
{
    enum status st = ST_OK;
    bool bandwidth = false;

    for (uint32_t i = next_wrong(e, 0); i < e->n_readings && st == ST_OK; i = next_wrong(e, i + 1)) {
        bandwidth |= is_bandwidth(&e->readings[i]);
        if (!is_bandwidth(&e->readings[i]) && step == 0)
            st = reading_take(e, i, false, NULL);
    }
    for (uint32_t i = 0; i < e->n_readings && st == ST_OK && bandwidth; i++) {
        uint64_t counts = e->readings[i].after.counts;

        if (!is_bandwidth(&e->readings[i]))
            continue;
        st = reading_take(e, i, false, NULL);
        *moved |= e->readings[i].after.counts != counts;
    }
    return st;
}

static bool worth_waiting(const struct experiment *e, uint32_t step)
{
    for (uint32_t i = next_wrong(e, 0); i < e->n_readings; i = next_wrong(e, i + 1))
        if (step == 0 || (is_bandwidth(&e->readings[i]) && step < e->settles))
            return true;
    return false;
}

/* Where all of the waiting of a run changed no count, later runs wait for the first step alone. */
enum status experiment_settle(struct experiment *e)
{
    uint32_t waited = any_bandwidth(e) ? e->check->tools->bandwidth_lag_ms : 0, known = waited, step = 0, late;
    bool moved = false;
    enum status st;

    wait_ms(e, waited);
    st = waited ? read_all(e, false, false) : ST_OK;
    late = next_wrong(e, 0);
    for (; st == ST_OK && step < SETTLE_STEPS && worth_waiting(e, step); step++) {
        if (settle_ms[step] <= waited)
            continue;
        wait_ms(e, settle_ms[step] - waited);
        waited = settle_ms[step];
        st = read_again(e, step, &moved);
    }
    if (st != ST_OK || waited == known)
        return st;
    if (next_wrong(e, 0) == e->n_readings) {
        check_note(e->check, "L3 domain %u, RMID %u: %s reached its expected value only %u ms after the load",
                   e->readings[late].domain, e->readings[late].rmid, e->readings[late].name, waited);
        keep_lag(e, waited);
    } else if (!moved) {
        e->settles = 1;
    }
    return ST_OK;
}
