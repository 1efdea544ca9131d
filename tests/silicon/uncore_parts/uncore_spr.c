/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_spr.c: the monitors of Sapphire and Emerald Rapids, found by discovery tables.
 *
 * What they have in common with later parts, and its sources: uncore_listed.h.
 *
 * - Global control at 2FF0H: bit 0 freezes (PCM); it is assumed to show a freeze on overflow too. The global status has
 *   a bit for each box.
 * - M2PCIe at 3200H and PCU at 2FC0H: only the table says so. UPI and M3UPI where Linux has them when it does not
 *   believe the table; their status beside the control is an assumption. Three links. The free-running counters of the
 *   memory queues are taken to count DCLK.
 * - DDR5-4800, UPI at 16 GT/s.
 * - Xeon Max: a part with the units that others lack, each with the clock that the event file has: 32 channels of
 *   HBM (16 controllers; distances are PCM's), which nobody uses unless realism hbm-only has all memory there, an M2M unit for
 *   each controller of it (functions 1 to 4 of those of the other M2M units, PCM; numbers after theirs), and CXL
 *   ports without a device. MDF (no clock in the event file), the places of MDF and CXL units, and that
 *   HBM's clock is that of the DDR channels, are assumptions. CXLCM has eight counters (Linux'
 *   constraints).
 * - Emerald Rapids: four links at 20 GT/s and DDR5-5600 (product pages); 2FFEH does not say the number of CHAs, CAPID6
 *   and CAPID7 do, on both (PCM).
 * - Buses of a package: the first stack, with the functions that lead to the table; U-box, memory and links; PCU.
 */
#include "tests/silicon/uncore_parts/uncore_listed.h"

#define MEMORY_AREA UINT64_C(0x800000)
#define TABLE       0x200000u /* in it */
#define STACKS      12u

enum { BUS_STACK, BUS_UBOX, BUS_CHA, BUSES };

/* --- MSR boxes: one map */

BOX_TYPE(cha,
         LISTED_CHA(EVENT_LIST(EVENT(0x01, 0, source_clock), ICX_CHA_EVENTS(P_CORES), SERVER_MEMORY_EVENTS), .die = 0));

BOX_TYPE(iio, MONITOR("IIO", UNIT_IIO, 4, &listed_iio_ctl, &listed_box_ctl, listed_msr_regs, listed_iio_events),
         MSR_BOX(0x3000, STACKS, CLOCK_IO), LISTED_AS(TYPE_IIO));
BOX_TYPE(irp, MONITOR("IRP", UNIT_IRP, 2, &listed_wide_ctl, &listed_box_ctl, listed_irp_regs, e5_clock1_events),
         MSR_BOX(0x3400, STACKS, CLOCK_IO), LISTED_AS(TYPE_IRP));
BOX_TYPE(m2pcie,
         MONITOR("M2PCIe", UNIT_R2PCIE, 4, &listed_wide_ctl, &listed_box_ctl, listed_msr_regs, e5_clock1_events),
         MSR_BOX(0x3200, STACKS, CLOCK_UCLK), LISTED_AS(TYPE_M2PCIE));

BOX_TYPE(pcu, MONITOR("PCU", UNIT_PCU, 4, &listed_narrow_ctl, &listed_box_ctl, listed_msr_regs, listed_pcu_events),
         MSR_BOX(0x2FC0, 1, CLOCK_PCU), LISTED_AS(TYPE_PCU));

#define UBOX_ROWS                                                                                                      \
    REG(BOX_CTL, 0x00), REG(STATUS, 0x01), REG_RUN(CTL, 0x02, 2, 1), REG_RUN(CTR, 0x08, 2, 1), REG(FIXED_CTL, 0x0E),   \
        REG(FIXED_CTR, 0x0F), REG(GLOBAL_CTL, 0x20),                                                                   \
        REG_RUN(GLOBAL_STATUS, 0x21, UNCORE_GLOBAL_STATUS, 1, .mask = UINT64_MAX)
#define UBOX(regs)                                                                                                     \
    MONITOR("U-box", UNIT_UBOX, 2, &listed_narrow_ctl, &listed_box_ctl, regs, e5_ubox_events),                         \
        .count = 1, .base = 0x2FD0, .fixed_bits = 48, .status_fixed = 2
BOX_TYPE(ubox, UBOX(REG_LIST(UBOX_ROWS, REG(VALUE, 0x2E, .source = source_cha_count))));
BOX_TYPE(emr_ubox, UBOX(REG_LIST(UBOX_ROWS, REG(VALUE, 0x2E))));

/* Free-running: bandwidth of eight ports in and out in units of 32 bytes; nothing goes out. */
BOX_TYPE(bandwidth, .name = "IIO bandwidth", .unit = UNIT_FUNCTION, .count = STACKS, .base = 0x3800, .step = 0x10,
         ROWS(REG_LIST(REG_RUN(FREE, 0x0, 16, 1, .mask = BITS(47, 0), .source = source_io_in, .arg = 32))));

/* --- PCI functions */

static const struct uncore_place m2m_places[] = { PCI_AT(12, 0, 0x324A, BUS_UBOX), PCI_AT(13, 0, 0x324A, BUS_UBOX),
                                                  PCI_AT(14, 0, 0x324A, BUS_UBOX), PCI_AT(15, 0, 0x324A, BUS_UBOX) };
/* The extension names channels: from bit 0 on in reads, from bit 3 on in writes. */
static const struct uncore_event m2m_events[] = {
    EVENT(0x01, 0, source_clock),
    EVENT(0x24, BIT(2), source_m2m, .arg = M2M_CHANNELS(2) | M2M_BY_CHANNEL(UINT64_C(0))),
    EVENT(0x25, BIT(4), source_m2m, .arg = M2M_CHANNELS(2) | M2M_WRITES | M2M_BY_CHANNEL(UINT64_C(3))),
};
static const struct uncore_place upi_places[] = {
    PCI_AT(1, 1, 0x3241, BUS_UBOX), PCI_AT(2, 1, 0x3241, BUS_UBOX), PCI_AT(3, 1, 0x3241, BUS_UBOX),
    PCI_AT(4, 1, 0x3241, BUS_UBOX), /* Emerald Rapids */
};
static const struct uncore_place m3upi_places[] = { PCI_AT(5, 1, 0x3246, BUS_UBOX), PCI_AT(6, 1, 0x3246, BUS_UBOX),
                                                    PCI_AT(7, 1, 0x3246, BUS_UBOX), PCI_AT(8, 1, 0x3246, BUS_UBOX) };
static const struct uncore_reg m3upi_regs[] = { REG(BOX_CTL, 0xA0), REG(STATUS, 0xA4),
                                                REG_RUN(CTR, 0xA8, 4, 8, .bytes = 8),
                                                REG_RUN(CTL, 0xD8, 4, 8, .bytes = 8) };
BOX_TYPE(m2m, MONITOR("M2M", UNIT_M2M, 4, &listed_wide_ctl, &listed_box_ctl, listed_m2m_regs, m2m_events),
         PCI_MONITOR(m2m_places), .clock = CLOCK_UCLK, LISTED_AS(TYPE_M2M));
#define LINKS(n)                                                                                                       \
    MONITOR("UPI", UNIT_QPI, 4, &listed_wide_ctl, &listed_box_ctl, listed_upi_regs, server_upi_events),                \
        .places = upi_places, .n_places = n, .access = UNCORE_PCI, .count = n, .pci_class = PCI_PMON,                  \
        .clock = CLOCK_LINK, LISTED_AS(TYPE_UPI)
#define MESH_LINKS(n)                                                                                                  \
    MONITOR("M3UPI", UNIT_R3QPI, 4, &listed_wide_ctl, &listed_box_ctl, m3upi_regs, e5_clock1_events),                  \
        .places = m3upi_places, .n_places = n, .access = UNCORE_PCI, .count = n, .pci_class = PCI_PMON,                \
        .clock = CLOCK_UCLK, LISTED_AS(TYPE_M3UPI)
static const struct uncore_box_type upi = { LINKS(3) }, emr_upi = { LINKS(4) };
static const struct uncore_box_type m3upi = { MESH_LINKS(3) }, emr_m3upi = { MESH_LINKS(4) };

FUNCTION(ubox_function, UNCORE_DEVFN(0, 0), 0x3250, BUS_UBOX, server_node_regs);
FUNCTION(map_function, UNCORE_DEVFN(0, 1), 0x3251, BUS_UBOX, server_map_regs);
FUNCTION(pcu_function, UNCORE_DEVFN(30, 3), 0x325B, BUS_CHA, server_capid_regs);

/* Xeon Max. Linux i10nm_base.c: CAPID3 bits 30:27, any of them: there is HBM; rules of the address decoder, 16 of them 8 bytes
 * apart, bit 0: enabled, bit 5: near memory caches what it names. One rule here; its other fields read 0, and the device
 * id, which Linux does not look at, is assumed. */
static const struct uncore_reg hbm_capid_regs[] = { REG(VALUE, 0x90, .mask = BITS(30, 27)),
                                                    REG(VALUE, 0x9C, .source = source_cha_fuses, .arg = 0),
                                                    REG(VALUE, 0xA0, .source = source_cha_fuses, .arg = 1) };
FUNCTION(hbm_pcu_function, UNCORE_DEVFN(30, 3), 0x325B, BUS_CHA, hbm_capid_regs);
FUNCTION(rules_function, UNCORE_DEVFN(10, 0), 0x324D, BUS_CHA,
         REG_LIST(REG(VALUE, 0x300, .source = source_address_rule, .arg = BIT(5))));

FUNCTION(stack_function, UNCORE_DEVFN(0, 0), 0x09A2, BUS_STACK, listed_stack_regs);
FUNCTION(bus_function, UNCORE_DEVFN(3, 0), 0x09A6, BUS_STACK, REG_LIST(BUS_ROWS(BUSES)));

BOX_TYPE(discovery,
         DISCOVERY_FUNCTIONS(PLACE_LIST(PCI_AT(3, 1, 0x09A7, BUS_STACK)), REG_LIST(DISCOVERY_FUNCTION_ROWS)));

static const struct uncore_place plain_places[] = { PCI_AT(1, 0, 0x3240, BUS_UBOX), PCI_AT(2, 0, 0x3240, BUS_UBOX),
                                                    PCI_AT(3, 0, 0x3240, BUS_UBOX), PCI_AT(5, 0, 0x3245, BUS_UBOX),
                                                    PCI_AT(6, 0, 0x3245, BUS_UBOX), PCI_AT(7, 0, 0x3245, BUS_UBOX),
                                                    PCI_AT(30, 0, 0x3258, BUS_CHA), PCI_AT(4, 0, 0x3240, BUS_UBOX),
                                                    PCI_AT(8, 0, 0x3245, BUS_UBOX) };
#define PLAIN(n)                                                                                                       \
    .name = "function", .unit = UNIT_FUNCTION, .places = plain_places, .n_places = n, .access = UNCORE_PCI, .count = n
BOX_TYPE(plain, PLAIN(COUNT_OF(plain_places) - 2));
BOX_TYPE(emr_plain, PLAIN(COUNT_OF(plain_places)));

/* --- MMIO */

BOX_TYPE(channel,
         MMIO_CHANNEL(&listed_narrow_ctl, &listed_box_ctl,
                      EVENT_LIST(EVENT(0x01, 0, source_spr_clock), EVENT(0x05, 0, source_spr_cas), SERVER_QUEUE_EVENTS),
                      1, LISTED_AS(TYPE_IMC)));

/* --- Xeon Max: what other parts do not list */

#define HBM_CHANNELS 32u
#define SCF          0x300000u
#define HBM_AT(controller)                                                                                             \
    BRACED(.base = SCF + 0x141C00 + 0x9000 * (controller)), BRACED(.base = SCF + 0x145C00 + 0x9000 * (controller))
#define MMIO_BOX(places_, n, type, clock_)                                                                             \
    .access = UNCORE_MMIO, .count = (n), .places = places_, .n_places = COUNT_OF(places_), .clock = clock_,            \
    LISTED_AS(type)
BOX_TYPE(hbm,
         MONITOR("HBM", UNIT_HBM, 4, &listed_narrow_ctl, &listed_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTR, 0x8, 4, 8, .bytes = 8), REG_RUN(CTL, 0x40, 4, 4),
                          REG(STATUS, 0x5C)),
                 EVENT_LIST(EVENT(0x01, 0, source_spr_clock), EVENT(0x05, 0, source_spr_cas), SERVER_QUEUE_EVENTS)),
         MMIO_BOX(PLACE_LIST(HBM_AT(0), HBM_AT(1), HBM_AT(2), HBM_AT(3), HBM_AT(4), HBM_AT(5), HBM_AT(6), HBM_AT(7),
                             HBM_AT(8), HBM_AT(9), HBM_AT(10), HBM_AT(11), HBM_AT(12), HBM_AT(13), HBM_AT(14),
                             HBM_AT(15)),
                  HBM_CHANNELS, TYPE_HBM, CLOCK_DCLK),
         .hbm = true);

#define M2HBM_AT(device)                                                                                               \
    BRACED(UNCORE_DEVFN(device, 1), 0x324A, BUS_UBOX), BRACED(UNCORE_DEVFN(device, 2), 0x324A, BUS_UBOX),              \
        BRACED(UNCORE_DEVFN(device, 3), 0x324A, BUS_UBOX), BRACED(UNCORE_DEVFN(device, 4), 0x324A, BUS_UBOX)
BOX_TYPE(m2hbm, MONITOR("M2HBM", UNIT_M2M, 4, &listed_wide_ctl, &listed_box_ctl, listed_m2m_regs, m2m_events),
         PCI_MONITOR(PLACE_LIST(M2HBM_AT(12), M2HBM_AT(13), M2HBM_AT(14), M2HBM_AT(15))), .clock = CLOCK_UCLK,
         LISTED_AS(TYPE_M2M), .table_id = COUNT_OF(m2m_places), .hbm = true);

#define CXL_AT(first)                                                                                                  \
    BRACED({ .base = SCF + (first) }, { .base = SCF + (first) + 0x1000 }, { .base = SCF + (first) + 0x2000 },          \
           { .base = SCF + (first) + 0x3000 })
static const struct uncore_place cxlcm_places[] = CXL_AT(0x0), cxldp_places[] = CXL_AT(0x8000);
BOX_TYPE(cxlcm,
         MONITOR("CXLCM", UNIT_CXL, 8, &listed_wide_ctl, &listed_box_ctl, listed_cxlcm_regs,
                 EVENT_LIST(EVENT(0x01, BIT(1), source_clock))),
         MMIO_BOX(cxlcm_places, 4, TYPE_CXLCM, CLOCK_IO));
BOX_TYPE(cxldp,
         MONITOR("CXLDP", UNIT_CXL, 4, &listed_wide_ctl, &listed_box_ctl, listed_cxl_regs,
                 EVENT_LIST(EVENT(0x01, BIT(0), source_clock))),
         MMIO_BOX(cxldp_places, 4, TYPE_CXLDP, CLOCK_UCLK));
BOX_TYPE(mdf, .name = "MDF", .unit = UNIT_MDF, .counters = 4, .counter_bits = 48, .ctl = &listed_wide_ctl,
         .box_ctl = &listed_box_ctl, ROWS(REG_LIST(LISTED_MSR_ROWS)), MSR_BOX(0x2800, 10, CLOCK_UCLK),
         LISTED_AS(TYPE_MDF));

BOX_TYPE(free_running,
         MMIO_FREE_RUNNING(SERVER_CONTROLLERS,
                           REG_LIST(REG(FREE, 0x22B0, .bytes = 8, .mask = BITS(47, 0), .source = source_clock),
                                    REG_RUN(FREE, 0x2318, 2, 8, .bytes = 8, .mask = BITS(47, 0),
                                            .source = source_clock))));

BOX_TYPE(table, DISCOVERY_TABLES(1, TABLE));

#define TYPES(ubox, upi, m3upi, plain)                                                                                 \
    BRACED(&cha, &iio, &irp, &m2pcie, &pcu, &channel, &m2m, &upi, &m3upi, &ubox, &table, &bandwidth, &free_running,    \
           &ubox_function, &map_function, &pcu_function, &stack_function, &bus_function, &discovery, &plain)
static const struct uncore_box_type *const types[] = TYPES(ubox, upi, m3upi, plain);
static const struct uncore_box_type *const emr_types[] = TYPES(emr_ubox, emr_upi, emr_m3upi, emr_plain);

/* link: GT/s / 8. */
#define PART(types_, dclk, link)                                                                                       \
    BRACED(OF_TYPES(types_), .hz = SERVER_HZ(dclk, link), .pci_buses = BUSES, .mmio_bytes = MEMORY_AREA,               \
           .global_frz = BIT(0), .global_kept = BIT(0), .global_report = GLOBAL_REPORT_BOXES,                          \
           .freezes_on_overflow = true)
const struct uncore_part uncore_spr = PART(types, UINT64_C(2400000000), UINT64_C(2000000000));
const struct uncore_part uncore_spr_hbm =
    PART(TYPE_LIST(&cha, &iio, &irp, &m2pcie, &pcu, &channel, &m2m, &upi, &m3upi, &ubox, &table, &bandwidth,
                   &free_running, &ubox_function, &map_function, &hbm_pcu_function, &rules_function, &stack_function,
                   &bus_function, &discovery, &plain, &hbm, &m2hbm, &cxlcm, &cxldp, &mdf),
         UINT64_C(2400000000), UINT64_C(2000000000));
const struct uncore_part uncore_emr = PART(emr_types, UINT64_C(2800000000), UINT64_C(2500000000));
