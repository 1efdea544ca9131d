/* Uncore units of each generation, as data. A new generation is a row here. */
#include "arch/x86/pmon.h"
#include "core/bits.h"

/* The programmable control has had one layout since the first of these parts: E5-2600 uncore guide (327043-001),
 * 2.2.3.2, table 2-2. EVENT_MSG (42H) with the doorbell sub-event (08H) is the event that idle machines do not have. */
#define UBOX_CONTROL                                                                                                   \
    .ev_sel = BITS(7, 0), .umask = BITS(15, 8), .rst = BIT(17), .edge_det = BIT(18), .en = BIT(22), .invert = BIT(23), \
    .thresh = BITS(28, 24), .fixed_en = BIT(22), .idle_ev_sel = 0x42, .idle_umask = 0x08

/* E5-2600 uncore guide (327043-001), 2.2.3, tables 2-1 to 2-5. The text of 2.2.2 gives the fixed counter 48 bits, table
 * 2-5 gives it 44. */
static const struct pmon_unit jaketown_ubox = {
    .name = "UBox",
    .source = "327043-001 2.2.3",
    .access = PMON_MSR,
    .counters = 2,
    .counter_bits = 44,
    .ctl = 0xC10,
    .ctr = 0xC16,
    .fixed_ctl = 0xC08,
    .fixed_ctr = 0xC09,
    .fixed_bits = 48,
    .fixed_bits_2 = 44,
    UBOX_CONTROL,
};

/* E5-2600 v2 uncore guide (329468-002): the same registers. */
static const struct pmon_unit ivytown_ubox = {
    .name = "UBox",
    .source = "329468-002 2.2",
    .access = PMON_MSR,
    .counters = 2,
    .counter_bits = 44,
    .ctl = 0xC10,
    .ctr = 0xC16,
    .fixed_ctl = 0xC08,
    .fixed_ctr = 0xC09,
    .fixed_bits = 48,
    .fixed_bits_2 = 44,
    UBOX_CONTROL,
};

/* E5-2600 v3: the registers moved. Linux takes its UBox for 44 bits wide, other tools for 48. */
static const struct pmon_unit haswell_ubox = {
    .name = "UBox",
    .source = "Linux uncore_snbep.c hswep_uncore_ubox",
    .access = PMON_MSR,
    .counters = 2,
    .counter_bits = 48,
    .counter_bits_2 = 44,
    .ctl = 0x705,
    .ctr = 0x709,
    .fixed_ctl = 0x703,
    .fixed_ctr = 0x704,
    .fixed_bits = 48,
    .fixed_bits_2 = 44,
    UBOX_CONTROL,
};

static const struct pmon_unit broadwell_ubox = {
    .name = "UBox",
    .source = "Linux uncore_snbep.c bdx_uncore_ubox",
    .access = PMON_MSR,
    .counters = 2,
    .counter_bits = 48,
    .ctl = 0x705,
    .ctr = 0x709,
    .fixed_ctl = 0x703,
    .fixed_ctr = 0x704,
    .fixed_bits = 48,
    UBOX_CONTROL,
};

static const struct {
    uint32_t family, model;
    const struct pmon_unit *ubox;
} parts[] = {
    { 6, 0x2D, &jaketown_ubox },  /* E5-2600         */
    { 6, 0x3E, &ivytown_ubox },   /* E5-2600 v2, E7 v2 */
    { 6, 0x3F, &haswell_ubox },   /* E5-2600 v3, E7 v3 */
    { 6, 0x4F, &broadwell_ubox }, /* E5-2600 v4, E7 v4 */
    { 6, 0x56, &broadwell_ubox }, /* Xeon D-1500       */
};

const struct pmon_unit *const pmon_ubox_units[] = { &jaketown_ubox, &ivytown_ubox, &haswell_ubox, &broadwell_ubox };
const uint32_t pmon_n_ubox_units = sizeof pmon_ubox_units / sizeof pmon_ubox_units[0];

const struct pmon_unit *pmon_ubox_of(const struct cpu_identity *id)
{
    if (id->vendor != VENDOR_INTEL)
        return NULL;
    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].family == id->family && parts[i].model == id->model)
            return parts[i].ubox;
    return NULL;
}
