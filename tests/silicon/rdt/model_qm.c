/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/rdt/model_qm.c: IA32_QM_EVTSEL and IA32_QM_CTR, and what is counted as what.
 *
 * Source: SDM vol. 3B 17.16.7 "Monitoring Resource Selection and Reporting Infrastructure", 17.16.8 "Monitoring
 * Programming Considerations"; AMD APM vol. 2 19.3.
 *
 * Decisions where the documents leave room or disagree:
 *   - One EVTSEL/CTR pair for each L3, shared by its processors, as Linux treats it and as 17.16.7 suggests by asking
 *     software to serialize the pair. A header of EDK2 says thread; shared is the harder case for software.
 *   - Bits of EVTSEL that are no field are reserved and raise #GP. An RMID above the maximum is taken and answered with
 *     Error (17.16.7), or raises #GP where the profile says so (17.16.8.1; APM). One that is above the L3's maximum alone
 *     is taken and answered with Error (APM). An event that is not enumerated is
 *     taken and answered with Error; so is event 0, "no event".
 *   - A write of QM_CTR raises #GP: the register is read only. Its overflow bit, where 0FH.1:EAX[8] promises one, is
 *     bit 61: an assumption. It is set by a roll-over since the RMID's last read and goes with the read.
 *   - Bandwidth counts lines that come into the L3's package for a core (loads, reads for ownership); non-temporal
 *     stores by profile switch; on AMD what QOS_EVT_CFG_n selects (model_amd.c). What the counters hold at power-on is
 * stated nowhere: they start shortly before they roll over, so that a roll-over can be seen without moving half a
 * terabyte.
 *   - On AMD the first read of a bandwidth event of an RMID is Unavailable, since tracking begins with it; while
 *     counters are assignable, an RMID has the count of the counter that follows it: model_amd.c.
 */
#include "tests/silicon/model/model_state.h"

#define EVTSEL_EVTID BITS(7, 0)
#define EVTSEL_EXT   BIT(31) /* AMD, while counters are assignable: the RMID field is the number of one */
#define EVTSEL_RMID  BITS(63, 32)
#define CTR_OVERFLOW BIT(61)
#define CTR_UNAVAIL  BIT(62)
#define CTR_ERROR    BIT(63)

enum { MSR_QM_EVTSEL = 0xC8D, MSR_QM_CTR };
enum { EVENT_OCCUPANCY = 1, EVENT_TOTAL, EVENT_LOCAL };
enum { EVENT_ASSIGNED = 1 }; /* with EVTSEL_EXT */

void rdt_qm_errata(struct model *m)
{
    struct mbm_erratum e = mbm_erratum(m->profile, m->rmids);

    m->mbm_threshold = e.threshold;
    m->mbm_factor = e.factor;
    if (fault_on(&m->faults, FAULT_ERRATUM_FACTOR_OFF) && m->faults.value[FAULT_ERRATUM_FACTOR_OFF])
        m->mbm_factor = (uint32_t)m->faults.value[FAULT_ERRATUM_FACTOR_OFF];
}

bool rdt_qm_flag_broken(const struct model *m)
{
    return fault_on(&m->faults, FAULT_OVERFLOW_FLAG_KEPT) || fault_on(&m->faults, FAULT_OVERFLOW_FLAG_STUCK);
}

static struct qm_state *qm_of(struct model *m, struct cpu *c)
{
    if (fault_on(&m->faults, FAULT_EVTSEL_SHARED_BY_PACKAGES))
        return &m->domain[0].qm;
    if (m->profile->qm_private && !fault_on(&m->faults, FAULT_EVTSEL_SHARED_WHERE_PRIVATE))
        return fault_on(&m->faults, FAULT_EVTSEL_SHARED_BY_SIBLINGS) ? &c[-(int)c->thread].qm : &c->qm;
    return &c->domain->qm;
}

/* Takes this processor any RMID, or event, of the machine in that fault's way? */
static bool is_lax(const struct model *m, enum fault_id everywhere, enum fault_id here, const struct cpu *c)
{
    return fault_on(&m->faults, everywhere) || rdt_stricken(m, here, c);
}

static bool pair_is_legal(const struct model *m, const struct cpu *c, uint64_t evtsel)
{
    uint64_t event = field_get(EVTSEL_EVTID, evtsel), rmid = field_get(EVTSEL_RMID, evtsel);

    if (evtsel & EVTSEL_EXT)
        return event == EVENT_ASSIGNED && rmid < m->abmc_counters;
    if (fault_on(&m->faults, FAULT_QM_TABLE_SHORT) && rmid >= m->faults.value[FAULT_QM_TABLE_SHORT])
        return false;
    if (rmid >= m->rmids && !is_lax(m, FAULT_QM_RMID_LIMIT, FAULT_QM_ERROR_ONE_PROCESSOR, c))
        return false;
    if (rdt_stricken(m, FAULT_QM_EVENT_ONE_PROCESSOR, c) && event > EVENT_LOCAL)
        return true;
    if (fault_on(&m->faults, FAULT_QM_GHOST_EVENT) && event == m->faults.value[FAULT_QM_GHOST_EVENT])
        return true;
    return event >= EVENT_OCCUPANCY && event <= EVENT_LOCAL && (m->events >> (event - 1) & 1);
}

static enum model_answer evtsel_write(struct model *m, struct cpu *c, uint64_t value)
{
    uint64_t fields = EVTSEL_EVTID | (EVTSEL_RMID & low_bits(32 + m->profile->qm_rmid_bits));
    struct qm_state *qm = qm_of(m, c);

    if (c->domain->ext_cfg & EXT_CFG_ABMC)
        fields |= EVTSEL_EXT;

    if (value & ~fields) {
        if (!is_lax(m, FAULT_EVTSEL_RESERVED_ACCEPTED, FAULT_EVTSEL_RESERVED_ONE_PROCESSOR, c))
            return MODEL_GP;
        value &= fields;
    }
    if (m->profile->qm_illegal_rmid_faults && field_get(EVTSEL_RMID, value) >= m->rmids_any &&
        !is_lax(m, FAULT_QM_RMID_LIMIT, FAULT_QM_ERROR_ONE_PROCESSOR, c))
        return MODEL_GP;
    if (field_get(EVTSEL_EVTID, value) == 0 && fault_on(&m->faults, FAULT_EVTSEL_ZERO_REFUSED))
        return MODEL_GP;
    if (field_get(EVTSEL_EVTID, value) == 0 && fault_on(&m->faults, FAULT_EVTSEL_NOT_CLEARED))
        value |= field_get(EVTSEL_EVTID, qm->evtsel);
    if (!fault_on(&m->faults, FAULT_EVTSEL_EVENT_LATE) || field_get(EVTSEL_RMID, value ^ qm->evtsel) || !qm->event ||
        field_get(EVTSEL_EVTID, value) - EVENT_OCCUPANCY > EVENT_LOCAL - EVENT_OCCUPANCY)
        qm->event = field_get(EVTSEL_EVTID, value);
    qm->previous = qm->evtsel;
    qm->evtsel = value;
    qm->fresh = true;
    if (fault_on(&m->faults, FAULT_QM_ERROR_STICKY) && field_get(EVTSEL_EVTID, value) != 0 &&
        !pair_is_legal(m, c, value))
        qm->sticky_error = true;
    return MODEL_DONE;
}

/* With sub-NUMA clusters a count is a node's share of the upscaling factor. */
static uint64_t counts_of_lines(const struct model *m, uint64_t lines)
{
    bool divided = m->rmids_split && !fault_on(&m->faults, FAULT_CLUSTER_SCALE_UNDIVIDED);

    return (lines << MODEL_LINE_SHIFT) * (divided ? m->clusters : 1) / m->scale;
}

static void sum_add(struct traffic_sum *to, const struct traffic_sum *more)
{
    to->lines += more->lines;
    for (uint32_t t = 0; t < TRANSFERS; t++)
        for (uint32_t local = 0; local < 2; local++)
            to->moved[t][local] += more->moved[t][local];
}

/* What the counters of an RMID were fed. Under a fault, as well what those of its places in the other nodes were. */
static struct traffic_sum fed(const struct model *m, const struct domain *p, uint32_t rmid)
{
    struct traffic_sum sum = traffic_of(m, p->seen, rmid, ALL_PARTS);
    uint32_t share = m->rmids / m->clusters;

    for (uint32_t node = 0; node < m->clusters && fault_on(&m->faults, FAULT_CLUSTER_LEAKS); node++)
        if (node != rmid / share) {
            struct traffic_sum other = traffic_of(m, p->seen, node * share + rmid % share, ALL_PARTS);

            sum_add(&sum, &other);
        }
    return sum;
}

uint64_t rdt_occupancy(struct model *m, struct domain *p, uint32_t rmid)
{
    const struct fault_set *f = &m->faults;
    uint64_t lines = fed(m, p, rmid).lines, counts;

    if (fault_on(f, FAULT_OCCUPANCY_GLOBAL)) {
        lines = 0;
        for (uint32_t i = 0; i < m->domains; i++)
            lines += traffic_of(m, m->domain[i].seen, rmid, ALL_PARTS).lines;
    }
    if (fault_on(f, FAULT_RMID_STEP_LOW) && rmid >= m->rmids / 2)
        lines = lines * f->value[FAULT_RMID_STEP_LOW] / 100;
    if (rmid == 0 && fault_on(f, FAULT_OCCUPANCY_ZERO_DEAD))
        lines = 0;
    if (fault_on(f, FAULT_OCCUPANCY_AT_POWER_ON) &&
        rmid == (f->place[FAULT_OCCUPANCY_AT_POWER_ON] == UINT64_MAX ? m->rmids - 1
                                                                     : f->place[FAULT_OCCUPANCY_AT_POWER_ON]))
        lines += f->value[FAULT_OCCUPANCY_AT_POWER_ON];
    counts = counts_of_lines(m, lines);
    if (fault_on(f, FAULT_OCCUPANCY_SCALED_TWICE))
        counts *= m->scale;
    if (fault_on(f, FAULT_OCCUPANCY_SATURATES) && counts > f->value[FAULT_OCCUPANCY_SATURATES])
        counts = f->value[FAULT_OCCUPANCY_SATURATES];
    return counts;
}

/* Of the lines in every other slice. */
static uint64_t counts_of_half(const struct model *m, const struct domain *p, uint32_t rmid)
{
    uint64_t lines = 0;

    for (uint32_t slice = 1; slice < m->l3_slices; slice += 2)
        lines += atomic_load_explicit(&traffic_at(p->seen, m, slice, rmid)->lines, memory_order_relaxed);
    return counts_of_lines(m, lines);
}

#define WRITES (COUNTS_LOCAL_NT | COUNTS_REMOTE_NT | COUNTS_WRITE_BACKS)

/* Lines of memory here, or everywhere, that were written. */
static uint64_t lines_written(const struct traffic_sum *sum, bool local)
{
    uint64_t n = sum->moved[TRANSFER_NT_STORE][1] + sum->moved[TRANSFER_WRITE_BACK][1];

    return local ? n : n + sum->moved[TRANSFER_NT_STORE][0] + sum->moved[TRANSFER_WRITE_BACK][0];
}

static bool local_is_total(const struct fault_set *f, uint32_t rmid)
{
    uint64_t first = f->place[FAULT_MBM_LOCAL_COUNTS_REMOTE], n = f->value[FAULT_MBM_LOCAL_COUNTS_REMOTE];

    return fault_on(f, FAULT_MBM_LOCAL_COUNTS_REMOTE) && (first == UINT64_MAX || (rmid >= first && rmid - first < n));
}

/* Bits of QOS_EVT_CFG_n of which two are exchanged. */
static uint32_t bits_exchanged(uint32_t types, uint32_t bit)
{
    uint32_t differ = (types >> bit ^ types >> (bit + 1)) & 1;

    return types ^ (differ << bit | differ << (bit + 1));
}

/* The kinds of transfers that this event of an L3 counts. */
static uint32_t types_of(const struct model *m, const struct domain *p, uint32_t which)
{
    uint32_t bit = (uint32_t)(BIT(0) << m->faults.value[FAULT_EVENT_BIT_IGNORED] % 32);
    uint64_t event = m->faults.place[FAULT_EVENT_BIT_IGNORED];

    if (fault_on(&m->faults, FAULT_EVENT_BITS_SWAPPED))
        return bits_exchanged(p->event_types[which], (uint32_t)m->faults.value[FAULT_EVENT_BITS_SWAPPED] % 31);
    if (!fault_on(&m->faults, FAULT_EVENT_BIT_IGNORED) || (event != UINT64_MAX && event != which))
        return p->event_types[which];
    return (p->event_types[which] & ~bit) | (m->event_types[which] & bit);
}

static uint64_t bandwidth_counts(struct model *m, struct domain *p, uint32_t rmid, uint32_t event, struct qm_state *qm,
                                 uint64_t tsc)
{
    const struct fault_set *f = &m->faults;
    uint32_t which = event - EVENT_TOTAL, width = m->mbm_width;
    bool local = event == EVENT_LOCAL;
    struct traffic_sum sum;
    uint64_t lines, counts;

    if (fault_on(f, FAULT_MBM_SWAPPED))
        local = !local;
    if (local_is_total(f, rmid))
        local = false;
    sum = fed(m, p, rmid);
    for (uint32_t i = 0; i < m->domains && fault_on(f, FAULT_MBM_GLOBAL); i++)
        if (&m->domain[i] != p) {
            struct traffic_sum other = fed(m, &m->domain[i], rmid);

            sum_add(&sum, &other);
        }
    lines = transfers_of(&sum, types_of(m, p, local));
    if (fault_on(f, FAULT_MBM_WRITES_PART))
        lines = transfers_of(&sum, p->event_types[local] & ~WRITES) + lines_written(&sum, local) / 2;
    if ((local && fault_on(f, FAULT_MBM_LOCAL_DEAD)) || (rmid == 0 && fault_on(f, FAULT_MBM_ZERO_DEAD)))
        lines = 0;
    if (rmid > m->mbm_threshold)
        lines = (uint64_t)((unsigned __int128)lines * 1000000 / m->mbm_factor);
    if (fault_on(f, FAULT_MBM_HIGH_RMIDS_LOW) && rmid > m->rmids / 2)
        lines = lines * f->value[FAULT_MBM_HIGH_RMIDS_LOW] / 100;
    if (fault_on(f, FAULT_MBM_RMID_FACTOR) && rmid == f->place[FAULT_MBM_RMID_FACTOR])
        lines = lines * (uint64_t)(100 + fault_signed(f, FAULT_MBM_RMID_FACTOR)) / 100;
    if (fault_on(f, FAULT_MBM_DOUBLE))
        lines *= 2;
    if (fault_on(f, FAULT_MBM_GHOST)) /* MB/s, whoever runs */
        lines += (uint64_t)((unsigned __int128)tsc * f->value[FAULT_MBM_GHOST] * 1000000 / m->tsc_hz / 64);
    counts = counts_of_lines(m, lines) + p->mbm_start[rmid][which];
    if (m->realism.value[REALISM_MBM_LAG])
        counts = quirk_trail(m, &p->mbm_trail[rmid][which], counts, tsc);
    if (fault_on(f, FAULT_MBM_WRAP_SKIPS))
        counts += (counts >> width) << (width - 4);
    if (fault_on(f, FAULT_MBM_SATURATES) && counts > low_bits(width))
        counts = low_bits(width);
    if (fault_on(f, FAULT_MBM_NARROW))
        width = (uint32_t)f->value[FAULT_MBM_NARROW];
    if (event == EVENT_LOCAL && fault_on(f, FAULT_MBM_LOCAL_NARROW))
        width = (uint32_t)f->value[FAULT_MBM_LOCAL_NARROW];
    if (fault_on(f, FAULT_MBM_WIDE)) {
        width = (uint32_t)f->value[FAULT_MBM_WIDE];
        counts |= BIT(0) << (width - 1) % 62;
    }
    if (fault_on(f, FAULT_MBM_READ_RESETS)) {
        uint64_t now = counts;

        counts -= p->mbm_zero[rmid][which];
        p->mbm_zero[rmid][which] = now;
    } else {
        counts -= p->mbm_zero[rmid][which];
    }
    if (fault_on(f, FAULT_MBM_STEPS_BACK) && qm->reads++ % 3 == 2)
        counts -= f->value[FAULT_MBM_STEPS_BACK];
    if (fault_on(f, FAULT_MBM_TORN_CARRY) && (counts & UINT16_MAX) < f->value[FAULT_MBM_TORN_CARRY])
        counts -= UINT16_MAX + 1;
    if (fault_on(f, FAULT_MBM_BIT_STUCK))
        counts |= BIT(0) << f->value[FAULT_MBM_BIT_STUCK] % 62;
    return counts & low_bits(width);
}

void rdt_events_choose(struct model *m, struct domain *p, uint32_t which, uint32_t types, bool keep)
{
    for (uint32_t rmid = 0; rmid < m->rmids; rmid++) {
        struct traffic_sum sum = traffic_of(m, p->seen, rmid, ALL_PARTS);
        uint64_t before = counts_of_lines(m, transfers_of(&sum, p->event_types[which])) - p->mbm_zero[rmid][which];

        p->mbm_zero[rmid][which] = counts_of_lines(m, transfers_of(&sum, types)) - (keep ? before : 0);
        if (!keep)
            p->first_read[rmid] &= (uint8_t) ~(1u << (EVENT_TOTAL + which));
        p->mbm_trail[rmid][which] = (struct mbm_trail){ 0 };
    }
    p->event_types[which] = types;
}

void rdt_bandwidth_restart(struct model *m, struct domain *p, uint32_t rmid)
{
    struct traffic_sum sum = fed(m, p, rmid);

    for (uint32_t which = 0; which < 2; which++) {
        p->mbm_zero[rmid][which] =
            counts_of_lines(m, transfers_of(&sum, p->event_types[which])) + p->mbm_start[rmid][which];
        p->mbm_trail[rmid][which] = (struct mbm_trail){ 0 };
        p->first_read[rmid] &= (uint8_t) ~(1u << (EVENT_TOTAL + which));
    }
}

void rdt_bandwidth_clear(struct model *m, struct domain *p)
{
    for (uint32_t rmid = 0; rmid < m->rmids; rmid++) {
        struct traffic_sum sum = fed(m, p, rmid);

        for (uint32_t which = 0; which < 2; which++)
            p->mbm_zero[rmid][which] =
                counts_of_lines(m, transfers_of(&sum, p->event_types[which])) + p->mbm_start[rmid][which];
    }
}

static bool unavailable(struct model *m, struct domain *p, struct qm_state *qm, uint64_t event, uint64_t rmid)
{
    const struct fault_set *f = &m->faults;
    uint8_t bit = (uint8_t)(1u << event % 8);
    bool first;

    if (fault_on(f, FAULT_QM_UNAVAILABLE) &&
        (f->value[FAULT_QM_UNAVAILABLE] == UINT64_MAX || f->value[FAULT_QM_UNAVAILABLE] == rmid))
        return true;
    if (fault_on(f, FAULT_QM_FLICKERS) && qm->reads++ % 2)
        return true;
    if (!m->profile->amd || event < EVENT_TOTAL || event > EVENT_LOCAL || rmid >= m->rmids)
        return false;
    if (p->ext_cfg & EXT_CFG_ABMC)
        return rdt_abmc_counter_of(m, p, (uint32_t)rmid, (uint32_t)event - EVENT_TOTAL) == m->abmc_counters;
    if (m->realism.value[REALISM_AMD_TRACKED_RMIDS] && !quirk_is_tracked(m, p, (uint32_t)rmid))
        return true;
    first = !(p->first_read[rmid] & bit);
    p->first_read[rmid] |= bit;
    return first && !fault_on(f, FAULT_QM_FIRST_READ_STALE);
}

/* A roll-over since this RMID was read last, under either bandwidth event. */
static uint64_t overflow(struct model *m, struct domain *p, uint32_t rmid, uint32_t event, uint64_t counts)
{
    uint64_t *last = &p->mbm_last[rmid][event - EVENT_TOTAL], before = *last;

    if (fault_on(&m->faults, FAULT_QM_OVERFLOW_STUCK) || fault_on(&m->faults, FAULT_OVERFLOW_FLAG_STUCK))
        return CTR_OVERFLOW;
    if (counts >= before || !fault_on(&m->faults, FAULT_OVERFLOW_FLAG_KEPT))
        *last = counts;
    return m->overflow_bit && counts < before ? CTR_OVERFLOW : 0;
}

/* The L3 that was read a moment ago, if it is another one. */
static struct domain *first_reader(struct model *m, struct domain *p, uint64_t tsc)
{
    uint64_t last = atomic_exchange(&m->race.tsc, tsc), window = m->faults.value[FAULT_QM_READ_RACE];
    uint32_t number = (uint32_t)(p - m->domain), before = atomic_exchange(&m->race.domain, number);

    return before != number && last && (tsc > last ? tsc - last : last - tsc) < window ? &m->domain[before] : p;
}

static uint64_t assigned_counts(struct model *m, struct cpu *c, uint32_t counter, uint64_t tsc)
{
    return flaw_read(m, c, FLAW_ASSIGNED, counter, tsc,
                     counts_of_lines(m, rdt_abmc_lines(m, c, counter)) & low_bits(m->mbm_width));
}

static uint64_t qm_ctr(struct model *m, struct cpu *c, struct qm_state *qm, uint64_t tsc)
{
    const struct fault_set *f = &m->faults;
    struct domain *p = c->domain;
    uint64_t evtsel = qm->evtsel, event, rmid, counts;

    if (fault_on(f, FAULT_QM_STALE) && qm->fresh)
        evtsel = qm->previous;
    qm->fresh = false;
    if (fault_on(f, FAULT_EVTSEL_EVENT_LATE))
        evtsel = (evtsel & ~EVTSEL_EVTID) | qm->event;
    event = field_get(EVTSEL_EVTID, evtsel);
    rmid = field_get(EVTSEL_RMID, evtsel);
    if (fault_on(f, FAULT_QM_READ_RACE))
        p = first_reader(m, p, tsc);
    if (!(evtsel & EVTSEL_EXT) && unavailable(m, p, qm, event, rmid))
        return CTR_UNAVAIL;
    if ((qm->sticky_error || !pair_is_legal(m, c, evtsel)) && !fault_on(f, FAULT_QM_ERROR_NEVER))
        return CTR_ERROR;
    if (!(evtsel & EVTSEL_EXT) && (p->ext_cfg & EXT_CFG_ABMC) && event >= EVENT_TOTAL)
        return assigned_counts(
            m, c,
            rdt_abmc_counter_of(m, p, (uint32_t)rmid,
                                fault_on(f, FAULT_ABMC_LOCAL_IS_TOTAL) ? 0 : (uint32_t)event - EVENT_TOTAL),
            tsc);
    if (evtsel & EVTSEL_EXT)
        return assigned_counts(m, c, (uint32_t)rmid, tsc);
    rmid = rdt_alias(m, (uint32_t)(rmid % m->rmids));
    if (fault_on(f, FAULT_RMID_UPPER_SHIFTED) && rmid >= m->rmids / 2)
        rmid = (rmid + 1) % m->rmids;
    if (fault_on(f, FAULT_MBM_LOCAL_ALIASES) && event == EVENT_LOCAL && rmid >= m->rmids / 2)
        rmid -= m->rmids / 2;
    rmid = flaw_selects(m, c, (uint32_t)event, (uint32_t)rmid);
    if (event != EVENT_TOTAL && event != EVENT_LOCAL) {
        counts = flaw_read(m, c, (uint32_t)event, (uint32_t)rmid, tsc, rdt_occupancy(m, p, (uint32_t)rmid));
        return rdt_stricken(m, FAULT_OCCUPANCY_OF_READER, c) ? counts - counts_of_half(m, p, (uint32_t)rmid) : counts;
    }
    counts = bandwidth_counts(m, p, (uint32_t)rmid, (uint32_t)event, qm, tsc);
    counts = flaw_read(m, c, (uint32_t)event, (uint32_t)rmid, tsc, counts);
    return counts | overflow(m, p, (uint32_t)rmid, (uint32_t)event, counts);
}

enum model_answer rdt_qm_read(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t *value)
{
    struct qm_state *qm = qm_of(m, c);

    if (msr == MSR_QM_EVTSEL) {
        *value = qm->evtsel;
        if (fault_on(&m->faults, FAULT_EVTSEL_LOSES_BIT))
            *value &= ~(BIT(0) << m->faults.value[FAULT_EVTSEL_LOSES_BIT] % 64);
    } else if (msr == MSR_QM_CTR) {
        *value = qm_ctr(m, c, qm, tsc);
    } else {
        return MODEL_NOT_MINE;
    }
    return MODEL_DONE;
}

enum model_answer rdt_qm_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t value)
{
    if (msr == MSR_QM_EVTSEL)
        return evtsel_write(m, c, value);
    if (msr == MSR_QM_CTR)
        return fault_on(&m->faults, FAULT_QM_CTR_WRITABLE) ? MODEL_DONE : MODEL_GP;
    return MODEL_NOT_MINE;
}
