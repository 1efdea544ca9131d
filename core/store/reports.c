/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/store/reports.h"

#include <stdarg.h>
#include <string.h>

#include "core/base/text.h"
#include "core/report/figures.h"
#include "core/store/page_file.h"

#define SETTLE_SECONDS 30u

/* A line on the console. */
__attribute__((format(printf, 2, 3))) static void say(struct reports *r, const char *format, ...)
{
    char line[sizeof(r->folder) + 256];

    TEXT_OF_ARGS(line, format);
    r->console->say(line);
}

/* Nothing is known of the report. */
static void reports_clear(struct reports *r, const struct volume *v)
{
    *r = (struct reports){ .console = r->console, .volume = v };
    sha256_begin(&r->sha);
}

static void report_medium_failure(struct reports *r, const char *name, enum status s)
{
    if (!r->medium_failed)
        say(r, "assay: %s\\%s on volume \"%s\": %s: the report ends here; further results are shown on the console",
            r->folder, name, r->volume->label, status_text(s));
    r->medium_failed = true;
}

/* Bytes of the stream, to all that take it beside the medium: now written, or read again of what an earlier boot wrote. */
static void pass_on(void *context, const char *bytes, size_t length)
{
    struct reports *r = context;

    sha256_add(&r->sha, bytes, length);
    if (r->on_wire)
        wire_add(&r->wire, bytes, length);
    if (r->upload)
        upload_stream(r->upload, bytes, length);
    if (r->reader)
        baseline_add(r->reader, bytes, length);
}

static enum status jsonl_write(void *context, const char *bytes, size_t length)
{
    struct reports *r = context;
    enum status s = file_write(&r->jsonl, bytes, length);

    pass_on(r, bytes, length);
    if (s != ST_OK)
        report_medium_failure(r, "report.jsonl", s);
    return ST_OK;
}

/* anyway: as of file_return(). */
static void take_again(struct reports *r, bool anyway)
{
    if (file_return(&r->jsonl, anyway) != ST_OK || file_return(&r->text, anyway) != ST_OK)
        return;
    say(r, "assay: %s: report volume writable again", r->folder);
    r->medium_failed = false;
    r->returns++;
}

static enum status jsonl_flush(void *context)
{
    struct reports *r = context;
    enum status s;

    if (r->medium_failed)
        take_again(r, false);
    if (r->on_wire)
        wire_flush(&r->wire);
    s = file_flush(&r->jsonl);
    if (s != ST_OK)
        report_medium_failure(r, "report.jsonl", s);
    return ST_OK;
}

static enum status text_write(void *context, const char *bytes, size_t length)
{
    struct reports *r = context;
    enum status s;

    r->console->log(bytes, length);
    if (r->upload)
        upload_text(r->upload, bytes, length);
    s = file_write(&r->text, bytes, length);
    if (s != ST_OK)
        report_medium_failure(r, "report.txt", s);
    return ST_OK;
}

/* report.txt as it is at the end of a run. What is on the medium stays where it cannot be cut off. */
static enum status text_replace(void *context, const char *bytes, size_t length)
{
    struct reports *r = context;
    enum status s = r->medium_failed ? ST_IO : file_cut(&r->text, 0);

    if (s != ST_OK)
        return ST_OK;
    s = file_write(&r->text, bytes, length);
    if (s == ST_OK)
        s = file_flush(&r->text);
    if (s != ST_OK)
        report_medium_failure(r, "report.txt", s);
    return ST_OK;
}

static enum status text_flush(void *context)
{
    struct reports *r = context;
    enum status s = file_flush(&r->text);

    if (s != ST_OK)
        report_medium_failure(r, "report.txt", s);
    return ST_OK;
}

static enum status create_kept(const struct volume *v, const char *path, struct file *f)
{
    TRY(file_create(v, path, f));
    file_keep(f);
    return ST_OK;
}

/* A file beside the stream is whole, or it is not there. */
static bool is_whole(struct reports *r, struct file *f, enum status s)
{
    if (s == ST_OK)
        return true;
    say(r, "assay: %s on volume \"%s\": %s: it is not written", f->path, r->volume->label, status_text(s));
    file_delete(f);
    return false;
}

static enum status put_figures(void *file, const char *bytes, size_t length)
{
    return file_write(file, bytes, length);
}

static enum status add_to_figures(void *figures, const char *bytes, size_t length)
{
    figures_add(figures, bytes, length);
    return ST_OK;
}

static enum status figures_write(struct file *to, struct file *stream)
{
    struct figures f;
    enum status s;

    figures_begin(&f, to, put_figures);
    s = file_pass(stream, &f, add_to_figures);
    return status_first(s, figures_end(&f));
}

/* Files that are derived from the stream when it is whole, in the order of report.sha256. */
static const struct {
    const char *name;
    enum status (*write)(struct file *to, struct file *stream);
} derived[] = { { "report.figures", figures_write }, { "report.html", page_write } };
#define DERIVED (sizeof(derived) / sizeof(derived[0]))

static bool write_derived(struct reports *r, size_t i, struct file *f)
{
    char path[sizeof(r->folder) + 16];
    enum status s;

    text_format(path, sizeof(path), "%s\\%s", r->folder, derived[i].name);
    s = create_kept(r->volume, path, f);
    if (s == ST_OK)
        s = derived[i].write(f, &r->jsonl);
    if (s == ST_OK)
        s = file_flush(f);
    return is_whole(r, f, s);
}

static enum status put_digest(struct file *to, const struct sha256 *sha, const char *name)
{
    char digest[65], line[96];

    sha256_text(sha, digest);
    return file_write(to, line, text_format(line, sizeof(line), "%s  %s\n", digest, name));
}

static enum status put_digest_of(struct file *to, struct file *of, const char *name)
{
    struct sha256 sha;

    sha256_begin(&sha);
    return file_digest(of, &sha) == ST_OK ? put_digest(to, &sha, name) : ST_OK;
}

/* report.sha256, as sha256sum -c takes it. The stream's digest is of what was meant, and not of what the medium gives back. */
static bool write_digests(struct reports *r, struct file files[DERIVED])
{
    char path[sizeof(r->folder) + 16];
    struct file out;
    enum status s;
    bool whole;

    text_format(path, sizeof(path), "%s\\report.sha256", r->folder);
    s = create_kept(r->volume, path, &out);
    if (s == ST_OK)
        s = put_digest(&out, &r->sha, "report.jsonl");
    if (s == ST_OK)
        s = put_digest_of(&out, &r->text, "report.txt");
    for (size_t i = 0; i < DERIVED; i++)
        if (s == ST_OK && files[i].handle)
            s = put_digest_of(&out, &files[i], derived[i].name);
    if (s == ST_OK)
        s = file_flush(&out);
    whole = is_whole(r, &out, s);
    file_end(&out);
    return whole;
}

enum status reports_choose(struct reports *r, const struct calendar *now, const struct volume *v, const char *folder,
                           const struct smbios_info *smbios)
{
    char name[FOLDER_NAME];

    reports_clear(r, v);
    folder_name(smbios, now, name);
    text_format(r->folder, sizeof(r->folder), "%s\\%s", folder, name);
    if (!r->volume->root)
        return ST_ABSENT;
    if (r->volume->read_only)
        return ST_READ_ONLY;
    for (uint32_t i = 2; file_exists(r->volume, r->folder) == ST_OK; i++) {
        if (i > FOLDER_NAMES_MAX)
            return ST_RANGE;
        text_format(r->folder, sizeof(r->folder), "%s\\%s-%u", folder, name, i);
    }
    return folder_make(r->volume, folder);
}

static enum status create_in(struct reports *r)
{
    char path[sizeof(r->folder) + 16];

    TRY(folder_make(r->volume, r->folder));
    text_format(path, sizeof(path), "%s\\report.jsonl", r->folder);
    TRY(create_kept(r->volume, path, &r->jsonl));
    text_format(path, sizeof(path), "%s\\report.txt", r->folder);
    return create_kept(r->volume, path, &r->text);
}

enum status reports_create(struct reports *r)
{
    size_t n = strlen(r->folder);
    enum status s;

    for (uint32_t tries = 1;; tries++) { /* a folder that an error of the medium left in part is let alone */
        s = create_in(r);
        if (s == ST_OK || s == ST_READ_ONLY || tries == FILE_TRIES || (s == ST_FULL && !volume_has_room(r->volume, 0)))
            return s;
        file_end(&r->jsonl);
        file_end(&r->text);
        text_format(r->folder + n, sizeof(r->folder) - n, "-again-%u", tries);
    }
}

/* --- a report that is there ------------------------------------------------------------------------------------- */

static void take_tail(void *context, const char *bytes, size_t length)
{
    stream_tail_add(context, bytes, length);
}

struct part { /* of a file, from its beginning */
    uint64_t left;
    struct stream_tail *tail;
};

static void take_part(void *context, const char *bytes, size_t length)
{
    struct part *p = context;

    if (length > p->left)
        length = (size_t)p->left;
    stream_tail_add(p->tail, bytes, length);
    p->left -= length;
}

/* Where a stream stands that is interrupted: twice through the file, for *t is of its sound lines alone. */
static const char *read_tail(const struct volume *v, const char *path, uint64_t flushed, struct stream_tail *t,
                             uint64_t *end)
{
    struct part part = { .tail = t };
    enum status s;

    stream_tail_begin(t);
    s = file_stream(v, path, t, take_tail);
    *end = part.left = t->sound;
    if (s == ST_OK && t->sound < flushed)
        return "its report.jsonl is damaged";
    stream_tail_begin(t);
    if (s == ST_ABSENT) /* the boot ended before it made it */
        return NULL;
    if (s == ST_OK)
        s = file_stream(v, path, &part, take_part);
    if (s != ST_OK)
        return "its report.jsonl cannot be read";
    stream_tail_end(t);
    return t->ended ? "its report has an end" : NULL;
}

struct lines {          /* of text */
    uint64_t read, end; /* end: of the last one before a byte that is no text */
    bool over;
};

static void take_lines(void *context, const char *bytes, size_t length)
{
    struct lines *l = context;

    for (size_t i = 0; i < length && !l->over; i++) {
        l->over = (unsigned char)bytes[i] < ' ' && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\t';
        if (bytes[i] == '\n')
            l->end = l->read + i + 1;
    }
    l->read += length;
}

/* Opens a file to continue after its first `end` bytes. */
static enum status open_after(const struct volume *v, const char *path, uint64_t end, struct file *f)
{
    enum status s = file_open(v, path, f);

    if (s == ST_ABSENT)
        s = file_create(v, path, f);
    else if (s == ST_OK && f->length != end)
        s = file_cut(f, end);
    if (s == ST_OK)
        file_keep(f);
    return s;
}

/* report.txt, after its last whole line. Where a power cut left a chain of clusters that belongs to no file, as while the text of
 * the end took the place of the other, it begins again: report.jsonl has all that it had. */
static enum status text_after(const struct volume *v, const char *path, struct file *f)
{
    struct lines text = { 0 };
    enum status s = file_stream(v, path, &text, take_lines);

    if (s == ST_OK || s == ST_ABSENT)
        s = open_after(v, path, text.end, f);
    if (s == ST_OK || s == ST_ABSENT)
        return s;
    file_end(f);
    if (file_open(v, path, f) == ST_OK)
        file_delete(f);
    TRY(file_create(v, path, f));
    file_keep(f);
    return ST_OK;
}

const char *reports_reopen(struct reports *r, const struct volume *v, const char *folder, const char *name,
                           uint64_t flushed, struct stream_tail *t)
{
    char path[sizeof(r->folder) + 16];
    const char *why;
    uint64_t end;
    enum status s;

    reports_clear(r, v);
    text_format(r->folder, sizeof(r->folder), "%s\\%s", folder, name);
    text_format(path, sizeof(path), "%s\\report.jsonl", r->folder);
    why = read_tail(v, path, flushed, t, &end);
    if (why)
        return why;
    s = folder_make(v, r->folder);
    if (s == ST_OK)
        s = open_after(v, path, end, &r->jsonl);
    text_format(path, sizeof(path), "%s\\report.txt", r->folder);
    if (s == ST_OK)
        s = text_after(v, path, &r->text);
    if (s == ST_OK)
        return NULL;
    file_end(&r->jsonl);
    file_end(&r->text);
    return "its report cannot be written to";
}

static void replay_text(void *context, const char *bytes, size_t length)
{
    upload_text(context, bytes, length);
}

void reports_replay(struct reports *r)
{
    char path[sizeof(r->folder) + 16];
    enum status s;

    text_format(path, sizeof(path), "%s\\report.jsonl", r->folder);
    s = file_stream(r->volume, path, r, pass_on);
    text_format(path, sizeof(path), "%s\\report.txt", r->folder);
    if (s == ST_OK && r->upload)
        s = file_stream(r->volume, path, r->upload, replay_text);
    if (s != ST_OK)
        report_medium_failure(r, "report.jsonl", s);
}

void reports_first_words(struct reports *r, const char *format, ...)
{
    char line[256];
    va_list args;
    enum status s;
    size_t n;

    va_start(args, format);
    n = text_vformat(line, sizeof(line) - 1, format, args);
    va_end(args);
    if (n > sizeof(line) - 2)
        n = sizeof(line) - 2;
    line[n] = '\n';
    s = file_write(&r->text, line, n + 1);
    if (s == ST_OK)
        s = file_flush(&r->text);
    if (s != ST_OK)
        report_medium_failure(r, "report.txt", s);
}

static void wire_put(void *context, const char *text, size_t length)
{
    const struct reports *r = context;

    r->console->plain(text, length);
}

void reports_begin_wire(struct reports *r, bool packed)
{
    r->on_wire = true;
    r->wire = (struct wire){ .put = wire_put, .context = r };
    wire_begin(&r->wire, packed);
}

struct sink reports_jsonl(struct reports *r)
{
    return (struct sink){ .context = r, .write = jsonl_write, .flush = jsonl_flush };
}

struct sink reports_text(struct reports *r)
{
    return (struct sink){ .context = r, .write = text_write, .flush = text_flush, .replace = text_replace };
}

enum status reports_put(struct reports *r, const char *name, const void *bytes, size_t length)
{
    char path[sizeof(r->folder) + 16];
    struct file out;
    enum status s;

    if (!r->jsonl.handle)
        return ST_ABSENT;
    text_format(path, sizeof(path), "%s\\%s", r->folder, name);
    s = create_kept(r->volume, path, &out);
    if (s == ST_OK)
        s = file_write(&out, bytes, length);
    if (s == ST_OK)
        s = file_flush(&out);
    (void)is_whole(r, &out, s);
    file_end(&out);
    return s;
}

/* What stands after the last of two characters; NULL: neither is there. */
static const char *after(const char *text, char one, char other)
{
    const char *found = NULL;

    for (const char *c = text; *c; c++)
        if (*c == one || *c == other)
            found = c + 1;
    return found;
}

const char *reports_run(const struct reports *r)
{
    const char *name = after(r->folder, '\\', '/');

    return name ? name : r->folder;
}

static bool move_to(struct reports *r, const struct volume *v, const char *option)
{
    const char *on_volume = after(option, ':', ':'), *name = after(r->folder, '\\', '/');
    char folder[sizeof(r->folder)], path[sizeof(r->folder) + 16];

    if (!on_volume || !name || !v->root || v->read_only)
        return false;
    text_format(folder, sizeof(folder), "%s\\%s", on_volume, name);
    if (folder_make(v, folder) != ST_OK)
        return false;
    text_format(path, sizeof(path), "%s\\report.jsonl", folder);
    if (file_exists(v, path) == ST_OK || file_again(&r->jsonl, v, path) != ST_OK)
        return false;
    text_format(path, sizeof(path), "%s\\report.txt", folder);
    if (file_again(&r->text, v, path) != ST_OK)
        return false;
    r->volume = v;
    text_format(r->folder, sizeof(r->folder), "%s", folder);
    r->medium_failed = false;
    r->returns++;
    say(r, "assay: the report is in %s on volume \"%s\" instead", folder, v->label);
    return true;
}

void reports_settle(struct reports *r, const struct volume *own, const char *option)
{
    char line[64];

    if (!r->medium_failed || !r->jsonl.copy || !r->text.copy)
        return;
    take_again(r, true);
    for (uint32_t left = SETTLE_SECONDS; left > 0 && r->medium_failed && !volume_is_there(r->volume); left--) {
        text_format(line, sizeof(line), "Report volume removed: reinsert it (%u s)", left);
        r->console->progress(line);
        volume_pause(r->volume, 1000);
        take_again(r, false);
    }
    r->console->progress("");
    if (r->medium_failed)
        (void)move_to(r, own, option);
}

bool reports_close(struct reports *r)
{
    bool whole = true;

    if (r->on_wire)
        wire_end(&r->wire);
    r->on_wire = false;
    if (r->jsonl.handle && r->jsonl.failed == ST_OK) {
        struct file files[DERIVED];

        r->console->progress("writing report.figures and report.html");
        for (size_t i = 0; i < DERIVED; i++)
            whole = write_derived(r, i, &files[i]) && whole;
        whole = write_digests(r, files) && whole;
        for (size_t i = 0; i < DERIVED; i++)
            file_end(&files[i]);
    }
    r->console->progress("");
    file_end(&r->jsonl);
    file_end(&r->text);
    return whole;
}
