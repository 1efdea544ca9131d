/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Residency counters of power states: which part has which. */
#include "tests/support/run/silicon.h"

enum { PC2 = 0x60D, PC3 = 0x3F8, PC6 = 0x3F9, CC3 = 0x3FC, CC6 = 0x3FD };
static const uint32_t all[] = { PC2, PC3, PC6, CC3, CC6 };

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
        struct model *m = silicon_of(parts[i].profile, 1, 2, 2, .slices = 2);

        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
            uint64_t value;

            cr_expect_eq(model_rdmsr(m, 0, all[k], 1000, &value), parts[i].is[k], "%s: %Xh", parts[i].profile, all[k]);
        }
    }
}
