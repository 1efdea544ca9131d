/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/cmt/occupancies.h"

enum status occupancies_read(struct check *c, uint32_t domain, struct occupancies *o)
{
    struct qm_domain *d = domain_qm(c, domain);
    enum status st = d ? ST_OK : ST_LOST;

    *o = (struct occupancies){ .n = c->machine->domains[domain].max_rmid + 1 };
    o->pairs = check_alloc(c, o->n * sizeof(o->pairs[0]));
    if (o->pairs == NULL)
        st = ST_NO_MEMORY;
    for (uint32_t i = 0; i < o->n && st == ST_OK; i++)
        o->pairs[i] = (struct qm_pair){ .rmid = i, .event = QM_EVENT_L3_OCCUPANCY };
    if (st == ST_OK)
        st = qm_read_many(c->platform, d, o->pairs, o->n);
    /* qm.every-rmid judges RMIDs that return no data; one that AMD does not track has no occupancy to count. */
    for (uint32_t i = 0; i < o->n && st == ST_OK; i++) {
        if (o->pairs[i].status != ST_OK)
            continue;
        o->readable++;
        o->sum_bytes += (double)qm_bytes(d, o->pairs[i].sample.counts);
        o->nonzero += o->pairs[i].sample.counts != 0;
    }
    if (st == ST_OK && o->readable == 0)
        st = o->pairs[0].status;
    return st == ST_OK ? ST_OK : check_unmeasured(c, st, c->tools->qm[domain].cpu, "IA32_QM_CTR");
}

double occupancies_gained(const struct qm_domain *d, const struct occupancies *before, const struct occupancies *after,
                          uint32_t rmid)
{
    const struct qm_pair *was = &before->pairs[rmid], *is = &after->pairs[rmid];

    if (was->status != ST_OK || is->status != ST_OK || is->sample.counts <= was->sample.counts)
        return 0;
    return (double)qm_bytes(d, is->sample.counts - was->sample.counts);
}
