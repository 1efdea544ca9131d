/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Registers of uncore boxes: accesses one at a time and many at once, and counters programmed by them. */
#include "arch/x86/pmon/pmon.h"
#include "core/base/heap.h"
#include "core/platform/script.h"

#define BUDGET_MS UINT64_C(10000)

/* --- single accesses ---------------------------------------------------------------------------------------------- */

/* Two dwords, no latch is documented: the high one must be the same before and after the low one. */
static enum status pci_read_pair(struct platform *p, struct pci_address at, uint32_t offset, uint64_t *value)
{
    uint32_t high = 0, low = 0, again = 0;

    TRY(pci_read(p, at, offset + 4, 4, &again));
    for (uint32_t tries = 0; tries < 3; tries++) {
        high = again;
        TRY(pci_read(p, at, offset, 4, &low));
        TRY(pci_read(p, at, offset + 4, 4, &again));
        if (high == again)
            break;
    }
    *value = (uint64_t)again << 32 | low;
    return ST_OK;
}

static enum status direct_read(struct platform *p, const struct pmon_box *box, struct pmon_reg reg, uint64_t *value)
{
    uint32_t narrow = 0;

    if (box->unit->layout->access == PMON_MMIO)
        return mmio_read(p, box->base + reg.offset, reg.bytes, value);
    if (reg.bytes == 8)
        return pci_read_pair(p, box->at, reg.offset, value);
    TRY(pci_read(p, box->at, reg.offset, reg.bytes, &narrow));
    *value = narrow;
    return ST_OK;
}

static enum status direct_write(struct platform *p, const struct pmon_box *box, struct pmon_reg reg, uint64_t value)
{
    if (box->unit->layout->access == PMON_MMIO)
        return mmio_write(p, box->base + reg.offset, reg.bytes, value);
    /* The high dword first, as Linux does from Sapphire Rapids on: the low one has the event, and may let it count. */
    TRY(reg.bytes == 8 ? pci_write(p, box->at, reg.offset + 4, 4, (uint32_t)(value >> 32)) : ST_OK);
    return pci_write(p, box->at, reg.offset, 4, (uint32_t)value);
}

static enum status pmon_record_one(struct platform *p, const struct pmon_box *box, struct pmon_reg reg)
{
    if (reg.bytes == 0)
        return ST_OK;
    if (box->unit->layout->access == PMON_MSR)
        return ledger_touch_msr(p, (uint32_t)(box->base + reg.offset), reg.kind);
    if (box->unit->layout->access == PMON_MMIO)
        return ledger_expect_mmio(p, box->base + reg.offset, reg.bytes, reg.kind);
    for (uint32_t i = 0; i < reg.bytes; i += 4)
        TRY(ledger_expect_pci(p, box->at, reg.offset + i, 4, reg.kind));
    return ST_OK;
}

/* Every counter of a box changes once one of its controls is written. The ledger puts back in reverse order: counters
 * first, the box's control, which may let them run, last. */
static enum status pmon_record(struct platform *p, struct pmon_box *box, struct pmon_reg reg)
{
    const struct pmon_unit *u = box->unit;

    if (!p->ledger)
        return ST_OK;
    if (!box->recorded) {
        TRY(pmon_record_one(p, box, pmon_box_ctl(u)));
        for (uint32_t n = 0; n < pmon_n_counters(u); n++)
            TRY(pmon_record_one(p, box, pmon_ctl(u, pmon_nth(u, n))));
        for (uint32_t n = 0; n < pmon_n_counters(u); n++)
            TRY(pmon_record_one(p, box, pmon_ctr(u, pmon_nth(u, n))));
        box->recorded = true;
    }
    return pmon_record_one(p, box, reg);
}

enum status pmon_read(struct platform *p, const struct pmon_box *box, struct pmon_reg reg, uint64_t *value)
{
    if (reg.bytes == 0)
        return ST_RANGE;
    if (box->unit->layout->access == PMON_MSR)
        return msr_read(p, box->cpu, (uint32_t)(box->base + reg.offset), value);
    return direct_read(p, box, reg, value);
}

enum status pmon_write(struct platform *p, struct pmon_box *box, struct pmon_reg reg, uint64_t value)
{
    TRY(reg.bytes == 0 ? ST_RANGE : box->status);
    TRY(pmon_record(p, box, reg));
    if (box->unit->layout->access == PMON_MSR)
        return msr_write(p, box->cpu, (uint32_t)(box->base + reg.offset), value);
    return direct_write(p, box, reg, value);
}

/* --- many accesses ------------------------------------------------------------------------------------------------ */

static bool pmon_op_by_msr(const struct pmon_op *op)
{
    return op->box->unit->layout->access == PMON_MSR;
}

static struct step pmon_step_of(const struct pmon_op *op)
{
    uint32_t msr = (uint32_t)(op->box->base + op->reg.offset);

    return op->write ? step_wrmsr(msr, op->value) : step_rdmsr(msr);
}

/* The steps of one processor: a time stamp first, when the first access began. An access is timed by its step
 * and the one before. */
static uint32_t pmon_gather_steps(const struct pmon_op *ops, uint32_t n, uint32_t cpu, struct step *steps)
{
    uint32_t n_steps = 0;

    steps[n_steps++] = step_untimed(step_stamp());
    for (uint32_t i = 0; i < n; i++) {
        if (!pmon_op_by_msr(&ops[i]) || ops[i].status != ST_OK || ops[i].box->cpu != cpu)
            continue;
        steps[n_steps - 1].untimed &= !ops[i].timed;
        steps[n_steps] = pmon_step_of(&ops[i]);
        steps[n_steps++].untimed = !ops[i].timed;
    }
    return n_steps;
}

static void pmon_scatter_results(struct pmon_op *ops, uint32_t n, const struct task *t)
{
    uint32_t s = 1;

    EACH(struct pmon_op, op, ops, n) {
        if (!pmon_op_by_msr(op) || op->status != ST_OK || op->box->cpu != t->cpu)
            continue;
        op->status = status_first(t->status, t->steps[s].status);
        op->before = t->steps[s - 1].tsc;
        op->tsc = t->steps[s].tsc;
        if (!op->write && op->status == ST_OK)
            op->value = t->steps[s].value;
        s++;
    }
}

static enum status pmon_run_msrs(struct platform *p, struct pmon_op *ops, uint32_t n)
{
    struct step *steps = heap_alloc(sizeof *steps * 2 * n);
    struct task *tasks = heap_alloc(sizeof *tasks * n);
    uint32_t n_tasks = 0, n_steps = 0;
    enum status st = steps && tasks ? ST_OK : ST_NO_MEMORY;

    for (uint32_t i = 0; i < n && st == ST_OK; i++) {
        uint32_t cpu = ops[i].box->cpu, more;

        if (!pmon_op_by_msr(&ops[i]) || ops[i].status != ST_OK || ANY_OF(k, n_tasks, tasks[k].cpu == cpu))
            continue;
        more = pmon_gather_steps(ops, n, cpu, &steps[n_steps]);
        tasks[n_tasks++] = (struct task){ .cpu = cpu, .n_steps = more, .steps = &steps[n_steps] };
        n_steps += more;
    }
    if (n_tasks > 0) {
        enum status ran = platform_run(p, tasks, n_tasks, BUDGET_MS);

        (void)ran; /* each task says how it went */
        for (uint32_t t = 0; t < n_tasks; t++)
            pmon_scatter_results(ops, n, &tasks[t]);
    }
    heap_free(steps);
    heap_free(tasks);
    return st;
}

static void pmon_run_direct(struct platform *p, struct pmon_op *op)
{
    if (op->timed)
        op->before = p->ops->tsc(p->machine);
    op->status =
        op->write ? direct_write(p, op->box, op->reg, op->value) : direct_read(p, op->box, op->reg, &op->value);
    if (op->timed)
        op->tsc = p->ops->tsc(p->machine);
}

enum status pmon_run(struct platform *p, struct pmon_op *ops, uint32_t n)
{
    enum status st = ST_OK;
    uint32_t n_msrs = 0;

    EACH(struct pmon_op, op, ops, n) {
        op->status = op->reg.bytes == 0 ? ST_RANGE : op->write ? op->box->status : ST_OK;
        if (op->status == ST_OK && op->write)
            op->status = pmon_record(p, op->box, op->reg);
        n_msrs += pmon_op_by_msr(op) && op->status == ST_OK;
    }
    if (n_msrs > 0)
        st = pmon_run_msrs(p, ops, n);
    for (uint32_t i = 0; i < n && st != ST_OK; i++)
        if (ops[i].status == ST_OK)
            ops[i].status = st; /* none was done, and no value is one */
    for (uint32_t i = 0; i < n; i++) {
        if (!pmon_op_by_msr(&ops[i]) && ops[i].status == ST_OK)
            pmon_run_direct(p, &ops[i]);
        st = status_first(st, ops[i].status);
    }
    return st;
}

/* --- programming -------------------------------------------------------------------------------------------------- */

/* Whether it can be programmed. */
static enum status pmon_programmable(const struct pmon_box *box, uint32_t index)
{
    return pmon_ctr(box->unit, index).bytes && box->unit->layout->n_free == 0 ? box->status : ST_RANGE;
}

enum status pmon_counter_write(struct platform *p, struct pmon_box *box, uint32_t index, uint64_t value)
{
    TRY(pmon_programmable(box, index));
    return pmon_write(p, box, pmon_ctr(box->unit, index), value);
}

enum status pmon_counter_read(struct platform *p, const struct pmon_box *box, uint32_t index, uint64_t *value)
{
    TRY(pmon_ctr(box->unit, index).bytes ? box->status : ST_RANGE);
    return pmon_read(p, box, pmon_ctr(box->unit, index), value);
}

enum status pmon_program(struct platform *p, struct pmon_box *box, uint32_t index, const struct pmon_event *event)
{
    uint64_t value = 0;

    TRY(index == PMON_FIXED ? ST_RANGE : pmon_programmable(box, index));
    TRY(pmon_encode(box->unit, event, &value));
    return pmon_write(p, box, pmon_ctl(box->unit, index), value);
}

enum status pmon_quiet(struct platform *p, struct pmon_box *box)
{
    enum status st = ST_OK;

    for (uint32_t n = 0; n < pmon_n_counters(box->unit) && box->unit->layout->n_free == 0; n++)
        st = status_first(st, pmon_write(p, box, pmon_ctl(box->unit, pmon_nth(box->unit, n)), 0));
    return st;
}
