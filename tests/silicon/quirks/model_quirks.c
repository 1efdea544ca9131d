/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/quirks/model_quirks.c: what RDT counters of real parts do and ideal ones do not. See realism.h.
 *
 * amd-tracked-rmids: an RMID is tracked from when it comes to a processor, or is read while there is room, until another
 * one needs its place; those that a processor has keep theirs. Linux 15292f1b4c55: an RMID that is tracked again starts
 * at 0, and its first read is Unavailable.
 */
#include "core/base/search.h"
#include "tests/silicon/model/model_state.h"

/* The count at the last update, on the line from the last read to this one. */
uint64_t quirk_trail(const struct model *m, struct mbm_trail *t, uint64_t counts, uint64_t tsc)
{
    uint64_t period = (uint64_t)((unsigned __int128)m->realism.value[REALISM_MBM_LAG] * m->tsc_hz / 1000000);
    uint64_t update = tsc - tsc % (period ? period : 1);

    if (t->tsc == 0)
        t->shown = counts;
    else if (update > t->tsc)
        t->shown = t->counts + (uint64_t)((unsigned __int128)(counts - t->counts) * (update - t->tsc) / (tsc - t->tsc));
    t->tsc = tsc;
    t->counts = counts;
    return t->shown;
}

static bool is_on_a_processor(const struct model *m, const struct domain *p, uint32_t rmid)
{
    return ANY_OF(i, m->cpus, m->cpu[i].domain == p && m->cpu[i].rmid == rmid);
}

/* The RMID that was longest ago on a processor; m->rmids: all are on one. *n: how many are tracked. */
static uint32_t idle_rmid(const struct model *m, const struct domain *p, uint32_t *n)
{
    uint32_t found = m->rmids;

    *n = 0;
    for (uint32_t r = 0; r < m->rmids; r++) {
        if (!p->tracked_at[r])
            continue;
        ++*n;
        if ((found == m->rmids || p->tracked_at[r] < p->tracked_at[found]) && !is_on_a_processor(m, p, r))
            found = r;
    }
    return found;
}

static void track(struct model *m, struct domain *p, uint32_t rmid, bool displaces)
{
    uint32_t n, idle = idle_rmid(m, p, &n);

    if (n >= m->realism.value[REALISM_AMD_TRACKED_RMIDS]) {
        if (!displaces || idle == m->rmids)
            return;
        p->tracked_at[idle] = 0;
    }
    p->tracked_at[rmid] = ++p->track_clock;
    rdt_bandwidth_restart(m, p, rmid);
}

void quirk_track(struct model *m, struct domain *p, uint32_t rmid)
{
    if (p->tracked_at[rmid])
        p->tracked_at[rmid] = ++p->track_clock;
    else
        track(m, p, rmid, true);
}

bool quirk_is_tracked(struct model *m, struct domain *p, uint32_t rmid)
{
    if (!p->tracked_at[rmid])
        track(m, p, rmid, false);
    return p->tracked_at[rmid] != 0;
}
