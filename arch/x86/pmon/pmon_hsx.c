/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* E5 v3 and v4, Xeon D-1500. Sources: Linux uncore_snbep.c (hswep_*, bdx_*), likwid, the published event files. */
#include "arch/x86/pmon/pmon_layouts.h"
#include "arch/x86/pmon/pmon_tables.h"

/* Haswell: Linux takes UBox and SBo for 44 bits wide, likwid for 48. */
#define UBOX(origin, second)                                                                                           \
    {                                                                                                                  \
        .name = "UBox", .source = origin, .kind = PMON_UBOX, .access = PMON_MSR, .counters = 2, .counter_bits = 48,    \
        .counter_bits_2 = (second), .ctl = 0x705, .ctr = 0x709, .has_status = true, .status = 0x708,                   \
        .fixed_ctl = 0x703, .fixed_ctr = 0x704, .fixed_bits = 48, .fixed_bits_2 = (second), .fixed_en = BIT(22),       \
        .control = &pmon_control_5, .find = PMON_FIND_ONE, .idle_ev_sel = 0x42, .idle_umask = 0x08                     \
    }
static const struct pmon_unit haswell_ubox = UBOX("Linux uncore_snbep.c hswep_uncore_ubox", 44);
static const struct pmon_unit broadwell_ubox = UBOX("Linux uncore_snbep.c bdx_uncore_ubox", 0);

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
#define CBO(origin, most_boxes)                                                                                        \
    {                                                                                                                  \
        .name = "CBo", .source = origin, .kind = PMON_CHA, .access = PMON_MSR, .counters = 4, .counter_bits = 48,      \
        .ctl = 1, .ctr = 8, .has_status = true, .status = 7, .filter0 = 5, .filter1 = 6, .tid = BITS(5, 0),            \
        .control = &pmon_control_cbo, .box = &pmon_box_frz_en, .find = PMON_FIND_PROBE, .first = 0xE00,                \
        .stride = 0x10, .most = (most_boxes), .clock = PMON_CLOCK_UCLK, PMON_EVENTS(cbo_events)                        \
    }
static const struct pmon_unit haswell_cbo = CBO("Linux uncore_snbep.c hswep_uncore_cbox", 18);
static const struct pmon_unit broadwell_cbo = CBO("Linux uncore_snbep.c bdx_uncore_cbox", 24);

#define SBO(origin, second)                                                                                            \
    {                                                                                                                  \
        .name = "SBo", .source = origin, .kind = PMON_OTHER, .access = PMON_MSR, .counters = 4, .counter_bits = 48,    \
        .counter_bits_2 = (second), .ctl = 1, .ctr = 6, .has_status = true, .status = 5, .control = &pmon_control_cbo, \
        .box = &pmon_box_frz_en, .slow_init = true, .find = PMON_FIND_CAPID4, .first = 0x720, .stride = 0x0A,          \
        .most = 4, .clock = PMON_CLOCK_UCLK                                                                            \
    }
static const struct pmon_unit haswell_sbo = SBO("Linux uncore_snbep.c hswep_uncore_sbox", 44);
static const struct pmon_unit broadwell_sbo = SBO("Linux uncore_snbep.c bdx_uncore_sbox", 0);

static const struct pmon_unit pcu = {
    .name = "PCU",
    .source = "Linux uncore_snbep.c hswep_uncore_pcu",
    .kind = PMON_OTHER,
    .access = PMON_MSR,
    .counters = 4,
    .counter_bits = 48,
    .box_ctl = 0x710,
    .ctl = 0x711,
    .ctr = 0x717,
    .has_status = true,
    .status = 0x716,
    .filter0 = 0x715,
    .control = &pmon_control_pcu,
    .box = &pmon_box_frz_en,
    .find = PMON_FIND_ONE,
    .clock = PMON_CLOCK_PCU,
    PMON_EVENTS(pmon_band_events),
};

static const struct pmon_named ha_events[] = {
    { .name = "reads", .ev_sel = 0x01, .umask = 0x03, .bytes = 64 },
    { .name = "reads_local", .ev_sel = 0x01, .umask = 0x01, .bytes = 64 },
    { .name = "reads_remote", .ev_sel = 0x01, .umask = 0x02, .bytes = 64 },
    { .name = "writes", .ev_sel = 0x01, .umask = 0x0C, .bytes = 64 },
    { .name = "imc_reads", .ev_sel = 0x17, .umask = 0x01, .bytes = 64 },
    { .name = "imc_writes", .ev_sel = 0x1A, .umask = 0x0F, .bytes = 64 },
};
static const struct pmon_named qpi_events[] = {
    { .name = "tx_data", .ev_sel = 0x100, .umask = 0x08, .bytes = 8 },
    { .name = "rx_data", .ev_sel = 0x102, .umask = 0x08, .bytes = 8 },
    { .name = "tx_ncb", .ev_sel = 0x101, .umask = 0x04, .bytes = 8 },
    { .name = "rx_ncb", .ev_sel = 0x103, .umask = 0x04, .bytes = 8 },
};

static const struct pmon_place haswell_ha_places[] = { AT(18, 1, 0x2F30), MAYBE(18, 5, 0x2F38) };
static const struct pmon_place haswell_imc_places[] = { AT(20, 0, 0x2FB0),    AT(20, 1, 0x2FB1),
                                                        AT(21, 0, 0x2FB4),    AT(21, 1, 0x2FB5),
                                                        MAYBE(23, 0, 0x2FD0), MAYBE(23, 1, 0x2FD1),
                                                        MAYBE(24, 0, 0x2FD4), MAYBE(24, 1, 0x2FD5) };
static const struct pmon_place haswell_irp_places[] = { AT(5, 6, 0x2F39) };
static const struct pmon_place haswell_qpi_places[] = { AT(8, 2, 0x2F32), AT(9, 2, 0x2F33), MAYBE(10, 2, 0x2F3A) };
static const struct pmon_place haswell_r2_places[] = { AT(16, 1, 0x2F34) };
static const struct pmon_place haswell_r3_places[] = { AT(11, 1, 0x2F36), AT(11, 2, 0x2F37), MAYBE(11, 5, 0x2F3E) };
static const struct pmon_place broadwell_ha_places[] = { AT(18, 1, 0x6F30), MAYBE(18, 5, 0x6F38) };
static const struct pmon_place broadwell_imc_places[] = { AT(20, 0, 0x6FB0),    AT(20, 1, 0x6FB1),
                                                          AT(21, 0, 0x6FB4),    AT(21, 1, 0x6FB5),
                                                          MAYBE(23, 0, 0x6FD0), MAYBE(23, 1, 0x6FD1),
                                                          MAYBE(24, 0, 0x6FD4), MAYBE(24, 1, 0x6FD5) };
static const struct pmon_place broadwell_irp_places[] = { AT(5, 6, 0x6F39) };
static const struct pmon_place broadwell_qpi_places[] = { AT(8, 2, 0x6F32), AT(9, 2, 0x6F33), MAYBE(10, 2, 0x6F3A) };
static const struct pmon_place broadwell_r2_places[] = { AT(16, 1, 0x6F34) };
static const struct pmon_place broadwell_r3_places[] = { AT(11, 1, 0x6F36), AT(11, 2, 0x6F37), MAYBE(11, 5, 0x6F3E) };

#define BY_PCI(label, origin, what, layout, at, n, bits)                                                               \
    .name = label, .source = "Linux uncore_snbep.c " origin, .kind = what, PMON_PLACES(at), PMON_PCI_REGISTERS,        \
    .counters = (n), .counter_bits = (bits), .control = &layout, .box = &pmon_box_frz_en

#define HA(origin, at)                                                                                                 \
    {                                                                                                                  \
        BY_PCI("HA", origin, PMON_HA, pmon_control_8, at, 4, 48), .clock = PMON_CLOCK_UCLK, PMON_EVENTS(ha_events)     \
    }
#define IMC(origin, at)                                                                                                \
    {                                                                                                                  \
        BY_PCI("iMC", origin, PMON_IMC, pmon_control_8, at, 4, 48),                                                    \
            .status_bit = 1, PMON_IMC_FIXED(48), .clock = PMON_CLOCK_DCLK, PMON_EVENTS(pmon_imc_events)                \
    }
#define IRP(origin, at)                                                                                                \
    {                                                                                                                  \
        BY_PCI("IRP", origin, PMON_OTHER, pmon_control_8, at, 4, 48), .clock = PMON_CLOCK_UCLK                         \
    }
#define QPI(origin, at)                                                                                                \
    {                                                                                                                  \
        BY_PCI("QPI", origin, PMON_LINK, pmon_control_qpi, at, 4, 48), .clock = PMON_CLOCK_OWN, .clock_event = 0x14,   \
                                                                       PMON_EVENTS(qpi_events)                         \
    }
#define R2(origin, at)                                                                                                 \
    {                                                                                                                  \
        BY_PCI("R2PCIe", origin, PMON_OTHER, pmon_control_8, at, 4, 48), .clock = PMON_CLOCK_UCLK, .clock_event = 0x01 \
    }
/* Haswell's are 44 bits wide; of Broadwell's Linux says 48 and likwid 44. */
#define R3(origin, at, bits, second)                                                                                   \
    {                                                                                                                  \
        BY_PCI("R3QPI", origin, PMON_OTHER, pmon_control_8, at, 3, bits),                                              \
            .counter_bits_2 = (second), .clock = PMON_CLOCK_UCLK, .clock_event = 0x01                                  \
    }

static const struct pmon_unit haswell_ha = HA("hswep_uncore_ha", haswell_ha_places);
static const struct pmon_unit haswell_imc = IMC("hswep_uncore_imc", haswell_imc_places);
static const struct pmon_unit haswell_irp = IRP("hswep_uncore_irp", haswell_irp_places);
static const struct pmon_unit haswell_qpi = QPI("hswep_uncore_qpi", haswell_qpi_places);
static const struct pmon_unit haswell_r2 = R2("hswep_uncore_r2pcie", haswell_r2_places);
static const struct pmon_unit haswell_r3 = R3("hswep_uncore_r3qpi", haswell_r3_places, 44, 0);
static const struct pmon_unit broadwell_ha = HA("bdx_uncore_ha", broadwell_ha_places);
static const struct pmon_unit broadwell_imc = IMC("bdx_uncore_imc", broadwell_imc_places);
static const struct pmon_unit broadwell_irp = IRP("bdx_uncore_irp", broadwell_irp_places);
static const struct pmon_unit broadwell_qpi = QPI("bdx_uncore_qpi", broadwell_qpi_places);
static const struct pmon_unit broadwell_r2 = R2("bdx_uncore_r2pcie", broadwell_r2_places);
static const struct pmon_unit broadwell_r3 = R3("bdx_uncore_r3qpi", broadwell_r3_places, 48, 44);

static const struct pmon_unit *const haswell_units[] = { &haswell_ubox, &haswell_cbo, &haswell_sbo, &pcu,
                                                         &haswell_ha,   &haswell_imc, &haswell_irp, &haswell_qpi,
                                                         &haswell_r2,   &haswell_r3 };
static const struct pmon_unit *const broadwell_units[] = {
    &broadwell_ubox, &broadwell_cbo, &broadwell_sbo, &pcu,          &broadwell_ha,
    &broadwell_imc,  &broadwell_irp, &broadwell_qpi, &broadwell_r2, &broadwell_r3
};
/* Xeon D-1500 has no SBo and no link. */
static const struct pmon_unit *const broadwell_de_units[] = { &broadwell_ubox, &broadwell_cbo, &pcu,
                                                              &broadwell_ha,   &broadwell_imc, &broadwell_irp,
                                                              &broadwell_r2 };

#define GLOBAL .global = { .msr = 0x700, .freeze = BIT(31), .run = BIT(29) }
#define BUSES  .node_id = 0x40, .group = 0x54, .buses = PMON_BUSES_ABOVE

const struct pmon_part pmon_haswell = {
    .name = "Haswell-EP",
    .units = haswell_units,
    .n_units = PMON_COUNT_OF(haswell_units),
    GLOBAL,
    .ubox_did = 0x2F1E,
    BUSES,
    .capid_did = 0x2FC0,
    .capid4 = 0x94,
};
const struct pmon_part pmon_broadwell = {
    .name = "Broadwell-EP",
    .units = broadwell_units,
    .n_units = PMON_COUNT_OF(broadwell_units),
    GLOBAL,
    .ubox_did = 0x6F1E,
    BUSES,
    .capid_did = 0x6FC0,
    .capid4 = 0x94,
};
const struct pmon_part pmon_broadwell_de = {
    .name = "Broadwell-DE",
    .units = broadwell_de_units,
    .n_units = PMON_COUNT_OF(broadwell_de_units),
    GLOBAL,
    .ubox_did = 0x6F1E,
    BUSES,
    .capid_did = 0x6FC0,
    .capid4 = 0x94,
};
