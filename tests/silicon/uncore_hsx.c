/* tests/silicon/uncore_hsx.c: the monitors of the E5 v3 and E5 v4 (Haswell-EP, Broadwell-EP), which have one register
 * map but for widths and device ids.
 *
 * Sources: Linux uncore_snbep.c (hswep_*, bdx_*) and likwid for the addresses; 329468-002 for fields that came with Ivy
 * Bridge-EP.
 *
 * Bits 31:29, 21, 19 and 16 of a U-box control are reserved (327043-001 table 2-2 says RV, and asks software to write 0
 * to 21:20; bit 20 became ov_en with Ivy Bridge-EP). Status bits belong to the counters in their order, written 1 to
 * clear: an assumption, no document read states them for MSR boxes. The global status shows nothing: no document that
 * was read says which bit is whose. The global control freezes (bit 31) and unfreezes (bit 29) every counter, both bits
 * reading 0; nothing is frozen at power-on.
 */
#include "core/bits.h"
#include "tests/silicon/model_uncore.h"

#define ROWS(a)   .regs = a, .n_regs = sizeof a / sizeof a[0]
#define EVENTS(a) .events = a, .n_events = sizeof a / sizeof a[0]

static const struct uncore_ctl narrow_ctl = {
    .ev_sel = BITS(7, 0),
    .umask = BITS(15, 8),
    .rst = BIT(17),
    .edge_det = BIT(18),
    .ov_en = BIT(20),
    .en = BIT(22),
    .invert = BIT(23),
    .thresh = BITS(28, 24),
    .fixed_en = BIT(22),
};

/* --- U-box */

static uint64_t cbo_count(const struct uncore_look *l, uint64_t arg)
{
    (void)arg;
    return uncore_slices(l->m);
}

static const struct uncore_reg ubox_regs[] = {
    { REG_GLOBAL_CTL, .offset = 0x0 },
    { REG_GLOBAL_STATUS, .offset = 0x1, .mask = UINT32_MAX },
    { REG_VALUE, .offset = 0x2, .source = cbo_count }, /* number of CBo boxes, as PCM reads it on later parts */
    { REG_FIXED_CTL, .offset = 0x3 },
    { REG_FIXED_CTR, .offset = 0x4 },
    { REG_CTL, .offset = 0x5, .count = 2, .step = 1 },
    { REG_FILTER, .offset = 0x7 },
    { REG_STATUS, .offset = 0x8 },
    { REG_CTR, .offset = 0x9, .count = 2, .step = 1 },
};
static const struct uncore_event ubox_events[] = { { 0x42, BITS(4, 0), source_message, .most = 1 } };

#define UBOX(bits_)                                                                                                    \
    {                                                                                                                  \
        .name = "U-box", .unit = UNIT_UBOX, .access = UNCORE_MSR, .count = 1, .base = 0x700, .counters = 2,            \
        .counter_bits = bits_, .fixed_bits = 48, .clock = CLOCK_UCLK, .ctl = &narrow_ctl, ROWS(ubox_regs),             \
        EVENTS(ubox_events), .filter_kept = BITS(5, 0), .status_fixed = 2                                              \
    }
/* 44 bits in Linux, 48 in likwid: Linux is followed, whose driver is what runs on most such machines. */
static const struct uncore_box_type hsx_ubox = UBOX(44);
static const struct uncore_box_type bdx_ubox = UBOX(48);

static const struct uncore_box_type *const hsx_types[] = { &hsx_ubox };
static const struct uncore_box_type *const bdx_types[] = { &bdx_ubox };

#define PART(types_)                                                                                                   \
    {                                                                                                                  \
        .types = types_, .n_types = sizeof types_ / sizeof types_[0], .global_frz = BIT(31), .global_unfrz = BIT(29),  \
        .global_kept = BIT(30) | BITS(14, 0)                                                                           \
    }
static const struct uncore_box_type *const ubox_types[] = { &bdx_ubox };

const struct uncore_part uncore_ubox_only = PART(ubox_types);
const struct uncore_part uncore_hsx = PART(hsx_types);
const struct uncore_part uncore_bdx = PART(bdx_types);
