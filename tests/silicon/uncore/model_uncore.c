/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/model_uncore.c: what uncore counters count. See uncore.h. */
#include "tests/silicon/uncore/uncore.h"
#include "core/base/search.h"
#include "tests/silicon/model/model_state.h"
#include "tests/silicon/uncore/model_uncore_internal.h"

#define RATIO_HZ         UINT64_C(100000000) /* of a step of the uncore ratio */
#define EVENT_MSG        0x42u               /* of the U-box */
#define LAST_CLOCK_EVENT 1u                  /* 0 or 1 is the clock, or a part of it */

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

bool uncore_counter_broken(const struct model *m, const struct uncore_box *b, uint32_t index, enum fault_id id)
{
    const struct fault_set *f = &m->faults;

    return fault_on(f, id) && (f->place[id] == UINT64_MAX || f->place[id] == (uint64_t)b->type->unit) &&
           (f->value[id] == UINT64_MAX || f->value[id] == index);
}

bool uncore_ignores_states(const struct uncore_look *l)
{
    const struct fault_set *f = &l->m->faults;

    return fault_on(f, FAULT_CBO_FILTER_IGNORED) &&
           (f->value[FAULT_CBO_FILTER_IGNORED] == UINT64_MAX || f->value[FAULT_CBO_FILTER_IGNORED] == l->box->index);
}

bool uncore_ubox_broken(const struct model *m, const struct uncore_box *b, enum fault_id id)
{
    return fault_on(&m->faults, id) && b->type->unit == UNIT_UBOX;
}

static bool ubox_on_package(const struct model *m, const struct uncore_box *b, enum fault_id id)
{
    return uncore_ubox_broken(m, b, id) && b->package == fault_place(&m->faults, id, m->packages);
}

/* --- boxes */

uint32_t uncore_number_of(const struct model *m, const struct uncore_box_type *t)
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
    return b->index == uncore_number_of(m, b->type) - 1;
}

bool uncore_knows_threads(const struct model *m)
{
    for (uint32_t k = 0; uncore_part(m) && k < uncore_part(m)->n_types; k++)
        if (uncore_part(m)->types[k]->filter_tid)
            return true;
    return false;
}

/* --- clocks */

/* Rate of a clock of the profile's part; 0 where it has none. */
static uint64_t hz_of(const struct model *m, enum uncore_clock clock)
{
    if (clock == CLOCK_UCLK)
        return m->profile->uclk_hz;
    return uncore_part(m) ? uncore_part(m)->hz[clock] : 0;
}

uint64_t uncore_clock_at(const struct model *m, const struct uncore_box *b, uint64_t tsc)
{
    uint64_t hz = hz_of(m, b->type->clock), clocks;

    if (b->type->clock == CLOCK_UCLK && fault_on(&m->faults, FAULT_UCLK_OTHER_RATIO))
        hz += m->faults.value[FAULT_UCLK_OTHER_RATIO] * RATIO_HZ;
    if (b->type->clock == CLOCK_UCLK && m->uclk_moves)
        tsc = quirk_uclk_tsc(m, b->package, tsc);
    clocks = (uint64_t)((unsigned __int128)tsc * hz / m->tsc_hz);
    if (ubox_on_package(m, b, FAULT_UCLK_STOPPED))
        return 0;
    if (b->type->clock == CLOCK_LINK && uncore_is_last(m, b) && fault_on(&m->faults, FAULT_LINK_SLOW))
        clocks /= 2;
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

    if (fault_on(f, FAULT_IMC_FREE_DEAD) &&
        b->index == fault_place(f, FAULT_IMC_FREE_DEAD, uncore_number_of(m, b->type)))
        return 0;
    if (is_clock)
        return fault_on(f, FAULT_IMC_FREE_CLOCK)
                   ? (uint64_t)((unsigned __int128)value * f->value[FAULT_IMC_FREE_CLOCK] / 100)
                   : value;
    if (fault_on(f, FAULT_IMC_FREE_DOUBLE) &&
        b->index == fault_place(f, FAULT_IMC_FREE_DOUBLE, uncore_number_of(m, b->type)))
        return 2 * value;
    return fault_on(f, FAULT_IMC_FREE_HALF) ? value / 2 : value;
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
    return (t->unit == UNIT_CBO && event == 0x35) ||
           (t->unit == UNIT_IMC && (event == 0x10 || event == 0x20 || event == 0x22)) ||
           (t->unit == UNIT_SOCKET && event == 0x03);
}

static bool counts_clock(const struct uncore_box_type *t, uint32_t event)
{
    return ANY_OF(i, t->n_events, t->events[i].ev_sel == event && t->events[i].source == source_clock);
}

/* Faults of what an event offers, whose rows have been added up. */
static void offer_faults(const struct model *m, const struct uncore_box *b, uint32_t index, uint32_t event,
                         uint64_t tsc, struct offer *o)
{
    if ((o->occupancy && uncore_broken(m, b, FAULT_OCCUPANCY_DEAD)) ||
        (counts_inserts(b->type, event) && uncore_broken(m, b, FAULT_INSERTS_DEAD)))
        o->units = o->starts = 0;
    if (o->occupancy && uncore_broken(m, b, FAULT_OCCUPANCY_HALF)) {
        o->units /= 2;
        o->starts /= 2;
    }
    if (event == EVENT_MSG && index == 0 && uncore_ubox_broken(m, b, FAULT_UBOX_MESSAGES_HALF)) {
        o->units /= 2;
        o->starts /= 2;
    }
    if (event > LAST_CLOCK_EVENT && !counts_clock(b->type, event) &&
        uncore_counter_broken(m, b, index, FAULT_PMON_EVENT_ONE_COUNTER)) {
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

/* The last counter that can count it. */
static uint32_t last_counter(const struct uncore_box_type *t, const struct uncore_event *e)
{
    uint32_t can = (e->counters ? e->counters : UINT32_MAX) & (uint32_t)low_bits(t->counters);

    return 31 - (uint32_t)__builtin_clz(can);
}

/* What the U-box takes a control for, with a fault of what selects messages. */
static uint64_t taken_for(const struct model *m, const struct uncore_box *b, uint64_t ctl)
{
    const struct uncore_ctl *f = b->type->ctl;

    if (uncore_ubox_broken(m, b, FAULT_UBOX_UMASK_IGNORED))
        ctl |= f->umask;
    if (uncore_ubox_broken(m, b, FAULT_UBOX_EVENT_IGNORED))
        ctl = (ctl & ~f->ev_sel) | field_put(f->ev_sel, EVENT_MSG);
    return ctl;
}

static struct offer offer_of(struct model *m, const struct uncore_box *b, uint32_t index, uint64_t written,
                             uint64_t tsc)
{
    const struct uncore_box_type *t = b->type;
    uint64_t ctl = taken_for(m, b, written);
    struct uncore_look look = { m, b, ctl, tsc, 0 };
    uint64_t umask = field_get(t->ctl->umask, ctl);
    uint32_t event = event_of(t->ctl, ctl);
    struct offer o = { 0, 0, 1, false };

    EACH(const struct uncore_event, e, t->events, t->n_events) {
        uint64_t n;

        if (!is_asked(e, event, umask, index) || is_lost(m, b, e, umask))
            continue;
        if (e->cycles && uncore_broken(m, b, FAULT_OCCUPANCY_LAST_COUNTER) && index == last_counter(t, e))
            continue;
        n = e->source(&look, e->arg);
        o.units += n * (e->cycles ? e->cycles : 1);
        o.starts += n;
        o.occupancy |= e->cycles != 0;
        if (e->most > o.most)
            o.most = e->most;
    }
    offer_faults(m, b, index, event, tsc, &o);
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

/* PCU: bit 7 of ev_sel, of events that occ_invert and occ_edge_det are about (327043-001 2.6.x "PCU PMON Counter Control") */
#define OCCUPANCY_EVENT BIT(7)

static uint64_t increment(const struct model *m, const struct uncore_box *b, uint32_t index, struct uncore_counter *c,
                          struct offer o, uint64_t cycles)
{
    const struct uncore_ctl *f = b->type->ctl;
    uint64_t thresh = field_get(f->thresh, c->ctl);
    bool occupancy = c->ctl & OCCUPANCY_EVENT;
    bool occ_invert = occupancy && (c->ctl & f->occ_invert) && !fault_on(&m->faults, FAULT_PCU_OCC_INVERT_DEAD);
    bool occ_edge = occupancy && (c->ctl & f->occ_edge) && !fault_on(&m->faults, FAULT_PCU_OCC_EDGE_LEVEL);
    bool invert = (c->ctl & f->invert) || occ_invert, edge = (c->ctl & f->edge_det) || occ_edge;
    struct layout l = lay_out(o, cycles);

    if (uncore_counter_broken(m, b, index, FAULT_PMON_THRESHOLD_NARROW))
        thresh &= BITS(4, 0);
    if (o.occupancy && uncore_broken(m, b, FAULT_OCCUPANCY_DOUBLE)) { /* twice as many in each clock */
        o.units *= 2;
        thresh = (thresh + 1) / 2;
    }
    if (thresh == 0 && invert && uncore_counter_broken(m, b, index, FAULT_PMON_INVERT_ALONE))
        return 0;
    if (thresh == 0)
        return edge && uncore_counter_broken(m, b, index, FAULT_EDGE_ALONE_HALF) ? o.units / 2 : o.units;
    if (o.occupancy && uncore_broken(m, b, FAULT_OCCUPANCY_THRESHOLD_IGNORED))
        return o.units;
    if (uncore_ubox_broken(m, b, FAULT_UBOX_THRESHOLD) || uncore_counter_broken(m, b, index, FAULT_PMON_THRESHOLD))
        thresh--;
    if (uncore_ubox_broken(m, b, FAULT_UBOX_INVERT) || uncore_counter_broken(m, b, index, FAULT_PMON_INVERT))
        invert = false;
    if (uncore_ubox_broken(m, b, FAULT_UBOX_EDGE) || uncore_counter_broken(m, b, index, FAULT_PMON_EDGE) ||
        (o.occupancy && uncore_broken(m, b, FAULT_OCCUPANCY_EDGE_LEVEL)))
        edge = false;
    return compare(&l, thresh, invert, edge, &c->level) << (edge && uncore_broken(m, b, FAULT_PMON_EDGE_BOTH));
}

uint64_t uncore_gain(struct model *m, const struct uncore_box *b, uint32_t index, struct uncore_counter *c,
                     uint64_t tsc, uint64_t cycles)
{
    struct offer now = offer_of(m, b, index, c->ctl, tsc);
    struct offer more = { now.units - c->seen_units, now.starts - c->seen_starts, now.most, now.occupancy };

    if (now.units < c->seen_units && fault_on(&m->faults, FAULT_CLOCK_STARTS_LATE))
        return 0;
    c->seen_units = now.units;
    c->seen_starts = now.starts;
    return increment(m, b, index, c, more, cycles);
}

void uncore_sample(struct model *m, struct uncore_box *b, uint32_t index)
{
    struct offer now = offer_of(m, b, index, b->counter[index].ctl, b->tsc);

    b->counter[index].seen_units = now.units;
    b->counter[index].seen_starts = now.starts;
    if (fault_on(&m->faults, FAULT_CLOCK_STARTS_LATE) && uncore_is_last(m, b) &&
        counts_clock(b->type, event_of(b->type->ctl, b->counter[index].ctl))) {
        b->counter[index].seen_units += m->faults.value[FAULT_CLOCK_STARTS_LATE];
        b->counter[index].seen_starts += m->faults.value[FAULT_CLOCK_STARTS_LATE];
    }
}

void model_ipi(struct model *m, uint32_t cpu)
{
    struct cpu *c = &m->cpu[cpu];

    pthread_mutex_lock(&m->package[c->package].lock);
    c->ipis++;
    pthread_mutex_unlock(&m->package[c->package].lock);
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
        u->global_ctl |= uncore_part(m)->global_enables ? GLOBAL_ENABLES : 0;
    }
    if (b->type->box_ctl && uncore_broken(m, b, FAULT_PMON_LEFT_FROZEN))
        b->box_ctl |= b->type->box_ctl->frz | b->type->box_ctl->frz_en;
}

static void place_boxes(struct model *m, uint32_t package)
{
    struct uncore *u = uncore_of(m, package);
    struct uncore_box *b = u->box;

    for (uint32_t k = 0; k < uncore_part(m)->n_types; k++) {
        const struct uncore_box_type *t = uncore_part(m)->types[k];
        uint32_t span = uncore_span(t);

        for (uint32_t i = 0; i < uncore_number_of(m, t); i++, b++) {
            b->type = t;
            b->package = package;
            b->index = i;
            b->span = span;
            b->base = t->places ? t->places[i].base : t->scope == SCOPE_PACKAGE ? t->base + i * t->step : t->base;
            firmware_faults(m, u, b);
        }
    }
    u->boxes = (uint32_t)(b - u->box);
}

void uncore_reset(struct model *m)
{
    for (uint32_t p = 0; uncore_part(m) && p < m->packages; p++) {
        struct uncore *u = uncore_of(m, p);
        size_t boxes = 0;

        for (uint32_t k = 0; k < uncore_part(m)->n_types; k++)
            boxes += uncore_number_of(m, uncore_part(m)->types[k]);
        u->box = pool_zeroed(&m->pool, boxes, sizeof u->box[0]);
        u->frozen = uncore_part(m)->frozen_at_power_on || fault_on(&m->faults, FAULT_PMON_LEFT_FROZEN_GLOBALLY);
        u->global_ctl = u->frozen ? uncore_part(m)->global_frz & uncore_part(m)->global_kept : 0;
        place_boxes(m, p);
        uncore_settle_all(m, p);
    }
}
