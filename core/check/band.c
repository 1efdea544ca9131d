/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/band.c: figures against bands of good machines (core/bands/bands.h), where this machine has them. */
#include "core/bands/bands.h"
#include "core/base/text.h"
#include "core/check/check.h"

bool figure_band_of(const struct check *c, const char *name, const char *where, struct figure_band *out)
{
    return bands_find(c->state->bands, c->row->id, name, where, out);
}

void judge_figure_band(struct check *c, const char *name, const char *where, double value, const char *unit, double lo,
                       double hi)
{
    bool inside = value >= lo && value <= hi, usual;
    char number[32], from[32], to[32];
    struct figure_band band;
    double compared = 0;

    if (!figure_band_of(c, name, where, &band) || !text_equal(band.unit, unit) ||
        !bands_value(unit, value, lo, hi, &compared))
        return;
    usual = compared >= band.from && compared <= band.to;
    c->state->n_usual += usual && !inside;
    if (usual || !inside)
        return;
    text_decimal(number, sizeof number, compared);
    text_decimal(from, sizeof from, band.from);
    text_decimal(to, sizeof to, band.to);
    fail(c, "%s%s%s: %s %s, and %u good machines of this kind give a band of %s to %s", name, *where ? ", " : "", where,
         number, text_equal(unit, "bytes") ? "of the expected bytes" : unit, band.machines, from, to);
}
