/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The conformance list (docs/conformance.tsv), and checks, faults, comments and documents against it. */
#include "tests/support/data/conformance.h"

#include <criterion/criterion.h>

#include <ctype.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/check/check.h"
#include "tests/silicon/model/model.h"

static struct conformance list;

static void read_list(void)
{
    cr_assert(conformance_read(&list), "%s", CONFORMANCE_FILE);
}

static void free_list(void)
{
    conformance_free(&list);
}

TestSuite(conformance, .init = read_list, .fini = free_list);

/* --- the reader --------------------------------------------------------------------------------------------------- */

static bool is_clean(const char *field)
{
    size_t n = strlen(field);

    return field[0] != ' ' && (n == 0 || field[n - 1] != ' ') && !strstr(field, "  ");
}

Test(conformance, has_six_fields_in_every_row)
{
    static const char *const columns[] = { "id", "stimulus", "expected", "grade", "covered", "source" };

    for (uint32_t i = 0; i < list.n; i++) {
        const struct conformance_row *row = &list.rows[i];
        const char *covered = tsv_cell(list.table, i, "covered");

        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            const char *field = tsv_get(list.table, i, columns[k]);

            cr_assert_not_null(field, "%s: no %s", row->id, columns[k]);
            cr_expect(is_clean(field) && (field[0] || field == covered), "%s: %s \"%s\"", row->id, columns[k], field);
        }
        cr_expect(strlen(tsv_cell(list.table, i, "grade")) == 1 && strchr("FWR", row->grade), "%s", row->id);
        cr_expect(!covered[0] || row->reason || row->by[0], "%s: covered is \"%s\"", row->id, covered);
        cr_expect_eq(conformance_find(&list, row->id), row, "%s stands twice", row->id);
    }
}

Test(conformance_reader, finds_whole_words)
{
    cr_expect(conformance_names("CM-03 CM-08", "CM-08", 5));
    cr_expect(conformance_names("AS-07,AS-08", "AS-07", 5));
    cr_expect_not(conformance_names("X11a", "X11", 3));
    cr_expect_not(conformance_names("X11", "X11a", 4));
    cr_expect_not(conformance_names("", "A1", 2));
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

/* Each id of a list with blanks or commas between them must be a row. Returns how many of them have this grade. */
static uint32_t expect_defined(const char *ids, const char *whose, char grade)
{
    char copy[128], *rest = copy;
    uint32_t n = 0;

    cr_assert(strlen(ids) < sizeof copy, "%s", whose);
    strcpy(copy, ids);
    for (const char *id; (id = strsep(&rest, " ,"));) {
        const struct conformance_row *row = conformance_find(&list, id);

        cr_expect_not_null(row, "%s: %s is no row of %s", whose, id, CONFORMANCE_FILE);
        n += row && row->grade == grade;
    }
    return n;
}

Test(conformance, defines_the_rows_of_every_check)
{
    for (const struct check_row *c = check_next(NULL); c; c = check_next(c))
        (void)expect_defined(c->covers, c->id, 'F');
}

Test(conformance, no_check_fails_by_rows_that_only_warn)
{
    for (const struct check_row *c = check_next(NULL); c; c = check_next(c))
        if (c->grade == GRADE_F)
            cr_expect(expect_defined(c->covers, c->id, 'F') > 0, "%s has grade F, and none of its rows (%s) has", c->id,
                      c->covers);
}

static bool is_held(const struct conformance_row *row)
{
    for (const struct check_row *c = check_next(NULL); c; c = check_next(c))
        if (conformance_names(c->covers, row->id, strlen(row->id)))
            return true;
    return false;
}

Test(conformance, every_row_has_a_check_or_a_reason)
{
    for (uint32_t i = 0; i < list.n; i++) {
        const struct conformance_row *row = &list.rows[i];
        bool held = is_held(row) || row->by[0];

        cr_expect(held || row->reason, "%s: neither check nor reason", row->id);
        cr_expect_not(held && row->reason, "%s: a check holds it, and a reason says why none does", row->id);
    }
}

static bool is_check(const char *id, size_t n)
{
    for (const struct check_row *c = check_next(NULL); c; c = check_next(c))
        if (conformance_names(c->id, id, n))
            return true;
    return false;
}

Test(conformance, names_checks_that_there_are)
{
    for (uint32_t i = 0; i < list.n; i++)
        for (const char *at = list.rows[i].by; *at; at += strcspn(at, " "), at += strspn(at, " "))
            cr_expect(is_check(at, strcspn(at, " ")), "%s: no such check: %s", list.rows[i].id, at);
}

/* --- faults, comments, documents ---------------------------------------------------------------------------------- */

Test(conformance, defines_the_rows_of_every_fault)
{
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    for (uint32_t i = 0; i < n; i++)
        (void)expect_defined(faults[i].rows, faults[i].name, 'F');
}

/* "CM-03", as in a comment. Ids of one letter are words of other meanings too (E5, L2). */
#define ID_LENGTH 5u

static bool is_id(const char *at)
{
    static const char families[] = "EN AS QM CM MB CA CD L2 MA AM AC RS XC MP";

    return conformance_names(families, at, 2) && at[2] == '-' && isdigit((unsigned char)at[3]) &&
           isdigit((unsigned char)at[4]) && !isalnum((unsigned char)at[ID_LENGTH]);
}

static uint32_t ids_seen;

static void scan_line(const char *line, const char *path)
{
    for (const char *at = line; *at && strlen(at) > ID_LENGTH; at++)
        if ((at == line || !isalnum((unsigned char)at[-1])) && is_id(at)) {
            char id[ID_LENGTH + 1] = "";

            memcpy(id, at, ID_LENGTH);
            ids_seen++;
            cr_expect_not_null(conformance_find(&list, id), "%s: %s is no row of the list", path, id);
        }
}

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);

    return n > m && strcmp(path + n - m, end) == 0;
}

/* Indented text of a document is an example, whose row the reader adds, and a comment "doc" says so to
 * tests/drivers/docs. */
static bool is_example(const char *line)
{
    return strncmp(line, "    ", 4) == 0 || strncmp(line + strspn(line, " "), "<!-- doc ", 9) == 0;
}

static int scan_file(const char *path, const struct stat *, int type)
{
    bool document = ends_with(path, ".md");
    char *line = NULL;
    size_t size = 0;
    FILE *f;

    if (type != FTW_F || !(document || ends_with(path, ".c") || ends_with(path, ".h")))
        return 0;
    f = fopen(path, "r");
    cr_assert_not_null(f, "%s", path);
    while (getline(&line, &size, f) >= 0)
        if (!document || !is_example(line))
            scan_line(line, path);
    free(line);
    fclose(f);
    return 0;
}

Test(conformance, defines_what_comments_and_documents_cite)
{
    static const char *const folders[] = { "/core", "/arch", "/efi", "/tests", "/scripts", "/docs", "/README.md" };

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char path[512];

        snprintf(path, sizeof path, "%s%s", ASSAY_ROOT, folders[i]);
        cr_expect_eq(ftw(path, scan_file, 16), 0, "%s", path);
    }
    cr_expect_gt(ids_seen, list.n, "documents cite hardly any row: are they found?");
}

/* Which rows judge a monitor says whether a run judged any (core/base/verdict.h). */
Test(conformance, checks_of_what_stands_around_monitors_judge_none)
{
    static const char *const around[] = {
        "enum.*",     "acpi.*",         "reset.*",        "mp.*",     "cross.*",
        "pmon.boxes", "pmon.left-over", "pmon.discovery", "errors.*", "energy.regions"
    };

    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        bool of_monitor = true;

        for (size_t i = 0; i < sizeof around / sizeof *around; i++)
            of_monitor &= !text_matches(around[i], row->id);
        cr_expect_eq(check_is_of_monitor(row->id), of_monitor, "%s", row->id);
    }
}
