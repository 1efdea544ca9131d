/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/count/count_say.c: results of -count as text, and as series in the stream. */

#include "core/base/text.h"
#include "core/count/count_internal.h"

#define LINE       160u
#define SHOW_LINES 96u /* of -top */
#define SHOW_WIDTH 80u

/* "12.34", with four digits and the prefix of thousands in *prefix. */
static void four_digits(char *out, size_t size, double value, bool prefixed, char *prefix)
{
    static const char prefixes[] = " kMGTPE";
    uint32_t step = 0, decimals = 3;
    uint64_t power = 1000, n;

    for (; prefixed && value >= 999.95 && prefixes[step + 1]; step++)
        value /= 1000;
    *prefix = prefixes[step];
    for (; decimals > 0 && value * (double)power >= 9999.5; decimals--)
        power /= 10;
    n = (uint64_t)(value * (double)power + 0.5);
    if (decimals == 0)
        text_format(out, size, "%llu", (unsigned long long)n);
    else
        text_format(out, size, "%llu.%0*llu", (unsigned long long)(n / power), (int)decimals,
                    (unsigned long long)(n % power));
}

/* "12.34 MB/s", "1.783 k/s", "87.30 ns" */
static void rate_text(char *out, size_t size, double value, const char *unit)
{
    bool bytes = text_equal(unit, "bytes/s"), rate = bytes || text_equal(unit, "counts/s");
    char number[24], prefix[2] = "";

    four_digits(number, sizeof number, value > 0 ? value : 0, rate, prefix);
    if (rate)
        text_format(out, size, "%s %s%s/s", number, prefix[0] == ' ' ? "" : prefix, bytes ? "B" : "");
    else
        text_format(out, size, "%s %s", number, unit);
}

static void row_text(const struct count_row *row, char *out, size_t size)
{
    char rate[32] = "nothing to divide by", bytes[40] = "";

    if (row->known)
        rate_text(rate, sizeof rate, row->value, row->unit);
    if (row->metric) {
        text_format(out, size, "%-24s %16s", row->where, rate);
        return;
    }
    if (row->bytes > 0)
        text_format(bytes, sizeof bytes, " %14llu bytes", (unsigned long long)row->bytes);
    text_format(out, size, "%-24s %14llu %13s%s", row->where, (unsigned long long)row->counts, rate, bytes);
}

/* "imc/cas_rd: 12.34 ms, 50 % of the time" */
static void event_head(const struct counting *c, const struct count_row *row, char *out, size_t size)
{
    double ms = c->group_seconds[c->plan.events[row->event].group] * 1000;
    char number[24], prefix[2];

    four_digits(number, sizeof number, ms, false, prefix);
    text_format(out, size, "%s: %s ms, %u %% of the time", row->name, number,
                (uint32_t)(100 * count_share(c, row->event) + 0.5));
}

void count_say(const struct counting *c)
{
    const char *before = NULL;
    char line[COUNT_NAME + LINE];

    EACH(const struct count_row, row, c->rows, c->n_rows) {
        if (row->name != before) {
            if (row->metric)
                text_format(line, sizeof line, "%s: %s", row->name, row->metric->title);
            else
                event_head(c, row, line, sizeof line);
            c->out->say(c->out->context, line);
        }
        before = row->name;
        row_text(row, line, sizeof line);
        c->out->say(c->out->context, line);
    }
}

/* --- -top --------------------------------------------------------------------------------------------------------- */

/* Whole packages, and dies; the boxes of what is by channel or link where there is room. */
static bool is_shown(const struct count_row *row, bool boxes)
{
    return row->box == UINT32_MAX || (boxes && row->metric) || row->n == 0;
}

void count_show(const struct counting *c)
{
    static char text[SHOW_LINES][SHOW_WIDTH];
    const char *lines[SHOW_LINES];
    uint32_t n = 0, seconds = (uint32_t)(c->n_windows ? c->times[c->n_windows - 1] + 0.5 : 0);
    uint32_t all = HOW_MANY(i, c->n_rows, is_shown(&c->rows[i], true));
    char rate[32];

    text_format(text[n++], SHOW_WIDTH, "assay -top: %u of %u s, %u events in %u turns; q ends", seconds,
                c->request->options->top_seconds, c->plan.n_events, c->plan.n_groups);
    for (uint32_t i = 0; i < c->n_rows && n < SHOW_LINES; i++) {
        const struct count_row *row = &c->rows[i];

        if (!is_shown(row, all <= c->request->show_rows))
            continue;
        text_format(rate, sizeof rate, "-");
        if (row->known)
            rate_text(rate, sizeof rate, row->value, row->unit);
        text_format(text[n++], SHOW_WIDTH, "%-30.30s %-26s %14s", row->name, row->where, rate);
    }
    for (uint32_t i = 0; i < n; i++)
        lines[i] = text[i];
    if (c->out->show)
        c->out->show(c->out->context, lines, n);
}

/* --- the stream --------------------------------------------------------------------------------------------------- */

static void begin_series(struct report *r, const struct counting *c, const struct count_row *row, uint32_t series,
                         char id[28])
{
    struct json *j = report_step_artifact(r, "measurementSeriesStart");

    text_format(id, 28, "%s.%u", r->step_id, series);
    json_text(j, "name", row->name);
    json_text(j, "unit", row->unit);
    json_text(j, "measurementSeriesId", id);
    report_put_place(j, &row->place);
    json_object(j, "metadata");
    json_text(j, "xName", "time");
    json_text(j, "xUnit", "s");
    if (row->metric) {
        json_text(j, "formula", row->metric->formula);
        json_text(j, "source", row->metric->source);
    } else {
        json_decimal(j, "share", count_share(c, row->event));
    }
    report_artifact_end(r);
}

static uint32_t put_element(struct report *r, const char *id, uint32_t index, double x, double value)
{
    struct json *j = report_step_artifact(r, "measurementSeriesElement");
    char now[25];

    report_timestamp(r, now);
    json_unsigned(j, "index", index);
    json_decimal(j, "value", value);
    json_text(j, "timestamp", now);
    json_text(j, "measurementSeriesId", id);
    json_object(j, "metadata");
    json_decimal(j, "x", x);
    json_end(j);
    report_artifact_end(r);
    return index + 1;
}

/* The counts of the last window. */
static void put_last_counts(struct report *r, const struct count_row *row)
{
    struct json *j = row->metric ? NULL : report_step_artifact(r, "measurement");

    json_text(j, "name", row->name);
    json_decimal(j, "value", row->counts);
    json_text(j, "unit", "counts");
    report_put_place(j, &row->place);
    json_object(j, "metadata");
    json_decimal(j, "seconds", row->seconds);
    json_end(j);
    report_artifact_end(r);
}

void count_put(const struct counting *c)
{
    struct report *r = c->request->report;
    struct json *j;
    char id[28];

    for (uint32_t i = 0; i < c->n_rows && r; i++) {
        uint32_t n = 0;

        put_last_counts(r, &c->rows[i]);
        begin_series(r, c, &c->rows[i], i, id);
        for (uint32_t w = 0; w < c->n_windows; w++) {
            double value = c->history[(size_t)w * c->n_rows + i];

            if (value >= 0)
                n = put_element(r, id, n, c->times[w], value);
        }
        j = report_step_artifact(r, "measurementSeriesEnd");
        json_text(j, "measurementSeriesId", id);
        json_unsigned(j, "totalCount", n);
        report_artifact_end(r);
    }
}
