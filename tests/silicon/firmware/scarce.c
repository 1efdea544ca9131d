/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/firmware/scarce.c: firmware that has no memory for one request, or for none from one on, for tests. An EFI driver
 * that is loaded before the payload.
 *
 * \scarce.txt on the volume that it comes from says three decimal numbers, FIRST STEP ONCE: the first application that is started
 * then is refused its own call number FIRST of AllocatePool() and AllocatePages() (from 1, both counted together), the next one that
 * of number FIRST + STEP, and so on; with ONCE 0 each that follows too; with ONCE 2 calls of AllocatePages() alone, each that follows
 * too, until the application gives back some pool. Calls of firmware's drivers are not counted, nor refused.
 * After each application the console says "[scarce: N calls, M refused]".
 */
#include <efi.h>

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

#define SUBSYSTEM_APPLICATION 10u

static EFI_GUID image_guid = { 0x5b1b31a1, 0x9562, 0x11d2, { 0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b } };
static EFI_GUID volume_guid = { 0x964e5b22, 0x6459, 0x11d2, { 0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b } };
static EFI_SYSTEM_TABLE *st;
static EFI_ALLOCATE_POOL real_pool;
static EFI_ALLOCATE_PAGES real_pages;
static EFI_FREE_POOL real_free;
static EFI_IMAGE_START real_start;
static UINT64 first, step, once;        /* of scarce.txt */
static UINT64 from, to, calls, refused; /* the image that runs, and what it asked for */
static BOOLEAN given_back;              /* some pool, after the first refusal */

static BOOLEAN is_payload(UINT64 caller)
{
    return caller >= from && caller < to;
}

static BOOLEAN refuse(UINT64 caller)
{
    if (!is_payload(caller))
        return FALSE;
    calls++;
    if (calls < first || (calls > first && once == 1) || (once == 2 && given_back))
        return FALSE;
    refused++;
    return TRUE;
}

static EFI_STATUS EFIAPI pool(EFI_MEMORY_TYPE type, UINTN bytes, VOID **at)
{
    return once != 2 && refuse((UINT64)__builtin_return_address(0)) ? EFI_OUT_OF_RESOURCES : real_pool(type, bytes, at);
}

static EFI_STATUS EFIAPI pages(EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type, UINTN n, EFI_PHYSICAL_ADDRESS *at)
{
    return refuse((UINT64)__builtin_return_address(0)) ? EFI_OUT_OF_RESOURCES : real_pages(how, type, n, at);
}

static EFI_STATUS EFIAPI give_back(VOID *at)
{
    if (refused > 0 && is_payload((UINT64)__builtin_return_address(0)))
        given_back = TRUE;
    return real_free(at);
}

static VOID say(const char *text)
{
    CHAR16 one[2] = { 0, 0 };

    for (; *text; text++) {
        one[0] = (CHAR16)*text;
        (VOID) st->ConOut->OutputString(st->ConOut, one);
    }
}

static VOID say_number(UINT64 n)
{
    char text[21];
    UINT32 at = sizeof text - 1;

    text[at] = '\0';
    do {
        text[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    say(text + at);
}

static BOOLEAN is_application(const EFI_LOADED_IMAGE *loaded)
{
    const UINT8 *base = loaded->ImageBase;
    const UINT8 *pe = base + *(const UINT32 *)(base + 0x3C);

    return pe[24 + 68] == SUBSYSTEM_APPLICATION;
}

static EFI_STATUS EFIAPI start(EFI_HANDLE image, UINTN *size, CHAR16 **data)
{
    EFI_LOADED_IMAGE *loaded;
    EFI_STATUS s;

    if (EFI_ERROR(st->BootServices->HandleProtocol(image, &image_guid, (VOID **)&loaded)) || !is_application(loaded))
        return real_start(image, size, data);
    calls = refused = 0;
    given_back = FALSE;
    from = (UINT64)loaded->ImageBase;
    to = from + loaded->ImageSize;
    s = real_start(image, size, data);
    from = to = 0;
    first += step;
    say("[scarce: ");
    say_number(calls);
    say(" calls, ");
    say_number(refused);
    say(" refused]\r\n");
    return s;
}

static UINT64 take_number(const char **text)
{
    UINT64 n = 0;

    while (**text && (**text < '0' || **text > '9'))
        (*text)++;
    for (; **text >= '0' && **text <= '9'; (*text)++)
        n = 10 * n + (UINT64)(**text - '0');
    return n;
}

static EFI_STATUS read_numbers(EFI_HANDLE image)
{
    static CHAR16 name[] = { '\\', 's', 'c', 'a', 'r', 'c', 'e', '.', 't', 'x', 't', 0 };
    static char text[80];
    UINTN bytes = sizeof text - 1;
    const char *at = text;
    EFI_LOADED_IMAGE *loaded;
    EFI_FILE_IO_INTERFACE *volume;
    EFI_FILE_HANDLE root, file;
    EFI_STATUS s = st->BootServices->HandleProtocol(image, &image_guid, (VOID **)&loaded);

    if (!EFI_ERROR(s))
        s = st->BootServices->HandleProtocol(loaded->DeviceHandle, &volume_guid, (VOID **)&volume);
    if (!EFI_ERROR(s))
        s = volume->OpenVolume(volume, &root);
    if (EFI_ERROR(s))
        return s;
    s = root->Open(root, &file, name, EFI_FILE_MODE_READ, 0);
    if (!EFI_ERROR(s)) {
        s = file->Read(file, &bytes, text);
        (VOID) file->Close(file);
    }
    (VOID) root->Close(root);
    first = take_number(&at);
    step = take_number(&at);
    once = take_number(&at);
    return EFI_ERROR(s) || first > 0 ? s : EFI_NOT_FOUND;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    EFI_STATUS s;

    st = system;
    s = read_numbers(image);
    if (EFI_ERROR(s))
        return s;
    real_pool = st->BootServices->AllocatePool;
    real_pages = st->BootServices->AllocatePages;
    real_free = st->BootServices->FreePool;
    real_start = st->BootServices->StartImage;
    st->BootServices->AllocatePool = pool;
    st->BootServices->AllocatePages = pages;
    st->BootServices->FreePool = give_back;
    st->BootServices->StartImage = start;
    return EFI_SUCCESS;
}
