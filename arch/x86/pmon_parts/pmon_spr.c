/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sapphire and Emerald Rapids, Granite Rapids, and the E-core parts from Sierra Forest on: boxes come from discovery tables (pmon_discovery.c);
 * here is what the tables do not say. Sources: Linux uncore_snbep.c (spr_*, gnr_*) and uncore_discovery.c, intel/pcm,
 * the published event files. */
#include "arch/x86/pmon_parts/pmon_layouts.h"

#define EXT(x) (UINT64_C(x) << 32)

/* --- controls ----------------------------------------------------------------------------------------------------- */

/* The counter runs with or without bit 22: Linux spr_uncore_msr_enable_event() does not set it.
 * The umask's extension is 63:32 in the CHA and 55:32 elsewhere; a control of a dword has none, nor have those of types
 * that Linux gives no format of their own. IIO: thresh 35:24, channel mask 47:36, fc mask 50:48. */
#define FIELDS PMON_FIELDS, .ov_en = BIT(20), .en_unused = true
static const struct pmon_control cha_control = { FIELDS, .thresh = BITS(31, 24), .tid_en = BIT(16),
                                                 .extra = BITS(63, 32) };
static const struct pmon_control iio_control = { FIELDS, .thresh = BITS(35, 24), .extra = BITS(50, 36),
                                                 .ch_mask = BITS(47, 36), .fc_mask = BITS(50, 48) };
static const struct pmon_control wide_control = { FIELDS, .thresh = BITS(31, 24), .extra = BITS(55, 32) };
static const struct pmon_control narrow_control = { FIELDS, .thresh = BITS(31, 24) };

/* --- events ------------------------------------------------------------------------------------------------------- */

#define TOR_MISS_DRD(miss, local, remote)                                                                              \
    BRACED(.name = "tor_miss_drd", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(miss), .bytes = 64),                    \
        BRACED(.name = "tor_miss_local", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(local), .bytes = 64),             \
        BRACED(.name = "tor_miss_remote", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(remote), .bytes = 64)
/* Demand reads: opcode DRd of P-cores, DRd_Opt of E-cores. */
#define P_CORES TOR_MISS_DRD(0xC817FE, 0xC816FE, 0xC8177E)
#define E_CORES TOR_MISS_DRD(0xC827FE, 0xC826FE, 0xC8277E)
#define CHA_EVENTS                                                                                                     \
    BRACED(.name = "reads_local", .ev_sel = 0x50, .umask = 0x01, .bytes = 64),                                         \
        BRACED(.name = "reads_remote", .ev_sel = 0x50, .umask = 0x02, .bytes = 64),                                    \
        BRACED(.name = "llc_victims", .ev_sel = 0x37, .umask = 0x0F, .extra = EXT(0x20), .bytes = 64),                 \
        BRACED(.name = "tor_all", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC001FF), .bytes = 64),                 \
        BRACED(.name = "tor_hit", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC001FD), .bytes = 64),                 \
        BRACED(.name = "tor_miss", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC001FE), .bytes = 64),                \
        BRACED(.name = "tor_miss_rfo", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC807FE), .bytes = 64),            \
        BRACED(.name = "tor_occupancy", .ev_sel = 0x36, .umask = 0x01, .extra = EXT(0xC001FF), .counters = 1)
static const struct pmon_named cha_events[] = {
    { .name = "llc_lookup", .ev_sel = 0x34, .umask = 0xFF, .extra = EXT(0x1FFF), .bytes = 64 },
    CHA_EVENTS,
    P_CORES,
};
/* The event files of Granite Rapids and Sierra Forest have no code for all look-ups: those of lines whose home is this
 * package. */
#define LOCAL_LOOKUP BRACED(.name = "llc_lookup", .ev_sel = 0x34, .umask = 0xFF, .extra = EXT(0x0BDF), .bytes = 64)
static const struct pmon_named gnr_cha_events[] = { LOCAL_LOOKUP, CHA_EVENTS, P_CORES };
static const struct pmon_named srf_cha_events[] = { LOCAL_LOOKUP, CHA_EVENTS, E_CORES };
static const struct pmon_named imc_events[] = {
    { .name = "cas_rd", .ev_sel = 0x05, .umask = 0xCF, .bytes = 64 },
    { .name = "cas_wr", .ev_sel = 0x05, .umask = 0xF0, .bytes = 64 },
    { .name = "cas_all", .ev_sel = 0x05, .umask = 0xFF, .bytes = 64 },
    { .name = "cas_pch0", .ev_sel = 0x05, .umask = 0x40, .bytes = 64 },
    { .name = "cas_pch1", .ev_sel = 0x05, .umask = 0x80, .bytes = 64 },
    { .name = "rpq_inserts", .ev_sel = 0x10, .umask = 0x01 },
    { .name = "rpq_inserts_1", .ev_sel = 0x10, .umask = 0x02 },
    { .name = "wpq_inserts", .ev_sel = 0x20, .umask = 0x01 },
    { .name = "wpq_inserts_1", .ev_sel = 0x20, .umask = 0x02 },
    { .name = "rpq_occupancy", .ev_sel = 0x80 },
    { .name = "rpq_occupancy_1", .ev_sel = 0x81 },
};
/* Sub-channels 0 and 1 have an event each: both are to be added. */
static const struct pmon_named gnr_imc_events[] = {
    { .name = "cas_rd", .ev_sel = 0x05, .umask = 0xCF, .bytes = 64, .rest = "cas_rd_1" },
    { .name = "cas_rd_1", .ev_sel = 0x06, .umask = 0xCF, .bytes = 64 },
    { .name = "cas_wr", .ev_sel = 0x05, .umask = 0xF0, .bytes = 64, .rest = "cas_wr_1" },
    { .name = "cas_wr_1", .ev_sel = 0x06, .umask = 0xF0, .bytes = 64 },
    { .name = "cas_all", .ev_sel = 0x05, .umask = 0xFF, .bytes = 64 },
    { .name = "rpq_inserts", .ev_sel = 0x10, .umask = 0x50 },
    { .name = "rpq_inserts_1", .ev_sel = 0x10, .umask = 0xA0 },
    { .name = "wpq_inserts", .ev_sel = 0x22, .umask = 0x50 },
    { .name = "wpq_inserts_1", .ev_sel = 0x22, .umask = 0xA0 },
};
/* Five events, and four counters. */
static const struct pmon_channel gnr_imc_channels[] = {
    { .rd = "cas_rd", .wr = "cas_wr", .all = "cas_all" },
    { .channel = CHANNEL(1), .rd = "cas_rd_1", .wr = "cas_wr_1", .round = 1 },
};
static const struct pmon_named m2m_events[] = {
    { .name = "imc_reads", .ev_sel = 0x24, .umask = 0x04, .extra = EXT(0x03), .bytes = 64 },
    { .name = "imc_writes", .ev_sel = 0x25, .umask = 0x10, .extra = EXT(0x18), .bytes = 64 },
};
static const struct pmon_named pcu_events[] = {
    { .name = "cores_c0", .ev_sel = 0x35 },
    { .name = "cores_c3", .ev_sel = 0x36 },
    { .name = "cores_c6", .ev_sel = 0x37 },
};
/* One memory channel each. */
static const struct pmon_named b2cmi_events[] = {
    { .name = "imc_reads", .ev_sel = 0x24, .umask = 0x04, .extra = EXT(0x01), .bytes = 64 },
    { .name = "imc_writes", .ev_sel = 0x25, .umask = 0x10, .extra = EXT(0x01), .bytes = 64 },
};
#define UPI_DATA                                                                                                       \
    BRACED(.name = "tx_data", .ev_sel = 0x02, .umask = 0x0F, .bytes = 64.0 / 9),                                       \
        BRACED(.name = "rx_data", .ev_sel = 0x03, .umask = 0x0F, .bytes = 64.0 / 9)
/* The event files of Sapphire and Emerald Rapids have headers of non-coherent messages alone. */
static const struct pmon_named upi_events[] = { UPI_DATA, PMON_UPI_HEADERS_WITH(.unpublished = true) };
static const struct pmon_named gnr_upi_events[] = { UPI_DATA, PMON_UPI_HEADERS };

/* --- what Sapphire Rapids' tables have wrong or not at all -------------------------------------------------------- */

/* intel/pcm types.h: control 2FD2H, counter 2FD8H, UCLK control 2FDEH, counter 2FDFH. */
static const struct pmon_layout ubox_layout = { PMON_MSRS(2, 0x2FD2, 0x2FD8), .control = &narrow_control,
                                                PMON_FIXED_AT(0x2FDE, 0x2FDF, UCLK), .box_ctl = 0x2FD0,
                                                .box = &pmon_box_new };
static const struct pmon_unit ubox = PMON_UBOX_UNIT("intel/pcm types.h SPR_UNC_UBOX", ubox_layout, pmon_ubox_events);

static const struct pmon_pci_place upi_places[] = { AT(1, 1, 0x3241), AT(2, 1, 0x3241), MAYBE(3, 1, 0x3241),
                                                    MAYBE(4, 1, 0x3241) };
static const struct pmon_pci_place m3upi_places[] = { AT(5, 1, 0x3246), AT(6, 1, 0x3246), MAYBE(7, 1, 0x3246),
                                                      MAYBE(8, 1, 0x3246) };
#define LINK_LAYOUT                                                                                                    \
    .access = PMON_PCI, .counters = 4, .counter_bits = 48, .ctl_step = 8, .ctl_bytes = 8, .control = &wide_control,    \
    .box = &pmon_box_new
/* Counters 1 and 3 of a UPI port are not to be relied on: likwid leaves them out. */
static const struct pmon_layout upi_layout = {
    LINK_LAYOUT, .box_ctl = 0x318, .ctl = 0x350, .ctr = 0x320, .counters_unsure = BIT(1) | BIT(3), PMON_UPI_STATE
};
static const struct pmon_layout m3upi_layout = { LINK_LAYOUT, .box_ctl = 0xA0, .ctl = 0xD8, .ctr = 0xA8 };
static const struct pmon_unit upi =
    PMON_UNIT("UPI", "Linux uncore_snbep.c spr_uncore_upi", PMON_LINK, upi_layout, PMON_PLACES(upi_places),
              PMON_EVENTS(.clock = PMON_CLOCK_OWN, .clock_event = 0x01, PMON_NAMED(upi_events)));
static const struct pmon_unit m3upi =
    PMON_UNIT("M3UPI", "Linux uncore_snbep.c spr_uncore_m3upi", PMON_MESH_LINK, m3upi_layout, PMON_PLACES(m3upi_places),
              PMON_EVENTS(.clock = PMON_CLOCK_OWN, .clock_event = 0x01));

/* Registers as Ice Lake's: Linux spr_uncore_imc_freerunning_init_box(), the channels as intel/pcm has them. */
static const struct pmon_memory_map memory_map = PMON_MEMORY_MAP(0x3251, 4, 2, 3);
/* From the controller's base. Where that is: Linux spr_uncore_imc_freerunning_init_box and intel/pcm UBOX0_DEV_IDS
 * agree on function 3251H and its registers. What is counted there Linux alone has; the event file names DCLK the clock
 * of event 01H umask 01H too. Of rpq_cycles and wpq_cycles no source says more than the name. */
static const struct pmon_free mc_free[] = {
    { "dclk", 0x22B0, 48, PMON_CLOCK_DCLK, 0 },
    { "rpq_cycles", 0x2318, 48, PMON_CLOCK_NONE, 0 },
    { "wpq_cycles", 0x2320, 48, PMON_CLOCK_NONE, 0 },
};
static const struct pmon_layout mc_layout = PMON_FREE_LAYOUT(mc_free);
static const struct pmon_unit mc = PMON_UNIT("MC", "Linux uncore_snbep.c spr_imc_freerunning", PMON_FREE, mc_layout,
                                             PMON_FREE_LOCATION(memory_map), .one_source = true);

/* Bandwidth of a stack's eight ports, not in the tables either: spr_uncore_iio_free_running, which has 32 bytes a count of what
 * comes in, and no size of what goes out. */
static const struct pmon_free iio_free[] = { PMON_FREE_8_PORTS("bw_in_port", 0, 1, 48, 32),
                                             PMON_FREE_8_PORTS("bw_out_port", 8, 1, 48, 0) };
static const struct pmon_layout iio_free_layout = PMON_FREE_MSRS(iio_free);
static const struct pmon_unit iio_free_running =
    PMON_UNIT("IIO-free", "Linux uncore_snbep.c spr_uncore_iio_free_running", PMON_OTHER, iio_free_layout,
              PMON_PROBE(0x3800, 0x10, 12), .one_source = true);

/* --- box types ---------------------------------------------------------------------------------------------------- */

/* spr_uncore_iio_free_running: 340EH + 10H each, while the stacks' boxes are at 3000H + 10H each. The clocks of
 * memory controllers are a unit of their own, above. */
static const struct pmon_free io_clock = { "IO clock", 0x340E - 0x3000, 48, PMON_CLOCK_OWN, 0 };
/* gnr_uncore_iio_free_running: 290EH + 10H each, boxes at 2900H + 10H each. */
static const struct pmon_free gnr_io_clock = { "IO clock", 0x290E - 0x2900, 48, PMON_CLOCK_OWN, 0 };
/* Of memory channels, not in the table: where Ice Lake has it. Its status bit is bit 0, the counters' follow. No event file
 * says what it counts. */
static const struct pmon_fixed imc_fixed = { .ctl = 0x54, .ctr = 0x38, .bits = 48, .en = BIT(22) };

#define UNIT(label, what, ...)                                                                                         \
    .unit = { .name = label, .source = "discovery table", .kind = what, .events = { __VA_ARGS__ } }
/* The clock event is 01H in every box type. */
#define CLOCK(ticks, mask) .clock = PMON_CLOCK_##ticks, .clock_event = 0x01, .clock_umask = mask
#define BY(how, fields)    .access = PMON_TYPE_##how, .control = &(fields)
#define SINGLE(label)      UNIT(label, PMON_OTHER, CLOCK(OWN, 0)), .control = &wide_control

/* Linux spr_cha_msr_extra_regs, gnr_uncore_chabox; intel/pcm: at EH from the unit's control. */
#define FILTER .filter0 = 0xE, .tid = BITS(9, 0)
#define CHA(rows)                                                                                                      \
    UNIT("CHA", PMON_CHA, CLOCK(UCLK, 0), PMON_NAMED(rows), .two_states = true), BY(MSR, cha_control), FILTER
#define IIO(free) UNIT("IIO", PMON_OTHER, CLOCK(OWN, 0)), BY(MSR, iio_control), .free_clock = &(free)
/* DCLK is umask 01H by the event file; Linux (spr_uncore_imc_events, clockticks) has umask 00H. */
#define IMC(rows, channels)                                                                                            \
    UNIT("iMC", PMON_IMC, CLOCK(DCLK, 1), .clock_unsure = true, PMON_NAMED(rows), PMON_CHANNELS(channels)),            \
        BY(MMIO, wide_control), .fixed = &imc_fixed, .status_bit = 1
#define UPI(rows) UNIT("UPI", PMON_LINK, CLOCK(OWN, 0), PMON_NAMED(rows)), BY(PCI, wide_control)
#define M3UPI     UNIT("M3UPI", PMON_MESH_LINK, CLOCK(OWN, 0)), BY(PCI, wide_control)

#define IRP UNIT("IRP", PMON_OTHER, CLOCK(OWN, 0)), BY(MSR, wide_control)
/* How a type is reached: intel/pcm types.h, as far as it is documented. CXL units have 64-bit controls by memory too:
 * Linux spr_uncore_cxlcm, spr_uncore_cxldp; gnr_uncore_b2cxl. */
#define ANY_ACCESS BY(ANY, wide_control)
#define CXL        ANY_ACCESS, .wide_ctl = true

#define PLAIN BY(ANY, narrow_control)

#define PCU UNIT("PCU", PMON_OTHER, CLOCK(PCU, 0), PMON_NAMED(pcu_events)), BY(MSR, narrow_control)

/* Documented MSRs: intel/pcm types.h. */
#define DOCUMENTED(base, boxes) .first = (base), .stride = 0x10, .most = (boxes)
/* M2Ms of HBM: intel/pcm types.h SERVER_HBM_M2M_0_REGISTER_FUNC_ADDR and on, functions 1 to 4 of the devices whose function
 * 0 is an M2M of the modules. Event file: unit M2HBM. */
static const struct pmon_type m2hbm = { UNIT("M2HBM", PMON_M2M, CLOCK(OWN, 0), PMON_NAMED(m2m_events)),
                                        .unit.in_package = true, BY(PCI, wide_control) };
static const struct pmon_type sapphire_types[] = {
    [0] = { CHA(cha_events), DOCUMENTED(0x2000, 96) },
    [1] = { IIO(io_clock), DOCUMENTED(0x3000, 12) },
    [2] = { IRP, DOCUMENTED(0x3400, 12) },
    [6] = { IMC(imc_events, pmon_imc_channels), .unit PMON_CORRECTED_MEMORY },
    [3] = { UNIT("M2PCIe", PMON_OTHER, CLOCK(OWN, 0)), BY(MSR, wide_control) },
    [4] = { PCU },
    [5] = { UNIT("UBox", PMON_OTHER, CLOCK(NONE, 0)), PLAIN },
    [7] = { UNIT("M2M", PMON_M2M, CLOCK(OWN, 0), PMON_NAMED(m2m_events)), BY(PCI, wide_control),
            .in_functions = &m2hbm },
    [8] = { UPI(upi_events), .instead = &upi },
    [9] = { M3UPI, .instead = &m3upi },
    [11] = { UNIT("MDF", PMON_OTHER, CLOCK(NONE, 0)), ANY_ACCESS }, /* no event file has a clock of it */
    [12] = { UNIT("CXLCM", PMON_OTHER, CLOCK(OWN, 2)), CXL },
    [13] = { UNIT("CXLDP", PMON_OTHER, CLOCK(OWN, 1)), CXL },
    [14] = { UNIT("HBM", PMON_IMC, CLOCK(OWN, 1), .clock_unsure = true, PMON_NAMED(imc_events),
                  PMON_CHANNELS(pmon_imc_channels)),
             .unit.in_package = true, ANY_ACCESS },
};
/* The table has a UBox and not its fixed counter. intel/pcm types.h: control 3FFEH, counter 3FFDH. */
static const struct pmon_layout gnr_ubox_layout = { PMON_MSRS(2, 0x3FF2, 0x3FF8), .control = &narrow_control,
                                                    PMON_FIXED_AT(0x3FFE, 0x3FFD, UCLK), .box_ctl = 0x3FF0,
                                                    .box = &pmon_box_new };
static const struct pmon_named gnr_ubox_events[] = { PMON_UBOX_MESSAGES };
static const struct pmon_unit gnr_ubox =
    PMON_UBOX_UNIT("intel/pcm types.h BHS_UBOX_MSR_PMON", gnr_ubox_layout, gnr_ubox_events);
/* Grand Ridge has it elsewhere. intel/pcm types.h: control 3F5EH, counter 3F5FH, in the order of Sapphire Rapids'. */
static const struct pmon_layout grr_ubox_layout = { PMON_MSRS(2, 0x3F52, 0x3F58), .control = &narrow_control,
                                                    PMON_FIXED_AT(0x3F5E, 0x3F5F, UCLK), .box_ctl = 0x3F50,
                                                    .box = &pmon_box_new };
static const struct pmon_named grr_ubox_events[] = { PMON_UBOX_MESSAGE("msi_rcvd", 0x02) };
static const struct pmon_unit grr_ubox =
    PMON_UBOX_UNIT("intel/pcm types.h GRR_UBOX_MSR_PMON", grr_ubox_layout, grr_ubox_events);

/* Their event files have no clock of MDF_SBO, CXLCM and CXLDP. Access: Linux uncore_snbep.c gnr_uncores, by its operations. */
#define GRANITE_TYPES(rows, its_ubox)                                                                                  \
    [0] = { CHA(rows), DOCUMENTED(0x2000, 144) }, [1] = { IIO(gnr_io_clock), DOCUMENTED(0x2900, 16) },                 \
    [2] = { IRP, DOCUMENTED(0x2A00, 16) }, [4] = { PCU },                                                              \
    [5] = { UNIT("UBox", PMON_OTHER, CLOCK(NONE, 0)), PLAIN, .instead = &(its_ubox) },                                 \
    [6] = { IMC(gnr_imc_events, gnr_imc_channels), .unit PMON_CORRECTED(0x410, 8) }, [8] = { UPI(gnr_upi_events) },    \
    [11] = { UNIT("MDF", PMON_OTHER, CLOCK(OWN, 0)), .unit.of_mesh = true, PLAIN },                                    \
    [12] = { UNIT("CXLCM", PMON_OTHER, CLOCK(NONE, 0)), CXL },                                                         \
    [13] = { UNIT("CXLDP", PMON_OTHER, CLOCK(NONE, 0)), CXL },                                                         \
    [15] = { UNIT("B2HOT", PMON_OTHER, CLOCK(OWN, 1)), .unit.of_mesh = true, PLAIN },                                  \
    [16] = { UNIT("B2CMI", PMON_M2M, CLOCK(OWN, 0), PMON_NAMED(b2cmi_events)), BY(PCI, wide_control) },                \
    [17] = { UNIT("B2CXL", PMON_OTHER, CLOCK(OWN, 0)), CXL },                                                          \
    [18] = { UNIT("B2UPI", PMON_OTHER, CLOCK(OWN, 0)), BY(PCI, wide_control) },                                        \
    [20] = { UNIT("MDF_SBO", PMON_OTHER, CLOCK(NONE, 0)), PLAIN },                                                     \
    [21] = { UNIT("PCIE16", PMON_OTHER, CLOCK(NONE, 0)), BY(PCI, wide_control) },                                      \
    [22] = { UNIT("PCIE8", PMON_OTHER, CLOCK(NONE, 0)), BY(PCI, wide_control) }
static const struct pmon_type granite_types[] = { GRANITE_TYPES(gnr_cha_events, gnr_ubox) };
static const struct pmon_type sierra_types[] = { GRANITE_TYPES(srf_cha_events, gnr_ubox) };
static const struct pmon_type ridge_types[] = { GRANITE_TYPES(srf_cha_events, grr_ubox) };

/* --- parts -------------------------------------------------------------------------------------------------------- */

/* Linux UNCORE_DISCOVERY_TABLE_DEVICE. An undocumented type number is a "box", laid out as Linux' generic units are, which is a
 * guess: of CXL units the controls are 8 bytes apart. What is wrong with one is a WARN. */
#define DISCOVERY(rows) DISCOVERY_BY(0x09A7, 0, rows, false)
#define DISCOVERY_BY(function, register, rows, beside)                                                                 \
    BRACED(.did = (function), .msr = (register), .msr_beside = (beside), .types = rows,                                \
           .n_types = PMON_COUNT_OF(rows), .narrow = &narrow_control, .box = &pmon_box_new,                            \
           .unknown = { UNIT("box", PMON_OTHER, CLOCK(NONE, 0)), .unit.one_source = true, PLAIN })
static const struct pmon_discovery sapphire_discovery = DISCOVERY(sapphire_types);
static const struct pmon_discovery granite_discovery = DISCOVERY(granite_types);
static const struct pmon_discovery sierra_discovery = DISCOVERY(sierra_types);
static const struct pmon_discovery ridge_discovery = DISCOVERY(ridge_types);

/* Linux spr_upi_set_mapping(): UBox function 3250H. */
#define BUS_MAP .bus = { .did = 0x3250, .node_id = 0xC0, .group = 0xD4, .buses = PMON_BUSES_AROUND }

/* Linux and intel/pcm: MSR 2FFEH holds the number of CHAs, and firmware's tables may list more than there are (Linux
 * 38776cc45eb7, 6f7f984fa85b, spr_uncore_cpu_init()); on large Emerald Rapids it reads 0, and CAPID6 and CAPID7 of the
 * power control unit's function have a bit for each (intel/pcm). */
static const struct pmon_unit *const sapphire_units[] = { &ubox, &upi, &m3upi, &mc, &iio_free_running };
static const struct pmon_model sapphire_models[] = { PMON_INTEL6(0x8F) };
static const struct pmon_model emerald_models[] = { PMON_INTEL6(0xCF) };
#define SAPPHIRE_PART                                                                                                  \
    PMON_UNITS(sapphire_units), .global = { .msr = 0x2FF0, .freeze = BIT(0) }, BUS_MAP,                                \
                                .discovery = &sapphire_discovery, .no_guide = true
const struct pmon_part pmon_sapphire = {
    .name = "Sapphire Rapids",
    PMON_MODELS(sapphire_models),
    SAPPHIRE_PART,
    .capabilities = { .did = 0x325B,
                      .slices_msr = 0x2FFE,
                      .slices_bits = BITS(31, 0),
                      .slices_msr_by = "MSR 2FFEH",
                      .slices_listed_more = true,
                      .near_memory = 0x90, /* CAPID3: Linux i10nm_base.c, I10NM_IS_HBM_PRESENT, i10nm_check_2lm() */
                      .near_bits = BITS(30, 27),
                      .rules = { .device = 10, .first = 0x300, .n = 16, .enabled = BIT(0), .cached = BIT(5) } },
};
const struct pmon_part pmon_emerald = {
    .name = "Emerald Rapids",
    PMON_MODELS(emerald_models),
    SAPPHIRE_PART,
    .capabilities = { .did = 0x325B,
                      .capid = { { .offset = 0x9C, .slices = UINT32_MAX }, { .offset = 0xA0, .slices = UINT32_MAX } },
                      .slices_by = "CAPID6 and CAPID7",
                      .slices_msr = 0x2FFE,
                      .slices_bits = BITS(31, 0),
                      .slices_msr_by = "MSR 2FFEH",
                      .slices_listed_more = true },
};
/* Not in the tables either: gnr_iio_freerunning, as Sapphire Rapids', ports 10H and units 80H apart. Linux takes them for a
 * package's, whichever die has the stack. */
static const struct pmon_free gnr_iio_free[] = { PMON_FREE_8_PORTS("bw_in_port", 0x800, 0x10, 48, 32),
                                                 PMON_FREE_8_PORTS("bw_out_port", 0, 0x10, 48, 0) };
static const struct pmon_layout gnr_iio_free_layout = PMON_FREE_MSRS(gnr_iio_free);
static const struct pmon_unit gnr_iio_free_running =
    PMON_UNIT("IIO-free", "Linux uncore_snbep.c gnr_iio_freerunning", PMON_OTHER, gnr_iio_free_layout,
              PMON_PROBE(0x2E0E, 0x80, 16), .one_source = true);

/* All but the UBox' fixed counter is in the tables, the global control too. Its frz_all is bit 0 as in Sapphire Rapids'. intel/pcm types.h:
 * the number of CHAs is in MSR 3FEDH. Linux has one set of tables for Granite Rapids, Sierra Forest, Grand Ridge and
 * Clearwater Forest. */
static const struct pmon_unit *const granite_units[] = { &gnr_ubox, &gnr_iio_free_running };
#define GRANITE_PART(its_units)                                                                                        \
    PMON_UNITS(its_units),                                                                                             \
        .global = { .freeze = BIT(0) }, BUS_MAP, .several_dies = true, .no_guide = true,                               \
        .capabilities = { .slices_msr = 0x3FED, .slices_bits = BITS(8, 0), .slices_msr_by = "MSR 3FEDH" }
static const struct pmon_model granite_models[] = { PMON_INTEL6(0xAD), PMON_INTEL6(0xAE) };
static const struct pmon_model sierra_models[] = { PMON_INTEL6(0xAF), PMON_INTEL6(0xDD) };
static const struct pmon_model ridge_models[] = { PMON_INTEL6(0xB6) };
const struct pmon_part pmon_granite = {
    .name = "Granite Rapids",
    PMON_MODELS(granite_models),
    GRANITE_PART(granite_units),
    .discovery = &granite_discovery,
};
const struct pmon_part pmon_sierra = {
    .name = "Sierra Forest",
    PMON_MODELS(sierra_models),
    GRANITE_PART(granite_units),
    .discovery = &sierra_discovery,
};
/* As Sierra Forest's but for the UBox; it has no links. */
static const struct pmon_unit *const ridge_units[] = { &grr_ubox, &gnr_iio_free_running };
const struct pmon_part pmon_ridge = {
    .name = "Grand Ridge",
    PMON_MODELS(ridge_models),
    GRANITE_PART(ridge_units),
    .discovery = &ridge_discovery,
};

/* Diamond Rapids' of the I/O of its first hub, at four addresses that no register has: Linux dmr_iio_freerunning,
 * dmr_uncore_freerunning_init_box(), commit d8987048f665. It takes a count for 4 bytes, as it took Sapphire Rapids' until
 * perf/urgent of 2025 made them 32: no size is relied on. */
static const struct pmon_free dmr_iio_free[] = { PMON_FREE_8_PORTS("inb_data_port", 0x4D40, 8, 48, 0),
                                                 PMON_FREE_8_PORTS("bw_in_port", 0x6B00, 8, 48, 0),
                                                 PMON_FREE_8_PORTS("bw_out_port", 0x6B60, 8, 48, 0),
                                                 { "clockticks", 0x6BB0, 48, PMON_CLOCK_OWN, 0 } };
static const uint64_t dmr_hiops[] = { 0x1FFFF6AE7000, 0x1FFFF6AEF000, 0x1FFFF6AFF000, 0x1FFFF6B07000 };
static const struct pmon_layout dmr_iio_free_layout = PMON_FREE_LAYOUT(dmr_iio_free);
static const struct pmon_unit dmr_iio_free_running = PMON_UNIT(
    "IIO-free", "Linux uncore_snbep.c dmr_uncore_iio_free_running", PMON_OTHER, dmr_iio_free_layout,
    PMON_FOUND(.find = PMON_FIND_FIXED, .addresses = dmr_hiops, .most = PMON_COUNT_OF(dmr_hiops)), .one_source = true);
static const struct pmon_unit *const diamond_units[] = { &dmr_iio_free_running };

/* Diamond Rapids: Linux dmr_uncores, dmr_uncore_init. The tables of the memory and I/O hubs are led to by PCI, those of the
 * core building blocks by an MSR of each; ids of a package's second hub are 8000H and up. Of its units no event file is
 * public: they have no named events, and what is wrong with one is a WARN. Linux has bit 23 of the iMC's control as invert and
 * as the first of thresh, 32:23, and writes a dword: invert is left out, and thresh ends at bit 31. */
#define DMR(label, control) UNIT(label, PMON_OTHER, CLOCK(NONE, 0)), .unit.one_source = true, BY(ANY, control)
static const struct pmon_control dmr_imc_control = { PMON_FIELDS_OF_V2, .ov_en = BIT(20), .en_unused = true,
                                                     .thresh = BITS(31, 23) };
#define DMR_CXL_FIELDS PMON_FIELDS_OF_V2, .ov_en = BIT(20), .en_unused = true, .invert = BIT(21), .thresh = BITS(31, 23)
static const struct pmon_control dmr_cxl_narrow = { DMR_CXL_FIELDS };
static const struct pmon_control dmr_cxl_control = { DMR_CXL_FIELDS, .extra = BITS(35, 32) };
static const struct pmon_control dmr_control = { FIELDS, .thresh = BITS(31, 24), .extra = BITS(63, 32) };
static const struct pmon_fixed dmr_imc_fixed = { .ctl = 0x10, .ctr = 0x18, .bits = 48, .en = BIT(22) };
static const struct pmon_type diamond_types[] = {
    [4] = { DMR("PCU", narrow_control) },
    [5] = { DMR("UBox", narrow_control) },
    [6] = { DMR("iMC", wide_control), .narrow = &dmr_imc_control, .fixed = &dmr_imc_fixed, .status_bit = 1 },
    [0x13] = { DMR("MSE", narrow_control), .broken = true },
    [23] = { DMR("SCA", dmr_control) },
    [24] = { DMR("CXLCM", dmr_cxl_control), .narrow = &dmr_cxl_narrow },
    [30] = { DMR("HAMVF", dmr_control) },
    [31] = { DMR("CBO", dmr_control) },
    [32] = { DMR("SANTA", narrow_control) },
    [33] = { DMR("CNCU", narrow_control) },
    [34] = { DMR("SNCU", narrow_control) },
    [35] = { DMR("ULA", dmr_control) },
    [36] = { DMR("DDA", dmr_control) },
    [0x25] = { DMR("SB2UCIE", narrow_control), .broken = true },
    [38] = { DMR("SBO", dmr_control) },
    [43] = { DMR("UBR", dmr_control) },
    [45] = { DMR("PCIE4", wide_control) },
    [46] = { DMR("CRS", narrow_control) },
    [47] = { DMR("CPC", dmr_control) },
    [48] = { DMR("ITC", dmr_control) },
    [49] = { DMR("OTC", dmr_control) },
    [50] = { DMR("CMS", narrow_control) },
    [51] = { DMR("PCIE6", wide_control) },
};
static const struct pmon_discovery diamond_discovery = DISCOVERY_BY(0x09A1, 0x710, diamond_types, true);
static const struct pmon_model diamond_models[] = { { .vendor = VENDOR_INTEL, .family = 0x13, .first = 1, .last = 1 } };
const struct pmon_part pmon_diamond = {
    .name = "Diamond Rapids",
    PMON_MODELS(diamond_models),
    PMON_UNITS(diamond_units),
    .global = { .freeze = BIT(0) },
    BUS_MAP,
    .discovery = &diamond_discovery,
    .several_dies = true,
    .no_guide = true,
};

/* A later part than those above: Linux' generic driver (uncore_discovery.c, generic_uncore_init()) takes each type of unit by
 * its number, with event, umask, edge, inv and thresh where Sapphire Rapids has them. What types count is not known, and
 * what is wrong with one is a WARN. */
#define TYPE(n) [n] = { UNIT("type" #n, PMON_OTHER, CLOCK(NONE, 0)), .unit.one_source = true, PLAIN }
static const struct pmon_type listed_types[] = {
    TYPE(0),  TYPE(1),  TYPE(2),  TYPE(3),  TYPE(4),  TYPE(5),  TYPE(6),  TYPE(7),  TYPE(8),  TYPE(9),  TYPE(10),
    TYPE(11), TYPE(12), TYPE(13), TYPE(14), TYPE(15), TYPE(16), TYPE(17), TYPE(18), TYPE(19), TYPE(20), TYPE(21),
    TYPE(22), TYPE(23), TYPE(24), TYPE(25), TYPE(26), TYPE(27), TYPE(28), TYPE(29), TYPE(30), TYPE(31), TYPE(32),
    TYPE(33), TYPE(34), TYPE(35), TYPE(36), TYPE(37), TYPE(38), TYPE(39), TYPE(40), TYPE(41), TYPE(42), TYPE(43),
    TYPE(44), TYPE(45), TYPE(46), TYPE(47), TYPE(48), TYPE(49), TYPE(50), TYPE(51), TYPE(52),
};
/* UNCORE_DISCOVERY_MSR: where no function has tables, the generic driver asks it. */
static const struct pmon_discovery listed_discovery = DISCOVERY_BY(0x09A7, 0x201E, listed_types, false);
const struct pmon_part pmon_listed = {
    .name = "a part that is not in the tables",
    .global = { .freeze = BIT(0) },
    BUS_MAP,
    .discovery = &listed_discovery,
    .several_dies = true,
    .no_guide = true,
};

/* Panther Lake: Linux ptl_uncores, of which no control is wider than a dword. Nova Lake's tables are at
 * PACKAGE_UNCORE_DISCOVERY_MSR. No function has them. */
#define NAMED(n, label) [n] = { UNIT(label, PMON_OTHER, CLOCK(NONE, 0)), .unit.one_source = true, PLAIN }
static const struct pmon_type client_types[] = { NAMED(6, "iMC"), NAMED(34, "sNCU"), NAMED(41, "HBO") };
const struct pmon_discovery pmon_discovery_ptl = DISCOVERY_BY(0, 0x201E, client_types, false);
const struct pmon_discovery pmon_discovery_nvl = DISCOVERY_BY(0, 0x711, client_types, false);
