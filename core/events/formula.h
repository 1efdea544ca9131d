/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/events/formula.h: a metric's formula over events.
 *
 *     bytes( imc/cas_rd ) + bytes( imc/cas_wr )
 *     1e9 * imc/rpq_occupancy / imc/rpq_inserts / mean( imc/clock )
 *
 * Numbers, events, + - * / and parentheses, each with a blank before and after it, since events have '/' and '-' in them.
 * An event is what all boxes of a place count per second; mean( event ): what one of them does on average; bytes( event ):
 * the bytes that the counts stand for; boxes( event ): how many count it.
 */
#pragma once
#include <stdbool.h>

#include "core/base/status.h"

#define FORMULA_WORD 96u /* of an event, with its end */
enum formula_of { FORMULA_SUM, FORMULA_MEAN, FORMULA_BYTES, FORMULA_BOXES };

struct formula_values {
    /* What an event is worth; false: it is not known here. */
    bool (*value)(void *context, const char *event, enum formula_of of, double *value);
    void *context;
};

/* On ST_OK *result is the value, which is no number where something is divided by 0. ST_ABSENT: an event is not known;
 * all events were asked for nevertheless. ST_CORRUPT: the text is no formula. */
MUST_CHECK enum status formula_evaluate(const char *formula, const struct formula_values *values, double *result);
