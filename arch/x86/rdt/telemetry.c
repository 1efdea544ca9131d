/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/rdt/telemetry.h"

const struct telemetry_group telemetry_groups[TELEMETRY_GROUPS] = {
    { 0x26696143, 576, 2, "energy", 1, "ACTIVITY" },
    { 0x26557651, 576, 7, "perf", 6, "UOPS_RETIRED" },
    { 0x48543760, 256, 2, "energy", 1, "ACTIVITY" }, /* in Linux alone, as the next one */
    { 0x14159109, 256, 20, "perf", 5, "UOPS_RETIRED" },
};
