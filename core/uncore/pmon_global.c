/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The global control of the uncore counters: whether firmware left it frozen is asked before the first session lifts it. */
#include "core/base/bits.h"
#include "core/boxes/dies.h"
#include "core/uncore/pmon_session.h"

/* Bits of a status are cleared by writing 1; what was found cannot be put back, and the certificate says so. */
static void clear_global_status(struct check *c, uint32_t cpu, uint32_t msr)
{
    uint64_t value = 0;
    enum status st = msr_read(c->platform, cpu, msr, &value);

    if (st == ST_OK && value != 0)
        st = ledger_touch_msr(c->platform, msr, LEDGER_READONLY);
    if (st == ST_OK && value != 0)
        st = msr_write(c->platform, cpu, msr, value);
    (void)st; /* a part without it has nothing to clear */
}

static void thaw_die(struct check *c, uint32_t cpu, uint32_t msr)
{
    const struct pmon_global *global = &c->tools->pmon.part->global;
    uint32_t n_status, status = boxes_global_status(&c->tools->pmon, &n_status);
    enum status st;

    if (cpu == UINT32_MAX)
        return;
    for (uint32_t k = 0; k < n_status; k++)
        clear_global_status(c, cpu, status + k);
    st = msr_write(c->platform, cpu, msr, global->run); /* boxes that stay frozen show it */
    c->tools->pmon.global_refused |= st == ST_FAULT;
}

/* Linux uncore_mmio_global_init(): on Diamond Rapids every box is frozen from power-on. */
static void thaw_by_memory(struct check *c, uint64_t control)
{
    uint64_t freeze = c->tools->pmon.part->global.freeze, value = 0;
    enum status st = mmio_read(c->platform, control, 4, &value);

    if (st == ST_OK && value & freeze)
        st = mmio_write(c->platform, control, 4, value & ~freeze);
    (void)st; /* boxes that stay frozen show it */
}

static void lift_all(struct check *c)
{
    const struct pmon_part *part = c->tools->pmon.part;
    uint32_t msr = boxes_global(&c->tools->pmon);

    for (uint32_t i = 0; msr && i < c->machine->n_packages; i++)
        for (uint32_t die = 0; die < dies_count(part, c->machine, i); die++)
            thaw_die(c, dies_worker(part, c->platform, c->machine, i, die), msr);
    for (uint32_t i = 0; i < c->tools->pmon.n_tables; i++)
        if (c->tools->pmon.tables[i].control)
            thaw_by_memory(c, c->tools->pmon.tables[i].control);
}

/* --- was it frozen ------------------------------------------------------------------------------------------------- */

#define CLOCK_NS  1000000u
#define WITNESSES 4u /* slices of a die that are asked */

/* frz_all of a global control is write-only (329468-002, U_MSR_PMON_GLOBAL_CTL), so that counters alone show it. Where
 * it is in memory, a reset leaves the freeze set (Linux uncore_mmio_global_init()). */
static bool can_be_left(const struct pmon *pmon)
{
    return boxes_global(pmon) && pmon->part->global.freeze;
}

/* Where enables are in the same register, whose reset value stops all counters, it has the freeze as a bit that reads as
 * written. */
static bool has_enables(const struct pmon_global *global)
{
    return global->freeze & global->run;
}

static bool reads_frozen(struct check *c, uint32_t package, uint32_t die)
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t cpu = dies_worker(pmon->part, c->platform, c->machine, package, die);
    uint64_t value = 0;

    return cpu != UINT32_MAX && msr_read(c->platform, cpu, boxes_global(pmon), &value) == ST_OK &&
           (value & pmon->part->global.freeze & ~pmon->part->global.run);
}

bool pmon_session_counts_clock(struct check *c, struct pmon_box *box)
{
    uint64_t ctl = pmon_session_clock_ctl(box->unit), before = 0, after = 0;
    enum status st = ctl ? pmon_read(c->platform, box, pmon_ctr(box->unit, 0), &before) : ST_ABSENT;

    if (st == ST_OK && box->unit->layout->box)
        st = pmon_write(c->platform, box, pmon_box_ctl(box->unit), pmon_run_value(box->unit));
    if (st == ST_OK)
        st = pmon_write(c->platform, box, pmon_ctl(box->unit, 0), ctl);
    if (st != ST_OK)
        return false;
    platform_stall(c->platform, CLOCK_NS);
    return pmon_read(c->platform, box, pmon_ctr(box->unit, 0), &after) == ST_OK && after != before;
}

/* How many of the first slices of a die count their clock; *asked: of so many. */
static uint32_t slices_that_count(struct check *c, uint32_t package, uint32_t die, uint32_t dies, uint32_t *asked)
{
    struct pmon *pmon = &c->tools->pmon;
    uint32_t count = 0;

    *asked = 0;
    for (uint32_t i = 0; i < pmon->n_boxes && *asked < WITNESSES; i++) {
        struct pmon_box *box = &pmon->boxes[i];

        if (box->package != package || (dies > 1 && box->die != die) || box->unit->kind != PMON_CHA ||
            box->status != ST_OK || !pmon_session_clocked(box->unit) || !box_alive(c->platform, c->machine, box))
            continue;
        ++*asked;
        count += pmon_session_counts_clock(c, box);
        if (pmon_quiet(c->platform, box) != ST_OK)
            --*asked;
    }
    return count;
}

static bool is_frozen(struct check *c, uint32_t package, uint32_t die, uint32_t dies)
{
    uint32_t asked, count;

    if (has_enables(&c->tools->pmon.part->global))
        return reads_frozen(c, package, die);
    count = slices_that_count(c, package, die, dies, &asked);
    return asked > 0 && count == 0;
}

#define DIES 64u /* bits of pmon_package.frozen */

/* Those of `dies` that are frozen. */
static uint64_t frozen_of(struct check *c, uint32_t package, uint64_t dies)
{
    uint32_t n = dies_count(c->tools->pmon.part, c->machine, package);
    uint64_t frozen = 0;

    for (uint32_t die = 0; die < n && die < DIES; die++)
        if (dies >> die & 1 && is_frozen(c, package, die, n))
            frozen |= BIT(die);
    return frozen;
}

/* --- lifting it ---------------------------------------------------------------------------------------------------- */

void pmon_session_thaw(struct check *c)
{
    struct pmon *pmon = &c->tools->pmon;
    bool first;

    if (pmon->part == NULL)
        return;
    first = !pmon->thawed && can_be_left(pmon);
    pmon->thawed = true;
    for (uint32_t i = 0; first && i < c->machine->n_packages; i++)
        pmon->packages[i].frozen = frozen_of(c, i, UINT64_MAX);
    lift_all(c);
    for (uint32_t i = 0; first && i < c->machine->n_packages; i++) /* one that counts nothing then is no finding here */
        pmon->packages[i].frozen &= ~frozen_of(c, i, pmon->packages[i].frozen);
}

enum status pmon_session_may_overflow(struct check *c)
{
    if (!c->tools->pmon.global_refused)
        return ST_OK;
    return check_absent(
        c,
        "an overflow that is reported may freeze every box of its package, and MSR 0x%x, which lifts that, raises #GP",
        boxes_global(&c->tools->pmon));
}

static enum status write_global(struct check *c, uint32_t cpu, uint32_t msr, uint64_t value)
{
    enum status st;

    if (cpu == UINT32_MAX)
        return ST_OK;
    st = msr_write(c->platform, cpu, msr, value);
    evidence_wrmsr(c, cpu, msr, value, st, 0);
    return st;
}

enum status pmon_session_set_global(struct check *c, uint64_t value)
{
    const struct pmon_part *part = c->tools->pmon.part;
    uint32_t msr = boxes_global(&c->tools->pmon);
    enum status first = ST_OK;

    for (uint32_t i = 0; i < c->machine->n_packages; i++)
        for (uint32_t die = 0; die < dies_count(part, c->machine, i); die++)
            first =
                status_first(first, write_global(c, dies_worker(part, c->platform, c->machine, i, die), msr, value));
    return first;
}
