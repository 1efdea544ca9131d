/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/count/metrics.h: figures that -count makes of events, as data. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct metric {
    const char *name, *title, *unit;
    const char *formula; /* core/events/formula.h */
    const char *only;    /* a unit that the part has to have by that name; NULL: any     */
    const char *parts;   /* pattern of the part's name in the tables; NULL: any          */
    bool by_box;         /* shown of each box too                                        */
    const char *source;
};

/* Of rows of one name the first whose events a part has counts. */
extern const struct metric metrics[];
extern const uint32_t n_metrics;
