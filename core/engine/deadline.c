/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/deadline.h"

/* Every 256 processors add as much again: some checks look at each of them in turn. */
static uint32_t deadline(const struct options *o, uint64_t seconds, uint32_t n_cpus)
{
    uint64_t s = seconds * (1 + n_cpus / 256);

    if (o->page_breaks)
        return 0;
    return s < o->watchdog_seconds ? (uint32_t)s : o->watchdog_seconds;
}

uint32_t deadline_of_check(const struct options *o, const struct check_row *row, uint32_t n_cpus)
{
    return deadline(o, row->risk == RISK_WORKLOAD ? 900 : row->risk == RISK_MSR ? 300 : 60, n_cpus);
}

uint32_t deadline_of_phase(const struct options *o, enum journal_phase phase, uint32_t n_cpus)
{
    return phase == JOURNAL_COUNTING ? 0 : deadline(o, phase == JOURNAL_ENDING ? 600 : 300, n_cpus);
}
