/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/rdt/model_erdt.c: RDT registers in memory: occupancy, bandwidth and throttles by region of memory.
 *
 * Source: RDT Architecture Specification 356688 chapter 6; addresses by the table's formulas.
 *
 * Decisions where the documents leave room:
 *   - In total mode (RDT_CTRL.TME, the reset state) bandwidth registers say Unavailable.
 *   - Throttles are stored, in 9 bits a region; they act on nothing here, since in total mode they must not.
 *   - Registers are 8 bytes, and only whole accesses reach them: others read all ones and write nothing.
 */
#include "tests/silicon/rdt/model_erdt.h"

#define MMIO_UNAVAILABLE BIT(63)
#define THROTTLE_FIELDS  (BITS(8, 0) | BITS(24, 16) | BITS(40, 32) | BITS(56, 48))

static struct domain *domain_at(struct model *m, uint64_t at)
{
    uint64_t n = at / ERDT_PART;

    return m->profile->erdt && n < m->domains ? &m->domain[n] : NULL;
}

uint64_t rdt_erdt_bytes(const struct model *m)
{
    return m->profile->erdt ? m->domains * ERDT_PART : 0;
}

void rdt_erdt_reset(struct model *m)
{
    for (uint32_t i = 0; i < m->domains; i++) {
        struct erdt *e = &m->domain[i].erdt;

        e->control = RDT_CTRL_TME;
        for (uint32_t n = 0; n < ERDT_CLASSES; n++)
            e->throttle[0][n] = e->throttle[1][n] = e->throttle[2][n] = THROTTLE_FIELDS;
    }
    if (fault_on(&m->faults, FAULT_ERDT_MODE_MIXED))
        m->domain[m->domains - 1].erdt.control = 0;
    for (uint32_t i = 0; i < m->domains && fault_on(&m->faults, FAULT_ERDT_THROTTLE_LEFT); i++) {
        m->domain[i].erdt.control = 0;
        m->domain[i].erdt.throttle[0][1] = 0x40;
    }
}

/* The RMID whose occupancy lies here: base + (r / clump) * stride + (r mod clump) * 8. m->rmids: none. */
static uint32_t cmt_rmid(const struct model *m, uint64_t at)
{
    uint64_t rmid = at / ERDT_STRIDE * ERDT_CLUMP + at % ERDT_STRIDE / 8;

    return at % ERDT_STRIDE / 8 < ERDT_CLUMP && rmid < m->rmids ? (uint32_t)rmid : m->rmids;
}

static uint64_t cmt(struct model *m, struct domain *p, uint64_t at)
{
    uint32_t rmid = cmt_rmid(m, at);

    if (rmid == m->rmids)
        return UINT64_MAX;
    if (fault_on(&m->faults, FAULT_ERDT_OCCUPANCY))
        rmid = (rmid + 1) % m->rmids;
    return rdt_occupancy(m, p, rmid);
}

/* base + ((r mod 32) / 8) * 16384 + ((r / 32) * 8 + r mod 8) * 8 + g * 2048 */
static uint64_t mbm(struct model *m, struct domain *p, uint64_t at)
{
    uint32_t region = (uint32_t)(at % 16384 / 2048), slot = (uint32_t)(at % 2048 / 8);
    uint32_t rmid = slot / 8 * 32 + (uint32_t)(at / 16384) * 8 + slot % 8;
    struct traffic_sum sum;

    if (rmid >= m->rmids || region >= REGIONS)
        return UINT64_MAX;
    if (p->erdt.control & RDT_CTRL_TME)
        return MMIO_UNAVAILABLE;
    sum = traffic_of(m, p->seen, rmid, ALL_PARTS);
    return transfers_of(&sum, region == REGION_LOCAL ? COUNTS_LOCAL_READS : COUNTS_REMOTE_READS) * 64 / m->scale;
}

static uint64_t *throttle(struct domain *p, uint64_t at)
{
    uint64_t which = at / ERDT_PAGE, clos = at % ERDT_PAGE / 8;

    return which < 3 && clos < ERDT_CLASSES ? &p->erdt.throttle[which][clos] : NULL;
}

uint64_t rdt_erdt_read(struct model *m, uint64_t at, uint32_t bytes)
{
    struct domain *p = domain_at(m, at);
    uint64_t in = at % ERDT_PART, value = UINT64_MAX;
    const uint64_t *t;

    if (!p || bytes != 8 || at % 8)
        return low_bits(8 * bytes);
    pthread_mutex_lock(&p->lock);
    if (in == ERDT_CONTROL)
        value = p->erdt.control;
    else if (in >= ERDT_CMT && in < ERDT_CMT + erdt_cmt_pages(m) * ERDT_PAGE)
        value = cmt(m, p, in - ERDT_CMT);
    else if (in >= ERDT_MBM && in < ERDT_MBM + ERDT_MBM_PAGES * ERDT_PAGE)
        value = mbm(m, p, in - ERDT_MBM);
    else if (in >= ERDT_MBA && (t = throttle(p, in - ERDT_MBA)) != NULL)
        value = *t;
    pthread_mutex_unlock(&p->lock);
    return value;
}

void rdt_erdt_write(struct model *m, uint64_t at, uint32_t bytes, uint64_t value)
{
    struct domain *p = domain_at(m, at);
    uint64_t in = at % ERDT_PART, *t;

    if (!p || bytes != 8 || at % 8)
        return;
    pthread_mutex_lock(&p->lock);
    if (in == ERDT_CONTROL)
        p->erdt.control = value & RDT_CTRL_TME;
    else if (in >= ERDT_MBA && (t = throttle(p, in - ERDT_MBA)) != NULL)
        *t = value & THROTTLE_FIELDS;
    pthread_mutex_unlock(&p->lock);
}
