/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/cpu/core_pmu.h: one general counter of a core's own performance monitor, as a witness of what left the core.
 *
 * Only an architectural event is used, on a counter that is not enabled, and the counter itself is never written:
 * it is read before and after. Source: SDM vol. 3B 18.2 "Architectural Performance Monitoring" (old numbering; later
 * 20.2), CPUID leaf 0AH; vol. 4 table 2-2 for the registers.
 */
#pragma once
#include "core/base/bits.h"
#include "core/platform/platform.h"

#define IA32_PMC(n)                     (0xC1u + (n))
#define IA32_PERFEVTSEL(n)              (0x186u + (n))
#define IA32_PERFEVTSEL_USR             BIT(16)
#define IA32_PERFEVTSEL_OS              BIT(17)
#define IA32_PERFEVTSEL_EN              BIT(22)
#define IA32_PERF_GLOBAL_CTRL           0x38Fu
#define IA32_PERF_GLOBAL_CTRL_EN_PMC(n) BIT(n)

/* AMD's six core counters; bits as Intel's. APM vol. 2 13.2.1 "Performance Counter MSRs". */
#define AMD_PERF_CTL(n)                (0xC0010200u + 2 * (n))
#define AMD_PERF_CTR(n)                (0xC0010201u + 2 * (n))
#define AMD_PERF_CNTR_GLOBAL_CTL       0xC0000301u /* PerfMonV2: APM vol. 2 13.2.1 */
#define AMD_PERF_CNTR_GLOBAL_CTL_EN(n) BIT(n)
#define AMD_SMI_COUNTER                5u /* the last: software that counts begins with the first */
#define AMD_PERF_CTL_SMIS              (UINT64_C(0x2B) | IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_EN)

#define AMD_PERF_CTL_CYCLES (UINT64_C(0x76) | IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_EN)

/* CPUID leaf 0AH. */
#define PMU_EAX_VERSION  BITS(7, 0)
#define PMU_EAX_COUNTERS BITS(15, 8)
#define PMU_EAX_WIDTH    BITS(23, 16)
#define PMU_EAX_EVENTS   BITS(31, 24) /* length of EBX's vector */

/* Architectural events, by their bit in CPUID.0AH:EBX (1: not there). */
enum core_pmu_event {
    PMU_LLC_REFERENCES = 3, /* umask 4FH, event 2EH: what asks the last-level cache */
    PMU_LLC_MISSES = 4,     /* umask 41H, event 2EH                                 */
};
#define PMU_LLC_REFERENCES_SELECT UINT64_C(0x4F2E)
#define PMU_LLC_MISSES_SELECT     UINT64_C(0x412E)

struct core_pmu {
    uint32_t cpu, counter, width;
    uint64_t found_select, found_global;
    bool global;     /* version 2 and later: IA32_PERF_GLOBAL_CTRL gates the counter */
    uint64_t select; /* what counts the event                                       */
};

/* Find a counter of `cpu` that is free and can count the event. Nothing is written to the machine. ST_OK: *pmu is
 * filled. ST_ABSENT: no such counter or event by CPUID. ST_UNSUPPORTED: every counter is in use.
 * ST_FAULT, ST_LOST, ST_TIMEOUT as msr_read(). */
MUST_CHECK enum status core_pmu_find_event(struct platform *p, uint32_t cpu, enum core_pmu_event event,
                                           struct core_pmu *pmu);
/* The same for LLC misses. */
MUST_CHECK enum status core_pmu_find(struct platform *p, uint32_t cpu, struct core_pmu *pmu);

#define CORE_PMU_STEPS 3u
/* Steps of a task on pmu->cpu: let it count and read it, the read last; read it, the read first, and put back what was
 * found. Both return how many steps, at most CORE_PMU_STEPS. */
uint32_t core_pmu_begin(const struct core_pmu *pmu, struct step *steps);
uint32_t core_pmu_end(const struct core_pmu *pmu, struct step *steps);
/* The same as a task of their own; *value: the count then. */
MUST_CHECK enum status core_pmu_read(struct platform *p, const struct core_pmu *pmu, bool end, uint64_t *value);
/* AMD, family 17H and later: let counter AMD_SMI_COUNTER of `cpu` count the SMIs that it receives (PMCx02B of every
 * family's processor programming reference, ls_smi_rx in Linux tools/perf/pmu-events/arch/x86/amdzen*). The ledger takes
 * it back. cpu is the boot processor, which is awake while it is seen to count cycles (PMCx076). ST_UNSUPPORTED: somebody
 * else has enabled it, or it does not count. Errors as msr_read() and msr_write(); ST_FAULT: no such counter. */
MUST_CHECK enum status core_pmu_count_amd_smis(struct platform *p, uint32_t cpu);
/* later - earlier, as the counter rolls over. */
uint64_t core_pmu_delta(const struct core_pmu *pmu, uint64_t earlier, uint64_t later);
