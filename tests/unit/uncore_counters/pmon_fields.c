/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fields of the UBox's and Nehalem's uncore registers that are wrong one at a time: 327043-001 tables 2-2 and 2-3, SDM vol.
 * 3B 18.8.2 (old numbering) figures of MSRs 391H, 392H, 3C0H and 395H. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/silicon/model/model.h"
#include "tests/support/run/model_run.h"

#define UBOX_CTL0      0xC10u
#define UBOX_FIXED_CTL 0xC08u
#define GLOBAL_CTRL    0x391u
#define GLOBAL_STATUS  0x392u
#define FIXED_CTRL     0x395u
#define EVTSEL3        0x3C3u

static struct register_defect reads_without(uint32_t msr, uint64_t bits)
{
    return (struct register_defect){ .access = ACCESS_RDMSR, .reg = msr, .clear = bits };
}

static struct register_defect reads_with(uint32_t msr, uint64_t bits)
{
    return (struct register_defect){ .access = ACCESS_RDMSR, .reg = msr, .set = bits };
}

/* --- UBox --------------------------------------------------------------------------------------------------------- */

Test(pmon_fields, every_field_of_a_ubox_control_is_stored)
{
    static const uint64_t fields[] = { BIT(28), BIT(24), BIT(23), BIT(22), BIT(18), BIT(15), BIT(8), BIT(7), BIT(0) };

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        expect(VERDICT_FAIL, "ubox.width", ON("snbep"), .defect = reads_without(UBOX_CTL0, fields[i]),
               .code = FOUND_CONTROL_NOT_STORED, .finding = "counter 0");
    expect(VERDICT_FAIL, "ubox.width", ON("snbep"), .defect = reads_without(UBOX_FIXED_CTL, BIT(22)),
           .code = FOUND_CONTROL_NOT_STORED, .finding = "fixed counter");
    expect(VERDICT_FAIL, "ubox.width", ON("snbep"), .defect = reads_with(UBOX_CTL0, BIT(24)),
           .code = FOUND_CONTROL_NOT_STORED, .finding = "counter 0");
}

Test(pmon_fields, reserved_bits_of_a_ubox_control_read_0)
{
    static const uint64_t reserved[] = { BIT(31), BIT(29), BIT(21), BIT(20), BIT(19) };

    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        expect(VERDICT_WARN, "ubox.width", ON("snbep"), .defect = reads_with(UBOX_CTL0, reserved[i]),
               .code = FOUND_RESERVED_BITS);
}

/* Bit 28 is lost on its way: thresh 16 acts as 0. */
Test(pmon_fields, each_bit_of_thresh_is_compared)
{
    for (uint32_t bit = 25; bit <= 28; bit++) {
        char words[48];

        snprintf(words, sizeof words, "thresh %u and invert: ", 1u << (bit - 24));
        expect(VERDICT_FAIL, "ubox.threshold", ON("snbep"), .defect = msr_stuck_at_0(UBOX_CTL0, BIT(bit)),
               .finding = words);
    }
}

/* --- Nehalem ------------------------------------------------------------------------------------------------------ */

static void expect_code(enum verdict verdict, const char *id, struct register_defect defect, enum finding_code code)
{
    expect(verdict, id, ON("nhm"), .defect = defect, .code = code);
}

Test(pmon_fields, enables_and_routes_of_391h_are_stored)
{
    expect_code(VERDICT_FAIL, "pmon.width", reads_without(GLOBAL_CTRL, BIT(7)), FOUND_NOT_STORED);
    expect_code(VERDICT_FAIL, "pmon.width", reads_without(GLOBAL_CTRL, BIT(32)), FOUND_NOT_STORED);
    expect_code(VERDICT_FAIL, "pmon.width", reads_without(GLOBAL_CTRL, BIT(63)), FOUND_NOT_STORED);
    expect_code(VERDICT_WARN, "pmon.width", reads_with(GLOBAL_CTRL, BIT(8)), FOUND_RESERVED_BITS);
    expect_code(VERDICT_WARN, "pmon.width", reads_with(GLOBAL_CTRL, BIT(62)), FOUND_RESERVED_BITS);
    /* A part of two cores may have no bits for the others. */
    expect_code(VERDICT_WARN, "pmon.width", reads_without(GLOBAL_CTRL, BIT(51) | BIT(50)), FOUND_NOT_STORED);
}

Test(pmon_fields, pmi_of_each_control_is_stored_and_reserved_bits_read_0)
{
    expect(VERDICT_FAIL, "pmon.width", ON("nhm"), .defect = reads_without(EVTSEL3, BIT(20)),
           .code = FOUND_CONTROL_NOT_STORED, .finding = "counter 3");
    expect(VERDICT_FAIL, "pmon.width", ON("nhm"), .defect = reads_without(FIXED_CTRL, BIT(2)),
           .finding = "fixed counter");
    expect_code(VERDICT_WARN, "pmon.width", reads_with(EVTSEL3, BIT(19)), FOUND_RESERVED_BITS);
    expect_code(VERDICT_FAIL, "pmon.width", reads_with(EVTSEL3, BIT(17)), FOUND_WRITE_ONLY_READS);
    expect_code(VERDICT_WARN, "pmon.width", reads_with(FIXED_CTRL, BIT(1)), FOUND_RESERVED_BITS);
}

Test(pmon_fields, each_overflow_shows_in_392h_and_nothing_else_does)
{
    expect(VERDICT_FAIL, "pmon.overflow", ON("nhm"), .defect = reads_without(GLOBAL_STATUS, BIT(6)),
           .code = FOUND_STATUS_WRONG, .finding = "counter 6");
    expect(VERDICT_FAIL, "pmon.overflow", ON("nhm"), .defect = reads_without(GLOBAL_STATUS, BIT(32)),
           .finding = "fixed counter");
    expect_code(VERDICT_FAIL, "pmon.overflow", reads_without(GLOBAL_STATUS, BIT(63)), FOUND_STATUS_WRONG);
    expect_code(VERDICT_FAIL, "pmon.overflow", reads_with(GLOBAL_STATUS, BIT(61)), FOUND_STATUS_WRONG);
    expect_code(VERDICT_FAIL, "pmon.overflow", reads_with(GLOBAL_STATUS, BIT(63)), FOUND_STATUS_KEPT);
    expect_code(VERDICT_WARN, "pmon.overflow", reads_with(GLOBAL_STATUS, BIT(33)), FOUND_RESERVED_BITS);
    expect_code(VERDICT_WARN, "pmon.overflow", reads_with(GLOBAL_STATUS, BIT(8)), FOUND_RESERVED_BITS);
}

/* --- a fixed counter by PCI --------------------------------------------------------------------------------------- */

/* 329468-002 table 2-73: bit 0 of a memory channel's status is the fixed counter's. */
EXPECT_TEST(pmon_fields, the_overflow_of_a_channels_fixed_counter_shows, VERDICT_WARN, "pmon.overflow", ON("ivbep"),
            .defect = { .access = ACCESS_PCI_READ, .reg = PCI_REGISTER(16, 4, 0xF8), .clear = BIT(0) },
            .code = FOUND_STATUS_WRONG, .finding = "fixed counter");

/* likwid: MBOXnFIX of Haswell-EP to Skylake-SP in the same bit, after it the counters. */
Test(pmon_fields, so_it_does_on_later_parts)
{
    static const struct {
        const char *profile;
        struct register_defect status;
    } parts[] = {
        { "hsx", { .access = ACCESS_PCI_READ, .reg = PCI_REGISTER(20, 0, 0xF8), .clear = BIT(0) } },
        { "skx", { .access = ACCESS_PCI_READ, .reg = PCI_REGISTER(10, 2, 0xF8), .clear = BIT(0) } },
        { "icx", { .access = ACCESS_MMIO_READ, .reg = MODEL_MMIO_BASE + 0x40000 + 0x22800 + 0x5C, .clear = BIT(0) } },
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        expect(VERDICT_WARN, "pmon.overflow", ON(parts[i].profile), .defect = parts[i].status,
               .code = FOUND_STATUS_WRONG, .finding = "fixed counter");
}

/* --- counters that take no writes --------------------------------------------------------------------------------- */

#define CBO_1_CTR0 0xE18u /* Broadwell-EP: E00H + 10H, counters from 8 */
#define NHM_CTR0   0x3B0u

static struct register_defect never_written(uint32_t first, uint32_t most)
{
    return (struct register_defect){ .access = ACCESS_WRMSR, .reg = first, .any = most, .clear = UINT64_MAX };
}

/* No document says that counters of this part can be written: a box whose counters cannot be is left out, and says why. That
 * they are those of one box alone is a finding of pmon.width (pmon_bad_input.c). */
Test(pmon_fields, counters_that_no_guide_says_to_take_writes_are_tried_once)
{
    static const char *const checks[] = { "pmon.wrap", "pmon.overflow", "pmon.reset" };

    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        expect(VERDICT_PASS, checks[i], ON("bdx"), .defect = never_written(CBO_1_CTR0, 3));
}

/* The SDM has MSRs 3B0H to 3B7H as RW. */
EXPECT_TEST(pmon_fields, counters_that_a_document_says_to_take_writes_fail, VERDICT_FAIL, "pmon.width", ON("nhm"),
            .defect = never_written(NHM_CTR0, 7), .code = FOUND_NOT_STORED);
