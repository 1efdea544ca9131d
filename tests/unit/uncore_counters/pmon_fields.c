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
        expect_code("snbep", "ubox.width", reads_without(UBOX_CTL0, fields[i]), VERDICT_FAIL, FOUND_CONTROL_NOT_STORED,
                    "counter 0");
    expect_code("snbep", "ubox.width", reads_without(UBOX_FIXED_CTL, BIT(22)), VERDICT_FAIL, FOUND_CONTROL_NOT_STORED,
                "fixed counter");
    expect_code("snbep", "ubox.width", reads_with(UBOX_CTL0, BIT(24)), VERDICT_FAIL, FOUND_CONTROL_NOT_STORED,
                "counter 0");
}

Test(pmon_fields, reserved_bits_of_a_ubox_control_read_0)
{
    static const uint64_t reserved[] = { BIT(31), BIT(29), BIT(21), BIT(20), BIT(19) };

    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        expect_code("snbep", "ubox.width", reads_with(UBOX_CTL0, reserved[i]), VERDICT_WARN, FOUND_RESERVED_BITS, NULL);
}

/* Bit 28 is lost on its way: thresh 16 acts as 0. */
Test(pmon_fields, each_bit_of_thresh_is_compared)
{
    for (uint32_t bit = 25; bit <= 28; bit++) {
        char words[48];

        snprintf(words, sizeof words, "thresh %u and invert: ", 1u << (bit - 24));
        expect_found("snbep", "ubox.threshold", msr_stuck_at_0(UBOX_CTL0, BIT(bit)), VERDICT_FAIL, words);
    }
}

/* --- Nehalem ------------------------------------------------------------------------------------------------------ */

Test(pmon_fields, enables_and_routes_of_391h_are_stored)
{
    expect_code("nhm", "pmon.width", reads_without(GLOBAL_CTRL, BIT(7)), VERDICT_FAIL, FOUND_NOT_STORED, NULL);
    expect_code("nhm", "pmon.width", reads_without(GLOBAL_CTRL, BIT(32)), VERDICT_FAIL, FOUND_NOT_STORED, NULL);
    expect_code("nhm", "pmon.width", reads_without(GLOBAL_CTRL, BIT(63)), VERDICT_FAIL, FOUND_NOT_STORED, NULL);
    expect_code("nhm", "pmon.width", reads_with(GLOBAL_CTRL, BIT(8)), VERDICT_WARN, FOUND_RESERVED_BITS, NULL);
    expect_code("nhm", "pmon.width", reads_with(GLOBAL_CTRL, BIT(62)), VERDICT_WARN, FOUND_RESERVED_BITS, NULL);
    /* A part of two cores may have no bits for the others. */
    expect_code("nhm", "pmon.width", reads_without(GLOBAL_CTRL, BIT(51) | BIT(50)), VERDICT_WARN, FOUND_NOT_STORED,
                NULL);
}

Test(pmon_fields, pmi_of_each_control_is_stored_and_reserved_bits_read_0)
{
    expect_code("nhm", "pmon.width", reads_without(EVTSEL3, BIT(20)), VERDICT_FAIL, FOUND_CONTROL_NOT_STORED,
                "counter 3");
    expect_found("nhm", "pmon.width", reads_without(FIXED_CTRL, BIT(2)), VERDICT_FAIL, "fixed counter");
    expect_code("nhm", "pmon.width", reads_with(EVTSEL3, BIT(19)), VERDICT_WARN, FOUND_RESERVED_BITS, NULL);
    expect_code("nhm", "pmon.width", reads_with(EVTSEL3, BIT(17)), VERDICT_FAIL, FOUND_WRITE_ONLY_READS, NULL);
    expect_code("nhm", "pmon.width", reads_with(FIXED_CTRL, BIT(1)), VERDICT_WARN, FOUND_RESERVED_BITS, NULL);
}

Test(pmon_fields, each_overflow_shows_in_392h_and_nothing_else_does)
{
    expect_code("nhm", "pmon.overflow", reads_without(GLOBAL_STATUS, BIT(6)), VERDICT_FAIL, FOUND_STATUS_WRONG,
                "counter 6");
    expect_found("nhm", "pmon.overflow", reads_without(GLOBAL_STATUS, BIT(32)), VERDICT_FAIL, "fixed counter");
    expect_code("nhm", "pmon.overflow", reads_without(GLOBAL_STATUS, BIT(63)), VERDICT_FAIL, FOUND_STATUS_WRONG, NULL);
    expect_code("nhm", "pmon.overflow", reads_with(GLOBAL_STATUS, BIT(61)), VERDICT_FAIL, FOUND_STATUS_WRONG, NULL);
    expect_code("nhm", "pmon.overflow", reads_with(GLOBAL_STATUS, BIT(63)), VERDICT_FAIL, FOUND_STATUS_KEPT, NULL);
    expect_code("nhm", "pmon.overflow", reads_with(GLOBAL_STATUS, BIT(33)), VERDICT_WARN, FOUND_RESERVED_BITS, NULL);
    expect_code("nhm", "pmon.overflow", reads_with(GLOBAL_STATUS, BIT(8)), VERDICT_WARN, FOUND_RESERVED_BITS, NULL);
}

/* --- a fixed counter by PCI --------------------------------------------------------------------------------------- */

/* 329468-002 table 2-73: bit 0 of a memory channel's status is the fixed counter's. */
Test(pmon_fields, the_overflow_of_a_channels_fixed_counter_shows)
{
    struct register_defect status = { .access = ACCESS_PCI_READ, .reg = PCI_REGISTER(16, 4, 0xF8), .clear = BIT(0) };

    expect_code("ivbep", "pmon.overflow", status, VERDICT_WARN, FOUND_STATUS_WRONG, "fixed counter");
}

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
        expect_code(parts[i].profile, "pmon.overflow", parts[i].status, VERDICT_WARN, FOUND_STATUS_WRONG,
                    "fixed counter");
}

/* --- counters that take no writes --------------------------------------------------------------------------------- */

#define CBO_1_CTR0 0xE18u /* Broadwell-EP: E00H + 10H, counters from 8 */
#define NHM_CTR0   0x3B0u

static struct register_defect never_written(uint32_t first, uint32_t most)
{
    return (struct register_defect){ .access = ACCESS_WRMSR, .reg = first, .any = most, .clear = UINT64_MAX };
}

/* No document says that counters of this part can be written: a box whose counters cannot be is left out, and says why. */
Test(pmon_fields, counters_that_no_guide_says_to_take_writes_are_tried_once)
{
    static const char *const checks[] = { "pmon.width", "pmon.wrap", "pmon.overflow", "pmon.reset" };

    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        expect(VERDICT_PASS, checks[i], ON("bdx"), .defect = never_written(CBO_1_CTR0, 3));
}

/* The SDM has MSRs 3B0H to 3B7H as RW. */
Test(pmon_fields, counters_that_a_document_says_to_take_writes_fail)
{
    expect_code("nhm", "pmon.width", never_written(NHM_CTR0, 7), VERDICT_FAIL, FOUND_NOT_STORED, NULL);
}
