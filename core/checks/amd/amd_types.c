/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AMD bandwidth monitoring event configuration (BMEC): each transaction type is counted where its bit is set, and not
 * where it is clear. Whether memory of a node without processors is slow memory (CXL), or of a node whose processors are
 * fused off, no table that is read says: its reads are of the one kind or of the other. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/checks/amd/amd_counters.h"
#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/checks/families.h"
#include "core/domain/alloc.h"
#include "core/experiment/monitor.h"

#define APM_EVENT      "APM vol. 2 19.3.3.2 Bandwidth Monitoring Event Configuration (BMEC), figure 19-4"
#define VICTIM_L3S     2u /* stores of so many L3s: half of them leave it */
#define SLOW_TYPES     (BITS(5, 4))
#define FAST_TYPES     (QOS_EVT_CFG_LCL_FILL | QOS_EVT_CFG_RMT_FILL)
#define TYPE_NOT_LEAST 0.5 /* of what the type moves, where it is not configured: counted all the same */

struct transaction {
    uint64_t type;
    enum work_kind work;
    bool remote;
    const char *name, *of_both; /* of_both: where it is not known whether memory is local */
};

static const struct transaction transactions[] = {
    { QOS_EVT_CFG_LCL_FILL, WORK_READ, false, "reads of local memory", "reads" },
    { QOS_EVT_CFG_RMT_FILL, WORK_READ, true, "reads of remote memory", NULL },
    { QOS_EVT_CFG_LCL_NT_WR, WORK_NT_WRITE, false, "non-temporal stores to local memory", "non-temporal stores" },
    { QOS_EVT_CFG_RMT_NT_WR, WORK_NT_WRITE, true, "non-temporal stores to remote memory", NULL },
    { QOS_EVT_CFG_VICTIM_BW, WORK_WRITE, false, "dirty victims", NULL },
};

/* Of local memory, or of memory that may be either. */
static struct transaction transaction_of(const struct check *c, uint32_t cpu, uint32_t i)
{
    struct transaction t = transactions[i];

    if (t.of_both && !memory_is_local(c, cpu)) {
        t.type |= t.type << 1; /* LCL_FILL and RMT_FILL, LCL_NT_WR and RMT_NT_WR */
        t.name = t.of_both;
    }
    return t;
}

/* A load of one transaction type. moved: bytes of that type, at least. */
struct type_load {
    uint32_t domain, cpu, rmid;
    struct traffic_part part;
    double moved;
};

static enum status set_types(struct check *c, uint32_t domain, uint32_t event, uint64_t types)
{
    enum status st = amd_write_types(c, domain, event, types);

    return st == ST_OK ? ST_OK : check_already_reported(c, st);
}

/* Fills of a stream of stores are of another type, which the configuration without victims must not have either. */
static uint64_t types_without(const struct transaction *t, uint64_t all)
{
    return t->type == QOS_EVT_CFG_VICTIM_BW ? QOS_EVT_CFG_LCL_NT_WR : all & ~t->type;
}

static void judge_event(struct check *c, const struct transaction *t, const struct type_load *l, uint32_t event,
                        const struct reading *r, bool set)
{
    const char *of = event ? "local" : "total";
    double all = (double)l->part.work.bytes;
    char name[96];

    text_format(name, sizeof name, "MBM %s over bytes, %s, bit %s", of, t->name, set ? "set" : "clear");
    if (set)
        excludes_share(c, "a loss of a transaction type", r->bytes, r->lo);
    if (!check_measure(c, name, place_rmid(l->domain, l->rmid), r->bytes / all, "ratio", r->lo / all, r->hi / all))
        finding(c, FINDING_UNUSUAL, 0, set ? reading_code(r, r->lo) : FOUND_OVERCOUNTS, place_rmid(l->domain, l->rmid),
                "%s of %lu bytes, and their bit (0x%lx) is %s in QOS_EVT_CFG_%u: MBM %s is %lu bytes, expected %lu to "
                "%lu",
                t->name, (uint64_t)all, t->type, set ? "alone" : "clear", event, of, (uint64_t)r->bytes,
                (uint64_t)(r->lo > 0 ? r->lo : 0), (uint64_t)r->hi);
}

static uint32_t events_of(const struct check *c)
{
    return reference_rdt(c)->local ? 2 : 1;
}

/* The type alone in one event, and all but it in the other: MBM local's configuration is as free as that of MBM total. */
static enum status judge_with(struct check *c, const struct transaction *t, const struct type_load *l, uint64_t types,
                              uint32_t alone)
{
    struct reading r[2] = { reading_total(l->domain, l->rmid), reading_local(l->domain, l->rmid) };
    struct traffic_part part = l->part;
    double unit = c->machine->domains[l->domain].upscaling_factor, all = (double)l->part.work.bytes;
    uint32_t n = events_of(c);
    struct experiment e;

    for (uint32_t i = 0; i < n; i++) {
        bool set = i == alone;

        TRY(set_types(c, l->domain, i, set ? t->type : types_without(t, types)));
        r[i].lo = set ? (1 - BW_SHARE) * l->moved - unit : 0;
        r[i].hi = set ? (1 + BW_SHARE) * all + unit : TYPE_NOT_LEAST * l->moved + unit;
    }
    TRY(experiment_stream(c, l->cpu, &part, 1, r, n, &e));
    for (uint32_t i = 0; i < n; i++)
        judge_event(c, t, l, i, &r[i], i == alone);
    return ST_OK;
}

/* false: the machine has no such memory, or too little of it. */
static bool type_load(struct check *c, const struct transaction *t, struct type_load *l)
{
    const struct l3_domain *d = &c->machine->domains[l->domain];
    bool victims = t->type == QOS_EVT_CFG_VICTIM_BW;
    uint64_t bytes = victims ? VICTIM_L3S * d->l3_bytes : load_stream_bytes(c, l->domain), base = 0;
    char why[256];
    enum status st;

    tools_reset(c->tools);
    bytes = ROUND_DOWN(bytes);
    if (t->remote && c->machine->n_packages < 2)
        return false;
    st = t->remote ? memory_scatter_remote(c, l->cpu, bytes, &base) : memory_scatter_local(c, l->cpu, bytes, &base);
    if (st != ST_OK) {
        check_take_reason(c, why, sizeof why);
        check_note(c, "%s: %s", t->name, why);
        return false;
    }
    l->part = part_read(l->rmid, base, bytes);
    l->part.work.kind = t->work;
    l->part.work.dst = base;
    l->moved = (double)bytes - (victims ? (double)(d->l3_bytes + reference_l2_bytes(c)) : 0);
    return true;
}

/* Share of a read that is counted under these types alone. */
static enum status counted_as(struct check *c, const struct type_load *l, uint64_t types, double *share)
{
    struct reading r = reading_total(l->domain, l->rmid);
    struct traffic_part part = l->part;
    struct experiment e;
    enum status st = set_types(c, l->domain, 0, types);

    r.lo = 0;
    r.hi = NO_BOUND;
    if (st == ST_OK)
        st = experiment_stream(c, l->cpu, &part, 1, &r, 1, &e);
    *share = r.bytes / (double)part.work.bytes;
    return st;
}

static enum status load_apart(struct check *c, struct type_load *l)
{
    uint64_t bytes = ROUND_DOWN(load_stream_bytes(c, l->domain)), base = 0;

    tools_reset(c->tools);
    TRY(memory_scatter_apart(c, l->cpu, bytes, &base));
    l->part = part_read(l->rmid, base, bytes);
    return ST_OK;
}

enum status amd_slow_share(struct check *c, uint32_t domain, double *share)
{
    struct type_load l = { .domain = domain };
    enum status st;

    if (!(reference_rdt(c)->qosx_ebx & CPUID_8000_0020_0_EBX_BMEC) || !(reference_rdt(c)->bw_types & SLOW_TYPES))
        return check_absent(c, "BMEC with reads of slow memory (bits 5:4) is not enumerated");
    if (!domain_rmids(c, domain, &l.rmid, 1) || !domain_cpus(c, domain, &l.cpu, 1))
        return check_absent(c, "L3 domain %u: no free RMID or no processor", domain);
    TRY(load_apart(c, &l));
    TRY(alloc_record(c, QOS_EVT_CFG(0)));
    st = counted_as(c, &l, SLOW_TYPES, share);
    return status_first(st, alloc_put_back(c, QOS_EVT_CFG(0)));
}

/* Reads of memory without processors of its own: of slow memory, or fills. */
static enum status judge_apart(struct check *c, struct type_load *l)
{
    double slow = 0, fast = 0;
    char why[256];

    if (load_apart(c, l) != ST_OK) {
        check_take_reason(c, why, sizeof why);
        check_note(c, "bits 5:4 of QOS_EVT_CFG_0, reads of slow memory, are not shown: %s", why);
        return ST_OK;
    }
    TRY(counted_as(c, l, SLOW_TYPES, &slow));
    TRY(counted_as(c, l, FAST_TYPES, &fast));
    check_show(c, "MBM total over bytes of a node without processors, bits 5:4 alone", place_domain(l->domain), slow,
               "ratio");
    check_show(c, "MBM total over bytes of a node without processors, bits 1:0 alone", place_domain(l->domain), fast,
               "ratio");
    if ((slow > TYPE_NOT_LEAST) == (fast > TYPE_NOT_LEAST))
        finding(c, FINDING_UNUSUAL, 0, slow > TYPE_NOT_LEAST ? FOUND_OVERCOUNTS : FOUND_UNDERCOUNTS,
                place_rmid(l->domain, l->rmid),
                "%lu bytes read of a node without processors: %u %% count with bits 5:4 of QOS_EVT_CFG_0 (slow memory) "
                "alone, %u %% with bits 1:0",
                l->part.work.bytes, (uint32_t)(100 * slow), (uint32_t)(100 * fast));
    return ST_OK;
}

static enum status judge_types(struct check *c, uint32_t domain)
{
    struct type_load l = { .domain = domain };
    uint64_t all;
    enum status st = ST_OK;

    if (!domain_rmids(c, domain, &l.rmid, 1) || !domain_cpus(c, domain, &l.cpu, 1))
        return check_absent(c, "L3 domain %u: no free RMID or no processor", domain);
    all = alloc_found(c, l.cpu, QOS_EVT_CFG(0));
    for (uint32_t i = 0; i < sizeof transactions / sizeof transactions[0] && st == ST_OK; i++) {
        const struct transaction t = transaction_of(c, l.cpu, i);

        if (!(reference_rdt(c)->bw_types & t.type) || !type_load(c, &t, &l))
            continue;
        for (uint32_t event = 0; event < events_of(c) && st == ST_OK; event++)
            st = judge_with(c, &t, &l, all, event);
    }
    if (st == ST_OK && (reference_rdt(c)->bw_types & SLOW_TYPES))
        st = judge_apart(c, &l);
    for (uint32_t event = 0; event < events_of(c); event++)
        st = status_first(st, alloc_put_back(c, QOS_EVT_CFG(event)));
    return st;
}

static enum status types_ready(struct check *c)
{
    if (!(reference_rdt(c)->qosx_ebx & CPUID_8000_0020_0_EBX_BMEC))
        return check_absent(c, "BMEC is not enumerated (CPUID Fn8000_0020_EBX_x0[3] = 0)");
    TRY(alloc_record(c, QOS_EVT_CFG(0)));
    return events_of(c) < 2 ? ST_OK : alloc_record(c, QOS_EVT_CFG(1));
}

static const struct check_row rows[] = {
    { .id = "amd.events-types",
      .title = "Each transaction type is counted where its bit is set, and only there",
      .covers = "AM-04 AM-10",
      .detects = "a bit of QOS_EVT_CFG that is stored and ignored, or acts on another type",
      .next = "the type and the counts in the finding; `amd.events-same`; `mbm.kinds`",
      .ready = types_ready,
      .run_domain = judge_types },
};
CHECK_FAMILY(amd_types, rows, AMD_FAMILY("BMEC"), .spec = APM_EVENT, .risk = RISK_WORKLOAD, .grade = GRADE_W,
             .rests_on = RESTS_ON_BANDWIDTH, .order = 116, .slow = true, .needs = NEED_TOTAL | NEED_AMD_QOS,
             .by_experience = true, .excludes = true);
