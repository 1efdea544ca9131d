/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Boxes by MSR, on one processor of each die. */
#include "core/boxes/dies.h"
#include "core/boxes/finders.h"

#define MOST_PROBED 64u

void boxes_find_one(struct box_search *s, const struct pmon_unit *u, struct bus_owner of)
{
    box_add(s, box_at_msr(u, of, 0));
}

/* All that answer. What does not answer is listed only below the last that does, and where none does. */
void boxes_find_probed(struct box_search *s, const struct pmon_unit *u, struct bus_owner of)
{
    struct pmon_box boxes[MOST_PROBED];
    uint32_t cpu = dies_worker(s->pmon->part, s->platform, s->machine, of.package, of.die),
             n = u->location.most < MOST_PROBED ? u->location.most : MOST_PROBED, listed = 1;

    for (uint32_t i = 0; i < n && cpu != UINT32_MAX; i++) {
        enum status st;

        boxes[i] = box_at_msr(u, of, i);
        boxes[i].cpu = cpu;
        st = pmon_probe(s->platform, &boxes[i]);
        (void)st; /* kept in the box */
        if (boxes[i].why != PMON_ABSENT)
            listed = i + 1;
    }
    if (cpu == UINT32_MAX)
        box_add(s, box_at_msr(u, of, 0));
    for (uint32_t i = 0; i < listed && cpu != UINT32_MAX; i++)
        box_keep(s, &boxes[i]);
}

void boxes_find_sbos(struct box_search *s, const struct pmon_unit *u, struct bus_owner of)
{
    uint32_t chop = s->pmon->packages[of.package].chop, n = chop ? u->location.most : u->location.most_limited;

    if (chop == NO_COUNT) { /* boxes beyond the count must not be read, and the count is not available */
        box_add_missing(s, u, of.package, 0, PMON_HIDDEN, s->pmon->part->capabilities.did);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        box_add(s, box_at_msr(u, of, i));
}
