/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/run/realism_machine.h: small machines with quirks of real parts (tests/silicon/quirks/realism.h). */
#pragma once
#include "tests/support/run/silicon.h"

static inline const char *refusal(const char *profile, const char *realism)
{
    static char error[1024];
    struct model_config config = { .profile = profile, .realism = realism };
    struct model *m = model_new(&config, error, sizeof error);

    cr_assert_null(m, "%s has %s", profile, realism);
    return error;
}

static inline struct model *machine(const char *profile, const char *realism)
{
    return silicon_new(&MODEL(profile, 1, 2, 1, .slices = 4, .seed = 7, .realism = realism));
}

static inline uint64_t lines_of(struct model *m, uint32_t rmid)
{
    return silicon_truth(m, 0, rmid).rmid_lines;
}
