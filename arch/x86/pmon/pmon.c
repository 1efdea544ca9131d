/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/pmon/pmon.h"

#include "core/base/bits.h"
#include "core/base/rollover.h"
#include "core/base/text.h"

#define UMASK 8u /* lowest bit of every unit's umask, whatever of it the unit has */

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

uint32_t pmon_free_bytes(const struct pmon_free *counter)
{
    return counter->bits > 32 ? 8 : 4;
}

struct pmon_reg pmon_ctr(const struct pmon_unit *unit, uint32_t index)
{
    struct pmon_reg reg = { .bytes = 8, .kind = LEDGER_COUNTER };

    if (!pmon_has_counter(unit, index))
        return (struct pmon_reg){ 0 };
    if (unit->layout->n_free) {
        reg.offset = (uint32_t)unit->layout->free[index].offset;
        reg.bytes = pmon_free_bytes(&unit->layout->free[index]);
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
    return FIND(i, unit->layout->n_free, text_equal(unit->layout->free[i].name, name), i, PMON_FIXED);
}

/* --- encoding ----------------------------------------------------------------------------------------------------- */

static bool pmon_field_fits(uint64_t field, uint64_t value)
{
    return field_get(field, field_put(field, value)) == value;
}

enum status pmon_encode(const struct pmon_unit *unit, const struct pmon_event *event, uint64_t *value)
{
    const struct pmon_control *f = unit->layout->control;
    uint64_t ev_low = event->ev_sel, ev_high = 0, umask = event->umask, umask_high = 0;

    if (f->ev_sel_ext) {
        ev_high = ev_low >> 8;
        ev_low &= 0xFF;
    }
    if (f->umask_ext) {
        umask_high = umask >> 8;
        umask &= 0xFF;
    }
    if (!pmon_field_fits(f->ev_sel, ev_low) || (umask << UMASK & ~f->umask) ||
        (ev_high && !pmon_field_fits(f->ev_sel_ext, ev_high)) ||
        (umask_high && !pmon_field_fits(f->umask_ext, umask_high)) || !pmon_field_fits(f->thresh, event->thresh) ||
        (event->extra & ~f->extra))
        return ST_RANGE;
    if ((event->invert && !f->invert) || (event->edge_det && !f->edge_det) || (event->ov_en && !f->ov_en))
        return ST_RANGE;
    if ((event->invert || event->edge_det) && event->thresh == 0) /* both are in series behind the comparison */
        return ST_RANGE;
    *value = field_put(f->ev_sel, ev_low) | umask << UMASK | (ev_high ? field_put(f->ev_sel_ext, ev_high) : 0) |
             (umask_high ? field_put(f->umask_ext, umask_high) : 0) | field_put(f->thresh, event->thresh) |
             event->extra | (event->edge_det ? f->edge_det : 0) | (event->invert ? f->invert : 0) |
             (event->ov_en ? f->ov_en : 0) | (event->enable ? f->en | f->ones : 0);
    return ST_OK;
}

/* A field that has the bits of a number from bit 8 on; 0: there is none. */
static uint64_t above_8(uint64_t field, uint64_t value)
{
    return field ? field_get(field, value) << 8 : 0;
}

void pmon_decode(const struct pmon_unit *unit, uint64_t value, struct pmon_event *event)
{
    const struct pmon_control *f = unit->layout->control;

    *event = (struct pmon_event){ .ev_sel = (uint32_t)(field_get(f->ev_sel, value) | above_8(f->ev_sel_ext, value)),
                                  .umask = (uint32_t)((value & f->umask) >> UMASK | above_8(f->umask_ext, value)),
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
    return FIND(i, unit->events.n_named, text_equal(unit->events.named[i].name, name), &unit->events.named[i], NULL);
}

uint64_t pmon_freeze_value(const struct pmon_unit *unit)
{
    return unit->layout->box ? unit->layout->box->ones | unit->layout->box->frz_en | unit->layout->box->frz : 0;
}

uint64_t pmon_run_value(const struct pmon_unit *unit)
{
    return unit->layout->box ? unit->layout->box->ones | unit->layout->box->frz_en | unit->layout->box->run : 0;
}
