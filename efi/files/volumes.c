/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/files/volumes.h"

#include <efishell.h>
#include <string.h>

#include "arch/x86/cpu/insn.h"
#include "core/base/text.h"
#include "efi/firmware/connect.h"
#include "efi/firmware/status.h"
#include "efi/net/net.h"

#define PATH_CHARS FILE_PATH
#define MOUNTS     8u

static EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
static EFI_GUID file_info_guid = EFI_FILE_INFO_ID;
static EFI_GUID fs_info_guid = EFI_FILE_SYSTEM_INFO_ID;

/* ASCII to UTF-16 with '\'. false: too long. */
static bool wide_path(const char *path, CHAR16 wide[PATH_CHARS])
{
    size_t n = 0;

    for (; path[n] && n + 1 < PATH_CHARS; n++)
        wide[n] = path[n] == '/' ? L'\\' : (CHAR16)(unsigned char)path[n];
    wide[n] = 0;
    return path[n] == '\0';
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

static EFI_BOOT_SERVICES *bs;

static EFI_FILE_HANDLE root_of(EFI_HANDLE handle)
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

struct mount {
    struct medium medium; /* the first member: struct volume has it */
    EFI_HANDLE handle;    /* NULL: the driver cannot be connected again */
    EFI_FILE_HANDLE root;
};

static struct mount
    mounts[MOUNTS + 1]; /* the last one stands for those that there is no place for, and are not connected again */

static struct mount *mount_of(const struct volume *v)
{
    return (struct mount *)v->medium;
}

static EFI_FILE_HANDLE open_root(const struct volume *v)
{
    return mount_of(v) != &mounts[MOUNTS] ? mount_of(v)->root : v->root;
}

/* The place of a volume whose root is open. */
static void take_place(EFI_HANDLE handle, struct volume *v)
{
    struct mount *m = mounts;

    while (m < &mounts[MOUNTS] && m->handle && m->handle != handle)
        m++;
    v->medium = &m->medium;
    if (m < &mounts[MOUNTS]) {
        m->handle = handle;
        m->root = v->root;
    }
}

static bool mount(EFI_HANDLE handle, struct volume *v)
{
    v->root = root_of(handle);
    if (v->root)
        take_place(handle, v);
    return v->root;
}

static bool store_connect(const struct volume *v)
{
    struct mount *m = mount_of(v);
    EFI_FILE_HANDLE root;

    if (!m->handle)
        return false;
    (void)bs->DisconnectController(m->handle, NULL, NULL);
    (void)bs->ConnectController(m->handle, NULL, NULL, TRUE);
    root = root_of(m->handle);
    if (root)
        m->root = root;
    return root;
}

union fs_info {
    EFI_FILE_SYSTEM_INFO info;
    char space[sizeof(EFI_FILE_SYSTEM_INFO) + 512];
};

static bool store_has_room(const struct volume *v, uint64_t bytes)
{
    union fs_info u;
    UINTN size = sizeof(u);

    return EFI_ERROR(open_root(v)->GetInfo(open_root(v), &fs_info_guid, &size, &u)) ||
           u.info.FreeSpace >= bytes + 2 * (uint64_t)u.info.BlockSize;
}

/* --- the store: files --------------------------------------------------------------------------------------------- */

union file_info { /* with room for a name */
    EFI_FILE_INFO info;
    char space[sizeof(EFI_FILE_INFO) + 2 * PATH_CHARS];
};

static EFI_FILE_HANDLE handle_of(struct store_file *file)
{
    return (EFI_FILE_HANDLE)(void *)file;
}

/* Of what may be tried again: another medium than the one that was opened is none to wait for. Source: UEFI 2.10, 13.5 Open(). */
static enum status status_of_medium(EFI_STATUS s)
{
    return s == EFI_MEDIA_CHANGED ? ST_ABSENT : status_from_efi(s);
}

static enum status store_open(const struct volume *v, const char *path, enum store_open how, struct store_file **file)
{
    static const UINT64 modes[] = {
        [STORE_READ] = EFI_FILE_MODE_READ,
        [STORE_UPDATE] = EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE,
        [STORE_CREATE] = EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
        [STORE_FOLDER] = EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
    };
    CHAR16 wide[PATH_CHARS];
    EFI_FILE_HANDLE f = NULL;
    EFI_STATUS s;

    if (!wide_path(path, wide))
        return ST_RANGE;
    s = open_root(v)->Open(open_root(v), &f, wide, modes[how], how == STORE_FOLDER ? EFI_FILE_DIRECTORY : 0);
    *file = (struct store_file *)(void *)f;
    return status_of_medium(s);
}

static void store_close(struct store_file *file)
{
    handle_of(file)->Close(handle_of(file));
}

static void store_remove(struct store_file *file)
{
    (void)handle_of(file)->Delete(handle_of(file));
}

static enum status store_read(struct store_file *file, uint64_t at, void *bytes, size_t *length)
{
    UINTN size = *length;
    EFI_STATUS s = handle_of(file)->SetPosition(handle_of(file), at);

    if (!EFI_ERROR(s))
        s = handle_of(file)->Read(handle_of(file), &size, bytes);
    *length = size;
    return status_of_medium(s);
}

static enum status store_write(struct store_file *file, uint64_t at, const void *bytes, size_t *length)
{
    UINTN size = *length;
    EFI_STATUS s = handle_of(file)->SetPosition(handle_of(file), at);

    if (!EFI_ERROR(s))
        s = handle_of(file)->Write(handle_of(file), &size, (void *)bytes);
    *length = size;
    return status_from_efi(s);
}

static enum status store_size(struct store_file *file, uint64_t *length)
{
    union file_info u;
    UINTN size = sizeof(u);
    EFI_STATUS s = handle_of(file)->GetInfo(handle_of(file), &file_info_guid, &size, &u);

    if (EFI_ERROR(s))
        return status_from_efi(s);
    *length = u.info.FileSize;
    return u.info.Attribute & EFI_FILE_DIRECTORY ? ST_RANGE : ST_OK;
}

static enum status store_resize(struct store_file *file, uint64_t length)
{
    union file_info u;
    UINTN size = sizeof(u);
    EFI_STATUS s = handle_of(file)->GetInfo(handle_of(file), &file_info_guid, &size, &u);

    if (EFI_ERROR(s))
        return status_from_efi(s);
    u.info.FileSize = length;
    return status_from_efi(handle_of(file)->SetInfo(handle_of(file), &file_info_guid, size, &u));
}

static enum status store_flush(struct store_file *file)
{
    return status_from_efi(handle_of(file)->Flush(handle_of(file)));
}

static enum status store_flush_volume(const struct volume *v)
{
    return status_from_efi(open_root(v)->Flush(open_root(v)));
}

/* ASCII of a name; of another character '?'. */
static void narrow_name(const CHAR16 *wide, char *name, size_t size)
{
    size_t n = 0;

    for (; n + 1 < size && wide[n]; n++)
        name[n] = wide[n] >= 0x20 && wide[n] < 0x7F ? (char)wide[n] : '?';
    name[n] = '\0';
}

static enum status store_next(struct store_file *folder, char *name, size_t size, bool *is_file)
{
    static union file_info u;
    UINTN n = sizeof(u);
    EFI_STATUS s = handle_of(folder)->Read(handle_of(folder), &n, &u);

    name[0] = '\0';
    if (EFI_ERROR(s) || n == 0)
        return status_from_efi(s);
    *is_file = !(u.info.Attribute & EFI_FILE_DIRECTORY);
    narrow_name(u.info.FileName, name, size);
    return ST_OK;
}

/* --- the store: volumes -------------------------------------------------------------------------------------------- */

static bool store_is_there(const struct volume *v)
{
    void *fs;

    return mount_of(v) == &mounts[MOUNTS] ||
           !EFI_ERROR(bs->HandleProtocol(mount_of(v)->handle, &file_system_guid, &fs));
}

static bool store_replace(const struct volume *gone, void *context,
                          bool (*is_it)(void *context, const struct volume *v))
{
    EFI_FILE_IO_INTERFACE *fs;
    EFI_HANDLE *handles;
    UINTN n = 0;
    bool found = false;

    if (EFI_ERROR(bs->LocateHandleBuffer(ByProtocol, &file_system_guid, NULL, &n, &handles)))
        return false;
    for (UINTN i = 0; i < n && !found; i++) {
        struct volume v = { .ops = gone->ops, .medium = &mounts[MOUNTS].medium };
        EFI_FILE_HANDLE root;

        if (EFI_ERROR(bs->HandleProtocol(handles[i], &file_system_guid, (void **)&fs)) ||
            EFI_ERROR(fs->OpenVolume(fs, &root)))
            continue;
        v.root = root;
        found = is_it(context, &v);
        if (found) {
            mount_of(gone)->handle = handles[i];
            mount_of(gone)->root = root;
            keep_root(root);
        } else {
            root->Close(root);
        }
    }
    bs->FreePool(handles);
    return found;
}

static void store_pause(uint32_t ms)
{
    bs->Stall((UINTN)ms * 1000);
}

static uint64_t store_ticks(void)
{
    return insn_rdtsc();
}

static const struct store_ops store_ops = {
    .open = store_open,
    .close = store_close,
    .remove = store_remove,
    .read = store_read,
    .write = store_write,
    .size = store_size,
    .resize = store_resize,
    .flush = store_flush,
    .flush_volume = store_flush_volume,
    .next = store_next,
    .has_room = store_has_room,
    .is_there = store_is_there,
    .connect = store_connect,
    .replace = store_replace,
    .fetch = net_read,
    .pause = store_pause,
    .ticks = store_ticks,
};

/* --- volumes that are opened ---------------------------------------------------------------------------------------- */

/* What the volume says of itself. */
static void volume_read_info(struct volume *v)
{
    union fs_info u;
    UINTN size = sizeof(u);
    EFI_FILE_HANDLE root = v->root;

    v->read_only = false;
    v->label[0] = '\0';
    if (EFI_ERROR(root->GetInfo(root, &fs_info_guid, &size, &u)))
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

    bs = st->BootServices;
    *v = (struct volume){ .ops = &store_ops };
    v->place = net_begin(st, image);
    if (!EFI_ERROR(st->BootServices->HandleProtocol(image, &loaded_image_guid, (void **)&loaded)))
        (void)mount(loaded->DeviceHandle, v);
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
        v->root = root_of(handles[i]);
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
        *v = (struct volume){ .ops = &store_ops, .place = &anywhere };
        return ST_OK;
    }
    while ((*path)[n] && (*path)[n] != ':')
        n++;
    if ((*path)[n] != ':') {
        *v = *own;
        return ST_OK;
    }
    *v = (struct volume){ .ops = &store_ops };
    if (n >= sizeof(name))
        return ST_ABSENT;
    memcpy(name, *path, n);
    name[n] = '\0';
    *path += n + 1;
    if (!wide_path(name, wide))
        return ST_ABSENT;
    if (mount(mapped_volume(st, wide), v)) {
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
