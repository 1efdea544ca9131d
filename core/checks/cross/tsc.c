/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Time-stamp counters of processors against each other.
 *
 * A processor and the boot processor pass the same barriers, and note their TSCs after each. The TSC that one notes after
 * a barrier is older than what the other notes after the next, so each pair of barriers bounds how far one TSC is ahead
 * of the other. The bounds hold however long a barrier takes: a delay widens them, and nothing makes them exclude the
 * truth. Linux looks at the same order (arch/x86/kernel/tsc_sync.c, check_tsc_warp()).
 */
#include "arch/x86/cpu/msr_regs.h"
#include "core/domain/domains.h"

#define BARRIERS 33u /* 32 pairs: the narrowest counts */

/* TSC less that of the boot processor, in clocks. */
struct tsc_bounds {
    double least, most;
    uint32_t least_cpu, most_cpu; /* who gave them */
};

static enum status pass_barriers(struct check *c, uint32_t cpu, struct step *ours, struct step *theirs)
{
    struct task tasks[] = { { .cpu = c->platform->bsp, .n_steps = BARRIERS, .steps = ours },
                            { .cpu = cpu, .n_steps = BARRIERS, .steps = theirs } };

    for (uint32_t i = 0; i < BARRIERS; i++)
        ours[i] = theirs[i] = (struct step){ .op = STEP_BARRIER, .must = true };
    return platform_run(c->platform, tasks, 2, work_budget_ms(0));
}

/* Tightens the bounds by one more processor. */
static enum status bound_tsc(struct check *c, uint32_t cpu, struct tsc_bounds *b)
{
    struct step ours[BARRIERS], theirs[BARRIERS];

    TRY_MEASURE(c, pass_barriers(c, cpu, ours, theirs), cpu, "barriers");
    for (uint32_t i = 0; i + 1 < BARRIERS; i++) {
        double least = (double)(int64_t)(theirs[i].tsc - ours[i + 1].tsc);
        double most = (double)(int64_t)(theirs[i + 1].tsc - ours[i].tsc);

        if (least > b->least) {
            b->least = least;
            b->least_cpu = cpu;
        }
        if (most < b->most) {
            b->most = most;
            b->most_cpu = cpu;
        }
    }
    return ST_OK;
}

/* The bounds that hold for all processors of a package; least above most: for no offset of theirs alike. Open where none
 * of them but the boot processor takes work; ST_LOST: where one did, until it was lost. */
static enum status bound_package(struct check *c, uint32_t package, struct tsc_bounds *b)
{
    uint32_t lost = c->machine->n_cpus;

    *b = (struct tsc_bounds){ -NO_BOUND, NO_BOUND, 0, 0 };
    for (uint32_t i = 0; i < c->machine->n_cpus; i++) {
        if (c->machine->cpus[i].package != package || i == c->platform->bsp)
            continue;
        if (cpu_takes_work(c->platform, i))
            TRY(bound_tsc(c, i, b));
        else if (c->platform->cpus[i].flags & CPU_LOST)
            lost = i;
    }
    if (b->most >= NO_BOUND && lost < c->machine->n_cpus)
        return check_unmeasured(c, ST_LOST, lost, "the last processor of its package that took work");
    return ST_OK;
}

/* IA32_TSC_ADJUST, where the part has it, says whether software moved the counter. */
static void show_adjust(struct check *c, uint32_t cpu)
{
    uint64_t value;

    if (msr_read(c->platform, cpu, IA32_TSC_ADJUST, &value) == ST_OK)
        evidence_msr(c, cpu, IA32_TSC_ADJUST, value, 0);
}

static void judge_tsc(struct check *c, uint32_t package, const struct tsc_bounds *b)
{
    bool in;

    in = check_measure(c, "TSC less that of the boot processor, at least", place_package(package), b->least, "clocks",
                       -NO_BOUND, 0);
    in &= check_measure(c, "TSC less that of the boot processor, at most", place_package(package), b->most, "clocks", 0,
                        NO_BOUND);
    if (in)
        return;
    show_adjust(c, c->platform->bsp);
    show_adjust(c, b->least > 0 ? b->least_cpu : b->most_cpu);
    if (b->least > b->most)
        finding(c, FINDING_UNUSUAL, 0, FOUND_TSC_DIFFERS, place_package(package),
                "TSCs of its processors differ: cpu %u's is %ld clocks or more ahead of cpu %u's", b->least_cpu,
                (int64_t)(b->least - b->most), b->most_cpu);
    else
        finding(c, FINDING_UNUSUAL, 0, FOUND_TSC_DIFFERS, place_package(package),
                "its TSCs are %ld to %ld clocks %s that of the boot processor (cpu %u)",
                (int64_t)(b->least > 0 ? b->least : -b->most), (int64_t)(b->least > 0 ? b->most : -b->least),
                b->least > 0 ? "ahead of" : "behind", c->platform->bsp);
}

static enum status check_tsc(struct check *c)
{
    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        struct tsc_bounds b;

        TRY(bound_package(c, p, &b));
        if (b.most < NO_BOUND)
            judge_tsc(c, p, &b);
    }
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "cross.tsc",
      .title = "The TSCs of all processors show one time",
      .spec = "SDM vol. 3B 17.15 Time-Stamp Counter; Linux arch/x86/kernel/tsc_sync.c",
      .covers = "XC-13",
      .detects = "a TSC that was reset or written on one package or processor alone",
      .means = "an operating system takes the TSC for unstable, and rates over processors are wrong",
      .next = "IA32_TSC_ADJUST of the processors in the finding; firmware's start of the package; its reference clock",
      .run = check_tsc },
};
CHECK_FAMILY(tsc, rows, .needs = NEED_2_CPUS, .grade = GRADE_W, .rests_on = RESTS_ON_REGISTERS, .no_monitor = true,
             .order = 800);
