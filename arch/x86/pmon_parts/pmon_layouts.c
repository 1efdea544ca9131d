/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/pmon_parts/pmon_layouts.h"

const struct pmon_control pmon_control_snb_5 = { PMON_FIELDS, .thresh = BITS(28, 24),
                                                 .reserved = BITS(31, 29) | BITS(21, 19) };
const struct pmon_control pmon_control_snb_8 = { PMON_FIELDS, .thresh = BITS(31, 24) };
const struct pmon_control pmon_control_snb_cbo = { PMON_FIELDS, .thresh = BITS(31, 24), .tid_en = BIT(19) };
const struct pmon_control pmon_control_snb_qpi = { PMON_FIELDS, .thresh = BITS(31, 24), .ev_sel_ext = BIT(21) };
const struct pmon_control pmon_control_snb_pcu = { PMON_PCU_FIELDS };
const struct pmon_control pmon_control_5 = { PMON_FIELDS, .ov_en = BIT(20), .thresh = BITS(28, 24) };
const struct pmon_control pmon_control_8 = { PMON_FIELDS, .ov_en = BIT(20), .thresh = BITS(31, 24) };
const struct pmon_control pmon_control_cbo = { PMON_FIELDS, .ov_en = BIT(20), .thresh = BITS(31, 24),
                                               .tid_en = BIT(19) };
const struct pmon_control pmon_control_qpi = { PMON_FIELDS, .ov_en = BIT(20), .thresh = BITS(31, 24),
                                               .ev_sel_ext = BIT(21) };
const struct pmon_control pmon_control_pcu = { PMON_PCU_FIELDS, .ov_en = BIT(20) };

const struct pmon_box_control pmon_box_frz_en = {
    .rst_ctrl = BIT(0), .rst_ctrs = BIT(1), .frz = BIT(8), .frz_en = BIT(16)
};
const struct pmon_box_control pmon_box_frz = { .rst_ctrl = BIT(0), .rst_ctrs = BIT(1), .frz = BIT(8) };
const struct pmon_box_control pmon_box_frz_ones = {
    .rst_ctrl = BIT(0), .rst_ctrs = BIT(1), .frz = BIT(8), .ones = BITS(17, 16)
};
const struct pmon_box_control pmon_box_new = { .rst_ctrl = BIT(8), .rst_ctrs = BIT(9), .frz = BIT(0) };

#define PHOLD BRACED(.name = "phold_cycles", .ev_sel = 0x45, .umask = 0x01)
const struct pmon_named pmon_ubox_events[6] = { PMON_UBOX_MESSAGES, PHOLD };
const struct pmon_named pmon_ubox_events_of_v3[2] = { PMON_UBOX_MESSAGE("doorbell_rcvd", 0x08), PHOLD };

const struct pmon_layout pmon_layout_ubox = { PMON_MSRS(2, 0x705, 0x709), .control = &pmon_control_5,
                                              PMON_FIXED_AT(0x703, 0x704, UCLK, PMON_UBOX_FIXED_OV_EN),
                                              PMON_STATUS(0x708) };

#define CAS                                                                                                            \
    BRACED(.name = "cas_rd", .ev_sel = 0x04, .umask = 0x03, .bytes = 64),                                              \
        BRACED(.name = "cas_wr", .ev_sel = 0x04, .umask = 0x0C, .bytes = 64),                                          \
        BRACED(.name = "cas_all", .ev_sel = 0x04, .umask = 0x0F, .bytes = 64),                                         \
        BRACED(.name = "rpq_inserts", .ev_sel = 0x10)
const struct pmon_named pmon_imc_events[6] = {
    CAS,
    { .name = "wpq_inserts", .ev_sel = 0x20 },
    { .name = "rpq_occupancy", .ev_sel = 0x80 },
};
const struct pmon_named pmon_imc_events_of_v2[6] = {
    CAS,
    { .name = "wpq_inserts", .ev_sel = 0x20 },
    { .name = "rpq_occupancy", .ev_sel = 0x80, .unpublished = true },
};
const struct pmon_named pmon_imc_events_of_v3[6] = {
    CAS,
    { .name = "wpq_inserts", .ev_sel = 0x20, .unpublished = true },
    { .name = "rpq_occupancy", .ev_sel = 0x80, .unpublished = true },
};

const struct pmon_named pmon_imc_events_of_v4[9] = {
    { .name = "cas_rd", .ev_sel = 0x04, .umask = 0x0F, .bytes = 64 },
    { .name = "cas_wr", .ev_sel = 0x04, .umask = 0x30, .bytes = 64 },
    { .name = "cas_all", .ev_sel = 0x04, .umask = 0x3F, .bytes = 64 },
    { .name = "rpq_inserts", .ev_sel = 0x10, .umask = 0x01 },
    { .name = "rpq_inserts_1", .ev_sel = 0x10, .umask = 0x02 },
    { .name = "wpq_inserts", .ev_sel = 0x20, .umask = 0x01 },
    { .name = "wpq_inserts_1", .ev_sel = 0x20, .umask = 0x02 },
    { .name = "rpq_occupancy", .ev_sel = 0x80 },
    { .name = "rpq_occupancy_1", .ev_sel = 0x81 },
};

const struct pmon_named pmon_m2m_events[2] = {
    { .name = "imc_reads", .ev_sel = 0x37, .umask = 0x04, .extra = UINT64_C(0x07) << 32, .bytes = 64 },
    { .name = "imc_writes", .ev_sel = 0x38, .umask = 0x10, .extra = UINT64_C(0x1C) << 32, .bytes = 64 },
};

const struct pmon_named pmon_ha_events[9] = {
    { .name = "reads", .ev_sel = 0x01, .umask = 0x03, .bytes = 64 },
    { .name = "reads_local", .ev_sel = 0x01, .umask = 0x01, .bytes = 64 },
    { .name = "reads_remote", .ev_sel = 0x01, .umask = 0x02, .bytes = 64 },
    { .name = "writes", .ev_sel = 0x01, .umask = 0x0C, .bytes = 64 },
    { .name = "imc_reads", .ev_sel = 0x17, .umask = 0x01, .bytes = 64 },
    { .name = "imc_writes", .ev_sel = 0x1A, .umask = 0x0F, .bytes = 64 },
    { .name = "addr_match", .ev_sel = 0x20, .umask = 0x01 },
    { .name = "opc_match", .ev_sel = 0x20, .umask = 0x02 },
    { .name = "addr_opc_match", .ev_sel = 0x20, .umask = 0x03 },
};

const struct pmon_named pmon_qpi_events[5] = {
    { .name = "tx_data", .ev_sel = 0x100, .umask = 0x08, .bytes = 8 },
    { .name = "rx_data", .ev_sel = 0x102, .umask = 0x08, .bytes = 8 },
    { .name = "tx_ncb", .ev_sel = 0x101, .umask = 0x04, .bytes = 8 },
    { .name = "rx_ncb", .ev_sel = 0x103, .umask = 0x04, .bytes = 8 },
    { .name = "packets", .ev_sel = 0x138 },
};

/* --- fields by perf's names ------------------------------------------------------------------------------------------ */

const struct pmon_field pmon_home_fields[2] = {
    { .name = "match_addr", .in = PMON_IN_MATCH, .bits = BITS(45, 6), .in_place = true },
    { .name = "match_opc", .in = PMON_IN_MASK, .bits = BITS(5, 0) },
};

#define PACKET_FIELDS(word, place)                                                                                     \
    BRACED(.name = word "_rds", .in = (place), .bits = BITS(51, 48)),                                                  \
        BRACED(.name = word "_rnid30", .in = (place), .bits = BITS(35, 32)),                                           \
        BRACED(.name = word "_rnid4", .in = (place), .bits = BIT(31)),                                                 \
        BRACED(.name = word "_dnid", .in = (place), .bits = BITS(17, 13)),                                             \
        BRACED(.name = word "_mc", .in = (place), .bits = BITS(12, 9)),                                                \
        BRACED(.name = word "_opc", .in = (place), .bits = BITS(8, 5)),                                                \
        BRACED(.name = word "_vnw", .in = (place), .bits = BITS(4, 3)),                                                \
        BRACED(.name = word "0", .in = (place), .bits = BITS(31, 0)),                                                  \
        BRACED(.name = word "1", .in = (place), .bits = BITS(63, 32))
const struct pmon_field pmon_qpi_fields[18] = { PACKET_FIELDS("match", PMON_IN_MATCH),
                                                PACKET_FIELDS("mask", PMON_IN_MASK) };

#define PCU_FIELDS(edge)                                                                                               \
    PMON_CONTROL_FIELD("occ_sel", BITS(15, 14)), PMON_CONTROL_FIELD("occ_invert", BIT(30)),                            \
        PMON_CONTROL_FIELD(edge, BIT(31)), PMON_BAND_FIELDS
const struct pmon_field pmon_pcu_fields[7] = { PCU_FIELDS("occ_edge") };
const struct pmon_field pmon_pcu_fields_of_servers[7] = { PCU_FIELDS("occ_edge_det") };

#define BANDS(...)                                                                                                     \
    BRACED(.name = "freq_band_0", .ev_sel = 0x0B, __VA_ARGS__),                                                        \
        BRACED(.name = "freq_band_1", .ev_sel = 0x0C, __VA_ARGS__),                                                    \
        BRACED(.name = "freq_band_2", .ev_sel = 0x0D, __VA_ARGS__),                                                    \
        BRACED(.name = "freq_band_3", .ev_sel = 0x0E, __VA_ARGS__)
#define CORES(its_counters)                                                                                            \
    BRACED(.name = "cores_c0", .ev_sel = 0x80, .umask = 0x40, .counters = its_counters),                               \
        BRACED(.name = "cores_c3", .ev_sel = 0x80, .umask = 0x80, .counters = its_counters),                           \
        BRACED(.name = "cores_c6", .ev_sel = 0x80, .umask = 0xC0, .counters = its_counters)
const struct pmon_named pmon_pcu_events[7] = { BANDS(.umask = 0), CORES(0) };
const struct pmon_named pmon_pcu_events_of_v4[7] = { BANDS(.unpublished = true), CORES(0xE) };
const struct pmon_named pmon_pcu_events_of_servers[7] = { BANDS(.unpublished = true), CORES(0) };

const struct pmon_channel pmon_imc_channels[1] = {
    { .rd = "cas_rd", .wr = "cas_wr", .all = "cas_all" },
};
