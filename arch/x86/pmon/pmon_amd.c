/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AMD Zen: L3 of each core complex, data fabric, and from Zen 4 on memory channels. No box control and no clock event.
 * Sources: Linux arch/x86/events/amd/uncore.c; likwid for the DRAM events of the data fabric. */
#include "arch/x86/pmon/pmon_layouts.h"
#include "arch/x86/pmon/pmon_tables.h"

#define SOURCE "Linux arch/x86/events/amd/uncore.c"

/* Family 17H: slice mask 51:48, thread mask 63:56. Family 19H: all slices 46, all cores 47, thread mask 57:56. */
static const struct pmon_control l3_17h = {
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .en = BIT(22), .ones = BITS(63, 56) | BITS(51, 48)
};
static const struct pmon_control l3_19h = {
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .en = BIT(22), .ones = BITS(57, 56) | BIT(47) | BIT(46)
};
/* Event bits beyond 7:0 stand apart; they are given as extra. */
static const struct pmon_control df = {
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .en = BIT(22), .extra = BITS(60, 59) | BITS(35, 32)
};
static const struct pmon_control df_v2 = {
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .en = BIT(22), .extra = BITS(37, 32) | BITS(27, 24)
};
static const struct pmon_control umc_control = { .ev_sel = BITS(7, 0), .umask = BITS(9, 8), .en = BIT(31) };

static const struct pmon_named l3_events[] = {
    { .name = "l3_lookup", .ev_sel = 0x04, .umask = 0xFF, .bytes = 64 },
    { .name = "l3_miss", .ev_sel = 0x04, .umask = 0x01, .bytes = 64 },
    { .name = "l3_hits", .ev_sel = 0x04, .umask = 0xFE, .bytes = 64 },
};
static const struct pmon_named df_zen_events[] = {
    { .name = "dram_0", .ev_sel = 0x07, .umask = 0x38, .bytes = 64 },
    { .name = "dram_1", .ev_sel = 0x47, .umask = 0x38, .bytes = 64 },
};
static const struct pmon_named df_zen3_events[] = {
    { .name = "dram_0", .ev_sel = 0x07, .umask = 0x38, .bytes = 64 },
    { .name = "dram_1", .ev_sel = 0x47, .umask = 0x38, .bytes = 64 },
    { .name = "dram_2", .ev_sel = 0x87, .umask = 0x38, .bytes = 64 },
    { .name = "dram_3", .ev_sel = 0xC7, .umask = 0x38, .bytes = 64 },
    { .name = "dram_4", .ev_sel = 0x07, .umask = 0x38, .extra = BIT(32), .bytes = 64 },
    { .name = "dram_5", .ev_sel = 0x47, .umask = 0x38, .extra = BIT(32), .bytes = 64 },
    { .name = "dram_6", .ev_sel = 0x87, .umask = 0x38, .extra = BIT(32), .bytes = 64 },
    { .name = "dram_7", .ev_sel = 0xC7, .umask = 0x38, .extra = BIT(32), .bytes = 64 },
};
static const struct pmon_named umc_events[] = {
    { .name = "cas_all", .ev_sel = 0x0A, .umask = 0x00, .bytes = 64 },
    { .name = "cas_rd", .ev_sel = 0x0A, .umask = 0x01, .bytes = 64 },
    { .name = "cas_wr", .ev_sel = 0x0A, .umask = 0x02, .bytes = 64 },
};

/* Control and counter alternate. */
#define PAIRS .access = PMON_MSR, .counter_bits = 48, .ctl = 0, .ctl_step = 2, .ctr = 1, .ctr_step = 2
#define L3(layout)                                                                                                     \
    {                                                                                                                  \
        .name = "L3", .source = SOURCE, .kind = PMON_L3, PAIRS, .counters = 6, .control = &layout,                     \
        .find = PMON_FIND_CCX, .first = 0xC0010230, .clock = PMON_CLOCK_NONE, PMON_EVENTS(l3_events)                   \
    }
#define DF(layout, rows)                                                                                               \
    {                                                                                                                  \
        .name = "DF", .source = SOURCE, .kind = PMON_DF, PAIRS, .counters = 4, .control = &layout,                     \
        .find = PMON_FIND_ONE, .first = 0xC0010240, .clock = PMON_CLOCK_NONE, PMON_EVENTS(rows)                        \
    }
static const struct pmon_unit l3_zen = L3(l3_17h);
static const struct pmon_unit l3_zen3 = L3(l3_19h);
static const struct pmon_unit df_zen = DF(df, df_zen_events);
static const struct pmon_unit df_zen3 = DF(df, df_zen3_events);
static const struct pmon_unit df_zen4 = { .name = "DF",
                                          .source = SOURCE,
                                          .kind = PMON_DF,
                                          PAIRS,
                                          .counters = 4,
                                          .control = &df_v2,
                                          .find = PMON_FIND_ONE,
                                          .first = 0xC0010240,
                                          .clock = PMON_CLOCK_NONE };
/* Its counters do not wrap: they stop, and set bit 48. */
static const struct pmon_unit umc = {
    .name = "UMC",
    .source = SOURCE,
    .kind = PMON_UMC,
    PAIRS,
    .counters = 4,
    .control = &umc_control,
    .find = PMON_FIND_UMC,
    .first = 0xC0010800,
    .stride = 8,
    .most = 12,
    .saturates = true,
    .clock = PMON_CLOCK_DCLK, /* event 00H: the published event files of family 19H model 10H */
    PMON_EVENTS(umc_events),
};

static const struct pmon_unit *const zen_units[] = { &l3_zen, &df_zen };
static const struct pmon_unit *const zen3_units[] = { &l3_zen3, &df_zen3 };
static const struct pmon_unit *const zen4_units[] = { &l3_zen3, &df_zen4, &umc };
const struct pmon_part pmon_zen = { .name = "Zen", .units = zen_units, .n_units = PMON_COUNT_OF(zen_units) };
const struct pmon_part pmon_zen3 = { .name = "Zen 3", .units = zen3_units, .n_units = PMON_COUNT_OF(zen3_units) };
const struct pmon_part pmon_zen4 = { .name = "Zen 4 and later",
                                     .units = zen4_units,
                                     .n_units = PMON_COUNT_OF(zen4_units) };
