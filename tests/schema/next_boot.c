/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* build/host/next-boot: what the next boot makes of a medium, by the payload's own code. For tests/drivers/crash.
 *
 * Reads pairs of lines, the name of a journal and the name of a report.jsonl ("-": there is none), and writes a line of
 * JSON for each pair: the newest record, what resume_decide() answers, and where the stream stands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check/row.h"
#include "core/journal/resume.h"
#include "core/stream/stream_tail.h"
#include "tests/support/data/whole_file.h"

static bool next_line(char *line, size_t size)
{
    if (!fgets(line, (int)size, stdin))
        return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

/* The stream's sound lines, as core/store/reports.c takes them. */
static void read_stream(const char *path, struct stream_tail *t)
{
    size_t n = 0;
    char *bytes = whole_file(path, &n);
    uint64_t sound;

    t->of_monitor = check_is_of_monitor;
    stream_tail_begin(t);
    stream_tail_add(t, bytes, n);
    sound = t->sound;
    stream_tail_begin(t);
    stream_tail_add(t, bytes, (size_t)sound);
    stream_tail_end(t);
    free(bytes);
}

int main(void)
{
    static const char *const answers[] = { [RESUME_NEW] = "new", [RESUME_GO_ON] = "continue", [RESUME_END] = "end" };
    char journal[4096], report[4096];

    while (next_line(journal, sizeof journal) && next_line(report, sizeof report)) {
        static struct stream_tail t;
        struct journal_record r = { .number = 0 };
        uint32_t slot;
        size_t n = 0;
        char *bytes = whole_file(journal, &n);
        bool found = journal_find((const uint8_t *)bytes, n, &r, &slot) == ST_OK;
        struct resume_plan plan = resume_decide(found ? &r : NULL, r.machine, r.settings);

        free(bytes);
        read_stream(report, &t);
        printf(
            "{\"found\": %s, \"number\": %llu, \"phase\": %u, \"check\": \"%s\", \"folder\": \"%s\", \"flushed\": "
            "%llu, "
            "\"answer\": \"%s\", \"sound\": %llu, \"started\": %s, \"ended\": %s, \"checks\": %u, \"open\": \"%s\"}\n",
            found ? "true" : "false", (unsigned long long)r.number, (unsigned)r.phase, r.check, r.folder,
            (unsigned long long)r.stream, answers[plan.answer], (unsigned long long)t.bytes,
            t.started ? "true" : "false", t.ended ? "true" : "false", t.ended_steps, t.step_open ? t.check : "");
    }
    return EXIT_SUCCESS;
}
