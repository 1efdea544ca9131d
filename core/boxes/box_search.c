/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/boxes/box_search.h"

#include "core/base/heap.h"
#include "core/boxes/dies.h"

void box_keep(struct box_search *s, const struct pmon_box *box)
{
    struct pmon *pmon = s->pmon;

    if (s->status != ST_OK)
        return;
    if (HEAP_GROW(&pmon->boxes, &pmon->capacity, pmon->n_boxes + 1))
        pmon->boxes[pmon->n_boxes++] = *box;
    else
        s->status = ST_NO_MEMORY;
}

void box_add_missing(struct box_search *s, const struct pmon_unit *unit, uint32_t package, uint32_t number,
                     enum pmon_why why, uint64_t value)
{
    struct pmon_box box = {
        .unit = unit, .package = package, .number = number, .status = ST_ABSENT, .why = why, .why_value = value
    };

    box_keep(s, &box);
}

void box_add(struct box_search *s, struct pmon_box box)
{
    enum status st;

    if (box.unit->location.find != PMON_FIND_CCX && box.unit->location.find != PMON_FIND_DF &&
        box.unit->location.find != PMON_FIND_UMC)
        box.cpu = dies_worker(s->pmon->part, s->platform, s->machine, box.package, box.die);
    if (box.cpu == UINT32_MAX) {
        box.cpu = s->machine->packages[box.package].first_cpu;
        box.status = ST_LOST;
        box.why = PMON_NO_CPU;
    } else {
        st = pmon_probe(s->platform, &box);
        (void)st; /* kept in the box */
    }
    box_keep(s, &box);
}

struct pmon_box box_at_msr(const struct pmon_unit *u, struct bus_owner of, uint32_t number)
{
    return (struct pmon_box){ .unit = u,
                              .package = of.package,
                              .die = of.die,
                              .number = number,
                              .base = u->location.bases ? u->location.bases[number]
                                                        : u->location.first + (uint64_t)number * u->location.stride };
}
