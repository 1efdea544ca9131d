/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* PCI functions: the header of each, and the registers of those that have uncore boxes; discovery tables. */
#include "core/record/record_internal.h"

#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/boxes/dvsec.h"

#define HEADER_BYTES    64u
#define TABLE_WAY_BYTES 0x600u /* capabilities in extended configuration space, of which one leads to the table */
#define BASIC_BYTES     256u   /* of such as may say which node, buses and fuses a package has */
#define CLASS_SYSTEM    0x08u
#define CLASS_SIGNAL    0x11u
#define ALL_ONES        UINT32_MAX
#define BRIDGE          1u /* header type */
#define QWORDS_MOST     16384u

/* Where the registers of boxes end, or the way to a discovery table; 0: it has none. */
static uint32_t registers_end(const struct pmon *pmon, struct pci_address at)
{
    uint32_t end = 0;

    for (uint32_t i = 0; pmon && i < pmon->n_tables; i++)
        if (pci_is_same(pmon->tables[i].at, at))
            end = TABLE_WAY_BYTES;
    for (uint32_t i = 0; pmon && i < pmon->n_boxes; i++) {
        const struct pmon_box *box = &pmon->boxes[i];
        struct pmon_reg regs[RECORD_REGISTERS];
        uint32_t n = record_box_registers(box->unit, regs);

        if (box->unit->layout->access != PMON_PCI || !pci_is_same(box->at, at))
            continue;
        for (uint32_t k = 0; k < n; k++)
            if (box->base + regs[k].offset + regs[k].bytes > end)
                end = (uint32_t)box->base + regs[k].offset + regs[k].bytes;
    }
    return end;
}

static void put_dword(uint8_t out[4], uint32_t value)
{
    for (uint32_t i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

static void record_space(struct recorder *r, struct pci_address at, uint32_t bytes)
{
    uint8_t line[32];

    for (uint32_t offset = 0; offset < bytes; offset += sizeof line) {
        for (uint32_t i = 0; i < sizeof line; i += 4) {
            uint32_t value = 0;

            if (pci_read(r->source->platform, at, offset + i, 4, &value) != ST_OK)
                return;
            put_dword(line + i, value);
        }
        record_bytes(r, offset, line, sizeof line);
    }
}

static void record_function(struct recorder *r, struct pci_address at, uint32_t id)
{
    struct platform *p = r->source->platform;
    uint32_t class_revision = 0, header = 0, buses = 0;
    uint32_t base_class, bytes = HEADER_BYTES, end = registers_end(r->source->pmon, at);
    char bridge[24] = "";

    if (pci_read(p, at, 8, 4, &class_revision) != ST_OK || pci_read(p, at, 0xC, 4, &header) != ST_OK)
        return;
    base_class = class_revision >> 24;
    if ((header >> 16 & 0x7F) == BRIDGE && pci_read(p, at, 0x18, 4, &buses) == ST_OK)
        text_format(bridge, sizeof bridge, " buses %02x-%02x", buses >> 8 & 0xFF, buses >> 16 & 0xFF);
    record_line(r, "pci %04x:%02x:%02x.%u %04x %04x:%04x rev %x%s", at.segment, at.bus, at.device, at.function,
                class_revision >> 16, id & 0xFFFF, id >> 16, class_revision & 0xFF, bridge);
    if (end || ((id & 0xFFFF) == PCI_VENDOR_ID_INTEL && (base_class == CLASS_SYSTEM || base_class == CLASS_SIGNAL)))
        bytes = end > BASIC_BYTES ? end : BASIC_BYTES;
    record_space(r, at, bytes);
}

/* Function by function: firmware hides function 0, or the whole device. */
static void record_bus(struct recorder *r, uint16_t segment, uint8_t bus)
{
    for (uint32_t k = 0; k < 256; k++) {
        struct pci_address at = { segment, bus, (uint8_t)(k / 8), (uint8_t)(k % 8) };
        uint32_t id = ALL_ONES;

        if (pci_read(r->source->platform, at, 0, 4, &id) != ST_OK)
            return;
        if (id != ALL_ONES && id != 0)
            record_function(r, at, id);
    }
}

static void record_tables_of(struct recorder *r, const struct pmon *pmon)
{
    EACH(const struct pmon_found_table, t, pmon->tables, pmon->n_tables) {
        uint64_t qwords = ((uint64_t)t->table.max_units + 1) * t->table.stride;

        if (t->decoded_by_us && !dvsec_is_decoded(r->source->platform, t->at))
            continue; /* as firmware left it nothing is there */
        record_line(r, "region %lx", t->address);
        for (uint64_t q = 0; q < qwords && q < QWORDS_MOST; q++) {
            uint64_t value = 0;
            uint8_t bytes[8];

            if (mmio_read(r->source->platform, t->address + 8 * q, 8, &value) != ST_OK)
                break;
            put_dword(bytes, (uint32_t)value);
            put_dword(bytes + 4, (uint32_t)(value >> 32));
            record_bytes(r, (uint32_t)(8 * q), bytes, sizeof bytes);
        }
    }
}

/* Segment 0's that no window has: where there is an MCFG; without one all are, and said to be so at once. */
static void record_rest(struct recorder *r, const struct acpi_info *acpi)
{
    for (uint32_t bus = 0; bus < 256; bus++)
        if (acpi_reached_by_ports(acpi, bus)) {
            record_line(r, "complete 0000:%02x", bus);
            record_bus(r, 0, (uint8_t)bus);
        }
}

static void record_window(struct recorder *r, const struct acpi_mcfg *w)
{
    bool whole = w->first_bus == 0 && w->last_bus == 255;

    if (whole)
        record_line(r, "complete %04x", w->segment);
    for (uint32_t bus = w->first_bus; bus <= w->last_bus; bus++) {
        if (!whole)
            record_line(r, "complete %04x:%02x", w->segment, bus);
        record_bus(r, w->segment, (uint8_t)bus);
    }
}

void record_functions(struct recorder *r)
{
    static const struct acpi_mcfg by_ports = { .last_bus = 255 }; /* without an MCFG segment 0 is reached */
    const struct acpi_info *acpi = &r->source->machine->acpi;

    for (uint32_t i = 0; i < acpi->n_mcfg; i++)
        record_window(r, &acpi->mcfg[i]);
    if (acpi->n_mcfg == 0)
        record_window(r, &by_ports);
    else
        record_rest(r, acpi);
    if (r->source->pmon)
        record_tables_of(r, r->source->pmon);
}
