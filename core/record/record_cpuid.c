/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CPUID of every processor: the first one's lines, and of the others those that differ. */
#include "core/record/record_internal.h"

#include <string.h>

#include "core/base/heap.h"

#define LINES_MOST 192u
#define BATCH      64u /* processors that are asked at once */

struct lines {
    uint32_t n;
    struct {
        uint32_t leaf, subleaf;
    } at[LINES_MOST];
};

struct first { /* the processor whose lines are written whole */
    struct recorder *r;
    uint32_t cpu, id;
    struct lines lines;
    struct cpuid_regs regs[LINES_MOST];
};

/* Highest sub-leaf that a leaf has, by its sub-leaf 0; lists that end by a type have `listed`. SDM vol. 2A CPUID; APM vol. 3
 * appendix E. */
static uint32_t last_subleaf(uint32_t leaf, const struct cpuid_regs *zero)
{
    switch (leaf) {
    case 7:
    case 0x14:
    case 0x17:
    case 0x18:
    case 0x20:
        return zero->eax < 8 ? zero->eax : 8;
    case 4:
    case 0xB:
    case 0x1F:
    case 0x8000001Du:
    case 0x80000026u:
        return 7;
    case 0xD:
    case 0xF:
        return 1;
    case 0x10:
    case 0x23:
        return 5;
    case 0x80000020u:
        return 8;
    default:
        return 0;
    }
}

/* Whether a list has ended: cache type 0, level type 0. */
static bool is_end(uint32_t leaf, const struct cpuid_regs *regs)
{
    if (leaf == 4 || leaf == 0x8000001Du)
        return (regs->eax & 0x1F) == 0;
    return (leaf == 0xB || leaf == 0x1F || leaf == 0x80000026u) && (regs->ecx & 0xFF00) == 0;
}

static void take_leaf(struct first *f, uint32_t leaf)
{
    uint32_t last = 0;

    for (uint32_t sub = 0; sub <= last && f->lines.n < LINES_MOST; sub++) {
        struct cpuid_regs *regs = &f->regs[f->lines.n];

        if (cpu_cpuid(f->r->source->platform, f->cpu, leaf, sub, regs) != ST_OK)
            return;
        if (sub == 0)
            last = last_subleaf(leaf, regs);
        f->lines.at[f->lines.n].leaf = leaf;
        f->lines.at[f->lines.n++].subleaf = sub;
        if (is_end(leaf, regs))
            return;
    }
}

/* Ranges end where the processor says; beyond, an Intel processor answers with data of another leaf. */
static void take_range(struct first *f, uint32_t begin)
{
    struct cpuid_regs regs;

    if (cpu_cpuid(f->r->source->platform, f->cpu, begin, 0, &regs) != ST_OK)
        return;
    for (uint32_t leaf = begin; leaf - begin <= 0x3F && leaf <= regs.eax; leaf++)
        if (leaf != 3) /* the processor's serial number, on parts that had one */
            take_leaf(f, leaf);
}

static uint32_t id_of(const struct first *f, const struct step *steps)
{
    uint32_t id = 0;

    for (uint32_t i = 0; i < f->lines.n; i++) {
        const struct cpuid_regs *g = &steps[i].regs;
        uint32_t leaf = f->lines.at[i].leaf;

        if (leaf == 1)
            id = g->ebx >> 24;
        else if (leaf == 0xB && f->lines.at[i].subleaf == 0 && g->ebx)
            return g->edx;
        else if (leaf == 0x8000001Eu && g->eax)
            return g->eax;
    }
    return id;
}

/* What a reader of the form expects of a processor with that id. */
static struct cpuid_regs expected(const struct first *f, uint32_t line, uint32_t id)
{
    struct cpuid_regs regs = f->regs[line];
    uint32_t leaf = f->lines.at[line].leaf;

    if (leaf == 1)
        regs.ebx = (regs.ebx & 0x00FFFFFF) | id << 24;
    else if (leaf == 0xB || leaf == 0x1F || leaf == 0x80000026u)
        regs.edx = id;
    else if (leaf == 0x8000001Eu)
        regs.eax = id;
    return regs;
}

static void record_cpu(struct first *f, uint32_t cpu, const struct step *steps)
{
    uint32_t id = id_of(f, steps);

    record_line(f->r, "cpu %u id %x", cpu, id);
    for (uint32_t i = 0; i < f->lines.n; i++) {
        const struct cpuid_regs *g = &steps[i].regs;
        struct cpuid_regs like = expected(f, i, id);

        if (steps[i].status != ST_OK)
            record_line(f->r, "absent %x %x", f->lines.at[i].leaf, f->lines.at[i].subleaf);
        else if (cpu == f->cpu || memcmp(&like, g, sizeof like) != 0)
            record_line(f->r, "%x %x %x %x %x %x", f->lines.at[i].leaf, f->lines.at[i].subleaf, g->eax, g->ebx, g->ecx,
                        g->edx);
    }
}

static void record_batch(struct first *f, const uint32_t *cpus, uint32_t n, struct step *steps, struct task *tasks)
{
    for (uint32_t t = 0; t < n; t++) {
        tasks[t] = (struct task){ .cpu = cpus[t], .n_steps = f->lines.n, .steps = steps + (size_t)t * LINES_MOST };
        for (uint32_t i = 0; i < f->lines.n; i++)
            tasks[t].steps[i] =
                (struct step){ .op = STEP_CPUID, .reg = f->lines.at[i].leaf, .subleaf = f->lines.at[i].subleaf };
    }
    if (platform_run(f->r->source->platform, tasks, n, work_budget_ms(0)) == ST_LOST)
        return;
    for (uint32_t t = 0; t < n; t++)
        if (tasks[t].status == ST_OK)
            record_cpu(f, tasks[t].cpu, tasks[t].steps);
}

void record_cpuid(struct recorder *r)
{
    struct platform *p = r->source->platform;
    struct first *f = heap_alloc(sizeof *f);
    struct step *steps = heap_alloc(sizeof *steps * BATCH * LINES_MOST);
    struct task *tasks = heap_alloc(sizeof *tasks * BATCH);
    uint32_t cpus[BATCH], n = 0;

    if (f && steps && tasks) {
        f->r = r;
        f->cpu = r->source->machine->reference;
        take_range(f, 0);
        take_range(f, 0x80000000u);
        cpus[n++] = f->cpu; /* its lines are those that the others are compared with */
        for (uint32_t cpu = 0; cpu < p->n_cpus; cpu++) {
            if (cpu != f->cpu && cpu_takes_work(p, cpu))
                cpus[n++] = cpu;
            if (n == BATCH) {
                record_batch(f, cpus, n, steps, tasks);
                n = 0;
            }
        }
        record_batch(f, cpus, n, steps, tasks);
    } else {
        r->status = ST_NO_MEMORY;
    }
    heap_free(f);
    heap_free(steps);
    heap_free(tasks);
}
