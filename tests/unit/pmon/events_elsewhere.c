/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every event that the tree counts held to Intel's event files, and the counters it may use to Linux' constraints:
 * tests/fixtures/uncore. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/pmon/pmon.h"
#include "core/base/bits.h"
#include "tests/support/data/uncore_rows.h"

/* Units that are not called as in the tree. */
static const char *const units[][2] = { { "QPI", "QPI LL" }, { "UPI", "UPI LL" }, { "HBM", "MCHBM" } };

/* What Intel calls the events of the tree's units, after what all names of a unit begin with. "CLOCK": the unit's clock event;
 * "IDLE": the one that idle machines do not have. Where files use several names, each is there. */
static const struct {
    const char *unit, *prefix, *names;
} names[] = {
    { "UBox", "UNC_U_",
      " IDLE=EVENT_MSG.DOORBELL_RCVD ipi_rcvd=EVENT_MSG.IPI_RCVD vlw_rcvd=EVENT_MSG.VLW_RCVD"
      " msi_rcvd=EVENT_MSG.MSI_RCVD doorbell_rcvd=EVENT_MSG.DOORBELL_RCVD int_prio=EVENT_MSG.INT_PRIO"
      " lock_cycles=LOCK_CYCLES phold_cycles=PHOLD_CYCLES.ASSERT_TO_ACK FIXED=CLOCKTICKS" },
    { "CBo", "UNC_C_",
      " CLOCK=CLOCKTICKS llc_lookup=LLC_LOOKUP.DATA_READ llc_lookup_any=LLC_LOOKUP.ANY"
      " llc_victims_m=LLC_VICTIMS.M_STATE tor_all=TOR_INSERTS.ALL tor_miss=TOR_INSERTS.MISS_ALL"
      " tor_miss_drd=TOR_INSERTS.MISS_OPCODE tor_miss_rfo=TOR_INSERTS.MISS_OPCODE"
      " tor_evictions=TOR_INSERTS.EVICTION tor_miss_local=TOR_INSERTS.MISS_LOCAL"
      " tor_miss_remote=TOR_INSERTS.MISS_REMOTE tor_occupancy=TOR_OCCUPANCY.ALL" },
    { "SBo", "UNC_S_", " CLOCK=CLOCKTICKS" },
    { "CHA", "UNC_H_", " CLOCK=U_CLOCKTICKS" },
    { "HA", "UNC_H_",
      " addr_match=ADDR_OPC_MATCH.ADDR opc_match=ADDR_OPC_MATCH.OPC addr_opc_match=ADDR_OPC_MATCH.FILT"
      " CLOCK=CLOCKTICKS reads=REQUESTS.READS reads_local=REQUESTS.READS_LOCAL"
      " reads_remote=REQUESTS.READS_REMOTE writes=REQUESTS.WRITES imc_reads=IMC_READS.NORMAL"
      " imc_writes=IMC_WRITES.ALL" },
    { "QPI", "UNC_Q_",
      " packets=CTO_COUNT CLOCK=CLOCKTICKS tx_data=TxL_FLITS_G1.DRS_DATA rx_data=RxL_FLITS_G1.DRS_DATA"
      " tx_ncb=TxL_FLITS_G2.NCB_DATA rx_ncb=RxL_FLITS_G2.NCB_DATA" },
    { "UPI", "UNC_UPI_",
      " hdr_req=TxL_BASIC_HDR_MATCH.REQ hdr_data=TxL_BASIC_HDR_MATCH.RSP_DATA"
      " hdr_ncb=TxL_BASIC_HDR_MATCH.NCB CLOCK=CLOCKTICKS tx_data=TxL_FLITS.ALL_DATA"
      " rx_data=RxL_FLITS.ALL_DATA" },
    { "iMC_UCLK", "UNC_M_", " CLOCK=U_CLOCKTICKS" },
    { "iMC_DCLK", "UNC_M_", " CLOCK=D_CLOCKTICKS cas_rd=CAS_COUNT.RD cas_wr=CAS_COUNT.WR cas_all=CAS_COUNT.ALL" },
    { "EDC_UCLK", "UNC_E_", " CLOCK=U_CLOCKTICKS" },
    { "EDC_ECLK", "UNC_E_", " CLOCK=E_CLOCKTICKS rpq_inserts=RPQ_INSERTS wpq_inserts=WPQ_INSERTS" },
    { "CHA", "UNC_CHA_",
      " CLOCK=CLOCKTICKS llc_lookup=LLC_LOOKUP.ALL llc_lookup=LLC_LOOKUP.DATA_READ"
      " llc_lookup=LLC_LOOKUP.LOCALLY_HOMED_ADDRESS llc_lookup_any=LLC_LOOKUP.ANY"
      " llc_victims=LLC_VICTIMS.ALL llc_victims=LLC_VICTIMS.LOCAL_ALL tor_all=TOR_INSERTS.IA"
      " tor_hit=TOR_INSERTS.IA_HIT tor_miss=TOR_INSERTS.IA_MISS tor_miss_drd=TOR_INSERTS.IA_MISS_DRD"
      " tor_miss_drd=TOR_INSERTS.IA_MISS_DRd tor_miss_drd=TOR_INSERTS.IA_MISS_DRD_OPT"
      " tor_miss_local=TOR_INSERTS.IA_MISS tor_miss_remote=TOR_INSERTS.IA_MISS"
      " tor_miss_local=TOR_INSERTS.IA_MISS_DRD_OPT_LOCAL tor_miss_remote=TOR_INSERTS.IA_MISS_DRD_OPT_REMOTE"
      " tor_miss_rfo=TOR_INSERTS.IA_MISS_RFO tor_miss_local=TOR_INSERTS.IA_MISS_DRD_LOCAL"
      " tor_miss_remote=TOR_INSERTS.IA_MISS_DRD_REMOTE tor_occupancy=TOR_OCCUPANCY.IA"
      " reads_local=REQUESTS.READS_LOCAL reads_remote=REQUESTS.READS_REMOTE" },
    { "PCU", "UNC_P_",
      " CLOCK=CLOCKTICKS freq_band_0=FREQ_BAND0_CYCLES freq_band_1=FREQ_BAND1_CYCLES"
      " freq_band_2=FREQ_BAND2_CYCLES freq_band_3=FREQ_BAND3_CYCLES cores_c0=POWER_STATE_OCCUPANCY.CORES_C0"
      " cores_c3=POWER_STATE_OCCUPANCY.CORES_C3 cores_c6=POWER_STATE_OCCUPANCY.CORES_C6"
      " cores_c0=POWER_STATE_OCCUPANCY_CORES_C0 cores_c3=POWER_STATE_OCCUPANCY_CORES_C3"
      " cores_c6=POWER_STATE_OCCUPANCY_CORES_C6" },
    { "iMC", "UNC_M_",
      " CLOCK=CLOCKTICKS CLOCK=DCLOCKTICKS FIXED=HCLOCKTICKS FIXED=CLOCKTICKS_F cas_rd=CAS_COUNT.RD"
      " cas_wr=CAS_COUNT.WR cas_all=CAS_COUNT.ALL cas_rd=CAS_COUNT_SCH0.RD cas_wr=CAS_COUNT_SCH0.WR"
      " cas_all=CAS_COUNT_SCH0.ALL cas_rd_1=CAS_COUNT_SCH1.RD cas_wr_1=CAS_COUNT_SCH1.WR"
      " rpq_inserts=RPQ_INSERTS rpq_inserts=RPQ_INSERTS.PCH0 wpq_inserts=WPQ_INSERTS"
      " wpq_inserts=WPQ_INSERTS.PCH0 cas_pch0=CAS_COUNT.PCH0 cas_pch1=CAS_COUNT.PCH1"
      " rpq_inserts_1=RPQ_INSERTS.PCH1 wpq_inserts_1=WPQ_INSERTS.PCH1 rpq_occupancy_1=RPQ_OCCUPANCY_PCH1"
      " rpq_occupancy=RPQ_OCCUPANCY rpq_occupancy=RPQ_OCCUPANCY_PCH0" },
    { "M2M", "UNC_M2M_",
      " CLOCK=CLOCKTICKS imc_reads=IMC_READS.ALL imc_writes=IMC_WRITES.ALL"
      " directory_updates=DIRECTORY_UPDATE.ANY" },
    { "HBM", "UNC_MCHBM_",
      " CLOCK=CLOCKTICKS cas_rd=CAS_COUNT.RD cas_wr=CAS_COUNT.WR cas_all=CAS_COUNT.ALL"
      " cas_pch0=CAS_COUNT.PCH0 cas_pch1=CAS_COUNT.PCH1 rpq_inserts=RPQ_INSERTS.PCH0"
      " rpq_inserts_1=RPQ_INSERTS.PCH1 wpq_inserts=WPQ_INSERTS.PCH0 wpq_inserts_1=WPQ_INSERTS.PCH1"
      " rpq_occupancy=RPQ_OCCUPANCY_PCH0 rpq_occupancy_1=RPQ_OCCUPANCY_PCH1" },
    { "B2CMI", "UNC_B2CMI_", " imc_reads=IMC_READS.ALL imc_writes=IMC_WRITES.ALL CLOCK=CLOCKTICKS" },
    { "IIO", "UNC_IIO_",
      " CLOCK=CLOCKTICKS config_reads=TXN_REQ_BY_CPU.CFG_READ.PART0"
      " config_read_dwords=DATA_REQ_BY_CPU.CFG_READ.PART0" },
    { "IRP", "UNC_I_", " CLOCK=CLOCKTICKS" },
    { "R2PCIe", "UNC_R2_", " CLOCK=CLOCKTICKS" },
    { "R3QPI", "UNC_R3_", " CLOCK=CLOCKTICKS" },
    { "M2PCIe", "UNC_M2P_", " CLOCK=CLOCKTICKS" },
    { "M3UPI", "UNC_M3UPI_", " CLOCK=CLOCKTICKS" },
    { "MDF", "UNC_MDF_", " CLOCK=CLOCKTICKS" },
    { "CXLCM", "UNC_CXLCM_", " CLOCK=CLOCKTICKS" },
    { "CXLDP", "UNC_CXLDP_", " CLOCK=CLOCKTICKS" },
    { "B2HOT", "UNC_B2HOT_", " CLOCK=CLOCKTICKS" },
    { "B2CXL", "UNC_B2CXL_", " CLOCK=CLOCKTICKS" },
    { "B2UPI", "UNC_B2UPI_", " CLOCK=CLOCKTICKS" },
};

static const struct excused differences[] = {
    { "* CBo llc_victims", "its umask is that of the sub-events of all states, or'ed" },
    { "??? CBo tor_miss", "its umask is ALL (08H) and the miss bit (02H), as JKT has it in MISS_ALL" },
    { "BDW-DE CBo tor_miss", "as HSX" },
    { "BDW-DE R3QPI *", "boards show its functions and Linux drives them; the event file is of a part without links" },
    { "* iMC rpq_occupancy", "327043-001 and 329468-002 have it, this file does not" },
    { "* iMC wpq_inserts", "327043-001 and 329468-002 have it, this file does not" },
    { "BD*PCU freq_band_?", "Linux has it: the filter's masks of hswep_uncore_pcu, bdx_uncore_pcu" },
    { "[SCI][KLC]X PCU freq_band_?", "Linux has it: the filter's masks of skx_uncore_pcu" },
    { "SNR PCU freq_band_?", "Linux has it: the filter's masks of snr_uncore_pcu" },
    { "snr cha tor_occupancy constraint", "Linux lets any counter count it, the event file counter 0 alone" },
    { "BD* PCU cores_c? counters", "Linux does not use counter 0: bdx_uncore_pcu_constraints" },
    { "SPR UPI hdr_*", "the files before and after it have it: UNC_UPI_TxL_BASIC_HDR_MATCH" },
    { "EMR UPI hdr_*", "as SPR" },
    { "GRR UBox IDLE", "as SRF, whose file has it" },
    { "GRR CHA reads_remote", "one package: nothing is remote; as SRF" },
    { "GRR CHA tor_miss_remote", "as reads_remote" },
    { "GRR PCU cores_c?", "as SRF, whose file has it" },
    { "GRR UPI *", "it has no links; types that no table lists are not used" },
    { "GRR MDF CLOCK", "as UPI: its file has no MDF" },
    { "GRR B2HOT CLOCK", "as UPI: its file has none" },
    { "GRR B2CXL CLOCK", "as UPI: its file has none" },
    { "GRR B2UPI CLOCK", "as UPI: its file has none" },
    { "[SC]?X M2PCIe CLOCK", "the file has no M2PCIe; the code is that of R2PCIe before and of M2PCIe after it" },
};
static struct compared all = { .excused = differences, .n_excused = sizeof differences / sizeof differences[0] };

struct event_of { /* an event of a unit, under the file of one part */
    const struct tsv *table;
    const char *file;
    const struct pmon_unit *unit;
    const struct pmon_named *event;
};

/* --- the file's row ----------------------------------------------------------------------------------------------- */

static bool of_unit(const struct pmon_unit *unit, const char *theirs)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i][0], unit->name) == 0)
            return strcmp(units[i][1], theirs) == 0;
    return strcasecmp(unit->name, theirs) == 0;
}

static bool row_named(const struct event_of *e, const char *name, uint32_t *row)
{
    for (*row = 0; *row < tsv_rows(e->table); (*row)++)
        if (strcmp(tsv_get(e->table, *row, "part"), e->file) == 0 &&
            of_unit(e->unit, tsv_get(e->table, *row, "unit")) && strcmp(tsv_get(e->table, *row, "event"), name) == 0)
            return true;
    return false;
}

static uint64_t number(const struct event_of *e, uint32_t row, const char *column)
{
    const char *cell = tsv_get(e->table, row, column);

    return cell ? strtoull(cell, NULL, 0) : 0;
}

/* The umask's extension: what the masks of ports and flow classes leave of the bits above. */
static uint64_t extension(const struct event_of *e)
{
    const struct pmon_control *f = e->unit->layout ? e->unit->layout->control : NULL;

    return (f ? e->event->extra & ~(f->ch_mask | f->fc_mask) : e->event->extra) >> 32;
}

static bool row_is_alike(const struct event_of *e, uint32_t row)
{
    return (number(e, row, "code") | number(e, row, "ext_sel") << 8) == e->event->ev_sel &&
           number(e, row, "umask") == e->event->umask && number(e, row, "umask_ext") == extension(e);
}

/* Where the file has several of its names, the one whose codes are the tree's, else the first. */
static bool row_of(const struct event_of *e, uint32_t *row)
{
    uint32_t n = 0, at;
    char ours[64], theirs[96];

    snprintf(ours, sizeof ours, " %s=", e->event->name);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *pair = strcmp(names[i].unit, e->unit->name) == 0 ? strstr(names[i].names, ours) : NULL;

        for (; pair; pair = strstr(pair + 1, ours)) {
            const char *name = pair + strlen(ours);

            snprintf(theirs, sizeof theirs, "%s%.*s", names[i].prefix, (int)strcspn(name, " "), name);
            if (row_named(e, theirs, &at) && (n++ == 0 || row_is_alike(e, at)))
                *row = at;
        }
    }
    return n > 0;
}

/* "0,1,3" */
static uint32_t counters_there(const struct event_of *e, uint32_t row)
{
    uint32_t mask = 0;

    for (const char *at = tsv_get(e->table, row, "counters"); at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        mask |= UINT32_C(1) << strtoul(at, NULL, 10);
    return mask;
}

/* "CBoFilter1[28:20]", "Filter1": the event needs bits of it, and of no other. */
static bool filter_as_there(const struct pmon_named *event, const char *filter)
{
    const char *name = filter ? strstr(filter, "Filter") : NULL, *bits = name ? strchr(name, '[') : NULL;
    uint32_t ours;
    char *end;

    if (name == NULL)
        return event->filter0 == 0 && event->filter1 == 0;
    if (bits == NULL)
        return (name[6] == '1' ? event->filter1 : event->filter0) != 0;
    ours = bits[-1] == '1' ? event->filter1 : event->filter0;
    unsigned long high = strtoul(bits + 1, &end, 10), low = strtoul(end + 1, NULL, 10);
    return ours != 0 && (ours & ~BITS(high, low)) == 0;
}

/* --- comparing ---------------------------------------------------------------------------------------------------- */

/* Those that all sources are to agree on. */
static uint32_t sure_counters(const struct pmon_unit *unit)
{
    return ((UINT32_C(1) << unit->layout->counters) - 1) & ~unit->layout->counters_unsure;
}

static uint32_t counters_here(const struct pmon_unit *unit, const struct pmon_named *event)
{
    return event->counters ? event->counters : sure_counters(unit);
}

static void compare_event(const struct event_of *e)
{
    char where[96], ours[96], theirs[96];
    uint32_t row;

    snprintf(where, sizeof where, "%s %s %s", e->file, e->unit->name, e->event->name);
    snprintf(ours, sizeof ours, "event %#x umask %#x ext %#llx", e->event->ev_sel, e->event->umask,
             (unsigned long long)extension(e));
    if (!row_of(e, &row)) {
        compared_text(&all, where, ours, NULL);
        return;
    }
    snprintf(theirs, sizeof theirs, "event %#llx umask %#llx ext %#llx",
             (unsigned long long)(number(e, row, "code") | number(e, row, "ext_sel") << 8),
             (unsigned long long)number(e, row, "umask"), (unsigned long long)number(e, row, "umask_ext"));
    compared_text(&all, where, ours, theirs);
    if (e->unit->kind == PMON_CHA && !filter_as_there(e->event, tsv_get(e->table, row, "filter"))) {
        strcat(where, " filter");
        compared_text(&all, where, "another", tsv_get(e->table, row, "filter"));
    }
    if (e->unit->layout == NULL) /* the machine's discovery table has the number of counters */
        return;
    snprintf(where, sizeof where, "%s %s %s counters", e->file, e->unit->name, e->event->name);
    snprintf(ours, sizeof ours, "%#x", counters_here(e->unit, e->event));
    snprintf(theirs, sizeof theirs, "%#x", counters_there(e, row) & ~e->unit->layout->counters_unsure);
    compared_text(&all, where, ours, theirs);
}

/* A fixed counter has a row of its own: its name says what it counts. */
static void compare_fixed(struct event_of e)
{
    static const struct pmon_named fixed = { .name = "FIXED" };
    static const char *const clocks[] = {
        [PMON_CLOCK_UCLK] = "UCLK", [PMON_CLOCK_DCLK] = "DCLK", [PMON_CLOCK_HCLK] = "HCLK"
    };
    char where[96];
    uint32_t row;

    e.event = &fixed;
    if (e.unit->layout == NULL || !pmon_has_fixed(e.unit) || !row_of(&e, &row) ||
        strcmp(tsv_get(e.table, row, "counters"), "FIXED") != 0)
        return;
    const char *name = tsv_get(e.table, row, "event");
    const char *theirs = strncmp(name, "UNC_U_", 6) == 0 ? "UCLK" : strstr(name, "HCLOCK") ? "HCLK" : "DCLK";

    snprintf(where, sizeof where, "%s %s fixed counter", e.file, e.unit->name);
    compared_text(&all, where, clocks[e.unit->layout->fixed.clock], theirs);
}

/* Its clock, the event that idle machines do not have, and those with names. */
static void compare_unit(const struct tsv *table, const char *file, const struct pmon_unit *unit)
{
    const struct pmon_events *events = &unit->events;
    struct pmon_named clock = { .name = "CLOCK", .ev_sel = events->clock_event, .umask = events->clock_umask };
    struct pmon_named idle = { .name = "IDLE", .ev_sel = events->idle_ev_sel, .umask = events->idle_umask };
    struct event_of e = { .table = table, .file = file, .unit = unit };

    compare_fixed(e);
    if (events->clock != PMON_CLOCK_NONE) {
        e.event = &clock;
        compare_event(&e);
    }
    if (idle.ev_sel || idle.umask) {
        e.event = &idle;
        compare_event(&e);
    }
    for (uint32_t i = 0; i < events->n_named; i++) {
        e.event = &events->named[i];
        compare_event(&e);
    }
}

/* --- Linux' constraints ------------------------------------------------------------------------------------------- */

static void compare_constraint(const struct uncore_row *r, const struct pmon_named *event)
{
    uint32_t every = sure_counters(r->unit), code = event->ev_sel & 0xFF;
    char what[64];

    if (event->ev_sel > 0xFF) /* Linux' constraints are of codes without the extension */
        return;
    snprintf(what, sizeof what, "%s constraint", event->name);
    uncore_same(&all, r, what, counters_here(r->unit, event),
                tsv_allowed(tsv_cell(r->table, r->n, "constraints"), code, every));
}

static void compare_constraints(void)
{
    struct tsv *t = uncore_boxes();

    for (uint32_t n = 0; n < tsv_rows(t); n++) {
        static struct uncore_row r;

        uncore_row(t, n, &r);
        if (r.unit == NULL || r.unit->layout->n_free)
            continue;
        for (uint32_t i = 0; i < r.unit->events.n_named; i++)
            compare_constraint(&r, &r.unit->events.named[i]);
        if (r.unit->events.clock != PMON_CLOCK_NONE)
            compare_constraint(&r,
                               &(struct pmon_named){ .name = "CLOCK", .ev_sel = r.unit->events.clock_event & 0xFF });
    }
    tsv_free(t);
}

Test(events_elsewhere, codes_and_counters_are_those_of_the_event_files)
{
    struct tsv *t = uncore_events();

    for (uint32_t n = 0; uncore_tables_at(n); n++) {
        const char *file = uncore_tables_at(n)->events;
        const struct pmon_part *part = uncore_tables_at(n)->part;

        for (uint32_t i = 0; file && i < part->n_units; i++)
            compare_unit(t, file, part->units[i]);
        for (uint32_t i = 0; file && part->discovery && i < part->discovery->n_types; i++)
            if (part->discovery->types[i].unit.name && part->discovery->types[i].instead == NULL)
                compare_unit(t, file, &part->discovery->types[i].unit);
    }
    compare_constraints();
    compared_end(&all, 1200);
    tsv_free(t);
}
