/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* MADT, SRAT, MCFG and FADT: tables of entries and of fields. */
#include "arch/x86/tables/acpi_internal.h"

#include <string.h>

#include "core/base/bits.h"
#include "core/base/heap.h"

/* --- layouts ------------------------------------------------------------------------------------------------------ */

#define MADT_ENTRIES 44u                 /* 5.2.12: header, local APIC address, flags */
#define SRAT_ENTRIES 48u                 /* 5.2.16: header, 12 reserved */
#define PHYSICAL_END (UINT64_C(1) << 52) /* SDM vol. 3A 4.1.4: MAXPHYADDR is 52 at most */
#define MCFG_ENTRIES 44u                 /* PCI Firmware 4.1.2: header, 8 reserved */

#define MADT_LOCAL_APIC   0u
#define MADT_LOCAL_X2APIC 9u
#define SRAT_CPU          0u
#define SRAT_MEMORY       1u
#define SRAT_X2APIC       2u

#define SRAT_MAX_CPUS   65536u /* bounds a linear search over processors */
#define SRAT_MAX_MEMORY 8192u

#define SRAT_FLAGS_ENABLED        BIT(0)
#define SRAT_MEMORY_HOT_PLUGGABLE BIT(1)
#define SRAT_MEMORY_NON_VOLATILE  BIT(2)

struct madt_local_apic { /* 5.2.12.2 */
    uint8_t type, length, processor_uid, apic_id;
    uint32_t flags;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_local_apic) == 8, "ACPI 5.2.12.2");

struct madt_local_x2apic { /* 5.2.12.12 */
    uint8_t type, length;
    uint16_t reserved;
    uint32_t x2apic_id, flags, processor_uid;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_local_x2apic) == 16, "ACPI 5.2.12.12");

struct srat_cpu { /* 5.2.16.1 */
    uint8_t type, length, proximity_low, apic_id;
    uint32_t flags;
    uint8_t sapic_eid, proximity_high[3];
    uint32_t clock_domain;
} __attribute__((packed));
_Static_assert(sizeof(struct srat_cpu) == 16, "ACPI 5.2.16.1");

struct srat_memory { /* 5.2.16.2 */
    uint8_t type, length;
    uint32_t proximity;
    uint16_t reserved1;
    uint64_t base, bytes;
    uint32_t reserved2, flags;
    uint64_t reserved3;
} __attribute__((packed));
_Static_assert(sizeof(struct srat_memory) == 40, "ACPI 5.2.16.2");

struct srat_x2apic { /* 5.2.16.3 */
    uint8_t type, length;
    uint16_t reserved1;
    uint32_t proximity, x2apic_id, flags, clock_domain, reserved2;
} __attribute__((packed));
_Static_assert(sizeof(struct srat_x2apic) == 24, "ACPI 5.2.16.3");

struct mcfg_entry {
    uint64_t base;
    uint16_t segment;
    uint8_t first_bus, last_bus;
    uint32_t reserved;
} __attribute__((packed));
_Static_assert(sizeof(struct mcfg_entry) == 16, "PCI Firmware Specification 4.1.2");

/* FADT, 5.2.9: fields by offset, since its length grew with each revision. */
#define FADT_PM_TMR_BLK        76u
#define FADT_PM_TMR_LEN        91u
#define FADT_FLAGS             112u
#define FADT_FLAGS_TMR_VAL_EXT BIT(8)
#define FADT_X_PM_TMR_BLK      208u /* generic address: space, width, offset, access size, 64-bit address */
#define GAS_BYTES              12u
#define GAS_SYSTEM_IO          1u

/* --- tables of entries -------------------------------------------------------------------------------------------- */

/* Entries of a type byte and a length byte. entry_next() steps over them; the entry handed out lies wholly inside. */
struct entries {
    const uint8_t *at, *end;
    bool broken;
};

static struct entries entries_of(const struct table *t, uint32_t offset)
{
    return (struct entries){ t->bytes + (offset < t->length ? offset : t->length), t->bytes + t->length,
                             t->length < offset };
}

static const uint8_t *entry_next(struct entries *e)
{
    const uint8_t *entry = e->at;

    if (e->broken || e->at == e->end)
        return NULL;
    if (e->end - e->at < 2 || entry[1] < 2 || entry[1] > e->end - e->at) {
        e->broken = true;
        return NULL;
    }
    e->at += entry[1];
    return entry;
}

/* Copies an entry of a known type into its structure; false: too short for it. Longer is a later revision's matter. */
static bool entry_as(const uint8_t *entry, void *out, size_t bytes)
{
    if (entry[1] < bytes)
        return false;
    memcpy(out, entry, bytes);
    return true;
}

static const char entry_length[] = "an entry's length is 0 or beyond the table";

/* MADT: a processor that is listed in both shapes is one with an id below 255 and one above; both are taken. */
enum status acpi_read_madt(struct acpi_info *info, struct table *t)
{
    struct entries e = entries_of(t, MADT_ENTRIES);
    uint32_t n = 0;
    const uint8_t *entry;

    while ((entry = entry_next(&e)))
        n += entry[0] == MADT_LOCAL_APIC || entry[0] == MADT_LOCAL_X2APIC;
    if (e.broken) {
        table_error(t, ST_CORRUPT, entry_length);
        return ST_OK;
    }
    TRY_HEAP(info->cpus, n ? n : 1);
    for (e = entries_of(t, MADT_ENTRIES); (entry = entry_next(&e));) {
        struct madt_local_apic a;
        struct madt_local_x2apic x;

        /* Ids of broadcasts are no processor's: entries of one that is not there, or whose id is in an x2APIC entry (Linux
         * arch/x86/kernel/acpi/boot.c). */
        if (entry[0] == MADT_LOCAL_APIC && entry_as(entry, &a, sizeof a) && a.apic_id != UINT8_MAX)
            info->cpus[info->n_cpus++] = (struct acpi_cpu){ a.apic_id, a.flags };
        if (entry[0] == MADT_LOCAL_X2APIC && entry_as(entry, &x, sizeof x) && x.x2apic_id != UINT32_MAX)
            info->cpus[info->n_cpus++] = (struct acpi_cpu){ x.x2apic_id, x.flags };
    }
    info->madt = true;
    return ST_OK;
}

static void take_affinity(struct acpi_info *info, uint32_t apic_id, uint32_t proximity, uint32_t flags)
{
    if (flags & SRAT_FLAGS_ENABLED)
        info->affinity_cpus[info->n_affinity_cpus++] = (struct acpi_affinity_cpu){ apic_id, proximity };
}

/* One entry of the SRAT. NULL, or what is wrong with it. Before revision 2 a domain had 8 bits, and what are its high
 * bytes now was reserved. */
static const char *take_srat_entry(struct acpi_info *info, const uint8_t *entry, bool wide)
{
    struct srat_cpu c;
    struct srat_memory m;
    struct srat_x2apic x;

    if (entry[0] == SRAT_CPU && entry_as(entry, &c, sizeof c)) {
        uint32_t high = c.proximity_high[0] | (uint32_t)c.proximity_high[1] << 8 | (uint32_t)c.proximity_high[2] << 16;

        take_affinity(info, c.apic_id, c.proximity_low | (wide ? high << 8 : 0), c.flags);
    } else if (entry[0] == SRAT_X2APIC && entry_as(entry, &x, sizeof x)) {
        take_affinity(info, x.x2apic_id, x.proximity, x.flags);
    } else if (entry[0] == SRAT_MEMORY && entry_as(entry, &m, sizeof m)) {
        if (!(m.flags & SRAT_FLAGS_ENABLED) || m.bytes == 0)
            return NULL;
        if (m.base + (m.bytes - 1) < m.base)
            return "a memory range runs over the end of the address space";
        info->affinity_memory[info->n_affinity_memory++] = (struct acpi_affinity_memory){
            .base = m.base,
            .bytes = m.bytes,
            .proximity = wide ? m.proximity : m.proximity & 0xFF,
            .hot_pluggable = m.flags & SRAT_MEMORY_HOT_PLUGGABLE,
            .non_volatile = m.flags & SRAT_MEMORY_NON_VOLATILE,
        };
    }
    return NULL;
}

void acpi_drop_srat(struct acpi_info *info)
{
    heap_free(info->affinity_cpus);
    heap_free(info->affinity_memory);
    info->affinity_cpus = NULL;
    info->affinity_memory = NULL;
    info->n_affinity_cpus = info->n_affinity_memory = 0;
}

enum status acpi_read_srat(struct acpi_info *info, struct table *t)
{
    struct entries e = entries_of(t, SRAT_ENTRIES);
    bool wide = t->bytes[offsetof(struct header, revision)] >= 2;
    uint32_t n_cpus = 0, n_memory = 0;
    const uint8_t *entry;

    while ((entry = entry_next(&e))) {
        n_cpus += entry[0] == SRAT_CPU || entry[0] == SRAT_X2APIC;
        n_memory += entry[0] == SRAT_MEMORY;
    }
    if (e.broken) {
        table_error(t, ST_CORRUPT, entry_length);
        return ST_OK;
    }
    if (n_cpus > SRAT_MAX_CPUS || n_memory > SRAT_MAX_MEMORY) {
        table_error(t, ST_CORRUPT, "more entries than any machine has");
        return ST_OK;
    }
    TRY_HEAP(info->affinity_cpus, n_cpus ? n_cpus : 1);
    TRY_HEAP(info->affinity_memory, n_memory ? n_memory : 1);
    for (e = entries_of(t, SRAT_ENTRIES); (entry = entry_next(&e));) {
        const char *what = take_srat_entry(info, entry, wide);

        if (what) {
            acpi_drop_srat(info);
            table_error(t, ST_CORRUPT, what);
            return ST_OK;
        }
    }
    info->srat = true;
    return ST_OK;
}

#define BUS_BYTES (UINT64_C(1) << 20) /* of a window: 32 devices of 8 functions of 4 KiB each */

static uint64_t bus_at(uint64_t base, uint32_t bus)
{
    return base + bus * BUS_BYTES;
}

/* Why an entry cannot be, after the n before it; NULL: it can. A window is 1 MiB a bus, and begins with bus 0 whatever its first
 * bus is: PCI Firmware 4.1.2, PCI Express Base 7.2.2. A wrong table has its windows where something else is, and what is written
 * to a device through one would go there. */
static const char *mcfg_lie(const struct mcfg_entry *m, const struct acpi_mcfg *before, uint32_t n)
{
    uint64_t from = bus_at(m->base, m->first_bus), to = bus_at(m->base, m->last_bus + 1u);

    if (m->last_bus < m->first_bus)
        return "last bus below first bus";
    if (m->base == 0)
        return "base address is 0";
    if (m->base % BUS_BYTES)
        return "base address is not a multiple of 1 MiB";
    if (m->base >= PHYSICAL_END || to > PHYSICAL_END)
        return "a window beyond the 52 bits of an address";
    EACH(const struct acpi_mcfg, b, before, n) {
        if (b->segment == m->segment && b->first_bus <= m->last_bus && m->first_bus <= b->last_bus)
            return "two windows have the same bus";
        if (from < bus_at(b->base, b->last_bus + 1u) && bus_at(b->base, b->first_bus) < to)
            return "two windows overlap";
    }
    return NULL;
}

enum status acpi_read_mcfg(struct acpi_info *info, struct table *t)
{
    uint32_t n = t->length > MCFG_ENTRIES ? (t->length - MCFG_ENTRIES) / (uint32_t)sizeof(struct mcfg_entry) : 0;

    if (t->length < MCFG_ENTRIES || (t->length - MCFG_ENTRIES) % sizeof(struct mcfg_entry)) {
        table_error(t, ST_CORRUPT, "not a whole number of entries");
        return ST_OK;
    }
    TRY_HEAP(info->mcfg, n ? n : 1);
    for (uint32_t i = 0; i < n; i++) {
        struct mcfg_entry m;
        const char *lie;

        memcpy(&m, t->bytes + MCFG_ENTRIES + sizeof m * i, sizeof m);
        lie = mcfg_lie(&m, info->mcfg, info->n_mcfg);
        if (lie) {
            heap_free(info->mcfg);
            info->mcfg = NULL;
            info->n_mcfg = 0;
            table_error(t, ST_CORRUPT, lie);
            return ST_OK;
        }
        info->mcfg[info->n_mcfg++] = (struct acpi_mcfg){ m.base, m.segment, m.first_bus, m.last_bus };
    }
    info->mcfg_present = true;
    return ST_OK;
}

void acpi_read_fadt(struct acpi_info *info, const struct table *t)
{
    uint32_t block = 0, flags = 0;

    if (t->length >= FADT_PM_TMR_LEN + 1 && t->bytes[FADT_PM_TMR_LEN] == 4)
        memcpy(&block, t->bytes + FADT_PM_TMR_BLK, sizeof block);
    if (t->length >= FADT_FLAGS + sizeof flags)
        memcpy(&flags, t->bytes + FADT_FLAGS, sizeof flags);
    if (t->length >= FADT_X_PM_TMR_BLK + GAS_BYTES && t->bytes[FADT_X_PM_TMR_BLK] == GAS_SYSTEM_IO) {
        uint64_t address;

        memcpy(&address, t->bytes + FADT_X_PM_TMR_BLK + 4, sizeof address);
        if (address != 0)
            block = address <= UINT16_MAX ? (uint32_t)address : 0;
    }
    info->pm_timer_port = block <= UINT16_MAX ? block : 0;
    info->pm_timer_32bit = info->pm_timer_port && (flags & FADT_FLAGS_TMR_VAL_EXT);
}

bool acpi_lists(const struct acpi_info *info, uint32_t i)
{
    const struct acpi_cpu *c = &info->cpus[i];

    if (ANY_OF(k, i, info->cpus[k].apic_id == c->apic_id && (info->cpus[k].flags & ACPI_CPU_ENABLED)))
        return false;
    return c->flags & ACPI_CPU_ENABLED;
}
