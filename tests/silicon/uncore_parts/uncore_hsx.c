/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_hsx.c: the monitors of the E5 v3 and E5 v4 (Haswell-EP, Broadwell-EP), which have one
 * register map but for widths and device ids.
 *
 * Sources: Linux uncore_snbep.c (hswep_*, bdx_*) and likwid for the addresses; 329468-002 for fields that came with Ivy
 * Bridge-EP; public event files.
 *
 * - Bits 31:29, 21, 19 and 16 of a U-box control are reserved (327043-001 table 2-2 says RV, and asks software to write
 *   0 to 21:20; bit 20 became ov_en with Ivy Bridge-EP).
 * - Status: bit n is counter n; of a channel bit 0 is the fixed counter and 4:1 the others (329468-002). Written 1 to
 *   clear. For MSR boxes that is an assumption. The bits of boxes in the global status are likwid's; of CBo and SBo,
 * for which it has none, none shows.
 * - An overflow of a counter with ov_en freezes the package until software unfreezes it (329468-002 2.1.1, 2.2.2.1);
 * the U-box' fixed counter has ov_en in bit 20 (329468-002 table 2-8).
 * - The global control freezes (bit 31) and unfreezes (bit 29) every counter, both bits reading 0.
 * - Widths where sources disagree are Linux's, whose driver runs on most such machines: U-box, SBo and R3QPI of
 *   Haswell-EP 44, of Broadwell-EP 48. Channel order 20.0, 20.1, 21.0, 21.1 is Linux's too.
 * - PCU clock: 800 MHz on Haswell-EP, 1 GHz on Broadwell-EP, each by its event file.
 * - One home agent, one memory controller with its four channels, as the parts of few cores have; IRP on the bus of the
 *   others.
 */
#include "tests/silicon/uncore_parts/uncore_e5.h"

#define FIELDS                                                                                                         \
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .rst = BIT(17), .edge_det = BIT(18), .ov_en = BIT(20), .en = BIT(22),  \
    .invert = BIT(23), .fixed_en = BIT(22)

static const struct uncore_ctl ubox_ctl = { FIELDS, .thresh = BITS(28, 24), .fixed_ov_en = BIT(20) };
static const struct uncore_ctl cbo_ctl = { FIELDS, .thresh = BITS(31, 24), .tid_en = BIT(19) };
static const struct uncore_ctl pcu_ctl = { E5_PCU_FIELDS, .invert = BIT(23), .ov_en = BIT(20) };
static const struct uncore_ctl pci_ctl = { FIELDS, .thresh = BITS(31, 24) };
/* --- MSR boxes */

static uint64_t cbo_count(const struct uncore_look *l, uint64_t)
{
    return uncore_slices(l->m);
}

static const struct uncore_reg ubox_regs[] = {
    REG(GLOBAL_CTL, 0x0),
    REG(GLOBAL_STATUS, 0x1, .mask = UINT32_MAX),
    REG(VALUE, 0x2, .source = cbo_count), /* number of CBo boxes, as PCM reads it on later parts */
    E5_UBOX_ROWS,
};
#define UBOX(bits_)                                                                                                    \
    MONITOR_BITS("U-box", UNIT_UBOX, 2, bits_, &ubox_ctl, NULL, ubox_regs, e5_ubox_doorbells),                         \
        .count = 1, .base = 0x700, .fixed_bits = 48, .filter_kept = BITS(5, 0), .status_fixed = 2, .global_first = 1
BOX_TYPE(hsx_ubox, UBOX(44));
BOX_TYPE(bdx_ubox, UBOX(48));

static const struct uncore_event cbo_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0x34, 0, source_e5_lookup),
    EVENT(0x35, 0, source_e5_tor, .arg = TOR_AT(BITS(2, 0))),
    E5_TOR_OCCUPANCY(0),
    EVENT(0x37, BIT(0), source_victim, .arg = BIT(3)), /* M */
    EVENT(0x37, BIT(1), source_victim, .arg = BIT(2)), /* E */
    EVENT(0x37, BIT(2), source_victim, .arg = BIT(1)), /* S */
    EVENT(0x37, BIT(3), source_victim, .arg = BIT(4)), /* F */
};
/* Filter states 23:17, of which the low five are I, S, E, M, F as on Sandy Bridge-EP. */
BOX_TYPE(cbo,
         MONITOR("CBo", UNIT_CBO, 4, &cbo_ctl, &e5_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTL, 0x1, 4, 1), REG_RUN(FILTER, 0x5, 2, 1), REG(STATUS, 0x7),
                          REG_RUN(CTR, 0x8, 4, 1)),
                 cbo_events),
         .number = uncore_slices, .base = 0xE00, .step = 0x10,
         .filter_kept = BITS(63, 52) | BITS(47, 32) | BITS(23, 17) | BITS(9, 0), .filter_state = BITS(23, 17),
         .filter_nid = BITS(47, 32), .filter_opc = BITS(60, 52), .filter_tid = BITS(5, 0));

static const struct uncore_reg sbo_regs[] = { REG(BOX_CTL, 0x0), REG_RUN(CTL, 0x1, 4, 1), REG(STATUS, 0x5),
                                              REG_RUN(CTR, 0x6, 4, 1) };
#define SBO(bits_)                                                                                                     \
    MONITOR_BITS("SBo", UNIT_SBO, 4, bits_, &cbo_ctl, &e5_box_ctl, sbo_regs, e5_clock0_events),                        \
        .count = 4, .base = 0x720, .step = 0xA
BOX_TYPE(hsx_sbo, SBO(44));
BOX_TYPE(bdx_sbo, SBO(48));

static const struct uncore_reg pcu_regs[] = { REG(BOX_CTL, 0x0), REG_RUN(CTL, 0x1, 4, 1), REG(FILTER, 0x5),
                                              REG(STATUS, 0x6), REG_RUN(CTR, 0x7, 4, 1) };
/* Broadwell-EP: events that use the occupancy sub-counter (bit 7) not on counter 0 (Linux). */
static const struct uncore_event bdx_pcu_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0x0B, 0, source_band, .arg = 0),
    EVENT(0x0C, 0, source_band, .arg = 1),
    EVENT(0x0D, 0, source_band, .arg = 2),
    EVENT(0x0E, 0, source_band, .arg = 3),
    EVENT(0x80, BITS(1, 0), source_core_states, .most = 256, .counters = BITS(3, 1)),
};
#define PCU(events_)                                                                                                   \
    MONITOR("PCU", UNIT_PCU, 4, &pcu_ctl, &e5_box_ctl, pcu_regs, events_),                                             \
        .count = 1, .base = 0x710, .clock = CLOCK_PCU, .filter_kept = UINT32_MAX, .global_first = 2
BOX_TYPE(hsx_pcu, PCU(e5_pcu_events));
BOX_TYPE(bdx_pcu, PCU(bdx_pcu_events));

/* --- PCI functions: their device ids are 2FxxH on Haswell-EP and 6FxxH on Broadwell-EP (uncore_part.did) */

BOX_TYPE(home, MONITOR("HA", UNIT_HA, 4, &pci_ctl, &e5_box_ctl, e5_home_regs, e5_home_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(18, 1, 0x30, 0))), .global_first = 21);

BOX_TYPE(channel,
         E5_CHANNELS(CONTROL(FIELDS, .thresh = BITS(31, 24), .fixed_rst = BIT(19), .fixed_ov_en = BIT(20)), &e5_box_ctl,
                     e5_channel_events,
                     PLACE_LIST(PCI_AT(20, 0, 0xB0, 0), PCI_AT(20, 1, 0xB1, 0), PCI_AT(21, 0, 0xB4, 0),
                                PCI_AT(21, 1, 0xB5, 0), PCI_AT(23, 0, 0xD0, 0), PCI_AT(23, 1, 0xD1, 0),
                                PCI_AT(24, 0, 0xD4, 0), PCI_AT(24, 1, 0xD5, 0))),
         .global_first = 23, .global_share = 4);

BOX_TYPE(link,
         MONITOR("QPI", UNIT_QPI, 4, CONTROL(FIELDS, .thresh = BITS(31, 24), .ev_sel_ext = BIT(21)), &e5_box_ctl,
                 e5_pci_regs, e5_link_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(8, 2, 0x32, 0), PCI_AT(9, 2, 0x33, 0))), .clock = CLOCK_LINK,
         .global_first = 25);

BOX_TYPE(r2pcie, MONITOR("R2PCIe", UNIT_R2PCIE, 4, &pci_ctl, &e5_box_ctl, e5_pci_regs, e5_clock1_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(16, 1, 0x34, 0))), .global_first = 29);

static const struct uncore_place r3qpi_places[] = { PCI_AT(11, 1, 0x36, 0), PCI_AT(11, 2, 0x37, 0) };
#define R3QPI(bits_)                                                                                                   \
    MONITOR_BITS("R3QPI", UNIT_R3QPI, 3, bits_, &pci_ctl, &e5_box_ctl, e5_pci_regs, e5_clock1_events),                 \
        PCI_MONITOR(r3qpi_places), .global_first = 27
BOX_TYPE(hsx_r3qpi, R3QPI(44));
BOX_TYPE(bdx_r3qpi, R3QPI(48));

BOX_TYPE(irp, MONITOR("IRP", UNIT_IRP, 4, &pci_ctl, &e5_box_ctl, e5_pci_regs, e5_clock0_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(5, 6, 0x39, 0))));

/* CAPID4 of the PCU: bits 7:6 say how many SBo there are; 0: two on Haswell-EP, none on Broadwell-EP. */
static const struct uncore_reg capid_regs[] = { REG(VALUE, 0x94, .mask = BITS(7, 6)) };
BOX_TYPE(ubox_function, FUNCTIONS("U-box function", PLACE_LIST(PCI_AT(16, 5, 0x1E, 0)), e5_ubox_function_regs));
BOX_TYPE(match, FUNCTIONS("QPI filter", PLACE_LIST(PCI_AT(8, 6, 0x86, 0), PCI_AT(9, 6, 0x96, 0)), e5_match_regs));
BOX_TYPE(pcu_function, FUNCTIONS("PCU function", PLACE_LIST(PCI_AT(30, 3, 0xC0, 0)), capid_regs));
BOX_TYPE(plain, PLAIN_FUNCTIONS(PLACE_LIST(PCI_AT(5, 0, 0x28, 0), PCI_AT(8, 0, 0x80, 0), PCI_AT(9, 0, 0x90, 0),
                                           PCI_AT(11, 0, 0x81, 0), PCI_AT(16, 0, 0x1D, 0), PCI_AT(18, 0, 0xA0, 0),
                                           PCI_AT(30, 0, 0x98, 0))));

/* Xeon D-1500: two channels, no SBo, no link (332054, intel/pcm). */
BOX_TYPE(bdx_de_plain, PLAIN_FUNCTIONS(PLACE_LIST(PCI_AT(5, 0, 0x28, 0), PCI_AT(16, 0, 0x1D, 0), PCI_AT(18, 0, 0xA0, 0),
                                                  PCI_AT(30, 0, 0x98, 0))));
/* pmi_core_sel: 331051. DDR4-2133 and DDR4-2400, Broadwell-DE DDR4-2133; QPI 9.6 GT/s, whose clock is a quarter of that
 * (event files). */
#define PART(types_, did_, buses_, dclk, pcu)                                                                          \
    BRACED(OF_TYPES(types_), .hz = { [CLOCK_DCLK] = dclk, [CLOCK_PCU] = pcu, [CLOCK_LINK] = UINT64_C(2400000000) },    \
           .pci_buses = buses_, .did = did_, .global_frz = BIT(31), .global_unfrz = BIT(29),                           \
           .global_kept = BIT(30) | BITS(17, 0), .global_report = GLOBAL_REPORT_UNITS, .freezes_on_overflow = true,    \
           .pmi_cores = BITS(17, 0))
const struct uncore_part uncore_hsx =
    PART(TYPE_LIST(&hsx_ubox, &cbo, &hsx_sbo, &hsx_pcu, &home, &channel, &link, &irp, &r2pcie, &hsx_r3qpi,
                   &ubox_function, &match, &pcu_function, &plain),
         0x2F00, 1, 1066666667, 800000000);
const struct uncore_part uncore_bdx =
    PART(TYPE_LIST(&bdx_ubox, &cbo, &bdx_sbo, &bdx_pcu, &home, &channel, &link, &irp, &r2pcie, &bdx_r3qpi,
                   &ubox_function, &match, &pcu_function, &plain),
         0x6F00, 1, 1200000000, 1000000000);
const struct uncore_part uncore_bdx_de = PART(
    TYPE_LIST(&bdx_ubox, &cbo, &bdx_pcu, &home, &channel, &irp, &r2pcie, &ubox_function, &pcu_function, &bdx_de_plain),
    0x6F00, 1, 1066666667, 1000000000);
