/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/capability.h: what a part can do, derived from its profile: CPUID as recorded, the registers
 * that it has, the tables of its uncore monitors. Faults say by these what they need of a part. capability_rows.h
 * has a row for each, those of uncore monitors from CAP_PMON on.
 */
#pragma once

#define CAPABILITY(id, ...) id,
enum capability {
    CAP_NONE, /* ends a list */
#include "tests/silicon/profiles/capability_rows.h"
    CAPABILITIES
};
#undef CAPABILITY
