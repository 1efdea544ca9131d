/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Uncore boxes by PCI and memory, and the control layouts, with values worked out by hand from the documents. */
#include <criterion/criterion.h>

#include "arch/x86/pmon/pmon.h"
#include "core/base/bits.h"
#include "core/platform/ledger.h"
#include "tests/support/data/parts.h"
#include "tests/support/machine/fake_platform.h"

static const struct pmon_unit *unit_of(uint32_t model, const char *name)
{
    return part_unit(part_of(6, model), name);
}

Test(pmon_layouts, what_a_field_cannot_hold_is_refused)
{
    uint64_t value = 0xDEAD;

    cr_expect_eq(pmon_encode(unit_of(0x2D, "iMC"), &(struct pmon_event){ .ov_en = true }, &value), ST_RANGE);
    cr_expect_eq(pmon_encode(unit_of(0x2D, "iMC"), &(struct pmon_event){ .ev_sel = 0x100 }, &value), ST_RANGE);
    cr_expect_eq(pmon_encode(unit_of(0x2D, "QPI"), &(struct pmon_event){ .ev_sel = 0x200 }, &value), ST_RANGE);
    cr_expect_eq(pmon_encode(unit_of(0x2D, "PCU"), &(struct pmon_event){ .thresh = 32 }, &value), ST_RANGE);
    /* 329468-002 table 2-14: bits 23 and 21:20 are reserved */
    cr_expect_eq(pmon_encode(unit_of(0x3E, "CBo"), &(struct pmon_event){ .ov_en = true }, &value), ST_RANGE);
    cr_expect_eq(pmon_encode(unit_of(0x3E, "CBo"), &(struct pmon_event){ .thresh = 1, .invert = true }, &value),
                 ST_RANGE);
    cr_expect_eq(pmon_encode(unit_of(0x6A, "CHA"), &(struct pmon_event){ .extra = BIT(58) }, &value), ST_RANGE);
    cr_expect_eq(pmon_encode(unit_of(0x55, "UPI"), &(struct pmon_event){ .extra = BIT(44) }, &value), ST_RANGE);
    cr_expect_eq(value, 0xDEAD);
}

Test(pmon_layouts, boxes_freeze_and_run_by_the_bits_of_their_control)
{
    cr_expect_eq(pmon_freeze_value(unit_of(0x4F, "CBo")), 0x10100);
    cr_expect_eq(pmon_freeze_value(unit_of(0x55, "CHA")), 0x100);
    cr_expect_eq(pmon_run_value(unit_of(0x1A, "uncore")), UINT64_C(0x1000000FF));
}

/* --- by PCI and memory -------------------------------------------------------------------------------------------- */

#define FUNCTION (UINT64_C(0x7F) << 20 | 20 << 15)

/* Broadwell's first memory channel, 7F:14.0, all registers 0. */
static struct pmon_box pci_box(struct fake *f)
{
    static const uint16_t offsets[] = { 0xF4, 0xD8, 0xDC, 0xE0, 0xE4, 0xF0, 0xA0, 0xA4, 0xA8,
                                        0xAC, 0xB0, 0xB4, 0xB8, 0xBC, 0xD0, 0xD4, 0xF8 };

    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++)
        fake_cell(f, true, FUNCTION | offsets[i], 0);
    return (struct pmon_box){ .unit = unit_of(0x4F, "iMC"), .at = { .bus = 0x7F, .device = 20 } };
}

static struct fake f;
static struct pmon_box box;

Test(pmon_boxes, a_counter_by_pci_is_two_dwords)
{
    uint64_t value = 0;

    fake_init(&f, 1);
    box = pci_box(&f);
    cr_assert_eq(pmon_probe(&f.platform, &box), ST_OK);
    cr_expect_eq(pmon_counter_write(&f.platform, &box, 1, UINT64_C(0x123456789ABC)), ST_OK);
    cr_expect_eq(f.cells[8].value, 0x56789ABC);
    cr_expect_eq(f.cells[9].value, 0x1234);
    cr_expect_eq(pmon_counter_read(&f.platform, &box, 1, &value), ST_OK);
    cr_expect_eq(value, UINT64_C(0x123456789ABC));
}

/* Values after reset are 0: pmon.left-over records what is not. */
Test(pmon_boxes, registers_that_were_used_since_reset_are_counted)
{
    fake_init(&f, 1);
    box = pci_box(&f);
    cr_assert_eq(pmon_probe(&f.platform, &box), ST_OK);
    cr_expect_eq(box.controls_set + box.counters_set, 0);
    box = (struct pmon_box){ .unit = box.unit, .at = box.at };
    f.cells[1].value = f.cells[3].value = 0x304; /* selected, not enabled */
    f.cells[6].value = 77;
    cr_assert_eq(pmon_probe(&f.platform, &box), ST_OK);
    cr_expect_eq(box.controls_set, 2);
    cr_expect_eq(box.counters_set, 1);
}

Test(pmon_boxes, a_function_of_all_ones_is_named_and_left_alone)
{
    char why[160];

    fake_init(&f, 1);
    box = pci_box(&f);
    f.cells[0].value = 0xFFFFFFFF;
    cr_expect_eq(pmon_probe(&f.platform, &box), ST_ABSENT);
    cr_expect_eq(box.why, PMON_ALL_ONES);
    pmon_box_reason(&box, why, sizeof why);
    cr_expect_not_null(strstr(why, "all ones"));
    cr_expect_eq(pmon_counter_write(&f.platform, &box, 0, 1), ST_ABSENT);
    for (uint32_t i = 0; i < f.n_log; i++)
        cr_expect_neq(f.log[i].kind, 'p');
}

Test(pmon_boxes, an_msr_that_faults_half_way_is_named)
{
    fake_init(&f, 1);
    box = (struct pmon_box){ .unit = unit_of(0x2D, "UBox") };
    fake_msr(&f, 0xC10, 0);
    fake_msr(&f, 0xC16, 0);
    cr_expect_eq(pmon_probe(&f.platform, &box), ST_FAULT);
    cr_expect_eq(box.why, PMON_HALF);
    cr_expect_eq(box.why_address, 0xC11);
}

Test(pmon_boxes, registers_by_pci_go_back_to_what_was_found)
{
    struct ledger ledger;
    struct pmon_event event = { .ev_sel = 4, .umask = 3, .enable = true };

    fake_init(&f, 1);
    box = pci_box(&f);
    f.cells[1].value = 0x304; /* a stale selection, not enabled */
    f.cells[6].value = 77;
    cr_assert_eq(ledger_init(&f.platform, &ledger), ST_OK);
    cr_assert_eq(pmon_probe(&f.platform, &box), ST_OK);
    cr_expect_eq(pmon_program(&f.platform, &box, 0, &event), ST_OK);
    cr_expect_eq(pmon_counter_write(&f.platform, &box, 0, 5), ST_OK);
    cr_expect_eq(pmon_write(&f.platform, &box, pmon_box_ctl(box.unit), 0x10100), ST_OK);
    cr_expect_eq(f.cells[1].value, 0x400304);
    cr_expect_eq(ledger_restore(&f.platform), ST_OK);
    cr_expect_eq(f.cells[0].value, 0);
    cr_expect_eq(f.cells[1].value, 0x304);
    cr_expect_eq(f.cells[6].value, 77);
    ledger_free(&ledger);
}

/* Ice Lake: counters are qwords, controls dwords, counted from the channel's base. */
Test(pmon_boxes, a_channel_by_memory)
{
    static const uint16_t offsets[] = { 0x00, 0x08, 0x10, 0x18, 0x20, 0x38, 0x40, 0x44, 0x48, 0x4C, 0x54, 0x5C };

    fake_init(&f, 1);
    box = (struct pmon_box){ .unit = unit_of(0x6A, "iMC"), .base = 0xFB022800 };
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++)
        fake_cell(&f, false, box.base + offsets[i], 0);
    cr_assert_eq(pmon_probe(&f.platform, &box), ST_OK);
    cr_expect_eq(pmon_counter_write(&f.platform, &box, 3, UINT64_C(0xABCDEF012345)), ST_OK);
    cr_expect_eq(f.cells[4].value, UINT64_C(0xABCDEF012345));
    cr_expect_eq(pmon_write(&f.platform, &box, pmon_ctl(box.unit, PMON_FIXED), box.unit->layout->fixed.en), ST_OK);
    cr_expect_eq(f.cells[10].value, BIT(22));
}
