/* core/tools.h: what checks share: working memory per node, and the uncore boxes found. */
#pragma once
#include "arch/x86/pmon.h"
#include "core/arena.h"
#include "core/machine.h"

struct tools {
    struct platform *platform;
    struct machine *machine;
    struct arena *arenas; /* [n_nodes] */
    uint32_t n_arenas;
    struct pmon pmon;
};

/* Takes working memory on every node (mem_bytes at most, 0: from the L3 size) and looks for uncore boxes. A node
 * without memory gets an empty arena, and says so through arena_take(). */
MUST_CHECK enum status tools_init(struct tools *t, struct platform *p, struct machine *m, uint64_t mem_bytes);
void tools_free(struct tools *t);
/* Forget what the last check took. The engine calls it before each check. */
void tools_reset(struct tools *t);
