/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/volume/fat_volume.h"

#include <stdlib.h>
#include <string.h>

#define ENTRY      32u /* bytes of a directory entry; a long name takes one more for each 13 characters */
#define NAME_PIECE 13u

struct handle {
    EFI_FILE_PROTOCOL protocol;
    struct fat_file *file; /* NULL: the root */
    uint64_t at;
    uint32_t mount;
};

static struct fat_volume *volume;

/* --- room ------------------------------------------------------------------------------------------------------------ */

static uint64_t clusters_of(uint64_t bytes)
{
    return (bytes + volume->cluster - 1) / volume->cluster;
}

static const char *behind_last(const char *path)
{
    const char *last = strrchr(path, '\\');

    return last ? last + 1 : path;
}

static bool is_in(const char *folder, const char *path)
{
    size_t n = strlen(folder);

    return strncmp(folder, path, n) == 0 && path[n] == '\\' && behind_last(path) == path + n + 1;
}

static uint64_t clusters_of_folder(const char *folder)
{
    uint64_t entries = 2; /* "." and ".." */

    if (volume->cluster < 512)
        return 0;
    for (uint32_t i = 0; i < FAT_FILES; i++)
        if (volume->files[i].path[0] && is_in(folder, volume->files[i].path))
            entries += 1 + (strlen(behind_last(volume->files[i].path)) + NAME_PIECE - 1) / NAME_PIECE;
    return clusters_of(entries * ENTRY);
}

uint64_t fat_taken(const struct fat_volume *v)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < FAT_FILES; i++)
        if (v->files[i].path[0])
            n += v->files[i].folder ? clusters_of_folder(v->files[i].path) : clusters_of(v->files[i].now.length);
    return n - (v->cluster >= 512); /* that of \assay */
}

static bool too_much(void)
{
    return fat_taken(volume) > volume->clusters;
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

/* --- EFI_FILE_PROTOCOL: UEFI specification 2.10, 13.5 ------------------------------------------------------------------ */

static struct handle *of(EFI_FILE_HANDLE h)
{
    volume->calls++;
    return (struct handle *)h;
}

/* A handle of a driver that was disconnected is answered so (FatSetVolumeError()). */
static bool stale(const struct handle *h)
{
    return h->mount != volume->mount;
}

static struct fat_file *named(const char *path)
{
    for (uint32_t i = 0; i < FAT_FILES; i++)
        if (volume->files[i].path[0] && strcmp(volume->files[i].path, path) == 0)
            return &volume->files[i];
    return NULL;
}

static EFI_STATUS make(const char *path, bool folder, struct fat_file **made)
{
    char parent[256];
    struct fat_file *f = volume->files;

    strcpy(parent, path);
    *strrchr(parent, '\\') = '\0';
    if (parent[0] && (!named(parent) || !named(parent)->folder))
        return EFI_NOT_FOUND;
    while (f->path[0])
        if (++f == volume->files + FAT_FILES)
            abort();
    strcpy(f->path, path);
    f->folder = folder;
    resize(&f->now, 0);
    resize(&f->medium, 0);
    *made = f;
    if (!too_much())
        return EFI_SUCCESS;
    f->path[0] = '\0';
    volume->spoilt |= folder;
    return EFI_VOLUME_FULL;
}

static EFI_STATUS EFIAPI file_open(EFI_FILE_HANDLE from, EFI_FILE_HANDLE *out, CHAR16 *name, UINT64 mode,
                                   UINT64 attributes);

static EFI_STATUS EFIAPI file_close(EFI_FILE_HANDLE file)
{
    free(of(file));
    volume->handles--;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI file_delete(EFI_FILE_HANDLE file)
{
    struct handle *h = of(file);
    EFI_STATUS s = stale(h) ? EFI_WARN_DELETE_FAILURE : EFI_SUCCESS;

    if (s == EFI_SUCCESS)
        h->file->path[0] = '\0';
    (void)file_close(file);
    return s;
}

static EFI_STATUS EFIAPI file_read(EFI_FILE_HANDLE file, UINTN *size, VOID *buffer)
{
    struct handle *h = of(file);
    uint64_t left;

    if (stale(h))
        return EFI_NO_MEDIA;
    left = h->at < h->file->now.length ? h->file->now.length - h->at : 0;
    if (*size > left)
        *size = left;
    if (*size > 0)
        memcpy(buffer, h->file->now.text + h->at, *size);
    h->at += *size;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI file_write(EFI_FILE_HANDLE file, UINTN *size, VOID *buffer)
{
    struct handle *h = of(file);
    struct fat_bytes *now = &h->file->now;
    size_t before = now->length;
    EFI_STATUS s = EFI_SUCCESS;

    if (stale(h))
        return EFI_NO_MEDIA;
    if (h->at + *size > before) {
        uint64_t end = h->at + *size, others = fat_taken(volume) - clusters_of(before);

        if (others + clusters_of(end) > volume->clusters) {
            s = EFI_VOLUME_FULL;
            end = (volume->clusters - others) * volume->cluster;
            *size = volume->in_part && end > h->at ? end - h->at : 0;
        }
        if (*size > 0)
            resize(now, h->at + *size > before ? h->at + *size : before);
    }
    memcpy(now->text + h->at, buffer, *size);
    h->at += *size;
    return s;
}

static EFI_STATUS EFIAPI file_get_position(EFI_FILE_HANDLE file, UINT64 *at)
{
    *at = of(file)->at;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI file_set_position(EFI_FILE_HANDLE file, UINT64 at)
{
    struct handle *h = of(file);

    if (stale(h))
        return EFI_NO_MEDIA;
    h->at = at;
    return EFI_SUCCESS;
}

static EFI_STATUS file_info(const struct handle *h, UINTN *size, EFI_FILE_INFO *info)
{
    if (*size < sizeof *info)
        return EFI_BUFFER_TOO_SMALL;
    memset(info, 0, sizeof *info);
    *size = info->Size = sizeof *info;
    info->FileSize = h->file && !h->file->folder ? h->file->now.length : 0;
    info->Attribute = !h->file || h->file->folder ? EFI_FILE_DIRECTORY : 0;
    return EFI_SUCCESS;
}

static EFI_STATUS volume_info(UINTN *size, EFI_FILE_SYSTEM_INFO *info)
{
    static const char label[] = "ASSAY";
    UINTN needed = sizeof *info + sizeof label * sizeof(CHAR16);

    if (*size < needed)
        return EFI_BUFFER_TOO_SMALL;
    memset(info, 0, needed);
    *size = info->Size = needed;
    info->BlockSize = volume->cluster;
    info->VolumeSize = volume->clusters * volume->cluster;
    info->FreeSpace = (volume->clusters - fat_taken(volume)) * volume->cluster;
    for (size_t i = 0; i < sizeof label; i++)
        info->VolumeLabel[i] = (CHAR16)label[i];
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI file_get_info(EFI_FILE_HANDLE file, EFI_GUID *type, UINTN *size, VOID *info)
{
    static const EFI_GUID of_volume = EFI_FILE_SYSTEM_INFO_ID;
    struct handle *h = of(file);

    if (stale(h))
        return EFI_NO_MEDIA;
    return memcmp(type, &of_volume, sizeof of_volume) == 0 ? volume_info(size, info) : file_info(h, size, info);
}

static EFI_STATUS EFIAPI file_set_info(EFI_FILE_HANDLE file, EFI_GUID *type, UINTN size, VOID *info)
{
    struct handle *h = of(file);
    const EFI_FILE_INFO *wanted = info;
    size_t before = h->file->now.length;

    (void)type;
    (void)size;
    if (stale(h))
        return EFI_NO_MEDIA;
    resize(&h->file->now, wanted->FileSize);
    if (too_much()) {
        resize(&h->file->now, before);
        return EFI_VOLUME_FULL;
    }
    copy(&h->file->medium, &h->file->now); /* the chain of clusters is cut at once */
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI file_flush(EFI_FILE_HANDLE file)
{
    struct handle *h = of(file);

    if (stale(h))
        return EFI_NO_MEDIA;
    if (h->file)
        copy(&h->file->medium, &h->file->now);
    return EFI_SUCCESS;
}

static EFI_FILE_HANDLE handle_of(struct fat_file *file)
{
    struct handle *h = calloc(1, sizeof *h);

    if (!h)
        abort();
    *h = (struct handle){ .protocol = { .Open = file_open,
                                        .Close = file_close,
                                        .Delete = file_delete,
                                        .Read = file_read,
                                        .Write = file_write,
                                        .GetPosition = file_get_position,
                                        .SetPosition = file_set_position,
                                        .GetInfo = file_get_info,
                                        .SetInfo = file_set_info,
                                        .Flush = file_flush },
                          .file = file,
                          .mount = volume->mount };
    volume->handles++;
    return &h->protocol;
}

static EFI_STATUS EFIAPI file_open(EFI_FILE_HANDLE from, EFI_FILE_HANDLE *out, CHAR16 *name, UINT64 mode,
                                   UINT64 attributes)
{
    char path[256];
    struct fat_file *f;
    size_t n = 0;

    if (stale(of(from)))
        return EFI_NO_MEDIA;
    for (; n + 1 < sizeof path && name[n]; n++)
        path[n] = (char)name[n];
    path[n] = '\0';
    f = named(path);
    if (!f) {
        EFI_STATUS s = mode & EFI_FILE_MODE_CREATE ? make(path, attributes & EFI_FILE_DIRECTORY, &f) : EFI_NOT_FOUND;

        if (EFI_ERROR(s))
            return s;
    }
    *out = handle_of(f);
    return EFI_SUCCESS;
}

/* --- services -------------------------------------------------------------------------------------------------------- */

static EFI_STATUS EFIAPI open_volume(EFI_FILE_IO_INTERFACE *fs, EFI_FILE_HANDLE *root)
{
    (void)fs;
    *root = handle_of(NULL);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **out)
{
    static const EFI_GUID image = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    static EFI_LOADED_IMAGE loaded;

    (void)handle;
    volume->calls++;
    loaded.DeviceHandle = volume;
    *out = memcmp(guid, &image, sizeof image) == 0 ? (void *)&loaded : (void *)&volume->fs;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI disconnect(EFI_HANDLE controller, EFI_HANDLE driver, EFI_HANDLE child)
{
    (void)controller;
    (void)driver;
    (void)child;
    forget();
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI connect(EFI_HANDLE controller, EFI_HANDLE *driver, EFI_DEVICE_PATH *path, BOOLEAN recursive)
{
    (void)controller;
    (void)driver;
    (void)path;
    (void)recursive;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI stall(UINTN microseconds)
{
    (void)microseconds;
    volume->calls++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_time(EFI_TIME *time, EFI_TIME_CAPABILITIES *capabilities)
{
    (void)capabilities;
    *time = (EFI_TIME){ .Year = 2026, .Month = 11, .Day = 25, .Hour = 12 };
    return EFI_SUCCESS;
}

EFI_SYSTEM_TABLE *fat_begin(struct fat_volume *v, uint32_t cluster, uint64_t clusters)
{
    static EFI_BOOT_SERVICES bs = { .HandleProtocol = handle_protocol,
                                    .DisconnectController = disconnect,
                                    .ConnectController = connect,
                                    .Stall = stall };
    static EFI_RUNTIME_SERVICES rs = { .GetTime = get_time };
    static EFI_SYSTEM_TABLE st = { .BootServices = &bs, .RuntimeServices = &rs };

    memset(v, 0, sizeof *v);
    volume = v;
    v->fs.OpenVolume = open_volume;
    v->cluster = cluster;
    v->clusters = clusters;
    strcpy(v->files[0].path, "\\assay");
    v->files[0].folder = true;
    return &st;
}

void fat_end(struct fat_volume *v)
{
    for (uint32_t i = 0; i < FAT_FILES; i++) {
        free(v->files[i].now.text);
        free(v->files[i].medium.text);
    }
}

void fat_cut(struct fat_volume *v)
{
    (void)v;
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
