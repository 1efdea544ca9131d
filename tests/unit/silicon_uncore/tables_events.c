/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the silicon counts against Intel's event files: tests/fixtures/uncore/events.tsv. An event that asks for a row of
 * the silicon has a name that says what the row's source counts, and the counters that may count it. */
#include "core/base/bits.h"
#include "tests/silicon/uncore_parts/uncore_server.h"
#include "tests/support/data/uncore_rows.h"

#include <criterion/criterion.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct excused excused[] = {
    { "IVT IRP CLOCKTICKS on counters", "as on Haswell-EP" },
    { "IVT iMC event 0x8[01] umask 0 exists", "files of Sandy Bridge-EP and Skylake-SP have it" },
    { "HSX IRP CLOCKTICKS on counters", "the box's four are two of each IRP (E7 v2 datasheet vol. 2, 13.2.4.6)" },
    { "BD[XW]* IRP CLOCKTICKS on counters", "as on Haswell-EP" },
    { "BD[XW]* PCU POWER_STATE_OCCUPANCY.* on counters", "not on counter 0 by Linux (bdx_uncore_pcu_constraints)" },
    { "BDX PCU event 0x[b-e] umask 0 exists", "Linux offers the bands (hswep_uncore_pcu)" },
    { "BDW-DE PCU event 0x[b-e] umask 0 exists", "as on Broadwell-EP" },
    { "SNR PCU event 0x[b-e] umask 0 exists", "Linux offers the bands (snr_uncore_pcu)" },
    { "[SIC][KCL]X PCU event 0x[b-e] umask 0 exists", "Linux offers the bands (skx_uncore_pcu)" },
    { "[HB][SD]X QPI event 0x1 umask 0x[24] exists", "Sandy Bridge-EP's file has them" },
    { "[HB][SD][XW]* iMC event 0x20 umask 0 exists", "files of Sandy Bridge-EP and Skylake-SP have it" },
    { "[HB][SD][XW]* iMC event 0x8[01] umask 0 exists", "files of Sandy Bridge-EP and Skylake-SP have it" },
    { "JKT HA event 0x17 umask 0x1 exists", "Ivy Bridge-EP's file has it" },
    { "GRR PCU event 0x35 umask 0 exists", "as on Sierra Forest, whose file has it" },
    { "KNL U-box event 0x42 umask 0x8 exists", "as on Haswell-EP: the file has no U-box" },
    { "[SC][KL]X M2PCIe event 0x1 umask 0 exists", "the file has no M2PCIe" },
};

/* A pseudo channel of one of two sub-channels. */
#define PSEUDO_OF(way, queue, sub, channel)                                                                            \
    BRACED(source_pseudo, UINT64_MAX, PSEUDO_##way | SUB_##sub | PSEUDO_##channel,                                     \
           { queue "_INSERTS.SCH" #sub "_PCH" #channel, queue "_INSERTS.PCH" #channel,                                 \
             queue "_OCCUPANCY_SCH" #sub "_PCH" #channel })
#define NAMES 6u
static const struct {
    uncore_source *source;
    uint64_t mask, arg;       /* rows whose arg has these bits under mask */
    const char *names[NAMES]; /* without "UNC_" and the unit's letters */
} meanings[] = {
    { source_clock, 0, 0, { "*CLOCKTICKS*", "CLOCK" } },
    { source_spr_clock, 0, 0, { "CLOCKTICKS", "HCLOCKTICKS" } },
    { source_message, 0, 0, { "EVENT_MSG.*" } },
    { source_cas_read,
      0,
      0,
      { "CAS_COUNT.RD*", "CAS_COUNT.ALL", "ACT_COUNT.RD", "RPQ_INSERTS", "RPQ_OCCUPANCY", "IMC_READS.*" } },
    { source_cas_write,
      0,
      0,
      { "CAS_COUNT.WR*", "CAS_COUNT.ALL", "ACT_COUNT.WR", "WPQ_INSERTS", "WPQ_OCCUPANCY", "IMC_WRITES.*" } },
    { source_cas, 0, 0, { "ACT_COUNT", "PRE_COUNT.PAGE_CLOSE" } },
    { source_spr_cas, UINT64_MAX, 0, { "CAS_COUNT.*" } },
    { source_spr_cas, UINT64_MAX, SUB_0, { "CAS_COUNT_SCH0.*" } },
    { source_spr_cas, UINT64_MAX, SUB_1, { "CAS_COUNT_SCH1.*" } },
    { source_home, HOME_READ, HOME_READ, { "REQUESTS.READS*" } },
    { source_home, HOME_WRITE, HOME_WRITE, { "REQUESTS.WRITES*" } },
    { source_home_match, 0, 0, { "ADDR_OPC_MATCH.*" } },
    { source_packets, 0, 0, { "CTO_COUNT", "MATCH_MASK", "MESSAGE.*" } },
    { source_cha_home, HOME_READ, HOME_READ, { "REQUESTS.READS*" } },
    { source_cha_home, HOME_WRITE, HOME_WRITE, { "REQUESTS.WRITES*" } },
    { source_cha_memory, 1, 0, { "IMC_READS_COUNT.*" } },
    { source_cha_memory, 1, 1, { "IMC_WRITES_COUNT.*" } },
    { source_m2m, M2M_WRITES, 0, { "IMC_READS.*" } },
    { source_m2m, M2M_WRITES, M2M_WRITES, { "IMC_WRITES.*" } },
    { source_e5_lookup, 0, 0, { "LLC_LOOKUP.*" } },
    { source_skx_lookup, 0, 0, { "LLC_LOOKUP.*" } },
    { source_icx_lookup, 0, 0, { "LLC_LOOKUP.*" } },
    { source_victim, UINT64_MAX, BIT(3), { "LLC_VICTIMS.M_STATE" } },
    { source_victim, UINT64_MAX, BIT(2), { "LLC_VICTIMS.E_STATE" } },
    { source_victim, UINT64_MAX, BIT(1), { "LLC_VICTIMS.S_STATE", "LLC_VICTIMS.I_STATE" } },
    { source_victim, UINT64_MAX, BIT(4), { "LLC_VICTIMS.F_STATE" } },
    { source_skx_victim, 0, 0, { "LLC_VICTIMS.*" } },
    { source_icx_victim, 0, 0, { "LLC_VICTIMS.*" } },
    { source_e5_tor, 0, 0, { "TOR_INSERTS.*", "TOR_OCCUPANCY.*" } },
    { source_skx_tor, 0, 0, { "TOR_INSERTS.*", "TOR_OCCUPANCY.*" } },
    { source_icx_tor, 0, 0, { "TOR_INSERTS.*", "TOR_OCCUPANCY.*" } },
    { source_pseudo, PSEUDO_READ | PSEUDO_0, PSEUDO_READ | PSEUDO_0, { "RPQ_INSERTS.PCH0", "RPQ_OCCUPANCY_PCH0" } },
    { source_pseudo, PSEUDO_READ | PSEUDO_1, PSEUDO_READ | PSEUDO_1, { "RPQ_INSERTS.PCH1", "RPQ_OCCUPANCY_PCH1" } },
    { source_pseudo, PSEUDO_WRITE | PSEUDO_0, PSEUDO_WRITE | PSEUDO_0, { "WPQ_INSERTS.PCH0", "WPQ_OCCUPANCY_PCH0" } },
    { source_pseudo, PSEUDO_WRITE | PSEUDO_1, PSEUDO_WRITE | PSEUDO_1, { "WPQ_INSERTS.PCH1", "WPQ_OCCUPANCY_PCH1" } },
    PSEUDO_OF(READ, "RPQ", 0, 0),
    PSEUDO_OF(READ, "RPQ", 0, 1),
    PSEUDO_OF(READ, "RPQ", 1, 0),
    PSEUDO_OF(READ, "RPQ", 1, 1),
    PSEUDO_OF(WRITE, "WPQ", 0, 0),
    PSEUDO_OF(WRITE, "WPQ", 0, 1),
    PSEUDO_OF(WRITE, "WPQ", 1, 0),
    PSEUDO_OF(WRITE, "WPQ", 1, 1),
    { source_config, 1, CONFIG_READ, { "TXN_REQ_BY_CPU.CFG_READ.*", "DATA_REQ_BY_CPU.CFG_READ.*" } },
    { source_config, 1, CONFIG_WRITE, { "TXN_REQ_BY_CPU.CFG_WRITE.*", "DATA_REQ_BY_CPU.CFG_WRITE.*" } },
    { source_device_writes, 0, 0, { "DATA_REQ_OF_CPU.MEM_WRITE.*" } },
    { source_data_flits, 1, 0, { "TxL_FLITS_G0.DATA", "TxL_FLITS_G1.DRS", "TxL_FLITS_G1.DRS_DATA" } },
    { source_data_flits, 1, 1, { "RxL_FLITS_G0.DATA", "RxL_FLITS_G1.DRS", "RxL_FLITS_G1.DRS_DATA" } },
    { source_other_flits, 1, 0, { "TxL_FLITS_G0.NON_DATA" } },
    { source_other_flits, 1, 1, { "RxL_FLITS_G0.NON_DATA" } },
    { source_upi, 1, 0, { "TxL_FLITS.*" } },
    { source_upi, 1, 1, { "RxL_FLITS.*" } },
    { source_upi_headers, 1, 0, { "TxL_BASIC_HDR_MATCH.*", "TxL_HDR_MATCH.*" } },
    { source_upi_headers, 1, 1, { "RxL_BASIC_HDR_MATCH.*", "RxL_HDR_MATCH.*" } },
    { source_band, UINT64_MAX, 0, { "FREQ_BAND0_CYCLES" } },
    { source_band, UINT64_MAX, 1, { "FREQ_BAND1_CYCLES" } },
    { source_band, UINT64_MAX, 2, { "FREQ_BAND2_CYCLES" } },
    { source_band, UINT64_MAX, 3, { "FREQ_BAND3_CYCLES" } },
    { source_core_states, 0, 0, { "POWER_STATE_OCCUPANCY.*", "POWER_STATE_OCCUPANCY_CORES_C0" } },
};

/* A row of events.tsv. */
struct event_row {
    const char *part, *unit, *name;
    uint64_t number, umask; /* with the extended select, as struct uncore_event has it */
    uint32_t counters;
};

static uint64_t cell(const struct tsv *t, uint32_t n, const char *column)
{
    return strtoull(tsv_get(t, n, column), NULL, 16);
}

static struct event_row event_at(const struct tsv *t, uint32_t n)
{
    struct event_row e = { tsv_get(t, n, "part"),
                           tsv_get(t, n, "unit"),
                           strchr(tsv_get(t, n, "event") + 4, '_') + 1,
                           cell(t, n, "code") | cell(t, n, "ext_sel") << 8,
                           cell(t, n, "umask"),
                           0 };

    for (const char *at = tsv_get(t, n, "counters"); *at; at++)
        if (*at >= '0' && *at <= '9')
            e.counters |= 1u << (*at - '0');
    return e;
}

static bool means(const struct uncore_event *row, const char *name)
{
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        if (meanings[i].source != row->source || (row->arg & meanings[i].mask) != meanings[i].arg)
            continue;
        for (size_t k = 0; k < NAMES && meanings[i].names[k]; k++)
            if (fnmatch(meanings[i].names[k], name, 0) == 0)
                return true;
    }
    return false;
}

/* The umask as the part's control has it: of the PCU's occupancy events only bits 7:6. */
static uint64_t umask_of(const struct uncore_box_type *t, uint64_t umask)
{
    return field_get(t->ctl->umask, umask << 8);
}

static void compare_event(struct compared *c, const struct uncore_row *r, const struct uncore_event *row,
                          const struct event_row *e)
{
    uint32_t all = (uint32_t)low_bits(r->boxes->counters);
    char what[96];

    snprintf(what, sizeof what, "%s is counted", e->name);
    uncore_same(c, r, what, means(row, e->name), 1);
    snprintf(what, sizeof what, "%s on counters", e->name);
    uncore_same(c, r, what, row->counters ? row->counters & all : all, e->counters & all);
}

static bool is_asked(const struct uncore_box_type *t, const struct uncore_event *row, const struct event_row *e)
{
    return row->ev_sel == e->number && (!row->umask || (row->umask & umask_of(t, e->umask)));
}

/* Every row that events of the file ask for; true: some does. */
static bool compare_rows(struct compared *c, const struct tsv *events, const struct uncore_row *r,
                         const struct uncore_event *row)
{
    bool asked = false;

    for (uint32_t n = 0; n < tsv_rows(events); n++) {
        struct event_row e = event_at(events, n);

        if (strcmp(e.part, r->part) != 0 || !uncore_unit_is_called(r->boxes->unit, e.unit) ||
            !is_asked(r->boxes, row, &e) || strstr(e.name, "FREERUN") || e.counters == 0)
            continue;
        asked = true;
        compare_event(c, r, row, &e);
    }
    return asked;
}

/* Clocks of the box that the fixed counter counts. */
static void compare_fixed(struct compared *c, const struct tsv *events, const struct uncore_row *r)
{
    for (uint32_t n = 0; n < tsv_rows(events); n++) {
        struct event_row e = event_at(events, n);

        if (strcmp(e.part, r->part) != 0 || !uncore_unit_is_called(r->boxes->unit, e.unit) ||
            strcmp(tsv_get(events, n, "counters"), "FIXED") != 0)
            continue;
        uncore_same(c, r, "fixed counter", r->boxes->fixed_divisor ? r->boxes->fixed_divisor : 1,
                    fnmatch("HCLOCKTICKS*", e.name, 0) == 0 ? 2 : 1);
    }
}

Test(tables, events_are_those_of_the_event_files)
{
    struct tsv *events = uncore_events();
    struct compared c = { .excused = excused, .n_excused = sizeof excused / sizeof excused[0] };

    for (uint32_t i = 0; uncore_tables_at(i); i++) {
        const struct uncore_part *p = uncore_tables_at(i)->silicon;
        const char *part = uncore_tables_at(i)->events;

        for (uint32_t k = 0; part && k < p->n_types; k++) {
            struct uncore_row r = { .table = events, .part = part, .box = p->types[k]->name, .boxes = p->types[k] };

            if (r.boxes->fixed_bits)
                compare_fixed(&c, events, &r);
            for (uint32_t n = 0; n < r.boxes->n_events; n++) {
                char what[64];

                snprintf(what, sizeof what, "event %#x umask %#x exists", r.boxes->events[n].ev_sel,
                         (uint32_t)r.boxes->events[n].umask);
                uncore_same(&c, &r, what, compare_rows(&c, events, &r, &r.boxes->events[n]), 1);
            }
        }
    }
    compared_end(&c, 1500);
    tsv_free(events);
}
