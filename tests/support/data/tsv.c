/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/tsv.h"
#include "core/base/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 64u

struct tsv {
    char **lines; /* with '\0' in place of each tab */
    char *(*fields)[COLUMNS];
    uint32_t n_lines, n_columns;
};

static uint32_t split(char *text, char **fields)
{
    uint32_t n = 0;

    text[strcspn(text, "\r\n")] = '\0';
    while (n < COLUMNS) {
        fields[n++] = text;
        text = strchr(text, '\t');
        if (!text)
            break;
        *text++ = '\0';
    }
    return n;
}

struct tsv *tsv_open(const char *path)
{
    struct tsv *t = calloc(1, sizeof *t);
    char text[4096];
    FILE *f = fopen(path, "r");

    while (f && fgets(text, sizeof text, f)) {
        if (text[0] == '#')
            continue;
        t->lines = realloc(t->lines, sizeof *t->lines * (t->n_lines + 1));
        t->fields = realloc(t->fields, sizeof *t->fields * (t->n_lines + 1));
        t->lines[t->n_lines] = strdup(text);
        memset(t->fields[t->n_lines], 0, sizeof t->fields[t->n_lines]);
        uint32_t n = split(t->lines[t->n_lines], t->fields[t->n_lines]);
        if (t->n_lines++ == 0)
            t->n_columns = n;
    }
    if (f)
        fclose(f);
    return t;
}

void tsv_free(struct tsv *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->n_lines; i++)
        free(t->lines[i]);
    free(t->lines);
    free(t->fields);
    free(t);
}

uint32_t tsv_rows(const struct tsv *t)
{
    return t->n_lines ? t->n_lines - 1 : 0;
}

const char *tsv_get(const struct tsv *t, uint32_t row, const char *column)
{
    return FIND(c, t->n_columns, strcmp(t->fields[0][c], column) == 0, t->fields[row + 1][c], NULL);
}

const char *tsv_cell(const struct tsv *t, uint32_t row, const char *column)
{
    const char *cell = tsv_get(t, row, column);

    return cell ? cell : "";
}

const char *tsv_after(const struct tsv *t, uint32_t row, const char *column, const char *key)
{
    const char *at = strstr(tsv_cell(t, row, column), key);

    return at ? at + strlen(key) : NULL;
}

bool tsv_is_number(const char *cell)
{
    char *end;

    (void)strtoull(cell, &end, 0);
    return *cell && *end == '\0';
}

uint64_t tsv_step(const char *cell, uint32_t i)
{
    if (strchr(cell, ',') == NULL)
        return i * strtoull(cell, NULL, 0);
    for (; i > 0 && cell; i--) {
        cell = strchr(cell, ',');
        cell = cell ? cell + 1 : NULL;
    }
    return cell ? strtoull(cell, NULL, 0) : UINT64_MAX;
}

uint64_t tsv_allowed(const char *cell, uint64_t code, uint64_t every)
{
    for (const char *at = cell; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char *end;
        uint64_t first = strtoull(at, &end, 0), last = *end == '-' ? strtoull(end + 1, &end, 0) : first;
        uint64_t mask = *end == '/' ? strtoull(end + 1, &end, 0) : UINT64_MAX;

        if ((code & mask) >= first && (code & mask) <= last)
            return strtoull(end + 1, NULL, 0) & every;
    }
    return every;
}
