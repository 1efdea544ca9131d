/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/cache/model_walk.c: what a processor brings in besides its loads and stores: page tables, code. See
 * model/realism.h.
 *
 * A walk reads the last level of the tables alone, one entry of 8 bytes a page; the levels above it are few lines, which
 * the paging-structure caches keep (SDM vol. 3A 4.10.3 Paging-Structure Caches). All processors run the same code.
 */
#include "tests/silicon/cache/model_cache.h"

#define TLB_ENTRIES 1024u /* direct-mapped */
#define TABLES_BASE (QUIRKS_BASE + (UINT64_C(1) << 39))
#define CODE_BASE   (QUIRKS_BASE + (UINT64_C(1) << 38))
#define CODE_LINES  512u
#define PER_MILLE   1000u

static void touch(struct model *m, struct cpu *c, uint64_t physical, bool fetch)
{
    uint64_t line = physical >> MODEL_LINE_SHIFT;

    if (!private_use(m, c->core, line, false, fetch))
        l3_request(m, c, line, fetch ? LOOKUP_CODE : LOOKUP_READ, !fetch);
}

static void walk(struct model *m, struct cpu *c, uint64_t line)
{
    uint32_t bits = m->realism.value[REALISM_PAGE_WALK] == WALK_4K ? 12 : 21;
    uint32_t page = (uint32_t)(line >> (bits - MODEL_LINE_SHIFT)), *entry = &c->tlb[page % TLB_ENTRIES];

    if (*entry == page + 1)
        return;
    *entry = page + 1;
    touch(m, c, TABLES_BASE + 8 * (uint64_t)page, false);
}

void walk_before(struct model *m, struct cpu *c, uint64_t line)
{
    if (c->tlb)
        walk(m, c, line);
    c->fetch_owed += (uint32_t)m->realism.value[REALISM_CODE_FETCH];
    if (c->fetch_owed < PER_MILLE)
        return;
    c->fetch_owed -= PER_MILLE;
    touch(m, c, CODE_BASE + (uint64_t)(c->fetch_at++ % CODE_LINES << MODEL_LINE_SHIFT), true);
}

void walk_make(struct model *m, struct cpu *c)
{
    if (m->realism.value[REALISM_PAGE_WALK])
        c->tlb = pool_zeroed(&m->pool, TLB_ENTRIES, sizeof c->tlb[0]);
}
