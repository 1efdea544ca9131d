/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/net/upload.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"

#define WAIT_LEAST 10u /* seconds */
#define WAIT_MOST  300u
#define TRY_PAUSE  5u
#define HUNDRED    100u /* a boot's first piece has a multiple of it */
#define LEAST_FREE 50u  /* numbers after those that the journal knows */

__attribute__((format(printf, 2, 3))) static void upload_say(struct upload *u, const char *format, ...)
{
    char text[512];

    TEXT_OF_ARGS(text, format);
    u->ops->say(u->context, text);
}

/* --- what is kept ---------------------------------------------------------------------------------------------------- */

void kept_add(struct kept *k, const char *bytes, size_t length)
{
    if (k->lost || length == 0)
        return;
    if (length > k->room - k->length) {
        size_t room = 2 * (k->length + length) + 65536;
        char *more = heap_alloc(room);

        if (!more) {
            k->lost = true;
            return;
        }
        if (k->length)
            memcpy(more, k->bytes, k->length);
        heap_free(k->bytes);
        k->bytes = more;
        k->room = room;
    }
    memcpy(k->bytes + k->length, bytes, length);
    k->length += length;
}

void upload_stream(struct upload *u, const char *bytes, size_t length)
{
    if (u->ops)
        kept_add(&u->stream, bytes, length);
}

void upload_text(struct upload *u, const char *bytes, size_t length)
{
    if (u->ops)
        kept_add(&u->text, bytes, length);
}

enum status upload_begin(struct upload *u, const struct upload_ops *ops, void *context, const char *out,
                         const char *run)
{
    char host[BOOT_SOURCE_URL];
    const char *file;
    uint16_t port;
    size_t n = strlen(out);

    memset(u, 0, sizeof *u);
    if (url_scheme(out) == URL_NONE || url_split(out, host, &port, &file) != ST_OK)
        return ST_RANGE;
    if (text_format(u->out, sizeof u->out, n > 0 && out[n - 1] == '/' ? "%s" : "%s/", out) + strlen(run) + 40 >=
        sizeof u->out)
        return ST_RANGE;
    text_format(u->run, sizeof u->run, "%s", run);
    u->scheme = url_scheme(out);
    u->name = 1;
    u->context = context;
    u->ops = ops;
    return ST_OK;
}

/* --- a run of several boots --------------------------------------------------------------------------------------- */

static uint32_t next_hundred(uint64_t pieces)
{
    return (uint32_t)((pieces + LEAST_FREE + HUNDRED - 1) / HUNDRED * HUNDRED);
}

uint64_t upload_go_on(struct upload *u, const struct upload_mark *m)
{
    if (!u->ops || u->scheme == URL_TFTP)
        return 0;
    u->goes_on = true;
    u->name = m->name > 0 && m->name <= UPLOAD_NAMES ? m->name : 1;
    u->pieces =
        next_hundred(m->next + (u->stream.length > m->bytes ? 2 * ((u->stream.length - m->bytes) / UPLOAD_PIECE) : 0));
    if (m->bytes > u->stream.length || crc32_add(0, u->stream.bytes, (size_t)m->bytes) != m->crc)
        return 0;
    u->sent = (size_t)m->bytes;
    u->crc = m->crc;
    return u->sent;
}

struct upload_mark upload_mark(const struct upload *u)
{
    return (struct upload_mark){
        .bytes = u->sent, .crc = u->crc, .next = u->pieces, .name = u->goes_on || u->begun ? u->name : 0
    };
}

void upload_free(struct upload *u)
{
    heap_free(u->stream.bytes);
    heap_free(u->text.bytes);
    memset(u, 0, sizeof *u);
}

/* --- one file ------------------------------------------------------------------------------------------------------- */

static void url_of(const struct upload *u, const char *file, char url[UPLOAD_URL])
{
    char number[16] = "";

    if (u->name > 1)
        text_format(number, sizeof number, "-%u", u->name);
    text_format(url, UPLOAD_URL, "%s%s%s%c%s", u->out, u->run, number, u->scheme == URL_TFTP ? '.' : '/', file);
}

static const char *meaning(uint32_t code)
{
    switch (code) {
    case 401:
        return "401: it wants a token, or another one";
    case 403:
        return "403: it allows no upload there";
    case 404:
        return "404: it has no such place";
    case 405:
        return "405: it takes no PUT there";
    case 409:
        return "409: a file of that name is there";
    case 413:
        return "413: the file is larger than it takes";
    case 500:
        return "500: it cannot store the file (its disk may be full)";
    case 503:
        return "503: it is overloaded";
    case 507:
        return "507: it has no room";
    default:
        return NULL;
    }
}

static void tell_why(struct upload *u, enum status s, const struct upload_answer *a)
{
    if (a->code && meaning(a->code))
        text_format(u->why, sizeof u->why, "the server answers %s", meaning(a->code));
    else if (a->code)
        text_format(u->why, sizeof u->why, "the server answers %u", a->code);
    else if (a->why[0])
        text_format(u->why, sizeof u->why, "%s", a->why);
    else if (s == ST_OK)
        text_format(u->why, sizeof u->why, "the server's answer has a status that firmware does not know");
    else
        text_format(u->why, sizeof u->why, "%s", status_text(s));
}

enum answer { TAKEN, REFUSED, NAME_TAKEN };

/* Where there was no answer and the same file is sent again, a file of that name is that file. */
static enum answer put_file(struct upload *u, const char *file, const void *bytes, size_t length)
{
    char url[UPLOAD_URL];
    struct upload_answer a = { .code = 0 };
    bool again = u->unsure;
    enum status s;

    url_of(u, file, url);
    u->requests++;
    s = u->ops->put(u->context, url, bytes, length, &a);
    u->unsure = false;
    if (s == ST_OK && (u->scheme == URL_TFTP || (a.code >= 200 && a.code < 300) || (a.code == 409 && again))) {
        u->taken++;
        u->bytes += length;
        return TAKEN;
    }
    u->failed++;
    u->unsure = again || (a.code == 0 && s != ST_OK); /* a later refusal says nothing of the first time */
    tell_why(u, s, &a);
    return a.code == 409 ? NAME_TAKEN : REFUSED;
}

/* --- pieces --------------------------------------------------------------------------------------------------------- */

/* Whole lines from `at` on; one that is longer than a piece is one of its own. */
static size_t piece_length(const struct kept *k, size_t at)
{
    size_t n = k->length - at < UPLOAD_PIECE ? k->length - at : UPLOAD_PIECE;

    for (size_t i = n; i > 0; i--)
        if (k->bytes[at + i - 1] == '\n')
            return i;
    for (size_t i = at + n; i < k->length; i++)
        if (k->bytes[i] == '\n')
            return i + 1 - at;
    return 0;
}

/* A piece of this name is there: an earlier run's, whose folder it is; or an earlier boot's, which sent more than the journal knows. */
static bool take_another_name(struct upload *u)
{
    if (u->goes_on && u->skipped < UPLOAD_NAMES) {
        u->skipped++;
        u->pieces = next_hundred(u->pieces);
        return true;
    }
    if (u->goes_on || u->begun || u->name >= UPLOAD_NAMES)
        return false;
    u->name++;
    return true;
}

/* All that there is. The first one finds its name. */
static bool put_pieces(struct upload *u)
{
    size_t n;

    while ((n = piece_length(&u->stream, u->sent)) > 0) {
        char file[32];
        enum answer answer;

        text_format(file, sizeof file, "report.jsonl.%06u", u->pieces);
        if (u->goes_on && !u->begun)
            u->unsure = false; /* what is there of this name may be an earlier boot's */
        if (u->unsure && u->unsure_length)
            n = u->unsure_length; /* the server may have it so, without the lines that came since */
        u->unsure_length = n;
        answer = put_file(u, file, u->stream.bytes + u->sent, n);
        if (answer == NAME_TAKEN && take_another_name(u))
            continue;
        if (answer != TAKEN)
            return false;
        u->begun = true;
        u->crc = crc32_add(u->crc, u->stream.bytes + u->sent, n);
        u->pieces++;
        u->sent += n;
    }
    return true;
}

/* Of the time in all a fifth at most. */
static uint64_t wait_of(uint64_t took)
{
    return 4 * took;
}

static uint32_t wait_after(const struct upload *u, uint64_t took)
{
    uint64_t wait = wait_of(took) > WAIT_LEAST ? wait_of(took) : WAIT_LEAST;

    for (uint32_t i = 1; i < u->failing && wait < WAIT_MOST; i++)
        wait *= 2;
    return (uint32_t)(wait < WAIT_MOST ? wait : WAIT_MOST);
}

static void between_taken(struct upload *u, uint64_t now, uint64_t took)
{
    if (u->failing)
        upload_say(u, "the server takes the report again");
    u->failing = 0;
    if (took < UPLOAD_SLOW)
        return;
    u->not_before = now + wait_of(took);
    if (!u->slow)
        upload_say(u,
                   "%s%s: the server is slow, it took %u s: between checks a fifth of the time at most is spent on it",
                   u->out, u->run, (uint32_t)took);
    u->slow = true;
}

void upload_between(struct upload *u)
{
    uint64_t begin, now;
    bool all;

    if (!u->ops || u->scheme == URL_TFTP || piece_length(&u->stream, u->sent) == 0)
        return;
    begin = u->ops->seconds(u->context);
    if (begin < u->not_before)
        return;
    u->ops->wake(u->context);
    all = put_pieces(u);
    u->ops->quiet(u->context);
    now = u->ops->seconds(u->context);
    if (all) {
        between_taken(u, now, now - begin);
    } else {
        uint32_t wait;

        u->failing++;
        wait = wait_after(u, now - begin);
        u->not_before = now + wait;
        upload_say(u, "%s%s: %s: the report is kept in memory, and tried again in %u s", u->out, u->run, u->why, wait);
    }
}

/* --- the end -------------------------------------------------------------------------------------------------------- */

struct last { /* files of the end */
    const char *name;
    uint32_t bit; /* of upload.last */
    struct kept file;
};

static void add_digest(struct kept *to, const struct last *of)
{
    struct sha256 sha;
    char digest[65], line[112];

    sha256_begin(&sha);
    sha256_add(&sha, of->file.bytes, of->file.length);
    sha256_text(&sha, digest);
    kept_add(to, line, text_format(line, sizeof line, "%s  %s\n", digest, of->name));
}

static bool put_last(struct upload *u, const struct last *l)
{
    if (u->last & l->bit)
        return true;
    u->unsure_length = 0;
    for (uint32_t tries = 1;; tries++) {
        enum answer answer = put_file(u, l->name, l->file.bytes, l->file.length);

        if (answer == TAKEN) {
            u->last |= l->bit;
            return true;
        }
        u->last_taken = answer == NAME_TAKEN;
        if (tries == UPLOAD_TRIES || answer == NAME_TAKEN)
            return false;
        upload_say(u, "%s%s: %s: tried again in %u s", u->out, u->run, u->why, TRY_PAUSE);
        u->ops->pause(u->context, TRY_PAUSE);
    }
}

static bool put_last_pieces(struct upload *u)
{
    for (uint32_t tries = 1; u->scheme != URL_TFTP && !put_pieces(u); tries++) {
        if (tries == UPLOAD_TRIES)
            return false;
        upload_say(u, "%s%s: %s: tried again in %u s", u->out, u->run, u->why, TRY_PAUSE);
        u->ops->pause(u->context, TRY_PAUSE);
    }
    return true;
}

/* The five files. Figures or a page that there is no memory for are not sent: they can be derived from the stream. */
static bool send_last(struct upload *u, const struct kept *figures, const struct kept *page)
{
    const struct last files[] = { { "report.jsonl", 1, u->stream },
                                  { "report.txt", 2, u->text },
                                  { "report.figures", 16, *figures },
                                  { "report.html", 4, *page } };
    struct last digests = { .name = "report.sha256", .bit = 8 };
    bool whole = put_last_pieces(u);

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i].file.lost)
            continue;
        add_digest(&digests.file, &files[i]);
        whole = whole && put_last(u, &files[i]);
    }
    whole = whole && !digests.file.lost && put_last(u, &digests);
    heap_free(digests.file.bytes);
    return whole;
}

/* The boot before came as far as the end, and the medium has lost it: the report is another one now, and needs a folder of its own. */
static void leave_folder(struct upload *u)
{
    upload_say(u, "%s%s: %s: using a new folder", u->out, u->run, u->why);
    u->name++;
    u->goes_on = u->begun = u->unsure = u->last_taken = false;
    u->pieces = u->crc = u->last = 0;
    u->sent = 0;
}

bool upload_end(struct upload *u, const struct kept *figures, const struct kept *page)
{
    if (!u->ops || u->whole)
        return true;
    if (u->stream.lost || u->text.lost) {
        text_format(u->why, sizeof u->why, "no memory to keep the report in");
        return false;
    }
    u->ops->wake(u->context);
    u->whole = send_last(u, figures, page);
    if (!u->whole && u->goes_on && u->last_taken) {
        leave_folder(u);
        u->whole = send_last(u, figures, page);
    }
    u->ops->quiet(u->context);
    return u->whole;
}

size_t upload_describe(const struct upload *u, char *out, size_t size)
{
    size_t n = text_format(out, size, "%lu bytes in %u files to %s", u->bytes, u->taken, u->out);

    if (u->failed && n < size)
        n += text_format(out + n, size - n, "; %u of %u requests failed, the last: %s", u->failed, u->requests, u->why);
    return n;
}
