/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/uncore_hsx.c: the monitors of the E5 v3 and E5 v4 (Haswell-EP, Broadwell-EP), which have one register
 * map but for widths and device ids.
 *
 * Sources: Linux uncore_snbep.c (hswep_*, bdx_*) and likwid for the addresses; 329468-002 for fields that came with Ivy
 * Bridge-EP; public event files.
 *
 * - Bits 31:29, 21, 19 and 16 of a U-box control are reserved (327043-001 table 2-2 says RV, and asks software to write
 *   0 to 21:20; bit 20 became ov_en with Ivy Bridge-EP).
 * - Status: bit n is counter n; of a channel bit 0 is the fixed counter and 4:1 the others (329468-002). Written 1 to
 *   clear. For MSR boxes that is an assumption. The bits of boxes in the global status are likwid's; of CBo and SBo, for
 *   which it has none, none shows.
 * - An overflow of a counter with ov_en freezes the package until software unfreezes it (329468-002 2.1.1, 2.2.2.1); the
 *   U-box' fixed counter has ov_en in bit 20 (329468-002 table 2-8).
 * - The global control freezes (bit 31) and unfreezes (bit 29) every counter, both bits reading 0.
 * - Widths where sources disagree are Linux's, whose driver runs on most such machines: U-box, SBo and R3QPI of
 *   Haswell-EP 44, of Broadwell-EP 48. Channel order 20.0, 20.1, 21.0, 21.1 is Linux's too.
 * - PCU clock: 800 MHz on Haswell-EP, 1 GHz on Broadwell-EP, each by its event file.
 * - One home agent, one memory controller with its four channels, as the parts of few cores have; IRP on the bus of the
 *   others.
 */
#include "tests/silicon/uncore/uncore_e5.h"

#define FIELDS                                                                                                         \
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .rst = BIT(17), .edge_det = BIT(18), .ov_en = BIT(20), .en = BIT(22),  \
    .invert = BIT(23), .fixed_en = BIT(22)

static const struct uncore_ctl ubox_ctl = { FIELDS, .thresh = BITS(28, 24), .fixed_ov_en = BIT(20) };
static const struct uncore_ctl cbo_ctl = { FIELDS, .thresh = BITS(31, 24), .tid_en = BIT(19) };
static const struct uncore_ctl pcu_ctl = { E5_PCU_FIELDS, .invert = BIT(23), .ov_en = BIT(20) };
static const struct uncore_ctl pci_ctl = { FIELDS, .thresh = BITS(31, 24) };
static const struct uncore_ctl link_ctl = { FIELDS, .thresh = BITS(31, 24), .ev_sel_ext = BIT(21) };
static const struct uncore_ctl channel_ctl = { FIELDS, .thresh = BITS(31, 24), .fixed_rst = BIT(19),
                                               .fixed_ov_en = BIT(20) };

/* --- MSR boxes */

static uint64_t cbo_count(const struct uncore_look *l, uint64_t arg)
{
    (void)arg;
    return uncore_slices(l->m);
}

static const struct uncore_reg ubox_regs[] = {
    { REG_GLOBAL_CTL, .offset = 0x0 },
    { REG_GLOBAL_STATUS, .offset = 0x1, .mask = UINT32_MAX },
    { REG_VALUE, .offset = 0x2, .source = cbo_count }, /* number of CBo boxes, as PCM reads it on later parts */
    E5_UBOX_ROWS,
};
#define UBOX(bits_)                                                                                                    \
    {                                                                                                                  \
        .name = "U-box", .unit = UNIT_UBOX, .count = 1, .base = 0x700, .counters = 2, .counter_bits = bits_,           \
        .fixed_bits = 48, .ctl = &ubox_ctl, ROWS(ubox_regs), EVENTS(e5_ubox_doorbells), .filter_kept = BITS(5, 0),     \
        .status_fixed = 2, .global_first = 1                                                                           \
    }
static const struct uncore_box_type hsx_ubox = UBOX(44), bdx_ubox = UBOX(48);

static const struct uncore_reg cbo_regs[] = {
    { REG_BOX_CTL, .offset = 0x0 },
    { REG_CTL, .offset = 0x1, .count = 4, .step = 1 },
    { REG_FILTER, .offset = 0x5, .count = 2, .step = 1 },
    { REG_STATUS, .offset = 0x7 },
    { REG_CTR, .offset = 0x8, .count = 4, .step = 1 },
};
static const struct uncore_event cbo_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0x34, 0, source_e5_lookup),
    EVENT(0x35, 0, source_e5_tor, .arg = TOR_AT(BITS(2, 0))),
    E5_TOR_OCCUPANCY(0),
    EVENT(0x37, BIT(0), source_victim, .arg = BIT(3)), /* M */
    EVENT(0x37, BIT(1), source_victim, .arg = BIT(2)), /* E */
    EVENT(0x37, BIT(2), source_victim, .arg = BIT(1)), /* S */
    EVENT(0x37, BIT(3), source_victim, .arg = BIT(4)), /* F */
};
/* Filter states 23:17, of which the low five are I, S, E, M, F as on Sandy Bridge-EP. */
static const struct uncore_box_type cbo = {
    .name = "CBo",
    .unit = UNIT_CBO,
    .number = uncore_slices,
    .base = 0xE00,
    .step = 0x10,
    .counters = 4,
    .counter_bits = 48,
    .ctl = &cbo_ctl,
    .box_ctl = &e5_box_ctl,
    ROWS(cbo_regs),
    EVENTS(cbo_events),
    .filter_kept = BITS(63, 52) | BITS(47, 32) | BITS(23, 17) | BITS(9, 0),
    .filter_state = BITS(23, 17),
    .filter_nid = BITS(47, 32),
    .filter_opc = BITS(60, 52),
    .filter_tid = BITS(5, 0),
};

static const struct uncore_reg sbo_regs[] = {
    { REG_BOX_CTL, .offset = 0x0 },
    { REG_CTL, .offset = 0x1, .count = 4, .step = 1 },
    { REG_STATUS, .offset = 0x5 },
    { REG_CTR, .offset = 0x6, .count = 4, .step = 1 },
};
#define SBO(bits_)                                                                                                     \
    {                                                                                                                  \
        .name = "SBo", .unit = UNIT_SBO, .count = 4, .base = 0x720, .step = 0xA, .counters = 4, .counter_bits = bits_, \
        .ctl = &cbo_ctl, .box_ctl = &e5_box_ctl, ROWS(sbo_regs), EVENTS(e5_clock0_events)                              \
    }
static const struct uncore_box_type hsx_sbo = SBO(44), bdx_sbo = SBO(48);

static const struct uncore_reg pcu_regs[] = {
    { REG_BOX_CTL, .offset = 0x0 }, { REG_CTL, .offset = 0x1, .count = 4, .step = 1 }, { REG_FILTER, .offset = 0x5 },
    { REG_STATUS, .offset = 0x6 },  { REG_CTR, .offset = 0x7, .count = 4, .step = 1 },
};
/* Broadwell-EP: events that use the occupancy sub-counter (bit 7) not on counter 0 (Linux). */
static const struct uncore_event bdx_pcu_events[] = {
    EVENT(0x00, 0, source_clock),
    EVENT(0x0B, 0, source_band, .arg = 0),
    EVENT(0x0C, 0, source_band, .arg = 1),
    EVENT(0x0D, 0, source_band, .arg = 2),
    EVENT(0x0E, 0, source_band, .arg = 3),
    EVENT(0x80, BITS(1, 0), source_core_states, .most = 256, .counters = BITS(3, 1)),
};
#define PCU(events_)                                                                                                   \
    {                                                                                                                  \
        .name = "PCU", .unit = UNIT_PCU, .count = 1, .base = 0x710, .counters = 4, .counter_bits = 48,                 \
        .clock = CLOCK_PCU, .global_first = 2, .ctl = &pcu_ctl, .box_ctl = &e5_box_ctl, ROWS(pcu_regs),                \
        EVENTS(events_), .filter_kept = UINT32_MAX                                                                     \
    }
static const struct uncore_box_type hsx_pcu = PCU(e5_pcu_events), bdx_pcu = PCU(bdx_pcu_events);

/* --- PCI functions: one macro, since device ids are 2FxxH and 6FxxH */

/* CAPID4 of the PCU: bits 7:6 say how many SBo there are; 0: two on Haswell-EP, none on Broadwell-EP. */
static const struct uncore_reg capid_regs[] = { { REG_VALUE, .offset = 0x94, .mask = BITS(7, 6) } };

#define FUNCTIONS(part, id, r3qpi_bits)                                                                                \
    static const struct uncore_place part##_home_places[] = { { UNCORE_DEVFN(18, 1), id | 0x30, 0 } };                 \
    static const struct uncore_box_type part##_home = { .name = "HA",                                                  \
                                                        .global_first = 21,                                            \
                                                        .unit = UNIT_HA,                                               \
                                                        PLACES(part##_home_places),                                    \
                                                        .count = 1,                                                    \
                                                        .pci_class = PCI_PMON,                                         \
                                                        .counters = 4,                                                 \
                                                        .counter_bits = 48,                                            \
                                                        .ctl = &pci_ctl,                                               \
                                                        .box_ctl = &e5_box_ctl,                                        \
                                                        ROWS(e5_home_regs),                                            \
                                                        EVENTS(e5_home_events) };                                      \
    static const struct uncore_place part##_channel_places[] = {                                                       \
        { UNCORE_DEVFN(20, 0), id | 0xB0, 0 }, { UNCORE_DEVFN(20, 1), id | 0xB1, 0 },                                  \
        { UNCORE_DEVFN(21, 0), id | 0xB4, 0 }, { UNCORE_DEVFN(21, 1), id | 0xB5, 0 },                                  \
        { UNCORE_DEVFN(23, 0), id | 0xD0, 0 }, { UNCORE_DEVFN(23, 1), id | 0xD1, 0 },                                  \
        { UNCORE_DEVFN(24, 0), id | 0xD4, 0 }, { UNCORE_DEVFN(24, 1), id | 0xD5, 0 },                                  \
    };                                                                                                                 \
    static const struct uncore_box_type part##_channel = { .name = "iMC",                                              \
                                                           .global_first = 23,                                         \
                                                           .global_share = 4,                                          \
                                                           .unit = UNIT_IMC,                                           \
                                                           PLACES(part##_channel_places),                              \
                                                           .number = uncore_channels,                                  \
                                                           .counters = 4,                                              \
                                                           .counter_bits = 48,                                         \
                                                           .fixed_bits = 48,                                           \
                                                           .clock = CLOCK_DCLK,                                        \
                                                           .ctl = &channel_ctl,                                        \
                                                           .box_ctl = &e5_box_ctl,                                     \
                                                           ROWS(e5_channel_regs),                                      \
                                                           EVENTS(e5_channel_events),                                  \
                                                           .status_first = 1 };                                        \
    static const struct uncore_place part##_link_places[] = { { UNCORE_DEVFN(8, 2), id | 0x32, 0 },                    \
                                                              { UNCORE_DEVFN(9, 2), id | 0x33, 0 } };                  \
    static const struct uncore_box_type part##_link = { .name = "QPI",                                                 \
                                                        .global_first = 25,                                            \
                                                        .unit = UNIT_QPI,                                              \
                                                        PLACES(part##_link_places),                                    \
                                                        .count = LINK_PORTS,                                           \
                                                        .pci_class = PCI_PMON,                                         \
                                                        .counters = 4,                                                 \
                                                        .counter_bits = 48,                                            \
                                                        .clock = CLOCK_LINK,                                           \
                                                        .ctl = &link_ctl,                                              \
                                                        .box_ctl = &e5_box_ctl,                                        \
                                                        ROWS(e5_pci_regs),                                             \
                                                        EVENTS(e5_link_events) };                                      \
    static const struct uncore_place part##_r2pcie_places[] = { { UNCORE_DEVFN(16, 1), id | 0x34, 0 } };               \
    static const struct uncore_box_type part##_r2pcie = { .name = "R2PCIe",                                            \
                                                          .global_first = 29,                                          \
                                                          .unit = UNIT_R2PCIE,                                         \
                                                          PLACES(part##_r2pcie_places),                                \
                                                          .count = 1,                                                  \
                                                          .pci_class = PCI_PMON,                                       \
                                                          .counters = 4,                                               \
                                                          .counter_bits = 48,                                          \
                                                          .ctl = &pci_ctl,                                             \
                                                          .box_ctl = &e5_box_ctl,                                      \
                                                          ROWS(e5_pci_regs),                                           \
                                                          EVENTS(e5_clock1_events) };                                  \
    static const struct uncore_place part##_r3qpi_places[] = { { UNCORE_DEVFN(11, 1), id | 0x36, 0 },                  \
                                                               { UNCORE_DEVFN(11, 2), id | 0x37, 0 } };                \
    static const struct uncore_box_type part##_r3qpi = { .name = "R3QPI",                                              \
                                                         .global_first = 27,                                           \
                                                         .unit = UNIT_R3QPI,                                           \
                                                         PLACES(part##_r3qpi_places),                                  \
                                                         .count = 2,                                                   \
                                                         .pci_class = PCI_PMON,                                        \
                                                         .counters = 3,                                                \
                                                         .counter_bits = r3qpi_bits,                                   \
                                                         .ctl = &pci_ctl,                                              \
                                                         .box_ctl = &e5_box_ctl,                                       \
                                                         ROWS(e5_pci_regs),                                            \
                                                         EVENTS(e5_clock1_events) };                                   \
    static const struct uncore_place part##_irp_places[] = { { UNCORE_DEVFN(5, 6), id | 0x39, 0 } };                   \
    static const struct uncore_box_type part##_irp = { .name = "IRP",                                                  \
                                                       .unit = UNIT_IRP,                                               \
                                                       PLACES(part##_irp_places),                                      \
                                                       .count = 1,                                                     \
                                                       .pci_class = PCI_PMON,                                          \
                                                       .counters = 4,                                                  \
                                                       .counter_bits = 48,                                             \
                                                       .ctl = &pci_ctl,                                                \
                                                       .box_ctl = &e5_box_ctl,                                         \
                                                       ROWS(e5_pci_regs),                                              \
                                                       EVENTS(e5_clock0_events) };                                     \
    static const struct uncore_place part##_ubox_places[] = { { UNCORE_DEVFN(16, 5), id | 0x1E, 0 } };                 \
    static const struct uncore_box_type part##_ubox_function = { .name = "U-box function",                             \
                                                                 .unit = UNIT_FUNCTION,                                \
                                                                 PLACES(part##_ubox_places),                           \
                                                                 .count = 1,                                           \
                                                                 ROWS(e5_ubox_function_regs) };                        \
    static const struct uncore_place part##_match_places[] = { { UNCORE_DEVFN(8, 6), id | 0x86, 0 },                   \
                                                               { UNCORE_DEVFN(9, 6), id | 0x96, 0 } };                 \
    static const struct uncore_box_type part##_match = { .name = "QPI filter",                                         \
                                                         .unit = UNIT_FUNCTION,                                        \
                                                         PLACES(part##_match_places),                                  \
                                                         .count = LINK_PORTS,                                          \
                                                         ROWS(e5_match_regs) };                                        \
    static const struct uncore_place part##_pcu_places[] = { { UNCORE_DEVFN(30, 3), id | 0xC0, 0 } };                  \
    static const struct uncore_box_type part##_pcu_function = {                                                        \
        .name = "PCU function", .unit = UNIT_FUNCTION, PLACES(part##_pcu_places), .count = 1, ROWS(capid_regs)         \
    };                                                                                                                 \
    static const struct uncore_place part##_plain_places[] = {                                                         \
        { UNCORE_DEVFN(5, 0), id | 0x28, 0 },  { UNCORE_DEVFN(8, 0), id | 0x80, 0 },                                   \
        { UNCORE_DEVFN(9, 0), id | 0x90, 0 },  { UNCORE_DEVFN(11, 0), id | 0x81, 0 },                                  \
        { UNCORE_DEVFN(16, 0), id | 0x1D, 0 }, { UNCORE_DEVFN(18, 0), id | 0xA0, 0 },                                  \
        { UNCORE_DEVFN(30, 0), id | 0x98, 0 },                                                                         \
    };                                                                                                                 \
    static const struct uncore_box_type part##_plain = {                                                               \
        .name = "function", .unit = UNIT_FUNCTION, PLACES(part##_plain_places), .count = COUNT_OF(part##_plain_places) \
    };                                                                                                                 \
    static const struct uncore_box_type *const part##_types[] = {                                                      \
        &part##_ubox,          &cbo,          &part##_sbo,          &part##_pcu,    &part##_home,                      \
        &part##_channel,       &part##_link,  &part##_irp,          &part##_r2pcie, &part##_r3qpi,                     \
        &part##_ubox_function, &part##_match, &part##_pcu_function, &part##_plain                                      \
    }
FUNCTIONS(hsx, 0x2F00, 44);
FUNCTIONS(bdx, 0x6F00, 48);

/* Xeon D-1500: two channels, no SBo, no link (332054, intel/pcm). */
static const struct uncore_place bdx_de_plain_places[] = {
    { UNCORE_DEVFN(5, 0), 0x6F28, 0 },
    { UNCORE_DEVFN(16, 0), 0x6F1D, 0 },
    { UNCORE_DEVFN(18, 0), 0x6FA0, 0 },
    { UNCORE_DEVFN(30, 0), 0x6F98, 0 },
};
static const struct uncore_box_type bdx_de_plain = {
    .name = "function", .unit = UNIT_FUNCTION, PLACES(bdx_de_plain_places), .count = COUNT_OF(bdx_de_plain_places)
};
static const struct uncore_box_type *const bdx_de_types[] = {
    &bdx_ubox, &cbo,        &bdx_pcu,           &bdx_home,         &bdx_channel,
    &bdx_irp,  &bdx_r2pcie, &bdx_ubox_function, &bdx_pcu_function, &bdx_de_plain,
};

static const struct uncore_box_type *const ubox_types[] = { &bdx_ubox };

/* pmi_core_sel: 331051. DDR4-2133 and DDR4-2400, Broadwell-DE DDR4-2133; QPI 9.6 GT/s, whose clock is a quarter of that (event files). */
#define PART(types_, buses_, dclk, pcu)                                                                                \
    {                                                                                                                  \
        .types = types_, .n_types = COUNT_OF(types_),                                                                  \
        .hz = { [CLOCK_DCLK] = dclk, [CLOCK_PCU] = pcu, [CLOCK_LINK] = UINT64_C(2400000000) }, .pci_buses = buses_,    \
        .global_frz = BIT(31), .global_unfrz = BIT(29), .global_kept = BIT(30) | BITS(17, 0),                          \
        .global_report = GLOBAL_REPORT_UNITS, .freezes_on_overflow = true, .pmi_cores = BITS(17, 0)                    \
    }
const struct uncore_part uncore_hsx = PART(hsx_types, 1, 1066666667, 800000000);
const struct uncore_part uncore_bdx = PART(bdx_types, 1, 1200000000, 1000000000);
const struct uncore_part uncore_bdx_de = PART(bdx_de_types, 1, 1066666667, 1000000000);
const struct uncore_part uncore_ubox_only = PART(ubox_types, 0, 0, 0);
