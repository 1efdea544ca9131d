/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/model_discovery.c: what uncore_spr.c's units look like in a discovery table. See model_discovery.h. */
#include "tests/silicon/uncore/model_discovery.h"
#include "tests/silicon/uncore/model_uncore_internal.h"

#define NOT_LISTED UINT32_MAX

enum kind { KIND_CHA, KIND_IIO, KIND_IRP, KIND_M2PCIE, KIND_PCU, KIND_IMC = 6, KIND_M2M, KIND_UPI, KIND_M3UPI };
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

static uint32_t kind_of(const struct uncore_box_type *t)
{
    switch (t->counters ? t->unit : UNIT_FUNCTION) {
    case UNIT_CBO:
        return KIND_CHA;
    case UNIT_IIO:
        return KIND_IIO;
    case UNIT_IRP:
        return KIND_IRP;
    case UNIT_R2PCIE:
        return KIND_M2PCIE;
    case UNIT_PCU:
        return KIND_PCU;
    case UNIT_IMC:
        return KIND_IMC;
    case UNIT_M2M:
        return KIND_M2M;
    case UNIT_QPI:
        return KIND_UPI;
    case UNIT_R3QPI:
        return KIND_M3UPI;
    default:
        return NOT_LISTED;
    }
}

/* Offset of the first register of a kind from the box's base; 0 where it has none. */
static uint32_t offset_of(const struct uncore_box_type *t, enum uncore_reg_kind kind)
{
    for (uint32_t i = 0; i < t->n_regs; i++)
        if (t->regs[i].kind == kind)
            return t->regs[i].offset;
    return 0;
}

static uint64_t address_of(const struct model *m, const struct uncore_box *b)
{
    uint64_t ctl = offset_of(b->type, REG_BOX_CTL), devfn = b->base;

    switch (b->type->access) {
    case UNCORE_PCI:
        if (kind_of(b->type) == KIND_UPI && fault_on(&m->faults, FAULT_DISCOVERY_UPI_ADDRESS))
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
    if (kind_of(b->type) == KIND_M2M && fault_on(&m->faults, FAULT_DISCOVERY_ACCESS))
        return ACCESS_MMIO;
    return b->type->access == UNCORE_MSR ? ACCESS_MSR : b->type->access == UNCORE_PCI ? ACCESS_PCI : ACCESS_MMIO;
}

/* --- which units are listed */

static bool is_listed(const struct model *m, const struct uncore_box *b)
{
    uint32_t kind = kind_of(b->type);
    bool last = uncore_is_last(m, b);

    if (kind == KIND_UPI && last && fault_on(&m->faults, FAULT_DISCOVERY_UPI_MISSING))
        return false;
    if (kind == KIND_CHA && last && fault_on(&m->faults, FAULT_DISCOVERY_CHA_MISSING))
        return false;
    return kind != NOT_LISTED;
}

static uint32_t phantoms(const struct model *m)
{
    return fault_on(&m->faults, FAULT_DISCOVERY_PHANTOM);
}

/* The n-th listed box; NULL: there are not as many. */
static const struct uncore_box *listed(struct model *m, uint32_t package, uint32_t n)
{
    const struct uncore *u = uncore_of(m, package);

    for (uint32_t i = 0; i < u->boxes; i++)
        if (is_listed(m, &u->box[i]) && n-- == 0)
            return &u->box[i];
    return NULL;
}

static uint32_t units(struct model *m, uint32_t package)
{
    uint32_t n = 0;

    while (listed(m, package, n))
        n++;
    return n + phantoms(m);
}

/* --- words */

static uint64_t unit_word(const struct model *m, const struct uncore_box *b, uint32_t word)
{
    const struct uncore_box_type *t = b->type;
    const struct uncore *u = &m->package[b->package].uncore;
    uint32_t ctl = offset_of(t, REG_BOX_CTL), width = t->counter_bits, id = b->index;

    if (kind_of(t) == KIND_IMC && fault_on(&m->faults, FAULT_DISCOVERY_WIDTH))
        width = (uint32_t)m->faults.value[FAULT_DISCOVERY_WIDTH];
    if (kind_of(t) == KIND_CHA && uncore_is_last(m, b) && id && fault_on(&m->faults, FAULT_DISCOVERY_DUPLICATE))
        id--;
    if (kind_of(t) == KIND_PCU && fault_on(&m->faults, FAULT_DISCOVERY_ALL_ONES))
        return UINT64_MAX;
    switch (word) {
    case 0:
        return field_put(UNIT_COUNTERS, t->counters) | field_put(UNIT_CTL, offset_of(t, REG_CTL) - ctl) |
               field_put(UNIT_WIDTH, width) | field_put(UNIT_CTR, offset_of(t, REG_CTR) - ctl) |
               field_put(UNIT_STATUS, offset_of(t, REG_STATUS) - ctl) | field_put(UNIT_ACCESS, access_of(m, b));
    case 1:
        return address_of(m, b);
    case 2:
        return field_put(UNIT_KIND, kind_of(t)) | field_put(UNIT_ID, id) |
               field_put(UNIT_POSITION, (uint64_t)(b - u->box));
    default:
        return 0;
    }
}

/* One channel more than there are, where no register is. */
static uint64_t phantom_word(struct model *m, uint32_t package, uint32_t word)
{
    struct uncore *u = uncore_of(m, package);
    uint64_t value = 0;

    for (uint32_t i = 0; i < u->boxes; i++) {
        if (kind_of(u->box[i].type) != KIND_IMC || !uncore_is_last(m, &u->box[i]))
            continue;
        value = unit_word(m, &u->box[i], word);
        if (word == 1)
            value += uncore_part(m)->mmio_bytes / 2;
        if (word == 2)
            value += field_put(UNIT_ID, 1);
    }
    return value;
}

static uint64_t global_word(struct model *m, uint32_t package, uint32_t word)
{
    uint64_t stride = DISCOVERY_STRIDE + fault_on(&m->faults, FAULT_DISCOVERY_STRIDE);
    uint64_t n = fault_on(&m->faults, FAULT_DISCOVERY_NO_UNITS) ? 0 : units(m, package);
    const struct uncore *u = uncore_of(m, package);

    for (uint32_t i = 0; i < u->boxes; i++) {
        const struct uncore_box *b = &u->box[i];
        uint64_t at = offset_of(b->type, REG_GLOBAL_CTL);

        if (b->type->unit != UNIT_UBOX)
            continue;
        switch (word) {
        case 0:
            return field_put(GLOBAL_STRIDE, stride) | field_put(GLOBAL_UNITS, n) | field_put(GLOBAL_ACCESS, ACCESS_MSR);
        case 1:
            return b->base + at + (fault_on(&m->faults, FAULT_DISCOVERY_GLOBAL) ? 1 : 0);
        case 2:
            return field_put(GLOBAL_STATUS, offset_of(b->type, REG_GLOBAL_STATUS) - at) |
                   field_put(GLOBAL_STATUSES, (u->boxes + 63) / 64);
        default:
            return 0;
        }
    }
    return 0;
}

uint64_t source_discovery(const struct uncore_look *l, uint64_t arg)
{
    uint32_t entry = l->number / DISCOVERY_STRIDE, word = l->number % DISCOVERY_STRIDE, package = l->box->package;
    const struct uncore_box *b;

    (void)arg;
    if (entry == 0)
        return global_word(l->m, package, word);
    b = listed(l->m, package, entry - 1);
    if (b)
        return unit_word(l->m, b, word);
    return entry <= units(l->m, package) ? phantom_word(l->m, package, word) : 0;
}

/* --- the function that leads there */

#define BAR_64_BIT 4u /* PCI Local Bus Specification 3.0, 6.2.5.1: bits 2:1 of a memory base address register */

uint64_t source_discovery_bar(const struct uncore_look *l, uint64_t arg)
{
    uint64_t bar = MODEL_MMIO_BASE + l->box->package * uncore_part(l->m)->mmio_bytes + (arg & UINT32_MAX);

    if (fault_on(&l->m->faults, FAULT_DISCOVERY_BAR_ZERO))
        bar = 0;
    bar |= BAR_64_BIT;
    return arg & DISCOVERY_BAR_HIGH ? bar >> 32 : bar & UINT32_MAX;
}

uint64_t source_discovery_bir(const struct uncore_look *l, uint64_t arg)
{
    return arg | (fault_on(&l->m->faults, FAULT_DISCOVERY_RESERVED) ? BIT(16) : 0);
}

uint32_t discovery_functions(const struct model *m)
{
    return fault_on(&m->faults, FAULT_DISCOVERY_HIDDEN) ? 0 : 1;
}
