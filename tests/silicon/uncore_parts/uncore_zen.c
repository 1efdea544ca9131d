/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_zen.c: the monitors of AMD: L3 of each core complex, data fabric, memory controllers.
 *
 * Sources: Linux arch/x86/events/amd/uncore.c and its event files, likwid.
 *
 * - Control and counter take turns: control 2 * i, counter 2 * i + 1. There is neither a box control nor a status; a
 *   counter stops when its enable is cleared. Nothing freezes them.
 * - L3: the slice mask is applied, and a thread mask of 0 lets nothing pass. No look-up knows its core or thread, so
 *   otherwise those fields let all of them pass. Access is event 04H, as Linux has it.
 * - Family 17H's L3 control has a bit for each of four slices and one for each thread; without any of either nothing is
 *   counted (Linux commit d7cbbe49a930).
 * - Data fabric: traffic of memory channels, 64 bytes a count. Zen: one a node, with the two channels of that (Linux keeps one
 *   for each node id). Zen 2 and 3: event 07H + 40H for each channel, reads and
 * writes together (likwid). Zen 4: event 1FH + 40H for each, umask FFEH reads and FFFH writes (event file). Whoever
 *   partitions the memory (NPS) sees the same.
 * - Memory controllers (Zen 4 on): 48 bits, which do not wrap: a counter stops at all ones with bit 48 set, until
 *   software writes it. Pages are closed after each access. Slots of the data bus (14H or 12H, sources disagree) are
 *   not counted.
 * - Fabric and memory run at the same clock: DDR4-2666, DDR4-3200, DDR5-4800.
 */
#include "tests/silicon/uncore_parts/uncore_server.h"
#include "tests/silicon/uncore/model_uncore_internal.h"

#define PAIRS(n) REG_RUN(CTL, 0, n, 2), REG_RUN(CTR, 1, n, 2)

/* --- L3 */

#define L3_ALL_SLICES BIT(46)
#define L3_SLICE      BITS(50, 48)
#define L3_THREADS    BITS(57, 56)

/* arg: SLICE_HIT or SLICE_MISS. */
static uint64_t source_l3(const struct uncore_look *l, uint64_t arg)
{
    uint64_t requests = BIT(LOOKUP_READ) | BIT(LOOKUP_CODE) | BIT(LOOKUP_RFO);

    if (!(l->ctl & L3_THREADS))
        return 0;
    if ((l->ctl & L3_ALL_SLICES) || fault_on(&l->m->faults, FAULT_L3PMC_SLICE_IGNORED))
        return source_lookup(l, requests | arg);
    return source_lookup(l, requests | arg | SLICE_ONLY(field_get(L3_SLICE, l->ctl)));
}

static const struct uncore_ctl l3_ctl = {
    .ev_sel = BITS(7, 0),
    .umask = BITS(15, 8),
    .en = BIT(22),
    .kept = BITS(57, 56) | BITS(50, 46) | BITS(44, 42),
};
static const struct uncore_reg l3_regs[] = { PAIRS(6) };
#define ZEN_SLICES     BITS(51, 48)
#define ZEN_L3_THREADS BITS(63, 56)

/* As source_l3. */
static uint64_t source_zen_l3(const struct uncore_look *l, uint64_t arg)
{
    uint64_t requests = BIT(LOOKUP_READ) | BIT(LOOKUP_CODE) | BIT(LOOKUP_RFO), slices = field_get(ZEN_SLICES, l->ctl);
    uint64_t sum = 0;

    if (fault_on(&l->m->faults, FAULT_L3PMC_SLICE_IGNORED) && slices)
        slices = BITS(3, 0);
    for (uint32_t i = 0; i < 4 && (l->ctl & ZEN_L3_THREADS); i++)
        if (slices >> i & 1)
            sum += source_lookup(l, requests | arg | SLICE_ONLY(i));
    return sum;
}

static const struct uncore_ctl zen_l3_ctl = {
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .en = BIT(22), .kept = ZEN_L3_THREADS | ZEN_SLICES
};
#define L3_BOX(ctl_, events_)                                                                                          \
    .name = "L3", .unit = UNIT_L3, .scope = SCOPE_DOMAIN, .base = 0xC0010230, .counters = 6, .counter_bits = 48,       \
    .clock = CLOCK_CORE, .ctl = &(ctl_), ROWS(l3_regs), EVENTS(events_)
BOX_TYPE(l3, L3_BOX(l3_ctl, EVENT_LIST(EVENT(0x04, BIT(0), source_l3, .arg = SLICE_MISS),
                                       EVENT(0x04, BITS(7, 1), source_l3, .arg = SLICE_HIT))));
BOX_TYPE(zen_l3, L3_BOX(zen_l3_ctl, EVENT_LIST(EVENT(0x04, BIT(0), source_zen_l3, .arg = SLICE_MISS),
                                               EVENT(0x04, BITS(7, 1), source_zen_l3, .arg = SLICE_HIT))));

/* --- data fabric: one for the package, on Zen for the node */

#define FABRIC(name_, scope_, counters_, ctl_, regs_, events_)                                                         \
    .name = name_, .unit = UNIT_DF, .scope = scope_, .count = 1, .base = 0xC0010240, .counters = counters_,            \
    .counter_bits = 48, .clock = CLOCK_DCLK, .ctl = ctl_, ROWS(regs_), EVENTS(events_)
/* Of the package's channels that one is which the fault names. */
static bool is_channel(const struct uncore_look *l, enum fault_id fault, uint64_t channel)
{
    return fault_on(&l->m->faults, fault) && channel == fault_place(&l->m->faults, fault, uncore_channels(l->m));
}

static uint64_t fabric_lines(const struct uncore_look *l, uint64_t channel, uint64_t lines)
{
    return is_channel(l, FAULT_DF_CHANNEL_DEAD, channel)     ? 0
           : is_channel(l, FAULT_DF_CHANNEL_DOUBLE, channel) ? 2 * lines
                                                             : lines;
}

uint64_t source_fabric_cas(const struct uncore_look *l, uint64_t arg)
{
    return fabric_lines(l, arg, source_cas(l, arg + 1));
}

static const struct uncore_ctl zen3_fabric_ctl = {
    .ev_sel = BITS(7, 0),
    .ev_sel_ext = BITS(60, 59) | BITS(35, 32),
    .umask = BITS(15, 8),
    .en = BIT(22),
};
static const struct uncore_reg zen3_fabric_regs[] = { PAIRS(4) };
#define ZEN3_CHANNEL(n) EVENT(0x07 + 0x40 * (n), BITS(5, 3), source_fabric_cas, .arg = (n))
static const struct uncore_event zen3_fabric_events[] = {
    ZEN3_CHANNEL(0), ZEN3_CHANNEL(1), ZEN3_CHANNEL(2), ZEN3_CHANNEL(3),
    ZEN3_CHANNEL(4), ZEN3_CHANNEL(5), ZEN3_CHANNEL(6), ZEN3_CHANNEL(7),
};
BOX_TYPE(zen3_fabric, FABRIC("data fabric", SCOPE_PACKAGE, 4, &zen3_fabric_ctl, zen3_fabric_regs, zen3_fabric_events));

/* Channel arg of the box's node. */
static uint64_t source_node_cas(const struct uncore_look *l, uint64_t arg)
{
    return arg < l->m->channels ? source_fabric_cas(l, l->box->index * l->m->channels + arg) : 0;
}

BOX_TYPE(zen_fabric, FABRIC("data fabric", SCOPE_NODE, 4, &zen3_fabric_ctl, zen3_fabric_regs,
                            EVENT_LIST(EVENT(0x07, BITS(5, 3), source_node_cas, .arg = 0),
                                       EVENT(0x47, BITS(5, 3), source_node_cas, .arg = 1))));

/* arg: channel. */
static uint64_t source_beats(const struct uncore_look *l, uint64_t arg)
{
    uint64_t umask = field_get(BITS(15, 8), l->ctl) | field_get(BITS(27, 24), l->ctl) << 8;

    return fabric_lines(l, arg,
                        umask == 0xFFE   ? source_cas_read(l, arg + 1)
                        : umask == 0xFFF ? source_cas_write(l, arg + 1)
                                         : 0);
}

static const struct uncore_ctl zen4_fabric_ctl = {
    .ev_sel = BITS(7, 0),
    .ev_sel_ext = BITS(37, 32),
    .umask = BITS(15, 8),
    .en = BIT(22),
    .kept = BITS(27, 24),
};
#define ZEN4_CHANNEL(n) EVENT(0x1F + 0x40 * (n), 0, source_beats, .arg = (n))
static const struct uncore_event zen4_fabric_events[] = {
    ZEN4_CHANNEL(0), ZEN4_CHANNEL(1), ZEN4_CHANNEL(2), ZEN4_CHANNEL(3), ZEN4_CHANNEL(4),  ZEN4_CHANNEL(5),
    ZEN4_CHANNEL(6), ZEN4_CHANNEL(7), ZEN4_CHANNEL(8), ZEN4_CHANNEL(9), ZEN4_CHANNEL(10), ZEN4_CHANNEL(11),
};
BOX_TYPE(zen4_fabric,
         FABRIC("data fabric", SCOPE_PACKAGE, 16, &zen4_fabric_ctl, REG_LIST(PAIRS(16)), zen4_fabric_events));

/* --- memory controllers */

/* CAS: read/write mask 0 both, 1 reads, 2 writes. */
static uint64_t source_umc_cas(const struct uncore_look *l, uint64_t)
{
    uint64_t which = field_get(l->box->type->ctl->umask, l->ctl);

    if (is_channel(l, FAULT_UMC_CHANNEL_DEAD, l->box->index))
        return 0;
    return (which != 2 ? source_cas_read(l, 0) : 0) + (which != 1 ? source_cas_write(l, 0) : 0);
}

static const struct uncore_event umc_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0x05, 0, source_umc_cas), /* an activate and a precharge for each CAS */
    EVENT(0x06, 0, source_umc_cas),
    EVENT(0x0A, 0, source_umc_cas),
};
BOX_TYPE(umc, .name = "UMC", .unit = UNIT_UMC, .number = uncore_channels, .base = 0xC0010800, .step = 8, .counters = 4,
         .counter_bits = 48, .clock = CLOCK_DCLK,
         .ctl = CONTROL(.ev_sel = BITS(7, 0), .umask = BITS(9, 8), .en = BIT(31)), .saturates = true,
         ROWS(REG_LIST(PAIRS(4))), EVENTS(umc_events));

#define PART(dclk, core, ...)                                                                                          \
    BRACED(OF_TYPES(TYPE_LIST(__VA_ARGS__)), .hz = { [CLOCK_DCLK] = UINT64_C(dclk), [CLOCK_CORE] = UINT64_C(core) })
const struct uncore_part uncore_zen1 = PART(1333333333, 2000000000, &zen_l3, &zen_fabric);
const struct uncore_part uncore_zen2 = PART(1600000000, 3900000000, &zen_l3, &zen3_fabric);
const struct uncore_part uncore_zen3 = PART(1600000000, 2450000000, &l3, &zen3_fabric);
const struct uncore_part uncore_zen4 = PART(2400000000, 2400000000, &l3, &zen4_fabric, &umc);
