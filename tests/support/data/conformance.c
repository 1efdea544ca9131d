/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/conformance.c: reads the conformance list. See conformance.h. */
#include "tests/support/data/conformance.h"
#include "core/base/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 6u

enum { ID, STIMULUS, EXPECTED, GRADE, COVERED, SOURCE };

static const char *const columns[FIELDS] = { "id", "stimulus", "expected", "grade", "covered", "source" };

/* Cuts a line at its tabs; returns how many fields it has. */
static uint32_t cut(char *line, char *fields[FIELDS])
{
    uint32_t n = 0;

    for (char *at = line; at; n++) {
        char *tab = strchr(at, '\t');

        if (tab)
            *tab = '\0';
        if (n < FIELDS)
            fields[n] = at;
        at = tab ? tab + 1 : NULL;
    }
    return n;
}

static bool is_clean(const char *field)
{
    size_t n = strlen(field);

    return field[0] != ' ' && (n == 0 || field[n - 1] != ' ') && !strstr(field, "  ");
}

static bool header_is_right(char *fields[FIELDS])
{
    return ALL_OF(i, FIELDS, strcmp(fields[i], columns[i]) == 0);
}

static bool fields_are_filled(char *fields[FIELDS])
{
    for (uint32_t i = 0; i < FIELDS; i++)
        if (!is_clean(fields[i]) || (i != COVERED && fields[i][0] == '\0'))
            return false;
    return fields[GRADE][1] == '\0' && strchr("FWR", fields[GRADE][0]);
}

/* "", "none: REASON" or "by CHECK-ID ...". */
static bool take_cover(struct conformance_row *row, const char *field)
{
    row->by = "";
    if (strncmp(field, "none: ", 6) == 0)
        row->reason = field + 6;
    else if (strncmp(field, "by ", 3) == 0)
        row->by = field + 3;
    else
        return field[0] == '\0';
    return true;
}

static bool take_row(struct conformance *list, char *fields[FIELDS])
{
    struct conformance_row *row = &list->rows[list->n];

    if (list->n == CONFORMANCE_ROWS || !fields_are_filled(fields) || conformance_find(list, fields[ID]))
        return false;
    *row = (struct conformance_row){ .id = fields[ID],
                                     .stimulus = fields[STIMULUS],
                                     .expected = fields[EXPECTED],
                                     .source = fields[SOURCE],
                                     .grade = fields[GRADE][0] };
    list->n++;
    return take_cover(row, fields[COVERED]);
}

bool conformance_parse(struct conformance *list, char *text)
{
    bool named = false; /* the columns */

    list->n = 0;
    list->bad_line = 1;
    for (char *line = text; *line; list->bad_line++) {
        char *end = strchr(line, '\n'), *fields[FIELDS];
        bool comment = !named && line[0] == '#';

        if (!end)
            return false;
        *end = '\0';
        if (!comment && cut(line, fields) != FIELDS)
            return false;
        if (!comment && (named ? !take_row(list, fields) : !header_is_right(fields)))
            return false;
        named |= !comment;
        line = end + 1;
    }
    return list->n > 0;
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    if (!f)
        return NULL;
    if (getdelim(&text, &size, '\0', f) < 0) {
        free(text);
        text = NULL;
    }
    fclose(f);
    return text;
}

bool conformance_read(struct conformance *list, const char *path)
{
    list->n = 0;
    list->bad_line = 0;
    list->text = read_text(path);
    return list->text && conformance_parse(list, list->text);
}

void conformance_free(struct conformance *list)
{
    free(list->text);
    list->text = NULL;
}

const struct conformance_row *conformance_find(const struct conformance *list, const char *id)
{
    return FIND(i, list->n, strcmp(list->rows[i].id, id) == 0, &list->rows[i], NULL);
}

bool conformance_names(const char *words, const char *word, size_t n)
{
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, " ,");

        if (length == n && strncmp(at, word, n) == 0)
            return true;
        at += length + (at[length] != '\0');
    }
    return false;
}
