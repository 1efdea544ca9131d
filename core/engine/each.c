/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/each.h"

#include <string.h>

#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/base/heap.h"
#include "core/base/text.h"
#include "core/check/check_log.h"
#include "core/tools/tools.h"
#include "core/domain/assigned.h"
#include "core/domain/cluster.h"
#include "core/cluster/cluster_view.h"
#include "core/domain/domains.h"
#include "core/engine/coroutine.h"
#include "core/experiment/cat_context.h"
#include "core/uncore/pmon_session.h"

static void replay_evidence(struct check *c, const struct check_log_entry *e)
{
    const uint64_t *n = e->number;

    if (e->kind == LOG_RDMSR)
        evidence_msr(c, (uint32_t)n[0], (uint32_t)n[1], n[2], n[3]);
    else if (e->kind == LOG_WRMSR)
        evidence_wrmsr(c, (uint32_t)n[0], (uint32_t)n[1], n[2], (enum status)n[3], n[4]);
    else if (e->kind == LOG_CPUID)
        evidence_cpuid(c, (uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2], &e->regs);
    else if (e->kind == LOG_REGISTER)
        evidence_register(c, e->text[0], e->text[1], n[0], n[1]);
    else
        evidence_swept(c, e->text[0], n[0]);
}

static void replay_figure(struct check *c, const struct check_log_entry *e)
{
    const char *const *text = e->text;

    if (e->kind == LOG_MEASURE)
        (void)check_measure(c, text[0], e->place, e->value[0], text[1], e->value[1], e->value[2]);
    else if (e->kind == LOG_EXCLUDES)
        excludes(c, text[0], e->value[0], text[1]);
    else if (e->kind == LOG_SERIES_BEGIN)
        series_put_head(c, &(struct series_head){ .name = text[0],
                                                  .place = e->place,
                                                  .unit = text[1],
                                                  .x_name = text[2],
                                                  .x_unit = text[3],
                                                  .expected = e->number[0] != 0,
                                                  .values = (uint32_t)e->number[1] });
    else if (e->kind == LOG_SERIES_ADD)
        series_add(c, e->value[0], e->value[1]);
    else
        series_end(c);
}

static void replay(struct check *c, const struct check_log_entry *e)
{
    if (e->kind <= LOG_SWEPT)
        replay_evidence(c, e);
    else if (e->kind <= LOG_SERIES_END)
        replay_figure(c, e);
    else if (e->kind == LOG_FINDING)
        finding_add(c, &(struct found){ .verdict = (enum verdict)e->number[0],
                                        .code = (enum finding_code)e->number[1],
                                        .place = e->place,
                                        .symptom = e->symptom,
                                        .text = e->text[0],
                                        .limit = e->limit,
                                        .flags = (uint32_t)e->number[2] });
    else if (e->kind == LOG_NOTE)
        check_note(c, "%s", e->text[0]);
    else
        check_table_line(c, "%s", e->text[0]);
}

/* Everything in the log once more, to c, so that its report does not show which parts were measured at once; and what was
 * counted of samples. Figures are held to bands of good machines here. */
static void replay_log(struct check *c, const struct check_log *log, const struct check_record *counted)
{
    struct check_record *r = &c->state->record;
    uint32_t said = r->n_evidence;

    for (const struct check_log_entry *e = log->first; e; e = e->next)
        replay(c, e);
    r->n_evidence = said + log->n_evidence;
    r->samples += counted->samples;
    r->disturbed += counted->disturbed;
    r->throttled += counted->throttled;
    r->beyond_smis |= counted->beyond_smis;
}

/* A capacity mask that firmware left restricted: the class that processors were found in cannot fill the L3, and
 * occupancy says so rightly. mask gets its value. Data masks are at index 2n while CDP is enabled (SDM vol. 3B 17.17.4.1). */
static bool is_masked(struct check *c, uint32_t domain, uint32_t *clos, uint64_t *mask)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t cpu = c->tools->qm[domain].cpu;
    uint64_t pqr = 0, cfg = 0;

    if (!rdt->l3.known || msr_read(c->platform, cpu, IA32_PQR_ASSOC, &pqr) != ST_OK)
        return false;
    if (rdt->l3.cdp && msr_read(c->platform, cpu, IA32_L3_QOS_CFG, &cfg) != ST_OK)
        cfg = 0;
    *clos = pqr_decode(pqr).clos;
    if (msr_read(c->platform, cpu, IA32_L3_MASK(*clos << (cfg & IA32_L3_QOS_CFG_CDP_ENABLE)), mask) != ST_OK)
        return false;
    return (*mask & low_bits(rdt->l3.cbm_len)) != low_bits(rdt->l3.cbm_len);
}

/* Register checks do not depend on the RMID partition. */
static bool asks_whose_rmids(const struct check *c)
{
    return !c->row->about_clusters && c->row->rests_on & ~(RESTS_ON_REGISTERS | RESTS_ON_TABLES);
}

/* ST_ABSENT: why a domain cannot be judged, by check_absent(). */
static enum status domain_ready(struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t mask = 0;
    uint32_t clos = 0;

    if (domain_qm(c, domain) == NULL)
        return check_absent(c, "L3 domain %u: no processor takes work", domain);
    if (d->l3_bytes == 0 || d->upscaling_factor == 0)
        return check_absent(c,
                            "L3 domain %u: an L3 of %lu bytes and an upscaling factor of %u bytes allow no expectation",
                            domain, d->l3_bytes, d->upscaling_factor);
    if (asks_whose_rmids(c) && cluster_rmids_known(c, domain) != ST_OK)
        return ST_ABSENT;
    if ((c->row->needs & NEED_OCCUPANCY) && is_masked(c, domain, &clos, &mask))
        return check_absent(
            c, "L3 domain %u: firmware left the capacity mask of CLOS %u at 0x%lx: part of the L3 cannot be filled",
            domain, clos, mask);
    return ST_OK;
}

/* What became of a domain: judged, or why it was not. */
struct domain_outcome {
    bool judged;
    char why[256];
};

static enum status run_registers(struct check *c, uint32_t domain)
{
    struct qm_domain *qm = domain_qm(c, domain);

    return qm ? c->row->run_qm(c, qm) : check_unmeasured(c, ST_LOST, c->machine->domains[domain].cpu, "IA32_QM_CTR");
}

static enum status run_behaviour(struct check *c, uint32_t domain)
{
    TRY(domain_ready(c, domain));
    return c->row->run_cat ? cat_run(c, domain) : c->row->run_domain(c, domain);
}

/* Of all L3s that the domain's findings are of. */
static enum grade_clusters clusters_known(struct check *c, uint32_t domain)
{
    const uint32_t partner = c->row->partner ? c->row->partner(c, domain) : domain;

    return grade_clusters_least(cluster_known_in(c, domain), cluster_known_in(c, partner));
}

static void run_domain(struct check *c, uint32_t domain, struct domain_outcome *o)
{
    struct check_memory *mark = check_memory_mark(c);
    const enum grade_clusters of_machine = c->state->clusters_known;
    enum status st;

    c->state->clusters_known = clusters_known(c, domain);
    tools_reset(c->tools);
    st = c->row->run_qm ? run_registers(c, domain) : run_behaviour(c, domain);
    check_free_since(c, mark);
    o->judged = st != ST_ABSENT && st != ST_DISTURBED;
    if (o->judged)
        check_conclude(c, st);
    else
        check_take_reason(c, o->why, sizeof o->why);
    c->state->clusters_known = of_machine;
}

/* How many domains were judged so far, and why others were not. */
struct progress {
    uint32_t judged, left_out;
    char first_why[256];
};

static void count_outcome(struct check *c, uint32_t domain, struct domain_outcome *o, struct progress *p)
{
    if (o->judged) {
        p->judged++;
        return;
    }
    if (o->why[0] == '\0')
        text_format(o->why, sizeof o->why, "L3 domain %u: no processor that takes part", domain);
    if (p->left_out++ == 0)
        memcpy(p->first_why, o->why, sizeof o->why);
    check_note(c, "not judged: %s", o->why);
}

static void one_by_one(struct check *c, struct progress *p)
{
    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        struct domain_outcome o = { 0 };

        run_domain(c, i, &o);
        count_outcome(c, i, &o, p);
    }
}

/* --- many at once ------------------------------------------------------------------------------------------------- */

/* A domain while others are measured: what the check is given for it, and what it says. */
struct domain_part {
    struct check check;
    struct check_state state;
    struct check_log log;
    struct tools tools;
    struct arena *arenas; /* [tools.n_arenas], of its own */
    struct domain_outcome outcome;
    bool done;
};

struct domain_parts {
    struct check *check;
    struct domain_part *part; /* [n], by domain */
    uint32_t n, at_once;
    uint32_t *wave; /* [n_wave] domains that are measured at once */
    bool *again;    /* [n_wave] */
    uint32_t n_wave;
};

static enum status take_shares(struct domain_parts *d, uint32_t domain, uint32_t which, uint32_t of)
{
    const struct tools *t = d->check->tools;
    uint64_t bytes = arena_default_bytes(d->check->machine);

    for (uint32_t i = 0; i < t->n_arenas; i++)
        TRY(arena_share(&t->arenas[i], which, of, bytes, &d->part[domain].arenas[i]));
    return ST_OK;
}

/* How many domains have each the memory that one of them alone is given. */
static uint32_t memory_allows(struct domain_parts *d)
{
    uint32_t n = d->n;

    while (n > 1 && take_shares(d, 0, 0, n) != ST_OK)
        n--;
    return n;
}

static void parts_close(struct domain_parts *d)
{
    for (uint32_t i = 0; d->part && i < d->n; i++) {
        heap_free(d->part[i].arenas);
        check_log_free(&d->part[i].log);
    }
    heap_free(d->part);
    heap_free(d->wave);
    heap_free(d->again);
}

/* false: there is no memory for more than one at once. */
static bool parts_open(struct domain_parts *d)
{
    d->part = heap_alloc(d->n * sizeof d->part[0]);
    d->wave = heap_alloc(d->n * sizeof d->wave[0]);
    d->again = heap_alloc(d->n * sizeof d->again[0]);
    if (!d->part || !d->wave || !d->again)
        return false;
    for (uint32_t i = 0; i < d->n; i++) {
        d->part[i].arenas = heap_alloc(d->check->tools->n_arenas * sizeof d->part[i].arenas[0]);
        if (!d->part[i].arenas)
            return false;
    }
    d->at_once = memory_allows(d);
    return d->at_once > 1;
}

/* What a domain is given, as the n_wave-th of a wave. */
static enum status part_begin(struct domain_parts *d, uint32_t domain, uint32_t which)
{
    struct check *c = d->check;
    struct domain_part *part = &d->part[domain];

    check_log_free(&part->log);
    part->outcome = (struct domain_outcome){ 0 };
    part->tools = *c->tools;
    part->tools.arenas = part->arenas;
    part->tools.n_pieces = part->tools.n_arenas;
    part->tools.between = NULL; /* others measure meanwhile */
    part->tools.scatter = NULL; /* each share is one piece */
    part->state = (struct check_state){ .log = &part->log,
                                        .clocks = c->state->clocks ? c->state->clocks : &c->state->record,
                                        .bands = c->state->bands,
                                        .clusters = c->state->clusters,
                                        .one_l3 = 1 + domain,
                                        .assigned = c->state->assigned,
                                        .clusters_known = c->state->clusters_known };
    part->check = *c;
    part->check.tools = &part->tools;
    part->check.state = &part->state;
    return take_shares(d, domain, which, d->n_wave);
}

static uint32_t partner_of(const struct domain_parts *d, uint32_t domain)
{
    return d->check->row->partner ? d->check->row->partner(d->check, domain) : domain;
}

/* Whether the wave uses the domain's L3: WBINVD and the registers of clusters are those of the L3. */
static bool in_wave(const struct domain_parts *d, uint32_t domain)
{
    return ANY_OF(i, d->n_wave,
                  cluster_same_l3(d->check, d->wave[i], domain) ||
                      cluster_same_l3(d->check, partner_of(d, d->wave[i]), domain));
}

/* The next domains to be measured at once: of different L3s. Returns how many. */
static uint32_t choose_wave(struct domain_parts *d)
{
    d->n_wave = 0;
    for (uint32_t i = 0; i < d->n && d->n_wave < d->at_once; i++)
        if (!d->part[i].done && !in_wave(d, i) && !in_wave(d, partner_of(d, i)))
            d->wave[d->n_wave++] = i;
    return d->n_wave;
}

static void coroutine_of_wave(void *context, uint32_t which)
{
    struct domain_parts *d = context;
    struct domain_part *part = &d->part[d->wave[which]];

    run_domain(&part->check, d->wave[which], &part->outcome);
}

/* What one domain has shown of the machine, for the waves and checks that follow. */
static void keep_what_was_learnt(struct tools *t, const struct tools *of)
{
    t->unreadable |= of->unreadable;
    if (of->bandwidth_lag_ms > t->bandwidth_lag_ms)
        t->bandwidth_lag_ms = of->bandwidth_lag_ms;
}

static enum status run_wave(struct domain_parts *d)
{
    const struct coroutines_call call = { .n = d->n_wave, .body = coroutine_of_wave, .context = d, .again = d->again };

    for (uint32_t i = 0; i < d->n_wave; i++)
        TRY(part_begin(d, d->wave[i], i));
    TRY(coroutines_run(d->check->platform, &call));
    for (uint32_t i = 0; i < d->n_wave; i++) {
        struct domain_part *part = &d->part[d->wave[i]];

        part->done = !d->again[i] && !part->log.lost;
        keep_what_was_learnt(d->check->tools, &part->tools);
    }
    return ST_OK;
}

/* Whether a wave has brought any domain to its end. One alone needs no log. */
static bool wave_helps(struct domain_parts *d)
{
    if (choose_wave(d) < 2 || run_wave(d) != ST_OK)
        return false;
    return ANY_OF(i, d->n_wave, d->part[d->wave[i]].done);
}

/* What waves have not brought to its end is measured alone, in its turn. */
static void many_at_once(struct domain_parts *d, struct progress *p)
{
    while (wave_helps(d))
        ;
    for (uint32_t i = 0; i < d->n; i++) {
        struct domain_part *part = &d->part[i];

        if (part->done) {
            replay_log(d->check, &part->log, &part->state.record);
        } else {
            part->outcome = (struct domain_outcome){ 0 };
            run_domain(d->check, i, &part->outcome);
        }
        count_outcome(d->check, i, &part->outcome, p);
    }
}

static void run_domains(struct check *c, struct progress *p)
{
    struct domain_parts d = { .check = c, .n = c->machine->n_domains };

    if (d.n < 2 || !parts_open(&d))
        one_by_one(c, p);
    else
        many_at_once(&d, p);
    parts_close(&d);
}

/* The domains of the machine as checks of behaviour see it. */
static void run_view(struct check *view, void *progress)
{
    run_domains(view, progress);
}

static void each_domain(struct check *c)
{
    struct progress p = { .first_why = "no L3 domain" };

    if (c->row->run_qm)
        run_domains(c, &p);
    else
        (void)cluster_check(c, run_view, &p);
    if (p.judged && p.left_out)
        check_note(c, "judged on %u of %u L3 domains", p.judged, p.judged + p.left_out);
    if (!p.judged && check_verdict(c) == VERDICT_PASS)
        check_skip(c, "%s", p.first_why);
}

static void run_row(struct check *c)
{
    const struct check_row *row = c->row;

    if (row->run)
        check_conclude(c, row->run(c));
    else if (row->run_session)
        pmon_session_check(c, row->wanted, row->free_running, row->run_session);
    else
        each_domain(c);
}

/* The same once more, with bandwidth counted by assigned counters. A SKIP of it leaves what was found without. */
static void run_assigned(struct check *c)
{
    enum status st = assigned_begin(c);

    if (st == ST_OK)
        run_row(c);
    check_conclude(c, status_first(st, assigned_end(c)));
}

void check_run(struct check *c)
{
    const struct check_row *row = c->row;
    enum status st = row->ready ? row->ready(c) : ST_OK;

    if (st == ST_OK)
        run_row(c);
    else
        check_conclude(c, st);
    if (st == ST_OK && row->assigned && assigned_offered(c) && check_verdict(c) != VERDICT_SKIP &&
        check_verdict(c) != VERDICT_ERROR)
        run_assigned(c);
}
