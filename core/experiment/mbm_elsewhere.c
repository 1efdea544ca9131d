/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/experiment/mbm_elsewhere.h"

#include <string.h>

#include "core/domain/domains.h"
#include "core/experiment/mbm_counts.h"

static bool is_read(const struct experiment *e, uint32_t rmid)
{
    for (uint32_t i = 0; i < e->n_readings; i++)
        if (e->readings[i].rmid == rmid)
            return true;
    return false;
}

enum status mbm_find_elsewhere(const struct experiment *e, double missing_share, bool but_0, uint32_t *gained,
                               bool *elsewhere)
{
    struct experiment again = *e;
    struct check *c = e->check;
    struct qm_domain *d = domain_qm(c, e->readings[0].domain);
    struct qm_pair *before = NULL, *after = NULL;
    double most = 0, others = 0, all = 0;
    uint32_t most_rmid = 0;

    TRY_ALLOC(c, again.readings, e->n_readings, "the readings of another run");
    memcpy(again.readings, e->readings, e->n_readings * sizeof e->readings[0]);
    again.flags |= EXPERIMENT_ONCE;
    if (d == NULL)
        return check_unmeasured(c, ST_LOST, c->platform->bsp, "IA32_QM_CTR");
    TRY(mbm_read_counts(c, d, QM_EVENT_L3_TOTAL, &before));
    TRY(experiment_measure(&again));
    TRY(mbm_read_counts_after(c, d, QM_EVENT_L3_TOTAL, &after));
    for (uint32_t i = 0; i <= d->max_rmid; i++) {
        double bytes = before[i].status == ST_OK && after[i].status == ST_OK
                           ? qm_moved_bytes(d, before[i].sample.counts, after[i].sample.counts)
                           : 0;

        if (bytes <= 0 || (i == 0 ? but_0 : domain_rmid_in_background(c, i)))
            continue;
        all += bytes;
        if (is_read(e, i))
            continue;
        others += bytes;
        if (bytes > most) {
            most = bytes;
            most_rmid = i;
        }
    }
    *elsewhere = others > all * missing_share / 2;
    if (*elsewhere)
        *gained = most_rmid;
    return ST_OK;
}
