/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Controls of every register family, worked out by hand from the documents that arch/x86/pmon_*.c name. Where their registers
 * are: boxes_elsewhere.c. */
#include <criterion/criterion.h>

#include "arch/x86/pmon/pmon.h"
#include "arch/x86/pmon/pmon_discovery.h"
#include "core/base/bits.h"
#include "tests/support/data/parts.h"

#define EN .enable = true
static const struct encoded {
    uint32_t family, model;
    const char *unit;
    struct pmon_event event;
    uint64_t control;
} rows[] = {
    /* SDM vol. 3B 18.8.2.2: event 7:0, umask 15:8, edge 18, PMI 20, EN 22, INV 23, CMASK 31:24 */
    { 6, 0x1A, "uncore", { .ev_sel = 0x02, .umask = 0x01, EN }, 0x00400102 },
    { 6, 0x2C, "uncore", { .ev_sel = 0x03, .umask = 0x01, .thresh = 0x81, .invert = true, .ov_en = true }, 0x81900103 },
    /* Linux uncore_nhmex.c: S and C as usual; B and R the event in 5:1 and enable 0; M inc_sel 13:9 and modes 7:2 */
    { 6, 0x2E, "C", { .ev_sel = 0x14, .umask = 0x07, .thresh = 1, .edge_det = true, EN }, 0x01440714 },
    { 6, 0x2F, "B", { .ev_sel = 0x1F, EN }, 0x3F },
    { 6, 0x2E, "R", { .ev_sel = 0x04, EN }, 0x09 },
    { 6, 0x2E, "M", { .ev_sel = 0x0D, .extra = BIT(6), EN }, 0x1A41 },
    { 6, 0x2E, "U", { .ev_sel = 0x02, EN }, 0x00400002 },
    /* 327043-001 table 2-2 (UBox): thresh 28:24 */
    { 6, 0x2D, "UBox", { .ev_sel = 0x42, .umask = 8, .thresh = 1, .invert = true, .edge_det = true, EN }, 0x01C40842 },
    /* 2.3 (CBo), 2.4 (HA), 2.5 (iMC): thresh 31:24 */
    { 6, 0x2D, "CBo", { .ev_sel = 0x34, .umask = 0x03, .thresh = 0x80, EN }, 0x80400334 },
    { 6, 0x2D, "HA", { .ev_sel = 0x01, .umask = 0x0C, EN }, 0x00400C01 },
    { 6, 0x2D, "iMC", { .ev_sel = 0x04, .umask = 0x0C, EN }, 0x00400C04 },
    /* 2.6 (PCU): occ_sel 15:14, of the umask of event files the two highest bits; thresh 28:24 */
    { 6, 0x2D, "PCU", { .ev_sel = 0x80, .umask = 0xC0, .thresh = 31, EN }, 0x1F40C080 },
    /* 2.7 (QPI): event 100H is ev_sel_ext, bit 21, and 00H */
    { 6, 0x2D, "QPI", { .ev_sel = 0x100, .umask = 0x08, EN }, 0x00600800 },
    { 6, 0x4F, "QPI", { .ev_sel = 0x102, .umask = 0x08, EN }, 0x00600802 },
    /* 2.8 (R2PCIe), 2.9 (R3QPI) */
    { 6, 0x2D, "R2PCIe", { .ev_sel = 0x01, EN }, 0x00400001 },
    { 6, 0x2D, "R3QPI", { .ev_sel = 0x01, .thresh = 1, .edge_det = true, EN }, 0x01440001 },
    /* 329468-002: ov_en, bit 20 */
    { 6, 0x3E, "UBox", { .ev_sel = 0x42, .umask = 0x04, .ov_en = true, EN }, 0x00500442 },
    { 6, 0x3E, "CBo", { .ev_sel = 0x35, .umask = 0x2A, EN }, 0x00402A35 },
    { 6, 0x3E, "HA", { .ev_sel = 0x01, .umask = 0x03, .ov_en = true, EN }, 0x00500301 },
    { 6, 0x3E, "PCU", { .ev_sel = 0x0B, .ov_en = true, EN }, 0x0050000B },
    { 6, 0x3E, "IRP", { .thresh = 2, EN }, 0x02400000 },
    /* Linux hswep_*, bdx_* */
    { 6, 0x3F, "SBo", { .ov_en = true, EN }, 0x00500000 },
    { 6, 0x4F, "HA", { .ev_sel = 0x01, .umask = 0x02, EN }, 0x00400201 },
    /* skx_*: IIO thresh 35:24, channel mask 43:36, fc mask 46:44; UPI umask extension 55:32 without 44 */
    { 6,
      0x55,
      "IIO",
      { .ev_sel = 0x83, .umask = 0x01, .thresh = 0x801, .extra = UINT64_C(0x701000000000), EN },
      UINT64_C(0x701801400183) },
    { 6, 0x55, "CHA", { .thresh = 2, .invert = true }, 0x02800000 },
    { 6, 0x55, "IRP", { .ev_sel = 0x01, EN }, 0x00400001 },
    { 6, 0x55, "UPI", { .ev_sel = 0x02, .umask = 0x0F, .extra = BIT(32), EN }, UINT64_C(0x100400F02) },
    { 6, 0x55, "M2M", { .ev_sel = 0x38, .umask = 0x10, EN }, 0x00401038 },
    { 6, 0x55, "PCU", { .ev_sel = 0x80, .umask = 0x40, EN }, 0x00404080 },
    /* icx_*: CHA umask extension 57:32, IIO channel mask 47:36 and fc mask 50:48, M2M 55:32, iMC a dword */
    { 6,
      0x6A,
      "CHA",
      { .ev_sel = 0x35, .umask = 0x01, .extra = UINT64_C(0xC817FE) << 32, EN },
      UINT64_C(0xC817FE00400135) },
    { 6,
      0x6A,
      "IIO",
      { .ev_sel = 0x83, .umask = 0x04, .extra = UINT64_C(0x7080000000000), EN },
      UINT64_C(0x7080000400483) },
    { 6, 0x6A, "M2M", { .ev_sel = 0x38, .umask = 0x10, .extra = UINT64_C(0x1C) << 32, EN }, UINT64_C(0x1C00401038) },
    { 6, 0x6A, "iMC", { .ev_sel = 0x04, .umask = 0x3F, EN }, 0x00403F04 },
    /* spr_*: the UBox by intel/pcm types.h */
    { 6, 0x8F, "UBox", { .ev_sel = 0x42, .umask = 0x08, EN }, 0x00400842 },
    { 6, 0x8F, "UPI", { .ev_sel = 0x02, .umask = 0x0F, EN }, 0x00400F02 },
    /* Linux amd/uncore.c: with enable come slice mask 51:48 and thread mask 63:56; from family 19H 46, 47 and 57:56 */
    { 0x17, 0x31, "L3", { .ev_sel = 0x04, .umask = 0xFF, EN }, UINT64_C(0xFF0F00000040FF04) },
    { 0x19, 0x01, "L3", { .ev_sel = 0x04, .umask = 0x01, EN }, UINT64_C(0x0300C00000400104) },
    { 0x19, 0x01, "DF", { .ev_sel = 0x107, .umask = 0x38, EN }, UINT64_C(0x100403807) },
    { 0x19, 0x11, "DF", { .ev_sel = 0x1F, .umask = 0xFFE, EN }, 0x0F40FE1F },
    /* UMC: read and write mask 9:8, enable 31 */
    { 0x19, 0x11, "UMC", { .ev_sel = 0x0A, .umask = 1, EN }, 0x8000010A },
};

static bool same_event(const struct pmon_event *a, const struct pmon_event *b)
{
    return a->ev_sel == b->ev_sel && a->umask == b->umask && a->thresh == b->thresh && a->extra == b->extra &&
           a->edge_det == b->edge_det && a->invert == b->invert && a->enable == b->enable && a->ov_en == b->ov_en;
}

Test(pmon_families, every_register_family_by_hand)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct pmon_unit *u = part_unit(part_of(rows[i].family, rows[i].model), rows[i].unit);
        uint64_t value = 0;

        cr_expect_eq(pmon_encode(u, &rows[i].event, &value), ST_OK, "model %#x %s", rows[i].model, rows[i].unit);
        cr_expect_eq(value, rows[i].control, "model %#x %s: %#lx, by hand %#lx", rows[i].model, rows[i].unit, value,
                     rows[i].control);
    }
}

Test(pmon_families, every_register_family_is_read_back_as_it_was_written)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pmon_event event;

        pmon_decode(part_unit(part_of(rows[i].family, rows[i].model), rows[i].unit), rows[i].control, &event);
        cr_expect(same_event(&event, &rows[i].event), "model %#x %s", rows[i].model, rows[i].unit);
    }
}

/* Sapphire Rapids' units by table: the CHA's umask extension is 63:32, that of others 55:32, a dword has none; an IIO has
 * thresh 35:24 and masks in 50:36. */
Test(pmon_families, units_of_discovery_tables)
{
    struct pmon_entry cha = {
        .access = 0, .counters = 4, .ctl = 2, .ctr = 8, .width = 48, .type = 0, .address = 0x2000
    };
    struct pmon_entry iio = {
        .access = 0, .counters = 4, .ctl = 2, .ctr = 8, .width = 48, .type = 1, .address = 0x3000
    };
    struct pmon_entry irp = {
        .access = 0, .counters = 2, .ctl = 2, .ctr = 8, .width = 48, .type = 2, .address = 0x3400
    };
    struct pmon_entry imc = {
        .access = 1, .counters = 4, .ctl = 0x40, .ctr = 8, .width = 48, .type = 6, .address = 0xFB022800
    };
    struct pmon_event wide = { .ev_sel = 0x35, .umask = 1, .extra = UINT64_C(0x81C817FE) << 32 };
    struct pmon_made_unit made;
    uint64_t value = 0;

    pmon_entry_unit(pmon_sapphire.discovery, &cha, &made);
    cr_expect_eq(pmon_encode(&made.unit, &wide, &value), ST_OK);
    cr_expect_eq(value, UINT64_C(0x81C817FE00000135));
    pmon_entry_unit(pmon_sapphire.discovery, &iio, &made);
    cr_expect_eq(
        pmon_encode(&made.unit, &(struct pmon_event){ .ev_sel = 0x83, .thresh = 0x801, .extra = BIT(50), EN }, &value),
        ST_OK);
    cr_expect_eq(value, UINT64_C(0x0004000801400083));
    pmon_entry_unit(pmon_sapphire.discovery, &irp, &made);
    cr_expect_eq(pmon_encode(&made.unit, &wide, &value), ST_RANGE);
    wide.extra = UINT64_C(0xC817FE) << 32;
    cr_expect_eq(pmon_encode(&made.unit, &wide, &value), ST_OK);
    cr_expect_eq(value, UINT64_C(0x00C817FE00000135));
    pmon_entry_unit(pmon_sapphire.discovery, &imc, &made);
    cr_expect_eq(pmon_encode(&made.unit, &wide, &value), ST_RANGE);
    cr_expect_eq(pmon_encode(&made.unit, &(struct pmon_event){ .ev_sel = 0x05, .umask = 0xCF, EN }, &value), ST_OK);
    cr_expect_eq(value, 0x40CF05);
}
