/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/sample.h: a measurement that knows whether it was disturbed.
 *
 * An SMI takes every processor away for as long as it likes, and its traffic is charged to whatever RMID was active. So
 * the SMI count (MSR_SMI_COUNT, 34H: Intel since Nehalem) and the TSC are read before and after on the processors that
 * are involved; when an SMI fell between, or a TSC went backwards, the sample is taken again. What only prepares it, such
 * as a flush of the caches, comes before the count is read first: an SMI there takes nothing from the sample, and a
 * WBINVD that sweeps an L3 may take longer than all the rest.
 *
 *     sample_begin(&s, c, cpus, n);
 *     while (sample_wanted(&s)) {
 *         st = prepare something;
 *         if (st == ST_OK)
 *             st = sample_open(&s);
 *         if (st == ST_OK)
 *             st = measure something;
 *         sample_close(&s, st);
 *     }
 *     st = sample_end(&s);     // ST_OK: what was measured last holds
 *
 * Where two tries were disturbed, sample_open() waits for the next SMI, so that what firmware does at intervals leaves
 * the most time. AMD has no such register: there a core counter of the boot processor counts SMIs (core/tools/tools.h). Where
 * that is not available, an SMI goes unseen, and repeated runs have to outvote it.
 */
#pragma once
#include "core/check/check.h"
#include "core/machine/disturb.h"

#define SAMPLE_TRIES          12u
#define SAMPLE_TRIES_FUTILE   5u /* no more than these where two SMIs or more fall into a window */
#define SAMPLE_THROTTLE_TRIES 2u

struct sample {
    struct check *check;
    struct disturb_cpu *cpus; /* on the heap between begin and end */
    uint32_t n;
    uint32_t budget;    /* how often it may be opened: SAMPLE_TRIES, less where a second try is another measurement */
    uint32_t tries;     /* how often it was opened */
    uint32_t disturbed; /* how often it had to be thrown away */
    uint32_t throttled; /* of those, how often for throttling alone */
    enum status status; /* of the last try */
    bool done;
    uint32_t bad_cpu;   /* where the last bad status came from */
    uint64_t tsc_ticks; /* of the last try, on the first processor */
    /* Since the first window was opened, on the first processor that has an SMI count. */
    uint64_t smis, smi_ticks;
    uint64_t smi_first, smi_first_tsc;
};

/* cpus: those that do the work or read; duplicates do no harm, at most SAMPLE_CPUS of them are watched (an SMI takes
 * all processors of a machine together). */
#define SAMPLE_CPUS 16u
void sample_begin(struct sample *s, struct check *c, const uint32_t *cpus, uint32_t n);
/* true: prepare the sample and take it. */
bool sample_wanted(struct sample *s);
/* The window begins. Other than ST_OK: it did not, and the status is for sample_close(). */
MUST_CHECK enum status sample_open(struct sample *s);
/* st: how preparing, opening and taking it went. Anything but ST_OK ends the loop. */
void sample_close(struct sample *s, enum status st);
/* How far apart SMIs are, in TSC ticks; 0: none was seen, or they are not counted here. */
uint64_t sample_smi_period(const struct sample *s);
/* ST_OK; the status given to sample_close(); ST_DISTURBED: every try was disturbed, and the check's state says by how
 * many SMIs; ST_NO_MEMORY. Adds what was thrown away to the check's count. */
MUST_CHECK enum status sample_end(struct sample *s);
