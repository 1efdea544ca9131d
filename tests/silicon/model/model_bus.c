/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/model_bus.c: PCI functions and memory-mapped registers of the silicon. See model.h.
 *
 * Buses: each package has as many as its part says, the last of them at the end of an equal share of the 256 numbers:
 * 7FH and FFH for two packages, 1FH, 3FH ... for eight; or of those of a PCI segment that it has alone or with another
 * package; or where the quirk bus-numbers has them; or the first one, a client's. Functions are boxes
 * (uncore.h): a standard header, then the registers of the box at their offsets, and 0 where none is. Every function
 * says that it is one of several, and those that have registers beyond 256 bytes that they are PCI Express.
 */
#include "tests/silicon/twin/twin.h"
#include "core/base/search.h"
#include "tests/silicon/uncore/model_discovery.h"
#include "tests/silicon/uncore/model_uncore_internal.h"

#define PCI_VENDOR_INTEL 0x8086u
#define PCI_CLASS_SYSTEM 0x088000u /* PCI code and ID assignment: base class 08H, sub-class 80H */
#define PCI_MULTI        BIT(23)   /* of the dword at 0CH */
#define PCI_CAP_LIST     BIT(20)   /* of the dword at 04H: status, bit 4 */
#define PCI_BASIC_BYTES  256u      /* configuration space of a function that is no PCI Express */
#define PCIE_CAP         0x40u     /* where that capability is */
#define PCIE_CAP_VALUE   0x910010u /* id 10H, the last one; version 1, root complex integrated endpoint */

static bool is_monitor(const struct uncore_box *b)
{
    return b->type->access == UNCORE_PCI && b->type->counters != 0 && b->type->unit != UNIT_PCIE;
}

/* Packages whose buses are in one PCI segment. */
static uint32_t segment_packages(const struct model *m)
{
    const struct uncore_part *part = uncore_part(m);
    uint64_t how = m->realism.value[REALISM_PCI_SEGMENTS];

    if (!part || !part->pci_buses || m->qemu || m->packages == 1 || (how == SEGMENTS_ONE && !part->pci_segments))
        return m->packages;
    return how == SEGMENTS_PAIR ? 2 : 1;
}

uint32_t uncore_segments(const struct model *m)
{
    return (m->packages + segment_packages(m) - 1) / segment_packages(m);
}

/* Bus numbers of a package. */
static uint32_t bus_share(const struct model *m)
{
    return 256u >> bits_for(segment_packages(m) - 1);
}

/* Of the bus numbers of a package, the first one of its buses; with the quirk each package has them so many before the end. */
static uint32_t first_bus(const struct model *m, uint32_t package)
{
    const struct uncore_part *part = uncore_part(m);
    uint32_t before = bus_share(m) - part->pci_buses;

    if (part->bus_zero && !m->qemu)
        return 0;
    return m->realism.value[REALISM_BUS_NUMBERS] == BUSES_UNEVEN ? before - (package + 1) % (before / 2) : before;
}

/* Which of the shares of bus numbers is a package's, and which package's a share is. */
static uint32_t bus_order(const struct model *m, uint32_t n)
{
    return m->realism.value[REALISM_BUS_NUMBERS] == BUSES_REVERSED ? m->packages - 1 - n : n;
}

/* The package of a bus number, and which of its buses it is. */
static bool find_bus(const struct model *m, uint32_t bus, uint32_t *package, uint32_t *which)
{
    uint32_t share = bus_share(m), segment = bus / 256, n = uncore_part(m) ? uncore_part(m)->pci_buses : 0;
    uint32_t place = segment * segment_packages(m) + bus % 256 / share;

    if (n == 0 || bus % 256 / share >= segment_packages(m) || place >= m->packages)
        return false;
    *package = bus_order(m, place);
    *which = bus % share - first_bus(m, *package);
    return *which < n;
}

bool model_pci_bus(const struct model *m, uint32_t bus)
{
    uint32_t package, which;

    return find_bus(m, bus, &package, &which);
}

uint32_t uncore_bus(const struct model *m, uint32_t package, uint32_t which)
{
    uint32_t place = bus_order(m, package), in_segment = place % segment_packages(m);

    return twin_bus(m, place / segment_packages(m) * 256 + in_segment * bus_share(m) + first_bus(m, package) + which);
}

/* Is it the monitor function that a fault is about? They are counted in the order of their boxes. A root port is none:
 * one that nobody uses is not there on any part. */
static bool function_broken(struct model *m, const struct uncore_box *b, enum fault_id id)
{
    struct uncore *u = uncore_of(m, b->package);
    uint32_t n = 0, position = 0;

    if (!fault_on(&m->faults, id) || !is_monitor(b))
        return false;
    for (uint32_t i = 0; i < u->boxes; i++) {
        position = &u->box[i] == b ? n : position;
        n += is_monitor(&u->box[i]);
    }
    return n != 0 && position == fault_place(&m->faults, id, n);
}

/* A request for a function on the bus behind the root port: passed on where it is for device 0, the only one at the
 * other end of a link (PCI Express Base Specification 3.0, 7.3.1), whether it has the function or not. */
static void pass_on(struct model *m, uint32_t function, bool write)
{
    uint32_t package, which;

    if (!find_bus(m, function >> 8, &package, &which) || which == 0 || which != uncore_part(m)->port.bus ||
        (function & 0xF8))
        return;
    pthread_mutex_lock(&m->package[package].lock);
    uncore_of(m, package)->config[write]++;
    pthread_mutex_unlock(&m->package[package].lock);
}

static uint32_t id_of(const struct model *m, const struct uncore_box *b)
{
    return (uint32_t)(m->profile->uncore->did | b->type->places[b->index].did) << 16 | PCI_VENDOR_INTEL;
}

static struct uncore_box *find_function(struct model *m, uint32_t function, uint32_t *package)
{
    struct uncore *u;
    uint32_t which;

    if (!find_bus(m, function >> 8, package, &which))
        return NULL;
    u = uncore_of(m, *package);
    EACH(struct uncore_box, b, u->box, u->boxes) {
        if (b->type->access == UNCORE_PCI && b->base == (function & 0xFF) && b->type->places[b->index].bus == which)
            return twin_hides(m, function, id_of(m, b)) || function_broken(m, b, FAULT_PCI_HIDDEN) ||
                           (is_monitor(b) && m->realism.value[REALISM_PMON_KEPT] == KEPT_FUNCTIONS)
                       ? NULL
                       : b;
    }
    return NULL;
}

bool model_pci_has(struct model *m, uint32_t function)
{
    uint32_t package;

    return find_function(m, function, &package) != NULL;
}

/* A function with registers beyond the first 256 bytes says so by a PCI Express capability, since an operating system
 * lets nobody read them elsewhere: Linux' pci_cfg_space_size(), through which PCM and likwid read M2M and UPI of
 * Skylake-SP and later. */
static bool is_express(const struct uncore_box *b)
{
    struct uncore_at at;
    bool beyond = false;

    for (uint32_t i = 0; i < b->type->n_regs; i++)
        beyond |= b->type->regs[i].offset >= PCI_BASIC_BYTES;
    return beyond && !uncore_find(b, PCIE_CAP, &at);
}

static uint32_t header(const struct model *m, const struct uncore_box *b, uint32_t offset)
{
    uint32_t class = b->type->pci_class ? b->type->pci_class : PCI_CLASS_SYSTEM;

    switch (offset) {
    case 0x00:
        return id_of(m, b);
    case 0x04:
        return is_express(b) ? PCI_CAP_LIST : 0;
    case 0x08:
        return class << 8 | 1;
    case 0x0C:
        return PCI_MULTI;
    case 0x2C:
        return PCI_VENDOR_INTEL;
    case 0x34:
        return is_express(b) ? PCIE_CAP : 0;
    case PCIE_CAP:
        return is_express(b) ? PCIE_CAP_VALUE : 0;
    default:
        return 0;
    }
}

/* What stands where no register of the box is: as recorded, else as above. */
static uint32_t outside(const struct model *m, const struct uncore_box *b, uint32_t function, uint32_t offset,
                        uint32_t bytes)
{
    const struct recorded_function *f = twin_shows(m, function, id_of(m, b));
    uint32_t own = header(m, b, offset & ~3u) >> 8 * (offset & 3), value = 0;

    for (uint32_t i = 0; f && i < bytes; i++)
        value |= (uint32_t)twin_config(f, offset + i, (uint8_t)(own >> 8 * i)) << 8 * i;
    return f ? value : own;
}

/* --- registers of a box, by bytes */

static uint32_t span_of(const struct uncore_at *at, uint32_t offset, uint32_t bytes)
{
    uint32_t left = at->start + (at->reg->bytes ? at->reg->bytes : 4) - offset;

    return left < bytes ? left : bytes;
}

/* hole: what stands where no register is, by bytes. */
static uint64_t read_bytes(struct model *m, struct uncore_box *b, uint32_t offset, uint32_t bytes, uint64_t tsc,
                           uint64_t hole)
{
    uint64_t value = 0;

    for (uint32_t done = 0, n; done < bytes; done += n) {
        struct uncore_at at;
        uint64_t part = hole >> 8 * done;

        n = 1;
        if (uncore_find(b, offset + done, &at)) {
            n = span_of(&at, offset + done, bytes - done);
            part = uncore_reg_read(m, b, &at, tsc) >> 8 * (offset + done - at.start);
        }
        value |= (part & low_bits(8 * n)) << 8 * done;
    }
    return value;
}

/* What a write of some bytes leaves in the others: themselves, but 0 where a written 1 acts. */
static uint64_t untouched(struct model *m, struct uncore_box *b, const struct uncore_at *at, uint64_t tsc,
                          bool low_dword)
{
    if (at->reg->kind == REG_STATUS || at->reg->kind == REG_GLOBAL_STATUS || at->reg->kind == REG_GLOBAL_CLEAR)
        return 0;
    if (at->reg->kind == REG_CTR && low_dword && b->type->access == UNCORE_PCI &&
        uncore_broken(m, b, FAULT_PMON_LOW_CLEARS_HIGH))
        return 0;
    return uncore_reg_held(m, b, at, tsc);
}

static void write_bytes(struct model *m, struct uncore_box *b, uint32_t offset, uint32_t bytes, uint64_t tsc,
                        uint64_t value)
{
    for (uint32_t done = 0, n; done < bytes; done += n) {
        struct uncore_at at;
        uint64_t mask;
        uint32_t shift;

        n = 1;
        if (!uncore_find(b, offset + done, &at))
            continue;
        n = span_of(&at, offset + done, bytes - done);
        shift = 8 * (offset + done - at.start);
        mask = low_bits(8 * n) << shift;
        (void)uncore_reg_write(m, b, &at, tsc,
                               (untouched(m, b, &at, tsc, mask == UINT32_MAX) & ~mask) |
                                   (value >> 8 * done << shift & mask));
    }
}

/* --- PCI */

uint32_t model_pci_read(struct model *m, uint32_t function, uint32_t offset, uint32_t bytes, uint64_t tsc)
{
    uint32_t package, value;
    struct uncore_box *b = find_function(m, function, &package);

    pass_on(m, function, false);
    if (!b || (offset >= 0x40 && function_broken(m, b, FAULT_PCI_ALL_ONES)))
        return (uint32_t)low_bits(8 * bytes);
    if (m->agents)
        cache_agents(m, tsc);
    pthread_mutex_lock(&m->package[package].lock);
    value = (uint32_t)read_bytes(m, b, offset, bytes, tsc, outside(m, b, function, offset, bytes));
    pthread_mutex_unlock(&m->package[package].lock);
    return value;
}

void model_pci_write(struct model *m, uint32_t function, uint32_t offset, uint32_t bytes, uint64_t tsc, uint32_t value)
{
    uint32_t package;
    struct uncore_box *b = find_function(m, function, &package);

    pass_on(m, function, true);
    if (!b || function_broken(m, b, FAULT_PCI_ALL_ONES))
        return;
    pthread_mutex_lock(&m->package[package].lock);
    write_bytes(m, b, offset, bytes, tsc, value);
    pthread_mutex_unlock(&m->package[package].lock);
}

/* --- the window */

static uint64_t boxes_bytes(const struct model *m)
{
    return uncore_part(m) ? uncore_part(m)->mmio_bytes * m->packages : 0;
}

uint64_t rdt_erdt_base(const struct model *m)
{
    return MODEL_MMIO_BASE + boxes_bytes(m);
}

uint64_t model_mmio_bytes(const struct model *m)
{
    return boxes_bytes(m) + rdt_erdt_bytes(m);
}

static uint64_t tables_of_package(const struct model *m)
{
    const struct uncore_box_type *t = uncore_part(m) ? discovery_tables(m) : NULL;

    return t ? (uint64_t)t->count * DISCOVERY_BYTES : 0;
}

uint64_t model_tables_bytes(const struct model *m)
{
    return tables_of_package(m) * m->packages;
}

/* Where in the window an address is. */
static uint64_t in_window(const struct model *m, uint64_t physical)
{
    uint64_t at = physical - MODEL_TABLES_BASE, each = tables_of_package(m);
    const struct uncore_part *part = uncore_part(m);

    if (part && physical - part->beside.address < part->beside.bytes)
        return MODEL_MMIO_BASE + part->beside.at + (physical - part->beside.address);
    if (each == 0 || at >= each * m->packages)
        return physical;
    return MODEL_MMIO_BASE + at / each * uncore_part(m)->mmio_bytes + discovery_tables(m)->base + at % each;
}

bool model_maps(const struct model *m, uint64_t physical)
{
    return in_window(m, physical) - MODEL_MMIO_BASE < model_mmio_bytes(m);
}

/* Does nothing answer for it? With a fault: for a memory channel. */
static bool channel_broken(const struct model *m, const struct uncore_box *b)
{
    if (m->realism.value[REALISM_PMON_KEPT] == KEPT_MEMORY && b->type->unit != UNIT_FUNCTION)
        return true;
    return fault_on(&m->faults, FAULT_MMIO_ALL_ONES) && b->type->unit == UNIT_IMC &&
           b->index == fault_place(&m->faults, FAULT_MMIO_ALL_ONES, uncore_channels(m));
}

static struct uncore_box *find_mapped(struct model *m, uint64_t physical, uint32_t *offset)
{
    uint64_t at = physical - MODEL_MMIO_BASE, share;
    struct uncore *u;

    if (at >= boxes_bytes(m))
        return NULL;
    share = uncore_part(m)->mmio_bytes;
    u = uncore_of(m, (uint32_t)(at / share));
    EACH(struct uncore_box, b, u->box, u->boxes) {
        struct uncore_at found;

        *offset = (uint32_t)(at % share) - b->base;
        if (b->type->access == UNCORE_MMIO && at % share >= b->base && uncore_find(b, *offset, &found))
            return channel_broken(m, b) || !uncore_is_decoded(m, b) ? NULL : b;
    }
    return NULL;
}

uint64_t model_mmio_read(struct model *m, uint64_t physical, uint32_t bytes, uint64_t tsc)
{
    uint32_t offset;
    struct uncore_box *b;
    uint64_t value;

    physical = in_window(m, physical);
    if (physical >= rdt_erdt_base(m))
        return rdt_erdt_read(m, physical - rdt_erdt_base(m), bytes);
    b = find_mapped(m, physical, &offset);
    if (!b)
        return low_bits(8 * bytes);
    if (m->agents)
        cache_agents(m, tsc);
    pthread_mutex_lock(&m->package[b->package].lock);
    value = read_bytes(m, b, offset, bytes, tsc, UINT64_MAX);
    pthread_mutex_unlock(&m->package[b->package].lock);
    return value;
}

void model_mmio_write(struct model *m, uint64_t physical, uint32_t bytes, uint64_t tsc, uint64_t value)
{
    uint32_t offset;
    struct uncore_box *b;

    if (physical >= rdt_erdt_base(m)) {
        rdt_erdt_write(m, physical - rdt_erdt_base(m), bytes, value);
        return;
    }
    b = find_mapped(m, physical, &offset);
    if (!b)
        return;
    pthread_mutex_lock(&m->package[b->package].lock);
    write_bytes(m, b, offset, bytes, tsc, value);
    pthread_mutex_unlock(&m->package[b->package].lock);
}
