/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/uncore/pmon_skew.h"

#define LINE             64u
#define LINES_OF(record) ((sizeof(record) + LINE - 1) / LINE + 1) /* it may start in the middle of one */

double pmon_skew_of_clock(const struct pmon_session_box *b)
{
    double longest = (double)(b->stop_after - b->run_before);

    if (b->unit->layout->box != NULL)
        return 0;
    if (b->stop_before <= b->run_after)
        return NO_BOUND;
    return longest / (double)(b->stop_before - b->run_after) - 1;
}

double pmon_skew_lines(const struct pmon_session *session, const struct pmon_session_box *b)
{
    uint32_t accesses = b->n > 1 ? 2 * (b->n - 1) : 0; /* to start the others, and to stop them */
    uint64_t lines;

    if (b->unit->layout->box != NULL)
        return 0;
    lines = accesses * (LINES_OF(struct pmon_op) + LINES_OF(struct step)) * session->check->machine->n_packages;

    return 2.0 * (double)lines;
}
