/* Whether every uncore box is there, holds what is written to it, and is a box of its own. Witness: the tables of the
 * generation, what capability registers and discovery tables say, the other packages. */
#include "core/bits.h"
#include "core/checks/families.h"
#include "core/checks/pmon_lab.h"
#include "core/heap.h"
#include "core/text.h"

#define GUIDE_UNITS   "E5-2600 Uncore Guide 327043-001 chapter 2, tables of the PMON registers of each box"
#define GUIDE_COUNTER "E5-2600 Uncore Guide 327043-001 chapter 2, counter and control registers"

/* --- A1: presence ------------------------------------------------------------------------------------------------- */

static const struct pmon_box *box_of(const struct pmon *pmon, const struct pmon_unit *unit, uint32_t package,
                                     uint32_t number)
{
    for (uint32_t i = 0; i < pmon->n_boxes; i++)
        if (pmon->boxes[i].unit == unit && pmon->boxes[i].package == package && pmon->boxes[i].number == number)
            return &pmon->boxes[i];
    return NULL;
}

static bool is_there(const struct pmon_box *box)
{
    return box && box->why != PMON_ABSENT && box->why != PMON_HIDDEN && box->why != PMON_ALL_ONES &&
           box->why != PMON_NO_BASE;
}

static uint32_t count_there(const struct pmon *pmon, enum pmon_kind kind, uint32_t package)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < pmon->n_boxes; i++)
        n += pmon->boxes[i].unit->kind == kind && pmon->boxes[i].package == package && is_there(&pmon->boxes[i]);
    return n;
}

static void show_box(struct check *c, const struct pmon_box *box)
{
    uint64_t value = 0;
    struct pmon_reg reg = box->unit->box ? pmon_box_ctl(box->unit) : pmon_ctl(box->unit, 0);
    char name[48];

    if (!is_there(box) || pmon_read(c->platform, box, reg, &value) != ST_OK)
        return;
    pmon_box_name(box, name);
    if (box->unit->access == PMON_MSR)
        evidence_msr(c, box->cpu, (uint32_t)pmon_address(box, reg), value, 0);
    else
        evidence_register(c, box->unit->access == PMON_PCI ? "pci" : "mmio", name, pmon_address(box, reg), value);
}

/* A box that is not there though its neighbours are, or that answers in part. */
static void judge_box(struct check *c, const struct pmon_box *box)
{
    const struct pmon *pmon = &c->tools->pmon;
    char name[48], place[48], why[WHY_SIZE];

    pmon_box_name(box, name);
    pmon_box_place(box, place);
    pmon_box_reason(box, why, sizeof why);
    if (box->why == PMON_USABLE)
        return;
    if (box->why == PMON_HALF || box->why == PMON_LOCKED) {
        fail(c, "%s (%s): %s", name, place, why);
        return;
    }
    if (box->why == PMON_NO_BASE) { /* a controller that is switched off has none either */
        warn(c, "%s: %s", name, why);
        return;
    }
    if (box->why == PMON_ALL_ONES) { /* a function with a device id whose registers are gone */
        warn(c, "%s (%s): %s", name, place, why);
        return;
    }
    note(c, "%s: %s", name, why);
    for (uint32_t p = 0; p < c->machine->n_packages && !is_there(box) && box->why != PMON_NO_CPU; p++) {
        const struct pmon_box *other = box_of(pmon, box->unit, p, box->number);

        if (!is_there(other))
            continue;
        if (box->unit->access == PMON_MSR)
            fail(c, "%s: %s, and package %u has it", name, why, p);
        else
            warn(c, "%s: %s, and package %u has it", name, why, p);
        return;
    }
}

/* A function that every part of the generation has, and that is to be seen in no package. */
static void judge_hidden(struct check *c, const struct pmon_box *box)
{
    const struct pmon_unit *u = box->unit;
    char name[48];

    if (box->why != PMON_HIDDEN || u->find != PMON_FIND_PLACES || u->places[box->number].optional)
        return;
    for (uint32_t p = 0; p < c->machine->n_packages; p++)
        if (is_there(box_of(&c->tools->pmon, u, p, box->number)))
            return; /* judge_box() says it */
    pmon_box_name(box, name);
    warn(c, "%s: no package shows it (device id 0x%x): hidden by firmware", name, u->places[box->number].did);
}

/* The UBox is not counted: where it alone answers, the others are kept from us as a whole. */
/* Every UPI link has a box of its own between the mesh and it. */
static void judge_pairs(struct check *c, uint32_t package)
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t links = 0, behind = 0;

    for (uint32_t i = 0; i < pmon->n_boxes; i++) {
        if (pmon->boxes[i].package != package || !is_there(&pmon->boxes[i]))
            continue;
        links += text_equal(pmon->boxes[i].unit->name, "UPI");
        behind += text_equal(pmon->boxes[i].unit->name, "M3UPI");
    }
    if (links != behind)
        warn(c, "package %u shows %u UPI and %u M3UPI, and each link has one of both", package, links, behind);
}

static bool any_there(const struct pmon *pmon)
{
    for (uint32_t i = 0; i < pmon->n_boxes; i++)
        if (pmon->boxes[i].unit->kind != PMON_UBOX && is_there(&pmon->boxes[i]))
            return true;
    return false;
}

/* Haswell's SBo may raise #GP when the bits of its box control are set in one go: Linux sets them one at a time. */
static void judge_init(struct check *c, struct pmon_box *box)
{
    const struct pmon_box_control *f = box->unit->box;
    char name[48];
    enum status st;

    if (!box->unit->slow_init || box->status != ST_OK || !box_alive(c->platform, c->machine, box))
        return;
    st = pmon_write(c->platform, box, pmon_box_ctl(box->unit), f->frz_en | f->rst_ctrl | f->rst_ctrs);
    pmon_box_name(box, name);
    if (st == ST_FAULT)
        warn(c, "%s: its box control raises #GP when all bits are set in one go: Assay sets them one at a time", name);
    else if (st != ST_OK)
        cannot_measure(c, st, box->cpu, name);
}

static bool never_missing(enum pmon_kind kind)
{
    return kind == PMON_UBOX || kind == PMON_CHA || kind == PMON_UNCORE;
}

static void judge_slices(struct check *c, uint32_t package)
{
    const struct pmon_package *said = &c->tools->pmon.packages[package];
    uint32_t n = count_there(&c->tools->pmon, PMON_CHA, package);
    char where[32];

    text_format(where, sizeof where, "package %u", package);
    if (said->slices_2 != NO_COUNT && !measure(c, "slices by MSR 702H", where, said->slices_2, "boxes", n, n))
        warn(c, "package %u: %u slices answer, and by MSR 702H it has %u", package, n, said->slices_2);
    if (said->slices == NO_COUNT)
        return;
    if (!measure(c, "slices that answer", where, n, "boxes", said->slices, said->slices))
        fail(c, "package %u: %u slices answer, and by %s it has %u", package, n, said->slices_by, said->slices);
}

/* A unit that every part of the generation has, and of which no package shows a box. */
static void judge_unit(struct check *c, const struct pmon_unit *unit)
{
    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        uint32_t n = count_there(&c->tools->pmon, unit->kind, p);
        char where[32];

        text_format(where, sizeof where, "package %u", p);
        measure(c, unit->name, where, n, "boxes", -NO_BOUND, NO_BOUND);
        if (n == 0)
            fail(c, "package %u: no %s answers, and this part cannot be without", p, unit->name);
    }
}

/* Boxes of a unit that one package has and another has not, where numbers alone do not show it. */
static void judge_alike(struct check *c, enum pmon_kind kind, const char *name)
{
    uint32_t first = count_there(&c->tools->pmon, kind, 0);

    for (uint32_t p = 1; p < c->machine->n_packages; p++) {
        uint32_t n = count_there(&c->tools->pmon, kind, p);

        if (n != first)
            fail(c, "package 0 has %u %s, package %u has %u", first, name, p, n);
    }
}

static enum verdict check_boxes(struct check *c)
{
    const struct pmon *pmon = &c->tools->pmon;

    if (!any_there(pmon))
        return skip(c, "no uncore box but the UBox answers at all");
    for (uint32_t i = 0; i < pmon->n_boxes; i++) {
        show_box(c, &pmon->boxes[i]);
        judge_box(c, &pmon->boxes[i]);
        judge_hidden(c, &pmon->boxes[i]);
        judge_init(c, &c->tools->pmon.boxes[i]);
    }
    for (uint32_t i = 0; i < pmon->part->n_units; i++)
        if (never_missing(pmon->part->units[i]->kind))
            judge_unit(c, pmon->part->units[i]);
    for (uint32_t p = 0; p < c->machine->n_packages; p++)
        judge_slices(c, p);
    for (uint32_t p = 0; p < c->machine->n_packages; p++)
        judge_pairs(c, p);
    judge_alike(c, PMON_CHA, "slices");
    for (uint32_t i = 0; i < pmon->n_bus_faults; i++)
        warn(c, "%s", pmon->bus_faults[i]);
    if (pmon->packages_guessed)
        note(c, "no register said which package a PCI bus belongs to: they were given out in order");
    measure(c, "uncore boxes listed", "", pmon->n_boxes, "boxes", 1, NO_BOUND);
    return c->verdict;
}

/* --- S2: what firmware left --------------------------------------------------------------------------------------- */

static enum verdict check_left_over(struct check *c)
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t looked = 0;
    char name[48], why[WHY_SIZE];

    for (uint32_t i = 0; i < pmon->n_boxes; i++) {
        const struct pmon_box *box = &pmon->boxes[i];

        if (!is_there(box))
            continue;
        looked++;
        show_box(c, box);
        pmon_box_name(box, name);
        pmon_box_reason(box, why, sizeof why);
        if (box->why == PMON_IN_USE)
            warn(c, "%s: %s", name, why);
        else if (box->unit->box && (box->found & box->unit->box->frz))
            warn(c, "%s: its box control was found at 0x%llx: frozen", name, (unsigned long long)box->found);
    }
    if (looked == 0)
        return skip(c, "no uncore box is there");
    measure(c, "boxes looked at", "", looked, "boxes", 1, NO_BOUND);
    return c->verdict;
}

/* --- A2: storage -------------------------------------------------------------------------------------------------- */

static bool any_unit(const struct pmon_unit *unit)
{
    return unit->kind != PMON_UBOX; /* ubox.width, with no box control to freeze it */
}

static uint64_t pattern(uint32_t n, uint32_t bits)
{
    static const uint64_t patterns[] = { 0, UINT64_C(0x5555555555555555), UINT64_C(0xAAAAAAAAAAAAAAAA), UINT64_MAX };

    return patterns[n % 4] & low_bits(bits);
}

static void try_counters(struct lab *lab, uint32_t n)
{
    for (uint32_t i = 0; i < lab->n; i++)
        for (uint32_t k = 0; k < lab->boxes[i].n; k++)
            lab->boxes[i].preset[k] = pattern(n, lab->boxes[i].bits[k]);
    lab_program(lab);
    lab_fetch(lab);
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];

        for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++)
            if (b->got[k] != b->preset[k]) {
                lab_expect(lab, b, k, "bits lost or added by the counter", (double)(b->got[k] ^ b->preset[k]), "value",
                           0, 0, "it does not read as it was written");
                note(lab->check, "%s counter %u: 0x%llx was written and it reads 0x%llx", b->name, k,
                     (unsigned long long)b->preset[k], (unsigned long long)b->got[k]);
            } else {
                lab->held++;
            }
    }
}

/* Bits that events of the unit ask for beside the usual fields: sources do not agree how far such fields go. */
static uint64_t extra_bits(const struct pmon_unit *unit)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < unit->n_events; i++)
        bits |= unit->events[i].extra;
    return bits;
}

static uint64_t control_pattern(const struct lab_box *b, uint32_t k, uint32_t n)
{
    uint64_t bits =
        lab_index(b, k) == PMON_FIXED ? b->unit->fixed_en : pmon_control_bits(b->unit) | extra_bits(b->unit);

    return pattern(n, 64) & bits;
}

static void try_controls(struct lab *lab, uint32_t n)
{
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];

        for (uint32_t k = 0; k < b->n; k++) {
            struct pmon_reg reg = pmon_ctl(b->unit, lab_index(b, k));

            b->ctl[k] = control_pattern(b, k, n) & low_bits(reg.bytes * 8);
            lab_write(lab, b, reg, b->ctl[k]);
        }
        for (uint32_t k = 0; k < b->n; k++)
            lab_read(lab, b, pmon_ctl(b->unit, lab_index(b, k)));
    }
    lab_do(lab);
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];

        for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++) {
            uint64_t value = lab_value(lab, b, b->n + k) & control_pattern(b, k, 3);

            if (!lab_expect(lab, b, k, "bits lost or added by the control", (double)(value ^ b->ctl[k]), "value", 0, 0,
                            "it does not read as it was written"))
                note(lab->check, "%s control %u: 0x%llx was written and it reads 0x%llx", b->name, k,
                     (unsigned long long)b->ctl[k], (unsigned long long)value);
        }
    }
}

/* A box that keeps nothing at all is locked: it is said once, and the box is left alone from here on. */
static void lock_out(struct lab *lab)
{
    for (uint32_t i = 0; i < lab->n; i++)
        for (uint32_t k = 0; k < lab->boxes[i].n; k++)
            lab->boxes[i].preset[k] = pattern(1, lab->boxes[i].bits[k]);
    lab_program(lab);
    lab_fetch(lab);
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];
        uint32_t kept = 0;

        for (uint32_t k = 0; k < b->n; k++)
            kept += b->got[k] != 0;
        if (b->status != ST_OK || kept > 0)
            continue;
        b->box->status = ST_READ_ONLY;
        b->box->why = PMON_LOCKED;
        b->box->why_address = pmon_address(b->box, pmon_ctr(b->unit, 0));
        fail(lab->check, "%s: none of its counters takes a write: locked, or not there", b->name);
    }
}

static enum verdict check_width(struct check *c)
{
    struct lab lab;

    if (!lab_open(&lab, c, any_unit))
        return c->verdict;
    lab_clear(&lab);
    lab_program(&lab);
    lab_widths(&lab);
    lock_out(&lab);
    for (uint32_t n = 0; n < 4; n++) {
        lab_clear(&lab);
        try_counters(&lab, n);
    }
    lab_clear(&lab);
    lab_program(&lab);
    for (uint32_t n = 4; n-- > 0;) /* ends with 0 */
        try_controls(&lab, n);
    lab_clear(&lab);
    return lab_close(&lab);
}

/* --- A3, S1: every box is one of its own -------------------------------------------------------------------------- */

static uint64_t mark_of(uint32_t box, uint32_t counter)
{
    return UINT64_C(0x100000000) + ((uint64_t)box << 8) + counter + 1;
}

static void judge_marks(struct lab *lab, const char *what, const char *defect, uint32_t first, uint32_t step)
{
    lab_fetch(lab);
    for (uint32_t i = first; i < lab->n; i += step) {
        struct lab_box *b = &lab->boxes[i];

        for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++)
            lab_expect(lab, b, k, what, (double)b->got[k], "value", (double)b->preset[k], (double)b->preset[k], defect);
    }
}

static enum verdict check_own(struct check *c)
{
    struct lab lab;

    if (!lab_open(&lab, c, any_unit))
        return c->verdict;
    lab_clear(&lab);
    for (uint32_t i = 0; i < lab.n; i++)
        for (uint32_t k = 0; k < lab.boxes[i].n; k++)
            lab.boxes[i].preset[k] = mark_of(i, k) & low_bits(lab.boxes[i].bits[k]);
    lab_program(&lab);
    judge_marks(&lab, "its own mark", "it was written a value of its own and, after all others were, reads another", 0,
                1);
    for (uint32_t i = 0; i < lab.n; i += 2)
        if (lab.boxes[i].unit->box && lab.boxes[i].unit->box->rst_ctrs)
            lab_write(&lab, &lab.boxes[i], pmon_box_ctl(lab.boxes[i].unit),
                      pmon_freeze_value(lab.boxes[i].unit) | lab.boxes[i].unit->box->rst_ctrs);
    lab_do(&lab);
    judge_marks(&lab, "its own mark after its neighbours were reset", "a reset of other boxes changed it", 1, 2);
    lab_clear(&lab);
    return lab_close(&lab);
}

/* --- D1, D2: discovery tables ------------------------------------------------------------------------------------- */

/* intel/pcm types.h: where Sapphire Rapids has its units by MSR. */
static uint64_t expected_address(const struct pmon_part *part, const struct pmon_entry *e)
{
    static const struct {
        uint32_t type, base, most;
    } sapphire[] = { { 0, 0x2000, 96 }, { 1, 0x3000, 12 }, { 2, 0x3400, 12 } };

    for (uint32_t i = 0; i < sizeof sapphire / sizeof sapphire[0] && part->n_units > 0; i++)
        if (sapphire[i].type == e->type && e->id < sapphire[i].most)
            return sapphire[i].base + 0x10u * e->id;
    return 0;
}

static bool known_defect(const struct pmon_part *part, const struct pmon_entry *e)
{
    return part->n_units > 0 && (e->type == 8 || e->type == 9);
}

static void judge_entry(struct check *c, const struct pmon_found_table *t, const struct pmon_entry *e)
{
    const struct pmon_part *part = c->tools->pmon.part;
    uint64_t wanted = expected_address(part, e);

    if (e->defect && known_defect(part, e))
        note(c, "package %u entry %u (type %u, id %u): %s: a known defect of this part, fixed functions are used",
             t->package, e->index, e->type, e->id, e->defect);
    else if (e->defect)
        fail(c, "package %u entry %u (type %u, id %u): %s", t->package, e->index, e->type, e->id, e->defect);
    else if (wanted && e->access == 0 && e->address != wanted)
        fail(c, "package %u entry %u (type %u, id %u): its unit control is MSR 0x%llx, documented at 0x%llx",
             t->package, e->index, e->type, e->id, (unsigned long long)e->address, (unsigned long long)wanted);
}

/* Entries of links: as many as there are functions, and at their registers. */
static void judge_links(struct check *c, const struct pmon_found_table *t, uint32_t type, const char *name)
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t shown = 0, listed = 0, wrong = 0;

    for (uint32_t i = 0; i < pmon->n_boxes; i++)
        shown += pmon->boxes[i].package == t->package && is_there(&pmon->boxes[i]) &&
                 text_equal(pmon->boxes[i].unit->name, name);
    for (uint32_t i = 0; i < t->table.n_entries; i++) {
        const struct pmon_entry *e = &t->table.entries[i];
        bool found = false;

        if (e->type != type)
            continue;
        listed++;
        for (uint32_t k = 0; k < pmon->n_boxes; k++) {
            const struct pmon_box *box = &pmon->boxes[k];

            found |= box->package == t->package && is_there(box) && text_equal(box->unit->name, name) &&
                     (pmon_address(box, pmon_box_ctl(box->unit)) & 0xFFFFFFF) == (e->address & 0xFFFFFFF);
        }
        wrong += !found;
    }
    if (listed != shown)
        warn(c, "package %u: the discovery table lists %u %s, %u answer at their fixed functions", t->package, listed,
             name, shown);
    if (wrong)
        warn(c, "package %u: of %u %s in the discovery table %u are not where their functions are", t->package, listed,
             name, wrong);
}

static uint32_t entries_of(const struct pmon_table *t, uint32_t type)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n_entries; i++)
        n += t->entries[i].type == type && !t->entries[i].fatal;
    return n;
}

static void judge_table(struct check *c, const struct pmon_found_table *t)
{
    const struct pmon *pmon = &c->tools->pmon;
    const struct pmon_package *said = &pmon->packages[t->package];
    uint32_t slices = entries_of(&t->table, 0);
    char where[32];

    text_format(where, sizeof where, "package %u", t->package);
    evidence_register(c, "mmio", where, t->address, t->table.global);
    if (t->table.status != ST_OK) {
        fail(c, "package %u: the discovery table at 0x%llx: %s", t->package, (unsigned long long)t->address,
             t->table.defect ? t->table.defect : status_text(t->table.status));
        return;
    }
    for (uint32_t i = 0; i < t->table.n_entries; i++)
        judge_entry(c, t, &t->table.entries[i]);
    measure(c, "units that the table lists", where, t->table.n_entries, "units", 1, NO_BOUND);
    if (t->table.n_entries == 0)
        fail(c, "package %u: the discovery table lists no unit", t->package);
    if (t->bar_dword & ~UINT32_C(7))
        warn(c,
             "package %u: reserved bits of the capability's base address index are set (0x%x): Linux takes no table "
             "of it",
             t->package, t->bar_dword);
    if (pmon->part->n_units > 0) {
        judge_links(c, t, 8, "UPI");
        judge_links(c, t, 9, "M3UPI");
    }
    if (said->slices != NO_COUNT &&
        !measure(c, "slices that the table lists", where, slices, "boxes", said->slices, said->slices))
        fail(c, "package %u: the discovery table lists %u slices, by %s there are %u", t->package, slices,
             said->slices_by, said->slices);
    if (pmon->part->global.msr && t->table.access == 0 && t->table.global != pmon->part->global.msr)
        warn(c, "package %u: the discovery table has the global control at MSR 0x%llx, documented at 0x%x", t->package,
             (unsigned long long)t->table.global, pmon->part->global.msr);
}

/* Sapphire Rapids' memory map function has the controllers' base addresses beside the table. */
#define DID_MEMORY_MAP 0x3251u
static void judge_memory_map(struct check *c, const struct pci_function *fn)
{
    for (uint32_t n = 0; n < 4; n++) {
        uint32_t base = 0, bar = 0;

        if (pci_read(c->platform, fn->at, 0xD0, 4, &base) != ST_OK ||
            pci_read(c->platform, fn->at, 0xD8 + 4 * n, 4, &bar) != ST_OK)
            continue;
        if ((base & BITS(28, 0)) == 0 || (bar & BITS(10, 0)) == 0)
            warn(c, "bus 0x%02x: the memory map has no base address for memory controller %u (0x%x, 0x%x)", fn->at.bus,
                 n, base, bar);
    }
}

static enum verdict check_discovery(struct check *c)
{
    const struct pmon *pmon = &c->tools->pmon;

    if (!pmon->part->discovery)
        return skip(c, "this part has no discovery tables");
    if (!any_there(pmon) && pmon->n_tables == 0)
        return skip(c, "no uncore box but the UBox answers at all");
    if (pmon->n_tables == 0)
        return fail(c, "no function has the capability that leads to a discovery table");
    for (uint32_t i = 0; i < pmon->n_tables; i++)
        judge_table(c, &pmon->tables[i]);
    for (uint32_t i = 0; i < pmon->n_functions && pmon->part->n_units > 0; i++)
        if (pmon->functions[i].did == DID_MEMORY_MAP)
            judge_memory_map(c, &pmon->functions[i]);
    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < pmon->n_tables; i++)
            n += pmon->tables[i].package == p;
        if (n == 0)
            fail(c, "package %u has no discovery table", p);
    }
    for (uint32_t i = 0; i < pmon->n_boxes; i++)
        if (pmon->boxes[i].unit->find == PMON_FIND_DISCOVERY && pmon->boxes[i].why != PMON_USABLE)
            judge_box(c, &pmon->boxes[i]);
    return c->verdict;
}

#define ROW(name, says, source, list, defects, function)                                                               \
    {                                                                                                                  \
        .id = name, .title = says, .spec = source, .rows = list, .catches = defects, .needs = NEED_PMON,               \
        .risk = RISK_MSR, .grade = GRADE_F, .run = function                                                            \
    }

const struct check_row pmon_boxes_checks[] = {
    ROW("pmon.boxes", "Every package has the uncore boxes of its part, and they answer", GUIDE_UNITS, "A1",
        "a missing, hidden or half-decoded box, another number of slices than enumerated", check_boxes),
    { .id = "pmon.left-over",
      .title = "Firmware hands the uncore counters over free and running",
      .spec = GUIDE_UNITS " (values after reset)",
      .rows = "S2",
      .catches = "counters that firmware or a debugger left enabled, boxes left frozen",
      .needs = NEED_PMON,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .run = check_left_over },
    ROW("pmon.discovery", "Discovery tables are consistent and describe the boxes that are there",
        "Linux uncore_discovery.c; intel/pcm uncore_pmu_discovery.cpp (layout of the tables)", "D1 D2 D3 A1",
        "a corrupt or incomplete firmware table", check_discovery),
    ROW("pmon.width", "Counters and controls hold what is written to them, to their documented width", GUIDE_COUNTER,
        "A2", "stuck bits, a wrong width, a locked box", check_width),
    ROW("pmon.own-box", "Every box has registers of its own, which no other box's reset reaches", GUIDE_COUNTER,
        "A3 S1", "boxes that share an address, registers routed to another package", check_own),
};
