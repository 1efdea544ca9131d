/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/schema/validate_report.c: reads report streams and says whether they are valid.
 *
 *   validate-report [--partial] FILE...     exit 0: all are; 1: one is not; 2: a file could not be read
 *
 * --partial: a stream that a power cut ended is valid as far as it goes. --reading: a line for each file, the first fault that
 * the reader of streams finds ("-": none).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stream/stream_reader.h"
#include "tests/support/data/ocp_stream.h"

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
    uint32_t line;
    enum stream_fault fault;
};

static void read_line(void *, const struct stream_line *, const char *)
{
}

static void read_fault(void *context, uint32_t line, enum stream_fault fault)
{
    struct reading *r = context;

    if (r->line == 0)
        *r = (struct reading){ line, fault };
}

static void print_reading(const char *text, size_t length)
{
    static const char *const faults[] = { "json", "format", "order" };
    struct reading r = { .line = 0 };
    struct stream_reader *s = calloc(1, sizeof *s);

    if (!s)
        exit(2);
    *s = (struct stream_reader){ .context = &r, .line = read_line, .fault = read_fault };
    stream_reader_add(s, text, length);
    stream_reader_end(s);
    printf(r.line > 0 ? "%u %s\n" : "-\n", r.line, faults[r.fault]);
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
        text = read_file(argv[i], &length);
        if (!text) {
            fprintf(stderr, "validate-report: %s: cannot be read\n", argv[i]);
            return 2;
        }
        if (reading)
            print_reading(text, length);
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
