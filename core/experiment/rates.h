/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/experiment/rates.h: rates of one load under several settings, on a machine whose speed varies meanwhile.
 *
 * Every setting is measured once a round, in ascending order in one round and descending order in the next, so that a
 * speed that drifts changes every setting alike. A setting's rate is the median of its rounds. How far off a median may
 * be is taken from the rounds themselves: of n independent values the k-th from either end hold the median of what they
 * are drawn from with a probability that depends on n and k alone and not on how the values are distributed (interval
 * of the sign test). The widest such interval of all settings is the spread of each of them, since a disturbance may
 * meet any.
 */
#pragma once
#include <stdint.h>

#include "core/base/status.h"

#define RATES_SETTINGS 12u
#define RATES_ROUNDS   9u

struct rates {
    uint32_t n;                                /* settings, at most RATES_SETTINGS                     */
    uint32_t rounds;                           /* complete ones                                        */
    double rate[RATES_SETTINGS][RATES_ROUNDS]; /* bytes/s, above 0                                     */
    double median[RATES_SETTINGS];
    double spread; /* of the widest interval, its upper end over its lower, less 1 */
};

/* Measure one setting once. *rate: bytes/s, above 0. */
typedef enum status (*rates_measure_one)(void *context, uint32_t setting, double *rate);

/* The n settings in 5 rounds; where the spread is larger than most, in RATES_ROUNDS. The first bad status of `one` ends
 * it and is returned, *r then holds no result; ST_RANGE: n is 0 or above RATES_SETTINGS, or a rate is no positive
 * number. */
MUST_CHECK enum status rates_measure(struct rates *r, uint32_t n, double most, rates_measure_one one, void *context);
/* median and spread of the complete rounds. ST_RANGE as above, and with other than 5 or RATES_ROUNDS rounds. */
MUST_CHECK enum status rates_summarize(struct rates *r);
