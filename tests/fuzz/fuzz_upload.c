/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: the state of an upload, by what a server does. The input is a script: a byte for each line, look and answer. The
 * server replaces nothing; what it has in the end is the whole stream, no line twice and none left out. */
#include <stdio.h>
#include <string.h>

#include "core/base/search.h"
#include "core/net/upload.h"
#include "tests/fuzz/fuzz.h"

#define FILES 4096u

static struct {
    const uint8_t *script;
    size_t left;
    struct {
        char url[96];
        uint32_t crc;    /* of the url: names are many, and looked for at each put */
        size_t from, to; /* of the stream; both 0: no piece, or somebody else's */
    } files[FILES];
    uint32_t n;
    uint64_t now;
    bool awake;
} server;

static uint8_t next(void)
{
    return server.left ? server.left--, *server.script++ : 0;
}

static bool has(const char *url)
{
    uint32_t crc = crc32_add(0, url, strlen(url));

    return ANY_OF(i, server.n, server.files[i].crc == crc && strcmp(server.files[i].url, url) == 0);
}

static void store(const char *url, size_t from, size_t to)
{
    MUST(server.n < FILES && strlen(url) < sizeof server.files->url);
    strcpy(server.files[server.n].url, url);
    server.files[server.n].crc = crc32_add(0, url, strlen(url));
    server.files[server.n].from = from;
    server.files[server.n++].to = to;
}

/* Answers: 0 taken, 1 taken without an answer, 2 no answer, 3 and 4 no. */
static enum status put(void *context, const char *url, const void *bytes, size_t length, struct upload_answer *a)
{
    const struct upload *u = context;
    uint8_t what = next() % 5;
    bool piece = strstr(url, ".jsonl.") != NULL;

    MUST(server.awake);
    if (piece) {
        MUST(length > 0 && u->sent + length <= u->stream.length && ((const char *)bytes)[length - 1] == '\n');
        MUST(memcmp(bytes, u->stream.bytes + u->sent, length) == 0);
        MUST(length <= UPLOAD_PIECE);
    }
    server.now += next();
    if (has(url)) {
        a->code = what == 3 ? 503 : 409;
        return ST_OK;
    }
    if (what < 2)
        store(url, piece ? u->sent : 0, piece ? u->sent + length : 0);
    a->code = what == 0 ? 201 : what == 3 ? 503 : what == 4 ? 500 : 0;
    return a->code ? ST_OK : ST_TIMEOUT;
}

static void wake(void *)
{
    MUST(!server.awake);
    server.awake = true;
}

static void quiet(void *)
{
    MUST(server.awake);
    server.awake = false;
}

static uint64_t seconds(void *)
{
    return server.now;
}

static void wait(void *, uint32_t n)
{
    server.now += n;
}

static void say(void *, const char *text)
{
    must_be_text(text, 512);
}

static void add_lines(struct upload *u, uint8_t n)
{
    char line[9];

    memset(line, 'x', sizeof line);
    for (uint32_t i = 0; i < n; i++) {
        size_t length = 1 + (i * 37u + n) % sizeof line;

        line[length - 1] = '\n';
        upload_stream(u, line, length);
        line[length - 1] = 'x';
    }
}

/* A boot that resumes a run has a mark; what the server has at its first number is the boot before's. */
static size_t go_on(struct upload *u)
{
    static const uint8_t knows[] = { 0, 1, 99, 255 };
    struct upload_mark m = { .next = next() * 256u, .name = next() };

    m.next += next();
    m.bytes = u->stream.length * knows[next() % 4] / 255;
    while (m.bytes > 0 && m.bytes <= u->stream.length && u->stream.bytes[m.bytes - 1] != '\n')
        m.bytes--;
    m.crc = next() % 8 ? crc32_add(0, u->stream.bytes, (size_t)m.bytes) : 1;
    return (size_t)upload_go_on(u, &m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct upload_ops ops = {
        .put = put, .wake = wake, .quiet = quiet, .seconds = seconds, .pause = wait, .say = say
    };
    struct kept none = { .bytes = NULL };
    struct upload u;
    size_t covered = 0;
    char folder[96];

    server.script = data;
    server.left = size < 256 ? size : 256;
    server.n = 0;
    server.now = 0;
    server.awake = false;
    MUST(upload_begin(&u, &ops, &u, "http://lab/in", "S-1") == ST_OK);
    if (next() & 1) {
        add_lines(&u, next());
        covered = go_on(&u);
        if (u.goes_on && (next() & 1)) {
            snprintf(folder, sizeof folder, "http://lab/in/S-1%s/report.jsonl.%06u", "", u.pieces);
            if (u.name == 1)
                store(folder, 0, 0);
        }
    } else if (next() & 1) {
        store("http://lab/in/S-1/report.jsonl.000000", 0, 0);
    }
    while (server.left > 0) {
        uint8_t what = next();

        add_lines(&u, what & 7);
        server.now += next();
        upload_between(&u);
        MUST(u.sent <= u.stream.length && (u.sent == 0 || u.stream.bytes[u.sent - 1] == '\n'));
    }
    MUST(upload_end(&u, &none, &none));
    snprintf(folder, sizeof folder, u.name > 1 ? "http://lab/in/S-1-%u/" : "http://lab/in/S-1/", u.name);
    for (uint32_t i = 0; i < server.n; i++) {
        if (strncmp(server.files[i].url, folder, strlen(folder)) != 0 || server.files[i].to == 0)
            continue;
        /* Whether the first piece of a boot that resumes has arrived is not known without an answer: it may be there twice. */
        MUST(server.files[i].from == covered || (u.goes_on && server.files[i].from < covered));
        covered = server.files[i].to;
    }
    MUST(covered == u.stream.length);
    MUST(server.n == 0 || strstr(server.files[server.n - 1].url, "report.sha256") != NULL);
    upload_free(&u);
    return 0;
}
