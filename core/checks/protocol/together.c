/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* IA32_QM_EVTSEL and IA32_QM_CTR under contention: every processor of every L3 domain selects and reads. Within a domain
 * they take turns, as under the lock that software holds, since they may share the pair; where each has a pair of its
 * own, all of them do so at once. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/check/grade.h"
#include "core/checks/protocol/keyhole.h"
#include "core/experiment/fill.h"
#include "core/platform/script.h"

#define ROUNDS_LEAST    64u
#define ROUNDS_LIMITED  512u /* where loads are limited */
#define SECONDS_MOST    10u
#define STEPS_OF_A_RUN  200000u /* of all processors: memory */
#define RUN_BUDGET_MS   UINT64_C(10000)
#define ROUNDS_AGAIN    4u /* of a run, after one that did not end in time */
#define REST_NS         UINT64_C(1000000000)
#define BUDGET_OF_STEPS 500u /* steps a millisecond, even where each access is trapped and emulated */
#define NOT_COMPARED    UINT64_MAX
#define APART_LEAST     8u /* counts, of which rounding is one at each end */

struct selection {
    uint32_t cpu;
    const struct step *write, *evtsel, *ctr;
};

struct together {
    struct check *check;
    uint32_t n, turns, rounds; /* processors; turns of a round; rounds of a run */
    uint32_t *turn;            /* [n] in which round a processor selects */
    struct task *tasks;        /* [n] */
    struct step *steps;        /* [n * steps_each()] */
    enum qm_event events[3];
    uint32_t n_events;
    uint32_t domains;
    uint64_t done; /* rounds */
    uint64_t reads;
    uint64_t *last;       /* [domain * rmids + RMID]: 1 + the bandwidth counts read last; NULL: they are not compared */
    uint64_t *alone;      /* [domain * rmids + RMID]: occupancy while no other processor reads, or NOT_COMPARED */
    uint64_t *apart;      /* [domain]: counts, half of the occupancy of the RMID that has some */
    struct selection off; /* of this run, the first whose occupancy is further from it; write NULL: none */
    uint32_t rmids;
    bool failed;
};

/* A round of one processor: two barriers a turn, and in its own turn a write after the first and two reads after the
 * second, so that all writes of a turn fall between write and read of every other L3. */
static uint32_t round_steps(const struct together *t)
{
    return 2 * t->turns + 3;
}

static uint32_t steps_each(const struct together *t)
{
    return t->rounds * round_steps(t) + 2;
}

static enum qm_event event_of(const struct together *t, uint64_t round)
{
    return t->events[round % t->n_events];
}

static uint32_t rmid_of(const struct together *t, uint32_t cpu, uint64_t round)
{
    uint32_t domain = t->check->machine->cpus[cpu].domain;

    return (uint32_t)((1 + cpu + 7 * round) % (t->check->machine->domains[domain].max_rmid + 1));
}

static void build_script(struct together *t, uint32_t i)
{
    struct step *s = &t->steps[(size_t)i * steps_each(t)];
    uint32_t cpu = t->tasks[i].cpu, n = 0;

    for (uint32_t round = 0; round < t->rounds; round++)
        for (uint32_t turn = 0; turn < t->turns; turn++) {
            bool mine = turn == t->turn[i];
            uint64_t at = t->done + round;

            s[n++] = step_barrier();
            if (mine)
                s[n++] = step_wrmsr(IA32_QM_EVTSEL, qm_evtsel(rmid_of(t, cpu, at), event_of(t, at)));
            s[n++] = step_barrier();
            if (mine) {
                s[n++] = step_rdmsr(IA32_QM_EVTSEL);
                s[n++] = step_rdmsr(IA32_QM_CTR);
            }
        }
    s[n++] = step_barrier(); /* the last turn has been read */
    s[n++] = step_wrmsr(IA32_QM_EVTSEL, 0);
    t->tasks[i] = (struct task){ .cpu = cpu, .n_steps = n, .steps = s };
}

/* --- what was read ------------------------------------------------------------------------------------------------ */

static struct selection selection_of(const struct together *t, uint32_t i, uint32_t round)
{
    const struct step *s = &t->tasks[i].steps[round * round_steps(t) + 2 * t->turn[i]];

    return (struct selection){ t->tasks[i].cpu, s + 1, s + 3, s + 4 };
}

static void show_selection(struct check *c, const struct selection *s)
{
    evidence_wrmsr(c, s->cpu, IA32_QM_EVTSEL, s->write->value, s->write->status, s->write->tsc);
    evidence_msr(c, s->cpu, IA32_QM_EVTSEL, s->evtsel->value, s->evtsel->tsc);
    evidence_msr(c, s->cpu, IA32_QM_CTR, s->ctr->value, s->ctr->tsc);
}

/* Of the counts before, by whichever processor of the same L3; its own where data was available. */
static bool went_back(struct together *t, const struct selection *s, uint64_t round, uint64_t *before)
{
    const struct machine *m = t->check->machine;
    uint32_t domain = m->cpus[s->cpu].domain, width = m->domains[domain].counter_width;
    uint64_t counts = field_get(IA32_QM_CTR_DATA, s->ctr->value), *last;
    bool back;

    if (!t->last || event_of(t, round) == QM_EVENT_L3_OCCUPANCY || (s->ctr->value & IA32_QM_CTR_UNAVAILABLE))
        return false;
    last = &t->last[(uint64_t)(event_of(t, round) == QM_EVENT_L3_LOCAL) * m->n_domains * t->rmids +
                    (uint64_t)domain * t->rmids + rmid_of(t, s->cpu, round)];
    *before = *last ? *last - 1 : counts;
    back = qm_delta(*before, counts, width) > (UINT64_C(1) << (width - 1));
    *last = counts + 1;
    return back;
}

/* Nothing is brought into an L3 during the rounds, under RMIDs that are compared. */
static bool occupancy_is_off(const struct together *t, const struct selection *s, uint64_t alone)
{
    uint32_t domain = t->check->machine->cpus[s->cpu].domain;

    return alone != NOT_COMPARED && !(s->ctr->value & IA32_QM_CTR_UNAVAILABLE) &&
           keyhole_counts_apart(field_get(IA32_QM_CTR_DATA, s->ctr->value), alone) > t->apart[domain];
}

static uint64_t occupancy_alone(const struct together *t, const struct selection *s, uint64_t round)
{
    uint64_t domain = t->check->machine->cpus[s->cpu].domain;

    if (!t->alone || event_of(t, round) != QM_EVENT_L3_OCCUPANCY)
        return NOT_COMPARED;
    return t->alone[domain * t->rmids + rmid_of(t, s->cpu, round)];
}

static void judge_selection(struct together *t, const struct selection *s, uint64_t round)
{
    struct check *c = t->check;
    enum status st = status_first(s->write->status, status_first(s->evtsel->status, s->ctr->status));
    uint64_t before = 0;

    if (t->failed)
        return;
    t->failed = true;
    if (st == ST_OK && s->evtsel->value != s->write->value)
        finding(c, FINDING_EXPECTED, 0, FOUND_NOT_STORED, place_cpu(s->cpu),
                "IA32_QM_EVTSEL was written 0x%lx and reads 0x%lx while other processors write theirs", s->write->value,
                s->evtsel->value);
    else if (st != ST_OK || (s->ctr->value & IA32_QM_CTR_ERROR))
        finding(c, FINDING_EXPECTED, 0, FOUND_LEGAL_REFUSED, place_cpu(s->cpu),
                "IA32_QM_EVTSEL <- 0x%lx, a legal pair: %s, IA32_QM_CTR 0x%lx, while other processors read "
                "theirs",
                s->write->value, status_text(st), s->ctr->value);
    else if (went_back(t, s, round, &before))
        finding(c, FINDING_EXPECTED, 0, FOUND_STEPS_BACK, place_cpu(s->cpu),
                "IA32_QM_EVTSEL 0x%lx: bandwidth is 0x%lx counts and was 0x%lx in an earlier read of this L3",
                s->write->value, field_get(IA32_QM_CTR_DATA, s->ctr->value), before);
    else
        t->failed = false;
    if (t->failed || t->reads == 0)
        show_selection(c, s);
    if (!t->off.write && occupancy_is_off(t, s, occupancy_alone(t, s, round)))
        t->off = *s;
    t->reads++;
}

/* An occupancy may fall meanwhile: what is far from that before and after the run was never there. */
static void judge_occupancy(struct together *t)
{
    struct check *c = t->check;
    const struct selection *s = &t->off;
    uint32_t domain, rmid;
    struct qm_sample after;

    if (!s->write || t->failed)
        return;
    domain = c->machine->cpus[s->cpu].domain;
    rmid = (uint32_t)field_get(IA32_QM_EVTSEL_RMID, s->write->value);
    if (qm_read(c->platform, domain_qm(c, domain), rmid, QM_EVENT_L3_OCCUPANCY, &after) == ST_OK &&
        occupancy_is_off(t, s, after.counts)) {
        t->failed = true;
        show_selection(c, s);
        finding(c, FINDING_EXPECTED, 0, FOUND_OTHER_RMID_READ, place_domain(domain),
                "cpu %u reads occupancy %lu of RMID %u while other processors read theirs; alone it reads %lu before "
                "and %lu after",
                s->cpu, field_get(IA32_QM_CTR_DATA, s->ctr->value), rmid, t->alone[(uint64_t)domain * t->rmids + rmid],
                after.counts);
    }
    t->off.write = NULL;
}

/* In the order of the turns. */
static void judge_run(struct together *t)
{
    for (uint32_t round = 0; round < t->rounds; round++)
        for (uint32_t turn = 0; turn < t->turns; turn++)
            for (uint32_t i = 0; i < t->n; i++)
                if (t->turn[i] == turn) {
                    struct selection s = selection_of(t, i, round);

                    judge_selection(t, &s, t->done + round);
                }
    judge_occupancy(t);
}

/* *cpu: the first processor whose task went wrong. */
static enum status run_scripts(struct together *t, uint32_t *cpu)
{
    enum status st;

    for (uint32_t i = 0; i < t->n; i++)
        build_script(t, i);
    st = platform_run(t->check->platform, t->tasks, t->n,
                      RUN_BUDGET_MS + (uint64_t)t->n * steps_each(t) / BUDGET_OF_STEPS);
    for (uint32_t i = 0; i < t->n && st != ST_OK; i++)
        if (t->tasks[i].status != ST_OK) {
            *cpu = t->tasks[i].cpu;
            return t->tasks[i].status;
        }
    return st;
}

static bool all_take_work(const struct together *t)
{
    return ALL_OF(i, t->n, cpu_takes_work(t->check->platform, t->tasks[i].cpu));
}

/* A run ends in time or is given up by all of its processors. Where none of them is lost then, others had the machine's
 * time, as on a virtual machine whose host is busy: a second, shorter run follows after a rest. */
static enum status run_rounds(struct together *t)
{
    struct check *c = t->check;
    uint32_t cpu = c->platform->bsp;
    enum status st = run_scripts(t, &cpu);

    if (st == ST_TIMEOUT && all_take_work(t)) {
        platform_stall(c->platform, REST_NS);
        t->rounds = t->rounds > ROUNDS_AGAIN ? ROUNDS_AGAIN : t->rounds;
        st = run_scripts(t, &cpu);
        if (st == ST_TIMEOUT && all_take_work(t))
            return check_absent(c,
                                "%u rounds of selections do not end in %lu ms, twice: the processors are busy "
                                "otherwise",
                                t->rounds, RUN_BUDGET_MS);
    }
    if (st != ST_OK)
        return check_unmeasured(c, st, cpu, "IA32_QM_EVTSEL");
    judge_run(t);
    t->done += t->rounds;
    return ST_OK;
}

/* --- who ---------------------------------------------------------------------------------------------------------- */

/* Fills tasks and turns; in_domain: [n_domains], zeroed. */
static void take_processors(struct together *t, uint32_t *in_domain)
{
    const struct check *c = t->check;
    bool own_pair = keyhole_has_evtsel_per_processor(c);

    for (uint32_t cpu = 0; cpu < c->platform->n_cpus; cpu++) {
        uint32_t domain = c->machine->cpus[cpu].domain;

        if (domain == NO_DOMAIN || !cpu_takes_work(c->platform, cpu))
            continue;
        t->domains += in_domain[domain] == 0;
        t->turn[t->n] = own_pair ? 0 : in_domain[domain];
        in_domain[domain]++;
        t->turns = t->turn[t->n] + 1 > t->turns ? t->turn[t->n] + 1 : t->turns;
        t->tasks[t->n++].cpu = cpu;
    }
}

/* AMD starts an RMID at 0 again when it begins to track it, and what a cluster reads of another's RMID is its own. */
static bool bandwidth_is_one_count(const struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);

    return reference_is_intel(c) && c->state->clusters_known == CLUSTERS_NONE && (rdt->total || rdt->local);
}

/* Fills an L3 under one RMID, and reads all RMIDs of it. Without memory, or where the fill hardly shows, its occupancy is not
 * compared. */
static enum status fill_one(struct together *t, uint32_t domain)
{
    struct check *c = t->check;
    uint64_t *alone = &t->alone[(uint64_t)domain * t->rmids];
    struct qm_domain *d = domain_qm(c, domain);
    struct qm_pair *pairs;
    struct test_buffer b;
    struct fill f;
    struct traffic_load load;
    uint32_t bad_cpu = c->platform->bsp;
    char why[160];
    enum status st;

    for (uint32_t i = 0; i < t->rmids; i++)
        alone[i] = NOT_COMPARED;
    tools_reset(c->tools);
    st = fill_take(c, domain, 1, fill_least_bytes(c, domain), &b, &f);
    if (st == ST_ABSENT) {
        check_take_reason(c, why, sizeof why);
        check_note(c, "L3 domain %u: occupancy is not compared: %s", domain, why);
    }
    if (st != ST_OK || !d)
        return st == ST_ABSENT ? ST_OK : st;
    TRY(fill_chain(&f, 1, &load));
    TRY_MEASURE(c, traffic_run(c->platform, &load, 1, NULL, NULL, &bad_cpu), bad_cpu, "the workload");
    TRY_ALLOC(c, pairs, d->max_rmid + 1, "IA32_QM_CTR");
    for (uint32_t i = 0; i <= d->max_rmid; i++)
        pairs[i] = (struct qm_pair){ .rmid = i, .event = QM_EVENT_L3_OCCUPANCY };
    TRY_MEASURE(c, qm_read_many(c->platform, d, pairs, d->max_rmid + 1), d->cpu, "IA32_QM_CTR");
    t->apart[domain] = pairs[f.rmid].status == ST_OK ? pairs[f.rmid].sample.counts / 2 : 0;
    for (uint32_t i = 0; i <= d->max_rmid && t->apart[domain] >= APART_LEAST; i++)
        if (pairs[i].status == ST_OK && !domain_rmid_in_background(c, i))
            alone[i] = pairs[i].sample.counts;
    return ST_OK;
}

static enum status fill_each(struct together *t)
{
    struct check *c = t->check;
    uint32_t n = c->machine->n_domains;

    TRY_ALLOC(c, t->apart, n, "occupancy");
    TRY_ALLOC(c, t->alone, (size_t)n * t->rmids, "occupancy");
    for (uint32_t domain = 0; domain < n; domain++)
        TRY(fill_one(t, domain));
    return ST_OK;
}

static enum status together_init(struct together *t)
{
    struct check *c = t->check;
    uint32_t n_domains = c->machine->n_domains, *in_domain = check_alloc(c, (n_domains + 1) * sizeof *in_domain);

    t->tasks = check_alloc(c, c->platform->n_cpus * sizeof *t->tasks);
    t->turn = check_alloc(c, c->platform->n_cpus * sizeof *t->turn);
    if (!in_domain || !t->tasks || !t->turn)
        return ST_NO_MEMORY;
    take_processors(t, in_domain);
    if (t->n == 0)
        return ST_LOST;
    t->rounds = STEPS_OF_A_RUN / t->n / round_steps(t);
    t->rounds = t->rounds > ROUNDS_LEAST ? ROUNDS_LEAST : t->rounds < 1 ? 1 : t->rounds;
    for (uint32_t i = 0; i < n_domains; i++)
        t->rmids = c->machine->domains[i].max_rmid >= t->rmids ? c->machine->domains[i].max_rmid + 1 : t->rmids;
    t->steps = check_alloc(c, (size_t)t->n * steps_each(t) * sizeof *t->steps);
    if (bandwidth_is_one_count(c))
        t->last = check_alloc(c, 2 * (size_t)n_domains * t->rmids * sizeof *t->last);
    return t->steps && (t->last || !bandwidth_is_one_count(c)) ? ST_OK : ST_NO_MEMORY;
}

/* Where loads are not limited the time alone ends it. */
static bool rounds_done(const struct together *t, uint64_t deadline)
{
    const struct check *c = t->check;

    if (t->done < ROUNDS_LEAST)
        return false;
    return (c->platform->load_limit && t->done >= ROUNDS_LIMITED) ||
           c->platform->ops->tsc(c->platform->machine) >= deadline;
}

static enum status check_together(struct check *c)
{
    struct together t = { .check = c };
    uint64_t deadline = c->platform->ops->tsc(c->platform->machine) + SECONDS_MOST * c->platform->tsc_hz;

    t.n_events = keyhole_advertised_events(c, t.events);
    if (t.n_events == 0)
        return check_absent(c, "no event is advertised");
    TRY_MEASURE(c, together_init(&t), c->platform->bsp, "IA32_QM_EVTSEL");
    if (t.last && t.events[0] == QM_EVENT_L3_OCCUPANCY)
        TRY(fill_each(&t));
    while (!t.failed && !rounds_done(&t, deadline))
        TRY(run_rounds(&t));
    evidence_swept(c, "selections and reads by processors of all L3 domains", t.reads);
    check_note(c, "%lu selections by %u processors of %u L3 domains, %s", t.reads, t.n, t.domains,
               t.turns == 1 ? "all at once" : "in turn within each, the L3s at once");
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "qm.together",
      .title = "IA32_QM_EVTSEL is independent per L3 domain",
      .spec = "SDM vol. 3B 17.16.7 Monitoring Resource Selection and Reporting Infrastructure",
      .covers = "QM-13 XC-08",
      .detects =
          "an IA32_QM_EVTSEL that L3 domains share; Error, bandwidth that decreases or occupancy of another RMID under "
          "concurrent reads",
      .means = "IA32_QM_EVTSEL and IA32_QM_CTR do not follow the protocol of SDM vol. 3B 17.16.7",
      .next = "IA32_QM_EVTSEL, IA32_QM_CTR and processor in the evidence; `qm.scope`; `enum.rmid-range`",
      .run = check_together },
};
CHECK_FAMILY(together, rows, .needs = NEED_RDT_M | NEED_2_CPUS, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_REGISTERS,
             .slow = true, .order = 320);
