/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_client.c: the monitors of clients and of Xeon E: Coffee Lake and Alder Lake.
 *
 * Sources: Linux uncore_snb.c (skl_*, adl_*), SDM vol. 4 table 2-39 "Uncore PMU MSRs" of the 6th generation, public event
 * files of Skylake and Alder Lake.
 *
 * - Bit 29 of the global control runs all counters by MSR; bits 4:0 choose cores for interrupts and are kept. With bit 31
 *   an overflow freezes (SDM; Coffee Lake alone). Its status has a bit each for the fixed counter, ARB and all CBos.
 * - A CBo of Coffee Lake has two counters (SDM, event file; Linux takes four), and the eighth lies elsewhere (Linux). MSR
 *   396H has the number of CBos, and one more of it on Coffee Lake (SDM: "derive value by subtracting 1").
 * - ARB: all requests of cores are reads and writes of memory; there is no graphics and no I/O. TRK_OCCUPANCY, on counter 0.
 * - Memory controllers: free-running counters of lines in the window that 48H of the host bridge gives, Coffee Lake's of
 *   32 bits. Alder Lake's have counters beside them, with a control of each controller, whose global one is not modelled.
 * - The host bridge is at 0:0.0, but in QEMU, whose own is there.
 * - Clocks are assumptions.
 */
#include "tests/silicon/uncore/model_uncore_internal.h"
#include "tests/silicon/uncore_parts/uncore_e5.h"

#define WINDOW      UINT64_C(0x20000)
#define RUN         BIT(29)
#define CONTROLLER  0x10000u /* from one to the next */
#define CHANNELS    2u       /* of each */
#define LINES_READ  1u
#define LINES_WROTE 2u

/* Lines of the channels of the box' controller. arg: LINES_* bits. */
uint64_t source_client_lines(const struct uncore_look *l, uint64_t arg)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < CHANNELS; i++) {
        uint32_t channel = l->box->index * CHANNELS + i;

        sum += (arg & LINES_READ ? source_cas_read(l, channel + 1) : 0) +
               (arg & LINES_WROTE ? source_cas_write(l, channel + 1) : 0);
    }
    return sum;
}

/* CACHE_LOOKUP: states in umask bits 3:0 (I, S, E, M), reads 10H, writes 20H, both 80H. */
static uint64_t source_client_lookup(const struct uncore_look *l, uint64_t)
{
    uint64_t umask = field_get(l->box->type->ctl->umask, l->ctl), kinds, states;

    kinds = (umask & 0x90 ? BITS(2, 0) : 0) | (umask & 0xA0 ? BIT(3) : 0);
    states = (umask & 1 ? BIT(3) : 0) | (umask & 2 ? BIT(2) : 0) | (umask & 4 ? BIT(1) | BIT(4) : 0) |
             (umask & 8 ? BIT(0) : 0);
    return kinds && states ? source_lookup(l, kinds | SLICE_STATES(states)) : 0;
}

#define FIELDS(thresh_)                                                                                                \
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .edge_det = BIT(18), .ov_en = BIT(20), .en = BIT(22),                  \
    .invert = BIT(23), .thresh = (thresh_), .fixed_en = BIT(22), .fixed_ov_en = BIT(20)
static const struct uncore_ctl narrow_ctl = { FIELDS(BITS(28, 24)) }, wide_ctl = { FIELDS(BITS(29, 24)) };

static const struct uncore_event cbo_events[] = { EVENT(0x34, 0, source_client_lookup) };
#define TRACKER(umask_, source_)                                                                                       \
    EVENT(0x80, umask_, source_, .arg = UNCORE_ALL, .cycles = TOR_MISS_CLOCKS, .most = TOR_ENTRIES,                    \
          .counters = BIT(0)),                                                                                         \
        EVENT(0x81, umask_, source_, .arg = UNCORE_ALL)
static const struct uncore_event arb_events[] = {
    TRACKER(BIT(0), source_cas),
    TRACKER(BIT(1), source_cas_read),
    EVENT(0x81, BIT(5), source_cas_write, .arg = UNCORE_ALL),
};

#define BY_MSR(name_, unit_, counters_, ctl_, regs_, events_)                                                          \
    MONITOR_BITS(name_, unit_, counters_, 44, ctl_, NULL, regs_, events_), .run_by = RUN

/* The fixed counter, in a box of its own. */
#define CLOCK(regs_)                                                                                                   \
    .name = "clock", .unit = UNIT_UBOX, .count = 1, .ctl = &narrow_ctl, .fixed_bits = 48, .run_by = RUN,               \
    .status_fixed = 32, ROWS(regs_)

static uint64_t source_cbos(const struct uncore_look *l, uint64_t more)
{
    return uncore_slices(l->m) + more;
}

/* The low or the high dword of the window's base address, with its enable. */
static uint64_t source_window(const struct uncore_look *l, uint64_t high)
{
    uint64_t base = MODEL_MMIO_BASE + l->box->package * WINDOW;

    return high ? base >> 32 : (base & UINT32_MAX) | 1;
}
static const struct uncore_reg bridge_regs[] = { REG(VALUE, 0x48, .source = source_window),
                                                 REG(VALUE, 0x4C, .source = source_window, .arg = 1) };
#define BRIDGE(name_, did_)                                                                                            \
    static const struct uncore_place name_##_places[] = { PCI_AT(0, 0, did_, 0) };                                     \
    static const struct uncore_box_type name_ = { .name = "host bridge",                                               \
                                                  .unit = UNIT_FUNCTION,                                               \
                                                  PLACES(name_##_places),                                              \
                                                  .count = 1,                                                          \
                                                  .pci_class = 0x060000,                                               \
                                                  ROWS(bridge_regs) }

/* --- Coffee Lake */

static const struct uncore_place cfl_cbo_places[] = { { .base = 0x700 }, { .base = 0x710 }, { .base = 0x720 },
                                                      { .base = 0x730 }, { .base = 0x740 }, { .base = 0x750 },
                                                      { .base = 0x760 }, { .base = 0xF70 } };
BOX_TYPE(cfl_cbo,
         BY_MSR("CBo", UNIT_CBO, 2, &narrow_ctl, REG_LIST(REG_RUN(CTL, 0x0, 2, 1), REG_RUN(CTR, 0x6, 2, 1)),
                cbo_events),
         .number = uncore_slices, .places = cfl_cbo_places, .n_places = COUNT_OF(cfl_cbo_places), .global_first = 3,
         .global_share = COUNT_OF(cfl_cbo_places));
BOX_TYPE(cfl_arb,
         BY_MSR("ARB", UNIT_CLIENT, 2, &narrow_ctl, REG_LIST(REG_RUN(CTR, 0x0, 2, 1), REG_RUN(CTL, 0x2, 2, 1)),
                arb_events),
         .count = 1, .base = 0x3B0, .global_first = 1);
BOX_TYPE(cfl_clock, CLOCK(REG_LIST(REG(FIXED_CTL, 0x394), REG(FIXED_CTR, 0x395),
                                   REG(VALUE, 0x396, .source = source_cbos, .arg = 1), REG(GLOBAL_CTL, 0xE01),
                                   REG(GLOBAL_STATUS, 0xE02, .mask = BIT(3) | BITS(1, 0)))));
static const struct uncore_reg cfl_memory_regs[] = {
    REG(VALUE, 0x5040), /* of graphics; of cores; of I/O; data read; written */
    REG(FREE, 0x5044, .mask = BITS(31, 0), .source = source_client_lines, .arg = LINES_READ | LINES_WROTE),
    REG(VALUE, 0x5048),
    REG(FREE, 0x5050, .mask = BITS(31, 0), .source = source_client_lines, .arg = LINES_READ),
    REG(FREE, 0x5054, .mask = BITS(31, 0), .source = source_client_lines, .arg = LINES_WROTE),
};
BOX_TYPE(cfl_memory, .name = "iMC free-running", .unit = UNIT_FUNCTION, .access = UNCORE_MMIO, .count = 1,
         ROWS(cfl_memory_regs));
BRIDGE(cfl_bridge, 0x3E31);

const struct uncore_part uncore_cfl = {
    OF_TYPES(TYPE_LIST(&cfl_cbo, &cfl_arb, &cfl_clock, &cfl_memory, &cfl_bridge)),
    .pci_buses = 1,
    .bus_zero = true,
    .mmio_bytes = WINDOW,
    .global_kept = BIT(31) | RUN | BITS(4, 0),
    .global_report = GLOBAL_REPORT_UNITS,
    .freezes_on_overflow = true,
    .freezes_if = BIT(31),
};

/* --- Alder Lake */

static const struct uncore_reg adl_regs[] = { REG_RUN(CTL, 0x0, 2, 1), REG_RUN(CTR, 0x2, 2, 1) };
BOX_TYPE(adl_cbo, BY_MSR("CBo", UNIT_CBO, 2, &wide_ctl, adl_regs, cbo_events), .number = uncore_slices, .base = 0x2000,
         .step = 0x8);
/* Two: requests go through the first one alone, an assumption. */
static const struct uncore_box_type adl_arb = { BY_MSR("ARB", UNIT_CLIENT, 2, &narrow_ctl, adl_regs, arb_events),
                                                .count = 1, .base = 0x2FD0 },
                                    adl_idle_arb = { .name = "ARB 1",
                                                     .unit = UNIT_CLIENT,
                                                     .counters = 2,
                                                     .counter_bits = 44,
                                                     .ctl = &narrow_ctl,
                                                     .run_by = RUN,
                                                     .count = 1,
                                                     .base = 0x2FD8,
                                                     ROWS(adl_regs) };
BOX_TYPE(adl_clock, CLOCK(REG_LIST(REG(VALUE, 0x396, .source = source_cbos), REG(FIXED_CTL, 0x2FDE),
                                   REG(FIXED_CTR, 0x2FDF), REG(GLOBAL_CTL, 0x2FF0))));
static const struct uncore_box_ctl adl_controller_box = { .frz = BIT(0), .rst_ctrl = BIT(1), .rst_ctrs = BIT(2) };
static const struct uncore_event adl_controller_events[] = {
    EVENT(0x01, 0, source_clock),
    EVENT(0x02, 0, source_client_lines, .arg = LINES_READ),
    EVENT(0x03, 0, source_client_lines, .arg = LINES_WROTE),
    EVENT(0x22, 0, source_client_lines, .arg = LINES_READ),
    EVENT(0x23, 0, source_client_lines, .arg = LINES_WROTE),
};
BOX_TYPE(adl_controller,
         MONITOR_BITS("iMC", UNIT_CLIENT, 5, 63,
                      CONTROL(.ev_sel = BITS(7, 0), .edge_det = BIT(18), .kept = BITS(11, 8)), &adl_controller_box,
                      REG_LIST(REG(BOX_CTL, 0xC4), REG_RUN(CTL, 0xD0, 5, 4), REG_RUN(CTR, 0xE8, 5, 8, .bytes = 8)),
                      adl_controller_events),
         .access = UNCORE_MMIO, .count = 2, .base = 0xD900, .step = CONTROLLER, .clock = CLOCK_DCLK);
BOX_TYPE(adl_memory, .name = "iMC free-running", .unit = UNIT_FUNCTION, .access = UNCORE_MMIO, .count = 2,
         .base = 0xD800, .step = CONTROLLER,
         ROWS(REG_LIST(REG(FREE, 0x40, .bytes = 8, .source = source_client_lines, .arg = LINES_READ | LINES_WROTE),
                       REG(FREE, 0x58, .bytes = 8, .source = source_client_lines, .arg = LINES_READ),
                       REG(FREE, 0xA0, .bytes = 8, .source = source_client_lines, .arg = LINES_WROTE))));
BRIDGE(adl_bridge, 0x4650);

const struct uncore_part uncore_adl = {
    OF_TYPES(TYPE_LIST(&adl_cbo, &adl_arb, &adl_idle_arb, &adl_clock, &adl_controller, &adl_memory, &adl_bridge)),
    .hz = { [CLOCK_DCLK] = UINT64_C(1600000000) },
    .pci_buses = 1,
    .bus_zero = true,
    .mmio_bytes = WINDOW,
    .global_kept = RUN,
};
