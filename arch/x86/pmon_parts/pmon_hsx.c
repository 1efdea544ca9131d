/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* E5 v3 and v4, Xeon D-1500. Sources: Linux uncore_snbep.c (hswep_*, bdx_*), likwid, the published event files. */
#include "arch/x86/pmon_parts/pmon_layouts.h"

/* --- by MSR ------------------------------------------------------------------------------------------------------- */

/* Haswell: Linux takes UBox and SBo for 44 bits wide, likwid for 48. */
static const struct pmon_layout haswell_ubox_layout = {
    PMON_MSRS(2, 0x705, 0x709), .counter_bits_2 = 44, .control = &pmon_control_5,
    PMON_FIXED_AT(0x703, 0x704, UCLK, .bits_2 = 44, PMON_UBOX_FIXED_OV_EN), PMON_STATUS(0x708)
};
static const struct pmon_unit haswell_ubox =
    PMON_UBOX_UNIT("Linux uncore_snbep.c hswep_uncore_ubox", haswell_ubox_layout, pmon_ubox_events_of_v3);
static const struct pmon_unit broadwell_ubox =
    PMON_UBOX_UNIT("Linux uncore_snbep.c bdx_uncore_ubox", pmon_layout_ubox, pmon_ubox_events_of_v3);

/* FILTER0: state 23:17. LLC_LOOKUP counts look-ups that find the line in one of the chosen states. */
#define STATES (UINT32_C(0x7F) << 17)
/* FILTER1: opc 28:20; 180H RFO, 182H DRd. Linux HSWEP_CB0_MSR_PMON_BOX_FILTER_OPC, intel/pcm types.h. */
#define OPC(x) (UINT32_C(x) << 20)
static const struct pmon_named cbo_events[] = {
    { .name = "llc_lookup", .ev_sel = 0x34, .umask = 0x03, .filter0 = STATES, .bytes = 64 },
    { .name = "llc_lookup_any", .ev_sel = 0x34, .umask = 0x11, .filter0 = STATES, .bytes = 64 },
    { .name = "llc_victims_m", .ev_sel = 0x37, .umask = 0x01, .bytes = 64 },
    { .name = "llc_victims", .ev_sel = 0x37, .umask = 0x0F, .bytes = 64 },
    { .name = "tor_all", .ev_sel = 0x35, .umask = 0x08, .bytes = 64 },
    { .name = "tor_miss", .ev_sel = 0x35, .umask = 0x0A, .bytes = 64 },
    { .name = "tor_miss_drd", .ev_sel = 0x35, .umask = 0x03, .filter1 = OPC(0x182), .bytes = 64 },
    { .name = "tor_miss_rfo", .ev_sel = 0x35, .umask = 0x03, .filter1 = OPC(0x180), .bytes = 64 },
    { .name = "tor_miss_local", .ev_sel = 0x35, .umask = 0x2A, .bytes = 64 },
    { .name = "tor_miss_remote", .ev_sel = 0x35, .umask = 0x8A, .bytes = 64 },
    { .name = "tor_occupancy", .ev_sel = 0x36, .umask = 0x08, .counters = 1 },
};
/* Linux hswep_uncore_cbox_formats_attr; link as wide as its mask of the register, HSWEP_CB0_MSR_PMON_BOX_FILTER_LINK. */
static const struct pmon_field cbo_fields[] = {
    PMON_FILTER_FIELD("link", BITS(9, 6)),  PMON_FILTER_FIELD("state", BITS(23, 17)),
    PMON_FILTER_FIELD("nid", BITS(47, 32)), PMON_FILTER_FIELD("opc", BITS(60, 52)),
    PMON_FILTER_FIELD("c6", BIT(61)),       PMON_FILTER_FIELD("nc", BIT(62)),
    PMON_FILTER_FIELD("isoc", BIT(63)),
};
static const struct pmon_layout cbo_layout = { PMON_MSRS(4, 1, 8),
                                               .control = &pmon_control_cbo,
                                               .box = &pmon_box_frz_en,
                                               PMON_STATUS(7),
                                               .filter0 = 5,
                                               .filter1 = 6,
                                               .tid = BITS(5, 0),
                                               PMON_FIELDS_OF(cbo_fields) };
/* TOR_INSERTS (35H): bit 1 of the umask (miss) qualifies the others, as in 327043-001 2.3.5. */
#define CBO(origin, most_boxes)                                                                                        \
    PMON_UNIT("CBo", origin, PMON_CHA, cbo_layout, PMON_PROBE(0xE00, 0x10, most_boxes),                                \
              PMON_EVENTS(.clock = PMON_CLOCK_UCLK, PMON_NAMED(cbo_events), .qualified_ev_sel = 0x35))
static const struct pmon_unit haswell_cbo = CBO("Linux uncore_snbep.c hswep_uncore_cbox", 18);
static const struct pmon_unit broadwell_cbo = CBO("Linux uncore_snbep.c bdx_uncore_cbox", 24);

/* Linux sets the bits of an SBo's box control one at a time (hswep_uncore_sbox_msr_init_box). */
#define SBO_LAYOUT(second)                                                                                             \
    BRACED(PMON_MSRS(4, 1, 6), .counter_bits_2 = (second), .control = &pmon_control_cbo, .box = &pmon_box_frz_en,      \
           .slow_init = true, PMON_STATUS(5))
static const struct pmon_layout haswell_sbo_layout = SBO_LAYOUT(44);
static const struct pmon_layout broadwell_sbo_layout = SBO_LAYOUT(0);
/* Where the chop field of CAPID4 is 0, Haswell has two (Linux hswep_uncore_cpu_init) and Broadwell none
 * (bdx_uncore_cpu_init). */
#define SBO(origin, its_layout, limited)                                                                               \
    PMON_UNIT(                                                                                                         \
        "SBo", origin, PMON_OTHER, its_layout,                                                                         \
        PMON_FOUND(.find = PMON_FIND_CAPID4, .first = 0x720, .stride = 0x0A, .most = 4, .most_limited = (limited)),    \
        PMON_EVENTS(.clock = PMON_CLOCK_UCLK))
static const struct pmon_unit haswell_sbo = SBO("Linux uncore_snbep.c hswep_uncore_sbox", haswell_sbo_layout, 2);
static const struct pmon_unit broadwell_sbo = SBO("Linux uncore_snbep.c bdx_uncore_sbox", broadwell_sbo_layout, 0);

static const struct pmon_layout pcu_layout = {
    PMON_MSRS(4, 0x711, 0x717),     .control = &pmon_control_pcu, .box_ctl = 0x710,
    .box = &pmon_box_frz_en,        PMON_STATUS(0x716),           .filter0 = 0x715,
    PMON_FIELDS_OF(pmon_pcu_fields)
};
#define PCU(origin, rows)                                                                                              \
    PMON_UNIT("PCU", "Linux uncore_snbep.c " origin, PMON_OTHER, pcu_layout, PMON_ONE,                                 \
              PMON_EVENTS(.clock = PMON_CLOCK_PCU, PMON_NAMED(rows)))
static const struct pmon_unit haswell_pcu = PCU("hswep_uncore_pcu", pmon_pcu_events);
static const struct pmon_unit broadwell_pcu =
    PCU("hswep_uncore_pcu, bdx_uncore_pcu_constraints", pmon_pcu_events_of_v4);

/* --- by PCI ------------------------------------------------------------------------------------------------------- */

static const struct pmon_pci_place haswell_ha_places[] = { AT(18, 1, 0x2F30), MAYBE(18, 5, 0x2F38) };
static const struct pmon_pci_place haswell_imc_places[] = { MAYBE(20, 0, 0x2FB0), MAYBE(20, 1, 0x2FB1),
                                                            MAYBE(21, 0, 0x2FB4), MAYBE(21, 1, 0x2FB5),
                                                            MAYBE(23, 0, 0x2FD0), MAYBE(23, 1, 0x2FD1),
                                                            MAYBE(24, 0, 0x2FD4), MAYBE(24, 1, 0x2FD5) };
static const struct pmon_pci_place haswell_irp_places[] = { MAYBE(5, 6, 0x2F39) };
static const struct pmon_pci_place haswell_qpi_places[] = { AT(8, 2, 0x2F32), AT(9, 2, 0x2F33), MAYBE(10, 2, 0x2F3A) };
static const struct pmon_pci_place haswell_r2_places[] = { AT(16, 1, 0x2F34) };
static const struct pmon_pci_place haswell_r3_places[] = { AT(11, 1, 0x2F36), AT(11, 2, 0x2F37), MAYBE(11, 5, 0x2F3E) };
static const struct pmon_pci_place broadwell_ha_places[] = { AT(18, 1, 0x6F30), MAYBE(18, 5, 0x6F38) };
static const struct pmon_pci_place broadwell_imc_places[] = { MAYBE(20, 0, 0x6FB0), MAYBE(20, 1, 0x6FB1),
                                                              MAYBE(21, 0, 0x6FB4), MAYBE(21, 1, 0x6FB5),
                                                              MAYBE(23, 0, 0x6FD0), MAYBE(23, 1, 0x6FD1),
                                                              MAYBE(24, 0, 0x6FD4), MAYBE(24, 1, 0x6FD5) };
static const struct pmon_pci_place broadwell_irp_places[] = { MAYBE(5, 6, 0x6F39) };
static const struct pmon_pci_place broadwell_qpi_places[] = { AT(8, 2, 0x6F32), AT(9, 2, 0x6F33),
                                                              MAYBE(10, 2, 0x6F3A) };
static const struct pmon_pci_place broadwell_r2_places[] = { AT(16, 1, 0x6F34) };
static const struct pmon_pci_place broadwell_r3_places[] = { AT(11, 1, 0x6F36), AT(11, 2, 0x6F37),
                                                             MAYBE(11, 5, 0x6F3E) };
static const struct pmon_pci_place broadwell_de_r3_places[] = { MAYBE(11, 1, 0x6F36), MAYBE(11, 2, 0x6F37),
                                                                MAYBE(11, 5, 0x6F3E) };

#define PCI_LAYOUT(n, bits, second, fields, ...)                                                                       \
    BRACED(PMON_PCI_REGISTERS, .counters = (n), .counter_bits = (bits), .counter_bits_2 = (second),                    \
           .control = &(fields), .box = &pmon_box_frz_en, ##__VA_ARGS__)
static const struct pmon_layout pci_layout = PCI_LAYOUT(4, 48, 0, pmon_control_8);
static const struct pmon_layout qpi_layout = PCI_LAYOUT(4, 48, 0, pmon_control_qpi, PMON_QPI_PACKETS);
static const struct pmon_layout ha_layout = PCI_LAYOUT(4, 48, 0, pmon_control_8, PMON_HOME_MATCH);
/* IRP: Linux has four counters, the event file counts nothing in the last two. */
static const struct pmon_layout irp_layout = { PMON_PCI_REGISTERS,      .counters = 4,
                                               .counter_bits = 48,      .control = &pmon_control_8,
                                               .box = &pmon_box_frz_en, .counters_unsure = BITS(3, 2) };
/* Haswell's R3QPI counters are 44 bits wide, and its clock event is counted by the first two alone (Linux
 * hswep_uncore_r3qpi_constraints; the event file has three); of Broadwell's width Linux says 48 and likwid 44. */
static const struct pmon_layout haswell_r3_layout = { PMON_PCI_REGISTERS,      .counters = 3,
                                                      .counter_bits = 44,      .control = &pmon_control_8,
                                                      .box = &pmon_box_frz_en, .counters_unsure = BIT(2) };
static const struct pmon_layout broadwell_r3_layout = PCI_LAYOUT(3, 48, 44, pmon_control_8);
static const struct pmon_layout imc_layout = { PMON_PCI_REGISTERS,         .counters = 4,  .counter_bits = 48,
                                               .control = &pmon_control_8, PMON_IMC_FIXED, .box = &pmon_box_frz_en };

#define BY_PCI(label, origin, what, its_layout, at, ...)                                                               \
    PMON_UNIT(label, "Linux uncore_snbep.c " origin, what, its_layout, PMON_PLACES(at), PMON_EVENTS(__VA_ARGS__))
/* A part with one home agent has its four channels at 20 and 21, one with two at 20 and 23. */
#define HA(origin, at)                                                                                                 \
    BY_PCI("HA", origin, PMON_HA, ha_layout, at, .clock = PMON_CLOCK_UCLK, PMON_NAMED(pmon_ha_events))
#define IMC(origin, at, least)                                                                                         \
    PMON_UNIT(                                                                                                         \
        "iMC", "Linux uncore_snbep.c " origin, PMON_IMC, imc_layout, PMON_CHANNEL_PLACES(at, least),                   \
        PMON_EVENTS(.clock = PMON_CLOCK_DCLK, PMON_NAMED(pmon_imc_events_of_v3), PMON_CHANNELS(pmon_imc_channels)),    \
        PMON_CORRECTED_PCI(2))
#define IRP(origin, at) BY_PCI("IRP", origin, PMON_OTHER, irp_layout, at, .clock = PMON_CLOCK_OWN)
#define QPI(origin, at)                                                                                                \
    BY_PCI("QPI", origin, PMON_LINK, qpi_layout, at, .clock = PMON_CLOCK_OWN, .clock_event = 0x14,                     \
           PMON_NAMED(pmon_qpi_events))
#define R2(origin, at)                                                                                                 \
    BY_PCI("R2PCIe", origin, PMON_OTHER, pci_layout, at, .clock = PMON_CLOCK_UCLK, .clock_event = 0x01)
#define R3(origin, its_layout, at)                                                                                     \
    BY_PCI("R3QPI", origin, PMON_OTHER, its_layout, at, .clock = PMON_CLOCK_UCLK, .clock_event = 0x01)

static const struct pmon_unit haswell_ha = HA("hswep_uncore_ha", haswell_ha_places);
static const struct pmon_unit haswell_imc = IMC("hswep_uncore_imc", haswell_imc_places, 4);
static const struct pmon_unit haswell_irp = IRP("hswep_uncore_irp", haswell_irp_places);
static const struct pmon_unit haswell_qpi = QPI("hswep_uncore_qpi", haswell_qpi_places);
static const struct pmon_unit haswell_r2 = R2("hswep_uncore_r2pcie", haswell_r2_places);
static const struct pmon_unit haswell_r3 = R3("hswep_uncore_r3qpi", haswell_r3_layout, haswell_r3_places);
static const struct pmon_unit broadwell_ha = HA("bdx_uncore_ha", broadwell_ha_places);
static const struct pmon_unit broadwell_imc = IMC("bdx_uncore_imc", broadwell_imc_places, 4);
/* Xeon D-1500 has two channels; Linux drives what Broadwell-EP may have. */
static const struct pmon_unit broadwell_de_imc = IMC("bdx_uncore_imc", broadwell_imc_places, 2);
static const struct pmon_unit broadwell_irp = IRP("bdx_uncore_irp", broadwell_irp_places);
static const struct pmon_unit broadwell_qpi = QPI("bdx_uncore_qpi", broadwell_qpi_places);
static const struct pmon_unit broadwell_r2 = R2("bdx_uncore_r2pcie", broadwell_r2_places);
static const struct pmon_unit broadwell_de_r3 = R3("bdx_uncore_r3qpi", broadwell_r3_layout, broadwell_de_r3_places);
static const struct pmon_unit broadwell_r3 = R3("bdx_uncore_r3qpi", broadwell_r3_layout, broadwell_r3_places);

/* --- parts -------------------------------------------------------------------------------------------------------- */

static const struct pmon_unit *const haswell_units[] = { &haswell_ubox, &haswell_cbo, &haswell_sbo, &haswell_pcu,
                                                         &haswell_ha,   &haswell_imc, &haswell_irp, &haswell_qpi,
                                                         &haswell_r2,   &haswell_r3 };
static const struct pmon_unit *const broadwell_units[] = { &broadwell_ubox, &broadwell_cbo, &broadwell_sbo,
                                                           &broadwell_pcu,  &broadwell_ha,  &broadwell_imc,
                                                           &broadwell_irp,  &broadwell_qpi, &broadwell_r2,
                                                           &broadwell_r3 };
/* Xeon D-1500 has no SBo and no link; boards show the functions of the R3QPI all the same. */
static const struct pmon_unit *const broadwell_de_units[] = { &broadwell_ubox, &broadwell_cbo,    &broadwell_pcu,
                                                              &broadwell_ha,   &broadwell_de_imc, &broadwell_irp,
                                                              &broadwell_r2,   &broadwell_de_r3 };

/* U_MSR_PMON_GLOBAL_CTL, pmi_core_sel: 331051 (Xeon E5 v3); E5 v4 has the same register. */
#define GLOBAL                                                                                                         \
    .global = { .msr = 0x700, .freeze = BIT(31), .run = BIT(29), .status = 0x701, .n_status = 1 },                     \
    .pmi = { .msr = 0x700, .cores = BITS(17, 0) }
/* UBox function: CPUNODEID and GIDNIDMAP, Linux uncore_snbep.c snbep_pci2phy_map_init(); power control unit function:
 * CAPID4, hswep_has_limit_sbox(). */
#define BUS_MAP(ubox) .bus = { .did = (ubox), .node_id = 0x40, .group = 0x54, .buses = PMON_BUSES_ABOVE }
#define CAPID4(pcu)   .capabilities = { .did = (pcu), .capid4 = 0x94 }

static const struct pmon_model haswell_models[] = { PMON_INTEL6(0x3F) };
static const struct pmon_model broadwell_models[] = { PMON_INTEL6(0x4F) };
static const struct pmon_model broadwell_de_models[] = { PMON_INTEL6(0x56) };
const struct pmon_part pmon_haswell = {
    .name = "Haswell-EP",
    PMON_MODELS(haswell_models),
    PMON_UNITS(haswell_units),
    GLOBAL,
    .no_guide = true,
    BUS_MAP(0x2F1E),
    CAPID4(0x2FC0),
};
const struct pmon_part pmon_broadwell = {
    .name = "Broadwell-EP",
    PMON_MODELS(broadwell_models),
    PMON_UNITS(broadwell_units),
    GLOBAL,
    .no_guide = true,
    BUS_MAP(0x6F1E),
    CAPID4(0x6FC0),
};
const struct pmon_part pmon_broadwell_de = {
    .name = "Broadwell-DE",
    PMON_MODELS(broadwell_de_models),
    PMON_UNITS(broadwell_de_units),
    GLOBAL,
    .no_guide = true,
    BUS_MAP(0x6F1E),
    CAPID4(0x6FC0),
};
