/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/pmon/pmon_discovery.h"

#include "core/base/bits.h"
#include "core/base/heap.h"

#define PAGE     UINT64_C(0x1000)
#define LAST_MSR UINT64_C(0xFFFF) /* Intel's uncore MSRs are 16-bit numbers */
#define PHYSICAL (UINT64_C(1) << 52)

const struct pmon_type *pmon_type_of(const struct pmon_discovery *discovery, uint32_t number)
{
    bool known = number < discovery->n_types && discovery->types[number].unit.name;

    return known ? &discovery->types[number] : &discovery->unknown;
}

/* --- rules -------------------------------------------------------------------------------------------------------- */

/* Bytes (MSRs: registers) from one control to the next. */
static uint32_t pmon_discovery_ctl_step(const struct pmon_type *type, const struct pmon_entry *e)
{
    return e->access == PMON_TABLE_MSR ? 1 : e->access == PMON_TABLE_MMIO && !type->wide_ctl ? 4 : 8;
}

static uint32_t pmon_discovery_ctr_step(const struct pmon_entry *e)
{
    return e->access == PMON_TABLE_MSR ? 1 : 8;
}

static bool pmon_discovery_overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

/* The last of its registers, from its unit control on: of controls, counters and status. */
static uint32_t pmon_discovery_last(const struct pmon_entry *e, uint32_t controls, uint32_t counts)
{
    uint32_t last = e->ctl + controls - 1;

    if (last < e->ctr + counts - 1)
        last = e->ctr + counts - 1;
    return last < e->status_offset ? e->status_offset : last;
}

/* Linux reads a counter by memory with one access of 8 bytes (uncore_mmio_read_counter()), and all else here by its size. */
static bool pmon_discovery_aligned(const struct pmon_type *type, const struct pmon_entry *e)
{
    uint64_t ctr = e->access == PMON_TABLE_MMIO ? 8 : 4,
             ctl = e->access == PMON_TABLE_MMIO ? pmon_discovery_ctl_step(type, e) : 4;

    return e->access == PMON_TABLE_MSR || (e->address % 4 == 0 && (e->address + e->ctr) % ctr == 0 &&
                                           (e->address + e->ctl) % ctl == 0 && e->status_offset % 4 == 0);
}

/* NULL, or why no box can be made of it. */
static const char *pmon_discovery_unusable(const struct pmon_type *type, const struct pmon_entry *e)
{
    uint32_t controls = e->counters * pmon_discovery_ctl_step(type, e),
             counts = e->counters * pmon_discovery_ctr_step(e);
    uint32_t first = e->access == PMON_TABLE_MSR ? 1 : 4;

    if (e->word[0] == UINT64_MAX || e->word[1] == UINT64_MAX || e->word[2] == UINT64_MAX)
        return "a word of it reads all ones";
    if (e->unused)
        return e->address ? "it has an address and describes no counter" : "its unit control has the address 0";
    if (e->access > PMON_TABLE_PCI)
        return "its access type is 3";
    if (type->access != PMON_TYPE_ANY && e->access + 1 != type->access)
        return "its access type is not that of its box type";
    if (e->counters == 0 || e->counters > PMON_MOST_PROGRAMMABLE)
        return "its number of counters is not 1 to 8";
    if (e->width != 36 && e->width != 44 && e->width != 48)
        return "its counter width is none of 36, 44, 48";
    if (pmon_discovery_overlap(0, first, e->ctl, controls) || pmon_discovery_overlap(0, first, e->ctr, counts))
        return "its counters lie over its unit control";
    if (pmon_discovery_overlap(e->ctl, controls, e->ctr, counts))
        return "its controls lie over its counters";
    if (e->access == PMON_TABLE_MSR &&
        (e->address > LAST_MSR || e->address + pmon_discovery_last(e, controls, counts) > LAST_MSR))
        return "its address is no MSR number";
    if (e->access == PMON_TABLE_MMIO && e->address >= PHYSICAL)
        return "its address is no physical address";
    if (e->access == PMON_TABLE_PCI && e->address >> 31)
        return "its address is no PCI address";
    if (!pmon_discovery_aligned(type, e))
        return "its registers are not aligned";
    if (e->access == PMON_TABLE_PCI &&
        field_get(PMON_UNIT_OFFSET, e->address) + pmon_discovery_last(e, controls, counts) >= PAGE)
        return "its registers run over the end of configuration space";
    return NULL;
}

static const char *pmon_discovery_clash(const struct pmon_entry *a, const struct pmon_entry *b)
{
    if (a->access == b->access && a->address == b->address)
        return "its address is that of another entry";
    if (a->type == b->type && a->id == b->id)
        return "its id is that of another entry of the type";
    return NULL;
}

static void pmon_discovery_judge(const struct pmon_discovery *discovery, struct pmon_table *t, struct pmon_entry *e)
{
    e->defect = pmon_discovery_unusable(pmon_type_of(discovery, e->type), e);
    e->fatal = e->defect != NULL;
    for (uint32_t i = 0; i < t->n_entries && !e->fatal; i++) {
        const char *defect = t->entries[i].fatal ? NULL : pmon_discovery_clash(&t->entries[i], e);

        if (defect == NULL)
            continue;
        e->defect = defect;
        e->fatal = t->entries[i].address == e->address;
    }
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static enum status read_global(pmon_table_read read, void *context, struct pmon_table *t)
{
    uint64_t word[3] = { 0 };

    for (uint32_t i = 0; i < 3; i++)
        TRY(read(context, i * 8u, &word[i]));
    t->type = (uint32_t)field_get(PMON_DISCOVERY_TYPE, word[0]);
    t->stride = (uint32_t)field_get(PMON_DISCOVERY_STRIDE, word[0]);
    t->max_units = (uint32_t)field_get(PMON_DISCOVERY_MAX_UNITS, word[0]);
    t->access = (uint32_t)field_get(PMON_DISCOVERY_ACCESS, word[0]);
    t->global = word[1];
    t->status_offset = (uint32_t)field_get(PMON_DISCOVERY_STATUS, word[2]);
    t->n_status = (uint32_t)field_get(PMON_DISCOVERY_N_STATUS, word[2]);
    if (word[0] == UINT64_MAX || word[1] == UINT64_MAX || word[2] == UINT64_MAX)
        t->defect = "the table reads all ones";
    else if (word[0] == 0)
        t->defect = "the table is empty";
    else if (t->stride < 3)
        t->defect = "its stride is shorter than an entry";
    else if (t->max_units == 0)
        t->defect = "it has room for no unit";
    else if (t->access > PMON_TABLE_PCI)
        t->defect = "its access type is 3";
    return t->defect ? ST_CORRUPT : ST_OK;
}

static enum status read_entry(pmon_table_read read, void *context, const struct pmon_table *t, uint32_t index,
                              struct pmon_entry *e)
{
    uint64_t at = ((uint64_t)index + 1) * t->stride * 8;

    *e = (struct pmon_entry){ .index = index };
    for (uint32_t i = 0; i < 3; i++)
        TRY(read(context, at + i * 8u, &e->word[i]));
    e->counters = (uint32_t)field_get(PMON_UNIT_COUNTERS, e->word[0]);
    e->ctl = (uint32_t)field_get(PMON_UNIT_CTL, e->word[0]);
    e->width = (uint32_t)field_get(PMON_UNIT_WIDTH, e->word[0]);
    e->ctr = (uint32_t)field_get(PMON_UNIT_CTR, e->word[0]);
    e->status_offset = (uint32_t)field_get(PMON_UNIT_STATUS, e->word[0]);
    e->access = (uint32_t)field_get(PMON_DISCOVERY_ACCESS, e->word[0]);
    e->address = e->word[1];
    e->type = (uint32_t)field_get(PMON_UNIT_TYPE, e->word[2]);
    e->id = (uint32_t)field_get(PMON_UNIT_ID, e->word[2]);
    e->unused = e->word[0] == 0 || e->word[1] == 0;
    return ST_OK;
}

enum status pmon_table_parse(const struct pmon_discovery *discovery, pmon_table_read read, void *context,
                             struct pmon_table *t)
{
    *t = (struct pmon_table){ .status = ST_OK };
    t->status = read_global(read, context, t);
    if (t->status != ST_OK)
        return ST_OK;
    t->entries = heap_alloc(sizeof *t->entries * t->max_units);
    if (t->entries == NULL) {
        t->status = ST_NO_MEMORY;
        return ST_NO_MEMORY;
    }
    for (uint32_t i = 0; i < t->max_units; i++) {
        struct pmon_entry e;

        t->status = read_entry(read, context, t, i, &e);
        if (t->status != ST_OK)
            return ST_OK;
        if (e.word[0] == 0 && e.word[1] == 0) {
            t->n_empty++;
            continue;
        }
        pmon_discovery_judge(discovery, t, &e);
        t->entries[t->n_entries++] = e;
    }
    return ST_OK;
}

void pmon_table_free(struct pmon_table *t)
{
    heap_free(t->entries);
    t->entries = NULL;
    t->n_entries = 0;
}

/* --- boxes -------------------------------------------------------------------------------------------------------- */

void pmon_entry_unit(const struct pmon_discovery *discovery, const struct pmon_entry *e, struct pmon_made_unit *made)
{
    static const enum pmon_access access[] = {
        [PMON_TABLE_MSR] = PMON_MSR, [PMON_TABLE_MMIO] = PMON_MMIO, [PMON_TABLE_PCI] = PMON_PCI
    };
    const struct pmon_type *number = pmon_type_of(discovery, e->type);
    bool in_function = e->access == PMON_TABLE_PCI && field_get(PMON_UNIT_FUNCTION, e->address) != 0;
    const struct pmon_type *type = number->in_functions && in_function ? number->in_functions : number;
    uint32_t base = e->access == PMON_TABLE_PCI ? (uint32_t)field_get(PMON_UNIT_OFFSET, e->address) : 0;
    uint32_t step = pmon_discovery_ctl_step(type, e), bytes = e->access == PMON_TABLE_MSR ? 8 : step;

    *made = (struct pmon_made_unit){ .type = type,
                                     .unit = type->unit,
                                     .layout = { .access = access[e->access],
                                                 .counters = e->counters,
                                                 .counter_bits = e->width,
                                                 .ctl = base + e->ctl,
                                                 .ctl_step = step,
                                                 .ctl_bytes = bytes,
                                                 .ctr = base + e->ctr,
                                                 .ctr_step = pmon_discovery_ctr_step(e),
                                                 .control = bytes == 8     ? type->control
                                                            : type->narrow ? type->narrow
                                                                           : discovery->narrow,
                                                 .box_ctl = base,
                                                 .box = discovery->box,
                                                 .has_status = e->status_offset != 0,
                                                 .status = base + e->status_offset,
                                                 .filter0 = type->filter0 ? base + type->filter0 : 0,
                                                 .tid = type->tid,
                                                 .free_clock = type->free_clock } };
    made->unit.layout = &made->layout;
    made->unit.location.find = PMON_FIND_DISCOVERY;
    if (e->access == PMON_TABLE_MMIO && type->fixed) {
        made->layout.fixed = *type->fixed;
        made->layout.status_bit = type->status_bit;
    }
}

void pmon_entry_box(const struct pmon_entry *e, const struct pmon_unit *unit, struct pmon_box *box)
{
    *box = (struct pmon_box){ .unit = unit, .base = e->access == PMON_TABLE_PCI ? 0 : e->address };
    if (e->access == PMON_TABLE_PCI)
        box->at = (struct pci_address){ .segment = (uint16_t)field_get(PMON_UNIT_SEGMENT, e->address),
                                        .bus = (uint8_t)field_get(PMON_UNIT_BUS, e->address),
                                        .device = (uint8_t)field_get(PMON_UNIT_DEVICE, e->address),
                                        .function = (uint8_t)field_get(PMON_UNIT_FUNCTION, e->address) };
}
