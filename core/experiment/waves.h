/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/experiment/waves.h: the same load on every thread of an L3, some at a time, and on both threads of a core: for
 * occupancy (each fills a buffer of its own) and for total bandwidth (each reads one).
 */
#pragma once
#include "core/experiment/fill.h"

#define WAVE_MOST 8u

struct waves {
    enum qm_event event;  /* QM_EVENT_L3_OCCUPANCY or QM_EVENT_L3_TOTAL                                 */
    uint32_t at_once;     /* processors at a time, 1 .. WAVE_MOST; fewer where RMIDs are few             */
    uint64_t bytes;       /* of the first one's buffer; the next ones have 2, 3, ... times as much, so that exchanged
                             RMIDs show                                                                 */
    const char *name;     /* of a reading: "MBM total"                                                   */
    const char *series;   /* of the ratios over all processors, "" for pairs                            */
    double share;         /* ratios within it are alike: core/experiment/plateau.h                          */
    uint64_t rest_ns;     /* of the loads: traffic_load.rest_ns; every processor then once               */
    const char *stimulus; /* what was done, for the finding of a reading outside its band              */
};

/* How many fills of 1, 2, 3, ... times `bytes`, and what empties an L2 for each, stay in three quarters of the L3; 1 at
 * least. Of more than WAVE_SIZES such sizes two differ by less than T_occ. */
uint32_t waves_fit(const struct check *c, uint32_t domain, uint64_t bytes);
#define WAVE_SIZES 6u
/* One wave after another over every processor of the domain: each is judged by its own RMID, and the series by its
 * steps. ST_ABSENT: check_absent() has said what is missing. */
MUST_CHECK enum status waves_every_thread(struct check *c, uint32_t domain, const struct waves *w);
/* Both threads of a core at once, of SIBLING_CORES cores spread over the domain. As above. */
MUST_CHECK enum status waves_siblings(struct check *c, uint32_t domain, const struct waves *w);
