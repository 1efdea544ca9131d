/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* An entry of firmware's log is as long as its parts say, and no longer than the log. */
#include "core/report/event_log.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The first event, of SHA-1, SHA-256 and an algorithm of 3 bytes that this program does not know. */
static const struct event_log *log_begin(void)
{
    static uint8_t bytes[72] = { [56] = 3, [60] = 4, [62] = 20, [64] = 0x0B, [66] = 32, [68] = 0x77, [70] = 3 };
    static const struct event_log log = { bytes, sizeof bytes };

    return &log;
}

/* PCR 12, EV_IPL, SHA-1 and SHA-256, an event of 5 bytes. */
static size_t entry(uint8_t out[128])
{
    static const uint8_t head[] = { 12, 0, 0, 0, 0x0D, 0, 0, 0, 2, 0, 0, 0, 4, 0 };
    size_t n = sizeof head;

    memset(out, 0xAA, 128);
    memcpy(out, head, n);
    n += 20;
    memcpy(out + n, "\x0B\0", 2);
    n += 2 + 32;
    memcpy(out + n, "\5\0\0\0", 4);
    return n + 4 + 5;
}

Test(event_log, an_entry_ends_with_its_event)
{
    uint8_t bytes[128];
    size_t n = entry(bytes);

    cr_expect_eq(event_log_entry(log_begin(), bytes, sizeof bytes), n);
    cr_expect_eq(event_log_entry(log_begin(), bytes, n), n);
}

Test(event_log, an_entry_that_is_cut_off_is_none)
{
    uint8_t bytes[128];
    size_t n = entry(bytes);

    for (size_t room = 0; room < n; room++) {
        uint8_t *exact = malloc(room ? room : 1);

        memcpy(exact, bytes, room);
        cr_expect_eq(event_log_entry(log_begin(), exact, room), 0, "%zu", room);
        free(exact);
    }
}

Test(event_log, an_algorithm_that_is_new_is_as_long_as_the_log_says)
{
    uint8_t bytes[128];
    size_t n = entry(bytes);

    bytes[12] = 0x77; /* the digest of 20 bytes has 3: what comes after it moves up */
    memmove(bytes + 17, bytes + 34, n - 34);
    cr_expect_eq(event_log_entry(log_begin(), bytes, sizeof bytes), n - 17);
}

Test(event_log, what_is_not_known_or_too_much_is_no_entry)
{
    uint8_t bytes[128];

    entry(bytes);
    bytes[12] = 5; /* not in the list */
    cr_expect_eq(event_log_entry(log_begin(), bytes, sizeof bytes), 0);
    entry(bytes);
    memset(bytes + 8, 0xFF, 4);
    cr_expect_eq(event_log_entry(log_begin(), bytes, sizeof bytes), 0);
}

Test(event_log, the_text_names_file_and_digest)
{
    char digest[65], text[EVENT_LOG_TEXT];

    memset(digest, 'a', 64);
    digest[64] = '\0';
    cr_expect_eq(event_log_text(digest, text), 26 + 64);
    cr_expect_eq(strncmp(text, "assay report.jsonl sha256:aaaa", 30), 0);
}
