/* tests/silicon/uncore_snbep.c: the monitors of the E5-2600 (Sandy Bridge-EP).
 *
 * Sources: 327043-001 chapter 2; Linux uncore_snbep.c; E5-2600 datasheet volume 2 where it says so.
 *
 * U-box: the fixed counter has 48 bits by the text of 2.2.2 and by Linux, 44 by table 2-5: the text is followed. No
 * global freeze, no overflow report on this generation; the status register is likwid's.
 */
#include "core/bits.h"
#include "tests/silicon/model_uncore.h"

#define ROWS(a)   .regs = a, .n_regs = sizeof a / sizeof a[0]
#define EVENTS(a) .events = a, .n_events = sizeof a / sizeof a[0]

/* 327043-001 table 2-2. */
static const struct uncore_ctl narrow_ctl = {
    .ev_sel = BITS(7, 0),
    .umask = BITS(15, 8),
    .rst = BIT(17),
    .edge_det = BIT(18),
    .en = BIT(22),
    .invert = BIT(23),
    .thresh = BITS(28, 24),
    .fixed_en = BIT(22),
};

/* --- U-box: 2.2 */

static const struct uncore_reg ubox_regs[] = {
    { REG_CTL, .offset = 0x10, .count = 2, .step = 1 },
    { REG_CTR, .offset = 0x16, .count = 2, .step = 1 },
    { REG_FIXED_CTL, .offset = 0x08 },
    { REG_FIXED_CTR, .offset = 0x09 },
    { REG_STATUS, .offset = 0x15 },
};
static const struct uncore_event ubox_events[] = { { 0x42, BITS(4, 0), source_message, .most = 1 } };
static const struct uncore_box_type ubox = {
    .name = "U-box",
    .unit = UNIT_UBOX,
    .access = UNCORE_MSR,
    .count = 1,
    .base = 0xC00,
    .counters = 2,
    .counter_bits = 44,
    .fixed_bits = 48,
    .clock = CLOCK_UCLK,
    .ctl = &narrow_ctl,
    ROWS(ubox_regs),
    EVENTS(ubox_events),
};

static const struct uncore_box_type *const types[] = { &ubox };

const struct uncore_part uncore_snbep = {
    .types = types,
    .n_types = sizeof types / sizeof types[0],
};
