/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Boxes of AMD's uncore: an L3 a core complex, and data fabric and memory channels, whose counters CPUID 80000022H counts:
 * EAX[0] version 2 of performance monitoring, EBX[15:10] counters of the data fabric, EBX[23:16] of all memory channels,
 * ECX active memory channels (APM vol. 3 E.4.20; Linux amd_uncore_df_ctx_scan(), amd_uncore_umc_ctx_scan()). */
#include "core/base/bits.h"
#include "core/base/heap.h"
#include "core/boxes/dies.h"
#include "core/boxes/finders.h"

#define PERFMON_V2   BIT(0)
#define DF_COUNTERS  BITS(15, 10)
#define UMC_COUNTERS BITS(23, 16) /* 21:16 in the APM; family 1AH model 50H has 64 there, and 16 channels */
#define NODE_LAST    0xFFu

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

/* false: a processor without the leaf, or none. */
static bool monitoring_leaf(struct box_search *s, uint32_t cpu, struct cpuid_regs *regs)
{
    return cpu != UINT32_MAX && s->machine->max_ext_leaf >= 0x80000022u &&
           cpu_cpuid(s->platform, cpu, 0x80000022u, 0, regs) == ST_OK && (regs->eax & PERFMON_V2);
}

/* Boxes of the unit, of one node: number is the first's. How many there are. */
typedef uint32_t find_of_node(struct box_search *s, const struct pmon_unit *u, const struct pmon_box *like);

/* Of each node of a package that has a processor which takes work, in the order of node ids: each I/O die is one, with a
 * data fabric and channels of its own (Linux 67d27727854d, "Use Node ID to identify DF and UMC domains"). */
static void find_of_nodes(struct box_search *s, const struct pmon_unit *u, uint32_t package, find_of_node *find)
{
    const struct machine *m = s->machine;
    struct pmon_box like = { .unit = u, .package = package, .cpu = UINT32_MAX };
    uint32_t *nodes = heap_alloc(sizeof *nodes * m->n_cpus);
    uint32_t next = 0;

    if (nodes == NULL) {
        s->status = ST_NO_MEMORY;
        return;
    }
    for (uint32_t i = 0; i < m->n_cpus; i++)
        nodes[i] =
            m->cpus[i].package == package && cpu_takes_work(s->platform, i) ? dies_node(s->platform, m, i) : UINT32_MAX;
    for (; next <= NODE_LAST; next++) {
        like.cpu = UINT32_MAX;
        for (uint32_t i = 0; i < m->n_cpus && like.cpu == UINT32_MAX; i++)
            like.cpu = nodes[i] == next ? i : UINT32_MAX;
        if (like.cpu == UINT32_MAX)
            continue;
        like.node = next;
        like.number += find(s, u, &like);
        like.die++;
    }
    heap_free(nodes);
    if (like.die == 0) /* nobody answers: box_add() says so */
        (void)find(s, u, &like);
}

static void add_of_node(struct box_search *s, const struct pmon_unit *u, const struct pmon_box *like, uint64_t base,
                        uint32_t number)
{
    struct pmon_box box = *like;

    box.unit = u;
    box.base = base;
    box.number += number;
    box_add(s, box);
}

/* A node whose leaf counts none has none: Linux amd_uncore_df_ctx_init(). */
static uint32_t find_df(struct box_search *s, const struct pmon_unit *u, const struct pmon_box *like)
{
    struct cpuid_regs regs = { 0 };
    uint32_t n = monitoring_leaf(s, like->cpu, &regs)
                     ? at_most((uint32_t)field_get(DF_COUNTERS, regs.ebx), PMON_MOST_PROGRAMMABLE)
                     : u->layout->counters;

    if (n == 0)
        return 0;
    u = unit_of_counters(s, u, n);
    if (u)
        add_of_node(s, u, like, u->location.first, 0);
    return 1;
}

void boxes_find_df(struct box_search *s, const struct pmon_unit *u, uint32_t package)
{
    find_of_nodes(s, u, package, find_df);
}

/* Where the counters are no whole number a channel, nothing says whose a register is: an EPYC 9754 has 32 and 12 (EBX
 * 00204106H, ECX FFFH, dump AA0F02 of InstLatx64, 35e0064), and 4 for each of 8 would be as other parts have it. */
static uint32_t find_umcs(struct box_search *s, const struct pmon_unit *u, const struct pmon_box *like)
{
    struct cpuid_regs regs = { 0 };
    uint32_t n = monitoring_leaf(s, like->cpu, &regs) ? count_bits(regs.ecx) : 0;
    uint64_t counters = field_get(UMC_COUNTERS, regs.ebx);
    uint32_t each = n ? (uint32_t)counters / n : 0;

    if (n && counters % n) {
        box_add_missing(s, u, like->package, like->number, PMON_UNEVEN, counters | (uint64_t)n << 32);
        return 1;
    }
    if (each == 0)
        return 0;
    u = unit_of_counters(s, u, at_most(each, PMON_MOST_PROGRAMMABLE));
    for (uint32_t i = 0; u && i < n && i < u->location.most; i++)
        add_of_node(s, u, like, u->location.first + (uint64_t)i * 2 * each, i); /* a control and a counter each */
    return n;
}

void boxes_find_umcs(struct box_search *s, const struct pmon_unit *u, uint32_t package)
{
    find_of_nodes(s, u, package, find_umcs);
}
