/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/store/files.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"

#define STREAM_MOST (64u << 20) /* bytes of a file from a network, which is in memory as a whole */
#define PAUSE_MS    1000u
#define NAMES_MOST                                                                                                     \
    65536u /* of a folder: FAT's have as many entries of 32 bytes (fatgen103, "FAT Directory Structure") */

/* --- volumes ------------------------------------------------------------------------------------------------------- */

bool volume_is_there(const struct volume *v)
{
    return v->ops->is_there(v);
}

bool volume_has_room(const struct volume *v, uint64_t bytes)
{
    return v->ops->has_room(v, bytes);
}

void volume_pause(const struct volume *v, uint32_t ms)
{
    v->ops->pause(ms);
}

static uint32_t generation_of(const struct volume *v)
{
    return v->medium ? v->medium->generation : 0;
}

static void renew(struct medium *m)
{
    m->generation++;
    m->suffered = false;
}

/* File handles on the volume are no good afterwards. */
static void connect_again(const struct volume *v)
{
    if (v->ops->connect(v))
        renew(v->medium);
}

/* Whether it may be another time. */
static bool error_passes(enum status s)
{
    return s == ST_IO || s == ST_TIMEOUT;
}

/* After an error that may pass: it is noted, and a second goes by. */
static void suffer(const struct volume *v, enum status s)
{
    if (!error_passes(s))
        return;
    v->medium->suffered = true;
    volume_pause(v, PAUSE_MS);
}

/* *f is NULL where it fails. */
static enum status open_path(const struct volume *v, const char *path, enum store_open how, struct store_file **f)
{
    bool creates = how == STORE_CREATE || how == STORE_FOLDER;
    enum status s;

    *f = NULL;
    if (!v->root)
        return ST_ABSENT;
    for (uint32_t tries = 1;; tries++) {
        s = v->ops->open(v, path, how, f);
        if (s != ST_OK)
            *f = NULL;
        if (!error_passes(s) && !(s == ST_FULL && creates))
            return s;
        suffer(v, s);
        connect_again(v); /* a full volume may be one with an unreported error */
        if (tries == FILE_TRIES || how == STORE_FOLDER)
            return s; /* of a folder that was made in part the name is on the medium, and no cluster */
    }
}

/* --- files and folders that are there ------------------------------------------------------------------------------ */

enum status file_exists(const struct volume *v, const char *path)
{
    struct store_file *f;
    enum status s = open_path(v, path, STORE_READ, &f);

    if (f)
        v->ops->close(f);
    return s;
}

/* As ops->read(), whose bytes are no more than there is room for. */
static enum status read_once(const struct volume *v, struct store_file *f, uint64_t at, void *bytes, size_t *length)
{
    size_t asked = *length;
    enum status s = v->ops->read(f, at, bytes, length);

    return s == ST_OK && *length > asked ? ST_IO : s;
}

/* A piece of what is open, from `at` on. An error that may pass is tried again, with the file opened again. */
static enum status read_piece(const struct volume *v, const char *path, struct store_file **f, uint64_t at,
                              size_t *size, void *buffer)
{
    size_t asked = *size;
    enum status s;

    for (uint32_t tries = 1;; tries++) {
        *size = asked;
        s = read_once(v, *f, at, buffer, size);
        if (!error_passes(s) || tries == FILE_TRIES)
            return s;
        v->ops->close(*f);
        suffer(v, s);
        s = open_path(v, path, STORE_READ, f);
        TRY(s);
    }
}

static enum status read_from_place(const struct volume *v, const char *path, size_t most, char **text, size_t *length)
{
    char url[BOOT_SOURCE_URL];

    TRY(boot_source_file(v->place, path, url));
    return v->ops->fetch(url, most, text, length);
}

enum status file_read(const struct volume *v, const char *path, char **text, size_t *length)
{
    struct store_file *f;
    char *bytes = NULL;
    uint64_t size = 0;
    size_t n = 0;
    enum status s = open_path(v, path, STORE_READ, &f);

    if (s == ST_ABSENT && v->place)
        return read_from_place(v, path, 1u << 20, text, length);
    if (s == ST_OK)
        s = v->ops->size(f, &size);
    if (s == ST_OK && size > 1u << 20)
        s = ST_RANGE;
    if (s == ST_OK && (bytes = heap_alloc(size + 1)) == NULL)
        s = ST_NO_MEMORY;
    while (s == ST_OK && n < size) {
        size_t piece = size - n;

        s = read_piece(v, path, &f, n, &piece, bytes + n);
        if (s == ST_OK && piece == 0)
            s = ST_CORRUPT; /* it ends before its size */
        n += s == ST_OK ? piece : 0;
    }
    if (f)
        v->ops->close(f);
    if (s != ST_OK) {
        heap_free(bytes);
        return s;
    }
    bytes[n] = '\0';
    *text = bytes;
    *length = n;
    return ST_OK;
}

static enum status stream_from_place(const struct volume *v, const char *path, void *context,
                                     void (*take)(void *context, const char *bytes, size_t length))
{
    char *text;
    size_t length;

    TRY(read_from_place(v, path, STREAM_MOST, &text, &length));
    take(context, text, length);
    heap_free(text);
    return ST_OK;
}

enum status file_stream(const struct volume *v, const char *path, void *context,
                        void (*take)(void *context, const char *bytes, size_t length))
{
    static char buffer[16384];
    struct store_file *f;
    size_t size = sizeof(buffer);
    enum status s = open_path(v, path, STORE_READ, &f);

    if (s == ST_ABSENT && v->place)
        return stream_from_place(v, path, context, take);
    for (uint64_t at = 0; s == ST_OK && size > 0; at += size) {
        size = sizeof(buffer);
        s = read_piece(v, path, &f, at, &size, buffer);
        if (s == ST_OK)
            take(context, buffer, size);
    }
    if (f)
        v->ops->close(f);
    return s;
}

enum status folder_list(const struct volume *v, const char *path, void *context,
                        void (*take)(void *context, const char *name))
{
    char name[FILE_PATH] = "?";
    struct store_file *f;
    enum status s = open_path(v, path, STORE_READ, &f);

    for (uint32_t n = 0; s == ST_OK && name[0]; n++) {
        bool is_file = false;

        if (n > NAMES_MOST) { /* its chain of clusters comes back on itself */
            s = ST_CORRUPT;
            break;
        }
        s = v->ops->next(f, name, sizeof(name), &is_file);
        if (s == ST_OK && is_file)
            take(context, name);
    }
    if (f)
        v->ops->close(f);
    return s;
}

enum status folder_make(const struct volume *v, const char *path)
{
    char part[FILE_PATH];
    size_t n = strlen(path);

    if (n >= sizeof(part))
        return ST_RANGE;
    for (size_t i = 1; i <= n; i++) {
        struct store_file *f;
        enum status s;

        if (path[i] != '\\' && path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        s = open_path(v, part, STORE_READ, &f);
        if (s != ST_OK)
            s = v->root && !v->ops->has_room(v, 0) ? ST_FULL : open_path(v, part, STORE_FOLDER, &f);
        TRY(s);
        v->ops->close(f);
    }
    return ST_OK;
}

static void file_begin(struct file *f, const struct volume *v, const char *path)
{
    memset(f, 0, sizeof(*f));
    f->on = *v;
    f->generation = generation_of(v);
    text_format(f->path, sizeof(f->path), "%s", path);
}

enum status file_create(const struct volume *v, const char *path, struct file *f)
{
    file_begin(f, v, path);
    if (file_exists(v, path) == ST_OK)
        return ST_RANGE;
    f->failed = open_path(v, path, STORE_CREATE, &f->handle);
    return f->failed;
}

enum status file_size(const struct file *f, uint64_t *length)
{
    return f->handle ? f->on.ops->size(f->handle, length) : ST_ABSENT;
}

enum status file_open(const struct volume *v, const char *path, struct file *f)
{
    enum status s;

    file_begin(f, v, path);
    s = open_path(v, path, STORE_UPDATE, &f->handle);
    if (s == ST_OK)
        s = file_size(f, &f->length);
    f->flushed = f->length;
    if (s != ST_OK)
        file_close(f);
    return s;
}

static enum status set_size(struct file *f, uint64_t length)
{
    uint64_t before = 0;
    enum status s = file_size(f, &before);

    return s == ST_OK && before != length ? f->on.ops->resize(f->handle, length) : s;
}

enum status file_cut(struct file *f, uint64_t length)
{
    TRY(set_size(f, length));
    f->length = f->flushed = length;
    return ST_OK;
}

/* --- what an error of the medium leaves ---------------------------------------------------------------------------- */

/* FAT writes all or nothing, other drivers may not: an attempt that failed is written over. One that wrote a part without an
 * error is asked for the rest. */
static enum status write_once(struct file *f, uint64_t at, const void *bytes, size_t length)
{
    enum status s = f->handle ? ST_OK : ST_ABSENT;

    for (size_t done = 0; s == ST_OK && done < length;) {
        size_t size = length - done;

        s = f->on.ops->write(f->handle, at + done, (const char *)bytes + done, &size);
        if (s == ST_OK && size == 0)
            s = ST_FULL;
        else if (s == ST_OK && size > length - done)
            s = ST_IO;
        done += size;
    }
    return s;
}

static enum status flush_once(struct file *f)
{
    enum status s;

    if (!f->handle)
        return ST_ABSENT;
    /* EDK2's FAT driver writes the file's directory entry on its own Flush() alone, and on any other's what it caches of
     * the volume (FatOFileFlush(), FatVolumeFlushCache() in FatPkg/EnhancedFatDxe). A driver that refuses the root
     * writes all at once, as without it. */
    if (f->length != f->flushed)
        suffer(&f->on, f->on.ops->flush_volume(&f->on));
    s = f->on.ops->flush(f->handle);
    return s == ST_UNSUPPORTED ? ST_OK : s; /* a driver that keeps nothing back */
}

static enum status write_copy(struct file *f, uint64_t from)
{
    enum status s = set_size(f, from);

    return s == ST_OK && from < f->length ? write_once(f, from, f->copy + from, f->length - from) : s;
}

/* The file was opened again: it holds what was flushed, or more, and gets the rest. Where FAT's chain is longer than the size that
 * the last flush wrote, EDK2's driver refuses to append (FatGrowEof() in FatPkg/EnhancedFatDxe), and sets it right when it
 * makes the file shorter. */
static enum status catch_up(struct file *f, bool refused)
{
    uint64_t from = f->flushed, size = 0;
    enum status s;

    TRY(file_size(f, &size));
    if (!f->copy)
        return f->length == f->flushed ? ST_OK : ST_CORRUPT;
    if (from > size)
        from = size;
    s = refused && from > 0 ? ST_CORRUPT : write_copy(f, from);
    return s == ST_CORRUPT && from > 0 ? write_copy(f, from - 1) : s;
}

static enum status open_anew(struct file *f, const struct volume *v, const char *path, bool refused)
{
    enum status s;

    file_close(f);
    s = open_path(v, path, STORE_UPDATE, &f->handle);
    f->generation = generation_of(v);
    if (s == ST_OK)
        s = catch_up(f, refused);
    if (s != ST_OK)
        file_close(f);
    return s;
}

struct attempts {
    uint32_t n;
    enum status first; /* failure */
};

/* Whether an operation that ended so is to be tried again, which it is then; f->failed otherwise. */
static bool try_again(struct file *f, enum status s, struct attempts *a)
{
    struct medium *m = f->on.medium;
    bool stale;

    if (s == ST_OK)
        return false;
    stale = f->generation != m->generation; /* what was tried was the handle */
    if (!stale)
        a->first = status_first(a->first, s);
    if (!stale && s != ST_IO && s != ST_TIMEOUT && s != ST_ABSENT && s != ST_CORRUPT &&
        !(s == ST_FULL && m->suffered)) {
        f->failed = s;
        return false;
    }
    if (!stale)
        suffer(&f->on, s);
    if (++a->n == FILE_TRIES) {
        f->failed = status_first(a->first, s);
        return false;
    }
    if (!stale && m->suffered)
        connect_again(&f->on);
    (void)open_anew(f, &f->on, f->path, s == ST_CORRUPT); /* where that fails, so does the next attempt */
    return true;
}

enum status file_again(struct file *f, const struct volume *v, const char *path)
{
    enum status s;

    if (!f->copy)
        return ST_NO_MEMORY;
    if (file_exists(v, path) == ST_OK) {
        s = open_anew(f, v, path, false);
    } else {
        file_close(f);
        f->flushed = 0;
        s = open_path(v, path, STORE_CREATE, &f->handle);
        f->generation = generation_of(v);
        if (s == ST_OK)
            s = write_copy(f, 0);
    }
    if (v != &f->on)
        f->on = *v;
    if (s == ST_OK)
        s = flush_once(f);
    if (s != ST_OK) {
        file_close(f);
        return s;
    }
    text_format(f->path, sizeof(f->path), "%s", path);
    f->flushed = f->length;
    f->failed = ST_OK;
    return s;
}

struct comparison {
    const struct file *f;
    uint64_t at;
    bool differs;
};

static void compare_with_copy(void *context, const char *bytes, size_t length)
{
    struct comparison *x = context;
    uint64_t n = x->at < x->f->flushed ? x->f->flushed - x->at : 0;

    if (n > length)
        n = length;
    x->differs = x->differs || memcmp(bytes, x->f->copy + x->at, n) != 0;
    x->at += n;
}

static bool is_volume_of(void *context, const struct volume *v)
{
    const struct file *f = context;
    struct comparison x = { .f = f };

    return f->flushed > 0 && file_stream(v, f->path, &x, compare_with_copy) == ST_OK && !x.differs &&
           x.at == f->flushed;
}

enum status file_return(struct file *f, bool anyway)
{
    if (!f->copy)
        return ST_NO_MEMORY;
    if (f->failed == ST_OK)
        return ST_OK;
    if (!volume_is_there(&f->on)) {
        if (!f->on.ops->replace(&f->on, f, is_volume_of))
            return ST_ABSENT;
        renew(f->on.medium);
    } else if (f->generation == generation_of(&f->on)) { /* else another file found the volume again */
        if (!anyway)
            return f->failed;
        connect_again(&f->on);
    }
    return file_again(f, &f->on, f->path);
}

static void drop_copy(struct file *f)
{
    heap_free(f->copy);
    f->copy = NULL;
    f->room = 0;
}

/* Room for so many bytes more after the copy's first n. Without memory there is no copy any more. */
static void copy_bytes(struct file *f, uint64_t n, const char *bytes, size_t length)
{
    size_t room = f->room;
    char *more;

    if (!f->copy)
        return;
    while (room - n < length)
        room *= 2;
    if (room != f->room) {
        more = heap_alloc(room);
        if (!more) {
            drop_copy(f);
            return;
        }
        memcpy(more, f->copy, n);
        heap_free(f->copy);
        f->copy = more;
        f->room = room;
    }
    memcpy(f->copy + n, bytes, length);
}

/* ST_OK where the file can be written. */
static enum status writable(const struct file *f)
{
    return f->failed != ST_OK ? f->failed : f->handle ? ST_OK : ST_ABSENT;
}

enum status file_write_at(struct file *f, uint64_t offset, const void *bytes, size_t length)
{
    struct attempts a = { 0, ST_OK };
    enum status s;

    TRY(writable(f));
    do {
        s = write_once(f, offset, bytes, length);
        /* EDK2's FAT driver finds no cluster on a volume that had an error, and may not have reported the error. */
        if (s == ST_FULL && f->on.ops->has_room(&f->on, length))
            f->on.medium->suffered = true;
    } while (try_again(f, s, &a));
    return f->failed;
}

/* A line that was cut in two is no valid line: after a failure that stays nothing more is written. */
enum status file_write(struct file *f, const char *bytes, size_t length)
{
    bool fine = f->failed == ST_OK;
    enum status s = file_write_at(f, f->length, bytes, length);

    /* What stands before it stays; a part of it, which drivers other than EDK2's may have written, goes. */
    if (fine && s == ST_FULL && set_size(f, f->length) == ST_OK && flush_once(f) == ST_OK)
        f->flushed = f->length;
    copy_bytes(f, f->length, bytes, length);
    if (s == ST_OK || f->copy)
        f->length += length;
    return s;
}

enum status file_flush(struct file *f)
{
    struct attempts a = { 0, ST_OK };
    enum status s;

    TRY(writable(f));
    do {
        s = flush_once(f);
        if (s != ST_OK && !f->copy) { /* what was to be flushed is lost: the caller writes it again */
            f->failed = s;
            return s;
        }
    } while (try_again(f, s, &a));
    if (s == ST_OK)
        f->flushed = f->length;
    return f->failed;
}

/* All that the file holds, piece by piece, until take() refuses one. */
static enum status file_pieces(struct file *f, void *context,
                               enum status (*take)(void *context, const char *bytes, size_t length))
{
    static char buffer[16384];
    struct attempts tries = { 0, ST_OK };
    uint64_t at = 0;

    for (;;) {
        size_t size = sizeof(buffer);
        enum status s;

        if (!f->handle)
            return ST_ABSENT;
        s = read_once(&f->on, f->handle, at, buffer, &size);
        if (error_passes(s) && f->copy && try_again(f, s, &tries))
            continue;
        if (s != ST_OK || size == 0)
            return s;
        s = take(context, buffer, size);
        TRY(s);
        at += size;
    }
}

static enum status take_to_file(void *context, const char *bytes, size_t length)
{
    return file_write(context, bytes, length);
}

static enum status take_to_digest(void *context, const char *bytes, size_t length)
{
    sha256_add(context, bytes, length);
    return ST_OK;
}

struct keeping {
    struct file *f;
    uint64_t n;
};

static enum status take_to_copy(void *context, const char *bytes, size_t length)
{
    struct keeping *k = context;

    copy_bytes(k->f, k->n, bytes, length);
    k->n += length;
    return k->f->copy ? ST_OK : ST_NO_MEMORY;
}

void file_keep(struct file *f)
{
    struct keeping k = { .f = f };

    f->room = 65536;
    f->copy = heap_alloc(f->room);
    if (f->copy && (file_pieces(f, &k, take_to_copy) != ST_OK || k.n != f->length))
        drop_copy(f);
}

enum status file_pass(struct file *from, void *context,
                      enum status (*take)(void *context, const char *bytes, size_t length))
{
    return from->copy ? take(context, from->copy, from->length) : file_pieces(from, context, take);
}

enum status file_append(struct file *to, struct file *from)
{
    return file_pass(from, to, take_to_file);
}

enum status file_digest(struct file *f, struct sha256 *sha)
{
    return file_pieces(f, sha, take_to_digest);
}

void file_delete(struct file *f)
{
    if (f->handle)
        f->on.ops->remove(f->handle);
    f->handle = NULL;
}

void file_close(struct file *f)
{
    if (f->handle)
        f->on.ops->close(f->handle);
    f->handle = NULL;
}

void file_end(struct file *f)
{
    file_close(f);
    drop_copy(f);
}
