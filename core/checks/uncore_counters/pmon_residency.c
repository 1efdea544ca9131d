/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/uncore_counters/pmon_residency.h"

#include "core/base/text.h"
#include "core/machine/machine.h"
#include "core/platform/script.h"

#define RESIDENCY_BUDGET_MS 1000u

/* No leaf of CPUID says which parts have which: an MSR that is absent raises #GP. */
static const struct residency_state {
    const char *name;
    uint32_t msr;
    bool of_package;
} states[] = {
    { "package C2", 0x60D, true }, { "package C3", 0x3F8, true }, { "package C6", 0x3F9, true },
    { "core C3", 0x3FC, false },   { "core C6", 0x3FD, false },
};
#define STATES (uint32_t)(sizeof states / sizeof states[0])
#define STEPS  (2 * STATES + 3) /* barrier, reads, spin, reads, barrier */

struct residency_run {
    const struct residency_state *there[STATES];
    uint32_t n_there;
    struct task *tasks;
    struct step *steps; /* [n * STEPS] */
};

static void find_states(struct check *c, struct residency_run *r, uint32_t cpu)
{
    uint64_t ignored;

    for (uint32_t i = 0; i < STATES; i++)
        if (msr_read(c->platform, cpu, states[i].msr, &ignored) == ST_OK)
            r->there[r->n_there++] = &states[i];
}

/* A barrier at both ends, so that no processor sleeps while another reads. */
static void script_awake(const struct residency_run *r, struct step *s, uint64_t ticks)
{
    *s++ = step_barrier();
    for (uint32_t i = 0; i < r->n_there; i++)
        *s++ = step_rdmsr(r->there[i]->msr);
    *s++ = step_spin(ticks);
    for (uint32_t i = 0; i < r->n_there; i++)
        *s++ = step_rdmsr(r->there[i]->msr);
    *s = step_barrier();
}

static void judge_residency(struct check *c, const struct residency_state *state, uint32_t cpu,
                            const struct step *before, const struct step *after)
{
    struct place place = place_cpu(cpu);
    char what[80];

    if (before->status != ST_OK || after->status != ST_OK)
        return;
    text_format(what, sizeof what, "residency in %s while every core is kept awake", state->name);
    if (after->value == before->value)
        return;
    evidence_msr(c, cpu, state->msr, before->value, before->tsc);
    evidence_msr(c, cpu, state->msr, after->value, after->tsc);
    check_measure(c, what, place, (double)(int64_t)(after->value - before->value), "TSC cycles", 0, 0);
    if (after->value < before->value)
        finding(c, FINDING_UNUSUAL, 0, FOUND_STEPS_BACK, place, "%s: MSR 0x%x decreased from %lu to %lu", what,
                state->msr, before->value, after->value);
    else
        finding(c, FINDING_UNUSUAL, 0, FOUND_RESIDENT_AWAKE, place, "%s: MSR 0x%x advanced by %lu of %lu TSC cycles",
                what, state->msr, after->value - before->value, after->tsc - before->tsc);
}

/* The first processor of a package reads its counters. */
static bool first_of_package(const struct check *c, const uint32_t *cpus, uint32_t i)
{
    return !ANY_OF(k, i, c->machine->cpus[cpus[k]].package == c->machine->cpus[cpus[i]].package);
}

enum status residency_judge_awake(struct check *c, const uint32_t *cpus, uint32_t n, uint64_t ticks)
{
    struct residency_run r = { .n_there = 0 };

    if (n > 0)
        find_states(c, &r, cpus[0]);
    if (r.n_there == 0) {
        check_note(c, "no residency counter of package or core answers (MSRs 60DH, 3F8H, 3F9H, 3FCH, 3FDH)");
        return ST_OK;
    }
    TRY_ALLOC(c, r.tasks, n, "the residency counters");
    TRY_ALLOC(c, r.steps, STEPS * n, "the residency counters");
    for (uint32_t i = 0; i < n; i++) {
        script_awake(&r, &r.steps[i * STEPS], ticks);
        r.tasks[i] = (struct task){ .cpu = cpus[i], .n_steps = 2 * r.n_there + 3, .steps = &r.steps[i * STEPS] };
    }
    TRY_MEASURE(c, platform_run(c->platform, r.tasks, n, RESIDENCY_BUDGET_MS), cpus[0], "the residency counters");
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < r.n_there; k++)
            if (!r.there[k]->of_package || first_of_package(c, cpus, i))
                judge_residency(c, r.there[k], cpus[i], &r.steps[i * STEPS + 1 + k],
                                &r.steps[i * STEPS + 2 + r.n_there + k]);
    return ST_OK;
}
