/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/run/profile_bands.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct bands bands_without_figures = { .n_figures = 0 };

bool profile_bands_know(const char *realism)
{
    return !realism || !*realism || !strcmp(realism, "none") || !strcmp(realism, "typical");
}

/* NULL: it cannot be read. */
static char *content_of(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    char *text = NULL;

    if (!file)
        return NULL;
    if (fstat(fileno(file), &about) == 0 && (text = malloc((size_t)about.st_size + 1)) != NULL)
        *length = fread(text, 1, (size_t)about.st_size, file);
    fclose(file);
    return text;
}

void profile_bands_offer(struct bands_choice *choice, const struct machine *m)
{
    glob_t files = { .gl_pathc = 0 };

    if (glob(PROFILE_BANDS "/*.bands", 0, NULL, &files) != 0) {
        fprintf(stderr, "%s: no files\n", PROFILE_BANDS);
        exit(EXIT_FAILURE);
    }
    for (size_t i = 0; i < files.gl_pathc; i++) {
        size_t length = 0;
        char *text = content_of(files.gl_pathv[i], &length);

        if (!text) {
            perror(files.gl_pathv[i]);
            exit(EXIT_FAILURE);
        }
        bands_offer(choice, m, files.gl_pathv[i], text, length);
        free(text);
    }
    globfree(&files);
}
