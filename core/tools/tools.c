/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/tools/tools.h"

#include "arch/x86/cpu/core_pmu.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/heap.h"
#include "core/boxes/boxes_find.h"
#include "core/platform/ledger.h"

/* IA32_PQR_ASSOC as firmware left it, before anything here writes it. Only where some processor says it has one. */
static enum status record_pqr(struct tools *t)
{
    const struct machine *m = t->machine;
    bool there;
    enum status st;

    there = ANY_OF(i, m->n_cpus, m->cpus[i].rdt.monitoring || m->cpus[i].rdt.allocation);
    if (!there || t->platform->ledger == NULL)
        return ST_OK;
    st = ledger_touch_msr(t->platform, IA32_PQR_ASSOC, LEDGER_CONTROL);
    t->pqr_recorded = st == ST_OK;
    return st;
}

#define HEAP_LEFT ((size_t)16 << 20) /* for the checks' lists and the report */

/* A node's largest piece is for all L3s at once where it is as large; further ones are taken until there is enough for one. */
static enum status make_arenas(struct tools *t, uint64_t mem_bytes)
{
    uint32_t at_once = t->machine->n_domains ? t->machine->n_domains : 1;
    uint64_t one = mem_bytes ? mem_bytes : arena_default_bytes(t->machine);
    uint64_t all = mem_bytes ? mem_bytes : at_once * one;
    void *left;

    TRY_HEAP(t->arenas, (1 + ARENA_MORE) * t->machine->n_nodes);
    left = heap_alloc(HEAP_LEFT);
    t->n_arenas = t->n_pieces = t->machine->n_nodes;
    for (uint32_t i = 0; i < t->n_arenas; i++) {
        enum status st = arena_init(&t->arenas[i], t->platform, t->machine, i, all);

        (void)st; /* kept in the arena: a later request for its memory fails */
        t->n_pieces += arena_extend(&t->arenas[i], t->platform, t->machine, one, &t->arenas[t->n_pieces]);
    }
    heap_free(left);
    return ST_OK;
}

static enum status make_qm_domains(struct tools *t)
{
    if (t->machine->n_domains == 0)
        return ST_OK;
    TRY_HEAP(t->qm, t->machine->n_domains);
    for (uint32_t i = 0; i < t->machine->n_domains; i++) {
        const struct l3_domain *d = &t->machine->domains[i];

        t->qm[i] = (struct qm_domain){
            .index = i,
            .cpu = d->cpu,
            .max_rmid = d->max_rmid,
            .upscaling_factor = d->upscaling_factor,
            .counter_width = d->counter_width,
            .overflow_flag = d->overflow_flag,
        };
    }
    return ST_OK;
}

/* Where AMD's PMCx02B is: family 17H and later. Without it SMIs are not seen, which the run says. */
static void count_smis(struct tools *t)
{
    const struct cpu_identity *id = &t->machine->cpus[t->machine->reference].id;
    bool has = cpu_is_amd(id) && id->family >= 0x17;

    if (!has || core_pmu_count_amd_smis(t->platform, t->platform->bsp) != ST_OK)
        return;
    t->smi_msr = AMD_PERF_CTR(AMD_SMI_COUNTER);
    t->smi_cpu = t->platform->bsp;
}

enum status tools_init(struct tools *t, struct platform *p, struct machine *m, uint64_t mem_bytes)
{
    enum status st;

    *t = (struct tools){ .platform = p, .machine = m, .scatter = heap_alloc(sizeof *t->scatter) };
    p->scatter = t->scatter;
    st = t->scatter ? record_pqr(t) : ST_NO_MEMORY;
    if (st == ST_OK)
        st = make_qm_domains(t);
    if (st == ST_OK)
        st = make_arenas(t, mem_bytes);
    if (st == ST_OK)
        st = boxes_find(p, m, &t->pmon);
    if (st == ST_OK)
        st = error_banks_open(&t->errors, p, m, &t->pmon);
    if (st != ST_OK)
        tools_free(t);
    else
        count_smis(t);
    return st;
}

void tools_free(struct tools *t)
{
    t->platform->scatter = NULL;
    heap_free(t->scatter);
    heap_free(t->arenas);
    heap_free(t->qm);
    boxes_free(&t->pmon);
    error_banks_free(&t->errors);
    *t = (struct tools){ .platform = t->platform, .machine = t->machine };
}

void tools_reset(struct tools *t)
{
    for (uint32_t i = 0; i < t->n_arenas; i++)
        arena_reset(&t->arenas[i]);
    if (t->scatter)
        scatter_reset(t->scatter);
}
