/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/pmon_parts/pmon_layouts.h: what the tables of several generations share: control layouts, box controls, layouts,
 * events. */
#pragma once
#include "arch/x86/pmon_parts/pmon_parts.h"
#include "core/base/braced.h"
#include "core/base/bits.h"

/* A unit: its name, document and section, kind, layout; then where its boxes are, its events, and what else is known. */
#define PMON_UNIT(label, origin, what, its_layout, ...)                                                                \
    BRACED(.name = label, .source = origin, .kind = what, .layout = &(its_layout), __VA_ARGS__)
#define PMON_EVENTS(...) .events = { __VA_ARGS__ }
/* By PCI: datasheet of the E5-2600, volume 2, "CORRERRCNT_0": 16.2, 16.3, 16.6 and 16.7, where the monitors are 16.0, 16.1,
 * 16.4 and 16.5; Linux sb_edac.c correrrcnt[], for all E5; skx_base.c skx_show_retry_rd_err_log(), one function above. By
 * memory: i10nm_base.c cecnt_offsets, icx_reg_rrl_ddr and spr_reg_rrl_ddr 22C18H, gnr_reg_rrl_ddr 2C10H, from a channel's
 * base; its monitor is at 22800H, 2800H. */
#define PMON_CORRECTED(at, n, ...) .corrected = { .offset = (at), .registers = (n), ##__VA_ARGS__ }
#define PMON_CORRECTED_PCI(n)      PMON_CORRECTED(0x104, 4, .functions = (n), .ranks = true)
#define PMON_CORRECTED_MEMORY      PMON_CORRECTED(0x418, 4, .ranks = true)
#define PMON_FOUND(...)            .location = { __VA_ARGS__ }
#define PMON_ONE                   PMON_FOUND(.find = PMON_FIND_ONE)
#define PMON_PROBE(at, apart, n)   PMON_FOUND(.find = PMON_FIND_PROBE, .first = (at), .stride = (apart), .most = (n))
#define PMON_PROBE_BASES(rows)     PMON_FOUND(.find = PMON_FIND_PROBE, PMON_BASES(rows))

/* Registers of a layout: n counters of 48 bits by MSR, four with wide controls by PCI, the status, a fixed counter. */
#define PMON_MSRS(n, its_ctl, its_ctr)                                                                                 \
    .access = PMON_MSR, .counters = (n), .counter_bits = 48, .ctl = (its_ctl), .ctr = (its_ctr)
#define PMON_PCI_WIDE(its_ctl, its_ctr)                                                                                \
    .access = PMON_PCI, .counters = 4, .counter_bits = 48, .ctl_step = 8, .ctl_bytes = 8, .ctl = (its_ctl),            \
    .ctr = (its_ctr)
#define PMON_STATUS(at) .has_status = true, .status = (at)
#define PMON_FIXED_AT(its_ctl, its_ctr, ticks, ...)                                                                    \
    .fixed = {                                                                                                         \
        .ctl = (its_ctl), .ctr = (its_ctr), .bits = 48, .en = BIT(22), .clock = PMON_CLOCK_##ticks, ##__VA_ARGS__      \
    }

#define PMON_COUNT_OF(rows)  (uint32_t)(sizeof(rows) / sizeof(rows)[0])
#define PMON_NAMED(rows)     .named = rows, .n_named = PMON_COUNT_OF(rows)
#define PMON_CHANNELS(rows)  .channels = rows, .n_channels = PMON_COUNT_OF(rows)
#define PMON_FIELDS_OF(rows) .fields = rows, .n_fields = PMON_COUNT_OF(rows)
#define PMON_PLACES(rows)                                                                                              \
    PMON_FOUND(.find = PMON_FIND_PLACES, .places = rows, .n_places = PMON_COUNT_OF(rows), .most = PMON_COUNT_OF(rows))
/* Memory channels: parts and boards have one or the other of them, and so many at least. */
#define PMON_CHANNEL_PLACES(rows, least)                                                                               \
    PMON_FOUND(.find = PMON_FIND_PLACES, .places = rows, .n_places = PMON_COUNT_OF(rows), .most = PMON_COUNT_OF(rows), \
               .fewest = (least))
#define PMON_BASES(rows)  .bases = rows, .most = PMON_COUNT_OF(rows)
#define PMON_UNITS(rows)  .units = rows, .n_units = PMON_COUNT_OF(rows)
#define PMON_MODELS(rows) .models = rows, .n_models = PMON_COUNT_OF(rows)

/* Family 6, one model. */
#define PMON_INTEL6(model) BRACED(.vendor = VENDOR_INTEL, .family = 6, .first = (model), .last = (model))

/* A place that every board of the generation shows, and one that some boards show: those with larger parts, or whose
 * firmware does not hide it. Boards: tests/fixtures/machines/pci. */
#define AT(dev, fn, id)    BRACED(.device = (dev), .function = (fn), .did = (id))
#define MAYBE(dev, fn, id) BRACED(.device = (dev), .function = (fn), .did = (id), .optional = true)

/* Counters by PCI: E5-2600 uncore guide (327043-001), tables of the PMON registers of HA, iMC, QPI, R2PCIe, R3QPI. */
#define PMON_PCI_REGISTERS                                                                                             \
    .access = PMON_PCI, .box_ctl = 0xF4, .ctl = 0xD8, .ctr = 0xA0, .has_status = true, .status = 0xF8
/* Match registers of a home agent: likwid registers.h, PCI_UNC_HA_PMON_ADDRMATCH0 and on; their bits: event files. */
#define PMON_HOME_MATCH .home_match = 0x40, PMON_FIELDS_OF(pmon_home_fields)
/* Match and mask of a QPI port's packets, in function 6 of its device: Linux SNBEP_Q_Py_PCI_PMON_PKT_MATCH0 and on,
 * SNBEP_PCI_QPI_PORT0_FILTER and alike. */
#define PMON_QPI_PACKETS .packets = { .function = 6, .match = 0x228, .mask = 0x238 }, PMON_FIELDS_OF(pmon_qpi_fields)
/* Headers that a UPI link sent, by message class: TxL_BASIC_HDR_MATCH. */
#define PMON_UPI_HEADERS PMON_UPI_HEADERS_WITH(.unpublished = false)
#define PMON_UPI_HEADERS_WITH(published)                                                                               \
    BRACED(.name = "hdr_req", .ev_sel = 0x04, .umask = 0x08, published),                                               \
        BRACED(.name = "hdr_data", .ev_sel = 0x04, .umask = 0x0C, published),                                          \
        BRACED(.name = "hdr_ncb", .ev_sel = 0x04, .umask = 0x0E)
/* KTIPCSTS of a UPI link, ll_status_valid: Linux skx_upi_get_topology(), icx_ and spr_, which take a link without it for one
 * that is off. */
#define PMON_UPI_STATE .link = { .at = 0x120, .trained = BIT(4) }
/* A channel's fixed counter counts DCLK. Status bit 0 is its own, the others follow: 329468-002 table 2-73; likwid reads it
 * so up to Skylake-SP. ov_en where the UBox' fixed counter has it, 329468-002 table 2-8. */
#define PMON_IMC_FIXED PMON_IMC_FIXED_WITH(.ov = BIT(0), .ov_en = BIT(20))
#define PMON_IMC_FIXED_WITH(...)                                                                                       \
    .fixed = { .ctl = 0xF0, .ctr = 0xD0, .bits = 48, .en = BIT(22), .clock = PMON_CLOCK_DCLK, __VA_ARGS__ },           \
    .status_bit = 1

/* Configuration reads that processors sent through a stack to devices behind its ports: UNC_IIO_TXN_REQ_BY_CPU.CFG_READ,
 * and in units of 4 bytes UNC_IIO_DATA_REQ_BY_CPU.CFG_READ. masks: every port and flow class. */
#define PMON_CONFIG_READS(masks)                                                                                       \
    BRACED(.name = "config_reads", .ev_sel = 0xC1, .umask = 0x40, .extra = (masks)),                                   \
        BRACED(.name = "config_read_dwords", .ev_sel = 0xC0, .umask = 0x40, .extra = (masks), .counters = 0xC)

/* Free-running counters of I/O stacks, by the names that Linux has for them: eight of one kind, an MSR each, `step` apart. */
#define PMON_FREE_PORT(what, port, first, step, width, unit)                                                           \
    BRACED(what #port, (first) + (port) * (step), width, PMON_CLOCK_NONE, unit)
#define PMON_FREE_4_PORTS(what, first, step, width, unit)                                                              \
    PMON_FREE_PORT(what, 0, first, step, width, unit), PMON_FREE_PORT(what, 1, first, step, width, unit),              \
        PMON_FREE_PORT(what, 2, first, step, width, unit), PMON_FREE_PORT(what, 3, first, step, width, unit)
#define PMON_FREE_8_PORTS(what, first, step, width, unit)                                                              \
    PMON_FREE_4_PORTS(what, first, step, width, unit), PMON_FREE_PORT(what, 4, first, step, width, unit),              \
        PMON_FREE_PORT(what, 5, first, step, width, unit), PMON_FREE_PORT(what, 6, first, step, width, unit),          \
        PMON_FREE_PORT(what, 7, first, step, width, unit)
#define PMON_FREE_MSRS(rows) BRACED(.access = PMON_MSR, .free = rows, .n_free = PMON_COUNT_OF(rows))
/* Free-running counters of the memory controllers behind MEMn_BAR. */
#define PMON_FREE_LAYOUT(rows)  BRACED(.access = PMON_MMIO, .free = rows, .n_free = PMON_COUNT_OF(rows))
#define PMON_FREE_LOCATION(map) PMON_FOUND(.find = PMON_FIND_MEMORY, .most = 4, .memory = &(map), .of_controller = true)
/* The function that names the bases of a part with `controllers` times `n` channels, and room for `larger`: registers and distances are those of
 * Linux snr_uncore_mmio_map() and icx_uncore_imc_init_box(). */
#define PMON_MEMORY_MAP(its_did, n_controllers, n, larger, ...)                                                        \
    BRACED(.did = (its_did), .base = 0xD0, .bar = 0xD8, .controllers = (n_controllers), .channels = (n),               \
           .channels_most = (larger), .channel = 0x22800, .channel_step = 0x4000, ##__VA_ARGS__)

/* Fields of a counter's control from E5-2600 on, without the threshold: 327043-001 table 2-2. */
#define PMON_FIELDS PMON_FIELDS_OF_V2, .invert = BIT(23)
/* On E5 v2 bit 23 is reserved and has to be 0: 329468-002 tables 2-6, 2-14, 2-40, 2-121; Linux IVBEP_*_RAW_EVENT_MASK. */
#define PMON_FIELDS_OF_V2 .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .rst = BIT(17), .edge_det = BIT(18), .en = BIT(22)
/* The power control unit's: occ_sel is bits 15:14, the rest of the umask's bits are reserved; occ_invert and occ_edge_det
 * are bits 30 and 31. */
#define PMON_PCU_FIELDS PMON_PCU_FIELDS_OF_V2, .invert = BIT(23)
#define PMON_PCU_FIELDS_OF_V2                                                                                          \
    .ev_sel = BITS(7, 0), .umask = BITS(15, 14), .rst = BIT(17), .edge_det = BIT(18), .en = BIT(22),                   \
    .thresh = BITS(28, 24), .extra = BITS(31, 30), .umask_is_number = true

/* Controls of a counter: 327043-001 2.2.3.2 table 2-2 and the like tables of the other boxes; ov_en from 329468-002 on.
 * `5`: the threshold has five bits (UBox, PCU); `8`: eight. */
extern const struct pmon_control pmon_control_snb_5, pmon_control_snb_8, pmon_control_snb_cbo, pmon_control_snb_qpi,
    pmon_control_snb_pcu;
extern const struct pmon_control pmon_control_5, pmon_control_8, pmon_control_cbo, pmon_control_qpi, pmon_control_pcu;

/* Box controls: with frz_en (SNB-EP, HSX, BDX), without (IVB-EP, SKX, ICX), so with reserved bits 17:16 that are to be 1 (CBo,
 * HA and iMC of IVB-EP, 329468-002 tables 2-13, 2-38 and 2-72), and the new order of SPR. */
extern const struct pmon_box_control pmon_box_frz_en, pmon_box_frz, pmon_box_frz_ones, pmon_box_new;

/* ov_en of the UBox' fixed counter: 329468-002 table 2-8; likwid sets it on E5 v2 to Ice Lake-SP. Its status bit: ubox.overflow. */
#define PMON_UBOX_FIXED_OV_EN .ov_en = BIT(20)
extern const struct pmon_layout pmon_layout_ubox; /* BDX, SKX */

/* EVENT_MSG (42H) with the doorbell sub-event (08H) is the event that idle machines do not have. messages: its sub-events that
 * the part's event file has, by perfmon's names, and another event of the box where it has one. */
#define PMON_UBOX_UNIT(origin, its_layout, messages)                                                                   \
    PMON_UNIT("UBox", origin, PMON_UBOX, its_layout, PMON_ONE,                                                         \
              PMON_EVENTS(.idle_ev_sel = 0x42, .idle_umask = 0x08, PMON_NAMED(messages)))
#define PMON_UBOX_MESSAGE(its_name, its_umask) BRACED(.name = (its_name), .ev_sel = 0x42, .umask = (its_umask))
#define PMON_UBOX_MESSAGES                                                                                             \
    PMON_UBOX_MESSAGE("ipi_rcvd", 0x04), PMON_UBOX_MESSAGE("vlw_rcvd", 0x01), PMON_UBOX_MESSAGE("msi_rcvd", 0x02),     \
        PMON_UBOX_MESSAGE("doorbell_rcvd", 0x08), PMON_UBOX_MESSAGE("int_prio", 0x10)
extern const struct pmon_named pmon_ubox_events[6];       /* IVB-EP, SKX to EMR */
extern const struct pmon_named pmon_ubox_events_of_v3[2]; /* HSX, BDX */

/* Fields by perf's names: Linux uncore_snbep.c, DEFINE_UNCORE_FORMAT_ATTR(). Home agents have none there: event files,
 * ADDR_OPC_MATCH. */
extern const struct pmon_field pmon_home_fields[2], pmon_qpi_fields[18];
extern const struct pmon_field pmon_pcu_fields[7];            /* SNB-EP to BDX */
extern const struct pmon_field pmon_pcu_fields_of_servers[7]; /* SKX, ICX: occ_edge is called occ_edge_det */
#define PMON_FILTER_FIELD(field, its_bits) BRACED(.name = "filter_" field, .in = PMON_IN_FILTER, .bits = (its_bits))
#define PMON_BAND_FIELDS                                                                                               \
    PMON_FILTER_FIELD("band0", BITS(7, 0)), PMON_FILTER_FIELD("band1", BITS(15, 8)),                                   \
        PMON_FILTER_FIELD("band2", BITS(23, 16)), PMON_FILTER_FIELD("band3", BITS(31, 24))
#define PMON_CONTROL_FIELD(field, its_bits) BRACED(.name = (field), .in = PMON_IN_CONTROL, .bits = (its_bits))

/* Events that kept their codes over generations. bytes: a CAS moves a line. */
extern const struct pmon_named pmon_imc_events[6];       /* SNB-EP, SKX, CLX */
extern const struct pmon_named pmon_imc_events_of_v2[6]; /* IVB-EP: its event file leaves RPQ_OCCUPANCY out */
extern const struct pmon_named pmon_imc_events_of_v3[6]; /* HSX, BDX: WPQ_INSERTS too */
extern const struct pmon_named pmon_imc_events_of_v4[9]; /* ICX, SNR */
extern const struct pmon_named pmon_m2m_events[2];       /* ICX, SNR */
/* Home agents, local requests apart from remote ones: IVB-EP to BDX. */
extern const struct pmon_named pmon_ha_events[9];
/* Links: event numbers above FFH have ev_sel_ext; a data flit carries 8 bytes. */
extern const struct pmon_named pmon_qpi_events[5]; /* SNB-EP to BDX */
/* Of the power control unit: FREQ_BANDn_CYCLES, byte n of its filter is the band's threshold, in 100 MHz; and
 * POWER_STATE_OCCUPANCY, cores in a state, not by counter 0 of BDX (Linux bdx_uncore_pcu_constraints). */
extern const struct pmon_named pmon_pcu_events[7];       /* SNB-EP to HSX */
extern const struct pmon_named pmon_pcu_events_of_v4[7]; /* BDX */
/* SKX, ICX: bands are Linux' alone from BDX on (the filter's masks of hswep_uncore_pcu, skx_uncore_pcu). */
extern const struct pmon_named pmon_pcu_events_of_servers[7];
/* Tables of clients that MSRs lead to (pmon_spr.c). */
extern const struct pmon_discovery pmon_discovery_ptl, pmon_discovery_nvl;
/* A box a channel; where it has two sub-channels, each has events of its own (GNR). */
extern const struct pmon_channel pmon_imc_channels[1];
