/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Runs a fuzz target over a corpus and over mutations of it: main.c FOLDER-OR-FILE... [-n MUTATIONS-OF-EACH]
 *
 * The mutations depend on the input alone, so that two runs do the same. Exit 0, or the target's crash. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

#define LARGEST_INPUT 65536u

static unsigned long mutations = 2000, inputs, runs;

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t mutate(uint8_t *data, size_t size, uint64_t *state)
{
    static const uint32_t odd[] = { 0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF };

    for (uint64_t changes = 1 + next(state) % 4; changes > 0 && size > 0; changes--) {
        size_t at = next(state) % size;
        size_t n = size - at < 4 ? size - at : 4;
        uint32_t value = odd[next(state) % (sizeof odd / sizeof *odd)];

        switch (next(state) % 5) {
        case 0:
            data[at] ^= (uint8_t)(1u << next(state) % 8);
            break;
        case 1:
            data[at] = (uint8_t)next(state);
            break;
        case 2:
            memcpy(data + at, &value, n);
            break;
        case 3: /* cut off */
            size = at;
            break;
        default: /* a piece from elsewhere */
            memmove(data + at, data + next(state) % size, 1);
            memmove(data + at, data + (at + n <= size ? size - n : 0), n);
            break;
        }
    }
    return size;
}

static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1); /* of its exact size, so that a read beyond it is seen */

    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    runs++;
}

static bool run_file(const char *path)
{
    static uint8_t data[LARGEST_INPUT], changed[LARGEST_INPUT];
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
    FILE *f = fopen(path, "rb");
    size_t size;

    if (!f) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return false;
    }
    size = fread(data, 1, sizeof data, f);
    fclose(f);
    inputs++;
    run(data, size);
    for (size_t i = 0; i < size; i++)
        state = (state ^ data[i]) * UINT64_C(0x100000001B3);
    if (state == 0)
        state = 1;
    for (unsigned long i = 0; i < mutations; i++) {
        memcpy(changed, data, size);
        run(changed, mutate(changed, size, &state));
    }
    return true;
}

static bool run_path(const char *path)
{
    struct dirent **names;
    struct stat info;
    bool ok = true;
    int n;

    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return run_file(path);
    n = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char file[4096];

        snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.')
            ok &= run_file(file);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return ok && n >= 0;
}

int main(int argc, char **argv)
{
    bool ok = true;

    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "-n") == 0)
            mutations = strtoul(argv[i + 1], NULL, 10);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-n") == 0)
            i++;
        else
            ok &= run_path(argv[i]);
    }
    printf("%lu inputs, %lu runs\n", inputs, runs);
    return ok && inputs > 0 ? 0 : 1;
}
