/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_gnr.c: the monitors of Granite Rapids, Sierra Forest, Clearwater Forest and Grand Ridge. What they have in
 * common with Sapphire Rapids, and its sources: uncore_listed.h.
 *
 * - A package has compute dies (CHAs, memory channels, B2CMI) and two I/O dies (stacks, links); each has a discovery
 *   table, which a function of its own leads to (Linux). MSRs are the package's, with one numbering for all dies (PCM
 *   and Linux number IIO units through). Each package's buses are a PCI segment: unit addresses have bits for one
 *   (Linux). How many dies have what is an assumption.
 * - The tables are right about UPI, so that nothing else says where it is; B2UPI is what was M3UPI, B2CMI what was M2M,
 *   one a channel (PCM: twelve places).
 * - iMC: sub-channels 0 and 1 have an event each (05H, 06H), and so do queues; DCLK is a quarter of the data rate (event
 *   file). DDR5-6400; Clearwater Forest DDR5-8000. UPI at 24 GT/s, four links.
 * - U-box at 3FF0H, its fixed counter at 3FFDH and the control of that at 3FFEH (PCM alone); the number of CHAs is MSR
 *   3FEDH (PCM). Free-running counters: I/O clock among the registers of the IIO, bandwidth at 2E0EH and 360EH (Linux).
 * - Assumptions: the MSRs of PCU, MDF and B2HOT; the global control at 3FE0H, with freeze in bit 0 (likwid) and a freeze
 *   on overflow; identities of functions.
 * - CXL units (CXLCM, CXLDP, B2CXL), of ports without a device: no clock. That is an assumption; likwid saw B2CXL read all
 *   ones at times (pull request 639). PCIe units lie in the configuration space of root ports (0DB0H, 0DB6H; PCM) with
 *   nothing below them; no event file has events of them, or of MDF_SBO. Where CXL and MDF_SBO are, and how many there are of
 *   each, are assumptions.
 * - Grand Ridge has one die with all of that but for what its event file has nothing of: links and their units, MDF, B2HOT,
 *   CXL and PCIe units. Three stacks and the U-box at 3F50H, with its fixed counter at 3F5FH and the control of that at 3F5EH (PCM:
 *   GRR_*). The global control as far below the U-box as on the others is an assumption, and so is DDR5-4800.
 */
#include "tests/silicon/uncore_parts/uncore_listed.h"

#define MEMORY_AREA UINT64_C(0x800000)
#define TABLES      0x400000u /* in it */
#define CXL_AREA    0x600000u
#define CHANNELS    12u
#define LINKS       4u
#define STACKS      12u
#define IO_DIES     2u

enum {
    BUS_STACK,
    BUS_STACKS_END = BUS_STACK + 5,
    BUS_UBOX = BUS_STACKS_END,
    BUS_CMI,
    BUS_PORTS,
    BUSES = BUS_PORTS + 4
};

/* Boxes of all compute dies, of all I/O dies, where so many compute dies come first. */
#define ON_COMPUTE(n) .die = 0, .dies = (n)
#define ON_IO(n)      .die = (n), .dies = IO_DIES

/* --- by MSR */

static const struct uncore_event e_cha_events[] = { EVENT(0x01, 0, source_clock), ICX_CHA_EVENTS(E_CORES) };

static const struct uncore_reg iio_regs[] = { LISTED_MSR_ROWS, LISTED_CLOCK };
#define IIO(n)                                                                                                         \
    MONITOR("IIO", UNIT_IIO, 4, &listed_iio_ctl, &listed_box_ctl, iio_regs, listed_iio_events),                        \
        MSR_BOX(0x2900, STACKS, CLOCK_IO), LISTED_AS(TYPE_IIO), ON_IO(n)
#define IRP(n)                                                                                                         \
    MONITOR("IRP", UNIT_IRP, 2, &listed_wide_ctl, &listed_box_ctl, listed_msr_regs, e5_clock1_events),                 \
        MSR_BOX(0x2A00, STACKS, CLOCK_IO), LISTED_AS(TYPE_IRP), ON_IO(n)
#define MDF(n)                                                                                                         \
    MONITOR("MDF", UNIT_MDF, 4, &listed_narrow_ctl, &listed_box_ctl, listed_msr_regs, e5_clock1_events),               \
        MSR_BOX(0x3E00, 2 * (n), CLOCK_UCLK), LISTED_AS(TYPE_MDF), ON_COMPUTE(n)
#define MDF_SBO(n)                                                                                                     \
    .name = "MDF_SBO", .unit = UNIT_MDF, .counters = 4, .counter_bits = 48, .ctl = &listed_narrow_ctl,                 \
    .box_ctl = &listed_box_ctl, ROWS(listed_msr_regs), MSR_BOX(0x3F00, 2 * (n), CLOCK_UCLK), LISTED_AS(TYPE_MDF_SBO),  \
    ON_COMPUTE(n)
static const struct uncore_event b2hot_events[] = { EVENT(0x01, BIT(0), source_clock) };
#define B2HOT(n)                                                                                                       \
    MONITOR("B2HOT", UNIT_B2HOT, 4, &listed_narrow_ctl, &listed_box_ctl, listed_msr_regs, b2hot_events),               \
        MSR_BOX(0x3E80, IO_DIES, CLOCK_UCLK), LISTED_AS(TYPE_B2HOT), ON_IO(n)
BOX_TYPE(pcu, MONITOR("PCU", UNIT_PCU, 4, &listed_narrow_ctl, &listed_box_ctl, listed_msr_regs, listed_pcu_events),
         MSR_BOX(0x3FC0, 1, CLOCK_PCU), LISTED_AS(TYPE_PCU));

/* Its clock is taken for that of an I/O die, which has a frequency of its own (intel/pcm getDieTypeStr(); Linux
 * uncore-frequency-tpmi.c has a domain for each die). No document says which die it is on. */
BOX_TYPE(ubox,
         MONITOR("U-box", UNIT_UBOX, 2, &listed_narrow_ctl, &listed_box_ctl,
                 REG_LIST(REG(GLOBAL_CTL, 0x00),
                          REG_RUN(GLOBAL_STATUS, 0x01, UNCORE_GLOBAL_STATUS, 1, .mask = UINT64_MAX),
                          REG(VALUE, 0x0D, .source = source_cha_count, .mask = BITS(8, 0)), REG(BOX_CTL, 0x10),
                          REG(STATUS, 0x11), REG_RUN(CTL, 0x12, 2, 1), REG_RUN(CTR, 0x18, 2, 1), REG(FIXED_CTR, 0x1D),
                          REG(FIXED_CTL, 0x1E)),
                 e5_ubox_events),
         .count = 1, .base = 0x3FE0, .clock = CLOCK_IO_DIE, .fixed_bits = 48, .status_fixed = 2, LISTED_AS(TYPE_UBOX));

/* Free-running: bandwidth of eight ports out, where nothing goes, and in, in units of 32 bytes. */
static const struct uncore_reg bandwidth_regs[] = { REG_RUN(VALUE, 0x000, 8, 0x10),
                                                    REG_RUN(FREE, 0x800, 8, 0x10, .mask = BITS(47, 0),
                                                            .source = source_io_in, .arg = 32) };
BOX_TYPE(bandwidth, .name = "IIO bandwidth", .unit = UNIT_FUNCTION, .count = STACKS, .base = 0x2E0E, .step = 0x80,
         ROWS(bandwidth_regs));

/* --- PCI functions */

static const struct uncore_place upi_places[LINKS] = { PCI_AT(16, 1, 0x3241, BUS_UBOX), PCI_AT(17, 1, 0x3241, BUS_UBOX),
                                                       PCI_AT(18, 1, 0x3241, BUS_UBOX),
                                                       PCI_AT(19, 1, 0x3241, BUS_UBOX) };
#define UPI(n)                                                                                                         \
    MONITOR("UPI", UNIT_QPI, 4, &listed_wide_ctl, &listed_box_ctl, listed_upi_regs, server_upi_events),                \
        PCI_MONITOR(upi_places), .clock = CLOCK_LINK, LISTED_AS(TYPE_UPI), ON_IO(n)
static const struct uncore_place b2upi_places[LINKS] = { PCI_AT(24, 0, 0x3246, BUS_UBOX),
                                                         PCI_AT(25, 0, 0x3246, BUS_UBOX),
                                                         PCI_AT(26, 0, 0x3246, BUS_UBOX),
                                                         PCI_AT(27, 0, 0x3246, BUS_UBOX) };
static const struct uncore_reg b2upi_regs[] = { REG(BOX_CTL, 0x408), REG(STATUS, 0x40C),
                                                REG_RUN(CTR, 0x410, 4, 8, .bytes = 8),
                                                REG_RUN(CTL, 0x430, 4, 8, .bytes = 8) };
#define B2UPI(n)                                                                                                       \
    MONITOR("B2UPI", UNIT_R3QPI, 4, &listed_wide_ctl, &listed_box_ctl, b2upi_regs, e5_clock1_events),                  \
        PCI_MONITOR(b2upi_places), .clock = CLOCK_UCLK, LISTED_AS(TYPE_B2UPI), ON_IO(n)
#define CMI_AT(device, function) BRACED(UNCORE_DEVFN(device, function), 0x324A, BUS_CMI)
static const struct uncore_place cmi_places[CHANNELS] = { CMI_AT(5, 1), CMI_AT(5, 2), CMI_AT(5, 3), CMI_AT(5, 4),
                                                          CMI_AT(5, 5), CMI_AT(5, 6), CMI_AT(5, 7), CMI_AT(6, 1),
                                                          CMI_AT(6, 2), CMI_AT(6, 3), CMI_AT(6, 4), CMI_AT(6, 5) };
static const struct uncore_event cmi_events[] = {
    EVENT(0x01, 0, source_clock),
    EVENT(0x24, BIT(2), source_m2m, .arg = M2M_CHANNELS(1) | M2M_BY_CHANNEL(UINT64_C(0))),
    EVENT(0x25, BIT(4), source_m2m, .arg = M2M_CHANNELS(1) | M2M_WRITES | M2M_BY_CHANNEL(UINT64_C(0))),
};
#define B2CMI(n)                                                                                                       \
    MONITOR("B2CMI", UNIT_M2M, 4, &listed_wide_ctl, &listed_box_ctl, listed_m2m_regs, cmi_events), PLACES(cmi_places), \
        .number = uncore_channels, .pci_class = PCI_PMON, .clock = CLOCK_UCLK, LISTED_AS(TYPE_B2CMI), ON_COMPUTE(n)

/* Root ports, and their monitors: each with a bus below it that has no device. */
static const struct uncore_reg pcie16_regs[] = { LISTED_PORT_REGS(BUS_PORTS) },
                               pcie8_regs[] = { LISTED_PORT_REGS(BUS_PORTS + 2) };
static const struct uncore_place pcie16_places[] = { PCI_AT(2, 0, 0x0DB0, BUS_STACK),
                                                     PCI_AT(2, 0, 0x0DB0, BUS_STACK + 1) };
static const struct uncore_place pcie8_places[] = { PCI_AT(2, 0, 0x0DB6, BUS_STACK + 2),
                                                    PCI_AT(2, 0, 0x0DB6, BUS_STACK + 3) };
/* The second base of the memory map function is at 0 of the window, where channels count from (PCM: SCF_BAR). */
static const struct uncore_reg map_regs[] = { REG(VALUE, 0xD0, .source = source_mmio_base, .mask = BITS(28, 0)) };
FUNCTION(ubox_function, UNCORE_DEVFN(0, 0), 0x3250, BUS_UBOX, server_node_regs);
FUNCTION(map_function, UNCORE_DEVFN(0, 1), 0x3251, BUS_UBOX, map_regs);
FUNCTION(stack_function, UNCORE_DEVFN(0, 0), 0x09A2, BUS_STACK, listed_stack_regs);
FUNCTION(bus_function, UNCORE_DEVFN(3, 0), 0x09A6, BUS_STACK, REG_LIST(BUS_ROWS(BUSES)));

#define LEADS_AT(which) BRACED(UNCORE_DEVFN(3, 1), 0x09A7, BUS_STACK + (which))
static const struct uncore_place discovery_places[BUS_STACKS_END - BUS_STACK] = { LEADS_AT(0), LEADS_AT(1), LEADS_AT(2),
                                                                                  LEADS_AT(3), LEADS_AT(4) };
BOX_TYPE(discovery, DISCOVERY_FUNCTIONS(discovery_places, REG_LIST(DISCOVERY_FUNCTION_ROWS)));

/* Function 0 of devices that have another here: without it software looks for no more of them (PCI Local Bus Specification 3.0,
 * 3.2.2.3.4). */
#define FUNCTION_0(device, did, bus) BRACED(UNCORE_DEVFN(device, 0), did, bus)
static const struct uncore_place plain_places[] = {
    FUNCTION_0(3, 0x09A6, BUS_STACK + 1), FUNCTION_0(3, 0x09A6, BUS_STACK + 2), FUNCTION_0(3, 0x09A6, BUS_STACK + 3),
    FUNCTION_0(3, 0x09A6, BUS_STACK + 4), FUNCTION_0(16, 0x3240, BUS_UBOX),     FUNCTION_0(17, 0x3240, BUS_UBOX),
    FUNCTION_0(18, 0x3240, BUS_UBOX),     FUNCTION_0(19, 0x3240, BUS_UBOX),     FUNCTION_0(5, 0x3240, BUS_CMI),
    FUNCTION_0(6, 0x3240, BUS_CMI)
};
BOX_TYPE(plain, PLAIN_FUNCTIONS(plain_places));

/* --- by memory */

#define QUEUE(inserts, occupancy, kind)                                                                                \
    EVENT(inserts, BIT(4), source_pseudo, .arg = (kind) | SUB_0 | PSEUDO_0),                                           \
        EVENT(inserts, BIT(5), source_pseudo, .arg = (kind) | SUB_0 | PSEUDO_1),                                       \
        EVENT(inserts, BIT(6), source_pseudo, .arg = (kind) | SUB_1 | PSEUDO_0),                                       \
        EVENT(inserts, BIT(7), source_pseudo, .arg = (kind) | SUB_1 | PSEUDO_1),                                       \
        SERVER_QUEUE(occupancy, (kind) | SUB_0 | PSEUDO_0), SERVER_QUEUE((occupancy) + 1, (kind) | SUB_0 | PSEUDO_1),  \
        SERVER_QUEUE((occupancy) + 2, (kind) | SUB_1 | PSEUDO_0),                                                      \
        SERVER_QUEUE((occupancy) + 3, (kind) | SUB_1 | PSEUDO_1)
static const struct uncore_event channel_events[] = {
    EVENT(0x01, 0, source_spr_clock),
    EVENT(0x05, 0, source_spr_cas, .arg = SUB_0),
    EVENT(0x06, 0, source_spr_cas, .arg = SUB_1),
    QUEUE(0x10, 0x80, PSEUDO_READ),
    QUEUE(0x22, 0x84, PSEUDO_WRITE),
};
#define CHANNEL_AT(n) BRACED(.base = 0x24E800 + 0x4000 * (n))
static const struct uncore_place channel_places[CHANNELS] = { CHANNEL_AT(0), CHANNEL_AT(1),  CHANNEL_AT(2),
                                                              CHANNEL_AT(3), CHANNEL_AT(4),  CHANNEL_AT(5),
                                                              CHANNEL_AT(6), CHANNEL_AT(7),  CHANNEL_AT(8),
                                                              CHANNEL_AT(9), CHANNEL_AT(10), CHANNEL_AT(11) };
static const struct uncore_reg channel_regs[] = { SERVER_CHANNEL_ROWS,
                                                  REG_RUN(VALUE, 0x410, 8, 4, .source = source_corrected, .arg = 1) };
#define CHANNEL(n)                                                                                                     \
    MONITOR("iMC", UNIT_IMC, 4, &listed_narrow_ctl, &listed_box_ctl, channel_regs, channel_events),                    \
        .access = UNCORE_MMIO, .number = uncore_channels, .places = channel_places, .n_places = CHANNELS,              \
        .fixed_bits = 48, .clock = CLOCK_DCLK, .status_first = 1, LISTED_AS(TYPE_IMC), ON_COMPUTE(n)

/* Ports of CXL without a device. */
static const struct uncore_event cxlcm_events[] = { EVENT(0x01, 0, source_clock, .counters = BITS(3, 0)) };
#define CXL_PORTS 2u
#define CXL(name_, regs_, counters_, events_, first, type, n)                                                          \
    MONITOR(name_, UNIT_CXL, counters_, &listed_wide_ctl, &listed_box_ctl, regs_, events_),                            \
        .access = UNCORE_MMIO, .count = CXL_PORTS, .base = (first), .step = 0x1000, .clock = CLOCK_OFF,                \
        LISTED_AS(type), ON_IO(n)

/* --- parts */

#define BOXES(part, compute, events, ...)                                                                              \
    BOX_TYPE(part##_cha, LISTED_CHA(events, ON_COMPUTE(compute)));                                                     \
    BOX_TYPE(part##_iio, IIO(compute));                                                                                \
    BOX_TYPE(part##_irp, IRP(compute));                                                                                \
    BOX_TYPE(part##_mdf, MDF(compute));                                                                                \
    BOX_TYPE(part##_b2hot, B2HOT(compute));                                                                            \
    BOX_TYPE(part##_upi, UPI(compute));                                                                                \
    BOX_TYPE(part##_b2upi, B2UPI(compute));                                                                            \
    BOX_TYPE(part##_cmi, B2CMI(compute));                                                                              \
    BOX_TYPE(part##_channel, CHANNEL(compute));                                                                        \
    BOX_TYPE(part##_sbo, MDF_SBO(compute));                                                                            \
    BOX_TYPE(part##_cxlcm, CXL("CXLCM", listed_cxlcm_regs, 8, cxlcm_events, CXL_AREA, TYPE_CXLCM, compute));           \
    BOX_TYPE(part##_cxldp,                                                                                             \
             CXL("CXLDP", listed_cxl_regs, 4, e5_clock1_events, CXL_AREA + 0x8000, TYPE_CXLDP, compute));              \
    BOX_TYPE(part##_b2cxl,                                                                                             \
             CXL("B2CXL", listed_cxl_regs, 4, e5_clock1_events, CXL_AREA + 0x10000, TYPE_B2CXL, compute));             \
    BOX_TYPE(part##_pcie16,                                                                                            \
             LISTED_PORT("PCIex16", pcie16_places, pcie16_regs, &listed_wide_ctl, TYPE_PCIEX16, ON_IO(compute)));      \
    BOX_TYPE(part##_pcie8,                                                                                             \
             LISTED_PORT("PCIex8", pcie8_places, pcie8_regs, &listed_wide_ctl, TYPE_PCIEX8, ON_IO(compute)));          \
    BOX_TYPE(part##_tables, DISCOVERY_TABLES((compute) + IO_DIES, TABLES));                                            \
    static const struct uncore_box_type *const part##_types[] = { &part##_cha,     &part##_iio,    &part##_irp,        \
                                                                  &part##_mdf,     &part##_b2hot,  &pcu,               \
                                                                  &part##_channel, &part##_cmi,    &part##_upi,        \
                                                                  &part##_b2upi,   &ubox,          &part##_tables,     \
                                                                  &part##_sbo,     &part##_cxlcm,  &part##_cxldp,      \
                                                                  &part##_b2cxl,   &part##_pcie16, &part##_pcie8,      \
                                                                  &bandwidth,      &ubox_function, &map_function,      \
                                                                  &stack_function, &bus_function,  &discovery,         \
                                                                  &plain,          __VA_ARGS__ }
#define PART(part, dclk)                                                                                               \
    const struct uncore_part uncore_##part = { .types = part##_types,                                                  \
                                               .n_types = COUNT_OF(part##_types),                                      \
                                               .hz = SERVER_HZ(dclk, UINT64_C(3000000000)),                            \
                                               .hz[CLOCK_IO_DIE] = UINT64_C(1800000000),                               \
                                               .pci_buses = BUSES,                                                     \
                                               .pci_segments = true,                                                   \
                                               .mmio_bytes = MEMORY_AREA,                                              \
                                               .global_frz = BIT(0),                                                   \
                                               .global_kept = BIT(0),                                                  \
                                               .global_report = GLOBAL_REPORT_BOXES,                                   \
                                               .freezes_on_overflow = true }

/* Telemetry by RMID of Clearwater Forest, of a function beside those of the tables: model_telemetry.c. */
#define TELEMETRY 0x700000u
static uint64_t source_telemetry_bar(const struct uncore_look *l, uint64_t high)
{
    uint64_t base = MODEL_MMIO_BASE + l->box->package * MEMORY_AREA + TELEMETRY;

    return high ? base >> 32 : (base & UINT32_MAX) | 4; /* of 64 bits */
}
#define DVSEC_OF(at, next, id, table)                                                                                  \
    REG(VALUE, (at), .mask = EXTENDED(DVSEC, next)), REG(VALUE, (at) + 4, .mask = DVSEC_HEADER),                       \
        REG(VALUE, (at) + 8, .mask = (id) | 2u << 16 | 4u << 24), /* two entries of four dwords */                     \
        REG(VALUE, (at) + 0xC, .mask = (table))
FUNCTION(oobmsm, UNCORE_DEVFN(3, 2), 0x09A7, BUS_STACK,
         REG_LIST(REG(COMMAND, 0x004), REG(VALUE, 0x010, .source = source_telemetry_bar),
                  REG(VALUE, 0x014, .source = source_telemetry_bar, .arg = 1), REG(VALUE, 0x034, .mask = 0x40),
                  REG(VALUE, 0x040, .mask = 0x00920010), DVSEC_OF(0x100, 0x120, DVSEC_TELEMETRY, 0),
                  DVSEC_OF(0x120, 0, DVSEC_FEATURES, 0x100)));
BOX_TYPE(telemetry, .name = "telemetry", .unit = UNIT_FUNCTION, .access = UNCORE_MMIO, .count = 1, .base = TELEMETRY,
         .behind = &oobmsm, ROWS(REG_LIST(REG_RUN(VALUE, 0, 0xC000 / 8, 8, .bytes = 8, .source = source_telemetry))));

BOXES(gnr, 3, EVENT_LIST(EVENT(0x01, 0, source_clock), ICX_CHA_EVENTS(P_CORES)));
PART(gnr, UINT64_C(1600000000));
BOXES(srf, 1, e_cha_events);
PART(srf, UINT64_C(1600000000));
BOXES(cwf, 3, e_cha_events, &oobmsm, &telemetry);
PART(cwf, UINT64_C(2000000000));

/* --- Grand Ridge */

#define GRR_STACKS 3u
BOX_TYPE(grr_cha, LISTED_CHA(e_cha_events, ON_COMPUTE(1)));
BOX_TYPE(grr_iio, MONITOR("IIO", UNIT_IIO, 4, &listed_iio_ctl, &listed_box_ctl, iio_regs, listed_iio_events),
         MSR_BOX(0x2900, GRR_STACKS, CLOCK_IO), LISTED_AS(TYPE_IIO));
BOX_TYPE(grr_irp, MONITOR("IRP", UNIT_IRP, 2, &listed_wide_ctl, &listed_box_ctl, listed_msr_regs, e5_clock1_events),
         MSR_BOX(0x2A00, GRR_STACKS, CLOCK_IO), LISTED_AS(TYPE_IRP));
BOX_TYPE(grr_bandwidth, .name = "IIO bandwidth", .unit = UNIT_FUNCTION, .count = GRR_STACKS, .base = 0x2E0E,
         .step = 0x80, ROWS(bandwidth_regs));
static const struct uncore_event grr_ubox_events[] = { UBOX_MESSAGES(MESSAGE_MSI) }; /* all that its event file has */
BOX_TYPE(grr_ubox,
         MONITOR("U-box", UNIT_UBOX, 2, &listed_narrow_ctl, &listed_box_ctl,
                 REG_LIST(REG(VALUE, 0x3FED - 0x3F40, .source = source_cha_count, .mask = BITS(8, 0)),
                          REG(GLOBAL_CTL, 0x00),
                          REG_RUN(GLOBAL_STATUS, 0x01, UNCORE_GLOBAL_STATUS, 1, .mask = UINT64_MAX), REG(BOX_CTL, 0x10),
                          REG(STATUS, 0x11), REG_RUN(CTL, 0x12, 2, 1), REG_RUN(CTR, 0x18, 2, 1), REG(FIXED_CTL, 0x1E),
                          REG(FIXED_CTR, 0x1F)),
                 grr_ubox_events),
         .count = 1, .base = 0x3F40, .fixed_bits = 48, .status_fixed = 2, LISTED_AS(TYPE_UBOX));
BOX_TYPE(grr_cmi, B2CMI(1));
BOX_TYPE(grr_channel, CHANNEL(1));
BOX_TYPE(grr_tables, DISCOVERY_TABLES(1, TABLES));
BOX_TYPE(grr_plain, PLAIN_FUNCTIONS(PLACE_LIST(FUNCTION_0(5, 0x3240, BUS_CMI))));
const struct uncore_part uncore_grr = {
    OF_TYPES(TYPE_LIST(&grr_cha, &grr_iio, &grr_irp, &pcu, &grr_channel, &grr_cmi, &grr_ubox, &grr_tables,
                       &grr_bandwidth, &ubox_function, &map_function, &stack_function, &bus_function, &discovery,
                       &grr_plain)),
    .hz = SERVER_HZ(UINT64_C(1200000000), 0),
    .pci_buses = BUSES,
    .mmio_bytes = MEMORY_AREA,
    .global_frz = BIT(0),
    .global_kept = BIT(0),
    .global_report = GLOBAL_REPORT_BOXES,
    .freezes_on_overflow = true,
};
