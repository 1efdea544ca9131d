/* tests/qemu/quirk/quirk.c: firmware with a fault, for tests. An EFI application that is booted first.
 *
 * It changes EFI_MP_SERVICES_PROTOCOL as the file \quirk.txt on its own volume says, then starts
 * \EFI\BOOT\BOOTX64.EFI of the volume that has a folder \assay, and passes its exit status on.
 *
 *   refuse     non-blocking StartupAllAPs answers EFI_UNSUPPORTED, as the PI specification allows after ReadyToBoot
 *   hide       there are no MP services at all
 *   deaf       the last processor to start never comes to the caller's procedure: it spins for ever
 */
#include <efi.h>

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

typedef VOID(EFIAPI *ap_procedure)(VOID *argument);

/* Source: PI specification 1.7, volume 2, 13.4 "MP Services Protocol"; members in order, only the ones used typed. */
struct mp_services {
    EFI_STATUS(EFIAPI *get_number)(struct mp_services *mp, UINTN *all, UINTN *enabled);
    VOID *get_info;
    EFI_STATUS(EFIAPI *startup_all)
    (struct mp_services *mp, ap_procedure procedure, BOOLEAN single, EFI_EVENT event, UINTN timeout, VOID *argument,
     UINTN **failed);
    VOID *startup_this, *switch_bsp, *enable_disable, *who_am_i;
};

static EFI_GUID mp_guid = { 0x3fdda605, 0xa76e, 0x4f46, { 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 } };
static EFI_GUID fs_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static EFI_GUID loaded_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
static EFI_GUID path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;

static EFI_SYSTEM_TABLE *st;
static struct mp_services *mp;
static EFI_STATUS(EFIAPI *real_startup_all)(struct mp_services *, ap_procedure, BOOLEAN, EFI_EVENT, UINTN, VOID *,
                                            UINTN **);
static UINTN processors;

static void say(const CHAR16 *text)
{
    st->ConOut->OutputString(st->ConOut, (CHAR16 *)text);
    st->ConOut->OutputString(st->ConOut, (CHAR16[]){ L'\r', L'\n', 0 });
}

static EFI_STATUS EFIAPI refuse(struct mp_services *self, ap_procedure procedure, BOOLEAN single, EFI_EVENT event,
                                UINTN timeout, VOID *argument, UINTN **failed)
{
    if (event)
        return EFI_UNSUPPORTED;
    return real_startup_all(self, procedure, single, event, timeout, argument, failed);
}

/* The order in which processors arrive is arbitrary, so it is any one of them that goes deaf. */
static struct {
    ap_procedure procedure;
    VOID *argument;
    UINTN arrived;
} deaf_call;

static VOID EFIAPI deaf_procedure(VOID *argument)
{
    (void)argument;
    if (__atomic_add_fetch(&deaf_call.arrived, 1, __ATOMIC_SEQ_CST) == processors - 1)
        for (;;)
            __asm__ volatile("pause");
    deaf_call.procedure(deaf_call.argument);
}

static EFI_STATUS EFIAPI deaf(struct mp_services *self, ap_procedure procedure, BOOLEAN single, EFI_EVENT event,
                              UINTN timeout, VOID *argument, UINTN **failed)
{
    deaf_call.procedure = procedure;
    deaf_call.argument = argument;
    deaf_call.arrived = 0;
    return real_startup_all(self, deaf_procedure, single, event, timeout, NULL, failed);
}

static EFI_FILE_HANDLE open_file(EFI_HANDLE volume, const CHAR16 *path)
{
    EFI_FILE_IO_INTERFACE *fs;
    EFI_FILE_HANDLE root, f;

    if (EFI_ERROR(st->BootServices->HandleProtocol(volume, &fs_guid, (void **)&fs)) ||
        EFI_ERROR(fs->OpenVolume(fs, &root)))
        return NULL;
    if (EFI_ERROR(root->Open(root, &f, (CHAR16 *)path, EFI_FILE_MODE_READ, 0)))
        f = NULL;
    root->Close(root);
    return f;
}

static void apply(const char *name)
{
    UINTN enabled;
    EFI_HANDLE *handles;
    UINTN n;

    if (EFI_ERROR(st->BootServices->LocateHandleBuffer(ByProtocol, &mp_guid, NULL, &n, &handles)) || n == 0) {
        say(L"quirk: no MP services here");
        return;
    }
    st->BootServices->HandleProtocol(handles[0], &mp_guid, (void **)&mp);
    mp->get_number(mp, &processors, &enabled);
    real_startup_all = mp->startup_all;
    if (name[0] == 'r') {
        mp->startup_all = refuse;
        say(L"quirk: refuse");
    } else if (name[0] == 'd') {
        mp->startup_all = deaf;
        say(L"quirk: deaf");
    } else if (name[0] == 'h') {
        if (EFI_ERROR(st->BootServices->UninstallProtocolInterface(handles[0], &mp_guid, mp)))
            say(L"quirk: MP services cannot be removed");
        else
            say(L"quirk: hide");
    }
}

/* \EFI\BOOT\BOOTX64.EFI on that volume as a device path: the volume's own, then a file path node, then the end. */
static EFI_DEVICE_PATH *boot_path(EFI_HANDLE volume)
{
    static const CHAR16 file[] = L"\\EFI\\BOOT\\BOOTX64.EFI";
    EFI_DEVICE_PATH *from, *node;
    UINT8 *out;
    UINTN size = 0;

    if (EFI_ERROR(st->BootServices->HandleProtocol(volume, &path_guid, (void **)&from)))
        return NULL;
    for (node = from; node->Type != 0x7F; node = (EFI_DEVICE_PATH *)((UINT8 *)node + *(UINT16 *)node->Length))
        size += *(UINT16 *)node->Length;
    if (EFI_ERROR(st->BootServices->AllocatePool(EfiLoaderData, size + 8 + sizeof(file), (void **)&out)))
        return NULL;
    st->BootServices->CopyMem(out, from, size);
    node = (EFI_DEVICE_PATH *)(out + size);
    node->Type = 4; /* media, file path: UEFI specification 10.3.5.4 */
    node->SubType = 4;
    node->Length[0] = 4 + sizeof(file);
    node->Length[1] = 0;
    st->BootServices->CopyMem(node + 1, (void *)file, sizeof(file));
    node = (EFI_DEVICE_PATH *)((UINT8 *)node + 4 + sizeof(file));
    node->Type = 0x7F;
    node->SubType = 0xFF;
    node->Length[0] = 4;
    node->Length[1] = 0;
    return (EFI_DEVICE_PATH *)out;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    EFI_LOADED_IMAGE *loaded;
    EFI_HANDLE *volumes, child;
    UINTN n, size = 16;
    char name[17] = "";
    EFI_FILE_HANDLE f;

    st = system;
    st->BootServices->HandleProtocol(image, &loaded_guid, (void **)&loaded);
    f = open_file(loaded->DeviceHandle, L"\\quirk.txt");
    if (f)
        f->Read(f, &size, name);
    apply(name);
    if (EFI_ERROR(st->BootServices->LocateHandleBuffer(ByProtocol, &fs_guid, NULL, &n, &volumes)))
        return EFI_NOT_FOUND;
    for (UINTN i = 0; i < n; i++) {
        EFI_STATUS s;

        if (volumes[i] == loaded->DeviceHandle || !open_file(volumes[i], L"\\assay"))
            continue;
        s = st->BootServices->LoadImage(FALSE, image, boot_path(volumes[i]), NULL, 0, &child);
        if (EFI_ERROR(s))
            return s;
        return st->BootServices->StartImage(child, NULL, NULL);
    }
    say(L"quirk: no volume with a folder \\assay");
    return EFI_NOT_FOUND;
}
