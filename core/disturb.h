/* core/disturb.h: what disturbed the machine while a check ran.
 *
 * SMI count, thermal and power-limit status and APERF/MPERF of one processor of each package, before a check and after.
 * An SMI takes all processors of a machine together, so those see each one. Only registers that answer are asked; what
 * is absent is not reported.
 *
 * Source: SDM vol. 3B 15.8 "Platform Specific Power Management Support" and 15.7 "Thermal Monitoring" (editions
 * renumber them); vol. 4 MSR_SMI_COUNT, IA32_THERM_STATUS, IA32_PACKAGE_THERM_STATUS, IA32_MPERF, IA32_APERF.
 */
#pragma once
#include "core/machine.h"

#define DISTURB_CPUS  64u
#define DISTURB_TRIES 3u /* how often a check that SMIs fell into is run, in all */

struct disturb_cpu {
    uint32_t cpu;
    uint32_t readable;  /* a bit for each register, in the order of disturb.c */
    uint64_t before[5]; /* SMI count, thermal, package thermal, MPERF, APERF   */
    uint64_t after[5];
};

struct disturbance {
    bool known;            /* the SMI count of some processor could be read                   */
    uint64_t smis;         /* most on one processor                                           */
    uint32_t smi_cpu;      /* that one                                                        */
    uint32_t hot, limited; /* processors under thermal throttling, or held by a power limit   */
    uint32_t hot_cpu, limited_cpu;
    double slowest, fastest; /* APERF over MPERF: share of the nominal frequency; 0: not known  */
};

struct disturb {
    struct platform *platform;
    uint32_t n;
    struct disturb_cpu *cpus; /* [n]; NULL: nothing can be read */
};

/* Chooses the processors and finds out what they answer to. ST_OK also where that is nothing. ST_NO_MEMORY. */
MUST_CHECK enum status disturb_init(struct disturb *d, struct platform *p, const struct machine *m);
void disturb_free(struct disturb *d);
void disturb_begin(struct disturb *d);
/* What happened since disturb_begin(). */
struct disturbance disturb_end(struct disturb *d);
