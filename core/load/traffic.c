/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/load/traffic.h"

#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/heap.h"
#include "core/tools/scatter.h"
#include "core/platform/script.h"

#define STEPS_FIXED    4u /* read IA32_PQR_ASSOC and the prefetcher controls; barrier, write back */
#define STEPS_PER_PART 3u /* IA32_PQR_ASSOC, work, pause */

#define MWAIT_HINT_C1 0u /* SDM vol. 2B MWAIT: EAX[7:4] 0: C1, EAX[3:0]: its sub C-state */

struct plan {
    struct platform *platform;
    struct traffic_load *loads;
    uint32_t n;
    struct task *tasks;                 /* [n]                                                    */
    struct step *steps;                 /* [n_steps], shared out to the tasks                     */
    struct work *pieces;                /* of parts whose memory is scattered, one after the other */
    uint32_t n_pieces;                  /* given out so far                                        */
    const struct prefetch_control *off; /* NULL: prefetchers stay as they are     */
    /* [n][PREFETCH_REGISTERS] */
    uint64_t *prefetch; /* the register as found                                   */
    bool *can_prefetch; /* it could be read, and has prefetchers to turn off       */
    bool *pending;      /* it is still to be written                               */
    uint64_t budget_ms;
    uint32_t bad_cpu;
};

static uint64_t part_bytes(const struct traffic_part *part)
{
    return part->work.bytes * part->work.passes * (part->work.kind == WORK_COPY ? 2 : 1);
}

/* --- memory in several pieces ------------------------------------------------------------------------------------- */

static bool has_pieces(const struct work *w)
{
    return w->bytes && (is_scattered(w->base) || (w->kind == WORK_COPY && is_scattered(w->dst)));
}

/* What follows `at` bytes of a work in memory, as far as it is in one piece. 0 bytes: it is of no piece. */
static struct work piece_at(const struct platform *p, const struct work *w, uint64_t at)
{
    struct work piece = *w;

    piece.passes = 1;
    piece.bytes = w->bytes - at;
    piece.base = scatter_find(p->scatter, w->base + at, &piece.bytes);
    if (w->kind == WORK_COPY)
        piece.dst = scatter_find(p->scatter, w->dst + at, &piece.bytes);
    return piece;
}

/* Pieces of all passes; 0: its memory is not in pieces. */
static uint32_t pieces_of(const struct platform *p, const struct work *w)
{
    uint64_t at = 0, bytes = 1;
    uint32_t n = 0;

    for (; has_pieces(w) && at < w->bytes && bytes; at += bytes, n++)
        bytes = piece_at(p, w, at).bytes;
    return n * w->passes;
}

static uint32_t add_pieces(struct plan *plan, const struct work *w, struct step *s)
{
    uint32_t n = 0;

    for (uint32_t pass = 0; pass < w->passes; pass++)
        for (uint64_t at = 0, bytes = 1; at < w->bytes && bytes; at += bytes) {
            struct work *piece = &plan->pieces[plan->n_pieces++];

            *piece = piece_at(plan->platform, w, at);
            bytes = piece->bytes;
            s[n++] = step_work(piece);
        }
    return n;
}

/* What its n pieces did is what the work did. */
static void sum_pieces(struct work *w, const struct work *pieces, uint32_t n)
{
    w->moved_bytes = w->touched_lines = w->accesses = w->proof = 0;
    w->tsc_begin = pieces[0].tsc_begin;
    w->tsc_end = pieces[n - 1].tsc_end;
    for (uint32_t i = 0; i < n; i++) {
        w->moved_bytes += pieces[i].moved_bytes;
        w->touched_lines += i < n / w->passes ? pieces[i].touched_lines : 0;
        w->accesses += pieces[i].accesses;
        w->proof += pieces[i].proof;
    }
}

static void gather_pieces(struct plan *plan)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < plan->n; i++)
        for (uint32_t k = 0; k < plan->loads[i].n_parts; k++) {
            struct work *w = &plan->loads[i].parts[k].work;
            uint32_t n = pieces_of(plan->platform, w);

            if (n)
                sum_pieces(w, &plan->pieces[at], n);
            at += n;
        }
}

/* --- a plan ------------------------------------------------------------------------------------------------------- */

static enum status plan_init(struct plan *plan, struct platform *p, struct traffic_load *loads, uint32_t n)
{
    uint64_t bytes = 0, pause = 0;
    size_t n_steps = 0, n_pieces = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t paused = 0;

        n_steps += STEPS_FIXED + (size_t)loads[i].n_parts * STEPS_PER_PART;
        for (uint32_t k = 0; k < loads[i].n_parts; k++) {
            bytes += part_bytes(&loads[i].parts[k]);
            n_pieces += pieces_of(p, &loads[i].parts[k].work);
            paused += loads[i].parts[k].pause_ticks;
        }
        pause = paused > pause ? paused : pause;
    }
    *plan = (struct plan){ .platform = p, .loads = loads, .n = n };
    plan->budget_ms = work_budget_ms(bytes) + pause / (p->tsc_hz / 1000 + 1);
    plan->tasks = heap_alloc(n * sizeof(plan->tasks[0]));
    plan->steps = heap_alloc((n_steps + n_pieces) * sizeof(plan->steps[0]));
    plan->pieces = heap_alloc((n_pieces + 1) * sizeof(plan->pieces[0]));
    plan->prefetch = heap_alloc(n * PREFETCH_REGISTERS * sizeof(plan->prefetch[0]));
    plan->can_prefetch = heap_alloc(n * PREFETCH_REGISTERS * sizeof(plan->can_prefetch[0]));
    plan->pending = heap_alloc(n * PREFETCH_REGISTERS * sizeof(plan->pending[0]));
    if (!plan->tasks || !plan->steps || !plan->pieces || !plan->prefetch || !plan->can_prefetch || !plan->pending)
        return ST_NO_MEMORY;
    return ST_OK;
}

static void plan_free(struct plan *plan)
{
    heap_free(plan->tasks);
    heap_free(plan->steps);
    heap_free(plan->pieces);
    heap_free(plan->prefetch);
    heap_free(plan->can_prefetch);
    heap_free(plan->pending);
}

static enum status plan_run(struct plan *plan, uint32_t n)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < n; i++) /* a work has its own times */
        for (uint32_t k = 0; k < plan->tasks[i].n_steps; k++)
            plan->tasks[i].steps[k].untimed = true;
    if (n)
        st = platform_run(plan->platform, plan->tasks, n, plan->budget_ms);
    for (uint32_t i = 0; i < n && st != ST_OK; i++)
        if (plan->tasks[i].status != ST_OK) {
            plan->bad_cpu = plan->tasks[i].cpu;
            return plan->tasks[i].status;
        }
    return st;
}

/* The values found in the registers that will be changed. */
static enum status read_found(struct plan *plan)
{
    uint32_t n_registers = plan->off ? plan->off->n : 0, each = 1 + n_registers;
    enum status st;

    for (uint32_t i = 0; i < plan->n; i++) {
        struct step *s = &plan->steps[i * each];

        s[0] = step_rdmsr(IA32_PQR_ASSOC);
        for (uint32_t r = 0; r < n_registers; r++)
            s[1 + r] = step_rdmsr(plan->off->reg[r].msr);
        plan->tasks[i] = (struct task){ .cpu = plan->loads[i].cpu, .n_steps = each, .steps = s };
    }
    st = plan_run(plan, plan->n);
    for (uint32_t i = 0; i < plan->n && st == ST_OK; i++) {
        const struct step *s = &plan->steps[i * each];

        plan->loads[i].found_pqr = s[0].value;
        plan->bad_cpu = plan->loads[i].cpu;
        st = s[0].status;
        for (uint32_t r = 0; r < n_registers; r++) {
            uint64_t all = plan->off->reg[r].masks[0];

            plan->prefetch[i * PREFETCH_REGISTERS + r] = s[1 + r].status == ST_OK ? s[1 + r].value : 0;
            plan->can_prefetch[i * PREFETCH_REGISTERS + r] = s[1 + r].status == ST_OK && (s[1 + r].value & all) != all;
        }
    }
    return st;
}

/* What was found in a register, with these bits set, on the processors where it is pending. Where the write raises #GP
 * it stays so. */
static enum status write_prefetch(struct plan *plan, uint32_t reg, uint64_t mask)
{
    uint32_t n = 0, done = 0;
    enum status st;

    for (uint32_t i = 0; i < plan->n; i++) {
        uint32_t at = i * PREFETCH_REGISTERS + reg;

        plan->pending[at] = plan->pending[at] && cpu_takes_work(plan->platform, plan->loads[i].cpu);
        if (!plan->pending[at])
            continue;
        plan->steps[n] = step_wrmsr(plan->off->reg[reg].msr, plan->prefetch[at] | mask);
        plan->tasks[n] = (struct task){ .cpu = plan->loads[i].cpu, .n_steps = 1, .steps = &plan->steps[n] };
        n++;
    }
    st = plan_run(plan, n);
    for (uint32_t i = 0; i < plan->n; i++)
        if (plan->pending[i * PREFETCH_REGISTERS + reg])
            plan->pending[i * PREFETCH_REGISTERS + reg] = plan->steps[done++].status == ST_FAULT;
    return st;
}

static void all_pending(struct plan *plan)
{
    for (uint32_t i = 0; i < plan->n * PREFETCH_REGISTERS; i++)
        plan->pending[i] = plan->can_prefetch[i];
}

/* Where every write raises #GP they stay on: the band of a read has room for what they bring. */
static enum status prefetch_off(struct plan *plan)
{
    enum status st = ST_OK;

    all_pending(plan);
    for (uint32_t r = 0; r < plan->off->n; r++)
        for (uint32_t k = 0; k < PREFETCH_MASKS && plan->off->reg[r].masks[k] && st == ST_OK; k++)
            st = write_prefetch(plan, r, plan->off->reg[r].masks[k]);
    return st;
}

static enum status prefetch_as_found(struct plan *plan)
{
    enum status st = ST_OK;

    all_pending(plan);
    for (uint32_t r = 0; r < plan->off->n; r++)
        st = status_first(st, write_prefetch(plan, r, 0));
    return st;
}

static uint32_t work_steps(struct plan *plan, struct work *w, struct step *s)
{
    if (has_pieces(w))
        return add_pieces(plan, w, s);
    s[0] = step_work(w);
    return 1;
}

static uint64_t pqr_of(const struct platform *p, uint32_t cpu, uint64_t found, uint32_t rmid, uint32_t clos)
{
    rmid += p->cpus[cpu].first_rmid;
    return clos == TRAFFIC_KEEP ? pqr_with_rmid(found, rmid) : pqr_value(rmid, clos);
}

static uint64_t part_pqr(const struct plan *plan, const struct traffic_load *load, const struct traffic_part *part)
{
    return pqr_of(plan->platform, load->cpu, load->found_pqr, part->rmid, part->clos);
}

enum status traffic_associate(struct platform *p, uint32_t cpu, uint32_t rmid, uint32_t clos, uint64_t *found)
{
    enum status st = msr_read(p, cpu, IA32_PQR_ASSOC, found);

    return st == ST_OK ? msr_write(p, cpu, IA32_PQR_ASSOC, pqr_of(p, cpu, *found, rmid, clos)) : st;
}

static uint32_t load_steps(struct plan *plan, struct traffic_load *load, struct step *s)
{
    uint64_t pqr = load->found_pqr;
    uint32_t n = 0;

    if (plan->n > 1)
        s[n++] = step_barrier();
    for (uint32_t k = 0; k < load->n_parts; k++) {
        struct traffic_part *part = &load->parts[k];
        uint64_t wanted = part_pqr(plan, load, part);

        if (k == 0 ? load->rest_ns == 0 && !load->associated : wanted != pqr)
            s[n++] = step_wrmsr_must(IA32_PQR_ASSOC, wanted);
        pqr = wanted;
        if (part->work.bytes)
            n += work_steps(plan, &part->work, s + n);
        if (part->pause_ticks)
            s[n++] = step_spin(part->pause_ticks);
    }
    if (!load->associated || pqr != load->found_pqr)
        s[n++] = step_wrmsr(IA32_PQR_ASSOC, load->found_pqr);
    return n;
}

/* How one load went. Where the task broke off after its first write of IA32_PQR_ASSOC, it is written back here. */
static enum status load_result(struct platform *p, struct traffic_load *load, const struct task *task)
{
    enum status st = task->status;

    for (uint32_t s = 0; s < task->n_steps; s++)
        st = status_first(st, task->steps[s].status);
    if (task->steps[task->n_steps - 1].status != ST_OK && cpu_takes_work(p, load->cpu))
        st = status_first(st, msr_write(p, load->cpu, IA32_PQR_ASSOC, load->found_pqr));
    return st;
}

/* Loads that have rested in HLT do so in MWAIT, where their processor has it and sleeps. They stay in C1, which every part
 * with MWAIT has: hints of deeper states are the part's own. */
static enum status rest_in_mwait(struct plan *plan, uint64_t ns)
{
    uint32_t n = 0, done = 0, resting = 0;
    enum status st;

    for (uint32_t i = 0; i < plan->n; i++) {
        if (plan->loads[i].rest_ns == 0)
            continue;
        plan->steps[n] = step_mwait(MWAIT_HINT_C1);
        plan->tasks[n] = (struct task){ .cpu = plan->loads[i].cpu, .n_steps = 1, .steps = &plan->steps[n] };
        n++;
    }
    st = plan_run(plan, n);
    for (uint32_t i = 0; i < plan->n; i++) {
        plan->loads[i].in_mwait = plan->loads[i].rest_ns && plan->steps[done++].status == ST_OK;
        resting += plan->loads[i].in_mwait;
    }
    if (resting && st == ST_OK)
        platform_stall(plan->platform, ns);
    return st;
}

/* Loads that rest: the first part's value is written, and then nothing happens. */
static enum status rest(struct plan *plan)
{
    uint64_t ns = 0;
    uint32_t n = 0;
    enum status st;

    EACH(const struct traffic_load, load, plan->loads, plan->n) {
        if (load->rest_ns == 0)
            continue;
        plan->steps[n] = step_wrmsr(IA32_PQR_ASSOC, part_pqr(plan, load, &load->parts[0]));
        plan->tasks[n] = (struct task){ .cpu = load->cpu, .n_steps = 1, .steps = &plan->steps[n] };
        n++;
        ns = load->rest_ns > ns ? load->rest_ns : ns;
    }
    st = plan_run(plan, n);
    for (uint32_t i = 0; i < n; i++)
        st = status_first(st, plan->steps[i].status);
    if (n && st == ST_OK) {
        platform_stall(plan->platform, ns);
        st = rest_in_mwait(plan, ns);
    }
    for (uint32_t i = 0; i < plan->n && st != ST_OK; i++)
        if (plan->loads[i].rest_ns && cpu_takes_work(plan->platform, plan->loads[i].cpu))
            st = status_first(st,
                              msr_write(plan->platform, plan->loads[i].cpu, IA32_PQR_ASSOC, plan->loads[i].found_pqr));
    return st;
}

static enum status run_parts(struct plan *plan)
{
    struct step *s = plan->steps;
    enum status st = rest(plan), first = ST_OK;

    TRY(st);

    for (uint32_t i = 0; i < plan->n; i++) {
        uint32_t n_steps = load_steps(plan, &plan->loads[i], s);

        plan->tasks[i] = (struct task){ .cpu = plan->loads[i].cpu, .n_steps = n_steps, .steps = s };
        s += n_steps;
    }
    st = platform_run(plan->platform, plan->tasks, plan->n, plan->budget_ms);
    gather_pieces(plan);
    for (uint32_t i = 0; i < plan->n; i++) {
        struct traffic_load *load = &plan->loads[i];

        load->status = load_result(plan->platform, load, &plan->tasks[i]);
        if (load->status != ST_OK && first == ST_OK) {
            first = load->status;
            plan->bad_cpu = load->cpu;
        }
    }
    return status_first(first, st);
}

static void sum_up(const struct plan *plan, struct traffic_outcome *outcome)
{
    uint64_t all = plan->off ? plan->off->reg[0].masks[0] : 0;

    for (uint32_t i = 0; i < plan->n; i++) {
        const struct traffic_load *load = &plan->loads[i];
        uint64_t begin = UINT64_MAX, end = 0;

        outcome->prefetch_found += plan->can_prefetch[i * PREFETCH_REGISTERS];
        outcome->found_off += all && (plan->prefetch[i * PREFETCH_REGISTERS] & all) == all;
        for (uint32_t k = 0; k < load->n_parts; k++) {
            const struct work *w = &load->parts[k].work;

            if (w->bytes == 0)
                continue;
            outcome->moved_bytes += w->moved_bytes;
            begin = w->tsc_begin < begin ? w->tsc_begin : begin;
            end = w->tsc_end > end ? w->tsc_end : end;
        }
        if (end > begin && end - begin > outcome->tsc_ticks)
            outcome->tsc_ticks = end - begin;
    }
}

enum status traffic_run(struct platform *p, struct traffic_load *loads, uint32_t n, const struct prefetch_control *off,
                        struct traffic_outcome *outcome, uint32_t *bad_cpu)
{
    struct plan plan;
    enum status st = plan_init(&plan, p, loads, n), back;
    bool has_memory = st == ST_OK;

    if (outcome)
        *outcome = (struct traffic_outcome){ 0 };
    plan.bad_cpu = n ? loads[0].cpu : 0;
    plan.off = off;
    if (st == ST_OK)
        st = read_found(&plan);
    if (st == ST_OK && off)
        st = prefetch_off(&plan);
    if (st == ST_OK)
        st = run_parts(&plan);
    if (has_memory && off) {
        back = prefetch_as_found(&plan);
        st = status_first(st, back);
    }
    if (st == ST_OK && outcome)
        sum_up(&plan, outcome);
    if (bad_cpu)
        *bad_cpu = plan.bad_cpu;
    plan_free(&plan);
    return st;
}
