/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/bands/bands_choice.h"

#include <string.h>

#include "core/encoding/digest.h"
#include "core/base/text.h"

__attribute__((format(printf, 2, 3))) static void say(struct bands_choice *c, const char *format, ...)
{
    if (c->n_said == BANDS_SAID)
        return;
    TEXT_OF_ARGS(c->said[c->n_said++], format);
}

static void take(struct bands_choice *c, const char *path, const char *text, size_t length, const struct bands *b)
{
    struct sha256 sha;

    sha256_begin(&sha);
    sha256_add(&sha, text, length);
    sha256_text(&sha, c->sha256);
    text_format(c->path, sizeof c->path, "%s", path);
    c->bands = *b;
}

void bands_offer(struct bands_choice *c, const struct machine *m, const char *path, const char *text, size_t length)
{
    struct bands b;
    struct bands_error error;
    char why[160];
    enum status s = bands_parse(&b, text, length, &error);

    c->n_offered++;
    if (s != ST_OK) {
        c->n_refused++;
        if (s == ST_CORRUPT)
            say(c, "%s:%u: %s; nothing of the file is used", path, error.line, error.text);
        else
            say(c, "%s: %s", path, status_text(s));
        return;
    }
    if (!bands_fit(&b, m, why, sizeof why)) {
        text_format(c->other, sizeof c->other, "%s: %s", path, why);
        bands_free(&b);
        return;
    }
    if (c->n_fitting++ == 0) {
        take(c, path, text, length, &b);
        return;
    }
    say(c, "%s and %s are both for this machine: neither is used", c->path, path);
    bands_free(&b);
    bands_free(&c->bands);
}

void bands_unread(struct bands_choice *c, const char *path, const char *why)
{
    c->n_offered++;
    c->n_refused++;
    say(c, "%s: %s", path, why);
}

const struct bands *bands_taken(const struct bands_choice *c)
{
    return c->n_fitting == 1 ? &c->bands : NULL;
}

void bands_choice_free(struct bands_choice *c)
{
    bands_free(&c->bands);
    memset(c, 0, sizeof *c);
}
