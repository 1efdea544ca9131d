/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pieces of a report on a server that takes them, refuses them, or does not answer. */
#include "core/net/upload.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/search.h"
#include "core/base/text.h"

enum { FILES = 256 };

static struct server {
    struct {
        char url[UPLOAD_URL];
        char *bytes;
        size_t length;
    } files[FILES];
    uint32_t n, asked, woken, quieted, said, paused;
    uint64_t now;
    /* What the next requests get: how many, and what; 0 of them: they are taken. */
    uint32_t refuse, refuse_from; /* from: after so many requests */
    uint32_t code;                /* 0: no answer         */
    bool took_it;                 /* the answer alone was lost */
    uint64_t takes;               /* seconds for a request */
    bool awake, no_replacing;
} server;

static int find(const char *url)
{
    return FIND(i, server.n, strcmp(server.files[i].url, url) == 0, (int)i, -1);
}

static enum status put(void *, const char *url, const void *bytes, size_t length, struct upload_answer *a)
{
    int at = find(url);
    bool refuse = server.refuse > 0 && server.asked >= server.refuse_from;

    cr_expect(server.awake, "%s is sent while the network is silent", url);
    server.asked++;
    server.now += server.takes;
    if (refuse)
        server.refuse--;
    a->code = refuse ? server.code : at >= 0 && server.no_replacing ? 409 : 201;
    if (a->code == 201 || (refuse && server.took_it)) {
        uint32_t i = at >= 0 ? (uint32_t)at : server.n++;

        cr_assert_lt(i, FILES);
        free(server.files[i].bytes);
        text_format(server.files[i].url, sizeof server.files[i].url, "%s", url);
        server.files[i].bytes = malloc(length + 1);
        cr_assert(server.files[i].bytes);
        if (length)
            memcpy(server.files[i].bytes, bytes, length);
        server.files[i].bytes[length] = '\0';
        server.files[i].length = length;
    }
    return a->code ? ST_OK : ST_TIMEOUT;
}

static void wake(void *)
{
    server.awake = true;
    server.woken++;
}

static void quiet(void *)
{
    server.awake = false;
    server.quieted++;
}

static uint64_t seconds(void *)
{
    return server.now;
}

static void take_a_pause(void *, uint32_t n)
{
    server.now += n;
    server.paused += n;
}

static void say(void *, const char *text)
{
    cr_expect(text[0]);
    server.said++;
}

static const struct upload_ops ops = {
    .put = put, .wake = wake, .quiet = quiet, .seconds = seconds, .pause = take_a_pause, .say = say
};

#define INBOX "http://lab/inbox/"

static struct upload u; /* to INBOX, of each test */

static struct upload begin(const char *out)
{
    struct upload other;

    cr_assert_eq(upload_begin(&other, &ops, NULL, out, "SN1-20261125T000000"), ST_OK);
    return other;
}

static void set_up(void)
{
    u = begin(INBOX);
}

TestSuite(upload, .init = set_up);

static void add(struct upload *to, const char *text)
{
    upload_stream(to, text, strlen(text));
}

/* A check ends that wrote the text. */
static void sent(const char *text)
{
    add(&u, text);
    upload_between(&u);
}

/* Another one ends after so many seconds. */
static void later(uint64_t n)
{
    server.now += n;
    upload_between(&u);
}

static const char *held(const char *file)
{
    char url[UPLOAD_URL];
    int at;

    text_format(url, sizeof url, "http://lab/inbox/SN1-20261125T000000%s", file);
    at = find(url);
    return at < 0 ? NULL : server.files[at].bytes;
}

static bool end(struct upload *of)
{
    static char bytes[] = "page";
    const struct kept figures = { .bytes = bytes, .length = 3 }, page = { .bytes = bytes, .length = 4 };

    return upload_end(of, &figures, &page);
}

Test(upload, pieces_are_whole_lines_and_together_the_stream)
{
    sent("one\ntwo\nthr");
    cr_expect_str_eq(held("/report.jsonl.000000"), "one\ntwo\n");
    upload_between(&u);
    cr_expect_eq(server.asked, 1u, "nothing is complete, and nothing is sent");
    sent("ee\n");
    cr_expect_str_eq(held("/report.jsonl.000001"), "three\n");
    upload_text(&u, "text\n", 5);
    cr_expect(end(&u));
    cr_expect_str_eq(held("/report.jsonl"), "one\ntwo\nthree\n");
    cr_expect_str_eq(held("/report.txt"), "text\n");
    cr_expect_str_eq(held("/report.figures"), "pag");
    cr_expect_str_eq(held("/report.html"), "page");
    cr_expect(text_find(held("/report.sha256"), "  report.jsonl\n") &&
              text_find(held("/report.sha256"), "  report.txt\n") &&
              text_find(held("/report.sha256"), "  report.figures\n") &&
              text_find(held("/report.sha256"), "  report.html\n"));
    cr_expect_str_eq(server.files[server.n - 1].url, "http://lab/inbox/SN1-20261125T000000/report.sha256");
    cr_expect_eq(server.woken, server.quieted);
}

Test(upload, the_end_leaves_out_figures_that_there_was_no_memory_for)
{
    static char bytes[] = "page";
    const struct kept lost = { .lost = true }, page = { .bytes = bytes, .length = 4 };

    add(&u, "one\n");
    cr_expect(upload_end(&u, &lost, &page));
    cr_expect_null(held("/report.figures"));
    cr_expect_str_eq(held("/report.html"), "page");
    cr_expect(!text_find(held("/report.sha256"), "report.figures") && text_find(held("/report.sha256"), "report.html"));
}

Test(upload, pieces_of_a_long_stream_are_bounded)
{
    static char line[1000];
    size_t all = 0;

    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    for (uint32_t i = 0; i < 1000; i++)
        upload_stream(&u, line, sizeof line);
    upload_between(&u);
    cr_expect_eq(server.n, 4u);
    for (uint32_t i = 0; i < server.n; i++) {
        cr_expect_leq(server.files[i].length, UPLOAD_PIECE);
        all += server.files[i].length;
    }
    cr_expect_eq(all, 1000u * sizeof line);
}

Test(upload, failure_is_told_and_waited_with_and_nothing_is_lost)
{
    server.refuse = 2;
    server.code = 507;
    sent("one\n");
    cr_expect_eq(server.said, 1u);
    cr_expect(text_find(u.why, "507"));
    sent("two\n");
    cr_expect_eq(server.asked, 1u, "the next attempt waits ten seconds");
    later(10);
    cr_expect_eq(server.asked, 2u);
    later(19);
    cr_expect_eq(server.asked, 2u, "and then twice as long");
    later(1);
    cr_expect_str_eq(held("/report.jsonl.000000"), "one\ntwo\n");
    cr_expect_eq(u.failed, 2u);
    cr_expect_eq(u.failing, 0u);
}

Test(upload, failure_costs_a_fifth_of_the_time_at_most)
{
    uint64_t begun = server.now;

    server.refuse = 1000;
    server.takes = 20;
    add(&u, "one\n");
    for (uint32_t i = 0; i < 2000; i++) {
        server.now++;
        upload_between(&u);
    }
    cr_expect_leq(5 * 20 * (server.asked - 1), server.now - begun);
    cr_expect_geq(server.asked, 5u);
}

/* Each answer takes eight seconds, and is a good one: sixty checks of a second each. */
Test(upload, slow_costs_a_quarter_of_the_checks_time_at_most_and_is_told_once)
{
    uint32_t pieces;

    server.takes = 8;
    for (uint32_t i = 0; i < 60; i++) {
        sent("one more\n");
        server.now++;
    }
    cr_expect_eq(server.asked, 2u, "%u requests", server.asked);
    cr_expect_eq(server.said, 1u);
    cr_expect_eq(server.now, 60u + 2 * 8u);
    pieces = server.asked;
    server.takes = 0; /* it is itself again */
    for (uint32_t i = 0; i < 10; i++) {
        server.now += 5;
        sent("one more\n");
    }
    cr_expect_geq(server.asked, pieces + 5);
    cr_expect_eq(server.said, 1u);
    cr_expect(end(&u));
    cr_expect_eq(strlen(held("/report.jsonl")), 70 * strlen("one more\n"));
}

Test(upload, failure_at_the_end_is_tried_again_and_then_answered)
{
    server.refuse = 1000;
    server.code = 401;
    add(&u, "one\n");
    cr_expect_not(end(&u));
    cr_expect_eq(server.asked, UPLOAD_TRIES);
    cr_expect_eq(server.paused, 5u * (UPLOAD_TRIES - 1));
    cr_expect(text_find(u.why, "401"));
    server.refuse = 0;
    cr_expect(end(&u), "it can be offered again");
    cr_expect_str_eq(held("/report.jsonl.000000"), "one\n");
    cr_expect(held("/report.sha256"));
}

/* The answer to a file that has arrived is lost; the server replaces no file. */
Test(upload, failure_of_the_answer_alone_sends_nothing_twice)
{
    server.no_replacing = server.took_it = true;
    server.refuse = 1;
    sent("one\n");
    later(10);
    cr_expect_eq(u.pieces, 1u);
    cr_expect_eq(u.name, 1u);
}

/* More lines have come before the piece is sent again: the server has it without them. */
Test(upload, failure_of_the_answer_alone_loses_no_line_that_came_since)
{
    server.no_replacing = server.took_it = true;
    server.refuse = 1;
    sent("one\n");
    add(&u, "two\n");
    later(10);
    cr_expect_str_eq(held("/report.jsonl.000000"), "one\n");
    cr_expect_str_eq(held("/report.jsonl.000001"), "two\n");
}

/* A refusal after it says nothing of what has arrived. */
Test(upload, failure_of_the_answer_alone_and_a_refusal_after_it_end_at_the_same_file)
{
    server.no_replacing = server.took_it = true;
    server.refuse = 1;
    sent("one\n");
    server.refuse = 1;
    server.code = 503;
    later(10);
    later(20);
    cr_expect_eq(u.sent, 4u, "%s", u.why);
}

Test(upload, name_that_is_taken_is_an_earlier_run_s)
{
    struct upload other;

    server.no_replacing = true;
    sent("one\n");
    other = begin(INBOX);
    add(&other, "another\n");
    upload_between(&other);
    cr_expect_str_eq(held("/report.jsonl.000000"), "one\n");
    cr_expect_str_eq(held("-2/report.jsonl.000000"), "another\n");
    upload_free(&other);
}

/* Two machines without serial numbers, started in one second, send by turns: each has a folder, and each folder one report. */
Test(upload, name_of_two_machines_at_once_is_one_for_each)
{
    struct upload b;
    const struct kept none = { .bytes = NULL };

    server.no_replacing = true;
    b = begin(INBOX);
    for (uint32_t i = 0; i < 3; i++) {
        add(&u, "of a\n");
        add(&b, "of b\n");
        upload_between(i % 2 ? &b : &u);
        upload_between(i % 2 ? &u : &b);
    }
    cr_expect(upload_end(&b, &none, &none));
    cr_expect(upload_end(&u, &none, &none));
    cr_expect_str_eq(held("/report.jsonl"), "of a\nof a\nof a\n");
    cr_expect_str_eq(held("-2/report.jsonl"), "of b\nof b\nof b\n");
    cr_expect_str_eq(held("/report.jsonl.000002"), "of a\n");
    cr_expect_str_eq(held("-2/report.jsonl.000002"), "of b\n");
    upload_free(&b);
}

/* --- a run that a later boot resumes ----------------------------------------------------------------------------- */

/* A boot after one that left this mark; `medium`: what its stick has of the stream. */
static struct upload next_boot(const struct upload_mark *m, const char *medium)
{
    struct upload next = begin(INBOX);

    add(&next, medium);
    upload_go_on(&next, m);
    return next;
}

/* What the journal said last of a boot that has sent this. */
static struct upload_mark first_boot(const char *stream)
{
    struct upload_mark m = upload_mark(&u);

    cr_expect_eq(m.name, 0u, "nothing is there yet");
    server.no_replacing = true;
    add(&u, stream);
    upload_between(&u);
    m = upload_mark(&u);
    cr_expect_eq(m.bytes, strlen(stream));
    cr_expect_eq(m.next, 1u);
    upload_free(&u);
    return m;
}

Test(upload, later_boot_sends_what_the_server_has_not_got)
{
    struct upload_mark m = first_boot("one\ntwo\n");

    u = next_boot(&m, "one\ntwo\nthree\n");
    upload_between(&u);
    cr_expect_str_eq(held("/report.jsonl.000100"), "three\n");
    cr_expect_eq(server.asked, 2u);
    add(&u, "four\n");
    upload_text(&u, "text\n", 5);
    cr_expect(end(&u));
    cr_expect_str_eq(held("/report.jsonl.000101"), "four\n");
    cr_expect_str_eq(held("/report.jsonl"), "one\ntwo\nthree\nfour\n");
    cr_expect(held("/report.sha256"));
    cr_expect_null(held("-2/report.jsonl.000000"));
}

/* The journal's last flush was lost: it knows of less than the server has. What is there twice is the same. */
Test(upload, later_boot_after_an_old_mark_repeats_what_the_mark_does_not_know)
{
    struct upload_mark m = first_boot("one\n");
    struct upload first = next_boot(&m, "one\n"); /* it has 000000 and sends 000100 */

    add(&first, "two\n");
    upload_between(&first);
    cr_expect_str_eq(held("/report.jsonl.000100"), "two\n");
    u = next_boot(&m, "one\ntwo\nthree\n");
    upload_between(&u);
    cr_expect_str_eq(held("/report.jsonl.000100"), "two\n", "it is not replaced");
    cr_expect_str_eq(held("/report.jsonl.000200"), "two\nthree\n");
    upload_free(&first);
}

Test(upload, later_boot_sends_all_again_where_the_medium_has_another_stream)
{
    struct upload_mark m = first_boot("one\ntwo\n");
    static const char *const kept[] = { "one\n", "one\nTWO\nthree\n" };

    for (uint32_t i = 0; i < 2; i++) {
        u = next_boot(&m, kept[i]);
        upload_between(&u);
        cr_expect_str_eq(held(i == 0 ? "/report.jsonl.000100" : "/report.jsonl.000200"), kept[i]);
        if (i == 0)
            upload_free(&u);
    }
    cr_expect_str_eq(held("/report.jsonl.000000"), "one\ntwo\n");
}

Test(upload, later_boot_goes_on_in_a_folder_of_another_number)
{
    struct upload_mark m = first_boot("another run's\n");
    struct upload next;

    u = begin(INBOX);
    sent("one\n");
    m = upload_mark(&u);
    cr_expect_eq(m.name, 2u);
    next = next_boot(&m, "one\ntwo\n");
    upload_between(&next);
    cr_expect_str_eq(held("-2/report.jsonl.000100"), "two\n");
    upload_free(&next);
}

/* The first boot hung in its first request: the journal knows of no piece. */
Test(upload, later_boot_of_one_that_sent_nothing_sends_all)
{
    struct upload_mark none = { .bytes = 0 };

    upload_free(&u);
    u = next_boot(&none, "one\n");
    upload_between(&u);
    cr_expect_str_eq(held("/report.jsonl.000100"), "one\n");
    cr_expect_eq(upload_mark(&u).name, 1u);
    cr_expect(end(&u));
}

/* The same, in a second in which the server has a run of this name already: the boot that hung had not found out. */
Test(upload, later_boot_of_one_that_sent_nothing_leaves_another_run_as_it_is)
{
    struct upload_mark none = { .bytes = 0 };

    server.no_replacing = true;
    add(&u, "another run's\n");
    cr_expect(end(&u));
    upload_free(&u);
    u = next_boot(&none, "one\n");
    upload_between(&u);
    add(&u, "two\n");
    cr_expect(end(&u), "%s", u.why);
    cr_expect_str_eq(held("/report.jsonl"), "another run's\n");
    cr_expect_str_eq(held("-2/report.jsonl"), "one\ntwo\n");
    cr_expect(held("-2/report.sha256"));
}

/* The first boot sent two hundred pieces in one go, which the journal does not know, to a server that replaces what it has. */
Test(upload, later_boot_replaces_no_piece_of_a_long_stream)
{
    enum { LINE = 150 << 10, LINES = 200 };
    struct upload next;
    struct upload_mark m = upload_mark(&u);
    static char line[LINE];
    uint32_t before;

    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    for (uint32_t i = 0; i < LINES; i++)
        upload_stream(&u, line, sizeof line);
    upload_between(&u);
    before = server.n;
    cr_expect_eq(before, (uint32_t)LINES, "two lines are longer than a piece");
    next = begin(INBOX);
    upload_stream(&next, u.stream.bytes, u.stream.length);
    cr_expect_eq(upload_go_on(&next, &m), 0u);
    cr_expect_geq(next.pieces, (uint32_t)LINES);
    next.stream.length = LINE; /* one piece is enough here */
    upload_between(&next);
    cr_expect_eq(server.n, before + 1, "a piece of the boot before was replaced");
    upload_free(&next);
}

/* Nobody answers, and then the name is taken: it may be the boot before's, and not what this one has sent. */
Test(upload, later_boot_takes_no_piece_of_another_boot_for_its_own)
{
    struct upload_mark m = first_boot("one\n");
    struct upload first = next_boot(&m, "one\n");

    add(&first, "old\n");
    upload_between(&first);
    u = next_boot(&m, "one\nnew\n");
    server.refuse = 1; /* without an answer, and it did not arrive */
    upload_between(&u);
    later(10);
    cr_expect_str_eq(held("/report.jsonl.000200"), "new\n");
    upload_free(&first);
}

/* The first boot's end is on the server, and its medium has lost it. */
Test(upload, later_boot_of_one_that_had_ended_has_a_folder_of_its_own)
{
    struct upload_mark m;

    server.no_replacing = true;
    sent("one\n");
    m = upload_mark(&u);
    add(&u, "end\n");
    cr_expect(end(&u));
    upload_free(&u);
    u = next_boot(&m, "one\ntwo\n");
    cr_expect(end(&u), "%s", u.why);
    cr_expect_str_eq(held("/report.jsonl"), "one\nend\n");
    cr_expect_str_eq(held("-2/report.jsonl"), "one\ntwo\n");
    cr_expect_str_eq(held("-2/report.jsonl.000000"), "one\ntwo\n");
    cr_expect(held("-2/report.sha256"));
}

/* A server that replaces nothing has some files of the end when another is refused: they are not offered again. */
Test(upload, failure_in_the_midst_of_the_end_goes_on_there)
{
    server.no_replacing = true;
    sent("one\n");
    upload_text(&u, "text\n", 5);
    server.refuse_from = server.asked + 1;
    server.refuse = UPLOAD_TRIES;
    server.code = 507;
    cr_expect_not(end(&u));
    cr_expect_str_eq(held("/report.jsonl"), "one\n");
    cr_expect_null(held("/report.txt"));
    cr_expect(end(&u), "%s", u.why);
    cr_expect_str_eq(held("/report.txt"), "text\n");
    cr_expect(held("/report.sha256"));
}

Test(upload, tftp_takes_the_end_alone_and_no_folders)
{
    upload_free(&u);
    u = begin("tftp://10.0.0.1/in");
    sent("one\n");
    cr_expect_eq(server.asked, 0u);
    cr_expect(end(&u));
    cr_expect_eq(server.n, 5u);
    cr_expect_str_eq(server.files[0].url, "tftp://10.0.0.1/in/SN1-20261125T000000.report.jsonl");
}

Test(upload, url_that_is_none_or_too_long_sends_nothing)
{
    char url[UPLOAD_URL + 8] = "http://lab/";

    upload_free(&u);
    cr_expect_eq(upload_begin(&u, &ops, NULL, "http://", "r"), ST_RANGE);
    cr_expect_eq(upload_begin(&u, &ops, NULL, "\\assay", "r"), ST_RANGE);
    memset(url + strlen(url), 'x', UPLOAD_URL - 20);
    cr_expect_eq(upload_begin(&u, &ops, NULL, url, "SN1-20261125T000000"), ST_RANGE);
    upload_stream(&u, "one\n", 4);
    upload_between(&u);
    cr_expect(end(&u));
}

Test(upload, sentence_has_bytes_and_failures)
{
    char text[512];

    server.refuse = 1;
    server.code = 503;
    sent("one\n");
    later(10);
    upload_describe(&u, text, sizeof text);
    cr_expect(text_find(text, "4 bytes in 1 files to http://lab/inbox/; 1 of 2 requests failed") &&
                  text_find(text, "503"),
              "%s", text);
}
