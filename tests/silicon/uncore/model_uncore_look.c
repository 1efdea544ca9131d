/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/model_uncore_look.c: up to when counters have counted, what stops them, and overflows. See uncore.h.
 *
 * Boxes are looked at by themselves, each when software comes to it. While a counter may freeze the others, whoever
 * comes to one box looks at all of the package. */
#include "tests/silicon/uncore/model_uncore_internal.h"
#include "core/base/search.h"

#define GLOBAL_FIXED 32u /* bit of the fixed counter in a global enable (SDM vol. 3B 18.8.2.1) */

/* --- counters */

static uint32_t counter_bits(const struct model *m, const struct uncore_box *b)
{
    bool narrow = uncore_ubox_broken(m, b, FAULT_UBOX_NARROW) || uncore_broken(m, b, FAULT_PMON_NARROW);

    return flaw_bits(m, b, b->type->counter_bits - narrow);
}

uint64_t uncore_counter_kept(const struct model *m, const struct uncore_box *b, uint64_t value)
{
    value &= low_bits(counter_bits(m, b));
    if (uncore_ubox_broken(m, b, FAULT_UBOX_STUCK_BIT))
        value |= BIT(0) << m->faults.value[FAULT_UBOX_STUCK_BIT] % b->type->counter_bits;
    return value;
}

/* --- overflows */

#define NHM_PMI     BIT(61) /* of 392H: an overflow asked for an interrupt; of any status: it has changed */
#define NHM_CHANGED BIT(63)

/* Register and bit of the global status that tell of a box's overflows; none: the bit is 0. */
struct global_place {
    uint32_t reg;
    uint64_t bit;
};

static struct global_place global_place(struct model *m, const struct uncore_box *b, uint32_t status_bit)
{
    uint64_t order = (uint64_t)(b - uncore_of(m, b->package)->box);
    uint32_t share = b->type->global_share ? b->type->global_share : 1;

    switch (uncore_part(m)->global_report) {
    case GLOBAL_REPORT_COUNTERS:
        return (struct global_place){ 0, BIT(status_bit) };
    case GLOBAL_REPORT_BOXES:
        return (struct global_place){ (uint32_t)(order / 64 % UNCORE_GLOBAL_STATUS), BIT(order % 64) };
    case GLOBAL_REPORT_UNITS:
        if (b->type->unit == UNIT_UBOX && status_bit == b->type->status_fixed)
            return (struct global_place){ 0, BIT(0) };
        return (struct global_place){ 0, b->type->global_first ? BIT(b->type->global_first + b->index / share) : 0 };
    case GLOBAL_REPORT_NONE:
        break;
    }
    return (struct global_place){ 0, 0 };
}

static bool has_status(const struct uncore_box_type *t)
{
    return ANY_OF(i, t->n_regs, t->regs[i].kind == REG_STATUS || t->regs[i].kind == REG_STATUS_READ);
}

/* Does the next overflow of a running counter that asks for it, with this status bit, freeze? Not while the last one's
 * status has not been cleared, in the box and globally. */
static bool is_armed(struct model *m, const struct uncore_box *b, uint32_t bit)
{
    struct global_place global = global_place(m, b, bit);

    return !(bit < 32 && (b->status >> bit & 1)) && !(uncore_of(m, b->package)->global_status[global.reg] & global.bit);
}

/* asks: by the counter's control. */
static void report_overflow(struct model *m, struct uncore_box *b, bool asks, uint32_t bit)
{
    struct uncore *u = uncore_of(m, b->package);
    struct global_place global = global_place(m, b, bit);
    bool counters = uncore_part(m)->global_report == GLOBAL_REPORT_COUNTERS;

    if (counters && !(u->global_status[0] & global.bit))
        u->global_status[0] |= NHM_CHANGED;
    if (counters && asks)
        u->global_status[0] |= NHM_PMI;
    if (asks && !(bit < 32 && (b->status >> bit & 1)))
        uncore_interrupt(m, b->package);
    if (bit < 32 && has_status(b->type)) /* else nobody could clear it */
        b->status |= BIT(bit);
    u->global_status[global.reg] |= global.bit;
}

static bool counter_asks(const struct uncore_box *b, uint32_t index)
{
    return b->counter[index].ctl & b->type->ctl->ov_en;
}

static bool fixed_is_heard(const struct model *m, const struct uncore_box *b)
{
    return !uncore_broken(m, b, FAULT_FIXED_OVERFLOW_LOST);
}

static bool fixed_asks(const struct model *m, const struct uncore_box *b)
{
    return (b->fixed.ctl & b->type->ctl->fixed_ov_en) && fixed_is_heard(m, b);
}

/* Is an overflow of a counter that asks for it, or not, reported? */
static bool reports_overflow(const struct model *m, const struct uncore_box *b, bool asks)
{
    return b->type->overflow_always || asks || uncore_broken(m, b, FAULT_STATUS_WITHOUT_OV_EN);
}

/* Whose bit of the status an overflow of this counter sets. */
static uint32_t status_of(const struct model *m, const struct uncore_box *b, uint32_t index)
{
    return uncore_broken(m, b, FAULT_PMON_STATUS_SHIFTED) ? (index + 1) % b->type->counters : index;
}

static void counter_add(struct model *m, struct uncore_box *b, uint32_t index, uint64_t n)
{
    struct uncore_counter *c = &b->counter[index];
    uint64_t sum = c->value + n, above = 0;
    bool overflows;

    if (b->type->unit == UNIT_DF && fault_on(&m->faults, FAULT_DF_NARROW)) {
        uint32_t below = b->type->counter_bits - 1;

        sum = ((c->value & low_bits(below)) + n) & low_bits(below);
        sum |= c->value & BIT(0) << below;
    }
    if (uncore_broken(m, b, FAULT_PMON_CARRY_LOST))
        sum = (c->value & ~UINT64_C(0xFFFFFFFF)) | (sum & UINT32_MAX);
    overflows =
        uncore_broken(m, b, FAULT_PMON_STATUS_AT_32) ? ((c->value & UINT32_MAX) + n) >> 32 : sum >> counter_bits(m, b);
    if (overflows && reports_overflow(m, b, counter_asks(b, index)))
        report_overflow(m, b, counter_asks(b, index), b->type->status_first + status_of(m, b, index));
    if (sum >> counter_bits(m, b)) {
        if (b->type->saturates || uncore_ubox_broken(m, b, FAULT_UBOX_SATURATES))
            sum = low_bits(counter_bits(m, b));
        if (b->type->saturates && !fault_on(&m->faults, FAULT_UMC_NO_OVERFLOW))
            above = BIT(counter_bits(m, b));
    }
    c->value = uncore_counter_kept(m, b, sum) | above;
}

static void fixed_add(struct model *m, struct uncore_box *b, uint64_t n)
{
    uint64_t sum = b->fixed.value + n;

    if (sum >> b->type->fixed_bits && fixed_is_heard(m, b) && reports_overflow(m, b, fixed_asks(m, b)))
        report_overflow(m, b, fixed_asks(m, b), b->type->status_fixed);
    b->fixed.value = sum & low_bits(b->type->fixed_bits);
}

/* --- what gates them */

#define WHOLE_BOX UINT32_MAX /* no counter alone */

static bool is_frozen(struct model *m, const struct uncore_box *b, uint32_t index)
{
    const struct uncore_box_ctl *f = b->type->box_ctl;

    if (uncore_broken(m, b, FAULT_PMON_FREEZE_DEAD))
        return false;
    if (uncore_of(m, b->package)->frozen && !uncore_counter_broken(m, b, index, FAULT_PMON_GLOBAL_FREEZE_MISSES))
        return true;
    return f && (b->box_ctl & f->frz) &&
           (!f->frz_en || (b->box_ctl & f->frz_en) || uncore_counter_broken(m, b, index, FAULT_PMON_FRZ_EN_IGNORED));
}

bool uncore_is_frozen(struct model *m, const struct uncore_box *b)
{
    return is_frozen(m, b, WHOLE_BOX);
}

/* With the fault: is the box's free-running clock frozen, by its own box or, since the registers of an I/O stack's
 * clock may lie among those of its IRP, by the stack's IIO? */
static bool free_clock_frozen(struct model *m, const struct uncore_box *b)
{
    const struct uncore *u = uncore_of(m, b->package);
    bool is = uncore_is_frozen(m, b);

    if (!fault_on(&m->faults, FAULT_FREE_CLOCK_FROZEN))
        return false;
    for (uint32_t i = 0; i < u->boxes && b->type->unit == UNIT_IRP; i++)
        if (u->box[i].type->unit == UNIT_IIO && u->box[i].index == b->index)
            is = is || uncore_is_frozen(m, &u->box[i]);
    return is;
}

/* Without the box's own enable of it, or while no bit of the global control runs the box. */
static bool is_gated(struct model *m, const struct uncore_box *b, uint64_t run)
{
    if (b->type->run_by && !uncore_broken(m, b, FAULT_GLOBAL_ENABLE_DEAD) &&
        !(uncore_of(m, b->package)->global_ctl & b->type->run_by))
        return true;
    return run && !(b->box_ctl & run);
}

/* Enabled by its own control and by the global one; with the fault one of them will do. */
static bool both(const struct model *m, bool own, bool global)
{
    return fault_on(&m->faults, FAULT_NHM_ENABLE_EITHER) ? own || global : own && global;
}

static bool counter_runs(struct model *m, const struct uncore_box *b, uint32_t index)
{
    uint64_t en = b->type->ctl->en;
    bool enabled = !en || (b->counter[index].ctl & en);

    if (uncore_part(m)->global_enables)
        enabled = both(m, enabled, uncore_of(m, b->package)->global_ctl >> index & 1);
    if (is_gated(m, b, b->type->box_ctl ? b->type->box_ctl->run & BIT(index) : 0))
        enabled = false;
    if (uncore_ubox_broken(m, b, FAULT_UBOX_IGNORES_ENABLE) || uncore_broken(m, b, FAULT_PMON_IGNORES_ENABLE) ||
        (b->type->unit == UNIT_L3 && fault_on(&m->faults, FAULT_L3PMC_ENABLE_STUCK)))
        enabled = true;
    if (b->type->unit == UNIT_L3 && fault_on(&m->faults, FAULT_L3PMC_DEAD) &&
        index == fault_place(&m->faults, FAULT_L3PMC_DEAD, b->type->counters))
        enabled = false;
    if (uncore_broken(m, b, FAULT_PMON_ENABLE_SHARED) && index == b->type->counters - 1 && en)
        enabled = b->counter[0].ctl & en;
    if (uncore_broken(m, b, FAULT_PMON_DEAD_COUNTER) && index == b->type->counters - 1)
        enabled = false;
    if (b->type->unit == UNIT_CBO && fault_on(&m->faults, FAULT_CBO_DEAD) &&
        b->index == fault_place(&m->faults, FAULT_CBO_DEAD, uncore_number_of(m, b->type)))
        enabled = false;
    return enabled && (!is_frozen(m, b, index) ||
                       (index == b->type->counters - 1 && uncore_broken(m, b, FAULT_PMON_FREEZE_ONE_RUNS)));
}

static bool fixed_runs(struct model *m, const struct uncore_box *b)
{
    bool enabled;

    if (b->type->fixed_bits == 0)
        return false;
    enabled = b->fixed.ctl & b->type->ctl->fixed_en;
    if (uncore_part(m)->global_enables)
        enabled = both(m, enabled, uncore_of(m, b->package)->global_ctl >> GLOBAL_FIXED & 1);
    if (is_gated(m, b, b->type->box_ctl ? b->type->box_ctl->run_fixed : 0))
        enabled = false;
    return (enabled || uncore_ubox_broken(m, b, FAULT_UCLK_IGNORES_ENABLE)) &&
           (!uncore_is_frozen(m, b) || uncore_broken(m, b, FAULT_PMON_FIXED_IGNORES_FREEZE));
}

/* --- freeze on overflow: 329468-002 2.1.1 "Counter Overflow", 2.2.2.1 (U-box) and its like of the other boxes; SDM vol.
 * 3B 18.8.2.1 (Nehalem) */

#define NEVER UINT64_MAX

static bool freezes(struct model *m, uint32_t package)
{
    uint64_t wanted = uncore_part(m)->freezes_if;

    return uncore_part(m)->freezes_on_overflow && (uncore_of(m, package)->global_ctl & wanted) == wanted;
}

static bool any_armed(struct model *m, uint32_t package)
{
    const struct uncore *u = uncore_of(m, package);

    if (!freezes(m, package))
        return false;
    return ANY_OF(i, u->boxes, u->box[i].armed);
}

/* When a counter of so many bits, at `value` and with n to come evenly from one time to the other, overflows. */
static uint64_t overflow_time(uint64_t value, uint32_t bits, uint64_t n, uint64_t from, uint64_t to)
{
    uint64_t missing = (BIT(0) << bits) - value;

    if (n < missing)
        return NEVER;
    return from + (uint64_t)(((unsigned __int128)(to - from) * missing + n - 1) / n);
}

static uint64_t fixed_clocks(const struct model *m, const struct uncore_box *b, uint64_t from, uint64_t to)
{
    uint64_t divisor = b->type->fixed_divisor ? b->type->fixed_divisor : 1;

    return uncore_clock_at(m, b, to) / divisor - uncore_clock_at(m, b, from) / divisor;
}

static uint64_t box_freezes_at(struct model *m, const struct uncore_box *b, uint64_t tsc)
{
    uint64_t to = tsc > b->tsc ? tsc : b->tsc, first = NEVER, at;

    for (uint32_t i = 0; i < b->type->counters; i++) {
        struct uncore_counter copy = b->counter[i];
        uint64_t cycles = uncore_clock_at(m, b, to) - uncore_clock_at(m, b, b->tsc);

        if (!copy.runs || !counter_asks(b, i) || !is_armed(m, b, b->type->status_first + i))
            continue;
        at = overflow_time(copy.value, counter_bits(m, b), uncore_gain(m, b, i, &copy, to, cycles), b->tsc, to);
        first = at < first ? at : first;
    }
    if (b->fixed.runs && fixed_asks(m, b) && is_armed(m, b, b->type->status_fixed)) {
        at = overflow_time(b->fixed.value, b->type->fixed_bits, fixed_clocks(m, b, b->tsc, to), b->tsc, to);
        first = at < first ? at : first;
    }
    return first;
}

static uint64_t freezes_at(struct model *m, uint32_t package, uint64_t tsc)
{
    const struct uncore *u = uncore_of(m, package);
    uint64_t first = NEVER;

    for (uint32_t i = 0; i < u->boxes; i++) {
        uint64_t at = u->box[i].armed ? box_freezes_at(m, &u->box[i], tsc) : NEVER;

        first = at < first ? at : first;
    }
    if (first != NEVER && fault_on(&m->faults, FAULT_PMON_FREEZE_LATE))
        first += m->faults.value[FAULT_PMON_FREEZE_LATE] * (m->tsc_hz / 1000) / 1000000;
    return first;
}

static void freeze(struct model *m, struct uncore *u)
{
    const struct uncore_part *part = uncore_part(m);

    if (part->global_enables) {
        u->global_ctl &= ~GLOBAL_ENABLES;
        return;
    }
    u->frozen = true;
    if (!part->global_unfrz)
        u->global_ctl |= part->global_frz;
}

/* --- looking */

/* Of n that came evenly until now, those that came before the counters froze. */
static uint64_t before(uint64_t n, uint64_t from, uint64_t now, uint64_t frozen)
{
    if (frozen >= now)
        return n;
    return frozen <= from ? 0 : (uint64_t)((unsigned __int128)n * (frozen - from) / (now - from));
}

/* What a freeze does not reach counts on. */
static uint64_t reached(const struct model *m, const struct uncore_box *b, uint32_t index, uint64_t frozen)
{
    return uncore_broken(m, b, FAULT_PMON_FREEZE_DEAD) ||
                   uncore_counter_broken(m, b, index, FAULT_PMON_GLOBAL_FREEZE_MISSES)
               ? NEVER
               : frozen;
}

static void look(struct model *m, struct uncore_box *b, uint64_t tsc, uint64_t frozen)
{
    uint64_t from = b->tsc, cycles;

    if (tsc <= b->tsc) /* time does not run back; sources may still have moved */
        tsc = b->tsc;
    cycles = uncore_clock_at(m, b, tsc) - uncore_clock_at(m, b, from);
    b->tsc = tsc;
    if (free_clock_frozen(m, b))
        b->frozen_clocks += cycles;
    for (uint32_t i = 0; i < b->type->counters; i++)
        if (b->counter[i].runs)
            counter_add(m, b, i,
                        flaw_gain(m, b, i,
                                  before(uncore_gain(m, b, i, &b->counter[i], tsc, cycles), from, tsc,
                                         reached(m, b, i, frozen))));
    if (b->fixed.runs)
        fixed_add(m, b, before(fixed_clocks(m, b, from, tsc), from, tsc, reached(m, b, WHOLE_BOX, frozen)));
}

static void look_at_package(struct model *m, uint32_t package, uint64_t tsc)
{
    struct uncore *u = uncore_of(m, package);
    uint64_t frozen = any_armed(m, package) ? freezes_at(m, package, tsc) : NEVER;

    for (uint32_t i = 0; i < u->boxes; i++)
        look(m, &u->box[i], tsc, frozen);
    if (frozen == NEVER)
        return;
    freeze(m, u);
    uncore_settle_all(m, package);
}

void uncore_look_at(struct model *m, struct uncore_box *b, uint64_t tsc)
{
    if (any_armed(m, b->package))
        look_at_package(m, b->package, tsc);
    else
        look(m, b, tsc, NEVER);
}

void uncore_look_at_all(struct model *m, uint32_t package, uint64_t tsc)
{
    look_at_package(m, package, tsc);
}

void uncore_settle(struct model *m, struct uncore_box *b, bool resample)
{
    b->fixed.runs = fixed_runs(m, b);
    b->armed = b->fixed.runs && fixed_asks(m, b);
    for (uint32_t i = 0; i < b->type->counters; i++) {
        struct uncore_counter *c = &b->counter[i];
        bool runs = counter_runs(m, b, i);

        if (runs && (resample || !c->runs))
            uncore_sample(m, b, i);
        c->runs = runs;
        b->armed = b->armed || (runs && counter_asks(b, i));
    }
}

void uncore_settle_all(struct model *m, uint32_t package)
{
    struct uncore *u = uncore_of(m, package);

    for (uint32_t i = 0; i < u->boxes; i++)
        uncore_settle(m, &u->box[i], false);
}
