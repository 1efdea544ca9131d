/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/ticks.h: ticks of a clock and nanoseconds. Whole seconds and the rest are converted apart, so that no
 * product overflows below 580 years at any rate up to 18 GHz. hz is not 0. */
#pragma once
#include <stdint.h>

#define NS_PER_SECOND 1000000000u

static inline uint64_t ticks_to_ns(uint64_t ticks, uint64_t hz)
{
    return ticks / hz * NS_PER_SECOND + ticks % hz * NS_PER_SECOND / hz;
}

static inline uint64_t ticks_from_ns(uint64_t ns, uint64_t hz)
{
    return ns / NS_PER_SECOND * hz + ns % NS_PER_SECOND * hz / NS_PER_SECOND;
}
