/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/machine/disturb.h: what disturbed the machine while a check ran, or while a single sample was taken (core/check/sample.h).
 *
 * SMI count, thermal and power-limit status and APERF/MPERF of one processor of each package, before and after. An SMI
 * takes all processors of a machine together, so those see each one. Only registers that are present are
 * read; absent ones are not reported.
 *
 * Source: SDM vol. 3B 15.8 "Platform Specific Power Management Support" and 15.7 "Thermal Monitoring" (editions
 * renumber them); vol. 4 MSR_SMI_COUNT, IA32_THERM_STATUS, IA32_PACKAGE_THERM_STATUS, IA32_MPERF, IA32_APERF.
 */
#pragma once
#include "core/machine/machine.h"

#define DISTURB_CPUS  64u
#define DISTURB_TRIES 3u /* how often a check that SMIs fell into is run, in all */

enum { /* of one processor; a bit of `readable` each */
       DISTURB_SMI,
       DISTURB_THERMAL,
       DISTURB_PACKAGE_THERMAL,
       DISTURB_MPERF,
       DISTURB_APERF,
       DISTURB_REGISTERS
};

struct disturb_cpu {
    uint32_t cpu;
    uint32_t readable; /* registers to be asked; one that raises #GP is taken out */
    uint32_t smi_msr;  /* what counts SMIs; 0: MSR_SMI_COUNT */
    uint64_t before[DISTURB_REGISTERS], after[DISTURB_REGISTERS];
    uint64_t tsc_before, tsc_after;
};

struct disturbance {
    bool known;            /* the SMI count of some processor could be read                   */
    uint64_t smis;         /* most on one processor                                           */
    uint32_t smi_cpu;      /* that one                                                        */
    uint32_t hot, limited; /* processors under thermal throttling, or held by a power limit   */
    uint32_t hot_cpu;
    bool began;              /* throttling or a limit was not there before                      */
    double slowest, fastest; /* APERF over MPERF: share of the nominal frequency; 0: not known  */
};

/* Registers that a part of this maker may have, as bits. */
uint32_t disturb_registers(const struct cpu_identity *id);
/* Reads them on all of these processors at once, and the TSC. A look that fails keeps the value before: no disturbance
 * is made up. ST_OK, or the first bad status (ST_LOST, ST_TIMEOUT), *bad_cpu its processor: the others were read. */
MUST_CHECK enum status disturb_look(struct platform *p, struct disturb_cpu *cpus, uint32_t n, bool after,
                                    uint32_t *bad_cpu);
/* What two looks say. */
struct disturbance disturb_between(const struct disturb_cpu *cpus, uint32_t n);

struct disturb {
    struct platform *platform;
    uint32_t n;
    struct disturb_cpu *cpus; /* [n]; NULL: nothing can be read */
};

/* Chooses the processors and finds out what they answer to. ST_OK also where that is nothing. ST_NO_MEMORY. */
MUST_CHECK enum status disturb_init(struct disturb *d, struct platform *p, const struct machine *m);
/* This processor counts SMIs in another register than MSR_SMI_COUNT. */
void disturb_count_smis(struct disturb *d, uint32_t cpu, uint32_t msr);
/* Whether one of them counts SMIs, as far as is known. */
bool disturb_counts_smis(const struct disturb *d);
/* Also after disturb_init() failed. */
void disturb_free(struct disturb *d);
/* The look before. A processor that takes no more work is watched no longer. */
void disturb_begin(struct disturb *d);
/* The look after, and what happened since disturb_begin(). */
struct disturbance disturb_end(struct disturb *d);
