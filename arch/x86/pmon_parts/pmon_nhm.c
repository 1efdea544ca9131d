/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Nehalem and Westmere: one uncore PMU a package. Source: SDM vol. 3B 18.8.2 (old numbering)
 * "Performance Monitoring Facility in the Uncore"; Linux uncore_snb.c (nhm_uncore_*); event codes as in likwid's
 * nehalem files. */
#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/pmon_parts/pmon_layouts.h"

static const struct pmon_control control = { .ev_sel = BITS(7, 0),
                                             .umask = BITS(15, 8),
                                             .occ_rst = BIT(17),
                                             .edge_det = BIT(18),
                                             .ov_en = BIT(20),
                                             .en = BIT(22),
                                             .invert = BIT(23),
                                             .thresh = BITS(31, 24),
                                             .kept = BIT(20),
                                             .reserved = BITS(63, 32) | BIT(21) | BIT(19) | BIT(16) };
/* UNCORE_PERF_GLOBAL_CTRL: EN_PC0..7 and EN_FC0. Clearing them stops everything at once. EN_PMI_COREn, bits 51:48, route
 * interrupts to cores, and PMI_FRZ, bit 63, has one stop all counters. */
static const struct pmon_box_control global = {
    .run = BITS(7, 0) | BIT(32),
    .run_fixed = BIT(32),
    .kept = BIT(63) | BITS(51, 48),
    .kept_of_cores = BITS(51, 48),
    .reserved = BITS(62, 52) | BITS(47, 33) | BITS(31, 8),
};

/* UNCORE_PERF_GLOBAL_STATUS shows every overflow: bit 20 of a control (PMI_EN) asks for an interrupt alone. */
#define FIXED                                                                                                          \
    .fixed = { .ctl = 0x395,                                                                                           \
               .ctr = 0x394,                                                                                           \
               .bits = 48,                                                                                             \
               .en = BIT(0),                                                                                           \
               .kept = BIT(2),                                                                                         \
               .reserved = BITS(63, 3) | BIT(1),                                                                       \
               .ov = BIT(32),                                                                                          \
               .clock = PMON_CLOCK_OWN }
#define REGISTERS                                                                                                      \
    .access = PMON_MSR, .counters = 8, .counter_bits = 48, .ctl = 0x3C0, .ctr = 0x3B0, .control = &control, FIXED,     \
    .box_ctl = 0x391, .box = &global, .has_status = true, .status = 0x392, .status_clear = 0x393,                      \
    .status_changed = BIT(63), .status_pmi = BIT(61), .status_without_ov_en = true,                                    \
    .status_reserved = BIT(62) | BITS(60, 33) | BITS(31, 8)
static const struct pmon_field match_fields[] = {
    { .name = "match_addr", .in = PMON_IN_MATCH, .bits = MSR_UNCORE_ADDR_OPCODE_MATCH_Addr, .in_place = true },
    { .name = "match_opc", .in = PMON_IN_MATCH, .bits = MSR_UNCORE_ADDR_OPCODE_MATCH_Opcode },
    { .name = "match_sel", .in = PMON_IN_MATCH, .bits = MSR_UNCORE_ADDR_OPCODE_MATCH_MatchSel },
};
static const struct pmon_layout layout = { REGISTERS, .has_match = true, PMON_FIELDS_OF(match_fields) };
static const struct pmon_layout client_layout = { REGISTERS };

static const struct pmon_named events[] = {
    { .name = "cas_rd", .ev_sel = 0x2C, .umask = 0x07, .bytes = 64 }, /* UNC_QMC_NORMAL_READS.ANY */
    { .name = "cas_wr", .ev_sel = 0x2F, .umask = 0x07, .bytes = 64 }, /* UNC_QMC_WRITES.FULL.ANY  */
    { .name = "cas_rd_0", .ev_sel = 0x2C, .umask = 0x01, .bytes = 64 },
    { .name = "cas_rd_1", .ev_sel = 0x2C, .umask = 0x02, .bytes = 64 },
    { .name = "cas_rd_2", .ev_sel = 0x2C, .umask = 0x04, .bytes = 64 },
    { .name = "cas_wr_0", .ev_sel = 0x2F, .umask = 0x01, .bytes = 64 },
    { .name = "cas_wr_1", .ev_sel = 0x2F, .umask = 0x02, .bytes = 64 },
    { .name = "cas_wr_2", .ev_sel = 0x2F, .umask = 0x04, .bytes = 64 },
    { .name = "reads_local", .ev_sel = 0x20, .umask = 0x10, .bytes = 64 },  /* UNC_QHL_REQUESTS.LOCAL_READS  */
    { .name = "reads_remote", .ev_sel = 0x20, .umask = 0x04, .bytes = 64 }, /* UNC_QHL_REQUESTS.REMOTE_READS */
    { .name = "l3_hits", .ev_sel = 0x08, .umask = 0x03, .bytes = 64 },
    { .name = "l3_miss", .ev_sel = 0x09, .umask = 0x03, .bytes = 64 },
    { .name = "lines_in", .ev_sel = 0x0A, .umask = 0x0F, .bytes = 64 },
    { .name = "lines_out", .ev_sel = 0x0B, .umask = 0x1F, .bytes = 64 },
    { .name = "gq_occupancy", .ev_sel = 0x02, .umask = 0x01 }, /* UNC_GQ_OCCUPANCY.READ_TRACKER */
    { .name = "gq_inserts", .ev_sel = 0x03, .umask = 0x01 },   /* UNC_GQ_ALLOC.READ_TRACKER     */
};

static const struct pmon_channel channels[] = {
    { .channel = CHANNEL(0), .rd = "cas_rd_0", .wr = "cas_wr_0" },
    { .channel = CHANNEL(1), .rd = "cas_rd_1", .wr = "cas_wr_1" },
    { .channel = CHANNEL(2), .rd = "cas_rd_2", .wr = "cas_wr_2" },
};

#define SOURCE    "SDM vol. 3B 18.8.2 Performance Monitoring Facility in the Uncore (old numbering)"
#define BASE_STEP (400e6 / 3) /* base clock; SDM vol. 3B 18.17.2 (old numbering) */
#define NO_WRITES 0x2F        /* UNC_QMC_WRITES with no sub-event chosen */
static const struct pmon_unit uncore = PMON_UNIT(
    "uncore", SOURCE, PMON_UNCORE, layout, PMON_ONE,
    PMON_EVENTS(.clock_step_hz = BASE_STEP, .idle_ev_sel = NO_WRITES, PMON_NAMED(events), PMON_CHANNELS(channels)));

/* Parts of desktops and notebooks have the registers (SDM vol. 4, MSRs of 06_1EH, 06_1FH, 06_25H; Linux
 * intel_uncore_match). Their memory has two channels, of Clarkdale's on another die, and no document says which events
 * count it: they have none by name, so that nothing but registers is judged. */
static const struct pmon_unit client = PMON_UNIT("uncore", SOURCE, PMON_UNCORE, client_layout, PMON_ONE,
                                                 PMON_EVENTS(.clock_step_hz = BASE_STEP, .idle_ev_sel = NO_WRITES));

static const struct pmon_model models[] = { PMON_INTEL6(0x1A), PMON_INTEL6(0x2C) };
static const struct pmon_unit *const units[] = { &uncore };
/* EN_PMI_COREn, PMI_FRZ: SDM vol. 3B 18.8.2.1 (old numbering). */
#define PMI                                                                                                            \
    .pmi = { .msr = 0x391, .cores = BITS(51, 48), .freeze = BIT(63), .debugctl = IA32_DEBUGCTL_ENABLE_UNCORE_PMI }
const struct pmon_part pmon_nehalem = { .name = "Nehalem", PMON_MODELS(models), PMON_UNITS(units), PMI };

static const struct pmon_model client_models[] = { PMON_INTEL6(0x1E), PMON_INTEL6(0x1F), PMON_INTEL6(0x25) };
static const struct pmon_unit *const client_units[] = { &client };
const struct pmon_part pmon_nehalem_client = {
    .name = "Nehalem and Westmere client", PMON_MODELS(client_models), PMON_UNITS(client_units), PMI
};
