/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/bands/bands.h: what figures of good machines of one kind are, as `assay-report calibrate` learned them.
 *
 * docs/report.md, "Bands", describes the file, docs/tolerances.md, "Bands of good machines", its numbers. A file is read as
 * a whole or not at all.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/machine/machine.h"

#define BANDS_VERSION  1u
#define BANDS_MACHINES 5u    /* at least */
#define BANDS_FIGURES  4096u /* at most  */
#define BANDS_TEXT     128u  /* of one text, with its end */

/* All but the counts: of the value as band_value() compares it. */
struct figure_band {
    double centre, spread, from, to, lowest, highest;
    uint32_t machines, values;
    const char *unit; /* of the value as it was measured */
};

struct bands_figure {
    const char *check, *name, *place; /* place: as place_kind() has it */
    struct figure_band band;
};

/* What machine the bands are for. Texts are the file's own. */
struct bands_kind {
    const char *assay;  /* the version that measured */
    const char *ran_on; /* "no" */
    const char *vendor;
    uint64_t family, model, stepping;
    const char
        *microcode; /* revisions, separated by a blank: the one that was measured, and others that they hold for */
    uint64_t nodes_per_package; /* NUMA nodes with processors: SNC, NPS */
};

struct bands {
    char *text; /* the file, cut into its fields */
    struct bands_kind kind;
    uint64_t machines;
    struct bands_figure *figures;
    uint32_t n_figures;
};

struct bands_error {
    uint32_t line; /* from 1 */
    char text[128];
};

/* The content of a file. ST_CORRUPT: error says which line is not as it should be; ST_NO_MEMORY. On anything but ST_OK
 * there is nothing to free. */
MUST_CHECK enum status bands_parse(struct bands *b, const char *text, size_t length, struct bands_error *error);
void bands_free(struct bands *b);
/* The next of the revisions that *words begins with; *words is NULL after the last. false: it is no number. */
bool bands_next_revision(const char **words, uint64_t *revision);

/* Whether they are for this machine; why: what differs, for people. */
bool bands_fit(const struct bands *b, const struct machine *m, char *why, size_t size);

/* The band of a measurement of this check, by this method (core/check/row.h), at a place of this kind. false: it has none. b
 * NULL: uncalibrated. Figures of another method than 0 are listed under "CHECK@METHOD". */
bool bands_find(const struct bands *b, const char *check, uint32_t method, const char *name, const char *place,
                struct figure_band *out);
/* Whether the file has figures of the check by other methods and none by this one: the check is uncalibrated. */
bool bands_outdated(const struct bands *b, const char *check, uint32_t method);
/* What of a measured value is compared: a ratio or % as it is, bytes over the middle of both bounds. false: nothing. */
bool bands_value(const char *unit, double value, double lo, double hi, double *out);
