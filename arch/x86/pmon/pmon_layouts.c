/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/pmon/pmon_layouts.h"

#define COMMON                                                                                                         \
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .rst = BIT(17), .edge_det = BIT(18), .en = BIT(22), .invert = BIT(23)

const struct pmon_control pmon_control_snb_5 = { COMMON, .thresh = BITS(28, 24) };
const struct pmon_control pmon_control_snb_8 = { COMMON, .thresh = BITS(31, 24) };
const struct pmon_control pmon_control_snb_cbo = { COMMON, .thresh = BITS(31, 24), .tid_en = BIT(19) };
const struct pmon_control pmon_control_snb_qpi = { COMMON, .thresh = BITS(31, 24), .ev_sel_ext = BIT(21) };
/* PCU: occ_sel stands in 15:14, the rest of the umask's place is reserved. */
const struct pmon_control pmon_control_snb_pcu = { .ev_sel = BITS(7, 0),
                                                   .umask = BITS(15, 14),
                                                   .rst = BIT(17),
                                                   .edge_det = BIT(18),
                                                   .en = BIT(22),
                                                   .invert = BIT(23),
                                                   .thresh = BITS(28, 24) };
const struct pmon_control pmon_control_5 = { COMMON, .ov_en = BIT(20), .thresh = BITS(28, 24) };
const struct pmon_control pmon_control_8 = { COMMON, .ov_en = BIT(20), .thresh = BITS(31, 24) };
const struct pmon_control pmon_control_cbo = { COMMON, .ov_en = BIT(20), .thresh = BITS(31, 24), .tid_en = BIT(19) };
const struct pmon_control pmon_control_qpi = { COMMON, .ov_en = BIT(20), .thresh = BITS(31, 24),
                                               .ev_sel_ext = BIT(21) };
const struct pmon_control pmon_control_pcu = { .ev_sel = BITS(7, 0),
                                               .umask = BITS(15, 14),
                                               .rst = BIT(17),
                                               .edge_det = BIT(18),
                                               .ov_en = BIT(20),
                                               .en = BIT(22),
                                               .invert = BIT(23),
                                               .thresh = BITS(28, 24) };

const struct pmon_box_control pmon_box_frz_en = {
    .rst_ctrl = BIT(0), .rst_ctrs = BIT(1), .frz = BIT(8), .frz_en = BIT(16)
};
const struct pmon_box_control pmon_box_frz = { .rst_ctrl = BIT(0), .rst_ctrs = BIT(1), .frz = BIT(8) };
const struct pmon_box_control pmon_box_new = { .rst_ctrl = BIT(8), .rst_ctrs = BIT(9), .frz = BIT(0) };

const struct pmon_named pmon_imc_events[6] = {
    { .name = "cas_rd", .ev_sel = 0x04, .umask = 0x03, .bytes = 64 },
    { .name = "cas_wr", .ev_sel = 0x04, .umask = 0x0C, .bytes = 64 },
    { .name = "cas_all", .ev_sel = 0x04, .umask = 0x0F, .bytes = 64 },
    { .name = "rpq_inserts", .ev_sel = 0x10 },
    { .name = "wpq_inserts", .ev_sel = 0x20 },
    { .name = "rpq_occupancy", .ev_sel = 0x80 },
};

const struct pmon_named pmon_band_events[4] = {
    { .name = "freq_band_0", .ev_sel = 0x0B },
    { .name = "freq_band_1", .ev_sel = 0x0C },
    { .name = "freq_band_2", .ev_sel = 0x0D },
    { .name = "freq_band_3", .ev_sel = 0x0E },
};
