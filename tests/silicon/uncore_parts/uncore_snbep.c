/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_snbep.c: the monitors of the E5-2600 (Sandy Bridge-EP).
 *
 * Sources: 327043-001 chapter 2; Linux uncore_snbep.c; E5-2600 datasheet volume 2 (the datasheet, below).
 *
 * Where they disagree:
 * - U-box: the fixed counter has 48 bits by the text of 2.2.2 and by Linux, 44 by table 2-5: the text is followed.
 * - No global freeze and no overflow report: 327043-001 2.1 describes neither, so the status registers, which the
 *   datasheet and likwid know, stay 0.
 * - Channels: box control bits 1:0 reset and 16 enables the freeze, as Linux uses them and the datasheet has bit 16;
 *   327043-001 table 2-60 says reserved, and then no software could stop a channel. Bit 17 of a counter control is
 *   reserved there (327043-001), bit 16 resets the queue's occupancy (datasheet), which in this model is always that of
 *   the queue: neither does anything, both read 0.
 * - Channel order 16.0, 16.1, 16.4, 16.5 (table 2-59, Linux); PCM has another.
 */
#include "tests/silicon/uncore_parts/uncore_e5.h"

#define FIELDS                                                                                                         \
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .edge_det = BIT(18), .en = BIT(22), .invert = BIT(23),                 \
    .fixed_en = BIT(22)

static const struct uncore_ctl ubox_ctl = { FIELDS, .rst = BIT(17), .thresh = BITS(28, 24) }; /* table 2-2 */
static const struct uncore_ctl cbo_ctl = { FIELDS, .rst = BIT(17), .thresh = BITS(31, 24), .tid_en = BIT(19) };
static const struct uncore_ctl pci_ctl = { FIELDS, .rst = BIT(17), .thresh = BITS(31, 24) };
/* --- U-box, 2.2 */

BOX_TYPE(ubox,
         MONITOR_BITS("U-box", UNIT_UBOX, 2, 44, &ubox_ctl, NULL,
                      REG_LIST(REG_RUN(CTL, 0x10, 2, 1), REG_RUN(CTR, 0x16, 2, 1), REG(FIXED_CTL, 0x08),
                               REG(FIXED_CTR, 0x09), REG(STATUS, 0x15)),
                      e5_ubox_events),
         .count = 1, .base = 0xC00, .fixed_bits = 48);

/* --- CBo, 2.3: one a slice */

/* TOR has no umask for local or remote requests (event file). */
BOX_TYPE(cbo,
         MONITOR_BITS("CBo", UNIT_CBO, 4, 44, &cbo_ctl, &e5_box_ctl,
                      REG_LIST(REG(BOX_CTL, 0x04), REG_RUN(CTL, 0x10, 4, 1), REG(FILTER, 0x14),
                               REG_RUN(CTR, 0x16, 4, 1)),
                      EVENT_LIST(E5_CBO_EVENTS(TOR_ANY_HOME))),
         .number = uncore_slices, .base = 0xD00, .step = 0x20, .filter_kept = BITS(31, 10) | BITS(4, 0),
         .filter_state = BITS(22, 18), .filter_nid = BITS(17, 10), .filter_opc = BITS(31, 23),
         .filter_tid = BITS(4, 0));

/* --- PCU, 2.6 */

BOX_TYPE(pcu,
         MONITOR("PCU", UNIT_PCU, 4, CONTROL(E5_PCU_FIELDS, .invert = BIT(23)), &e5_box_ctl, e5_pcu_regs,
                 e5_pcu_events),
         .count = 1, .base = 0xC00, .clock = CLOCK_PCU, .filter_kept = UINT32_MAX);

/* --- PCI functions */

/* REQUESTS has no umask for local or remote ones, and ADDR_OPC_MATCH matches by both (327043-001 2.4; event file). */
static const struct uncore_event home_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0x01, BITS(1, 0), source_home, .arg = HOME_READ | HOME_LOCAL | HOME_REMOTE),
    EVENT(0x01, BITS(3, 2), source_home, .arg = HOME_WRITE | HOME_LOCAL | HOME_REMOTE),
    EVENT(0x17, BIT(0), source_cas_read, .arg = UNCORE_ALL),
    EVENT(0x1A, BIT(0), source_cas_write, .arg = UNCORE_ALL),
    EVENT(0x20, BITS(1, 0), source_home_match, .arg = HOME_MATCH_ALWAYS),
};
BOX_TYPE(home, MONITOR("HA", UNIT_HA, 4, &pci_ctl, &e5_box_ctl, e5_home_regs, home_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(14, 1, 0x3C46, 0))));

/* Before Haswell-EP an activate of reads and one of writes are one event. */
static const struct uncore_event channel_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0x01, 0, source_cas),
    EVENT(0x02, BIT(1), source_cas),
    EVENT(0x04, BIT(0), source_cas_read),
    EVENT(0x04, BIT(2), source_cas_write),
    EVENT(0x10, 0, source_cas_read),
    EVENT(0x20, 0, source_cas_write),
    EVENT(0x80, 0, source_cas_read, .cycles = QUEUE_CLOCKS, .most = QUEUE_ENTRIES),
    EVENT(0x81, 0, source_cas_write, .cycles = QUEUE_CLOCKS, .most = QUEUE_ENTRIES),
};
BOX_TYPE(channel,
         E5_CHANNELS(CONTROL(FIELDS, .thresh = BITS(31, 24), .fixed_rst = BIT(19)), &e5_box_ctl, channel_events,
                     PLACE_LIST(PCI_AT(16, 0, 0x3CB0, 0), PCI_AT(16, 1, 0x3CB1, 0), PCI_AT(16, 4, 0x3CB4, 0),
                                PCI_AT(16, 5, 0x3CB5, 0))));

BOX_TYPE(link,
         MONITOR("QPI", UNIT_QPI, 4, CONTROL(FIELDS, .rst = BIT(17), .thresh = BITS(31, 24), .ev_sel_ext = BIT(21)),
                 &e5_box_ctl, e5_pci_regs, e5_link_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(8, 2, 0x3C41, 0), PCI_AT(9, 2, 0x3C42, 0))), .clock = CLOCK_LINK);

BOX_TYPE(r2pcie, MONITOR_BITS("R2PCIe", UNIT_R2PCIE, 4, 44, &pci_ctl, &e5_box_ctl, e5_pci_regs, e5_clock1_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(19, 1, 0x3C43, 0))));

BOX_TYPE(r3qpi, MONITOR_BITS("R3QPI", UNIT_R3QPI, 3, 44, &pci_ctl, &e5_box_ctl, e5_pci_regs, e5_clock1_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(19, 5, 0x3C44, 0), PCI_AT(19, 6, 0x3C45, 0))));

/* Without counters: the U-box's own function, packet filters, and functions 0 of devices that have others. */
static const struct uncore_place ubox_places[] = { PCI_AT(11, 0, 0x3CE0, 0) };
BOX_TYPE(ubox_function, FUNCTIONS("U-box function", ubox_places, e5_ubox_function_regs));
BOX_TYPE(match, FUNCTIONS("QPI filter", PLACE_LIST(PCI_AT(8, 6, 0x3C86, 0), PCI_AT(9, 6, 0x3C96, 0)), e5_match_regs));
BOX_TYPE(plain, PLAIN_FUNCTIONS(PLACE_LIST(PCI_AT(8, 0, 0x3C80, 0), PCI_AT(9, 0, 0x3C90, 0), PCI_AT(14, 0, 0x3CA0, 0),
                                           PCI_AT(19, 0, 0x3CE4, 0))));

/* PCU 800 MHz; DDR3-1600; QPI 8 GT/s, whose clock is an eighth of that. */
const struct uncore_part uncore_snbep = {
    OF_TYPES(TYPE_LIST(&ubox, &cbo, &pcu, &home, &channel, &link, &r2pcie, &r3qpi, &ubox_function, &match, &plain)),
    .hz = { [CLOCK_DCLK] = 800000000, [CLOCK_PCU] = 800000000, [CLOCK_LINK] = 1000000000 },
    .pci_buses = 1,
};
