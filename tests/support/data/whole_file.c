/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

char *whole_file(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    struct stat about;
    char *bytes = f && fstat(fileno(f), &about) == 0 ? malloc((size_t)about.st_size + 1) : NULL;

    if (bytes) {
        *length = fread(bytes, 1, (size_t)about.st_size, f);
        bytes[*length] = '\0';
    }
    if (f)
        fclose(f);
    return bytes;
}
