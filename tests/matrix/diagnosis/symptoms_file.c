/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/diagnosis/symptoms_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/check/check.h"

static void write_finding(const struct symptom_finding *f, FILE *out)
{
    char location[PLACE_TEXT];

    place_location(&f->place, location, sizeof location);
    fprintf(out, "finding\t%s\t%s\t%s\t%s\n", verdict_text(f->verdict), finding_word(f->code), location, f->text);
}

void symptoms_write(const struct symptoms *s, FILE *out)
{
    for (const struct symptom *at = s->first; at; at = at->next) {
        fprintf(out, "check\t%s\t%s\t%u\n", at->row->id, verdict_text(at->verdict), at->n_unlisted);
        for (uint32_t i = 0; i < at->n_findings; i++)
            write_finding(&at->findings[i], out);
        for (uint32_t i = 0; i < at->n_figures; i++)
            fprintf(out, "figure\t%.17g\t%.17g\t%s\n", at->figures[i].least, at->figures[i].most, at->figures[i].name);
    }
}

static bool take_verdict(const char *text, enum verdict *v)
{
    static const enum verdict all[] = { VERDICT_PASS, VERDICT_SKIP, VERDICT_WARN, VERDICT_FAIL, VERDICT_ERROR };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (text_equal(text, verdict_text(all[i]))) {
            *v = all[i];
            return true;
        }
    return false;
}

/* The verdict of the check that is open, ended when the next one begins. */
struct reading {
    struct symptoms *s;
    enum verdict verdict;
};

static void end(struct reading *r)
{
    if (r->s->open)
        symptoms_end(r->s, r->verdict);
}

static bool take_check(struct reading *r, char *id, char *verdict, char *unlisted)
{
    const struct check_row *row = check_find(id);

    end(r);
    if (!verdict || !unlisted || !take_verdict(verdict, &r->verdict))
        return false;
    if (!row)
        return true;
    if (symptoms_begin(r->s, row) != ST_OK)
        return false;
    r->s->open->n_unlisted = (uint32_t)strtoul(unlisted, NULL, 10);
    return true;
}

static bool take_line(struct reading *r, char *line)
{
    char *rest = line, *what = strsep(&rest, "\t\n"), *first = strsep(&rest, "\t\n"), *second = strsep(&rest, "\t\n"),
         *third = strsep(&rest, "\t\n"), *fourth = strsep(&rest, "\t\n");
    struct found f = { .code = FOUND_OTHER };

    if (!first || !second)
        return false;
    if (text_equal(what, "check"))
        return take_check(r, first, second, third);
    if (text_equal(what, "finding")) {
        if (!fourth || !take_verdict(first, &f.verdict) || !place_parse(third, &f.place))
            return false;
        f.code = finding_of_word(second);
        f.text = fourth;
        symptoms_found(r->s, &f);
        return true;
    }
    if (!text_equal(what, "figure") || !third)
        return false;
    symptoms_measured(r->s, third, strtod(first, NULL), -__builtin_inf(), __builtin_inf());
    symptoms_measured(r->s, third, strtod(second, NULL), -__builtin_inf(), __builtin_inf());
    return true;
}

bool symptoms_read(struct symptoms *s, FILE *in)
{
    struct reading r = { .s = s };
    char line[512];

    while (fgets(line, sizeof line, in))
        if (!take_line(&r, line))
            return false;
    end(&r);
    return true;
}
