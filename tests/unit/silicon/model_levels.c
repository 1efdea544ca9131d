/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What virtual silicon has beyond its recorded parts where a fault breaks it: cache bandwidth allocation, resource
 * priority, quality of service of the STLB, the overflow flag of QM_CTR; and what event 0 does.
 */
#include "tests/support/silicon.h"

#include "core/base/bits.h"

enum { CORE_CAPABILITIES = 0xCF, STLB_MASK0 = 0x1A90 };
enum { PRIORITY = 0xC88, PRIORITY_PKG, QM_EVTSEL = 0xC8D, QM_CTR, LEVELS0 = 0xE00, LEVELS1 };
enum { OCCUPANCY = 1, TOTAL };
#define OVERFLOW BIT(61)

static struct model *faulty(const char *profile, const char *fault)
{
    return silicon_new(&MODEL(profile, 2, 1, 2, .faults = { fault }));
}

static uint32_t leaf_word(struct model *m, uint32_t leaf, uint32_t subleaf, uint32_t word)
{
    uint32_t regs[4] = { 0, 0, 0, 0 };

    model_cpuid(m, 0, leaf, subleaf, regs);
    return regs[word];
}

/* RDT Architecture Specification 3.2.5: 15 classes, eight a register, a byte each, 16 levels; each processor its own.
 */
Test(levels, are_stored_up_to_the_greatest_by_each_processor)
{
    struct model *m = faulty("gnr", "cba-stuck:7"); /* a bit that no level has */

    cr_expect_eq(leaf_word(m, 0x10, 0, 1) & BIT(5), BIT(5));
    cr_expect_eq(leaf_word(m, 0x10, 5, 0), 15);
    cr_expect_eq(leaf_word(m, 0x10, 5, 2), BIT(3));
    cr_expect_eq(leaf_word(m, 0x10, 5, 3), 14);
    cr_expect_eq(silicon_read(m, 0, LEVELS0), 0);
    silicon_keeps(m, 0, LEVELS0, UINT64_C(0x0F0E0D0C0B0A0908), UINT64_C(0x0F0E0D0C0B0A0908));
    silicon_keeps(m, 0, LEVELS1, UINT64_C(0x000F0F0F0F0F0F0F), UINT64_C(0x000F0F0F0F0F0F0F));
    cr_expect_eq(silicon_read(m, 1, LEVELS0), 0, "the sibling has its own");
    for (uint32_t class = 0; class < 8; class ++)
        cr_expect(silicon_refuses(m, 0, LEVELS0, UINT64_C(16) << 8 * class), "class %u", class);
    cr_expect(silicon_refuses(m, 0, LEVELS1, BIT(56)), "there is no class 15");
    cr_expect(silicon_refuses(m, 0, LEVELS1 + 1, 0));
    cr_expect_eq(silicon_read(m, 0, LEVELS0), UINT64_C(0x0F0E0D0C0B0A0908), "what is refused changes nothing");
    model_free(m);
}

Test(levels, can_be_unlimited_or_stuck_or_absent)
{
    static const char *const faults[] = { "cba-limit", "cba-stuck", "cba-no-register", NULL };
    struct model *m[4];

    for (uint32_t i = 0; i < 4; i++) {
        m[i] = faulty("gnr", faults[i]);
        cr_expect_eq(!(leaf_word(m[i], 0x10, 0, 1) & BIT(5)), !faults[i], "none without a fault");
    }
    silicon_keeps(m[0], 0, LEVELS0, 16, 16);
    silicon_keeps(m[1], 0, LEVELS0, 0x0F0F, 0x0D0D);
    cr_expect(silicon_refuses(m[2], 0, LEVELS0, 1));
    cr_expect(silicon_refuses(m[3], 0, LEVELS0, 1));
    for (uint32_t i = 0; i < 4; i++)
        model_free(m[i]);
}

/* SDM vol. 2A, leaf 10H sub-leaf 6. */
Test(priority, is_left_on_by_firmware_in_the_last_package)
{
    struct model *m = faulty("gnr", "priority-left-by-firmware"), *without = faulty("gnr", NULL);
    uint64_t value;

    cr_expect_eq(leaf_word(m, 0x10, 0, 1) & BIT(6), BIT(6));
    cr_expect_eq(leaf_word(m, 0x10, 6, 0), 3);
    cr_expect_eq(silicon_read(m, 0, PRIORITY_PKG), 0);
    cr_expect_eq(silicon_read(m, 2, PRIORITY_PKG), 1);
    silicon_keeps(m, 2, PRIORITY_PKG, 0, 0);
    cr_expect_eq(silicon_read(m, 3, PRIORITY_PKG), 0, "one for the package");
    silicon_keeps(m, 0, PRIORITY, 1, 1);
    cr_expect_eq(silicon_read(m, 1, PRIORITY), 0, "one for each processor");
    cr_expect(silicon_refuses(m, 0, PRIORITY, 2));
    cr_expect_eq(leaf_word(without, 0x10, 0, 1) & BIT(6), 0);
    cr_expect_eq(model_rdmsr(without, 0, PRIORITY, SILICON_TIME, &value), MODEL_GP);
    model_free(m);
    model_free(without);
}

/* RDT Architecture Specification, appendix B. */
Test(stlb, is_left_divided_by_firmware_in_the_last_package)
{
    struct model *m = faulty("spr", "stlb-left-by-firmware"), *without = faulty("spr", NULL);
    uint64_t value;

    cr_expect_eq(silicon_read(m, 0, CORE_CAPABILITIES), 1);
    cr_expect_eq(silicon_read(m, 0, STLB_MASK0), 0xFF);
    cr_expect_eq(silicon_read(m, 2, STLB_MASK0), 3);
    cr_expect_eq(silicon_read(m, 2, STLB_MASK0 + 15), 0xFF);
    silicon_keeps(m, 2, STLB_MASK0, 0xF0, 0xF0);
    cr_expect_eq(silicon_read(m, 3, STLB_MASK0), 0xF0, "one for the package");
    cr_expect(silicon_refuses(m, 0, STLB_MASK0, 0x100));
    cr_expect_eq(silicon_read(m, 0, STLB_MASK0 - 2), 0);
    cr_expect_eq(silicon_read(m, 3, STLB_MASK0 - 2), 1);
    silicon_keeps(m, 3, STLB_MASK0 - 2, 0, 0);
    cr_expect(silicon_refuses(m, 0, STLB_MASK0 - 1, 0));
    cr_expect_eq(silicon_read(without, 0, CORE_CAPABILITIES), 0);
    cr_expect_eq(model_rdmsr(without, 0, STLB_MASK0, SILICON_TIME, &value), MODEL_NOT_MINE, "the host answers");
    model_free(m);
    model_free(without);
}

/* RDT Architecture Specification 7.1.1.4. RMID 0 rolled over under firmware; RMID 5 does not within 10 counts. */
Test(overflow_flag, stays_or_is_always_there)
{
    static const char *const faults[] = { "overflow-flag-kept", "overflow-flag-stuck", NULL };

    for (uint32_t i = 0; i < 3; i++) {
        struct model *m = faulty("bdx", faults[i]);

        cr_expect_eq(leaf_word(m, 0xF, 1, 0) & BIT(8), i < 2 ? BIT(8) : 0);
        cr_expect_eq(silicon_count(m, 0, 0, TOTAL) & OVERFLOW, i < 2 ? OVERFLOW : 0);
        cr_expect_eq(silicon_count(m, 0, 0, TOTAL) & OVERFLOW, i < 2 ? OVERFLOW : 0);
        cr_expect_eq(silicon_count(m, 0, 5, TOTAL) & OVERFLOW, i == 1 ? OVERFLOW : 0);
        cr_expect_eq(silicon_count(m, 0, 5, OCCUPANCY) & OVERFLOW, 0);
        model_free(m);
    }
}

Test(event_0, can_be_selected_but_for_two_faults)
{
    static const char *const faults[] = { NULL, "evtsel-not-cleared", "evtsel-zero-refused" };
    static const uint64_t after[] = { UINT64_C(5) << 32, UINT64_C(5) << 32 | TOTAL, UINT64_C(6) << 32 | TOTAL };

    for (uint32_t i = 0; i < 3; i++) {
        struct model *m = faulty("bdx", faults[i]);

        silicon_keeps(m, 0, QM_EVTSEL, UINT64_C(6) << 32 | TOTAL, UINT64_C(6) << 32 | TOTAL);
        cr_expect_eq(silicon_write(m, 0, QM_EVTSEL, UINT64_C(5) << 32), i == 2 ? MODEL_GP : MODEL_DONE);
        cr_expect_eq(silicon_read(m, 0, QM_EVTSEL), after[i]);
        cr_expect_eq(silicon_read(m, 0, QM_CTR) & BIT(63), i == 0 ? BIT(63) : 0);
        model_free(m);
    }
}
