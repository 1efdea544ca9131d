/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Snow Ridge. Sources: Linux uncore_snbep.c (snr_*), the published event files. One package, without links; boxes of one
 * kind are 10H MSRs apart. */
#include "arch/x86/pmon_parts/pmon_layouts.h"

#define LINUX          "Linux uncore_snbep.c "
#define EXT(x)         (UINT64_C(x) << 32)
#define BY_MSR         .access = PMON_MSR, .counter_bits = 48, .box = &pmon_box_frz
#define FIELDS         PMON_FIELDS, .ov_en = BIT(20)
#define AT_MSRS(at, n) .find = PMON_FIND_PROBE, .first = (at), .stride = 0x10, .most = (n)

/* --- by MSR ------------------------------------------------------------------------------------------------------- */

static const struct pmon_layout ubox_layout = { PMON_MSRS(2, 0x1F91, 0x1F98), .control = &pmon_control_8,
                                                PMON_FIXED_AT(0x1F93, 0x1F94, UCLK) };
static const struct pmon_unit ubox = PMON_UBOX_UNIT(LINUX "snr_uncore_ubox", ubox_layout, pmon_ubox_events);

/* The umask's extension is 57:32, of the M2M 39:32. Of the filter the driver keeps nine bits, as on Ice Lake-SP. */
static const struct pmon_control cha_control = { FIELDS, .thresh = BITS(31, 24), .tid_en = BIT(19),
                                                 .extra = BITS(57, 32) };
static const struct pmon_control m2m_control = { FIELDS, .thresh = BITS(31, 24), .extra = BITS(39, 32) };
static const struct pmon_control pcie3_control = { FIELDS, .thresh = BITS(31, 24), .extra = BITS(46, 32) };
static const struct pmon_control iio_control = { FIELDS, .thresh = BITS(35, 24), .extra = BITS(50, 36),
                                                 .ch_mask = BITS(47, 36), .fc_mask = BITS(50, 48) };

/* Demand reads: opcode DRd_Opt, as E-cores have it. */
static const struct pmon_named cha_events[] = {
    { .name = "llc_lookup", .ev_sel = 0x34, .umask = 0xFF, .extra = EXT(0x1BC1), .bytes = 64 },
    { .name = "llc_victims", .ev_sel = 0x37, .umask = 0x0F, .bytes = 64 },
    { .name = "tor_all", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC001FF), .bytes = 64 },
    { .name = "tor_hit", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC001FD), .bytes = 64 },
    { .name = "tor_miss", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC001FE), .bytes = 64 },
    { .name = "tor_miss_drd", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC827FE), .bytes = 64 },
    { .name = "tor_miss_rfo", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC807FE), .bytes = 64 },
    { .name = "tor_occupancy", .ev_sel = 0x36, .umask = 0x01, .extra = EXT(0xC001FF), .counters = 1 },
};
static const struct pmon_layout cha_layout = { BY_MSR,           .counters = 4,           .ctl = 1,
                                               .ctr = 8,         .control = &cha_control, .filter0 = 5,
                                               .tid = BITS(8, 0) };
static const struct pmon_unit cha =
    PMON_UNIT("CHA", LINUX "snr_uncore_chabox", PMON_CHA, cha_layout, PMON_FOUND(AT_MSRS(0x1C00, 6)),
              PMON_EVENTS(.clock = PMON_CLOCK_UCLK, PMON_NAMED(cha_events), .two_states = true));

/* occ_sel is the two topmost bits of the umask. thresh is eight bits to the driver, whose formats have occ_invert and occ_edge in the two topmost as well. */
static const struct pmon_control pcu_control = { FIELDS, .thresh = BITS(31, 24), .umask_is_number = true };
static const struct pmon_field pcu_fields[] = { PMON_BAND_FIELDS };
static const struct pmon_layout pcu_layout = {
    BY_MSR,        .counters = 4,           .box_ctl = 0x1EF0, .ctl = 0x1EF1,
    .ctr = 0x1EF8, .control = &pcu_control, .filter0 = 0x1EFC, PMON_FIELDS_OF(pcu_fields)
};
static const struct pmon_unit pcu =
    PMON_UNIT("PCU", LINUX "snr_uncore_pcu", PMON_OTHER, pcu_layout, PMON_ONE,
              PMON_EVENTS(.clock = PMON_CLOCK_PCU, PMON_NAMED(pmon_pcu_events_of_servers)));

/* snr_uncore_iio_free_running: 1EACH + 10H each, while the stacks' boxes are at 1E00H + 10H each. */
static const struct pmon_free io_clock = { "IO clock", 0x1EAC - 0x1E00, 48, PMON_CLOCK_OWN, 0 };
static const struct pmon_layout iio_layout = { BY_MSR,   .counters = 4,           .ctl = 8,
                                               .ctr = 1, .control = &iio_control, .free_clock = &io_clock };
static const struct pmon_layout irp_layout = { BY_MSR, .counters = 2, .ctl = 8, .ctr = 1, .control = &pmon_control_8 };
static const struct pmon_layout m2pcie_layout = { BY_MSR, .counters = 4, .ctl = 8, .ctr = 1,
                                                  .control = &pmon_control_8 };
#define STACK(label, origin, its_layout, at, ...)                                                                      \
    PMON_UNIT(label, LINUX origin, PMON_OTHER, its_layout, PMON_FOUND(AT_MSRS(at, 5)),                                 \
              PMON_EVENTS(.clock = PMON_CLOCK_OWN, .clock_event = 0x01, __VA_ARGS__))
static const struct pmon_named iio_events[] = { PMON_CONFIG_READS(BITS(47, 36) | BITS(50, 48)) };
static const struct pmon_unit iio = STACK("IIO", "snr_uncore_iio", iio_layout, 0x1E00, PMON_NAMED(iio_events));
static const struct pmon_unit irp = STACK("IRP", "snr_uncore_irp", irp_layout, 0x1EA0);
static const struct pmon_unit m2pcie = STACK("M2PCIe", "snr_uncore_m2pcie", m2pcie_layout, 0x1E50);

/* Bandwidth of a stack's eight ports, 32 bytes a count. */
static const struct pmon_free iio_free[] = { PMON_FREE_8_PORTS("bw_in_port", 0, 1, 48, 32) };
static const struct pmon_layout iio_free_layout = PMON_FREE_MSRS(iio_free);
static const struct pmon_unit iio_free_running =
    PMON_UNIT("IIO-free", LINUX "snr_uncore_iio_free_running", PMON_OTHER, iio_free_layout,
              PMON_FOUND(AT_MSRS(0x1F00, 5)), .one_source = true);

/* --- by PCI ------------------------------------------------------------------------------------------------------- */

#define PCI_LAYOUT                                                                                                     \
    .access = PMON_PCI, .counters = 4, .counter_bits = 48, .ctl_step = 8, .ctl_bytes = 8, .box = &pmon_box_frz
static const struct pmon_pci_place m2m_places[] = { AT(12, 0, 0x344A) };
static const struct pmon_layout m2m_layout = { PCI_LAYOUT, .ctl = 0x468, .ctr = 0x440, .control = &m2m_control,
                                               .box_ctl = 0x438 };
static const struct pmon_unit m2m =
    PMON_UNIT("M2M", LINUX "snr_uncore_m2m", PMON_M2M, m2m_layout, PMON_PLACES(m2m_places),
              PMON_EVENTS(.clock = PMON_CLOCK_UCLK, PMON_NAMED(pmon_m2m_events)));

/* In a root port, which firmware may have hidden; no event file has its events. */
static const struct pmon_pci_place pcie3_places[] = { MAYBE(4, 0, 0x334A) };
static const struct pmon_layout pcie3_layout = { PCI_LAYOUT, .ctl = 0x508, .ctr = 0x4E8, .control = &pcie3_control,
                                                 .box_ctl = 0x4E0 };
static const struct pmon_unit pcie3 = PMON_UNIT("PCIe3", LINUX "snr_uncore_pcie3", PMON_OTHER, pcie3_layout,
                                                PMON_PLACES(pcie3_places), .one_source = true);

/* --- by memory ---------------------------------------------------------------------------------------------------- */

/* snr_uncore_mmio_map(), with the first controller's base alone: SNR_IMC_MMIO_BASE_OFFSET, SNR_IMC_MMIO_MEM0_OFFSET. */
static const struct pmon_memory_map memory_map = PMON_MEMORY_MAP(0x3451, 1, 2, 2);
/* Registers count from the channel's base. The fixed counter: UNC_M_HCLOCKTICKS of the published event file. */
static const struct pmon_layout imc_layout = { .access = PMON_MMIO,
                                               .counters = 4,
                                               .counter_bits = 48,
                                               .ctr = 0x08,
                                               .ctl = 0x40,
                                               .control = &pmon_control_8,
                                               PMON_FIXED_AT(0x54, 0x38, HCLK),
                                               .box_ctl = 0x00,
                                               .box = &pmon_box_frz };
static const struct pmon_unit imc = PMON_UNIT(
    "iMC", LINUX "snr_uncore_imc", PMON_IMC, imc_layout,
    PMON_FOUND(.find = PMON_FIND_MEMORY, .most = 2, .memory = &memory_map),
    PMON_EVENTS(.clock = PMON_CLOCK_DCLK, PMON_NAMED(pmon_imc_events_of_v4), PMON_CHANNELS(pmon_imc_channels)),
    PMON_CORRECTED_MEMORY);
static const struct pmon_free mc_free[] = {
    { "ddr_rd", 0x2290, 48, PMON_CLOCK_NONE, 64 },
    { "ddr_wr", 0x2298, 48, PMON_CLOCK_NONE, 64 },
    { "dclk", 0x22B0, 48, PMON_CLOCK_DCLK, 0 },
};
static const struct pmon_layout mc_layout = PMON_FREE_LAYOUT(mc_free);
static const struct pmon_unit mc = PMON_UNIT("MC", LINUX "snr_uncore_imc_free_running", PMON_FREE, mc_layout,
                                             PMON_FREE_LOCATION(memory_map), .one_source = true);

static const struct pmon_unit *const units[] = { &ubox, &cha, &pcu, &iio,  &iio_free_running, &irp, &m2pcie,
                                                 &imc,  &mc,  &m2m, &pcie3 };
static const struct pmon_model models[] = { PMON_INTEL6(0x86) };
/* UBox function: CPUNODEID and GIDNIDMAP, snr_uncore_pci_init(). No source names a global control. Root ports
 * are devices 4 to 7, and 334AH is port 4 of its stack (intel/pcm pcm-iio: SNR_ROOT_PORT_A_DID). */
const struct pmon_part pmon_snowridge = {
    .name = "Snow Ridge",
    PMON_MODELS(models),
    PMON_UNITS(units),
    .bus = { .did = 0x3460, .node_id = 0xC0, .group = 0xD4, .buses = PMON_BUSES_AROUND },
    .ports = { .first_device = 4, .n = 4, .did = 0x334A, .number = 4 },
    .no_guide = true,
};
