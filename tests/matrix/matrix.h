/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/matrix.h: what the sub-commands of build/host/matrix have in common: options, jobs, files they write. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/base/braced.h"

/* What "--name VALUE" is for: one of flag (which takes no value), text, count, number and take. name "": the argument
 * without a name, or with take all of them. */
struct matrix_option {
    const char *name;
    bool *flag;
    const char **text;
    uint32_t *count;
    uint64_t *number;
    uint64_t least, most;            /* of a count or number            */
    bool (*take)(const char *value); /* says why, where it returns false */
};
#define MATRIX_JOBS BRACED(.name = "jobs", .count = &matrix_jobs, .least = 1, .most = 64)

struct matrix_command {
    const char *name, *usage;
    const struct matrix_option *options; /* the last has no name, NULL */
    int (*run)(void);                    /* returns the exit status    */
};
extern const struct matrix_command matrix_faults, matrix_machines, matrix_machine_faults, matrix_run_time,
    matrix_detection, matrix_diagnosis, matrix_twins, matrix_drawn, matrix_map;

extern uint32_t matrix_jobs; /* runs at a time: as many as there are processors, or --jobs */

/* "matrix: what 'text'" on stderr; false. */
bool matrix_refuse(const char *what, const char *text);
/* A file to be written; ends the program where that fails. path NULL: stdout, which matrix_close() leaves open. */
FILE *matrix_open(const char *path);
void matrix_close(FILE *out, const char *path);

/* The number of the text in the list of n; n: it is none of them. */
static inline uint32_t matrix_index(const char *const *list, uint32_t n, const char *text)
{
    uint32_t i = 0;

    while (i < n && strcmp(list[i], text) != 0)
        i++;
    return i;
}
