/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/bands/bands_parse.c: the file of bands, line by line. */
#include <string.h>

#include "core/bands/bands.h"
#include "core/base/heap.h"
#include "core/base/lines.h"
#include "core/base/text.h"

#define FIELDS  12u
#define LARGEST 10u /* digits before the point */

struct reader {
    struct bands *bands;
    struct lines lines;
    uint32_t room; /* of figures */
    struct bands_error *error;
};

__attribute__((format(printf, 2, 3))) static enum status bad_line(struct reader *r, const char *format, ...)
{
    r->error->line = r->lines.number;
    TEXT_OF_ARGS(r->error->text, format);
    return ST_CORRUPT;
}

/* --- the head ----------------------------------------------------------------------------------------------------- */

/* The value of the next line, which is "KEY: VALUE"; NULL: it is another one, and r->error says so. */
static char *keyed(struct reader *r, const char *key)
{
    size_t n = strlen(key);
    char *line = lines_next(&r->lines);

    if (line && strncmp(line, key, n) == 0 && line[n] == ':' && line[n + 1] == ' ' && line[n + 2] &&
        strlen(line) < 2 * BANDS_TEXT && lines_plain(line))
        return line + n + 2;
    (void)bad_line(r, "no line \"%s: ...\"", key);
    return NULL;
}

static enum status keyed_text(struct reader *r, const char *key, const char **value)
{
    *value = keyed(r, key);
    return *value ? ST_OK : ST_CORRUPT;
}

static enum status keyed_number(struct reader *r, const char *key, uint64_t *value)
{
    const char *text = keyed(r, key);

    if (!text)
        return ST_CORRUPT;
    return text_number(text, value) ? ST_OK : bad_line(r, "not a number");
}

static enum status read_kind(struct reader *r, struct bands_kind *k)
{
    const struct {
        const char *key;
        const char **text;
        uint64_t *number;
    } lines[] = {
        { "assay", &k->assay, NULL },         { "virtual-silicon", &k->ran_on, NULL },
        { "vendor", &k->vendor, NULL },       { "family", NULL, &k->family },
        { "model", NULL, &k->model },         { "stepping", NULL, &k->stepping },
        { "microcode", &k->microcode, NULL }, { "nodes-per-package", NULL, &k->nodes_per_package },
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        TRY(lines[i].text ? keyed_text(r, lines[i].key, lines[i].text)
                          : keyed_number(r, lines[i].key, lines[i].number));
    for (const char *word = k->microcode; word;) {
        uint64_t revision;

        if (!bands_next_revision(&word, &revision))
            return bad_line(r, "a microcode that is no number");
    }
    return ST_OK;
}

static enum status read_machines(struct reader *r)
{
    const char *serial;

    TRY(keyed_number(r, "machines", &r->bands->machines));
    if (r->bands->machines < BANDS_MACHINES)
        return bad_line(r, "fewer machines than bands take");
    for (uint64_t i = 0; i < r->bands->machines; i++)
        TRY(keyed_text(r, "serial", &serial));
    return ST_OK;
}

/* --- a figure ----------------------------------------------------------------------------------------------------- */

/* "-1.000000": as many decimals, always. */
static bool bands_decimal(const char *text, double *value)
{
    bool negative = *text == '-';
    uint64_t sum = 0;
    size_t n = 0;

    text += negative;
    while (text[n] >= '0' && text[n] <= '9' && n < LARGEST)
        sum = sum * 10 + (uint64_t)(text[n++] - '0');
    if (n == 0 || text[n++] != '.')
        return false;
    for (unsigned i = 0; i < 6; i++, n++) {
        if (text[n] < '0' || text[n] > '9')
            return false;
        sum = sum * 10 + (uint64_t)(text[n] - '0');
    }
    *value = (negative ? -1 : 1) * (double)sum / 1e6;
    return text[n] == '\0';
}

static bool bands_count(const char *text, uint32_t *value)
{
    uint64_t n = 0;

    if (!text_number(text, &n) || n > UINT32_MAX)
        return false;
    *value = (uint32_t)n;
    return true;
}

static bool is_unit(const char *text)
{
    return text_equal(text, "ratio") || text_equal(text, "%") || text_equal(text, "bytes");
}

static bool makes_sense(const struct figure_band *b, uint64_t machines)
{
    return b->spread >= 0 && b->from <= b->centre && b->centre <= b->to && b->lowest <= b->highest &&
           b->machines >= BANDS_MACHINES && b->machines <= machines && b->values >= b->machines;
}

/* Ascending by their names: so none stands twice. */
static bool is_after(const struct bands_figure *f, const struct bands_figure *last)
{
    int order = strcmp(f->check, last->check);

    if (order == 0)
        order = strcmp(f->name, last->name);
    if (order == 0)
        order = strcmp(f->place, last->place);
    return order > 0;
}

static enum status read_figure(struct reader *r, char *line)
{
    struct bands *b = r->bands;
    char *in[FIELDS];
    struct bands_figure *f = &b->figures[b->n_figures];
    struct figure_band *band = &f->band;

    if (lines_fields(line, in, FIELDS) != FIELDS)
        return bad_line(r, "a figure has 12 fields, separated by TAB");
    if (b->n_figures == r->room)
        return bad_line(r, "too many figures");
    for (unsigned i = 0; i < FIELDS; i++)
        if (strlen(in[i]) >= BANDS_TEXT || !lines_plain(in[i]))
            return bad_line(r, "a text that is too long, or not ASCII");
    *f = (struct bands_figure){ .check = in[0], .name = in[1], .place = in[2], .band.unit = in[3] };
    if (!bands_decimal(in[4], &band->centre) || !bands_decimal(in[5], &band->spread) ||
        !bands_decimal(in[6], &band->from) || !bands_decimal(in[7], &band->to) ||
        !bands_count(in[8], &band->machines) || !bands_count(in[9], &band->values) ||
        !bands_decimal(in[10], &band->lowest) || !bands_decimal(in[11], &band->highest))
        return bad_line(r, "not a number with six decimals, or not a count");
    if (!*f->check || !*f->name || !is_unit(band->unit) || !makes_sense(band, b->machines))
        return bad_line(r, "no band: no name, a unit that is not compared, or numbers that contradict each other");
    if (b->n_figures > 0 && !is_after(f, f - 1))
        return bad_line(r, "not after the figure before it: figures are in ascending order, each once");
    b->n_figures++;
    return ST_OK;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static enum status read_figures(struct reader *r)
{
    static const char end[] = "end: ";
    uint64_t n = 0;
    char *line;
    enum status s = ST_OK;

    while (s == ST_OK) {
        line = lines_next(&r->lines);
        if (!line)
            return bad_line(r, "the file stops before its line \"end: ...\"");
        if (strncmp(line, end, sizeof end - 1) == 0)
            break;
        s = read_figure(r, line);
    }
    TRY(s);
    if (!text_number(line + sizeof end - 1, &n) || n != r->bands->n_figures)
        return bad_line(r, "not the number of figures before it");
    if (n == 0)
        return bad_line(r, "no figure");
    return lines_next(&r->lines) ? bad_line(r, "a line after the last") : ST_OK;
}

static enum status bands_read(struct reader *r)
{
    const char *first = lines_next(&r->lines);
    char expected[32];

    text_format(expected, sizeof expected, "assay-bands %u", BANDS_VERSION);
    if (!first || !text_equal(first, expected))
        return bad_line(r, "its first line is not \"%s\", but \"%.40s\"", expected,
                        first && lines_plain(first) ? first : "");
    TRY(read_kind(r, &r->bands->kind));
    TRY(read_machines(r));
    return read_figures(r);
}

enum status bands_parse(struct bands *b, const char *text, size_t length, struct bands_error *error)
{
    struct reader r = { .bands = b, .error = error };
    enum status s;

    memset(b, 0, sizeof *b);
    memset(error, 0, sizeof *error);
    b->text = heap_alloc(length + 1);
    for (size_t i = 0; i < length; i++)
        r.room += text[i] == '\n';
    r.room = r.room < BANDS_FIGURES ? r.room : BANDS_FIGURES;
    b->figures = heap_alloc((r.room + 1) * sizeof *b->figures);
    if (b->text && b->figures) {
        memcpy(b->text, text, length);
        r.lines.at = b->text;
        s = strlen(b->text) == length ? bands_read(&r) : bad_line(&r, "a character that is none");
    } else {
        s = ST_NO_MEMORY;
    }
    if (s != ST_OK)
        bands_free(b);
    return s;
}
