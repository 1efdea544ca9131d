/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/boxes/buses.h"

#include "core/base/bits.h"
#include "core/base/heap.h"
#include "core/base/text.h"
#include "core/boxes/dies.h"

#define BUSES_VALID     BIT(63) /* of pmon_bus_map.msr: BUS0..BUS5 are in bytes 0..5 */
#define PACKAGES_MAPPED 8u

static void keep_function(struct box_search *s, struct pci_address at, uint16_t did)
{
    struct pmon *pmon = s->pmon;

    if (HEAP_GROW(&pmon->functions, &pmon->functions_capacity, pmon->n_functions + 1))
        pmon->functions[pmon->n_functions++] = (struct pci_function){ .at = at, .did = did };
    else
        s->status = ST_NO_MEMORY;
}

/* Function by function: a device whose function 0 is hidden may have PMON functions. */
static void scan_bus(struct box_search *s, uint16_t segment, uint8_t bus)
{
    for (uint32_t devfn = 0; devfn < 256 && s->status == ST_OK; devfn++) {
        struct pci_address at = {
            .segment = segment, .bus = bus, .device = (uint8_t)(devfn >> 3), .function = (uint8_t)(devfn & 7)
        };
        uint32_t id = 0;
        enum status st = pci_read(s->platform, at, 0, 4, &id);

        if (st == ST_ABSENT) /* no way to that bus */
            return;
        if (st == ST_OK && (id & 0xFFFF) == PCI_VENDOR_ID_INTEL)
            keep_function(s, at, (uint16_t)(id >> 16));
    }
}

void buses_scan(struct box_search *s)
{
    const struct acpi_info *acpi = &s->machine->acpi;

    for (uint32_t i = 0; i < acpi->n_mcfg; i++)
        for (uint32_t bus = acpi->mcfg[i].first_bus; bus <= acpi->mcfg[i].last_bus; bus++)
            scan_bus(s, acpi->mcfg[i].segment, (uint8_t)bus);
    for (uint32_t bus = 0; bus < 256; bus++)
        if (acpi_reached_by_ports(acpi, bus))
            scan_bus(s, 0, (uint8_t)bus);
}

/* --- packages ----------------------------------------------------------------------------------------------------- */

static const struct bus_owner no_owner = { .package = NO_PACKAGE };

static bool same_owner(struct bus_owner a, struct bus_owner b)
{
    return a.package == b.package && a.die == b.die;
}

/* Dies of a package; the positions in the map are those of dies, package after package (Linux snbep_pci2phy_map_init). */
static uint32_t dies_mapped(const struct box_search *s)
{
    return dies_count(s->pmon->part, s->machine, 0);
}

static struct bus_owner owner_mapped(struct box_search *s, uint32_t position)
{
    uint32_t dies = dies_mapped(s), package;

    if (dies == 1) {
        package = FIND(i, s->machine->n_packages, s->machine->packages[i].id == position, i, NO_PACKAGE);
        return (struct bus_owner){ .package = package };
    }
    if (position / dies >= s->machine->n_packages)
        return no_owner;
    return (struct bus_owner){ .package = position / dies, .die = position % dies };
}

/* The map has node ids of three bits. */
static bool map_holds_all(const struct box_search *s)
{
    return s->machine->n_packages * dies_mapped(s) <= PACKAGES_MAPPED;
}

/* By the UBox function of a bus: the position of its node id in the group map. */
static struct bus_owner bus_owner_by_map(struct box_search *s, const struct pci_function *ubox)
{
    const struct pmon_part *part = s->pmon->part;
    uint32_t node = 0, map = 0;

    if (!map_holds_all(s) || pci_read(s->platform, ubox->at, part->bus.node_id, 4, &node) != ST_OK ||
        pci_read(s->platform, ubox->at, part->bus.group, 4, &map) != ST_OK)
        return no_owner;
    return FIND(i, PACKAGES_MAPPED, (map >> (3 * i) & 7) == (node & 7), owner_mapped(s, i), no_owner);
}

#define OTHER_PACKAGE 256u

/* How far a bus is from one that has a UBox function, in the direction in which buses of a package lie. */
static uint32_t bus_distance(const struct pmon_part *part, uint8_t bus, uint8_t ubox)
{
    uint32_t above = ubox >= bus ? (uint32_t)(ubox - bus) : OTHER_PACKAGE;
    uint32_t below = bus >= ubox ? (uint32_t)(bus - ubox) : OTHER_PACKAGE;

    if (part->bus.buses == PMON_BUSES_BELOW)
        return below;
    if (part->bus.buses == PMON_BUSES_AROUND && below == 1)
        return 0;
    return above;
}

static const struct pci_function *nearest_ubox(const struct pmon *pmon, struct pci_address at)
{
    const struct pci_function *best = NULL;

    EACH(const struct pci_function, fn, pmon->functions, pmon->n_functions) {
        uint32_t d = bus_distance(pmon->part, at.bus, fn->at.bus);

        if (pmon->part->bus.did == 0 || fn->did != pmon->part->bus.did || fn->at.segment != at.segment ||
            d >= OTHER_PACKAGE)
            continue;
        if (!best || d < bus_distance(pmon->part, at.bus, best->at.bus))
            best = fn;
    }
    return best;
}

static bool die_has_bus(struct box_search *s, struct bus_owner of, uint8_t bus)
{
    uint32_t cpu = dies_worker(s->pmon->part, s->platform, s->machine, of.package, of.die);
    uint64_t buses = 0;

    if (cpu == UINT32_MAX || msr_read(s->platform, cpu, s->pmon->part->bus.msr, &buses) != ST_OK ||
        !(buses & BUSES_VALID))
        return false;
    return ANY_OF(k, 6, (buses >> (8 * k) & 0xFF) == bus);
}

/* MSR 300H gives bus numbers without their PCI segment: a number that several dies have does not identify one. */
static struct bus_owner bus_owner_by_msr(struct box_search *s, uint8_t bus)
{
    struct bus_owner owner = no_owner;

    for (uint32_t i = 0; i < s->machine->n_packages; i++)
        for (uint32_t die = 0; die < dies_count(s->pmon->part, s->machine, i); die++) {
            struct bus_owner of = { .package = i, .die = die };

            if (!die_has_bus(s, of, bus))
                continue;
            if (owner.package != NO_PACKAGE)
                return no_owner;
            owner = of;
        }
    return owner;
}

/* One a package, of those that no processor is known of as well. */
static uint32_t ubox_functions(const struct pmon *pmon)
{
    return HOW_MANY(i, pmon->n_functions, pmon->part->bus.did && pmon->functions[i].did == pmon->part->bus.did);
}

/* Else buses of a package whose UBox function firmware hides would be another package's, whose UBox is the nearest. */
static bool every_ubox_shown(const struct box_search *s)
{
    return ubox_functions(s->pmon) >= s->machine->n_packages * dies_mapped(s);
}

static bool is_alike(const struct pci_function *fn, uint16_t did, struct pci_address at)
{
    return fn->did == did && fn->at.device == at.device && fn->at.function == at.function;
}

/* Nothing says so: of the functions of a device id at one device and function number each package, or die of all, has as many,
 * in the order of segments and buses. Of Diamond Rapids both hubs of a package lead to a table, and no UBox function is
 * known. */
static struct bus_owner bus_owner_by_order(struct box_search *s, struct pci_address at)
{
    const struct pmon *pmon = s->pmon;
    uint32_t before = 0, alike = 0, did = 0, dies = dies_mapped(s), wanted = s->machine->n_packages * dies;
    uint32_t shown = ubox_functions(pmon), each;

    for (uint32_t i = 0; i < pmon->n_functions; i++)
        if (pci_is_same(pmon->functions[i].at, at))
            did = pmon->functions[i].did;
    for (uint32_t i = 0; i < pmon->n_functions; i++) {
        const struct pci_address *other = &pmon->functions[i].at;

        if (!is_alike(&pmon->functions[i], (uint16_t)did, at))
            continue;
        alike++;
        before += other->segment < at.segment || (other->segment == at.segment && other->bus < at.bus);
    }
    if (wanted > 1) {
        s->pmon->packages_guessed = true;
        s->pmon->uboxes_shown = shown < wanted ? shown : 0;
    }
    each = shown <= wanted && alike && alike % wanted == 0 ? alike / wanted : 1;
    before /= each;
    if (before < wanted)
        return (struct bus_owner){ .package = before / dies, .die = before % dies };
    return shown > wanted ? no_owner : (struct bus_owner){ .package = 0 };
}

struct bus_owner buses_owner(struct box_search *s, struct pci_address at)
{
    const struct pci_function *ubox = nearest_ubox(s->pmon, at);
    struct bus_owner of;

    if (s->pmon->part->bus.buses == PMON_BUSES_ONE)
        return (struct bus_owner){ .package = 0 };
    of = ubox && ubox->at.bus == at.bus ? bus_owner_by_map(s, ubox) : no_owner;

    if (of.package == NO_PACKAGE && s->pmon->part->bus.msr && at.segment == 0)
        of = bus_owner_by_msr(s, at.bus);
    if (of.package == NO_PACKAGE && ubox && every_ubox_shown(s))
        of = bus_owner_by_map(s, ubox);
    return of.package != NO_PACKAGE ? of : bus_owner_by_order(s, at);
}

/* --- do they agree ------------------------------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void bus_fault(struct box_search *s, const char *format, ...)
{
    struct pmon *pmon = s->pmon;

    if (pmon->n_bus_faults == BUS_FAULTS)
        return;
    TEXT_OF_ARGS(pmon->bus_faults[pmon->n_bus_faults++], format);
}

static void compare_one(struct box_search *s, const struct pci_function *ubox)
{
    struct bus_owner of = bus_owner_by_map(s, ubox);

    if (of.package == NO_PACKAGE)
        bus_fault(s, "the node map on bus 0x%02x names no package of this machine", ubox->at.bus);
    for (uint32_t i = 0; i < s->pmon->n_functions && of.package != NO_PACKAGE; i++) {
        const struct pci_function *other = &s->pmon->functions[i];

        if (other < ubox && other->did == ubox->did && same_owner(bus_owner_by_map(s, other), of))
            bus_fault(s, "the node maps on buses 0x%02x and 0x%02x both name package %u", other->at.bus, ubox->at.bus,
                      of.package);
    }
    if (s->pmon->part->bus.msr && of.package != NO_PACKAGE && !die_has_bus(s, of, ubox->at.bus))
        bus_fault(s, "bus 0x%02x: its node map and MSR 0x%x of the packages do not agree whose it is", ubox->at.bus,
                  s->pmon->part->bus.msr);
}

void buses_compare(struct box_search *s)
{
    for (uint32_t i = 0; i < s->pmon->n_functions && map_holds_all(s); i++)
        if (s->pmon->part->bus.buses != PMON_BUSES_ONE && s->pmon->part->bus.did &&
            s->pmon->functions[i].did == s->pmon->part->bus.did)
            compare_one(s, &s->pmon->functions[i]);
}
