/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AMD Zen: L3 of each core complex, data fabric, and from Zen 4 on memory channels. No box control and no clock event.
 * Sources: Linux arch/x86/events/amd/uncore.c; likwid for the DRAM events of the data fabric, from
 * Zen 4 on tools/perf/pmu-events/arch/x86/amdzen4 and amdzen5, data-fabric.json. */
#include "arch/x86/pmon_parts/pmon_layouts.h"

#define SOURCE "Linux arch/x86/events/amd/uncore.c"

/* --- layouts ------------------------------------------------------------------------------------------------------ */

/* Family 17H: slice mask 51:48, thread mask 63:56. Family 19H: all slices 46, all cores 47, slice 50:48, thread mask 57:56. */
static const struct pmon_control l3_17h = { .ev_sel = BITS(7, 0),
                                            .umask = BITS(15, 8),
                                            .en = BIT(22),
                                            .ones = BITS(63, 56) | BITS(51, 48),
                                            .slices = BITS(51, 48) };
static const struct pmon_control l3_19h = { .ev_sel = BITS(7, 0),
                                            .umask = BITS(15, 8),
                                            .en = BIT(22),
                                            .ones = BITS(57, 56) | BIT(47) | BIT(46),
                                            .slices = BITS(50, 48),
                                            .all_slices = BIT(46) };
/* Event bits 13:12 are apart from 11:8: they are given as extra. */
static const struct pmon_control df = {
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .en = BIT(22), .ev_sel_ext = BITS(35, 32), .extra = BITS(60, 59)
};
static const struct pmon_control df_v2 = {
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .en = BIT(22), .ev_sel_ext = BITS(37, 32), .umask_ext = BITS(27, 24)
};
/* Its read and write mask is a code: 0 all, 1 reads, 2 writes. */
static const struct pmon_control umc_control = {
    .ev_sel = BITS(7, 0), .umask = BITS(9, 8), .en = BIT(31), .umask_is_number = true
};

/* Control and counter alternate. */
#define PAIRS(n)                                                                                                       \
    .access = PMON_MSR, .counters = (n), .counter_bits = 48, .ctl = 0, .ctl_step = 2, .ctr = 1, .ctr_step = 2
static const struct pmon_layout l3_17h_layout = { PAIRS(6), .control = &l3_17h };
static const struct pmon_layout l3_19h_layout = { PAIRS(6), .control = &l3_19h };
static const struct pmon_layout df_layout = { PAIRS(4), .control = &df };
static const struct pmon_layout df_v2_layout = { PAIRS(4), .control = &df_v2 };
/* As many counters as each channel has by CPUID 80000022H. They do not wrap: they stop, and set bit 48. */
static const struct pmon_layout umc_layout = { PAIRS(4), .control = &umc_control, .saturates = true };

/* --- events ------------------------------------------------------------------------------------------------------- */

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
    { .name = "dram_4", .ev_sel = 0x107, .umask = 0x38, .bytes = 64 },
    { .name = "dram_5", .ev_sel = 0x147, .umask = 0x38, .bytes = 64 },
    { .name = "dram_6", .ev_sel = 0x187, .umask = 0x38, .bytes = 64 },
    { .name = "dram_7", .ev_sel = 0x1C7, .umask = 0x38, .bytes = 64 },
};
/* Lines read and written by anyone over one memory channel. Zen 5's event file has them by these codes (FFEH, FFFH); Zen 4's
 * has each by its requester, 7FEH local and BFEH remote, of which FFEH is both. */
#define DF_DRAM(n, direction, umask_)                                                                                  \
    BRACED(.name = "dram_" direction "_" #n, .ev_sel = 0x1F + 0x40 * (n), .umask = umask_, .bytes = 64)
#define DF_CHANNELS(...)                                                                                               \
    DF_DRAM(0, __VA_ARGS__), DF_DRAM(1, __VA_ARGS__), DF_DRAM(2, __VA_ARGS__), DF_DRAM(3, __VA_ARGS__),                \
        DF_DRAM(4, __VA_ARGS__), DF_DRAM(5, __VA_ARGS__), DF_DRAM(6, __VA_ARGS__), DF_DRAM(7, __VA_ARGS__),            \
        DF_DRAM(8, __VA_ARGS__), DF_DRAM(9, __VA_ARGS__), DF_DRAM(10, __VA_ARGS__), DF_DRAM(11, __VA_ARGS__)
static const struct pmon_named df_zen4_events[] = { DF_CHANNELS("rd", 0xFFE), DF_CHANNELS("wr", 0xFFF) };
static const struct pmon_named umc_events[] = {
    { .name = "cas_all", .ev_sel = 0x0A, .umask = 0x00, .bytes = 64 },
    { .name = "cas_rd", .ev_sel = 0x0A, .umask = 0x01, .bytes = 64 },
    { .name = "cas_wr", .ev_sel = 0x0A, .umask = 0x02, .bytes = 64 },
};

/* Eight channels, four counters. */
static const struct pmon_channel df_channels[] = {
    { .channel = CHANNEL(0), .all = "dram_0" },
    { .channel = CHANNEL(1), .all = "dram_1" },
    { .channel = CHANNEL(2), .all = "dram_2" },
    { .channel = CHANNEL(3), .all = "dram_3" },
    { .channel = CHANNEL(4), .all = "dram_4", .round = 1 },
    { .channel = CHANNEL(5), .all = "dram_5", .round = 1 },
    { .channel = CHANNEL(6), .all = "dram_6", .round = 1 },
    { .channel = CHANNEL(7), .all = "dram_7", .round = 1 },
};

/* Two events of each of twelve channels, sixteen counters. */
#define DF_CHANNEL(n, its_round)                                                                                       \
    BRACED(.channel = CHANNEL(n), .rd = "dram_rd_" #n, .wr = "dram_wr_" #n, .round = its_round)
static const struct pmon_channel df_zen4_channels[] = {
    DF_CHANNEL(0, 0), DF_CHANNEL(1, 0), DF_CHANNEL(2, 0), DF_CHANNEL(3, 0), DF_CHANNEL(4, 0),  DF_CHANNEL(5, 0),
    DF_CHANNEL(6, 0), DF_CHANNEL(7, 0), DF_CHANNEL(8, 1), DF_CHANNEL(9, 1), DF_CHANNEL(10, 1), DF_CHANNEL(11, 1),
};

/* --- units -------------------------------------------------------------------------------------------------------- */

/* CPUID 80000001H ECX: PerfCtrExtNB, PerfCtrExtLLC (APM vol. 3 E.4.2; Linux amd_uncore_df_ctx_init(), amd_uncore_l3_ctx_init()). */
#define PERF_CTR_EXT_NB  24
#define PERF_CTR_EXT_LLC 28

#define L3(its_layout)                                                                                                 \
    PMON_UNIT("L3", SOURCE, PMON_L3, its_layout,                                                                       \
              PMON_FOUND(.find = PMON_FIND_CCX, .first = 0xC0010230, .feature = PERF_CTR_EXT_LLC),                     \
              PMON_EVENTS(PMON_NAMED(l3_events)))
#define DF(how, its_layout, ...)                                                                                       \
    PMON_UNIT("DF", SOURCE, PMON_DF, its_layout,                                                                       \
              PMON_FOUND(.find = how, .first = 0xC0010240, .feature = PERF_CTR_EXT_NB), PMON_EVENTS(__VA_ARGS__))
static const struct pmon_unit l3_zen = L3(l3_17h_layout);
static const struct pmon_unit l3_zen3 = L3(l3_19h_layout);
static const struct pmon_unit df_zen =
    DF(PMON_FIND_ONE, df_layout, PMON_NAMED(df_zen_events), PMON_CHANNELS(df_channels));
/* Zen 2 and Zen 3. */
static const struct pmon_unit df_zen3 =
    DF(PMON_FIND_ONE, df_layout, PMON_NAMED(df_zen3_events), PMON_CHANNELS(df_channels));
/* Memory channels are the UMCs' to count: the data fabric sees the same lines again. */
static const struct pmon_unit df_zen4 =
    DF(PMON_FIND_DF, df_v2_layout, PMON_NAMED(df_zen4_events), PMON_CHANNELS(df_zen4_channels), .channels_again = true);
/* No public source has an event of it: Linux' amdzen6 has files of the core, the L3 and the UMCs, and none of the fabric. */
static const struct pmon_unit df_zen6 = DF(PMON_FIND_DF, df_v2_layout, .clock = PMON_CLOCK_NONE);
/* As many channels as CPUID 80000022H:ECX has bits. Event 00H is DCLK: the published event files of family 19H model 10H. */
static const struct pmon_unit umc =
    PMON_UNIT("UMC", SOURCE, PMON_UMC, umc_layout,
              PMON_FOUND(.find = PMON_FIND_UMC, .first = 0xC0010800, .stride = 8, .most = 32),
              PMON_EVENTS(.clock = PMON_CLOCK_DCLK, PMON_NAMED(umc_events), PMON_CHANNELS(pmon_imc_channels)));

/* --- parts -------------------------------------------------------------------------------------------------------- */

static const struct pmon_unit *const zen_units[] = { &l3_zen, &df_zen };
static const struct pmon_unit *const zen2_units[] = { &l3_zen, &df_zen3 };
static const struct pmon_unit *const zen3_units[] = { &l3_zen3, &df_zen3 };
static const struct pmon_unit *const zen4_units[] = { &l3_zen3, &df_zen4, &umc };
static const struct pmon_unit *const zen6_units[] = { &l3_zen3, &df_zen6, &umc };

/* Family 17H holds Zen (models 00H-2FH, 50H-5FH) and Zen 2. Family 18H is Hygon's, of Zen up
 * to model 03H; later models have another format of events (OpenCloudOS, "Add DF PMU support for Hygon family 18h model 4-7h and
 * 10h") and are left out. Family 19H holds Zen 3 (models
 * 00H-0FH, 20H-5FH and from B0H on) and Zen 4 (10H-1FH, 60H-AFH), family 1AH Zen 5 (Linux pmu-events mapfile.csv) and else Zen 6.
 * Later families are as it where CPUID 80000022H enumerates counters, as Linux takes them. */
#define AMD(its_family, from, to) BRACED(.vendor = VENDOR_AMD, .family = (its_family), .first = (from), .last = (to))
static const struct pmon_model zen_models[] = { AMD(0x17, 0x00, 0x2F), AMD(0x17, 0x50, 0x5F), AMD(0x18, 0x00, 0x03) };
static const struct pmon_model zen2_models[] = { AMD(0x17, 0x30, 0x4F), AMD(0x17, 0x60, 0xFF) };
static const struct pmon_model zen3_models[] = { AMD(0x19, 0x00, 0x0F), AMD(0x19, 0x20, 0x5F), AMD(0x19, 0xB0, 0xFF) };
static const struct pmon_model zen4_models[] = { AMD(0x19, 0x10, 0x1F), AMD(0x19, 0x60, 0xAF), AMD(0x1A, 0x00, 0x2F),
                                                 AMD(0x1A, 0x40, 0x4F), AMD(0x1A, 0x60, 0x7F) };
static const struct pmon_model zen6_models[] = { AMD(0x1A, 0x30, 0x3F), AMD(0x1A, 0x50, 0x5F), AMD(0x1A, 0x80, 0xFF),
                                                 AMD(0x1B, 0x00, 0xFF), AMD(0x1C, 0x00, 0xFF) };
/* Each die of Naples is a node and has a data fabric: Linux 5.0 amd_uncore_cpu_starting() keeps one for each node id of
 * CPUID 8000001EH:ECX. */
const struct pmon_part pmon_zen = { .name = "Zen", PMON_MODELS(zen_models), PMON_UNITS(zen_units), .by_die = true };
const struct pmon_part pmon_zen2 = { .name = "Zen 2", PMON_MODELS(zen2_models), PMON_UNITS(zen2_units) };
const struct pmon_part pmon_zen3 = { .name = "Zen 3", PMON_MODELS(zen3_models), PMON_UNITS(zen3_units) };
const struct pmon_part pmon_zen4 = { .name = "Zen 4 and Zen 5", PMON_MODELS(zen4_models), PMON_UNITS(zen4_units) };
const struct pmon_part pmon_zen6 = { .name = "Zen 6 and later", PMON_MODELS(zen6_models), PMON_UNITS(zen6_units) };
