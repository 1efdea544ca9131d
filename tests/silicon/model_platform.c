/* tests/silicon/model_platform.c: see model_platform.h.
 *
 * Tasks run by turns: whoever's clock is furthest behind takes the next step, or the next few hundred lines of a
 * workload. So the order of events is that of virtual time, and the same in every run.
 *
 * What a processor that does not answer means for the others is as core/platform.h and the payload's workers have it:
 * its task is ST_TIMEOUT and the processor lost; tasks that wait for it at a barrier get ST_TIMEOUT there when the
 * deadline passes, take no more spins or workloads (ST_NOT_RUN), but still run their register steps, and keep their
 * processors.
 */
#include "tests/silicon/model_platform.h"
#include "tests/silicon/model_internal.h"
#include "tests/silicon/model_platform_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLES_BASE   UINT64_C(0x7E000000)
#define MEMORY_BASE   UINT64_C(0x100000000)
#define EXTENTS       1024u
#define CHASES        64u
#define NODES_MAX     (MODEL_MAX_PACKAGES * 8u)
#define TURN_LINES    256u
#define EPOCH_SECONDS UINT64_C(1767225600) /* 2026-01-01T00:00:00Z */

/* Ticks of the TSC. A stream overlaps its misses, a chase waits for each. 28 ticks a line are 4.8 GB/s at 2.1 GHz, what
 * one core with its prefetchers off reaches. */
static const uint32_t stream_ticks[] = { [LEVEL_L1] = 1, [LEVEL_L2] = 4, [LEVEL_L3] = 12, [LEVEL_MEMORY] = 28 };
static const uint32_t chase_ticks[] = { [LEVEL_L1] = 4, [LEVEL_L2] = 12, [LEVEL_L3] = 50, [LEVEL_MEMORY] = 180 };
enum {
    TICKS_MEMORY_LINE = 14, /* the memory of a node hands out a line in this time, to whomever: 9.6 GB/s */
    TICKS_MEMORY_CREDIT = 32768,
    TICKS_FLUSH = 40,
    TICKS_CPUID = 200,
    TICKS_RDMSR = 100,
    TICKS_WRMSR = 200,
    TICKS_PCI = 1000, /* a read or write of a device register */
    TICKS_WBINVD = 2000000,
    TICKS_BARRIER = 200,
    TICKS_HAND_OVER = 2000,
    TICKS_LOOK = 50,
};

struct extent {
    uint64_t base, end;
};

struct chase { /* what CHASE_PREPARE wrote */
    uint64_t base, lines;
    uint32_t *next;
};

struct machine {
    struct model_platform *mp;
    struct model *model;
    uint64_t now; /* TSC, on every processor */
    struct extent *free;
    uint32_t n_free;
    struct chase chases[CHASES];
    uint32_t n_chases;               /* ever made; the table is a ring */
    bool *dead;                      /* [n_cpus] */
    uint64_t memory_free[NODES_MAX]; /* when a node's memory has served everybody so far */
    uint64_t *class_free;            /* [domains][MODEL_MAX_CLOS] the same, for a ceiling on a class's bandwidth */
    uint32_t smi_left;
    struct firmware_tables tables;
    struct mp_trial trial;
};

/* --- workloads */

struct progress { /* of the STEP_WORK under way */
    bool under_way, smi_done;
    uint32_t pass;
    uint64_t line;   /* next one of this pass (CHASE_PREPARE: of both halves) */
    uint64_t cursor; /* CHASE: the line that was loaded last; PREPARE: random state */
    uint64_t moved_lines, accesses, proof, begin;
    struct chase *chase;
};

struct runner {
    struct task *task;
    uint64_t clock;
    uint32_t at, rank;
    bool broken;
    enum { RUNNING, WAITING, FINISHED, LOST } state;
    struct progress work;
};

/* A processor waits for the line, and for its turn at the memory, whichever is longer. Tasks run hundreds of lines at a
 * stretch, so time that the memory stood idle in the near past may still be used by those whose clocks are there. */
static uint64_t memory_turn(uint64_t *next, uint64_t clock, uint64_t ticks)
{
    uint64_t oldest = clock - TICKS_MEMORY_CREDIT;

    *next = (*next > oldest ? *next : oldest) + ticks;
    return *next;
}

/* What time costs a workload during one turn: nothing else runs then that could change a throttle. */
struct pace {
    uint64_t ticks[LEVEL_MEMORY + 1];
    uint64_t *class_free; /* a class with a ceiling shares it among the processors of an L3 (AMD); NULL: no ceiling */
    uint64_t class_ticks;
};

/* A throttled class gets what its delay leaves of the bandwidth beyond the L2 (MBA). */
static struct pace pace_of(struct machine *k, uint32_t cpu, enum work_kind kind)
{
    const uint32_t *ticks = kind == WORK_CHASE ? chase_ticks : stream_ticks;
    uint32_t rest = 100 - model_mba_delay(k->model, cpu);
    uint64_t ceiling = model_bandwidth_ceiling(k->model, cpu);
    struct pace p = { .class_free = NULL };

    if (ceiling) {
        p.class_free = &k->class_free[model_domain(k->model, cpu) * MODEL_MAX_CLOS + k->model->cpu[cpu].clos];
        p.class_ticks = 64 * k->model->tsc_hz / ceiling;
    }
    for (uint32_t level = 0; level <= LEVEL_MEMORY; level++)
        p.ticks[level] = level < LEVEL_L3 ? ticks[level] : (uint64_t)ticks[level] * 100 / rest;
    return p;
}

static void touch(struct machine *k, struct runner *r, const struct pace *pace, uint64_t address, enum model_kind kind)
{
    enum cache_level level = model_access_level(k->model, r->task->cpu, address, 8, kind);
    uint64_t done = r->clock + pace->ticks[level], turn_ends;

    if (level == LEVEL_MEMORY) {
        turn_ends = memory_turn(&k->memory_free[cache_home(k->model, address >> MODEL_LINE_SHIFT)], r->clock,
                                TICKS_MEMORY_LINE);
        done = turn_ends > done ? turn_ends : done;
        turn_ends = pace->class_free ? memory_turn(pace->class_free, r->clock, pace->class_ticks) : 0;
        done = turn_ends > done ? turn_ends : done;
    }
    r->clock = done;
}

static bool overlaps(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

/* Whoever stores to lines that hold a chase's order destroys it. */
static void forget_chases(struct machine *k, uint64_t base, uint64_t bytes)
{
    for (uint32_t i = 0; i < CHASES; i++) {
        struct chase *c = &k->chases[i];

        if (c->next && overlaps(c->base, c->lines * 64, base, bytes)) {
            free(c->next);
            c->next = NULL;
        }
    }
}

static struct chase *find_chase(struct machine *k, uint64_t base, uint64_t lines)
{
    for (uint32_t i = 0; i < CHASES; i++)
        if (k->chases[i].next && k->chases[i].base == base && k->chases[i].lines == lines)
            return &k->chases[i];
    return NULL;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* CHASE_PREPARE: number the lines, then shuffle them to one cycle (Sattolo). Line 0 .. n-1 of the first half are the
 * numbering stores, n .. 2n-2 the swaps. */
static void prepare_line(struct machine *k, struct runner *r, const struct pace *pace, const struct work *w,
                         uint64_t lines)
{
    struct progress *p = &r->work;
    uint64_t i = p->line < lines ? p->line : 2 * lines - 1 - p->line, j;
    uint32_t *next = p->chase->next, kept;

    if (p->line < lines) {
        next[i] = (uint32_t)i;
        touch(k, r, pace, w->base + i * 64, MODEL_STORE);
        p->accesses++;
        return;
    }
    j = (uint64_t)((unsigned __int128)next_random(&p->cursor) * i >> 64);
    touch(k, r, pace, w->base + i * 64, MODEL_LOAD);
    touch(k, r, pace, w->base + j * 64, MODEL_LOAD);
    touch(k, r, pace, w->base + i * 64, MODEL_STORE);
    touch(k, r, pace, w->base + j * 64, MODEL_STORE);
    kept = next[i];
    next[i] = next[j];
    next[j] = kept;
    p->accesses += 4;
}

static void work_line(struct machine *k, struct runner *r, const struct pace *pace, struct work *w, uint64_t lines)
{
    struct progress *p = &r->work;
    uint64_t address = w->base + p->line * 64;

    switch (w->kind) {
    case WORK_READ:
        touch(k, r, pace, address, MODEL_LOAD);
        p->accesses++;
        break;
    case WORK_WRITE:
        touch(k, r, pace, address, MODEL_STORE);
        p->accesses++;
        break;
    case WORK_RMW:
        touch(k, r, pace, address, MODEL_LOAD);
        touch(k, r, pace, address, MODEL_STORE);
        p->accesses += 2;
        break;
    case WORK_NT_WRITE: /* eight stores that the write-combining buffer makes one */
        touch(k, r, pace, address, MODEL_NT_STORE);
        p->accesses += 8;
        break;
    case WORK_COPY:
        touch(k, r, pace, address, MODEL_LOAD);
        touch(k, r, pace, w->dst + p->line * 64, MODEL_STORE);
        p->accesses += 2;
        break;
    case WORK_CHASE:
        touch(k, r, pace, w->base + p->cursor * 64, MODEL_LOAD);
        p->cursor = p->chase->next[p->cursor];
        p->proof += p->cursor;
        p->accesses++;
        break;
    case WORK_FLUSH: /* as the payload's kernel: a load of the line, then its flush */
        touch(k, r, pace, address, MODEL_LOAD);
        model_clflush(k->model, r->task->cpu, address);
        r->clock += TICKS_FLUSH;
        p->accesses++;
        break;
    case WORK_CHASE_PREPARE:
        prepare_line(k, r, pace, w, lines);
        break;
    case WORK_KINDS:
        break;
    }
    p->line++;
}

static bool work_in_range(const struct work *w)
{
    if ((unsigned)w->kind >= WORK_KINDS || w->passes == 0 || w->bytes == 0 || w->bytes % 64 || w->base % 64 ||
        w->base + w->bytes < w->base)
        return false;
    return w->kind != WORK_COPY ||
           (w->dst % 64 == 0 && w->dst + w->bytes >= w->dst && !overlaps(w->base, w->bytes, w->dst, w->bytes));
}

static enum status work_begin(struct machine *k, struct runner *r, struct work *w)
{
    struct progress *p = &r->work;
    uint64_t lines = w->bytes / 64;

    if (!work_in_range(w))
        return ST_RANGE;
    *p = (struct progress){ .under_way = true, .begin = r->clock };
    if (w->kind == WORK_WRITE || w->kind == WORK_RMW || w->kind == WORK_NT_WRITE || w->kind == WORK_CHASE_PREPARE)
        forget_chases(k, w->base, w->bytes);
    if (w->kind == WORK_COPY)
        forget_chases(k, w->dst, w->bytes);
    if (w->kind == WORK_CHASE)
        p->chase = find_chase(k, w->base, lines);
    if (w->kind == WORK_CHASE_PREPARE) {
        p->chase = &k->chases[k->n_chases++ % CHASES];
        free(p->chase->next);
        *p->chase = (struct chase){ w->base, lines, calloc(lines, sizeof p->chase->next[0]) };
        if (!p->chase->next)
            return ST_NO_MEMORY;
        p->cursor = w->seed;
    }
    return ST_OK;
}

static void work_report(struct runner *r, struct work *w, bool whole)
{
    struct progress *p = &r->work;
    uint64_t areas = w->kind == WORK_COPY ? 2 : 1, lines = w->bytes / 64;

    w->moved_bytes = whole ? areas * w->bytes * w->passes : p->accesses * 64;
    w->touched_lines = whole ? areas * lines : p->accesses;
    w->accesses = p->accesses;
    w->proof = p->proof;
    w->tsc_begin = p->begin;
    w->tsc_end = r->clock;
    p->under_way = false;
}

/* A turn of the workload. True: it is over, *st says how. */
static bool work_turn(struct machine *k, struct runner *r, struct work *w, enum status *st)
{
    struct progress *p = &r->work;
    uint64_t lines = w->bytes / 64, per_pass = w->kind == WORK_CHASE_PREPARE ? 2 * lines - 1 : lines;
    struct pace pace = pace_of(k, r->task->cpu, w->kind);

    if (!p->under_way) {
        *st = work_begin(k, r, w);
        if (*st != ST_OK)
            return true;
        if (w->kind == WORK_CHASE && !p->chase) { /* memory that names no line: the first load shows it */
            touch(k, r, &pace, w->base, MODEL_LOAD);
            p->accesses = 1;
            work_report(r, w, false);
            *st = ST_CORRUPT;
            return true;
        }
    }
    for (uint32_t n = 0; n < TURN_LINES && p->line < per_pass; n++)
        work_line(k, r, &pace, w, lines);
    if (!p->smi_done && k->smi_left && 2 * (p->pass * per_pass + p->line) >= w->passes * per_pass) {
        p->smi_done = true;
        k->smi_left--;
        model_smi(k->model);
        r->clock += k->model->tsc_hz / 10000; /* 100 us in the handler */
    }
    if (p->line == per_pass) {
        p->line = 0;
        p->pass++;
        if (w->kind == WORK_CHASE_PREPARE)
            p->cursor = w->seed;
    }
    if (p->pass < w->passes)
        return false;
    work_report(r, w, true);
    *st = ST_OK;
    return true;
}

/* --- tasks */

struct run {
    struct machine *machine;
    struct runner *runners;
    uint32_t n;
    uint32_t *arrived, *expected; /* [barriers] */
    uint64_t deadline;
    bool abandoned;
};

static enum status of_answer(const struct machine *k, uint32_t cpu, enum model_answer answer)
{
    const struct fault_set *f = &k->model->faults;

    if (fault_on(f, FAULT_CPU_FAULTS) && cpu == fault_place(f, FAULT_CPU_FAULTS, k->model->cpus))
        return ST_FAULT;
    return answer == MODEL_DONE ? ST_OK : ST_FAULT;
}

/* One step, or a turn of one. True: it is done and *st says how. */
static bool step_turn(struct run *run, struct runner *r, struct step *s, enum status *st)
{
    struct machine *k = run->machine;
    uint32_t cpu = r->task->cpu, regs[4] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
    uint64_t value = 0;

    *st = ST_OK;
    switch (s->op) {
    case STEP_CPUID: /* the underlying processor of this platform can do everything */
        r->clock += TICKS_CPUID;
        if (s->reg == 0xD) /* but for XSAVE: its area is laid out as the part's own */
            profile_find(k->model->profile, s->reg, s->subleaf, regs);
        model_cpuid(k->model, cpu, s->reg, s->subleaf, regs);
        s->regs = (struct cpuid_regs){ regs[0], regs[1], regs[2], regs[3] };
        return true;
    case STEP_RDMSR:
        r->clock += TICKS_RDMSR;
        *st = of_answer(k, cpu, model_rdmsr(k->model, cpu, s->reg, r->clock, &value));
        if (*st == ST_OK)
            s->value = value;
        return true;
    case STEP_WRMSR:
        r->clock += TICKS_WRMSR;
        *st = of_answer(k, cpu, model_wrmsr(k->model, cpu, s->reg, r->clock, s->value));
        return true;
    case STEP_WBINVD:
        r->clock += TICKS_WBINVD;
        model_wbinvd(k->model, cpu);
        return true;
    case STEP_SPIN:
        if (run->abandoned)
            *st = ST_NOT_RUN;
        else
            r->clock += s->value;
        return true;
    case STEP_WORK:
        if (run->abandoned && !r->work.under_way) {
            *st = ST_NOT_RUN;
            return true;
        }
        return work_turn(k, r, s->work, st);
    case STEP_BARRIER: /* step_barrier() */
        break;
    }
    *st = ST_RANGE;
    return true;
}

static void barrier_release(struct run *run, uint32_t rank)
{
    uint64_t latest = 0;

    for (uint32_t i = 0; i < run->n; i++)
        if (run->runners[i].state == WAITING && run->runners[i].rank == rank && run->runners[i].clock > latest)
            latest = run->runners[i].clock;
    for (uint32_t i = 0; i < run->n; i++) {
        struct runner *r = &run->runners[i];
        struct step *s;

        if (r->state != WAITING || r->rank != rank)
            continue;
        s = &r->task->steps[r->at];
        r->clock = latest + TICKS_BARRIER;
        r->state = RUNNING;
        s->status = ST_OK;
        s->tsc = r->clock;
        r->rank++;
        r->at++;
    }
}

static void barrier_arrive(struct run *run, uint32_t rank)
{
    if (++run->arrived[rank] == run->expected[rank])
        barrier_release(run, rank);
}

static void step_barrier(struct run *run, struct runner *r)
{
    r->state = WAITING;
    barrier_arrive(run, r->rank);
}

/* Nobody is left who could reach the barriers that are waited for. */
static void abandon(struct run *run)
{
    run->abandoned = true;
    for (uint32_t i = 0; i < run->n; i++) {
        struct runner *r = &run->runners[i];

        if (r->state != WAITING)
            continue;
        r->task->steps[r->at].status = ST_TIMEOUT;
        if (r->task->status == ST_OK) {
            r->task->status = ST_TIMEOUT;
            r->task->at = r->at;
        }
        r->broken |= r->task->steps[r->at].must;
        if (r->clock < run->deadline)
            r->clock = run->deadline;
        r->task->steps[r->at].tsc = r->clock;
        r->state = RUNNING;
        r->rank++;
        r->at++;
    }
}

static void lose(struct run *run, struct runner *r)
{
    r->state = LOST;
    r->task->status = ST_TIMEOUT;
    r->task->at = r->at;
    run->machine->mp->platform.cpus[r->task->cpu].flags |= CPU_LOST;
}

static void turn(struct run *run, struct runner *r)
{
    struct step *s;
    enum status st;

    if (r->clock > run->deadline && !run->abandoned) {
        lose(run, r);
        return;
    }
    if (r->at == r->task->n_steps) {
        r->state = FINISHED;
        return;
    }
    s = &r->task->steps[r->at];
    if (r->broken) {
        s->status = ST_NOT_RUN;
        if (s->op == STEP_BARRIER)
            barrier_arrive(run, r->rank++);
        r->at++;
        return;
    }
    if (s->op == STEP_BARRIER) {
        step_barrier(run, r);
        return;
    }
    if (!step_turn(run, r, s, &st))
        return;
    s->status = st;
    s->tsc = r->clock;
    r->broken |= s->must && st != ST_OK;
    r->at++;
}

static struct runner *furthest_behind(struct run *run)
{
    struct runner *first = NULL;

    for (uint32_t i = 0; i < run->n; i++)
        if (run->runners[i].state == RUNNING && (!first || run->runners[i].clock < first->clock))
            first = &run->runners[i];
    return first;
}

static bool somebody_waits(const struct run *run)
{
    for (uint32_t i = 0; i < run->n; i++)
        if (run->runners[i].state == WAITING)
            return true;
    return false;
}

/* Barriers by rank, expecting every task that has so many. A dead processor's task is expected and never comes. */
static bool run_prepare(struct run *run, struct task *tasks, uint32_t n_tasks)
{
    struct machine *k = run->machine;
    uint32_t most = 0;

    run->runners = calloc(n_tasks ? n_tasks : 1, sizeof run->runners[0]);
    for (uint32_t t = 0; t < n_tasks; t++)
        most = tasks[t].n_steps > most ? tasks[t].n_steps : most;
    run->arrived = calloc(most + 1, sizeof run->arrived[0]);
    run->expected = calloc(most + 1, sizeof run->expected[0]);
    if (!run->runners || !run->arrived || !run->expected)
        return false;
    for (uint32_t t = 0; t < n_tasks; t++) {
        struct runner *r = &run->runners[run->n];
        uint32_t rank = 0;

        tasks[t].status = ST_OK;
        tasks[t].at = 0;
        if (!cpu_takes_work(&k->mp->platform, tasks[t].cpu)) {
            tasks[t].status = tasks[t].cpu < k->mp->platform.n_cpus ? ST_LOST : ST_RANGE;
            continue;
        }
        *r = (struct runner){ .task = &tasks[t], .clock = k->now + TICKS_HAND_OVER };
        run->n++;
        for (uint32_t s = 0; s < tasks[t].n_steps; s++) {
            tasks[t].steps[s].status = ST_NOT_RUN;
            if (tasks[t].steps[s].op == STEP_BARRIER)
                run->expected[rank++]++;
        }
        if (k->dead[tasks[t].cpu]) {
            lose(run, r);
            r->clock = run->deadline;
        }
    }
    return true;
}

static enum status platform_run_tasks(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    struct machine *k = machine;
    struct run run = { .machine = k, .deadline = k->now + budget_ms * (k->model->tsc_hz / 1000) };
    enum status st = ST_OK;
    struct runner *r;

    if (!run_prepare(&run, tasks, n_tasks)) {
        st = ST_NO_MEMORY;
    } else {
        do {
            while ((r = furthest_behind(&run)) != NULL)
                turn(&run, r);
            if (somebody_waits(&run))
                abandon(&run);
        } while (furthest_behind(&run));
        for (uint32_t i = 0; i < run.n; i++)
            if (run.runners[i].clock > k->now)
                k->now = run.runners[i].clock;
        for (uint32_t t = 0; t < n_tasks; t++)
            st = status_first(st, tasks[t].status);
    }
    free(run.runners);
    free(run.arrived);
    free(run.expected);
    return st;
}

/* --- the rest of the table */

static bool config_access_in_range(uint32_t offset, uint32_t width)
{
    return (width == 1 || width == 2 || width == 4) && offset % width == 0 && offset + width <= 4096;
}

/* Functions of the silicon; on other buses there is none. */
static enum status pci_access_read(void *machine, struct pci_address at, uint32_t offset, uint32_t width,
                                   uint32_t *value)
{
    struct machine *k = machine;

    if (!config_access_in_range(offset, width))
        return ST_RANGE;
    if (at.segment != 0)
        return ST_ABSENT;
    k->now += TICKS_PCI;
    *value = (uint32_t)low_bits(8 * width);
    if (model_pci_bus(k->model, at.bus))
        *value = model_pci_read(k->model, (uint32_t)at.bus << 8 | (uint32_t)at.device << 3 | at.function, offset, width,
                                k->now);
    return ST_OK;
}

static enum status pci_access_write(void *machine, struct pci_address at, uint32_t offset, uint32_t width,
                                    uint32_t value)
{
    struct machine *k = machine;

    if (!config_access_in_range(offset, width))
        return ST_RANGE;
    if (at.segment != 0)
        return ST_ABSENT;
    k->now += TICKS_PCI;
    if (model_pci_bus(k->model, at.bus))
        model_pci_write(k->model, (uint32_t)at.bus << 8 | (uint32_t)at.device << 3 | at.function, offset, width, k->now,
                        value);
    return ST_OK;
}

static bool in_window(const struct machine *k, uint64_t address, uint32_t width)
{
    return address - MODEL_MMIO_BASE < model_mmio_bytes(k->model) &&
           (width == 1 || width == 2 || width == 4 || width == 8) && address % width == 0;
}

static enum status mmio_access_read(void *machine, uint64_t address, uint32_t width, uint64_t *value)
{
    struct machine *k = machine;

    if (!in_window(k, address, width))
        return ST_PAGE_FAULT;
    k->now += TICKS_PCI;
    *value = model_mmio_read(k->model, address, width, k->now);
    return ST_OK;
}

static enum status mmio_access_write(void *machine, uint64_t address, uint32_t width, uint64_t value)
{
    struct machine *k = machine;

    if (!in_window(k, address, width))
        return ST_PAGE_FAULT;
    k->now += TICKS_PCI;
    model_mmio_write(k->model, address, width, k->now, value);
    return ST_OK;
}

static enum status tables_read(void *machine, uint64_t address, void *buffer, size_t bytes)
{
    const struct firmware_tables *t = &((struct machine *)machine)->tables;

    if (address < t->base || bytes > t->size || address - t->base > t->size - bytes)
        return ST_PAGE_FAULT;
    memcpy(buffer, t->bytes + (address - t->base), bytes);
    return ST_OK;
}

/* The part of a free extent inside [lo, hi), on 4 KiB boundaries; empty: base == end. */
static struct extent clip(const struct extent *e, uint64_t lo, uint64_t hi)
{
    struct extent c = { e->base > lo ? e->base : lo, e->end < hi ? e->end : hi };

    c.base = (c.base + 4095) & ~UINT64_C(4095);
    c.end &= ~UINT64_C(4095);
    if (c.end < c.base)
        c.end = c.base;
    return c;
}

static enum status memory_alloc(void *machine, uint64_t lo, uint64_t hi, uint64_t bytes, uint64_t *address)
{
    struct machine *k = machine;
    uint64_t need = (bytes + 4095) & ~UINT64_C(4095);

    if (bytes == 0 || need < bytes)
        return ST_NO_MEMORY;
    for (uint32_t i = 0; i < k->n_free; i++) {
        struct extent c = clip(&k->free[i], lo, hi);

        if (c.end - c.base < need)
            continue;
        if (c.base > k->free[i].base) { /* what stands before stays free */
            if (k->n_free == EXTENTS)
                return ST_NO_MEMORY;
            k->free[k->n_free++] = (struct extent){ k->free[i].base, c.base };
        }
        k->free[i].base = c.base + need;
        *address = c.base;
        return ST_OK;
    }
    return ST_NO_MEMORY;
}

static uint64_t memory_largest_free(void *machine, uint64_t lo, uint64_t hi)
{
    struct machine *k = machine;
    uint64_t largest = 0;

    for (uint32_t i = 0; i < k->n_free; i++) {
        struct extent c = clip(&k->free[i], lo, hi);

        if (c.end - c.base > largest)
            largest = c.end - c.base;
    }
    return largest;
}

static uint64_t time_tsc(void *machine)
{
    struct machine *k = machine;

    k->now += TICKS_LOOK; /* so that whoever waits for a time sees it come */
    return k->now;
}

static uint64_t time_utc_ns(void *machine)
{
    struct machine *k = machine;

    return EPOCH_SECONDS * 1000000000u + (uint64_t)((unsigned __int128)k->now * 1000000000u / k->model->tsc_hz);
}

static void time_stall(void *machine, uint64_t ns)
{
    struct machine *k = machine;

    k->now += (uint64_t)((unsigned __int128)ns * k->model->tsc_hz / 1000000000u);
}

static const struct mp_trial *firmware_trial(void *machine)
{
    return &((struct machine *)machine)->trial;
}

static const struct platform_ops model_ops = {
    .run = platform_run_tasks,
    .pci_read = pci_access_read,
    .pci_write = pci_access_write,
    .mmio_read = mmio_access_read,
    .mmio_write = mmio_access_write,
    .phys_read = tables_read,
    .alloc = memory_alloc,
    .largest_free = memory_largest_free,
    .tsc = time_tsc,
    .utc_ns = time_utc_ns,
    .stall = time_stall,
    .mp_trial = firmware_trial,
};

/* --- life */

static bool build(struct model_platform *mp, struct machine *k, uint64_t node_bytes)
{
    struct model *m = k->model;
    struct platform *p = &mp->platform;

    k->dead = calloc(m->cpus, sizeof k->dead[0]);
    k->class_free = calloc((size_t)m->domains * MODEL_MAX_CLOS, sizeof k->class_free[0]);
    k->free = calloc(EXTENTS, sizeof k->free[0]);
    p->cpus = calloc(m->cpus, sizeof p->cpus[0]);
    if (!k->dead || !k->class_free || !k->free || !p->cpus ||
        !firmware_tables_build(&k->tables, m, TABLES_BASE, MEMORY_BASE, node_bytes) ||
        !firmware_trial_build(&k->trial, m))
        return false;
    if (fault_on(&m->faults, FAULT_CPU_DEAD))
        k->dead[fault_place(&m->faults, FAULT_CPU_DEAD, m->cpus)] = true;
    for (uint32_t n = 0; n < m->packages * m->clusters; n++) {
        uint64_t base = MEMORY_BASE + n * node_bytes;

        model_memory(m, base, node_bytes, n);
        k->free[k->n_free++] = (struct extent){ base, base + node_bytes };
    }
    for (uint32_t i = 0; i < m->cpus; i++) {
        p->cpus[i].apic_id = model_apic_id(m, i);
        p->cpus[i].flags = CPU_ENABLED | CPU_HEALTHY | CPU_STARTED | (i == 0 ? CPU_BSP : 0);
    }
    m->alone = true;
    k->now = 10 * m->tsc_hz; /* firmware took ten seconds */
    p->ops = &model_ops;
    p->machine = k;
    p->n_cpus = m->cpus;
    p->tsc_hz = m->tsc_hz;
    p->tsc_source = "virtual time";
    p->rsdp = k->tables.rsdp;
    p->smbios = k->tables.smbios;
    p->mp_method = "silicon model";
    return true;
}

struct model_platform *model_platform_new(const struct model_config *config, uint64_t node_bytes)
{
    struct model_platform *mp = calloc(1, sizeof *mp);
    struct machine *k = calloc(1, sizeof *k);
    char error[2048] = "no memory";

    node_bytes = node_bytes ? (node_bytes + 4095) & ~UINT64_C(4095) : UINT64_C(1) << 30;
    if (mp && k) {
        mp->state = k;
        k->mp = mp;
        mp->model = k->model = model_new(config, error, sizeof error);
        if (k->model && build(mp, k, node_bytes))
            return mp;
    }
    fprintf(stderr, "model platform: %s\n", error);
    if (mp && k) {
        model_platform_free(mp);
    } else {
        free(mp);
        free(k);
    }
    return NULL;
}

void model_platform_free(struct model_platform *mp)
{
    struct machine *k;

    if (!mp)
        return;
    k = mp->state;
    for (uint32_t i = 0; i < CHASES; i++)
        free(k->chases[i].next);
    firmware_tables_free(&k->tables);
    firmware_trial_free(&k->trial);
    free(k->free);
    free(k->dead);
    free(k->class_free);
    model_free(k->model);
    free(k);
    free(mp->platform.cpus);
    free(mp);
}

void model_platform_kill(struct model_platform *mp, uint32_t cpu)
{
    struct machine *k = mp->state;

    if (cpu < mp->platform.n_cpus)
        k->dead[cpu] = true;
}

void model_platform_smi(struct model_platform *mp, uint32_t n)
{
    ((struct machine *)mp->state)->smi_left = n;
}
