/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Registers as software that ran before left them: quirks left-*; more of them than parts so far have. */
#include "tests/silicon/model/model_state.h"
#include "tests/support/run/realism_machine.h"

#include <criterion/criterion.h>

static const struct {
    const char *profile, *quirk;
    uint32_t cpu, msr;
    uint64_t value;
} registers[] = {
    { "spr", "left-class=all", 0, 0xC8F, UINT64_C(1) << 32 },
    { "spr", "left-class=all", 0, 0xC91, 3 },
    { "spr", "left-class=some", 0, 0xC8F, 0 },
    { "spr", "left-class=some", 1, 0xC8F, UINT64_C(1) << 32 },
    { "spr", "left-class=all,left-cdp=on", 0, 0xC92, 3 }, /* CDP: masks of data and code of class 1 */
    { "spr", "left-class=all,left-cdp=on", 0, 0xC93, 3 },
    { "spr", "left-rmids=on", 1, 0xC8F, 2 },
    { "spr", "left-rmids=highest", 0, 0xC8F, 0 },
    { "spr", "left-rmids=highest", 1, 0xC8F, 31 },
    { "spr", "left-selection=reserved", 0, 0xC8D, UINT64_C(31) << 32 | 0xF0 },
    { "spr", "left-selection=reserved", 0, 0xC8E, BIT(63) },
    { "skx", "left-masks=classes", 0, 0xC90, 0x7FF },
    { "skx", "left-masks=classes", 0, 0xC91, 0x3E },
    { "skx", "left-masks=classes", 0, 0xC96, 0x7C0 }, /* the two ways that are shared move together */
    { "skx", "left-masks=all", 0, 0xC90, 0x1FF },
    { "spr", "left-masks=least", 0, 0xC90, 1 },
    { "zen5", "left-masks=least", 0, 0xC90, 0x5555 },
    { "zen5", "left-masks=least", 0, 0xC91, 0 },
    { "spr", "left-cdp=on", 0, 0xC81, 1 },
    { "spr", "left-l2-masks=cdp", 0, 0xC82, 1 },
    { "spr", "left-l2-masks=classes", 0, 0xD10, 0xFFFF },
    { "spr", "left-l2-masks=classes", 1, 0xD11, 0x1FE },
    { "spr", "left-l2-masks=all", 0, 0xD10, 0xFF },
    { "spr", "left-throttles=classes", 0, 0xD50, 0 },
    { "spr", "left-throttles=all", 0, 0xD50, 40 },
    { "zen5", "left-throttles=classes", 0, 0xC0000201, 32 },
    { "zen5", "left-throttles=classes", 0, 0xC0000281, 32 },
    { "spr", "left-prefetch=disabled", 0, 0x1A4, 0x3F },
    { "spr", "left-prefetch=disabled", 0, 0x6D, BIT(42) | BIT(14) },
    { "zen5", "left-prefetch=disabled", 0, 0xC0000108, 0x2F },
    { "spr", "left-rmid-sharing=on", 0, 0xCA0, 0 },
    { "gnr", "left-io=on", 0, 0xC83, 3 },
    { "zen5", "left-io=on", 0, 0xC00003FF, 2 },
    { "zen4", "left-events=reads", 0, 0xC0000400, 0x3 },
    { "zen4", "left-events=writes", 0, 0xC0000400, 0x4C },
    { "zen4", "left-range=4", 0, 0xC0011096, 0xF0FFF001 },
    { "zen4", "left-range=4", 0, 0xC001109A, 0xF },
    { "zen5", "left-counters=enabled", 0, 0xC00003FF, 1 },
    { "zen5", "left-counters=assigned", 0, 0xC00003FE, BIT(62) | UINT64_C(1) << 32 | 0x7F },
};

Test(realism_left, shows_what_was_left_in_its_register)
{
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        struct model *m = machine(registers[i].profile, registers[i].quirk);

        cr_expect_eq(silicon_read(m, registers[i].cpu, registers[i].msr), registers[i].value, "%s: MSR %#x is %#lx",
                     registers[i].quirk, registers[i].msr, silicon_read(m, registers[i].cpu, registers[i].msr));
    }
}

Test(realism_left, leaves_a_selection_that_answers)
{
    struct model *m = machine("spr", "left-selection=on");

    cr_expect_neq(silicon_read(m, 0, 0xC8D) & 0xFF, 0);
    cr_expect_eq(silicon_read(m, 0, 0xC8E) >> 62, 0);
}

Test(realism_left, fills_the_two_ways_of_the_class_alone)
{
    struct model *m = machine("bdx", "left-class=all");

    silicon_load(m, 0, 0, UINT64_C(2) * m->l3_slices * m->l3.sets * m->l3.ways);
    cr_expect_eq(lines_of(m, 0), UINT64_C(2) * m->l3_slices * m->l3.sets);
}

/* SDM vol. 3B 17.16.8.1: PQR_ASSOC takes RMIDs up to 0FH.0:EBX; the L3's end with 0FH.1:ECX (17.16.5). */
Test(realism_l3_rmids, an_rmid_of_the_processor_alone_is_stored_and_counted_nowhere)
{
    struct model *m = machine("spr", "l3-rmids=half");
    uint32_t any[4] = { 0 }, l3[4] = { 0 };

    model_cpuid(m, 0, 0xF, 0, any);
    model_cpuid(m, 0, 0xF, 1, l3);
    cr_assert_eq(any[1], 2 * l3[2] + 1);
    silicon_keeps(m, 0, 0xC8F, any[1], any[1]);
    cr_expect(silicon_refuses(m, 0, 0xC8F, any[1] + 1));
    silicon_load(m, 0, 0, 4096);
    for (uint32_t rmid = 0; rmid <= l3[2]; rmid++) {
        silicon_write(m, 0, 0xC8D, (uint64_t)rmid << 32 | 1);
        cr_expect_eq(silicon_read(m, 0, 0xC8E), 0);
    }
    silicon_write(m, 0, 0xC8D, (uint64_t)(l3[2] + 1) << 32 | 1);
    cr_expect_eq(silicon_read(m, 0, 0xC8E), BIT(63));
}

Test(realism_classes, has_a_mask_for_each_of_32_classes)
{
    struct model *m = machine("skx", "classes=32");
    uint32_t regs[4] = { 0 };

    model_cpuid(m, 0, 0x10, 1, regs);
    cr_expect_eq(regs[3], 31);
    silicon_keeps(m, 0, 0xC90 + 31, 7, 7);
    cr_expect(silicon_refuses(m, 0, 0xC90 + 32, 7));
    silicon_keeps(m, 0, 0xC8F, UINT64_C(31) << 32, UINT64_C(31) << 32);
    cr_expect(silicon_refuses(m, 0, 0xC8F, UINT64_C(32) << 32));
}
