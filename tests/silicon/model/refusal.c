/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/refusal.c: see refusal.h. */
#include "tests/silicon/model/refusal.h"
#include "core/base/search.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NEAREST 3u

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Letters to change, leave out or put in (Levenshtein); a name that has the text in it is nearer than any other. */
static uint32_t distance(const char *text, const char *name)
{
    uint32_t row[64], length = (uint32_t)strlen(name);

    if (strstr(name, text))
        return 0;
    if (length >= sizeof row / sizeof row[0])
        return UINT32_MAX;
    for (uint32_t j = 0; j <= length; j++)
        row[j] = j;
    for (uint32_t i = 0; text[i]; i++) {
        uint32_t diagonal = row[0]++;

        for (uint32_t j = 1; j <= length; j++) {
            uint32_t change = diagonal + (text[i] != name[j - 1]);

            diagonal = row[j];
            row[j] = least(change, 1 + least(row[j], row[j - 1]));
        }
    }
    return row[length] + 1;
}

static bool is_among(uint32_t number, const uint32_t *list, uint32_t n)
{
    return ANY_OF(i, n, list[i] == number);
}

void nearest_names(const char *text, const char *(*name)(uint32_t number), uint32_t n, char *out, size_t size)
{
    uint32_t found[NEAREST];

    for (uint32_t k = 0; k < least(n, NEAREST); k++) {
        size_t used = strlen(out);
        uint32_t best = n;

        for (uint32_t i = 0; i < n; i++)
            if (!is_among(i, found, k) && (best == n || distance(text, name(i)) < distance(text, name(best))))
                best = i;
        found[k] = best;
        snprintf(out + used, size - used, "%s%s", k ? ", " : "", name(best));
    }
}

bool refusal_say(char *error, size_t size, const char *format, ...)
{
    va_list args;

    if (error && size) {
        va_start(args, format);
        vsnprintf(error, size, format, args);
        va_end(args);
    }
    return false;
}

bool refusal_of_name(char *error, size_t size, const char *kind, const char *text, const char *(*name)(uint32_t number),
                     uint32_t n)
{
    if (!error || size == 0)
        return false;
    refusal_say(error, size, "there is no %s '%s' (faults.md has all of them); the nearest are ", kind, text);
    nearest_names(text, name, n, error, size);
    return false;
}
