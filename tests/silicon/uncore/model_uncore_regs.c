/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/model_uncore_regs.c: registers of uncore monitors. See uncore.h.
 *
 * Writes: reserved bits are ignored and read 0, resets act and read 0, counters keep as many bits as they have. A
 * register that is read only refuses: #GP for an MSR, nothing happens on PCI and MMIO.
 */
#include "tests/silicon/uncore/model_uncore_internal.h"
#include "core/base/search.h"
#include "tests/silicon/uncore/model_uncore_match.h"

static bool ubox_fault(const struct model *m, const struct uncore_box *b, enum fault_id id)
{
    return b->type->unit == UNIT_UBOX && fault_on(&m->faults, id);
}

/* --- which register */

static uint32_t reg_span(const struct uncore_box_type *t, const struct uncore_reg *r)
{
    return t->access == UNCORE_MSR ? 1 : r->bytes ? r->bytes : 4;
}

uint32_t uncore_span(const struct uncore_box_type *t)
{
    uint32_t span = 0;

    EACH(const struct uncore_reg, r, t->regs, t->n_regs) {
        uint32_t end = r->offset + (r->count ? r->count - 1 : 0) * r->step + reg_span(t, r);

        span = end > span ? end : span;
    }
    return span;
}

bool uncore_find(const struct uncore_box *b, uint32_t offset, struct uncore_at *at)
{
    EACH(const struct uncore_reg, r, b->type->regs, b->type->n_regs) {
        for (uint32_t k = 0; k < (r->count ? r->count : 1); k++) {
            uint32_t start = r->offset + k * r->step;

            if (offset - start >= reg_span(b->type, r))
                continue;
            if ((r->kind == REG_CTL || r->kind == REG_CTR) && r->first + k >= b->type->counters)
                continue;
            *at = (struct uncore_at){ r, r->first + k, start };
            return true;
        }
    }
    return false;
}

/* Command register, PCI Local Bus Specification 3.0, 6.2.2 and 6.2.3. */
#define COMMAND_MEMORY BIT(1)
#define STATUS_CAPS    BIT(20)

static uint64_t command_of(const struct model *m, const struct uncore_box *b)
{
    return STATUS_CAPS | (b->kept[0] ^ (fault_on(&m->faults, FAULT_DISCOVERY_NOT_DECODED) ? 0 : COMMAND_MEMORY));
}

bool uncore_is_decoded(struct model *m, const struct uncore_box *b)
{
    const struct uncore *u = uncore_of(m, b->package);

    for (uint32_t i = 0; b->type->behind && i < u->boxes; i++)
        if (u->box[i].type == b->type->behind && u->box[i].index == b->index)
            return command_of(m, &u->box[i]) & COMMAND_MEMORY;
    return true;
}

/* --- reading */

static uint64_t value_of(struct model *m, const struct uncore_box *b, const struct uncore_at *at, uint64_t tsc)
{
    const struct uncore_reg *r = at->reg;
    struct uncore_look look = { m, b, 0, tsc > b->tsc ? tsc : b->tsc, at->number };
    uint64_t value;

    if (!r->source)
        return r->mask;
    value = r->source(&look, r->arg);
    if (r->kind == REG_FREE)
        value = uncore_free_value(m, b, r->source == source_clock, value);
    value = r->mask ? value & r->mask : value;
    if (r->kind == REG_FREE && b->type->access == UNCORE_MSR && !b->type->counters &&
        fault_on(&m->faults, FAULT_IIO_BANDWIDTH_HIGH_BITS))
        value |= r->mask + 1;
    return value;
}

uint64_t uncore_reg_held(struct model *m, struct uncore_box *b, const struct uncore_at *at, uint64_t tsc)
{
    struct uncore *u = uncore_of(m, b->package);

    if (at->reg->kind == REG_GLOBAL_STATUS)
        uncore_look_at_all(m, b->package, tsc);
    else
        uncore_look_at(m, b, tsc);
    switch (at->reg->kind) {
    case REG_CTL:
        return b->counter[at->number].ctl;
    case REG_CTR:
        return b->counter[at->number].value;
    case REG_FIXED_CTL:
        return b->fixed.ctl;
    case REG_FIXED_CTR:
        return b->fixed.value;
    case REG_BOX_CTL:
        return b->box_ctl;
    case REG_STATUS:
    case REG_STATUS_READ:
        return b->status;
    case REG_FILTER:
        return b->filter >> 32 * at->number & UINT32_MAX;
    case REG_KEPT:
        return b->kept[at->number];
    case REG_COMMAND:
        return command_of(m, b);
    case REG_VALUE:
    case REG_FREE:
        return value_of(m, b, at, tsc);
    case REG_GLOBAL_CTL:
        return u->global_ctl;
    case REG_GLOBAL_STATUS:
        return u->global_status[at->number];
    case REG_GLOBAL_CLEAR:
    case REG_STATUS_CLEAR:
        break;
    }
    return 0;
}

static uint64_t counter_shown(const struct model *m, const struct uncore_box *b, struct uncore_counter *c)
{
    uint64_t last = c->read;

    c->read = c->value;
    return c->runs && uncore_broken(m, b, FAULT_PMON_READ_STALE) ? last : c->value;
}

uint64_t uncore_reg_read(struct model *m, struct uncore_box *b, const struct uncore_at *at, uint64_t tsc)
{
    uint64_t held = uncore_reg_held(m, b, at, tsc);

    if (at->reg->kind == REG_FIXED_CTR)
        return counter_shown(m, b, &b->fixed);
    return at->reg->kind == REG_CTR ? flaw_shows(m, b, at->number, tsc, counter_shown(m, b, &b->counter[at->number]))
                                    : held;
}

/* --- writing */

/* With a fault the last two controls of a box have these fields in common: a write of one reaches the other. */
static void write_shared(struct uncore_box *b, uint32_t index, uint64_t fields)
{
    uint32_t last = b->type->counters - 1;
    struct uncore_counter *other;

    if (last == 0 || index + 1 < last)
        return;
    other = &b->counter[index == last ? last - 1 : last];
    other->ctl = (other->ctl & ~fields) | (b->counter[index].ctl & fields);
    other->level = false;
    other->runs = false;
}

#define NHM_OCC_RST BIT(17) /* resets the occupancy of the event's queue; write only (SDM vol. 3B 18.8.2.2) */

static void write_ctl(struct model *m, struct uncore_box *b, uint32_t index, uint64_t value)
{
    const struct uncore_ctl *f = b->type->ctl;
    struct uncore_counter *c = &b->counter[index];

    if ((value & f->rst) && !ubox_fault(m, b, FAULT_UBOX_RESET_DEAD) && !uncore_broken(m, b, FAULT_PMON_RESET_DEAD))
        c->value = uncore_counter_kept(m, b, 0);
    c->ctl = value & (f->ev_sel | f->ev_sel_ext | f->umask | f->edge_det | f->invert | f->thresh | f->en | f->ov_en |
                      f->tid_en | f->occ_invert | f->occ_edge | f->kept);
    if (c->ctl & f->tid_en)
        atomic_store_explicit(&m->threads_watched, true, memory_order_relaxed);
    if (fault_on(&m->faults, FAULT_OCC_RST_READS_1))
        c->ctl |= value & NHM_OCC_RST;
    c->level = false;
    c->runs = false; /* what it counts is another thing now */
    if (uncore_broken(m, b, FAULT_PMON_SELECT_SHARED))
        write_shared(b, index, f->ev_sel | f->ev_sel_ext);
    if (uncore_broken(m, b, FAULT_PMON_UMASK_SHARED))
        write_shared(b, index, f->umask);
}

static void reset_box(struct model *m, struct uncore_box *b, uint64_t value)
{
    const struct uncore_box_ctl *f = b->type->box_ctl;

    if ((value & f->rst_ctrl || (value & f->rst_ctrs && uncore_broken(m, b, FAULT_PMON_RESET_CLEARS_CONTROLS)))) {
        for (uint32_t i = 0; i < b->type->counters; i++)
            write_ctl(m, b, i, 0);
        b->fixed.ctl = 0;
    }
    if (value & f->rst_ctrs) {
        for (uint32_t i = 0; i < b->type->counters; i++)
            b->counter[i].value = uncore_counter_kept(m, b, 0);
        b->fixed.value = 0;
    }
}

static void write_box_ctl(struct model *m, struct uncore_box *b, uint64_t tsc, uint64_t value)
{
    const struct uncore_box_ctl *f = b->type->box_ctl;

    if (!uncore_broken(m, b, FAULT_PMON_BOX_RESET_DEAD))
        reset_box(m, b, value);
    if (uncore_broken(m, b, FAULT_PMON_BOX_RESET_NEXT) && !uncore_is_last(m, b)) {
        uncore_look_at(m, b + 1, tsc);
        reset_box(m, b + 1, value);
        uncore_settle(m, b + 1, false);
    }
    b->box_ctl = value & (f->frz | f->frz_en | f->run | f->run_fixed | f->kept);
}

static bool several(uint64_t bits)
{
    return bits & (bits - 1);
}

static void write_fixed_ctl(struct uncore_box *b, uint64_t value)
{
    const struct uncore_ctl *f = b->type->ctl;

    if (value & f->fixed_rst)
        b->fixed.value = 0;
    b->fixed.ctl = value & (f->fixed_en | f->fixed_ov_en);
}

static void reset_all(struct model *m, struct uncore *u)
{
    EACH(struct uncore_box, b, u->box, u->boxes) {
        for (uint32_t k = 0; k < b->type->counters; k++) {
            write_ctl(m, b, k, 0);
            b->counter[k].value = uncore_counter_kept(m, b, 0);
        }
        b->fixed.ctl = b->fixed.value = b->box_ctl = b->status = 0;
    }
}

static void write_global(struct model *m, uint32_t package, uint64_t tsc, uint64_t value)
{
    const struct uncore_part *part = uncore_part(m);
    struct uncore *u = uncore_of(m, package);

    uncore_look_at_all(m, package, tsc);
    u->global_ctl = value & part->global_kept;
    if (value & part->global_rst)
        reset_all(m, u);
    if (!part->global_unfrz)
        u->frozen = value & part->global_frz;
    else if (value & part->global_frz)
        u->frozen = true;
    else if (value & part->global_unfrz)
        u->frozen = false;
    uncore_settle_all(m, package);
}

/* With a fault: a bit of the states in a CBo's or CHA's filter. */
static uint64_t stuck_state(const struct model *m, const struct uncore_box *b)
{
    uint64_t states = b->type->filter_state ? b->type->filter_state : BITS(26, 17); /* of CHAs */

    if (b->type->unit != UNIT_CBO || !fault_on(&m->faults, FAULT_CBO_FILTER_BIT_STUCK))
        return 0;
    return field_put(states, BIT(0) << m->faults.value[FAULT_CBO_FILTER_BIT_STUCK] % 32) & b->type->filter_kept;
}

static void clear_status(const struct model *m, const struct uncore_box *b, uint64_t *status, uint64_t ones)
{
    if (ones && uncore_broken(m, b, FAULT_PMON_STATUS_CLEARS_ALL))
        ones = UINT64_MAX;
    if (!uncore_broken(m, b, FAULT_PMON_OVERFLOW_STUCK))
        *status &= ~ones;
}

bool uncore_reg_write(struct model *m, struct uncore_box *b, const struct uncore_at *at, uint64_t tsc, uint64_t value)
{
    struct uncore *u = uncore_of(m, b->package);
    bool resample = false;

    uncore_look_at(m, b, tsc);
    switch (at->reg->kind) {
    case REG_CTL:
        write_ctl(m, b, at->number, value);
        break;
    case REG_CTR:
        if (!uncore_is_frozen(m, b) || !uncore_counter_broken(m, b, at->number, FAULT_PMON_FROZEN_WRITE_LOST))
            b->counter[at->number].value = uncore_counter_kept(m, b, value);
        break;
    case REG_FIXED_CTL:
        write_fixed_ctl(b, value);
        break;
    case REG_FIXED_CTR:
        b->fixed.value = value & low_bits(b->type->fixed_bits);
        break;
    case REG_BOX_CTL:
        if (b->type->unit == UNIT_SBO && fault_on(&m->faults, FAULT_SBO_INIT_GP) && several(value & ~b->box_ctl))
            return false;
        if (fault_on(&m->faults, FAULT_FREE_CLOCK_FROZEN))
            uncore_look_at_all(m, b->package, tsc);
        write_box_ctl(m, b, tsc, value);
        break;
    case REG_STATUS:
    case REG_STATUS_CLEAR:
        clear_status(m, b, &b->status, value);
        break;
    case REG_FILTER:
        b->filter &= ~((uint64_t)UINT32_MAX << 32 * at->number);
        b->filter |= (value & UINT32_MAX) << 32 * at->number & b->type->filter_kept;
        b->filter |= stuck_state(m, b);
        resample = true;
        break;
    case REG_KEPT:
        if (b->type->unit == UNIT_FUNCTION) /* what it filters is counted elsewhere */
            uncore_look_at_all(m, b->package, tsc);
        b->kept[at->number] = value & at->reg->mask;
        if (b->type->unit == UNIT_SOCKET) {
            atomic_store_explicit(&m->package[b->package].match.value, b->kept[at->number], memory_order_relaxed);
            atomic_store_explicit(&m->match_armed, true, memory_order_relaxed);
        }
        uncore_match_written(m, b);
        resample = true;
        break;
    case REG_COMMAND:
        b->kept[0] ^= (value ^ command_of(m, b)) & COMMAND_MEMORY;
        return true;
    case REG_GLOBAL_CTL:
        write_global(m, b->package, tsc, value);
        return true;
    case REG_GLOBAL_STATUS:
        uncore_look_at_all(m, b->package, tsc);
        clear_status(m, b, &u->global_status[at->number], value & at->reg->mask);
        return at->reg->mask != 0;
    case REG_GLOBAL_CLEAR:
        uncore_look_at_all(m, b->package, tsc);
        clear_status(m, b, &u->global_status[at->number], value);
        return true;
    case REG_VALUE:
    case REG_FREE:
    case REG_STATUS_READ:
        return false;
    }
    uncore_settle(m, b, resample);
    return true;
}

/* --- MSRs */

/* Does this processor reach the box? Boxes that are not a package's are a domain's or a node's. */
static bool reaches(const struct model *m, const struct cpu *c, const struct uncore_box *b)
{
    switch (b->type->scope) {
    case SCOPE_DOMAIN:
        return b->index == (uint32_t)(c->domain - m->domain) % (m->domains / m->packages);
    case SCOPE_NODE:
        return b->index == c->node % m->clusters;
    case SCOPE_PACKAGE:
        break;
    }
    return true;
}

static struct uncore_box *find_msr(struct model *m, struct cpu *c, uint32_t package, uint32_t msr, struct uncore_at *at)
{
    struct uncore *u = uncore_of(m, package);

    EACH(struct uncore_box, b, u->box, u->boxes) {
        if (b->type->access == UNCORE_MSR && msr - b->base < b->span && reaches(m, c, b) &&
            uncore_find(b, msr - b->base, at))
            return b;
    }
    return NULL;
}

/* The box that answers, its package locked; NULL, and nothing locked: none. */
static struct uncore_box *take_msr(struct model *m, struct cpu *c, uint32_t msr, struct uncore_at *at)
{
    struct uncore_box *b = uncore_part(m) ? find_msr(m, c, c->package, msr, at) : NULL;

    if (b && ubox_fault(m, b, FAULT_UBOX_SHARED))
        b = find_msr(m, c, 0, msr, at);
    if (b)
        pthread_mutex_lock(&m->package[b->package].lock);
    return b;
}

/* Does firmware keep the MSRs of its monitor, or writes of them, from software? */
static bool is_kept(const struct model *m, const struct uncore_box *b, bool write)
{
    uint64_t kept = m->realism.value[REALISM_PMON_KEPT];

    return b->type->unit != UNIT_FUNCTION && (kept == KEPT_MSRS || (write && kept == KEPT_WRITES));
}

enum model_answer uncore_msr_read(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t *value)
{
    struct uncore_at at;
    struct uncore_box *b = take_msr(m, c, msr, &at);
    bool kept;

    if (!b)
        return uncore_debugctl_read(m, c, msr, value);
    kept = is_kept(m, b, false);
    if (!kept)
        *value = uncore_reg_read(m, b, &at, tsc);
    pthread_mutex_unlock(&m->package[b->package].lock);
    return kept ? MODEL_GP : MODEL_DONE;
}

enum model_answer uncore_msr_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t value)
{
    struct uncore_at at;
    struct uncore_box *b = take_msr(m, c, msr, &at);
    bool fine;

    if (!b)
        return uncore_debugctl_write(m, c, msr, value);
    fine = !is_kept(m, b, true) && uncore_reg_write(m, b, &at, tsc, value);
    pthread_mutex_unlock(&m->package[b->package].lock);
    return fine ? MODEL_DONE : MODEL_GP;
}
