/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/registers/model_msr.c: which register belongs to whom, and the few that say who the processor is.
 *
 * Addresses that the profile's RDT and uncore blocks cover raise #GP where no register of the part is modelled; so a
 * probe for a unit that is not there is answered as on metal. Everything else is left to the host (MODEL_NOT_MINE).
 * Source: SDM vol. 4, tables of model-specific registers for 06_4FH and 06_2DH.
 */
#include "tests/silicon/model/model_state.h"
#include "tests/silicon/twin/twin.h"

#define MSR_TSC            0x10u
#define MSR_PLATFORM_ID    0x17u
#define MSR_SMI_COUNT      0x34u
#define MSR_PPIN_CTL       0x4Eu
#define MSR_PPIN           0x4Fu
#define MSR_SIGN_ID        0x8Bu
#define MSR_PLATFORM_INFO  0xCEu
#define MSR_PREFETCH       0x1A4u
#define MSR_PREFETCH_AMD   0xC0000108u
#define MSR_PERF_STATUS    0x198u
#define MSR_UNCORE_LIMIT   0x620u
#define MSR_UNCORE_CURRENT 0x621u

#define PPIN_LOCKOUT BIT(0)
#define PPIN_ENABLE  BIT(1)

/* RDT C80H-D8FH; uncore 700H-7FFH, A00H-FFFH and, of Sapphire Rapids, 2000H-3FFFH. AMD: C80H-D8FH, what APM vol. 2
 * chapter 19 has at C0000200H, C00003FCH and C0000400H, 69193 at C0000600H, and the monitors of L3, fabric and memory. */
bool msr_block_is_ours(const struct model *m, uint32_t msr)
{
    if (m->profile->amd)
        return (msr >= 0xC80 && msr <= 0xD8F) || (msr >= 0xC0000200 && msr <= 0xC00002FF) ||
               (msr >= 0xC00003FC && msr <= 0xC000040F) || (msr >= 0xC0000600 && msr <= 0xC00006FF) ||
               (msr >= 0xC0010230 && msr <= 0xC001025F) || (msr >= 0xC0010800 && msr <= 0xC00108FF) ||
               msr == 0xC0011095 || msr == 0xC0011096 || msr == 0xC001109A;
    return (msr >= 0x700 && msr <= 0x7FF) || (msr >= 0xA00 && msr <= 0xFFF) || (msr >= 0x2000 && msr <= 0x3FFF);
}

uint64_t model_tsc_behind(const struct model *m, uint32_t cpu)
{
    const struct fault_set *f = &m->faults;
    bool last = m->packages > 1 && m->cpu[cpu].package == m->packages - 1;

    return fault_on(f, FAULT_TSC_OFFSET) && last ? f->value[FAULT_TSC_OFFSET] : 0;
}

static uint64_t ppin(const struct model *m, uint32_t package)
{
    return UINT64_C(0x8A1C35D20E6B4F00) ^ m->seed << 8 ^ (package + 1);
}

static uint32_t ratio(uint64_t hz)
{
    return (uint32_t)((hz + 50000000u) / 100000000u);
}

/* Identity registers that AMD lacks. */
static bool is_intels(uint32_t msr)
{
    return msr == MSR_PLATFORM_ID || msr == MSR_SMI_COUNT || msr == MSR_PPIN_CTL || msr == MSR_PPIN ||
           msr == MSR_PLATFORM_INFO || msr == MSR_PERF_STATUS || msr == MSR_PREFETCH || msr == MSR_UNCORE_LIMIT ||
           msr == MSR_UNCORE_CURRENT;
}

/* Not a register of this vendor's part. */
static bool is_others(const struct model *m, uint32_t msr)
{
    if (msr == MSR_PREFETCH_AMD)
        return !m->profile->amd || prefetch_control_bits(m) == 0;
    return m->profile->amd && msr != MSR_SIGN_ID;
}

static enum model_answer identity_read(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t *value)
{
    struct package *p = &m->package[c->package];
    uint64_t uncore = ratio(m->profile->uclk_hz), least = m->uclk_moves ? quirk_uclk_least(m) : uncore;

    if (is_others(m, msr) && msr != MSR_TSC)
        return is_intels(msr) ? MODEL_GP : MODEL_NOT_MINE;
    if (msr == m->profile->llc_control && msr) {
        *value = c->core->llc_control;
        return MODEL_DONE;
    }
    switch (msr) {
    case MSR_TSC:
        *value = tsc - model_tsc_behind(m, (uint32_t)(c - m->cpu));
        return MODEL_DONE;
    case MSR_PLATFORM_ID:
        *value = 0;
        return MODEL_DONE;
    case MSR_SMI_COUNT:
        *value = (c->smi_count + c->smi_by_time) & BITS(31, 0);
        return MODEL_DONE;
    case MSR_SIGN_ID:
        *value = c->sign_id;
        return MODEL_DONE;
    case MSR_PLATFORM_INFO: /* 47:40 least ratio, 15:8 greatest non-turbo ratio: that of the TSC */
        *value = UINT64_C(12) << 40 | (m->profile->ppin ? BIT(23) : 0) | (uint64_t)ratio(m->tsc_hz) << 8;
        return MODEL_DONE;
    case MSR_PERF_STATUS: /* 15:8 the core's ratio */
        *value = (uint64_t)quirk_core_now(m, c, tsc) << 8;
        return MODEL_DONE;
    case MSR_PPIN_CTL:
        *value = p->ppin_ctl;
        return m->profile->ppin ? MODEL_DONE : MODEL_GP;
    case MSR_PPIN:
        *value = ppin(m, c->package);
        return m->profile->ppin && (p->ppin_ctl & PPIN_ENABLE) ? MODEL_DONE : MODEL_GP;
    case MSR_PREFETCH:
    case MSR_PREFETCH_AMD:
        *value = c->core->prefetch_control;
        return prefetch_control_bits(m) ? MODEL_DONE : MODEL_GP;
    case MSR_UNCORE_LIMIT:
        *value = p->uncore_ratio_limit ? p->uncore_ratio_limit : least << 8 | uncore;
        return m->profile->uncore_ratio ? MODEL_DONE : MODEL_GP;
    case MSR_UNCORE_CURRENT:
        *value = m->uclk_moves ? quirk_uclk_now(m, c->package, tsc) : uncore;
        return m->profile->uncore_ratio ? MODEL_DONE : MODEL_GP;
    default:
        return MODEL_NOT_MINE;
    }
}

/* Under the package's lock. */
static enum model_answer identity_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t value)
{
    struct package *p = &m->package[c->package];

    if (is_others(m, msr))
        return is_intels(msr) ? MODEL_GP : MODEL_NOT_MINE;
    if (msr == m->profile->llc_control && msr) {
        c->core->llc_control = value;
        return MODEL_DONE;
    }
    switch (msr) {
    case MSR_SIGN_ID: /* software writes 0 and runs CPUID(1), which loads the revision */
        c->sign_id = value;
        return MODEL_DONE;
    case MSR_PPIN_CTL: /* locked: refused; LockOut may not be set while the number is enabled */
        if (!m->profile->ppin || (p->ppin_ctl & PPIN_LOCKOUT) || (value & ~(PPIN_LOCKOUT | PPIN_ENABLE)) ||
            ((value & PPIN_LOCKOUT) && (p->ppin_ctl & PPIN_ENABLE)))
            return MODEL_GP;
        p->ppin_ctl = value;
        return MODEL_DONE;
    case MSR_PREFETCH:
    case MSR_PREFETCH_AMD:
        if (prefetch_control_bits(m) == 0 || (value & ~prefetch_control_bits(m)))
            return MODEL_GP;
        c->core->prefetch_control = value;
        return MODEL_DONE;
    case MSR_UNCORE_LIMIT: /* kept; the clock stays where it is */
        if (!m->profile->uncore_ratio || (value & ~(BITS(14, 8) | BITS(6, 0))))
            return MODEL_GP;
        p->uncore_ratio_limit = value;
        return MODEL_DONE;
    case MSR_PLATFORM_ID:
    case MSR_SMI_COUNT:
    case MSR_PLATFORM_INFO:
    case MSR_PERF_STATUS:
    case MSR_PPIN:
    case MSR_UNCORE_CURRENT:
        return MODEL_GP;
    default:
        return MODEL_NOT_MINE;
    }
}

/* What happened since a register was used last. */
static void time_passes(struct model *m, struct cpu *c, uint64_t tsc)
{
    quirk_smis(m, c, tsc);
    flaw_time(m, c, tsc);
    if (m->agents)
        cache_agents(m, tsc);
    if (fault_on(&m->faults, FAULT_L3_SHRINKS_IDLE))
        cache_idle(m, tsc);
}

static enum model_answer settle(struct model *m, enum model_answer answer, uint32_t msr)
{
    if (answer == MODEL_NOT_MINE && msr_block_is_ours(m, msr))
        answer = MODEL_GP;
    if (answer == MODEL_GP)
        atomic_fetch_add_explicit(&m->msr_faults, 1, memory_order_relaxed);
    return answer;
}

enum model_answer model_rdmsr(struct model *m, uint32_t cpu, uint32_t msr, uint64_t tsc, uint64_t *value)
{
    struct cpu *c = &m->cpu[cpu];
    uint64_t read = 0;
    enum model_answer answer;

    atomic_fetch_add_explicit(&m->msr_reads, 1, memory_order_relaxed);
    time_passes(m, c, tsc);
    answer = m->twin ? twin_rdmsr(m->twin, cpu, msr, &read) : MODEL_NOT_MINE;
    if (answer == MODEL_NOT_MINE) {
        pthread_mutex_lock(&m->package[c->package].lock);
        answer = identity_read(m, c, msr, tsc, &read);
        pthread_mutex_unlock(&m->package[c->package].lock);
    }
    if (answer == MODEL_NOT_MINE)
        answer = errors_read(m, c, msr, &read);
    if (answer == MODEL_NOT_MINE)
        answer = residency_read(m, c, msr, tsc, &read);
    if (answer == MODEL_NOT_MINE)
        answer = core_pmu_read(m, c, msr, tsc, &read);
    if (answer == MODEL_NOT_MINE && m->profile->rdt)
        answer = rdt_read(m, c, msr, tsc, &read);
    if (answer == MODEL_DONE)
        read = flaw_register(m, c, msr, read);
    if (answer == MODEL_NOT_MINE) {
        answer = uncore_msr_read(m, c, msr, tsc, &read);
        if (answer == MODEL_DONE && flaw_is_blind(m, c))
            read = 0;
    }
    if (answer == MODEL_DONE)
        *value = read;
    return settle(m, answer, msr);
}

enum model_answer model_wrmsr(struct model *m, uint32_t cpu, uint32_t msr, uint64_t tsc, uint64_t value)
{
    struct cpu *c = &m->cpu[cpu];
    enum model_answer answer;

    atomic_fetch_add_explicit(&m->msr_writes, 1, memory_order_relaxed);
    time_passes(m, c, tsc);
    answer = m->twin ? twin_wrmsr(m->twin, cpu, msr, value) : MODEL_NOT_MINE;
    if (answer == MODEL_NOT_MINE) {
        pthread_mutex_lock(&m->package[c->package].lock);
        answer = identity_write(m, c, msr, value);
        pthread_mutex_unlock(&m->package[c->package].lock);
    }
    if (answer == MODEL_NOT_MINE)
        answer = residency_write(m, msr);
    if (answer == MODEL_NOT_MINE)
        answer = core_pmu_write(m, c, msr, tsc, value);
    if (answer == MODEL_NOT_MINE && m->profile->rdt) {
        uint64_t former = 0;

        if (m->flaw.kind == FLAW_LATE)
            (void)rdt_read(m, c, msr, tsc, &former);
        answer = rdt_write(m, c, msr, value);
        flaw_written(m, c, msr, former);
    }
    if (answer == MODEL_NOT_MINE)
        answer = uncore_msr_write(m, c, msr, tsc, value);
    return settle(m, answer, msr);
}
