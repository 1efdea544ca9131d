/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/uncore_rows.h"
#include "core/base/search.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FOLDER ASSAY_ROOT "/tests/fixtures/uncore/"

static const struct uncore_tables parts[] = {
    { "nhm", NULL, &pmon_nehalem, &uncore_nhm },
    { "wsm", NULL, &pmon_nehalem, NULL },
    { "nhmex", NULL, &pmon_nehalem_ex, &uncore_nhmex },
    { "wsmex", NULL, &pmon_nehalem_ex, &uncore_wsmex },
    { "snbep", "JKT", &pmon_jaketown, &uncore_snbep },
    { "ivbep", "IVT", &pmon_ivytown, &uncore_ivbep },
    { "hsx", "HSX", &pmon_haswell, &uncore_hsx },
    { "bdx", "BDX", &pmon_broadwell, &uncore_bdx },
    { "bdxde", "BDW-DE", &pmon_broadwell_de, &uncore_bdx_de },
    { "skx", "SKX", &pmon_skylake, &uncore_skx },
    { "clx", "CLX", &pmon_skylake, &uncore_clx },
    { "icx", "ICX", &pmon_icelake, &uncore_icx },
    { "icxd", NULL, &pmon_icelake_d, &uncore_icx_d },
    { "spr", "SPR", &pmon_sapphire, &uncore_spr_hbm },
    { "emr", "EMR", &pmon_emerald, &uncore_emr },
    { "gnr", "GNR", &pmon_granite, &uncore_gnr },
    { "srf", "SRF", &pmon_sierra, &uncore_srf },
    { "cwf", "CWF", &pmon_sierra, &uncore_cwf },
    { "grr", "GRR", &pmon_ridge, &uncore_grr },
    { "zen1", NULL, &pmon_zen, &uncore_zen1 },
    { "zen2", NULL, &pmon_zen2, &uncore_zen2 },
    { "zen3", NULL, &pmon_zen3, &uncore_zen3 },
    { "zen4", NULL, &pmon_zen4, &uncore_zen4 },
    { "zen5", NULL, &pmon_zen4, &uncore_zen4 },
    { "snr", "SNR", &pmon_snowridge, &uncore_snr },
    { "knl", "KNL", &pmon_knights, &uncore_knl },
};

/* --- names ------------------------------------------------------------------------------------------------------- */

/* Units whose names are not the source's in capital letters. */
static const struct {
    const char *box, *unit;
} unit_names[] = {
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

#define NAMES 5u /* of a unit at most */
static const char *const names[UNITS][NAMES] = {
    [UNIT_UBOX] = { "ubox" },
    [UNIT_CBO] = { "cbox", "cha", "cbo" },
    [UNIT_PCU] = { "pcu" },
    [UNIT_SBO] = { "sbox", "sbo" },
    [UNIT_HA] = { "ha" },
    [UNIT_IMC] = { "imc" },
    [UNIT_QPI] = { "qpi", "upi", "qpi ll", "upi ll" },
    [UNIT_R2PCIE] = { "r2pcie", "m2pcie" },
    [UNIT_R3QPI] = { "r3qpi", "m3upi", "b2upi" },
    [UNIT_IRP] = { "irp" },
    [UNIT_IIO] = { "iio" },
    [UNIT_M2M] = { "m2m", "b2cmi" },
    [UNIT_MDF] = { "mdf", "mdf_sbo" },
    [UNIT_B2HOT] = { "b2hot" },
    [UNIT_PCIE] = { "pcie3", "pciex16", "pciex8" },
    [UNIT_HBM] = { "hbm", "mchbm" },
    [UNIT_CXL] = { "cxlcm", "cxldp", "b2cxl" },
    [UNIT_EDC] = { "imc", "imc_dclk", "imc_uclk", "edc_uclk", "edc_eclk" },
    [UNIT_SOCKET] = { "uncore" },
    [UNIT_L3] = { "amd_l3" },
    [UNIT_DF] = { "amd_df" },
    [UNIT_UMC] = { "amd_umc" },
};

struct tsv *uncore_boxes(void)
{
    return tsv_open(FOLDER "boxes.tsv");
}

struct tsv *uncore_events(void)
{
    return tsv_open(FOLDER "events.tsv");
}

const struct uncore_tables *uncore_tables_at(uint32_t i)
{
    return i < sizeof parts / sizeof parts[0] ? &parts[i] : NULL;
}

const struct uncore_tables *uncore_tables_of(const char *part)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(parts[i].boxes, part) == 0)
            return &parts[i];
    cr_assert_fail("no part is called %s", part);
    return NULL;
}

bool uncore_unit_is_called(enum uncore_unit unit, const char *name)
{
    return ANY_OF(i, NAMES, names[unit][i] && strcasecmp(names[unit][i], name) == 0);
}

/* Where several types are of one unit, the one with that name. */
static const struct uncore_box_type *namesake(const struct uncore_part *p, const char *name)
{
    return FIND(k, p->n_types, p->types[k]->counters && strcasecmp(p->types[k]->name, name) == 0, p->types[k], NULL);
}

static const struct uncore_box_type *type_called(const struct uncore_part *p, const char *name)
{
    if (namesake(p, name))
        return namesake(p, name);
    for (uint32_t k = 0; k < p->n_types; k++) {
        const struct uncore_box_type *t = p->types[k];
        const char *function = strcmp(name, "iio_free_running") == 0   ? "IIO bandwidth"
                               : strcmp(name, "imc_free_running") == 0 ? "iMC free-running"
                                                                       : "";

        /* Nehalem-EX: "wbox" is W */
        if (t->unit >= UNIT_EX && strcasecmp(name + 1, "box") == 0 && strncasecmp(name, t->name, strlen(t->name)) == 0)
            return t;
        if (strcmp(t->name, function) == 0 || (t->counters && uncore_unit_is_called(t->unit, name)))
            return t;
    }
    return NULL;
}

/* --- rows -------------------------------------------------------------------------------------------------------- */

static bool named_alike(const struct pmon_unit *unit, const char *box)
{
    for (size_t i = 0; i < sizeof unit_names / sizeof unit_names[0]; i++)
        if (strcmp(unit_names[i].box, box) == 0 && strcmp(unit_names[i].unit, unit->name) == 0)
            return true;
    return strcasecmp(unit->name, box) == 0;
}

/* An entry of a discovery table that has the row's registers. */
static struct pmon_entry entry_of(const struct uncore_row *row, uint32_t number)
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

    if (!mmio && !pci && row->listed->access)
        e.access = row->listed->access - 1u;
    if (tsv_is_number(ctl)) {
        e.ctl = (uint32_t)(strtoull(ctl, NULL, 0) - box);
        e.ctr = (uint32_t)(strtoull(tsv_cell(row->table, row->n, "ctr0"), NULL, 0) - box);
    }
    e.address = box;
    return e;
}

static void find_unit(struct uncore_row *r)
{
    const struct pmon_part *part = r->of->part;
    const char *number = tsv_after(r->table, r->n, "notes", "type_id=");

    for (uint32_t i = 0; i < part->n_units && !number; i++)
        if (named_alike(part->units[i], r->box))
            r->unit = part->units[i];
    if (number == NULL || part->discovery == NULL)
        return;
    r->listed = pmon_type_of(part->discovery, (uint32_t)strtoul(number, NULL, 10));
    r->unit = r->listed->instead;
    if (r->unit == NULL) {
        struct pmon_entry e = entry_of(r, (uint32_t)strtoul(number, NULL, 10));

        pmon_entry_unit(part->discovery, &e, &r->made);
        r->unit = &r->made.unit;
    }
}

void uncore_row(const struct tsv *boxes, uint32_t n, struct uncore_row *out)
{
    *out = (struct uncore_row){ .table = boxes, .n = n };
    out->part = tsv_cell(boxes, n, "part");
    out->box = tsv_cell(boxes, n, "box");
    out->of = uncore_tables_of(out->part);
    out->boxes = out->of->silicon ? type_called(out->of->silicon, out->box) : NULL;
    find_unit(out);
}

uint64_t uncore_reg_at(const struct uncore_box_type *t, enum uncore_reg_kind kind, uint32_t k,
                       const struct uncore_reg **row)
{
    EACH(const struct uncore_reg, r, t->regs, t->n_regs) {
        if (r->kind != kind || k < r->first || k >= r->first + (r->count ? r->count : 1))
            continue;
        if (row)
            *row = r;
        return r->offset + (uint64_t)(k - r->first) * r->step;
    }
    return UINT64_MAX;
}

uint64_t uncore_base_at(const struct uncore_box_type *t, uint32_t i)
{
    return t->places ? t->places[i].base : t->base + (uint64_t)i * t->step;
}

/* --- comparing --------------------------------------------------------------------------------------------------- */

void uncore_same_text(struct compared *c, const struct uncore_row *r, const char *what, const char *ours,
                      const char *theirs)
{
    char where[128];

    snprintf(where, sizeof where, "%s %s %s", r->part, r->box, what);
    compared_text(c, where, ours, theirs && *theirs ? theirs : NULL);
}

void uncore_same(struct compared *c, const struct uncore_row *r, const char *what, uint64_t ours, uint64_t theirs)
{
    char here[32], there[32];

    snprintf(here, sizeof here, "%#" PRIx64, ours);
    snprintf(there, sizeof there, "%#" PRIx64, theirs);
    uncore_same_text(c, r, what, ours == NONE ? NULL : here, theirs == NONE ? NULL : there);
}

uint64_t uncore_cell(const struct uncore_row *r, const char *column)
{
    const char *cell = tsv_cell(r->table, r->n, column);

    return tsv_is_number(cell) ? strtoull(cell, NULL, 0) : NONE;
}

void uncore_same_cell(struct compared *c, const struct uncore_row *r, const char *column, uint64_t ours)
{
    if (uncore_cell(r, column) != NONE)
        uncore_same(c, r, column, ours, uncore_cell(r, column));
}

uint64_t uncore_number_after(const struct uncore_row *r, const char *column, const char *words)
{
    const char *at = tsv_after(r->table, r->n, column, words);

    return at ? strtoull(at, NULL, 0) : NONE;
}

uint64_t uncore_bit_after(const struct uncore_row *r, const char *column, const char *words)
{
    uint64_t bit = uncore_number_after(r, column, words);

    return bit == NONE ? NONE : BIT(bit);
}
