/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/boxes/telemetry.h"

#include "core/base/bits.h"
#include "core/boxes/buses.h"
#include "core/boxes/dvsec.h"

#define ENTRY_DWORDS 3u /* that are read */

/* A discovery table: num_entries entries of size bytes. */
struct vsec {
    const struct machine *machine;
    struct pci_address at;
    uint64_t base;
    uint32_t entries, bytes;
};

static uint32_t dword_at(struct platform *p, uint64_t address)
{
    uint64_t value = 0;

    return mmio_read(p, address, 4, &value) == ST_OK ? (uint32_t)value : 0;
}

/* The next table of this id; false: none any more. *offset: of its DVSEC, 0 at first. */
static bool vsec_next(struct platform *p, uint32_t id, struct vsec *v, uint32_t *offset)
{
    while ((*offset = dvsec_find(p, v->at, id, *offset)) != 0) {
        uint32_t header1 = 0, header2 = 0, table = 0;
        uint64_t bar;

        if (pci_read(p, v->at, *offset + DVSEC_HEADER1, 4, &header1) != ST_OK ||
            pci_read(p, v->at, *offset + DVSEC_HEADER2, 4, &header2) != ST_OK ||
            pci_read(p, v->at, *offset + DVSEC_TABLE, 4, &table) != ST_OK ||
            field_get(DVSEC_HEADER1_VENDOR, header1) != PCI_VENDOR_ID_INTEL ||
            field_get(DVSEC_HEADER1_REV, header1) != 1)
            continue;
        bar = dvsec_bar_address(p, v->at, (uint32_t)field_get(DVSEC_TABLE_BIR, table), NULL);
        (void)dvsec_decode(p, v->machine, v->at, bar); /* Linux: intel_vsec_pci_probe() */
        v->base = bar + (table & DVSEC_TABLE_OFFSET);
        v->entries = (uint32_t)field_get(DVSEC_HEADER2_ENTRIES, header2);
        v->bytes = 4 * (uint32_t)field_get(DVSEC_HEADER2_SIZE, header2);
        if (bar != 0 && v->bytes >= 4 * ENTRY_DWORDS)
            return true;
    }
    return false;
}

/* Where an entry leads; 0: nowhere. */
static uint64_t entry_target(struct platform *p, const struct vsec *v, uint64_t entry)
{
    uint32_t access = (uint32_t)field_get(PMT_ACCESS, dword_at(p, entry)), offset = dword_at(p, entry + 8);
    uint64_t bar;

    if (access == PMT_ACCESS_LOCAL)
        return offset & PMT_OFFSET_BIR ? 0 : entry + v->bytes + offset;
    bar =
        access == PMT_ACCESS_BARID ? dvsec_bar_address(p, v->at, (uint32_t)field_get(PMT_OFFSET_BIR, offset), NULL) : 0;
    return bar ? bar + (offset & PMT_OFFSET_ADDRESS) : 0;
}

/* RMIDs that the table of a feature at this address has, if it lists the GUID. */
static uint32_t feature_rmids(struct platform *p, uint64_t table, uint32_t guid)
{
    uint32_t header = dword_at(p, table), n = (uint32_t)field_get(PMT_FEATURE_NUM_GUIDS, header);
    uint64_t guids = table + 4 + 4 * field_get(PMT_FEATURE_ATTR_SIZE, header);

    if (ANY_OF(i, n, dword_at(p, guids + 4 * (uint64_t)i) == guid))
        return (uint32_t)field_get(PMT_FEATURE_NUM_RMIDS, dword_at(p, table + PMT_FEATURE_RMIDS));
    return 0;
}

static uint32_t discovered_rmids(struct box_search *s, struct pci_address at, uint32_t guid)
{
    struct platform *p = s->platform;
    struct vsec v = { .machine = s->machine, .at = at };
    uint32_t offset = 0, rmids = 0;

    while (rmids == 0 && vsec_next(p, VSEC_ID_DISCOVERY, &v, &offset))
        for (uint32_t i = 0; i < v.entries && rmids == 0; i++) {
            uint64_t entry = v.base + (uint64_t)i * v.bytes, table = entry_target(p, &v, entry);
            uint32_t header = dword_at(p, entry), id = dword_at(p, entry + 4);

            if (table && field_get(PMT_SIZE, header) && field_get(PMT_VERSION, header) == 0 &&
                (id == PMT_FEATURE_PER_RMID_PERF_TELEM || id == PMT_FEATURE_PER_RMID_ENERGY_TELEM))
                rmids = feature_rmids(p, table, guid);
        }
    return rmids;
}

static const struct telemetry_group *group_of(uint32_t guid)
{
    return FIND(i, TELEMETRY_GROUPS, telemetry_groups[i].guid == guid, &telemetry_groups[i], NULL);
}

static uint32_t of_function(struct box_search *s, struct pci_address at, struct telemetry_region *regions, uint32_t n)
{
    struct platform *p = s->platform;
    struct vsec v = { .machine = s->machine, .at = at };
    uint32_t offset = 0;

    while (vsec_next(p, VSEC_ID_TELEMETRY, &v, &offset))
        for (uint32_t i = 0; i < v.entries && n < TELEMETRY_REGIONS; i++) {
            uint64_t entry = v.base + (uint64_t)i * v.bytes;
            uint32_t header = dword_at(p, entry);
            const struct telemetry_group *group = group_of(dword_at(p, entry + 4));
            uint32_t package = group ? buses_owner(s, at).package : NO_PACKAGE;

            if (package != NO_PACKAGE && field_get(PMT_SIZE, header))
                regions[n++] = (struct telemetry_region){ .group = group,
                                                          .at = at,
                                                          .package = package,
                                                          .entry = entry,
                                                          .address = entry_target(p, &v, entry),
                                                          .header = header,
                                                          .bytes = 4 * (uint32_t)field_get(PMT_SIZE, header),
                                                          .rmids = discovered_rmids(s, at, group->guid) };
        }
    return n;
}

uint32_t telemetry_find(struct platform *p, const struct machine *m, struct pmon *pmon,
                        struct telemetry_region regions[TELEMETRY_REGIONS])
{
    struct box_search s = { .platform = p, .machine = m, .pmon = pmon };
    uint32_t n = 0;

    for (uint32_t i = 0; i < pmon->n_functions; i++)
        n = of_function(&s, pmon->functions[i].at, regions, n);
    return n;
}
