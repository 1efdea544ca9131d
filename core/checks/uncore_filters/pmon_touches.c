/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/uncore_filters/pmon_touches.h"

#include "core/platform/script.h"

#define BUFFER 4096u

static enum status run_touches(struct traffic_window *traffic, struct platform *p)
{
    struct touches *t = traffic->context;

    /* A flush of a line loads it first: each pass is a read that misses every cache. */
    for (uint32_t i = 0; i < traffic->n; i++) {
        t->works[i] =
            (struct work){ .kind = WORK_FLUSH, .passes = TOUCHES, .base = traffic->streams[i].base, .bytes = 64 };
        t->steps[i] = step_work(&t->works[i]);
    }
    return traffic_window_run_steps(traffic, p, t->steps, 1, traffic->n * TOUCHES * 64);
}

enum status touches_prepare(struct touches *t, struct check *c)
{
    uint32_t packages = c->machine->n_packages;

    *t = (struct touches){ .traffic = { .passes = 1, .cold = true, .run = run_touches } };
    t->traffic.context = t;
    TRY_ALLOC(c, t->works, packages, "the line that is read");
    TRY_ALLOC(c, t->steps, packages, "the line that is read");
    return traffic_window_add_packages(&t->traffic, c, BUFFER);
}

const struct traffic_window_stream *touches_stream(const struct touches *t, const struct check *c, uint32_t package)
{
    return FIND(i, t->traffic.n, c->machine->cpus[t->traffic.streams[i].cpu].package == package, &t->traffic.streams[i],
                NULL);
}
