/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/uncore_parts/uncore_listed.h"

const struct uncore_box_ctl listed_box_ctl = { .frz = BIT(0), .rst_ctrl = BIT(8), .rst_ctrs = BIT(9) };

#define FIELDS(ext)                                                                                                    \
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .rst = BIT(17), .edge_det = BIT(18), .ov_en = BIT(20),                 \
    .invert = BIT(23), .thresh = BITS(31, 24), .fixed_en = BIT(22), .kept = BIT(22) | (ext)
const struct uncore_ctl listed_cha_ctl = { FIELDS(BITS(63, 32)), .tid_en = BIT(16) };
const struct uncore_ctl listed_wide_ctl = { FIELDS(BITS(55, 32)) };
const struct uncore_ctl listed_narrow_ctl = { FIELDS(0) };
const struct uncore_ctl listed_iio_ctl = { .ev_sel = BITS(7, 0),
                                           .umask = BITS(15, 8),
                                           .rst = BIT(17),
                                           .edge_det = BIT(18),
                                           .ov_en = BIT(20),
                                           .invert = BIT(23),
                                           .thresh = BITS(35, 24),
                                           .kept = BITS(50, 36) | BIT(22),
                                           .ch_mask = BITS(47, 36),
                                           .fc_mask = BITS(50, 48) };

const struct uncore_reg listed_msr_regs[4] = { LISTED_MSR_ROWS };
const struct uncore_reg listed_cha_regs[5] = { LISTED_MSR_ROWS, REG(FILTER, 0xE) };
const struct uncore_reg listed_irp_regs[5] = { LISTED_MSR_ROWS, LISTED_CLOCK };

const struct uncore_reg listed_m2m_regs[4] = { REG(BOX_CTL, 0x438), REG_RUN(CTR, 0x440, 4, 8, .bytes = 8),
                                               REG_RUN(CTL, 0x468, 4, 8, .bytes = 8), REG(STATUS, 0x4A8) };
const struct uncore_reg listed_upi_regs[5] = { REG(BOX_CTL, 0x318), REG(STATUS, 0x31C),
                                               REG_RUN(CTR, 0x320, 4, 8, .bytes = 8),
                                               REG_RUN(CTL, 0x350, 4, 8, .bytes = 8), SERVER_LINK_STATE };

const struct uncore_event listed_iio_events[2] = {
    EVENT(0x01, 0, source_clock),
    EVENT(0x83, BIT(0), source_device_writes, .arg = 4, .most = 8, .counters = BITS(1, 0)),
};

/* POWER_STATE_OCCUPANCY: 35H cores in C0; none is ever in C6 (37H). */
const struct uncore_event listed_pcu_events[2] = {
    EVENT(0x01, 0, source_clock),
    EVENT(0x35, 0, source_core_states, .arg = 1, .most = 256),
};

const struct uncore_reg listed_stack_regs[1] = { REG(VALUE, 0x3F4, .source = source_cpu_node, .mask = BITS(3, 0)) };

const struct uncore_reg discovery_table_regs[1] = { REG_RUN(VALUE, 0x0, DISCOVERY_BYTES / 8, 8, .bytes = 8,
                                                            .source = source_discovery) };

/* CXLCM; CXLDP and B2CXL: controls eight bytes apart (Linux); where they are is an assumption. */
#define CXL_REGS(n)                                                                                                    \
    REG(BOX_CTL, 0x0), REG(STATUS, 0x8), REG_RUN(CTL, 0x10, (n), 8, .bytes = 8), REG_RUN(CTR, 0x50, (n), 8, .bytes = 8)
const struct uncore_reg listed_cxlcm_regs[4] = { CXL_REGS(8) }, listed_cxl_regs[4] = { CXL_REGS(4) };

uint64_t source_empty_bus(const struct uncore_look *l, uint64_t first)
{
    uint64_t behind = uncore_bus(l->m, l->box->package, (uint32_t)first + l->box->index) & 0xFF;

    return behind << 16 | behind << 8 |
           (uncore_bus(l->m, l->box->package, l->box->type->places[l->box->index].bus) & 0xFF);
}
