/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/lines.h"

#include <stddef.h>

/* The first such character of text, or its end. */
static char *lines_up_to(char *text, char c)
{
    while (*text && *text != c)
        text++;
    return text;
}

char *lines_next(struct lines *l)
{
    char *line, *end;

    do {
        line = l->at;
        l->number++;
        if (!*line)
            return NULL;
        end = lines_up_to(line, '\n');
        l->at = *end ? end + 1 : end;
        *end = '\0';
        if (end > line && end[-1] == '\r')
            end[-1] = '\0';
    } while (*line == '#');
    return line;
}

unsigned lines_fields(char *line, char **fields, unsigned most)
{
    unsigned n = 0;
    char *end = line;

    for (bool more = true; more; line = end + 1, n++) {
        end = lines_up_to(line, '\t');
        more = *end != '\0';
        *end = '\0';
        if (n < most)
            fields[n] = line;
    }
    return n;
}

bool lines_plain(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            return false;
    return true;
}
