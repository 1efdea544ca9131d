/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Boxes of AMD's uncore: an L3 a core complex, and data fabric and memory channels, whose counters CPUID 80000022H counts:
 * EAX[0] version 2 of performance monitoring, EBX[15:10] counters of the data fabric, EBX[21:16] of all memory channels,
 * ECX active memory channels (APM vol. 3 E.4.20; Linux amd_uncore_df_ctx_scan(), amd_uncore_umc_ctx_scan()). */
#include "core/base/bits.h"
#include "core/base/heap.h"
#include "core/boxes/dies.h"
#include "core/boxes/finders.h"
#include "core/boxes/packages.h"

#define PERFMON_V2   BIT(0)
#define DF_COUNTERS  BITS(15, 10)
#define UMC_COUNTERS BITS(21, 16)

void boxes_find_ccx(struct box_search *s, const struct pmon_unit *u, uint32_t package)
{
    const struct machine *m = s->machine;
    uint32_t number = 0;

    for (uint32_t i = 0; i < m->n_domains; i++) {
        struct pmon_box box = box_at_msr(u, (struct bus_owner){ .package = package }, 0);

        if (m->domains[i].package != package)
            continue;
        box.number = number++;
        box.cpu = m->domains[i].cpu;
        box_add(s, box);
    }
}

/* The unit with so many counters: itself where its table has as many. NULL: no memory. */
static const struct pmon_unit *unit_of_counters(struct box_search *s, const struct pmon_unit *u, uint32_t counters)
{
    struct pmon *pmon = s->pmon;
    struct pmon_made_unit *made;

    if (u->layout->counters == counters)
        return u;
    for (uint32_t i = 0; i < pmon->n_made; i++)
        if (pmon->made[i]->unit.name == u->name && pmon->made[i]->layout.counters == counters)
            return &pmon->made[i]->unit;
    made = pmon->n_made < sizeof pmon->made / sizeof pmon->made[0] ? heap_alloc(sizeof *made) : NULL;
    if (made == NULL) {
        s->status = ST_NO_MEMORY;
        return NULL;
    }
    *made = (struct pmon_made_unit){ .unit = *u, .layout = *u->layout };
    made->layout.counters = counters;
    made->unit.layout = &made->layout;
    pmon->made[pmon->n_made++] = made;
    return &made->unit;
}

static uint32_t at_most(uint32_t n, uint32_t most)
{
    return n < most ? n : most;
}

/* false: a processor without the leaf. */
static bool monitoring_leaf(struct box_search *s, uint32_t package, struct cpuid_regs *regs)
{
    return s->machine->max_ext_leaf >= 0x80000022u && package_cpuid(s, package, 0x80000022u, regs) &&
           (regs->eax & PERFMON_V2);
}

void boxes_find_df(struct box_search *s, const struct pmon_unit *u, uint32_t package)
{
    struct cpuid_regs regs = { 0 };
    uint32_t n = monitoring_leaf(s, package, &regs) ? (uint32_t)field_get(DF_COUNTERS, regs.ebx) : 0;

    u = unit_of_counters(s, u, n ? at_most(n, PMON_MOST_COUNTERS) : u->layout->counters);
    if (u)
        box_add(s, box_at_msr(u, (struct bus_owner){ .package = package }, 0));
}

void boxes_find_umcs(struct box_search *s, const struct pmon_unit *u, uint32_t package)
{
    struct cpuid_regs regs = { 0 };
    uint32_t n = monitoring_leaf(s, package, &regs) ? count_bits(regs.ecx) : 0;
    uint32_t each = n ? (uint32_t)field_get(UMC_COUNTERS, regs.ebx) / n : 0;

    if (each == 0)
        return;
    u = unit_of_counters(s, u, at_most(each, PMON_MOST_COUNTERS));
    for (uint32_t i = 0; u && i < n && i < u->location.most; i++) {
        struct pmon_box box = box_at_msr(u, (struct bus_owner){ .package = package }, i);

        box.base = u->location.first + (uint64_t)i * 2 * each; /* a control and a counter each */
        box_add(s, box);
    }
}
