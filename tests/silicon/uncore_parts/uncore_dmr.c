/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_dmr.c: the monitors of Diamond Rapids. What they have in common with earlier parts whose
 * units tables list: uncore_listed.h.
 *
 * Source: Linux uncore.c, uncore_discovery.c, uncore_snbep.c (dmr_*), commits 6daf2c35b835, 66e2075426f3, b575fc0e3357.
 *
 * - A memory and I/O hub (IMH) has a discovery table, to which a function 8086:09A1 leads; that of a core building block
 *   (CBB) has its address in MSR 710H. Numbers of units of the second hub begin at 8000H. Units of types 13H (MSE) and 25H
 *   (SB2UCIE) are broken: here they never count.
 * - No unit is by MSR. PCIE4 and PCIE6 in root ports, all others in memory, where they are and how many there are, is an
 *   assumption, and so are two hubs and one block in a package.
 * - Controls by memory are dwords, four bytes apart (Linux' generic driver), so they have no umask extension. The iMC's fixed
 *   counter and its control are at 18H and 10H; its threshold begins at bit 23, where other units have invert.
 * - Freeze is bit 0 of the global control of each table, in memory, and the state of all of them: Linux calls it SoC-wide.
 *   It is set at power-on.
 * - I/O of the first hub has free-running counters in memory, at 1FFFF6AE7000H and three distances from there: of data and
 *   requests of eight ports and of a clock (Linux commit d8987048f665). Which package's, no source says; no device is there.
 * - What units count: no source. Event 01H is the clock, as on all earlier parts with tables: an assumption. DDR5-8000.
 */
#include "tests/silicon/uncore_parts/uncore_listed.h"

#define MEMORY_AREA UINT64_C(0x800000)
#define TABLES      0x400000u /* in it */
#define CONTROLS    0x3F0000u
#define AREA(n)     (0x20000u * (n)) /* of units of one type */
#define HUBS        2u
#define BLOCK       HUBS /* number of its table */
#define CHANNELS    16u

enum { BUS_HUB, BUS_PORTS = BUS_HUB + HUBS, BUSES = BUS_PORTS + 4 };
#define ON_HUBS  .dies = HUBS
#define IN_BLOCK .die = BLOCK

static const struct uncore_event clock_events[] = { EVENT(0x01, 0, source_clock) };
static const struct uncore_reg unit_regs[] = { REG(BOX_CTL, 0x00), REG(STATUS, 0x04),
                                               REG_RUN(CTR, 0x20, 8, 8, .bytes = 8), REG_RUN(CTL, 0x60, 8, 4) };
#define FIELDS                                                                                                         \
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .rst = BIT(17), .edge_det = BIT(18), .ov_en = BIT(20), .kept = BIT(22)
static const struct uncore_ctl port_ctl = {
    FIELDS | BITS(55, 36), .thresh = BITS(35, 24), .invert = BIT(23)
}; /* kept: rs3_sel, rx_sel, tx_sel, iep_sel, vc_sel, port_sel */

#define UNIT(counters_, ctl_, area, n, clock_, type, ...)                                                              \
    static const struct uncore_box_type unit_##type = { MONITOR(#type, UNIT_DMR, counters_, ctl_, &listed_box_ctl,     \
                                                                unit_regs, clock_events),                              \
                                                        .access = UNCORE_MMIO,                                         \
                                                        .count = (n),                                                  \
                                                        .base = AREA(area),                                            \
                                                        .step = 0x400,                                                 \
                                                        .clock = CLOCK_##clock_,                                       \
                                                        LISTED_AS(TYPE_##type),                                        \
                                                        __VA_ARGS__ }
UNIT(4, &listed_narrow_ctl, 0, HUBS, PCU, PCU, ON_HUBS);
UNIT(2, &listed_narrow_ctl, 1, HUBS, IO_DIE, UBOX, ON_HUBS);
UNIT(4, &listed_narrow_ctl, 3, 16, IO_DIE, SCA, ON_HUBS);
UNIT(8, CONTROL(FIELDS, .thresh = BITS(31, 23), .invert = BIT(21)), 4, 4, OFF, DMR_CXLCM, ON_HUBS);
UNIT(4, &listed_narrow_ctl, 5, 16, IO_DIE, HAMVF, ON_HUBS);
UNIT(4, &listed_narrow_ctl, 6, 4, IO_DIE, ULA, ON_HUBS);
UNIT(4, &listed_narrow_ctl, 7, 4, IO_DIE, UBR, ON_HUBS);
UNIT(4, &listed_narrow_ctl, 8, 4, IO, CRS, ON_HUBS);
UNIT(4, &listed_narrow_ctl, 9, 10, IO, CPC, ON_HUBS);
UNIT(4, &listed_narrow_ctl, 10, 10, IO, ITC, ON_HUBS);
UNIT(4, &listed_narrow_ctl, 11, 10, IO, OTC, ON_HUBS);
UNIT(4, &listed_narrow_ctl, 12, 4, IO_DIE, CMS, ON_HUBS);
UNIT(4, &listed_narrow_ctl, 13, HUBS, OFF, MSE, ON_HUBS);
UNIT(4, &listed_narrow_ctl, 15, 1, UCLK, SANTA, IN_BLOCK);
UNIT(4, &listed_narrow_ctl, 16, 1, UCLK, CNCU, IN_BLOCK);
UNIT(4, &listed_narrow_ctl, 17, 1, UCLK, SNCU, IN_BLOCK);
UNIT(4, &listed_narrow_ctl, 18, 4, UCLK, DDA, IN_BLOCK);
UNIT(4, &listed_narrow_ctl, 19, 4, UCLK, DMR_SBO, IN_BLOCK);
UNIT(4, &listed_narrow_ctl, 20, 1, OFF, SB2UCIE, IN_BLOCK);
/* One a slice: an assumption. */
BOX_TYPE(unit_cbo, MONITOR("CBO", UNIT_CBO, 4, &listed_narrow_ctl, &listed_box_ctl, unit_regs, clock_events),
         .access = UNCORE_MMIO, .number = uncore_slices, .base = AREA(14), .step = 0x400, .clock = CLOCK_UCLK,
         LISTED_AS(TYPE_CBO), IN_BLOCK);
BOX_TYPE(channel,
         MONITOR("iMC", UNIT_IMC, 4, CONTROL(FIELDS, .thresh = BITS(31, 23), .fixed_en = BIT(22)), &listed_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0x00), REG(STATUS, 0x04), REG(FIXED_CTL, 0x10), REG(FIXED_CTR, 0x18, .bytes = 8),
                          REG_RUN(CTR, 0x20, 4, 8, .bytes = 8), REG_RUN(CTL, 0x60, 4, 4)),
                 clock_events),
         .access = UNCORE_MMIO, .number = uncore_channels, .base = AREA(2), .step = 0x400, .fixed_bits = 48,
         .clock = CLOCK_DCLK, .status_first = 1, LISTED_AS(TYPE_IMC), ON_HUBS);

static const struct uncore_reg pcie4_regs[] = { LISTED_PORT_REGS(BUS_PORTS) },
                               pcie6_regs[] = { LISTED_PORT_REGS(BUS_PORTS + 2) };
BOX_TYPE(pcie4, LISTED_PORT("PCIE4", PLACE_LIST(PCI_AT(2, 0, 0x0DB0, BUS_HUB), PCI_AT(2, 0, 0x0DB0, BUS_HUB + 1)),
                            pcie4_regs, &port_ctl, TYPE_PCIE4, ON_HUBS));
BOX_TYPE(pcie6, LISTED_PORT("PCIE6", PLACE_LIST(PCI_AT(4, 0, 0x0DB6, BUS_HUB), PCI_AT(4, 0, 0x0DB6, BUS_HUB + 1)),
                            pcie6_regs, &port_ctl, TYPE_PCIE6, ON_HUBS));

#define HIOPS 0x600000u
static const struct uncore_place hiop_places[] = {
    { .base = HIOPS }, { .base = HIOPS + 0x8000 }, { .base = HIOPS + 0x18000 }, { .base = HIOPS + 0x20000 }
};
BOX_TYPE(hiop, .name = "I/O free-running", .unit = UNIT_FUNCTION, .access = UNCORE_MMIO, .count = COUNT_OF(hiop_places),
         .places = hiop_places, .n_places = COUNT_OF(hiop_places), .clock = CLOCK_IO,
         ROWS(REG_LIST(REG_RUN(VALUE, 0x4D40, 8, 8, .bytes = 8), REG_RUN(VALUE, 0x6B00, 8, 8, .bytes = 8),
                       REG_RUN(VALUE, 0x6B60, 8, 8, .bytes = 8),
                       REG(FREE, 0x6BB0, .bytes = 8, .mask = BITS(47, 0), .source = source_clock))));

/* --- what leads to the tables, and their global controls */

/* Function 0 of the same devices, without which software does not look for the other (PCI Local Bus Specification 3.0,
 * 3.2.2.3.4). Its identity is an assumption. */
BOX_TYPE(plain, PLAIN_FUNCTIONS(PLACE_LIST(PCI_AT(3, 0, 0x09A0, BUS_HUB), PCI_AT(3, 0, 0x09A0, BUS_HUB + 1))));
BOX_TYPE(discovery, DISCOVERY_FUNCTIONS(PLACE_LIST(PCI_AT(3, 1, 0x09A1, BUS_HUB), PCI_AT(3, 1, 0x09A1, BUS_HUB + 1)),
                                        REG_LIST(DISCOVERY_FUNCTION_ROWS)));
BOX_TYPE(tables, DISCOVERY_TABLES(HUBS + 1, TABLES));
BOX_TYPE(block, .name = "table of the block", .unit = UNIT_FUNCTION, .count = 1, .base = 0x710,
         ROWS(REG_LIST(REG(VALUE, 0, .source = source_discovery_table, .arg = BLOCK))));
BOX_TYPE(global, .name = "global control", .unit = UNIT_FUNCTION, .access = UNCORE_MMIO, .count = HUBS + 1,
         .base = CONTROLS, .step = 0x1000,
         ROWS(REG_LIST(REG(GLOBAL_CTL, 0x0),
                       REG_RUN(GLOBAL_STATUS, 0x8, UNCORE_GLOBAL_STATUS, 8, .bytes = 8, .mask = UINT64_MAX))));

const struct uncore_part uncore_dmr = {
    OF_TYPES(TYPE_LIST(&unit_cbo, &channel, &unit_PCU, &unit_UBOX, &unit_SCA, &unit_DMR_CXLCM, &unit_HAMVF, &unit_ULA,
                       &unit_UBR, &unit_CRS, &unit_CPC, &unit_ITC, &unit_OTC, &unit_CMS, &unit_MSE, &unit_SANTA,
                       &unit_CNCU, &unit_SNCU, &unit_DDA, &unit_DMR_SBO, &unit_SB2UCIE, &pcie4, &pcie6, &hiop, &tables,
                       &global, &block, &discovery, &plain)),
    .hz = SERVER_HZ(UINT64_C(2000000000), UINT64_C(3000000000)),
    .hz[CLOCK_IO_DIE] = UINT64_C(1800000000),
    .pci_buses = BUSES,
    .pci_segments = true,
    .mmio_bytes = MEMORY_AREA,
    .beside = { .address = UINT64_C(0x1FFFF6AE7000), .at = HIOPS, .bytes = 0x28000 },
    .global_frz = BIT(0),
    .global_kept = BIT(0),
    .global_report = GLOBAL_REPORT_BOXES,
    .freezes_on_overflow = true,
    .frozen_at_power_on = true,
    .events_unpublished = true,
    .die_ids = 0x8000,
};
