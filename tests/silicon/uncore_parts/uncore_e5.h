/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_e5.h: what the monitors of the E5 generations have in common. Part files say where boxes
 * are, how wide their counters are and which fields their controls have. */
#pragma once
#include "core/base/bits.h"
#include "tests/silicon/uncore/uncore.h"

/* A type of boxes, and the tables of one that no other has. */
#define BOX_TYPE(name, ...) static const struct uncore_box_type name = { __VA_ARGS__ }
#define REG_LIST(...)       ((const struct uncore_reg[]){ __VA_ARGS__ })
#define PLACE_LIST(...)     ((const struct uncore_place[]){ __VA_ARGS__ })
#define EVENT_LIST(...)     ((const struct uncore_event[]){ __VA_ARGS__ })
#define TYPE_LIST(...)      ((const struct uncore_box_type *const[]){ __VA_ARGS__ })
#define CONTROL(...)        (&(const struct uncore_ctl){ __VA_ARGS__ })
#define OF_TYPES(a)         .types = a, .n_types = COUNT_OF(a)
#define COUNT_OF(a)         (sizeof a / sizeof a[0])
#define ROWS(a)             .regs = a, .n_regs = COUNT_OF(a)
#define EVENTS(a)           .events = a, .n_events = COUNT_OF(a)
#define PLACES(a)           .access = UNCORE_PCI, .places = a, .n_places = COUNT_OF(a)
#define PCI_PMON            0x110100u /* class of most functions that hold monitors: performance counters */
#define TOR_HIT_CLOCKS      30u       /* UCLK that a request which hits stays in the table */
#define TOR_MISS_CLOCKS     110u      /* 50 ns at 2.2 GHz, of a load that takes 75 ns or more (profile_times.c) */
#define QUEUE_CLOCKS        40u       /* DCLK that a request stays in a queue of the memory controller */
#define TOR_ENTRIES         20u
#define QUEUE_ENTRIES       32u

/* A monitor, all of whose counters have 48 bits, or another number of bits; one on each of some PCI functions. */
#define MONITOR(name_, unit_, counters_, ctl_, box_ctl_, regs_, events_)                                               \
    MONITOR_BITS(name_, unit_, counters_, 48, ctl_, box_ctl_, regs_, events_)
#define MONITOR_BITS(name_, unit_, counters_, bits_, ctl_, box_ctl_, regs_, events_)                                   \
    .name = name_, .unit = unit_, .counters = counters_, .counter_bits = bits_, .ctl = ctl_, .box_ctl = box_ctl_,      \
    ROWS(regs_), EVENTS(events_)
#define PCI_MONITOR(places_) PLACES(places_), .count = COUNT_OF(places_), .pci_class = PCI_PMON
/* PCI functions without counters: with registers, without any. */
#define FUNCTIONS(name_, places_, regs_)                                                                               \
    .name = name_, .unit = UNIT_FUNCTION, PLACES(places_), .count = COUNT_OF(places_), ROWS(regs_)
#define PLAIN_FUNCTIONS(places_) .name = "function", .unit = UNIT_FUNCTION, PLACES(places_), .count = COUNT_OF(places_)
/* Channels of the memory controller, of which a package uses some. */
#define E5_CHANNELS(ctl_, box_ctl_, events_, places_)                                                                  \
    MONITOR("iMC", UNIT_IMC, 4, ctl_, box_ctl_, e5_channel_regs, events_), PLACES(places_),                            \
        .number = uncore_channels, .fixed_bits = 48, .clock = CLOCK_DCLK, .status_first = 1

/* Box control, SNB-EP, HSX, BDX: 327043-001 chapter 2. */
extern const struct uncore_box_ctl e5_box_ctl;

/* Registers of a PCI box; of a home agent, which matches addresses and opcodes; of a channel, which has a fixed counter
 * too; match and mask registers beside a link. */
extern const struct uncore_reg e5_pci_regs[4], e5_home_regs[7], e5_channel_regs[6], e5_match_regs[8],
    e5_ubox_function_regs[2];

/* U-box from Haswell-EP to Ice Lake-SP, after the global registers. */
#define E5_UBOX_ROWS                                                                                                   \
    REG(FIXED_CTL, 0x3), REG(FIXED_CTR, 0x4), REG_RUN(CTL, 0x5, 2, 1), REG(FILTER, 0x7), REG(STATUS, 0x8),             \
        REG_RUN(CTR, 0x9, 2, 1)

/* PCU to Ice Lake-SP: cores of the occupancy in 15:14 (329468-002 2.7: "occ_sel", 13:8 reserved), its invert and edge
 * in 31:30 (327043-001 2.6: "occ_invert", "occ_edge_det"), extended event select in 21 (event files). */
#define E5_PCU_FIELDS                                                                                                  \
    .ev_sel = BITS(7, 0), .ev_sel_ext = BIT(21), .umask = BITS(15, 14), .rst = BIT(17), .edge_det = BIT(18),           \
    .en = BIT(22), .thresh = BITS(28, 24), .occ_invert = BIT(30), .occ_edge = BIT(31)

/* EVENT_MSG, by the sub-events that a part's event file has: all of them; from Haswell-EP to Broadwell-DE doorbells
 * alone. */
#define UBOX_MESSAGES(kinds) EVENT(0x42, (kinds), source_message, .arg = (kinds))
extern const struct uncore_event e5_ubox_events[1], e5_ubox_doorbells[1];
extern const struct uncore_event e5_pcu_events[6];
extern const struct uncore_event e5_home_events[8];
/* CBo, and registers of the PCU, before Haswell-EP: 327043-001 2.3 and 2.6. Look-ups, TOR and victims by counters 0 and
 * 1 alone. homes: 0, or TOR_ANY_HOME. */
#define E5_CBO_EVENTS(homes)                                                                                           \
    EVENT(0x00, 0, source_clock), EVENT(0x34, 0, source_e5_lookup, .counters = BITS(1, 0)),                            \
        EVENT(0x35, 0, source_e5_tor, .arg = TOR_AT(BITS(2, 0)) | (homes), .counters = BITS(1, 0)),                    \
        E5_TOR_OCCUPANCY(homes), EVENT(0x37, BIT(0), source_victim, .arg = BIT(3), .counters = BITS(1, 0)), /* M */    \
        EVENT(0x37, BIT(1), source_victim, .arg = BIT(2), .counters = BITS(1, 0)),                          /* E */    \
        EVENT(0x37, BIT(2), source_victim, .arg = BIT(1), .counters = BITS(1, 0))                           /* S */
extern const struct uncore_reg e5_pcu_regs[5];
extern const struct uncore_event e5_channel_events[10];
extern const struct uncore_event e5_link_events[8];
extern const struct uncore_event e5_clock0_events[1], e5_clock1_events[1]; /* clock is event 00, 01 */
/* Victims by state in umask bits 0 to 3, and TOR: the same but for the counters that can count them. */
#define E5_TOR_OCCUPANCY(homes)                                                                                        \
    EVENT(0x36, 0, source_e5_tor, .arg = TOR_AT(BIT(0)) | (homes), .cycles = TOR_HIT_CLOCKS, .most = TOR_ENTRIES,      \
          .counters = BIT(0)),                                                                                         \
        EVENT(0x36, 0, source_e5_tor, .arg = TOR_AT(BITS(2, 1)) | (homes), .cycles = TOR_MISS_CLOCKS,                  \
              .most = TOR_ENTRIES, .counters = BIT(0))
