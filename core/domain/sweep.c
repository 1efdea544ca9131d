/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/domain/sweep.h"

#include "core/domain/cluster.h"

#define CPUS_AT_ONCE 64u
#define BUDGET_MS    UINT64_C(10000)
#define STEP_MS      UINT64_C(2) /* even where each access is trapped and emulated */

/* While other L3s are measured at the same time, a check leaves their registers alone. */
static bool is_swept(const struct check *c, uint32_t cpu)
{
    uint32_t domain = c->machine->cpus[cpu].domain;

    if (!cpu_takes_work(c->platform, cpu))
        return false;
    return c->state->one_l3 == 0 || (domain != NO_DOMAIN && cluster_same_l3(c, c->state->one_l3 - 1, domain));
}

static void sweep_batch(struct sweep *s, struct task *tasks, uint32_t n)
{
    enum status st = n ? platform_run(s->check->platform, tasks, n, BUDGET_MS + STEP_MS * s->max_steps * n) : ST_OK;

    for (uint32_t i = 0; i < n; i++) {
        enum status own = tasks[i].status;

        /* The run as a whole was refused before any task was tried. */
        if (own == ST_NOT_RUN && st != ST_OK)
            own = st;
        if (own != ST_OK) {
            check_cannot_measure(s->check, own, tasks[i].cpu, s->what);
            continue;
        }
        s->n_cpus++;
        s->judge(s, tasks[i].cpu, tasks[i].steps, tasks[i].n_steps);
    }
}

struct sweep_memory {
    struct task *tasks; /* [at_once] */
    struct step *steps;
    uint32_t *turns; /* [n_cpus] processors of the same L3 that are asked before; NULL: all at once */
    uint32_t at_once;
};

/* Processors without a known L3 are taken for ones of the same. Those of an L3 are mostly next to each other. */
static void sweep_turns(const struct sweep *s, uint32_t *turns)
{
    const struct cpu *cpus = s->check->machine->cpus;

    for (uint32_t cpu = 0; cpu < s->check->platform->n_cpus; cpu++) {
        turns[cpu] = 0;
        for (uint32_t i = cpu; i-- > 0 && turns[cpu] == 0;)
            if (cpus[i].domain == cpus[cpu].domain)
                turns[cpu] = turns[i] + 1;
    }
}

static enum status sweep_open(const struct sweep *s, struct sweep_memory *m)
{
    struct check *c = s->check;
    uint32_t most = s->in_turn ? c->machine->n_domains + 1 : c->platform->n_cpus;

    m->at_once = most < CPUS_AT_ONCE ? most : CPUS_AT_ONCE;
    m->tasks = check_alloc(c, m->at_once * sizeof m->tasks[0]);
    m->steps = check_alloc(c, (size_t)m->at_once * s->max_steps * sizeof m->steps[0]);
    m->turns = s->in_turn ? check_alloc(c, c->platform->n_cpus * sizeof m->turns[0]) : NULL;
    if (!m->tasks || !m->steps || (s->in_turn && !m->turns))
        return ST_NO_MEMORY;
    if (s->in_turn)
        sweep_turns(s, m->turns);
    return ST_OK;
}

/* The processors of one turn. Returns whether others have a later one. */
static bool sweep_turn(struct sweep *s, uint32_t turn, struct sweep_memory *m)
{
    bool later = false;
    uint32_t n = 0;

    for (uint32_t cpu = 0; cpu < s->check->platform->n_cpus; cpu++) {
        struct step *mine = m->steps + (size_t)n * s->max_steps;
        uint32_t own = m->turns ? m->turns[cpu] : 0;
        uint32_t n_steps = own == turn && is_swept(s->check, cpu) ? s->build(s, cpu, mine) : 0;

        later |= own > turn;
        if (n_steps > 0)
            m->tasks[n++] = (struct task){ .cpu = cpu, .n_steps = n_steps, .steps = mine };
        if (n == m->at_once) {
            sweep_batch(s, m->tasks, n);
            n = 0;
        }
    }
    sweep_batch(s, m->tasks, n);
    return later;
}

enum status sweep_processors(struct sweep *s)
{
    struct check_memory *mark = check_memory_mark(s->check);
    struct sweep_memory m;
    enum status st = sweep_open(s, &m);

    for (uint32_t turn = 0; st == ST_OK && sweep_turn(s, turn, &m); turn++)
        ;
    check_free_since(s->check, mark);
    return st == ST_OK ? ST_OK : check_unmeasured(s->check, st, s->check->platform->bsp, s->what);
}

enum status sweep_run(struct sweep *s, struct check *c, uint32_t max_steps, sweep_build build, sweep_judge judge,
                      const char *what, void *context)
{
    *s = (struct sweep){
        .check = c, .max_steps = max_steps, .build = build, .judge = judge, .what = what, .context = context
    };
    return sweep_processors(s);
}
