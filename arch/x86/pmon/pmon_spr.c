/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sapphire Rapids, Emerald Rapids, Granite Rapids, Sierra Forest: boxes come from discovery tables (pmon_discovery.c);
 * here is what the tables do not say. Sources: Linux uncore_snbep.c (spr_*, gnr_*) and uncore_discovery.c, intel/pcm,
 * the published event files. */
#include "arch/x86/pmon/pmon_layouts.h"
#include "arch/x86/pmon/pmon_spr.h"
#include "arch/x86/pmon/pmon_tables.h"

#define EXT(x) (UINT64_C(x) << 32)

/* The counter runs with or without bit 22: Linux does not set it. */
const struct pmon_control pmon_control_spr = { .ev_sel = BITS(7, 0),
                                               .umask = BITS(15, 8),
                                               .rst = BIT(17),
                                               .edge_det = BIT(18),
                                               .ov_en = BIT(20),
                                               .en = BIT(22),
                                               .invert = BIT(23),
                                               .thresh = BITS(31, 24),
                                               .extra = BITS(63, 32),
                                               .en_unused = true };
/* The umask's extension is 63:32 in the CHA and 55:32 elsewhere. */
const struct pmon_control pmon_control_spr_wide = { .ev_sel = BITS(7, 0),
                                                    .umask = BITS(15, 8),
                                                    .rst = BIT(17),
                                                    .edge_det = BIT(18),
                                                    .ov_en = BIT(20),
                                                    .en = BIT(22),
                                                    .invert = BIT(23),
                                                    .thresh = BITS(31, 24),
                                                    .extra = BITS(55, 32),
                                                    .en_unused = true };
/* Where the control is a dword. */
const struct pmon_control pmon_control_spr_narrow = { .ev_sel = BITS(7, 0),
                                                      .umask = BITS(15, 8),
                                                      .rst = BIT(17),
                                                      .edge_det = BIT(18),
                                                      .ov_en = BIT(20),
                                                      .en = BIT(22),
                                                      .invert = BIT(23),
                                                      .thresh = BITS(31, 24),
                                                      .en_unused = true };

#define CHA_EVENTS                                                                                                     \
    { .name = "reads_local", .ev_sel = 0x50, .umask = 0x01, .bytes = 64 },                                             \
        { .name = "reads_remote", .ev_sel = 0x50, .umask = 0x02, .bytes = 64 },                                        \
        { .name = "llc_victims", .ev_sel = 0x37, .umask = 0x0F, .extra = EXT(0x20), .bytes = 64 },                     \
        { .name = "tor_all", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC001FF), .bytes = 64 },                     \
        { .name = "tor_hit", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC001FD), .bytes = 64 },                     \
        { .name = "tor_miss", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC001FE), .bytes = 64 },                    \
        { .name = "tor_miss_drd", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC817FE), .bytes = 64 },                \
        { .name = "tor_miss_rfo", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC807FE), .bytes = 64 },                \
        { .name = "tor_miss_local", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC816FE), .bytes = 64 },              \
        { .name = "tor_miss_remote", .ev_sel = 0x35, .umask = 0x01, .extra = EXT(0xC8177E), .bytes = 64 },             \
    {                                                                                                                  \
        .name = "tor_occupancy", .ev_sel = 0x36, .umask = 0x01, .extra = EXT(0xC001FF), .counters = 1                  \
    }
static const struct pmon_named cha_events[] = {
    { .name = "llc_lookup", .ev_sel = 0x34, .umask = 0xFF, .extra = EXT(0x1FFF), .bytes = 64 },
    CHA_EVENTS,
};
/* The event file of Granite Rapids has no code for all look-ups: those of lines whose home is this package. */
static const struct pmon_named gnr_cha_events[] = {
    { .name = "llc_lookup", .ev_sel = 0x34, .umask = 0xFF, .extra = EXT(0x0BDF), .bytes = 64 },
    CHA_EVENTS,
};
static const struct pmon_named imc_events[] = {
    { .name = "cas_rd", .ev_sel = 0x05, .umask = 0xCF, .bytes = 64 },
    { .name = "cas_wr", .ev_sel = 0x05, .umask = 0xF0, .bytes = 64 },
    { .name = "cas_all", .ev_sel = 0x05, .umask = 0xFF, .bytes = 64 },
    { .name = "rpq_inserts", .ev_sel = 0x10, .umask = 0x01 },
    { .name = "wpq_inserts", .ev_sel = 0x20, .umask = 0x01 },
    { .name = "rpq_occupancy", .ev_sel = 0x80 },
};
/* Sub-channels 0 and 1 have an event each: both are to be added. */
static const struct pmon_named gnr_imc_events[] = {
    { .name = "cas_rd", .ev_sel = 0x05, .umask = 0xCF, .bytes = 64 },
    { .name = "cas_rd_1", .ev_sel = 0x06, .umask = 0xCF, .bytes = 64 },
    { .name = "cas_wr", .ev_sel = 0x05, .umask = 0xF0, .bytes = 64 },
    { .name = "cas_wr_1", .ev_sel = 0x06, .umask = 0xF0, .bytes = 64 },
    { .name = "cas_all", .ev_sel = 0x05, .umask = 0xFF, .bytes = 64 },
};
static const struct pmon_named m2m_events[] = {
    { .name = "imc_reads", .ev_sel = 0x24, .umask = 0x04, .extra = EXT(0x03), .bytes = 64 },
    { .name = "imc_writes", .ev_sel = 0x25, .umask = 0x10, .extra = EXT(0x18), .bytes = 64 },
};
static const struct pmon_named upi_events[] = {
    { .name = "tx_data", .ev_sel = 0x02, .umask = 0x0F, .bytes = 64.0 / 9 },
    { .name = "rx_data", .ev_sel = 0x03, .umask = 0x0F, .bytes = 64.0 / 9 },
};

#define TYPE(label, what, ticks, umask)                                                                                \
    .name = label, .source = "discovery table", .kind = what, .clock = ticks, .clock_event = 0x01, .clock_umask = umask
#define SINGLE(label)                                                                                                  \
    {                                                                                                                  \
        TYPE(label, PMON_OTHER, PMON_CLOCK_OWN, 0)                                                                     \
    }

/* spr_uncore_iio_free_running: 340EH + 10H each, while the stacks' boxes are at 3000H + 10H each. The clocks of
 * memory controllers are a unit of their own, below. */
static const struct pmon_free io_clock = { "IO clock", 0x340E - 0x3000, 48, PMON_CLOCK_OWN, 0 };
/* gnr_uncore_iio_free_running: 290EH + 10H each, boxes at 2900H + 10H each. */
static const struct pmon_free gnr_io_clock = { "IO clock", 0x290E - 0x2900, 48, PMON_CLOCK_OWN, 0 };

/* Box types by number, as far as a table may use them. */
static const struct pmon_unit types[] = {
    [0] = { TYPE("CHA", PMON_CHA, PMON_CLOCK_UCLK, 0), PMON_EVENTS(cha_events) },
    [1] = { TYPE("IIO", PMON_OTHER, PMON_CLOCK_OWN, 0), .free_clock = &io_clock },
    [2] = SINGLE("IRP"),
    [3] = SINGLE("M2PCIe"),
    [4] = { TYPE("PCU", PMON_OTHER, PMON_CLOCK_PCU, 0) },
    [5] = { TYPE("UBox", PMON_OTHER, PMON_CLOCK_NONE, 0) },
    [6] = { TYPE("iMC", PMON_IMC, PMON_CLOCK_DCLK, 1), PMON_EVENTS(imc_events) },
    [7] = { TYPE("M2M", PMON_M2M, PMON_CLOCK_OWN, 0), PMON_EVENTS(m2m_events) },
    [8] = { TYPE("UPI", PMON_LINK, PMON_CLOCK_OWN, 0), PMON_EVENTS(upi_events) },
    [9] = SINGLE("M3UPI"),
    [11] = SINGLE("MDF"),
    [12] = { TYPE("CXLCM", PMON_OTHER, PMON_CLOCK_OWN, 2) },
    [13] = { TYPE("CXLDP", PMON_OTHER, PMON_CLOCK_OWN, 1) },
    [14] = { TYPE("HBM", PMON_OTHER, PMON_CLOCK_NONE, 0) },
    [15] = { TYPE("B2HOT", PMON_OTHER, PMON_CLOCK_OWN, 1) },
    [16] = SINGLE("B2CMI"),
    [17] = SINGLE("B2CXL"),
    [18] = SINGLE("B2UPI"),
    [20] = SINGLE("MDF_SBO"),
    [21] = { TYPE("PCIE16", PMON_OTHER, PMON_CLOCK_NONE, 0) },
    [22] = { TYPE("PCIE8", PMON_OTHER, PMON_CLOCK_NONE, 0) },
};
static const struct pmon_unit gnr_cha = { TYPE("CHA", PMON_CHA, PMON_CLOCK_UCLK, 0), PMON_EVENTS(gnr_cha_events) };
static const struct pmon_unit gnr_imc = { TYPE("iMC", PMON_IMC, PMON_CLOCK_DCLK, 1), PMON_EVENTS(gnr_imc_events) };
static const struct pmon_unit gnr_iio = { TYPE("IIO", PMON_OTHER, PMON_CLOCK_OWN, 0), .free_clock = &gnr_io_clock };
static const struct pmon_unit unknown = { TYPE("box", PMON_OTHER, PMON_CLOCK_NONE, 0) };

const struct pmon_unit *pmon_spr_type(const struct pmon_part *part, uint32_t type)
{
    if (part == &pmon_granite && type == 0)
        return &gnr_cha;
    if (part == &pmon_granite && type == 6)
        return &gnr_imc;
    if (part == &pmon_granite && type == 1)
        return &gnr_iio;
    return type < PMON_COUNT_OF(types) && types[type].name ? &types[type] : &unknown;
}

/* --- what the tables have wrong or not at all --------------------------------------------------------------------- */

/* intel/pcm types.h: control 2FD2H, counter 2FD8H, UCLK control 2FDEH, counter 2FDFH. */
static const struct pmon_unit ubox = {
    .name = "UBox",
    .source = "intel/pcm types.h SPR_UNC_UBOX",
    .kind = PMON_UBOX,
    .access = PMON_MSR,
    .counters = 2,
    .counter_bits = 48,
    .box_ctl = 0x2FD0,
    .ctl = 0x2FD2,
    .ctr = 0x2FD8,
    .fixed_ctl = 0x2FDE,
    .fixed_ctr = 0x2FDF,
    .fixed_bits = 48,
    .fixed_en = BIT(22),
    .control = &pmon_control_spr,
    .box = &pmon_box_new,
    .find = PMON_FIND_ONE,
    .idle_ev_sel = 0x42,
    .idle_umask = 0x08,
};

static const struct pmon_place upi_places[] = { AT(1, 1, 0x3241), AT(2, 1, 0x3241), MAYBE(3, 1, 0x3241),
                                                MAYBE(4, 1, 0x3241) };
static const struct pmon_place m3upi_places[] = { AT(5, 1, 0x3246), AT(6, 1, 0x3246), MAYBE(7, 1, 0x3246),
                                                  MAYBE(8, 1, 0x3246) };
#define LINK                                                                                                           \
    .counters = 4, .counter_bits = 48, .ctl_step = 8, .ctl_bytes = 8, .control = &pmon_control_spr_wide,               \
    .box = &pmon_box_new, .clock = PMON_CLOCK_OWN, .clock_event = 0x01
static const struct pmon_unit upi = {
    .name = "UPI",
    .source = "Linux uncore_snbep.c spr_uncore_upi",
    .kind = PMON_LINK,
    PMON_PLACES(upi_places),
    LINK,
    .box_ctl = 0x318,
    .ctl = 0x350,
    .ctr = 0x320,
    PMON_EVENTS(upi_events),
};
static const struct pmon_unit m3upi = {
    .name = "M3UPI",
    .source = "Linux uncore_snbep.c spr_uncore_m3upi",
    .kind = PMON_OTHER,
    PMON_PLACES(m3upi_places),
    LINK,
    .box_ctl = 0xA0,
    .ctl = 0xD8,
    .ctr = 0xA8,
};

/* From the controller's base. Where that is: Linux spr_uncore_imc_freerunning_init_box and intel/pcm UBOX0_DEV_IDS
 * agree on function 3251H and its registers. What is counted there Linux alone has; the event file names DCLK the clock
 * of event 01H umask 01H too. Of rpq_cycles and wpq_cycles no source says more than the name. */
static const struct pmon_free mc_free[] = {
    { "dclk", 0x22B0, 48, PMON_CLOCK_DCLK, 0 },
    { "rpq_cycles", 0x2318, 48, PMON_CLOCK_NONE, 0 },
    { "wpq_cycles", 0x2320, 48, PMON_CLOCK_NONE, 0 },
};
static const struct pmon_unit mc = {
    PMON_FREE_MEMORY(mc_free),
    .source = "Linux uncore_snbep.c spr_imc_freerunning",
    .one_source = true,
};

static const struct pmon_unit *const sapphire_units[] = { &ubox, &upi, &m3upi, &mc };
const struct pmon_part pmon_sapphire = {
    .name = "Sapphire Rapids",
    .units = sapphire_units,
    .n_units = PMON_COUNT_OF(sapphire_units),
    .global = { .msr = 0x2FF0, .freeze = 1, .run = 0 },
    .ubox_did = 0x3250,
    .buses = PMON_BUSES_AROUND,
    .node_id = 0xC0,
    .group = 0xD4,
    .memory_did = 0x3251,
    .discovery = true,
};
/* Granite Rapids and Sierra Forest: everything is in the tables. */
const struct pmon_part pmon_granite = { .name = "Granite Rapids",
                                        .ubox_did = 0x3250,
                                        .buses = PMON_BUSES_AROUND,
                                        .node_id = 0xC0,
                                        .group = 0xD4,
                                        .discovery = true };
