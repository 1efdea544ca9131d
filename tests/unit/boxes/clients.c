/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Clients: their registers by hand from Linux uncore_snb.c, and how their boxes are found. */
#include <criterion/criterion.h>

#include "core/base/search.h"
#include "core/boxes/boxes_find.h"
#include "core/diagnosis/repeat.h"
#include "tests/support/data/parts.h"
#include "tests/support/machine/fake_platform.h"

/* First control and first counter, how far apart boxes are, counters a box, their bits. */
struct registers {
    uint32_t ctl, ctr, apart, n, bits;
};
static const struct registers snb_cbo = { 0x700, 0x706, 0x10, 2, 44 }, snb_arb = { 0x3B2, 0x3B0, 0, 2, 44 },
                              icl_cbo = { 0x700, 0x702, 8, 2, 44 }, icl_arb = { 0x3B3, 0x3B1, 0, 1, 44 },
                              adl_cbo = { 0x2000, 0x2002, 8, 2, 44 }, adl_arb = { 0x2FD0, 0x2FD2, 8, 2, 44 },
                              mtl_cbo = { 0x2442, 0x2448, 0x10, 2, 48 }, mtl_arb = { 0x2412, 0x2418, 0x10, 2, 48 };

static const struct client {
    uint32_t model;
    const struct registers *cbo, *arb;
    uint32_t clock_ctl, clock_ctr, global;
    uint64_t run;
    uint32_t reads, writes, controllers;
} clients[] = {
    { 0x2A, &snb_cbo, &snb_arb, 0x394, 0x395, 0x391, 0x2000000F, 0x5050, 0x5054, 1 },
    { 0x3C, &snb_cbo, &snb_arb, 0x394, 0x395, 0x391, 0x2000000F, 0x5050, 0x5054, 1 },
    { 0x9E, &snb_cbo, &snb_arb, 0x394, 0x395, 0xE01, 0x2000001F, 0x5050, 0x5054, 1 },
    { 0x7E, &icl_cbo, &icl_arb, 0x394, 0x395, 0, 0, 0x5050, 0x5054, 1 },
    { 0x8C, &icl_cbo, &snb_arb, 0x394, 0x395, 0xE01, 0x20000000, 0x5058, 0x50A0, 2 },
    { 0x8D, &icl_cbo, &snb_arb, 0x394, 0x395, 0xE01, 0x20000000, 0xD858, 0xD8A0, 2 },
    { 0xA7, &icl_cbo, &snb_arb, 0x394, 0x395, 0xE01, 0x20000000, 0x5050, 0x5054, 1 },
    { 0xB7, &adl_cbo, &adl_arb, 0x2FDE, 0x2FDF, 0x2FF0, 0x20000000, 0xD858, 0xD8A0, 2 },
    { 0xAA, &mtl_cbo, &mtl_arb, 0x2402, 0x2408, 0, 0, 0xD858, 0xD8A0, 2 },
    { 0xBD, &mtl_cbo, &mtl_arb, 0, 0, 0x240E, 0x20000000, 0xD858, 0xD8A0, 2 },
};

static uint32_t nth_msr(const struct pmon_unit *u, uint32_t box, struct pmon_reg reg)
{
    const struct pmon_location *at = &u->location;

    return (at->bases ? at->bases[box] : at->first + box * at->stride) + reg.offset;
}

static void expect_registers(const struct pmon_unit *u, const struct registers *r)
{
    cr_expect_eq(u->layout->counters, r->n);
    cr_expect_eq(u->layout->counter_bits, r->bits);
    for (uint32_t box = 0; box < (r->apart ? 2 : 1); box++)
        for (uint32_t k = 0; k < r->n; k++) {
            cr_expect_eq(nth_msr(u, box, pmon_ctl(u, k)), r->ctl + box * r->apart + k);
            cr_expect_eq(nth_msr(u, box, pmon_ctr(u, k)), r->ctr + box * r->apart + k);
        }
}

Test(boxes_clients, registers_are_those_of_the_kernel)
{
    EACH(const struct client, c, clients, sizeof clients / sizeof *clients) {
        const struct pmon_part *part = part_of(6, c->model);
        const struct pmon_unit *mc, *clock;

        cr_assert_not_null(part, "model %#x", c->model);
        mc = part_unit(part, "MC");
        clock = part_unit(part, "NCU") ? part_unit(part, "NCU") : part_unit(part, "cNCU");
        expect_registers(part_unit(part, "CBo"), c->cbo);
        expect_registers(part_unit(part, "ARB"), c->arb);
        cr_expect_eq(part->global.msr, c->global);
        cr_expect_eq(part->global.run, c->run);
        cr_expect_eq(clock != NULL, c->clock_ctl != 0);
        if (clock) {
            cr_expect_eq(pmon_ctl(clock, PMON_FIXED).offset, c->clock_ctl);
            cr_expect_eq(pmon_ctr(clock, PMON_FIXED).offset, c->clock_ctr);
        }
        cr_expect_eq(mc->location.most, c->controllers);
        cr_expect_eq(pmon_ctr(mc, pmon_free_named(mc, "ddr_rd")).offset, c->reads);
        cr_expect_eq(pmon_ctr(mc, pmon_free_named(mc, "ddr_wr")).offset, c->writes);
    }
}

/* uncore.h, CFL_UNC_CBO_7_PERFEVTSEL0 and _PER_CTR0. */
Test(boxes_clients, the_eighth_slice_of_coffee_lake_keeps_off_770h)
{
    const struct pmon_unit *cbo = part_unit(part_of(6, 0x9E), "CBo");

    cr_expect_eq(nth_msr(cbo, 7, pmon_ctl(cbo, 0)), 0xF70);
    cr_expect_eq(nth_msr(cbo, 7, pmon_ctr(cbo, 0)), 0xF76);
}

/* A Xeon E-2100 with two slices, and its memory controller behind MCHBAR. */
static void xeon_e(struct fake *f, struct machine *m, uint32_t bar)
{
    static const uint32_t msrs[] = { 0x700, 0x701, 0x706, 0x707, 0x710, 0x711, 0x716, 0x717,
                                     0x3B0, 0x3B1, 0x3B2, 0x3B3, 0x394, 0x395, 0xE01 };

    fake_init(f, 2);
    fake_machine(f, m);
    for (uint32_t i = 0; i < 2; i++)
        m->cpus[i].id = (struct cpu_identity){ .vendor = VENDOR_INTEL, .family = 6, .model = 0x9E };
    for (size_t i = 0; i < sizeof msrs / sizeof *msrs; i++)
        fake_msr(f, msrs[i], 0);
    fake_cell(f, true, 0x00, 0x3ECA8086);
    fake_cell(f, true, 0x48, bar);
    fake_cell(f, true, 0x4C, 0x1);
    for (uint32_t i = 0; i < 6; i++)
        fake_cell(f, false, 0x1FED15040 + 4 * i, 0x100 + i);
}

static uint32_t usable(const struct pmon *pmon, const char *unit)
{
    return HOW_MANY(i, pmon->n_boxes, text_equal(pmon->boxes[i].unit->name, unit) && pmon->boxes[i].status == ST_OK);
}

Test(boxes_clients, boxes_of_a_xeon_e_are_found)
{
    struct fake f;
    struct machine m;
    struct pmon pmon;
    uint64_t value = 0;

    xeon_e(&f, &m, 0xFED10001);
    cr_assert_eq(boxes_find(&f.platform, &m, &pmon), ST_OK);
    cr_expect_eq(usable(&pmon, "CBo"), 2);
    cr_expect_eq(usable(&pmon, "ARB"), 1);
    cr_expect_eq(usable(&pmon, "NCU"), 1);
    cr_assert_eq(usable(&pmon, "MC"), 1);
    for (uint32_t i = 0; i < pmon.n_boxes; i++)
        if (pmon.boxes[i].unit->layout->n_free) {
            cr_expect_eq(
                pmon_counter_read(&f.platform, &pmon.boxes[i], pmon_free_named(pmon.boxes[i].unit, "ddr_wr"), &value),
                ST_OK);
            cr_expect_eq(value, 0x105, "four bytes, and not the counter beside it");
        }
    boxes_free(&pmon);
    fake_machine_free(&m);
}

Test(boxes_clients, a_base_that_is_not_enabled_is_named)
{
    struct fake f;
    struct machine m;
    struct pmon pmon;

    xeon_e(&f, &m, 0xFED10000);
    cr_assert_eq(boxes_find(&f.platform, &m, &pmon), ST_OK);
    cr_expect_eq(usable(&pmon, "MC"), 0);
    cr_expect_eq(pmon.boxes[pmon.n_boxes - 1].why, PMON_NO_BASE);
    boxes_free(&pmon);
    fake_machine_free(&m);
}

/* Panther Lake: MSR 201EH has the address of a table, here of one memory controller with a control at 2000040H. */
Test(boxes_clients, tables_that_an_msr_leads_to)
{
    static const uint64_t table[] = { UINT64_C(1) << 62 | 1 << 16 | 3 << 8,
                                      0x2000000,
                                      0,
                                      UINT64_C(1) << 62 | 8 << 24 | 48 << 16 | 4 << 8 | 1,
                                      0x2000040,
                                      6 };
    struct fake f;
    struct machine m;
    struct pmon pmon;

    fake_init(&f, 2);
    fake_machine(&f, &m);
    for (uint32_t i = 0; i < 2; i++)
        m.cpus[i].id = (struct cpu_identity){ .vendor = VENDOR_INTEL, .family = 6, .model = 0xCC };
    fake_msr(&f, 0x201E, 0x1000000);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        fake_cell(&f, false, 0x1000000 + 8 * i, table[i]);
    fake_cell(&f, false, 0x2000000, 1);
    for (uint32_t at = 0x40; at <= 0x4C; at += 4)
        fake_cell(&f, false, 0x2000000 + at, 0);
    cr_assert_eq(boxes_find(&f.platform, &m, &pmon), ST_OK);
    cr_assert_eq(pmon.n_tables, 1, "one table that both processors name");
    cr_expect_eq(pmon.tables[0].control, 0x2000000);
    cr_expect_eq(usable(&pmon, "iMC"), 1);
    boxes_free(&pmon);
    fake_machine_free(&m);
}

Test(boxes_clients, commands_under_linux_name_its_monitors)
{
    const struct pmon_part *part = part_of(6, 0x9E);
    char text[256];

    repeat_unit(part_unit(part, "MC"), "", text, sizeof text);
    cr_expect_str_eq(text, "perf stat -a --no-merge -e uncore_imc/event=0x1,umask=0x0/ "
                           "-e uncore_imc/event=0x2,umask=0x0/ sleep 1");
    repeat_unit(part_unit(part, "NCU"), "", text, sizeof text);
    cr_expect_str_eq(text, "perf stat -a --no-merge -e uncore_cbox/event=0xff,umask=0x0/ sleep 1");
}
