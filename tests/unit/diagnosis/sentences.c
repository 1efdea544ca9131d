/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The sentences of findings are for people alone: a report in which every one of them is another has the same causes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/diagnosis/diagnosis.h"
#include "core/diagnosis/symptoms_stream.h"
#include "tests/support/whole_run.h"

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

/* Every message of a diagnosis becomes "reworded". Returns how many there were. */
static uint32_t reword(char *stream)
{
    static const char begin[] = "\"message\":\"", word[] = "reworded";
    uint32_t n = 0;

    for (char *line = stream; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        char *end = line + strcspn(line, "\n"), *at = strstr(line, "\"diagnosis\":{"), *close;

        at = at && at < end ? strstr(at, begin) : NULL;
        if (!at || at >= end)
            continue;
        at += sizeof begin - 1;
        for (close = at; *close != '"'; close++)
            close += *close == '\\';
        if ((size_t)(close - at) < sizeof word - 1)
            continue;
        memcpy(at, word, sizeof word - 1);
        memmove(at + sizeof word - 1, close, strlen(close) + 1);
        n++;
    }
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

Test(sentences, other_sentences_have_the_same_causes)
{
    static const struct {
        const char *profile, *fault, *cause;
    } cases[] = { { "bdx", "mbm-half", "mbm-total-scaled" },
                  { "zen5", "umc-channel-dead", NULL },
                  { "spr", "pqr-leaks-to-sibling", NULL },
                  { "bdx", "rmid-aliasing", NULL },
                  { "bdx", "pmon-ignores-enable", NULL } };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *stream = stream_of(cases[i].profile, cases[i].fault);
        struct symptoms s, other;
        struct diagnosis d, again;

        causes_of(stream, &s, &d);
        cr_assert_gt(d.n, 0, "%s: no cause", cases[i].fault);
        if (cases[i].cause)
            cr_expect_str_eq(diagnosed_id(&d.list[0]), cases[i].cause);
        cr_expect_gt(reword(stream), 0);
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
