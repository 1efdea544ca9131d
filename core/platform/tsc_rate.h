/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/platform/tsc_rate.h: by which clock the rate of the time stamp counter is known. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct tsc_source {
    const char *name;
    uint64_t (*hz)(void *context); /* enumerated or measured; 0: this source says nothing */
};

/* The rate by the first source whose answer a processor that has RDT or long mode can have: 100 MHz to 20 GHz. Sources
 * after it are not asked. The last one is believed whatever it says, but never 0. *name: whose word it is. */
uint64_t tsc_rate_choose(const struct tsc_source *sources, size_t n, void *context, const char **name);

/* TSC ticks a second, from how many passed while a clock of clock_hz made clock_ticks. 0: the clock did not advance. */
uint64_t tsc_rate_against(uint64_t tsc_ticks, uint64_t clock_ticks, uint64_t clock_hz);
