/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: the report that a boot finds after a hang or a power cut, in pieces. The first byte says how long they are. */
#include <string.h>

#include "core/stream/stream_tail.h"
#include "tests/fuzz/fuzz.h"

static bool of_monitor(const char *check)
{
    return check[0] != 'e';
}

static void also(void *context, const struct stream_line *line, const char *check)
{
    MUST(context == NULL && line != NULL && check != NULL);
}

static void read_all(struct stream_tail *t, const char *bytes, size_t length, size_t piece)
{
    t->of_monitor = of_monitor;
    t->also = also;
    stream_tail_begin(t);
    for (size_t at = 0; at < length; at += piece)
        stream_tail_add(t, bytes + at, length - at < piece ? length - at : piece);
    stream_tail_end(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct stream_tail t, cut;
    const char *bytes = (const char *)data + 1;

    if (size < 1)
        return 0;
    read_all(&t, bytes, size - 1, 1u + data[0]);
    MUST(t.bytes == size - 1 && t.sound <= t.bytes);
    MUST(t.sound == 0 || bytes[t.sound - 1] == '\n');
    MUST(t.n_hung <= STREAM_TAIL_HUNG);
    MUST(memchr(t.check, 0, sizeof t.check) && memchr(t.done, 0, sizeof t.done) &&
         memchr(t.series_id, 0, sizeof t.series_id));
    (void)stream_tail_lacks(&t, t.check, t.round);
    MUST(t.n_hung == 0 || stream_tail_hangs(&t, t.hung[t.n_hung - 1].check) > 0);
    (void)stream_tail_hangs(&t, t.done);
    /* What the next boot cuts the report to is whole, and continues with the same numbers. */
    read_all(&cut, bytes, (size_t)t.sound, 4096);
    MUST(cut.sound == t.sound && cut.faults == 0);
    MUST(t.sound < t.bytes || (cut.sequence == t.sequence && cut.step == t.step));
    return 0;
}
