/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/model_clock.h: what things cost a processor, in clocks of its TSC. The one cost model of the host
 * platform and of the plugin: whoever drives the model keeps a time for each processor, and asks here by how much
 * something moves it on.
 *
 * An access that waits for its data takes the latency of the level that has it. Those that do not wait for each other
 * overlap, as many as a core has misses under way. What memory hands out, what a package gets from others', and the
 * bandwidth of a limited class are queues that processors share; a throttled class takes longer beyond its L2 by its
 * delay. The figures are the profile's (profile_times.h).
 *
 * Register accesses, flushes and the hand-over between processors cost the same on every part: no document says how
 * long they take, so the figures are assumed.
 */
#pragma once
#include "tests/silicon/model/model_state.h"

enum {
    CLOCK_INSTRUCTION = 1, /* beside its accesses */
    CLOCK_FETCHES = 2,
    CLOCK_CPUID = 200,
    CLOCK_RDMSR = 100,
    CLOCK_WRMSR = 200,
    CLOCK_RDTSC = 25,
    CLOCK_DEVICE = 1000, /* a register in configuration space, in memory or of a port */
    CLOCK_FLUSH = 40,    /* CLFLUSH, CLFLUSHOPT, CLWB                                 */
    CLOCK_PAUSE = 140,   /* on Skylake-SP; about 10 before: Optimization Reference Manual 248966, "PAUSE Latency" */
    CLOCK_WBINVD = 2000000,
};

/* The profile, the clusters and tsc_hz are known. */
void model_clock_begin(struct model *m);
/* When a processor is through with an access of `level`, one of enum cache_level, which it began at `now`. dependent: the
 * next one waits for its data. */
uint64_t model_clock_access(struct model *m, uint32_t cpu, uint64_t now, uint64_t physical, enum cache_level level,
                            bool dependent);
/* The same of a fetch of code, which costs nothing where the first level has the line. The front end fetches the next
 * line ahead. Further ahead it would go by predicted branches alone; code that is larger than its first level has a
 * branch for each of its lines more than predictors hold, so CLOCK_FETCHES are under way at once. Assumed: no document
 * says how many are. */
uint64_t model_clock_fetch(struct model *m, uint32_t cpu, uint64_t now, uint64_t physical, enum cache_level level);
/* What SMIs took of a processor's time since this was asked last (smi-length), but for what accesses were charged with;
 * own thread. What WBINVD takes (wbinvd-time). */
uint64_t model_clock_lost(struct model *m, uint32_t cpu);
uint64_t model_clock_wbinvd(const struct model *m);
/* What an SMI takes that comes by model_smi(): smi-length, or 100 us. */
uint64_t model_clock_smi(const struct model *m);
