/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/host/host_tables.c: the ACPI and SMBIOS tables of a machine that the model could stand in.
 *
 * Source: ACPI specification 6.5 5.2.5 (RSDP), 5.2.6 (header), 5.2.8 (XSDT), 5.2.12 (MADT), 5.2.16 (SRAT); PCI Firmware
 * Specification 3.3 4.1.2 (MCFG); DMTF DSP0134
 * 3.6 5.2.2 (64-bit entry point), 7.1 to 7.45.
 */
#include "tests/silicon/host/host_platform_internal.h"
#include "tests/silicon/rdt/model_erdt.h"
#include "tests/silicon/model/model_writer.h"
#include "tests/silicon/twin/twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLES_MAX   (1u << 20) /* beside recorded ones */
#define OWN_TABLES   6u
#define MCFG_BASE    UINT64_C(0xC000000000) /* configuration space, 256 MiB a segment */
#define MCFG_SEGMENT (UINT64_C(256) << 20)

/* --- ACPI */

/* The processor of the i-th entry. */
static uint32_t listed(const struct model *m, uint32_t i)
{
    uint32_t each = m->cpus / m->packages, cores = each / m->threads, thread = 0;

    if (!m->realism.value[REALISM_TABLE_ORDER])
        return i;
    for (; i >= cores * m->packages && thread + 1 < m->threads; i -= cores * m->packages)
        thread++;
    return i % m->packages * each + i / m->packages * m->threads + thread;
}

enum { DISABLED_NONE, DISABLED_ABSENT, DISABLED_REPEATED, DISABLED_255 };

/* Entries of processors that are not fitted; their ids. */
static uint32_t disabled_entries(const struct model *m)
{
    uint32_t most = m->cpus < 8 ? m->cpus : 8;

    return m->realism.value[REALISM_DISABLED_ENTRIES] ? most : 0;
}

static uint32_t disabled_id(const struct model *m, uint32_t i)
{
    uint64_t how = m->realism.value[REALISM_DISABLED_ENTRIES];
    uint32_t id = model_apic_id(m, how == DISABLED_ABSENT ? m->cpus - 1 : i) + (how == DISABLED_ABSENT ? 1 + i : 0);

    return how == DISABLED_255 || id > 255 ? 255 : id;
}

static void madt_processor(struct writer *w, uint32_t uid, uint32_t id, uint32_t flags)
{
    if (id < 255 || flags == 0) { /* processor local APIC */
        PUT(w, U8(0), U8(8), U8(uid), U8(id), U32(flags));
    } else { /* processor local x2APIC */
        PUT(w, U8(9), U8(16), U16(0), U32(id), U32(flags), U32(uid));
    }
}

static size_t madt(struct writer *w, const struct model *m)
{
    size_t start = table_begin(w, "APIC", 5);

    PUT(w, U32(0xFEE00000), U32(1) /* PCAT_COMPAT */);
    for (uint32_t i = 0; i < model_cpus(m); i++)
        madt_processor(w, i, model_apic_id(m, listed(m, i)), 1);
    for (uint32_t i = 0; i < disabled_entries(m); i++)
        madt_processor(w, model_cpus(m) + i, disabled_id(m, i), 0);
    table_end(w, start);
    return start;
}

/* The node that the SRAT names for a processor: its own, but for the fault. */
static uint32_t srat_node(const struct model *m, uint32_t cpu)
{
    uint32_t node = model_node(m, cpu), nodes = m->packages * m->clusters;

    if (memory_interleaved(m))
        return 0;
    if (!fault_on(&m->faults, FAULT_SRAT_PROCESSOR))
        return node;
    if (m->faults.value[FAULT_SRAT_PROCESSOR] == UINT64_MAX)
        return model_package(m, cpu) == m->packages - 1 ? 0 : node;
    return cpu == fault_place(&m->faults, FAULT_SRAT_PROCESSOR, m->cpus) ? (node + nodes / 2) % nodes : node;
}

static void srat_processor(struct writer *w, uint32_t node, uint32_t id, uint32_t flags)
{
    if (id < 255 || flags == 0) {
        PUT(w, U8(0), U8(16), U8(node), U8(id), U32(flags), U64(0));
    } else {
        PUT(w, U8(2), U8(24), U16(0), U32(node), U32(id), U32(flags), U64(0));
    }
}

static void srat_memory(struct writer *w, uint32_t node, uint64_t base, uint64_t bytes, uint32_t flags)
{
    PUT(w, U8(1), U8(40), U32(node), U16(0), U64(base), U64(bytes), U32(0), U32(flags), U64(0));
}

enum { INTERLEAVED_NOT, INTERLEAVED_ONE_NODE, INTERLEAVED_NO_SRAT };
enum { RANGES_WHOLE, RANGES_EMPTY, RANGES_HOT_PLUG };
#define HOT_PLUG_BYTES (UINT64_C(64) << 30)

/* Of the nth of its ranges. */
static uint32_t memory_node(const struct model *m, uint32_t n)
{
    if (memory_interleaved(m))
        return 0;
    return fault_on(&m->faults, FAULT_SRAT_SWAPPED) && n < 2 ? 1 - n : n;
}

static size_t srat(struct writer *w, const struct model *m, uint64_t memory_base, uint64_t node_bytes)
{
    size_t start = table_begin(w, "SRAT", 3);
    uint64_t ranges = m->realism.value[REALISM_SRAT_RANGES];

    PUT(w, U32(1), U64(0));
    for (uint32_t i = 0; i < model_cpus(m); i++)
        srat_processor(w, srat_node(m, listed(m, i)), model_apic_id(m, listed(m, i)), 1);
    for (uint32_t i = 0; i < disabled_entries(m); i++)
        srat_processor(w, 0, disabled_id(m, i), 0);
    for (uint32_t n = 0; n < memory_nodes(m); n++) {
        uint64_t alone = m->realism.value[REALISM_MEMORY_NODE] && n == memory_nodes(m) - 1 ? node_bytes / 2 : 0;

        srat_memory(w, memory_node(m, n), memory_base + n * node_bytes, node_bytes - alone, 1);
        if (alone)
            srat_memory(w, m->packages * m->clusters, memory_base + (n + 1) * node_bytes - alone, alone, 1);
    }
    for (uint32_t i = 0; ranges == RANGES_EMPTY && i < 4; i++)
        srat_memory(w, 0, 0, 0, 0);
    if (ranges == RANGES_HOT_PLUG) /* enabled and hot-pluggable */
        srat_memory(w, 0, memory_base + memory_nodes(m) * node_bytes, HOT_PLUG_BYTES, 3);
    table_end(w, start);
    return start;
}

/* Of machines with several PCI segments; others are reached without it. */
static uint32_t mcfg(struct writer *w, const struct model *m, size_t *start)
{
    uint32_t segments = uncore_segments(m);

    if (segments == 1)
        return 0;
    *start = table_begin(w, "MCFG", 1);
    put(w, 0, 8);
    for (uint32_t i = 0; i < segments; i++) {
        PUT(w, U64(MCFG_BASE + i * MCFG_SEGMENT), U16(i), U8(0), U8(255), U32(0));
    }
    table_end(w, *start);
    return 1;
}

/* Every table that was recorded, as it was. */
static uint32_t recorded(struct writer *w, const struct model *m, size_t *starts)
{
    const struct recording *r = m->twin ? m->twin->recording : NULL;
    uint32_t n = 0;

    for (uint32_t i = 0; r && i < r->n_tables; i++) {
        uint8_t *image = recording_table_image(&r->tables[i]);

        if (!image)
            continue;
        put_align(w, 64);
        starts[n++] = w->at;
        memcpy(w->bytes + w->at, image, r->tables[i].bytes.n);
        w->at += r->tables[i].bytes.n;
        free(image);
    }
    return n;
}

static void acpi(struct firmware_tables *t, struct writer *w, const struct model *m, uint64_t memory_base,
                 uint64_t node_bytes, size_t *tables)
{
    size_t rsdp = w->at, xsdt;
    uint32_t n;

    w->at += 64; /* the RSDP is written last */
    n = recorded(w, m, tables);
    if (!host_twin_table(m, "APIC"))
        tables[n++] = madt(w, m);
    if (!host_twin_table(m, "SRAT") && m->realism.value[REALISM_NODE_INTERLEAVING] != INTERLEAVED_NO_SRAT) {
        tables[n++] = srat(w, m, memory_base, node_bytes);
        if (!host_twin_table(m, "ERDT")) /* they name the model's own memory */
            n += erdt_tables(w, m, memory_base, node_bytes, tables + n);
    }
    if (!host_twin_table(m, "MCFG"))
        n += mcfg(w, m, tables + n);
    if (fault_on(&m->faults, FAULT_ACPI_CHECKSUM))
        w->bytes[tables[1] + 9]++;
    xsdt = table_begin(w, "XSDT", 1);
    for (uint32_t i = 0; i < n; i++)
        put(w, t->base + tables[i], 8);
    table_end(w, xsdt);

    put_rsdp(&(struct writer){ w->bytes, rsdp }, 2, 0, t->base + xsdt);
    t->rsdp = t->base + rsdp;
}

/* --- SMBIOS */

#define STRINGS(...) ((const char *const[]){ __VA_ARGS__, NULL }) /* numbered from 1 */

static void structure_begin(struct writer *w, uint8_t type, uint8_t length, uint16_t handle)
{
    PUT(w, U8(type), U8(length), U16(handle));
}

static void structure_end(struct writer *w, const char *const *strings)
{
    size_t start = w->at;

    for (; *strings; strings++) {
        memcpy(w->bytes + w->at, *strings, strlen(*strings));
        w->at += strlen(*strings) + 1;
    }
    w->at += w->at == start ? 2 : 1;
}

static void smbios_identity(struct writer *w, const struct model *m)
{
    structure_begin(w, 0, 0x18, 0); /* BIOS information: not supported, UEFI, release 1.0, no controller */
    PUT(w, U8(1), U8(2), U16(0xE000), U8(3), U8(0xFF), U64(BIT(3)), U16(0x0800), U32(0xFFFF0001));
    structure_end(w, STRINGS("Assay", "1.0", "01/01/2026"));
    structure_begin(w, 1, 0x1B, 1); /* system information: UUID, power switch */
    PUT(w, U8(1), U8(2), U8(3), U8(4), U64(UINT64_C(0x4A11C0DE00000001)), U64(m->seed ^ UINT64_C(0x80000000000000A5)),
        U8(6), U8(5), U8(6));
    structure_end(w, STRINGS("Assay", "Virtual silicon", m->profile->name, "MODEL-0001", "bench", "Assay"));
    structure_begin(w, 2, 0x0F, 2); /* baseboard information: hosting board, motherboard */
    PUT(w, U8(1), U8(2), U8(3), U8(4), U8(0), U8(1), U8(0), U16(3), U8(10), U8(0));
    structure_end(w, STRINGS("Assay", "Model board", "1", "BOARD-0001"));
}

static void smbios_processor(struct writer *w, const struct model *m, uint32_t package)
{
    char socket[16], brand[49] = "";
    uint32_t regs[4], threads = m->cores * m->threads;
    uint64_t mhz = m->tsc_hz / 1000000;
    uint8_t cores = m->cores > 255 ? 0xFF : (uint8_t)m->cores;

    snprintf(socket, sizeof socket, "CPU%u", package + 1);
    for (uint32_t i = 0; i < 3; i++) {
        profile_find(m->profile, 0x80000002u + i, 0, regs);
        memcpy(brand + 16 * i, regs, 16);
    }
    profile_find(m->profile, 1, 0, regs);
    structure_begin(w, 4, 0x30, (uint16_t)(0x400 + package));
    PUT(w, U8(1), U8(3), U8(0xB3), U8(2),                        /* central processor, Xeon */
        U64((uint64_t)regs[3] << 32 | regs[0]), U8(3), U8(0x92), /* 1.8 V */
        U16(100), U16(4000), U16(mhz), U8(0x41), U8(0x2B),       /* populated, enabled; LGA2011-3 */
        U16(0xFFFF), U16(0xFFFF), U16(0xFFFF), ZEROS(3),         /* caches; serial number, asset tag, part number */
        U8(cores), U8(cores), U8(threads > 255 ? 0xFF : threads), U16(0xFC), U16(0xB3), U16(m->cores), U16(m->cores),
        U16(threads));
    structure_end(w, STRINGS(socket, "Intel(R) Corporation", brand + strspn(brand, " ")));
}

enum { FORM_DIMM = 9, FORM_DIE = 16, TYPE_DDR4 = 0x1A, TYPE_HBM2 = 0x21 };

static void smbios_device(struct writer *w, uint16_t handle, const char *locator, uint64_t mib, bool hbm)
{
    structure_begin(w, 17, 0x28, handle);
    PUT(w, U16(0xFFFE), U16(0xFFFE), U16(72), U16(64), U16(mib < 0x7FFF ? mib : 0x7FFF), U8(hbm ? FORM_DIE : FORM_DIMM),
        U8(0), U8(1), U8(0), U8(hbm ? TYPE_HBM2 : TYPE_DDR4), U16(0x2080), U16(2133), U8(2), ZEROS(3), U8(1),
        U32(mib < 0x7FFF ? 0 : mib), U16(2133), U16(1200), U16(1200), U16(1200));
    structure_end(w, STRINGS(locator, "Assay"));
}

/* The module of one channel of a node: an even share of the node's memory, of which the first ones have what is over. With
 * HBM alone it is a part of that. */
static void smbios_module(struct writer *w, const struct model *m, uint32_t node, uint32_t channel, uint64_t node_bytes)
{
    char locator[24];
    uint64_t all = node_bytes >> 20, mib = all / m->channels + (channel < all % m->channels);
    uint32_t letter = node % m->clusters * m->channels + channel;
    bool hbm = m->realism.value[REALISM_HBM_ONLY];

    snprintf(locator, sizeof locator, "CPU%u_%s_%c1", node / m->clusters + 1, hbm ? "HBM" : "DIMM", 'A' + (int)letter);
    smbios_device(w, (uint16_t)(0x1700 + node * m->channels + channel), locator, mib, hbm);
}

/* The sockets of the modules that are not fitted then. */
static void smbios_empty_sockets(struct writer *w, const struct model *m)
{
    uint32_t each = m->profile->package_channels;

    for (uint32_t i = 0; m->realism.value[REALISM_HBM_ONLY] && i < m->packages * each; i++) {
        char locator[24];

        snprintf(locator, sizeof locator, "CPU%u_DIMM_%c1", i / each + 1, 'A' + (int)(i % each));
        smbios_device(w, (uint16_t)(0x1780 + i), locator, 0, false);
    }
}

/* Structures of these types as recorded; false: there is none. */
static bool smbios_recorded(struct writer *w, const struct model *m, uint8_t first, uint8_t last)
{
    const struct recording *r = m->twin ? m->twin->recording : NULL;
    uint32_t n = 0;

    for (uint32_t i = 0; r && i < r->n_structures; i++) {
        const struct recorded_structure *s = &r->structures[i];

        if (s->type < first || s->type > last)
            continue;
        for (uint32_t k = 0; k < s->n; k++)
            put(w, s->at[k], 1);
        for (uint32_t k = 0; k < s->text_bytes; k++)
            put(w, (uint8_t)s->text[k], 1);
        put(w, 0, s->text_bytes ? 1 : 2); /* DSP0134 3.6, 6.1.3 */
        n++;
    }
    return n > 0;
}

/* Of a twin whose memory is as recorded its modules are too; where those were not recorded they are the model's, of that size. */
static void smbios_memory(struct writer *w, const struct model *m, uint64_t node_bytes)
{
    uint32_t n_ranges;
    struct twin_range *ranges = host_twin_memory(m, &n_ranges);
    uint32_t nodes = ranges && smbios_recorded(w, m, 16, 20) ? 0 : memory_nodes(m);

    for (uint32_t n = 0; n < nodes; n++) {
        uint64_t bytes = ranges ? 0 : node_bytes;

        for (uint32_t i = 0; ranges && i < n_ranges; i++)
            bytes += ranges[i].node == n ? ranges[i].bytes : 0;
        for (uint32_t c = 0; c < m->channels; c++)
            smbios_module(w, m, n, c, bytes);
    }
    free(ranges);
    smbios_empty_sockets(w, m);
}

static void smbios(struct firmware_tables *t, struct writer *w, const struct model *m, uint64_t node_bytes)
{
    char origin[128];
    size_t entry, start;

    put_align(w, 64);
    entry = w->at;
    w->at += 64;
    start = w->at;
    if (!smbios_recorded(w, m, 0, 4)) {
        smbios_identity(w, m);
        for (uint32_t p = 0; p < m->packages; p++)
            smbios_processor(w, m, p);
    }
    snprintf(origin, sizeof origin, "Virtual silicon: Assay model, profile %s", m->profile->name);
    if (m->twin)
        snprintf(origin, sizeof origin, "Virtual silicon: model of the recorded machine %.48s, profile %s",
                 m->twin->recording->name, m->profile->name);
    structure_begin(w, 11, 5, 0xB00); /* OEM strings */
    put(w, 1, 1);
    structure_end(w, STRINGS(origin));
    smbios_memory(w, m, node_bytes);
    structure_begin(w, 127, 4, 0x7F00);
    structure_end(w, STRINGS(NULL));

    put_smbios_entry(&(struct writer){ w->bytes, entry }, (const uint8_t[]){ 3, 2 }, (uint32_t)(w->at - start),
                     t->base + start);
    t->smbios = t->base + entry;
}

void firmware_tables_build(struct firmware_tables *t, struct pool *pool, const struct model *m, uint64_t base,
                           uint64_t memory_base, uint64_t node_bytes)
{
    const struct recording *r = m->twin ? m->twin->recording : NULL;
    uint32_t n = r ? r->n_tables : 0;
    size_t most = TABLES_MAX, *starts = pool_zeroed(pool, n + OWN_TABLES, sizeof *starts);
    struct writer w = { .at = 0 };

    for (uint32_t i = 0; i < n; i++)
        most += r->tables[i].bytes.n + 64 + 8;
    t->bytes = w.bytes = pool_zeroed(pool, 1, most);
    t->base = base;
    acpi(t, &w, m, memory_base, node_bytes, starts);
    smbios(t, &w, m, node_bytes);
    t->size = w.at;
}
