/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/volume/fat_volume.h"
#include "core/base/search.h"

#include <stdlib.h>
#include <string.h>

#define ENTRY      32u /* bytes of a directory entry; a long name takes one more for each 13 characters */
#define NAME_PIECE 13u

struct store_file {
    struct fat_file *file;
    uint32_t mount;
};

static struct fat_volume *volume;

/* --- room ------------------------------------------------------------------------------------------------------------ */

static uint64_t clusters_of(uint64_t bytes)
{
    return (bytes + volume->cluster - 1) / volume->cluster;
}

static const char *after_last(const char *path)
{
    const char *last = strrchr(path, '\\');

    return last ? last + 1 : path;
}

static bool is_in(const char *folder, const char *path)
{
    size_t n = strlen(folder);

    return strncmp(folder, path, n) == 0 && path[n] == '\\' && after_last(path) == path + n + 1;
}

static uint64_t clusters_of_folder(const char *folder)
{
    uint64_t entries = 2; /* "." and ".." */

    if (volume->cluster < 512)
        return 0;
    for (uint32_t i = 0; i < FAT_FILES; i++)
        if (volume->files[i].path[0] && is_in(folder, volume->files[i].path))
            entries += 1 + (strlen(after_last(volume->files[i].path)) + NAME_PIECE - 1) / NAME_PIECE;
    return clusters_of(entries * ENTRY);
}

/* Clusters that are taken. */
static uint64_t taken(const struct fat_volume *v)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < FAT_FILES; i++)
        if (v->files[i].path[0])
            n += v->files[i].folder ? clusters_of_folder(v->files[i].path) : clusters_of(v->files[i].now.length);
    return n - (v->cluster >= 512); /* that of \assay */
}

static bool too_much(void)
{
    return taken(volume) > volume->clusters;
}

/* --- bytes ----------------------------------------------------------------------------------------------------------- */

static void resize(struct fat_bytes *b, size_t length)
{
    if (length + 1 > b->room) {
        b->room = 2 * (length + 1);
        b->text = realloc(b->text, b->room);
        if (!b->text)
            abort();
    }
    if (length > b->length)
        memset(b->text + b->length, 0, length - b->length);
    b->length = length;
    b->text[length] = '\0';
}

static void copy(struct fat_bytes *to, const struct fat_bytes *from)
{
    resize(to, from->length);
    if (from->length > 0)
        memcpy(to->text, from->text, from->length);
}

/* What the driver has not flushed is lost. */
static void forget(void)
{
    for (uint32_t i = 0; i < FAT_FILES; i++)
        if (volume->files[i].path[0])
            copy(&volume->files[i].now, &volume->files[i].medium);
    volume->mount++;
}

/* --- files ----------------------------------------------------------------------------------------------------------- */

/* A handle of a driver that was disconnected is answered as if there were no medium (FatSetVolumeError()). */
static enum status of(const struct store_file *h)
{
    volume->calls++;
    return h->mount == volume->mount ? ST_OK : ST_ABSENT;
}

static struct fat_file *named(const char *path)
{
    return FIND(i, FAT_FILES, volume->files[i].path[0] && strcmp(volume->files[i].path, path) == 0, &volume->files[i],
                NULL);
}

static enum status make(const char *path, bool folder, struct fat_file **made)
{
    char parent[256];
    struct fat_file *f = volume->files;

    strcpy(parent, path);
    *strrchr(parent, '\\') = '\0';
    if (parent[0] && (!named(parent) || !named(parent)->folder))
        return ST_ABSENT;
    while (f->path[0])
        if (++f == volume->files + FAT_FILES)
            abort();
    strcpy(f->path, path);
    f->folder = folder;
    resize(&f->now, 0);
    resize(&f->medium, 0);
    *made = f;
    if (!too_much())
        return ST_OK;
    f->path[0] = '\0';
    volume->spoilt |= folder;
    return ST_FULL;
}

static enum status fat_open(const struct volume *, const char *path, enum store_open how, struct store_file **file)
{
    struct fat_file *f = named(path);
    enum status s = ST_ABSENT;

    volume->calls++;
    if (!f && (how == STORE_CREATE || how == STORE_FOLDER))
        s = make(path, how == STORE_FOLDER, &f);
    if (!f || (s != ST_OK && s != ST_ABSENT))
        return s;
    *file = calloc(1, sizeof **file);
    if (!*file)
        abort();
    **file = (struct store_file){ f, volume->mount };
    volume->handles++;
    return ST_OK;
}

static void fat_close(struct store_file *h)
{
    volume->calls++;
    volume->handles--;
    free(h);
}

static void fat_remove(struct store_file *h)
{
    if (of(h) == ST_OK)
        h->file->path[0] = '\0';
    fat_close(h);
}

static size_t at_most(size_t length)
{
    return volume->most > 0 && length > volume->most ? volume->most : length;
}

static enum status fat_read(struct store_file *h, uint64_t at, void *bytes, size_t *length)
{
    enum status s = of(h);
    uint64_t left = s == ST_OK && at < h->file->now.length ? h->file->now.length - at : 0;

    if (*length > left)
        *length = left;
    *length = at_most(*length);
    if (*length > 0)
        memcpy(bytes, h->file->now.text + at, *length);
    return s;
}

static enum status fat_write(struct store_file *h, uint64_t at, const void *bytes, size_t *length)
{
    struct fat_bytes *now = &h->file->now;
    size_t before = now->length;
    enum status s = of(h);

    if (s != ST_OK)
        return s;
    *length = at_most(*length);
    if (at + *length > before) {
        uint64_t end = at + *length, others = taken(volume) - clusters_of(before);

        if (others + clusters_of(end) > volume->clusters) {
            s = ST_FULL;
            end = (volume->clusters - others) * volume->cluster;
            *length = volume->in_part && end > at ? end - at : 0;
        }
        if (*length > 0)
            resize(now, at + *length > before ? at + *length : before);
    }
    memcpy(now->text + at, bytes, *length);
    if (volume->unflushable)
        copy(&h->file->medium, now);
    return s;
}

static enum status fat_size(struct store_file *h, uint64_t *length)
{
    enum status s = of(h);

    if (s == ST_OK)
        *length = h->file->now.length;
    return s == ST_OK && h->file->folder ? ST_RANGE : s;
}

static enum status fat_resize(struct store_file *h, uint64_t length)
{
    size_t before = h->file->now.length;
    enum status s = of(h);

    if (s != ST_OK)
        return s;
    resize(&h->file->now, length);
    if (too_much()) {
        resize(&h->file->now, before);
        return ST_FULL;
    }
    copy(&h->file->medium, &h->file->now); /* the chain of clusters is cut at once */
    return ST_OK;
}

static enum status fat_flush(struct store_file *h)
{
    enum status s = of(h);

    if (s == ST_OK && volume->unflushable)
        return ST_UNSUPPORTED;
    if (s == ST_OK)
        copy(&h->file->medium, &h->file->now);
    return s;
}

/* --- the volume ------------------------------------------------------------------------------------------------------ */

static enum status fat_flush_volume(const struct volume *)
{
    volume->calls++;
    return volume->unflushable ? ST_UNSUPPORTED : ST_OK;
}

static bool fat_has_room(const struct volume *, uint64_t bytes)
{
    volume->calls++;
    return (volume->clusters - taken(volume)) * volume->cluster >= bytes + 2 * (uint64_t)volume->cluster;
}

static bool fat_is_there(const struct volume *)
{
    return true;
}

static bool fat_connect(const struct volume *)
{
    volume->calls++;
    forget();
    return true;
}

static void fat_pause(uint32_t)
{
    volume->calls++;
}

static uint64_t fat_ticks(void)
{
    static uint64_t ticks;

    return ++ticks;
}

void fat_begin(struct fat_volume *v, uint32_t cluster, uint64_t clusters)
{
    /* What a run lists, fetches and finds again is on other volumes. */
    static const struct store_ops ops = { .open = fat_open,
                                          .close = fat_close,
                                          .remove = fat_remove,
                                          .read = fat_read,
                                          .write = fat_write,
                                          .size = fat_size,
                                          .resize = fat_resize,
                                          .flush = fat_flush,
                                          .flush_volume = fat_flush_volume,
                                          .has_room = fat_has_room,
                                          .is_there = fat_is_there,
                                          .connect = fat_connect,
                                          .pause = fat_pause,
                                          .ticks = fat_ticks };

    memset(v, 0, sizeof *v);
    volume = v;
    v->volume = (struct volume){ .ops = &ops, .root = v, .medium = &v->medium, .label = "ASSAY" };
    v->cluster = cluster;
    v->clusters = clusters;
    strcpy(v->files[0].path, "\\assay");
    v->files[0].folder = true;
}

void fat_end(struct fat_volume *v)
{
    for (uint32_t i = 0; i < FAT_FILES; i++) {
        free(v->files[i].now.text);
        free(v->files[i].medium.text);
    }
}

void fat_cut(struct fat_volume *)
{
    forget();
}

const struct fat_file *fat_find(const struct fat_volume *v, const char *name, uint32_t nth)
{
    size_t n = strlen(name);

    for (uint32_t i = 0; i < FAT_FILES; i++) {
        size_t length = strlen(v->files[i].path);

        if (length >= n && strcmp(v->files[i].path + length - n, name) == 0 && nth-- == 0)
            return &v->files[i];
    }
    return NULL;
}
