/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Telemetry by RMID: energy, activity and core events that a package accumulates for the RMIDs of its processors. It is
 * the third monitor that depends on IA32_PQR_ASSOC.RMID. Witness: CPUID and the other packages; a load under one RMID. */
#include "core/base/text.h"
#include "core/base/ticks.h"
#include "core/boxes/telemetry.h"
#include "core/domain/domains.h"
#include "core/load/loads.h"
#include "core/load/memory.h"

#define PMT_XML      "intel/Intel-PMT xml/CWF/OOBMSM; Linux arch/x86/kernel/cpu/resctrl/intel_aet.c"
#define OTHER_SHARE  (1 / 64.0) /* of what the busy RMID gains: nothing that is documented gives any to others */
#define UPDATES      2u         /* passed before a count is read: one may have begun before                    */
#define UPDATE_MS    1000u      /* the files of the layout have a period of 10                                 */
#define BUSY_PER_S   20u        /* so long is an RMID busy: a 20th of a second                                 */
#define REGION_TRIES 3u         /* while the aggregator says that it lost updates                              */

struct regions {
    uint32_t n;
    struct telemetry_region list[TELEMETRY_REGIONS];
};

static enum status regions_of(struct check *c, struct regions **regions)
{
    struct regions *r;

    TRY_ALLOC(c, r, 1, "telemetry");
    r->n = c->tools->pmon.part ? telemetry_find(c->platform, c->machine, &c->tools->pmon, r->list) : 0;
    *regions = r;
    return r->n > 0 ? ST_OK : check_absent(c, "no PCI function has telemetry by RMID of a known layout");
}

static struct place region_place(const struct telemetry_region *t)
{
    return place_with_detail(place_package(t->package), "telemetry %s", t->group->name);
}

/* --- ET-01: regions ----------------------------------------------------------------------------------------------- */

static void judge_region(struct check *c, const struct telemetry_region *t)
{
    const struct telemetry_group *g = t->group;
    uint32_t rmids = reference_rdt(c)->max_rmid_any + 1;
    char where[64];

    text_format(where, sizeof where, "PMT discovery, package %u, GUID 0x%x", t->package, g->guid);
    evidence_register(c, "mmio", where, t->entry, (uint64_t)g->guid << 32 | t->header);
    check_note(c, "package %u: %s, GUID 0x%x, %u RMIDs of %u events at 0x%lx", t->package, g->name, g->guid, t->rmids,
               g->events, t->address);
    if (t->address == 0)
        finding(c, FINDING_EXPECTED, 0, FOUND_NO_BASE_ADDRESS, region_place(t), "its discovery entry leads nowhere");
    if (t->bytes != telemetry_bytes(g))
        finding(c, FINDING_EXPECTED, 0, FOUND_TABLE_INVALID, region_place(t), "%u bytes, GUID 0x%x has %u", t->bytes,
                g->guid, telemetry_bytes(g));
    if (t->rmids < g->rmids)
        finding(c, FINDING_EXPECTED, 0, FOUND_RMID_COUNT_OFF, region_place(t),
                "the feature table counts %u RMIDs, GUID 0x%x has %u: Linux leaves the events out", t->rmids, g->guid,
                g->rmids);
    if (g->rmids < rmids)
        finding(c, FINDING_EXPECTED, 0, FOUND_RMID_COUNT_OFF, region_place(t),
                "GUID 0x%x has %u RMIDs, CPUID.(EAX=0FH,ECX=0) %u", g->guid, g->rmids, rmids);
}

static enum status check_regions(struct check *c)
{
    struct regions *r = NULL;

    TRY(regions_of(c, &r));
    for (uint32_t g = 0; g < TELEMETRY_GROUPS; g++) {
        uint32_t of_group = HOW_MANY(i, r->n, r->list[i].group == &telemetry_groups[g]);

        for (uint32_t p = 0; p < c->machine->n_packages && of_group > 0; p++) {
            uint32_t n = HOW_MANY(i, r->n, r->list[i].group == &telemetry_groups[g] && r->list[i].package == p);

            if (n == 0)
                finding(c, FINDING_EXPECTED, 0, FOUND_TABLE_MISSING_HERE, place_package(p),
                        "no region of GUID 0x%x, which another package has", telemetry_groups[g].guid);
        }
    }
    for (uint32_t i = 0; i < r->n; i++)
        judge_region(c, &r->list[i]);
    return ST_OK;
}

/* --- ET-02: what a busy RMID gains, and the others do not --------------------------------------------------------- */

struct busy {
    struct check *check;
    struct regions *regions;
    uint32_t package, cpu, tag; /* the RMID as IA32_PQR_ASSOC has it */
    struct traffic_part part;
    uint64_t *counts[TELEMETRY_REGIONS][2]; /* before and after; of an RMID that is not valid 0 */
    uint64_t status[TELEMETRY_REGIONS][2];  /* AGG_DATA_LOSS_COUNT */
};

static bool is_here(const struct busy *b, uint32_t i)
{
    const struct telemetry_region *t = &b->regions->list[i];

    return t->package == b->package && t->address != 0 && t->bytes == telemetry_bytes(t->group);
}

static enum status read_qword(const struct busy *b, const struct telemetry_region *t, uint32_t index, uint64_t *value)
{
    return mmio_read(b->check->platform, t->address + 8 * (uint64_t)index, 8, value);
}

static enum status read_status(const struct busy *b, const struct telemetry_region *t, uint32_t which, uint64_t *value)
{
    return read_qword(b, t, t->group->rmids * t->group->events + which, value);
}

/* Until the region was updated again. ST_TIMEOUT: it is not. */
static enum status await_updates(const struct busy *b, const struct telemetry_region *t)
{
    uint64_t last = 0, now = 0;
    enum status st = read_status(b, t, LAST_UPDATE_TIMESTAMP, &last);
    uint32_t passed = 0;

    for (uint32_t ms = 0; ms < UPDATE_MS && passed < UPDATES && st == ST_OK; ms++) {
        platform_stall(b->check->platform, NS_PER_SECOND / 1000);
        st = read_status(b, t, LAST_UPDATE_TIMESTAMP, &now);
        passed += now != last;
        last = now;
    }
    return st != ST_OK ? st : passed < UPDATES ? ST_TIMEOUT : ST_OK;
}

static enum status snapshot(struct busy *b, uint32_t when)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < b->regions->n && st == ST_OK; i++) {
        const struct telemetry_region *t = &b->regions->list[i];
        uint32_t n = t->group->rmids * t->group->events;

        if (!is_here(b, i))
            continue;
        st = await_updates(b, t);
        if (st == ST_TIMEOUT)
            return check_violated(b->check, st, FOUND_GROWS_WITH_TIME, region_place(t),
                                  "LAST_UPDATE_TIMESTAMP does not change within %u ms", UPDATE_MS);
        if (st == ST_OK)
            st = read_status(b, t, AGG_DATA_LOSS_COUNT, &b->status[i][when]);
        if (!b->counts[i][when])
            b->counts[i][when] = check_alloc(b->check, n * sizeof(uint64_t));
        if (!b->counts[i][when])
            st = ST_NO_MEMORY;
        for (uint32_t k = 0; k < n && st == ST_OK; k++) {
            uint64_t value = 0;

            st = read_qword(b, t, k, &value);
            b->counts[i][when][k] = value & TELEMETRY_VALID ? value & TELEMETRY_DATA : 0;
        }
    }
    return st == ST_OK ? ST_OK : check_unmeasured(b->check, st, b->cpu, "telemetry by RMID");
}

static enum status run_busy(struct busy *b)
{
    struct traffic_load load = { .cpu = b->cpu, .n_parts = 1, .parts = &b->part };
    struct traffic_outcome outcome;
    bool lost = true;

    for (uint32_t i = 0; i < REGION_TRIES && lost; i++) {
        uint32_t bad = b->cpu;

        TRY(snapshot(b, 0));
        TRY_MEASURE(b->check, traffic_run(b->check->platform, &load, 1, b->check->machine->prefetch, &outcome, &bad),
                    bad, "the load under an RMID");
        TRY(snapshot(b, 1));
        lost = ANY_OF(k, b->regions->n, is_here(b, k) && b->status[k][0] != b->status[k][1]);
    }
    return lost ? check_absent(b->check, "package %u: AGG_DATA_LOSS_COUNT grows: samples are lost", b->package) : ST_OK;
}

/* By how much an event of an RMID grew, over all regions of the group in the package. */
static double gained(const struct busy *b, const struct telemetry_group *g, uint32_t rmid, uint32_t event)
{
    double sum = 0;

    for (uint32_t i = 0; i < b->regions->n; i++)
        if (is_here(b, i) && b->regions->list[i].group == g)
            sum +=
                (double)b->counts[i][1][rmid * g->events + event] - (double)b->counts[i][0][rmid * g->events + event];
    return sum;
}

static void judge_group(struct busy *b, const struct telemetry_group *g)
{
    struct check *c = b->check;
    struct place place = place_with_detail(place_package(b->package), "telemetry %s", g->name);
    double busy = gained(b, g, b->tag, g->busy), most = 0;
    uint32_t most_rmid = 0;

    check_show(c, "gain of the busy RMID", place, busy, g->busy_name);
    if (busy <= 0)
        finding(c, FINDING_UNUSUAL, 0, busy < 0 ? FOUND_STEPS_BACK : FOUND_COUNTS_ZERO, place,
                "%s of RMID %u does not rise while cpu %u works under it", g->busy_name, b->tag, b->cpu);
    for (uint32_t rmid = 0; rmid < g->rmids; rmid++)
        for (uint32_t event = 0; event < g->events && rmid != b->tag && !domain_rmid_in_background(c, rmid); event++) {
            double own = gained(b, g, b->tag, event), other = gained(b, g, rmid, event);
            double share = other <= 0 ? 0 : own > 0 ? other / own : 1;

            if (share > most) {
                most = share;
                most_rmid = rmid;
            }
        }
    if (!check_measure(c, "largest gain of an RMID without processor over the busy one's", place, most, "ratio",
                       -NO_BOUND, OTHER_SHARE))
        finding(c, FINDING_UNUSUAL, 0, FOUND_COUNTED_ELSEWHERE, place,
                "RMID %u, which no processor has, gains while cpu %u works under RMID %u", most_rmid, b->cpu, b->tag);
}

/* A processor of the package and a free RMID; false: there is none. */
static bool find_processor(struct busy *b)
{
    const struct check *c = b->check;
    uint32_t rmid;

    for (uint32_t d = 0; d < c->machine->n_domains; d++) {
        if (!domain_cpus(c, d, &b->cpu, 1) || c->machine->cpus[b->cpu].package != b->package ||
            !domain_rmids_any(c, d, &rmid, 1))
            continue;
        b->tag = rmid + c->platform->cpus[b->cpu].first_rmid;
        b->part = part_read(rmid, 0, load_slice_bytes(c, d));
        b->part.pause_ticks = c->platform->tsc_hz / BUSY_PER_S;
        return true;
    }
    return false;
}

static enum status judge_package(struct busy *b)
{
    bool done[TELEMETRY_GROUPS] = { false };

    if (!find_processor(b))
        return ST_OK;
    tools_reset(b->check->tools);
    TRY(memory_take_any(b->check, b->cpu, b->part.work.bytes, &b->part.work.base));
    TRY(run_busy(b));
    for (uint32_t i = 0; i < b->regions->n; i++) {
        const struct telemetry_group *g = b->regions->list[i].group;

        if (!is_here(b, i) || done[g - telemetry_groups] || b->tag >= g->rmids)
            continue;
        done[g - telemetry_groups] = true;
        judge_group(b, g);
    }
    return ST_OK;
}

static enum status check_activity(struct check *c)
{
    struct busy *b;

    TRY_ALLOC(c, b, 1, "telemetry");
    b->check = c;
    TRY(regions_of(c, &b->regions));
    for (b->package = 0; b->package < c->machine->n_packages; b->package++)
        TRY(judge_package(b));
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "energy.regions",
      .title = "Every package has the telemetry by RMID of the others, for all RMIDs",
      .covers = "ET-01",
      .detects = "a package without telemetry by RMID, or with fewer RMIDs than its layout or CPUID has",
      .no_monitor = true,
      .rests_on = RESTS_ON_TABLES,
      .order = 352,
      .run = check_regions },
    { .id = "energy.activity",
      .title = "Activity rises under the RMID of a busy processor, and under no RMID without one",
      .covers = "ET-02",
      .detects = "telemetry that is dead, stale or counts under another RMID",
      .needs = NEED_RDT_M,
      .risk = RISK_WORKLOAD,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 660,
      .run = check_activity },
};
CHECK_FAMILY(energy, rows, .spec = PMT_XML, .grade = GRADE_W,
             .means = "energy and activity by RMID, as Linux reports them, are missing, stale or another group's",
             .next = "the region in the evidence; the other packages; `pqr.rmid-storage`; firmware of the OOBMSM");
