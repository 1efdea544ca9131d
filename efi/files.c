/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/files.h"

#include <efishell.h>
#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"

#define PATH_CHARS 256
#define ROOTS      32u

union file_info { /* with room for a name */
    EFI_FILE_INFO info;
    char space[sizeof(EFI_FILE_INFO) + 2 * PATH_CHARS];
};

static EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
static EFI_GUID fs_info_guid = EFI_FILE_SYSTEM_INFO_ID;
static EFI_GUID file_info_guid = EFI_FILE_INFO_ID;

enum status status_from_efi(EFI_STATUS s)
{
    switch (s) {
    case EFI_SUCCESS:
        return ST_OK;
    case EFI_NOT_FOUND:
    case EFI_NO_MEDIA:
        return ST_ABSENT;
    case EFI_VOLUME_FULL:
        return ST_FULL;
    case EFI_WRITE_PROTECTED:
    case EFI_ACCESS_DENIED:
        return ST_READ_ONLY;
    case EFI_OUT_OF_RESOURCES:
        return ST_NO_MEMORY;
    case EFI_VOLUME_CORRUPTED:
        return ST_CORRUPT;
    case EFI_UNSUPPORTED:
        return ST_UNSUPPORTED;
    case EFI_TIMEOUT:
        return ST_TIMEOUT;
    case EFI_INVALID_PARAMETER:
        return ST_RANGE;
    default:
        return ST_IO;
    }
}

/* ASCII to UTF-16 with '\'. false: too long. */
static bool wide_path(const char *path, CHAR16 wide[PATH_CHARS])
{
    size_t n = strlen(path);

    if (n >= PATH_CHARS)
        return false;
    for (size_t i = 0; i <= n; i++)
        wide[i] = path[i] == '/' ? L'\\' : (CHAR16)(unsigned char)path[i];
    return true;
}

/* Firmware closes no handle of an image that returns. Those that there is no room for stay open. */
static struct {
    EFI_FILE_HANDLE roots[ROOTS];
    uint32_t n;
} opened;

static EFI_FILE_HANDLE root_of(EFI_SYSTEM_TABLE *st, EFI_HANDLE handle)
{
    EFI_FILE_IO_INTERFACE *fs;
    EFI_FILE_HANDLE root;

    if (!handle || EFI_ERROR(st->BootServices->HandleProtocol(handle, &file_system_guid, (void **)&fs)) ||
        EFI_ERROR(fs->OpenVolume(fs, &root)))
        return NULL;
    if (opened.n < ROOTS)
        opened.roots[opened.n++] = root;
    return root;
}

void volumes_close(void)
{
    while (opened.n > 0) {
        EFI_FILE_HANDLE root = opened.roots[--opened.n];

        root->Close(root);
    }
}

/* What the volume says of itself. */
static void volume_read_info(struct volume *v)
{
    union {
        EFI_FILE_SYSTEM_INFO info;
        char space[sizeof(EFI_FILE_SYSTEM_INFO) + 512];
    } u;
    UINTN size = sizeof(u);

    v->read_only = false;
    v->label[0] = '\0';
    if (EFI_ERROR(v->root->GetInfo(v->root, &fs_info_guid, &size, &u)))
        return;
    v->read_only = u.info.ReadOnly;
    for (size_t i = 0; i + 1 < sizeof(v->label) && u.info.VolumeLabel[i]; i++) {
        v->label[i] = u.info.VolumeLabel[i] < 127 ? (char)u.info.VolumeLabel[i] : '?';
        v->label[i + 1] = '\0';
    }
}

enum status volume_open(EFI_SYSTEM_TABLE *st, EFI_HANDLE image, struct volume *v)
{
    EFI_LOADED_IMAGE *loaded;

    memset(v, 0, sizeof(*v));
    v->bs = st->BootServices;
    if (!EFI_ERROR(st->BootServices->HandleProtocol(image, &loaded_image_guid, (void **)&loaded)))
        v->root = root_of(st, loaded->DeviceHandle);
    if (!v->root)
        return ST_ABSENT;
    volume_read_info(v);
    return ST_OK;
}

/* --- volumes by name ---------------------------------------------------------------------------------------------- */

/* "fs0" as the shell maps it. Source: UEFI Shell specification 2.2, 2.2 "EFI_SHELL_PROTOCOL", GetDevicePathFromMap().
 */
static EFI_FILE_HANDLE mapped_volume(EFI_SYSTEM_TABLE *st, const CHAR16 *name)
{
    static EFI_GUID shell_guid = EFI_SHELL_PROTOCOL_GUID;
    EFI_SHELL_PROTOCOL *shell;
    EFI_DEVICE_PATH *path;
    EFI_HANDLE handle;

    if (EFI_ERROR(st->BootServices->LocateProtocol(&shell_guid, NULL, (void **)&shell)))
        return NULL;
    path = (EFI_DEVICE_PATH *)shell->GetDevicePathFromMap(name);
    if (!path || EFI_ERROR(st->BootServices->LocateDevicePath(&file_system_guid, &path, &handle)))
        return NULL;
    return root_of(st, handle);
}

static bool labelled_volume(EFI_SYSTEM_TABLE *st, const char *label, struct volume *v)
{
    EFI_HANDLE *handles;
    UINTN n = 0;
    bool found = false;

    if (EFI_ERROR(st->BootServices->LocateHandleBuffer(ByProtocol, &file_system_guid, NULL, &n, &handles)))
        return false;
    for (UINTN i = 0; i < n && !found; i++) {
        v->root = root_of(st, handles[i]);
        if (!v->root)
            continue;
        volume_read_info(v);
        found = text_equal_nocase(v->label, label);
    }
    st->BootServices->FreePool(handles);
    return found;
}

enum status volume_of(EFI_SYSTEM_TABLE *st, const struct volume *own, const char **path, struct volume *v)
{
    CHAR16 wide[PATH_CHARS];
    char name[64];
    size_t n = 0;

    while ((*path)[n] && (*path)[n] != ':')
        n++;
    if ((*path)[n] != ':') {
        *v = *own;
        return ST_OK;
    }
    memset(v, 0, sizeof(*v));
    v->bs = st->BootServices;
    if (n >= sizeof(name))
        return ST_ABSENT;
    memcpy(name, *path, n);
    name[n] = '\0';
    *path += n + 1;
    if (!wide_path(name, wide))
        return ST_ABSENT;
    v->root = mapped_volume(st, wide);
    if (v->root) {
        volume_read_info(v);
        return ST_OK;
    }
    if (labelled_volume(st, name, v))
        return ST_OK;
    v->root = NULL;
    return ST_ABSENT;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static EFI_STATUS open_path(const struct volume *v, const char *path, UINT64 mode, UINT64 attributes,
                            EFI_FILE_HANDLE *f)
{
    CHAR16 wide[PATH_CHARS];

    *f = NULL;
    if (!v->root)
        return EFI_NOT_FOUND;
    if (!wide_path(path, wide))
        return EFI_INVALID_PARAMETER;
    return v->root->Open(v->root, f, wide, mode, attributes);
}

enum status file_exists(const struct volume *v, const char *path)
{
    EFI_FILE_HANDLE f;
    enum status s = status_from_efi(open_path(v, path, EFI_FILE_MODE_READ, 0, &f));

    if (f)
        f->Close(f);
    return s;
}

enum status file_read(const struct volume *v, const char *path, char **text, size_t *length)
{
    union file_info u;
    UINTN size = sizeof(u);
    EFI_FILE_HANDLE f;
    char *bytes;
    EFI_STATUS s = open_path(v, path, EFI_FILE_MODE_READ, 0, &f);

    if (EFI_ERROR(s))
        return status_from_efi(s);
    s = f->GetInfo(f, &file_info_guid, &size, &u);
    if (EFI_ERROR(s) || (u.info.Attribute & EFI_FILE_DIRECTORY) || u.info.FileSize > 1u << 20) {
        f->Close(f);
        return EFI_ERROR(s) ? status_from_efi(s) : ST_RANGE;
    }
    size = u.info.FileSize;
    bytes = heap_alloc(size + 1);
    if (!bytes) {
        f->Close(f);
        return ST_NO_MEMORY;
    }
    s = f->Read(f, &size, bytes);
    f->Close(f);
    if (EFI_ERROR(s)) {
        heap_free(bytes);
        return status_from_efi(s);
    }
    bytes[size] = '\0';
    *text = bytes;
    *length = size;
    return ST_OK;
}

enum status file_stream(const struct volume *v, const char *path, void *context,
                        void (*take)(void *context, const char *bytes, size_t length))
{
    static char buffer[16384];
    EFI_FILE_HANDLE f;
    EFI_STATUS s = open_path(v, path, EFI_FILE_MODE_READ, 0, &f);
    UINTN size = sizeof(buffer);

    while (!EFI_ERROR(s) && size > 0) {
        size = sizeof(buffer);
        s = f->Read(f, &size, buffer);
        if (!EFI_ERROR(s))
            take(context, buffer, size);
    }
    if (f)
        f->Close(f);
    return status_from_efi(s);
}

/* ASCII of a name; of another character '?'. */
static void narrow_name(const CHAR16 *wide, char name[PATH_CHARS])
{
    size_t n = 0;

    for (; n + 1 < PATH_CHARS && wide[n]; n++)
        name[n] = wide[n] > 0x20 && wide[n] < 0x7F ? (char)wide[n] : wide[n] == 0x20 ? ' ' : '?';
    name[n] = '\0';
}

enum status folder_list(const struct volume *v, const char *path, void *context,
                        void (*take)(void *context, const char *name))
{
    static union file_info u;
    char name[PATH_CHARS];
    EFI_FILE_HANDLE f;
    EFI_STATUS s = open_path(v, path, EFI_FILE_MODE_READ, 0, &f);
    UINTN size = sizeof(u);

    while (!EFI_ERROR(s) && size > 0) {
        size = sizeof(u);
        s = f->Read(f, &size, &u);
        if (EFI_ERROR(s) || size == 0 || (u.info.Attribute & EFI_FILE_DIRECTORY))
            continue;
        narrow_name(u.info.FileName, name);
        take(context, name);
    }
    if (f)
        f->Close(f);
    return status_from_efi(s);
}

enum status folder_make(const struct volume *v, const char *path)
{
    char part[PATH_CHARS];
    size_t n = strlen(path);

    if (n >= sizeof(part))
        return ST_RANGE;
    for (size_t i = 1; i <= n; i++) {
        EFI_FILE_HANDLE f;
        EFI_STATUS s;

        if (path[i] != '\\' && path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        s = open_path(v, part, EFI_FILE_MODE_READ, 0, &f);
        if (EFI_ERROR(s))
            s = open_path(v, part, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, EFI_FILE_DIRECTORY,
                          &f);
        if (EFI_ERROR(s))
            return status_from_efi(s);
        f->Close(f);
    }
    return ST_OK;
}

enum status file_create(const struct volume *v, const char *path, struct file *f)
{
    memset(f, 0, sizeof(*f));
    f->bs = v->bs;
    f->root = v->root;
    if (file_exists(v, path) == ST_OK)
        return ST_RANGE;
    f->failed = status_from_efi(
        open_path(v, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0, &f->handle));
    if (f->failed != ST_OK)
        f->handle = NULL;
    return f->failed;
}

enum status file_size(const struct file *f, uint64_t *length)
{
    union file_info u;
    UINTN size = sizeof(u);
    EFI_STATUS s;

    if (!f->handle)
        return ST_ABSENT;
    s = f->handle->GetInfo(f->handle, &file_info_guid, &size, &u);
    if (!EFI_ERROR(s))
        *length = u.info.FileSize;
    return status_from_efi(s);
}

enum status file_open(const struct volume *v, const char *path, struct file *f)
{
    enum status s;

    memset(f, 0, sizeof(*f));
    f->bs = v->bs;
    f->root = v->root;
    s = status_from_efi(open_path(v, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0, &f->handle));
    if (s == ST_OK)
        s = file_size(f, &f->length);
    f->flushed = f->length;
    if (s == ST_OK)
        s = status_from_efi(f->handle->SetPosition(f->handle, f->length));
    if (s != ST_OK)
        file_close(f);
    return s;
}

enum status file_cut(struct file *f, uint64_t length)
{
    union file_info u;
    UINTN size = sizeof(u);
    EFI_STATUS s;

    if (!f->handle)
        return ST_ABSENT;
    s = f->handle->GetInfo(f->handle, &file_info_guid, &size, &u);
    if (!EFI_ERROR(s) && u.info.FileSize != length) {
        u.info.FileSize = length;
        s = f->handle->SetInfo(f->handle, &file_info_guid, size, &u);
    }
    if (!EFI_ERROR(s))
        s = f->handle->SetPosition(f->handle, length);
    if (!EFI_ERROR(s))
        f->length = f->flushed = length;
    return status_from_efi(s);
}

/* Whether an operation that ended so is to be tried again, which it is then; f->failed otherwise. */
static bool try_again(struct file *f, enum status s, uint32_t *tries)
{
    if (s == ST_OK) {
        f->retried += *tries > 0;
        return false;
    }
    if ((s != ST_IO && s != ST_TIMEOUT) || ++*tries == FILE_TRIES) {
        f->failed = s;
        return false;
    }
    f->bs->Stall(1000000);
    return true;
}

/* FAT writes all or nothing, other drivers may not: an attempt that failed is written over. */
static enum status write_once(struct file *f, uint64_t at, const void *bytes, size_t length)
{
    UINTN size = length;
    EFI_STATUS s = f->handle->SetPosition(f->handle, at);

    if (!EFI_ERROR(s))
        s = f->handle->Write(f->handle, &size, (void *)bytes);
    return EFI_ERROR(s) ? status_from_efi(s) : size == length ? ST_OK : ST_FULL;
}

enum status file_write_at(struct file *f, uint64_t offset, const void *bytes, size_t length)
{
    uint32_t tries = 0;
    enum status s;

    if (f->failed != ST_OK)
        return f->failed;
    if (!f->handle)
        return ST_ABSENT;
    do {
        s = write_once(f, offset, bytes, length);
    } while (try_again(f, s, &tries));
    return s;
}

/* A line that was cut in two is no valid line: after a failure that stays nothing more is written. */
enum status file_write(struct file *f, const char *bytes, size_t length)
{
    enum status s = file_write_at(f, f->length, bytes, length);

    if (s == ST_OK)
        f->length += length;
    return s;
}

enum status file_flush(struct file *f)
{
    uint32_t tries = 0;
    enum status s;

    if (f->failed != ST_OK)
        return f->failed;
    if (!f->handle)
        return ST_ABSENT;
    do {
        /* EDK2's FAT driver writes the file's directory entry on its own Flush() alone, and on any other's what it caches of
         * the volume (FatOFileFlush(), FatVolumeFlushCache() in FatPkg/EnhancedFatDxe). A driver that refuses the root
         * writes all at once, as without it. */
        if (f->length != f->flushed)
            (void)f->root->Flush(f->root);
        s = status_from_efi(f->handle->Flush(f->handle));
    } while (try_again(f, s, &tries));
    if (s == ST_OK)
        f->flushed = f->length;
    return s;
}

/* All that the file holds, piece by piece, until take() refuses one. */
static enum status file_pieces(struct file *f, void *context,
                               enum status (*take)(void *context, const char *bytes, size_t length))
{
    static char buffer[16384];
    enum status st;

    if (!f->handle || EFI_ERROR(f->handle->SetPosition(f->handle, 0)))
        return ST_ABSENT;
    for (;;) {
        UINTN size = sizeof(buffer);
        EFI_STATUS s = f->handle->Read(f->handle, &size, buffer);

        if (EFI_ERROR(s) || size == 0)
            return status_from_efi(s);
        st = take(context, buffer, size);
        if (st != ST_OK)
            return st;
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

enum status file_append(struct file *to, struct file *from)
{
    return file_pieces(from, to, take_to_file);
}

enum status file_digest(struct file *f, struct sha256 *sha)
{
    return file_pieces(f, sha, take_to_digest);
}

void file_delete(struct file *f)
{
    if (f->handle)
        (void)f->handle->Delete(f->handle); /* closes it, whatever comes of it */
    f->handle = NULL;
}

void file_close(struct file *f)
{
    if (f->handle)
        f->handle->Close(f->handle);
    f->handle = NULL;
}
