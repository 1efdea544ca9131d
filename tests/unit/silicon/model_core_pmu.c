/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Core performance counters of the virtual silicon, APERF, MPERF and temperatures: SDM vol. 3B 18.2, 14.2, 14.8. */
#include "tests/silicon/model/model_state.h"
#include "tests/support/run/silicon.h"

enum {
    PMC0 = 0xC1,
    MPERF = 0xE7,
    APERF = 0xE8,
    EVTSEL0 = 0x186,
    THERM_STATUS = 0x19C,
    FIXED0 = 0x309,
    PERF_CAPABILITIES = 0x345,
    FIXED_CTRL = 0x38D,
    GLOBAL_STATUS = 0x38E,
    GLOBAL_CTRL = 0x38F,
    OVF_CTRL = 0x390,
    A_PMC0 = 0x4C1
};
#define EN         (BIT(22) | BITS(17, 16))
#define LLC_MISSES (0x412E | EN)
#define CYCLES     (0x003C | EN)

/* SDM vol. 3B 18.2.1.1: USR counts at privilege levels 1 to 3, OS at 0. */
Test(core_pmu, counts_programs_and_the_system_apart)
{
    static const uint64_t usr = BIT(22) | BIT(16), os = BIT(22) | BIT(17);
    struct model *m = silicon_of("bdx", 1, 1, 1);

    silicon_keeps(m, 0, EVTSEL0, 0x412E | usr, 0x412E | usr);
    silicon_keeps(m, 0, EVTSEL0 + 1, 0x412E | os, 0x412E | os);
    silicon_keeps(m, 0, EVTSEL0 + 2, LLC_MISSES, LLC_MISSES);
    silicon_keeps(m, 0, EVTSEL0 + 3, 0x07F1 | usr, 0x07F1 | usr);
    silicon_load(m, 0, 0, 1000); /* by nobody that is known: the system */
    model_ring(m, 0, true);
    silicon_load(m, 0, 1 << 20, 300);
    model_ring(m, 0, false);
    silicon_load(m, 0, 2 << 20, 50);
    cr_expect_eq(silicon_read(m, 0, PMC0), 300);
    cr_expect_eq(silicon_read(m, 0, PMC0 + 1), 1050);
    cr_expect_eq(silicon_read(m, 0, PMC0 + 2), 1350);
    cr_expect_eq(silicon_read(m, 0, PMC0 + 3), 300);
}

/* Events as Intel's files of the parts have them: the umask of L2_LINES_IN.ALL is another from Skylake-SP on. What an L2
 * gives up is written to an inclusive L3 where it is dirty, and to another always. */
Test(core_pmu, counts_what_the_l2_took_and_gave)
{
    static const struct {
        const char *profile;
        uint64_t lines_in, other;
    } parts[] = { { "bdx", 0x07F1 | EN, 0x1FF1 | EN }, { "skx", 0x1FF1 | EN, 0x07F1 | EN } };
    uint64_t clean;

    for (size_t i = 0; i < 2; i++) {
        struct model *m = silicon_of(parts[i].profile, 1, 1, 1);

        silicon_keeps(m, 0, EVTSEL0, parts[i].lines_in, parts[i].lines_in);
        silicon_keeps(m, 0, EVTSEL0 + 1, 0x40F0 | EN, 0x40F0 | EN); /* L2_TRANS.L2_WB */
        silicon_keeps(m, 0, EVTSEL0 + 2, parts[i].other, parts[i].other);
        silicon_load(m, 0, 0, 40000); /* more than the L2 has: 4096 lines, 16384 lines */
        cr_expect_eq(silicon_read(m, 0, PMC0), 40000);
        clean = silicon_read(m, 0, PMC0 + 1);
        cr_expect_eq(clean, i == 0 ? 0 : 40000 - 16384, "%llu", (unsigned long long)clean);
        for (uint64_t line = 0; line < 80000; line++)
            model_access(m, 0, line % 40000 * 64, 8, MODEL_STORE);
        cr_expect_eq(silicon_read(m, 0, PMC0), 120000);
        cr_expect_eq(silicon_read(m, 0, PMC0 + 1) - clean, i == 0 ? 80000 - 4096 : 80000);
        cr_expect_eq(silicon_read(m, 0, PMC0 + 2), 0);
    }
}

/* SDM vol. 3B 18.2.2: a counter counts where its control and the global one say so. After power-on the general counters may. */
Test(core_pmu, counts_time_while_enabled)
{
    struct model *m = silicon_of("skx", 1, 1, 1);

    cr_expect_eq(silicon_read_at(m, 0, GLOBAL_CTRL, 0), 0xF);
    cr_expect_eq(model_wrmsr(m, 0, EVTSEL0, 1000, CYCLES), MODEL_DONE);
    cr_expect_eq(model_wrmsr(m, 0, FIXED_CTRL, 1000, 0x333), MODEL_DONE);
    cr_expect_eq(silicon_read_at(m, 0, PMC0, 4000), 3000);
    cr_expect_eq(silicon_read_at(m, 0, FIXED0 + 1, 4000), 0, "not enabled globally");
    cr_expect_eq(model_wrmsr(m, 0, GLOBAL_CTRL, 5000, BITS(34, 32)), MODEL_DONE);
    cr_expect_eq(silicon_read_at(m, 0, PMC0, 9000), 4000, "stopped at 5000");
    cr_expect_eq(silicon_read_at(m, 0, FIXED0 + 1, 9000), 4000);
    cr_expect_eq(silicon_read_at(m, 0, FIXED0 + 2, 9000), 4000, "at the TSC's rate");
    cr_expect_eq(model_wrmsr(m, 0, FIXED_CTRL, 9000, 0), MODEL_DONE);
    cr_expect_eq(silicon_read_at(m, 0, FIXED0 + 1, 20000), 4000);
}

Test(core_pmu, says_which_counter_rolled_over)
{
    struct model *m = silicon_of("spr", 1, 1, 1);

    cr_expect_eq(model_wrmsr(m, 0, EVTSEL0 + 7, 0, CYCLES), MODEL_DONE, "eight counters");
    cr_expect_eq(model_wrmsr(m, 0, A_PMC0 + 7, 0, BIT(48) - 100), MODEL_DONE);
    cr_expect_eq(silicon_read_at(m, 0, GLOBAL_STATUS, 99), 0);
    cr_expect_eq(silicon_read_at(m, 0, GLOBAL_STATUS, 150), BIT(7));
    cr_expect_eq(silicon_read_at(m, 0, PMC0 + 7, 150), 50);
    cr_expect_eq(model_wrmsr(m, 0, OVF_CTRL, 160, BIT(7)), MODEL_DONE);
    cr_expect_eq(silicon_read_at(m, 0, GLOBAL_STATUS, 200), 0);
    cr_expect_eq(model_wrmsr(m, 0, GLOBAL_STATUS, 200, 0), MODEL_GP, "read only");
}

/* SDM vol. 3B 18.2.5: 32 bits, sign-extended, by the old address; all of them by the new one, if there is one. */
Test(core_pmu, writes_counters_as_wide_as_the_address_allows)
{
    struct model *m = silicon_of("bdx", 1, 1, 1), *old = silicon_of("nhm", 1, 1, 1);

    silicon_keeps(m, 0, PMC0, 0x80000000, 0xFFFF80000000);
    silicon_keeps(m, 0, A_PMC0, 0x123456789ABC, 0x123456789ABC);
    cr_expect_eq(silicon_read(m, 0, PMC0), 0x123456789ABC);
    cr_expect(silicon_refuses(m, 0, A_PMC0, BIT(48)));
    cr_expect(silicon_refuses(m, 0, FIXED0, BIT(48)));
    cr_expect(silicon_refuses(m, 0, EVTSEL0, BIT(32)));
    cr_expect(silicon_refuses(m, 0, GLOBAL_CTRL, BIT(4)), "four counters");
    cr_expect(silicon_refuses(m, 0, GLOBAL_CTRL, BIT(35)), "three fixed ones");
    cr_expect(silicon_refuses(m, 0, FIXED_CTRL, BIT(12)));
    cr_expect_eq(silicon_read(m, 0, PERF_CAPABILITIES), BIT(13));
    cr_expect_eq(silicon_read(old, 0, PERF_CAPABILITIES), 0);
    cr_expect_eq(model_wrmsr(old, 0, A_PMC0, 0, 0), MODEL_NOT_MINE);
}

Test(core_pmu, is_read_by_rdpmc_too)
{
    struct model *m = silicon_of("bdx", 1, 1, 1);
    uint64_t value = 0;

    silicon_keeps(m, 0, PMC0 + 3, 77, 77);
    silicon_keeps(m, 0, FIXED0 + 2, 88, 88);
    cr_expect_eq(model_rdpmc(m, 0, 3, SILICON_TIME, &value), MODEL_DONE);
    cr_expect_eq(value, 77);
    cr_expect_eq(model_rdpmc(m, 0, 1u << 30 | 2, SILICON_TIME, &value), MODEL_DONE);
    cr_expect_eq(value, 88);
    cr_expect_eq(model_rdpmc(m, 0, 4, SILICON_TIME, &value), MODEL_GP);
    cr_expect_eq(model_rdpmc(m, 0, 1u << 30 | 3, SILICON_TIME, &value), MODEL_GP);
}

/* APM vol. 2 13.2: event 76H; the first four pairs have older addresses as well. */
Test(core_pmu, has_amds_registers_on_amd)
{
    struct model *m = silicon_of("zen3", 1, 1, 1);

    cr_expect_eq(model_wrmsr(m, 0, 0xC0010202, 0, 0x76 | EN), MODEL_DONE);
    cr_expect_eq(silicon_read_at(m, 0, 0xC0010203, 5000), 5000);
    cr_expect_eq(silicon_read_at(m, 0, 0xC0010005, 6000), 6000);
    cr_expect_eq(model_wrmsr(m, 0, EVTSEL0, 0, CYCLES), MODEL_NOT_MINE);
}

/* Processor Programming Reference for AMD family 19h: PMCx02B, SMIs received. */
Test(core_pmu, counts_smis_on_amd)
{
    struct model *m = silicon_new(&MODEL("zen3", 1, 1, 1, .realism = "smi-period=10"));
    uint64_t period = m->tsc_hz / 100;

    cr_expect_eq(silicon_read_at(m, 0, 0xC0010201, 5 * period + 1), 0);
    cr_expect_eq(model_wrmsr(m, 0, 0xC0010200, 5 * period + 2, 0x2B | EN), MODEL_DONE);
    cr_expect_eq(silicon_read_at(m, 0, 0xC0010201, 6 * period - 1), 0, "those before it was on are not counted");
    cr_expect_eq(silicon_read_at(m, 0, 0xC0010201, 9 * period + 1), 4);
    model_smi(m);
    cr_expect_eq(silicon_read_at(m, 0, 0xC0010201, 9 * period + 2), 5);
}

Test(clocks, run_with_time_and_can_be_set)
{
    struct model *m = silicon_of("skx", 1, 1, 1);

    cr_expect_eq(model_wrmsr(m, 0, APERF, 1000, 0), MODEL_DONE);
    cr_expect_eq(model_wrmsr(m, 0, MPERF, 1000, 50), MODEL_DONE);
    cr_expect_eq(silicon_read_at(m, 0, APERF, 3000), 2000);
    cr_expect_eq(silicon_read_at(m, 0, MPERF, 3000), 2050);
    cr_expect(silicon_read_at(m, 0, THERM_STATUS, 0) & BIT(31), "the reading is valid");
    cr_expect_eq(silicon_read_at(m, 0, THERM_STATUS, 0) & BITS(1, 0), 0, "and nothing is too hot");
}
