/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/progress.h"

#include <string.h>

static uint32_t progress_kind(const struct check_row *row)
{
    return (unsigned)row->risk < PROGRESS_KINDS ? (unsigned)row->risk : PROGRESS_KINDS - 1;
}

void progress_begin(struct progress *p, const struct engine *e)
{
    memset(p, 0, sizeof *p);
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row))
        if (engine_selects(e->options, row) && !engine_missing(e, row))
            p->todo[progress_kind(row)] += e->options->repeat;
}

void progress_check_begins(struct progress *p, uint64_t now_ms)
{
    p->began_ms = now_ms;
}

void progress_check_ended(struct progress *p, const struct engine *e, const struct check *c, uint64_t now_ms)
{
    uint32_t kind = progress_kind(c->row);

    if (engine_missing(e, c->row))
        return;
    p->todo[kind] -= p->todo[kind] > 0;
    if (check_verdict(c) == VERDICT_SKIP)
        return;
    p->done[kind]++;
    p->ms[kind] += now_ms > p->began_ms ? now_ms - p->began_ms : 0;
}

bool progress_left(const struct progress *p, uint64_t *ms)
{
    uint64_t done = 0, took = 0, left;

    for (uint32_t k = 0; k < PROGRESS_KINDS; k++) {
        done += p->done[k];
        took += p->ms[k];
    }
    if (done == 0)
        return false;
    left = SUM_OF(uint64_t, k, PROGRESS_KINDS, p->todo[k] * (p->done[k] > 0 ? p->ms[k] / p->done[k] : took / done));
    *ms = left;
    return true;
}
