/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Nehalem-EX and Westmere-EX: boxes by MSR whose controls and counters alternate, each with a register that enables its
 * counters one by one, and one register of the U-box that enables all boxes. Sources: Linux uncore_nhmex.c; likwid
 * registers.h ("EX type uncore"); Intel Xeon 7500 series uncore guide for the names.
 *
 * Linux names the W-box's first counter and control the other way round than it uses them; addresses agree with likwid.
 * S0 has MM_CFG at E48H, MATCH at E49H (Linux; likwid gives both E49H, and its own S1 shows the order): neither is
 * touched here. No event is known that occurs in every clock, so that these boxes are held to presence and storage. */
#include "arch/x86/pmon/pmon_layouts.h"
#include "arch/x86/pmon/pmon_tables.h"

#define SOURCE "Linux uncore_nhmex.c"

/* NHMEX_PMON_RAW_EVENT_MASK and enable bit 22; the U-box has event and edge alone. */
static const struct pmon_control usual = { .ev_sel = BITS(7, 0),
                                           .umask = BITS(15, 8),
                                           .edge_det = BIT(18),
                                           .ov_en = BIT(20),
                                           .en = BIT(22),
                                           .invert = BIT(23),
                                           .thresh = BITS(31, 24) };
static const struct pmon_control u_control = { .ev_sel = BITS(7, 0), .en = BIT(22) };
/* B and R: the event in 5:1, enable bit 0. M: inc_sel 13:9, set_flag_sel 21:19, modes 7:2, enable bit 0. */
static const struct pmon_control short_control = { .ev_sel = BITS(5, 1), .en = BIT(0) };
static const struct pmon_control m_control = { .ev_sel = BITS(13, 9),
                                               .en = BIT(0),
                                               .extra = BITS(21, 19) | BITS(7, 2) };

/* Bit n of the box's register enables counter n; the W-box's bit 31 its fixed counter. */
static const struct pmon_box_control four = { .run = BITS(3, 0) };
static const struct pmon_box_control six = { .run = BITS(5, 0) };
static const struct pmon_box_control eight = { .run = BITS(7, 0) };
static const struct pmon_box_control w_box = { .run = BITS(3, 0) | BIT(31) };

#define PAIRS(n, layout)                                                                                               \
    .source = SOURCE, .access = PMON_MSR, .counters = (n), .counter_bits = 48, .ctl = 0x10, .ctl_step = 2,             \
    .ctr = 0x11, .ctr_step = 2, .control = &(layout)
#define OVERFLOWS .has_status = true, .status = 1, .status_clear = 2

static const uint16_t c_bases[] = { 0xD00, 0xD80, 0xD40, 0xDC0, 0xD20, 0xDA0, 0xD60, 0xDE0, 0xF40, 0xFC0 };

/* Its register is the one that enables all boxes: the part's, not its own. */
static const struct pmon_unit ubox = { .name = "U",
                                       .source = SOURCE,
                                       .kind = PMON_OTHER,
                                       .access = PMON_MSR,
                                       .counters = 1,
                                       .counter_bits = 48,
                                       .ctl = 0xC10,
                                       .ctr = 0xC11,
                                       .control = &u_control,
                                       .find = PMON_FIND_ONE };
static const struct pmon_unit cbox = { .name = "C",
                                       .kind = PMON_CHA,
                                       PAIRS(6, usual),
                                       .box = &six,
                                       OVERFLOWS,
                                       .find = PMON_FIND_PROBE,
                                       .bases = c_bases,
                                       .most = PMON_COUNT_OF(c_bases) };
static const struct pmon_unit bbox = { .name = "B",
                                       .kind = PMON_OTHER,
                                       PAIRS(4, short_control),
                                       .box = &four,
                                       OVERFLOWS,
                                       .find = PMON_FIND_PROBE,
                                       .first = 0xC20,
                                       .stride = 0x40,
                                       .most = 2 };
static const struct pmon_unit sbox = { .name = "S",
                                       .kind = PMON_OTHER,
                                       PAIRS(4, usual),
                                       .box = &four,
                                       OVERFLOWS,
                                       .find = PMON_FIND_PROBE,
                                       .first = 0xC40,
                                       .stride = 0x80,
                                       .most = 2 };
static const struct pmon_unit mbox = { .name = "M",
                                       .kind = PMON_OTHER,
                                       PAIRS(6, m_control),
                                       .box = &six,
                                       OVERFLOWS,
                                       .find = PMON_FIND_PROBE,
                                       .first = 0xCA0,
                                       .stride = 0x40,
                                       .most = 2 };
static const struct pmon_unit rbox = { .name = "R",
                                       .kind = PMON_OTHER,
                                       PAIRS(8, short_control),
                                       .box = &eight,
                                       OVERFLOWS,
                                       .find = PMON_FIND_PROBE,
                                       .first = 0xE00,
                                       .stride = 0x20,
                                       .most = 2 };
static const struct pmon_unit wbox = { .name = "W",
                                       .source = SOURCE,
                                       .kind = PMON_OTHER,
                                       .access = PMON_MSR,
                                       .counters = 4,
                                       .counter_bits = 48,
                                       .box_ctl = 0xC80,
                                       .ctl = 0xC90,
                                       .ctl_step = 2,
                                       .ctr = 0xC91,
                                       .ctr_step = 2,
                                       .fixed_ctl = 0x395,
                                       .fixed_ctr = 0x394,
                                       .fixed_bits = 48,
                                       .fixed_en = BIT(0),
                                       .control = &usual,
                                       .box = &w_box,
                                       .has_status = true,
                                       .status = 0xC81,
                                       .status_clear = 0xC82,
                                       .find = PMON_FIND_ONE };

static const struct pmon_unit *const units[] = { &ubox, &cbox, &bbox, &sbox, &mbox, &rbox, &wbox };
/* U_PMON_GLOBAL_CTL: en 0, en_all 28, rst_all 29, frz_all 31. */
const struct pmon_part pmon_nehalem_ex = { .name = "Nehalem-EX",
                                           .units = units,
                                           .n_units = PMON_COUNT_OF(units),
                                           .global = { .msr = 0xC00, .freeze = BIT(31), .run = BIT(28) | BIT(0) } };
