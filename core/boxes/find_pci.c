/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Boxes that are PCI functions, by vendor and device id: firmware hides function 0 or the whole device; and boxes whose
 * addresses the functions of a memory map say. */
#include "core/base/bits.h"
#include "core/boxes/buses.h"
#include "core/boxes/finders.h"

/* Places that sources disagree on are found by their device id where no other place has the same. */
static bool stands_at(const struct pmon_unit *u, uint32_t place, const struct pci_function *fn)
{
    const struct pmon_pci_place *at = &u->location.places[place];
    uint32_t same = HOW_MANY(i, u->location.n_places, u->location.places[i].did == at->did);

    return fn->did == at->did && (same == 1 || (fn->at.device == at->device && fn->at.function == at->function));
}

#define CLASS      0x08u
#define CLASS_CODE BITS(31, 8)

/* A port that is off shows its id, and all ones as its class: Cooper Lake-SP boards. */
static bool is_fused_off(struct box_search *s, const struct pci_function *fn)
{
    uint32_t class = 0;

    return pci_read(s->platform, fn->at, CLASS, 4, &class) == ST_OK && class != UINT32_MAX &&
           (class & CLASS_CODE) == CLASS_CODE;
}

/* Of the functions that show a place of the unit, one of this package; NULL: there is none. */
static const struct pci_function *shown_of(struct box_search *s, const struct pmon_unit *u, uint32_t package)
{
    for (uint32_t place = 0; place < u->location.n_places; place++)
        for (uint32_t i = 0; i < s->pmon->n_functions; i++)
            if (stands_at(u, place, &s->pmon->functions[i]) &&
                buses_owner(s, s->pmon->functions[i].at).package == package)
                return &s->pmon->functions[i];
    return NULL;
}

/* Another function of the device at which a package does not show a place: on the bus that has others of the unit, else on
 * any of the package. NULL: the device is not there. */
static const struct pci_function *sibling_of(struct box_search *s, const struct pmon_unit *u, uint32_t place,
                                             uint32_t package)
{
    const struct pci_function *shown = shown_of(s, u, package);

    EACH(const struct pci_function, fn, s->pmon->functions, s->pmon->n_functions) {
        if (fn->at.device != u->location.places[place].device)
            continue;
        if (shown ? fn->at.segment == shown->at.segment && fn->at.bus == shown->at.bus
                  : buses_owner(s, fn->at).package == package)
            return fn;
    }
    return NULL;
}

static void add_unseen(struct box_search *s, const struct pmon_unit *u, uint32_t package, uint32_t place)
{
    const struct pmon_pci_place *at = &u->location.places[place];
    const struct pci_function *sibling = sibling_of(s, u, place, package);

    box_keep(s, &(struct pmon_box){ .unit = u,
                                    .package = package,
                                    .number = place,
                                    .at = { .device = at->device, .function = at->function },
                                    .status = ST_ABSENT,
                                    .why = sibling ? PMON_HIDDEN : PMON_NOT_POPULATED,
                                    .why_address = sibling ? sibling->at.function : 0,
                                    .why_value = at->did });
}

void boxes_find_places(struct box_search *s, const struct pmon_unit *u)
{
    for (uint32_t place = 0; place < u->location.n_places; place++) {
        uint32_t seen = 0; /* bit per package */

        EACH(const struct pci_function, fn, s->pmon->functions, s->pmon->n_functions) {
            struct bus_owner of;

            if (!stands_at(u, place, fn))
                continue;
            of = buses_owner(s, fn->at);
            if (of.package == NO_PACKAGE)
                continue;
            seen |= UINT32_C(1) << (of.package & 31);
            s->pmon->packages[of.package].buses++;
            if (is_fused_off(s, fn))
                box_add_missing(s, u, of.package, place, PMON_FUSED_OFF, fn->did);
            else
                box_add(s, (struct pmon_box){
                               .unit = u, .package = of.package, .die = of.die, .number = place, .at = fn->at });
        }
        for (uint32_t package = 0; package < s->machine->n_packages; package++)
            if (!(seen >> (package & 31) & 1))
                add_unseen(s, u, package, place);
    }
}

#define MMIO_BASE BITS(28, 0) /* address bits 51:23 */
#define MEM_BAR   BITS(10, 0) /* address bits 22:12 */

static void find_memory_controller(struct box_search *s, const struct pmon_unit *u, const struct pci_function *fn,
                                   uint32_t package, uint32_t controller)
{
    const struct pmon_memory_map *map = u->location.memory;
    uint32_t base = 0, bar = 0, boxes = u->location.of_controller ? 1 : map->channels;
    enum status st = pci_read(s->platform, fn->at, map->base, 4, &base);
    enum pmon_why why = PMON_USABLE;

    if (st == ST_OK)
        st = pci_read(s->platform, fn->at, map->bar + 4 * controller, 4, &bar);
    if (st != ST_OK || base == UINT32_MAX || bar == UINT32_MAX)
        why = PMON_ALL_ONES;
    else if ((base & MMIO_BASE) == 0 || (bar & MEM_BAR) == 0)
        why = PMON_NO_BASE;
    for (uint32_t i = 0; i < boxes; i++) {
        struct pmon_box box = { .unit = u, .package = package, .number = controller * boxes + i };

        if (why != PMON_USABLE) {
            box_add_missing(s, u, package, box.number, why, (base & MMIO_BASE) == 0 ? base : bar);
            continue;
        }
        box.base = ((base & MMIO_BASE) << 23) + ((bar & MEM_BAR) << 12);
        if (!u->location.of_controller)
            box.base += map->channel + (uint64_t)map->channel_step * i;
        box_add(s, box);
    }
}

void boxes_find_memory(struct box_search *s, const struct pmon_unit *u)
{
    uint32_t seen = 0;

    EACH(const struct pci_function, fn, s->pmon->functions, s->pmon->n_functions) {
        uint32_t package;

        if (fn->did != u->location.memory->did)
            continue;
        package = buses_owner(s, fn->at).package;
        if (package == NO_PACKAGE)
            continue;
        seen |= UINT32_C(1) << (package & 31);
        for (uint32_t n = 0; n < u->location.memory->controllers; n++)
            find_memory_controller(s, u, fn, package, n);
    }
    for (uint32_t package = 0; package < s->machine->n_packages; package++)
        if (!(seen >> (package & 31) & 1))
            box_add_missing(s, u, package, 0, PMON_HIDDEN, u->location.memory->did);
}

#define HOST_BRIDGE  0u /* 00:00.0 */
#define INTEL        0x8086u
#define BAR_ENABLED  BIT(0)
#define BAR_RESERVED BITS(14, 0) /* MCHBAR is 32 KB at least */

/* Of a client, which is one package. */
void boxes_find_bar(struct box_search *s, const struct pmon_unit *u)
{
    struct pci_address bridge = { .device = HOST_BRIDGE };
    uint32_t id = 0, low = 0, high = 0;
    enum status st = pci_read(s->platform, bridge, 0, 4, &id);
    enum pmon_why why = PMON_USABLE;

    st = status_first(st, pci_read(s->platform, bridge, u->location.first, 4, &low));
    st = status_first(st, pci_read(s->platform, bridge, u->location.first + 4, 4, &high));
    if (st != ST_OK || (id & 0xFFFF) != INTEL)
        why = PMON_HIDDEN;
    else if (low == UINT32_MAX || !(low & BAR_ENABLED))
        why = PMON_NO_BASE;
    for (uint32_t i = 0; i < (why == PMON_USABLE ? u->location.most : 1); i++) {
        struct pmon_box box = { .unit = u, .number = i };

        if (why != PMON_USABLE) {
            box_add_missing(s, u, 0, i, why, why == PMON_HIDDEN ? id >> 16 : low);
            return;
        }
        box.base = ((uint64_t)high << 32 | (low & ~BAR_RESERVED)) + (uint64_t)i * u->location.stride;
        box_add(s, box);
    }
}

/* No register says which package they belong to: they are listed under the first one. */
void boxes_find_fixed(struct box_search *s, const struct pmon_unit *u)
{
    for (uint32_t i = 0; i < u->location.most; i++)
        box_add(s, (struct pmon_box){ .unit = u, .number = i, .base = u->location.addresses[i] });
}
