/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/registers/model_core_pmu.c: performance counters of the cores, APERF and MPERF, temperatures.
 *
 * Source: SDM vol. 3B 18.2 "Architectural Performance Monitoring" (versions 1 to 5; leaf 0AH says which), 14.2 for
 * APERF and MPERF, 14.8 "Platform Specific Thermal Management Support"; APM vol. 2 13.2 for AMD's counters.
 *
 * What counts what:
 *   - core and reference cycles are time: a processor of the model never halts, and its clock is that of the TSC, or
 *     what core-clock makes of it
 *   - LLC references and misses, lines that came into the L2 and that it gave to the L3 are the model's own
 *     (model_counts.h); the L2's events are Intel's of the family (intel/perfmon, core events of each part)
 *   - instructions retired are the loads and stores that were made, one each: what else a processor executed, nobody
 *     tells the model
 *   - SMIs are those that came to the processor (AMD's PMCx02B, "SMIs Received"; Intel counts them in MSR 34H)
 *   - every other event counts nothing; so does one whose counter mask asks for more than one a cycle, or is inverted
 * Events of the caches count accesses of programs where USR is set and all others where OS is (model_ring); the rest, whose
 * privilege level nobody tells the model, count where either is. Counters raise no interrupt.
 */
#include "core/base/search.h"
#include "tests/silicon/model/model_state.h"

enum {
    MSR_PMC_0 = 0xC1,
    MSR_MPERF = 0xE7,
    MSR_APERF,
    MSR_PERFEVTSEL_0 = 0x186,
    MSR_THERM_STATUS = 0x19C,
    MSR_TEMPERATURE_TARGET = 0x1A2,
    MSR_PACKAGE_THERM_STATUS = 0x1B1,
    MSR_FIXED_CTR_0 = 0x309,
    MSR_PERF_CAPABILITIES = 0x345,
    MSR_FIXED_CTR_CTRL = 0x38D,
    MSR_PERF_GLOBAL_STATUS,
    MSR_PERF_GLOBAL_CTRL,
    MSR_PERF_GLOBAL_OVF_CTRL,
    MSR_A_PMC_0 = 0x4C1,
};
#define MSR_AMD_LEGACY_CTL 0xC0010000u /* 4 controls, then 4 counters          */
#define MSR_AMD_PERF_CTL   0xC0010200u /* control and counter in turn, 6 pairs */
#define AMD_COUNTERS       6u
#define AMD_LEGACY         4u
#define AMD_BITS           48u

#define EVTSEL_EVENT  BITS(7, 0)
#define EVTSEL_UMASK  BITS(15, 8)
#define EVTSEL_USR    BIT(16)
#define EVTSEL_OS     BIT(17)
#define EVTSEL_RINGS  (EVTSEL_USR | EVTSEL_OS)
#define EVTSEL_EN     BIT(22)
#define EVTSEL_INV    BIT(23)
#define EVTSEL_CMASK  BITS(31, 24)
#define EVTSEL_STORED BITS(31, 0)
#define AMD_EVENT_HI  BITS(35, 32)

#define PERF_CAP_FW_WRITE BIT(13)
#define THERM_VALID       BIT(31)
#define THERM_RESOLUTION  BITS(30, 27)
#define THERM_READOUT     BITS(22, 16) /* below the target temperature */
#define TARGET_CELSIUS    96u
#define BELOW_TARGET      48u

enum source {
    NOTHING,
    CORE_CYCLES,
    TSC_CYCLES,
    REFERENCE_CYCLES,
    INSTRUCTIONS,
    LLC_REFERENCES,
    LLC_MISSES,
    L2_FILLS,
    L2_WRITE_BACKS,
    SMIS,
    SOURCES
};

#define REFERENCE_HZ 100000000u /* event 3CH/01H: the bus, or core crystal, clock */

struct shape {
    uint32_t version, counters, bits, fixed, fixed_bits;
};

static struct shape shape_of(const struct model *m)
{
    uint32_t regs[4];
    struct shape s;

    if (m->profile->amd)
        return (struct shape){ 0, AMD_COUNTERS, AMD_BITS, 0, 0 };
    profile_find(m->profile, 0xA, 0, regs);
    s = (struct shape){ regs[0] & 0xFF, regs[0] >> 8 & 0xFF, regs[0] >> 16 & 0xFF, regs[3] & 0x1F,
                        regs[3] >> 5 & 0xFF };
    s.counters = s.counters < CORE_PMU_COUNTERS ? s.counters : CORE_PMU_COUNTERS;
    s.fixed = s.fixed < CORE_PMU_FIXED ? s.fixed : CORE_PMU_FIXED;
    return s;
}

/* --- counting */

/* Numbers and umasks of Intel's events. Those of the L2 mean this up to Broadwell, where the L3 is inclusive, or from Skylake-SP
 * on. */
enum { INCLUSIVE = 1, OTHER, ANY_L3 };
static const struct {
    uint64_t event;
    uint32_t l3;
    enum source source;
} intel_events[] = {
    { 0x3C00, ANY_L3, CORE_CYCLES },       { 0x3C01, ANY_L3, REFERENCE_CYCLES },
    { 0xC000, ANY_L3, INSTRUCTIONS },      { 0x2E4F, ANY_L3, LLC_REFERENCES },
    { 0x2E41, ANY_L3, LLC_MISSES },        { 0xF107, INCLUSIVE, L2_FILLS }, /* L2_LINES_IN.ALL */
    { 0xF20A, INCLUSIVE, L2_WRITE_BACKS },                                  /* L2_LINES_OUT.DIRTY_ALL, Ivy Bridge */
    { 0xF11F, OTHER, L2_FILLS },                                            /* L2_LINES_IN.ALL */
    { 0xF202, OTHER, L2_WRITE_BACKS },                                      /* L2_LINES_OUT.NON_SILENT */
    { 0xFE02, OTHER, L2_WRITE_BACKS },                                      /* IDI_MISC.WB_UPGRADE */
    { 0xF040, ANY_L3, L2_WRITE_BACKS },                                     /* L2_TRANS.L2_WB */
};

static enum source intel_source(const struct model *m, uint64_t evtsel)
{
    uint64_t event = field_get(EVTSEL_EVENT, evtsel) << 8 | field_get(EVTSEL_UMASK, evtsel);
    uint32_t l3 = m->profile->l3_inclusive ? INCLUSIVE : OTHER;

    return FIND(i, sizeof intel_events / sizeof intel_events[0],
                intel_events[i].event == event && (intel_events[i].l3 & l3), intel_events[i].source, NOTHING);
}

static enum source amd_source(uint64_t evtsel)
{
    uint64_t event = field_get(AMD_EVENT_HI, evtsel) << 8 | field_get(EVTSEL_EVENT, evtsel);

    return event == 0x76 ? CORE_CYCLES : event == 0xC0 ? INSTRUCTIONS : event == 0x2B ? SMIS : NOTHING;
}

static enum source source_of(const struct model *m, uint64_t evtsel)
{
    if (!(evtsel & EVTSEL_EN) || !(evtsel & EVTSEL_RINGS) || (evtsel & EVTSEL_INV) ||
        field_get(EVTSEL_CMASK, evtsel) > 1)
        return NOTHING;
    return m->profile->amd ? amd_source(evtsel) : intel_source(m, evtsel);
}

static uint64_t scaled(uint64_t ticks, uint64_t hz, uint64_t tsc_hz)
{
    return (uint64_t)((unsigned __int128)ticks * hz / tsc_hz);
}

/* What came in since the counters were brought up to date, 0 at first; user: what of it programs made, where that is known. */
struct came {
    uint64_t all[SOURCES], user[SOURCES];
};

/* Without an L3 the last level is the L2: what leaves it has missed it. Its hits are not counted, so that references are
 * the misses too. */
static uint64_t llc_misses(const struct model *m, uint64_t references, uint64_t misses)
{
    return m->l3.ways ? misses : references;
}

static void collect(const struct model *m, struct cpu *c, uint64_t tsc, struct came *n)
{
    struct core_pmu *p = &c->pmu;
    const struct cpu_counts *now = &c->counts, *seen = &p->seen;
    uint64_t smis = c->smi_count + c->smi_by_time, *came = n->all, *user = n->user;
    uint32_t halved = fault_on(&m->faults, FAULT_CORE_LLC_MISSES_HALF) ? 2 : 1;

    came[CORE_CYCLES] = tsc > p->tsc ? quirk_core_tsc(m, c, tsc) - quirk_core_tsc(m, c, p->tsc) : 0;
    came[TSC_CYCLES] = tsc > p->tsc ? tsc - p->tsc : 0;
    came[REFERENCE_CYCLES] =
        tsc > p->tsc ? scaled(tsc, REFERENCE_HZ, m->tsc_hz) - scaled(p->tsc, REFERENCE_HZ, m->tsc_hz) : 0;
    came[INSTRUCTIONS] = now->accesses - seen->accesses;
    came[LLC_REFERENCES] = now->l3_references - seen->l3_references;
    came[LLC_MISSES] = llc_misses(m, came[LLC_REFERENCES], now->l3_misses - seen->l3_misses) / halved;
    came[L2_FILLS] = now->l2_fills - seen->l2_fills;
    came[L2_WRITE_BACKS] = now->l2_write_backs - seen->l2_write_backs;
    came[SMIS] = smis - p->smis;
    user[LLC_REFERENCES] = now->user.l3_references - seen->user.l3_references;
    user[LLC_MISSES] = llc_misses(m, user[LLC_REFERENCES], now->user.l3_misses - seen->user.l3_misses) / halved;
    user[L2_FILLS] = now->user.l2_fills - seen->user.l2_fills;
    user[L2_WRITE_BACKS] = now->user.l2_write_backs - seen->user.l2_write_backs;
    if (tsc > p->tsc)
        p->tsc = tsc;
    p->seen = c->counts;
    p->smis = smis;
}

/* Of one event select. */
static uint64_t came_to(const struct model *m, uint64_t evtsel, const struct came *n)
{
    enum source s = source_of(m, evtsel);
    bool of_caches = s == LLC_REFERENCES || s == LLC_MISSES || s == L2_FILLS || s == L2_WRITE_BACKS;

    if (!of_caches || (evtsel & EVTSEL_RINGS) == EVTSEL_RINGS)
        return n->all[s];
    return evtsel & EVTSEL_USR ? n->user[s] : n->all[s] - n->user[s];
}

static void count(uint64_t *counter, uint32_t bits, uint64_t n, uint64_t *status, uint64_t flag)
{
    uint64_t sum = *counter + n;

    if (sum >> bits)
        *status |= flag;
    *counter = sum & low_bits(bits);
}

static void bring_up_to_date(const struct model *m, struct cpu *c, const struct shape *s, uint64_t tsc)
{
    static const enum source fixed[CORE_PMU_FIXED] = { INSTRUCTIONS, CORE_CYCLES, TSC_CYCLES };
    struct core_pmu *p = &c->pmu;
    struct came n = { 0 };

    collect(m, c, tsc, &n);
    for (uint32_t i = 0; i < s->counters; i++)
        if (s->version < 2 || (p->global_ctrl >> i & 1))
            count(&p->pmc[i], s->bits, came_to(m, p->evtsel[i], &n), &p->global_status, BIT(0) << i);
    for (uint32_t i = 0; i < s->fixed; i++)
        if ((p->global_ctrl >> (32 + i) & 1) && (p->fixed_ctrl >> 4 * i & 3))
            count(&p->fixed[i], s->fixed_bits, n.all[fixed[i]], &p->global_status, BIT(32) << i);
}

/* --- registers */

/* Where in a file of n registers from `first` on; n where it is not in it. */
static uint32_t place(uint32_t msr, uint32_t first, uint32_t n)
{
    return msr >= first && msr - first < n ? msr - first : n;
}

static uint64_t global_mask(const struct shape *s)
{
    return low_bits(s->counters) | low_bits(s->fixed) << 32;
}

static uint64_t *amd_register(struct core_pmu *p, uint32_t msr)
{
    uint32_t i = place(msr, MSR_AMD_PERF_CTL, 2 * AMD_COUNTERS);

    if (i < 2 * AMD_COUNTERS)
        return i % 2 ? &p->pmc[i / 2] : &p->evtsel[i / 2];
    i = place(msr, MSR_AMD_LEGACY_CTL, 2 * AMD_LEGACY);
    if (i < 2 * AMD_LEGACY)
        return i < AMD_LEGACY ? &p->evtsel[i] : &p->pmc[i - AMD_LEGACY];
    return NULL;
}

static uint64_t capabilities(const struct model *m)
{
    return m->profile->full_width_counters ? PERF_CAP_FW_WRITE : 0;
}

static uint64_t *intel_register(const struct model *m, struct core_pmu *p, const struct shape *s, uint32_t msr)
{
    uint32_t i;

    if ((i = place(msr, MSR_PMC_0, s->counters)) < s->counters)
        return &p->pmc[i];
    if (capabilities(m) && (i = place(msr, MSR_A_PMC_0, s->counters)) < s->counters)
        return &p->pmc[i];
    if ((i = place(msr, MSR_PERFEVTSEL_0, s->counters)) < s->counters)
        return &p->evtsel[i];
    if ((i = place(msr, MSR_FIXED_CTR_0, s->fixed)) < s->fixed)
        return &p->fixed[i];
    if (s->version < 2)
        return NULL;
    return msr == MSR_FIXED_CTR_CTRL       ? &p->fixed_ctrl
           : msr == MSR_PERF_GLOBAL_STATUS ? &p->global_status
           : msr == MSR_PERF_GLOBAL_CTRL   ? &p->global_ctrl
                                           : NULL;
}

/* 18.2.1.1, 18.2.5: the older address takes 32 bits and extends their sign, the newer one as many as there are. */
static void counter_write(struct core_pmu *p, const struct shape *s, uint32_t msr, uint64_t value)
{
    uint32_t i = place(msr, MSR_PMC_0, s->counters);

    if (i < s->counters)
        p->pmc[i] = (uint64_t)(int64_t)(int32_t)value & low_bits(s->bits);
    else
        p->pmc[msr - MSR_A_PMC_0] = value;
}

static bool intel_legal(const struct shape *s, uint32_t msr, uint64_t value)
{
    if (msr == MSR_PERF_GLOBAL_CTRL)
        return (value & ~global_mask(s)) == 0;
    if (msr == MSR_FIXED_CTR_CTRL)
        return (value & ~low_bits(4 * s->fixed)) == 0;
    if (place(msr, MSR_FIXED_CTR_0, s->fixed) < s->fixed)
        return (value & ~low_bits(s->fixed_bits)) == 0;
    if (place(msr, MSR_A_PMC_0, s->counters) < s->counters)
        return (value & ~low_bits(s->bits)) == 0;
    if (place(msr, MSR_PERFEVTSEL_0, s->counters) < s->counters)
        return (value & ~EVTSEL_STORED) == 0;
    return msr != MSR_PERF_GLOBAL_STATUS && msr != MSR_PERF_CAPABILITIES;
}

static enum model_answer intel_write(const struct model *m, struct core_pmu *p, const struct shape *s, uint32_t msr,
                                     uint64_t value)
{
    uint64_t *reg;

    if (s->version >= 2 && msr == MSR_PERF_GLOBAL_OVF_CTRL) {
        p->global_status &= ~value;
        return MODEL_DONE;
    }
    if (msr == MSR_PERF_CAPABILITIES)
        return MODEL_GP;
    reg = intel_register(m, p, s, msr);
    if (!reg)
        return MODEL_NOT_MINE;
    if (!intel_legal(s, msr, value))
        return MODEL_GP;
    if (reg >= p->pmc && reg < p->pmc + CORE_PMU_COUNTERS)
        counter_write(p, s, msr, value);
    else
        *reg = value;
    return MODEL_DONE;
}

/* --- clocks and temperatures: registers of a processor without a PMU too */

static enum model_answer clock_read(const struct model *m, const struct cpu *c, uint32_t msr, uint64_t tsc,
                                    uint64_t *value)
{
    switch (msr) {
    case MSR_MPERF:
        *value = tsc + c->pmu.mperf;
        return MODEL_DONE;
    case MSR_APERF:
        *value = quirk_core_tsc(m, c, tsc) + c->pmu.aperf;
        return MODEL_DONE;
    case MSR_THERM_STATUS:
    case MSR_PACKAGE_THERM_STATUS:
        *value = field_put(THERM_READOUT, BELOW_TARGET);
        if (msr == MSR_THERM_STATUS)
            *value |= THERM_VALID | field_put(THERM_RESOLUTION, 1);
        return m->profile->amd ? MODEL_NOT_MINE : MODEL_DONE;
    case MSR_TEMPERATURE_TARGET:
        *value = TARGET_CELSIUS << 16;
        return m->profile->amd ? MODEL_NOT_MINE : MODEL_DONE;
    default:
        return MODEL_NOT_MINE;
    }
}

static enum model_answer clock_write(const struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t value)
{
    switch (msr) {
    case MSR_MPERF:
        c->pmu.mperf = value - tsc;
        return MODEL_DONE;
    case MSR_APERF:
        c->pmu.aperf = value - quirk_core_tsc(m, c, tsc);
        return MODEL_DONE;
    case MSR_THERM_STATUS: /* log bits are cleared, of which none is ever set */
    case MSR_PACKAGE_THERM_STATUS:
        return m->profile->amd ? MODEL_NOT_MINE : MODEL_DONE;
    default:
        return MODEL_NOT_MINE;
    }
}

/* --- doors */

void core_pmu_reset(struct model *m)
{
    struct shape s = shape_of(m);

    for (uint32_t i = 0; i < m->cpus; i++) /* power-on: general counters on, fixed ones off. SDM vol. 3A table 9-1 */
        m->cpu[i].pmu.global_ctrl = s.version >= 2 ? low_bits(s.counters) : 0;
}

enum model_answer core_pmu_read(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t *value)
{
    enum model_answer answer = clock_read(m, c, msr, tsc, value);
    struct shape s = shape_of(m);
    uint64_t *reg;

    if (answer != MODEL_NOT_MINE)
        return answer;
    if (!m->profile->amd && msr == MSR_PERF_CAPABILITIES) {
        *value = capabilities(m);
        return MODEL_DONE;
    }
    reg = m->profile->amd ? amd_register(&c->pmu, msr) : intel_register(m, &c->pmu, &s, msr);
    if (!reg)
        return MODEL_NOT_MINE;
    bring_up_to_date(m, c, &s, tsc);
    *value = *reg;
    return MODEL_DONE;
}

enum model_answer core_pmu_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t value)
{
    struct shape s = shape_of(m);
    enum model_answer answer;
    uint64_t *reg;

    if (msr == MSR_APERF || msr == MSR_MPERF)
        return clock_write(m, c, msr, tsc, value);
    bring_up_to_date(m, c, &s, tsc);
    if (m->profile->amd) {
        reg = amd_register(&c->pmu, msr);
        if (!reg)
            return MODEL_NOT_MINE;
        *reg = reg >= c->pmu.pmc && reg < c->pmu.pmc + CORE_PMU_COUNTERS ? value & low_bits(AMD_BITS) : value;
        return MODEL_DONE;
    }
    answer = intel_write(m, &c->pmu, &s, msr, value);
    return answer == MODEL_NOT_MINE ? clock_write(m, c, msr, tsc, value) : answer;
}

/* ECX: bit 30 the fixed counters, else the general ones. SDM vol. 2B, RDPMC. */
enum model_answer model_rdpmc(struct model *m, uint32_t cpu, uint32_t index, uint64_t tsc, uint64_t *value)
{
    struct cpu *c = &m->cpu[cpu];
    struct shape s = shape_of(m);
    bool fixed = index & BIT(30);
    uint32_t n = index & (uint32_t)low_bits(30);

    if (n >= (fixed ? s.fixed : s.counters))
        return MODEL_GP;
    bring_up_to_date(m, c, &s, tsc);
    *value = fixed ? c->pmu.fixed[n] : c->pmu.pmc[n];
    return MODEL_DONE;
}
