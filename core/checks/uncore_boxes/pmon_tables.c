/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Discovery tables, which are firmware output. Witness: the rules of the format, capability registers, the functions
 * and registers that they point to. */
#include "core/base/bits.h"
#include "arch/x86/pmon_parts/pmon_parts.h"
#include "core/boxes/dvsec.h"
#include "core/uncore/pmon_session.h"
#include "core/checks/uncore_boxes/hidden_tables.h"
#include "core/checks/uncore_boxes/pmon_presence.h"
#include "core/base/text.h"

/* --- D1, D2: discovery tables ------------------------------------------------------------------------------------- */

/* Of a type that no document has: Linux takes any width and number of counters from its entries (generic_uncore_init()). */
static bool may_be_otherwise(const struct pmon_type *type, const struct pmon_entry *e)
{
    return type->unit.one_source && e->word[0] != UINT64_MAX && e->word[1] != UINT64_MAX && e->word[2] != UINT64_MAX;
}

static void judge_entry(struct check *c, const struct pmon_found_table *t, const struct pmon_entry *e)
{
    const struct pmon_type *type = pmon_type_of(c->tools->pmon.part->discovery, e->type);
    struct place place =
        place_with_detail(place_package(t->package), "entry %u (type %u, id %u)", e->index, e->type, e->id);
    uint64_t wanted = e->id < type->most ? type->first + type->stride * e->id : 0; /* 0: no MSR is documented */

    if (type->broken)
        return;
    if (e->defect && type->instead)
        check_note(c, "package %u, %s: %s: a known defect of this part, fixed PCI functions are used", t->package,
                   place.detail, e->defect);
    else if (e->defect)
        finding(c, e->unused || e->alias || may_be_otherwise(type, e) ? FINDING_UNUSUAL : FINDING_EXPECTED, 0,
                FOUND_TABLE_INVALID, place, "%s%s", e->defect,
                e->unused ? ": Linux takes the entry for an unused one" : "");
    else if (wanted && e->access == PMON_TABLE_MSR && e->address != wanted)
        finding(c, FINDING_EXPECTED, 0, FOUND_ADDRESS_OFF, place, "its unit control is MSR 0x%lx, documented at 0x%lx",
                e->address, wanted);
}

/* How many entries of a type in a package's tables have the register of a box; *all: how many there are. */
static uint32_t entries_met(const struct pmon *pmon, uint32_t package, uint32_t number, const struct pmon_unit *instead,
                            uint32_t *all)
{
    uint32_t met = 0;

    *all = 0;
    for (uint32_t k = 0; k < pmon->n_tables; k++)
        for (uint32_t i = 0; pmon->tables[k].package == package && i < pmon->tables[k].table.n_entries; i++) {
            const struct pmon_entry *e = &pmon->tables[k].table.entries[i];
            bool found = false;

            if (e->type != number)
                continue;
            ++*all;
            EACH(const struct pmon_box, box, pmon->boxes, pmon->n_boxes)
                found |= box->package == package && box_is_there(box) && box->unit == instead &&
                         (pmon_address(box, pmon_box_ctl(box->unit)) & 0xFFFFFFF) == (e->address & 0xFFFFFFF);
            met += found;
        }
    return met;
}

/* Entries of a type that is not used, but a unit of the part's own tables: as many boxes as entries, at their
 * registers. */
static void judge_instead(struct check *c, uint32_t package, uint32_t number, const struct pmon_unit *instead)
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t shown, listed, met = entries_met(pmon, package, number, instead, &listed);

    shown =
        HOW_MANY(i, pmon->n_boxes,
                 pmon->boxes[i].package == package && box_is_there(&pmon->boxes[i]) && pmon->boxes[i].unit == instead);
    if (listed != shown)
        finding(c, FINDING_UNUSUAL, 0, FOUND_BOXES_MISCOUNTED, place_package(package),
                "the discovery tables list %u %s, %u answer at the documented registers", listed, instead->name, shown);
    if (met < listed)
        finding(c, FINDING_UNUSUAL, 0, FOUND_ADDRESS_OFF, place_package(package),
                "of %u %s in the discovery tables %u are not at the documented registers", listed, instead->name,
                listed - met);
}

/* Slices that a package's tables list, and of them those that do not exist. */
static uint32_t slices_listed(const struct pmon *pmon, uint32_t package, uint32_t *phantoms)
{
    uint32_t n = 0;

    *phantoms = 0;
    for (uint32_t k = 0; k < pmon->n_tables; k++)
        for (uint32_t i = 0; pmon->tables[k].package == package && i < pmon->tables[k].table.n_entries; i++) {
            const struct pmon_entry *e = &pmon->tables[k].table.entries[i];

            n += boxes_entry_is_slice(pmon, e);
            *phantoms += e->phantom;
        }
    return n;
}

static enum finding_kind kind_without_table(const struct pmon *pmon)
{
    return tables_may_be_hidden(pmon) ? FINDING_UNUSUAL : FINDING_EXPECTED;
}

/* What all tables of a package say together. */
static void judge_tables_of(struct check *c, uint32_t package)
{
    const struct pmon *pmon = &c->tools->pmon;
    const struct pmon_package *said = &pmon->packages[package];
    const struct pmon_discovery *discovery = pmon->part->discovery;
    uint32_t phantoms, slices = slices_listed(pmon, package, &phantoms), tables = 0;
    struct place place = place_package(package);

    for (uint32_t i = 0; i < pmon->n_tables; i++) {
        tables += pmon->tables[i].package == package;
        if (pmon->tables[i].package == package && pmon->tables[i].table.status != ST_OK)
            return;
    }
    if (tables == 0) {
        finding(c, kind_without_table(pmon), 0, FOUND_TABLE_MISSING_HERE, place, "no discovery table%s",
                tables_may_be_hidden(pmon) ? ": firmware hides the function that leads to it" : "");
        return;
    }
    for (uint32_t i = 0; i < discovery->n_types; i++)
        if (discovery->types[i].instead)
            judge_instead(c, package, i, discovery->types[i].instead);
    if (phantoms > 0)
        finding(c, FINDING_UNUSUAL, 0, FOUND_BOXES_MISCOUNTED, place,
                "the discovery tables list %u slices, %s says %u: a known defect of firmware, the %u with the highest "
                "ids are left out",
                slices, said->slices_by, said->slices, phantoms);
    else if (said->slices != NO_COUNT &&
             !check_measure(c, "slices that the table lists", place, slices, "boxes", said->slices, said->slices))
        finding(c, tables_lack_die(pmon, package) ? FINDING_UNUSUAL : FINDING_EXPECTED, 0, FOUND_BOXES_MISCOUNTED,
                place, "the discovery tables list %u slices, %s says %u%s", slices, said->slices_by, said->slices,
                tables_lack_die(pmon, package) ? ": firmware may hide the table of a die" : "");
}

static void judge_table(struct check *c, const struct pmon_found_table *t)
{
    const struct pmon *pmon = &c->tools->pmon;
    struct place place = place_package(t->package);
    bool none = t->address == 0 || (t->table.stride > 0 && t->table.max_units == 0);
    char where[32];

    text_format(where, sizeof where, "package %u", t->package);
    evidence_register(c, "mmio", where, t->address, t->table.global);
    if (t->decoded_by_us)
        finding(
            c, FINDING_UNUSUAL, 0, FOUND_NOT_DECODED, place,
            "memory space enable of %04x:%02x:%02x.%u (command register, bit 1) was 0 at handoff, and is set during "
            "the run: Linux' uncore driver does not set it, and finds no table",
            t->at.segment, t->at.bus, t->at.device, t->at.function);
    if (t->table.status != ST_OK) {
        finding(c, t->address ? FINDING_EXPECTED : FINDING_UNUSUAL, 0, none ? FOUND_TABLE_MISSING : FOUND_TABLE_INVALID,
                place, "discovery table at 0x%lx: %s", t->address,
                t->table.defect ? t->table.defect : status_text(t->table.status));
        return;
    }
    for (uint32_t i = 0; i < t->table.n_entries; i++)
        judge_entry(c, t, &t->table.entries[i]);
    check_measure(c, "units that the table lists", place, t->table.n_entries, "units", 1, NO_BOUND);
    if (t->table.n_entries == 0)
        finding(c, FINDING_EXPECTED, 0, FOUND_TABLE_INVALID, place, "the discovery table lists no unit");
    if (t->bar_dword & ~UINT32_C(7))
        finding(c, FINDING_UNUSUAL, 0, FOUND_RESERVED_BITS, place,
                "reserved bits of the capability's base address index are set (0x%x): Linux ignores its table",
                t->bar_dword);
    if (t->bar_type & ~(uint32_t)DVSEC_BAR_64)
        finding(c, FINDING_UNUSUAL, 0, FOUND_RESERVED_BITS, place,
                "bits 3:0 of the table's base address register are 0x%x, prefetchable or of a reserved type: Linux "
                "ignores its table",
                t->bar_type);
    if (t->again)
        finding(c, FINDING_UNUSUAL, 0, FOUND_TABLE_INVALID, place,
                "a second PMON capability (the first is that of %04x:%02x:%02x.%u) leads to this table: Linux reads it "
                "twice, as the tables of two dies if firmware gives no node for the bus",
                t->at.segment, t->at.bus, t->at.device, t->at.function);
    if (t->table.global == 0)
        finding(c, FINDING_UNUSUAL, 0, FOUND_ADDRESS_OFF, place,
                "the discovery table has the global control at address 0: Linux refuses such a table");
    else if (t->table.access == PMON_TABLE_MMIO && t->control == 0)
        finding(c, FINDING_UNUSUAL, 0, FOUND_ADDRESS_OFF, place,
                "the discovery table has the global control at 0x%lx, which is no dword of memory-mapped I/O",
                t->table.global);
    else if (pmon->part->global.msr && t->table.access == PMON_TABLE_MSR && t->table.global != pmon->part->global.msr)
        finding(c, FINDING_UNUSUAL, 0, FOUND_ADDRESS_OFF, place,
                "the discovery table has the global control at MSR 0x%lx, documented at 0x%x", t->table.global,
                pmon->part->global.msr);
}

/* The function with the controllers' base addresses, where the part's own tables have it. */
static void judge_memory_map(struct check *c, const struct pmon_memory_map *map, const struct pci_function *fn)
{
    for (uint32_t n = 0; n < map->controllers; n++) {
        uint32_t base = 0, bar = 0;

        if (pci_read(c->platform, fn->at, map->base, 4, &base) != ST_OK ||
            pci_read(c->platform, fn->at, map->bar + 4 * n, 4, &bar) != ST_OK)
            continue;
        if ((base & BITS(28, 0)) == 0 || (bar & BITS(10, 0)) == 0)
            finding(c, FINDING_UNUSUAL, 0, FOUND_NO_BASE_ADDRESS, place_of("bus 0x%02x", fn->at.bus),
                    "the memory map has no base address for memory controller %u (0x%x, 0x%x)", n, base, bar);
    }
}

/* Those that a function leads to: MSRs that lead to others are reached by processors, of which a package may have fewer. */
static uint32_t tables_of(const struct pmon *pmon, uint32_t package)
{
    return HOW_MANY(i, pmon->n_tables, pmon->tables[i].package == package && !pmon->tables[i].by_msr);
}

/* Dies have a table each (Granite Rapids: Linux and intel/pcm read one of each function), and packages of one part as many
 * dies. One without any is judged by itself. */
static void judge_dies(struct check *c)
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t most = 0;

    for (uint32_t p = 0; p < c->machine->n_packages; p++)
        most = tables_of(pmon, p) > most ? tables_of(pmon, p) : most;
    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        uint32_t n = tables_of(pmon, p);

        if (n > 0 && n < most)
            finding(c, FINDING_UNUSUAL, 0, FOUND_TABLE_MISSING_HERE, place_package(p),
                    "%u discovery tables, and another package has %u: a die without a table has no uncore boxes", n,
                    most);
    }
}

/* Where all other boxes come from the tables, the UBox is the only one that is found without them. */
static bool ubox_answers(const struct pmon *pmon)
{
    return pmon->part->several_dies && pmon->n_uboxes && box_is_there(&pmon->boxes[0]);
}

static uint32_t units_listed(const struct pmon *pmon, uint32_t package, uint32_t type)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < pmon->n_tables; k++)
        for (uint32_t i = 0; pmon->tables[k].package == package && i < pmon->tables[k].table.n_entries; i++)
            n += pmon->tables[k].table.entries[i].type == type;
    return n;
}

#define TYPES 256u /* documented numbers end at 52 */

/* Units of a type that packages have unlike numbers of. Linux takes some, as CXL's, for such as some dies alone may have
 * (commit c74443d92f68), and firmware may turn I/O stacks and links off: no defect, and not what a lab expects of two equal
 * packages. Slices are judged. */
static void note_unlike(struct check *c, uint32_t package)
{
    const struct pmon *pmon = &c->tools->pmon;

    for (uint32_t type = 0; type < TYPES; type++) {
        const struct pmon_type *known = pmon_type_of(pmon->part->discovery, type);
        uint32_t here = units_listed(pmon, package, type), first = units_listed(pmon, 0, type);

        if (here != first && known->unit.kind != PMON_CHA)
            check_note(c, "package %u: the discovery tables list %u units of type %u (%s), those of package 0 list %u",
                       package, here, type, known->unit.name, first);
    }
}

/* Of a part that has tables of both kinds: those of MSRs are there, and none that a function leads to. */
static void judge_functions(struct check *c)
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t by_function = HOW_MANY(i, pmon->n_tables, !pmon->tables[i].by_msr);

    if (!pmon->part->discovery->msr_beside || by_function > 0)
        return;
    if (pmon->tables_unreachable)
        check_note(c,
                   "discovery tables that functions lead to need extended PCI configuration space (100H and up), and "
                   "ACPI's MCFG has no window to it");
    else
        finding(c, FINDING_UNUSUAL, 0, FOUND_TABLE_MISSING, PLACE_NONE,
                "no PCI function has the capability that leads to a discovery table; MSR 0x%x leads to %u",
                pmon->part->discovery->msr, pmon->n_tables);
}

static uint32_t boxes_of(const struct pmon *pmon, const struct pmon_unit *unit)
{
    return HOW_MANY(i, pmon->n_boxes, pmon->boxes[i].unit == unit);
}

/* Do more boxes of its type have another layout? Of as many the first that was made is right. */
static bool has_odd_layout(const struct pmon *pmon, uint32_t made)
{
    const struct pmon_made_unit *m = pmon->made[made];
    uint32_t its = boxes_of(pmon, &m->unit);

    return m->type != &pmon->part->discovery->unknown &&
           ANY_OF(i, pmon->n_made,
                  i != made && pmon->made[i]->type == m->type &&
                      boxes_of(pmon, &pmon->made[i]->unit) + (i < made) > its);
}

/* Linux takes counters, width and offsets of a type's first unit for all of them (uncore_insert_box_info()). */
static void judge_layouts(struct check *c)
{
    const struct pmon *pmon = &c->tools->pmon;

    for (uint32_t i = 0; i < pmon->n_made; i++) {
        if (!has_odd_layout(pmon, i))
            continue;
        for (uint32_t k = 0; k < pmon->n_boxes; k++)
            if (pmon->boxes[k].unit == &pmon->made[i]->unit)
                finding(c, FINDING_UNUSUAL, 0, FOUND_TABLE_INVALID, pmon_place(&pmon->boxes[k]),
                        "its counters, their width or offsets of its registers are not those that the tables give most "
                        "units of its type: Linux takes those of the first for all");
    }
}

static enum status check_discovery(struct check *c)
{
    const struct pmon *pmon = &c->tools->pmon;
    const struct pmon_memory_map *map = pmon_memory_map_of(pmon->part);

    if (!pmon->part->discovery)
        return check_absent(c, "this part has no discovery tables");
    if (!boxes_answer(pmon) && !ubox_answers(pmon) && pmon->n_tables == 0)
        return check_absent(c, "no uncore box but the UBox answers at all");
    if (pmon->n_tables == 0 && pmon->tables_unreachable)
        return check_absent(
            c, "discovery tables need extended PCI configuration space (100H and up), and ACPI's MCFG has no "
               "window to it");
    if (pmon->n_tables == 0) {
        finding(c, kind_without_table(pmon), 0, FOUND_TABLE_MISSING, PLACE_NONE,
                "no PCI function has the capability that leads to a discovery table");
        return ST_OK;
    }
    judge_functions(c);
    for (uint32_t i = 0; i < pmon->n_tables; i++)
        judge_table(c, &pmon->tables[i]);
    for (uint32_t i = 0; i < pmon->n_functions && map; i++)
        if (pmon->functions[i].did == map->did)
            judge_memory_map(c, map, &pmon->functions[i]);
    for (uint32_t p = 0; p < c->machine->n_packages; p++)
        judge_tables_of(c, p);
    judge_dies(c);
    judge_layouts(c);
    for (uint32_t p = 1; p < c->machine->n_packages; p++)
        note_unlike(c, p);
    for (uint32_t i = 0; i < pmon->n_boxes; i++)
        if (pmon->boxes[i].unit->location.find == PMON_FIND_DISCOVERY && pmon->boxes[i].why != PMON_USABLE)
            presence_judge(c, &pmon->boxes[i]);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "pmon.discovery",
      .title = "Discovery tables are consistent and list the boxes that are present",
      .spec = "Linux uncore_discovery.c; intel/pcm uncore_pmu_discovery.cpp (layout of the tables)",
      .covers = "D1 D2 D3 A1",
      .detects = "a corrupt or incomplete firmware table",
      .means = "firmware's discovery table is wrong: drivers that use it program the wrong registers",
      .next = "the entry in the finding; a firmware update",
      .run = check_discovery },
};
CHECK_FAMILY(pmon_tables, rows, .needs = NEED_PMON, .risk = RISK_MSR, .rests_on = RESTS_ON_UNCORE, .no_monitor = true,
             .order = 915);
