/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* E5-2600 and E5-2600 v2. Sources: uncore guides 327043-001 and 329468-002; Linux uncore_snbep.c for device ids. */
#include "arch/x86/pmon_parts/pmon_layouts.h"

/* Controls of E5 v2. A CBo's has no ov_en: 329468-002 table 2-14, bits 21:20 reserved. */
static const struct pmon_control ivytown_5 = { PMON_FIELDS_OF_V2, .ov_en = BIT(20), .thresh = BITS(28, 24),
                                               .kept = BIT(20),
                                               .reserved = BITS(31, 29) | BIT(23) | BIT(21) | BIT(19) };
static const struct pmon_control ivytown_8 = { PMON_FIELDS_OF_V2, .ov_en = BIT(20), .thresh = BITS(31, 24) };
static const struct pmon_control ivytown_cbo_control = { PMON_FIELDS_OF_V2, .thresh = BITS(31, 24), .tid_en = BIT(19) };
static const struct pmon_control ivytown_qpi_control = { PMON_FIELDS_OF_V2, .ov_en = BIT(20), .thresh = BITS(31, 24),
                                                         .ev_sel_ext = BIT(21) };
static const struct pmon_control ivytown_pcu_control = { PMON_PCU_FIELDS_OF_V2, .ov_en = BIT(20) };

/* The text of 2.2.2 gives the fixed counter 48 bits, table 2-5 gives it 44. */
#define UBOX_LAYOUT(fields, fixed_overflow, ...)                                                                       \
    BRACED(.access = PMON_MSR, .counters = 2, .counter_bits = 44, .ctl = 0xC10, .ctr = 0xC16, .control = &(fields),    \
           PMON_FIXED_AT(0xC08, 0xC09, UCLK, .bits_2 = 44, fixed_overflow), ##__VA_ARGS__)
static const struct pmon_layout jaketown_ubox_layout = UBOX_LAYOUT(pmon_control_snb_5, .ov = 0);
static const struct pmon_layout ivytown_ubox_layout =
    UBOX_LAYOUT(ivytown_5, PMON_UBOX_FIXED_OV_EN, .has_status = true, .status = 0xC15);

/* Its PHOLD_CYCLES has bit 21 set in the event file, which 327043-001 table 2-2 reserves. */
static const struct pmon_named jaketown_ubox_events[] = { PMON_UBOX_MESSAGES,
                                                          { .name = "lock_cycles", .ev_sel = 0x44 } };
static const struct pmon_unit jaketown_ubox =
    PMON_UBOX_UNIT("327043-001 2.2.3", jaketown_ubox_layout, jaketown_ubox_events);
static const struct pmon_unit ivytown_ubox = PMON_UBOX_UNIT("329468-002 2.2", ivytown_ubox_layout, pmon_ubox_events);

/* --- caching agents: 327043-001 2.3, 329468-002 2.3 --------------------------------------------------------------- */

/* Cn_MSR_PMON_BOX_FILTER: state 22:18 (v2: 22:17), opc 31:23 (v2: FILTER1 28:20). Opcodes: 180H RFO, 182H DRd; umask
 * 03H counts misses of the one that is named. intel/pcm types.h has the same places. */
#define SNB_STATES (UINT32_C(0x1F) << 18)
#define IVB_STATES (UINT32_C(0x3F) << 17)
#define SNB_OPC(x) (UINT32_C(x) << 23)
#define IVB_OPC(x) (UINT32_C(x) << 20)

static const struct pmon_named jaketown_cbo_events[] = {
    { .name = "llc_lookup", .ev_sel = 0x34, .umask = 0x03, .counters = 3, .filter0 = SNB_STATES, .bytes = 64 },
    { .name = "llc_victims_m", .ev_sel = 0x37, .umask = 0x01, .counters = 3, .bytes = 64 },
    { .name = "tor_miss", .ev_sel = 0x35, .umask = 0x0A, .counters = 3, .bytes = 64 },
    { .name = "tor_miss_drd", .ev_sel = 0x35, .umask = 0x03, .counters = 3, .filter0 = SNB_OPC(0x182), .bytes = 64 },
    { .name = "tor_miss_rfo", .ev_sel = 0x35, .umask = 0x03, .counters = 3, .filter0 = SNB_OPC(0x180), .bytes = 64 },
    { .name = "tor_evictions", .ev_sel = 0x35, .umask = 0x04, .counters = 3, .bytes = 64 },
    { .name = "llc_victims", .ev_sel = 0x37, .umask = 0x07, .counters = 3, .bytes = 64 },
    { .name = "tor_occupancy", .ev_sel = 0x36, .umask = 0x08, .counters = 1 },
};
static const struct pmon_named ivytown_cbo_events[] = {
    { .name = "llc_lookup", .ev_sel = 0x34, .umask = 0x03, .counters = 3, .filter0 = IVB_STATES, .bytes = 64 },
    { .name = "llc_victims_m", .ev_sel = 0x37, .umask = 0x01, .counters = 3, .bytes = 64 },
    { .name = "llc_victims", .ev_sel = 0x37, .umask = 0x07, .counters = 3, .bytes = 64 },
    { .name = "tor_all", .ev_sel = 0x35, .umask = 0x08, .counters = 3, .bytes = 64 },
    { .name = "tor_miss", .ev_sel = 0x35, .umask = 0x0A, .counters = 3, .bytes = 64 },
    { .name = "tor_miss_drd", .ev_sel = 0x35, .umask = 0x03, .counters = 3, .filter1 = IVB_OPC(0x182), .bytes = 64 },
    { .name = "tor_miss_rfo", .ev_sel = 0x35, .umask = 0x03, .counters = 3, .filter1 = IVB_OPC(0x180), .bytes = 64 },
    { .name = "tor_miss_local", .ev_sel = 0x35, .umask = 0x2A, .counters = 3, .bytes = 64 },
    { .name = "tor_miss_remote", .ev_sel = 0x35, .umask = 0x8A, .counters = 3, .bytes = 64 },
    { .name = "tor_occupancy", .ev_sel = 0x36, .umask = 0x08, .counters = 1 },
};

/* Linux snbep_uncore_cbox_formats_attr, ivbep_uncore_cbox_formats_attr. */
static const struct pmon_field jaketown_cbo_fields[] = {
    PMON_FILTER_FIELD("nid", BITS(17, 10)),
    PMON_FILTER_FIELD("state", BITS(22, 18)),
    PMON_FILTER_FIELD("opc", BITS(31, 23)),
};
static const struct pmon_field ivytown_cbo_fields[] = {
    PMON_FILTER_FIELD("link", BITS(8, 5)),  PMON_FILTER_FIELD("state", BITS(22, 17)),
    PMON_FILTER_FIELD("nid", BITS(47, 32)), PMON_FILTER_FIELD("opc", BITS(60, 52)),
    PMON_FILTER_FIELD("c6", BIT(61)),       PMON_FILTER_FIELD("nc", BIT(62)),
    PMON_FILTER_FIELD("isoc", BIT(63)),
};

#define CBO_LAYOUT(fields, box_fields, second_filter, named)                                                           \
    BRACED(.access = PMON_MSR, .counters = 4, .counter_bits = 44, .ctl = 0x0C, .ctr = 0x12, .control = &(fields),      \
           .box = &(box_fields), .filter0 = 0x10, .filter1 = (second_filter), .tid = BITS(4, 0),                       \
           PMON_FIELDS_OF(named))
static const struct pmon_layout jaketown_cbo_layout =
    CBO_LAYOUT(pmon_control_snb_cbo, pmon_box_frz_en, 0, jaketown_cbo_fields);
static const struct pmon_layout ivytown_cbo_layout =
    CBO_LAYOUT(ivytown_cbo_control, pmon_box_frz_ones, 0x16, ivytown_cbo_fields);

/* TOR_INSERTS (35H): bit 1 of the umask (miss) qualifies the others, 327043-001 2.3.5. */
#define CBO(guide, its_layout, most_boxes, rows)                                                                       \
    PMON_UNIT("CBo", guide, PMON_CHA, its_layout, PMON_PROBE(0xD04, 0x20, most_boxes),                                 \
              PMON_EVENTS(.clock = PMON_CLOCK_UCLK, PMON_NAMED(rows), .qualified_ev_sel = 0x35))
static const struct pmon_unit jaketown_cbo = CBO("327043-001 2.3", jaketown_cbo_layout, 8, jaketown_cbo_events);
static const struct pmon_unit ivytown_cbo = CBO("329468-002 2.3", ivytown_cbo_layout, 15, ivytown_cbo_events);

/* --- power control: 327043-001 2.6 -------------------------------------------------------------------------------- */

#define PCU_LAYOUT(fields, box_fields)                                                                                 \
    BRACED(PMON_MSRS(4, 0xC30, 0xC36), .box_ctl = 0xC24, .filter0 = 0xC34, .control = &(fields), .box = &(box_fields), \
           PMON_FIELDS_OF(pmon_pcu_fields))
static const struct pmon_layout jaketown_pcu_layout = PCU_LAYOUT(pmon_control_snb_pcu, pmon_box_frz_en);
static const struct pmon_layout ivytown_pcu_layout = PCU_LAYOUT(ivytown_pcu_control, pmon_box_frz);

#define PCU(guide, its_layout)                                                                                         \
    PMON_UNIT("PCU", guide, PMON_OTHER, its_layout, PMON_ONE,                                                          \
              PMON_EVENTS(.clock = PMON_CLOCK_PCU, PMON_NAMED(pmon_pcu_events)))
static const struct pmon_unit jaketown_pcu = PCU("327043-001 2.6", jaketown_pcu_layout);
static const struct pmon_unit ivytown_pcu = PCU("329468-002 2.6", ivytown_pcu_layout);

/* --- boxes by PCI ------------------------------------------------------------------------------------------------- */

#define PCI_LAYOUT(n, bits, fields, box_fields, ...)                                                                   \
    BRACED(PMON_PCI_REGISTERS, .counters = (n), .counter_bits = (bits), .control = &(fields), .box = &(box_fields),    \
           ##__VA_ARGS__)
static const struct pmon_layout jaketown_ha_layout =
    PCI_LAYOUT(4, 48, pmon_control_snb_8, pmon_box_frz_en, PMON_HOME_MATCH);
static const struct pmon_layout jaketown_qpi_layout =
    PCI_LAYOUT(4, 48, pmon_control_snb_qpi, pmon_box_frz_en, PMON_QPI_PACKETS);
static const struct pmon_layout jaketown_r2_layout = PCI_LAYOUT(4, 44, pmon_control_snb_8, pmon_box_frz_en);
static const struct pmon_layout jaketown_r3_layout = PCI_LAYOUT(3, 44, pmon_control_snb_8, pmon_box_frz_en);
static const struct pmon_layout ivytown_ha_layout = PCI_LAYOUT(4, 48, ivytown_8, pmon_box_frz_ones, PMON_HOME_MATCH);
static const struct pmon_layout ivytown_qpi_layout =
    PCI_LAYOUT(4, 48, ivytown_qpi_control, pmon_box_frz, PMON_QPI_PACKETS);
static const struct pmon_layout ivytown_r2_layout = PCI_LAYOUT(4, 44, ivytown_8, pmon_box_frz);
static const struct pmon_layout ivytown_r3_layout = PCI_LAYOUT(3, 44, ivytown_8, pmon_box_frz);
static const struct pmon_layout jaketown_imc_layout = { PMON_PCI_REGISTERS,           .counters = 4,
                                                        .counter_bits = 48,           .control = &pmon_control_snb_8,
                                                        PMON_IMC_FIXED_WITH(.ov = 0), .box = &pmon_box_frz_en,
                                                        .reset_unsure = true };
static const struct pmon_layout ivytown_imc_layout = {
    PMON_PCI_REGISTERS,    .counters = 4,  .counter_bits = 48,
    .control = &ivytown_8, PMON_IMC_FIXED, .box = &pmon_box_frz_ones
};
/* IRP: its counters are not evenly spaced. Linux takes them for 48 bits wide, likwid for 44. Linux has four, the event
 * file counts nothing in the last two. */
static const uint16_t irp_counters[] = { 0xA0, 0xB0, 0xB8, 0xC0 };
static const struct pmon_layout ivytown_irp_layout = { PMON_PCI_REGISTERS,   .ctr_at = irp_counters,
                                                       .counters = 4,        .counter_bits = 48,
                                                       .counter_bits_2 = 44, .control = &ivytown_8,
                                                       .box = &pmon_box_frz, .counters_unsure = BITS(3, 2) };

/* REQUESTS has no umask for local or remote ones: 327043-001 2.4. */
static const struct pmon_named jaketown_ha_events[] = {
    { .name = "reads", .ev_sel = 0x01, .umask = 0x03, .bytes = 64 },
    { .name = "writes", .ev_sel = 0x01, .umask = 0x0C, .bytes = 64 },
    { .name = "imc_writes", .ev_sel = 0x1A, .umask = 0x0F, .bytes = 64 },
    { .name = "addr_opc_match", .ev_sel = 0x20, .umask = 0x03 },
};

static const struct pmon_pci_place jaketown_ha_places[] = { AT(14, 1, 0x3C46) };
static const struct pmon_pci_place jaketown_imc_places[] = { MAYBE(16, 0, 0x3CB0), MAYBE(16, 1, 0x3CB1),
                                                             MAYBE(16, 4, 0x3CB4), MAYBE(16, 5, 0x3CB5) };
static const struct pmon_pci_place jaketown_qpi_places[] = { AT(8, 2, 0x3C41), AT(9, 2, 0x3C42) };
static const struct pmon_pci_place jaketown_r2_places[] = { AT(19, 1, 0x3C43) };
static const struct pmon_pci_place jaketown_r3_places[] = { AT(19, 5, 0x3C44), AT(19, 6, 0x3C45) };
static const struct pmon_pci_place ivytown_ha_places[] = { AT(14, 1, 0x0E30), MAYBE(28, 1, 0x0E38) };
static const struct pmon_pci_place ivytown_imc_places[] = { MAYBE(16, 4, 0x0EB4), MAYBE(16, 5, 0x0EB5),
                                                            MAYBE(16, 0, 0x0EB0), MAYBE(16, 1, 0x0EB1),
                                                            MAYBE(30, 4, 0x0EF4), MAYBE(30, 5, 0x0EF5),
                                                            MAYBE(30, 0, 0x0EF0), MAYBE(30, 1, 0x0EF1) };
static const struct pmon_pci_place ivytown_irp_places[] = { MAYBE(5, 6, 0x0E39) };
static const struct pmon_pci_place ivytown_qpi_places[] = { AT(8, 2, 0x0E32), AT(9, 2, 0x0E33), MAYBE(24, 2, 0x0E3A) };
static const struct pmon_pci_place ivytown_r2_places[] = { AT(19, 1, 0x0E34) };
static const struct pmon_pci_place ivytown_r3_places[] = { AT(19, 5, 0x0E36), AT(19, 6, 0x0E37), MAYBE(18, 5, 0x0E3E) };

#define BY_PCI(label, guide, what, its_layout, at, ...)                                                                \
    PMON_UNIT(label, guide, what, its_layout, PMON_PLACES(at), PMON_EVENTS(__VA_ARGS__))
#define HA(guide, its_layout, at, rows)                                                                                \
    BY_PCI("HA", guide, PMON_HA, its_layout, at, .clock = PMON_CLOCK_UCLK, PMON_NAMED(rows))
/* E5-2400 has three channels of the four. */
#define IMC(guide, its_layout, at, rows)                                                                               \
    PMON_UNIT("iMC", guide, PMON_IMC, its_layout, PMON_CHANNEL_PLACES(at, 3),                                          \
              PMON_EVENTS(.clock = PMON_CLOCK_DCLK, PMON_NAMED(rows), PMON_CHANNELS(pmon_imc_channels)),               \
              PMON_CORRECTED_PCI(2))
#define QPI(guide, its_layout, at)                                                                                     \
    BY_PCI("QPI", guide, PMON_LINK, its_layout, at, .clock = PMON_CLOCK_OWN, .clock_event = 0x14,                      \
           PMON_NAMED(pmon_qpi_events))
#define R2(guide, its_layout, at)                                                                                      \
    BY_PCI("R2PCIe", guide, PMON_OTHER, its_layout, at, .clock = PMON_CLOCK_UCLK, .clock_event = 0x01)
#define R3(guide, its_layout, at)                                                                                      \
    BY_PCI("R3QPI", guide, PMON_OTHER, its_layout, at, .clock = PMON_CLOCK_UCLK, .clock_event = 0x01)

static const struct pmon_unit jaketown_ha =
    HA("327043-001 2.4", jaketown_ha_layout, jaketown_ha_places, jaketown_ha_events);
static const struct pmon_unit jaketown_imc =
    IMC("327043-001 2.5", jaketown_imc_layout, jaketown_imc_places, pmon_imc_events);
static const struct pmon_unit jaketown_qpi = QPI("327043-001 2.7", jaketown_qpi_layout, jaketown_qpi_places);
static const struct pmon_unit jaketown_r2 = R2("327043-001 2.8", jaketown_r2_layout, jaketown_r2_places);
static const struct pmon_unit jaketown_r3 = R3("327043-001 2.9", jaketown_r3_layout, jaketown_r3_places);
static const struct pmon_unit ivytown_ha = HA("329468-002 2.4", ivytown_ha_layout, ivytown_ha_places, pmon_ha_events);
static const struct pmon_unit ivytown_imc =
    IMC("329468-002 2.5", ivytown_imc_layout, ivytown_imc_places, pmon_imc_events_of_v2);
static const struct pmon_unit ivytown_qpi = QPI("329468-002 2.8", ivytown_qpi_layout, ivytown_qpi_places);
static const struct pmon_unit ivytown_r2 = R2("329468-002 2.9", ivytown_r2_layout, ivytown_r2_places);
static const struct pmon_unit ivytown_r3 = R3("329468-002 2.10", ivytown_r3_layout, ivytown_r3_places);
static const struct pmon_unit ivytown_irp = BY_PCI("IRP", "Linux uncore_snbep.c ivbep_uncore_irp", PMON_OTHER,
                                                   ivytown_irp_layout, ivytown_irp_places, .clock = PMON_CLOCK_OWN);

/* --- parts -------------------------------------------------------------------------------------------------------- */

static const struct pmon_unit *const jaketown_units[] = { &jaketown_ubox, &jaketown_cbo, &jaketown_pcu, &jaketown_ha,
                                                          &jaketown_imc,  &jaketown_qpi, &jaketown_r2,  &jaketown_r3 };
static const struct pmon_unit *const ivytown_units[] = { &ivytown_ubox, &ivytown_cbo, &ivytown_pcu,
                                                         &ivytown_ha,   &ivytown_imc, &ivytown_irp,
                                                         &ivytown_qpi,  &ivytown_r2,  &ivytown_r3 };

/* UBox function: CPUNODEID and GIDNIDMAP. Linux uncore_snbep.c snbep_pci2phy_map_init(). */
#define BUS_MAP(ubox) .bus = { .did = (ubox), .node_id = 0x40, .group = 0x54, .buses = PMON_BUSES_ABOVE }
static const struct pmon_model jaketown_models[] = { PMON_INTEL6(0x2D) };
static const struct pmon_model ivytown_models[] = { PMON_INTEL6(0x3E) };
const struct pmon_part pmon_jaketown = {
    .name = "Sandy Bridge-EP",
    PMON_MODELS(jaketown_models),
    PMON_UNITS(jaketown_units),
    BUS_MAP(0x3CE0),
};
const struct pmon_part pmon_ivytown = {
    .name = "Ivy Bridge-EP",
    PMON_MODELS(ivytown_models),
    PMON_UNITS(ivytown_units),
    .global = { .msr = 0xC00, .freeze = BIT(31), .run = BIT(29), .status = 0xC01, .n_status = 1 },
    .pmi = { .msr = 0xC00, .cores = BITS(14, 0) }, /* 329468-002 table 2-2, pmi_core_sel */
    BUS_MAP(0x0E1E),
};
