/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/uncore_spr.c: the monitors of Sapphire and Emerald Rapids, found by discovery tables.
 *
 * Sources: Linux uncore_discovery.c and uncore_snbep.c (spr_*), intel/pcm, public event files.
 *
 * - Box control: freeze in bit 0, resets in bits 8 and 9. A counter needs no enable: bit 22 of its control is kept and
 *   does nothing, but the fixed counter's does. The umask extension of a CHA has 32 bits (older Linux took 24), of
 *   other boxes 24.
 * - CHA filter at +EH (Linux, PCM). iMC: event 01H counts DCLK with umask bit 0, else HCLK (event file; likwid has it
 *   the other way round), which is taken to be half of it.
 * - Global control at 2FF0H: bit 0 freezes (PCM); it is assumed to show a freeze on overflow too. The global status has
 *   a bit for each box.
 * - M2PCIe at 3200H and PCU at 2FC0H: only the table says so. UPI and M3UPI where Linux has them when it does not
 *   believe the table; their status beside the control is an assumption. Three links. The free-running counters of the
 *   memory queues are taken to count DCLK.
 * - The base address register of the table is wired to its place: firmware has set it, and nobody moves it.
 * - MDF, HBM and CXL units are not made. I/O clock 500 MHz is assumed. DDR5-4800, UPI at 16 GT/s.
 * - Emerald Rapids: four links at 20 GT/s and DDR5-5600 (product pages); 2FFEH does not say the number of CHAs, CAPID6
 *   and CAPID7 do, on both (PCM).
 * - Buses of a package: the first stack, with the functions that lead to the table; U-box, memory and links; PCU.
 */
#include "tests/silicon/uncore/model_discovery.h"
#include "tests/silicon/uncore/uncore_server.h"

#define MEMORY_AREA UINT64_C(0x800000)
#define TABLE       0x200000u /* in it */
#define STACKS      12u

enum { BUS_STACK, BUS_UBOX, BUS_CHA, BUSES };

static const struct uncore_box_ctl box_ctl = { .frz = BIT(0), .rst_ctrl = BIT(8), .rst_ctrs = BIT(9) };

#define FIELDS(ext)                                                                                                    \
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .rst = BIT(17), .edge_det = BIT(18), .ov_en = BIT(20),                 \
    .invert = BIT(23), .thresh = BITS(31, 24), .fixed_en = BIT(22), .kept = BIT(22) | (ext)
static const struct uncore_ctl cha_ctl = { FIELDS(BITS(63, 32) | BIT(16)) };
static const struct uncore_ctl wide_ctl = { FIELDS(BITS(55, 32)) };
static const struct uncore_ctl narrow_ctl = { FIELDS(0) };
static const struct uncore_ctl iio_ctl = { .ev_sel = BITS(7, 0),
                                           .umask = BITS(15, 8),
                                           .rst = BIT(17),
                                           .edge_det = BIT(18),
                                           .ov_en = BIT(20),
                                           .invert = BIT(23),
                                           .thresh = BITS(35, 24),
                                           .kept = BITS(50, 36) | BIT(22) };

/* --- MSR boxes: one map */

#define MSR_ROWS                                                                                                       \
    { REG_BOX_CTL, .offset = 0x0 }, { REG_STATUS, .offset = 0x1 }, { REG_CTL, .offset = 0x2, .count = 4, .step = 1 },  \
    {                                                                                                                  \
        REG_CTR, .offset = 0x8, .count = 4, .step = 1                                                                  \
    }
static const struct uncore_reg msr_regs[] = { MSR_ROWS };
static const struct uncore_reg cha_regs[] = { MSR_ROWS, { REG_FILTER, .offset = 0xE } };
static const struct uncore_reg irp_regs[] = {
    MSR_ROWS, { REG_FREE, .offset = 0xE, .source = source_clock, .mask = BITS(47, 0) } /* I/O clock of the stack */
};

#define MSR_BOX(first, count_, clock_) .count = count_, .base = first, .step = 0x10, .clock = clock_

static const struct uncore_event cha_events[] = {
    EVENT(0x01, 0, source_clock),
    ICX_CHA_EVENTS,
};
static const struct uncore_box_type cha = {
    MONITOR("CHA", UNIT_CBO, 4, &cha_ctl, &box_ctl, cha_regs, cha_events),
    .number = uncore_slices,
    .base = 0x2000,
    .step = 0x10,
    .filter_kept = BITS(9, 0),
};

static const struct uncore_box_type iio = { MONITOR("IIO", UNIT_IIO, 4, &iio_ctl, &box_ctl, msr_regs, e5_clock1_events),
                                            MSR_BOX(0x3000, STACKS, CLOCK_IO) };
static const struct uncore_box_type irp = {
    MONITOR("IRP", UNIT_IRP, 2, &wide_ctl, &box_ctl, irp_regs, e5_clock1_events), MSR_BOX(0x3400, STACKS, CLOCK_IO)
};
static const struct uncore_box_type m2pcie = { MONITOR("M2PCIe", UNIT_R2PCIE, 4, &wide_ctl, &box_ctl, msr_regs,
                                                       e5_clock1_events),
                                               MSR_BOX(0x3200, STACKS, CLOCK_UCLK) };

/* POWER_STATE_OCCUPANCY: 35H cores in C0; none is ever in C6 (37H). */
static const struct uncore_event pcu_events[] = {
    EVENT(0x01, 0, source_clock),
    EVENT(0x35, 0, source_core_states, .arg = 1, .most = 256),
};
static const struct uncore_box_type pcu = { MONITOR("PCU", UNIT_PCU, 4, &narrow_ctl, &box_ctl, msr_regs, pcu_events),
                                            MSR_BOX(0x2FC0, 1, CLOCK_PCU) };

#define UBOX_ROWS                                                                                                      \
    { REG_BOX_CTL, .offset = 0x00 }, { REG_STATUS, .offset = 0x01 },                                                   \
        { REG_CTL, .offset = 0x02, .count = 2, .step = 1 }, { REG_CTR, .offset = 0x08, .count = 2, .step = 1 },        \
        { REG_FIXED_CTL, .offset = 0x0E }, { REG_FIXED_CTR, .offset = 0x0F }, { REG_GLOBAL_CTL, .offset = 0x20 },      \
    {                                                                                                                  \
        REG_GLOBAL_STATUS, .offset = 0x21, .count = UNCORE_GLOBAL_STATUS, .step = 1, .mask = UINT64_MAX                \
    }
static const struct uncore_reg ubox_regs[] = { UBOX_ROWS, { REG_VALUE, .offset = 0x2E, .source = source_cha_count } };
static const struct uncore_reg emr_ubox_regs[] = { UBOX_ROWS, { REG_VALUE, .offset = 0x2E } };
#define UBOX(regs)                                                                                                     \
    {                                                                                                                  \
        MONITOR("U-box", UNIT_UBOX, 2, &narrow_ctl, &box_ctl, regs, e5_ubox_events),                                   \
            .count = 1, .base = 0x2FD0, .fixed_bits = 48, .status_fixed = 2                                            \
    }
static const struct uncore_box_type ubox = UBOX(ubox_regs), emr_ubox = UBOX(emr_ubox_regs);

/* Free-running: bandwidth of eight ports in and out, 0 without I/O. */
static const struct uncore_reg bandwidth_regs[] = { { REG_VALUE, .offset = 0x0, .count = 16, .step = 1 } };
static const struct uncore_box_type bandwidth = {
    .name = "IIO bandwidth",
    .unit = UNIT_FUNCTION,
    .count = STACKS,
    .base = 0x3800,
    .step = 0x10,
    ROWS(bandwidth_regs),
};

/* --- PCI functions */

static const struct uncore_place m2m_places[] = {
    { UNCORE_DEVFN(12, 0), 0x324A, BUS_UBOX },
    { UNCORE_DEVFN(13, 0), 0x324A, BUS_UBOX },
    { UNCORE_DEVFN(14, 0), 0x324A, BUS_UBOX },
    { UNCORE_DEVFN(15, 0), 0x324A, BUS_UBOX },
};
static const struct uncore_reg m2m_regs[] = {
    { REG_BOX_CTL, .offset = 0x438 },
    { REG_CTR, .offset = 0x440, .count = 4, .step = 8, .bytes = 8 },
    { REG_CTL, .offset = 0x468, .count = 4, .step = 8, .bytes = 8 },
    { REG_STATUS, .offset = 0x4A8 },
};
/* The extension names channels: from bit 0 on in reads, from bit 3 on in writes. */
static const struct uncore_event m2m_events[] = {
    EVENT(0x01, 0, source_clock),
    EVENT(0x24, BIT(2), source_m2m, .arg = M2M_CHANNELS(2) | M2M_BY_CHANNEL(UINT64_C(0))),
    EVENT(0x25, BIT(4), source_m2m, .arg = M2M_CHANNELS(2) | M2M_WRITES | M2M_BY_CHANNEL(UINT64_C(3))),
};
static const struct uncore_place upi_places[] = {
    { UNCORE_DEVFN(1, 1), 0x3241, BUS_UBOX },
    { UNCORE_DEVFN(2, 1), 0x3241, BUS_UBOX },
    { UNCORE_DEVFN(3, 1), 0x3241, BUS_UBOX },
    { UNCORE_DEVFN(4, 1), 0x3241, BUS_UBOX }, /* Emerald Rapids */
};
static const struct uncore_reg upi_regs[] = {
    { REG_BOX_CTL, .offset = 0x318 },
    { REG_STATUS, .offset = 0x31C },
    { REG_CTR, .offset = 0x320, .count = 4, .step = 8, .bytes = 8 },
    { REG_CTL, .offset = 0x350, .count = 4, .step = 8, .bytes = 8 },
};
static const struct uncore_place m3upi_places[] = {
    { UNCORE_DEVFN(5, 1), 0x3246, BUS_UBOX },
    { UNCORE_DEVFN(6, 1), 0x3246, BUS_UBOX },
    { UNCORE_DEVFN(7, 1), 0x3246, BUS_UBOX },
    { UNCORE_DEVFN(8, 1), 0x3246, BUS_UBOX },
};
static const struct uncore_reg m3upi_regs[] = {
    { REG_BOX_CTL, .offset = 0xA0 },
    { REG_STATUS, .offset = 0xA4 },
    { REG_CTR, .offset = 0xA8, .count = 4, .step = 8, .bytes = 8 },
    { REG_CTL, .offset = 0xD8, .count = 4, .step = 8, .bytes = 8 },
};
static const struct uncore_box_type m2m = { MONITOR("M2M", UNIT_M2M, 4, &wide_ctl, &box_ctl, m2m_regs, m2m_events),
                                            PCI_MONITOR(m2m_places), .clock = CLOCK_UCLK };
#define LINKS(n)                                                                                                       \
    MONITOR("UPI", UNIT_QPI, 4, &wide_ctl, &box_ctl, upi_regs, server_upi_events),                                     \
        .places = upi_places, .n_places = n, .access = UNCORE_PCI, .count = n, .pci_class = PCI_PMON,                  \
        .clock = CLOCK_LINK
#define MESH_LINKS(n)                                                                                                  \
    MONITOR("M3UPI", UNIT_R3QPI, 4, &wide_ctl, &box_ctl, m3upi_regs, e5_clock1_events),                                \
        .places = m3upi_places, .n_places = n, .access = UNCORE_PCI, .count = n, .pci_class = PCI_PMON,                \
        .clock = CLOCK_UCLK
static const struct uncore_box_type upi = { LINKS(3) }, emr_upi = { LINKS(4) };
static const struct uncore_box_type m3upi = { MESH_LINKS(3) }, emr_m3upi = { MESH_LINKS(4) };

#define FUNCTION(name_, devfn, did_, bus_, regs_)                                                                      \
    static const struct uncore_place name_##_places[] = { { devfn, did_, bus_ } };                                     \
    static const struct uncore_box_type name_ = {                                                                      \
        .name = #name_, .unit = UNIT_FUNCTION, PLACES(name_##_places), .count = 1, ROWS(regs_)                         \
    }
FUNCTION(ubox_function, UNCORE_DEVFN(0, 0), 0x3250, BUS_UBOX, server_node_regs);
FUNCTION(map_function, UNCORE_DEVFN(0, 1), 0x3251, BUS_UBOX, server_map_regs);
FUNCTION(pcu_function, UNCORE_DEVFN(30, 3), 0x325B, BUS_CHA, server_capid_regs);

/* Of the first stack: which package it is (SAD_CONTROL_CFG), and the bus numbers, 16 at each place, with a valid bit
 * each (PCM). */
static const struct uncore_reg stack_regs[] = { { REG_VALUE, .offset = 0x3F4, .source = source_cpu_node,
                                                  .mask = BITS(3, 0) } };
static const struct uncore_reg bus_regs[] = {
    { REG_VALUE, .offset = 0x190, .count = 4, .step = 4, .source = source_bus_dword },
    { REG_VALUE, .offset = 0x1A0, .mask = BITS(BUSES - 1, 0) },
    { REG_VALUE, .offset = 0x1C0, .count = 4, .step = 4 },
};
FUNCTION(stack_function, UNCORE_DEVFN(0, 0), 0x09A2, BUS_STACK, stack_regs);
FUNCTION(bus_function, UNCORE_DEVFN(3, 0), 0x09A6, BUS_STACK, bus_regs);

/* The function that leads to the table. PCI Express Base Specification 7.5.3 (capability), 7.9.5 (VSEC), 7.9.6 (DVSEC).
 */
#define EXTENDED(id, next) ((uint32_t)(next) << 20 | 1u << 16 | (id))
#define DVSEC_HEADER       (0x010u << 20 | 1u << 16 | 0x8086u) /* length, revision, vendor */
enum { VSEC = 0x000B, DVSEC = 0x0023, DVSEC_PMON = 1, DVSEC_TELEMETRY = 2 };

static const struct uncore_reg discovery_regs[] = {
    { REG_VALUE, .offset = 0x004, .mask = BIT(20) | BIT(1) }, /* capabilities; memory decoded */
    { REG_VALUE, .offset = 0x010, .source = source_discovery_bar, .arg = TABLE },
    { REG_VALUE, .offset = 0x014, .source = source_discovery_bar, .arg = TABLE | DISCOVERY_BAR_HIGH },
    { REG_VALUE, .offset = 0x034, .mask = 0x40 },
    { REG_VALUE, .offset = 0x040, .mask = 0x00920010 }, /* PCI Express, version 2, root complex integrated endpoint */
    { REG_VALUE, .offset = 0x044, .mask = BIT(15) },    /* role-based error reporting */
    { REG_VALUE, .offset = 0x100, .mask = EXTENDED(VSEC, 0x120) },
    { REG_VALUE, .offset = 0x104, .mask = 0x010u << 20 | 4 },
    { REG_VALUE, .offset = 0x120, .mask = EXTENDED(DVSEC, 0x140) },
    { REG_VALUE, .offset = 0x124, .mask = DVSEC_HEADER },
    { REG_VALUE, .offset = 0x128, .mask = DVSEC_TELEMETRY },
    { REG_VALUE, .offset = 0x140, .mask = EXTENDED(DVSEC, 0) },
    { REG_VALUE, .offset = 0x144, .mask = DVSEC_HEADER },
    { REG_VALUE, .offset = 0x148, .mask = DVSEC_PMON },
    { REG_VALUE, .offset = 0x14C, .source = source_discovery_bir, .arg = 0 },
};
static const struct uncore_place discovery_places[] = { { UNCORE_DEVFN(3, 1), 0x09A7, BUS_STACK } };
static const struct uncore_box_type discovery = {
    .name = "discovery",
    .unit = UNIT_FUNCTION,
    PLACES(discovery_places),
    .number = discovery_functions,
    ROWS(discovery_regs),
};

static const struct uncore_place plain_places[] = {
    { UNCORE_DEVFN(1, 0), 0x3240, BUS_UBOX }, { UNCORE_DEVFN(2, 0), 0x3240, BUS_UBOX },
    { UNCORE_DEVFN(3, 0), 0x3240, BUS_UBOX }, { UNCORE_DEVFN(5, 0), 0x3245, BUS_UBOX },
    { UNCORE_DEVFN(6, 0), 0x3245, BUS_UBOX }, { UNCORE_DEVFN(7, 0), 0x3245, BUS_UBOX },
    { UNCORE_DEVFN(30, 0), 0x3258, BUS_CHA }, { UNCORE_DEVFN(4, 0), 0x3240, BUS_UBOX },
    { UNCORE_DEVFN(8, 0), 0x3245, BUS_UBOX },
};
#define PLAIN(n)                                                                                                       \
    {                                                                                                                  \
        .name = "function", .unit = UNIT_FUNCTION, .places = plain_places, .n_places = n, .access = UNCORE_PCI,        \
        .count = n                                                                                                     \
    }
static const struct uncore_box_type plain = PLAIN(COUNT_OF(plain_places) - 2),
                                    emr_plain = PLAIN(COUNT_OF(plain_places));

/* --- MMIO */

static const struct uncore_event channel_events[] = {
    EVENT(0x01, 0, source_spr_clock),
    EVENT(0x05, 0, source_spr_cas),
    SERVER_QUEUE_EVENTS,
};
static const struct uncore_box_type channel = MMIO_CHANNEL(&narrow_ctl, &box_ctl, channel_events, 1);

static const struct uncore_reg free_regs[] = {
    { REG_FREE, .offset = 0x22B0, .bytes = 8, .mask = BITS(47, 0), .source = source_clock },
    { REG_FREE, .offset = 0x2318, .bytes = 8, .count = 2, .step = 8, .mask = BITS(47, 0), .source = source_clock },
};
static const struct uncore_box_type free_running = MMIO_FREE_RUNNING(SERVER_CONTROLLERS, free_regs);

static const struct uncore_reg table_regs[] = { { REG_VALUE, .offset = 0x0, .count = DISCOVERY_BYTES / 8, .step = 8,
                                                  .bytes = 8, .source = source_discovery } };
static const struct uncore_box_type table = {
    .name = "discovery table",
    .unit = UNIT_FUNCTION,
    .access = UNCORE_MMIO,
    .count = 1,
    .base = TABLE,
    ROWS(table_regs),
};

#define TYPES(ubox, upi, m3upi, plain)                                                                                 \
    {                                                                                                                  \
        &cha, &iio, &irp, &m2pcie, &pcu, &channel, &m2m, &upi, &m3upi, &ubox, &table, &bandwidth, &free_running,       \
            &ubox_function, &map_function, &pcu_function, &stack_function, &bus_function, &discovery, &plain           \
    }
static const struct uncore_box_type *const types[] = TYPES(ubox, upi, m3upi, plain);
static const struct uncore_box_type *const emr_types[] = TYPES(emr_ubox, emr_upi, emr_m3upi, emr_plain);

/* link: GT/s / 8. */
#define PART(types_, dclk, link)                                                                                       \
    {                                                                                                                  \
        .types = types_, .n_types = COUNT_OF(types_), .hz = SERVER_HZ(dclk, link), .pci_buses = BUSES,                 \
        .mmio_bytes = MEMORY_AREA, .global_frz = BIT(0), .global_kept = BIT(0), .global_report = GLOBAL_REPORT_BOXES,  \
        .freezes_on_overflow = true                                                                                    \
    }
const struct uncore_part uncore_spr = PART(types, UINT64_C(2400000000), UINT64_C(2000000000));
const struct uncore_part uncore_emr = PART(emr_types, UINT64_C(2800000000), UINT64_C(2500000000));
