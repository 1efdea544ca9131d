/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_knl.c: the monitors of Knights Landing.
 *
 * Source: Linux uncore_snbep.c (knl_*); events: the public event file.
 *
 * - U-box, CHAs and PCU lie where Haswell-EP's do, CHAs twelve MSRs apart, one for each of 38 tiles. No source has a
 * global control, a global status, or a status of a box: there are none. ov_en (bit 20) and rst (bit 17) as on
 * Haswell-EP are assumptions, and so is the PCU's clock, of which the event file has no event.
 * - A memory controller has a box on the mesh's clock (UCLK) and one on each of its three channels (DCLK); each of the
 * eight controllers of MCDRAM one on the mesh's clock and one on the memory's (ECLK). Their fixed counters count the
 * same clock, enabled by bit 0.
 * - All functions but the IRP's are on one bus (Linux). Where M2PCIe and IRP are on theirs: likwid
 * perfmon_knl_counters.h, knl_pci_devices; no event of them is counted.
 * - MCDRAM is memory of its own (flat mode) that no machine uses, so that its queues stay empty. DDR4-2133 and 6.4 GT/s
 * of MCDRAM are those of the 7210; that ECLK is a quarter of that is an assumption.
 */
#include "tests/silicon/uncore_parts/uncore_e5.h"

#define FIELDS                                                                                                         \
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .rst = BIT(17), .edge_det = BIT(18), .ov_en = BIT(20), .en = BIT(22),  \
    .invert = BIT(23)
#define CLOCK_ECLK CLOCK_LINK /* it has no links */

enum { BUS_UNCORE, BUS_IRP, BUSES };

/* --- by MSR */

BOX_TYPE(ubox,
         MONITOR("U-box", UNIT_UBOX, 2, CONTROL(FIELDS, .thresh = BITS(28, 24), .kept = BIT(19), .fixed_en = BIT(22)),
                 NULL,
                 REG_LIST(REG(FIXED_CTL, 0x3), REG(FIXED_CTR, 0x4), REG_RUN(CTL, 0x5, 2, 1), REG_RUN(CTR, 0x9, 2, 1)),
                 e5_ubox_doorbells),
         .count = 1, .base = 0x700, .fixed_bits = 48);

/* Bit 16: qor. */
static const struct uncore_ctl cha_ctl = { FIELDS, .thresh = BITS(31, 24), .tid_en = BIT(19), .kept = BIT(16) };
/* Filter: thread in 8:0, state in 20:18; 63:32: opcodes and what they are for, remote, local and not near (32, 33, 37).
 */
BOX_TYPE(cha,
         MONITOR("CHA", UNIT_CBO, 4, &cha_ctl, &e5_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTL, 0x1, 4, 1), REG_RUN(FILTER, 0x5, 2, 1),
                          REG_RUN(CTR, 0x8, 4, 1)),
                 e5_clock0_events),
         .number = uncore_slices, .base = 0xE00, .step = 0xC,
         .filter_kept = UINT64_C(0xFFFFFE2B00000000) | BITS(20, 18) | BITS(8, 0));

static const struct uncore_ctl pcu_ctl = {
    .ev_sel = BITS(7, 0),
    .umask = BITS(15, 14),
    .rst = BIT(17),
    .edge_det = BIT(18),
    .ov_en = BIT(20),
    .en = BIT(22),
    .invert = BIT(23),
    .thresh = BITS(29, 24),
    .kept = BITS(31, 30) | BIT(19),
};
BOX_TYPE(pcu, .name = "PCU", .unit = UNIT_PCU, .count = 1, .base = 0x710, .counters = 4, .counter_bits = 48,
         .clock = CLOCK_PCU, .ctl = &pcu_ctl, .box_ctl = &e5_box_ctl,
         ROWS(REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTL, 0x1, 4, 1), REG_RUN(CTR, 0x7, 4, 1))));

/* --- memory, by PCI */

static const struct uncore_ctl memory_ctl = { FIELDS, .thresh = BITS(31, 24), .fixed_en = BIT(0) };
/* Counters from `first`, controls and the box control after them, the fixed counter at its distance. */
#define MEMORY_REGS(first, fixed_at)                                                                                   \
    REG_RUN(CTR, (first), 4, 8, .bytes = 8), REG_RUN(CTL, (first) + 0x20, 4, 4), REG(BOX_CTL, (first) + 0x30),         \
        REG(FIXED_CTR, (fixed_at), .bytes = 8), REG(FIXED_CTL, (fixed_at) + 8)
static const struct uncore_reg uclk_regs[] = { MEMORY_REGS(0x400, 0x44C) }, eclk_regs[] = { MEMORY_REGS(0xA00, 0xA3C) },
                               dclk_regs[] = { MEMORY_REGS(0xB00, 0xB3C) };
#define AT(device, function, did) BRACED(UNCORE_DEVFN(device, function), did, BUS_UNCORE)
#define MEMORY(name_, places_, regs_, clock_, events_)                                                                 \
    MONITOR(name_, UNIT_EDC, 4, &memory_ctl, &e5_box_ctl, regs_, events_), PCI_MONITOR(places_), .fixed_bits = 48,     \
                                                                                                 .clock = clock_
BOX_TYPE(channel, MEMORY("iMC_DCLK",
                         PLACE_LIST(AT(8, 2, 0x7843), AT(8, 3, 0x7843), AT(8, 4, 0x7843), AT(9, 2, 0x7843),
                                    AT(9, 3, 0x7843), AT(9, 4, 0x7843)),
                         dclk_regs, CLOCK_DCLK,
                         EVENT_LIST(EVENT(0x00, 0, source_clock), EVENT(0x03, BIT(0), source_cas_read),
                                    EVENT(0x03, BIT(1), source_cas_write))));
BOX_TYPE(controller,
         MEMORY("iMC_UCLK", PLACE_LIST(AT(10, 0, 0x7841), AT(11, 0, 0x7841)), uclk_regs, CLOCK_UCLK, e5_clock0_events));
BOX_TYPE(edc_uclk, MEMORY("EDC_UCLK",
                          PLACE_LIST(AT(15, 0, 0x7833), AT(16, 0, 0x7833), AT(17, 0, 0x7833), AT(18, 0, 0x7833),
                                     AT(19, 0, 0x7833), AT(20, 0, 0x7833), AT(21, 0, 0x7833), AT(22, 0, 0x7833)),
                          uclk_regs, CLOCK_UCLK, e5_clock0_events));
BOX_TYPE(edc_eclk, MEMORY("EDC_ECLK",
                          PLACE_LIST(AT(24, 2, 0x7835), AT(25, 2, 0x7835), AT(26, 2, 0x7835), AT(27, 2, 0x7835),
                                     AT(28, 2, 0x7835), AT(29, 2, 0x7835), AT(30, 2, 0x7835), AT(31, 2, 0x7835)),
                          eclk_regs, CLOCK_ECLK, e5_clock0_events));

/* --- I/O, by PCI: registers alone */

static const struct uncore_ctl m2pcie_ctl = { FIELDS, .thresh = BITS(31, 24) };
static const struct uncore_ctl irp_ctl = { FIELDS, .thresh = BITS(31, 24), .kept = BIT(16) };
#define IO_REGS(counters_, box_ctl_)                                                                                   \
    REG_RUN(CTR, 0xA0, (counters_), 8, .bytes = 8), REG_RUN(CTL, 0xD8, (counters_), 4), REG(BOX_CTL, (box_ctl_))
static const struct uncore_reg m2pcie_regs[] = { IO_REGS(4, 0xF4) }, irp_regs[] = { IO_REGS(2, 0xF0) };
#define IO(name_, unit_, places_, counters_, ctl_, regs_)                                                              \
    .name = name_, .unit = unit_, PLACES(places_), .count = 1, .pci_class = PCI_PMON, .counters = (counters_),         \
    .counter_bits = 48, .clock = CLOCK_UCLK, .ctl = &(ctl_), .box_ctl = &e5_box_ctl, ROWS(regs_)
BOX_TYPE(m2pcie, IO("M2PCIe", UNIT_R2PCIE, PLACE_LIST(AT(12, 1, 0x7817)), 4, m2pcie_ctl, m2pcie_regs));
BOX_TYPE(irp, IO("IRP", UNIT_IRP, PLACE_LIST(PCI_AT(5, 6, 0x7814, BUS_IRP)), 2, irp_ctl, irp_regs));

const struct uncore_part uncore_knl = {
    OF_TYPES(TYPE_LIST(&ubox, &cha, &pcu, &channel, &controller, &edc_uclk, &edc_eclk, &m2pcie, &irp)),
    .hz = { [CLOCK_DCLK] = UINT64_C(1066666667),
            [CLOCK_PCU] = UINT64_C(800000000),
            [CLOCK_ECLK] = UINT64_C(1600000000) },
    .pci_buses = BUSES,
};
