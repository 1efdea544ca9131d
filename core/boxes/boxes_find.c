/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/boxes/boxes_find.h"

#include "arch/x86/pmon_parts/pmon_parts.h"
#include "core/base/bits.h"
#include "core/base/heap.h"
#include "core/boxes/buses.h"
#include "core/boxes/dies.h"
#include "core/boxes/finders.h"
#include "core/boxes/packages.h"

/* Where the boxes of a unit are looked for: on each die, on each package, or among the PCI functions of all. */
static const struct box_finder {
    void (*of_die)(struct box_search *s, const struct pmon_unit *u, struct bus_owner of);
    void (*of_package)(struct box_search *s, const struct pmon_unit *u, uint32_t package);
    void (*of_machine)(struct box_search *s, const struct pmon_unit *u);
} finders[] = {
    [PMON_FIND_ONE] = { .of_die = boxes_find_one },           [PMON_FIND_PROBE] = { .of_die = boxes_find_probed },
    [PMON_FIND_CAPID4] = { .of_die = boxes_find_sbos },       [PMON_FIND_CCX] = { .of_package = boxes_find_ccx },
    [PMON_FIND_PLACES] = { .of_machine = boxes_find_places }, [PMON_FIND_MEMORY] = { .of_machine = boxes_find_memory },
    [PMON_FIND_BAR] = { .of_machine = boxes_find_bar },       [PMON_FIND_FIXED] = { .of_machine = boxes_find_fixed },
    [PMON_FIND_DF] = { .of_package = boxes_find_df },         [PMON_FIND_UMC] = { .of_package = boxes_find_umcs },
};

/* Whether the package's CPUID enumerates a unit that has a feature bit; where not, the unit is listed as missing. */
static bool is_enumerated(struct box_search *s, const struct pmon_unit *u, uint32_t package)
{
    uint32_t bit = u->location.feature;
    struct cpuid_regs regs = { 0 };

    if (bit == 0 || !package_cpuid(s, package, 0x80000001u, &regs) || regs.ecx & BIT(bit))
        return true; /* boxes of a package whose processors are silent say so themselves */
    box_add_missing(s, u, package, 0, PMON_NO_FEATURE, bit);
    return false;
}

static void find_unit(struct box_search *s, const struct pmon_unit *u)
{
    const struct box_finder *finder = &finders[u->location.find];

    if (finder->of_machine) {
        finder->of_machine(s, u);
        return;
    }
    for (uint32_t i = 0; i < s->machine->n_packages; i++) {
        uint32_t dies = dies_count(s->pmon->part, s->machine, i);

        if (!is_enumerated(s, u, i))
            continue;
        for (uint32_t die = 0; finder->of_die && die < dies; die++)
            finder->of_die(s, u, (struct bus_owner){ .package = i, .die = die });
        if (finder->of_package)
            finder->of_package(s, u, i);
    }
}

/* A package none of whose functions is seen while another's are: where its buses are, nothing leads. */
static void find_segments(struct box_search *s)
{
    bool any = ANY_OF(p, s->machine->n_packages, s->pmon->packages[p].buses > 0);

    for (uint32_t i = 0; any && s->machine->acpi.n_mcfg > 0 && i < s->pmon->n_boxes; i++) {
        struct pmon_box *box = &s->pmon->boxes[i];

        if (box->why == PMON_NOT_POPULATED && s->pmon->packages[box->package].buses == 0)
            box->why = PMON_OTHER_SEGMENT;
    }
}

static void read_left(struct box_search *s, uint32_t package, uint32_t die, uint32_t msr)
{
    struct pmon *pmon = s->pmon;
    uint32_t cpu = dies_worker(pmon->part, s->platform, s->machine, package, die);
    uint64_t value = 0;

    if (cpu != UINT32_MAX && msr_read(s->platform, cpu, msr, &value) == ST_OK && value != 0)
        pmon->left[pmon->n_left++] =
            (struct pmon_left){ .package = package, .die = die, .cpu = cpu, .msr = msr, .value = value };
}

/* What firmware left: the first session clears it, and no check would see it any more. */
static enum status find_left(struct box_search *s)
{
    uint32_t n, first = boxes_global_status(s->pmon, &n), dies;

    dies = SUM_OF(uint32_t, p, s->machine->n_packages, dies_count(s->pmon->part, s->machine, p));
    if (n == 0)
        return ST_OK;
    TRY_HEAP(s->pmon->left, n * dies);
    for (uint32_t p = 0; p < s->machine->n_packages; p++)
        for (uint32_t die = 0; die < dies_count(s->pmon->part, s->machine, p); die++)
            for (uint32_t k = 0; k < n; k++)
                read_left(s, p, die, first + k);
    return ST_OK;
}

/* One that is in no table may have discovery tables, as parts from Sapphire Rapids on have. */
static const struct pmon_part *part_of(const struct machine *m)
{
    const struct cpu_identity *id = &m->cpus[m->reference].id;
    const struct pmon_part *part = pmon_part_of(id);

    return part == NULL && id->vendor == VENDOR_INTEL && id->family >= 6 && !m->hypervisor ? &pmon_listed : part;
}

enum status boxes_find(struct platform *p, const struct machine *m, struct pmon *pmon)
{
    struct box_search s = { .platform = p, .machine = m, .pmon = pmon };
    const struct pmon_part *part = m->n_cpus ? part_of(m) : NULL;

    *pmon = (struct pmon){ .part = part };
    if (part == NULL || m->n_packages == 0)
        return ST_OK;
    TRY_HEAP(pmon->packages, m->n_packages);
    if (part->bus.did)
        buses_scan(&s);
    buses_compare(&s);
    packages_read(&s);
    for (uint32_t i = 0; i < part->n_units; i++) {
        find_unit(&s, part->units[i]);
        if (part->units[i]->kind == PMON_UBOX) {
            pmon->ubox = part->units[i];
            pmon->n_uboxes = pmon->n_boxes;
        }
    }
    find_segments(&s);
    if (part->discovery)
        boxes_find_discovered(&s);
    if (part == &pmon_listed && pmon->n_tables == 0 && s.status == ST_OK) {
        boxes_free(pmon);
        return ST_OK;
    }
    return status_first(s.status, find_left(&s));
}
