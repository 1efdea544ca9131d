/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/rdt/model_throttle.c: throttles where a guest's processors run in the host's time: how long one has to
 * stop so that it gets its share of what it would have beyond the L2. See model.h.
 *
 * Source: RDT Architecture Specification 356688 3.2 (a delay takes a share of the bandwidth between L2 and L3); AMD APM
 * vol. 2 19.5 (a limit in bytes a second for a class in an L3).
 *
 * Time is looked at once in BATCH lines. What an idle processor did not use is not made up for: a line counts for no
 * more than LINE_NS, and a class's unused bandwidth is kept for CREDIT_NS.
 */
#include "tests/silicon/model/model_state.h"

#define BATCH       256u
#define LINE_NS     2000u
#define CREDIT_NS   100000u
#define LEAST_SLEEP 100000

bool model_throttles(const struct model *m)
{
    for (uint32_t i = 0; i < m->domains; i++) {
        const struct domain *p = &m->domain[i];

        for (uint32_t n = 0; n < m->mba_clos; n++)
            if (atomic_load_explicit(&p->mba_delay[n], memory_order_relaxed))
                return true;
        for (uint32_t n = 0; n < m->bw_clos && n < MODEL_MAX_CLOS; n++)
            if (atomic_load_explicit(&p->bw_control[n], memory_order_relaxed) != (uint32_t)(BIT(0) << m->bw_bits))
                return true;
    }
    return false;
}

/* Until when the class has used up what its limit gives. */
static uint64_t class_ends(struct cpu *c, uint64_t ceiling, uint64_t lines, uint64_t now)
{
    uint64_t *end = &c->domain->class_ns[c->clos % MODEL_MAX_CLOS];
    uint64_t oldest = now > CREDIT_NS ? now - CREDIT_NS : 0, until;

    pthread_mutex_lock(&c->domain->lock);
    *end = (*end > oldest ? *end : oldest) + lines * 64 * UINT64_C(1000000000) / ceiling;
    until = *end;
    pthread_mutex_unlock(&c->domain->lock);
    return until;
}

uint64_t model_throttle(struct model *m, uint32_t cpu, uint64_t (*now_ns)(void))
{
    struct cpu *c = &m->cpu[cpu];
    struct cpu_throttle *t = &c->throttle;
    uint64_t references = c->counts.l3_references, misses = c->counts.l3_misses, lines = references - t->references;
    uint64_t now, spent, ceiling, until;
    uint32_t delay;

    if (lines < BATCH)
        return 0;
    now = now_ns();
    spent = now - t->since < lines * LINE_NS ? now - t->since : lines * LINE_NS;
    delay = model_mba_delay(m, cpu);
    t->owed += (int64_t)(spent * delay / (100 - delay));
    ceiling = model_bandwidth_ceiling(m, cpu);
    if (ceiling) {
        until = class_ends(c, ceiling, misses - t->misses, now);
        if (until > now && (int64_t)(until - now) > t->owed)
            t->owed = (int64_t)(until - now);
    }
    t->references = references;
    t->misses = misses;
    t->since = now;
    return t->owed >= LEAST_SLEEP ? (uint64_t)t->owed : 0;
}

void model_throttled(struct model *m, uint32_t cpu, uint64_t slept_ns, uint64_t now)
{
    struct cpu_throttle *t = &m->cpu[cpu].throttle;

    t->owed -= (int64_t)slept_ns; /* what was slept too long is not owed next time */
    t->since = now;
}
