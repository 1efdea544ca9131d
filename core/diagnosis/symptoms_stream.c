/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/diagnosis/symptoms_stream.h"

#include "core/base/text.h"
#include "core/check/check.h"

static enum verdict verdict_of(enum stream_verdict v)
{
    static const enum verdict verdicts[STREAM_VERDICTS] = { [STREAM_VERDICT_PASS] = VERDICT_PASS,
                                                            [STREAM_VERDICT_SKIP] = VERDICT_SKIP,
                                                            [STREAM_VERDICT_WARN] = VERDICT_WARN,
                                                            [STREAM_VERDICT_FAIL] = VERDICT_FAIL,
                                                            [STREAM_VERDICT_ERROR] = VERDICT_ERROR };

    return verdicts[v];
}

static void begin(struct symptoms *s, const char *check)
{
    const struct check_row *row = check_find(check);

    symptoms_drop(s);
    if (row && symptoms_begin(s, row) != ST_OK)
        return; /* this check is not kept */
}

static void take_finding(struct symptoms *s, const struct stream_line *line)
{
    const char *word = text_find(line->name, "/");
    struct found f = { .verdict = text_equal(line->result, "FAIL") ? VERDICT_FAIL : VERDICT_WARN,
                       .code = word ? finding_of_word(word + 1) : FOUND_OTHER,
                       .text = line->message };

    (void)place_parse(line->location, &f.place); /* a location that is none leaves PLACE_NONE */
    symptoms_found(s, &f);
}

void symptoms_take_line(void *context, const struct stream_line *line, const char *check)
{
    struct symptoms *s = context;

    if (line->kind == STREAM_STEP_START)
        begin(s, line->name);
    else if (line->kind == STREAM_DIAGNOSIS && !text_equal(line->result, "PASS"))
        take_finding(s, line);
    else if (line->kind == STREAM_MEASUREMENT && text_equal(line->name, EXCLUDES_NAME))
        symptoms_excluded(s, line->value, line->unit);
    else if (line->kind == STREAM_MEASUREMENT && line->value_kind == JSON_SCALAR_NUMBER)
        symptoms_measured(s, line->name, line->value, line->has_lo ? line->lo : -__builtin_inf(),
                          line->has_hi ? line->hi : __builtin_inf());
    else if (line->kind == STREAM_STEP_END && line->dropped)
        symptoms_drop(s);
    else if (line->kind == STREAM_STEP_END && check_find(check))
        symptoms_end(s, verdict_of(line->verdict));
}
