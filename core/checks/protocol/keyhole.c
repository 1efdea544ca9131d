/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The keyhole in use: one answer after another, many processors at once, and whose pair of registers it is. */
#include "core/checks/protocol/keyhole.h"

#include <string.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/measure/sweep.h"
#include "core/base/heap.h"
#include "core/platform/script.h"
#include "core/base/text.h"

#define SDM_QM "SDM vol. 3B 17.16.7 Monitoring Resource Selection and Reporting Infrastructure"

uint32_t advertised(const struct check *c, enum qm_event events[3])
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t n = 0;

    if (rdt->occupancy)
        events[n++] = QM_EVENT_L3_OCCUPANCY;
    if (rdt->total)
        events[n++] = QM_EVENT_L3_TOTAL;
    if (rdt->local)
        events[n++] = QM_EVENT_L3_LOCAL;
    return n;
}

void show_pair(struct check *c, const struct qm_domain *d, const struct qm_pair *pair)
{
    evidence_wrmsr(c, d->cpu, IA32_QM_EVTSEL, qm_evtsel_of(d, pair->rmid, pair->event), ST_OK, pair->sample.tsc_select);
    evidence_msr(c, d->cpu, IA32_QM_CTR, pair->sample.raw, pair->sample.tsc);
}

enum verdict each_keyhole(struct check *c, qm_walk one)
{
    uint32_t walked = 0;

    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        struct qm_domain *d = domain_qm(c, i);

        tools_reset(c->tools);
        if (d == NULL)
            cannot_measure(c, ST_LOST, c->machine->domains[i].cpu, "IA32_QM_CTR");
        else if (one(c, d))
            walked++;
    }
    if (walked == 0 && check_verdict(c) == VERDICT_PASS)
        return skip(c, "no L3 domain is enumerated, or none has what this needs");
    return check_verdict(c);
}

/* --- QM-11: the counter follows the selection --------------------------------------------------------------------- */

#define ALTERNATIONS       10000u
#define ALTERNATIONS_LEAST 1000u
#define ALTERNATE_AT_ONCE  500u
#define ALTERNATE_SECONDS  2u /* for all domains together: an emulated MSR access may take a millisecond */

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Reads A, B, A, B ...; each must be nearer to its own value than to the other's. Returns how many were not. */
static uint32_t judge_alternation(struct check *c, struct qm_domain *d, const struct qm_pair *pairs, uint32_t n,
                                  const uint64_t own[2])
{
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t counts = pairs[i].sample.counts;
        bool stale = pairs[i].status == ST_OK && distance(counts, own[i & 1]) > distance(counts, own[!(i & 1)]);

        if (stale && wrong++ == 0)
            show_pair(c, d, &pairs[i]);
    }
    return wrong;
}

static bool alternate(struct check *c, struct qm_domain *d, const uint32_t rmids[2], const uint64_t own[2])
{
    struct qm_pair *pairs = heap_alloc(2 * ALTERNATE_AT_ONCE * sizeof(pairs[0]));
    uint64_t deadline =
        c->platform->ops->tsc(c->platform->machine) + ALTERNATE_SECONDS * c->platform->tsc_hz / c->machine->n_domains;
    uint32_t done = 0, wrong = 0;
    enum status st = pairs ? ST_OK : ST_NO_MEMORY;

    for (uint32_t i = 0; pairs && i < 2 * ALTERNATE_AT_ONCE; i++)
        pairs[i] = (struct qm_pair){ .rmid = rmids[i & 1], .event = QM_EVENT_L3_OCCUPANCY };
    while (st == ST_OK && done < ALTERNATIONS &&
           (done < ALTERNATIONS_LEAST || c->platform->ops->tsc(c->platform->machine) < deadline)) {
        st = qm_read_many(c->platform, d, pairs, 2 * ALTERNATE_AT_ONCE);
        if (st == ST_OK)
            wrong += judge_alternation(c, d, pairs, 2 * ALTERNATE_AT_ONCE, own);
        done += ALTERNATE_AT_ONCE;
    }
    heap_free(pairs);
    if (st != ST_OK)
        return cannot_measure(c, st, d->cpu, "IA32_QM_CTR"), true;
    evidence_swept(c, "reads of two RMIDs in turn", 2 * (uint64_t)done);
    if (!measure(c, "reads that gave the other RMID's count", "", wrong, "reads", 0, 0))
        fail(c,
             "L3 domain %u: %u of %u reads gave the count of the RMID that was selected before (%llu and %llu counts)",
             d->index, wrong, 2 * done, (unsigned long long)own[0], (unsigned long long)own[1]);
    return true;
}

/* What each of two RMIDs shows by itself: selected twice, the second read cannot be left over from another one. */
static bool own_counts(struct check *c, struct qm_domain *d, const uint32_t rmids[2], uint64_t own[2])
{
    struct qm_pair pairs[4];
    enum status st;

    for (uint32_t i = 0; i < 4; i++)
        pairs[i] = (struct qm_pair){ .rmid = rmids[i / 2], .event = QM_EVENT_L3_OCCUPANCY };
    st = qm_read_many(c->platform, d, pairs, 4);
    for (uint32_t i = 1; i < 4; i += 2) {
        st = status_first(st, pairs[i].status);
        own[i / 2] = pairs[i].sample.counts;
        show_pair(c, d, &pairs[i]);
    }
    if (st != ST_OK)
        cannot_measure(c, st, d->cpu, "IA32_QM_CTR");
    return st == ST_OK;
}

static bool keyhole(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    uint32_t cpu = 0, rmids[2];
    uint64_t bytes = small_fill_bytes(c, domain), base = 0, own[2];
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct reading readings[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = readings, .n_readings = 2 };

    if (domain_rmids_any(c, domain, rmids, 2) < 2)
        return text_format(why, WHY_SIZE, "L3 domain %u: fewer than two free RMIDs", domain), false;
    if (domain_cpus(c, domain, &cpu, 1) == 0 || !take_any(c, cpu, bytes, &base, why))
        return false;
    load.cpu = cpu;
    part = part_fill(c, domain, rmids[0], base, bytes);
    for (uint32_t i = 0; i < 2; i++)
        readings[i] = reading_of("occupancy", domain, rmids[i], QM_EVENT_L3_OCCUPANCY);
    if (!experiment_run(&e) || !own_counts(c, domain_qm(c, domain), rmids, own))
        return true;
    if (distance(own[0], own[1]) < 8)
        return text_format(why, WHY_SIZE,
                           "L3 domain %u: both RMIDs show alike (%llu and %llu counts): cmt.fill says why", domain,
                           (unsigned long long)own[0], (unsigned long long)own[1]),
               false;
    return alternate(c, domain_qm(c, domain), rmids, own);
}

LEGACY_DOMAIN(keyhole)

/* --- QM-14, QM-15: Unavailable does not stay ---------------------------------------------------------------------- */

#define AVAILABLE_READS 32u

/* An RMID that is at work is tracked: its data is there, each time. AMD says Unavailable when it begins to track an
 * RMID, so there it may come before the first data, and not again. */
static bool event_available(struct check *c, struct qm_domain *d, uint32_t rmid, enum qm_event event)
{
    uint32_t before = 0, between = 0;
    bool seen = false;
    char where[48];

    for (uint32_t i = 0; i < AVAILABLE_READS; i++) {
        struct qm_pair pair = { .rmid = rmid, .event = event };

        pair.status = qm_read(c->platform, d, rmid, event, &pair.sample);
        if (pair.status != ST_OK && pair.status != ST_UNAVAILABLE) {
            cannot_measure(c, pair.status, d->cpu, "IA32_QM_CTR");
            return false;
        }
        if (i == 0 || (pair.status == ST_UNAVAILABLE && before + between == 0))
            show_pair(c, d, &pair);
        if (pair.status == ST_OK)
            seen = true;
        else if (seen || is_intel(c))
            between++;
        else
            before++;
    }
    text_format(where, sizeof where, "L3 domain %u, event %u", d->index, event);
    if (!measure(c, "reads of an RMID at work that were Unavailable", where, between, "reads", 0, 0))
        fail(c, "L3 domain %u: RMID %u has just been at work, and %u of %u reads of event %u are Unavailable", d->index,
             rmid, between, AVAILABLE_READS, event);
    else if (!seen)
        fail(c, "L3 domain %u: RMID %u has just been at work, and event %u stays Unavailable over %u reads", d->index,
             rmid, event, before);
    return true;
}

static bool unavailable(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct qm_domain *d = domain_qm(c, domain);
    enum qm_event events[3];
    uint32_t n_events = advertised(c, events), cpu = 0, rmid = 0, bad_cpu = 0;
    uint64_t base = 0;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct traffic_outcome outcome;
    enum status st;

    if (domain_rmids(c, domain, &rmid, 1) < 1)
        return text_format(why, WHY_SIZE, "L3 domain %u: no free RMID", domain), false;
    if (domain_cpus(c, domain, &cpu, 1) == 0 || !take_any(c, cpu, MIB, &base, why))
        return false;
    load.cpu = cpu;
    part = part_read(rmid, base, MIB);
    st = traffic_run(c->platform, &load, 1, 0, &outcome, &bad_cpu);
    if (st != ST_OK)
        return cannot_measure(c, st, bad_cpu, "the workload"), true;
    for (uint32_t i = 0; i < n_events; i++)
        if (!event_available(c, d, rmid, events[i]))
            break;
    return true;
}

LEGACY_DOMAIN(unavailable)

/* --- QM-13, XC-08: many at once ----------------------------------------------------------------------------------- */

#define ROUNDS 64u

struct together {
    struct sweep sweep;
    uint32_t turn; /* which processor of each domain */
    uint32_t *n_in_domain;
};

/* The turn-th processor of each domain: walks RMIDs of its own, all domains in step, so that selections fall between
 * the selection and the read of the others. */
static uint32_t build_together(struct sweep *s, uint32_t cpu, struct step *steps)
{
    struct together *t = s->context;
    uint32_t domain = s->check->machine->cpus[cpu].domain, n = 0, rmids;
    enum qm_event events[3] = { QM_EVENT_NONE };

    if (domain == NO_DOMAIN || t->n_in_domain[domain]++ != t->turn)
        return 0;
    rmids = s->check->machine->domains[domain].max_rmid + 1;
    (void)advertised(s->check, events);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        steps[n++] = step_barrier();
        steps[n++] = step_wrmsr(IA32_QM_EVTSEL, qm_evtsel((domain + 1 + 7 * i) % rmids, events[0]));
        steps[n++] = step_barrier();
        steps[n++] = step_rdmsr(IA32_QM_EVTSEL);
        steps[n++] = step_rdmsr(IA32_QM_CTR);
    }
    steps[n++] = step_wrmsr(IA32_QM_EVTSEL, 0);
    return n;
}

static void judge_together(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct check *c = s->check;

    for (uint32_t i = 1; i + 3 < n; i += 5) {
        const struct step *write = &steps[i], *evtsel = &steps[i + 2], *ctr = &steps[i + 3];
        bool other = write->status == ST_OK && evtsel->status == ST_OK && evtsel->value != write->value;
        bool bad = write->status != ST_OK || ctr->status != ST_OK || (ctr->value & IA32_QM_CTR_ERROR);

        if (s->compared++ == 0 || other || bad) {
            evidence_wrmsr(c, cpu, IA32_QM_EVTSEL, write->value, write->status, write->tsc);
            evidence_msr(c, cpu, IA32_QM_EVTSEL, evtsel->value, evtsel->tsc);
            evidence_msr(c, cpu, IA32_QM_CTR, ctr->value, ctr->tsc);
        }
        if (!other && !bad)
            continue;
        if (other)
            fail(c, "cpu %u selected 0x%llx, and IA32_QM_EVTSEL reads 0x%llx while other L3s select theirs", cpu,
                 (unsigned long long)write->value, (unsigned long long)evtsel->value);
        else
            fail(c, "cpu %u: a legal pair (0x%llx) gives %s, IA32_QM_CTR 0x%llx, while other L3s are read", cpu,
                 (unsigned long long)write->value, status_text(status_first(write->status, ctr->status)),
                 (unsigned long long)ctr->value);
        return;
    }
}

/* Every processor has its turn to read for its L3, up to eight of each. */
#define TURNS 8u

static enum verdict check_together(struct check *c)
{
    struct together t = { 0 };
    enum qm_event events[3];
    enum status st = ST_OK;
    uint64_t compared = 0;

    if (advertised(c, events) == 0)
        return skip(c, "no event is advertised");
    t.n_in_domain = heap_alloc((c->machine->n_domains + 1) * sizeof(t.n_in_domain[0]));
    if (t.n_in_domain == NULL)
        return cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_QM_EVTSEL");
    for (t.turn = 0; t.turn < TURNS && st == ST_OK; t.turn++) {
        memset(t.n_in_domain, 0, c->machine->n_domains * sizeof(t.n_in_domain[0]));
        t.sweep = (struct sweep){ .check = c,
                                  .max_steps = 5 * ROUNDS + 1,
                                  .build = build_together,
                                  .judge = judge_together,
                                  .what = "IA32_QM_EVTSEL",
                                  .context = &t };
        st = sweep_processors(&t.sweep);
        compared += t.sweep.compared;
    }
    heap_free(t.n_in_domain);
    if (st != ST_OK)
        return cannot_measure(c, st, c->platform->bsp, "IA32_QM_EVTSEL");
    evidence_swept(c, "selections and reads, one processor of every L3 at the same time", compared);
    return check_verdict(c);
}

/* --- QM-12, AM-09: whose pair it is ------------------------------------------------------------------------------- */

/* One processor selects; what does another one of the same L3 see selected? */
static bool pair_scope(struct check *c, struct qm_domain *d)
{
    uint32_t cpus[2], rmid = d->max_rmid > 1 ? 2 : 1;
    enum qm_event events[3];
    struct step select[2], look[1];
    enum status st;
    bool shared, private_promised;
    const struct cpu_identity *id = &c->machine->cpus[c->machine->reference].id;

    if (domain_cpus(c, d->index, cpus, 2) < 2 || advertised(c, events) == 0)
        return false;
    select[0] = step_wrmsr(IA32_QM_EVTSEL, qm_evtsel(rmid, events[0]));
    look[0] = step_rdmsr(IA32_QM_EVTSEL);
    st = msr_write(c->platform, cpus[1], IA32_QM_EVTSEL, qm_evtsel(0, events[0]));
    if (st == ST_OK)
        st = script_run(c->platform, cpus[0], select, 1, 1000);
    if (st == ST_OK)
        st = script_run(c->platform, cpus[1], look, 1, 1000);
    if (st == ST_OK)
        st = msr_write(c->platform, cpus[0], IA32_QM_EVTSEL, qm_evtsel(0, events[0]));
    if (st != ST_OK)
        return cannot_measure(c, st, cpus[0], "IA32_QM_EVTSEL"), true;
    shared = look[0].value == select[0].value;
    evidence_wrmsr(c, cpus[0], IA32_QM_EVTSEL, select[0].value, select[0].status, select[0].tsc);
    evidence_msr(c, cpus[1], IA32_QM_EVTSEL, look[0].value, look[0].tsc);
    note(c, "L3 domain %u: IA32_QM_EVTSEL is %s", d->index,
         shared ? "one for the processors of this L3" : "one for each processor");
    /* PQoS after V2.0: family 19H from model 10H on but for 20H-5FH, and later families. */
    private_promised =
        id->vendor == VENDOR_AMD &&
        (id->family > 0x19 || (id->family == 0x19 && ((id->model >= 0x10 && id->model < 0x20) || id->model >= 0x60)));
    if (private_promised && shared)
        fail(c, "L3 domain %u: the processors share one IA32_QM_EVTSEL, and this part is to have one for each",
             d->index);
    return true;
}

static enum verdict check_pair_scope(struct check *c)
{
    return each_keyhole(c, pair_scope);
}

#define MEANS_USUAL "IA32_QM_EVTSEL and IA32_QM_CTR do not follow their protocol"
#define NEXT_USUAL  "selection, raw counter and processor in the evidence; whether every L3 does it; `enum.rmid-range`"

static const struct check_row rows[] = {
    { .id = "qm.keyhole",
      .title = "IA32_QM_CTR answers for the pair selected last",
      .spec = SDM_QM,
      .rows = "QM-11",
      .detects = "a count left over from the selection before",
      .means = "the counter answers for the pair before: software without a delay reads other tasks' figures",
      .next = "the two raw values; whether a second read is right; microcode",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 320,
      .run_domain = keyhole_status },
    { .id = "qm.unavailable",
      .title = "Data of an RMID at work is available",
      .spec = SDM_QM,
      .rows = "QM-14 QM-15",
      .detects = "Unavailable that never clears",
      .means = "data of a working RMID stays unavailable",
      .next = "the RMID in the finding; `qm.every-rmid`; on AMD the number of tracked RMIDs",
      .needs = NEED_RDT_M,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 320,
      .run_domain = unavailable_status },
    { .id = "qm.together",
      .title = "Selections on one L3 do not reach another one",
      .spec = SDM_QM,
      .rows = "QM-13 XC-08",
      .detects = "a selection register that L3s share; Error under contention",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M | NEED_2_CPUS,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 320,
      .slow = true,
      .run = check_together },
    { .id = "qm.scope",
      .title = "Who shares IA32_QM_EVTSEL is found out; where each processor has one, they are apart",
      .spec = SDM_QM "; APM vol. 2 19.3",
      .rows = "QM-12 AM-09",
      .detects = "a shared pair where a private one is promised",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M | NEED_2_CPUS,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 320,
      .run = check_pair_scope },
};
CHECK_FAMILY(keyhole, rows);
