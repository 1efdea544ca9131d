/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/machine/boxes.h"

#include "core/base/bits.h"
#include "core/machine/boxes_internal.h"
#include "core/base/heap.h"

#define CAPID4_CHOP BITS(7, 6) /* Linux uncore_snbep.c hswep_get_chop() */
#define MOST_PROBED 64u
#define MOST_SLICES 128u

/* --- adding ------------------------------------------------------------------------------------------------------- */

uint32_t package_worker(const struct platform *p, const struct machine *m, uint32_t package)
{
    uint32_t first = m->packages[package].first_cpu;

    if (cpu_takes_work(p, first))
        return first;
    for (uint32_t i = 0; i < m->n_cpus; i++)
        if (m->cpus[i].package == package && cpu_takes_work(p, i))
            return i;
    return UINT32_MAX;
}

static void boxes_keep(struct finder *f, const struct pmon_box *box)
{
    struct pmon *pmon = f->pmon;

    if (f->status != ST_OK)
        return;
    if (pmon->n_boxes == pmon->capacity) {
        uint32_t capacity = pmon->capacity ? pmon->capacity * 2 : 64;
        struct pmon_box *more = heap_alloc(sizeof *more * capacity);

        if (more == NULL) {
            f->status = ST_NO_MEMORY;
            return;
        }
        for (uint32_t i = 0; i < pmon->n_boxes; i++)
            more[i] = pmon->boxes[i];
        heap_free(pmon->boxes);
        pmon->boxes = more;
        pmon->capacity = capacity;
    }
    pmon->boxes[pmon->n_boxes++] = *box;
}

void add_missing(struct finder *f, const struct pmon_unit *unit, uint32_t package, uint32_t number, enum pmon_why why,
                 uint64_t value)
{
    struct pmon_box box = {
        .unit = unit, .package = package, .number = number, .status = ST_ABSENT, .why = why, .why_value = value
    };

    boxes_keep(f, &box);
}

void add_box(struct finder *f, struct pmon_box box)
{
    enum status st;

    if (box.unit->location.find != PMON_FIND_CCX)
        box.cpu = die_worker(f->pmon->part, f->platform, f->machine, box.package, box.die);
    if (box.cpu == UINT32_MAX) {
        box.cpu = f->machine->packages[box.package].first_cpu;
        box.status = ST_LOST;
        box.why = PMON_NO_CPU;
    } else {
        st = pmon_probe(f->platform, &box);
        (void)st; /* kept in the box */
    }
    boxes_keep(f, &box);
}

/* --- MSRs --------------------------------------------------------------------------------------------------------- */

struct pmon_box msr_box(const struct pmon_unit *u, struct bus_owner of, uint32_t number)
{
    return (struct pmon_box){ .unit = u,
                              .package = of.package,
                              .die = of.die,
                              .number = number,
                              .base = u->location.bases ? u->location.bases[number]
                                                        : u->location.first + (uint64_t)number * u->location.stride };
}

/* All that answer. What does not answer is listed only below the last that does, and where none does. */
static void probe_boxes(struct finder *f, const struct pmon_unit *u, struct bus_owner of)
{
    struct pmon_box boxes[MOST_PROBED];
    uint32_t cpu = die_worker(f->pmon->part, f->platform, f->machine, of.package, of.die),
             n = u->location.most < MOST_PROBED ? u->location.most : MOST_PROBED, listed = 1;

    for (uint32_t i = 0; i < n && cpu != UINT32_MAX; i++) {
        enum status st;

        boxes[i] = msr_box(u, of, i);
        boxes[i].cpu = cpu;
        st = pmon_probe(f->platform, &boxes[i]);
        (void)st; /* kept in the box */
        if (boxes[i].why != PMON_ABSENT)
            listed = i + 1;
    }
    if (cpu == UINT32_MAX)
        add_box(f, msr_box(u, of, 0));
    for (uint32_t i = 0; i < listed && cpu != UINT32_MAX; i++)
        boxes_keep(f, &boxes[i]);
}

static void find_sbos(struct finder *f, const struct pmon_unit *u, struct bus_owner of)
{
    uint32_t chop = f->pmon->packages[of.package].chop, n = chop ? u->location.most : u->location.most_limited;

    if (chop == NO_COUNT) { /* boxes beyond the count must not be read, and the count is not to be had */
        add_missing(f, u, of.package, 0, PMON_HIDDEN, f->pmon->part->capabilities.did);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        add_box(f, msr_box(u, of, i));
}

/* --- PCI and memory ----------------------------------------------------------------------------------------------- */

/* Places that sources disagree on are found by their device id where no other place has the same. */
static bool stands_at(const struct pmon_unit *u, uint32_t place, const struct pci_function *fn)
{
    const struct pmon_place *at = &u->location.places[place];
    uint32_t same = 0;

    for (uint32_t i = 0; i < u->location.n_places; i++)
        same += u->location.places[i].did == at->did;
    return fn->did == at->did && (same == 1 || (fn->at.device == at->device && fn->at.function == at->function));
}

static void find_places(struct finder *f, const struct pmon_unit *u)
{
    for (uint32_t place = 0; place < u->location.n_places; place++) {
        uint32_t seen = 0; /* bit per package */

        for (uint32_t i = 0; i < f->pmon->n_functions; i++) {
            const struct pci_function *fn = &f->pmon->functions[i];
            struct bus_owner of;

            if (!stands_at(u, place, fn))
                continue;
            of = owner_of_bus(f, fn->at);
            if (of.package == NO_PACKAGE)
                continue;
            seen |= UINT32_C(1) << (of.package & 31);
            f->pmon->packages[of.package].buses++;
            add_box(
                f, (struct pmon_box){ .unit = u, .package = of.package, .die = of.die, .number = place, .at = fn->at });
        }
        for (uint32_t package = 0; package < f->machine->n_packages; package++)
            if (!(seen >> (package & 31) & 1))
                add_missing(f, u, package, place, PMON_HIDDEN, u->location.places[place].did);
    }
}

#define MMIO_BASE BITS(28, 0) /* address bits 51:23 */
#define MEM_BAR   BITS(10, 0) /* address bits 22:12 */

static void find_memory_controller(struct finder *f, const struct pmon_unit *u, const struct pci_function *fn,
                                   uint32_t package, uint32_t controller)
{
    const struct pmon_memory_map *map = u->location.memory;
    uint32_t base = 0, bar = 0, boxes = u->location.of_controller ? 1 : map->channels;
    enum status st = pci_read(f->platform, fn->at, map->base, 4, &base);
    enum pmon_why why = PMON_USABLE;

    if (st == ST_OK)
        st = pci_read(f->platform, fn->at, map->bar + 4 * controller, 4, &bar);
    if (st != ST_OK || base == UINT32_MAX || bar == UINT32_MAX)
        why = PMON_ALL_ONES;
    else if ((base & MMIO_BASE) == 0 || (bar & MEM_BAR) == 0)
        why = PMON_NO_BASE;
    for (uint32_t i = 0; i < boxes; i++) {
        struct pmon_box box = { .unit = u, .package = package, .number = controller * boxes + i };

        if (why != PMON_USABLE) {
            add_missing(f, u, package, box.number, why, (base & MMIO_BASE) == 0 ? base : bar);
            continue;
        }
        box.base = ((base & MMIO_BASE) << 23) + ((bar & MEM_BAR) << 12);
        if (!u->location.of_controller)
            box.base += map->channel + (uint64_t)map->channel_step * i;
        add_box(f, box);
    }
}

static void find_memory(struct finder *f, const struct pmon_unit *u)
{
    uint32_t seen = 0;

    for (uint32_t i = 0; i < f->pmon->n_functions; i++) {
        const struct pci_function *fn = &f->pmon->functions[i];
        uint32_t package;

        if (fn->did != u->location.memory->did)
            continue;
        package = owner_of_bus(f, fn->at).package;
        if (package == NO_PACKAGE)
            continue;
        seen |= UINT32_C(1) << (package & 31);
        for (uint32_t n = 0; n < u->location.memory->controllers; n++)
            find_memory_controller(f, u, fn, package, n);
    }
    for (uint32_t package = 0; package < f->machine->n_packages; package++)
        if (!(seen >> (package & 31) & 1))
            add_missing(f, u, package, 0, PMON_HIDDEN, u->location.memory->did);
}

/* --- what packages say of themselves ------------------------------------------------------------------------------ */

static uint32_t boxes_capid(struct finder *f, const struct pci_function *fn, uint16_t offset)
{
    uint32_t value = 0;

    if (offset == 0 || pci_read(f->platform, fn->at, offset, 4, &value) != ST_OK)
        return 0;
    return value;
}

/* What the package does with memory of its own: nothing that software sees, where it is a cache. */
static void read_near_memory(struct finder *f, const struct pci_function *fn, struct pmon_package *package)
{
    const struct pmon_capabilities *has = &f->pmon->part->capabilities;
    struct pci_function rules = { .at = fn->at };

    package->near_at = fn->at;
    package->near_value = boxes_capid(f, fn, has->near_memory);
    package->near_memory = package->near_value != UINT32_MAX && (package->near_value & has->near_bits) != 0;
    rules.at.device = has->rules.device;
    rules.at.function = has->rules.function;
    for (uint32_t i = 0; package->near_memory && i < has->rules.n; i++) {
        uint32_t rule = boxes_capid(f, &rules, (uint16_t)(has->rules.first + 8 * i));

        if (rule == UINT32_MAX || !(rule & has->rules.enabled))
            continue;
        package->rules++;
        if ((rule & has->rules.cached) && package->cached_rules++ == 0)
            package->rule = i;
    }
}

static void read_capabilities(struct finder *f, const struct pci_function *fn)
{
    const struct pmon_capabilities *has = &f->pmon->part->capabilities;
    uint32_t number = owner_of_bus(f, fn->at).package;
    struct pmon_package *package;

    if (number == NO_PACKAGE)
        return;
    package = &f->pmon->packages[number];
    if (has->capid4)
        package->chop = (uint32_t)field_get(CAPID4_CHOP, boxes_capid(f, fn, has->capid4));
    read_near_memory(f, fn, package);
    if (has->capid[0].offset == 0)
        return;
    package->slices = 0;
    package->slices_by = has->slices_by;
    for (uint32_t i = 0; i < PMON_CAPIDS; i++)
        package->slices += count_bits(boxes_capid(f, fn, has->capid[i].offset) & has->capid[i].slices);
}

/* 0: it could not be read. */
static uint64_t package_msr(struct finder *f, uint32_t package, uint32_t msr)
{
    uint32_t cpu = package_worker(f->platform, f->machine, package);
    uint64_t value = 0;

    return msr && cpu != UINT32_MAX && msr_read(f->platform, cpu, msr, &value) == ST_OK ? value : 0;
}

/* Registers that say 0 do not say it: on Emerald Rapids MSR 2FFEH does. */
static void read_slice_counts(struct finder *f, uint32_t package)
{
    const struct pmon_capabilities *has = &f->pmon->part->capabilities;
    struct pmon_package *said = &f->pmon->packages[package];
    uint64_t n = field_get(has->slices_bits, package_msr(f, package, has->slices_msr));
    uint64_t second = field_get(BITS(5, 0), package_msr(f, package, has->slices_msr_2));

    if (n != 0 && n <= MOST_SLICES) {
        said->slices = (uint32_t)n;
        said->slices_by = has->slices_msr_by;
    }
    if (second != 0)
        said->slices_2 = (uint32_t)second;
}

static void read_packages(struct finder *f)
{
    uint16_t did = f->pmon->part->capabilities.did;

    for (uint32_t i = 0; i < f->machine->n_packages; i++) {
        uint32_t dies = package_dies(f->pmon->part, f->machine, i);

        f->pmon->packages[i] = (struct pmon_package){
            .slices = NO_COUNT, .slices_2 = NO_COUNT, .chop = NO_COUNT, .dies = dies > 1 ? dies : 0
        };
        read_slice_counts(f, i);
    }
    for (uint32_t i = 0; i < f->pmon->n_functions; i++)
        if (did && f->pmon->functions[i].did == did)
            read_capabilities(f, &f->pmon->functions[i]);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static void find_msrs(struct finder *f, const struct pmon_unit *u, struct bus_owner of)
{
    if (u->location.find == PMON_FIND_ONE)
        add_box(f, msr_box(u, of, 0));
    else if (u->location.find == PMON_FIND_PROBE)
        probe_boxes(f, u, of);
    else if (u->location.find == PMON_FIND_CAPID4)
        find_sbos(f, u, of);
}

static void boxes_find_unit(struct finder *f, const struct pmon_unit *u)
{
    if (u->location.find == PMON_FIND_PLACES) {
        find_places(f, u);
        return;
    }
    if (u->location.find == PMON_FIND_MEMORY) {
        find_memory(f, u);
        return;
    }
    for (uint32_t i = 0; i < f->machine->n_packages; i++) {
        uint32_t dies = package_dies(f->pmon->part, f->machine, i);

        if (!is_enumerated(f, u, i))
            continue;
        for (uint32_t die = 0; die < dies; die++)
            find_msrs(f, u, (struct bus_owner){ .package = i, .die = die });
        if (u->location.find == PMON_FIND_CCX)
            find_ccx(f, u, i);
        else if (u->location.find == PMON_FIND_DF)
            find_df(f, u, i);
        else if (u->location.find == PMON_FIND_UMC)
            find_umcs(f, u, i);
    }
}

/* --- the global control and status --------------------------------------------------------------------------------- */

#define LAST_MSR    UINT64_C(0xFFFF) /* Intel's uncore MSRs are 16-bit numbers */
#define STATUS_MOST 16u /* registers of the global status: a table lists 1023 units at most, of a bit each */

/* The first table whose global control is an MSR, as it should be where one is documented; NULL: none. */
static const struct pmon_table *global_table(const struct pmon *pmon)
{
    uint32_t documented = pmon->part->global.msr;

    for (uint32_t i = 0; i < pmon->n_tables; i++) {
        const struct pmon_table *t = &pmon->tables[i].table;

        if (t->status == ST_OK && t->access == PMON_TABLE_MSR && t->global <= LAST_MSR &&
            (documented == 0 || t->global == documented))
            return t;
    }
    return NULL;
}

uint32_t boxes_global(const struct pmon *pmon)
{
    const struct pmon_table *t = pmon->part->global.msr ? NULL : global_table(pmon);

    return t ? (uint32_t)t->global : pmon->part->global.msr;
}

uint32_t boxes_global_status(const struct pmon *pmon, uint32_t *n)
{
    const struct pmon_table *t = pmon->part->global.n_status ? NULL : global_table(pmon);

    *n = pmon->part->global.n_status;
    if (t == NULL)
        return pmon->part->global.status;
    *n = t->n_status < STATUS_MOST ? t->n_status : STATUS_MOST;
    if (t->status_offset == 0 || t->global + t->status_offset + *n > LAST_MSR + 1)
        *n = 0;
    return *n ? (uint32_t)t->global + t->status_offset : 0;
}

static void read_left(struct finder *f, uint32_t package, uint32_t die, uint32_t msr)
{
    struct pmon *pmon = f->pmon;
    uint32_t cpu = die_worker(pmon->part, f->platform, f->machine, package, die);
    uint64_t value = 0;

    if (cpu != UINT32_MAX && msr_read(f->platform, cpu, msr, &value) == ST_OK && value != 0)
        pmon->left[pmon->n_left++] =
            (struct pmon_left){ .package = package, .die = die, .cpu = cpu, .msr = msr, .value = value };
}

/* What firmware left: the first session clears it, and no check would see it any more. */
static enum status find_left(struct finder *f)
{
    uint32_t n, first = boxes_global_status(f->pmon, &n), dies = 0;

    for (uint32_t p = 0; p < f->machine->n_packages; p++)
        dies += package_dies(f->pmon->part, f->machine, p);
    if (n == 0)
        return ST_OK;
    f->pmon->left = heap_alloc(sizeof *f->pmon->left * n * dies);
    if (f->pmon->left == NULL)
        return ST_NO_MEMORY;
    for (uint32_t p = 0; p < f->machine->n_packages; p++)
        for (uint32_t die = 0; die < package_dies(f->pmon->part, f->machine, p); die++)
            for (uint32_t k = 0; k < n; k++)
                read_left(f, p, die, first + k);
    return ST_OK;
}

enum status boxes_find(struct platform *p, const struct machine *m, struct pmon *pmon)
{
    struct finder f = { .platform = p, .machine = m, .pmon = pmon };
    const struct pmon_part *part = m->n_cpus ? pmon_part_of(&m->cpus[m->reference].id) : NULL;

    *pmon = (struct pmon){ .part = part };
    if (part == NULL || m->n_packages == 0)
        return ST_OK;
    pmon->packages = heap_alloc(sizeof *pmon->packages * m->n_packages);
    if (pmon->packages == NULL)
        return ST_NO_MEMORY;
    if (part->bus.did)
        scan_functions(&f);
    compare_buses(&f);
    read_packages(&f);
    for (uint32_t i = 0; i < part->n_units; i++) {
        boxes_find_unit(&f, part->units[i]);
        if (part->units[i]->kind == PMON_UBOX) {
            pmon->ubox = part->units[i];
            pmon->n_uboxes = pmon->n_boxes;
        }
    }
    if (part->discovery)
        find_discovered(&f);
    return status_first(f.status, find_left(&f));
}

void boxes_free(struct pmon *pmon)
{
    for (uint32_t i = 0; i < pmon->n_made; i++)
        heap_free(pmon->made[i]);
    for (uint32_t i = 0; i < pmon->n_tables; i++)
        pmon_table_free(&pmon->tables[i].table);
    heap_free(pmon->left);
    heap_free(pmon->tables);
    heap_free(pmon->functions);
    heap_free(pmon->packages);
    heap_free(pmon->boxes);
    *pmon = (struct pmon){ 0 };
}

bool box_alive(struct platform *p, const struct machine *m, struct pmon_box *box)
{
    uint32_t cpu;

    if (cpu_takes_work(p, box->cpu))
        return true;
    if (box->unit->location.find == PMON_FIND_CCX) {
        uint32_t domain = m->cpus[box->cpu].domain;

        for (uint32_t i = 0; i < m->n_cpus && !cpu_takes_work(p, box->cpu); i++)
            if (m->cpus[i].domain == domain && cpu_takes_work(p, i))
                box->cpu = i;
        return cpu_takes_work(p, box->cpu);
    }
    cpu = die_worker(pmon_part_of(&m->cpus[m->reference].id), p, m, box->package, box->die);
    if (cpu != UINT32_MAX)
        box->cpu = cpu;
    return cpu != UINT32_MAX;
}

bool box_is_there(const struct pmon_box *box)
{
    return box && box->why != PMON_ABSENT && box->why != PMON_HIDDEN && box->why != PMON_NO_FEATURE &&
           box->why != PMON_ALL_ONES && box->why != PMON_NO_BASE;
}

bool boxes_answer(const struct pmon *pmon)
{
    for (uint32_t i = 0; i < pmon->n_boxes; i++)
        if (pmon->boxes[i].unit->kind != PMON_UBOX && pmon->boxes[i].unit->layout->n_free == 0 &&
            box_is_there(&pmon->boxes[i]))
            return true;
    return false;
}
