/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/schema/validate_report.c: reads report streams and says whether they are valid.
 *
 *   validate-report [--partial] FILE...     exit 0: all are; 1: one is not; 2: a file could not be read
 *
 * --partial: a stream that a power cut ended is valid as far as it goes. --reading: what the reader of streams finds in
 * them, of which tests/report/stream_readings.py makes what the other readers find.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stream/stream_reader.h"
#include "tests/support/data/ocp_stream.h"
#include "tests/support/data/whole_file.h"

/* --- --reading: a line of JSON for each call of the reader */

static void put(const char *key, const char *text)
{
    printf(",\"%s\":\"", key);
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\')
            printf("\\u%04x", *text);
        else
            putchar(*text);
    putchar('"');
}

static void put_number(const char *key, bool known, double number)
{
    printf(known ? ",\"%s\":%.17g" : ",\"%s\":null", key, number);
}

static void read_field(void *, enum stream_kind, const char *path, enum json_scalar, const char *text)
{
    printf("{\"call\":\"field\"");
    put("path", path);
    put("text", text);
    puts("}");
}

static void read_line(void *, const struct stream_line *l, const char *check)
{
    static const char *const kinds[] = {
        "",          "schema",  "runStart",    "runEnd",      "runLog",      "runError",
        "stepStart", "stepEnd", "measurement", "seriesStart", "seriesPoint", "seriesEnd",
        "diagnosis", "log",     "error",       "file",        "extension"
    };

    printf("{\"call\":\"line\",\"dropped\":%s", l->dropped ? "true" : "false");
    put("kind", kinds[l->kind]);
    put("check", check);
    put("name", l->name);
    put("place", l->place);
    put("location", l->location);
    put("unit", l->unit);
    put("xName", l->x_name);
    put("xUnit", l->x_unit);
    put("message", l->message);
    put("symptom", l->symptom);
    put("severity", l->severity);
    put("result", l->result);
    put("verdict", stream_verdict_names[l->verdict]);
    if (l->value_kind == JSON_SCALAR_TEXT)
        put("value", l->text);
    else if (l->value_kind == JSON_SCALAR_NUMBER)
        put_number("value", true, l->value);
    else
        printf(",\"value\":%s", l->text);
    put_number("x", true, l->x);
    put_number("low", l->has_lo, l->lo);
    put_number("high", l->has_hi, l->hi);
    puts("}");
}

static void read_broken(void *, const char *check)
{
    printf("{\"call\":\"broken\"");
    put("check", check);
    puts("}");
}

static void read_fault(void *, uint32_t line, enum stream_fault fault)
{
    static const char *const faults[] = { "json", "format", "order" };

    printf("{\"call\":\"fault\",\"line\":%u", line);
    put("fault", faults[fault]);
    puts("}");
}

/* In pieces of other sizes in each file. */
static void print_reading(const char *text, size_t length, size_t piece)
{
    struct stream_reader *s = calloc(1, sizeof *s);
    struct ocp_result valid;

    if (!s)
        exit(2);
    *s = (struct stream_reader){ .line = read_line, .field = read_field, .broken = read_broken, .fault = read_fault };
    for (size_t at = 0; at < length; at += piece)
        stream_reader_add(s, text + at, length - at < piece ? length - at : piece);
    stream_reader_end(s);
    printf("{\"call\":\"end\",\"started\":%u,\"ended\":%u,\"torn\":%u,\"valid\":%u}\n", s->started, s->ended, s->torn,
           ocp_check(text, length, false, &valid));
    free(s);
}

int main(int argc, char **argv)
{
    bool partial = false, reading = false;
    int outcome = 0;

    for (int i = 1; i < argc; i++) {
        struct ocp_result r;
        size_t length;
        char *text;

        if (strcmp(argv[i], "--partial") == 0) {
            partial = true;
            continue;
        }
        if (strcmp(argv[i], "--reading") == 0) {
            reading = true;
            continue;
        }
        text = whole_file(argv[i], &length);
        if (!text) {
            fprintf(stderr, "validate-report: %s: cannot be read\n", argv[i]);
            return 2;
        }
        if (reading)
            print_reading(text, length, 1 + 31 * (size_t)i % 512);
        else if (!ocp_check(text, length, partial, &r)) {
            fprintf(stderr, "%s: %s\n", argv[i], r.fault);
            outcome = 1;
        } else {
            printf("%s: valid, %u lines, %u steps, %u measurements, %u series, %u diagnoses%s%s%s\n", argv[i], r.lines,
                   r.steps, r.measurements, r.series, r.diagnoses, r.ended ? "" : ", no end",
                   r.unfinished[0] ? ", unfinished step " : "", r.unfinished);
        }
        free(text);
    }
    return outcome;
}
