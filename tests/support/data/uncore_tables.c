/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/uncore_tables.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER ASSAY_ROOT "/tests/fixtures/uncore/"

static const struct {
    const char *name;
    const struct pmon_part *part;
} parts[] = {
    { "nhm", &pmon_nehalem },      { "wsm", &pmon_nehalem },    { "nhmex", &pmon_nehalem_ex },
    { "wsmex", &pmon_nehalem_ex }, { "snbep", &pmon_jaketown }, { "ivbep", &pmon_ivytown },
    { "hsx", &pmon_haswell },      { "bdx", &pmon_broadwell },  { "bdxde", &pmon_broadwell_de },
    { "skx", &pmon_skylake },      { "clx", &pmon_skylake },    { "icx", &pmon_icelake },
    { "icxd", &pmon_icelake_d },   { "spr", &pmon_sapphire },   { "emr", &pmon_emerald },
    { "gnr", &pmon_granite },      { "srf", &pmon_sierra },     { "zen1", &pmon_zen },
    { "zen2", &pmon_zen2 },        { "zen3", &pmon_zen3 },      { "zen4", &pmon_zen4 },
    { "zen5", &pmon_zen4 },        { "snr", &pmon_snowridge },  { "knl", &pmon_knights },
};

/* Units whose names are not the source's in capital letters. */
static const struct {
    const char *box, *unit;
} names[] = {
    { "ubox", "U" },
    { "cbox", "C" },
    { "bbox", "B" },
    { "sbox", "S" },
    { "mbox", "M" },
    { "rbox", "R" },
    { "wbox", "W" },
    { "cbox", "CBo" },
    { "sbox", "SBo" },
    { "imc", "iMC_DCLK" },
    { "imc_free_running", "MC" },
    { "iio_free_running", "IIO-free" },
    { "amd_l3", "L3" },
    { "amd_df", "DF" },
    { "amd_umc", "UMC" },
};

struct tsv *uncore_boxes(void)
{
    return tsv_open(FOLDER "boxes.tsv");
}

struct tsv *uncore_events(void)
{
    return tsv_open(FOLDER "events.tsv");
}

const struct pmon_part *uncore_part_named(const char *name)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(parts[i].name, name) == 0)
            return parts[i].part;
    cr_assert_fail("no part is called %s", name);
    return NULL;
}

static bool named_alike(const struct pmon_unit *unit, const char *box)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].box, box) == 0 && strcmp(names[i].unit, unit->name) == 0)
            return true;
    return strcasecmp(unit->name, box) == 0;
}

/* An entry of a discovery table that has the row's registers. */
static struct pmon_entry entry_of(const struct boxes_row *row, uint32_t number)
{
    const char *how = tsv_after(row->table, row->n, "notes", "unit access "),
               *ctl = tsv_cell(row->table, row->n, "ctl0");
    bool mmio = (how && strncmp(how, "mmio", 4) == 0) || tsv_after(row->table, row->n, "notes", "SCF BAR"),
         pci = how && strncmp(how, "pci", 3) == 0;
    struct pmon_entry e = { .access = mmio  ? PMON_TABLE_MMIO
                                      : pci ? PMON_TABLE_PCI
                                            : PMON_TABLE_MSR,
                            .type = number,
                            .counters = 4,
                            .width = 48,
                            .ctl = 0x100,
                            .ctr = 0x180 };
    uint64_t box = mmio ? 0 : strtoull(tsv_cell(row->table, row->n, "box_ctl"), NULL, 0);

    if (!mmio && !pci && row->type->access)
        e.access = row->type->access - 1u;
    if (tsv_is_number(ctl)) {
        e.ctl = (uint32_t)(strtoull(ctl, NULL, 0) - box);
        e.ctr = (uint32_t)(strtoull(tsv_cell(row->table, row->n, "ctr0"), NULL, 0) - box);
    }
    e.address = box;
    return e;
}

void uncore_row(const struct tsv *table, uint32_t n, struct boxes_row *out)
{
    const char *number;

    *out = (struct boxes_row){ .table = table, .n = n };
    out->name = tsv_cell(out->table, out->n, "part");
    out->box = tsv_cell(out->table, out->n, "box");
    out->part = uncore_part_named(out->name);
    number = tsv_after(out->table, out->n, "notes", "type_id=");
    for (uint32_t i = 0; i < out->part->n_units && !number; i++)
        if (named_alike(out->part->units[i], out->box))
            out->unit = out->part->units[i];
    if (number == NULL || out->part->discovery == NULL)
        return;
    out->type = pmon_type_of(out->part->discovery, (uint32_t)strtoul(number, NULL, 10));
    out->unit = out->type->instead;
    if (out->unit == NULL) {
        struct pmon_entry e = entry_of(out, (uint32_t)strtoul(number, NULL, 10));

        pmon_entry_unit(out->part->discovery, &e, &out->made);
        out->unit = &out->made.unit;
    }
}
