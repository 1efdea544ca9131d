/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/tools/tools.h: what checks share: working memory per node, the QM registers of each L3 domain, the uncore boxes found.
 */
#pragma once
#include "arch/x86/rdt/qm.h"
#include "core/tools/arena.h"
#include "core/tools/error_banks.h"
#include "core/boxes/boxes.h"
#include "core/machine/machine.h"
#include "core/tools/scatter.h"

struct tools {
    struct platform *platform;
    struct machine *machine;
    struct arena *arenas; /* [n_pieces]: the first of each node, then those that they lead to */
    uint32_t n_arenas;    /* nodes */
    uint32_t n_pieces;
    struct scatter *scatter; /* buffers in several pieces, the platform's; NULL: each has to be in one */
    struct qm_domain *qm;    /* [machine->n_domains], same index */
    struct pmon pmon;
    struct error_banks errors; /* what the machine logged since tools_init() */
    /* Called before a sample is taken, while nothing is measured: a screen may be drawn. May be NULL. */
    void (*between)(void *context);
    void *between_context;
    uint32_t
        unreadable; /* registers of core/machine/disturb.h that raised #GP, as bits: samples ask no more for them */
    uint32_t bandwidth_lag_ms; /* by how much MBM counters have been seen to lag: loads wait as long from then on */
    uint32_t smi_msr, smi_cpu; /* counts SMIs on that processor, and all receive them; 0: MSR_SMI_COUNT, where it is */
    bool pqr_recorded;         /* the ledger holds IA32_PQR_ASSOC of every processor as firmware left it */
};

/* Takes working memory on every node (mem_bytes at most, 0: from the L3 size), records IA32_PQR_ASSOC as found on every
 * processor before anything writes it, and looks for uncore boxes. A node without memory gets an empty arena, and says
 * so through arena_take(). ST_NO_MEMORY: for the tables themselves. */
MUST_CHECK enum status tools_init(struct tools *t, struct platform *p, struct machine *m, uint64_t mem_bytes);
/* The tables; working memory stays taken. t keeps platform and machine. Also after tools_init() failed. */
void tools_free(struct tools *t);
/* Forget what the last check took. The engine calls it before each check. */
void tools_reset(struct tools *t);
