/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Nehalem-EX and Westmere-EX: boxes by MSR whose controls and counters alternate, each with a register that enables its
 * counters one by one, and one register of the U-box that enables all boxes. Sources: Linux uncore_nhmex.c; likwid
 * registers.h ("EX type uncore"); Intel Xeon 7500 series uncore guide for the names.
 *
 * Linux names the W-box's first counter and control the other way round than it uses them; addresses agree with likwid.
 * S0 has MM_CFG at E48H, MATCH at E49H (Linux; likwid gives both E49H, and its own S1 shows the order). Match registers of
 * the B-, S- and M-box are -count's alone: what their events count of is in no table here. Those of the R-box are a port's, and
 * which port an event is of is in its number: they are not set. likwid has an event of the M-box that is its clock, and the W-box's fixed counter is the uncore's. The C-,
 * S- and W-box can invert a comparison: an event with no sub-event chosen, or of a processor that throttles, does not
 * occur, and its clocks are all there are. Boxes B, R and U have neither, and are held to presence and storage. */
#include "arch/x86/pmon_parts/pmon_layouts.h"

#define SOURCE "Linux uncore_nhmex.c"

/* NHMEX_PMON_RAW_EVENT_MASK and enable bit 22; the U-box has event and edge alone. */
static const struct pmon_control usual = { .ev_sel = BITS(7, 0),
                                           .umask = BITS(15, 8),
                                           .edge_det = BIT(18),
                                           .ov_en = BIT(20),
                                           .en = BIT(22),
                                           .invert = BIT(23),
                                           .thresh = BITS(31, 24) };
static const struct pmon_control u_control = { .ev_sel = BITS(7, 0), .edge_det = BIT(18), .en = BIT(22) };
/* B and R: the event in 5:1, enable bit 0. M: inc_sel 13:9, set_flag_sel 21:19, modes 7:2, enable bit 0. */
static const struct pmon_control short_control = { .ev_sel = BITS(5, 1), .en = BIT(0) };
static const struct pmon_control m_control = { .ev_sel = BITS(13, 9),
                                               .en = BIT(0),
                                               .extra = BITS(21, 19) | BITS(7, 2) };

/* Bit n of the box's register enables counter n; the W-box's bit 31 its fixed counter. */
static const struct pmon_box_control four = { .run = BITS(3, 0) };
static const struct pmon_box_control six = { .run = BITS(5, 0) };
static const struct pmon_box_control eight = { .run = BITS(7, 0) };
static const struct pmon_box_control w_box = { .run = BITS(3, 0) | BIT(31), .run_fixed = BIT(31) };

/* Names of Linux' formats: NHMEX_B_MSR_MATCH and MASK, NHMEX_S_, and NHMEX_M_PMON_ADDR_MATCH_MASK, _ADDR_MASK_MASK. */
static const struct pmon_field match_fields[] = {
    { .name = "match", .in = PMON_IN_MATCH, .bits = UINT64_MAX },
    { .name = "mask", .in = PMON_IN_MASK, .bits = UINT64_MAX },
};
static const struct pmon_field m_match_fields[] = {
    { .name = "filter_match", .in = PMON_IN_MATCH, .bits = BITS(33, 0) },
    { .name = "filter_mask", .in = PMON_IN_MASK, .bits = BITS(26, 0) },
};
#define MATCHES(names, first, apart, enable)                                                                           \
    .mm = { .match = (first), .step = (apart), .cfg = (enable) }, PMON_FIELDS_OF(names)

/* --- layouts ------------------------------------------------------------------------------------------------------ */

#define PAIRS(n, fields, enables, ...)                                                                                 \
    BRACED(.access = PMON_MSR, .counters = (n), .counter_bits = 48, .ctl = 0x10, .ctl_step = 2, .ctr = 0x11,           \
           .ctr_step = 2, .control = &(fields), .box = &(enables), .has_status = true, .status = 1, .status_clear = 2, \
           .status_without_ov_en = true, __VA_ARGS__)
static const struct pmon_layout c_layout = PAIRS(6, usual, six);
static const struct pmon_layout b_layout = PAIRS(4, short_control, four, MATCHES(match_fields, 0xE45, 0x08, 0));
static const struct pmon_layout s_layout = PAIRS(4, usual, four, MATCHES(match_fields, 0xE49, 0x10, 0xE48));
static const struct pmon_layout m_layout = PAIRS(6, m_control, six, MATCHES(m_match_fields, 0xE55, 0x08, 0xE54));
static const struct pmon_layout r_layout = PAIRS(8, short_control, eight);
/* Its register is the one that enables all boxes: the part's, not its own. */
static const struct pmon_layout u_layout = {
    .access = PMON_MSR, .counters = 1, .counter_bits = 48, .ctl = 0xC10, .ctr = 0xC11, .control = &u_control
};
static const struct pmon_layout w_layout = {
    .access = PMON_MSR,
    .counters = 4,
    .counter_bits = 48,
    .ctl = 0xC90,
    .ctl_step = 2,
    .ctr = 0xC91,
    .ctr_step = 2,
    .control = &usual,
    .fixed = { .ctl = 0x395, .ctr = 0x394, .bits = 48, .en = BIT(0), .clock = PMON_CLOCK_UCLK },
    .box_ctl = 0xC80,
    .box = &w_box,
    .has_status = true,
    .status = 0xC81,
    .status_clear = 0xC82,
    .status_without_ov_en = true,
};

/* --- units -------------------------------------------------------------------------------------------------------- */

static const uint16_t c_bases[] = { 0xD00, 0xD80, 0xD40, 0xDC0, 0xD20, 0xDA0, 0xD60, 0xDE0, 0xF40, 0xFC0 };

#define UNIT(letter, what, its_layout, ...) PMON_UNIT(letter, SOURCE, what, its_layout, __VA_ARGS__)
/* likwid, perfmon_nehalemEX_events.txt */
#define MBOX_CLOCKTICKS  PMON_EVENTS(.clock = PMON_CLOCK_OWN, .clock_event = 0x1B)
#define NO_SNPS          PMON_EVENTS(.idle_ev_sel = 0x27) /* SNPS, neither of reads nor for ownership */
#define NO_PKTS          PMON_EVENTS(.idle_ev_sel = 0x60) /* PKTS_SENT_HOM, to no box */
#define NO_PROCHOT       PMON_EVENTS(.idle_ev_sel = 0x02) /* PROCHOT */
#define TWO(base, apart) PMON_PROBE(base, apart, 2)
static const struct pmon_unit ubox = UNIT("U", PMON_OTHER, u_layout, PMON_ONE);
static const struct pmon_unit cbox = UNIT("C", PMON_CHA, c_layout, PMON_PROBE_BASES(c_bases), NO_SNPS);
static const struct pmon_unit bbox = UNIT("B", PMON_OTHER, b_layout, TWO(0xC20, 0x40));
static const struct pmon_unit sbox = UNIT("S", PMON_OTHER, s_layout, TWO(0xC40, 0x80), NO_PKTS);
static const struct pmon_unit mbox = UNIT("M", PMON_OTHER, m_layout, TWO(0xCA0, 0x40), MBOX_CLOCKTICKS);
static const struct pmon_unit rbox = UNIT("R", PMON_OTHER, r_layout, TWO(0xE00, 0x20));
static const struct pmon_unit wbox = UNIT("W", PMON_OTHER, w_layout, PMON_ONE, NO_PROCHOT);

static const struct pmon_model models[] = { PMON_INTEL6(0x2E), PMON_INTEL6(0x2F) };
static const struct pmon_unit *const units[] = { &ubox, &cbox, &bbox, &sbox, &mbox, &rbox, &wbox };
/* U_PMON_GLOBAL_CTL: en 0, en_all 28, rst_all 29, frz_all 31. Enables stay while all is frozen, so that it is frz_all which
 * stops the counters. */
#define ENABLES (BIT(28) | BIT(0))
const struct pmon_part pmon_nehalem_ex = { .name = "Nehalem-EX",
                                           PMON_MODELS(models),
                                           PMON_UNITS(units),
                                           .global = { .msr = 0xC00, .freeze = BIT(31) | ENABLES, .run = ENABLES } };
