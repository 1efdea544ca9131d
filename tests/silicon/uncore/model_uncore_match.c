/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/model_uncore_match.c: home agents that match requests by address and opcode, and links that match
 * packets. See model_uncore_match.h.
 *
 * Sources: 327043-001 2.4.3.2 (HA match registers, tables 2-37 to 2-39), 2.7.3.3 (packet match and mask registers, tables
 * 2-88 to 2-91), 2.10 (packet matching reference); 329468-002 tables 2-42 to 2-44, 2-133 to 2-136, 2.11.
 *
 * A read is RdData, RdCode or RdInvOwn by what the processor wanted, a line written back WbMtoI, one stored whole past the
 * caches InvItoE; data come as DataC in state E, and go as WbIData. Packets go by VNA. What requests a home got is counted
 * from the first write of a match register on.
 */
#include "tests/silicon/uncore/model_uncore_match.h"
#include "core/base/search.h"
#include "tests/silicon/uncore/model_uncore_internal.h"

#include <string.h>

#define CLASS_HOM0 0x0u
#define CLASS_DRS  0xEu
#define DATAC      0x0u
#define WB_I_DATA  0x4u
#define WB_M_TO_I  0xCu

/* By enum tor_opcode: of class HOM0. */
static const uint8_t home_opcode[TOR_OPCODES] = {
    [TOR_DRD] = 0x2, [TOR_CRD] = 0x1, [TOR_RFO] = 0x4, [TOR_WRITE_BACK] = WB_M_TO_I, [TOR_NT_STORE] = 0x8
};

static uint64_t get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit((_Atomic uint64_t *)(uintptr_t)counter, memory_order_relaxed);
}

/* --- home agent */

#define LOW_ADDRESS  BITS(31, 6)
#define HIGH_ADDRESS BITS(13, 0)
#define OPCODE       BITS(3, 0)
#define OPCODE_CLASS BITS(5, 4) /* of the AD ring: 0 is HOM0 */
#define BY_ADDRESS   BIT(0)
#define BY_OPCODE    BIT(1)

void uncore_match_written(struct model *m, const struct uncore_box *b)
{
    struct uncore *u = uncore_of(m, b->package);
    uint64_t address = (b->kept[1] & HIGH_ADDRESS) << 32 | (b->kept[0] & LOW_ADDRESS);

    if (b->type->unit == UNIT_HA)
        atomic_store_explicit(&m->package[b->package].home.line, address >> MODEL_LINE_SHIFT, memory_order_relaxed);
    if (b->type->unit == UNIT_HA || b->type->unit == UNIT_FUNCTION)
        atomic_store_explicit(&m->home_watched, true, memory_order_relaxed);
    for (uint32_t i = 0; b->type->unit == UNIT_FUNCTION && i < u->boxes; i++)
        if (u->box[i].type->unit == UNIT_QPI)
            uncore_settle(m, &u->box[i], true);
}

uint64_t source_home_match(const struct uncore_look *l, uint64_t arg)
{
    const struct home_watch *w = &l->m->package[l->box->package].home;
    uint64_t by = field_get(l->box->type->ctl->umask, l->ctl) & (BY_ADDRESS | BY_OPCODE), wanted = l->box->kept[2];
    bool any = fault_on(&l->m->faults, FAULT_HOME_OPCODE_IGNORED);
    uint64_t sum = 0;

    if (by == 0 || (arg == HOME_MATCH_ALWAYS && by != (BY_ADDRESS | BY_OPCODE)))
        return 0;
    for (uint32_t o = 0; o < TOR_OPCODES; o++)
        if (!(by & BY_OPCODE) || any ||
            (field_get(OPCODE_CLASS, wanted) == CLASS_HOM0 && field_get(OPCODE, wanted) == home_opcode[o]))
            sum += by & BY_ADDRESS && !fault_on(&l->m->faults, FAULT_HOME_ADDRESS_IGNORED)
                       ? get(&w->of_line[o])
                       : get(&w->requests[0][o]) + get(&w->requests[1][o]);
    return sum;
}

/* --- links */

uint64_t uncore_link_packets(const struct uncore_look *l, bool received, enum link_packets which)
{
    uint32_t self = l->box->package;
    uint64_t sum = 0;

    for (uint32_t other = 0; other < l->m->packages; other++) {
        uint32_t from = received ? other : self, to = received ? self : other;

        if (other == self)
            continue;
        if (which == PACKETS_RESPONSES)
            sum += uncore_share(l, uncore_lines_between(l->m, to, from, false));
        else
            sum += uncore_share(l, uncore_lines_between(l->m, from, to, which == PACKETS_WRITES));
    }
    return sum;
}

/* Of the match and mask registers, by kept[] of the filter function: those of what is received. */
enum { MATCH0 = 4, MATCH1, MASK0, MASK1 };
#define VNW    BITS(4, 3)
#define OPC    BITS(8, 5)
#define MC     BITS(12, 9)
#define DNID   BITS(17, 13)
#define RDS    BITS(19, 16) /* of the second register */
#define VNA    2u
#define RDS_E  4u
#define FILTER "QPI filter"

/* The filter function of a port. */
static const struct uncore_box *filter_of(const struct uncore_look *l)
{
    const struct uncore *u = uncore_of(l->m, l->box->package);

    return FIND(i, u->boxes,
                u->box[i].type->unit == UNIT_FUNCTION && !strcmp(u->box[i].type->name, FILTER) &&
                    u->box[i].index == l->box->index,
                &u->box[i], NULL);
}

static bool passes(const struct uncore_look *l, const struct uncore_box *filter, uint32_t class, uint32_t opcode,
                   uint32_t state)
{
    uint64_t low =
        field_put(VNW, VNA) | field_put(OPC, opcode) | field_put(MC, class) | field_put(DNID, filter->package);
    uint64_t high = field_put(RDS, state);

    if (fault_on(&l->m->faults, FAULT_PACKET_MATCH_IGNORED))
        return true;
    return ((low ^ filter->kept[MATCH0]) & filter->kept[MASK0]) == 0 &&
           ((high ^ filter->kept[MATCH1]) & filter->kept[MASK1]) == 0;
}

uint64_t source_packets(const struct uncore_look *l, uint64_t)
{
    const struct home_watch *w = &l->m->package[l->box->package].home;
    const struct uncore_box *filter = filter_of(l);
    uint64_t sum = 0;

    if (!filter)
        return 0;
    for (uint32_t o = 0; o < TOR_OPCODES; o++)
        if (passes(l, filter, CLASS_HOM0, home_opcode[o], 0))
            sum += uncore_share(l, get(&w->requests[0][o]));
    if (passes(l, filter, CLASS_DRS, DATAC, RDS_E))
        sum += uncore_link_packets(l, true, PACKETS_RESPONSES);
    if (passes(l, filter, CLASS_DRS, WB_I_DATA, 0))
        sum += uncore_link_packets(l, true, PACKETS_WRITES);
    return sum;
}
