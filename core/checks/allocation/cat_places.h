/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/allocation/cat_places.h: which CLOS do not fill the place in the L3 that the others' same mask stands
 * for. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* left: share of another CLOS' lines that is left after a fill under the same mask: a fill that goes elsewhere leaves
 * them, or with a mask of two ways that is shifted by one of them, a half. */
bool place_differs(double left);

enum places {
    PLACES_KNOWN,   /* those that differ are fewer than half: they are elsewhere              */
    PLACES_UNKNOWN, /* most leave the other one's lines: it is elsewhere itself, or nothing is shown */
};
/* left: [n], of each CLOS but `than`, which brought the lines in. */
enum places places_of(const double *left, uint32_t n, uint32_t than);
