/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Ice Lake-SP. Sources: Linux uncore_snbep.c (icx_*), likwid, the published event files. Memory channels are reached
 * through memory: see struct pmon_memory_map. */
#include "arch/x86/pmon_parts/pmon_layouts.h"

#define LINUX  "Linux uncore_snbep.c "
#define EXT(x) (UINT64_C(x) << 32)
#define BY_MSR .access = PMON_MSR, .counter_bits = 48, .box = &pmon_box_frz

/* --- by MSR ------------------------------------------------------------------------------------------------------- */

/* pmon_layout_ubox without the status register. */
static const struct pmon_layout ubox_layout = { PMON_MSRS(2, 0x705, 0x709), .control = &pmon_control_5,
                                                PMON_FIXED_AT(0x703, 0x704, UCLK, PMON_UBOX_FIXED_OV_EN) };
static const struct pmon_unit ubox = PMON_UBOX_UNIT(LINUX "icx_msr_uncores", ubox_layout, pmon_ubox_events);

/* The umask's extension is 55:32, of the CHA 57:32, of the M2M 39:32. */
static const struct pmon_control cha_control = { PMON_FIELDS, .ov_en = BIT(20), .thresh = BITS(31, 24),
                                                 .tid_en = BIT(19), .extra = BITS(57, 32) };
static const struct pmon_control wide_control = { PMON_FIELDS, .ov_en = BIT(20), .thresh = BITS(31, 24),
                                                  .extra = BITS(55, 32) };
static const struct pmon_control m2m_control = { PMON_FIELDS, .ov_en = BIT(20), .thresh = BITS(31, 24),
                                                 .extra = BITS(39, 32) };

static const struct pmon_named cha_events[] = {
    { .name = "llc_lookup", .ev_sel = 0x34, .umask = 0xFF, .extra = EXT(0x1BC1), .bytes = 64 },
    { .name = "reads_local", .ev_sel = 0x50, .umask = 0x01, .bytes = 64 },
    { .name = "reads_remote", .ev_sel = 0x50, .umask = 0x02, .bytes = 64 },
    { .name = "llc_victims", .ev_sel = 0x37, .umask = 0x0F, .bytes = 64 },
    { .name = "tor_all", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC001FF), .bytes = 64 },
    { .name = "tor_hit", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC001FD), .bytes = 64 },
    { .name = "tor_miss", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC001FE), .bytes = 64 },
    { .name = "tor_miss_drd", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC817FE), .bytes = 64 },
    { .name = "tor_miss_rfo", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC807FE), .bytes = 64 },
    { .name = "tor_miss_local", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC816FE), .bytes = 64 },
    { .name = "tor_miss_remote", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC8177E), .bytes = 64 },
    { .name = "tor_occupancy", .ev_sel = 0x36, .umask = 0x01, .extra = EXT(0xC001FF), .counters = 1 },
};
static const uint16_t cha_bases[] = {
    0xE00, 0xE0E, 0xE1C, 0xE2A, 0xE38, 0xE46, 0xE54, 0xE62, 0xE70, 0xE7E, 0xE8C, 0xE9A, 0xEA8, 0xEB6,
    0xEC4, 0xED2, 0xEE0, 0xEEE, 0xF0A, 0xF18, 0xF26, 0xF34, 0xF42, 0xF50, 0xF5E, 0xF6C, 0xF7A, 0xF88,
    0xF96, 0xFA4, 0xFB2, 0xFC0, 0xFCE, 0xFDC, 0xB60, 0xB6E, 0xB7C, 0xB8A, 0xB98, 0xBA6,
};
static const struct pmon_layout cha_layout = { BY_MSR,       .counters = 4,           .ctl = 1,
                                               .ctr = 8,     .control = &cha_control, PMON_STATUS(7),
                                               .filter0 = 5, .tid = BITS(8, 0) };
static const struct pmon_unit cha =
    PMON_UNIT("CHA", LINUX "icx_uncore_chabox", PMON_CHA, cha_layout, PMON_PROBE_BASES(cha_bases),
              PMON_EVENTS(.clock = PMON_CLOCK_UCLK, PMON_NAMED(cha_events), .two_states = true));
static const struct pmon_layout pcu_layout = { BY_MSR,           .counters = 4,
                                               .box_ctl = 0x710, .ctl = 0x711,
                                               .ctr = 0x717,     .control = &pmon_control_pcu,
                                               .filter0 = 0x715, PMON_FIELDS_OF(pmon_pcu_fields_of_servers) };
static const struct pmon_unit pcu =
    PMON_UNIT("PCU", LINUX "icx_uncore_pcu", PMON_OTHER, pcu_layout, PMON_ONE,
              PMON_EVENTS(.clock = PMON_CLOCK_PCU, PMON_NAMED(pmon_pcu_events_of_servers)));

static const struct pmon_control iio_control = {
    PMON_FIELDS,           .ov_en = BIT(20),        .thresh = BITS(35, 24),
    .extra = BITS(50, 36), .ch_mask = BITS(47, 36), .fc_mask = BITS(50, 48)
};
static const uint16_t iio_bases[] = { 0xA50, 0xA70, 0xA90, 0xAE0, 0xB00, 0xB20 };
static const uint16_t irp_bases[] = { 0xA4A, 0xA6A, 0xA8A, 0xADA, 0xAFA, 0xB1A };
static const uint16_t m2pcie_bases[] = { 0xA40, 0xA60, 0xA80, 0xAD0, 0xAF0, 0xB10 };
/* icx_uncore_iio_freerunning: A55H and on, 48 bits. */
static const struct pmon_free io_clock = { "IO clock", 5, 48, PMON_CLOCK_OWN, 0 };
static const struct pmon_layout iio_layout = {
    BY_MSR, .counters = 4, .ctl = 8, .ctr = 1, .control = &iio_control, PMON_STATUS(7), .free_clock = &io_clock
};
static const struct pmon_layout irp_layout = {
    BY_MSR, .counters = 2, .ctl = 3, .ctr = 1, .control = &pmon_control_8, PMON_STATUS(5)
};
static const struct pmon_layout m2pcie_layout = {
    BY_MSR, .counters = 4, .ctl = 6, .ctr = 1, .control = &pmon_control_8, PMON_STATUS(5)
};
#define STACK(label, origin, its_layout, its_bases, ...)                                                               \
    PMON_UNIT(label, LINUX origin, PMON_OTHER, its_layout, PMON_PROBE_BASES(its_bases),                                \
              PMON_EVENTS(.clock = PMON_CLOCK_OWN, .clock_event = 0x01, __VA_ARGS__))
static const struct pmon_named iio_events[] = { PMON_CONFIG_READS(BITS(47, 36) | BITS(50, 48)) };
static const struct pmon_unit iio = STACK("IIO", "icx_uncore_iio", iio_layout, iio_bases, PMON_NAMED(iio_events));

/* Bandwidth of a stack's eight ports: icx_uncore_iio_free_running, which has 32 bytes a count. */
static const struct pmon_free iio_free[] = { PMON_FREE_8_PORTS("bw_in_port", 0, 1, 48, 32) };
static const uint16_t iio_free_bases[] = { 0xAA0, 0xAB0, 0xAC0, 0xB30, 0xB40, 0xB50 };
static const struct pmon_layout iio_free_layout = PMON_FREE_MSRS(iio_free);
static const struct pmon_unit iio_free_running =
    PMON_UNIT("IIO-free", LINUX "icx_uncore_iio_free_running", PMON_OTHER, iio_free_layout,
              PMON_PROBE_BASES(iio_free_bases), .one_source = true);
static const struct pmon_unit irp = STACK("IRP", "icx_uncore_irp", irp_layout, irp_bases);
static const struct pmon_unit m2pcie = STACK("M2PCIe", "icx_uncore_m2pcie", m2pcie_layout, m2pcie_bases);

/* --- by PCI ------------------------------------------------------------------------------------------------------- */

static const struct pmon_named upi_events[] = {
    { .name = "tx_data", .ev_sel = 0x02, .umask = 0x0F, .bytes = 64.0 / 9 },
    { .name = "rx_data", .ev_sel = 0x03, .umask = 0x0F, .bytes = 64.0 / 9 },
    PMON_UPI_HEADERS,
};
static const struct pmon_pci_place m2m_places[] = { AT(12, 0, 0x344A), AT(13, 0, 0x344A), AT(14, 0, 0x344A),
                                                    AT(15, 0, 0x344A) };
static const struct pmon_pci_place upi_places[] = { AT(2, 1, 0x3441), AT(3, 1, 0x3441), MAYBE(4, 1, 0x3441) };
static const struct pmon_pci_place m3upi_places[] = { AT(5, 1, 0x3446), AT(6, 1, 0x3446), MAYBE(7, 1, 0x3446) };

#define PCI_LAYOUT                                                                                                     \
    .access = PMON_PCI, .counters = 4, .counter_bits = 48, .ctl_step = 8, .ctl_bytes = 8, .box = &pmon_box_frz
static const struct pmon_layout m2m_layout = { PCI_LAYOUT,       .ctl = 0x468,
                                               .ctr = 0x440,     .control = &m2m_control,
                                               .box_ctl = 0x438, PMON_STATUS(0x4A8) };
static const struct pmon_layout upi_layout = { PCI_LAYOUT,       .ctl = 0x350,  .ctr = 0x320, .control = &wide_control,
                                               .box_ctl = 0x318, PMON_UPI_STATE };
static const struct pmon_layout m3upi_layout = { .access = PMON_PCI,
                                                 .counters = 4,
                                                 .counter_bits = 48,
                                                 .ctl = 0xD8,
                                                 .ctl_step = 4,
                                                 .ctl_bytes = 4,
                                                 .ctr = 0xA8,
                                                 .control = &pmon_control_8,
                                                 .box_ctl = 0xA0,
                                                 .box = &pmon_box_frz };
/* Ice Lake-D: how many of its controllers have one, no source says. */
static const struct pmon_pci_place m2m_d_places[] = { AT(12, 0, 0x344A), MAYBE(13, 0, 0x344A), MAYBE(14, 0, 0x344A),
                                                      MAYBE(15, 0, 0x344A) };
#define M2M(places)                                                                                                    \
    PMON_UNIT("M2M", LINUX "icx_uncore_m2m", PMON_M2M, m2m_layout, PMON_PLACES(places),                                \
              PMON_EVENTS(.clock = PMON_CLOCK_UCLK, PMON_NAMED(pmon_m2m_events)))
static const struct pmon_unit m2m = M2M(m2m_places), m2m_d = M2M(m2m_d_places);
static const struct pmon_unit upi =
    PMON_UNIT("UPI", LINUX "icx_uncore_upi", PMON_LINK, upi_layout, PMON_PLACES(upi_places),
              PMON_EVENTS(.clock = PMON_CLOCK_OWN, .clock_event = 0x01, PMON_NAMED(upi_events)));
static const struct pmon_unit m3upi =
    PMON_UNIT("M3UPI", LINUX "icx_uncore_m3upi", PMON_MESH_LINK, m3upi_layout, PMON_PLACES(m3upi_places),
              PMON_EVENTS(.clock = PMON_CLOCK_UCLK, .clock_event = 0x01));

/* --- by memory ---------------------------------------------------------------------------------------------------- */

/* Linux icx_uncore_imc_init_box(): ICX_IMC_MEM_STRIDE, SNR_IMC_MMIO_BASE_OFFSET, SNR_IMC_MMIO_MEM0_OFFSET. A controller has
 * two channels (intel/pcm), and three on Ice Lake-D. */
static const struct pmon_memory_map memory_map = PMON_MEMORY_MAP(0x3451, 4, 2, 3),
                                    memory_map_d = PMON_MEMORY_MAP(0x3451, 4, 3, 3, .fewer = true);
/* Registers count from the channel's base. The fixed counter: UNC_M_HCLOCKTICKS of the published event file; its overflow
 * as Skylake-SP's. */
static const struct pmon_layout imc_layout = { .access = PMON_MMIO,
                                               .counters = 4,
                                               .counter_bits = 48,
                                               .ctr = 0x08,
                                               .ctl = 0x40,
                                               .control = &pmon_control_8,
                                               PMON_FIXED_AT(0x54, 0x38, HCLK, .ov = BIT(0), .ov_en = BIT(20)),
                                               .box_ctl = 0x00,
                                               .box = &pmon_box_frz,
                                               PMON_STATUS(0x5C),
                                               .status_bit = 1 };
#define IMC(map, n)                                                                                                    \
    PMON_UNIT(                                                                                                         \
        "iMC", LINUX "icx_uncore_imc", PMON_IMC, imc_layout,                                                           \
        PMON_FOUND(.find = PMON_FIND_MEMORY, .most = (n), .memory = &(map)),                                           \
        PMON_EVENTS(.clock = PMON_CLOCK_DCLK, PMON_NAMED(pmon_imc_events_of_v4), PMON_CHANNELS(pmon_imc_channels)),    \
        PMON_CORRECTED_MEMORY)
static const struct pmon_unit imc = IMC(memory_map, 8);
static const struct pmon_unit imc_d = IMC(memory_map_d, 12);

/* From the controller's base. Offsets and 64 bytes a count: likwid registers.h MMIO_ICX_IMC_FREERUN_*, MEM_FREERUN, and
 * intel/pcm bw.cpp too; width, and persistent memory (ddrt): Linux alone. */
static const struct pmon_free mc_free[] = {
    { "ddr_rd", 0x2290, 48, PMON_CLOCK_NONE, 64 }, { "ddr_wr", 0x2298, 48, PMON_CLOCK_NONE, 64 },
    { "pmm_rd", 0x22A0, 48, PMON_CLOCK_NONE, 64 }, { "pmm_wr", 0x22A8, 48, PMON_CLOCK_NONE, 64 },
    { "dclk", 0x22B0, 48, PMON_CLOCK_DCLK, 0 },
};
static const struct pmon_layout mc_layout = PMON_FREE_LAYOUT(mc_free);
#define MC(map)                                                                                                        \
    PMON_UNIT("MC", LINUX "icx_imc_freerunning; likwid registers.h; intel/pcm bw.cpp", PMON_FREE, mc_layout,           \
              PMON_FREE_LOCATION(map))
static const struct pmon_unit mc = MC(memory_map), mc_d = MC(memory_map_d);

static const struct pmon_unit *const units[] = { &ubox, &cha, &pcu, &iio,  &iio_free_running, &irp, &m2pcie, &imc,
                                                 &mc,   &m2m, &upi, &m3upi };
/* No links: a package of its own. */
static const struct pmon_unit *const units_d[] = { &ubox, &cha,    &pcu,   &iio,  &iio_free_running,
                                                   &irp,  &m2pcie, &imc_d, &mc_d, &m2m_d };
static const struct pmon_model models[] = { PMON_INTEL6(0x6A) };
static const struct pmon_model models_d[] = { PMON_INTEL6(0x6C) };
/* UBox function: CPUNODEID and GIDNIDMAP. Slices: Linux icx_count_chabox(), CAPID6 and CAPID7; intel/pcm: the power control
 * unit's MSR 702H. */
#define PART                                                                                                           \
    .global = { .msr = 0x700, .freeze = BIT(63), .run = BIT(61), .unsure = true, .status = 0x70E, .n_status = 2 },     \
    .pmi = { .msr = 0x700, .cores = BITS(60, 0), .unsure = true }, /* pmi_core_sel: between the freeze bits and 0 */   \
        .bus = { .did = 0x3450, .node_id = 0xC0, .group = 0xD4, .buses = PMON_BUSES_AROUND },                          \
    .capabilities = { .did = 0x345B,                                                                                   \
                      .capid = { { .offset = 0x9C, .slices = UINT32_MAX }, { .offset = 0xA0, .slices = UINT32_MAX } }, \
                      .slices_by = "CAPID6 and CAPID7",                                                                \
                      .slices_msr_2 = 0x702 },                                                                         \
    .ports = { .first_device = 2, .n = 4 } /* intel/pcm pcm-iio: WhitleyPlatformMapping */
const struct pmon_part pmon_icelake = {
    .name = "Ice Lake-SP", PMON_MODELS(models), PMON_UNITS(units), PART, .no_guide = true
};
const struct pmon_part pmon_icelake_d = {
    .name = "Ice Lake-D", PMON_MODELS(models_d), PMON_UNITS(units_d), PART, .no_guide = true
};
