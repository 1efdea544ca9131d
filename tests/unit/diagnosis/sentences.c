/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The sentences of findings and the words of places are for people alone: a report in which every one of them is another has the same
 * causes, and differs in nothing from the first. The page: tests/browser/page.mjs; merge, JUnit and diff: tests/report/test_sentences.py. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/diagnosis/diagnosis.h"
#include "core/diagnosis/symptoms_stream.h"
#include "core/report/baseline.h"
#include "tests/support/run/whole_run.h"

/* The stream of a whole run, to be freed. */
static char *stream_of(const char *profile, const char *fault)
{
    struct model_config config = {
        .profile = profile, .packages = 2, .cores = 2, .threads = 2, .slices = 2, .seed = 9, .faults = { fault }
    };
    struct whole_run w = { .quick = true };
    size_t size = 0;
    char *text = NULL;

    w.stream = open_memstream(&text, &size);
    cr_assert(whole_run(&config, &w), "%s on %s", fault, profile);
    fclose(w.stream);
    whole_run_free(&w);
    return text;
}

/* The texts of a line that are for people alone: the message of a finding, the words of a place. */
static const struct {
    const char *line, *text;
} texts[] = { { "\"diagnosis\":{", "\"message\":\"" }, { "\"subcomponent\":{", "\"subcomponent\":{\"name\":\"" } };

/* A text of the line becomes "x". */
static bool reword_text(char *line, char *end, size_t i)
{
    char *at = strstr(line, texts[i].line), *close;

    at = at && at < end ? strstr(at, texts[i].text) : NULL;
    if (!at || at >= end)
        return false;
    at += strlen(texts[i].text);
    for (close = at; *close != '"'; close++)
        close += *close == '\\';
    if (close == at)
        return false;
    *at = 'x';
    memmove(at + 1, close, strlen(close) + 1);
    return true;
}

/* Returns how many texts there were. */
static uint32_t reword(char *stream)
{
    uint32_t n = 0;

    for (char *line = stream; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
            n += reword_text(line, line + strcspn(line, "\n"), i);
    return n;
}

static void say(void *, const char *mark, const char *text)
{
    cr_log_error("%s %s", mark, text);
}

/* Changes that are found from one stream to the other. */
static uint32_t changes(const char *from, const char *to)
{
    const struct baseline_output out = { .say = say };
    struct baseline a, b;
    uint32_t n;

    cr_assert_eq(baseline_open(&a), ST_OK);
    cr_assert_eq(baseline_open(&b), ST_OK);
    baseline_add(&a, from, strlen(from));
    baseline_add(&b, to, strlen(to));
    baseline_end(&a);
    baseline_end(&b);
    cr_expect_gt(a.n_figures, 100);
    n = baseline_compare(&a, &b, 10, &out);
    baseline_free(&a);
    baseline_free(&b);
    return n;
}

static void causes_of(const char *stream, struct symptoms *s, struct diagnosis *d)
{
    struct stream_reader *r = calloc(1, sizeof *r);

    *s = (struct symptoms){ 0 };
    *r = (struct stream_reader){ .context = s, .line = symptoms_take_line };
    stream_reader_add(r, stream, strlen(stream));
    stream_reader_end(r);
    diagnosis_run(s, NULL, d);
    free(r);
}

Test(sentences, other_sentences_have_the_same_causes_and_figures)
{
    static const struct {
        const char *profile, *fault, *cause;
    } cases[] = { { "bdx", "mbm-half", "mbm-total-scaled" },
                  { "zen5", "umc-channel-dead", NULL },
                  { "bdx", "pmon-ignores-enable", NULL } };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *stream = stream_of(cases[i].profile, cases[i].fault), *first = strdup(stream);
        struct symptoms s, other;
        struct diagnosis d, again;

        causes_of(stream, &s, &d);
        cr_assert_gt(d.n, 0, "%s: no cause", cases[i].fault);
        if (cases[i].cause)
            cr_expect_str_eq(diagnosed_id(&d.list[0]), cases[i].cause);
        cr_expect_gt(reword(stream), 100);
        cr_expect_eq(changes(first, stream), 0, "%s", cases[i].fault);
        free(first);
        causes_of(stream, &other, &again);
        cr_expect_eq(again.n, d.n, "%s", cases[i].fault);
        for (uint32_t k = 0; k < d.n && k < again.n; k++) {
            cr_expect_str_eq(diagnosed_id(&again.list[k]), diagnosed_id(&d.list[k]), "%s", cases[i].fault);
            cr_expect_str_eq(again.list[k].part, d.list[k].part, "%s", cases[i].fault);
            cr_expect_eq(again.list[k].sure, d.list[k].sure, "%s", cases[i].fault);
        }
        symptoms_free(&s);
        symptoms_free(&other);
        free(stream);
    }
}
