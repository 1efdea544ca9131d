/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/fuzz/fuzz_baseline.c: any bytes as an earlier report. What is said is printable, it keeps within its memory,
 * and a report has not changed since itself. */

#include "core/report/baseline.h"
#include "tests/fuzz/fuzz.h"

static void say(void *, const char *mark, const char *text)
{
    must_be_text(mark, 6);
    must_be_text(text, 400);
}

static void read_all(struct baseline *b, const uint8_t *data, size_t size, size_t piece)
{
    MUST(baseline_open(b) == ST_OK);
    for (size_t at = 0; at < size; at += piece)
        baseline_add(b, (const char *)data + at, size - at < piece ? size - at : piece);
    baseline_end(b);
    MUST(b->n_figures <= BASELINE_FIGURES / 2 && b->n_checks <= BASELINE_CHECKS && b->n_facts <= BASELINE_FACTS);
    MUST(b->text_length <= BASELINE_TEXT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct baseline_output out = { .say = say };
    struct baseline whole, half;

    read_all(&whole, data, size, size % 64 + 1);
    MUST(baseline_compare(&whole, &whole, 100, &out) == 0);
    if (size % 8 == 0) { /* memory costs more than all the rest */
        read_all(&half, data + size / 2, size - size / 2, 4096);
        baseline_compare(&whole, &half, 100, &out);
        baseline_free(&half);
    }
    baseline_free(&whole);
    return 0;
}
