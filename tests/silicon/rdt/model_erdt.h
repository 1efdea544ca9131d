/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/rdt/model_erdt.h: where RDT registers lie in memory: what ERDT says of it, and what answers there.
 *
 * Source: RDT Architecture Specification 356688 chapters 5 and 6; layouts as in ACPICA and intel-cmt-cat.
 */
#pragma once
#include "tests/silicon/model/model_state.h"

/* Every L3 has a part of the window, of this size; blocks in it. */
#define ERDT_PART      UINT64_C(0x40000)
#define ERDT_CONTROL   UINT64_C(0)       /* RDT_CTRL                                                     */
#define ERDT_CMT       UINT64_C(0x1000)  /* occupancy: clumps of ERDT_CLUMP RMIDs, ERDT_STRIDE bytes apart */
#define ERDT_MBM       UINT64_C(0x10000) /* bandwidth of an RMID and a region                            */
#define ERDT_MBA       UINT64_C(0x20000) /* throttles: optimum, minimum, maximum, a page each            */
#define ERDT_CLUMP     32u
#define ERDT_STRIDE    512u
#define ERDT_MBM_PAGES 16u
#define ERDT_PAGE      UINT64_C(4096)

/* Regions of MRRM: memory of the processor's own node, and all other. */
enum { REGION_LOCAL, REGION_REMOTE, REGIONS };

#define RDT_CTRL_TME BIT(2) /* bandwidth is monitored and throttled in total, by MSR */

static inline uint32_t erdt_cmt_pages(const struct model *m)
{
    return (uint32_t)(((m->rmids + ERDT_CLUMP - 1) / ERDT_CLUMP * ERDT_STRIDE + ERDT_PAGE - 1) / ERDT_PAGE);
}

struct writer;
/* ERDT, MRRM and IRDT of the machine, where the profile has them: where each begins in the writer's bytes. Returns how
 * many (3 at most). memory_base, node_bytes: as for the SRAT. */
uint32_t erdt_tables(struct writer *w, const struct model *m, uint64_t memory_base, uint64_t node_bytes,
                     size_t starts[3]);
