/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Boxes that discovery tables list. Linux uncore_discovery.c: every function with the PMON capability has a table; a
 * socket has a device for it, and if that has no such capability, any Intel device may have it (Linux asks the first
 * device alone). On some parts an MSR of each die has the address of another. */
#include "core/base/bits.h"
#include "core/boxes/buses.h"
#include "core/boxes/dvsec.h"
#include "core/boxes/finders.h"
#include "core/base/heap.h"

#define PHYSICAL (UINT64_C(1) << 52)

struct reader {
    struct platform *platform;
    uint64_t base;
};

static enum status read_qword(void *context, uint64_t offset, uint64_t *qword)
{
    struct reader *r = context;

    return mmio_read(r->platform, r->base + offset, 8, qword);
}

static bool boxes_same_unit(const struct pmon_made_unit *a, const struct pmon_made_unit *b)
{
    const struct pmon_layout *x = &a->layout, *y = &b->layout;

    return a->type == b->type && x->access == y->access && x->counters == y->counters &&
           x->counter_bits == y->counter_bits && x->box_ctl == y->box_ctl && x->ctl == y->ctl && x->ctr == y->ctr &&
           x->status == y->status && x->control == y->control;
}

/* The unit of an entry; units of one layout are one. NULL: no room. */
static const struct pmon_unit *boxes_entry_unit(struct box_search *s, const struct pmon_entry *e)
{
    struct pmon *pmon = s->pmon;
    struct pmon_made_unit *made = heap_alloc(sizeof *made);

    if (made == NULL) {
        s->status = ST_NO_MEMORY;
        return NULL;
    }
    pmon_entry_unit(pmon->part->discovery, e, made);
    for (uint32_t i = 0; i < pmon->n_made; i++)
        if (boxes_same_unit(pmon->made[i], made)) {
            heap_free(made);
            return &pmon->made[i]->unit;
        }
    if (pmon->n_made == sizeof pmon->made / sizeof pmon->made[0]) {
        heap_free(made);
        return NULL;
    }
    pmon->made[pmon->n_made++] = made;
    return &made->unit;
}

/* An entry whose address is in working memory must not be used: writing its registers would overwrite memory. */
static bool boxes_in_memory(const struct machine *m, struct pmon_entry *e)
{
    if (e->access == PMON_TABLE_MMIO && machine_is_memory(m, e->address)) {
        e->defect = "its address is in memory";
        e->fatal = true;
    }
    return e->fatal;
}

/* A table of each die has the same MSR numbers: which of them a processor reaches is its own die's. */
static bool other_die(const struct pmon *pmon, const struct pmon_box *box)
{
    for (uint32_t i = 0; i < pmon->n_boxes && box->unit->layout->access == PMON_MSR; i++)
        if (pmon->boxes[i].package == box->package && pmon->boxes[i].die != box->die &&
            pmon->boxes[i].base == box->base && pmon->boxes[i].unit->layout->access == PMON_MSR)
            return true;
    return false;
}

/* Registers of a box that was found already, of the part's own tables or by another entry: two boxes would be programmed
 * against each other. */
static bool is_found(const struct pmon *pmon, const struct pmon_box *box)
{
    const struct pmon_layout *layout = box->unit->layout;

    EACH(const struct pmon_box, other, pmon->boxes, pmon->n_boxes)
        if (other->unit->layout->access == layout->access && other->unit->layout->box && box_is_there(other) &&
            (layout->access != PMON_MSR || (other->package == box->package && other->die == box->die)) &&
            pmon_address(other, pmon_box_ctl(other->unit)) == pmon_address(box, pmon_box_ctl(box->unit)))
            return true;
    return false;
}

bool boxes_entry_is_slice(const struct pmon *pmon, const struct pmon_entry *e)
{
    return pmon_type_of(pmon->part->discovery, e->type)->unit.kind == PMON_CHA && !e->fatal;
}

/* Of a slice beyond those that the package's register counts: Linux takes as many, the first by their ids, which may have
 * gaps (spr_uncore_cpu_init()). Entries that no box can be made of it has dropped by then (uncore_insert_box_info()). */
static bool is_phantom(const struct pmon *pmon, const struct pmon_found_table *t, const struct pmon_entry *e)
{
    uint32_t n = pmon->packages[t->package].slices_most, before = 0;

    if (n == NO_COUNT || !boxes_entry_is_slice(pmon, e))
        return false;
    EACH(const struct pmon_entry, other, t->table.entries, t->table.n_entries)
        before += other->id < e->id && boxes_entry_is_slice(pmon, other);
    return before >= n;
}

static void add_entries(struct box_search *s, const struct pmon_found_table *t, uint32_t die)
{
    EACH(struct pmon_entry, e, t->table.entries, t->table.n_entries) {
        const struct pmon_type *type = pmon_type_of(s->pmon->part->discovery, e->type);
        const struct pmon_unit *unit;
        struct pmon_box box;

        e->phantom = is_phantom(s->pmon, t, e);
        if (e->fatal || e->phantom || type->instead || type->broken || boxes_in_memory(s->machine, e))
            continue;
        unit = boxes_entry_unit(s, e);
        if (unit == NULL)
            continue;
        pmon_entry_box(e, unit, &box);
        box.package = t->package;
        box.die = die;
        box.number = e->id;
        if (is_found(s->pmon, &box)) {
            e->defect = "its unit control is that of another box";
            e->alias = type == &s->pmon->part->discovery->unknown;
        } else if (other_die(s->pmon, &box))
            box_add_missing(s, unit, box.package, box.number, PMON_OTHER_DIE, box.base);
        else
            box_add(s, box);
    }
}

/* The one at t->address. */
static void read_table(struct box_search *s, struct pmon_found_table *t)
{
    struct reader reader = { .platform = s->platform, .base = t->address };
    enum status st = pmon_table_parse(s->pmon->part->discovery, read_qword, &reader, &t->table);
    uint64_t control = t->table.global;

    if (st != ST_OK)
        s->status = st;
    if (t->table.status == ST_OK && t->table.access == PMON_TABLE_MMIO && control % 4 == 0 && control < PHYSICAL &&
        !machine_is_memory(s->machine, control))
        t->control = control;
}

/* Whether that table was read for a package, NO_PACKAGE: for any. */
static struct pmon_found_table *table_at(const struct pmon *pmon, uint32_t package, uint64_t address)
{
    return FIND(i, pmon->n_tables,
                (package == NO_PACKAGE || pmon->tables[i].package == package) && pmon->tables[i].address == address,
                &pmon->tables[i], NULL);
}

/* NULL: no memory. */
static struct pmon_found_table *next_table(struct box_search *s)
{
    struct pmon *pmon = s->pmon;

    if (HEAP_GROW(&pmon->tables, &pmon->tables_capacity, pmon->n_tables + 1))
        return &pmon->tables[pmon->n_tables++];
    s->status = ST_NO_MEMORY;
    return NULL;
}

static void add_table(struct box_search *s, struct pci_address at, uint32_t package, uint32_t capability)
{
    struct pmon_found_table new = { .at = at, .package = package, .bar_dword = UINT32_MAX }, *t;
    uint32_t index;

    if (pci_read(s->platform, at, capability + PMON_DVSEC_BAR, 4, &new.bar_dword) == ST_OK) {
        index = (uint32_t)field_get(DVSEC_TABLE_BIR, new.bar_dword);
        new.address = dvsec_bar_address(s->platform, at, index, &new.bar_type);
    }
    t = new.address ? table_at(s->pmon, NO_PACKAGE, new.address) : NULL;
    if (t && t->package == package) {
        t->again = true;
        return;
    }
    if (new.address == 0)
        new.table.defect = "its base address register holds no memory address";
    else if (t)
        new.table.defect = "it is the table of another package";
    if (new.table.defect)
        new.table.status = ST_CORRUPT;
    t = next_table(s);
    if (t == NULL)
        return;
    *t = new;
    if (t->table.status != ST_OK)
        return;
    t->decoded_by_us = dvsec_decode(s->platform, s->machine, at, t->address);
    read_table(s, t);
}

static void find_tables_by_pci(struct box_search *s, uint16_t did)
{
    struct pmon *pmon = s->pmon;
    bool generic = false;

    for (uint32_t i = 0; i < pmon->n_functions; i++)
        generic |=
            pmon->functions[i].did == did && dvsec_find(s->platform, pmon->functions[i].at, PMON_DVSEC_IS_PMON, 0) != 0;
    for (uint32_t i = 0; i < pmon->n_functions && s->status == ST_OK; i++) {
        struct pci_address at = pmon->functions[i].at;
        uint32_t capability = 0, package, header;

        if (generic && pmon->functions[i].did != did)
            continue;
        /* Without an MCFG there are the ports alone, which end at 255. */
        pmon->tables_unreachable |= pci_read(s->platform, at, PCI_EXTENDED, 4, &header) == ST_ABSENT;
        while ((capability = dvsec_find(s->platform, at, PMON_DVSEC_IS_PMON, capability)) != 0 &&
               (package = buses_owner(s, at).package) != NO_PACKAGE)
            add_table(s, at, package, capability);
    }
}

/* Processors of one die read one address. Which of them are on one no leaf need say: each is asked. */
static void find_tables_by_msr(struct box_search *s, uint32_t msr)
{
    struct pmon *pmon = s->pmon;

    for (uint32_t cpu = 0; cpu < s->machine->n_cpus && s->status == ST_OK; cpu++) {
        uint32_t package = s->machine->cpus[cpu].package;
        struct pmon_found_table *t;
        uint64_t address = 0;

        if (!cpu_takes_work(s->platform, cpu) || msr_read(s->platform, cpu, msr, &address) != ST_OK || address == 0 ||
            table_at(pmon, package, address))
            continue;
        t = next_table(s);
        if (t == NULL)
            return;
        *t = (struct pmon_found_table){ .package = package, .address = address, .by_msr = true };
        read_table(s, t);
    }
}

/* Tables of one package in their order: of its dies. */
static uint32_t die_of_table(struct pmon *pmon, uint32_t i)
{
    return pmon->part->several_dies ? pmon->packages[pmon->tables[i].package].dies++ : 0;
}

void boxes_find_discovered(struct box_search *s)
{
    struct pmon *pmon = s->pmon;
    const struct pmon_discovery *discovery = pmon->part->discovery;

    find_tables_by_pci(s, discovery->did);
    if (discovery->msr)
        find_tables_by_msr(s, discovery->msr);
    for (uint32_t i = 0; i < pmon->n_tables && s->status == ST_OK; i++)
        if (pmon->tables[i].table.status == ST_OK)
            add_entries(s, &pmon->tables[i], die_of_table(pmon, i));
}
