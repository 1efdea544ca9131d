/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Boxes whose clock lies still and are no fault, and overflows that may freeze every box. Addresses of Skylake-SP: Linux
 * uncore_snbep.c skx_uncore_imc (10.2, counters A0H on, fixed D0H), skx_uncore_upi (14.0 to 16.0, counters 318H on),
 * skx_uncore_chabox (E00H + 10H each). */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "core/base/search.h"
#include "core/platform/ledger.h"
#include "tests/support/run/model_run.h"

/* --- clocks that lie still ---------------------------------------------------------------------------------------- */

/* Counters of a channel, from offset to offset, read 0. */
#define STILL_CHANNEL(from, to)                                                                                        \
    ((struct register_defect){ .access = ACCESS_PCI_READ,                                                              \
                               .reg = PCI_REGISTER(10, 2, from),                                                       \
                               .last = PCI_REGISTER(10, 2, to),                                                        \
                               .clear = UINT32_MAX })

static uint32_t first, last; /* devices whose counters read 0, and KTIPCSTS, 120H: their links were not trained */

static enum status still_links(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    enum status st = interposer_pci_read(machine, at, offset, width, value);

    if (at.device >= first && at.device <= last && at.function == 0 &&
        ((offset >= 0x318 && offset < 0x338) || offset == 0x120))
        *value = 0;
    return st;
}

#define STILL_LINKS(verdict, from, to, ...)                                                                            \
    (first = from, last = to, expect(verdict, "pmon.clock", ON("skx", 2), .pci_read = still_links, __VA_ARGS__))

Test(pmon_alive, a_channel_without_memory_is_noted_and_no_check_fails_for_it)
{
    static const char *const ids[] = { "pmon.enable", "pmon.freeze", "pmon.width",   "pmon.wrap",
                                       "pmon.clock",  "pmon.edge",   "pmon.overflow" };

    for (size_t k = 0; k < sizeof ids / sizeof ids[0]; k++)
        expect(VERDICT_PASS, ids[k], ON("skx"), .defect = STILL_CHANNEL(0xA0, 0xD7),
               .stream = "iMC 0: none of its counters counts a clock: a channel without memory");
}

/* Counters A0H to B7H lie still, the fourth counts. */
EXPECT_TEST(pmon_alive, a_counter_that_lies_still_in_a_box_that_counts_fails, VERDICT_FAIL, "pmon.enable", ON("skx"),
            .defect = STILL_CHANNEL(0xA0, 0xB7), .finding = "iMC 0");

Test(pmon_alive, a_link_that_is_not_connected_is_noted)
{
    STILL_LINKS(VERDICT_PASS, 16, 16, .stream = "a link that is not connected or sleeps");
}

/* Each package has a link to another. */
Test(pmon_alive, no_link_with_a_clock_between_two_packages_fails)
{
    STILL_LINKS(VERDICT_FAIL, 14, 16, .finding = "none of its links has a clock");
}

/* --- overflows ---------------------------------------------------------------------------------------------------- */

#define CHAS      28u
#define OV_EN     BIT(20)
#define GLOBAL    0x700u
#define UNFREEZES BIT(61)

struct armed {
    uint32_t counters[CHAS]; /* bit n: counter n of the CHA has ov_en and counts */
    uint32_t most, ever;     /* CHAs at a time, and in all */
    uint32_t thaws;
};

static void note_arming(struct interposer *i, uint32_t, struct step *s)
{
    struct armed *a = i->context;
    uint32_t cha = (s->reg - 0xE00) / 0x10, counter = (s->reg - 0xE00) % 0x10 - 1, at_a_time;

    if (s->op != STEP_WRMSR)
        return;
    a->thaws += s->reg == GLOBAL && s->value == UNFREEZES;
    if (s->reg < 0xE00 || cha >= CHAS || counter > 3)
        return;
    a->ever += (s->value & OV_EN) && a->counters[cha] == 0;
    a->counters[cha] = (a->counters[cha] & ~(1u << counter)) | (s->value & OV_EN ? 1u << counter : 0);
    at_a_time = HOW_MANY(k, CHAS, a->counters[k] != 0);
    a->most = at_a_time > a->most ? at_a_time : a->most;
}

/* A reported overflow freezes every box of the package: 329468-002 2.1.1.1. */
Test(pmon_alive, overflows_are_reported_by_one_box_at_a_time_and_the_freeze_is_lifted)
{
    struct armed armed = { .most = 0 };

    expect(VERDICT_PASS, "pmon.overflow", ON("skx"), .before = note_arming, .context = &armed,
           .stream = "MSR 0x700\":" /* in the certificate */, .restored = true);
    cr_expect_eq(armed.most, 1, "%u CHAs at a time", armed.most);
    cr_expect_geq(armed.ever, 2);
    cr_expect_geq(armed.thaws, armed.ever, "%u overflows, %u thaws", armed.ever, armed.thaws);
}

static void leave_a_freeze(struct model_run *r)
{
    struct ledger ledger;
    uint64_t found = 0;

    cr_assert_eq(ledger_init(&r->mp->platform, &ledger), ST_OK);
    cr_assert_eq(msr_write(&r->mp->platform, 0, 0xE00, BIT(16) | BIT(8)), ST_OK); /* CBo 0: frz_en, frz */
    ledger_free(&ledger);
    cr_assert_eq(msr_read(&r->mp->platform, 0, 0xE00, &found), ST_OK);
    cr_expect(found & BIT(8));
}

/* Firmware left the freeze of a box set: it is lifted for the checks, told, and set again. */
EXPECT_TEST(pmon_alive, a_freeze_that_was_found_is_lifted_and_put_back, VERDICT_PASS, "pmon.enable", ON("bdx"),
            .tests = { "pmon.*" }, .change = leave_a_freeze,
            .also = { { "pmon.freeze", VERDICT_PASS }, { "pmon.left-over", VERDICT_WARN } },
            .report = "package 0 CBo 0: box control is", .restored = true);

struct status_seen {
    uint32_t first, n; /* registers of the global status, as the discovery table of the silicon has them */
    uint64_t ever;     /* read from any of them */
};

static void note_status(struct interposer *i, uint32_t, struct step *s)
{
    struct status_seen *seen = i->context;

    if (s->op == STEP_RDMSR && s->reg >= seen->first && s->reg < seen->first + seen->n)
        seen->ever |= s->value;
}

/* From Sapphire Rapids on the discovery table alone says where the global status is: it is cleared after each overflow, and
 * the certificate has it. */
Test(pmon_alive, the_global_status_of_a_discovery_table_is_cleared_and_certified)
{
    static const struct {
        const char *profile, *entry;
        uint32_t first, n;
    } parts[] = { { "spr", "0x2ff1", 0x2FF1, 4 }, { "gnr", "0x3fe1", 0x3FE1, 4 } };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct model_run *r = model_run_new(parts[i].profile, 1, "pmon.overflow");
        struct status_seen seen = { .first = parts[i].first, .n = parts[i].n };

        r->interposer.after = note_status;
        r->interposer.context = &seen;
        cr_expect_eq(model_run_check(r, "pmon.overflow")->verdict, VERDICT_PASS);
        cr_expect_neq(seen.ever, 0, "%s", parts[i].profile);
        cr_expect(model_run_streams(r, parts[i].entry), "%s", parts[i].profile);
        for (uint32_t k = 0; k < seen.n; k++) {
            uint64_t left = UINT64_MAX;

            cr_expect_eq(msr_read(&r->mp->platform, 0, seen.first + k, &left), ST_OK, "%s", parts[i].profile);
            cr_expect_eq(left, 0, "%s: MSR %XH is 0x%lx", parts[i].profile, seen.first + k, left);
        }
        cr_expect_eq(r->run->restored, ST_OK);
        model_run_free(r);
    }
}

/* 329468-002 2.1.1.1: the U-box freezes every box when an overflow is reported to it. */
Test(pmon_alive, a_freeze_long_after_an_overflow_warns)
{
    static const char *const profiles[] = { "bdx", "skx", "spr" };

    for (uint32_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        expect(VERDICT_WARN, "pmon.overflow", ON(profiles[i], .faults = { "pmon-freeze-late:20000" }),
               .finding = "after its overflow, which then freezes the box");
        expect(VERDICT_PASS, "pmon.overflow", ON(profiles[i], .faults = { "pmon-freeze-late:1000" }));
    }
}
