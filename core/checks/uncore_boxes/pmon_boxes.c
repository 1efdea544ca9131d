/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Whether every uncore box is there, holds what is written to it, and is a box of its own. Witness: the tables of the
 * generation, what capability registers and discovery tables say, the other packages. */
#include "core/base/bits.h"
#include "arch/x86/pmon_parts/pmon_parts.h"
#include "core/boxes/dies.h"
#include "core/uncore/pmon_session.h"
#include "core/checks/uncore_boxes/channel_modules.h"
#include "core/checks/uncore_boxes/hidden_tables.h"
#include "core/checks/uncore_boxes/pmon_presence.h"
#include "core/base/text.h"

#define GUIDE_UNITS "E5-2600 Uncore Guide 327043-001 chapter 2, tables of the PMON registers of each box"

#define SLICES_BY_MSR BITS(5, 0) /* of capabilities.slices_msr_2 */

/* --- A1: presence ------------------------------------------------------------------------------------------------- */

static const struct pmon_box *box_of(const struct pmon *pmon, const struct pmon_unit *unit, uint32_t package,
                                     uint32_t number)
{
    return FIND(i, pmon->n_boxes,
                pmon->boxes[i].unit == unit && pmon->boxes[i].package == package && pmon->boxes[i].number == number,
                &pmon->boxes[i], NULL);
}

static uint32_t count_there(const struct pmon *pmon, enum pmon_kind kind, uint32_t package)
{
    return HOW_MANY(i, pmon->n_boxes,
                    pmon->boxes[i].unit->kind == kind && pmon->boxes[i].package == package &&
                        box_is_there(&pmon->boxes[i]));
}

static void show_box(struct check *c, const struct pmon_box *box)
{
    uint64_t value = 0;
    struct pmon_reg reg = box->unit->layout->box      ? pmon_box_ctl(box->unit)
                          : box->unit->layout->n_free ? pmon_ctr(box->unit, 0)
                                                      : pmon_ctl(box->unit, 0);
    char name[48];

    if (!box_is_there(box) || pmon_read(c->platform, box, reg, &value) != ST_OK)
        return;
    pmon_box_name(box, name);
    if (box->unit->layout->access == PMON_MSR)
        evidence_msr(c, box->cpu, (uint32_t)pmon_address(box, reg), value, 0);
    else
        evidence_register(c, box->unit->layout->access == PMON_PCI ? "pci" : "mmio", name, pmon_address(box, reg),
                          value);
}

/* Of a memory controller that smaller parts do not have. */
static bool may_have_no_base(const struct pmon_box *box)
{
    const struct pmon_location *at = &box->unit->location;

    return at->memory && at->memory->fewer && box->number >= (at->of_controller ? 1 : at->memory->channels);
}

/* Channels of the machine's modules that are there, and those whose registers read all ones. Returns how many there are of
 * both. */
static uint32_t channels_listed(const struct pmon *pmon, uint32_t *answering)
{
    uint32_t n = 0;

    *answering = 0;
    EACH(const struct pmon_box, box, pmon->boxes, pmon->n_boxes) {
        if (box->unit->kind != PMON_IMC || box->unit->in_package)
            continue;
        *answering += box_is_there(box);
        n += box_is_there(box) || box->why == PMON_ALL_ONES;
    }
    return n;
}

/* Channels of the box's memory controller that are listed; *ones: do the registers of all of them read all ones? */
static uint32_t controller_listed(const struct pmon *pmon, const struct pmon_box *box, uint32_t channels, bool *ones)
{
    uint32_t listed = 0;

    *ones = true;
    EACH(const struct pmon_box, other, pmon->boxes, pmon->n_boxes) {
        if (other->unit != box->unit || other->package != box->package ||
            other->number / channels != box->number / channels)
            continue;
        *ones &= other->why == PMON_ALL_ONES;
        listed++;
    }
    return listed;
}

/* From Granite Rapids on each channel has a unit of its number between the mesh and it (B2CMI: intel/pcm), which is listed as
 * well: a channel beside none is an error of the table. */
static bool mesh_lists(const struct pmon *pmon, const struct pmon_box *channel)
{
    return ANY_OF(i, pmon->n_boxes,
                  pmon->boxes[i].unit->kind == PMON_M2M && pmon->boxes[i].package == channel->package &&
                      pmon->boxes[i].number == channel->number);
}

/* Registers of a memory channel that is off read all ones (Linux drivers/edac/i10nm_base.c): of Sapphire and Emerald Rapids, on
 * all channels of a controller that a workstation does not have (i10nm_imc_absent(), commit c545f5e41225); of every part, where
 * firmware turned off a channel that has no module (i10nm_channel_disabled(), commit 2e6fe1bbefd9), which is so only where
 * all of SMBIOS' modules fit on the channels that answer. */
static bool channel_is_off(const struct check *c, const struct pmon_box *box)
{
    const struct pmon *pmon = &c->tools->pmon;
    const struct pmon_memory_map *map = pmon_memory_map_of(pmon->part);
    uint32_t answering, listed = channels_listed(pmon, &answering);
    bool ones = false;

    if (box->unit->kind != PMON_IMC || box->unit->layout->access != PMON_MMIO || box->unit->in_package ||
        count_there(pmon, PMON_IMC, box->package) == 0)
        return false;
    if (map && controller_listed(pmon, box, map->channels, &ones) != map->channels)
        return false; /* a table that lists a part of a controller is wrong */
    if (map && ones && box->unit->location.find == PMON_FIND_DISCOVERY)
        return true;
    return channel_modules_fit(&c->machine->smbios, listed, answering) == MODULES_FIT && (map || mesh_lists(pmon, box));
}

/* Of a box that is absent: another package has it, or every part does. */
static void judge_absent(struct check *c, const struct pmon_box *box, const char *why)
{
    bool registers = box->unit->layout->access == PMON_MSR && box->why != PMON_HIDDEN; /* else a function is hidden */
    enum finding_kind kind = registers ? FINDING_EXPECTED : FINDING_UNUSUAL;

    for (uint32_t p = 0; p < c->machine->n_packages && !box_is_there(box) && box->why != PMON_NO_CPU; p++) {
        if (!box_is_there(box_of(&c->tools->pmon, box->unit, p, box->number)))
            continue;
        finding(c, kind, 0, FOUND_BOX_ABSENT, pmon_place(box), "%s, and package %u has it", why, p);
        return;
    }
    if (box->why == PMON_ABSENT && box->unit->location.find == PMON_FIND_DISCOVERY)
        finding(c, FINDING_UNUSUAL, 0, FOUND_BOX_ABSENT, pmon_place(box), "%s, and a discovery table lists it", why);
    if (box->why == PMON_NO_FEATURE && !c->machine->hypervisor)
        finding(c, FINDING_UNUSUAL, 0, FOUND_BOX_ABSENT, pmon_place(box), "%s, and every part of this family has it",
                why);
    if (box->why == PMON_UNEVEN)
        finding(c, FINDING_UNUSUAL, 0, FOUND_BOX_ABSENT, pmon_place(box), "%s", why);
}

/* A box that other packages have and this one lacks, or that answers in part. */
void presence_judge(struct check *c, const struct pmon_box *box)
{
    char name[48], at[48], why[PMON_TEXT];

    pmon_box_name(box, name);
    pmon_box_address(box, at);
    pmon_box_reason(box, why, sizeof why);
    if (box->why == PMON_USABLE)
        return;
    if (box->unit->one_source) /* it may not be there at all */
        check_note(c, "%s: %s", name, why);
    else if (box->why == PMON_HALF || box->why == PMON_LOCKED)
        finding(c, FINDING_EXPECTED, 0, box->why == PMON_HALF ? FOUND_BOX_HALF : FOUND_BOX_LOCKED, pmon_place(box),
                "%s: %s", at, why);
    else if (box->why == PMON_NO_BASE && !may_have_no_base(box)) /* a controller that is switched off has none either */
        finding(c, FINDING_UNUSUAL, 0, FOUND_NO_BASE_ADDRESS, pmon_place(box), "%s", why);
    else if (box->why == PMON_ALL_ONES && !channel_is_off(c, box)) /* it has a device id */
        finding(c, FINDING_UNUSUAL, 0, FOUND_BOX_ALL_ONES, pmon_place(box), "%s: %s", at, why);
    else if (box->why == PMON_ALL_ONES) /* nor does a package with other modules say anything */
        check_note(c, "%s: %s: a channel without a module may be off", name, why);
    else {
        check_note(c, "%s: %s", name, why);
        judge_absent(c, box, why);
    }
}

/* A function that every board of the generation shows and no package does. */
static void judge_hidden(struct check *c, const struct pmon_box *box)
{
    const struct pmon_unit *u = box->unit;
    char why[PMON_TEXT];

    if (u->location.find != PMON_FIND_PLACES || !pmon_box_missing(box) || box_is_optional(c->machine, box) ||
        box_on_any_package(&c->tools->pmon, box)) /* presence_judge() says it */
        return;
    pmon_box_reason(box, why, sizeof why);
    finding(c, FINDING_UNUSUAL, 0, FOUND_BOX_HIDDEN, pmon_place(box), "no package shows it: %s", why);
}

/* Of a unit some of whose places each part has. */
static void judge_fewest(struct check *c, const struct pmon_unit *unit, uint32_t package)
{
    uint32_t n = 0;

    EACH(const struct pmon_box, box, c->tools->pmon.boxes, c->tools->pmon.n_boxes)
        n += box->unit == unit && box->package == package && !pmon_box_missing(box);
    if (n < unit->location.fewest)
        finding(c, FINDING_UNUSUAL, 0, FOUND_BOX_HIDDEN, place_package(package),
                "%u %s boxes are shown, and every part of this generation has %u at least", n, unit->name,
                unit->location.fewest);
}

static uint32_t count_unreachable(const struct pmon *pmon, uint32_t package)
{
    return HOW_MANY(i, pmon->n_boxes, pmon->boxes[i].package == package && pmon_box_unreachable(&pmon->boxes[i]));
}

static void judge_reach(struct check *c, uint32_t package)
{
    uint32_t n = count_unreachable(&c->tools->pmon, package);

    if (n > 0)
        finding(c, FINDING_UNUSUAL, 0, FOUND_BOX_UNREACHABLE, place_package(package),
                "ACPI's MCFG has no window to the registers of %u boxes, which are beyond offset 0xff", n);
}

static bool has_fused_off(const struct pmon *pmon, uint32_t package)
{
    return ANY_OF(i, pmon->n_boxes, pmon->boxes[i].package == package && pmon->boxes[i].why == PMON_FUSED_OFF);
}

/* Every UPI link has a box of its own between the mesh and it. */
static void judge_pairs(struct check *c, uint32_t package)
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t links = count_there(pmon, PMON_LINK, package), mesh = count_there(pmon, PMON_MESH_LINK, package);

    if (!pmon_part_has(pmon->part, PMON_MESH_LINK))
        return;
    if (count_unreachable(pmon, package))
        return;
    if (links != mesh && (c->machine->n_packages == 1 || has_fused_off(pmon, package)))
        check_note(c, "package %u: %u UPI and %u M3UPI boxes; firmware may hide or turn off links that are not used",
                   package, links, mesh);
    else if (links != mesh)
        finding(c, FINDING_UNUSUAL, 0, FOUND_BOXES_MISCOUNTED, place_package(package),
                "%u UPI and %u M3UPI boxes, and each link has one of both", links, mesh);
}

/* A box control that may raise #GP when its bits are set in one go. */
static void judge_init(struct check *c, struct pmon_box *box)
{
    const struct pmon_box_control *f = box->unit->layout->box;
    char name[48];
    enum status st;

    if (!box->unit->layout->slow_init || box->status != ST_OK || !box_alive(c->platform, c->machine, box))
        return;
    st = pmon_write(c->platform, box, pmon_box_ctl(box->unit), f->frz_en | f->rst_ctrl | f->rst_ctrs);
    pmon_box_name(box, name);
    if (st == ST_FAULT && pmon_write(c->platform, box, pmon_box_ctl(box->unit), 0) == ST_FAULT)
        check_note(c, "%s: its box control raises #GP when it is written", name); /* pmon.width judges that */
    else if (st == ST_FAULT)
        finding(c, FINDING_UNUSUAL, 0, FOUND_LEGAL_REFUSED, pmon_place(box),
                "box control raises #GP when all bits are set in one write: Assay sets them one at a time");
    else if (st != ST_OK)
        check_cannot_measure(c, st, box->cpu, name);
}

static bool never_missing(enum pmon_kind kind)
{
    return kind == PMON_UBOX || kind == PMON_CHA || kind == PMON_UNCORE;
}

static uint32_t slices_of_die(const struct pmon *pmon, uint32_t package, uint32_t die)
{
    return HOW_MANY(i, pmon->n_boxes,
                    pmon->boxes[i].unit->kind == PMON_CHA && pmon->boxes[i].package == package &&
                        pmon->boxes[i].die == die && box_is_there(&pmon->boxes[i]));
}

/* Of a package whose dies have uncore MSRs of their own (Linux uncore_max_dies()): each die's register counts its own
 * slices. What reads 0 says nothing. */
static void judge_slices_of_dies(struct check *c, uint32_t package)
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t msr = pmon->part->capabilities.slices_msr_2;

    for (uint32_t die = 0; msr && die < dies_count(pmon->part, c->machine, package); die++) {
        uint32_t cpu = dies_worker(pmon->part, c->platform, c->machine, package, die);
        uint32_t n = slices_of_die(pmon, package, die), said;
        struct place place = place_with(place_package(package), PLACE_DIE, die);
        uint64_t value = 0;
        char what[48];

        if (cpu == UINT32_MAX || msr_read(c->platform, cpu, msr, &value) != ST_OK || n == 0)
            continue;
        evidence_msr(c, cpu, msr, value, 0);
        said = (uint32_t)field_get(SLICES_BY_MSR, value);
        text_format(what, sizeof what, "slices by MSR %XH", msr);
        if (said != 0 && !check_measure(c, what, place, said, "boxes", n, n))
            finding(c, FINDING_UNUSUAL, 0, FOUND_BOXES_MISCOUNTED, place, "%u slices answer, MSR %XH says %u", n, msr,
                    said);
    }
}

/* Firmware or a hypervisor may keep all MSRs of the monitors from software. */
static bool any_msr_answers(const struct pmon *pmon)
{
    return ANY_OF(i, pmon->n_boxes,
                  pmon->boxes[i].unit->layout->access == PMON_MSR && pmon->boxes[i].unit->layout->n_free == 0 &&
                      box_is_there(&pmon->boxes[i]));
}

/* Tables list the slices of a part whose own ones do not, and none of the package's can be read. */
static bool lacks_tables(const struct pmon *pmon, uint32_t package)
{
    return !ANY_OF(i, pmon->part->n_units, pmon->part->units[i]->kind == PMON_CHA) &&
           !ANY_OF(i, pmon->n_tables, pmon->tables[i].package == package && pmon->tables[i].table.status == ST_OK);
}

static uint32_t slices_known(const struct pmon *pmon, uint32_t package)
{
    return HOW_MANY(i, pmon->n_boxes, pmon->boxes[i].unit->kind == PMON_CHA && pmon->boxes[i].package == package);
}

static void judge_slices(struct check *c, uint32_t package)
{
    const struct pmon_package *said = &c->tools->pmon.packages[package];
    uint32_t n = count_there(&c->tools->pmon, PMON_CHA, package);
    struct place place = place_package(package);
    bool hidden;
    char by[24], what[48];

    text_format(by, sizeof by, "MSR %XH", c->tools->pmon.part->capabilities.slices_msr_2);
    text_format(what, sizeof what, "slices by %s", by);
    if (said->dies > 1) { /* whether CAPID6 counts a die or the package is not documented */
        check_note(c, "package %u: %u dies have uncore boxes of their own; %u slices answer", package, said->dies, n);
        if (dies_count(c->tools->pmon.part, c->machine, package) > 1)
            judge_slices_of_dies(c, package);
        return;
    }
    if (said->slices_2 != NO_COUNT && !check_measure(c, what, place, said->slices_2, "boxes", n, n))
        finding(c, FINDING_UNUSUAL, 0, FOUND_BOXES_MISCOUNTED, place, "%u slices answer, %s says %u", n, by,
                said->slices_2);
    if (said->slices == NO_COUNT)
        return;
    if (n == 0 && (lacks_tables(&c->tools->pmon, package) || !any_msr_answers(&c->tools->pmon))) {
        check_note(c, "package %u: %s says %u slices, none of which is reached: %s", package, said->slices_by,
                   said->slices,
                   any_msr_answers(&c->tools->pmon) ? "discovery tables list them, and none can be read"
                                                    : "no box by MSR answers");
        return;
    }
    hidden = c->tools->pmon.part->discovery && n == slices_known(&c->tools->pmon, package) &&
             tables_lack_die(&c->tools->pmon, package);
    if (!check_measure(c, "slices that answer", place, n, "boxes", said->slices, said->slices))
        finding(c, hidden ? FINDING_UNUSUAL : FINDING_EXPECTED, 0, FOUND_BOXES_MISCOUNTED, place,
                "%u slices answer, %s says %u", n, said->slices_by, said->slices);
}

/* A unit that every part of the generation has. */
static void judge_unit(struct check *c, const struct pmon_unit *unit)
{
    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        uint32_t n = count_there(&c->tools->pmon, unit->kind, p);

        check_show(c, unit->name, place_package(p), n, "boxes");
        if (n == 0 && unit->layout->access == PMON_MSR && !any_msr_answers(&c->tools->pmon))
            finding(c, FINDING_UNUSUAL, 0, FOUND_BOX_ABSENT, place_package(p),
                    "no %s responds, nor any other box by MSR: kept from software", unit->name);
        else if (n == 0)
            finding(c, FINDING_EXPECTED, 0, FOUND_BOX_ABSENT, place_package(p),
                    "no %s responds, and every part of this generation has one", unit->name);
    }
}

/* Boxes of a unit that one package has and another has not, where numbers alone do not show it. */
static void judge_alike(struct check *c, enum pmon_kind kind, const char *name)
{
    uint32_t first = 0;

    while (first < c->machine->n_packages && lacks_tables(&c->tools->pmon, first)) /* pmon.discovery judges that */
        first++;
    for (uint32_t p = first + 1; p < c->machine->n_packages; p++) {
        uint32_t n = count_there(&c->tools->pmon, kind, p), its = count_there(&c->tools->pmon, kind, first);

        if (n != its && !lacks_tables(&c->tools->pmon, p))
            finding(c, FINDING_EXPECTED, 0, FOUND_BOXES_MISCOUNTED, place_package(p), "%u %s, and package %u has %u", n,
                    name, first, its);
    }
}

/* What memory in the package is used as. */
static void show_near_memory(struct check *c, uint32_t package)
{
    const struct pmon_package *said = &c->tools->pmon.packages[package];
    const struct pmon_capabilities *has = &c->tools->pmon.part->capabilities;
    const struct smbios_info *smbios = &c->machine->smbios;
    char name[48];

    if (!said->near_memory)
        return;
    text_format(name, sizeof name, "%02x:%02x.%x offset 0x%x", said->near_at.bus, said->near_at.device,
                said->near_at.function, has->near_memory);
    evidence_register(c, "pci", name, has->near_memory, said->near_value);
    check_show(c, "address rules with HBM as a cache", PLACE_NONE, said->cached_rules, "rules");
    if (said->rules == 0)
        check_note(c, "package %u has HBM; whether it is a cache is not known: no address rule can be read", package);
    else if (said->cached_rules)
        check_note(
            c,
            "package %u: HBM is a cache of the modules, which SMBIOS and SRAT do not show (rule %u of %u enabled ones)",
            package, said->rule, said->rules);
    else
        check_note(c, "package %u: HBM is %s; no address rule has it as a cache", package,
                   smbios->n_dimms && !smbios->n_ddr_dimms ? "all the memory there is"
                                                           : "memory in addition to the modules");
}

static enum status check_boxes(struct check *c)
{
    const struct pmon *pmon = &c->tools->pmon;

    if (!boxes_answer(pmon))
        return check_absent(c, "no uncore box but the UBox answers at all");
    for (uint32_t i = 0; i < pmon->n_boxes; i++) {
        show_box(c, &pmon->boxes[i]);
        presence_judge(c, &pmon->boxes[i]);
        judge_hidden(c, &pmon->boxes[i]);
        judge_init(c, &c->tools->pmon.boxes[i]);
    }
    for (uint32_t i = 0; i < pmon->part->n_units; i++)
        if (never_missing(pmon->part->units[i]->kind))
            judge_unit(c, pmon->part->units[i]);
    for (uint32_t i = 0; i < pmon->part->n_units * c->machine->n_packages; i++)
        judge_fewest(c, pmon->part->units[i / c->machine->n_packages], i % c->machine->n_packages);
    for (uint32_t p = 0; p < c->machine->n_packages; p++)
        judge_slices(c, p);
    for (uint32_t p = 0; p < c->machine->n_packages; p++)
        judge_pairs(c, p);
    for (uint32_t p = 0; p < c->machine->n_packages; p++)
        judge_reach(c, p);
    for (uint32_t p = 0; p < c->machine->n_packages; p++)
        show_near_memory(c, p);
    judge_alike(c, PMON_CHA, "slices");
    for (uint32_t i = 0; i < pmon->n_bus_faults; i++)
        finding(c, FINDING_UNUSUAL, 0, FOUND_BUS_MAPS_DISAGREE, PLACE_NONE, "%s", pmon->bus_faults[i]);
    if (pmon->uboxes_shown)
        finding(c, FINDING_UNUSUAL, 0, FOUND_BOX_HIDDEN, PLACE_NONE,
                "%u UBox functions (device id %04x), whose registers map PCI buses to packages, are shown, fewer than "
                "there are packages or dies: which package a bus is of was assigned in order",
                pmon->uboxes_shown, pmon->part->bus.did);
    else if (pmon->packages_guessed)
        check_note(c, "no register maps PCI buses to packages: assigned in order");
    check_measure(c, "uncore boxes listed", PLACE_NONE, pmon->n_boxes, "boxes", 1, NO_BOUND);
    return ST_OK;
}

/* --- S2: what firmware left --------------------------------------------------------------------------------------- */

/* Registers are 0 after a reset. Those of a counter that was used and stopped are not: recorded, and no defect. */
struct since_reset {
    uint32_t controls, counters, statuses; /* registers that are not 0 */
};

static void add_since_reset(struct check *c, const struct pmon_box *box, const char *name, struct since_reset *r)
{
    uint64_t status = box->status == ST_OK ? box->status_found : 0;

    r->controls += box->controls_set;
    r->counters += box->counters_set;
    r->statuses += status != 0;
    if (box->controls_set || box->counters_set || status)
        check_note(c, "%s: %u controls and %u counters are not 0 at handoff, status 0x%lx: used since the last reset",
                   name, box->controls_set, box->counters_set, status);
}

/* Overflows in the global status at handoff. They are cleared before the first counter runs. */
static void show_left(struct check *c)
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t n;

    (void)boxes_global_status(pmon, &n);
    EACH(const struct pmon_left, l, pmon->left, pmon->n_left) {
        char die[24] = "";

        if (dies_count(pmon->part, c->machine, l->package) > 1)
            text_format(die, sizeof die, " die %u", l->die);
        evidence_msr(c, l->cpu, l->msr, l->value, 0);
        check_note(
            c, "package %u%s: global status, MSR 0x%x, is 0x%lx at handoff: a counter overflowed since the last reset",
            l->package, die, l->msr, l->value);
    }
    if (n)
        check_show(c, "global status registers that are not 0 at handoff", PLACE_NONE, pmon->n_left, "registers");
}

/* Packages, or dies, of which no slice counted before the global control was written. */
static uint32_t judge_frozen(struct check *c)
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t frozen = 0;

    for (uint32_t i = 0; i < c->machine->n_packages; i++) {
        uint64_t left = pmon->packages[i].frozen;

        for (uint32_t die = 0; left; left >>= 1, die++) {
            struct place place = place_package(i);

            if (!(left & 1))
                continue;
            if (dies_count(pmon->part, c->machine, i) > 1)
                place = place_with(place, PLACE_DIE, die);
            frozen++;
            finding(c, FINDING_UNUSUAL, 0, FOUND_LEFT_FROZEN, place,
                    "no slice counted its clock until 0x%lx was written to the global control, MSR 0x%x: it was frozen",
                    pmon->part->global.run, boxes_global(pmon));
        }
    }
    return frozen;
}

static void show_since_reset(struct check *c, const struct since_reset *r)
{
    check_show(c, "controls that are not 0 at handoff", PLACE_NONE, r->controls, "registers");
    check_show(c, "counters that are not 0 at handoff", PLACE_NONE, r->counters, "registers");
    check_show(c, "status registers that are not 0 at handoff", PLACE_NONE, r->statuses, "registers");
}

static enum status check_left_over(struct check *c)
{
    const struct pmon *pmon = &c->tools->pmon;
    struct since_reset since = { 0 };
    uint32_t looked = 0;
    char name[48], why[PMON_TEXT];

    EACH(const struct pmon_box, box, pmon->boxes, pmon->n_boxes) {
        if (!box_is_there(box))
            continue;
        looked++;
        show_box(c, box);
        pmon_box_name(box, name);
        pmon_box_reason(box, why, sizeof why);
        if (box->why == PMON_IN_USE)
            finding(c, FINDING_UNUSUAL, 0, FOUND_LEFT_ENABLED, pmon_place(box), "%s", why);
        else if (box->unit->layout->box && (box->found & box->unit->layout->box->frz))
            finding(c, FINDING_UNUSUAL, 0, FOUND_LEFT_FROZEN, pmon_place(box),
                    "box control is 0x%lx at handoff: frozen", box->found);
        add_since_reset(c, box, name, &since);
    }
    if (looked == 0)
        return check_absent(c, "no uncore box is there");
    check_measure(c, "boxes looked at", PLACE_NONE, looked, "boxes", 1, NO_BOUND);
    pmon_session_thaw(c);
    check_show(c, "packages and dies that were frozen", PLACE_NONE, judge_frozen(c), "dies");
    show_since_reset(c, &since);
    show_left(c);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "pmon.boxes",
      .title = "Every package has the uncore boxes of its part, and they answer",
      .spec = GUIDE_UNITS,
      .covers = "A1",
      .detects = "a missing, hidden or partly decoded box, a number of slices other than enumerated",
      .means = "a box is missing, hidden or does not answer",
      .next = "firmware's setting for uncore devices; the bus numbers in the evidence; `pmon.discovery`",
      .risk = RISK_MSR,
      .run = check_boxes },
    { .id = "pmon.left-over",
      .title = "Uncore counters are unused and not frozen at handoff",
      .spec = GUIDE_UNITS " (values after reset)",
      .covers = "S2",
      .means = "firmware or a management controller uses the uncore counters, or left them enabled",
      .next = "management controllers and debuggers; a cold boot",
      .grade = GRADE_W,
      .risk = RISK_MSR,
      .run = check_left_over },
};
CHECK_FAMILY(pmon_boxes, rows, .needs = NEED_PMON, .rests_on = RESTS_ON_UNCORE, .order = 910, .no_monitor = true);
