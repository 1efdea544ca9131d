/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_icx.c: the monitors of Ice Lake-SP: the CHA list, and memory channels by MMIO.
 *
 * Sources: Linux uncore_snbep.c (icx_*, snr_*), likwid, intel/pcm, public event files.
 *
 * - CHAs are where Linux has them, and PCM's 42 places are taken, two more than Linux's. No FILTER1: TOR events say in
 *   their umask extension what they match.
 * - CAS_COUNT: 0FH reads, 30H writes, as the event file of this part says (older Linux: 03H and 0CH).
 * - M2PCIe is the mesh's side of a stack (event file: "mesh to PCI") and has the mesh's clock, as on Skylake-SP and
 *   Sapphire Rapids; IIO and IRP have the stack's.
 * - A memory controller's channels are 4000H bytes apart. One that is disabled would show a base address of 0; all four
 *   are there.
 * - Controls of M3UPI have 32 bits and are four bytes apart (Linux, PCM), its counters eight. UPI, M3UPI: no document
 *   that was read says where their status is.
 * - A channel's fixed counter counts HCLK, half of DCLK (event file: UNC_M_HCLOCKTICKS); event 00H counts DCLK.
 * - Global control, freeze on overflow and number of CHAs in MSR 702H as on Skylake-SP; the global status is MSR 70EH
 * and 70FH, with bit n for CHA n (likwid), then one for each other box in an order that no document that was read
 * gives. I/O clock 500 MHz is assumed. DDR4-3200, UPI at 11.2 GT/s.
 * - Ice Lake-D: three channels a controller (Linux, PCM), no links. A small one has one controller, and the others'
 * base addresses are 0; that it has the mesh stops of one controller alone, the one of the first, is an assumption.
 * DDR4-2667.
 * - Buses of a package: one stack; behind a root port of it; U-box, memory controllers and links; CHA and PCU. Dword
 * 3F4H of the function 09A2H on the root bus of a stack has the package's node in bits 3:0 and the number of the stack
 * in 6:4 (Linux, PCM). Stack 2 is box 1, and its device n is port n - 2 (PCM).
 */
#include "tests/silicon/uncore_parts/uncore_server.h"

#define MEMORY_AREA UINT64_C(0x800000) /* a package's, which is also the unit of its base address */

enum { BUS_STACK, BUS_DEVICE, BUS_UBOX, BUS_CHA, BUSES };
#define STACK     2 /* by 3F4H */
#define STACK_BOX 1
#define PORT      3

/* --- MSR boxes */

#define CHA_LOW(i)                                                                                                     \
    {                                                                                                                  \
        .base = 0xE00 + 0xE * (i)                                                                                      \
    } /* 0 .. 17 */
#define CHA_MIDDLE(i)                                                                                                  \
    {                                                                                                                  \
        .base = 0xF0A + 0xE * ((i)-18)                                                                                 \
    } /* 18 .. 33 */
#define CHA_HIGH(i)                                                                                                    \
    {                                                                                                                  \
        .base = 0xB60 + 0xE * ((i)-34)                                                                                 \
    } /* 34 .. 41 */

static const struct uncore_place cha_places[] = {
    CHA_LOW(0),     CHA_LOW(1),     CHA_LOW(2),     CHA_LOW(3),     CHA_LOW(4),     CHA_LOW(5),     CHA_LOW(6),
    CHA_LOW(7),     CHA_LOW(8),     CHA_LOW(9),     CHA_LOW(10),    CHA_LOW(11),    CHA_LOW(12),    CHA_LOW(13),
    CHA_LOW(14),    CHA_LOW(15),    CHA_LOW(16),    CHA_LOW(17),    CHA_MIDDLE(18), CHA_MIDDLE(19), CHA_MIDDLE(20),
    CHA_MIDDLE(21), CHA_MIDDLE(22), CHA_MIDDLE(23), CHA_MIDDLE(24), CHA_MIDDLE(25), CHA_MIDDLE(26), CHA_MIDDLE(27),
    CHA_MIDDLE(28), CHA_MIDDLE(29), CHA_MIDDLE(30), CHA_MIDDLE(31), CHA_MIDDLE(32), CHA_MIDDLE(33), CHA_HIGH(34),
    CHA_HIGH(35),   CHA_HIGH(36),   CHA_HIGH(37),   CHA_HIGH(38),   CHA_HIGH(39),   CHA_HIGH(40),   CHA_HIGH(41)
};
static const struct uncore_event cha_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0xC0, 0, source_clock), /* of the mesh stop */
    ICX_CHA_EVENTS(P_CORES),
    SERVER_MEMORY_EVENTS,
};
static const struct uncore_box_type cha = {
    MONITOR("CHA", UNIT_CBO, 4, CONTROL(SERVER_FIELDS(BITS(57, 32)), .tid_en = BIT(19)), &server_box_ctl,
            REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTL, 0x1, 4, 1), REG(FILTER, 0x5), REG(STATUS, 0x7),
                     REG_RUN(CTR, 0x8, 4, 1)),
            cha_events),
    .number = uncore_slices,
    .places = cha_places,
    .n_places = COUNT_OF(cha_places),
    .filter_tid = BITS(8, 0), /* as Skylake-SP: Linux ICX_CHA_MSR_PMON_BOX_FILTER_TID */
    .tid_thread = 3,
    .filter_kept = BITS(26, 17) | BITS(12, 0),
};

BOX_TYPE(ubox,
         SERVER_UBOX(REG_LIST(REG(GLOBAL_CTL, 0x0), REG(VALUE, 0x2, .source = source_cha_count, .mask = BITS(5, 0)),
                              REG_RUN(GLOBAL_STATUS, 0xE, 2, 1, .mask = UINT64_MAX), E5_UBOX_ROWS)));

/* I/O stacks: IIO, IRP and M2PCIe at the same six distances from their first boxes. */
#define STACKS(name, first)                                                                                            \
    static const struct uncore_place name[] = { { .base = (first) },        { .base = (first) + 0x20 },                \
                                                { .base = (first) + 0x40 }, { .base = (first) + 0x90 },                \
                                                { .base = (first) + 0xB0 }, { .base = (first) + 0xD0 } }
STACKS(iio_places, 0xA50);
STACKS(irp_places, 0xA4A);
STACKS(m2pcie_places, 0xA40);

#define AT_STACKS(places_, clock_)                                                                                     \
    .count = IIO_STACKS, .places = places_, .n_places = COUNT_OF(places_), .clock = clock_
BOX_TYPE(iio,
         MONITOR("IIO", UNIT_IIO, 4, CONTROL(IIO_FIELDS(BITS(47, 36), BITS(50, 48))), &server_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTR, 0x1, 4, 1),
                          REG(FREE, 0x5, .source = source_clock, .mask = BITS(47, 0)), REG(STATUS, 0x7),
                          REG_RUN(CTL, 0x8, 4, 1)),
                 server_iio_events),
         AT_STACKS(iio_places, CLOCK_IO));

BOX_TYPE(irp,
         MONITOR("IRP", UNIT_IRP, 2, &server_ctl, &server_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTR, 0x1, 2, 1), REG_RUN(CTL, 0x3, 2, 1), REG(STATUS, 0x5)),
                 e5_clock1_events),
         AT_STACKS(irp_places, CLOCK_IO));

BOX_TYPE(m2pcie,
         MONITOR("M2PCIe", UNIT_R2PCIE, 4, &server_ctl, &server_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0x0), REG_RUN(CTR, 0x1, 4, 1), REG(STATUS, 0x5), REG_RUN(CTL, 0x6, 4, 1)),
                 e5_clock1_events),
         AT_STACKS(m2pcie_places, CLOCK_UCLK));

/* Free-running: bandwidth of eight ports in units of 32 bytes. */
static const struct uncore_place bandwidth_places[] = { { .base = 0xAA0 }, { .base = 0xAB0 }, { .base = 0xAC0 },
                                                        { .base = 0xB30 }, { .base = 0xB40 }, { .base = 0xB50 } };
BOX_TYPE(bandwidth, .name = "IIO bandwidth", .unit = UNIT_FUNCTION, .count = IIO_STACKS, .places = bandwidth_places,
         .n_places = COUNT_OF(bandwidth_places),
         ROWS(REG_LIST(REG_RUN(FREE, 0x0, 8, 1, .mask = BITS(47, 0), .source = source_io_in, .arg = 32))));

/* --- PCI functions */

static const struct uncore_place m2m_places[] = { PCI_AT(12, 0, 0x344A, BUS_UBOX), PCI_AT(13, 0, 0x344A, BUS_UBOX),
                                                  PCI_AT(14, 0, 0x344A, BUS_UBOX), PCI_AT(15, 0, 0x344A, BUS_UBOX) };
static const struct uncore_ctl m2m_ctl = { SERVER_FIELDS(BITS(39, 32)) };
static const struct uncore_reg m2m_regs[] = { REG(BOX_CTL, 0x438), REG_RUN(CTR, 0x440, 4, 8, .bytes = 8),
                                              REG_RUN(CTL, 0x468, 4, 8, .bytes = 8), REG(STATUS, 0x4A8) };
/* The extension names channels: from bit 0 on in reads, from bit 2 on in writes. */
static const struct uncore_event m2m_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0x37, BIT(2), source_m2m, .arg = M2M_CHANNELS(2) | M2M_BY_CHANNEL(UINT64_C(0))),
    EVENT(0x38, BIT(4), source_m2m, .arg = M2M_CHANNELS(2) | M2M_WRITES | M2M_BY_CHANNEL(UINT64_C(2))),
};
BOX_TYPE(m2m, MONITOR("M2M", UNIT_M2M, 4, &m2m_ctl, &server_box_ctl, m2m_regs, m2m_events), PCI_MONITOR(m2m_places));

/* Ice Lake-D: channels of the one controller, in both directions from bit 0 on and from bit 2 on, which overlap. */
static const struct uncore_event m2m_d_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0x37, BIT(2), source_m2m, .arg = M2M_CHANNELS(3)),
    EVENT(0x38, BIT(4), source_m2m, .arg = M2M_CHANNELS(3) | M2M_WRITES),
};
BOX_TYPE(m2m_d, MONITOR("M2M", UNIT_M2M, 4, &m2m_ctl, &server_box_ctl, m2m_regs, m2m_d_events), .access = UNCORE_PCI,
         .places = m2m_places, .n_places = 1, .count = 1, .pci_class = PCI_PMON);

BOX_TYPE(upi,
         MONITOR("UPI", UNIT_QPI, 4, CONTROL(SERVER_FIELDS(BITS(55, 32))), &server_upi_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0x318), REG_RUN(CTR, 0x320, 4, 8, .bytes = 8),
                          REG_RUN(CTL, 0x350, 4, 8, .bytes = 8), SERVER_LINK_STATE),
                 server_upi_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(2, 1, 0x3441, BUS_UBOX), PCI_AT(3, 1, 0x3441, BUS_UBOX),
                                PCI_AT(4, 1, 0x3441, BUS_UBOX))),
         .clock = CLOCK_LINK);

BOX_TYPE(m3upi,
         MONITOR("M3UPI", UNIT_R3QPI, 4, &server_ctl, &server_box_ctl,
                 REG_LIST(REG(BOX_CTL, 0xA0), REG_RUN(CTR, 0xA8, 4, 8, .bytes = 8), REG_RUN(CTL, 0xD8, 4, 4)),
                 e5_clock1_events),
         PCI_MONITOR(PLACE_LIST(PCI_AT(5, 1, 0x3446, BUS_UBOX), PCI_AT(6, 1, 0x3446, BUS_UBOX),
                                PCI_AT(7, 1, 0x3446, BUS_UBOX))));

BOX_TYPE(ubox_function, FUNCTIONS("U-box function", PLACE_LIST(PCI_AT(0, 0, 0x3450, BUS_UBOX)), server_node_regs));
static const struct uncore_place map_places[] = { PCI_AT(0, 1, 0x3451, BUS_UBOX) };
BOX_TYPE(map_function, FUNCTIONS("memory map function", map_places, server_map_regs));
/* Ice Lake-D: the first controller's base alone. */
BOX_TYPE(map_d_function,
         FUNCTIONS("memory map function", map_places,
                   REG_LIST(REG(VALUE, 0xD0, .source = source_mmio_base, .mask = BITS(28, 0)),
                            REG(VALUE, 0xD8, .source = source_mem_bar, .arg = SERVER_MEM_BARS(1), .mask = BITS(10, 0)),
                            REG_RUN(VALUE, 0xDC, 3, 4))));
BOX_TYPE(pcu_function, FUNCTIONS("PCU function", PLACE_LIST(PCI_AT(30, 3, 0x345B, BUS_CHA)), server_capid_regs));
BOX_TYPE(plain, PLAIN_FUNCTIONS(PLACE_LIST(PCI_AT(2, 0, 0x3440, BUS_UBOX), PCI_AT(3, 0, 0x3440, BUS_UBOX),
                                           PCI_AT(4, 0, 0x3440, BUS_UBOX), PCI_AT(5, 0, 0x3445, BUS_UBOX),
                                           PCI_AT(6, 0, 0x3445, BUS_UBOX), PCI_AT(7, 0, 0x3445, BUS_UBOX),
                                           PCI_AT(30, 0, 0x3458, BUS_CHA))));

/* --- a stack, and a device below it */

BOX_TYPE(stack_function, FUNCTIONS("stack function", PLACE_LIST(PCI_AT(0, 0, 0x09A2, BUS_STACK)),
                                   REG_LIST(REG(VALUE, 0x3F4, .source = source_stack_id, .arg = STACK))));
BOX_TYPE(port, SERVER_PORT(PLACE_LIST(PCI_AT(PORT + 2, 0, 0x347D, BUS_STACK))));
BOX_TYPE(device, SERVER_ENDPOINT(PLACE_LIST(PCI_AT(0, 0, SERVER_DEVICE, BUS_DEVICE))));

/* --- memory, by MMIO */

static const struct uncore_ctl channel_ctl = { SERVER_FIELDS(0), .fixed_rst = BIT(19), .fixed_ov_en = BIT(20) };
static const struct uncore_event channel_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0x04, BIT(0), source_cas_read),
    EVENT(0x04, BIT(4), source_cas_write),
    SERVER_QUEUE_EVENTS,
};
BOX_TYPE(channel, MMIO_CHANNEL(&channel_ctl, &server_box_ctl, channel_events, 2));

/* Ice Lake-D. */
BOX_TYPE(channel_d,
         MMIO_CHANNEL_AT(PLACE_LIST({ .base = SERVER_MEM_BAR + 0x22800 }, { .base = SERVER_MEM_BAR + 0x26800 },
                                    { .base = SERVER_MEM_BAR + 0x2A800 }),
                         &channel_ctl, &server_box_ctl, server_channel_regs, channel_events, 2, .status_first = 1));

/* Free-running: lines of DRAM read and written, of persistent memory (none), and DCLK. */
#define FREE_REGS(channels)                                                                                            \
    REG(FREE, 0x2290, .bytes = 8, .mask = BITS(47, 0), .source = source_controller, .arg = channels),                  \
        REG(FREE, 0x2298, .bytes = 8, .mask = BITS(47, 0), .source = source_controller,                                \
            .arg = (channels) | M2M_WRITES),                                                                           \
        REG_RUN(VALUE, 0x22A0, 2, 8, .bytes = 8),                                                                      \
        REG(FREE, 0x22B0, .bytes = 8, .mask = BITS(47, 0), .source = source_clock)
static const struct uncore_reg free_regs[] = { FREE_REGS(2) }, free_d_regs[] = { FREE_REGS(3) };
BOX_TYPE(free_running, MMIO_FREE_RUNNING(SERVER_CONTROLLERS, free_regs));
BOX_TYPE(free_running_d, MMIO_FREE_RUNNING(1, free_d_regs));

static const struct uncore_box_type *const types[] = {
    &cha,    &ubox,  &iio,       &irp,           &m2pcie,       &server_pcu,   &channel, &free_running,   &m2m,
    &upi,    &m3upi, &bandwidth, &ubox_function, &map_function, &pcu_function, &plain,   &stack_function, &port,
    &device,
};

BOX_TYPE(plain_d, PLAIN_FUNCTIONS(PLACE_LIST(PCI_AT(30, 0, 0x3458, BUS_CHA))));
/* link: GT/s / 8. */
#define PART(types_, dclk, link)                                                                                       \
    BRACED(OF_TYPES(types_), .hz = SERVER_HZ(dclk, link), .pci_buses = BUSES,                                          \
           .port = { .bus = BUS_DEVICE, .root_bus = BUS_STACK, .stack = STACK_BOX, .channel = PORT },                  \
           .mmio_bytes = MEMORY_AREA, .global_frz = BIT(63), .global_unfrz = BIT(61),                                  \
           .global_report = GLOBAL_REPORT_BOXES, .freezes_on_overflow = true, .global_kept = BITS(60, 0),              \
           .pmi_cores = BITS(60, 0))
const struct uncore_part uncore_icx = PART(types, UINT64_C(1600000000), UINT64_C(1400000000));
const struct uncore_part uncore_icx_d =
    PART(TYPE_LIST(&cha, &ubox, &iio, &irp, &m2pcie, &server_pcu, &channel_d, &free_running_d, &m2m_d, &bandwidth,
                   &ubox_function, &map_d_function, &pcu_function, &plain_d, &stack_function, &port, &device),
         UINT64_C(1333333333), 0);
