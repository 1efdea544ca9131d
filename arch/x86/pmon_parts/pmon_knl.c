/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Knights Landing and Knights Mill (Xeon Phi x200). Sources: Linux uncore_snbep.c (knl_*); likwid registers.h (MIC2_*) and
 * perfmon_knl_counters.h, which have the same registers, widths and functions apart from it; the published event file of
 * Knights Landing. One package, without links. Each EDC is the controller of one stack of MCDRAM, which may be memory or a
 * cache in front of it, so that what the boxes count is not held to loads: they are listed, counted, and their registers and
 * clocks judged. */
#include "arch/x86/pmon_parts/pmon_layouts.h"

#define SOURCE "likwid registers.h; Linux uncore_snbep.c "
#define BY_MSR .access = PMON_MSR, .counters = 4, .counter_bits = 48, .box = &pmon_box_frz_en
#define FIELDS PMON_FIELDS, .ov_en = BIT(20), .tid_en = BIT(19)

/* Bit 16 of the CHA's: qor, as Linux calls it. */
static const struct pmon_control ubox_control = { FIELDS, .thresh = BITS(28, 24) };
static const struct pmon_control cha_control = { FIELDS, .thresh = BITS(31, 24), .extra = BIT(16) };
static const struct pmon_control pcu_control = {
    .ev_sel = BITS(7, 0),
    .umask = BITS(15, 14),
    .rst = BIT(17),
    .edge_det = BIT(18),
    .ov_en = BIT(20),
    .en = BIT(22),
    .invert = BIT(23),
    .thresh = BITS(29, 24),
    .tid_en = BIT(19),
    .extra = BITS(31, 30),
    .umask_is_number = true,
};

static const struct pmon_layout ubox_layout = { PMON_MSRS(2, 0x705, 0x709), .control = &ubox_control,
                                                PMON_FIXED_AT(0x703, 0x704, UCLK) };
static const struct pmon_unit ubox = PMON_UNIT("UBox", SOURCE "knl_uncore_ubox", PMON_UBOX, ubox_layout, PMON_ONE);
static const struct pmon_layout cha_layout = { BY_MSR,       .ctl = 1,     .ctr = 8,         .control = &cha_control,
                                               .filter0 = 5, .filter1 = 6, .tid = BITS(8, 0) };
static const struct pmon_unit cha = {
    .name = "CHA",
    .source = SOURCE "knl_uncore_cha",
    .kind = PMON_OTHER, /* one of each tile, without a last-level cache */
    .layout = &cha_layout,
    .location = { .find = PMON_FIND_PROBE, .first = 0xE00, .stride = 0xC, .most = 38 },
    .events = { .clock = PMON_CLOCK_UCLK }, /* UNC_H_U_CLOCKTICKS: "Uncore Clocks" */
};
static const struct pmon_layout pcu_layout = { BY_MSR, .box_ctl = 0x710, .ctl = 0x711, .ctr = 0x717,
                                               .control = &pcu_control };
static const struct pmon_unit pcu = PMON_UNIT("PCU", SOURCE "knl_uncore_pcu", PMON_OTHER, pcu_layout, PMON_ONE);

/* Counters, controls and the box control in one order in all of them; the fixed counter follows, at its distance. */
#define MEMORY_LAYOUT(first, fixed_at)                                                                                 \
    BRACED(.access = PMON_PCI, .counters = 4, .counter_bits = 48, .ctr = (first), .ctl = (first) + 0x20,               \
           .control = &pmon_control_8, .box_ctl = (first) + 0x30, .box = &pmon_box_frz_en,                             \
           .fixed = { .ctr = (first) + (fixed_at), .ctl = (first) + (fixed_at) + 8, .bits = 48, .en = BIT(0) })
static const struct pmon_layout uclk_layout = MEMORY_LAYOUT(0x400, 0x4C), eclk_layout = MEMORY_LAYOUT(0xA00, 0x3C),
                                dclk_layout = MEMORY_LAYOUT(0xB00, 0x3C);
static const struct pmon_pci_place imc_uclk_places[] = { AT(10, 0, 0x7841), AT(11, 0, 0x7841) };
static const struct pmon_pci_place imc_dclk_places[] = { AT(8, 2, 0x7843), AT(8, 3, 0x7843), AT(8, 4, 0x7843),
                                                         AT(9, 2, 0x7843), AT(9, 3, 0x7843), AT(9, 4, 0x7843) };
static const struct pmon_pci_place edc_uclk_places[] = { AT(15, 0, 0x7833), AT(16, 0, 0x7833), AT(17, 0, 0x7833),
                                                         AT(18, 0, 0x7833), AT(19, 0, 0x7833), AT(20, 0, 0x7833),
                                                         AT(21, 0, 0x7833), AT(22, 0, 0x7833) };
static const struct pmon_pci_place edc_eclk_places[] = { AT(24, 2, 0x7835), AT(25, 2, 0x7835), AT(26, 2, 0x7835),
                                                         AT(27, 2, 0x7835), AT(28, 2, 0x7835), AT(29, 2, 0x7835),
                                                         AT(30, 2, 0x7835), AT(31, 2, 0x7835) };
static const struct pmon_named imc_events[] = {
    { .name = "cas_rd", .ev_sel = 0x03, .umask = 0x01, .bytes = 64 },
    { .name = "cas_wr", .ev_sel = 0x03, .umask = 0x02, .bytes = 64 },
    { .name = "cas_all", .ev_sel = 0x03, .umask = 0x03, .bytes = 64 },
};
static const struct pmon_named edc_events[] = {
    { .name = "rpq_inserts", .ev_sel = 0x01, .umask = 0x01, .bytes = 64 },
    { .name = "wpq_inserts", .ev_sel = 0x02, .umask = 0x01, .bytes = 64 },
};
#define BY_PCI(label, origin, its_layout, its_places, ...)                                                             \
    PMON_UNIT(label, SOURCE origin, PMON_OTHER, its_layout, PMON_PLACES(its_places), PMON_EVENTS(__VA_ARGS__))
/* UNC_M_U_CLOCKTICKS and UNC_E_U_CLOCKTICKS: "UCLK count", which is the clock of the U-box' fixed counter and of the CHAs. */
static const struct pmon_unit imc_uclk =
    BY_PCI("iMC_UCLK", "knl_uncore_imc_uclk", uclk_layout, imc_uclk_places, .clock = PMON_CLOCK_UCLK);
static const struct pmon_unit imc_dclk = BY_PCI("iMC_DCLK", "knl_uncore_imc_dclk", dclk_layout, imc_dclk_places,
                                                .clock = PMON_CLOCK_OWN, PMON_NAMED(imc_events));
static const struct pmon_unit edc_uclk =
    BY_PCI("EDC_UCLK", "knl_uncore_edc_uclk", uclk_layout, edc_uclk_places, .clock = PMON_CLOCK_UCLK);
static const struct pmon_unit edc_eclk = BY_PCI("EDC_ECLK", "knl_uncore_edc_eclk", eclk_layout, edc_eclk_places,
                                                .clock = PMON_CLOCK_OWN, PMON_NAMED(edc_events));

/* I/O. Linux takes both by their device ids alone, wherever they are; devices and functions are likwid's. No source has an
 * event of either that counts its clock but for likwid's 00H of the IRP. Bit 16 of the IRP's: qor. */
static const struct pmon_control irp_control = { PMON_FIELDS, .ov_en = BIT(20), .thresh = BITS(31, 24),
                                                 .extra = BIT(16) };
#define IO_LAYOUT(its_counters, its_box_ctl, its_control)                                                              \
    BRACED(.access = PMON_PCI, .counters = (its_counters), .counter_bits = 48, .ctr = 0xA0, .ctl = 0xD8,               \
           .control = &(its_control), .box_ctl = (its_box_ctl), .box = &pmon_box_frz_en)
static const struct pmon_layout m2pcie_layout = IO_LAYOUT(4, 0xF4, pmon_control_8),
                                irp_layout = IO_LAYOUT(2, 0xF0, irp_control);
static const struct pmon_pci_place m2pcie_places[] = { AT(12, 1, 0x7817) };
static const struct pmon_pci_place irp_places[] = { AT(5, 6, 0x7814) };
static const struct pmon_unit m2pcie = BY_PCI("M2PCIe", "knl_uncore_m2pcie", m2pcie_layout, m2pcie_places, 0);
static const struct pmon_unit irp = BY_PCI("IRP", "knl_uncore_irp", irp_layout, irp_places, 0);

static const struct pmon_unit *const units[] = { &ubox,     &cha,      &pcu,    &imc_uclk, &imc_dclk,
                                                 &edc_uclk, &edc_eclk, &m2pcie, &irp };
static const struct pmon_model models[] = { PMON_INTEL6(0x57), PMON_INTEL6(0x85) };
/* likwid alone names a global control (700H); the function that is looked for is the M2PCIe's. */
const struct pmon_part pmon_knights = {
    .name = "Knights Landing",
    PMON_MODELS(models),
    PMON_UNITS(units),
    .bus = { .did = 0x7817, .buses = PMON_BUSES_ONE },
    .no_guide = true,
};
