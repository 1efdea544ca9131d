/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/load/traffic.h: workloads under an RMID.
 *
 * A load is what one processor does in one run: parts, each with its own RMID, one after another in one task, so that
 * nothing but the loop runs under the RMID. All loads of a run start together. IA32_PQR_ASSOC is read first, and
 * written back in the same task; where the task broke off, it is written back afterwards.
 *
 * A part's memory may be in several pieces (core/tools/scatter.h): one continues where the other ends, and each pass
 * over all of them.
 */
#pragma once
#include "arch/x86/cpu/prefetch.h"
#include "core/platform/platform.h"

#define TRAFFIC_KEEP UINT32_MAX /* a part's clos: as found on that processor */

struct traffic_part {
    uint32_t rmid;
    uint32_t clos;        /* or TRAFFIC_KEEP                                               */
    struct work work;     /* work.bytes 0: none in this part                               */
    uint64_t pause_ticks; /* after the work, under the same RMID: TSC ticks without memory access */
};

#define TRAFFIC_REST_NS UINT64_C(2000000) /* many times what a worker polls before it sleeps */

struct traffic_load {
    uint32_t cpu;
    uint32_t n_parts;
    struct traffic_part *parts;
    /* Not 0: the first part's RMID and CLOS are written in a task of its own, and the processor then has no work for so
     * many ns: a worker sleeps meanwhile (HLT, core/processors/worker.h); where it has MWAIT, in state C1 of it for as
     * long again. The first part finds them there. */
    uint64_t rest_ns;
    bool associated; /* the processor has the first part's RMID and CLOS: traffic_associate() */
    /* out */
    bool in_mwait; /* it rested in MWAIT too */
    uint64_t found_pqr;
    enum status status; /* ST_OK: all parts ran and IA32_PQR_ASSOC is as found. ST_FAULT: a write of it raised #GP */
};

struct traffic_outcome {
    uint64_t moved_bytes;    /* sum over all parts                                           */
    uint64_t tsc_ticks;      /* the longest work section on one processor                    */
    uint32_t prefetch_found; /* processors that had prefetchers to turn off                  */
    uint32_t found_off;      /* processors whose prefetchers were all off before             */
};

/* IA32_PQR_ASSOC of a processor gets the RMID and CLOS of a part, before the registers of its class are written: the
 * orders of the two have the same effect. *found gets what it was, for the caller to write back. Errors: those of
 * msr_read() and msr_write(). */
MUST_CHECK enum status traffic_associate(struct platform *p, uint32_t cpu, uint32_t rmid, uint32_t clos,
                                         uint64_t *found);

/* Runs all loads at once. off: hardware prefetchers are off meanwhile, where this register can be read, and then as
 * they were found; NULL: they stay as they are. Returns ST_OK, or the first status that is bad: ST_LOST, ST_TIMEOUT,
 * ST_FAULT, ST_NO_MEMORY. *outcome, if not NULL, says what moved; *bad_cpu, if not NULL, gets the processor that the
 * status came from. */
MUST_CHECK enum status traffic_run(struct platform *p, struct traffic_load *loads, uint32_t n,
                                   const struct prefetch_control *off, struct traffic_outcome *outcome,
                                   uint32_t *bad_cpu);
