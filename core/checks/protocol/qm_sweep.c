/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/protocol/qm_sweep.h"

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/text.h"
#include "core/platform/ledger.h"

struct qm_sweep_state {
    struct sweep sweep;
    struct rule rule;
    const struct qm_sweep *q;
    uint64_t evtsel[QM_SELECTIONS];
    uint32_t cpus;
};

static const struct qm_domain *domain_of(const struct check *c, uint32_t cpu)
{
    uint32_t domain = c->machine->cpus[cpu].domain;

    return domain == NO_DOMAIN ? NULL : &c->tools->qm[domain];
}

static uint32_t steps_of_one(const struct qm_sweep *q)
{
    return q->writes ? QM_WRITE_STEPS : QM_PROBE_STEPS;
}

static uint32_t build_selections(struct sweep *sweep, uint32_t cpu, struct step *steps)
{
    struct qm_sweep_state *s = sweep->context;
    const struct qm_domain *d = domain_of(sweep->check, cpu);
    uint32_t n = d ? s->q->select(sweep->check, d, s->evtsel) : 0;

    for (uint32_t i = 0; i < n; i++)
        if (s->q->writes)
            qm_write_build(s->evtsel[i], steps + (size_t)i * QM_WRITE_STEPS);
        else
            qm_probe_build(s->evtsel[i], steps + (size_t)i * QM_PROBE_STEPS);
    return n * steps_of_one(s->q);
}

/* Registers that were read, and the writes between them. */
static void evidence_steps(struct check *c, uint32_t cpu, const struct step *steps, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (steps[i].status == ST_NOT_RUN)
            continue;
        if (steps[i].op == STEP_WRMSR)
            evidence_wrmsr(c, cpu, steps[i].reg, steps[i].value, steps[i].status, steps[i].tsc);
        else if (steps[i].status == ST_OK)
            evidence_msr(c, cpu, steps[i].reg, steps[i].value, steps[i].tsc);
    }
}

static void judge_selections(struct sweep *sweep, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct qm_sweep_state *s = sweep->context;
    uint32_t each = steps_of_one(s->q), made = n / each, shown = s->cpus++ == 0 ? s->q->shown : 0;

    rule_asked(&s->rule, cpu);
    sweep->compared += made;
    for (uint32_t i = 0; i < made; i++) {
        const struct step *own = steps + (size_t)i * each;
        bool was_broken = rule_is_broken(&s->rule, cpu);

        if (s->q->writes) {
            s->q->judge_write(&s->rule, cpu, own);
        } else {
            const struct qm_probe probe = qm_probe_of(own);

            s->q->judge(&s->rule, cpu, i, own[1].value, &probe);
        }
        if (i < shown || rule_is_broken(&s->rule, cpu) != was_broken)
            evidence_steps(sweep->check, cpu, own, each - 1);
    }
}

static enum status qm_sweep_open(struct check *c, struct qm_sweep_state **out, const struct qm_sweep *q)
{
    struct qm_sweep_state *s = check_alloc(c, sizeof *s);

    TRY(s ? rule_open(&s->rule, c) : check_unmeasured(c, ST_NO_MEMORY, c->platform->bsp, "IA32_QM_EVTSEL"));
    s->rule.firm = q->firm;
    s->rule.by_l3 = true;
    s->q = q;
    s->cpus = 0;
    s->sweep = (struct sweep){ .check = c,
                               .max_steps = QM_SELECTIONS * steps_of_one(q),
                               .build = build_selections,
                               .judge = judge_selections,
                               .in_turn = true,
                               .what = "IA32_QM_EVTSEL",
                               .context = s };
    *out = s;
    if (q->writes && c->platform->ledger)
        TRY_MEASURE(c, ledger_touch_msr(c->platform, IA32_QM_CTR, LEDGER_READONLY), c->platform->bsp, "IA32_QM_EVTSEL");
    return sweep_processors(&s->sweep);
}

enum status qm_sweep_run(struct check *c, const struct qm_sweep *q)
{
    struct qm_sweep_state *s = NULL;
    char what[160];

    TRY(qm_sweep_open(c, &s, q));
    rule_conclude(&s->rule);
    if (s->sweep.compared == 0)
        return check_verdict(c) != VERDICT_PASS
                   ? ST_OK
                   : check_absent(c, "%s", q->nothing ? q->nothing : "no event is advertised");
    text_format(what, sizeof what, "%s, on each of %u processors", q->what, s->cpus);
    evidence_swept(c, what, s->sweep.compared);
    return ST_OK;
}
