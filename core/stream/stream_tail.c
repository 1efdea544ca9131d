/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/stream/stream_tail.h"

#include <string.h>

#include "core/base/search.h"
#include "core/base/text.h"

static bool is_own_step(const char *check)
{
    return text_equal(check, "restore.registers") || text_equal(check, "spread.rounds") || text_equal(check, "count") ||
           text_equal(check, "resume");
}

static void count_step(struct stream_tail *t, const struct stream_line *line, const char *check)
{
    static const enum verdict verdicts[STREAM_VERDICTS] = { [STREAM_VERDICT_PASS] = VERDICT_PASS,
                                                            [STREAM_VERDICT_SKIP] = VERDICT_SKIP,
                                                            [STREAM_VERDICT_WARN] = VERDICT_WARN,
                                                            [STREAM_VERDICT_FAIL] = VERDICT_FAIL,
                                                            [STREAM_VERDICT_ERROR] = VERDICT_ERROR };

    t->dropped = line->dropped;
    if (line->dropped || text_equal(check, "diagnosis")) /* causes of the findings: no check */
        return;
    t->ended_steps += !is_own_step(check);
    if (!is_own_step(check) || line->verdict == STREAM_VERDICT_FAIL || line->verdict == STREAM_VERDICT_WARN ||
        line->verdict == STREAM_VERDICT_ERROR)
        verdict_count(&t->counts, verdicts[line->verdict], t->of_monitor(check));
}

static void add_hang(struct stream_tail *t, const char *check)
{
    uint32_t i = INDEX_OF(k, t->n_hung, text_equal(t->hung[k].check, check));

    if (i == STREAM_TAIL_HUNG)
        return;
    if (i == t->n_hung) {
        text_format(t->hung[i].check, sizeof t->hung[i].check, "%s", check);
        t->n_hung++;
    }
    t->hung[i].times++;
}

static void tail_begin_step(struct stream_tail *t, const struct stream_line *line)
{
    uint64_t id;

    t->step_open = true;
    t->series_open = t->dropped = false;
    memcpy(t->step_id, line->step, sizeof t->step_id);
    memcpy(t->check, line->name, sizeof t->check);
    t->round = 1;
    if (text_number(line->step, &id) && id >= t->step && id < UINT32_MAX)
        t->step = (uint32_t)id + 1;
}

static void tail_take_line(void *context, const struct stream_line *line, const char *check)
{
    struct stream_tail *t = context;

    if (t->also)
        t->also(t->also_context, line, check);
    switch (line->kind) {
    case STREAM_STEP_START:
        tail_begin_step(t, line);
        break;
    case STREAM_STEP_END:
        t->step_open = t->series_open = false;
        count_step(t, line, check);
        if (!is_own_step(check)) {
            text_format(t->done, sizeof t->done, "%s", check);
            t->done_round = t->round;
        }
        break;
    case STREAM_SERIES_START:
        t->series_open = true;
        t->series_count = 0;
        memcpy(t->series_id, line->series, sizeof t->series_id);
        break;
    case STREAM_SERIES_ELEMENT:
        t->series_count++;
        break;
    case STREAM_SERIES_END:
        t->series_open = false;
        break;
    case STREAM_RUN_ERROR:
        t->run_errors++;
        break;
    case STREAM_ERROR:
        if (text_equal(line->symptom, SYMPTOM_HUNG))
            add_hang(t, check);
        break;
    default:
        break;
    }
}

static void tail_take_field(void *context, enum stream_kind kind, const char *path, enum json_scalar scalar,
                            const char *value)
{
    struct stream_tail *t = context;
    uint64_t round;

    if (kind == STREAM_EXTENSION && scalar == JSON_SCALAR_NUMBER && text_equal(path, "round") &&
        text_number(value, &round) && round <= UINT32_MAX)
        t->round = (uint32_t)round;
}

static void tail_take_fault(void *context, uint32_t, enum stream_fault)
{
    struct stream_tail *t = context;

    t->faults++;
}

void stream_tail_begin(struct stream_tail *t)
{
    void (*also)(void *, const struct stream_line *, const char *) = t->also;
    void *also_context = t->also_context;
    bool (*of_monitor)(const char *) = t->of_monitor;

    memset(t, 0, sizeof *t);
    t->also = also;
    t->also_context = also_context;
    t->of_monitor = of_monitor;
    t->reader = (struct stream_reader){
        .context = t, .line = tail_take_line, .field = tail_take_field, .fault = tail_take_fault
    };
}

void stream_tail_add(struct stream_tail *t, const char *bytes, size_t length)
{
    while (length > 0) {
        size_t n = 1;

        while (n < length && bytes[n - 1] != '\n')
            n++;
        stream_reader_add(&t->reader, bytes, n);
        t->bytes += n;
        if (bytes[n - 1] == '\n' && t->faults == 0)
            t->sound = t->bytes;
        bytes += n;
        length -= n;
    }
}

void stream_tail_end(struct stream_tail *t)
{
    stream_reader_end(&t->reader);
    t->started = t->reader.started;
    t->ended = t->reader.ended;
    t->sequence = t->reader.next;
    t->faults += t->reader.torn;
}

bool stream_tail_lacks(const struct stream_tail *t, const char *check, uint32_t round)
{
    return (t->step_open && text_equal(t->check, check)) || t->dropped || !text_equal(t->done, check) ||
           t->done_round != round;
}

uint32_t stream_tail_hangs(const struct stream_tail *t, const char *check)
{
    return FIND(i, t->n_hung, text_equal(t->hung[i].check, check), t->hung[i].times, 0);
}
