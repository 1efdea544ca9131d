/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_snr.c: the monitors of Snow Ridge: Ice Lake-SP's events at addresses of their own.
 *
 * Sources: Linux uncore_snbep.c (snr_*), the public event file.
 *
 * - Boxes of one kind are 10H MSRs apart: six CHAs, five stacks. A stack's free-running clock lies among the registers
 *   of its IRP. No source has a status register of a box, a global control, or a global status: there are none.
 * - TOR_OCCUPANCY is counted by counter 0 alone (event file; Linux lets any counter have it).
 * - No event tells requests for this package's memory from others (event file: REQUESTS.READS and .WRITES alone): it
 * has no links.
 * - PCU: thresh is bits 31:24 (Linux' mask), and so there is no occ_invert or occ_edge_det.
 * - One memory controller with two channels, one M2M, no links. Its fixed counter counts HCLK, half of DCLK (event
 * file: UNC_M_HCLOCKTICKS). DDR4-2933.
 * - PCIe3 monitors lie in the configuration space of a root port (334AH). The event file has no event of them: they
 * count nothing.
 * - M2PCIe is the mesh's side of a stack and has the mesh's clock, IIO and IRP the stack's: 500 MHz, as assumed for Ice
 *   Lake-SP. Buses of a package: one stack; behind its root port; U-box, memory controller and M2M. Stack 1 by dword
 * 3F4H is box 4 (Linux), and its root port 334AH is port 4 (PCM).
 */
#include "tests/silicon/uncore_parts/uncore_server.h"

#define MEMORY_AREA UINT64_C(0x800000)

enum { BUS_STACK, BUS_DEVICE, BUS_UBOX, BUSES };
#define STACKS    5u
#define STACK     1 /* by 3F4H */
#define STACK_BOX 4
#define PORT      4

/* --- MSR boxes */

BOX_TYPE(ubox,
         MONITOR("U-box", UNIT_UBOX, 2, CONTROL(SERVER_FIELDS(0), .fixed_ov_en = BIT(20)), NULL,
                 REG_LIST(REG_RUN(CTL, 0x1, 2, 1), REG(FIXED_CTL, 0x3), REG(FIXED_CTR, 0x4), REG_RUN(CTR, 0x8, 2, 1)),
                 e5_ubox_events),
         .count = 1, .base = 0x1F90, .fixed_bits = 48);

#define AT_MSR(first, n, clock_) .count = (n), .base = (first), .step = 0x10, .clock = clock_
static const struct uncore_event cha_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0xC0, 0, source_clock), /* of the mesh stop */
    ICX_SLICE_EVENTS(E_CORES | TOR_ANY_HOME),
    EVENT(0x50, BITS(1, 0), source_cha_home, .arg = HOME_READ | HOME_LOCAL | HOME_REMOTE),
    EVENT(0x50, BITS(3, 2), source_cha_home, .arg = HOME_WRITE | HOME_LOCAL | HOME_REMOTE),
};
BOX_TYPE(cha,
         MONITOR("CHA", UNIT_CBO, 4, CONTROL(SERVER_FIELDS(BITS(57, 32)), .tid_en = BIT(19)), &server_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTL, 0x1, 4, 1), REG(FILTER, 0x5), REG_RUN(CTR, 0x8, 4, 1)),
                 cha_events),
         .number = uncore_slices, .base = 0x1C00, .step = 0x10, .filter_tid = BITS(8, 0), .tid_thread = 3,
         .filter_kept = BITS(8, 0));

static const struct uncore_reg stack_msrs[] = { REG(BOX_CTL, 0x0), REG_RUN(CTR, 0x1, 4, 1), REG_RUN(CTL, 0x8, 4, 1) };
BOX_TYPE(iio,
         MONITOR("IIO", UNIT_IIO, 4, CONTROL(IIO_FIELDS(BITS(47, 36), BITS(50, 48))), &server_box_ctl, stack_msrs,
                 server_iio_events),
         AT_MSR(0x1E00, STACKS, CLOCK_IO));
BOX_TYPE(m2pcie, MONITOR("M2PCIe", UNIT_R2PCIE, 4, &server_ctl, &server_box_ctl, stack_msrs, e5_clock1_events),
         AT_MSR(0x1E50, STACKS, CLOCK_UCLK));
BOX_TYPE(irp,
         MONITOR("IRP", UNIT_IRP, 2, &server_ctl, &server_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTR, 0x1, 2, 1), REG_RUN(CTL, 0x8, 2, 1),
                          REG(FREE, 0xC, .source = source_clock, .mask = BITS(47, 0))),
                 e5_clock1_events),
         AT_MSR(0x1EA0, STACKS, CLOCK_IO));

/* Free-running: bandwidth of eight ports in units of 32 bytes. */
BOX_TYPE(bandwidth, .name = "IIO bandwidth", .unit = UNIT_FUNCTION, AT_MSR(0x1F00, STACKS, CLOCK_UCLK),
         ROWS(REG_LIST(REG_RUN(FREE, 0x0, 8, 1, .mask = BITS(47, 0), .source = source_io_in, .arg = 32))));

/* occ_sel is the umask's bits 7:6 */
static const struct uncore_ctl pcu_ctl = {
    .ev_sel = BITS(7, 0),
    .umask = BITS(15, 14),
    .rst = BIT(17),
    .edge_det = BIT(18),
    .ov_en = BIT(20),
    .en = BIT(22),
    .invert = BIT(23),
    .thresh = BITS(31, 24),
    .kept = BITS(13, 8),
};
BOX_TYPE(pcu,
         MONITOR("PCU", UNIT_PCU, 4, &pcu_ctl, &server_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTL, 0x1, 4, 1), REG_RUN(CTR, 0x8, 4, 1), REG(FILTER, 0xC)),
                 e5_pcu_events),
         .count = 1, .base = 0x1EF0, .clock = CLOCK_PCU, .filter_kept = UINT32_MAX);

/* --- PCI functions */

/* The extension names channels: from bit 0 on in reads, from bit 2 on in writes. */
static const struct uncore_event m2m_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0x37, BIT(2), source_m2m, .arg = M2M_CHANNELS(2) | M2M_BY_CHANNEL(UINT64_C(0))),
    EVENT(0x38, BIT(4), source_m2m, .arg = M2M_CHANNELS(2) | M2M_WRITES | M2M_BY_CHANNEL(UINT64_C(2))),
};
BOX_TYPE(m2m,
         MONITOR("M2M", UNIT_M2M, 4, CONTROL(SERVER_FIELDS(BITS(39, 32))), &server_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0x438), REG_RUN(CTR, 0x440, 4, 8, .bytes = 8),
                          REG_RUN(CTL, 0x468, 4, 8, .bytes = 8)),
                 m2m_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(12, 0, 0x344A, BUS_UBOX))));

/* A root port, and its monitors. */
static const struct uncore_place pcie3_places[] = { PCI_AT(4, 0, 0x334A, BUS_STACK) };
BOX_TYPE(pcie3, .name = "PCIe3", .unit = UNIT_PCIE, .counters = 4, .counter_bits = 48,
         .ctl = CONTROL(SERVER_FIELDS(BITS(46, 32))), .box_ctl = &server_box_ctl, PLACES(pcie3_places), .count = 1,
         .pci_class = SERVER_PORT_CLASS,
         ROWS(REG_LIST(SERVER_PORT_ROWS, REG(BOX_CTL, 0x4E0), REG_RUN(CTR, 0x4E8, 4, 8, .bytes = 8),
                       REG_RUN(CTL, 0x508, 4, 8, .bytes = 8))));
BOX_TYPE(device, SERVER_ENDPOINT(PLACE_LIST(PCI_AT(0, 0, SERVER_DEVICE, BUS_DEVICE))));

BOX_TYPE(stack_function, FUNCTIONS("stack function", PLACE_LIST(PCI_AT(0, 0, 0x09A2, BUS_STACK)),
                                   REG_LIST(REG(VALUE, 0x3F4, .source = source_stack_id, .arg = STACK))));
BOX_TYPE(ubox_function, FUNCTIONS("U-box function", PLACE_LIST(PCI_AT(0, 0, 0x3460, BUS_UBOX)), server_node_regs));
BOX_TYPE(map_function, FUNCTIONS("memory map function", PLACE_LIST(PCI_AT(0, 1, 0x3451, BUS_UBOX)),
                                 REG_LIST(REG(VALUE, 0xD0, .source = source_mmio_base, .mask = BITS(28, 0)),
                                          REG(VALUE, 0xD8, .source = source_mem_bar, .arg = SERVER_MEM_BARS(1),
                                              .mask = BITS(10, 0)))));

/* --- memory, by MMIO */

static const struct uncore_reg channel_regs[] = {
    REG(BOX_CTL, 0x0),
    REG_RUN(CTR, 0x8, 4, 8, .bytes = 8),
    REG(FIXED_CTR, 0x38, .bytes = 8),
    REG_RUN(CTL, 0x40, 4, 4),
    REG(FIXED_CTL, 0x54),
    REG_RUN(VALUE, 0x418, 4, 4, .source = source_corrected), /* CORRERRCNT: Linux i10nm_base.c */
};
BOX_TYPE(channel,
         MMIO_CHANNEL_AT(PLACE_LIST({ .base = SERVER_MEM_BAR + 0x22800 }, { .base = SERVER_MEM_BAR + 0x26800 }),
                         CONTROL(SERVER_FIELDS(0), .fixed_rst = BIT(19), .fixed_ov_en = BIT(20)), &server_box_ctl,
                         channel_regs,
                         EVENT_LIST(EVENT(0x00, 0, source_clock), EVENT(0x04, BIT(0), source_cas_read),
                                    EVENT(0x04, BIT(4), source_cas_write), SERVER_QUEUE_EVENTS),
                         2));

/* Free-running: lines of DRAM read and written, and DCLK. */
BOX_TYPE(free_running,
         MMIO_FREE_RUNNING(1, REG_LIST(REG(FREE, 0x2290, .bytes = 8, .mask = BITS(47, 0), .source = source_controller,
                                           .arg = 2),
                                       REG(FREE, 0x2298, .bytes = 8, .mask = BITS(47, 0), .source = source_controller,
                                           .arg = 2 | M2M_WRITES),
                                       REG(FREE, 0x22B0, .bytes = 8, .mask = BITS(47, 0), .source = source_clock))));

const struct uncore_part uncore_snr = {
    OF_TYPES(TYPE_LIST(&ubox, &cha, &iio, &irp, &m2pcie, &pcu, &channel, &free_running, &bandwidth, &m2m, &pcie3,
                       &stack_function, &ubox_function, &map_function, &device)),
    .hz = SERVER_HZ(UINT64_C(1466666667), 0),
    .pci_buses = BUSES,
    .port = { .bus = BUS_DEVICE, .root_bus = BUS_STACK, .stack = STACK_BOX, .channel = PORT },
    .mmio_bytes = MEMORY_AREA,
};
