/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/uncore_filters/pmon_touches.h"

#include "core/platform/script.h"

#define BUFFER 4096u

static enum status run_touches(struct traffic_window *traffic, struct platform *p)
{
    struct touches *t = traffic->context;

    for (uint32_t i = 0; i < traffic->n; i++) {
        struct work *works = &t->works[2 * i];

        works[0] = (struct work){ .kind = WORK_READ, .passes = 1, .base = traffic->streams[i].base, .bytes = 64 };
        works[1] = works[0];
        works[1].kind = WORK_FLUSH;
        for (uint32_t k = 0; k < 2 * TOUCHES; k++)
            t->steps[2 * TOUCHES * i + k] = step_work(&works[k % 2]);
    }
    return traffic_window_run_steps(traffic, p, t->steps, 2 * TOUCHES, traffic->n * TOUCHES * 64);
}

enum status touches_prepare(struct touches *t, struct check *c)
{
    uint32_t packages = c->machine->n_packages;

    *t = (struct touches){ .traffic = { .passes = 1, .cold = true, .run = run_touches } };
    t->traffic.context = t;
    t->works = check_alloc(c, sizeof *t->works * 2 * packages);
    t->steps = check_alloc(c, sizeof *t->steps * 2 * TOUCHES * packages);
    if (!t->works || !t->steps)
        return check_unmeasured(c, ST_NO_MEMORY, c->platform->bsp, "the line that is read");
    return traffic_window_add_packages(&t->traffic, c, BUFFER);
}

const struct traffic_window_stream *touches_stream(const struct touches *t, const struct check *c, uint32_t package)
{
    for (uint32_t i = 0; i < t->traffic.n; i++)
        if (c->machine->cpus[t->traffic.streams[i].cpu].package == package)
            return &t->traffic.streams[i];
    return NULL;
}
