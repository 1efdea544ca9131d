/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Skylake-SP, Cascade Lake-SP and Cooper Lake-SP. Sources: Linux uncore_snbep.c (skx_*), likwid, the published event
 * files. The global freeze bits of MSR 700H are likwid's word alone. */
#include "arch/x86/pmon_parts/pmon_layouts.h"

#define LINUX "Linux uncore_snbep.c "

/* --- by MSR ------------------------------------------------------------------------------------------------------- */

static const struct pmon_unit ubox = PMON_UBOX_UNIT(LINUX "skx_uncore_ubox", pmon_layout_ubox, pmon_ubox_events);

/* FILTER0: state 26:17. FILTER1: 0 remote, 1 local, 3 all opcodes, 4 near memory, 5 not near memory; TOR events count
 * nothing until one of each kind is set. Instead of all opcodes one in 18:9: 200H RFO, 202H DRd. */
#define STATES     (UINT32_C(0x3FF) << 17)
#define TOR_ANY    0x3Bu
#define TOR_LOCAL  0x3Au
#define TOR_OTHER  0x39u
#define TOR_OPC(x) (0x33u | (uint32_t)(x) << 9)
static const struct pmon_named cha_events[] = {
    { .name = "llc_lookup", .ev_sel = 0x34, .umask = 0x03, .filter0 = STATES, .filter1 = TOR_ANY, .bytes = 64 },
    { .name = "llc_lookup_any", .ev_sel = 0x34, .umask = 0x11, .filter0 = STATES, .filter1 = TOR_ANY, .bytes = 64 },
    { .name = "llc_victims", .ev_sel = 0x37, .umask = 0x2F, .bytes = 64 },
    { .name = "tor_all", .ev_sel = 0x35, .umask = 0x31, .filter1 = TOR_ANY, .bytes = 64 },
    { .name = "tor_hit", .ev_sel = 0x35, .umask = 0x11, .filter1 = TOR_ANY, .bytes = 64 },
    { .name = "tor_miss", .ev_sel = 0x35, .umask = 0x21, .filter1 = TOR_ANY, .bytes = 64 },
    { .name = "tor_miss_drd", .ev_sel = 0x35, .umask = 0x21, .filter1 = TOR_OPC(0x202), .bytes = 64 },
    { .name = "tor_miss_rfo", .ev_sel = 0x35, .umask = 0x21, .filter1 = TOR_OPC(0x200), .bytes = 64 },
    { .name = "tor_miss_local", .ev_sel = 0x35, .umask = 0x21, .filter1 = TOR_LOCAL, .bytes = 64 },
    { .name = "tor_miss_remote", .ev_sel = 0x35, .umask = 0x21, .filter1 = TOR_OTHER, .bytes = 64 },
    { .name = "tor_occupancy", .ev_sel = 0x36, .umask = 0x31, .counters = 1, .filter1 = TOR_ANY },
    { .name = "reads_local", .ev_sel = 0x50, .umask = 0x01, .bytes = 64 },
    { .name = "reads_remote", .ev_sel = 0x50, .umask = 0x02, .bytes = 64 },
};
/* Linux skx_uncore_cha_formats_attr; link: its mask SKX_CHA_MSR_PMON_BOX_FILTER_LINK. */
static const struct pmon_field cha_fields[] = {
    PMON_FILTER_FIELD("link", BITS(12, 9)),  PMON_FILTER_FIELD("state", BITS(26, 17)),
    PMON_FILTER_FIELD("rem", BIT(32)),       PMON_FILTER_FIELD("loc", BIT(33)),
    PMON_FILTER_FIELD("all_op", BIT(35)),    PMON_FILTER_FIELD("nm", BIT(36)),
    PMON_FILTER_FIELD("not_nm", BIT(37)),    PMON_FILTER_FIELD("opc0", BITS(50, 41)),
    PMON_FILTER_FIELD("opc1", BITS(60, 51)), PMON_FILTER_FIELD("nc", BIT(62)),
    PMON_FILTER_FIELD("isoc", BIT(63)),
};
static const struct pmon_layout cha_layout = { PMON_MSRS(4, 1, 8),   .control = &pmon_control_cbo,
                                               .box = &pmon_box_frz, PMON_STATUS(7),
                                               .filter0 = 5,         .filter1 = 6,
                                               .tid = BITS(8, 0),    PMON_FIELDS_OF(cha_fields) };
static const struct pmon_unit cha =
    PMON_UNIT("CHA", LINUX "skx_uncore_chabox", PMON_CHA, cha_layout, PMON_PROBE(0xE00, 0x10, 28),
              PMON_EVENTS(.clock = PMON_CLOCK_UCLK, PMON_NAMED(cha_events), .two_states = true));

static const struct pmon_layout pcu_layout = { PMON_MSRS(4, 0x711, 0x717),
                                               .control = &pmon_control_pcu,
                                               .box_ctl = 0x710,
                                               .box = &pmon_box_frz,
                                               PMON_STATUS(0x716),
                                               .filter0 = 0x715,
                                               PMON_FIELDS_OF(pmon_pcu_fields_of_servers) };
static const struct pmon_unit pcu =
    PMON_UNIT("PCU", LINUX "skx_uncore_pcu", PMON_OTHER, pcu_layout, PMON_ONE,
              PMON_EVENTS(.clock = PMON_CLOCK_PCU, PMON_NAMED(pmon_pcu_events_of_servers)));

/* 64-bit controls: thresh 35:24, channel mask 43:36, fc mask 46:44. */
static const struct pmon_control iio_control = {
    PMON_FIELDS,           .ov_en = BIT(20),        .thresh = BITS(35, 24),
    .extra = BITS(46, 36), .ch_mask = BITS(43, 36), .fc_mask = BITS(46, 44)
};
/* skx_uncore_iio_freerunning: A45H + 20H each, 36 bits. */
static const struct pmon_free io_clock = { "IO clock", 5, 36, PMON_CLOCK_OWN, 0 };
static const struct pmon_layout iio_layout = { PMON_MSRS(4, 8, 1), .control = &iio_control, .box = &pmon_box_frz,
                                               PMON_STATUS(7), .free_clock = &io_clock };
/* Of every port and flow class; configuration requests are of 4 bytes at most. */
static const struct pmon_named iio_events[] = { PMON_CONFIG_READS(BITS(43, 36) | BITS(46, 44)) };
static const struct pmon_unit iio =
    PMON_UNIT("IIO", LINUX "skx_uncore_iio", PMON_OTHER, iio_layout, PMON_PROBE(0xA40, 0x20, 6),
              PMON_EVENTS(.clock = PMON_CLOCK_OWN, .clock_event = 0x01, PMON_NAMED(iio_events)));

/* Bandwidth and utilisation of a stack's four ports. skx_uncore_iio_freerunning, which has 4 bytes a count. */
static const struct pmon_free iio_free[] = {
    PMON_FREE_4_PORTS("bw_in_port", 0, 1, 36, 4),    PMON_FREE_4_PORTS("bw_out_port", 4, 1, 36, 4),
    { "util_in_port0", 8, 36, PMON_CLOCK_NONE, 0 },  { "util_out_port0", 9, 36, PMON_CLOCK_NONE, 0 },
    { "util_in_port1", 10, 36, PMON_CLOCK_NONE, 0 }, { "util_out_port1", 11, 36, PMON_CLOCK_NONE, 0 },
    { "util_in_port2", 12, 36, PMON_CLOCK_NONE, 0 }, { "util_out_port2", 13, 36, PMON_CLOCK_NONE, 0 },
    { "util_in_port3", 14, 36, PMON_CLOCK_NONE, 0 }, { "util_out_port3", 15, 36, PMON_CLOCK_NONE, 0 },
};
static const struct pmon_layout iio_free_layout = PMON_FREE_MSRS(iio_free);
static const struct pmon_unit iio_free_running =
    PMON_UNIT("IIO-free", LINUX "skx_uncore_iio_free_running", PMON_OTHER, iio_free_layout, PMON_PROBE(0xB00, 0x10, 6),
              .one_source = true);

static const struct pmon_layout irp_layout = { PMON_MSRS(2, 3, 1), .control = &pmon_control_8, .box = &pmon_box_frz,
                                               PMON_STATUS(7) };
static const struct pmon_unit irp =
    PMON_UNIT("IRP", LINUX "skx_uncore_irp", PMON_OTHER, irp_layout, PMON_PROBE(0xA58, 0x20, 6),
              PMON_EVENTS(.clock = PMON_CLOCK_OWN, .clock_event = 0x01));

/* --- by PCI ------------------------------------------------------------------------------------------------------- */

static const struct pmon_named m2m_events[] = {
    { .name = "imc_reads", .ev_sel = 0x37, .umask = 0x04, .bytes = 64 },
    { .name = "imc_writes", .ev_sel = 0x38, .umask = 0x10, .bytes = 64 },
    { .name = "directory_updates", .ev_sel = 0x2E, .umask = 0x01 },
};
/* Nine data flits carry a line. */
static const struct pmon_named upi_events[] = {
    { .name = "tx_data", .ev_sel = 0x02, .umask = 0x0F, .bytes = 64.0 / 9 },
    { .name = "rx_data", .ev_sel = 0x03, .umask = 0x0F, .bytes = 64.0 / 9 },
    PMON_UPI_HEADERS,
};

static const struct pmon_pci_place imc_places[] = { AT(10, 2, 0x2042), AT(10, 6, 0x2046), AT(11, 2, 0x204A),
                                                    AT(12, 2, 0x2042), AT(12, 6, 0x2046), AT(13, 2, 0x204A) };
static const struct pmon_pci_place m2m_places[] = { AT(8, 0, 0x2066), AT(9, 0, 0x2066) };
static const struct pmon_pci_place upi_places[] = { AT(14, 0, 0x2058), AT(15, 0, 0x2058), MAYBE(16, 0, 0x2058) };
static const struct pmon_pci_place m3upi_places[] = { AT(18, 1, 0x204D), AT(18, 2, 0x204E), MAYBE(18, 5, 0x204D) };
/* Boards show 21.1, 22.1 and 22.5; Linux' skx_uncore_pci_ids has 21.5, where none shows a function. Which are there depends
 * on the stacks that a part has. */
static const struct pmon_pci_place m2pcie_places[] = { MAYBE(21, 1, 0x2088), MAYBE(22, 1, 0x2088), MAYBE(23, 1, 0x2088),
                                                       MAYBE(22, 5, 0x2088) };
/* Cooper Lake-SP has six links. intel/pcm types.h: CPX_QPI_PORT3 to 5, CPX_M3UPI_PORT2 to 5. Ports that a part does not
 * use show their ids, with class FFFFFFH. */
static const struct pmon_pci_place cooper_upi_places[] = { AT(14, 0, 0x2058),    AT(15, 0, 0x2058),
                                                           MAYBE(16, 0, 0x2058), MAYBE(14, 4, 0x2058),
                                                           MAYBE(15, 4, 0x2058), MAYBE(16, 4, 0x2058) };
static const struct pmon_pci_place cooper_m3upi_places[] = { AT(18, 1, 0x204D),    AT(18, 2, 0x204E),
                                                             MAYBE(19, 1, 0x204D), MAYBE(19, 2, 0x204E),
                                                             MAYBE(20, 1, 0x204D), MAYBE(20, 2, 0x204E) };

static const struct pmon_layout imc_layout = { PMON_PCI_REGISTERS,         .counters = 4,  .counter_bits = 48,
                                               .control = &pmon_control_8, PMON_IMC_FIXED, .box = &pmon_box_frz };
static const struct pmon_unit imc =
    PMON_UNIT("iMC", LINUX "skx_uncore_imc", PMON_IMC, imc_layout, PMON_PLACES(imc_places),
              PMON_EVENTS(.clock = PMON_CLOCK_DCLK, PMON_NAMED(pmon_imc_events), PMON_CHANNELS(pmon_imc_channels)),
              PMON_CORRECTED_PCI(1));

static const struct pmon_layout m2m_layout = { .access = PMON_PCI,
                                               .counters = 4,
                                               .counter_bits = 48,
                                               .ctl = 0x228,
                                               .ctl_step = 8,
                                               .ctr = 0x200,
                                               .control = &pmon_control_8,
                                               .box_ctl = 0x258,
                                               .box = &pmon_box_frz,
                                               PMON_STATUS(0x260) };
static const struct pmon_unit m2m =
    PMON_UNIT("M2M", LINUX "skx_uncore_m2m", PMON_M2M, m2m_layout, PMON_PLACES(m2m_places),
              PMON_EVENTS(.clock = PMON_CLOCK_UCLK, PMON_NAMED(m2m_events)));

/* The umask's extension skips bit 44. */
static const struct pmon_control upi_control = { PMON_FIELDS, .ov_en = BIT(20), .thresh = BITS(31, 24),
                                                 .extra = BITS(55, 45) | BITS(43, 32) };
static const struct pmon_layout upi_layout = { PMON_PCI_WIDE(0x350, 0x318), .control = &upi_control, .box_ctl = 0x378,
                                               .box = &pmon_box_frz,        PMON_STATUS(0x37C),      PMON_UPI_STATE };
#define UPI(origin, at)                                                                                                \
    PMON_UNIT("UPI", origin, PMON_LINK, upi_layout, PMON_PLACES(at),                                                   \
              PMON_EVENTS(.clock = PMON_CLOCK_OWN, .clock_event = 0x01, PMON_NAMED(upi_events)))
static const struct pmon_unit upi = UPI(LINUX "skx_uncore_upi", upi_places);
static const struct pmon_unit cooper_upi = UPI("intel/pcm types.h CPX_QPI_PORT3_DEVICE_ADDR", cooper_upi_places);

#define PCI_LAYOUT(n)                                                                                                  \
    BRACED(PMON_PCI_REGISTERS, .counters = (n), .counter_bits = 48, .control = &pmon_control_8, .box = &pmon_box_frz)
static const struct pmon_layout m3upi_layout = PCI_LAYOUT(3);
static const struct pmon_layout m2pcie_layout = PCI_LAYOUT(4);
#define M3UPI(origin, at)                                                                                              \
    PMON_UNIT("M3UPI", origin, PMON_MESH_LINK, m3upi_layout, PMON_PLACES(at),                                          \
              PMON_EVENTS(.clock = PMON_CLOCK_UCLK, .clock_event = 0x01))
static const struct pmon_unit m3upi = M3UPI(LINUX "skx_uncore_m3upi", m3upi_places);
static const struct pmon_unit cooper_m3upi =
    M3UPI("intel/pcm types.h CPX_M3UPI_PORT2_DEVICE_ADDR", cooper_m3upi_places);
static const struct pmon_unit m2pcie =
    PMON_UNIT("M2PCIe", LINUX "skx_uncore_m2pcie", PMON_OTHER, m2pcie_layout, PMON_PLACES(m2pcie_places),
              PMON_EVENTS(.clock = PMON_CLOCK_UCLK, .clock_event = 0x01));

static const struct pmon_unit *const units[] = { &ubox, &cha, &pcu,   &iio,   &iio_free_running, &irp, &imc,
                                                 &m2m,  &upi, &m3upi, &m2pcie };
static const struct pmon_unit *const cooper_units[] = { &ubox,  &cha, &pcu, &iio,        &iio_free_running,
                                                        &irp,   &imc, &m2m, &cooper_upi, &cooper_m3upi,
                                                        &m2pcie };
static const struct pmon_model models[] = { PMON_INTEL6(0x55) };
/* intel/pcm cpucounters.h isCPX(): steppings from 10 on. */
static const struct pmon_model cooper_models[] = {
    { .vendor = VENDOR_INTEL, .family = 6, .first = 0x55, .last = 0x55, .first_stepping = 10 }
};
/* Bus: Linux snbep_pci2phy_map_init() with SKX_CPUNODEID and SKX_GIDNIDMAP; skx_msr_cpu_bus_read(). Capabilities: Linux
 * skx_count_chabox(): CAPID6; intel/pcm: the power control unit's MSR 702H. Ports: intel/pcm pcm-iio,
 * PurleyPlatformMapping. PMI: as Ice Lake-SP. By die: Cascade Lake-AP has two in a package, and Linux' uncore PMUs are of
 * dies, uncore_max_dies(). */
#define SKYLAKE_PART                                                                                                   \
    .global = { .msr = 0x700, .freeze = BIT(63), .run = BIT(61), .unsure = true, .status = 0x701, .n_status = 1 },     \
    .pmi = { .msr = 0x700, .cores = BITS(60, 0), .unsure = true },                                                     \
    .bus = { .did = 0x2014, .node_id = 0xC0, .group = 0xD4, .buses = PMON_BUSES_BELOW, .msr = 0x300 },                 \
    .capabilities = { .did = 0x2083,                                                                                   \
                      .capid = { { .offset = 0x9C, .slices = BITS(27, 0) } },                                          \
                      .slices_by = "CAPID6[27:0]",                                                                     \
                      .slices_msr_2 = 0x702 },                                                                         \
    .ports = { .first_device = 0, .n = 4 }, .no_guide = true, .by_die = true
const struct pmon_part pmon_skylake = {
    .name = "Skylake-SP",
    PMON_MODELS(models),
    PMON_UNITS(units),
    SKYLAKE_PART,
};
const struct pmon_part pmon_cooper = {
    .name = "Skylake-SP (Cooper Lake)",
    PMON_MODELS(cooper_models),
    PMON_UNITS(cooper_units),
    SKYLAKE_PART,
};
