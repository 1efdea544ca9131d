/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/schema/validate_report.c: reads report streams and says whether they are valid.
 *
 *   validate-report [--partial] FILE...     exit 0: all are; 1: one is not; 2: a file could not be read; 4: one
 *                                           contradicts itself
 *
 * --partial: a stream that a power cut ended is valid as far as it goes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/ocp_stream.h"

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

int main(int argc, char **argv)
{
    bool partial = false;
    int outcome = 0;

    for (int i = 1; i < argc; i++) {
        struct ocp_result r;
        size_t length;
        char *text;

        if (strcmp(argv[i], "--partial") == 0) {
            partial = true;
            continue;
        }
        text = read_file(argv[i], &length);
        if (!text) {
            fprintf(stderr, "validate-report: %s: cannot be read\n", argv[i]);
            return 2;
        }
        if (!ocp_check(text, length, partial, &r)) {
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
