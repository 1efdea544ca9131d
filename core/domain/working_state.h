/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/domain/working_state.h: the state of classes, masks, throttles and AMD's events that monitors are measured in.
 *
 * Firmware, or what ran before a warm reset, may leave processors in a class of service with a narrow mask, CDP enabled,
 * L2 masks, throttles, other event types or assigned counters: all of it is legal, and each limits a load or what is
 * counted of it. Before the first check that writes or moves anything, these registers get their reset values (SDM
 * vol. 3B 17.17.3, APM vol. 2 19.3.3, 19.4); that value is what checks find and put back from then on (ledger_working_msr()). The ledger has what was found: reset.* judge it, and the
 * end of a run restores and certifies it. Where all of them have their reset value nothing is written.
 */
#pragma once
#include "core/domain/alloc.h"

struct working_state {
    uint32_t registers; /* that had another value on some processor                            */
    uint32_t cpus;      /* processors on which some register had                                */
    uint32_t refused;   /* registers of a processor that did not take the value: they stay as they are */
    uint32_t first_msr; /* of what was changed: one register, processor and value               */
    uint32_t first_cpu;
    uint64_t first_found;
};

/* Sets it. ST_NO_MEMORY, or the status of a processor that no longer answers: registers that were written until then
 * keep the value. */
MUST_CHECK enum status working_state_set(struct check *c, struct working_state *out);
