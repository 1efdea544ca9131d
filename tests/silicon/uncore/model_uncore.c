/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/model_uncore.c: how uncore counters count. See uncore.h. */
#include "tests/silicon/uncore/uncore.h"
#include "tests/silicon/model/model_state.h"
#include "tests/silicon/uncore/model_uncore_internal.h"

#include <stdlib.h>

#define GLOBAL_FIXED 32u                 /* bit of the fixed counter in a global enable (SDM vol. 3B 18.8.2.1) */
#define RATIO_HZ     UINT64_C(100000000) /* of a step of the uncore ratio */

const struct uncore_part *uncore_part(const struct model *m)
{
    return m->profile->uncore;
}

struct uncore *uncore_of(struct model *m, uint32_t package)
{
    return &m->package[package].uncore;
}

/* --- faults */

/* A fault of every box, or of the unit that its parameter names. */
bool uncore_broken(const struct model *m, const struct uncore_box *b, enum fault_id id)
{
    return fault_on(&m->faults, id) &&
           (m->faults.value[id] == UINT64_MAX || m->faults.value[id] == (uint64_t)b->type->unit);
}

static bool ubox_broken(const struct model *m, const struct uncore_box *b, enum fault_id id)
{
    return fault_on(&m->faults, id) && b->type->unit == UNIT_UBOX;
}

static bool ubox_on_package(const struct model *m, const struct uncore_box *b, enum fault_id id)
{
    return ubox_broken(m, b, id) && b->package == fault_place(&m->faults, id, m->packages);
}

/* --- boxes */

static uint32_t number_of(const struct model *m, const struct uncore_box_type *t)
{
    uint32_t n = t->number ? t->number(m) : t->count;

    if (t->scope == SCOPE_DOMAIN)
        n = m->domains / m->packages;
    if (t->scope == SCOPE_NODE)
        n = m->clusters;
    if (t->unit == UNIT_QPI && fault_on(&m->faults, FAULT_QPI_PORT_MISSING) && n)
        n--;
    if (t->unit == UNIT_IMC && fault_on(&m->faults, FAULT_IMC_PHANTOM_CHANNEL))
        n++;
    return t->places && n > t->n_places ? t->n_places : n;
}

bool uncore_is_last(const struct model *m, const struct uncore_box *b)
{
    return b->index == number_of(m, b->type) - 1;
}

bool uncore_knows_threads(const struct model *m)
{
    for (uint32_t k = 0; uncore_part(m) && k < uncore_part(m)->n_types; k++)
        if (uncore_part(m)->types[k]->filter_tid)
            return true;
    return false;
}

/* --- clocks */

uint64_t uncore_hz(const struct model *m, enum uncore_clock clock)
{
    if (clock == CLOCK_UCLK)
        return m->profile->uclk_hz;
    return uncore_part(m) ? uncore_part(m)->hz[clock] : 0;
}

uint64_t uncore_clock_at(const struct model *m, const struct uncore_box *b, uint64_t tsc)
{
    uint64_t hz = uncore_hz(m, b->type->clock), clocks;

    if (b->type->clock == CLOCK_UCLK && fault_on(&m->faults, FAULT_UCLK_OTHER_RATIO))
        hz += m->faults.value[FAULT_UCLK_OTHER_RATIO] * RATIO_HZ;
    if (b->type->clock == CLOCK_UCLK && m->uclk_moves)
        tsc = habit_uclk_tsc(m, b->package, tsc);
    clocks = (uint64_t)((unsigned __int128)tsc * hz / m->tsc_hz);
    if (ubox_on_package(m, b, FAULT_UCLK_STOPPED))
        return 0;
    if (ubox_on_package(m, b, FAULT_UCLK_SLOW))
        clocks /= 2;
    /* A part in 128 too fast: the last box of the kind only, so that its neighbours tell. */
    if (uncore_broken(m, b, FAULT_PMON_CLOCK_DRIFTS) && uncore_is_last(m, b))
        clocks += clocks / 128;
    return clocks;
}

/* Of memory controllers, whose free-running counters are a box each. */
static uint64_t free_memory_value(const struct model *m, const struct uncore_box *b, bool is_clock, uint64_t value)
{
    const struct fault_set *f = &m->faults;

    if (fault_on(f, FAULT_IMC_FREE_DEAD) && b->index == fault_place(f, FAULT_IMC_FREE_DEAD, number_of(m, b->type)))
        return 0;
    if (is_clock)
        return fault_on(f, FAULT_IMC_FREE_CLOCK)
                   ? (uint64_t)((unsigned __int128)value * f->value[FAULT_IMC_FREE_CLOCK] / 100)
                   : value;
    if (fault_on(f, FAULT_IMC_FREE_DOUBLE) && b->index == fault_place(f, FAULT_IMC_FREE_DOUBLE, number_of(m, b->type)))
        return 2 * value;
    return value;
}

uint64_t uncore_free_value(const struct model *m, const struct uncore_box *b, bool is_clock, uint64_t value)
{
    if (b->type->unit == UNIT_FUNCTION && b->type->access == UNCORE_MMIO)
        value = free_memory_value(m, b, is_clock, value);
    if (!is_clock)
        return value;
    if (fault_on(&m->faults, FAULT_FREE_CLOCK_STOPPED) && uncore_is_last(m, b))
        return 0;
    return fault_on(&m->faults, FAULT_FREE_CLOCK_FROZEN) ? value - b->frozen_clocks : value;
}

/* --- events */

/* The event that a control selects, as struct uncore_event numbers them. */
static uint32_t event_of(const struct uncore_ctl *layout, uint64_t ctl)
{
    return (uint32_t)(field_get(layout->ev_sel, ctl) | field_get(layout->ev_sel_ext, ctl)
                                                           << __builtin_popcountll(layout->ev_sel));
}

struct offer {
    uint64_t units, starts; /* increments, and the things that they are increments of, since start */
    uint64_t most;          /* in one clock */
    bool occupancy;         /* of a table or queue */
};

/* Does the event count what enters a table or queue? */
static bool counts_inserts(const struct uncore_box_type *t, uint32_t event)
{
    return (t->unit == UNIT_CBO && event == 0x35) || (t->unit == UNIT_IMC && (event == 0x10 || event == 0x20)) ||
           (t->unit == UNIT_SOCKET && event == 0x03);
}

/* Faults of what an event offers, whose rows have been added up. */
static void offer_faults(const struct model *m, const struct uncore_box *b, uint32_t event, uint64_t tsc,
                         struct offer *o)
{
    if ((o->occupancy && uncore_broken(m, b, FAULT_OCCUPANCY_DEAD)) ||
        (counts_inserts(b->type, event) && uncore_broken(m, b, FAULT_INSERTS_DEAD)))
        o->units = o->starts = 0;
    if (o->occupancy && uncore_broken(m, b, FAULT_OCCUPANCY_HALF)) {
        o->units /= 2;
        o->starts /= 2;
    }
    if (o->occupancy && fault_on(&m->faults, FAULT_OCCUPANCY_STALE))
        o->units += uncore_clock_at(m, b, tsc);
}

static bool is_asked(const struct uncore_event *e, uint32_t event, uint64_t umask, uint32_t index)
{
    return e->ev_sel == event && (!e->umask || (e->umask & umask)) && (!e->counters || (e->counters >> index & 1));
}

/* With a fault: is the row, which is asked for, lost beside another? */
static bool is_lost(const struct model *m, const struct uncore_box *b, const struct uncore_event *e, uint64_t umask)
{
    bool first = uncore_broken(m, b, FAULT_UMASK_FIRST_ONLY);
    uncore_source *lost = fault_on(&m->faults, FAULT_UMASK_READS_LOST)    ? source_cas_read
                          : fault_on(&m->faults, FAULT_UMASK_WRITES_LOST) ? source_cas_write
                                                                          : NULL;

    if (!e->umask || (!first && e->source != lost))
        return false;
    for (const struct uncore_event *o = b->type->events; o < b->type->events + b->type->n_events; o++)
        if (o != e && (first ? o < e : o->source != lost) && o->umask && is_asked(o, e->ev_sel, umask, 0))
            return true;
    return false;
}

static struct offer offer_of(struct model *m, const struct uncore_box *b, uint32_t index, uint64_t ctl, uint64_t tsc)
{
    const struct uncore_box_type *t = b->type;
    struct uncore_look look = { m, b, ctl, tsc, 0 };
    uint64_t umask = field_get(t->ctl->umask, ctl);
    uint32_t event = event_of(t->ctl, ctl);
    struct offer o = { 0, 0, 1, false };

    for (uint32_t i = 0; i < t->n_events; i++) {
        const struct uncore_event *e = &t->events[i];
        uint64_t n;

        if (!is_asked(e, event, umask, index) || is_lost(m, b, e, umask))
            continue;
        n = e->source(&look, e->arg);
        o.units += n * (e->cycles ? e->cycles : 1);
        o.starts += n;
        o.occupancy |= e->cycles != 0;
        if (e->most > o.most)
            o.most = e->most;
    }
    offer_faults(m, b, event, tsc, &o);
    return o;
}

/* Where a difference lies in time: of `cycles` clocks, `rest` have `base` + 1 increments and the others `base`. */
struct layout {
    uint64_t cycles, base, rest, edges;
};

static struct layout lay_out(struct offer o, uint64_t cycles)
{
    struct layout l = { .cycles = cycles };

    if (o.units > cycles * o.most)
        l.cycles = (o.units + o.most - 1) / o.most;
    if (l.cycles == 0)
        return l;
    l.base = o.units / l.cycles;
    l.rest = o.units % l.cycles;
    if (l.base == 0)
        l.edges = o.starts;
    else if (l.rest)
        l.edges = (uint64_t)(((unsigned __int128)l.rest * o.starts + o.units - 1) / o.units);
    return l;
}

/* What a window adds to a counter that compares with a threshold. level: whether the comparison held in the last
 * clock. A window with something on top of its base ends at the base. */
static uint64_t compare(const struct layout *l, uint64_t thresh, bool invert, bool edge, bool *level)
{
    uint64_t high = thresh <= l->base ? l->cycles : thresh == l->base + 1 ? l->rest : 0;
    bool mixed = high != 0 && high != l->cycles;
    bool ends = (thresh <= l->base) != invert, begins = !*level;

    if (l->cycles == 0)
        return 0;
    if (!edge)
        return invert ? l->cycles - high : high;
    *level = ends;
    if (mixed)
        return l->edges + (ends && begins);
    return ends && begins;
}

static uint64_t increment(const struct model *m, const struct uncore_box *b, struct uncore_counter *c, struct offer o,
                          uint64_t cycles)
{
    const struct uncore_ctl *f = b->type->ctl;
    uint64_t thresh = field_get(f->thresh, c->ctl);
    bool invert = c->ctl & f->invert, edge = c->ctl & f->edge_det;
    struct layout l = lay_out(o, cycles);

    if (o.occupancy && uncore_broken(m, b, FAULT_OCCUPANCY_DOUBLE)) { /* twice as many in each clock */
        o.units *= 2;
        thresh = (thresh + 1) / 2;
    }
    if (thresh == 0)
        return edge && uncore_broken(m, b, FAULT_EDGE_ALONE_HALF) ? o.units / 2 : o.units;
    if (o.occupancy && uncore_broken(m, b, FAULT_OCCUPANCY_THRESHOLD_IGNORED))
        return o.units;
    if (ubox_broken(m, b, FAULT_UBOX_THRESHOLD) || uncore_broken(m, b, FAULT_PMON_THRESHOLD))
        thresh--;
    if (ubox_broken(m, b, FAULT_UBOX_INVERT) || uncore_broken(m, b, FAULT_PMON_INVERT))
        invert = false;
    if (ubox_broken(m, b, FAULT_UBOX_EDGE) || uncore_broken(m, b, FAULT_PMON_EDGE) ||
        (o.occupancy && uncore_broken(m, b, FAULT_OCCUPANCY_EDGE_LEVEL)))
        edge = false;
    return compare(&l, thresh, invert, edge, &c->level);
}

/* --- counters */

static uint32_t counter_bits(const struct model *m, const struct uncore_box *b)
{
    bool narrow = ubox_broken(m, b, FAULT_UBOX_NARROW) || uncore_broken(m, b, FAULT_PMON_NARROW);

    return b->type->counter_bits - narrow;
}

uint64_t uncore_counter_kept(const struct model *m, const struct uncore_box *b, uint64_t value)
{
    value &= low_bits(counter_bits(m, b));
    if (ubox_broken(m, b, FAULT_UBOX_STUCK_BIT))
        value |= BIT(0) << m->faults.value[FAULT_UBOX_STUCK_BIT] % b->type->counter_bits;
    return value;
}

static void report_overflow(struct model *m, struct uncore_box *b, uint32_t bit)
{
    struct uncore *u = uncore_of(m, b->package);

    if (bit < 32)
        b->status |= BIT(bit);
    if (uncore_part(m)->global_report == GLOBAL_REPORT_COUNTERS)
        u->global_status[0] |= BIT(bit);
    if (uncore_part(m)->global_report == GLOBAL_REPORT_BOXES)
        u->global_status[(uint64_t)(b - u->box) / 64 % UNCORE_GLOBAL_STATUS] |= BIT((uint64_t)(b - u->box) % 64);
}

/* Is an overflow of the counter that has this control reported? */
static bool reports_overflow(const struct model *m, const struct uncore_box *b, uint64_t ctl)
{
    return b->type->overflow_always || (ctl & b->type->ctl->ov_en) || uncore_broken(m, b, FAULT_STATUS_WITHOUT_OV_EN);
}

static void counter_add(struct model *m, struct uncore_box *b, uint32_t index, uint64_t n)
{
    struct uncore_counter *c = &b->counter[index];
    uint64_t sum = c->value + n, above = 0;

    if (b->type->unit == UNIT_DF && fault_on(&m->faults, FAULT_DF_NARROW)) {
        uint32_t below = b->type->counter_bits - 1;

        sum = ((c->value & low_bits(below)) + n) & low_bits(below);
        sum |= c->value & BIT(0) << below;
    }
    if (sum >> counter_bits(m, b)) {
        if (reports_overflow(m, b, c->ctl))
            report_overflow(m, b, b->type->status_first + index);
        if (b->type->saturates || ubox_broken(m, b, FAULT_UBOX_SATURATES))
            sum = low_bits(counter_bits(m, b));
        if (b->type->saturates && !fault_on(&m->faults, FAULT_UMC_NO_OVERFLOW))
            above = BIT(counter_bits(m, b));
    }
    c->value = uncore_counter_kept(m, b, sum) | above;
}

static void fixed_add(struct model *m, struct uncore_box *b, uint64_t n)
{
    uint64_t sum = b->fixed.value + n;

    if (sum >> b->type->fixed_bits && reports_overflow(m, b, b->fixed.ctl))
        report_overflow(m, b, b->type->status_fixed);
    b->fixed.value = sum & low_bits(b->type->fixed_bits);
}

/* --- what gates them */

static bool frozen(struct model *m, const struct uncore_box *b)
{
    const struct uncore_box_ctl *f = b->type->box_ctl;

    if (uncore_broken(m, b, FAULT_PMON_FREEZE_DEAD))
        return false;
    if (uncore_of(m, b->package)->frozen && !uncore_broken(m, b, FAULT_PMON_GLOBAL_FREEZE_MISSES))
        return true;
    return f && (b->box_ctl & f->frz) && (!f->frz_en || (b->box_ctl & f->frz_en));
}

/* With the fault: is the box's free-running clock frozen, by its own box or, since the registers of an I/O stack's
 * clock may lie among those of its IRP, by the stack's IIO? */
static bool free_clock_frozen(struct model *m, const struct uncore_box *b)
{
    const struct uncore *u = uncore_of(m, b->package);
    bool is = frozen(m, b);

    if (!fault_on(&m->faults, FAULT_FREE_CLOCK_FROZEN))
        return false;
    for (uint32_t i = 0; i < u->boxes && b->type->unit == UNIT_IRP; i++)
        if (u->box[i].type->unit == UNIT_IIO && u->box[i].index == b->index)
            is = is || frozen(m, &u->box[i]);
    return is;
}

static bool counter_runs(struct model *m, const struct uncore_box *b, uint32_t index)
{
    uint64_t en = b->type->ctl->en;
    bool enabled = !en || (b->counter[index].ctl & en);

    if (uncore_part(m)->global_enables)
        enabled = enabled && (uncore_of(m, b->package)->global_ctl >> index & 1);
    if (ubox_broken(m, b, FAULT_UBOX_IGNORES_ENABLE) || uncore_broken(m, b, FAULT_PMON_IGNORES_ENABLE) ||
        (b->type->unit == UNIT_L3 && fault_on(&m->faults, FAULT_L3PMC_ENABLE_STUCK)))
        enabled = true;
    if (b->type->unit == UNIT_L3 && fault_on(&m->faults, FAULT_L3PMC_DEAD) &&
        index == fault_place(&m->faults, FAULT_L3PMC_DEAD, b->type->counters))
        enabled = false;
    if (uncore_broken(m, b, FAULT_PMON_DEAD_COUNTER) && index == b->type->counters - 1)
        enabled = false;
    if (b->type->unit == UNIT_CBO && fault_on(&m->faults, FAULT_CBO_DEAD) &&
        b->index == fault_place(&m->faults, FAULT_CBO_DEAD, number_of(m, b->type)))
        enabled = false;
    return enabled && !frozen(m, b);
}

static bool fixed_runs(struct model *m, const struct uncore_box *b)
{
    bool enabled;

    if (b->type->fixed_bits == 0)
        return false;
    enabled = b->fixed.ctl & b->type->ctl->fixed_en;
    if (uncore_part(m)->global_enables)
        enabled = enabled && (uncore_of(m, b->package)->global_ctl >> GLOBAL_FIXED & 1);
    return (enabled || ubox_broken(m, b, FAULT_UCLK_IGNORES_ENABLE)) && !frozen(m, b);
}

/* --- looking */

void uncore_look_at(struct model *m, struct uncore_box *b, uint64_t tsc)
{
    uint64_t cycles;

    if (tsc <= b->tsc) /* time does not run back; sources may still have moved */
        tsc = b->tsc;
    cycles = uncore_clock_at(m, b, tsc) - uncore_clock_at(m, b, b->tsc);
    b->tsc = tsc;
    if (free_clock_frozen(m, b))
        b->frozen_clocks += cycles;
    for (uint32_t i = 0; i < b->type->counters; i++) {
        struct uncore_counter *c = &b->counter[i];
        struct offer now, more;

        if (!c->runs)
            continue;
        now = offer_of(m, b, i, c->ctl, tsc);
        more = (struct offer){ now.units - c->seen_units, now.starts - c->seen_starts, now.most, now.occupancy };
        c->seen_units = now.units;
        c->seen_starts = now.starts;
        counter_add(m, b, i, increment(m, b, c, more, cycles));
    }
    if (b->fixed.runs)
        fixed_add(m, b, cycles);
}

void uncore_settle(struct model *m, struct uncore_box *b, bool resample)
{
    for (uint32_t i = 0; i < b->type->counters; i++) {
        struct uncore_counter *c = &b->counter[i];
        bool runs = counter_runs(m, b, i);

        if (runs && (resample || !c->runs)) {
            struct offer now = offer_of(m, b, i, c->ctl, b->tsc);

            c->seen_units = now.units;
            c->seen_starts = now.starts;
        }
        c->runs = runs;
    }
    b->fixed.runs = fixed_runs(m, b);
}

void uncore_look_at_all(struct model *m, uint32_t package, uint64_t tsc)
{
    struct uncore *u = uncore_of(m, package);

    for (uint32_t i = 0; i < u->boxes; i++)
        uncore_look_at(m, &u->box[i], tsc);
}

void uncore_settle_all(struct model *m, uint32_t package)
{
    struct uncore *u = uncore_of(m, package);

    for (uint32_t i = 0; i < u->boxes; i++)
        uncore_settle(m, &u->box[i], false);
}

void model_ubox_message(struct model *m, uint32_t package, uint32_t umask)
{
    if (package >= m->packages)
        return;
    pthread_mutex_lock(&m->package[package].lock);
    uncore_of(m, package)->message[umask % 32]++;
    pthread_mutex_unlock(&m->package[package].lock);
}

/* --- life */

/* What firmware left behind: every monitor counting clocks, or frozen. */
static void firmware_faults(struct model *m, struct uncore *u, struct uncore_box *b)
{
    const struct uncore_ctl *f = b->type->ctl;

    if (b->type->counters && uncore_broken(m, b, FAULT_PMON_LEFT_RUNNING)) {
        for (uint32_t c = 0; c < b->type->counters; c++)
            b->counter[c].ctl = f->en | field_put(f->ev_sel, 0x42) | field_put(f->umask, 4);
        b->fixed.ctl = f->fixed_en;
        u->global_ctl |= uncore_part(m)->global_enables ? BITS(7, 0) | BIT(GLOBAL_FIXED) : 0;
    }
    if (b->type->box_ctl && uncore_broken(m, b, FAULT_PMON_LEFT_FROZEN))
        b->box_ctl |= b->type->box_ctl->frz | b->type->box_ctl->frz_en;
    if (b->type->unit == UNIT_UBOX && uncore_broken(m, b, FAULT_PMON_LEFT_FROZEN) && uncore_part(m)->global_frz)
        u->frozen = true;
}

static void place_boxes(struct model *m, uint32_t package)
{
    struct uncore *u = uncore_of(m, package);
    struct uncore_box *b = u->box;

    for (uint32_t k = 0; k < uncore_part(m)->n_types; k++) {
        const struct uncore_box_type *t = uncore_part(m)->types[k];

        for (uint32_t i = 0; i < number_of(m, t); i++, b++) {
            b->type = t;
            b->package = package;
            b->index = i;
            b->base = t->places ? t->places[i].base : t->scope == SCOPE_PACKAGE ? t->base + i * t->step : t->base;
            firmware_faults(m, u, b);
        }
    }
    u->boxes = (uint32_t)(b - u->box);
}

bool uncore_reset(struct model *m)
{
    if (!uncore_part(m))
        return true;
    for (uint32_t p = 0; p < m->packages; p++) {
        struct uncore *u = uncore_of(m, p);
        size_t boxes = 0;

        for (uint32_t k = 0; k < uncore_part(m)->n_types; k++)
            boxes += number_of(m, uncore_part(m)->types[k]);
        u->box = calloc(boxes ? boxes : 1, sizeof u->box[0]);
        if (!u->box)
            return false;
        place_boxes(m, p);
        uncore_settle_all(m, p);
    }
    return true;
}

void uncore_free(struct model *m)
{
    for (uint32_t p = 0; m->package && p < m->packages; p++)
        free(m->package[p].uncore.box);
}
