/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_listed.h: what the monitors have in common that discovery tables list, from Sapphire Rapids on.
 *
 * Sources: Linux uncore_discovery.c and uncore_snbep.c (spr_*, gnr_*), intel/pcm, public event files.
 *
 * - Box control: freeze in bit 0, resets in bits 8 and 9. A counter needs no enable: bit 22 of its control is kept and
 *   does nothing, but the fixed counter's does. The umask extension of a CHA has 32 bits (older Linux took 24), of
 *   other boxes 24.
 * - CHA filter at +EH (Linux, PCM): a thread of ten bits, used by bit 16 of the control (Linux spr_uncore_chabox). Cores
 *   above three bits for the thread, as the guide of Skylake-SP has them (336274), is an assumption.
 * - IIO: ports in bits 47:36 and flow classes in 50:48 of the control (Linux snr_uncore_iio_format_group, which Sapphire
 *   Rapids has; port and class masks of the event files at the same bits from Granite Rapids on); a device's writes count on
 *   counters 0 and 1 (event files, DATA_REQ_OF_CPU.MEM_WRITE).
 * - iMC: event 01H counts DCLK with umask bit 0, else HCLK (event file; likwid has it the other way round), which is taken
 *   to be half of it.
 * - The base address register of a table is wired to its place: firmware has set it, and nobody moves it.
 * - I/O clock 500 MHz is assumed.
 */
#pragma once
#include "tests/silicon/uncore/model_discovery.h"
#include "tests/silicon/uncore_parts/uncore_server.h"

extern const struct uncore_box_ctl listed_box_ctl;
extern const struct uncore_ctl listed_cha_ctl, listed_wide_ctl, listed_narrow_ctl, listed_iio_ctl;

/* Boxes by MSR, all of one map: four counters; a CHA's filter; the stack's I/O clock among an IRP's registers. */
extern const struct uncore_reg listed_msr_regs[4], listed_cha_regs[5], listed_irp_regs[5];
#define LISTED_MSR_ROWS                REG(BOX_CTL, 0x0), REG(STATUS, 0x1), REG_RUN(CTL, 0x2, 4, 1), REG_RUN(CTR, 0x8, 4, 1)
#define LISTED_CLOCK                   REG(FREE, 0xE, .source = source_clock, .mask = BITS(47, 0))
#define MSR_BOX(first, count_, clock_) .count = count_, .base = first, .step = 0x10, .clock = clock_

/* M2M and B2CMI; UPI. */
extern const struct uncore_reg listed_m2m_regs[4], listed_upi_regs[5];
extern const struct uncore_event listed_pcu_events[2];
/* IIO: clock; what the device writes, as server_iio_events has it. */
extern const struct uncore_event listed_iio_events[2];
/* CXLCM, with eight counters (Linux' constraints); CXLDP and B2CXL. */
extern const struct uncore_reg listed_cxlcm_regs[4], listed_cxl_regs[4];

#define LISTED_CHA(events_, ...)                                                                                       \
    MONITOR("CHA", UNIT_CBO, 4, &listed_cha_ctl, &listed_box_ctl, listed_cha_regs, events_),                           \
        .number = uncore_slices, .base = 0x2000, .step = 0x10, .filter_kept = BITS(9, 0), .filter_tid = BITS(9, 0),    \
        .tid_thread = 3, LISTED_AS(TYPE_CHA), __VA_ARGS__

/* A PCI function without counters. */
#define FUNCTION(name_, devfn, did_, bus_, regs_)                                                                      \
    BOX_TYPE(name_, .name = #name_, .unit = UNIT_FUNCTION, PLACES(PLACE_LIST(BRACED(devfn, did_, bus_))), .count = 1,  \
             ROWS(regs_))

/* Monitors in root ports, each with a bus below it that has no device. first: the bus of the first one's. */
uncore_source source_empty_bus;
#define LISTED_PORT_REGS(first)                                                                                        \
    REG(VALUE, 0x04, .mask = SERVER_STATUS_CAPS), REG(VALUE, 0x0C, .mask = SERVER_BRIDGE),                             \
        REG(VALUE, 0x18, .source = source_empty_bus, .arg = (first)), REG(VALUE, 0x34, .mask = SERVER_EXPRESS_AT),     \
        REG(VALUE, SERVER_EXPRESS_AT, .mask = SERVER_EXPRESS(4)), REG(BOX_CTL, 0x620), REG(STATUS, 0x624),             \
        REG_RUN(CTL, 0x630, 4, 8, .bytes = 8), REG_RUN(CTR, 0x650, 4, 8, .bytes = 8)
#define LISTED_PORT(name_, places_, regs_, ctl_, type, ...)                                                            \
    .name = name_, .unit = UNIT_PCIE, .counters = 4, .counter_bits = 48, .ctl = ctl_, .box_ctl = &listed_box_ctl,      \
    PLACES(places_), .count = COUNT_OF(places_), .pci_class = SERVER_PORT_CLASS, ROWS(regs_), .clock = CLOCK_IO,       \
    LISTED_AS(type), __VA_ARGS__

/* Of the first stack: which package it is (SAD_CONTROL_CFG), and the bus numbers, 16 at each place, with a valid bit
 * each (PCM). */
extern const struct uncore_reg listed_stack_regs[1];
#define BUS_ROWS(buses)                                                                                                \
    REG_RUN(VALUE, 0x190, 4, 4, .source = source_bus_dword), REG(VALUE, 0x1A0, .mask = BITS((buses)-1, 0)),            \
        REG_RUN(VALUE, 0x1C0, 4, 4)

/* Word n of what the telemetry of a package has: model_telemetry.c. */
uncore_source source_telemetry;
/* Functions that lead to the tables. PCI Express Base Specification 7.5.3 (capability), 7.9.5 (VSEC), 7.9.6 (DVSEC).
 */
#define EXTENDED(id, next) ((uint32_t)(next) << 20 | 1u << 16 | (id))
#define DVSEC_HEADER       (0x010u << 20 | 1u << 16 | 0x8086u) /* length, revision, vendor */
enum { VSEC = 0x000B, DVSEC = 0x0023, DVSEC_PMON = 1, DVSEC_TELEMETRY = 2, DVSEC_FEATURES = 12 };
#define DISCOVERY_FUNCTION_ROWS                                                                                        \
    REG(COMMAND, 0x004), REG(VALUE, 0x010, .source = source_discovery_bar, .arg = 0),                                  \
        REG(VALUE, 0x014, .source = source_discovery_bar, .arg = DISCOVERY_BAR_HIGH), REG(VALUE, 0x034, .mask = 0x40), \
        REG(VALUE, 0x040, .mask = 0x00920010), /* PCI Express 2, root complex integrated endpoint */                   \
        REG(VALUE, 0x044, .mask = BIT(15)),    /* role-based error reporting */                                        \
        REG(VALUE, 0x100, .mask = EXTENDED(VSEC, 0x120)), REG(VALUE, 0x104, .mask = 0x010u << 20 | 4),                 \
        REG(VALUE, 0x120, .mask = EXTENDED(DVSEC, 0x140)), REG(VALUE, 0x124, .mask = DVSEC_HEADER),                    \
        REG(VALUE, 0x128, .mask = DVSEC_TELEMETRY), REG(VALUE, 0x140, .mask = EXTENDED(DVSEC, 0)),                     \
        REG(VALUE, 0x144, .mask = DVSEC_HEADER), REG(VALUE, 0x148, .mask = DVSEC_PMON),                                \
        REG(VALUE, 0x14C, .source = source_discovery_bir, .arg = 0)
#define DISCOVERY_FUNCTIONS(places_, regs_)                                                                            \
    .name = "discovery", .unit = UNIT_FUNCTION, PLACES(places_), .number = discovery_functions, ROWS(regs_)
/* The tables, one of each die that has boxes. */
extern const struct uncore_reg discovery_table_regs[1];
#define DISCOVERY_TABLES(n, table)                                                                                     \
    .name = "discovery table", .unit = UNIT_FUNCTION, .access = UNCORE_MMIO, .count = (n), .base = (table),            \
    .step = DISCOVERY_BYTES, .behind = &discovery, ROWS(discovery_table_regs)
