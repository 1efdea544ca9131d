/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/pmon/pmon.h"

#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "core/platform/ledger.h"
#include "tests/support/data/parts.h"
#include "tests/support/machine/fake_platform.h"

static const struct pmon_unit *unit_of(uint32_t model)
{
    return part_unit(part_of(6, model), "UBox");
}

/* 327043-001 2.2.3 and table 2-3: 44 bits; with E5 v3 the counters became 48 bits wide. */
Test(pmon_units, ubox_of_each_generation)
{
    cr_assert_not_null(unit_of(0x2D));
    cr_assert_not_null(unit_of(0x4F));
    cr_expect_eq(pmon_bits(unit_of(0x2D), 0), 44);
    cr_expect_eq(pmon_bits(unit_of(0x3E), 1), 44);
    cr_expect_eq(pmon_bits(unit_of(0x3F), 0), 48);
    cr_expect_eq(pmon_bits(unit_of(0x4F), PMON_FIXED), 48);
    cr_expect_eq(unit_of(0x56), unit_of(0x4F));
}

Test(pmon_units, parts_that_nobody_documented_have_no_tables)
{
    struct cpu_identity other = { .vendor = VENDOR_CENTAUR, .family = 6, .model = 0x4F };

    cr_expect_null(pmon_part_of(&other));
    cr_expect_null(part_of(6, 0x1C), "Bonnell");
    cr_expect_null(unit_of(0x1A), "Nehalem has one uncore PMU and no UBox");
}

/* Fields of a control must not overlap. */
Test(pmon_units, fields_are_apart)
{
    for (uint32_t p = 0; p < pmon_n_parts; p++)
        for (uint32_t i = 0; i < pmon_parts[p]->n_units; i++) {
            static const struct pmon_control none = { .ev_sel = 1, .en = 2 };
            const struct pmon_unit *u = pmon_parts[p]->units[i];
            const struct pmon_control *f = u->layout->n_free ? &none : u->layout->control;
            uint64_t fields[] = { f->ev_sel, f->umask,  f->rst,        f->edge_det,  f->ov_en, f->en,  f->invert,
                                  f->thresh, f->tid_en, f->ev_sel_ext, f->umask_ext, f->extra, f->ones },
                     all = 0;

            cr_expect_neq(f->ev_sel, 0);
            cr_expect_neq(f->en, 0);
            for (uint32_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
                cr_expect_eq(all & fields[k], 0, "%s %s field %u", pmon_parts[p]->name, pmon_parts[p]->units[i]->name,
                             k);
                all |= fields[k];
            }
        }
}

/* Linux uncore_snbep.c icx_imc_freerunning, spr_imc_freerunning; likwid registers.h and intel/pcm bw.cpp for the first.
 */
Test(pmon_units, free_running_counters_have_no_control)
{
    const struct pmon_unit *icx = part_unit(part_of(6, 0x6A), "MC"), *spr = part_unit(part_of(6, 0x8F), "MC");

    cr_assert(icx && spr);
    cr_expect_eq(pmon_n_counters(icx), 5);
    cr_expect_eq(pmon_ctr(icx, pmon_free_named(icx, "ddr_rd")).offset, 0x2290);
    cr_expect_eq(pmon_ctr(icx, pmon_free_named(icx, "ddr_wr")).offset, 0x2298);
    cr_expect_eq(pmon_ctr(icx, pmon_free_named(icx, "pmm_rd")).offset, 0x22A0);
    cr_expect_eq(pmon_ctr(icx, pmon_free_named(icx, "dclk")).offset, 0x22B0);
    cr_expect_eq(pmon_ctr(spr, pmon_free_named(spr, "dclk")).offset, 0x22B0);
    cr_expect_eq(pmon_ctr(spr, pmon_free_named(spr, "rpq_cycles")).offset, 0x2318);
    cr_expect_eq(pmon_ctr(spr, pmon_free_named(spr, "wpq_cycles")).offset, 0x2320);
    cr_expect_eq(pmon_free_named(spr, "ddr_rd"), PMON_FIXED, "Sapphire Rapids has none");
    for (uint32_t i = 0; i < 5; i++) {
        struct pmon_box box = { .unit = icx, .status = ST_OK };
        uint64_t value = 0;

        cr_expect_eq(pmon_nth(icx, i), i);
        cr_expect_eq(pmon_bits(icx, i), 48);
        cr_expect_eq(pmon_ctr(icx, i).kind, LEDGER_READONLY);
        cr_expect_eq(pmon_ctl(icx, i).bytes, 0);
        cr_expect_eq(pmon_en_bit(icx, i), 0);
        cr_expect_eq(pmon_counter_write(NULL, &box, i, value), ST_RANGE);
        cr_expect_eq(pmon_program(NULL, &box, i, &(struct pmon_event){ .ev_sel = 1 }), ST_RANGE);
    }
    cr_expect_eq(pmon_ctr(icx, 5).bytes, 0);
}

Test(pmon_encode, refuses_what_a_field_cannot_hold)
{
    const struct pmon_unit *u = unit_of(0x2D);
    uint64_t value = 0xDEAD;

    cr_expect_eq(pmon_encode(u, &(struct pmon_event){ .ev_sel = 0x100 }, &value), ST_RANGE);
    cr_expect_eq(pmon_encode(u, &(struct pmon_event){ .umask = 0x100 }, &value), ST_RANGE);
    cr_expect_eq(pmon_encode(u, &(struct pmon_event){ .thresh = 32 }, &value), ST_RANGE, "thresh is 28:24 in the UBox");
    cr_expect_eq(pmon_encode(u, &(struct pmon_event){ .thresh = 31 }, &value), ST_OK);
    value = 0xDEAD;
    cr_expect_eq(pmon_encode(u, &(struct pmon_event){ .invert = true }, &value), ST_RANGE, "thresh must not be 0");
    cr_expect_eq(pmon_encode(u, &(struct pmon_event){ .edge_det = true }, &value), ST_RANGE);
    cr_expect_eq(value, 0xDEAD);
}

static struct fake_msr *ubox_registers(struct fake *f)
{
    static const uint32_t numbers[] = { 0xC08, 0xC09, 0xC10, 0xC11, 0xC16, 0xC17 };

    for (uint32_t i = 0; i < 6; i++)
        fake_msr(f, numbers[i], 0);
    return f->msrs;
}

/* A box of a UBox that a package's processor drives, as a finder makes it. */
static enum status probe(struct fake *f, uint32_t model, uint32_t package, uint32_t cpu, struct pmon_box *box)
{
    *box = (struct pmon_box){ .unit = unit_of(model), .package = package, .cpu = cpu };
    return pmon_probe(&f->platform, box);
}

static struct fake f;
static struct pmon_box box;

Test(pmon_probe, reads_and_writes_nothing)
{
    fake_init(&f, 2);
    ubox_registers(&f);
    cr_expect_eq(probe(&f, 0x2D, 3, 1, &box), ST_OK);
    cr_expect_eq(box.package, 3);
    cr_expect_eq(box.cpu, 1);
    for (uint32_t i = 0; i < f.n_log; i++)
        cr_expect_eq(f.log[i].kind, 'r');
}

Test(pmon_probe, leaves_a_box_alone_that_is_enabled_already)
{
    fake_init(&f, 1);
    ubox_registers(&f)[3].value[0] = BIT(22) | 0x42;
    cr_expect_eq(probe(&f, 0x2D, 0, 0, &box), ST_UNSUPPORTED);
    cr_expect_eq(box.why, PMON_IN_USE);
    cr_expect_eq(box.why_address, 0xC11);
    cr_expect_eq(pmon_counter_write(&f.platform, &box, 0, 0), ST_UNSUPPORTED);
    cr_expect_eq(pmon_quiet(&f.platform, &box), ST_UNSUPPORTED);
    cr_expect_eq(fake_find(&f, 'w', 0xC11, 0), FAKE_LOG);
    cr_expect_eq(fake_find(&f, 'w', 0xC08, 0), FAKE_LOG);
}

Test(pmon_probe, says_that_the_registers_are_not_there)
{
    fake_init(&f, 1);
    cr_expect_eq(probe(&f, 0x4F, 0, 0, &box), ST_FAULT);
    cr_expect_eq(box.why, PMON_ABSENT);
}

Test(pmon, everything_that_was_written_goes_back)
{
    struct ledger ledger;
    struct pmon_event event = { .ev_sel = 0x42, .umask = 8, .enable = true };

    fake_init(&f, 1);
    ubox_registers(&f)[2].value[0] = 0x1234 & ~BIT(22); /* a stale selection, not enabled */
    f.msrs[4].value[0] = 99;
    cr_assert_eq(ledger_init(&f.platform, &ledger), ST_OK);
    cr_assert_eq(probe(&f, 0x2D, 0, 0, &box), ST_OK);
    cr_expect_eq(pmon_program(&f.platform, &box, 0, &event), ST_OK);
    cr_expect_eq(pmon_counter_write(&f.platform, &box, 0, 5), ST_OK);
    cr_expect_eq(pmon_write(&f.platform, &box, pmon_ctl(box.unit, PMON_FIXED), BIT(22)), ST_OK);
    cr_expect_eq(ledger_find_msr(&ledger, 0xC16)->kind, LEDGER_COUNTER);
    cr_expect_eq(ledger_find_msr(&ledger, 0xC10)->kind, LEDGER_CONTROL);
    cr_expect_eq(ledger_restore(&f.platform), ST_OK);
    cr_expect_eq(f.msrs[2].value[0], 0x1234 & ~BIT(22));
    cr_expect_eq(f.msrs[4].value[0], 99);
    cr_expect_eq(f.msrs[0].value[0], 0);
    ledger_free(&ledger);
}

Test(pmon, an_index_that_the_unit_has_not_is_out_of_range)
{
    struct pmon_event event = { .ev_sel = 1 };

    fake_init(&f, 1);
    ubox_registers(&f);
    cr_assert_eq(probe(&f, 0x2D, 0, 0, &box), ST_OK);
    cr_expect_eq(pmon_counter_write(&f.platform, &box, 2, 0), ST_RANGE);
    cr_expect_eq(pmon_program(&f.platform, &box, PMON_FIXED, &event), ST_RANGE);
}

/* 327043-001 2.2.3.2: a carry out of bit 43 wraps and continues. */
Test(pmon_delta, goes_round_at_the_counter_width)
{
    cr_expect_eq(pmon_delta(low_bits(44), 9, 44), 10);
    cr_expect_eq(pmon_delta(low_bits(44), 9, 48), (UINT64_C(15) << 44) + 10);
}

/* --- names of MSRs ------------------------------------------------------------------------------------------------ */

/* The same number is a box's on one part, and on another one of RDT's: E00H is IA32_QoS_Core_BW_Thrtl_0 where CBA is,
 * D10H IA32_L2_MASK_0 where the L2 can be divided. */
Test(pmon, names_an_msr_by_the_box_that_has_it_on_this_part)
{
    static const struct {
        uint32_t model, msr;
        const char *name;
    } rows[] = {
        { 0x6A, 0xE00, "CHA 0 box control" }, /* Linux icx_cha_msr_offsets: CHA 0 is E00H, CHA 34 B60H */
        { 0x6A, 0xE0F, "CHA 1 control 0" },
        { 0x6A, 0xB68, "CHA 34 counter 0" },
        { 0x2D, 0xD10, "CBo 0 control 0" }, /* 327043-001 table 2-7: C0_MSR_PMON_CTL0 */
        { 0x2D, 0xD14, "CBo 0 filter 0" },
        { 0x2D, 0xD36, "CBo 1 counter 0" },
        { 0x55, 0xE07, "CHA 0 status" },
        { 0x1A, 0x391, "uncore box control" }, /* UNCORE_PERF_GLOBAL_CTRL */
        { 0x1A, 0x394, "uncore fixed counter" },
        { 0x2D, 0xC11, "U_MSR_PMON_CTL1" }, /* 327043-001 table 2-1 */
        { 0x4F, 0x703, "U_MSR_PMON_UCLK_FIXED_CTL" },
        { 0x8F, 0x2FD9, "U_MSR_PMON_CTR1" },
    };
    char name[48];

    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert(pmon_msr_name(part_of(6, rows[i].model), rows[i].msr, name, sizeof name), "MSR %#x", rows[i].msr);
        cr_expect_str_eq(name, rows[i].name);
    }
}

Test(pmon, leaves_other_msrs_unnamed)
{
    char name[48] = "as it was";

    cr_expect_not(pmon_msr_name(part_of(6, 0x6A), 0xC8F, name, sizeof name));
    cr_expect_not(pmon_msr_name(part_of(6, 0x4F), 0xC10, name, sizeof name), "a UBox's up to E5 v2 alone");
    cr_expect_not(pmon_msr_name(part_of(6, 0x8F), 0xE00, name, sizeof name), "no box of Sapphire Rapids");
    cr_expect_not(pmon_msr_name(NULL, 0xE00, name, sizeof name));
    cr_expect_str_eq(name, "as it was");
}
