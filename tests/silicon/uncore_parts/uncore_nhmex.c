/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_nhmex.c: the uncore of Nehalem-EX and Westmere-EX: boxes by MSR, each with enables of its
 * counters, and a U-box whose control enables, freezes and resets all of them.
 *
 * Sources: Linux uncore_nhmex.c, likwid's registers and events of Nehalem-EX.
 *
 * - Controls and counters take turns. A counter runs while its control's enable, its bit in the box's control and bit 28 of
 *   the U-box's C00H are set; the U-box's own one with bit 0 or 28. Bit 31 freezes all, bit 29 resets all.
 * - The status of a box follows its control and is read only; the register after that clears it. Overflows show whether
 *   or not the counter asks for an interrupt. Which bits the global status at C01H has was not found: it reads 0.
 * - The W-box's fixed counter (394H, control 395H) counts the uncore's clock, and bit 31 of the box's control enables it.
 *   Its events are what power management does on an idle core: none occurs here.
 * - M-boxes count commands of their memory controller by the FVC register's selection 5 (commands of the B-box: 0 reads, 1
 *   writes), whose fields lie a bit higher on Westmere-EX. Two of the four channels are a controller's. Of the clock they
 *   count (1BH), and of what the other boxes run at, documents that were read do not tell: they run at the uncore's.
 * - Match, mask and configuration registers keep what is written. Where Linux limits what it writes, so much is kept.
 * - B-, R- and S-boxes count messages between parts of the uncore, which the model does not have: 0.
 */
#include "tests/silicon/uncore_parts/uncore_e5.h"
#include "tests/silicon/uncore/model_uncore_internal.h"

#define EN_ALL  BIT(28)
#define RST_ALL BIT(29)
#define FRZ_ALL BIT(31)
#define U_EN    BIT(0)

/* Control, status, what clears it, and pairs from 10H on. */
#define BOX_ROWS(at, n)                                                                                                \
    REG(BOX_CTL, (at)), REG(STATUS_READ, (at) + 1), REG(STATUS_CLEAR, (at) + 2), REG_RUN(CTL, (at) + 0x10, n, 2),      \
        REG_RUN(CTR, (at) + 0x11, n, 2)
#define KEEPS(offset_, first_, count_, mask_) REG_RUN(KEPT, offset_, count_, 1, .first = first_, .mask = mask_)
/* --- controls */

#define USUAL                                                                                                          \
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .edge_det = BIT(18), .ov_en = BIT(20), .en = BIT(22),                  \
    .invert = BIT(23), .thresh = BITS(31, 24)
static const struct uncore_ctl usual_ctl = { USUAL };
static const struct uncore_ctl w_ctl = { USUAL, .fixed_en = BIT(0) };
static const struct uncore_ctl short_ctl = { .ev_sel = BITS(5, 1), .en = BIT(0) };
static const struct uncore_ctl m_ctl = { .ev_sel = BITS(13, 9), .en = BIT(0), .kept = BITS(21, 19) | BITS(7, 2) };

static const struct uncore_box_ctl four = { .run = BITS(3, 0) };
static const struct uncore_box_ctl six = { .run = BITS(5, 0) };
static const struct uncore_box_ctl eight = { .run = BITS(7, 0) };
static const struct uncore_box_ctl w_box = { .run = BITS(3, 0), .run_fixed = BIT(31) };

/* --- what M-boxes count */

#define ZDP_CTL_FVC  6u /* of kept[] */
#define BBOX_COMMAND 5u
#define CHANNELS     2u

/* arg: the event's number in the FVC register, and in bit 8 whether its fields lie a bit higher. */
static uint64_t source_fvc(const struct uncore_look *l, uint64_t arg)
{
    uint64_t fvc = l->box->kept[ZDP_CTL_FVC], higher = arg >> 8;
    uint64_t command = fvc >> (5 + higher) & 7, sum = 0;

    if ((fvc >> (11 + higher + 3 * (arg & 7)) & 7) != BBOX_COMMAND)
        return 0;
    for (uint64_t c = 1; c <= CHANNELS && command < 2; c++) {
        uint64_t channel = l->box->index * CHANNELS + c;

        sum += command ? source_cas_write(l, channel) : source_cas_read(l, channel);
    }
    return sum;
}

#define FVC(higher)                                                                                                    \
    EVENT(0x0D, 0, source_fvc, .arg = (higher) << 8 | 0), EVENT(0x0E, 0, source_fvc, .arg = (higher) << 8 | 1),        \
        EVENT(0x0F, 0, source_fvc, .arg = (higher) << 8 | 2), EVENT(0x10, 0, source_fvc, .arg = (higher) << 8 | 3),    \
        EVENT(0x1B, 0, source_clock)
/* --- slices */

#define READS (BIT(LOOKUP_READ) | BIT(LOOKUP_CODE) | BIT(LOOKUP_RFO))
static const struct uncore_event c_events[] = {
    EVENT(0x19, 0, source_lookup, .arg = READS),                      /* TRANS_IRQ: what cores ask for */
    EVENT(0x27, BITS(1, 0), source_lookup, .arg = BIT(LOOKUP_SNOOP)), /* SNPS */
};

/* --- boxes */

#define BOXES(letter, unit_, counters_, its_ctl, its_box, regs_, ...)                                                  \
    .name = letter, .unit = unit_, .counters = counters_, .counter_bits = 48, .ctl = &(its_ctl),                       \
    .box_ctl = &(its_box), .overflow_always = true, .run_by = EN_ALL, ROWS(regs_), __VA_ARGS__
#define TWO(base_, step_) .base = (base_), .step = (step_), .count = 2

static const struct uncore_reg four_regs[] = { BOX_ROWS(0, 4) };
static const struct uncore_reg c_regs[] = { BOX_ROWS(0, 6) };
/* DSP, ISS, MAP, MSC_THR, PGT, PLD, ZDP_CTL_FVC */
static const struct uncore_reg m_regs[] = { BOX_ROWS(0, 6), KEEPS(5, 0, 7, UINT64_MAX) };
/* IPERF_CFG0 and QLX_CFG of R0, IPERF_CFG1 and QLX_CFG of R1 */
static const struct uncore_reg r_regs[] = { BOX_ROWS(0, 8), KEEPS(4, 0, 12, UINT64_MAX) };
BOX_TYPE(ubox, .name = "U", .unit = UNIT_EX, .base = 0xC00, .count = 1, .counters = 1, .counter_bits = 48,
         .ctl = CONTROL(.ev_sel = BITS(7, 0), .edge_det = BIT(18), .en = BIT(22)), .run_by = EN_ALL | U_EN,
         ROWS(REG_LIST(REG(GLOBAL_CTL, 0), REG(GLOBAL_STATUS, 1), REG(GLOBAL_CLEAR, 2), REG(CTL, 0x10),
                       REG(CTR, 0x11))));
static const struct uncore_place c_places[] = { { .base = 0xD00 }, { .base = 0xD80 }, { .base = 0xD40 },
                                                { .base = 0xDC0 }, { .base = 0xD20 }, { .base = 0xDA0 },
                                                { .base = 0xD60 }, { .base = 0xDE0 }, { .base = 0xF40 },
                                                { .base = 0xFC0 } };
#define CBOX(most)                                                                                                     \
    BOXES("C", UNIT_EX_C, 6, usual_ctl, six, c_regs, EVENTS(c_events), .number = uncore_slices, .places = c_places,    \
          .n_places = (most))
BOX_TYPE(nhm_cbox, CBOX(8));
BOX_TYPE(wsm_cbox, CBOX(10));
BOX_TYPE(bbox, BOXES("B", UNIT_EX, 4, short_ctl, four, four_regs, TWO(0xC20, 0x40)));
BOX_TYPE(sbox, BOXES("S", UNIT_EX, 4, usual_ctl, four, four_regs, TWO(0xC40, 0x80)));
BOX_TYPE(rbox, BOXES("R", UNIT_EX, 8, short_ctl, eight, r_regs, TWO(0xE00, 0x20)));
BOX_TYPE(wbox, BOXES("W", UNIT_EX, 4, w_ctl, w_box,
                     REG_LIST(BOX_ROWS(0xC80, 4), REG(FIXED_CTR, 0x394), REG(FIXED_CTL, 0x395)), .count = 1,
                     .fixed_bits = 48, .status_fixed = 31));
#define MBOX(events_) BOXES("M", UNIT_EX, 6, m_ctl, six, m_regs, TWO(0xCA0, 0x40), EVENTS(events_))
BOX_TYPE(nhm_mbox, MBOX(EVENT_LIST(FVC(0))));
BOX_TYPE(wsm_mbox, MBOX(EVENT_LIST(FVC(1))));

/* --- match and mask: MATCH and MASK of B; MM_CFG, MATCH and MASK of S, of M, and of each of two sets of the eight ports of
 * the crossbar */

#define MATCH(name_, regs_, base_, step_, count_)                                                                      \
    .name = name_, .unit = UNIT_FUNCTION, .base = (base_), .step = (step_), .count = (count_), ROWS(regs_)
BOX_TYPE(b_match, MATCH("B match", REG_LIST(KEEPS(0, 0, 2, UINT64_MAX)), 0xE45, 8, 2));
BOX_TYPE(s_match, MATCH("S match", REG_LIST(KEEPS(0, 0, 3, UINT64_MAX)), 0xE48, 0x10, 2));
BOX_TYPE(m_match,
         MATCH("M match", REG_LIST(KEEPS(0, 0, 1, BIT(63)), KEEPS(1, 1, 1, BITS(33, 0)), KEEPS(2, 2, 1, BITS(26, 0))),
               0xE54, 8, 2));
BOX_TYPE(r_match, MATCH("R match",
                        REG_LIST(KEEPS(0, 0, 3, UINT64_MAX), KEEPS(4, 3, 3, UINT64_MAX), KEEPS(8, 6, 3, UINT64_MAX),
                                 KEEPS(12, 9, 3, UINT64_MAX)),
                        0xE60, 0x10, 4));

#define TYPES(cbox, mbox)                                                                                              \
    BRACED(&ubox, &(cbox), &bbox, &sbox, &(mbox), &rbox, &wbox, &b_match, &s_match, &m_match, &r_match)
static const struct uncore_box_type *const nhm_types[] = TYPES(nhm_cbox, nhm_mbox);
static const struct uncore_box_type *const wsm_types[] = TYPES(wsm_cbox, wsm_mbox);

#define PART(types_)                                                                                                   \
    BRACED(OF_TYPES(types_), .global_frz = FRZ_ALL, .global_kept = FRZ_ALL | EN_ALL | BITS(4, 1) | U_EN,               \
           .global_rst = RST_ALL)
const struct uncore_part uncore_nhmex = PART(nhm_types);
const struct uncore_part uncore_wsmex = PART(wsm_types);
