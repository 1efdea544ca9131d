/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/platform/tsc_rate.h"

#include <stdbool.h>

#define HZ_MIN UINT64_C(100000000)
#define HZ_MAX UINT64_C(20000000000)

uint64_t tsc_rate_choose(const struct tsc_source *sources, size_t n, void *context, const char **name)
{
    uint64_t hz = 0;

    for (size_t i = 0; i < n; i++) {
        hz = sources[i].hz(context);
        *name = sources[i].name;
        if (hz >= HZ_MIN && hz <= HZ_MAX)
            break;
    }
    return hz ? hz : 1;
}

uint64_t tsc_rate_against(uint64_t tsc_ticks, uint64_t clock_ticks, uint64_t clock_hz)
{
    if (clock_ticks == 0)
        return 0;
    return tsc_ticks / clock_ticks * clock_hz + tsc_ticks % clock_ticks * clock_hz / clock_ticks;
}
