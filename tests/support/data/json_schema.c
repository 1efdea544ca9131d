/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/json_schema.h"

#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/data/whole_file.h"

#define FOLDER  ASSAY_ROOT "/tests/fixtures/ocp-diag/"
#define SCHEMAS 32u

static struct json_value *schemas[SCHEMAS];
static uint32_t n_schemas;

/* With the words of why in place of what was there. */
struct checked {
    char *why;
    size_t size;
};

static void load(const char *path)
{
    char why[128] = "";
    size_t n = 0;
    char *text = whole_file(path, &n);

    schemas[n_schemas] = text ? json_read(text, n, why, sizeof why) : NULL;
    free(text);
    if (schemas[n_schemas] == NULL) {
        fprintf(stderr, "%s: %s\n", path, why);
        abort();
    }
    n_schemas++;
}

static void load_all(void)
{
    glob_t found;

    if (n_schemas > 0 || glob(FOLDER "*.json", 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc && i < SCHEMAS; i++)
        load(found.gl_pathv[i]);
    globfree(&found);
}

/* By the end of its $id; NULL: there is none. */
static const struct json_value *schema_of(const char *id)
{
    for (uint32_t i = 0; i < n_schemas; i++) {
        const char *its = json_text_at(schemas[i], "$id");
        size_t n = strlen(its), end = strlen(id);

        if (n >= end && strcmp(its + n - end, id) == 0)
            return schemas[i];
    }
    return NULL;
}

static const struct json_value *member(const struct json_value *object, const char *key)
{
    const struct json_value *m = object ? object->child : NULL;

    while (m && strcmp(m->key, key) != 0)
        m = m->next;
    return m;
}

static bool refuse(const struct checked *c, const char *name, const char *what, const char *of)
{
    snprintf(c->why, c->size, "%.60s %s%.60s", name, what, of);
    return false;
}

/* --- values ------------------------------------------------------------------------------------------------------ */

/* "2026-11-21T06:19:02.123Z" with or without the fraction (RFC 3339). */
static bool is_time(const char *t)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd";
    int month, day, hour, minute, second, consumed = 0;
    size_t n = sizeof form - 1;

    if (strlen(t) < n + 1)
        return false;
    for (size_t i = 0; i < n; i++)
        if (form[i] == 'd' ? t[i] < '0' || t[i] > '9' : t[i] != form[i])
            return false;
    if (sscanf(t + 5, "%2d-%2dT%2d:%2d:%2d%n", &month, &day, &hour, &minute, &second, &consumed) != 5)
        return false;
    if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60)
        return false;
    t += n;
    if (*t == '.') {
        size_t digits = strspn(t + 1, "0123456789");

        if (digits == 0)
            return false;
        t += 1 + digits;
    }
    return strcmp(t, "Z") == 0;
}

static bool is_of(const struct json_value *v, const char *type)
{
    static const char *const names[] = { "null", "boolean", "number", "string", "array", "object" };

    if (strcmp(type, "integer") == 0)
        return v->kind == JSON_NUMBER && strspn(v->text, "-0123456789") == strlen(v->text);
    return strcmp(names[v->kind], type) == 0;
}

/* One word, or a list of them of which one is. */
static bool is_one_of(const struct json_value *v, const struct json_value *words,
                      bool (*is)(const struct json_value *v, const char *word))
{
    if (words == NULL || words->kind == JSON_TEXT)
        return words == NULL || is(v, words->text);
    for (const struct json_value *w = words->child; w; w = w->next)
        if (is(v, w->text))
            return true;
    return false;
}

static bool is_word(const struct json_value *v, const char *word)
{
    return v->kind == JSON_TEXT && strcmp(v->text, word) == 0;
}

static bool value_is_good(const struct json_value *schema, const struct json_value *v)
{
    const struct json_value *constant = member(schema, "const"), *least = member(schema, "minimum");
    bool number = v->kind == JSON_NUMBER;

    return is_one_of(v, member(schema, "type"), is_of) && is_one_of(v, member(schema, "enum"), is_word) &&
           (constant == NULL || (number && v->number == constant->number)) &&
           (least == NULL || (number && v->number >= least->number)) &&
           (member(schema, "format") == NULL || (v->kind == JSON_TEXT && is_time(v->text)));
}

/* --- objects ----------------------------------------------------------------------------------------------------- */

static bool takes(const struct checked *c, const struct json_value *root, const struct json_value *schema,
                  const struct json_value *v, const char *name);

static bool has_required(const struct json_value *schema, const struct json_value *v, const char **missing)
{
    for (const struct json_value *r = schema ? json_at(schema, "required") : NULL, *m = r ? r->child : NULL; m;
         m = m->next)
        if (member(v, m->text) == NULL) {
            *missing = m->text;
            return false;
        }
    return true;
}

static bool takes_members(const struct checked *c, const struct json_value *root, const struct json_value *schema,
                          const struct json_value *v, const char *name)
{
    const struct json_value *branches = member(schema, "oneOf"), *branch = NULL;
    const char *missing = "";

    for (const struct json_value *b = branches ? branches->child : NULL; b; b = b->next) {
        if (!has_required(b, v, &missing))
            continue;
        if (branch)
            return refuse(c, name, "holds more than one of what it may hold", "");
        branch = b;
    }
    if (branches && !branch)
        return refuse(c, name, "holds nothing of what it must hold", "");
    if (!has_required(schema, v, &missing))
        return refuse(c, name, "lacks ", missing);
    for (const struct json_value *m = v->child; m; m = m->next) {
        const struct json_value *its = member(member(schema, "properties"), m->key);

        its = its ? its : member(branch ? member(branch, "properties") : NULL, m->key);
        if (!its)
            return refuse(c, name, "has an unknown member ", m->key);
        if (!takes(c, root, its, m, m->key))
            return false;
    }
    return true;
}

static bool takes(const struct checked *c, const struct json_value *root, const struct json_value *schema,
                  const struct json_value *v, const char *name)
{
    const char *ref = json_text_at(schema, "$ref");
    const struct json_value *items = member(schema, "items");

    if (!schema)
        return refuse(c, name, "has no schema", "");
    if (strncmp(ref, "#/$defs/", 8) == 0)
        return takes(c, root, member(member(root, "$defs"), ref + 8), v, name);
    if (*ref)
        return takes(c, schema_of(ref), schema_of(ref), v, name);
    if (!value_is_good(schema, v))
        return refuse(c, name, "is not what it must be", "");
    for (const struct json_value *item = items && v->kind == JSON_ARRAY ? v->child : NULL; item; item = item->next)
        if (!takes(c, root, items, item, name))
            return false;
    if (member(schema, "properties") == NULL && member(schema, "oneOf") == NULL)
        return true;
    return v->kind == JSON_OBJECT ? takes_members(c, root, schema, v, name) : refuse(c, name, "is no object", "");
}

bool json_schema_takes(const struct json_value *line, char *why, size_t size)
{
    const struct json_value *root;

    load_all();
    root = schema_of("/ocp-diag-core/output");
    return root ? takes(&(struct checked){ why, size }, root, root, line, "line")
                : refuse(&(struct checked){ why, size }, FOLDER, "has no schema", "");
}
