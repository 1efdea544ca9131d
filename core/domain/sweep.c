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

enum status sweep_processors(struct sweep *s)
{
    struct platform *p = s->check->platform;
    struct check_memory *mark = check_memory_mark(s->check);
    struct task *tasks = check_alloc(s->check, CPUS_AT_ONCE * sizeof(tasks[0]));
    struct step *steps = check_alloc(s->check, (size_t)CPUS_AT_ONCE * s->max_steps * sizeof(steps[0]));
    uint32_t n = 0;
    enum status st = tasks && steps ? ST_OK : ST_NO_MEMORY;

    for (uint32_t cpu = 0; cpu < p->n_cpus && st == ST_OK; cpu++) {
        struct step *mine = steps + (size_t)n * s->max_steps;
        uint32_t n_steps = is_swept(s->check, cpu) ? s->build(s, cpu, mine) : 0;

        if (n_steps > 0)
            tasks[n++] = (struct task){ .cpu = cpu, .n_steps = n_steps, .steps = mine };
        if (n == CPUS_AT_ONCE) {
            sweep_batch(s, tasks, n);
            n = 0;
        }
    }
    if (st == ST_OK)
        sweep_batch(s, tasks, n);
    check_free_since(s->check, mark);
    return st;
}
