/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/domain/assigned.h"

#include "arch/x86/rdt/rdt_regs.h"
#include "core/platform/script.h"

bool assigned_offered(const struct check *c)
{
    return reference_rdt(c)->abmc_counters >= 2;
}

static uint32_t build_enable(struct sweep *s, uint32_t cpu, struct step *steps)
{
    steps[0] = step_wrmsr(L3_QOS_EXT_CFG, alloc_found(s->check, cpu, L3_QOS_EXT_CFG) | L3_QOS_EXT_CFG_ABMC_EN);
    return 1;
}

static void judge_enable(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t)
{
    bool *refused = s->context;

    if (steps[0].status == ST_OK)
        return;
    if (!*refused)
        alloc_refused(s->check, cpu, &steps[0]);
    *refused = true;
}

/* A counter of an event counts what QOS_EVT_CFG_n says of it. */
static uint64_t types_of(const struct check *c, uint32_t cpu, uint32_t event, uint64_t reset)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint64_t types = 0;

    if ((rdt->qosx_ebx & CPUID_8000_0020_0_EBX_BMEC) && msr_read(c->platform, cpu, QOS_EVT_CFG(event), &types) == ST_OK)
        return types;
    return rdt_event_reset(rdt, reset);
}

static void set_counters(struct check *c, uint32_t n)
{
    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        struct qm_domain *d = domain_qm(c, i);

        if (d == NULL)
            continue;
        d->counters = (struct qm_counters){ .n = n };
        if (n == 0)
            continue;
        d->counters.types[0] = types_of(c, d->cpu, 0, QOS_EVT_CFG_TOTAL_RESET);
        d->counters.types[1] = types_of(c, d->cpu, 1, QOS_EVT_CFG_LOCAL_RESET);
    }
}

enum status assigned_begin(struct check *c)
{
    bool refused = false;
    struct sweep s;

    TRY(alloc_record(c, L3_QOS_ABMC_CFG));
    TRY(alloc_record(c, L3_QOS_EXT_CFG));
    TRY(sweep_run(&s, c, 1, build_enable, judge_enable, "L3_QOS_EXT_CFG", &refused));
    if (refused)
        return check_already_reported(c, ST_FAULT);
    set_counters(c, reference_rdt(c)->abmc_counters);
    c->state->assigned = true;
    return ST_OK;
}

enum status assigned_end(struct check *c)
{
    set_counters(c, 0);
    c->state->assigned = false;
    return alloc_put_back(c, L3_QOS_EXT_CFG);
}
