/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_capability.h: which capabilities (capability.h) a profile has. */
#pragma once
#include <stdbool.h>

#include "tests/silicon/profiles/capability.h"

struct profile;

bool profile_has(const struct profile *p, enum capability c);
static inline bool capability_of_uncore(enum capability c)
{
    return c >= CAP_PMON;
}
/* What it is called, as the object of "has no". */
const char *capability_text(enum capability c);
