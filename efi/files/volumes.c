/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/files/files_internal.h"

#include <efishell.h>
#include <string.h>

#include "core/base/heap.h"
#include "efi/firmware/connect.h"
#include "core/base/text.h"
#include "efi/net/net.h"

static EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
static EFI_GUID fs_info_guid = EFI_FILE_SYSTEM_INFO_ID;

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

#define ROOTS 32u

/* Firmware closes no handle of an image that returns. Those that there is no room for stay open. */
static struct {
    EFI_FILE_HANDLE roots[ROOTS];
    uint32_t n;
} opened;

static void keep_root(EFI_FILE_HANDLE root)
{
    if (opened.n < ROOTS)
        opened.roots[opened.n++] = root;
}

static EFI_FILE_HANDLE root_of(EFI_BOOT_SERVICES *bs, EFI_HANDLE handle)
{
    EFI_FILE_IO_INTERFACE *fs;
    EFI_FILE_HANDLE root;

    if (!handle || EFI_ERROR(bs->HandleProtocol(handle, &file_system_guid, (void **)&fs)) ||
        EFI_ERROR(fs->OpenVolume(fs, &root)))
        return NULL;
    keep_root(root);
    return root;
}

void volumes_close(void)
{
    while (opened.n > 0) {
        EFI_FILE_HANDLE root = opened.roots[--opened.n];

        root->Close(root);
    }
}

/* --- volumes that are open ----------------------------------------------------------------------------------------- */

static struct mount
    mounts[MOUNTS + 1]; /* the last one stands for those that there is no place for, and are not connected again */

struct mount *volume_mount(const struct volume *v)
{
    return &mounts[v->mount];
}

EFI_FILE_HANDLE volume_root(const struct volume *v)
{
    return v->mount < MOUNTS ? volume_mount(v)->root : v->root;
}

/* The place of a volume whose root is open. */
static void take_place(EFI_HANDLE handle, struct volume *v)
{
    v->mount = 0;
    while (v->mount < MOUNTS && mounts[v->mount].handle && mounts[v->mount].handle != handle)
        v->mount++;
    if (v->mount < MOUNTS) {
        volume_mount(v)->handle = handle;
        volume_mount(v)->root = v->root;
    }
}

static bool mount(EFI_SYSTEM_TABLE *st, EFI_HANDLE handle, struct volume *v)
{
    v->root = root_of(st->BootServices, handle);
    if (v->root)
        take_place(handle, v);
    return v->root;
}

void volume_connect_again(const struct volume *v)
{
    struct mount *m = volume_mount(v);
    EFI_FILE_HANDLE root;

    if (!m->handle)
        return;
    (void)v->bs->DisconnectController(m->handle, NULL, NULL);
    (void)v->bs->ConnectController(m->handle, NULL, NULL, TRUE);
    root = root_of(v->bs, m->handle);
    if (!root)
        return;
    m->root = root;
    m->generation++;
    m->suffered = false;
}

union fs_info {
    EFI_FILE_SYSTEM_INFO info;
    char space[sizeof(EFI_FILE_SYSTEM_INFO) + 512];
};

bool volume_has_room(const struct volume *v, uint64_t bytes)
{
    union fs_info u;
    UINTN size = sizeof(u);

    return EFI_ERROR(volume_root(v)->GetInfo(volume_root(v), &fs_info_guid, &size, &u)) ||
           u.info.FreeSpace >= bytes + 2 * (uint64_t)u.info.BlockSize;
}

/* What the volume says of itself. */
static void volume_read_info(struct volume *v)
{
    union fs_info u;
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
    v->place = net_begin(st, image);
    if (!EFI_ERROR(st->BootServices->HandleProtocol(image, &loaded_image_guid, (void **)&loaded)))
        (void)mount(st, loaded->DeviceHandle, v);
    if (!v->root)
        return ST_ABSENT;
    volume_read_info(v);
    return ST_OK;
}

/* --- volumes by name ---------------------------------------------------------------------------------------------- */

/* "fs0" as the shell maps it. Source: UEFI Shell specification 2.2, 2.2 "EFI_SHELL_PROTOCOL", GetDevicePathFromMap().
 */
static EFI_HANDLE mapped_volume(EFI_SYSTEM_TABLE *st, const CHAR16 *name)
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
    return handle;
}

static bool labelled_volume(EFI_SYSTEM_TABLE *st, const char *label, struct volume *v)
{
    EFI_HANDLE *handles;
    UINTN n = 0;
    bool found = false;

    if (EFI_ERROR(st->BootServices->LocateHandleBuffer(ByProtocol, &file_system_guid, NULL, &n, &handles)))
        return false;
    for (UINTN i = 0; i < n && !found; i++) {
        v->root = root_of(st->BootServices, handles[i]);
        if (!v->root)
            continue;
        volume_read_info(v);
        found = text_equal_nocase(v->label, label);
        if (found)
            take_place(handles[i], v);
    }
    st->BootServices->FreePool(handles);
    return found;
}

enum status volume_of(EFI_SYSTEM_TABLE *st, const struct volume *own, const char **path, struct volume *v)
{
    static const struct boot_source anywhere; /* a path on it is a URL */
    CHAR16 wide[PATH_CHARS];
    char name[64];
    size_t n = 0;

    if (url_scheme(*path) != URL_NONE) {
        *v = (struct volume){ .bs = st->BootServices, .place = &anywhere };
        return ST_OK;
    }
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
    if (mount(st, mapped_volume(st, wide), v)) {
        volume_read_info(v);
        return ST_OK;
    }
    if (labelled_volume(st, name, v))
        return ST_OK;
    connect_all(st->BootServices);
    if (labelled_volume(st, name, v))
        return ST_OK;
    v->root = NULL;
    return ST_ABSENT;
}

bool volume_is_there(const struct volume *v)
{
    void *fs;

    return v->mount >= MOUNTS || !EFI_ERROR(v->bs->HandleProtocol(volume_mount(v)->handle, &file_system_guid, &fs));
}

bool volume_replace(const struct volume *gone, void *context, bool (*is_it)(void *context, const struct volume *v))
{
    EFI_BOOT_SERVICES *bs = gone->bs;
    EFI_FILE_IO_INTERFACE *fs;
    EFI_HANDLE *handles;
    UINTN n = 0;
    bool found = false;

    if (EFI_ERROR(bs->LocateHandleBuffer(ByProtocol, &file_system_guid, NULL, &n, &handles)))
        return false;
    for (UINTN i = 0; i < n && !found; i++) {
        struct volume v = { .bs = bs, .mount = MOUNTS };

        if (EFI_ERROR(bs->HandleProtocol(handles[i], &file_system_guid, (void **)&fs)) ||
            EFI_ERROR(fs->OpenVolume(fs, &v.root)))
            continue;
        found = is_it(context, &v);
        if (found) {
            *volume_mount(gone) = (struct mount){ handles[i], v.root, volume_mount(gone)->generation + 1, false };
            keep_root(v.root);
        } else {
            v.root->Close(v.root);
        }
    }
    bs->FreePool(handles);
    return found;
}

/* --- paths on them ------------------------------------------------------------------------------------------------- */

#define PAUSE_US 1000000u

bool volume_error_passes(EFI_STATUS s)
{
    return s == EFI_DEVICE_ERROR || s == EFI_TIMEOUT || s == EFI_CRC_ERROR;
}

void volume_suffer(const struct volume *v, EFI_STATUS s)
{
    if (!volume_error_passes(s))
        return;
    volume_mount(v)->suffered = true;
    v->bs->Stall(PAUSE_US);
}

EFI_STATUS volume_open_path(const struct volume *v, const char *path, UINT64 mode, UINT64 attributes,
                            EFI_FILE_HANDLE *f)
{
    CHAR16 wide[PATH_CHARS];
    EFI_STATUS s;

    *f = NULL;
    if (!v->root)
        return EFI_NOT_FOUND;
    if (!wide_path(path, wide))
        return EFI_INVALID_PARAMETER;
    for (uint32_t tries = 1;; tries++) {
        s = volume_root(v)->Open(volume_root(v), f, wide, mode, attributes);
        if (!volume_error_passes(s) && !(s == EFI_VOLUME_FULL && (mode & EFI_FILE_MODE_CREATE)))
            return s;
        volume_suffer(v, s);
        volume_connect_again(v); /* a full volume may be one with an unreported error */
        if (tries == FILE_TRIES || (attributes & EFI_FILE_DIRECTORY))
            return s; /* of a folder that was made in part the name is on the medium, and no cluster */
    }
}
