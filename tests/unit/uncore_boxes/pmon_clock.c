/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Clocks of boxes that are compared while the uncore's ratio may move: MSR 620H, its lowest and highest ratio, and 621H, the
 * present one (Linux uncore-frequency.c). */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/silicon/model/flaw.h"
#include "tests/silicon/uncore/uncore.h"
#include "tests/support/run/model_run.h"

#define LIMITS    0x620u
#define FOUND     UINT64_C(0x0C1E) /* 1.2 to 3.0 GHz */
#define RATIO_NOW 0x621u

struct limits { /* MSR 620H of one package */
    uint64_t value, held, ratio;
    uint32_t writes;
    bool moves; /* MSR 621H reads otherwise at each access */
};

static void limits_answer(struct interposer *i, uint32_t, struct step *s)
{
    struct limits *l = i->context;

    if (s->reg == LIMITS && (s->op == STEP_RDMSR || s->op == STEP_WRMSR)) {
        s->status = ST_OK;
        l->writes += s->op == STEP_WRMSR;
        if (s->op == STEP_RDMSR)
            s->value = l->value;
        else if (l->writes == 1)
            l->held = s->value;
        l->value = s->value;
    } else if (s->reg == RATIO_NOW && s->op == STEP_RDMSR && s->status == ST_OK) {
        l->ratio = field_get(BITS(6, 0), s->value);
        s->value += l->moves ? l->writes++ % 8 : 0;
    }
}

Test(pmon_clock, the_ratio_is_held_still_and_put_back)
{
    struct limits limits = { .value = FOUND };

    expect(VERDICT_PASS, "pmon.clock", ON("hsx"), .after = limits_answer, .context = &limits,
           .stream = "MSR 0x620\":" /* in the certificate */);
    cr_expect_neq(limits.ratio, 0);
    cr_expect_eq(limits.held, limits.ratio << 8 | limits.ratio, "%#lx", (unsigned long)limits.held);
    cr_expect_eq(limits.value, FOUND);
}

/* Counter 0 of CBo 0 (E08H) counts an eighth less. */
static const struct register_defect slow_slice = { .access = ACCESS_RDMSR, .reg = 0xE08, .times = 7, .over = 8 };

EXPECT_TEST(pmon_clock, a_slice_at_another_rate_fails, VERDICT_FAIL, "pmon.clock", ON("hsx"), .defect = slow_slice,
            .code = FOUND_CLOCK_DIFFERS, .finding = "CBo 0");

Test(pmon_clock, a_slice_at_another_rate_while_the_ratio_moves_warns)
{
    struct limits limits = { .moves = true };

    expect(VERDICT_WARN, "pmon.clock", ON("hsx"), .defect = slow_slice, .after = limits_answer, .context = &limits,
           .code = FOUND_CLOCK_DIFFERS);
}

/* UPI 0 at 14.0, counter 0 at 318H: Linux skx_uncore_upi. */
EXPECT_TEST(pmon_clock, a_link_at_another_rate_may_have_slept, VERDICT_WARN, "pmon.clock", ON("skx"),
            .defect = { .access = ACCESS_PCI_READ, .reg = PCI_REGISTER(14, 0, 0x318), .times = 7, .over = 8 },
            .code = FOUND_CLOCK_DIFFERS);

/* CHA 0's first counter is at 2008H: Linux gnr_uncore_chabox, by the discovery table. There is no MSR 621H. */
EXPECT_TEST(pmon_clock, a_slice_at_another_rate_warns_where_no_register_says_the_ratio, VERDICT_WARN, "pmon.clock",
            ON("gnr"), .defect = { .access = ACCESS_RDMSR, .reg = 0x2008, .times = 7, .over = 8 },
            .code = FOUND_CLOCK_DIFFERS, .finding = "CHA 0");

/* No event file has an event of IRP and M2PCIe that a load of this project moves. */
Test(pmon_clock, boxes_that_show_their_clock_alone_are_named)
{
    expect(VERDICT_PASS, "pmon.clock", ON("skx"), .stream = "IRP: clock and storage only");
    expect(VERDICT_PASS, "pmon.clock", ON("skx"), .stream = "M2PCIe: clock and storage only");
}

/* The UBox of the silicon's Granite Rapids runs with an I/O die. */
EXPECT_TEST(pmon_clock, a_ubox_may_run_at_the_rate_of_another_die, VERDICT_PASS, "pmon.clock", ON("gnr", 2));

/* An I/O stack that counts nothing may be off; its free-running clock says that it is not. */
Test(pmon_clock, that_a_dead_box_has_beside_its_counters)
{
    static const struct flaw dead = { .monitor = FLAW_UNCORE, .scope = FLAW_BOX, .place = UNIT_IIO, .kind = FLAW_DEAD };
    static const char *const profiles[] = { "skx", "icx", "spr", "grr" };

    for (uint32_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
        expect(VERDICT_WARN, "pmon.clock", ON(profiles[i], .flaw = &dead), .finding = "free-running",
               .code = FOUND_COUNTS_ZERO);
}

/* Boxes that count nothing where another shows that they are not off: of the mesh beside a link that runs, of an I/O stack, on
 * UCLK, and what every part of the generation has. */
Test(pmon_clock, a_dead_box_is_told_from_one_that_is_off_by_those_beside_it)
{
    static const struct {
        const char *profile;
        enum uncore_unit unit;
        const char *words;
    } dead[] = {
        { "spr", UNIT_R3QPI, "UPI 2 counts one" },   { "gnr", UNIT_MDF, "MDF 0 counts one" },
        { "icx", UNIT_IRP, "IIO 5 counts one" },     { "spr", UNIT_R2PCIE, "IIO 11 counts one" },
        { "bdx", UNIT_SBO, "SBo 0 counts one" },     { "skx", UNIT_R2PCIE, "M2PCIe 0 counts one" },
        { "spr-hbm", UNIT_HBM, "HBM 0 counts one" }, { "bdx", UNIT_IRP, "no box of its unit counts a clock" },
    };

    for (uint32_t i = 0; i < sizeof dead / sizeof dead[0]; i++) {
        struct flaw f = { .monitor = FLAW_UNCORE, .scope = FLAW_BOX, .place = dead[i].unit, .kind = FLAW_DEAD };

        expect(VERDICT_WARN, "pmon.clock", ON(dead[i].profile, 2, .flaw = &f), .finding = dead[i].words);
    }
}

/* UPI port 2 of the first package, 16.0 of Skylake-SP (Linux skx_uncore_pci_ids): counters at 318H and on. */
static uint32_t first_bus;
static enum status no_counts_of_one_end(void *machine, struct pci_address at, uint32_t offset, uint32_t width,
                                        uint32_t *value)
{
    enum status st = interposer_pci_read(machine, at, offset, width, value);

    if (at.device == 16 && at.function == 0 && interposer_is_device(machine, at, 0x2058)) {
        first_bus = first_bus ? first_bus : at.bus;
        if (at.bus == first_bus && offset >= 0x318 && offset < 0x338)
            *value = 0;
    }
    return st;
}

Test(pmon_clock, a_link_that_has_a_clock_at_one_end_alone_warns)
{
    expect(VERDICT_WARN, "pmon.clock", ON("skx", 2), .pci_read = no_counts_of_one_end,
           .finding = "2 of its 3 links count a clock, and 3 of the other package's");
    first_bus = 0;
    expect(VERDICT_PASS, "pmon.clock", ON("skx", 1), .pci_read = no_counts_of_one_end);
}

/* The last link, at both ends. KTIPCSTS, 120H of a port, bit 4: Linux skx_upi_get_topology(), of SPR and ICX too. */
Test(pmon_clock, a_dead_link_is_told_from_one_that_is_off_by_its_training)
{
    static const struct flaw dead = { .monitor = FLAW_UNCORE, .scope = FLAW_BOX, .place = UNIT_QPI, .kind = FLAW_DEAD };
    static const struct {
        const char *profile;
        uint32_t did;
    } parts[] = { { "skx", 0x2058 }, { "icx", 0x3441 }, { "spr", 0x3241 } };

    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        expect(VERDICT_WARN, "pmon.clock", ON(parts[i].profile, 2, .flaw = &dead), .code = FOUND_COUNTS_ZERO,
               .finding = "UPI 2: none of its counters counts a clock, and register 0x120, 0x10, says");
        expect(VERDICT_PASS, "pmon.clock", ON(parts[i].profile, 2, .flaw = &dead),
               .defect = { .access = ACCESS_PCI_READ, .did = parts[i].did, .reg = 0x120, .clear = BIT(4) });
    }
}

/* A UCLK beside no UBox: nobody but this check judges it. The WBox of nhm-ex has other counters, which advance. */
Test(pmon_clock, a_uclk_without_a_ubox_that_does_not_advance_fails)
{
    static const struct {
        const char *profile;
        uint32_t counter;
        enum finding_code code;
    } parts[] = { { "cfl", 0x395, FOUND_COUNTS_ZERO },
                  { "adl", 0x2FDF, FOUND_COUNTS_ZERO },
                  { "nhm-ex", 0x394, FOUND_COUNTER_ZERO } };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        expect(VERDICT_FAIL, "pmon.clock", ON(parts[i].profile), .defect = msr_reads(parts[i].counter, 0),
               .code = parts[i].code);
}
