/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/firmware/netboot.c: boots as firmware's boot manager boots from a network, for machines that the shim is below. An EFI
 * application.
 *
 * Firmware starts the shim from its own volume, so that the silicon is there before anything else; this, as the shim's payload, then
 * has firmware boot from the first network that it can: drivers are connected, each protocol EFI_LOAD_FILE_PROTOCOL (PXE over IPv4 and
 * IPv6, HTTP) is asked for the image that the network names, and the first one is started. Source: UEFI 2.10, 3.1.2 "Load Option
 * Processing", 7.4.1 EFI_BOOT_SERVICES.LoadImage(), BootPolicy.
 */
#include <efi.h>

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

static EFI_GUID pci_guid = { 0x4cf5b200, 0x68b8, 0x4ca5, { 0x9e, 0xec, 0xb2, 0x3e, 0x3f, 0x50, 0x02, 0x9a } };
static EFI_GUID load_file_guid = { 0x56ec3091, 0x954c, 0x11d2, { 0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b } };
static EFI_GUID path_guid = { 0x09576e91, 0x6d3f, 0x11d2, { 0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b } };

static VOID connect_all(EFI_BOOT_SERVICES *bs)
{
    EFI_HANDLE *handles;
    UINTN n;

    if (EFI_ERROR(bs->LocateHandleBuffer(ByProtocol, &pci_guid, NULL, &n, &handles)))
        return;
    for (UINTN i = 0; i < n; i++)
        (VOID) bs->ConnectController(handles[i], NULL, NULL, TRUE);
    (VOID) bs->FreePool(handles);
}

/* What the image that is started ends with; EFI_NOT_FOUND: no network names one. */
static EFI_STATUS boot_first(EFI_HANDLE image, EFI_BOOT_SERVICES *bs)
{
    EFI_HANDLE *handles, loaded;
    EFI_DEVICE_PATH_PROTOCOL *path;
    UINTN n;

    if (EFI_ERROR(bs->LocateHandleBuffer(ByProtocol, &load_file_guid, NULL, &n, &handles)))
        return EFI_NOT_FOUND;
    for (UINTN i = 0; i < n; i++)
        if (!EFI_ERROR(bs->HandleProtocol(handles[i], &path_guid, (VOID **)&path)) &&
            !EFI_ERROR(bs->LoadImage(TRUE, image, path, NULL, 0, &loaded)))
            return bs->StartImage(loaded, NULL, NULL);
    return EFI_NOT_FOUND;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    connect_all(system->BootServices);
    return boot_first(image, system->BootServices);
}
