/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Clients and the Xeons that are made of them (E3, E, W-1000): a CBo for each slice, the arbiter (ARB) between the slices
 * and memory, a fixed counter of the uncore's clock, and free-running counters of the memory controllers. No box has a
 * control: a counter counts while its own enable and that of the global control are set. Sources: SDM vol. 3B 18.9.6
 * (old numbering) "Uncore Performance Monitoring Facilities in Intel Core i7-2xxx"; Linux uncore_snb.c, which has the
 * later parts as well; intel/pcm bw.cpp, of the free-running counters; the published event files. */
#include "arch/x86/pmon_parts/pmon_layouts.h"

#define LINUX "Linux uncore_snb.c "

/* --- slices ------------------------------------------------------------------------------------------------------- */

/* The umask of LLC_LOOKUP is a state (3:0) and a requester (7:4), of which each needs the other. Event files from Ice
 * Lake on have no event of the slices. */
static const struct pmon_named lookups[] = { { .name = "llc_lookup", .ev_sel = 0x34, .umask = 0x8F, .bytes = 64 } };

/* ADL_UNC_RAW_EVENT_MASK: a threshold of six bits. */
static const struct pmon_control control_6 = { PMON_FIELDS, .ov_en = BIT(20), .thresh = BITS(29, 24) };

#define REGISTERS(n, bits, its_ctl, its_ctr, its_control)                                                              \
    BRACED(.access = PMON_MSR, .counters = (n), .counter_bits = (bits), .ctl = (its_ctl), .ctr = (its_ctr),            \
           .control = &(its_control))
#define CBO(layout, origin, its_location, ...)                                                                         \
    PMON_UNIT("CBo", LINUX origin, PMON_CHA, layout, its_location, __VA_ARGS__)
#define LOOKUPS PMON_EVENTS(PMON_NAMED(lookups), .qualified_ev_sel = 0x34)

/* Linux has four counters of each slice from Skylake on; the event files have two. */
static const struct pmon_layout snb_cbo_layout = REGISTERS(2, 44, 0, 6, pmon_control_5);
static const struct pmon_unit snb_cbo = CBO(snb_cbo_layout, "snb_uncore_cbox", PMON_PROBE(0x700, 0x10, 4), LOOKUPS);
/* 770H and on are IA32_PM_ENABLE and its like: the eighth slice is elsewhere (uncore.h, CFL_UNC_CBO_7_PERFEVTSEL0). */
static const uint16_t skl_bases[] = { 0x700, 0x710, 0x720, 0x730, 0x740, 0x750, 0x760, 0xF70 };
static const struct pmon_unit skl_cbo = CBO(snb_cbo_layout, "skl_uncore_cbox", PMON_PROBE_BASES(skl_bases), LOOKUPS);
static const struct pmon_layout icl_cbo_layout = REGISTERS(2, 44, 0, 2, pmon_control_5);
static const struct pmon_unit icl_cbo = CBO(icl_cbo_layout, "icl_uncore_cbox", PMON_PROBE(0x700, 8, 8));
static const struct pmon_layout adl_cbo_layout = REGISTERS(2, 44, 0, 2, control_6);
static const struct pmon_unit adl_cbo = CBO(adl_cbo_layout, "adl_uncore_cbox", PMON_PROBE(0x2000, 8, 15));
static const struct pmon_layout mtl_layout = REGISTERS(2, 48, 0, 6, control_6);
static const struct pmon_unit mtl_cbo = CBO(mtl_layout, "mtl_uncore_cbox", PMON_PROBE(0x2442, 0x10, 15));
static const struct pmon_unit lnl_cbo = CBO(mtl_layout, "lnl_uncore_cpu_init", PMON_PROBE(0x2442, 0x10, 4));

/* --- arbiters ----------------------------------------------------------------------------------------------------- */

/* UNC_ARB_TRK_REQUESTS.ALL, UNC_ARB_COH_TRK_REQUESTS.ALL, UNC_ARB_TRK_OCCUPANCY.ALL: the last by counter 0 alone,
 * snb_uncore_arb_constraints. */
#define REQUESTS BRACED(.name = "trk_requests", .ev_sel = 0x81, .umask = 0x01)
#define COHERENT BRACED(.name = "coh_trk_requests", .ev_sel = 0x84, .umask = 0x01)
static const struct pmon_named arb_events[] = {
    REQUESTS, COHERENT, { .name = "trk_occupancy", .ev_sel = 0x80, .umask = 0x01, .counters = 1 }
};
static const struct pmon_named icl_arb_events[] = { REQUESTS, COHERENT };
static const struct pmon_named hac_arb_events[] = { REQUESTS,
                                                    { .name = "transactions", .ev_sel = 0x8A, .umask = 0x01 },
                                                    { .name = "reads", .ev_sel = 0x8A, .umask = 0x02 },
                                                    { .name = "writes", .ev_sel = 0x8A, .umask = 0x04 } };
static const struct pmon_named hac_cbo_events[] = { { .name = "tor_allocation", .ev_sel = 0x35, .umask = 0x08 } };

#define OTHER(label, layout, origin, ...) PMON_UNIT(label, LINUX origin, PMON_OTHER, layout, __VA_ARGS__)
#define ARB(layout, origin, rows)         OTHER("ARB", layout, origin, PMON_ONE, PMON_EVENTS(PMON_NAMED(rows)))
static const struct pmon_layout snb_arb_layout = REGISTERS(2, 44, 0x3B2, 0x3B0, pmon_control_5);
static const struct pmon_unit snb_arb = ARB(snb_arb_layout, "snb_uncore_arb", arb_events);
static const struct pmon_layout icl_arb_layout = REGISTERS(1, 44, 0x3B3, 0x3B1, pmon_control_5);
static const struct pmon_unit icl_arb = ARB(icl_arb_layout, "icl_uncore_arb", icl_arb_events);
static const struct pmon_unit adl_arb =
    OTHER("ARB", icl_cbo_layout, "adl_uncore_arb", PMON_PROBE(0x2FD0, 8, 2), PMON_EVENTS(PMON_NAMED(arb_events)));
/* No event file has one that these count. */
static const struct pmon_unit mtl_arb = OTHER("ARB", mtl_layout, "mtl_uncore_arb", PMON_PROBE(0x2412, 0x10, 2));
static const struct pmon_unit hac_arb = OTHER("HAC_ARB", mtl_layout, "mtl_uncore_hac_arb", PMON_PROBE(0x2012, 0x10, 2),
                                              PMON_EVENTS(PMON_NAMED(hac_arb_events)));
static const struct pmon_unit hac_cbo = OTHER("HAC_CBO", mtl_layout, "mtl_uncore_hac_cbox", PMON_PROBE(0x2042, 0x10, 2),
                                              .perf = "hac_cbox", PMON_EVENTS(PMON_NAMED(hac_cbo_events)));

/* --- the uncore's clock ------------------------------------------------------------------------------------------- */

/* UNC_CLOCK.SOCKET: a fixed counter and no other. */
#define CLOCK(its_ctl, its_ctr, ...)                                                                                   \
    BRACED(.access = PMON_MSR, .control = &pmon_control_5, PMON_FIXED_AT(its_ctl, its_ctr, UCLK), __VA_ARGS__)
static const struct pmon_layout snb_clock_layout = CLOCK(0x394, 0x395, .ctl = 0x394);
static const struct pmon_unit snb_clock = OTHER("NCU", snb_clock_layout, "snb_uncore_cbox", PMON_ONE, .perf = "cbox");
static const struct pmon_unit icl_clock = OTHER("NCU", snb_clock_layout, "icl_uncore_clockbox", PMON_ONE);
static const struct pmon_layout adl_clock_layout = CLOCK(0x2FDE, 0x2FDF, .ctl = 0x2FDE);
static const struct pmon_unit adl_clock = OTHER("NCU", adl_clock_layout, "adl_uncore_clockbox", PMON_ONE);
/* On Meteor Lake the clocks of two dies, each with a control that enables its counters. */
static const struct pmon_box_control enable = { .run = BIT(29) };
static const struct pmon_layout cncu_layout = CLOCK(0x2402, 0x2408, .box_ctl = 0x240E, .box = &enable);
static const struct pmon_unit cncu = OTHER("cNCU", cncu_layout, "mtl_uncore_cncu", PMON_ONE);
static const struct pmon_layout sncu_layout = { .access = PMON_MSR,
                                                .control = &pmon_control_5,
                                                PMON_FIXED_AT(0x2002, 0x2008, OWN),
                                                .box_ctl = 0x200E,
                                                .box = &enable };
static const struct pmon_unit sncu = OTHER("sNCU", sncu_layout, "mtl_uncore_sncu", PMON_ONE);

/* --- memory controllers ------------------------------------------------------------------------------------------- */

/* Lines that all read and wrote; up to Rocket Lake of one pair of counters, with those of graphics, processors and I/O
 * apart. Tiger Lake and later: each of two controllers, 10000H apart. */
static const struct pmon_free snb_free[] = {
    { "ddr_rd", 0x5050, 32, PMON_CLOCK_NONE, 64 },      { "ddr_wr", 0x5054, 32, PMON_CLOCK_NONE, 64 },
    { "gt_requests", 0x5040, 32, PMON_CLOCK_NONE, 64 }, { "ia_requests", 0x5044, 32, PMON_CLOCK_NONE, 64 },
    { "io_requests", 0x5048, 32, PMON_CLOCK_NONE, 64 },
};
#define DATA(at)                                                                                                       \
    BRACED("ddr_all", (at) + 0x40, 64, PMON_CLOCK_NONE, 64), BRACED("ddr_rd", (at) + 0x58, 64, PMON_CLOCK_NONE, 64),   \
        BRACED("ddr_wr", (at) + 0xA0, 64, PMON_CLOCK_NONE, 64)
static const struct pmon_free tgl_u_free[] = { DATA(0x5000) };
static const struct pmon_free tgl_free[] = { DATA(0xD800) };
static const struct pmon_layout snb_free_layout = PMON_FREE_LAYOUT(snb_free);
static const struct pmon_layout tgl_u_free_layout = PMON_FREE_LAYOUT(tgl_u_free);
static const struct pmon_layout tgl_free_layout = PMON_FREE_LAYOUT(tgl_free);
#define MC(layout, origin, n, ...)                                                                                     \
    PMON_UNIT("MC", LINUX origin "; intel/pcm bw.cpp", PMON_FREE, layout,                                              \
              PMON_FOUND(.find = PMON_FIND_BAR, .first = 0x48, .stride = 0x10000, .most = (n)), __VA_ARGS__)
static const struct pmon_unit snb_mc = MC(snb_free_layout, "snb_uncore_imc", 1, .perf = "imc");
static const struct pmon_unit tgl_u_mc = MC(tgl_u_free_layout, "tgl_l_uncore_imc_freerunning", 2);
static const struct pmon_unit tgl_mc = MC(tgl_free_layout, "tgl_uncore_imc_freerunning, adl_uncore_imc_freerunning", 2);

/* --- parts -------------------------------------------------------------------------------------------------------- */

/* MSR_UNC_PERF_GLOBAL_CTRL: EN is bit 29; Linux selects processors for interrupts as well, PMI_SEL_Core. */
#define GLOBAL(at, cores) .global = { .msr = (at), .run = BIT(29) | (cores) }
/* MSR_UNC_CBO_CONFIG: how many slices there are, icl_get_cbox_num(). */
#define SLICES .capabilities = { .slices_msr = 0x396, .slices_bits = BITS(3, 0), .slices_msr_by = "MSR 396H" }
#define PART(part, label, its_models, its_units, ...)                                                                  \
    const struct pmon_part part = {                                                                                    \
        .name = label, PMON_MODELS(its_models), PMON_UNITS(its_units), .no_guide = true, __VA_ARGS__                   \
    }

static const struct pmon_model snb_models[] = { PMON_INTEL6(0x2A), PMON_INTEL6(0x3A), PMON_INTEL6(0x3C),
                                                PMON_INTEL6(0x45), PMON_INTEL6(0x46), PMON_INTEL6(0x3D),
                                                PMON_INTEL6(0x47) };
static const struct pmon_unit *const snb_units[] = { &snb_cbo, &snb_arb, &snb_clock, &snb_mc };
PART(pmon_client_snb, "Sandy Bridge to Broadwell client", snb_models, snb_units, GLOBAL(0x391, BITS(3, 0)));

static const struct pmon_model skl_models[] = { PMON_INTEL6(0x4E), PMON_INTEL6(0x5E), PMON_INTEL6(0x8E),
                                                PMON_INTEL6(0x9E), PMON_INTEL6(0xA5), PMON_INTEL6(0xA6) };
static const struct pmon_unit *const skl_units[] = { &skl_cbo, &snb_arb, &snb_clock, &snb_mc };
PART(pmon_client_skl, "Client Skylake to Comet Lake", skl_models, skl_units, GLOBAL(0xE01, BITS(4, 0)));

/* Linux writes no global control there. */
static const struct pmon_model icl_models[] = { PMON_INTEL6(0x7D), PMON_INTEL6(0x7E), PMON_INTEL6(0x9D) };
static const struct pmon_unit *const icl_units[] = { &icl_cbo, &icl_arb, &icl_clock, &snb_mc };
PART(pmon_client_icl, "Client Ice Lake", icl_models, icl_units, SLICES);

static const struct pmon_model tgl_u_models[] = { PMON_INTEL6(0x8C) };
static const struct pmon_unit *const tgl_u_units[] = { &icl_cbo, &snb_arb, &icl_clock, &tgl_u_mc };
PART(pmon_client_tgl_u, "Tiger Lake-U", tgl_u_models, tgl_u_units, GLOBAL(0xE01, 0), SLICES);
static const struct pmon_model tgl_models[] = { PMON_INTEL6(0x8D) };
static const struct pmon_unit *const tgl_units[] = { &icl_cbo, &snb_arb, &icl_clock, &tgl_mc };
PART(pmon_client_tgl, "Tiger Lake-H", tgl_models, tgl_units, GLOBAL(0xE01, 0), SLICES);
static const struct pmon_model rkl_models[] = { PMON_INTEL6(0xA7) };
static const struct pmon_unit *const rkl_units[] = { &icl_cbo, &snb_arb, &icl_clock, &snb_mc };
PART(pmon_client_rkl, "Rocket Lake", rkl_models, rkl_units, GLOBAL(0xE01, 0), SLICES);

static const struct pmon_model adl_models[] = { PMON_INTEL6(0x97), PMON_INTEL6(0x9A), PMON_INTEL6(0xB7),
                                                PMON_INTEL6(0xBA), PMON_INTEL6(0xBF), PMON_INTEL6(0xBE) };
static const struct pmon_unit *const adl_units[] = { &adl_cbo, &adl_arb, &adl_clock, &tgl_mc };
PART(pmon_client_adl, "Alder and Raptor Lake", adl_models, adl_units, GLOBAL(0x2FF0, 0), SLICES);

static const struct pmon_model mtl_models[] = { PMON_INTEL6(0xAA), PMON_INTEL6(0xAC), PMON_INTEL6(0xB5),
                                                PMON_INTEL6(0xC5), PMON_INTEL6(0xC6) };
static const struct pmon_unit *const mtl_units[] = { &mtl_cbo, &mtl_arb, &hac_arb, &hac_cbo, &cncu, &sncu, &tgl_mc };
PART(pmon_client_mtl, "Meteor and Arrow Lake", mtl_models, mtl_units, SLICES);

static const struct pmon_model lnl_models[] = { PMON_INTEL6(0xBD) };
static const struct pmon_unit *const lnl_units[] = { &lnl_cbo, &mtl_arb, &tgl_mc };
PART(pmon_client_lnl, "Lunar Lake", lnl_models, lnl_units, GLOBAL(0x240E, 0));

/* The rest is in discovery tables, whose global control is frozen from power-on: uncore_mmio_global_init(). */
#define TABLES(at) .discovery = &(at), .global.freeze = BIT(0)
static const struct pmon_unit ptl_cbo = CBO(mtl_layout, "ptl_uncore_cpu_init", PMON_PROBE(0x2442, 0x10, 6));
static const struct pmon_model ptl_models[] = { PMON_INTEL6(0xCC), PMON_INTEL6(0xD5), PMON_INTEL6(0xE5) };
static const struct pmon_unit *const ptl_units[] = { &ptl_cbo, &tgl_mc };
PART(pmon_client_ptl, "Panther and Wildcat Lake", ptl_models, ptl_units, .global = { .msr = 0x240E, .run = BIT(29) },
     TABLES(pmon_discovery_ptl));

static const struct pmon_model nvl_models[] = {
    { .vendor = VENDOR_INTEL, .family = 0x12, .first = 0x00, .last = 0xFF }
};
static const struct pmon_unit *const nvl_units[] = { &tgl_mc };
PART(pmon_client_nvl, "Nova Lake", nvl_models, nvl_units, TABLES(pmon_discovery_nvl));
