/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_e5.c: tables that the E5 generations share. Events: the public event files of each generation;
 * registers: 327043-001 chapter 2, E5-2600 datasheet volume 2, Linux uncore_snbep.c.
 *
 * CAS: a line is one regular read or one write; there are no underfills and no read-major writes. Pages are closed
 * after each access, so each CAS has one activate and one precharge. Queue entries stay a fixed time (uncore_e5.h), a
 * TOR entry less than the load takes that made it.
 */
#include "tests/silicon/uncore_parts/uncore_e5.h"

const struct uncore_box_ctl e5_box_ctl = { .rst_ctrl = BIT(0), .rst_ctrs = BIT(1), .frz = BIT(8), .frz_en = BIT(16) };

#define PCI_ROWS REG_RUN(CTR, 0xA0, 4, 8, .bytes = 8), REG_RUN(CTL, 0xD8, 4, 4), REG(BOX_CTL, 0xF4), REG(STATUS, 0xF8)
const struct uncore_reg e5_pci_regs[4] = { PCI_ROWS };
const struct uncore_reg e5_home_regs[7] = { PCI_ROWS, REG(KEPT, 0x40, .first = 0, .mask = BITS(31, 6)),
                                            REG(KEPT, 0x44, .first = 1, .mask = BITS(13, 0)),
                                            REG(KEPT, 0x48, .first = 2, .mask = BITS(5, 0)) };
const struct uncore_reg e5_channel_regs[6] = { PCI_ROWS, REG(FIXED_CTR, 0xD0, .bytes = 8), REG(FIXED_CTL, 0xF0) };
/* Packet match and mask. Received at 228H; sent (Haswell-EP, likwid) at 200H: kept, no packet is matched. */
const struct uncore_reg e5_match_regs[8] = {
    REG(KEPT, 0x200, .first = 0, .mask = UINT32_MAX), REG(KEPT, 0x204, .first = 1, .mask = UINT32_MAX),
    REG(KEPT, 0x210, .first = 2, .mask = UINT32_MAX), REG(KEPT, 0x214, .first = 3, .mask = UINT32_MAX),
    REG(KEPT, 0x228, .first = 4, .mask = UINT32_MAX), REG(KEPT, 0x22C, .first = 5, .mask = UINT32_MAX),
    REG(KEPT, 0x238, .first = 6, .mask = UINT32_MAX), REG(KEPT, 0x23C, .first = 7, .mask = UINT32_MAX)
};
const struct uncore_reg e5_ubox_function_regs[2] = { REG(VALUE, 0x40, .source = source_node_id),
                                                     REG(VALUE, 0x54, .source = source_node_map) };

const struct uncore_event e5_ubox_events[1] = { UBOX_MESSAGES(MESSAGE_VLW | MESSAGE_MSI | MESSAGE_IPI |
                                                              MESSAGE_DOORBELL | MESSAGE_INT_PRIO) };
const struct uncore_event e5_ubox_doorbells[1] = { UBOX_MESSAGES(MESSAGE_DOORBELL) };
const struct uncore_event e5_clock0_events[1] = { EVENT(0x00, 0, source_clock) };
const struct uncore_event e5_clock1_events[1] = { EVENT(0x01, 0, source_clock) };

const struct uncore_event e5_pcu_events[6] = {
    EVENT(0x00, 0, source_clock),          EVENT(0x0B, 0, source_band, .arg = 0),
    EVENT(0x0C, 0, source_band, .arg = 1), EVENT(0x0D, 0, source_band, .arg = 2),
    EVENT(0x0E, 0, source_band, .arg = 3), EVENT(0x80, BITS(1, 0), source_core_states, .most = 256),
};

const struct uncore_reg e5_pcu_regs[5] = { REG(BOX_CTL, 0x24), REG_RUN(CTL, 0x30, 4, 1), REG(FILTER, 0x34),
                                           REG(STATUS, 0x35), REG_RUN(CTR, 0x36, 4, 1) };

/* REQUESTS: local and remote apart, from Ivy Bridge-EP on (intel/perfmon ivytown). */
const struct uncore_event e5_home_events[8] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0x01, BIT(0), source_home, .arg = HOME_READ | HOME_LOCAL),
    EVENT(0x01, BIT(1), source_home, .arg = HOME_READ | HOME_REMOTE),
    EVENT(0x01, BIT(2), source_home, .arg = HOME_WRITE | HOME_LOCAL),
    EVENT(0x01, BIT(3), source_home, .arg = HOME_WRITE | HOME_REMOTE),
    EVENT(0x17, BIT(0), source_cas_read, .arg = UNCORE_ALL),
    EVENT(0x1A, BIT(0), source_cas_write, .arg = UNCORE_ALL),
    EVENT(0x20, BITS(1, 0), source_home_match),
};

const struct uncore_event e5_channel_events[10] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0x01, BIT(0), source_cas_read), /* apart from Haswell-EP on */
    EVENT(0x01, BIT(1), source_cas_write),
    EVENT(0x02, BIT(1), source_cas), /* precharges because the page is closed, not because another is wanted */
    EVENT(0x04, BIT(0), source_cas_read),
    EVENT(0x04, BIT(2), source_cas_write),
    EVENT(0x10, 0, source_cas_read),
    EVENT(0x20, 0, source_cas_write),
    EVENT(0x80, 0, source_cas_read, .cycles = QUEUE_CLOCKS, .most = QUEUE_ENTRIES),
    EVENT(0x81, 0, source_cas_write, .cycles = QUEUE_CLOCKS, .most = QUEUE_ENTRIES),
};

/* Flits in groups 0 and, with ev_sel_ext, 1. All data are data responses. */
const struct uncore_event e5_link_events[8] = {
    EVENT(0x14, 0, source_clock),
    EVENT(0x00, BIT(1), source_data_flits, .arg = 0, .most = 2),
    EVENT(0x00, BIT(2), source_other_flits, .arg = 0, .most = 2),
    EVENT(0x01, BIT(1), source_data_flits, .arg = 1, .most = 2),
    EVENT(0x01, BIT(2), source_other_flits, .arg = 1, .most = 2),
    EVENT(0x100, BIT(3), source_data_flits, .arg = 0, .most = 2),
    EVENT(0x102, BIT(3), source_data_flits, .arg = 1, .most = 2),
    EVENT(0x138, 0, source_packets, .most = 2),
};
