/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/run/profile_bands.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/data/whole_file.h"

const struct bands bands_without_figures = { .n_figures = 0 };

bool profile_bands_know(const char *realism)
{
    return !realism || !*realism || !strcmp(realism, "none") || !strcmp(realism, "typical");
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
        char *text = whole_file(files.gl_pathv[i], &length);

        if (!text) {
            perror(files.gl_pathv[i]);
            exit(EXIT_FAILURE);
        }
        bands_offer(choice, m, files.gl_pathv[i], text, length);
        free(text);
    }
    globfree(&files);
}
