/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/pmon/pmon.h"

#include "core/base/bits.h"
#include "core/base/rollover.h"
#include "core/platform/script.h"
#include "core/base/text.h"

#define BUDGET_MS UINT64_C(10000)
#define UMASK     8u /* lowest bit of every unit's umask, whatever of it the unit has */

/* --- registers ---------------------------------------------------------------------------------------------------- */

bool pmon_has_fixed(const struct pmon_unit *unit)
{
    return unit->layout->fixed.bits != 0;
}

static bool pmon_has_counter(const struct pmon_unit *unit, uint32_t index)
{
    if (unit->layout->n_free)
        return index < unit->layout->n_free;
    return index == PMON_FIXED ? pmon_has_fixed(unit) : index < unit->layout->counters;
}

static uint32_t pmon_size_or_default(uint32_t value, const struct pmon_unit *unit, uint32_t msr, uint32_t other)
{
    return value ? value : unit->layout->access == PMON_MSR ? msr : other;
}

struct pmon_reg pmon_ctl(const struct pmon_unit *unit, uint32_t index)
{
    struct pmon_reg reg = { .bytes = pmon_size_or_default(unit->layout->ctl_bytes, unit, 8, 4),
                            .kind = LEDGER_CONTROL };

    if (!pmon_has_counter(unit, index) || unit->layout->n_free)
        return (struct pmon_reg){ 0 };
    reg.offset = index == PMON_FIXED
                     ? unit->layout->fixed.ctl
                     : unit->layout->ctl + index * pmon_size_or_default(unit->layout->ctl_step, unit, 1, reg.bytes);
    if (index == PMON_FIXED && unit->layout->access != PMON_MSR)
        reg.bytes = 4;
    return reg;
}

struct pmon_reg pmon_ctr(const struct pmon_unit *unit, uint32_t index)
{
    struct pmon_reg reg = { .bytes = 8, .kind = LEDGER_COUNTER };

    if (!pmon_has_counter(unit, index))
        return (struct pmon_reg){ 0 };
    if (unit->layout->n_free) {
        reg.offset = (uint32_t)unit->layout->free[index].offset;
        reg.kind = LEDGER_READONLY;
        return reg;
    }
    reg.offset = index == PMON_FIXED ? unit->layout->fixed.ctr
                 : unit->layout->ctr_at
                     ? unit->layout->ctr_at[index]
                     : unit->layout->ctr + index * pmon_size_or_default(unit->layout->ctr_step, unit, 1, 8);
    return reg;
}

struct pmon_reg pmon_box_ctl(const struct pmon_unit *unit)
{
    uint32_t bytes = unit->layout->access == PMON_MSR ? 8 : 4;

    return (struct pmon_reg){ .offset = unit->layout->box_ctl,
                              .bytes = unit->layout->box ? bytes : 0,
                              .kind = LEDGER_CONTROL };
}

/* Overflow bits are cleared by writing 1, so what was found cannot be written back. */
struct pmon_reg pmon_status(const struct pmon_unit *unit)
{
    uint32_t bytes = unit->layout->access == PMON_MSR ? 8 : 4;

    return (struct pmon_reg){ .offset = unit->layout->status,
                              .bytes = unit->layout->has_status ? bytes : 0,
                              .kind = LEDGER_READONLY };
}

struct pmon_reg pmon_status_clear(const struct pmon_unit *unit)
{
    struct pmon_reg reg = pmon_status(unit);

    if (unit->layout->status_clear)
        reg.offset = unit->layout->status_clear;
    return reg;
}

struct pmon_reg pmon_filter(const struct pmon_unit *unit, uint32_t n)
{
    uint32_t offset = n == 0 ? unit->layout->filter0 : n == 1 ? unit->layout->filter1 : 0;

    return (struct pmon_reg){ .offset = offset,
                              .bytes = offset ? pmon_size_or_default(0, unit, 8, 4) : 0,
                              .kind = LEDGER_CONTROL };
}

uint32_t pmon_bits(const struct pmon_unit *unit, uint32_t index)
{
    if (!pmon_has_counter(unit, index))
        return 0;
    if (unit->layout->n_free)
        return unit->layout->free[index].bits;
    return index == PMON_FIXED ? unit->layout->fixed.bits : unit->layout->counter_bits;
}

uint64_t pmon_en_bit(const struct pmon_unit *unit, uint32_t index)
{
    if (!pmon_has_counter(unit, index) || unit->layout->n_free)
        return 0;
    return index == PMON_FIXED ? unit->layout->fixed.en : unit->layout->control->en;
}

uint64_t pmon_delta(uint64_t first, uint64_t last, uint32_t bits)
{
    return counter_delta(first, last, bits);
}

uint64_t pmon_address(const struct pmon_box *box, struct pmon_reg reg)
{
    if (box->unit->layout->access != PMON_PCI)
        return box->base + reg.offset;
    return (uint64_t)box->at.segment << 32 | (uint64_t)box->at.bus << 20 | (uint64_t)box->at.device << 15 |
           (uint64_t)box->at.function << 12 | reg.offset;
}

uint32_t pmon_nth(const struct pmon_unit *unit, uint32_t n)
{
    return n < unit->layout->counters || unit->layout->n_free ? n : PMON_FIXED;
}

uint32_t pmon_n_counters(const struct pmon_unit *unit)
{
    return unit->layout->n_free ? unit->layout->n_free : unit->layout->counters + pmon_has_fixed(unit);
}

bool pmon_same_die(const struct pmon_box *a, const struct pmon_box *b)
{
    return a->package == b->package && a->die == b->die;
}

uint32_t pmon_free_named(const struct pmon_unit *unit, const char *name)
{
    for (uint32_t i = 0; i < unit->layout->n_free; i++)
        if (text_equal(unit->layout->free[i].name, name))
            return i;
    return PMON_FIXED;
}

/* --- encoding ----------------------------------------------------------------------------------------------------- */

static bool pmon_field_fits(uint64_t field, uint64_t value)
{
    return field_get(field, field_put(field, value)) == value;
}

enum status pmon_encode(const struct pmon_unit *unit, const struct pmon_event *event, uint64_t *value)
{
    const struct pmon_control *f = unit->layout->control;
    uint64_t ev_low = event->ev_sel, ext = 0;

    /* Bit 8 of QPI's event number is the control's ev_sel_ext. */
    if (f->ev_sel_ext && event->ev_sel > 0xFF) {
        ev_low = event->ev_sel & 0xFF;
        ext = event->ev_sel >> 8 == 1 ? f->ev_sel_ext : UINT64_MAX;
    }
    if (ext == UINT64_MAX || !pmon_field_fits(f->ev_sel, ev_low) || ((uint64_t)event->umask << UMASK & ~f->umask) ||
        !pmon_field_fits(f->thresh, event->thresh) || (event->extra & ~f->extra))
        return ST_RANGE;
    if ((event->invert && !f->invert) || (event->edge_det && !f->edge_det) || (event->ov_en && !f->ov_en))
        return ST_RANGE;
    if ((event->invert || event->edge_det) && event->thresh == 0) /* both are in series behind the comparison */
        return ST_RANGE;
    *value = field_put(f->ev_sel, ev_low) | ext | (uint64_t)event->umask << UMASK |
             field_put(f->thresh, event->thresh) | event->extra | (event->edge_det ? f->edge_det : 0) |
             (event->invert ? f->invert : 0) | (event->ov_en ? f->ov_en : 0) | (event->enable ? f->en | f->ones : 0);
    return ST_OK;
}

void pmon_decode(const struct pmon_unit *unit, uint64_t value, struct pmon_event *event)
{
    const struct pmon_control *f = unit->layout->control;

    *event = (struct pmon_event){ .ev_sel = (uint32_t)field_get(f->ev_sel, value) | (value & f->ev_sel_ext ? 0x100 : 0),
                                  .umask = (uint32_t)((value & f->umask) >> UMASK),
                                  .thresh = (uint32_t)field_get(f->thresh, value),
                                  .extra = value & f->extra,
                                  .edge_det = (value & f->edge_det) != 0,
                                  .invert = (value & f->invert) != 0,
                                  .enable = (value & f->en) != 0,
                                  .ov_en = (value & f->ov_en) != 0 };
}

uint64_t pmon_control_bits(const struct pmon_unit *unit)
{
    const struct pmon_control *f = unit->layout->control;

    return f->ev_sel | f->umask | f->edge_det | (f->en_unused ? 0 : f->en) | f->invert | f->thresh;
}

uint64_t pmon_stored_bits(const struct pmon_unit *unit, uint32_t index)
{
    const struct pmon_layout *l = unit->layout;

    return index == PMON_FIXED ? l->fixed.en | l->fixed.kept : pmon_control_bits(unit) | l->control->kept;
}

uint64_t pmon_reserved_bits(const struct pmon_unit *unit, uint32_t index)
{
    return index == PMON_FIXED ? unit->layout->fixed.reserved : unit->layout->control->reserved;
}

const struct pmon_named *pmon_event_named(const struct pmon_unit *unit, const char *name)
{
    for (uint32_t i = 0; i < unit->events.n_named; i++)
        if (text_equal(unit->events.named[i].name, name))
            return &unit->events.named[i];
    return NULL;
}

uint64_t pmon_freeze_value(const struct pmon_unit *unit)
{
    return unit->layout->box ? unit->layout->box->ones | unit->layout->box->frz_en | unit->layout->box->frz : 0;
}

uint64_t pmon_run_value(const struct pmon_unit *unit)
{
    return unit->layout->box ? unit->layout->box->ones | unit->layout->box->frz_en | unit->layout->box->run : 0;
}

/* --- programming -------------------------------------------------------------------------------------------------- */

/* Whether it can be programmed. */
static enum status pmon_programmable(const struct pmon_box *box, uint32_t index)
{
    return pmon_has_counter(box->unit, index) && box->unit->layout->n_free == 0 ? box->status : ST_RANGE;
}

enum status pmon_counter_write(struct platform *p, struct pmon_box *box, uint32_t index, uint64_t value)
{
    enum status st = pmon_programmable(box, index);

    return st != ST_OK ? st : pmon_write(p, box, pmon_ctr(box->unit, index), value);
}

enum status pmon_counter_read(struct platform *p, const struct pmon_box *box, uint32_t index, uint64_t *value)
{
    enum status st = pmon_has_counter(box->unit, index) ? box->status : ST_RANGE;

    return st != ST_OK ? st : pmon_read(p, box, pmon_ctr(box->unit, index), value);
}

enum status pmon_program(struct platform *p, struct pmon_box *box, uint32_t index, const struct pmon_event *event)
{
    uint64_t value = 0;
    enum status st = index == PMON_FIXED ? ST_RANGE : pmon_programmable(box, index);

    if (st == ST_OK)
        st = pmon_encode(box->unit, event, &value);
    return st != ST_OK ? st : pmon_write(p, box, pmon_ctl(box->unit, index), value);
}

enum status pmon_reset(struct platform *p, struct pmon_box *box, uint32_t index)
{
    enum status st = pmon_programmable(box, index);
    uint64_t rst;

    if (st != ST_OK)
        return st;
    rst = index == PMON_FIXED ? box->unit->layout->fixed.rst : box->unit->layout->control->rst;
    return rst == 0 ? ST_ABSENT : pmon_write(p, box, pmon_ctl(box->unit, index), rst);
}

enum status pmon_fixed_enable(struct platform *p, struct pmon_box *box, bool on)
{
    enum status st = pmon_programmable(box, PMON_FIXED);

    return st != ST_OK ? st : pmon_write(p, box, pmon_ctl(box->unit, PMON_FIXED), on ? box->unit->layout->fixed.en : 0);
}

enum status pmon_quiet(struct platform *p, struct pmon_box *box)
{
    enum status st = ST_OK;

    for (uint32_t n = 0; n < pmon_n_counters(box->unit) && box->unit->layout->n_free == 0; n++)
        st = status_first(st, pmon_write(p, box, pmon_ctl(box->unit, pmon_nth(box->unit, n)), 0));
    return st;
}

enum status pmon_window(struct platform *p, const struct pmon_box *box, const uint32_t *index, uint32_t n,
                        uint64_t ticks, struct pmon_reading *first, struct pmon_reading *last)
{
    struct step steps[2 * PMON_WINDOW_COUNTERS + 1];
    enum status st = n == 0 || n > PMON_WINDOW_COUNTERS || box->unit->layout->access != PMON_MSR ? ST_RANGE : ST_OK;

    for (uint32_t i = 0; i < n && st == ST_OK; i++) {
        st = pmon_programmable(box, index[i]);
        if (st == ST_OK)
            steps[i] = steps[n + 1 + i] = step_rdmsr((uint32_t)(box->base + pmon_ctr(box->unit, index[i]).offset));
    }
    if (st != ST_OK)
        return st;
    steps[n] = step_spin(ticks);
    st = script_run(p, box->cpu, steps, 2 * n + 1, BUDGET_MS + ticks / (p->tsc_hz / 1000 + 1));
    for (uint32_t i = 0; i < 2 * n + 1 && st == ST_OK; i++)
        st = steps[i].status;
    for (uint32_t i = 0; i < n && st == ST_OK; i++) {
        first[i] = (struct pmon_reading){ .value = steps[i].value, .tsc = steps[i].tsc };
        last[i] = (struct pmon_reading){ .value = steps[n + 1 + i].value, .tsc = steps[n + 1 + i].tsc };
    }
    return st;
}
