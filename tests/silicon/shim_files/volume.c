/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/shim_files/volume.h"

#include "tests/silicon/shim_files/disk.h"

#define CONFIG_FILE  L"\\silicon\\shim.cfg"
#define CONFIG_BYTES 4096u

static EFI_GUID file_system_guid = { 0x964e5b22, 0x6459, 0x11d2, { 0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b } };
static EFI_GUID device_path_guid = { 0x09576e91, 0x6d3f, 0x11d2, { 0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b } };
static EFI_GUID loaded_image_guid = { 0x5b1b31a1, 0x9562, 0x11d2, { 0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b } };

void say_texts(EFI_SYSTEM_TABLE *st, const CHAR16 *const *texts)
{
    for (; *texts; texts++)
        st->ConOut->OutputString(st->ConOut, (CHAR16 *)*texts);
}

EFI_FILE_HANDLE volume_open(EFI_SYSTEM_TABLE *st, EFI_HANDLE volume, CHAR16 *path)
{
    EFI_FILE_IO_INTERFACE *fs;
    EFI_FILE_HANDLE root, file;
    EFI_STATUS status;

    if (EFI_ERROR(st->BootServices->HandleProtocol(volume, &file_system_guid, (VOID **)&fs)) ||
        EFI_ERROR(fs->OpenVolume(fs, &root)))
        return NULL;
    status = root->Open(root, &file, path, EFI_FILE_MODE_READ, 0);
    root->Close(root);
    return EFI_ERROR(status) ? NULL : file;
}

/* --- configuration */

static BOOLEAN is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static BOOLEAN same(const CHAR16 *a, const CHAR16 *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* Copy [from, to) without blanks around it. FALSE: does not fit. */
static BOOLEAN trim(const char *from, const char *to, CHAR16 out[CONFIG_TEXT])
{
    UINTN n = 0;

    while (from < to && is_blank(*from))
        from++;
    while (to > from && is_blank(to[-1]))
        to--;
    if (to - from >= (INTN)CONFIG_TEXT)
        return FALSE;
    while (from < to)
        out[n++] = (UINT8)*from++;
    out[n] = 0;
    return TRUE;
}

static BOOLEAN take_line(struct config *c, const char *from, const char *to)
{
    static CHAR16 key[CONFIG_TEXT], value[CONFIG_TEXT];
    const char *equals = from;

    while (from < to && is_blank(*from))
        from++;
    if (from == to || *from == '#')
        return TRUE;
    while (equals < to && *equals != '=')
        equals++;
    if (equals == to || !trim(from, equals, key) || !trim(equals + 1, to, value))
        return FALSE;
    if (same(key, L"payload"))
        return trim(equals + 1, to, c->payload);
    if (same(key, L"options"))
        return trim(equals + 1, to, c->options);
    if (same(key, L"driver"))
        return c->n_drivers < CONFIG_DRIVERS && trim(equals + 1, to, c->drivers[c->n_drivers++]);
    if (same(key, L"apic")) {
        c->x2apic = same(value, L"x2apic");
        return c->x2apic || same(value, L"xapic");
    }
    if (!same(key, L"after"))
        return FALSE;
    if (same(value, L"exit"))
        c->after = AFTER_EXIT;
    else if (same(value, L"return"))
        c->after = AFTER_RETURN;
    else if (same(value, L"shutdown"))
        c->after = AFTER_SHUTDOWN;
    else
        return FALSE;
    return TRUE;
}

BOOLEAN config_read(EFI_SYSTEM_TABLE *st, EFI_HANDLE own, struct config *c)
{
    static char text[CONFIG_BYTES];
    static const char default_payload[] = "\\EFI\\BOOT\\BOOTX64.EFI";
    UINTN size = sizeof text;
    EFI_FILE_HANDLE file = volume_open(st, own, CONFIG_FILE);
    BOOLEAN fine;

    trim(default_payload, default_payload + sizeof default_payload - 1, c->payload);
    if (!file)
        return TRUE;
    fine = !EFI_ERROR(file->Read(file, &size, text)) && size < sizeof text;
    file->Close(file);
    for (char *line = text, *end = text + size; fine && line < end;) {
        char *stop = line;

        while (stop < end && *stop != '\n')
            stop++;
        fine = take_line(c, line, stop);
        line = stop + 1;
    }
    if (!fine)
        say(st, L"silicon: ", CONFIG_FILE, L": not readable, too long, or a line that is no good\r\n");
    return fine;
}

/* --- volumes */

static EFI_HANDLE search(EFI_SYSTEM_TABLE *st, EFI_HANDLE own, CHAR16 *path)
{
    EFI_HANDLE *handles, found = NULL;
    UINTN n = 0;

    if (EFI_ERROR(st->BootServices->LocateHandleBuffer(ByProtocol, &file_system_guid, NULL, &n, &handles)))
        return NULL;
    for (UINTN i = 0; i < n && !found; i++) {
        EFI_FILE_HANDLE file = handles[i] == own ? NULL : volume_open(st, handles[i], path);

        if (file) {
            file->Close(file);
            found = handles[i];
        }
    }
    st->BootServices->FreePool(handles);
    return found;
}

/* Firmware in a hurry connects no more than the disk that it boots. */
static void connect_disks(EFI_SYSTEM_TABLE *st)
{
    EFI_HANDLE *handles;
    UINTN n = 0;

    if (EFI_ERROR(st->BootServices->LocateHandleBuffer(ByProtocol, &block_io_guid, NULL, &n, &handles)))
        return;
    disk_begin();
    for (UINTN i = 0; i < n; i++)
        st->BootServices->ConnectController(handles[i], NULL, NULL, TRUE);
    disk_end(0);
    disks_take(st->BootServices);
    st->BootServices->FreePool(handles);
}

EFI_HANDLE volume_with(EFI_SYSTEM_TABLE *st, EFI_HANDLE own, CHAR16 *path)
{
    EFI_HANDLE found = search(st, own, path);

    if (!found) {
        connect_disks(st);
        found = search(st, own, path);
    }
    return found;
}

static UINTN path_length(const EFI_DEVICE_PATH *node)
{
    const UINT8 *at = (const UINT8 *)node;

    while (!(at[0] == 0x7F && at[1] == 0xFF))
        at += at[2] | at[3] << 8;
    return (UINTN)(at - (const UINT8 *)node);
}

/* The volume's device path, a file path node (type 4, subtype 4), the end. UEFI specification 10.3.5.4. */
static EFI_DEVICE_PATH *file_path(EFI_SYSTEM_TABLE *st, EFI_HANDLE volume, const CHAR16 *path)
{
    EFI_DEVICE_PATH *base;
    UINT8 *full, *node;
    UINTN length, characters = 0, bytes;

    if (EFI_ERROR(st->BootServices->HandleProtocol(volume, &device_path_guid, (VOID **)&base)))
        return NULL;
    while (path[characters])
        characters++;
    length = path_length(base);
    bytes = 4 + (characters + 1) * sizeof(CHAR16);
    if (EFI_ERROR(st->BootServices->AllocatePool(EfiLoaderData, length + bytes + 4, (VOID **)&full)))
        return NULL;
    node = full + length;
    __builtin_memcpy(full, base, length);
    __builtin_memcpy(node, (UINT8[]){ 4, 4, (UINT8)bytes, (UINT8)(bytes >> 8) }, 4);
    __builtin_memcpy(node + 4, path, bytes - 4);
    __builtin_memcpy(node + bytes, (UINT8[]){ 0x7F, 0xFF, 4, 0 }, 4);
    return (EFI_DEVICE_PATH *)full;
}

EFI_STATUS volume_load(EFI_SYSTEM_TABLE *st, EFI_HANDLE parent, EFI_HANDLE volume, CHAR16 *path, CHAR16 *options,
                       EFI_HANDLE *image)
{
    EFI_BOOT_SERVICES *bs = st->BootServices;
    EFI_DEVICE_PATH *from = file_path(st, volume, path);
    EFI_LOADED_IMAGE *loaded;
    EFI_STATUS status;
    UINTN n = 0;

    if (!from)
        return EFI_OUT_OF_RESOURCES;
    status = bs->LoadImage(FALSE, parent, from, NULL, 0, image);
    bs->FreePool(from);
    if (!EFI_ERROR(status))
        status = bs->HandleProtocol(*image, &loaded_image_guid, (VOID **)&loaded);
    if (EFI_ERROR(status))
        return status;
    while (options[n])
        n++;
    if (n > 0) {
        loaded->LoadOptions = options;
        loaded->LoadOptionsSize = (UINT32)((n + 1) * sizeof(CHAR16));
    }
    return EFI_SUCCESS;
}
