/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_server.h: what the monitors of Skylake-SP and later have in common: tables that several
 * of them use, and sources for their events. Part files (uncore_skx.c, uncore_icx.c, uncore_spr.c) say the rest.
 *
 * What the model does not know, and how it is counted: a hit and a victim have no home, so they are local; nobody does
 * I/O, so whatever counts that stays 0; there is no near memory, no directory, and no flit is null or idle.
 */
#pragma once
#include "tests/silicon/uncore_parts/uncore_e5.h"

/* --- sources */

/* CHA. What is counted stands in the control and the filter of the box.
 *   skx_lookup, icx_lookup      LLC_LOOKUP: kinds in the umask, states in the filter; states in the umask, kinds and
 *                               home in the umask extension
 *   skx_victim, icx_victim      LLC_VICTIMS by state; home in the umask, in its extension
 *   skx_tor, icx_tor            TOR: opcode and home in FILTER1, in the umask extension. arg: TOR_AT(...) alone
 *   cha_home                    the box's share of what source_home counts with the same arg
 *   cha_memory                  the box's share of lines read (arg 0) or written (1) in the package's memory */
uncore_source source_skx_lookup, source_icx_lookup, source_skx_victim, source_icx_victim, source_skx_tor,
    source_icx_tor, source_cha_home, source_cha_memory;

/* M2M: lines read or written on the channels of its controller. */
#define M2M_CHANNELS(n)    (n)                   /* of a controller                                            */
#define M2M_WRITES         BIT(8)                /* else reads                                                 */
#define M2M_BY_CHANNEL(at) (BIT(9) | (at) << 16) /* those that the umask extension names from bit `at` on      */
uncore_source source_m2m;

/* Memory controller with pseudo channels, which take turns line by line. arg: PSEUDO_* bits. */
#define PSEUDO_READ  1u
#define PSEUDO_WRITE 2u
#define PSEUDO_0     4u
#define PSEUDO_1     8u
#define SUB_0        16u /* of the lines of one sub-channel, which take turns first: Granite Rapids on */
#define SUB_1        32u
uncore_source source_pseudo;
/* Free-running counters of an I/O stack: what came in by its first port, in units of arg bytes. The device of each
 * package (realism dma) is behind the second stack. */
uncore_source source_io_in;
/* Configuration requests that a stack passed on to a device behind its root port, through the ports of ch_mask and of
 * the flow classes of fc_mask. arg: CONFIG_*. A request is of at most 4 bytes, and so a unit of data too. */
#define CONFIG_READ  0u
#define CONFIG_WRITE 1u
uncore_source source_config;
/* What the device wrote to memory, through port 0 of the second stack by posted requests. arg: bytes of a unit. */
uncore_source source_device_writes;
/* Root port: bus numbers at 18H (PCI-to-PCI Bridge Architecture Specification 1.2, 3.2.5.2 to 3.2.5.4). */
uncore_source source_port_buses;
uncore_source source_address_rule; /* enabled (bit 0), with the bits of arg where near memory caches what it names */
uncore_source source_stack_id;  /* dword 3F4H of 8086:09A2: node in 3:0, number of the stack (arg) in 6:4            */
uncore_source source_spr_cas;   /* kinds in umask 5:0, pseudo channels in umask 7:6. arg: 0, or SUB_0 or SUB_1     */
uncore_source source_spr_clock; /* DCLK with umask bit 0, else HCLK, which is half of it                          */
/* A controller's free-running counter, of a box that stands for one: lines. arg: channels, or that | M2M_WRITES. */
uncore_source source_controller;

/* UPI: slots of flits by the umask: slots in bits 2:0, data bit 3, headers bit 7. A line is 9 slots of data; the
 * request for one, and what goes ahead of one, is a header in slot 0. arg: 0 sent, 1 received. */
uncore_source source_upi;
/* UPI, BASIC_HDR_MATCH: headers of the message class in umask bits 3:0, of any opcode: requests (8), data responses (C)
 * and writes (D), which are all that there are. arg: 0 sent, 1 received. */
uncore_source source_upi_headers;

/* PCU: clocks times cores. */

/* Registers that tell where and how many. arg of the bars: offset in the package's part of the window. */
uncore_source source_cha_count; /* as PCM takes it from MSR 702H                                                  */
uncore_source source_cha_fuses; /* CAPID: a bit a CHA; arg: the dword                                             */
uncore_source source_cpu_node, source_bus_numbers;
uncore_source source_bus_dword; /* register n: numbers of the buses from 4 * n on                                  */
uncore_source source_mmio_base; /* in units of 8 MB                                                               */
uncore_source source_mem_bar;   /* register n: of controller n, in pages; arg: distance of controllers in bytes, which
                                   is also where the first one lies, and in bits 63:32 how many there are        */

/* --- tables */

#define IIO_STACKS 6u /* Skylake-SP, Ice Lake-SP */
/* Clocks that do not move, by uncore_clock: link is GT/s / 8. */
#define SERVER_HZ(dclk, link)                                                                                          \
    BRACED([CLOCK_DCLK] = (dclk), [CLOCK_PCU] = UINT64_C(1000000000), [CLOCK_LINK] = (link),                           \
           [CLOCK_IO] = UINT64_C(500000000))
#define SERVER_COMMON                                                                                                  \
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .rst = BIT(17), .edge_det = BIT(18), .ov_en = BIT(20), .en = BIT(22),  \
    .invert = BIT(23)
#define IIO_FIELDS(channels, classes)                                                                                  \
    SERVER_COMMON, .thresh = BITS(35, 24), .kept = (channels) | (classes), .ch_mask = (channels), .fc_mask = (classes)
#define SERVER_FIELDS(ext) SERVER_COMMON, .thresh = BITS(31, 24), .fixed_en = BIT(22), .kept = (ext)

extern const struct uncore_box_ctl server_box_ctl; /* resets in bits 0 and 1, freeze in bit 8                      */
extern const struct uncore_box_ctl server_upi_box_ctl;
#define SERVER_LINK_STATE REG(VALUE, 0x120, .source = source_link_state)
extern const struct uncore_ctl server_ctl; /* without umask extension                                      */
extern const struct uncore_box_type server_ubox, server_pcu; /* at 700H and 710H                                   */
extern const struct uncore_ctl server_ubox_ctl;
#define SERVER_UBOX(regs_)                                                                                             \
    MONITOR("U-box", UNIT_UBOX, 2, &server_ubox_ctl, NULL, regs_, e5_ubox_events),                                     \
        .count = 1, .base = 0x700, .fixed_bits = 48, .filter_kept = BITS(5, 0), .status_fixed = 2, .global_first = 1

/* TOR_OCCUPANCY, on counter 0. */
#define SERVER_TOR_OCCUPANCY(tor, cores)                                                                               \
    EVENT(0x36, 0, tor, .arg = TOR_AT(BIT(0)) | (cores), .cycles = TOR_HIT_CLOCKS, .most = TOR_ENTRIES,                \
          .counters = BIT(0)),                                                                                         \
        EVENT(0x36, 0, tor, .arg = TOR_AT(BITS(2, 1)) | (cores), .cycles = TOR_MISS_CLOCKS, .most = TOR_ENTRIES,       \
              .counters = BIT(0))
#define SERVER_HOME_EVENTS                                                                                             \
    EVENT(0x50, BIT(0), source_cha_home, .arg = HOME_READ | HOME_LOCAL),                                               \
        EVENT(0x50, BIT(1), source_cha_home, .arg = HOME_READ | HOME_REMOTE),                                          \
        EVENT(0x50, BIT(2), source_cha_home, .arg = HOME_WRITE | HOME_LOCAL),                                          \
        EVENT(0x50, BIT(3), source_cha_home, .arg = HOME_WRITE | HOME_REMOTE)
#define SERVER_MEMORY_EVENTS                                                                                           \
    EVENT(0x59, BIT(0), source_cha_memory, .arg = 0), EVENT(0x5B, BIT(0), source_cha_memory, .arg = 1)
extern const struct uncore_event server_upi_events[5];
/* IIO of Skylake-SP to Ice Lake-SP (of later parts: listed_iio_events): clock; what the device writes, 32 bytes a clock
 * at most (an assumption: the unit of the free-running counters); configuration requests by processors, of which 32
 * bits each are data. */
extern const struct uncore_event server_iio_events[6];
/* A root port, and a device below it, of no class and with an id that no driver knows: PCI Express functions (PCI
 * Express Base Specification 3.0, 7.8.2). */
extern const struct uncore_reg server_port_regs[5], server_device_regs[4];
#define SERVER_DEVICE     0xFFF0u
#define SERVER_PORT_CLASS 0x060400u
#define SERVER_EXPRESS_AT 0x40u
/* A capability at SERVER_EXPRESS_AT: id 10H, the last one; version 2. */
#define SERVER_EXPRESS(type) (0x00020010u | (uint32_t)(type) << 20)
#define SERVER_STATUS_CAPS   0x00100000u /* of the dword at 04H */
#define SERVER_BRIDGE        0x00010000u /* of the dword at 0CH */
#define SERVER_PORT_ROWS                                                                                               \
    REG(VALUE, 0x04, .mask = SERVER_STATUS_CAPS), REG(VALUE, 0x0C, .mask = SERVER_BRIDGE),                             \
        REG(VALUE, 0x18, .source = source_port_buses), REG(VALUE, 0x34, .mask = SERVER_EXPRESS_AT),                    \
        REG(VALUE, SERVER_EXPRESS_AT, .mask = SERVER_EXPRESS(4))
#define SERVER_PORT(places_)                                                                                           \
    .name = "root port", .unit = UNIT_FUNCTION, PLACES(places_), .count = 1, .pci_class = SERVER_PORT_CLASS,           \
    ROWS(server_port_regs)
#define SERVER_ENDPOINT(places_)                                                                                       \
    .name = "device", .unit = UNIT_FUNCTION, PLACES(places_), .count = 1, .pci_class = 0xFF0000,                       \
    ROWS(server_device_regs)
/* Lookups, TOR and victims, where the umask extension says what is counted. */
#define ICX_SLICE_EVENTS(cores)                                                                                        \
    EVENT(0x34, 0, source_icx_lookup), EVENT(0x35, 0, source_icx_tor, .arg = TOR_AT(BITS(2, 0)) | (cores)),            \
        SERVER_TOR_OCCUPANCY(source_icx_tor, cores), EVENT(0x37, 0, source_icx_victim)
#define ICX_CHA_EVENTS(cores) ICX_SLICE_EVENTS(cores), SERVER_HOME_EVENTS
#define P_CORES               0
#define E_CORES               1 /* their data reads have the opcode of DRd_Opt (event files) */

/* A memory channel by MMIO, whose fixed counter counts DCLK / divisor. */
#define MMIO_CHANNEL_AT(places_, ctl_, box_ctl_, regs_, events_, divisor_, ...)                                        \
    MONITOR("iMC", UNIT_IMC, 4, ctl_, box_ctl_, regs_, events_),                                                       \
        .access = UNCORE_MMIO, .number = uncore_channels, .places = places_, .n_places = COUNT_OF(places_),            \
        .fixed_bits = 48, .fixed_divisor = divisor_, .clock = CLOCK_DCLK, __VA_ARGS__
#define MMIO_CHANNEL(ctl_, box_ctl_, events_, divisor_, ...)                                                           \
    MMIO_CHANNEL_AT(server_channel_places, ctl_, box_ctl_, server_channel_regs, events_, divisor_, .status_first = 1,  \
                    __VA_ARGS__)
/* Free-running counters of the memory controllers. */
#define MMIO_FREE_RUNNING(controllers, regs_)                                                                          \
    .name = "iMC free-running", .unit = UNIT_FUNCTION, .access = UNCORE_MMIO, .count = controllers,                    \
    .base = SERVER_MEM_BAR, .step = SERVER_MEM_BAR, .clock = CLOCK_DCLK, ROWS(regs_)

/* Read and write queues: inserts by pseudo channel, and occupancy, an event a queue and pseudo channel. */
#define SERVER_QUEUE(ev_sel, kind)                                                                                     \
    EVENT(ev_sel, 0, source_pseudo, .arg = (kind), .cycles = QUEUE_CLOCKS, .most = QUEUE_ENTRIES)
#define SERVER_QUEUE_EVENTS                                                                                            \
    EVENT(0x10, BIT(0), source_pseudo, .arg = PSEUDO_READ | PSEUDO_0),                                                 \
        EVENT(0x10, BIT(1), source_pseudo, .arg = PSEUDO_READ | PSEUDO_1),                                             \
        EVENT(0x20, BIT(0), source_pseudo, .arg = PSEUDO_WRITE | PSEUDO_0),                                            \
        EVENT(0x20, BIT(1), source_pseudo, .arg = PSEUDO_WRITE | PSEUDO_1),                                            \
        SERVER_QUEUE(0x80, PSEUDO_READ | PSEUDO_0), SERVER_QUEUE(0x81, PSEUDO_READ | PSEUDO_1),                        \
        SERVER_QUEUE(0x82, PSEUDO_WRITE | PSEUDO_0), SERVER_QUEUE(0x83, PSEUDO_WRITE | PSEUDO_1)

/* U-box function: node id, and 3 bits a node of which node is whose. Memory map function: base of the package's window,
 * and of its four memory controllers in it. PCU function: CAPID6 and CAPID7, a bit a CHA. */
extern const struct uncore_reg server_node_regs[2], server_map_regs[2], server_capid_regs[2];

/* Memory by MMIO: controller n lies at (n + 1) * SERVER_MEM_BAR in the package's window, and has two channels. */
#define SERVER_MEM_BAR     0x40000u
#define SERVER_MEM_BARS(n) ((uint64_t)(n) << 32 | SERVER_MEM_BAR)
#define SERVER_CHANNELS    8u
#define SERVER_CONTROLLERS 4u
extern const struct uncore_place server_channel_places[SERVER_CHANNELS];
/* Of a channel: the monitor, and after it CORRERRCNT, errors that ECC corrected. Two ranks a register on Ice Lake and Sapphire
 * Rapids; on Granite Rapids each of eight registers is one counter (Linux i10nm_base.c, struct reg_rrl), of what is not said. */
#define SERVER_CHANNEL_ROWS                                                                                            \
    REG(BOX_CTL, 0x0), REG_RUN(CTR, 0x8, 4, 8, .bytes = 8), REG(FIXED_CTR, 0x38, .bytes = 8),                          \
        REG_RUN(CTL, 0x40, 4, 4), REG(FIXED_CTL, 0x54), REG(STATUS, 0x5C)
extern const struct uncore_reg server_channel_regs[7];
