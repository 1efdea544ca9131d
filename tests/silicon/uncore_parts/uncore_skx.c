/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_skx.c: the monitors of Skylake-SP and Cascade Lake.
 *
 * Sources: Linux uncore_snbep.c (skx_*), likwid, intel/pcm, public event files.
 *
 * - Global freeze is bit 63 and unfreeze bit 61 of 700H, as likwid has them and PCM the second; both read 0. The bits
 * of boxes in the global status are likwid's, IIO and IRP of a stack have one; those of the sixth stack and of the
 * third M3UPI are assumed to follow, and M2PCIe shows none.
 * - An overflow of a counter with ov_en freezes the package until software unfreezes it, as on the parts before
 *   (329468-002 2.1.1).
 * - M3UPI is at 18.1, 18.2 and 18.5, as Linux has it, whose table was repaired for it; likwid has 18.0, 18.1 and 18.4.
 * - The number of CHAs is both in CAPID6 (Linux) and in MSR 702H (PCM), and the same.
 * - Buses of a package, in their order: U-box; CHA and PCU; memory; links, which are the root buses of the first four
 *   stacks (PCM). MSR 300H gives their numbers, with 0 for the two stacks in the package that no part with external
 *   links has. The fifth is behind a root port of the fourth stack: device n of a stack is its port n (PCM).
 * - Status bit n is counter n; a channel has its fixed counter in bit 0. I/O clock 500 MHz is assumed. DDR4-2666, on
 *   Cascade Lake-SP DDR4-2933; UPI at 10.4 GT/s. Linux has one set of tables for both; so has this file.
 */
#include "tests/silicon/uncore_parts/uncore_server.h"

#define SKX_DCLK UINT64_C(1333333333)
#define CLX_DCLK UINT64_C(1466666667)
#define UPI      UINT64_C(1300000000) /* GT/s / 8 */

/* --- MSR boxes */

static const struct uncore_event cha_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0xC0, 0, source_clock), /* of the mesh stop */
    EVENT(0x34, 0, source_skx_lookup),
    EVENT(0x35, 0, source_skx_tor, .arg = TOR_AT(BITS(2, 0))),
    SERVER_TOR_OCCUPANCY(source_skx_tor, 0),
    EVENT(0x37, 0, source_skx_victim),
    SERVER_HOME_EVENTS,
    SERVER_MEMORY_EVENTS,
};
static const struct uncore_box_type cha = {
    MONITOR("CHA", UNIT_CBO, 4, CONTROL(SERVER_FIELDS(0), .tid_en = BIT(19)), &server_box_ctl,
            REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTL, 0x1, 4, 1), REG_RUN(FILTER, 0x5, 2, 1), REG(STATUS, 0x7),
                     REG_RUN(CTR, 0x8, 4, 1)),
            cha_events),
    .global_first = 3,
    .number = uncore_slices,
    .base = 0xE00,
    .step = 0x10,
    .filter_tid = BITS(8, 0), /* 336274-001 table "Cn_MSR_PMON_BOX_FILTER0": 8:3 core, 2:0 thread */
    .tid_thread = 3,
    .filter_kept = BITS(63, 41) | BITS(37, 35) | BITS(33, 32) | BITS(26, 17) | BITS(12, 0),
};

BOX_TYPE(iio,
         MONITOR("IIO", UNIT_IIO, 4, CONTROL(IIO_FIELDS(BITS(43, 36), BITS(46, 44))), &server_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTR, 0x1, 4, 1),
                          REG(FREE, 0x5, .source = source_clock, .mask = BITS(35, 0)), REG(STATUS, 0x7),
                          REG_RUN(CTL, 0x8, 4, 1)),
                 server_iio_events),
         .global_first = 56, .count = IIO_STACKS, .base = 0xA40, .step = 0x20, .clock = CLOCK_IO);

BOX_TYPE(irp,
         MONITOR("IRP", UNIT_IRP, 2, &server_ctl, &server_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTR, 0x1, 2, 1), REG_RUN(CTL, 0x3, 2, 1), REG(STATUS, 0x7)),
                 e5_clock1_events),
         .global_first = 56, .count = IIO_STACKS, .base = 0xA58, .step = 0x20, .clock = CLOCK_IO);

/* Free-running counters of 36 bits: bandwidth in and out in units of 4 bytes (0 to 3, 4 to 7), and utilisation, which
 * is not modelled: 0. */
BOX_TYPE(bandwidth, .name = "IIO bandwidth", .unit = UNIT_FUNCTION, .count = IIO_STACKS, .base = 0xB00, .step = 0x10,
         ROWS(REG_LIST(REG_RUN(FREE, 0x0, 8, 1, .mask = BITS(35, 0), .source = source_io_in, .arg = 4),
                       REG_RUN(VALUE, 0x8, 8, 1))));

BOX_TYPE(buses, .name = "bus numbers", .unit = UNIT_FUNCTION, .count = 1, .base = 0x300,
         ROWS(REG_LIST(REG(VALUE, 0x0, .source = source_bus_numbers))));

/* --- PCI functions */

enum { BUS_UBOX, BUS_CHA, BUS_MEMORY, BUS_LINKS, BUS_DEVICE, BUSES };
#define PORT 2 /* of the fourth stack */

BOX_TYPE(channel,
         MONITOR("iMC", UNIT_IMC, 4, CONTROL(SERVER_FIELDS(0), .fixed_rst = BIT(19), .fixed_ov_en = BIT(20)),
                 &server_box_ctl, e5_channel_regs, e5_channel_events),
         .global_first = 39, .global_share = 3,
         PLACES(PLACE_LIST(PCI_AT(10, 2, 0x2042, BUS_MEMORY), PCI_AT(10, 6, 0x2046, BUS_MEMORY),
                           PCI_AT(11, 2, 0x204A, BUS_MEMORY), PCI_AT(12, 2, 0x2042, BUS_MEMORY),
                           PCI_AT(12, 6, 0x2046, BUS_MEMORY), PCI_AT(13, 2, 0x204A, BUS_MEMORY))),
         .number = uncore_channels, .fixed_bits = 48, .clock = CLOCK_DCLK, .status_first = 1);

static const struct uncore_reg m2m_regs[] = {
    REG_RUN(CTR, 0x200, 4, 8, .bytes = 8),
    REG_RUN(CTL, 0x228, 4, 8, .bytes = 8),
    REG(BOX_CTL, 0x258),
    REG(STATUS, 0x260),
    REG(KEPT, 0x268, .first = 0, .mask = UINT32_MAX), /* address match and mask: nothing matches */
    REG(KEPT, 0x26C, .first = 1, .mask = BITS(13, 0)),
    REG(KEPT, 0x270, .first = 2, .mask = UINT32_MAX),
    REG(KEPT, 0x274, .first = 3, .mask = BITS(13, 0)),
    REG(KEPT, 0x278, .first = 4, .mask = UINT32_MAX), /* opcode match */
};
static const struct uncore_event m2m_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0x37, BIT(2) | BIT(0), source_m2m, .arg = M2M_CHANNELS(3)),
    EVENT(0x38, BIT(4) | BIT(0), source_m2m, .arg = M2M_CHANNELS(3) | M2M_WRITES),
};
BOX_TYPE(m2m, MONITOR("M2M", UNIT_M2M, 4, &server_ctl, &server_box_ctl, m2m_regs, m2m_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(8, 0, 0x2066, BUS_MEMORY), PCI_AT(9, 0, 0x2066, BUS_MEMORY))),
         .global_first = 62);

BOX_TYPE(upi,
         MONITOR("UPI", UNIT_QPI, 4, CONTROL(SERVER_FIELDS(BITS(55, 45) | BITS(43, 32))), &server_upi_box_ctl,
                 REG_LIST(REG_RUN(CTR, 0x318, 4, 8, .bytes = 8), REG_RUN(CTL, 0x350, 4, 8, .bytes = 8),
                          REG(BOX_CTL, 0x378), REG(STATUS, 0x37C), SERVER_LINK_STATE),
                 server_upi_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(14, 0, 0x2058, BUS_LINKS), PCI_AT(15, 0, 0x2058, BUS_LINKS),
                                PCI_AT(16, 0, 0x2058, BUS_LINKS))),
         .clock = CLOCK_LINK, .global_first = 41);

/* M3UPI and M2PCIe: registers where the E5 family has them. The fourth M2PCIe is where boards show one: Linux
 * skx_uncore_pci_ids has it at 21.5, where none does. */
static const struct uncore_place m3upi_places[] = { PCI_AT(18, 1, 0x204D, BUS_LINKS), PCI_AT(18, 2, 0x204E, BUS_LINKS),
                                                    PCI_AT(18, 5, 0x204D, BUS_LINKS) };
BOX_TYPE(m3upi, MONITOR("M3UPI", UNIT_R3QPI, 3, &server_ctl, &server_box_ctl, e5_pci_regs, e5_clock1_events),
         PCI_MONITOR(m3upi_places), .global_first = 46);
BOX_TYPE(m2pcie, MONITOR("M2PCIe", UNIT_R2PCIE, 4, &server_ctl, &server_box_ctl, e5_pci_regs, e5_clock1_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(21, 1, 0x2088, BUS_LINKS), PCI_AT(22, 1, 0x2088, BUS_LINKS),
                                PCI_AT(23, 1, 0x2088, BUS_LINKS), PCI_AT(22, 5, 0x2088, BUS_LINKS))));

/* PCU: CAPID6, of which bits 27:0 are CHAs. */
BOX_TYPE(ubox_function, FUNCTIONS("U-box function", PLACE_LIST(PCI_AT(8, 0, 0x2014, BUS_UBOX)), server_node_regs));
BOX_TYPE(pcu_function, FUNCTIONS("PCU function", PLACE_LIST(PCI_AT(30, 3, 0x2083, BUS_CHA)),
                                 REG_LIST(REG(VALUE, 0x9C, .source = source_cha_fuses, .mask = BITS(27, 0)))));

/* Functions 0 of the devices above, without which nobody looks for the others. */
static const struct uncore_place plain_places[] = {
    PCI_AT(10, 0, 0x2040, BUS_MEMORY), PCI_AT(11, 0, 0x2048, BUS_MEMORY), PCI_AT(12, 0, 0x2040, BUS_MEMORY),
    PCI_AT(13, 0, 0x2048, BUS_MEMORY), PCI_AT(18, 0, 0x204C, BUS_LINKS),  PCI_AT(21, 0, 0x2018, BUS_LINKS),
    PCI_AT(22, 0, 0x2018, BUS_LINKS),  PCI_AT(22, 4, 0x2018, BUS_LINKS),  PCI_AT(23, 0, 0x2018, BUS_LINKS),
    PCI_AT(30, 0, 0x2080, BUS_CHA)
};
BOX_TYPE(plain, PLAIN_FUNCTIONS(plain_places));

BOX_TYPE(port, SERVER_PORT(PLACE_LIST(PCI_AT(PORT, 0, 0x2032, BUS_LINKS))));
BOX_TYPE(device, SERVER_ENDPOINT(PLACE_LIST(PCI_AT(0, 0, SERVER_DEVICE, BUS_DEVICE))));

static const struct uncore_box_type *const types[] = {
    &server_ubox, &cha,       &iio,   &irp,           &server_pcu,   &channel, &m2m,  &upi,    &m3upi,
    &m2pcie,      &bandwidth, &buses, &ubox_function, &pcu_function, &plain,   &port, &device,
};

#define PART(dclk)                                                                                                     \
    BRACED(OF_TYPES(types), .hz = SERVER_HZ(dclk, UPI), .pci_buses = BUSES,                                            \
           .port = { .bus = BUS_DEVICE, .root_bus = BUS_LINKS, .stack = 3, .channel = PORT }, .global_frz = BIT(63),   \
           .global_unfrz = BIT(61), .global_report = GLOBAL_REPORT_UNITS, .freezes_on_overflow = true,                 \
           .global_kept = BITS(60, 0), .pmi_cores = BITS(60, 0))
const struct uncore_part uncore_skx = PART(SKX_DCLK);
const struct uncore_part uncore_clx = PART(CLX_DCLK);
