/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Residency counters of power states: which part has which, and that they do not advance where no core sleeps. */
#include "tests/support/uncore_rig.h"

enum { PC2 = 0x60D, PC3 = 0x3F8, PC6 = 0x3F9, CC3 = 0x3FC, CC6 = 0x3FD };
#define CPUS 4u
static const uint32_t all[] = { PC2, PC3, PC6, CC3, CC6 };

static struct uncore_rig part(const char *profile, const char *fault)
{
    struct model_config config = MODEL(profile, 1, 2, 2, .slices = 2);
    struct uncore_rig b = { .tsc = 1000, .packages = 1, .clusters = 1 };
    char why[8192] = "";

    config.faults[0] = fault;
    b.m = model_new(&config, why, sizeof why);
    cr_assert(b.m, "%.200s", why);
    return b;
}

static uint64_t of_processor(struct uncore_rig *b, uint32_t cpu, uint32_t which)
{
    uint64_t value = 0;

    cr_expect_eq(model_rdmsr(b->m, cpu, which, b->tsc, &value), MODEL_DONE);
    return value;
}

Test(residency, each_part_has_those_of_its_states)
{
    static const struct {
        const char *profile;
        enum model_answer is[5];
    } parts[] = {
        { "bdx", { MODEL_DONE, MODEL_DONE, MODEL_DONE, MODEL_DONE, MODEL_DONE } },
        { "nhm", { MODEL_GP, MODEL_DONE, MODEL_DONE, MODEL_DONE, MODEL_DONE } },
        { "skx", { MODEL_DONE, MODEL_GP, MODEL_DONE, MODEL_GP, MODEL_DONE } },
        { "zen3", { MODEL_NOT_MINE, MODEL_NOT_MINE, MODEL_NOT_MINE, MODEL_NOT_MINE, MODEL_NOT_MINE } },
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct uncore_rig b = part(parts[i].profile, NULL);

        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
            uint64_t value;

            cr_expect_eq(model_rdmsr(b.m, 0, all[k], 1000, &value), parts[i].is[k], "%s: %Xh", parts[i].profile,
                         all[k]);
        }
        model_free(b.m);
    }
}

Test(residency, stands_still_and_cannot_be_written)
{
    struct uncore_rig b = part("skx", NULL);
    uint64_t package = msr(&b, 0, PC6), core[CPUS];
    uint32_t same = 0;

    cr_expect_gt(package, 0);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
        core[cpu] = of_processor(&b, cpu, CC6);
        same += core[cpu] == core[0];
    }
    cr_expect_eq(same, 2, "threads of one core have one counter");
    b.tsc += 1000000000;
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
        cr_expect_eq(of_processor(&b, cpu, CC6), core[cpu]);
        cr_expect_eq(of_processor(&b, cpu, PC6), package);
    }
    cr_expect_eq(model_wrmsr(b.m, 0, PC6, b.tsc, 0), MODEL_GP);
    model_free(b.m);
}

Test(residency, of_a_fault_advances_or_goes_back)
{
    struct uncore_rig awake = part("skx", "residency-awake"), back = part("bdx", "residency-back");
    uint64_t c6 = msr(&awake, 0, CC6), c2 = msr(&back, 0, PC2);

    awake.tsc += 4000;
    back.tsc += 4096;
    cr_expect_eq(msr(&awake, 0, CC6), c6 + 1000, "a quarter of the time");
    cr_expect_eq(msr(&back, 0, PC2), c2 - 4);
    model_free(awake.m);
    model_free(back.m);
}
