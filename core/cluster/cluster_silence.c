/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/cluster/cluster_silence.h"

#include "core/cluster/cluster_trial.h"
#include "core/domain/domains.h"

struct heard { /* of an RMID after a fill */
    bool read;
    uint64_t counts; /* the most that any node reads */
};

static bool free_rmid(const struct check *c, uint32_t from, uint32_t n, uint32_t step, uint32_t *rmid)
{
    for (uint32_t i = from; i < from + n; i++)
        if (i % step == *rmid && !domain_rmid_in_background(c, i)) {
            *rmid = i;
            return true;
        }
    return false;
}

static enum status pick_rmids(const struct check *c, struct silence *s)
{
    uint32_t n = s->n_nodes, part = (c->machine->domains[s->domain].max_rmid + 1) / n;

    s->n_rmids = 0;
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t residue = 0; residue < n; residue++) {
            s->rmids[s->n_rmids] = residue;
            if (!free_rmid(c, j * part, part, n, &s->rmids[s->n_rmids++]))
                return ST_ABSENT;
        }
    return ST_OK;
}

static enum status listen(struct check *c, const struct silence *s, struct qm_pair *pairs, struct heard *heard,
                          uint32_t n)
{
    enum status st = ST_OK;

    for (uint32_t k = 0; k < s->n_nodes && st == ST_OK; k++) {
        struct qm_domain q = c->tools->qm[s->domain];

        for (uint32_t i = 0; i < n; i++)
            pairs[i] = (struct qm_pair){ .rmid = i, .event = QM_EVENT_L3_OCCUPANCY };
        q.cpu = s->readers[k];
        st = qm_read_many(c->platform, &q, pairs, n);
        for (uint32_t i = 0; i < n && st == ST_OK; i++)
            if (pairs[i].status == ST_OK) {
                heard[i].counts = heard[i].read && heard[i].counts > pairs[i].sample.counts ? heard[i].counts
                                                                                            : pairs[i].sample.counts;
                heard[i].read = true;
            }
        evidence_swept(c, "occupancy of every RMID of an L3 after a fill that none of them counted before", n);
    }
    return st;
}

static enum status fill_unheard(struct check *c, const struct silence *s, uint32_t which)
{
    uint32_t bad = 0;
    struct traffic_part parts[CLUSTER_PARTS];
    struct traffic_load load = { .cpu = s->cpus[which % s->n_cpus] };

    tools_reset(c->tools);
    TRY(cluster_fill(c, s->domain, s->rmids[which], s->bytes, 0, parts, &load));
    TRY(domain_clean(c, s->domain, &bad));
    TRY(traffic_run(c->platform, &load, 1, c->machine->prefetch, NULL, &bad));
    (void)domain_settle_wait(c, 0);
    return ST_OK;
}

/* Whether the fill is counted nowhere. What was there before is not taken from it: where that is much, nothing is
 * shown. */
static bool is_unheard(const struct check *c, struct silence *s, const struct heard *heard, uint32_t n)
{
    uint64_t sum = 0;
    bool all_read = true;

    for (uint32_t i = 0; i < n; i++) {
        if (heard[i].counts > s->most) {
            s->most = heard[i].counts;
            s->most_rmid = i;
        }
        if (domain_rmid_in_background(c, i))
            continue;
        all_read &= heard[i].read;
        sum += heard[i].counts;
    }
    return all_read && (double)sum < cluster_least_counts(c, s->domain, s->bytes);
}

enum status cluster_silence(struct check *c, struct silence *s)
{
    uint32_t n = c->machine->domains[s->domain].max_rmid + 1;
    struct qm_pair *pairs = check_alloc(c, n * sizeof pairs[0]);
    struct heard *heard = check_alloc(c, n * sizeof heard[0]);
    enum status st = pairs && heard ? pick_rmids(c, s) : ST_NO_MEMORY;

    s->most = s->most_rmid = 0;
    s->silent = st == ST_OK && s->n_cpus > 0;
    for (uint32_t i = 0; i < s->n_rmids && st == ST_OK && s->silent; i++) {
        for (uint32_t r = 0; r < n; r++)
            heard[r] = (struct heard){ .read = false };
        st = fill_unheard(c, s, i);
        if (st == ST_OK)
            st = listen(c, s, pairs, heard, n);
        s->silent = st == ST_OK && is_unheard(c, s, heard, n);
    }
    return st;
}
