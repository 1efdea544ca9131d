/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/uncore_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *boxes, *events;
    const struct uncore_part *silicon;
} parts[] = {
    { "nhmex", NULL, &uncore_nhmex },      { "wsmex", NULL, &uncore_wsmex },  { "nhm", NULL, &uncore_nhm },
    { "snbep", "JKT", &uncore_snbep },     { "ivbep", "IVT", &uncore_ivbep }, { "hsx", "HSX", &uncore_hsx },
    { "bdx", "BDX", &uncore_bdx },         { "skx", "SKX", &uncore_skx },     { "clx", "CLX", &uncore_clx },
    { "icx", "ICX", &uncore_icx },         { "spr", "SPR", &uncore_spr_hbm }, { "emr", "EMR", &uncore_emr },
    { "bdxde", "BDW-DE", &uncore_bdx_de }, { "icxd", NULL, &uncore_icx_d },   { "gnr", "GNR", &uncore_gnr },
    { "srf", "SRF", &uncore_srf },         { "cwf", "CWF", &uncore_cwf },     { "zen1", NULL, &uncore_zen1 },
    { "zen2", NULL, &uncore_zen2 },        { "zen3", NULL, &uncore_zen3 },    { "zen4", NULL, &uncore_zen4 },
    { "zen5", NULL, &uncore_zen4 },        { "snr", "SNR", &uncore_snr },     { "grr", "GRR", &uncore_grr },
    { "knl", "KNL", &uncore_knl },
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

const struct uncore_part *uncore_part_called(const char *name)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(parts[i].boxes, name) == 0 || (parts[i].events && strcmp(parts[i].events, name) == 0))
            return parts[i].silicon;
    return NULL;
}

bool uncore_unit_is_called(enum uncore_unit unit, const char *name)
{
    for (size_t i = 0; i < NAMES; i++)
        if (names[unit][i] && strcasecmp(names[unit][i], name) == 0)
            return true;
    return false;
}

/* Where several types are of one unit, the one with that name. */
static const struct uncore_box_type *namesake(const struct uncore_part *p, const char *name)
{
    for (uint32_t k = 0; k < p->n_types; k++)
        if (p->types[k]->counters && strcasecmp(p->types[k]->name, name) == 0)
            return p->types[k];
    return NULL;
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

struct uncore_row uncore_row_at(const struct tsv *boxes, uint32_t n)
{
    struct uncore_row r = { .table = boxes, .n = n };

    r.part = tsv_cell(r.table, r.n, "part");
    r.box = tsv_cell(r.table, r.n, "box");
    r.silicon = uncore_part_called(r.part);
    r.type = r.silicon ? type_called(r.silicon, r.box) : NULL;
    return r;
}

uint64_t uncore_reg_at(const struct uncore_box_type *t, enum uncore_reg_kind kind, uint32_t k,
                       const struct uncore_reg **row)
{
    for (uint32_t i = 0; i < t->n_regs; i++) {
        const struct uncore_reg *r = &t->regs[i];

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

void uncore_same_number(struct compared *c, const struct uncore_row *r, const char *what, uint64_t ours,
                        uint64_t theirs)
{
    char where[128], here[32], there[32];

    snprintf(where, sizeof where, "%s %s %s", r->part, r->box, what);
    snprintf(here, sizeof here, "%#" PRIx64, ours);
    snprintf(there, sizeof there, "%#" PRIx64, theirs);
    compared_text(c, where, here, there);
}

void uncore_same(struct compared *c, const struct uncore_row *r, const char *what, uint64_t ours, const char *theirs)
{
    if (tsv_is_number(theirs))
        uncore_same_number(c, r, what, ours, strtoull(theirs, NULL, 0));
}
