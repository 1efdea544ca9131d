/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Residency counters of power states: which part has which. */
#include "tests/support/uncore_rig.h"

enum { PC2 = 0x60D, PC3 = 0x3F8, PC6 = 0x3F9, CC3 = 0x3FC, CC6 = 0x3FD };
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
