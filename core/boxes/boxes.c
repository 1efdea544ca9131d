/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/boxes/boxes.h"

#include "arch/x86/pmon_parts/pmon_parts.h"
#include "core/base/heap.h"
#include "core/boxes/dies.h"

void boxes_free(struct pmon *pmon)
{
    for (uint32_t i = 0; i < pmon->n_made; i++)
        heap_free(pmon->made[i]);
    for (uint32_t i = 0; i < pmon->n_tables; i++)
        pmon_table_free(&pmon->tables[i].table);
    heap_free(pmon->left);
    heap_free(pmon->tables);
    heap_free(pmon->functions);
    heap_free(pmon->packages);
    heap_free(pmon->boxes);
    *pmon = (struct pmon){ 0 };
}

bool box_alive(struct platform *p, const struct machine *m, struct pmon_box *box)
{
    uint32_t cpu;

    if (cpu_takes_work(p, box->cpu))
        return true;
    if (box->unit->location.find == PMON_FIND_CCX) {
        uint32_t domain = m->cpus[box->cpu].domain;

        for (uint32_t i = 0; i < m->n_cpus && !cpu_takes_work(p, box->cpu); i++)
            if (m->cpus[i].domain == domain && cpu_takes_work(p, i))
                box->cpu = i;
        return cpu_takes_work(p, box->cpu);
    }
    if (box->unit->location.find == PMON_FIND_DF || box->unit->location.find == PMON_FIND_UMC) {
        for (uint32_t i = 0; i < m->n_cpus && !cpu_takes_work(p, box->cpu); i++)
            if (m->cpus[i].package == box->package && cpu_takes_work(p, i) && dies_node(p, m, i) == box->node)
                box->cpu = i;
        return cpu_takes_work(p, box->cpu);
    }
    cpu = dies_worker(pmon_part_of(&m->cpus[m->reference].id), p, m, box->package, box->die);
    if (cpu != UINT32_MAX)
        box->cpu = cpu;
    return cpu != UINT32_MAX;
}

bool box_is_there(const struct pmon_box *box)
{
    return box && !pmon_box_missing(box) && box->why != PMON_ABSENT && box->why != PMON_ALL_ONES &&
           box->why != PMON_NO_BASE;
}

/* Firmware hides the links of a machine that needs none: intel/pcm cpucounters.cpp, ServerUncorePMUs. */
bool box_is_optional(const struct machine *m, const struct pmon_box *box)
{
    const struct pmon_unit *u = box->unit;

    return u->location.places[box->number].optional || u->location.fewest ||
           (m->n_packages == 1 && (u->kind == PMON_LINK || u->kind == PMON_MESH_LINK));
}

bool box_on_any_package(const struct pmon *pmon, const struct pmon_box *box)
{
    EACH(const struct pmon_box, other, pmon->boxes, pmon->n_boxes)
        if (other->unit == box->unit && other->number == box->number && box_is_there(other))
            return true;
    return false;
}

bool box_is_hidden(const struct pmon *pmon, const struct machine *m, const struct pmon_box *box)
{
    if (box->unit->location.find != PMON_FIND_PLACES)
        return box->why == PMON_HIDDEN;
    if (!pmon_box_missing(box) || box->why == PMON_FUSED_OFF)
        return false;
    return box_on_any_package(pmon, box) || !box_is_optional(m, box);
}

bool boxes_answer(const struct pmon *pmon)
{
    return ANY_OF(i, pmon->n_boxes,
                  pmon->boxes[i].unit->kind != PMON_UBOX && pmon->boxes[i].unit->layout->n_free == 0 &&
                      box_is_there(&pmon->boxes[i]));
}

/* --- the global control and status --------------------------------------------------------------------------------- */

#define LAST_MSR    UINT64_C(0xFFFF) /* Intel's uncore MSRs are 16-bit numbers */
#define STATUS_MOST 16u /* registers of the global status: a table lists 1023 units at most, of a bit each */

/* The first table whose global control is an MSR, as it should be where one is documented; NULL: none. */
static const struct pmon_table *global_table(const struct pmon *pmon)
{
    uint32_t documented = pmon->part->global.msr;

    for (uint32_t i = 0; i < pmon->n_tables; i++) {
        const struct pmon_table *t = &pmon->tables[i].table;

        if (t->status == ST_OK && t->access == PMON_TABLE_MSR && t->global <= LAST_MSR &&
            (documented == 0 || t->global == documented))
            return t;
    }
    return NULL;
}

uint32_t boxes_global(const struct pmon *pmon)
{
    const struct pmon_table *t = pmon->part->global.msr ? NULL : global_table(pmon);

    return t ? (uint32_t)t->global : pmon->part->global.msr;
}

uint32_t boxes_global_status(const struct pmon *pmon, uint32_t *n)
{
    const struct pmon_table *t = pmon->part->global.n_status ? NULL : global_table(pmon);

    *n = pmon->part->global.n_status;
    if (t == NULL)
        return pmon->part->global.status;
    *n = t->n_status < STATUS_MOST ? t->n_status : STATUS_MOST;
    if (t->status_offset == 0 || t->global + t->status_offset + *n > LAST_MSR + 1)
        *n = 0;
    return *n ? (uint32_t)t->global + t->status_offset : 0;
}
