/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/model_discovery.c: what units look like in discovery tables. See model_discovery.h. */
#include "tests/silicon/uncore/model_discovery.h"
#include "core/base/search.h"
#include "tests/silicon/uncore/model_uncore_internal.h"

enum access { ACCESS_MSR, ACCESS_MMIO, ACCESS_PCI };

#define GLOBAL_STRIDE   BITS(15, 8)
#define GLOBAL_UNITS    BITS(25, 16)
#define GLOBAL_ACCESS   BITS(63, 62)
#define GLOBAL_STATUS   BITS(7, 0)
#define GLOBAL_STATUSES BITS(23, 8)
#define UNIT_COUNTERS   BITS(7, 0)
#define UNIT_CTL        BITS(15, 8)
#define UNIT_WIDTH      BITS(23, 16)
#define UNIT_CTR        BITS(31, 24)
#define UNIT_STATUS     BITS(39, 32)
#define UNIT_ACCESS     BITS(63, 62)
#define UNIT_KIND       BITS(15, 0)
#define UNIT_ID         BITS(31, 16)
#define UNIT_POSITION   BITS(47, 32)

#define TYPE_OF_NONE 0x3Fu /* no unit of a documented part has it */

static bool has_register(const struct uncore_box_type *t, enum uncore_reg_kind kind)
{
    return ANY_OF(i, t->n_regs, t->regs[i].kind == kind);
}

/* Offset of the first register of a kind from the box's base; 0 where it has none. */
static uint32_t offset_of(const struct uncore_box_type *t, enum uncore_reg_kind kind)
{
    return FIND(i, t->n_regs, t->regs[i].kind == kind, t->regs[i].offset, 0);
}

/* Of the first register of a kind. */
static uint64_t address_of(const struct model *m, const struct uncore_box *b, enum uncore_reg_kind kind)
{
    uint64_t ctl = offset_of(b->type, kind), devfn = b->base;

    switch (b->type->access) {
    case UNCORE_PCI:
        if (b->type->unit == UNIT_QPI && fault_on(&m->faults, FAULT_DISCOVERY_UPI_ADDRESS))
            devfn += 1;
        return (uint64_t)uncore_bus(m, b->package, b->type->places[b->index].bus) << 20 | devfn << 12 | ctl;
    case UNCORE_MMIO:
        return MODEL_MMIO_BASE + b->package * uncore_part(m)->mmio_bytes + b->base + ctl;
    case UNCORE_MSR:
        break;
    }
    return b->base + ctl;
}

static enum access access_of(const struct model *m, const struct uncore_box *b)
{
    if ((b->type->unit == UNIT_M2M || b->type->unit == UNIT_PCIE) && fault_on(&m->faults, FAULT_DISCOVERY_ACCESS))
        return ACCESS_MMIO;
    return b->type->access == UNCORE_MSR ? ACCESS_MSR : b->type->access == UNCORE_PCI ? ACCESS_PCI : ACCESS_MMIO;
}

/* --- which units are listed */

/* Whose table lists the box. */
static uint32_t die_of(const struct model *m, const struct uncore_box *b)
{
    uint32_t dies = b->type->dies ? b->type->dies : 1;

    return b->type->die + b->index * dies / uncore_number_of(m, b->type);
}

static uint32_t id_of(const struct model *m, const struct uncore_box *b)
{
    uint32_t share = uncore_number_of(m, b->type) / (b->type->dies ? b->type->dies : 1);
    uint32_t further = uncore_part(m)->die_ids ? die_of(m, b) - b->type->die : 0;

    return b->type->table_id + b->index - further * share + further * uncore_part(m)->die_ids;
}

static bool is_listed(const struct model *m, const struct uncore_box *b)
{
    bool last = uncore_is_last(m, b);

    if (b->type->unit == UNIT_QPI && last && fault_on(&m->faults, FAULT_DISCOVERY_UPI_MISSING))
        return false;
    if (b->type->unit == UNIT_CBO && last && fault_on(&m->faults, FAULT_DISCOVERY_CHA_MISSING))
        return false;
    return b->type->table_type != 0;
}

/* Of a kind of which a table lists one more than there are. */
static bool has_phantom(const struct model *m, enum uncore_unit unit)
{
    return (unit == UNIT_IMC && fault_on(&m->faults, FAULT_DISCOVERY_PHANTOM_CHANNEL)) ||
           (unit == UNIT_CBO && fault_on(&m->faults, FAULT_DISCOVERY_PHANTOM_CHA));
}

/* The last memory channel or CHA, with its fault, if this die lists it: the table lists one more. */
static const struct uncore_box *phantom(struct model *m, uint32_t package, uint32_t die)
{
    const struct uncore *u = uncore_of(m, package);

    return FIND(i, u->boxes,
                has_phantom(m, u->box[i].type->unit) && uncore_is_last(m, &u->box[i]) && die_of(m, &u->box[i]) == die,
                &u->box[i], NULL);
}

/* The n-th box that a die lists; NULL: there are not as many. */
static const struct uncore_box *listed(struct model *m, uint32_t package, uint32_t die, uint32_t n)
{
    const struct uncore *u = uncore_of(m, package);

    return FIND(i, u->boxes, is_listed(m, &u->box[i]) && die_of(m, &u->box[i]) == die && n-- == 0, &u->box[i], NULL);
}

static uint32_t units(struct model *m, uint32_t package, uint32_t die)
{
    uint32_t n = 0;

    while (listed(m, package, die, n))
        n++;
    return n + (phantom(m, package, die) ? 1 : 0);
}

/* --- words */

static uint64_t unit_word(const struct model *m, const struct uncore_box *b, uint32_t word)
{
    const struct uncore_box_type *t = b->type;
    const struct uncore *u = &m->package[b->package].uncore;
    uint32_t ctl = offset_of(t, REG_BOX_CTL), width = t->counter_bits, id = id_of(m, b), kind = t->table_type - 1;

    if (t->unit == UNIT_IMC && fault_on(&m->faults, FAULT_DISCOVERY_WIDTH))
        width = (uint32_t)m->faults.value[FAULT_DISCOVERY_WIDTH];
    if (t->unit == UNIT_CBO && uncore_is_last(m, b) && id && fault_on(&m->faults, FAULT_DISCOVERY_DUPLICATE_ID))
        id--;
    if (kind == TYPE_PCU && fault_on(&m->faults, FAULT_DISCOVERY_ALL_ONES))
        return UINT64_MAX;
    if (t->unit == UNIT_IMC && uncore_is_last(m, b) && fault_on(&m->faults, FAULT_DISCOVERY_CHANNEL_TYPE))
        kind = TYPE_OF_NONE;
    switch (word) {
    case 0:
        return field_put(UNIT_COUNTERS, t->counters) | field_put(UNIT_CTL, offset_of(t, REG_CTL) - ctl) |
               field_put(UNIT_WIDTH, width) | field_put(UNIT_CTR, offset_of(t, REG_CTR) - ctl) |
               field_put(UNIT_STATUS, offset_of(t, REG_STATUS) - ctl) | field_put(UNIT_ACCESS, access_of(m, b));
    case 1:
        return address_of(m, b, REG_BOX_CTL);
    case 2:
        return field_put(UNIT_KIND, kind) | field_put(UNIT_ID, id) | field_put(UNIT_POSITION, (uint64_t)(b - u->box));
    default:
        return 0;
    }
}

/* One channel or CHA more than there are, where no register is. */
static uint64_t phantom_word(const struct model *m, const struct uncore_box *last, uint32_t word)
{
    uint64_t value = unit_word(m, last, word);

    if (word == 1)
        value += last->type->access == UNCORE_MSR ? last->type->step : uncore_part(m)->mmio_bytes / 2;
    if (word == 2)
        value += field_put(UNIT_ID, 1);
    return value;
}

static uint64_t global_word(struct model *m, uint32_t package, uint32_t die, uint32_t word)
{
    uint64_t stride = DISCOVERY_STRIDE + fault_on(&m->faults, FAULT_DISCOVERY_STRIDE);
    uint64_t n = fault_on(&m->faults, FAULT_DISCOVERY_NO_UNITS) ? 0 : units(m, package, die);
    const struct uncore *u = uncore_of(m, package);

    EACH(const struct uncore_box, b, u->box, u->boxes) {
        uint64_t at = offset_of(b->type, REG_GLOBAL_CTL);

        if (!has_register(b->type, REG_GLOBAL_CTL) || (uncore_number_of(m, b->type) > 1 && b->index != die))
            continue;
        switch (word) {
        case 0:
            return field_put(GLOBAL_STRIDE, stride) | field_put(GLOBAL_UNITS, n) |
                   field_put(GLOBAL_ACCESS, access_of(m, b));
        case 1:
            return address_of(m, b, REG_GLOBAL_CTL) + (fault_on(&m->faults, FAULT_DISCOVERY_GLOBAL) ? 1 : 0);
        case 2:
            return field_put(GLOBAL_STATUS, offset_of(b->type, REG_GLOBAL_STATUS) - at) |
                   field_put(GLOBAL_STATUSES, (u->boxes + 63) / 64);
        default:
            return 0;
        }
    }
    return 0;
}

uint64_t source_discovery(const struct uncore_look *l, uint64_t)
{
    uint32_t entry = l->number / DISCOVERY_STRIDE, word = l->number % DISCOVERY_STRIDE;
    uint32_t package = l->box->package, die = l->box->index;
    const struct uncore_box *b;

    if (entry == 0)
        return global_word(l->m, package, die, word);
    b = listed(l->m, package, die, entry - 1);
    if (b)
        return unit_word(l->m, b, word);
    b = phantom(l->m, package, die);
    return b && entry == units(l->m, package, die) ? phantom_word(l->m, b, word) : 0;
}

/* --- the function that leads there */

#define BAR_64_BIT 4u /* PCI Local Bus Specification 3.0, 6.2.5.1: bits 2:1 of a memory base address register */

uint64_t source_discovery_table(const struct uncore_look *l, uint64_t arg)
{
    return MODEL_TABLES_BASE + (l->box->package * discovery_tables(l->m)->count + arg) * DISCOVERY_BYTES;
}

uint64_t source_discovery_bar(const struct uncore_look *l, uint64_t arg)
{
    uint64_t bar = source_discovery_table(l, l->box->index);

    if (fault_on(&l->m->faults, FAULT_DISCOVERY_BAR_ZERO) || l->m->realism.value[REALISM_PMON_KEPT] == KEPT_BASES)
        bar = 0;
    bar |= BAR_64_BIT;
    return arg & DISCOVERY_BAR_HIGH ? bar >> 32 : bar & UINT32_MAX;
}

uint64_t source_discovery_bir(const struct uncore_look *l, uint64_t arg)
{
    return arg | (fault_on(&l->m->faults, FAULT_DISCOVERY_RESERVED) ? BIT(16) : 0);
}

const struct uncore_box_type *discovery_tables(const struct model *m)
{
    for (uint32_t k = 0; k < uncore_part(m)->n_types; k++)
        for (uint32_t i = 0; i < uncore_part(m)->types[k]->n_regs; i++)
            if (uncore_part(m)->types[k]->regs[i].source == source_discovery)
                return uncore_part(m)->types[k];
    return NULL;
}

uint32_t discovery_functions(const struct model *m)
{
    const struct uncore_box_type *tables = discovery_tables(m);

    return tables && !fault_on(&m->faults, FAULT_DISCOVERY_HIDDEN) ? tables->count : 0;
}
