/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/schema/validate_report.c: reads report streams and says whether they are valid.
 *
 *   validate-report [--partial] FILE...     exit 0: all are; 1: one is not; 2: a file could not be read; 4: one
 *                                           contradicts itself
 *
 * --partial: a stream that a power cut ended is valid as far as it goes. --reading: a line for each file, what the reader of
 * streams makes of it: verdict, contradictions, the first fault ("-": none).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/data/ocp_stream.h"
#include "tests/support/data/stream_verdict.h"

#define CONTRADICTS 4 /* scripts/assay-report has the same exit status for it */

static char *read_file(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    size_t capacity = 1 << 16, n = 0;
    char *text = f ? malloc(capacity) : NULL;

    while (text) {
        size_t got = fread(text + n, 1, capacity - n, f);

        n += got;
        if (got == 0)
            break;
        if (n == capacity) {
            char *more = realloc(text, capacity *= 2);

            if (!more)
                free(text);
            text = more;
        }
    }
    if (f)
        fclose(f);
    *length = n;
    return text;
}

struct reading {
    struct stream_judge judge;
    uint32_t line;
    enum stream_fault fault;
};

static void read_line(void *context, const struct stream_line *line, const char *check)
{
    stream_judge_line(&((struct reading *)context)->judge, line, check);
}

static void read_field(void *context, enum stream_kind kind, const char *path, enum json_scalar scalar,
                       const char *text)
{
    stream_judge_field(&((struct reading *)context)->judge, kind, path, scalar, text);
}

static void read_broken(void *context, const char *check)
{
    stream_judge_broken(&((struct reading *)context)->judge, check);
}

static void read_fault(void *context, uint32_t line, enum stream_fault fault)
{
    struct reading *r = context;

    stream_judge_fault(&r->judge, fault);
    if (r->line == 0) {
        r->line = line;
        r->fault = fault;
    }
}

static void print_reading(const char *text, size_t length)
{
    static const char *const faults[] = { "json", "format", "order" };
    struct reading *r = calloc(1, sizeof *r);
    struct stream_reader *s = calloc(1, sizeof *s);

    if (!r || !s)
        exit(2);
    *s = (struct stream_reader){
        .context = r, .line = read_line, .field = read_field, .broken = read_broken, .fault = read_fault
    };
    stream_reader_add(s, text, length);
    stream_reader_end(s);
    printf("%s", stream_judge_conclude(&r->judge, s));
    printf(r->line > 0 ? " %u %u %s\n" : " %u -\n", r->judge.n_contradictions, r->line, faults[r->fault]);
    free(s);
    free(r);
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
        text = read_file(argv[i], &length);
        if (!text) {
            fprintf(stderr, "validate-report: %s: cannot be read\n", argv[i]);
            return 2;
        }
        if (reading)
            print_reading(text, length);
        else if (!ocp_check(text, length, partial, &r)) {
            fprintf(stderr, "%s: %s\n", argv[i], r.fault);
            if (outcome == 0 || r.contradicts)
                outcome = r.contradicts ? CONTRADICTS : 1;
        } else {
            printf("%s: valid, %u lines, %u steps, %u measurements, %u series, %u diagnoses, %s%s%s\n", argv[i],
                   r.lines, r.steps, r.measurements, r.series, r.diagnoses, r.ended ? r.verdict : "no end",
                   r.unfinished[0] ? ", unfinished step " : "", r.unfinished);
        }
        free(text);
    }
    return outcome;
}
