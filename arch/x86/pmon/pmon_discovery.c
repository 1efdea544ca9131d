/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/pmon/pmon_discovery.h"

#include "arch/x86/pmon/pmon_layouts.h"
#include "arch/x86/pmon/pmon_spr.h"
#include "core/base/heap.h"

enum { ACCESS_MSR, ACCESS_MMIO, ACCESS_PCI };

#define TYPE_CHA   0u
#define TYPE_IMC   6u
#define TYPE_CXLCM 12u
#define TYPE_CXLDP 13u
#define TYPE_B2CXL 17u
#define PAGE       UINT64_C(0x1000)
#define LAST_MSR   UINT64_C(0xFFFF) /* Intel's uncore MSRs are 16-bit numbers */
#define PHYSICAL   (UINT64_C(1) << 52)

/* --- rules -------------------------------------------------------------------------------------------------------- */

/* Bytes (MSRs: registers) from one control to the next. CXL units have 64-bit controls. */
static uint32_t pmon_discovery_ctl_step(const struct pmon_entry *e)
{
    bool wide = e->type == TYPE_CXLCM || e->type == TYPE_CXLDP || e->type == TYPE_B2CXL;

    return e->access == ACCESS_MSR ? 1 : e->access == ACCESS_MMIO && !wide ? 4 : 8;
}

static uint32_t pmon_discovery_ctr_step(const struct pmon_entry *e)
{
    return e->access == ACCESS_MSR ? 1 : 8;
}

static bool pmon_discovery_overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

/* intel/pcm types.h: how the boxes of each type are reached, as far as that is documented. */
#define ANY_ACCESS 3
static const uint8_t access_of_type[] = { ACCESS_MSR, ACCESS_MSR,  ACCESS_MSR, ACCESS_MSR, ACCESS_MSR,
                                          ANY_ACCESS, ACCESS_MMIO, ACCESS_PCI, ACCESS_PCI, ACCESS_PCI };

/* NULL, or why no box can be made of it. */
static const char *pmon_discovery_unusable(const struct pmon_entry *e)
{
    uint32_t controls = e->counters * pmon_discovery_ctl_step(e), counts = e->counters * pmon_discovery_ctr_step(e);
    uint32_t first = e->access == ACCESS_MSR ? 1 : 4;

    if (e->word[0] == UINT64_MAX || e->word[1] == UINT64_MAX || e->word[2] == UINT64_MAX)
        return "a word of it reads all ones";
    if (e->word[0] == 0)
        return "it has an address and describes no counter";
    if (e->address == 0)
        return "its unit control has the address 0";
    if (e->access > ACCESS_PCI)
        return "its access type is 3";
    if (e->type < sizeof access_of_type && access_of_type[e->type] != ANY_ACCESS &&
        e->access != access_of_type[e->type])
        return "its access type is not that of its box type";
    if (e->counters == 0 || e->counters > PMON_MOST_COUNTERS)
        return "its number of counters is not 1 to 8";
    if (e->width != 36 && e->width != 44 && e->width != 48)
        return "its counter width is none of 36, 44, 48";
    if (pmon_discovery_overlap(0, first, e->ctl, controls) || pmon_discovery_overlap(0, first, e->ctr, counts))
        return "its counters lie over its unit control";
    if (pmon_discovery_overlap(e->ctl, controls, e->ctr, counts))
        return "its controls lie over its counters";
    if (e->access == ACCESS_MSR && e->address + e->ctl + controls > LAST_MSR)
        return "its address is no MSR number";
    if (e->access == ACCESS_MMIO && (e->address % 4 || e->address >= PHYSICAL))
        return "its address is no physical address";
    if (e->access == ACCESS_PCI && e->address >> 31)
        return "its address is no PCI address";
    if (e->access == ACCESS_PCI && field_get(PMON_UNIT_OFFSET, e->address) + e->ctl + controls > PAGE)
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

static void pmon_discovery_judge(struct pmon_table *t, struct pmon_entry *e)
{
    e->defect = pmon_discovery_unusable(e);
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

static enum status pmon_discovery_read_global(pmon_table_read read, void *context, struct pmon_table *t)
{
    uint64_t word[3] = { 0 };
    enum status st = ST_OK;

    for (uint32_t i = 0; i < 3 && st == ST_OK; i++)
        st = read(context, i * 8u, &word[i]);
    if (st != ST_OK)
        return st;
    t->type = (uint32_t)field_get(PMON_DISCOVERY_TYPE, word[0]);
    t->stride = (uint32_t)field_get(PMON_DISCOVERY_STRIDE, word[0]);
    t->max_units = (uint32_t)field_get(PMON_DISCOVERY_MAX_UNITS, word[0]);
    t->access = (uint32_t)field_get(PMON_DISCOVERY_ACCESS, word[0]);
    t->global = word[1];
    t->status_offset = (uint32_t)field_get(PMON_DISCOVERY_STATUS, word[2]);
    t->n_status = (uint32_t)field_get(PMON_DISCOVERY_N_STATUS, word[2]);
    if (word[0] == UINT64_MAX || word[1] == UINT64_MAX)
        t->defect = "the table reads all ones";
    else if (word[0] == 0)
        t->defect = "the table is empty";
    else if (t->stride < 3)
        t->defect = "its stride is shorter than an entry";
    else if (t->max_units == 0)
        t->defect = "it has room for no unit";
    else if (t->access > ACCESS_PCI)
        t->defect = "its access type is 3";
    return t->defect ? ST_CORRUPT : ST_OK;
}

static enum status pmon_discovery_read_entry(pmon_table_read read, void *context, const struct pmon_table *t,
                                             uint32_t index, struct pmon_entry *e)
{
    uint64_t at = ((uint64_t)index + 1) * t->stride * 8;
    enum status st = ST_OK;

    *e = (struct pmon_entry){ .index = index };
    for (uint32_t i = 0; i < 3 && st == ST_OK; i++)
        st = read(context, at + i * 8u, &e->word[i]);
    if (st != ST_OK)
        return st;
    e->counters = (uint32_t)field_get(PMON_UNIT_COUNTERS, e->word[0]);
    e->ctl = (uint32_t)field_get(PMON_UNIT_CTL, e->word[0]);
    e->width = (uint32_t)field_get(PMON_UNIT_WIDTH, e->word[0]);
    e->ctr = (uint32_t)field_get(PMON_UNIT_CTR, e->word[0]);
    e->status_offset = (uint32_t)field_get(PMON_UNIT_STATUS, e->word[0]);
    e->access = (uint32_t)field_get(PMON_DISCOVERY_ACCESS, e->word[0]);
    e->address = e->word[1];
    e->type = (uint32_t)field_get(PMON_UNIT_TYPE, e->word[2]);
    e->id = (uint32_t)field_get(PMON_UNIT_ID, e->word[2]);
    return ST_OK;
}

enum status pmon_table_parse(pmon_table_read read, void *context, struct pmon_table *t)
{
    *t = (struct pmon_table){ .status = ST_OK };
    t->status = pmon_discovery_read_global(read, context, t);
    if (t->status != ST_OK)
        return ST_OK;
    t->entries = heap_alloc(sizeof *t->entries * t->max_units);
    if (t->entries == NULL) {
        t->status = ST_NO_MEMORY;
        return ST_NO_MEMORY;
    }
    for (uint32_t i = 0; i < t->max_units; i++) {
        struct pmon_entry e;

        t->status = pmon_discovery_read_entry(read, context, t, i, &e);
        if (t->status != ST_OK)
            return ST_OK;
        if (e.word[0] == 0 && e.word[1] == 0) {
            t->n_empty++;
            continue;
        }
        pmon_discovery_judge(t, &e);
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

void pmon_entry_unit(const struct pmon_part *part, const struct pmon_entry *e, struct pmon_unit *unit)
{
    uint32_t base = e->access == ACCESS_PCI ? (uint32_t)field_get(PMON_UNIT_OFFSET, e->address) : 0;

    *unit = *pmon_spr_type(part, e->type);
    unit->access = e->access == ACCESS_MSR ? PMON_MSR : e->access == ACCESS_PCI ? PMON_PCI : PMON_MMIO;
    unit->counters = e->counters;
    unit->counter_bits = e->width;
    unit->box_ctl = base;
    unit->ctl = base + e->ctl;
    unit->ctl_step = pmon_discovery_ctl_step(e);
    unit->ctl_bytes = e->access == ACCESS_MSR ? 8 : pmon_discovery_ctl_step(e);
    unit->ctr = base + e->ctr;
    unit->ctr_step = pmon_discovery_ctr_step(e);
    unit->has_status = e->status_offset != 0;
    unit->status = base + e->status_offset;
    unit->control = unit->ctl_bytes != 8  ? &pmon_control_spr_narrow
                    : e->type == TYPE_CHA ? &pmon_control_spr
                                          : &pmon_control_spr_wide;
    unit->box = &pmon_box_new;
    unit->find = PMON_FIND_DISCOVERY;
    if (e->access == ACCESS_MMIO && e->type == TYPE_IMC) { /* not in the table: where Ice Lake has it */
        unit->fixed_ctl = 0x54;
        unit->fixed_ctr = 0x38;
        unit->fixed_bits = 48;
        unit->fixed_en = BIT(22);
        unit->status_bit = 1; /* the fixed counter's is bit 0 */
    }
}

void pmon_entry_box(const struct pmon_entry *e, const struct pmon_unit *unit, struct pmon_box *box)
{
    *box = (struct pmon_box){ .unit = unit, .base = e->access == ACCESS_PCI ? 0 : e->address };
    if (e->access == ACCESS_PCI)
        box->at = (struct pci_address){ .segment = (uint16_t)field_get(PMON_UNIT_SEGMENT, e->address),
                                        .bus = (uint8_t)field_get(PMON_UNIT_BUS, e->address),
                                        .device = (uint8_t)field_get(PMON_UNIT_DEVICE, e->address),
                                        .function = (uint8_t)field_get(PMON_UNIT_FUNCTION, e->address) };
}
