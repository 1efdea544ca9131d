/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_ivbep.c: the monitors of the E5-2600 v2 (Ivy Bridge-EP), which 329468-002 describes.
 *
 * Sources: 329468-002 chapter 2; Linux uncore_snbep.c (ivbep_*); public event file (IVT); likwid for the bits of boxes
 * in the global status.
 *
 * Beside Sandy Bridge-EP: a global control with freeze (31) and unfreeze (29), overflow enables (20), statuses, a
 * freeze on overflow; no freeze enable in a box control, whose bits 17:16 software has to write 1 (table 2-72 and its
 * like: here they are kept, and nothing hangs on them); 64 bits of filter in two registers.
 *
 * - There is no invert: Linux leaves bit 23 out of its masks (IVBEP_PMON_RAW_EVENT_MASK).
 * - IRP: counters at A0H, B0H, B8H and C0H (Linux; likwid).
 * - A CBo has no status register that a source names: its overflows show in the global status.
 * - Filter states 22:17, of which the low five are I, S, E, M, F as on Sandy Bridge-EP.
 * - One home agent and one memory controller, channels in the order 16.4, 16.5, 16.0, 16.1 (Linux, PCM).
 */
#include "tests/silicon/uncore_parts/uncore_e5.h"

#define FIELDS                                                                                                         \
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .rst = BIT(17), .edge_det = BIT(18), .ov_en = BIT(20), .en = BIT(22),  \
    .fixed_en = BIT(22), .fixed_ov_en = BIT(20)

static const struct uncore_ctl pci_ctl = { FIELDS, .thresh = BITS(31, 24) };
static const struct uncore_box_ctl box_ctl = {
    .rst_ctrl = BIT(0), .rst_ctrs = BIT(1), .frz = BIT(8), .kept = BITS(17, 16)
};

/* --- MSR boxes */

static const struct uncore_reg ubox_regs[] = {
    REG(GLOBAL_CTL, 0x00),    REG(GLOBAL_STATUS, 0x01, .mask = UINT32_MAX),
    REG(VALUE, 0x06), /* U_MSR_PMON_GLOBAL_CONFIG */
    REG(FIXED_CTL, 0x08),     REG(FIXED_CTR, 0x09),
    REG_RUN(CTL, 0x10, 2, 1), REG(STATUS, 0x15),
    REG_RUN(CTR, 0x16, 2, 1),
};
BOX_TYPE(ubox,
         MONITOR_BITS("U-box", UNIT_UBOX, 2, 44, CONTROL(FIELDS, .thresh = BITS(28, 24)), NULL, ubox_regs,
                      e5_ubox_events),
         .count = 1, .base = 0xC00, .fixed_bits = 48, .status_fixed = 2, .global_first = 1);

BOX_TYPE(cbo,
         MONITOR_BITS("CBo", UNIT_CBO, 4, 44, CONTROL(FIELDS, .thresh = BITS(31, 24), .tid_en = BIT(19)), &box_ctl,
                      REG_LIST(REG(BOX_CTL, 0x04), REG_RUN(CTL, 0x10, 4, 1), REG_RUN(FILTER, 0x14, 2, 6),
                               REG_RUN(CTR, 0x16, 4, 1)),
                      EVENT_LIST(E5_CBO_EVENTS(0))),
         .number = uncore_slices, .base = 0xD00, .step = 0x20,
         .filter_kept = BITS(63, 52) | BITS(47, 32) | BITS(22, 17) | BITS(8, 0), .filter_state = BITS(22, 17),
         .filter_nid = BITS(47, 32), .filter_opc = BITS(60, 52), .filter_tid = BITS(4, 0), .global_first = 3);

BOX_TYPE(pcu,
         MONITOR("PCU", UNIT_PCU, 4, CONTROL(E5_PCU_FIELDS, .ov_en = BIT(20)), &box_ctl, e5_pcu_regs, e5_pcu_events),
         .count = 1, .base = 0xC00, .clock = CLOCK_PCU, .filter_kept = UINT32_MAX, .global_first = 2);

/* --- PCI functions */

BOX_TYPE(home, MONITOR("HA", UNIT_HA, 4, &pci_ctl, &box_ctl, e5_home_regs, e5_home_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(14, 1, 0x0E30, 0))), .global_first = 18);

BOX_TYPE(channel,
         E5_CHANNELS(CONTROL(FIELDS, .thresh = BITS(31, 24), .fixed_rst = BIT(19)), &box_ctl, e5_channel_events,
                     PLACE_LIST(PCI_AT(16, 4, 0x0EB4, 0), PCI_AT(16, 5, 0x0EB5, 0), PCI_AT(16, 0, 0x0EB0, 0),
                                PCI_AT(16, 1, 0x0EB1, 0))),
         .global_first = 20, .global_share = 4);

BOX_TYPE(link,
         MONITOR("QPI", UNIT_QPI, 4, CONTROL(FIELDS, .thresh = BITS(31, 24), .ev_sel_ext = BIT(21)), &box_ctl,
                 e5_pci_regs, e5_link_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(8, 2, 0x0E32, 0), PCI_AT(9, 2, 0x0E33, 0))), .clock = CLOCK_LINK,
         .global_first = 22);

BOX_TYPE(irp,
         MONITOR("IRP", UNIT_IRP, 4, &pci_ctl, &box_ctl,
                 REG_LIST(REG(CTR, 0xA0, .bytes = 8), REG_RUN(CTR, 0xB0, 3, 8, .first = 1, .bytes = 8),
                          REG_RUN(CTL, 0xD8, 4, 4), REG(BOX_CTL, 0xF4), REG(STATUS, 0xF8)),
                 e5_clock0_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(5, 6, 0x0E39, 0))));

BOX_TYPE(r2pcie, MONITOR_BITS("R2PCIe", UNIT_R2PCIE, 4, 44, &pci_ctl, &box_ctl, e5_pci_regs, e5_clock1_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(19, 1, 0x0E34, 0))), .global_first = 26);
BOX_TYPE(r3qpi, MONITOR_BITS("R3QPI", UNIT_R3QPI, 3, 44, &pci_ctl, &box_ctl, e5_pci_regs, e5_clock1_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(19, 5, 0x0E36, 0), PCI_AT(19, 6, 0x0E37, 0))), .global_first = 24);

/* Without counters: as on Sandy Bridge-EP. */
static const struct uncore_place ubox_places[] = { PCI_AT(11, 0, 0x0E1E, 0) };
BOX_TYPE(ubox_function, FUNCTIONS("U-box function", ubox_places, e5_ubox_function_regs));
BOX_TYPE(match, FUNCTIONS("QPI filter", PLACE_LIST(PCI_AT(8, 6, 0x0E86, 0), PCI_AT(9, 6, 0x0E96, 0)), e5_match_regs));
BOX_TYPE(plain, PLAIN_FUNCTIONS(PLACE_LIST(PCI_AT(5, 0, 0x0E28, 0), PCI_AT(8, 0, 0x0E80, 0), PCI_AT(9, 0, 0x0E90, 0),
                                           PCI_AT(14, 0, 0x0EA0, 0), PCI_AT(19, 0, 0x0E1D, 0))));

/* PCU 800 MHz (event file); DDR3-1866; QPI 8 GT/s, whose clock is an eighth of that. */
const struct uncore_part uncore_ivbep = {
    OF_TYPES(
        TYPE_LIST(&ubox, &cbo, &pcu, &home, &channel, &link, &irp, &r2pcie, &r3qpi, &ubox_function, &match, &plain)),
    .hz = { [CLOCK_DCLK] = 933333333, [CLOCK_PCU] = 800000000, [CLOCK_LINK] = 1000000000 },
    .pci_buses = 1,
    .global_frz = BIT(31),
    .global_unfrz = BIT(29),
    .global_kept = BIT(30) | BITS(14, 0),
    .global_report = GLOBAL_REPORT_UNITS,
    .freezes_on_overflow = true,
    .pmi_cores = BITS(14, 0),
};
