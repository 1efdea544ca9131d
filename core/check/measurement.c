/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/measurement.c: figures with their bounds, and series of them (check.h). */
#include "core/bands/bands.h"
#include "core/base/text.h"
#include "core/check/check.h"
#include "core/check/check_log.h"
#include "core/check/spread.h"
#include "core/check/symptoms.h"

static void put_validator(struct json *j, const char *type, double bound)
{
    json_object(j, NULL);
    json_text(j, "type", type);
    json_decimal(j, "value", bound);
    json_end(j);
}

/* How far inside its band a value is, 0 .. 1 of the band or of the one bound; -1: no bound at all. */
static double margin(double value, double lo, double hi)
{
    bool has_lo = lo > -NO_BOUND, has_hi = hi < NO_BOUND;
    double bound = has_lo ? lo : hi, scale = has_lo && has_hi ? hi - lo : bound < 0 ? -bound : bound;
    double below = has_lo ? value - lo : NO_BOUND, above = has_hi ? hi - value : NO_BOUND;
    double distance = below < above ? below : above;

    if (!has_lo && !has_hi)
        return -1;
    return scale > 0 ? distance / scale : 0;
}

/* " (0.95 .. 1.05)", " (at least 3)", or nothing. */
static void bounds_text(char *out, size_t size, double lo, double hi)
{
    char low[32], high[32];

    text_decimal(low, sizeof low, lo);
    text_decimal(high, sizeof high, hi);
    out[0] = '\0';
    if (lo > -NO_BOUND && hi < NO_BOUND)
        text_format(out, size, " (%s .. %s)", low, high);
    else if (lo > -NO_BOUND)
        text_format(out, size, " (at least %s)", low);
    else if (hi < NO_BOUND)
        text_format(out, size, " (at most %s)", high);
}

static void detail_measurement(struct check *c, const char *name, const char *where, double value, const char *unit,
                               double lo, double hi, bool inside)
{
    struct report *r = c->report;
    char number[32], bounds[96];
    double m = margin(value, lo, hi);

    text_decimal(number, sizeof number, value);
    bounds_text(bounds, sizeof bounds, lo, hi);
    if (inside && m >= 0 && (r->telling_margin < 0 || m < r->telling_margin)) {
        r->telling_margin = m;
        text_format(r->telling, sizeof r->telling, "%s %s", number, unit);
    }
    /* The first few of either kind: the stream has them all. */
    if (inside ? r->n_inside++ >= 3 : r->n_outside++ >= 8)
        return;
    report_detail(r, inside ? DETAIL_INSIDE : DETAIL_OUTSIDE, "%s%s%s = %s %s%s%s", name, *where ? ", " : "", where,
                  number, unit, bounds, inside ? "" : " OUT OF BOUNDS");
}

static void put_measurement(struct check *c, const char *name, const struct place *place, double value,
                            const char *unit, double lo, double hi)
{
    struct json *j = report_step_artifact(c->report, "measurement");

    json_text(j, "name", name);
    json_decimal(j, "value", value);
    json_text(j, "unit", unit);
    if (lo > -NO_BOUND || hi < NO_BOUND) {
        json_array(j, "validators");
        if (lo > -NO_BOUND)
            put_validator(j, "GREATER_THAN_OR_EQUAL", lo);
        if (hi < NO_BOUND)
            put_validator(j, "LESS_THAN_OR_EQUAL", hi);
        json_end(j);
    }
    report_put_place(j, place);
    report_artifact_end(c->report);
}

bool figure_band_of(const struct check *c, const char *name, const struct place *place, struct figure_band *out)
{
    char kind[PLACE_TEXT];

    place_kind(place, kind, sizeof kind);
    return bands_find(c->state->bands, c->row->id, c->row->method, name, kind, out);
}

const struct bands *check_bands(const struct bands *b, const struct check_row *row)
{
    return bands_outdated(b, row->id, row->method) ? NULL : b;
}

size_t check_bands_outdated(const struct bands *b, char *out, size_t size)
{
    size_t n = 0;

    for (const struct check_row *row = check_next(NULL); row; row = check_next(row))
        if (bands_outdated(b, row->id, row->method))
            n = text_append(out, size, n, "%s%s", n > 0 ? ", " : "", row->id);
    return n;
}

/* A value against the band of good machines. One that is inside of its bounds and outside of the band is a finding; one that
 * is outside of its bounds is the check's, and n_usual counts that it is in the band. */
static void judge_figure_band(struct check *c, const char *name, const struct place *place, double value,
                              const char *unit, double lo, double hi)
{
    bool inside = value >= lo && value <= hi, usual;
    char number[32], from[32], to[32];
    struct figure_band band;
    double compared = 0;

    if (!figure_band_of(c, name, place, &band) || !text_equal(band.unit, unit) ||
        !bands_value(unit, value, lo, hi, &compared))
        return;
    usual = compared >= band.from && compared <= band.to;
    c->state->n_usual += usual && !inside;
    if (usual || !inside)
        return;
    text_decimal(number, sizeof number, compared);
    text_decimal(from, sizeof from, band.from);
    text_decimal(to, sizeof to, band.to);
    finding(c, FINDING_EXPECTED, 0, FOUND_OFF_KIND_BAND, *place, "%s: %s %s; %u reference machines give %s to %s", name,
            number, text_equal(unit, "bytes") ? "of the expected bytes" : unit, band.machines, from, to);
}

bool check_measure_at(struct check *c, const char *name, const struct place *place, double value, const char *unit,
                      double lo, double hi)
{
    bool inside = value >= lo && value <= hi; /* false for a non-number */
    char where[PLACE_TEXT], assigned[128];

    c->state->record.n_measurements++;
    c->state->record.n_out_of_bounds += !inside;
    if (check_log_takes(c->state->log,
                        (struct check_log_entry){
                            .kind = LOG_MEASURE, .text = { name, unit }, .place = *place, .value = { value, lo, hi } }))
        return inside;
    if (c->state->assigned) {
        text_format(assigned, sizeof assigned, "%s" ASSIGNED_SUFFIX, name);
        name = assigned;
    }
    if (c->state->symptoms)
        symptoms_measured(c->state->symptoms, name, value, lo, hi);
    place_text(place, where, sizeof where);
    if (c->state->spread)
        spread_add(c->state->spread, c->row, name, where, unit, value);
    if (!c->report)
        return inside;
    detail_measurement(c, name, where, value, unit, lo, hi, inside);
    /* Those inside are bounded; those outside are what the reader came for, and get as many again. */
    if (inside ? c->state->record.n_measurements <= MEASUREMENTS_LISTED
               : c->state->record.n_out_of_bounds <= MEASUREMENTS_LISTED)
        put_measurement(c, name, place, value, unit, lo, hi);
    judge_figure_band(c, name, place, value, unit, lo, hi);
    return inside;
}

void excludes(struct check *c, const char *what, double value, const char *unit)
{
    struct check_state *s = c->state;
    uint32_t i;

    if (check_log_takes(c->state->log,
                        (struct check_log_entry){ .kind = LOG_EXCLUDES, .text = { what, unit }, .value = { value } }))
        return;
    i = INDEX_OF(k, s->n_exclusions, text_equal(s->exclusions[k].what, what));
    if (i == EXCLUSIONS || (i < s->n_exclusions && value <= s->exclusions[i].value))
        return;
    s->n_exclusions += i == s->n_exclusions;
    text_format(s->exclusions[i].what, sizeof s->exclusions[i].what, "%s", what);
    text_format(s->exclusions[i].unit, sizeof s->exclusions[i].unit, "%s", unit);
    s->exclusions[i].value = value;
}

void excludes_share(struct check *c, const char *what, double sound, double bound)
{
    double part = sound > 0 ? 100 * (bound < sound ? sound - bound : bound - sound) / sound : NO_BOUND;

    if (part < NO_BOUND && bound > 0)
        excludes(c, what, part, "%");
}

void excludes_one_of(struct check *c, const char *what, double got, double mean, uint32_t n, double share, double slack)
{
    double kept = 1 - share;

    if (n > 1)
        excludes_share(c, what, got, (kept * (mean - got / n) - slack) / (1 - kept / n));
}

void check_put_exclusions(struct check *c)
{
    struct check_state *s = c->state;

    for (uint32_t i = 0; i < s->n_exclusions; i++) {
        const struct exclusion *x = &s->exclusions[i];
        const struct place what = place_of("%s", x->what);
        char number[32];

        s->record.n_measurements++;
        if (s->spread)
            spread_add(s->spread, c->row, EXCLUDES_NAME, x->what, x->unit, x->value);
        if (s->symptoms)
            symptoms_excluded(s->symptoms, x->value, x->unit);
        put_measurement(c, EXCLUDES_NAME, &what, x->value, x->unit, -NO_BOUND, NO_BOUND);
        text_decimal(number, sizeof number, (double)(uint64_t)(10 * x->value + 0.9999) / 10);
        if (i == 0) {
            text_format(s->record.excludes, sizeof s->record.excludes, "%s", x->what);
            text_format(s->record.least, sizeof s->record.least, "%s %s", number, x->unit);
        }
    }
}

void series_put_head(struct check *c, const struct series_head *s)
{
    struct report *r = c->report;
    struct json *j;

    if (check_log_takes(c->state->log, (struct check_log_entry){ .kind = LOG_SERIES_BEGIN,
                                                                 .number = { s->expected, s->values },
                                                                 .place = s->place,
                                                                 .text = { s->name, s->unit, s->x_name, s->x_unit } }))
        return;
    series_end(c); /* at most one is open */
    c->state->record.n_series++;
    j = report_step_artifact(r, "measurementSeriesStart");
    if (!j)
        return;
    text_format(r->series_id, sizeof r->series_id, "%s.%u", r->step_id, r->series++);
    r->series_count = 0;
    r->series_open = true;
    json_text(j, "name", s->name);
    json_text(j, "unit", s->unit);
    json_text(j, "measurementSeriesId", r->series_id);
    report_put_place(j, &s->place);
    json_object(j, "metadata");
    json_text(j, "xName", s->x_name);
    json_text(j, "xUnit", s->x_unit);
    if (s->expected)
        json_bool(j, "expected", true);
    if (s->values)
        json_unsigned(j, "values", s->values);
    json_end(j);
    report_artifact_end(r);
}

void series_add(struct check *c, double x, double value)
{
    struct report *r = c->report;
    char now[25];
    struct json *j;

    if (check_log_takes(c->state->log, (struct check_log_entry){ .kind = LOG_SERIES_ADD, .value = { x, value } }) ||
        !r || !r->series_open)
        return;
    j = report_step_artifact(r, "measurementSeriesElement");
    report_timestamp(r, now);
    json_unsigned(j, "index", r->series_count++);
    json_decimal(j, "value", value);
    json_text(j, "timestamp", now);
    json_text(j, "measurementSeriesId", r->series_id);
    json_object(j, "metadata");
    json_decimal(j, "x", x);
    json_end(j);
    report_artifact_end(r);
}

void series_end(struct check *c)
{
    struct report *r = c->report;
    struct json *j;

    if (check_log_takes(c->state->log, (struct check_log_entry){ .kind = LOG_SERIES_END }) || !r || !r->series_open)
        return;
    r->series_open = false;
    j = report_step_artifact(r, "measurementSeriesEnd");
    json_text(j, "measurementSeriesId", r->series_id);
    json_unsigned(j, "totalCount", r->series_count);
    report_artifact_end(r);
}

static uint32_t most_listed(const struct check *c, const struct place *of)
{
    uint32_t share = place_has(of, PLACE_DOMAIN) ? CURVES_LISTED / c->machine->n_domains : SERIES_LISTED;

    share = share > SERIES_LISTED_LEAST ? share : SERIES_LISTED_LEAST;
    return share < SERIES_LISTED ? share : SERIES_LISTED;
}

void series_show(struct check *c, const char *name, struct place place, const char *unit, const char *x_name,
                 const double *x, const double *y, uint32_t n)
{
    uint32_t listed = most_listed(c, &place), group = n > listed ? (2 * n + listed - 1) / listed : 1;

    series_put_head(
        c,
        &(struct series_head){
            .name = name, .place = place, .unit = unit, .x_name = x_name, .x_unit = "", .values = group > 1 ? n : 0 });
    for (uint32_t from = 0, to; from < n; from = to) {
        uint32_t least = from, greatest = from, first, last;

        for (to = from; to < n && to < from + group; to++) {
            least = y[to] < y[least] ? to : least;
            greatest = y[to] > y[greatest] ? to : greatest;
        }
        first = least < greatest ? least : greatest;
        last = least < greatest ? greatest : least;
        series_add(c, x[first], y[first]);
        if (last != first)
            series_add(c, x[last], y[last]);
    }
    series_end(c);
}
