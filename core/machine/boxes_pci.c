/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* PCI functions of the uncore, and which package they belong to. */
#include "core/base/bits.h"
#include "core/machine/boxes_internal.h"
#include "core/base/heap.h"
#include "core/base/text.h"

#define VENDOR_ID_INTEL 0x8086u
#define BUSES_VALID     BIT(63) /* of pmon_bus_map.msr: BUS0..BUS5 are in bytes 0..5 */
#define PACKAGES_MAPPED 8u

static void keep_function(struct finder *f, struct pci_address at, uint16_t did)
{
    struct pmon *pmon = f->pmon;

    if (pmon->n_functions == pmon->functions_capacity) {
        uint32_t capacity = pmon->functions_capacity ? pmon->functions_capacity * 2 : 128;
        struct pci_function *more = heap_alloc(sizeof *more * capacity);

        if (more == NULL) {
            f->status = ST_NO_MEMORY;
            return;
        }
        for (uint32_t i = 0; i < pmon->n_functions; i++)
            more[i] = pmon->functions[i];
        heap_free(pmon->functions);
        pmon->functions = more;
        pmon->functions_capacity = capacity;
    }
    pmon->functions[pmon->n_functions++] = (struct pci_function){ .at = at, .did = did };
}

/* Function by function: a device whose function 0 is hidden may have PMON functions. */
static void scan_bus(struct finder *f, uint16_t segment, uint8_t bus)
{
    for (uint32_t devfn = 0; devfn < 256 && f->status == ST_OK; devfn++) {
        struct pci_address at = {
            .segment = segment, .bus = bus, .device = (uint8_t)(devfn >> 3), .function = (uint8_t)(devfn & 7)
        };
        uint32_t id = 0;
        enum status st = pci_read(f->platform, at, 0, 4, &id);

        if (st == ST_ABSENT) /* no way to that bus */
            return;
        if (st == ST_OK && (id & 0xFFFF) == VENDOR_ID_INTEL)
            keep_function(f, at, (uint16_t)(id >> 16));
    }
}

void scan_functions(struct finder *f)
{
    const struct acpi_info *acpi = &f->machine->acpi;

    for (uint32_t i = 0; i < acpi->n_mcfg; i++)
        for (uint32_t bus = acpi->mcfg[i].first_bus; bus <= acpi->mcfg[i].last_bus; bus++)
            scan_bus(f, acpi->mcfg[i].segment, (uint8_t)bus);
    for (uint32_t bus = 0; acpi->n_mcfg == 0 && bus < 256; bus++)
        scan_bus(f, 0, (uint8_t)bus);
}

/* --- packages ----------------------------------------------------------------------------------------------------- */

static uint32_t package_with_id(const struct machine *m, uint32_t id)
{
    for (uint32_t i = 0; i < m->n_packages; i++)
        if (m->packages[i].id == id)
            return i;
    return NO_PACKAGE;
}

/* The package by the UBox function of a bus: the position of its node id in the group map. */
static uint32_t bus_package_by_map(struct finder *f, const struct pci_function *ubox)
{
    const struct pmon_part *part = f->pmon->part;
    uint32_t node = 0, map = 0;

    if (pci_read(f->platform, ubox->at, part->bus.node_id, 4, &node) != ST_OK ||
        pci_read(f->platform, ubox->at, part->bus.group, 4, &map) != ST_OK)
        return NO_PACKAGE;
    for (uint32_t i = 0; i < PACKAGES_MAPPED; i++)
        if ((map >> (3 * i) & 7) == (node & 7))
            return package_with_id(f->machine, i);
    return NO_PACKAGE;
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

    for (uint32_t i = 0; i < pmon->n_functions; i++) {
        const struct pci_function *fn = &pmon->functions[i];
        uint32_t d = bus_distance(pmon->part, at.bus, fn->at.bus);

        if (pmon->part->bus.did == 0 || fn->did != pmon->part->bus.did || fn->at.segment != at.segment ||
            d >= OTHER_PACKAGE)
            continue;
        if (!best || d < bus_distance(pmon->part, at.bus, best->at.bus))
            best = fn;
    }
    return best;
}

static uint32_t bus_package_by_msr(struct finder *f, uint8_t bus)
{
    for (uint32_t i = 0; i < f->machine->n_packages; i++) {
        uint32_t cpu = package_worker(f->platform, f->machine, i);
        uint64_t buses = 0;

        if (cpu == UINT32_MAX || msr_read(f->platform, cpu, f->pmon->part->bus.msr, &buses) != ST_OK ||
            !(buses & BUSES_VALID))
            continue;
        for (uint32_t k = 0; k < 6; k++)
            if ((buses >> (8 * k) & 0xFF) == bus)
                return i;
    }
    return NO_PACKAGE;
}

static bool same_place(const struct pci_address *a, const struct pci_address *b)
{
    return a->segment == b->segment && a->bus == b->bus && a->device == b->device && a->function == b->function;
}

/* One a package, of those that no processor is known of as well. */
static uint32_t ubox_functions(const struct pmon *pmon)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < pmon->n_functions; i++)
        n += pmon->part->bus.did && pmon->functions[i].did == pmon->part->bus.did;
    return n;
}

/* Nothing says so: the n-th function of a device id at one device and function number belongs to the n-th package. */
static uint32_t bus_package_by_order(struct finder *f, struct pci_address at)
{
    const struct pmon *pmon = f->pmon;
    uint32_t before = 0, did = 0;

    for (uint32_t i = 0; i < pmon->n_functions; i++)
        if (same_place(&pmon->functions[i].at, &at))
            did = pmon->functions[i].did;
    for (uint32_t i = 0; i < pmon->n_functions; i++) {
        const struct pci_address *other = &pmon->functions[i].at;

        if (pmon->functions[i].did == did && other->device == at.device && other->function == at.function &&
            (other->segment < at.segment || (other->segment == at.segment && other->bus < at.bus)))
            before++;
    }
    if (f->machine->n_packages > 1)
        f->pmon->packages_guessed = true;
    if (before < f->machine->n_packages)
        return before;
    return ubox_functions(pmon) > f->machine->n_packages ? NO_PACKAGE : 0;
}

uint32_t package_of_bus(struct finder *f, struct pci_address at)
{
    const struct pci_function *ubox = nearest_ubox(f->pmon, at);
    uint32_t package = ubox && ubox->at.bus == at.bus ? bus_package_by_map(f, ubox) : NO_PACKAGE;

    if (package == NO_PACKAGE && f->pmon->part->bus.msr && at.segment == 0)
        package = bus_package_by_msr(f, at.bus);
    if (package == NO_PACKAGE && ubox)
        package = bus_package_by_map(f, ubox);
    return package != NO_PACKAGE ? package : bus_package_by_order(f, at);
}

/* --- do they agree ------------------------------------------------------------------------------------------------ */

static void bus_fault(struct finder *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void bus_fault(struct finder *f, const char *format, ...)
{
    struct pmon *pmon = f->pmon;
    va_list args;

    if (pmon->n_bus_faults == BUS_FAULTS)
        return;
    va_start(args, format);
    text_vformat(pmon->bus_faults[pmon->n_bus_faults++], sizeof pmon->bus_faults[0], format, args);
    va_end(args);
}

static void compare_one(struct finder *f, const struct pci_function *ubox)
{
    uint32_t package = bus_package_by_map(f, ubox), told = NO_PACKAGE;

    if (package == NO_PACKAGE)
        bus_fault(f, "the node map on bus 0x%02x names no package of this machine", ubox->at.bus);
    for (uint32_t i = 0; i < f->pmon->n_functions && package != NO_PACKAGE; i++) {
        const struct pci_function *other = &f->pmon->functions[i];

        if (other < ubox && other->did == ubox->did && bus_package_by_map(f, other) == package)
            bus_fault(f, "the node maps on buses 0x%02x and 0x%02x both name package %u", other->at.bus, ubox->at.bus,
                      package);
    }
    if (!f->pmon->part->bus.msr || ubox->at.segment != 0)
        return;
    told = bus_package_by_msr(f, ubox->at.bus);
    if (told != package)
        bus_fault(f, "bus 0x%02x: its node map and MSR 0x%x of the packages do not agree whose it is", ubox->at.bus,
                  f->pmon->part->bus.msr);
}

void compare_buses(struct finder *f)
{
    for (uint32_t i = 0; i < f->pmon->n_functions; i++)
        if (f->pmon->part->bus.did && f->pmon->functions[i].did == f->pmon->part->bus.did)
            compare_one(f, &f->pmon->functions[i]);
}
